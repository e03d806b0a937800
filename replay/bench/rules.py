"""Figures of the games, measured where it runs: how fast each is played, folded, written, read and judged, on one core.

Each figure is the median of several batches of the same games, with the slowest and the fastest batch beside it. The
games are random ones, dealt from one seed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from core.engine import fold, states
from core.registry import codec
from events.codec import encode_all
from events.tape import digest
from replay.games import load
from replay.simulate import Batch, tapes
from replay.timeline import Timeline
from replay.verify import verify

SEED: Final = "bench"
SEATS: Final = 3
BATCHES: Final = 7


class Rate(Struct, frozen=True):
    """How many of something a second: the median of the batches, the slowest and the fastest."""

    game: str
    what: str
    unit: str
    median: float
    slowest: float
    fastest: float

    def __str__(self) -> str:
        return f"{self.median:,.0f} {self.unit}/s ({self.slowest:,.0f} to {self.fastest:,.0f})"


def rates(slug: str, games: int) -> Iterator[Rate]:
    """Measure one game with batches of `games` games for three seats; raises `SetupError` for an unknown game."""
    game = load(slug)
    batch = Batch(game=slug, seats=SEATS, seed=SEED, bots=("random",) * SEATS)
    played = list(tapes(batch, 0, games))
    timelines = [Timeline(tape) for tape in played]
    streams = [timeline.events for timeline in timelines]
    asked = [state for timeline in timelines for state in _choices(timeline)]
    events = sum(map(len, streams))
    seedless = [replace(tape, header=replace(tape.header, seed=None)) for tape in played]
    reader = codec(type(game))

    def rate(what: str, count: int, unit: str, work: Callable[[], object]) -> Rate:
        figures = sorted([count / _seconds(work) for _ in range(BATCHES)])
        return Rate(slug, what, unit, median(figures), figures[0], figures[-1])

    yield rate("random self-play, recorded", games, "games", lambda: list(tapes(batch, 0, games)))
    yield rate("decisions in it", len(asked), "decisions", lambda: list(tapes(batch, 0, games)))
    yield rate("fold", events, "events", lambda: [fold(game, stream) for stream in streams])
    yield rate("fold, every state kept", events, "events", lambda: [list(states(game, stream)) for stream in streams])
    yield rate("legal moves", len(asked), "positions", lambda: [game.legal(state) for state in asked])
    yield rate("encode", events, "events", lambda: [encode_all(stream) for stream in streams])
    yield rate("decode", events, "events", lambda: [reader.decode_all(tape.events) for tape in played])
    yield rate("verify whole", events, "events", lambda: [digest(tape.events) for tape in played])
    yield rate("verify whole and legal", events, "events", lambda: [verify(tape) for tape in seedless])
    yield rate("verify whole, legal and exact", events, "events", lambda: [verify(tape) for tape in played])
    yield rate("open a replay, all states", games, "replays", lambda: [Timeline(tape) for tape in played])


def _choices(timeline: Timeline) -> Sequence[Any]:
    """The states at which a seat chose."""
    return [timeline.states[step.number - 1] for step in timeline.steps if step.cause == "move"]


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
