"""Who was winning: each seat's chance at every step, estimated by playing on from there with a bot at every seat.

    for found in evaluate(tape, "omniscient"):   # each round is finer than the one before
        found.chances[17].rates                  # after step 17: one number a seat, 0 to 1

A chance is relative to who plays on: among random players, or among players of the bot that is named. The omniscient
viewer knows every card, those of the pile as well; to it a shuffle is luck, and no draw is. For a seat, games are
played on from tables that agree with all it has seen (`core.determinise`), never from the real one.

Rollout i draws with the key `evaluation/<i>` wherever it begins, so steps that lie near each other share their luck,
and the same question gets the same answer on any machine and however many processes share the work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from functools import lru_cache
from math import ceil
from typing import Any, Final

import msgspec
from msgspec import Struct

from core.bots import Bot, View, seats
from core.game import State
from core.redact import redact
from core.rng import Rng
from core.rollouts import rollout, shares
from events.base import Event, RoundStarted, TurnStarted
from events.errors import SetupError
from events.marks import Viewer
from events.tape import Tape
from replay.simulate import bots_for
from replay.statistics.summaries import Z95, wilson
from replay.timeline import Timeline

ROUNDS: Final = (32, 64, 128, 256)
"""How many rollouts a step has had after each of the first rounds; the last round goes up to the budget."""

PORTIONS: Final = 24
"""Tasks that a round is cut into where processes share it: enough that none waits long for the last one."""

WORLD: Final = b"world"
"""The stream of randomness by which hidden things are dealt anew."""


class Budget(Struct, frozen=True):
    """When a step was played on often enough: `most` rollouts, or as soon as every seat's band is within +- `band`."""

    most: int
    band: float


def budget_for(band: float) -> Budget:
    """Give the budget that is enough for a band: at one half, Wilson's interval is widest.

    >>> budget_for(0.05), budget_for(0.08)
    (Budget(most=381, band=0.05), Budget(most=147, band=0.08))
    """
    return Budget(ceil(Z95 * Z95 * (0.25 / (band * band) - 1)), band)


BUDGET: Final = budget_for(0.05)


class Chances(Struct, frozen=True):
    """Each seat's chance to win: its mean share of the win over so many rollouts. 0 rollouts: the game is over."""

    rollouts: int
    rates: tuple[float, ...]

    def bands(self) -> list[tuple[float, float]]:
        """Give the ends of each seat's 95 % interval (Wilson; slightly wide where wins are shared)."""
        if not self.rollouts:
            return [(rate, rate) for rate in self.rates]
        return [wilson(rate * self.rollouts, float(self.rollouts)) for rate in self.rates]

    def within(self, band: float) -> bool:
        """Say whether every seat's interval is at most `band` wide to either side."""
        return all(high - low <= 2 * band for low, high in self.bands())


class Evaluation(Struct, frozen=True):
    """The chances after each step that a viewer sees, in its own numbers, by rollouts of one bot."""

    viewer: Viewer
    bot: str
    chances: tuple[Chances, ...]


def evaluate(
    tape: Tape,
    viewer: Viewer,
    bot: str = "random",
    budget: Budget = BUDGET,
    pool: Executor | None = None,
) -> Iterator[Evaluation]:
    """Give the evaluation of a game, round by round: each is finer than the one before, and the last one is meant.

    `pool` shares the work; without one it is done here. Raises `SetupError` for a bot that does not know the game, a
    spectator, or a seat in a game that cannot deal hidden things anew.
    """
    raw = msgspec.msgpack.encode(tape)
    timeline = opened(raw)
    check(timeline, viewer, bot)
    points = _points(timeline, viewer)
    sums = {number: [0.0] * timeline.seats for number in points}
    done = dict.fromkeys(points, 0)
    found = dict[int, Chances]()
    for number in points:
        state = timeline.states[timeline.at(number, viewer)]
        if timeline.game.outcome(state) is not None:
            found[number] = Chances(0, shares(timeline.game, state))
    for goal in (*[at for at in ROUNDS if at < budget.most], budget.most):
        open_ = [number for number in points if number not in found or not found[number].within(budget.band)]
        if not open_:
            break
        for number, more in _round(raw, viewer, bot, [(number, done[number], goal) for number in open_], pool):
            sums[number] = [one + other for one, other in zip(sums[number], more, strict=True)]
            done[number] = goal
            found[number] = Chances(goal, tuple([total / goal for total in sums[number]]))
        yield Evaluation(viewer, bot, _along(timeline, viewer, found))


def check(timeline: Timeline, viewer: Viewer, bot: str) -> None:
    """Raise `SetupError` if a game cannot be evaluated for a viewer by a bot."""
    if viewer == "spectator":
        raise SetupError("a game is evaluated as a seat or as the omniscient sees it: a spectator holds no cards")
    known = bots_for(type(timeline.game))
    if bot not in known:
        raise SetupError(f"no bot of {timeline.game.title} is called {bot!r}; there are: {', '.join(known)}")
    if not len(timeline):
        raise SetupError("there is no step to evaluate: the recording does not open")


def at_table(timeline: Timeline, step: int, viewer: Viewer, rng: Rng) -> State:
    """Give a table after a step as it may be for all that a viewer knows; to the omniscient it is the real one."""
    state: State = timeline.states[step]
    if viewer == "omniscient":
        return state
    assert not isinstance(viewer, str)
    view = View(viewer, redact(state, viewer), record_of(timeline, step, viewer))
    world: State = timeline.game.world(view, rng)
    return world


def record_of(timeline: Timeline, step: int, viewer: Viewer) -> Sequence[Event]:
    """Give what a viewer has seen happen up to a step of the timeline, as bots may remember it."""
    events = timeline.events[: step + 1]
    return events if isinstance(viewer, str) else seats.record_of(events, viewer)


def key_of(number: int) -> bytes:
    """Give the key that rollout `number` draws with."""
    return b"evaluation/%d" % number


def bots_of(timeline: Timeline, bot: str) -> list[Bot]:
    """Give a bot for each seat."""
    make = bots_for(type(timeline.game))[bot]
    return [make() for _ in range(timeline.seats)]


@lru_cache(maxsize=8)
def opened(raw: bytes) -> Timeline:
    """Give the timeline of a tape, as MessagePack; opened once in each process."""
    return Timeline(msgspec.msgpack.decode(raw, type=Tape))


def _points(timeline: Timeline, viewer: Viewer) -> list[int]:
    """The viewer's steps that are played on from. The others change nobody's chance: the rules brought them about.

    What the rules bring can show a seat something new; only the beginning of a turn or a round never does.
    """
    return [
        number
        for number, at in enumerate(timeline.moments(viewer))
        if not number or not _idle(timeline, at, viewer) or timeline.game.outcome(timeline.states[at]) is not None
    ]


def _idle(timeline: Timeline, at: int, viewer: Viewer) -> bool:
    if isinstance(timeline.events[at], TurnStarted | RoundStarted):
        return True
    return viewer == "omniscient" and timeline.step(at).cause == "rules"


def _round(
    raw: bytes, viewer: Viewer, bot: str, wanted: Sequence[tuple[int, int, int]], pool: Executor | None
) -> Iterator[tuple[int, list[float]]]:
    """The sums of shares for (step, first rollout, end) each, in portions."""
    size = max(1, -(-len(wanted) // PORTIONS))
    portions = [wanted[at : at + size] for at in range(0, len(wanted), size)]
    futures = [] if pool is None else [pool.submit(_sums, raw, viewer, bot, portion) for portion in portions]
    try:
        for at, portion in enumerate(portions):
            answer = futures[at].result() if futures else _sums(raw, viewer, bot, portion)
            for (number, _, _), sums in zip(portion, answer, strict=True):
                yield number, sums
    finally:
        for future in futures:
            future.cancel()


def _sums(raw: bytes, viewer: Viewer, bot: str, wanted: Sequence[tuple[int, int, int]]) -> list[list[float]]:
    """Play a portion; in a worker."""
    timeline = opened(raw)
    game, bots = timeline.game, bots_of(timeline, bot)
    answer = list[list[float]]()
    for number, first, end in wanted:
        step = timeline.at(number, viewer)
        record = record_of(timeline, step, viewer)
        total = [0.0] * timeline.seats
        for one in range(first, end):
            key = key_of(one)
            state = at_table(timeline, step, viewer, Rng(key, number, WORLD))
            for seat, share in enumerate(shares(game, rollout(game, state, record, bots, key))):
                total[seat] += share
        answer.append(total)
    return answer


def _along(timeline: Timeline, viewer: Viewer, found: dict[int, Chances]) -> tuple[Chances, ...]:
    """The chances of every step: those of the last point."""
    along = list[Chances]()
    for number in range(len(timeline.moments(viewer))):
        along.append(found[number] if number in found else along[-1])
    return tuple(along)


def luck(timeline: Timeline, evaluation: Evaluation) -> list[tuple[int, tuple[float, ...]]]:
    """Give what each event of chance brought: the viewer's number of its step, and each seat's change of chance.

    For a seat, what the rules showed it counts too. Steps that changed nothing are left out.
    """
    found = list[tuple[int, tuple[float, ...]]]()
    for number in range(1, len(evaluation.chances)):
        changes = _changes(evaluation, number)
        if any(changes) and timeline.step(timeline.at(number, evaluation.viewer)).cause in ("chance", "rules"):
            found.append((number, changes))
    return found


def _changes(evaluation: Evaluation, number: int) -> tuple[float, ...]:
    before, after = evaluation.chances[number - 1].rates, evaluation.chances[number].rates
    return tuple([now - then for then, now in zip(before, after, strict=True)])


class Account(Struct, frozen=True):
    """What moved a seat's chance from the first step to the last: luck, its own side's choices, those of the others.

    All in points of win chance (0 to 1); `start` + `luck` + `own` + `others` is `end`. Luck is what chance brought and,
    for a seat, what the rules showed it. A correction counts as others'.
    """

    seat: int
    start: float
    luck: float
    own: float
    others: float
    end: float


def accounts(timeline: Timeline, evaluation: Evaluation) -> list[Account]:
    """Give the account of each seat, or won by luck or by play: the sums of what each step changed."""
    viewer, chances = evaluation.viewer, evaluation.chances
    sides: Any = timeline.game.sides(timeline.states[-1]) or [(seat,) for seat in range(timeline.seats)]
    side_of = {seat: set(side) for side in sides for seat in side}
    found = list[Account]()
    for seat in range(timeline.seats):
        sums = {"luck": 0.0, "own": 0.0, "others": 0.0}
        for number in range(1, len(chances)):
            step = timeline.step(timeline.at(number, viewer))
            change = _changes(evaluation, number)[seat]
            if step.cause in ("chance", "rules"):
                sums["luck"] += change
            elif step.cause == "move" and step.seat in side_of[seat]:
                sums["own"] += change
            else:
                sums["others"] += change
        found.append(Account(seat, chances[0].rates[seat], **sums, end=chances[-1].rates[seat]))
    return found
