"""A bot that searches: it tries its moves at many tables that may be the real one, and keeps to the one that does best.

Determinised Monte Carlo: trial j of a move deals hidden things anew (`Game.world`: never the true state), makes the
move, and plays on to the end with the game's playout bot at every seat. Which move is tried next goes by upper
confidence bounds, with the square root of the trials in place of their logarithm, since the best move is wanted and not
the best sum of rewards (D. Tolpin, S. E. Shimony, "MCTS based on simple regret", AAAI 2012). Trial j of every move is
made at the same table with the same dice: moves are compared by what they are, not by their luck.

Only sums, quotients and square roots are reckoned with, which are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any, ClassVar, get_args, get_origin

from msgspec import Struct

from core.bots import View
from core.chance import Chance
from core.game import Game, State
from core.redact import hides, marks_of
from core.rng import Rng
from core.rollouts import shares
from events.base import Event, Move
from events.errors import SetupError, UnlawfulEvent

ROLLOUTS = 200
"""Games that are played out for a decision, if nothing else is said."""

CURIOSITY = 0.35
"""The weight of the bound on a move's value: how long moves that look worse are still tried."""

MARGIN = 0.3
"""The part of a value that goes by the lead in points, since a win alone says little of a single choice."""

LEAD = 10
"""The lead in points that is half of all there is to gain by a lead."""


class Thought(Struct, frozen=True):
    """The move that was chosen, and why: how often each legal move was tried, and its mean value, in their order.

    A value is from 0 to 1: the share of the win, and a part for the lead (`MARGIN`). `rollouts` is the sum of the
    visits. With a single move there is nothing to think about: then it is 0, and so is the value.
    """

    move: Move
    visits: tuple[int, ...]
    values: tuple[float, ...]
    rollouts: int


class Search:
    """Searches any game whose hidden things can be dealt anew; the same budget and randomness give the same move."""

    blind: ClassVar[bool] = False

    def __init__(
        self, kind: type[Game[Any]], rollouts: int = ROLLOUTS, go_on: Callable[[], bool] | None = None
    ) -> None:
        """Take at most so many rollouts a decision, but one a move.

        Whoever has a clock gives `go_on`, which is asked before every further one: then the choice depends on the
        machine.

        Raises `SetupError` for a game that hides things and has no `Game.world`.
        """
        if not searchable(kind):
            raise SetupError(f"{kind.title} cannot be searched: it does not say how hidden things may lie (Game.world)")
        self._kind = kind
        self._rollouts = rollouts
        self._go_on = go_on
        self._playout = kind.playout()

    def choose(self, view: View, moves: Sequence[Move], rng: Rng) -> Move:
        """Give the move that `think` chooses."""
        return self.think(view, moves, rng).move

    def think(self, view: View, moves: Sequence[Move], rng: Rng) -> Thought:
        """Give the move that was tried most, being the best, with the reasons."""
        count = len(moves)
        if count == 1:
            return Thought(moves[0], (0,), (0.0,), 0)
        game = _bound(self._kind, view.table)
        key = b"".join([rng.word().to_bytes(4, "big") for _ in range(4)])
        visits, sums = [0] * count, [0.0] * count
        worlds = list[State]()
        most = max(count, self._rollouts)
        for total in range(most):
            if total >= count and (_decided(visits, most - total) or (self._go_on and not self._go_on())):
                break
            at = total if total < count else _most_promising(visits, sums, total)
            trial = visits[at]
            if trial == len(worlds):
                worlds.append(game.world(view, Rng(key, trial, b"world")))
            sums[at] += self._played_out(game, worlds[trial], moves[at], view, Rng(key, trial, b"playout"))
            visits[at] += 1
        best = max(range(count), key=lambda at: (visits[at], sums[at]))
        values = [value / tried for value, tried in zip(sums, visits, strict=True)]
        return Thought(moves[best], tuple(visits), tuple(values), sum(visits))

    def _played_out(self, game: Game[Any], state: Any, move: Move, view: View, rng: Rng) -> float:
        """Give the value for the seat of the end that the playout bot comes to. Everything in it is made up, so the
        bot is handed the whole table; `core.engine.play` would record and redact for nobody.
        """
        choose, record = self._playout.choose, list(view.record)
        event: Event = move
        for _ in range(game.bound):
            record.append(event)
            state = game.evolve(state, event)
            due = game.forced(state)
            if due is None:
                moves = game.legal(state)
                if not moves:
                    return _value(game, state, view.seat)
                seat = moves[0].seat
                if moves[-1].seat != seat:
                    moves = [each for each in moves if each.seat == seat]
                event = choose(View(seat, state, record), moves, rng) if len(moves) > 1 else moves[0]
            else:
                event = due.sample(rng) if isinstance(due, Chance) else due
        raise UnlawfulEvent(f"{game.title} has not ended after {game.bound} more events")


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


def _most_promising(visits: Sequence[int], sums: Sequence[float], total: int) -> int:
    """Give the move of the highest bound, the first of equal ones."""
    width = CURIOSITY * CURIOSITY * sqrt(total)
    bounds = [value / tried + sqrt(width / tried) for value, tried in zip(sums, visits, strict=True)]
    return bounds.index(max(bounds))


def _decided(visits: Sequence[int], left: int) -> bool:
    """Say whether the tries that are left cannot make another move the most tried."""
    second, first = sorted(visits)[-2:]
    return first - second > left


def _value(game: Game[Any], state: State, seat: int) -> float:
    """Give what an end is worth to a seat, 0 to 1; nothing where nobody is ranked, as in a game given up."""
    outcome = game.outcome(state)
    if outcome is None or not outcome.ranking:
        return 0.0
    side = next(side for side in game.sides(state) if seat in side)
    rivals = [score for other, score in enumerate(outcome.scores) if other not in side]
    lead = outcome.scores[seat] - max(rivals, default=0)
    return (1 - MARGIN) * shares(game, state)[seat] + MARGIN * (1 + lead / (abs(lead) + LEAD)) / 2
