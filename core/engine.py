"""The engine: runs any game, knows none.

A stream is moves, each followed by its consequences. After every event the rules run until a seat must choose; then the
chosen move is appended as it is. `TakenBack` is the one event that the engine folds itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

from core.chance import Chance
from core.game import Game, State
from core.redact import seen
from core.rng import NATURE, Rng
from events.base import Event, GameStarted, Move, Options, TakenBack, kind_of
from events.codec import encode
from events.errors import SetupError, UnlawfulEvent
from events.marks import Viewer

StateT = TypeVar("StateT", bound=State)

Choose: TypeAlias = Callable[[StateT, Sequence[Move], Sequence[Event]], Move]
"""Whoever decides for the seats: (state, legal moves, the events so far) -> one of the moves."""


def start(game: Game[Any], seats: int, options: Options | None = None) -> GameStarted[Options]:
    """Give the first event of a game; raises `SetupError` for seats or options that the game does not take."""
    chosen = game.options() if options is None else options
    low, high = game.sheet.seats
    if not low <= seats <= high:
        raise SetupError(f"{game.title} is for {low} to {high} seats, not for {seats}")
    if problem := game.setup_problem(seats, chosen):
        raise SetupError(f"{game.title}: {problem}")
    return GameStarted(game=game.slug, rules=game.rules, seats=seats, sheet=game.sheet_digest, options=chosen)


def consequence(game: Game[StateT], state: StateT, key: bytes, seq: int, stream: bytes = NATURE) -> Event | None:
    """Give event number `seq` if the rules or nature make it happen; None if a seat must choose or the game is over.

    `key` is the seed as `core.rng.seed_key` gives it. Called until it gives None, it lets the rules run.
    """
    due = game.forced(state)
    return due.sample(Rng(key, seq, stream)) if isinstance(due, Chance) else due


def play(game: Game[StateT], started: Event, key: bytes, choose: Choose[StateT]) -> list[Event]:
    """Play a whole game; give its events. `choose(state, moves, events so far)` gives one of the moves.

    Raises `UnlawfulEvent` if the rules have not come to an end after `game.bound` events.
    """
    events = [started]
    state = game.evolve(game.initial(), started)
    evolve, forced, legal, record = game.evolve, game.forced, game.legal, events.append
    nature = Rng(key, 0)
    for seq in range(1, game.bound):
        event = forced(state)
        if event is None:
            moves = legal(state)
            if not moves:
                return events
            event = choose(state, moves, events)
        elif type(event) is Chance:  # asked for every event: `isinstance` is four times as slow
            event = event.sample(nature.at(seq))
        record(event)
        state = evolve(state, event)
    raise UnlawfulEvent(f"{game.title} has not ended after {game.bound} events")


def fold(game: Game[StateT], events: Sequence[Event]) -> StateT:
    """Give the state that a stream comes to. Everything a replay shows is this, for some beginning of the stream."""
    state = game.initial()
    evolve = game.evolve
    for event in events:
        if type(event) is TakenBack:  # rare: then the states on the way are needed, and kept
            return list(states(game, events))[-1]
        state = evolve(state, event)
    return state


def states(game: Game[StateT], events: Iterable[Event]) -> Iterator[StateT]:
    """Give the state after each event: state k is the fold of events 0 to k."""
    state = game.initial()
    past = list[StateT]()
    for event in events:
        state = past[event.to] if type(event) is TakenBack else game.evolve(state, event)
        past.append(state)
        yield state


def refuse(game: Game[StateT], state: StateT, seq: int, event: Event) -> str | None:
    """Say why an event cannot be number `seq` of a stream that has come to `state`; None if it can.

    Needs no seed, so it judges games of a real table too.
    """
    if seq == 0:
        return _refuse_start(game, event)
    if type(event) is TakenBack:
        return None if 0 <= event.to < seq - 1 else f"nothing to take back: step {event.to} is not before {seq - 1}"
    if game.outcome(state) is not None:
        return "the game is over"
    due = game.forced(state)
    if isinstance(due, Chance):
        return None if due.admits(event) else f"not a possible outcome{_cited(event)}"
    if due is not None:
        return None if event == due else f"the rules bring {_text(due)} here{_cited(due)}"
    moves = game.legal(state)
    if event in moves:
        return None
    seats = " or ".join([str(seat) for seat in dict.fromkeys([move.seat for move in moves])])
    return f"not one of the {len(moves)} legal moves of seat {seats}{_cited(event)}"


def append(game: Game[StateT], state: StateT, seq: int, event: Event) -> StateT:
    """Give the state after a lawful event; raises `UnlawfulEvent` with the reason for any other, changing nothing."""
    if reason := refuse(game, state, seq, event):
        raise UnlawfulEvent(f"event {seq}, {_text(event)}: {reason}")
    return game.evolve(state, event)


def take_back(game: Game[Any], events: Sequence[Event], to: int) -> TakenBack:
    """Give the event that takes a game in play back to step `to`; a recording may be corrected to any earlier step.

    Raises `UnlawfulEvent` if there is no such earlier step, or if what has happened since cannot be undone: a die that
    has been rolled, a card that has been seen.
    """
    if not 0 <= to < len(events) - 1:
        raise UnlawfulEvent(f"nothing to take back: step {to} is not before {len(events) - 1}")
    for step, event in enumerate(events[to + 1 :], to + 1):
        if isinstance(event, game.irrevocable):
            raise UnlawfulEvent(f"step {step}, {kind_of(event)}, cannot be taken back")
    return TakenBack(to)


def past_secrets(game: Game[StateT], state: StateT, viewer: Viewer) -> StateT:
    """Give the state once everything has happened that `viewer` does not see: seats asked in secret have declined.

    What a viewer is told of a moment must not depend on whether somebody is being asked (G-02, G-06); this is the
    moment as it is if nobody answers.
    """
    for _ in range(game.bound):
        due = game.forced(state)
        options = game.legal(state) if due is None else [due] if isinstance(due, Event) else []
        unseen = [event for event in options if seen(event, viewer) is None]
        if not unseen:
            break
        state = game.evolve(state, unseen[0])
    return state


def _refuse_start(game: Game[Any], event: Event) -> str | None:
    if not isinstance(event, GameStarted):
        return "a stream begins with game_started"
    try:
        return None if event == start(game, event.seats, event.options) else "it names another game, rules or sheet"
    except SetupError as error:
        return str(error)


def _text(event: Event) -> str:
    return encode(event).decode(errors="replace")


def _cited(event: Event) -> str:
    return f" ({type(event).rule})" if type(event).rule else ""
