"""What could have come after a step: the moves of who chooses, the outcomes of chance with their odds, or the rules.

For a viewer other than the omniscient, odds are told only where they follow from what it sees: those of a card that is
drawn from a rival's hand would tell the hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from core.chance import Chance
from core.engine import past_secrets
from core.game import Game, State
from core.redact import moves_of, redact, seen
from core.rng import Rng
from events.base import Event
from events.marks import Viewer
from replay.timeline import Timeline, names_of

_Odds: TypeAlias = Sequence[tuple[Event, int]]

Kind = Literal["move", "chance", "rules", "over", "hidden"]

_MASKED_AWAY = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, msgspec.MsgspecError)
"""What rules may raise for a state whose faces are hidden."""


class Option(Struct, frozen=True):
    """One event that could have come next, as the viewer sees it, and whether it did. `weight` is for chance only."""

    event: Event
    words: str
    chosen: bool
    weight: int | None = None


class Alternatives(Struct, frozen=True):
    """What could have come after step `number` of what a viewer sees.

    `move` lists the viewer's moves (the omniscient sees everybody's), `chance` the outcomes, each with its weight out
    of `total`, `rules` the one thing that the rules bring, `over` nothing. `hidden` is what the viewer may not know, or
    what others choose. Where nothing can be listed, `note` says why.
    """

    number: int
    kind: Kind
    options: tuple[Option, ...] = ()
    total: int | None = None
    note: str = ""


def alternatives(timeline: Timeline, number: int, viewer: Viewer) -> Alternatives:
    """Give what could have come after a viewer's step; raises `FormatError` if it sees no such step."""
    game = timeline.game
    state = past_secrets(game, timeline.states[timeline.at(number, viewer)], viewer)
    more = number + 1 < len(timeline.moments(viewer))
    came = timeline.seen_step(number + 1, viewer).event if more else None
    names = names_of(timeline)

    def option(event: Event, weight: int | None = None) -> Option:
        return Option(event, game.words(event, names), event == came, weight)

    due = game.forced(state)
    if isinstance(due, Chance):
        return _of_chance(number, due, _odds(game, state, due, viewer), option)
    if due is not None:
        told = seen(due, viewer)
        if told is None or (viewer != "omniscient" and told != came):  # a card on a pile is not told before it is seen
            return Alternatives(number, "hidden", note="the rules bring what this viewer has not seen yet")
        return Alternatives(number, "rules", (option(told),))
    moves = game.legal(state)
    if not moves:
        return Alternatives(number, "over", note="the game is over")
    own = moves_of(moves, viewer)
    if not own:
        return Alternatives(number, "hidden", note="others choose; what they may do can tell what they hold")
    return Alternatives(number, "move", tuple([option(move) for move in own]))


def _of_chance(number: int, due: Chance, odds: _Odds | None, option: Callable[[Event, int], Option]) -> Alternatives:
    if odds is None:
        return Alternatives(number, "chance", note="what may come out depends on what this viewer does not see")
    if not odds:
        return Alternatives(number, "chance", note=f"{_many(due)}: too many to list")
    total = sum([weight for _, weight in odds])
    return Alternatives(number, "chance", tuple([option(event, weight) for event, weight in odds if weight]), total)


def _odds(game: Game[Any], state: State, due: Chance, viewer: Viewer) -> _Odds | None:
    """Give the odds if the rules come to the same ones from what the viewer sees, else None."""
    if viewer == "omniscient":
        return due.odds
    try:
        known = game.forced(redact(state, viewer))
    except _MASKED_AWAY:
        return None
    if not isinstance(known, Chance) or known.odds != due.odds:
        return None
    return known.odds if all(seen(event, viewer) == event for event, _ in known.odds) else None


def _many(due: Chance) -> str:
    """Say what an outcome that cannot be listed is like: an order of things, if it is always the same things."""
    drawn = [due.sample(Rng(b"like", number)) for number in range(8)]
    orders = [value for event in drawn for value in astuple(event)[-1:] if isinstance(value, tuple)]
    same = len(orders) == len(drawn) and all(Counter(order) == Counter(orders[0]) for order in orders)
    return f"any order of {len(orders[0])}" if same else "many outcomes"


def unanswered(game: Game[Any], state: State, viewer: Viewer) -> Iterator[Event]:
    """Give the events by which `core.engine.past_secrets` gets from a state to the one that a viewer chooses in."""
    for _ in range(game.bound):
        due = game.forced(state)
        options = game.legal(state) if due is None else [due] if isinstance(due, Event) else []
        event = next((event for event in options if seen(event, viewer) is None), None)
        if event is None:
            return
        yield event
        state = game.evolve(state, event)
