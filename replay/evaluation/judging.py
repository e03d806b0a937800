"""What each choice cost: the chance to win that was lost against the best move there was.

For each choice the moves are tried by playing on (`evaluating`), all of them with the same randomness. First
the best is looked for: so many rollouts a move, the better half goes on, until one is left (sequential halving: Karnin,
Koren, Somekh, ICML 2013). Then the best and the chosen one are played on anew, and the loss is the mean difference of
these: the rollouts that found a best move would flatter it.

A loss is named as lichess names them (`Advice.scala`: 0.1, 0.2 and 0.3 on its scale of -1 to 1, which are 5, 10 and 15
points of win chance), and only if its whole interval is above nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

from core.game import State
from core.redact import moves_of
from core.rng import Rng
from core.rollouts import rollout, shares
from events.base import Move
from events.marks import Viewer
from events.tape import Tape
from replay.evaluation.evaluating import BUDGET, WORLD, Budget, at_table, bots_of, check, key_of, opened, record_of
from replay.statistics.summaries import Z95
from replay.timeline import Timeline

Mark: TypeAlias = Literal["blunder", "mistake", "inaccuracy", "fine"]

THRESHOLDS: Final[Sequence[tuple[float, Mark]]] = ((0.15, "blunder"), (0.10, "mistake"), (0.05, "inaccuracy"))
"""The smallest loss of each mark."""


class Trial(Struct, frozen=True):
    """How often moves are tried: rollouts a move in each round of the search, and a move in the final comparison."""

    search: int
    final: int


def trial_for(budget: Budget) -> Trial:
    """Give how often moves are tried where a step would be played on that often.

    >>> trial_for(BUDGET)
    Trial(search=23, final=190)
    """
    return Trial(max(4, budget.most // 16), max(8, budget.most // 2))


TRIAL: Final = trial_for(BUDGET)


class Decision(Struct, frozen=True):
    """One choice: the viewer's number of its step, whose it was, and which of `moves` legal ones was chosen.

    `best` is the best move that was found, by its place in the list of legal ones as `chosen` is; `loss` the win chance
    that it would have given more, with the half width of its 95 % interval; both are 0 where the chosen one is the
    best found.
    """

    number: int
    seat: int
    moves: int
    chosen: int
    best: int
    loss: float
    band: float

    @property
    def mark(self) -> Mark:
        """The name of the loss."""
        sure = self.loss > self.band
        return next((mark for least, mark in THRESHOLDS if sure and self.loss >= least), "fine")


def judge(
    tape: Tape,
    viewer: Viewer,
    bot: str = "random",
    trial: Trial = TRIAL,
    pool: Executor | None = None,
    known: Mapping[int, Decision] = {},
) -> Iterator[Decision]:
    """Give what each choice that a viewer may judge cost, in the order of the game: a seat's own, or everybody's.

    Choices between fewer than two moves are left out; those that are `known`, by their steps, are not judged again.
    Raises as `replay.evaluation.evaluating.evaluate` does.
    """
    raw = msgspec.msgpack.encode(tape)
    timeline = opened(raw)
    check(timeline, viewer, bot)
    numbers = choices(timeline, viewer)
    if pool is None:
        yield from (known.get(number) or _judged(raw, viewer, bot, trial, number) for number in numbers)
        return
    futures = {
        number: pool.submit(_judged, raw, viewer, bot, trial, number) for number in numbers if number not in known
    }
    try:
        for number in numbers:
            yield known[number] if number in known else futures[number].result()
    finally:
        for future in futures.values():
            future.cancel()


def choices(timeline: Timeline, viewer: Viewer) -> list[int]:
    """Give the viewer's numbers of the steps that are choices between several moves of one of its seats."""
    return [
        number
        for number, at in enumerate(timeline.moments(viewer))
        if at
        and isinstance(event := timeline.events[at], Move)
        and viewer in ("omniscient", event.seat)
        and timeline.step(at).cause == "move"
        and len(moves_of(timeline.game.legal(timeline.states[at - 1]), event.seat)) > 1
    ]


def better(timeline: Timeline, viewer: Viewer, decision: Decision) -> tuple[int, Move]:
    """Give the best move that was found for a choice, and the step of the timeline that it comes after."""
    at = timeline.at(decision.number, viewer)
    return at - 1, moves_of(timeline.game.legal(timeline.states[at - 1]), decision.seat)[decision.best]


def _judged(raw: bytes, viewer: Viewer, bot: str, trial: Trial, number: int) -> Decision:
    """Judge one choice; in a worker."""
    timeline = opened(raw)
    at = timeline.at(number, viewer)
    event = timeline.events[at]
    assert isinstance(event, Move)
    moves = moves_of(timeline.game.legal(timeline.states[at - 1]), event.seat)
    tried = _Tried(timeline, at, viewer, bot, event.seat, moves)
    chosen = list(moves).index(event)
    left = list(range(len(moves)))
    rollouts = 0
    while len(left) > 1:
        ranked = sorted(left, key=lambda move: (-sum(tried.shares(move, rollouts, trial.search)), move != chosen, move))
        rollouts += trial.search
        left = sorted(ranked[: len(left) // 2])
    (best,) = left
    loss = band = 0.0
    if best != chosen:
        ours, others = (tried.shares(move, rollouts, trial.final) for move in (chosen, best))
        differences = [other - our for our, other in zip(ours, others, strict=True)]
        mean = sum(differences) / trial.final
        spread = sum([(each - mean) ** 2 for each in differences]) / (trial.final - 1)
        loss, band = mean, Z95 * (spread / trial.final) ** 0.5
    if loss <= 0:
        best, loss, band = chosen, 0.0, 0.0
    return Decision(number, event.seat, len(moves), chosen, best, loss, band)


class _Tried:
    """The moves of one choice, and what a seat got of the win when each was played on from."""

    def __init__(self, timeline: Timeline, at: int, viewer: Viewer, bot: str, seat: int, moves: Sequence[Move]) -> None:
        self._timeline = timeline
        self._before = at - 1
        self._viewer = viewer
        self._bots = bots_of(timeline, bot)
        self._seat = seat
        self._moves = moves
        self._record = record_of(timeline, at - 1, viewer)

    def shares(self, move: int, first: int, count: int) -> list[float]:
        """Give the seat's share of the win in `count` rollouts after a move, from rollout `first` on."""
        game = self._timeline.game
        event = self._moves[move]
        found = list[float]()
        for one in range(first, first + count):
            key = key_of(one)
            before: State = at_table(self._timeline, self._before, self._viewer, Rng(key, self._before, WORLD))
            end = rollout(game, game.evolve(before, event), [*self._record, event], self._bots, key)
            found.append(shares(game, end)[self._seat])
        return found
