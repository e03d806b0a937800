"""Measuring finished games: what the metrics of a game find in a stream, as rows of the store's `tally`.

It takes a fold in Python, so it is a step of its own behind adding games: `Store.measure`, `tabletape measure`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import blake2b
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec
import polars as pl

from core import metrics
from core.game import Game
from core.registry import OURS, find, games
from core.streams import decode, lawful
from core.tally import Metric, Moment, Tally
from events.errors import SetupError, TabletapeError
from events.tape import Tape
from replay.filters import Cell
from replay.games import game_of
from replay.jobs import workers
from replay.storage.tables import MEASURED_ROW, TALLY_ROW

CHUNK: Final = 250
"""Games that a worker measures before it hands over what it found."""

LOTS: Final = 256
"""Into how many lots games are dealt: enough for an interval, few enough to be added up in no time."""


def metrics_of(slug: str) -> tuple[Metric, ...]:
    """Give the metrics of a game; raises `SetupError` for an unknown one."""
    return metrics.metrics_of(find(slug))


def metric_of(slug: str, name: str) -> Metric:
    """Give a metric of a game; raises `SetupError` for an unknown game or metric."""
    for metric in metrics_of(slug):
        if metric.name == name:
            return metric
    known = ", ".join([metric.name for metric in metrics_of(slug)])
    raise SetupError(f"{slug} has no metric {name[:80]!r}; there are: {known}")


@cache
def digest_of(kind: type[Game[Any]]) -> str:
    """Give what stands for the metrics of a game, their versions and its rules; with another it is measured anew."""
    named = [[metric.name, metric.version] for metric in metrics.metrics_of(kind)]
    return blake2b(msgspec.json.encode([kind.rules, *named]), digest_size=8).hexdigest()


def digests() -> pl.DataFrame:
    """Give what stands for the metrics of each game that is installed."""
    known = [(slug, digest_of(kind)) for slug, kind in games().items()]
    return pl.DataFrame(known, schema={"game": pl.String, "digest": pl.String}, orient="row")


def lot_of(id: str) -> int:
    """Give the lot of a game: a number below `LOTS` that its id alone decides, and that nothing else depends on."""
    return blake2b(UUID(id).bytes, digest_size=1).digest()[0]


def moments_of(tape: Tape) -> tuple[Game[Any], list[Moment]]:
    """Give the game of a finished tape and its moments.

    Raises `SetupError` if its game or box is not here, `ValueError` if it is not lawful or not finished.
    """
    game = game_of(tape.header)
    events, fault = decode(type(game), tape)
    states, unlawful = lawful(game, tape.header, events)
    if wrong := unlawful or fault:
        raise ValueError(f"step {wrong.step}: {wrong.reason}")
    if not states or game.outcome(states[-1]) is None:
        raise ValueError("it is not finished")
    return game, metrics.moments(states, events, game.initial())


def tallies(game: Game[Any], along: Sequence[Moment]) -> list[tuple[str, Tally]]:
    """Give what every metric of a game finds in the moments of a finished one: (name of the metric, tally)."""
    return [(metric.name, tally) for metric in metrics.metrics_of(type(game)) for tally in metric.measure(game, along)]


def case_in(tape: Tape, cell: Cell) -> int:
    """Give the step at which a finished tape shows what a cell of a figure counts: the last, where it is the outcome.

    Raises `SetupError` for a metric that its game does not have, and what `moments_of` raises.
    """
    last = len(tape.events) - 1
    if cell.kind is not None:
        kinds = [msgspec.json.decode(event)["type"] for event in tape.events]
        return kinds.index(cell.kind) if cell.kind in kinds else last
    if cell.metric is None:
        return last
    metric = metric_of(tape.header.game, cell.metric)
    found = [tally for tally in metric.measure(*moments_of(tape)) if cell.key in (None, tally.key)]
    placed = [(not tally.total, tally.step) for tally in found if tally.step is not None]
    return min(placed)[1] if placed else last


class _Found(NamedTuple):
    """What was found in a game, or why nothing could be."""

    replay: str
    game: str
    digest: str
    seats: int
    winners: tuple[int, ...]
    rows: list[tuple[str, Tally]]
    problem: str | None


def _measured(tape: Tape) -> _Found:
    header = tape.header
    digest = digest_of(find(header.game))
    try:
        game, along = moments_of(tape)
        rows = tallies(game, along)
        outcome = game.outcome(along[-1].after)
        winners = () if outcome is None else outcome.ranking[0]
    except TabletapeError as error:
        return _Found(header.id, header.game, digest, 0, (), [], str(error))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RuntimeError) as error:
        # a metric of an installed game, or a stream that is none of its games
        return _Found(header.id, header.game, digest, 0, (), [], str(error)[:400] or type(error).__name__)
    return _Found(header.id, header.game, digest, len(header.players), winners, rows, None)


def measured(tapes: Sequence[Tape]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Give the rows of finished tapes for `tally`, by metric and replay, and for `measured`."""
    found = [_measured(tape) for tape in tapes]
    rows = [
        (
            metric,
            each.game,
            each.replay,
            each.seats,
            lot,
            tally.seat,
            None if tally.seat is None else len(each.winners) if tally.seat in each.winners else 0,
            tally.key,
            tally.n,
            tally.total,
        )
        for each in found
        for lot in [lot_of(each.replay)]
        for metric, tally in each.rows
    ]
    marks = [(each.replay, each.game, each.digest, each.problem) for each in found]
    return (
        pl.DataFrame(rows, schema=TALLY_ROW, orient="row"),
        pl.DataFrame(marks, schema=MEASURED_ROW, orient="row"),
    )


def spread(groups: Iterable[Sequence[Tape]], jobs: int) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Measure groups of tapes by `jobs` processes; give what `measured` gives for each, in order."""
    if jobs <= 1:
        yield from map(measured, groups)
        return
    yield from workers.spread(_group, (msgspec.msgpack.encode(list(group)) for group in groups), jobs)


def _group(packed: bytes) -> tuple[pl.DataFrame, pl.DataFrame]:
    return measured(msgspec.msgpack.decode(packed, type=list[Tape]))


def described() -> str:
    """Give the definition of every metric of our games, in Markdown, for `docs/statistics.md`."""
    shown = OURS[0]
    shared = tuple([metric for metric in metrics.metrics_of(shown) if metric not in shown.metrics])
    sections = [("Any game", shared), *[(kind.title, kind.metrics) for kind in OURS]]
    lines = list[str]()
    for title, told in sections:
        lines += [f"### {title}", ""]
        for metric in told:
            by = f", by {metric.key}" if metric.key else ""
            what = f"`{metric.name}`, version {metric.version}, {metric.unit}{by}"
            lines.append(f"- **{metric.title}** ({what}) {metric.definition} *Example:* {metric.example}")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(described())
