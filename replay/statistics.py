"""Statistics as functions from frames to frames, by polars.

What goes in are the store's tables a seat and a game (`Store.seat_results`, `Store.replays`); events never travel
here. Only finished games count. A shared win is split: each of k winners is credited 1/k, so the credits of a game add
up to 1. Every rate stands beside its n, its Wilson interval and what chance alone would give; `enough` is False
under `FLOOR` games. Rows are sorted by their keys, and every column has a fixed type.

`docs/statistics.md` defines each figure; the worked examples there are tests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

import polars as pl

FLOOR: Final = 30
"""Games under which a rate says little and is shown in grey."""

Z95: Final = 1.959963984540054
"""Standard normal quantile of a two-sided 95 % interval."""


_RATE: Final = (
    "Only finished games count. **rate** is credit divided by n; a shared win is split, each of k winners is credited "
    "1/k. **low** and **high** are the ends of Wilson's 95 % score interval: if the games were played over and over, "
    "95 of 100 such intervals would contain the true rate. **baseline** is what equal players would get, the mean of "
    "1/seats over those games. A rate is called apart from its share if the interval does not contain the baseline; "
    "when many are looked at, one in twenty is by chance alone. Below 30 games a rate is shown in grey and not judged."
)

DEFINITIONS: Final[Mapping[str, str]] = {
    "seats": f"{_RATE} **n** counts games in which that seat was played. "
    "*Example:* seat 0 won 7 of 10 two-seat games alone and shared 2: credit 8, rate 80.0 %, interval 49.0 to 94.3 %.",
    "players": f"{_RATE} **n** counts the games that a player of that name (and bot) sat in.",
    "scores": "The final scores of all seats of finished games. Quartiles (**lower**, **upper**) interpolate linearly; "
    "**sd** is the standard deviation of the sample (n - 1). "
    "*Example:* of the scores 3, 5, 8 and 12 the mean is 7, the quartiles are 4.5, 6.5 and 9.",
    "length": "Turns (as the game counts them) and events of finished games, by number of seats. An event is anything "
    "that happened: a move, or a consequence of one.",
    "endings": "The reason that each finished game gives for its end. **share** is n divided by the games of that seat "
    "count, **low** and **high** the ends of Wilson's 95 % score interval.",
}
"""What each figure of the statistics page means, in Markdown, by its name; at length in `docs/statistics.md`."""

Number = TypeVar("Number", float, pl.Expr)


def wilson(credit: Number, n: Number) -> tuple[Number, Number]:
    """Give the ends of Wilson's 95 % score interval for `credit` wins in `n` games, as numbers or as columns.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927). For shared
    wins `credit` is not whole; the interval is then slightly wide, since sharing varies less than winning or losing.

    >>> [round(end, 3) for end in wilson(8.0, 10.0)]
    [0.49, 0.943]
    """
    p, square = credit / n, Z95 * Z95
    centre = (p + square / (2 * n)) / (1 + square / n)
    half = Z95 / (1 + square / n) * (p * (1 - p) / n + square / (4 * n * n)) ** 0.5
    return centre - half, centre + half


def win_rates(results: pl.DataFrame, by: str | Sequence[str]) -> pl.DataFrame:
    """Give win rates by one or more columns of the seat results: `seat`, `player`, `bot`, `seats`.

    One row a key, sorted: `n` seats played, `wins` alone, `shared` wins, `credit` (shared wins split), `rate` = credit
    / n with `low` and `high` (95 %), `baseline` (mean of 1/seats: what equal players would get), `mean_rank` (1 is
    best), and whether n is `enough`.
    """
    keys = [by] if isinstance(by, str) else list(by)
    won = pl.col("won")
    credit = pl.when(won).then(1.0 / pl.col("winners")).otherwise(0.0)
    table = results.group_by(keys).agg(
        n=pl.len().cast(pl.Int64),
        wins=(won & (pl.col("winners") == 1)).sum().cast(pl.Int64),
        shared=(won & (pl.col("winners") > 1)).sum().cast(pl.Int64),
        credit=credit.sum(),
        baseline=(1.0 / pl.col("seats")).mean(),
        mean_rank=pl.col("rank").cast(pl.Float64).mean(),
    )
    low, high = wilson(pl.col("credit"), pl.col("n"))
    rated = table.with_columns(rate=pl.col("credit") / pl.col("n"), low=low, high=high, enough=pl.col("n") >= FLOOR)
    order = [*keys, "n", "wins", "shared", "credit", "rate", "low", "high", "baseline", "mean_rank", "enough"]
    return rated.select(order).sort(keys, nulls_last=True)


def score_summary(results: pl.DataFrame, by: str | Sequence[str]) -> pl.DataFrame:
    """Give the scores by key: n, mean, standard deviation, smallest, quartiles and largest. One row a key, sorted."""
    keys = [by] if isinstance(by, str) else list(by)
    score = pl.col("score")
    return (
        results.group_by(keys)
        .agg(
            n=pl.len().cast(pl.Int64),
            mean=score.cast(pl.Float64).mean(),
            sd=score.cast(pl.Float64).std(),
            least=score.min().cast(pl.Int64),
            lower=score.cast(pl.Float64).quantile(0.25, "linear"),
            median=score.cast(pl.Float64).median(),
            upper=score.cast(pl.Float64).quantile(0.75, "linear"),
            most=score.max().cast(pl.Int64),
        )
        .sort(keys, nulls_last=True)
    )


def score_counts(results: pl.DataFrame, by: str | Sequence[str] = ()) -> pl.DataFrame:
    """Give how often each score was reached, by key: the distribution of scores. Sorted by key, then score."""
    keys = [by] if isinstance(by, str) else list(by)
    return results.group_by([*keys, "score"]).agg(n=pl.len().cast(pl.Int64)).sort([*keys, "score"], nulls_last=True)


def length_summary(replays: pl.DataFrame) -> pl.DataFrame:
    """Give how long finished games are, by seat count: n, and mean, least, median and most of `turns` and of `length`.

    `length` counts events. One row a seat count, sorted.
    """
    figures = [
        expression
        for name in ("turns", "length")
        for expression in (
            pl.col(name).cast(pl.Float64).mean().alias(f"{name}_mean"),
            pl.col(name).min().cast(pl.Int64).alias(f"{name}_least"),
            pl.col(name).cast(pl.Float64).median().alias(f"{name}_median"),
            pl.col(name).max().cast(pl.Int64).alias(f"{name}_most"),
        )
    ]
    return _finished(replays).group_by("seats").agg(pl.len().cast(pl.Int64).alias("n"), *figures).sort("seats")


def length_counts(replays: pl.DataFrame) -> pl.DataFrame:
    """Give how many finished games took how many turns, by seat count. Sorted by seat count, then turns."""
    return _finished(replays).group_by(["seats", "turns"]).agg(n=pl.len().cast(pl.Int64)).sort(["seats", "turns"])


def endings(replays: pl.DataFrame) -> pl.DataFrame:
    """Give how finished games ended, by seat count: n of each reason, its share, and the 95 % interval of the share."""
    counted = (
        _finished(replays)
        .group_by(["seats", "ended"])
        .agg(n=pl.len().cast(pl.Int64))
        .with_columns(games=pl.col("n").sum().over("seats"))
    )
    low, high = wilson(pl.col("n"), pl.col("games"))
    return counted.with_columns(share=pl.col("n") / pl.col("games"), low=low, high=high).sort(["seats", "ended"])


def _finished(replays: pl.DataFrame) -> pl.DataFrame:
    return replays.filter(pl.col("finished"))
