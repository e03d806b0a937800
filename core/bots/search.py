"""A bot that searches: it tries its moves at many tables that may be the real one, and keeps to the one that does best.

Determinised Monte Carlo: trial j of a move deals hidden things anew (`Game.world`: never the true state), makes the
move, and plays on to the end with the game's playout bot at every seat. Which move is tried next goes by upper
confidence bounds, with the square root of the trials in place of their logarithm, since the best move is wanted and not
the best sum of rewards (D. Tolpin, S. E. Shimony, "MCTS based on simple regret", AAAI 2012). Trial j of every move is
made at the same table with the same dice: moves are compared by what they are, not by their luck. What the playout bot
would do is given up only for a gain that is to be believed.

Only sums, quotients and square roots are reckoned with, which are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import fsum, sqrt
from typing import Any, ClassVar, TypeAlias, get_args, get_origin

from msgspec import Struct

from core.bots import View
from core.chance import Chance
from core.game import Game, State
from core.redact import hides, marks_of
from core.rng import Rng
from core.rollouts import shares
from events.base import Event, Move, TurnStarted
from events.errors import SetupError, UnlawfulEvent

ROLLOUTS = 200
"""Games that are played out for a decision, if nothing else is said."""

CURIOSITY = 0.35
"""The weight of the bound on a move's value: how long moves that look worse are still tried."""

MARGIN = 0.5
"""The part of a value that goes by the lead in points, since a win alone says little of a single choice."""

LEAD = 10
"""The lead in points that is half of all there is to gain by a lead."""


CAUTION = 1
"""How strongly a gain over the playout bot's own choice is doubted: a mean gain is believed in above so many squares of
its standard error, as by Bayes where such gains are expected to be a little below nothing. Tuned by play.
"""

Timer: TypeAlias = Callable[[], Callable[[], bool]]
"""For whoever has a clock: called as a decision begins, it gives what is asked before each rollout, whether there is
time for it. What is chosen then depends on the machine.
"""


class Thought(Struct, frozen=True):
    """The move that was chosen, and why: how often each legal move was tried, and its mean value, in their order.

    A value is from 0 to 1: the share of the win, and a part for the lead (`MARGIN`). `rollouts` is the sum of the
    visits. With a single move there is nothing to think about: then it is 0, and so is the value.
    """

    move: Move
    visits: tuple[int, ...]
    values: tuple[float, ...]
    rollouts: int


class Trials:
    """What the trials of some moves have come to: the values of each, in the order of its trials."""

    def __init__(self, count: int) -> None:
        """Begin with none."""
        self.values: list[list[float]] = [[] for _ in range(count)]
        self.visits = [0] * count
        self._sums = [0.0] * count

    def add(self, at: int, value: float) -> None:
        """Add a trial."""
        self.values[at].append(value)
        self.visits[at] += 1
        self._sums[at] += value

    def means(self) -> list[float]:
        """Give the mean value of each move; each has been tried."""
        return [value / tried for value, tried in zip(self._sums, self.visits, strict=True)]

    def next(self) -> int:
        """Give the move to try next: one that never was, else that of the highest bound, the first of equal ones."""
        if 0 in self.visits:
            return self.visits.index(0)
        width = CURIOSITY * CURIOSITY * sqrt(sum(self.visits))
        bounds = [mean + sqrt(width / tried) for mean, tried in zip(self.means(), self.visits, strict=True)]
        return bounds.index(max(bounds))

    def decided(self, left: int) -> bool:
        """Say whether so many trials more cannot make another move the most tried one."""
        second, first = sorted(self.visits)[-2:]
        return first - second > left

    def best(self, usual: int | None) -> int:
        """Give the move that was tried most, if what it gained over the usual one in the same trials is to be believed.

        The spread of the gains is theirs, smoothed by four trials of a half, since a few tell little of it.
        """
        best = max(range(len(self.visits)), key=lambda at: (self.visits[at], self._sums[at]))
        if usual is None or best == usual:
            return best
        gains = [value - other for value, other in zip(self.values[best], self.values[usual], strict=False)]
        variance = (fsum([gain * gain for gain in gains]) + 4 * 0.25) / (len(gains) + 4)
        return best if fsum(gains) > CAUTION * variance else usual


class Search:
    """Searches any game whose hidden things can be dealt anew; the same budget and randomness give the same move."""

    blind: ClassVar[bool] = False

    def __init__(self, kind: type[Game[Any]], rollouts: int = ROLLOUTS, timer: Timer | None = None) -> None:
        """Take at most so many rollouts a decision, but one a move; with a timer perhaps fewer.

        Raises `SetupError` for a game that hides things and has no `Game.world`.
        """
        if not searchable(kind):
            raise SetupError(f"{kind.title} cannot be searched: it does not say how hidden things may lie (Game.world)")
        self._kind = kind
        self._rollouts = rollouts
        self._timer = timer
        self._playout = kind.playout()

    def choose(self, view: View, moves: Sequence[Move], rng: Rng) -> Move:
        """Give the move that `think` chooses."""
        return self.think(view, moves, rng).move

    def think(self, view: View, moves: Sequence[Move], rng: Rng) -> Thought:
        """Give the best move that was found, with the reasons."""
        count = len(moves)
        if count == 1:
            return Thought(moves[0], (0,), (0.0,), 0)
        game = _bound(self._kind, view.table)
        key = b"".join([rng.word().to_bytes(4, "big") for _ in range(4)])
        go_on = self._timer() if self._timer else None
        worlds = list[State]()
        trials = Trials(count)
        most = max(count, self._rollouts)
        for done in range(most):
            if done >= count and (trials.decided(most - done) or (go_on and not go_on())):
                break
            at = trials.next()
            trial = len(trials.values[at])
            if trial == len(worlds):
                worlds.append(game.world(view, Rng(key, trial, b"world")))
            trials.add(at, self._played_out(game, worlds[trial], moves[at], view, partial(_luck, key, trial)))
        usual = None if self._playout.blind else moves.index(self._playout.choose(view, moves, rng))
        visits = tuple(trials.visits)
        return Thought(moves[trials.best(usual)], visits, tuple(trials.means()), sum(visits))

    def _played_out(self, game: Game[Any], state: Any, move: Move, view: View, luck: Callable[[int], Rng]) -> float:
        """Give the value for the seat of the end that the playout bot comes to. Everything in it is made up, so the
        bot is handed the whole table; `core.engine.play` would record and redact for nobody.
        """
        choose, record = self._playout.choose, list(view.record)
        event: Event = move
        turns, rng = 0, luck(0)
        for _ in range(game.bound):
            record.append(event)
            if isinstance(event, TurnStarted):
                turns += 1
                rng = luck(turns)
            state = game.evolve(state, event)
            due = game.forced(state)
            if due is None:
                moves = game.legal(state)
                if not moves:
                    return value(game, state, view.seat)
                seat = moves[0].seat
                if moves[-1].seat != seat:
                    moves = [each for each in moves if each.seat == seat]
                event = choose(View(seat, state, record), moves, rng) if len(moves) > 1 else moves[0]
            else:
                event = due.sample(rng) if isinstance(due, Chance) else due
        raise UnlawfulEvent(f"{game.title} has not ended after {game.bound} more events")


def _luck(key: bytes, trial: int, turns: int) -> Rng:
    """Give the randomness of a turn, so that moves which need more of it in one turn share it again in the next."""
    return Rng(key, trial << 32 | turns, b"playout")


def searchable(kind: type[Game[Any]]) -> bool:
    """Say whether a game hides nothing, or says how what it hides may lie."""
    events = [get_origin(event) or event for event in get_args(kind.union)]
    return kind.world is not Game.world or not any(hides(event) or event.seen_by for event in events)


def _bound(kind: type[Game[Any]], table: State) -> Game[Any]:
    """Give the game bound to the box that the table names."""
    boxes = [getattr(table, name) for name, mark in marks_of(type(table)).items() if mark.kind == "components"]
    if len(boxes) != 1:
        raise SetupError(f"{kind.title} cannot be searched: its state does not name its box (COMPONENTS)")
    return kind(boxes[0])


def value(game: Game[Any], state: State, seat: int) -> float:
    """Give what an end is worth to a seat, 0 to 1; nothing where nobody is ranked, as in a game given up."""
    outcome = game.outcome(state)
    if outcome is None or not outcome.ranking:
        return 0.0
    side = next(side for side in game.sides(state) if seat in side)
    rivals = [score for other, score in enumerate(outcome.scores) if other not in side]
    lead = outcome.scores[seat] - max(rivals, default=0)
    return (1 - MARGIN) * shares(game, state)[seat] + MARGIN * (1 + lead / (abs(lead) + LEAD)) / 2
