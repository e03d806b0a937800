"""Where in a game each event stands: its turn and its round, and whether the end has come."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import compress
from typing import Final

from msgspec import Struct

from events.base import Event, GameEnded, RoundStarted, TakenBack, TurnStarted

_MOVING: Final = (TurnStarted, RoundStarted, GameEnded, TakenBack)
"""Events behind which the place is another."""

_LIMIT: Final = 1 << 31
"""What numbers of turns and rounds are below; an event with another, or a negative one, changes nothing."""


class Place(Struct, frozen=True, gc=False):
    """The turn (0 before the first) and the round that a step is in, and the step of the end, once that has come."""

    turn: int
    round: int | None
    end: int | None


START: Final = Place(0, None, None)


class _Moves(dict[type[Event], bool]):
    """Whether the place is another behind events of a type, looked at once each."""

    def __missing__(self, kind: type[Event]) -> bool:
        self[kind] = issubclass(kind, _MOVING)
        return self[kind]


_MOVES: Final = _Moves()


def places(events: Sequence[Event], before: Place = START) -> list[Place]:
    """Give the place of each event of a stream, or of events that go on from a place and take nothing back.

    An event that takes back to a step has the place of that step.
    """
    return [place for place, count in stays(events, before) for _ in range(count)]


def stays(events: Sequence[Event], before: Place = START) -> list[tuple[Place, int]]:
    """Give the same as places in a row, each with for how many events it holds: a few for every hundred events."""
    along = list[Place]()
    starts = list[int]()
    place, since = before, 0
    for step in compress(range(len(events)), map(_MOVES.__getitem__, map(type, events))):
        if step > since:
            along.append(place)
            starts.append(since)
            since = step
        event = events[step]
        if isinstance(event, TurnStarted):
            place = Place(event.turn if 0 <= event.turn < _LIMIT else place.turn, place.round, place.end)
        elif isinstance(event, RoundStarted):
            place = Place(place.turn, event.round if 0 <= event.round < _LIMIT else place.round, place.end)
        elif isinstance(event, GameEnded):
            place = Place(place.turn, place.round, step)
        elif isinstance(event, TakenBack) and 0 <= event.to < step:
            place = along[bisect_right(starts, event.to) - 1]
    if since < len(events):
        along.append(place)
        starts.append(since)
    ends = [*starts[1:], len(events)]
    return [(place, end - start) for place, start, end in zip(along, starts, ends, strict=False)]
