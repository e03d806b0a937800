"""A bot that searches: it tries its moves at many tables that may be the real one, and keeps to the one that does best.

A rollout algorithm (G. Tesauro, G. R. Galperin, "On-line policy improvement using Monte-Carlo search", NIPS 1996) on
determinised tables. A trial of a move deals hidden things anew (`Game.world`: never the true state), makes the move,
and plays on with the game's playout bot at every seat: to the end, or to where the game can tell what the seats may
expect (`Game.prospects`, `Game.horizon`), which leaves most of the luck to come out of the comparison.

The moves run a race (O. Maron, A. W. Moore, "Hoeffding races", NIPS 1993). Trial j of every move is made at the same
table with the same dice, so that moves are compared by what they are, not by their luck. Moves that are surely behind
the leader fall out, and the others share what is left of the budget. What the playout bot would do is given up only for
a gain that is to be believed.

Only sums, products, quotients and square roots are reckoned with, which are the same on every machine.
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
from events.base import Event, Move, RoundStarted, TurnStarted
from events.errors import SetupError, UnlawfulEvent

ROLLOUTS = 200
"""Games that are played out for a decision, if nothing else is said."""

MARGIN = 0.5
"""The part of the value of an end that goes by the lead in points, since a win alone says little of a single choice."""

LEAD = 10
"""The lead in points that is worth seven tenths of all that a lead can be worth."""

FIRST_LOOK = 8
"""After how many trials of each move some may fall out for the first time; then whenever there are twice as many."""

SURE = 6
"""Moves fall out that are so many squared standard errors behind."""

CAUTION = 2
"""A gain over the playout bot's own choice is believed when it is so many squared standard errors."""

Timer: TypeAlias = Callable[[], Callable[[], bool]]
"""For whoever has a clock: called as a decision begins, it gives what is asked before each further trial of the moves
that still run, whether there is time for it. What is chosen then depends on the machine.
"""


class Thought(Struct, frozen=True):
    """The move that was chosen, and why: how often each legal move was tried, and its mean value, in their order.

    A value is from 0 to 1: what a lead is worth (`promise`), at an end in part the share of the win (`MARGIN`).
    `rollouts` is the sum of the visits. With a single move there is nothing to try: it is 0, and so is the value.
    """

    move: Move
    visits: tuple[int, ...]
    values: tuple[float, ...]
    rollouts: int


class Race:
    """The trials of some moves: the values of each, in the order of its trials, and which moves are still tried."""

    def __init__(self, count: int, usual: int | None = None) -> None:
        """Begin with all of them; `usual` is the one to keep to unless another is better."""
        self.values: list[list[float]] = [[] for _ in range(count)]
        self.running = list(range(count))
        self._usual = usual

    def leader(self) -> int:
        """Give the move of the highest mean among those that run; of equal ones the usual one, else the first."""
        return max(self.running, key=lambda at: (fsum(self.values[at]), at == self._usual, -at))

    def narrow(self) -> None:
        """Let those fall out that are surely behind the leader, or came to the same in every trial."""
        leader = self.leader()
        self.running = [at for at in self.running if at == leader or not self._gained(leader, at, SURE)]

    def winner(self) -> int:
        """Give the leader, if what it gained over the usual move is to be believed."""
        leader, usual = self.leader(), self._usual
        if usual is None or usual not in self.running or self._gained(leader, usual, CAUTION):
            return leader
        return usual

    def _gained(self, leader: int, other: int, errors: int) -> bool:
        """Say whether the gain in the same trials is so many squared standard errors, by the mean square of the gains.

        So are gains of nothing in every trial; a gain that is always the same is after so many trials.
        """
        gains = [value - less for value, less in zip(self.values[leader], self.values[other], strict=True)]
        total = fsum(gains)
        return total * total >= errors * fsum([gain * gain for gain in gains])


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
        usual = None if self._playout.blind else moves.index(self._playout.choose(view, moves, rng))
        race = Race(count, usual)
        rollouts, trial, look = 0, 0, FIRST_LOOK
        while len(race.running) > 1 and (not trial or rollouts + len(race.running) <= self._rollouts):
            if trial and go_on and not go_on():
                break
            world = game.world(view, Rng(key, trial, b"world"))
            for at in race.running:
                race.values[at].append(self._played_out(game, world, moves[at], view, partial(_luck, key, trial)))
            rollouts += len(race.running)
            trial += 1
            if trial == look:
                race.narrow()
                look *= 2
        visits = tuple(map(len, race.values))
        means = tuple([fsum(values) / len(values) for values in race.values])
        return Thought(moves[race.winner()], visits, means, rollouts)

    def _played_out(self, game: Game[Any], state: Any, move: Move, view: View, luck: Callable[[int], Rng]) -> float:
        """Give the value for the seat of what the playout bot comes to. Everything in it is made up, so the bot is
        handed the whole table; `core.engine.play` would record and redact for nobody.
        """
        choose, record = self._playout.choose, list(view.record)
        event: Event = move
        turns, moments, rng = 0, 0, luck(0)
        for _ in range(game.bound):
            record.append(event)
            if isinstance(event, TurnStarted):
                turns += 1
                rng = luck(turns)
            state = game.evolve(state, event)
            if isinstance(event, TurnStarted | RoundStarted) and (expected := game.prospects(state)):
                moments += 1
                if moments == game.horizon:
                    return promise(game, state, expected, view.seat)
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
    return (1 - MARGIN) * shares(game, state)[seat] + MARGIN * promise(game, state, outcome.scores, seat)


def promise(game: Game[Any], state: State, scores: Sequence[float], seat: int) -> float:
    """Give what scores, reached or expected, are worth to a seat by its lead over the best rival, 0 to 1."""
    side = next((side for side in game.sides(state) if seat in side), (seat,))
    rivals = [score for other, score in enumerate(scores) if other not in side]
    lead = scores[seat] - max(rivals, default=0)
    return (1 + lead / sqrt(lead * lead + LEAD * LEAD)) / 2
