"""Where in a game each event stands: its turn and its round, and whether the end has come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from events.base import Event, GameEnded, RoundStarted, TakenBack, TurnStarted

_MOVING: Final = (TurnStarted, RoundStarted, GameEnded, TakenBack)
"""Events behind which the place is another."""

_COUNTED: Final = range(1 << 31)
"""Numbers that a turn or a round may have; an event with another changes nothing."""


class Place(NamedTuple):
    """The turn (0 before the first) and the round that a step is in, and the step of the end, once that has come."""

    turn: int
    round: int | None
    end: int | None


START: Final = Place(0, None, None)


def places(events: Sequence[Event], before: Place = START) -> list[Place]:
    """Give the place of each event of a stream, or of events that go on from a place and take nothing back.

    An event that takes back to a step has the place of that step.
    """
    along = list[Place]()
    place = before
    kinds = list(map(type, events))
    moving = {kind for kind in set(kinds) if issubclass(kind, _MOVING)}
    for step in [step for step, kind in enumerate(kinds) if kind in moving]:
        along += [place] * (step - len(along))
        event = events[step]
        if isinstance(event, TurnStarted):
            place = Place(event.turn if event.turn in _COUNTED else place.turn, place.round, place.end)
        elif isinstance(event, RoundStarted):
            place = Place(place.turn, event.round if event.round in _COUNTED else place.round, place.end)
        elif isinstance(event, GameEnded):
            place = Place(place.turn, place.round, step)
        elif isinstance(event, TakenBack) and 0 <= event.to < step:
            place = along[event.to]
        along.append(place)
    return along + [place] * (len(events) - len(along))
