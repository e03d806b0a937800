"""What an experiment looks at: a few figures of any game and every metric of this one, game by game.

Of each game a figure has `n` cases and the `total` of what was counted in them; its value is total / n over all games.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

import polars as pl
from msgspec import Struct

from events.errors import FormatError
from replay.filters import Filter
from replay.statistics.measuring import metrics_of
from replay.storage.store import Store

WHOLE: Final = 2520
"""Parts of a win, so that its half, third, ... tenth are whole numbers: sums do not depend on their order."""

ROWS: Final = pl.Schema(
    {"figure": pl.String(), "key": pl.String(), "number": pl.Int64(), "n": pl.Int64(), "total": pl.Int64()}
)
"""Figures of games: `number` is that of the game in its batch."""


class Figure(Struct, frozen=True, kw_only=True):
    """Something that games of two variants may differ in.

    `title` asks the question; `key` says what keys name ("" if there are none). `less` and `more` say a difference as a
    sentence, with `{by}`, and `{key}` where there are keys, if there is a good one. Totals count in parts of `whole`.
    """

    name: str
    title: str
    unit: Literal["rate", "mean"]
    less: str = ""
    more: str = ""
    key: str = ""
    whole: int = 1


ALWAYS: Final = (
    Figure(
        name="turns",
        title="How many turns does a game take?",
        unit="mean",
        less="Games are {by} turns shorter",
        more="Games are {by} turns longer",
    ),
    Figure(
        name="events",
        title="How many events does a game have?",
        unit="mean",
        less="Games have {by} events less",
        more="Games have {by} events more",
    ),
    Figure(
        name="score",
        title="What do players score?",
        unit="mean",
        less="Players score {by} less",
        more="Players score {by} more",
    ),
    Figure(
        name="wins",
        title="How often does a seat win?",
        unit="rate",
        key="seat",
        whole=WHOLE,
        less="{key} wins {by} less often",
        more="{key} wins {by} more often",
    ),
    Figure(
        name="bots",
        title="How often does a bot win?",
        unit="rate",
        key="bot",
        whole=WHOLE,
        less="{key} wins {by} less often",
        more="{key} wins {by} more often",
    ),
    Figure(
        name="shared",
        title="How often is the win shared?",
        unit="rate",
        less="The win is shared {by} less often",
        more="The win is shared {by} more often",
    ),
    Figure(
        name="endings",
        title="How do games end?",
        unit="rate",
        key="reason",
        less="Games end with “{key}” {by} less often",
        more="Games end with “{key}” {by} more often",
    ),
)
"""What is looked at in any game, beside its metrics."""


def figures_of(slug: str) -> dict[str, Figure]:
    """Give what is looked at in a game, by name; raises `SetupError` for an unknown game."""
    measured = [
        Figure(name=metric.name, title=metric.title, unit=metric.unit, key=metric.key) for metric in metrics_of(slug)
    ]
    return {figure.name: figure for figure in (*ALWAYS, *measured)}


def judge(slug: str, looked_at: Sequence[str], precision: Iterable[str]) -> None:
    """Raise `FormatError` for names of what is no figure of a game, or of one that is not looked at.

    A precision may be of a part: `wins`, `wins/seat 0`. All are looked at where none is named.
    """
    known = figures_of(slug)
    for name in looked_at:
        if name not in known:
            raise FormatError(f"figures: there is no {name[:80]!r}; there are: {', '.join(known)}")
    for each in precision:
        name, slash, _ = each.partition("/")
        if name not in (looked_at or known):
            raise FormatError(
                f"precision: there is no figure {name[:80]!r}; there are: {', '.join(looked_at or known)}"
            )
        if slash and not known[name].key:
            raise FormatError(f"precision: {name} has no parts, so {each[:80]!r} is none of them")


def rows(store: Store, ids: Sequence[str]) -> pl.DataFrame:
    """Give every figure of stored, measured games: `ROWS`. A game's number is its place among the ids."""
    wanted = Filter(ids=tuple(ids))
    numbers = pl.DataFrame({"replay": ids, "number": range(len(ids))}, {"replay": pl.String, "number": pl.Int64})

    def found(table: str, *columns: str) -> pl.DataFrame:
        parts = list(store.parts(table, ["replay", *columns], wanted))
        return pl.concat([part.join(numbers, on="replay") for part in parts])

    games = found("replay", "turns", "length", "ended")
    seats = found("seat_result", "seat", "bot", "score", "winners", "won")
    won = pl.when("won").then(pl.lit(WHOLE) // pl.col("winners").cast(pl.Int64)).otherwise(0)
    several = seats["bot"].n_unique() > 1
    endings = games.select("number").join(games.select(key=pl.col("ended")).unique(), how="cross")
    ended = endings.join(games.select("number", key="ended", total=1), on=["number", "key"], how="left")
    return pl.concat(
        [
            _figure("turns", games, total=pl.col("turns")),
            _figure("events", games, total=pl.col("length")),
            _figure("score", seats, total=pl.col("score")),
            _figure("wins", seats, key=pl.format("seat {}", "seat"), total=won),
            _figure("bots", seats.filter(several), key=pl.col("bot"), total=won),
            _figure("shared", seats.filter(pl.col("seat") == 0), total=pl.col("winners") > 1),
            _figure("endings", ended, key=pl.col("key"), total=pl.col("total").fill_null(0)),
            *[
                _figure(metric, part, key=pl.col("key"), n=pl.col("n"), total=pl.col("total"))
                for (metric,), part in found("tally", "metric", "key", "n", "total").group_by("metric")
            ],
        ]
    )


def _figure(
    name: object, frame: pl.DataFrame, *, total: pl.Expr, n: pl.Expr | None = None, key: pl.Expr | None = None
) -> pl.DataFrame:
    cases = pl.lit(1) if n is None else n
    return (
        frame.select(
            pl.lit(name).alias("figure"),
            (pl.lit("") if key is None else key).alias("key"),
            "number",
            cases.cast(pl.Int64).alias("n"),
            total.cast(pl.Int64).alias("total"),
        )
        .group_by("figure", "key", "number")
        .agg(pl.col("n").sum(), pl.col("total").sum())
    )
