"""A recorded game as a line of steps that can be walked in both directions: the public API of every replay.

Step k is event k and the state after it. State k is always the fold of events 0 to k; nothing is ever undone, so every
walk that ends at k shows the same. What a viewer sees is asked for by name: there is no default viewer.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, Literal

from msgspec import Struct

from core.chance import Chance
from core.game import Game, State
from core.paths import Change, Leaf, diff, flatten
from core.redact import marks_of, redact, seen
from core.streams import decode, lawful
from events.base import Event, TakenBack, kind_of, seat_of, subject_of
from events.errors import FormatError
from events.marks import Viewer
from events.tape import Header, Tape
from replay.games import game_of
from replay.places import Place, places

Cause = Literal["start", "move", "rules", "chance", "correction"]
"""Why an event happened: it opens the game, a seat chose it, the rules demand it, chance decided, or it takes back."""


class Step(Struct, frozen=True):
    """One step of a timeline: where it stands, what happened, why, and whose it is."""

    number: int
    event: Event
    kind: str
    cause: Cause
    turn: int
    round: int | None
    seat: int | None
    subject: str | None
    rule: str


class Shown(Struct, frozen=True):
    """A step as one viewer sees it. `number` counts what this viewer sees; `at` is the step of the timeline."""

    number: int
    at: int
    step: Step
    view: State


class Timeline:
    """Random access to the steps of one recorded game."""

    def __init__(self, tape: Tape) -> None:
        """Open a tape; raises `SetupError` if its game or box is not here.

        A tape with a fault, or with an event that is not known or not lawful, opens up to there: `fault` says where
        and why.
        """
        self.header: Header = tape.header
        self.game: Game[Any] = game_of(tape.header)
        self.events, self.fault = decode(type(self.game), tape)
        self._moments: dict[Viewer, Sequence[int]] = {}
        self.states, unlawful = lawful(self.game, tape.header, self.events)
        if unlawful is not None:
            self.events, self.fault = self.events[: unlawful.step], unlawful

    def __len__(self) -> int:
        return len(self.events)

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.header.players)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Every step, in order."""
        return tuple([self.step(number) for number in range(len(self))])

    @cached_property
    def _places(self) -> list[Place]:
        return places(self.events)

    def step(self, number: int) -> Step:
        """Give one step; raises `FormatError` if there is no such step."""
        self._check(number)
        event, place = self.events[number], self._places[number]
        return Step(
            number=number,
            event=event,
            kind=kind_of(event),
            cause=self._cause(number, event),
            turn=place.turn,
            round=place.round,
            seat=seat_of(event),
            subject=subject_of(event),
            rule=type(event).rule,
        )

    def _check(self, number: int) -> None:
        if not 0 <= number < len(self):
            raise FormatError(f"there is no step {number}: this replay has steps 0 to {len(self) - 1}")

    def _cause(self, number: int, event: Event) -> Cause:
        if number == 0:
            return "start"
        if isinstance(event, TakenBack):
            return "correction"
        due = self.game.forced(self.states[number - 1])
        if due is None:
            return "move"
        return "chance" if isinstance(due, Chance) else "rules"

    def view(self, step: int, viewer: Viewer) -> State:
        """Give the state after a step as `viewer` may see it; raises `FormatError` for no such step or viewer."""
        self._check(step)
        self._check_viewer(viewer)
        return redact(self.states[step], viewer)

    def _check_viewer(self, viewer: Viewer) -> None:
        if viewer not in ("spectator", "omniscient") and viewer not in range(self.seats):
            raise FormatError(
                f"no such viewer: {viewer!r} (spectator, omniscient or a seat from 0 to {self.seats - 1})"
            )

    def paths(self, step: int, viewer: Viewer) -> dict[str, Leaf]:
        """Give the state after a step as flat paths, as `viewer` may see it."""
        return flatten(self.view(step, viewer))

    def shown(self, viewer: Viewer) -> Iterator[Shown]:
        """Give the steps that `viewer` ever learns of, numbered by what it sees (G-06), with its event and view."""
        return self.shown_between(viewer, 0, len(self))

    def shown_between(self, viewer: Viewer, first: int, count: int) -> Iterator[Shown]:
        """Give `count` of the steps that `viewer` sees from its step `first` on, or as many as there are.

        What comes before them is not walked again, so a window costs the same in a long replay as in a short one.
        """
        for number in range(first, min(first + count, len(self.moments(viewer)))):
            yield Shown(number, self.at(number, viewer), self.seen_step(number, viewer), self.seen_view(number, viewer))

    def at(self, number: int, viewer: Viewer) -> int:
        """Give the step of the timeline that is step `number` of what `viewer` sees; raises `FormatError` for none."""
        moments = self.moments(viewer)
        if not 0 <= number < len(moments):
            raise FormatError(f"there is no step {number}: this viewer sees steps 0 to {len(moments) - 1}")
        return moments[number]

    def seen_step(self, number: int, viewer: Viewer) -> Step:
        """Give step `number` of what `viewer` sees, with the event as it sees it; raises `FormatError` for none."""
        step = self.step(self.at(number, viewer))
        event = seen(step.event, viewer)
        assert event is not None
        if isinstance(event, TakenBack):  # told in the viewer's own numbers, or a gap would tell of hidden events
            event = TakenBack(to=self.number_of(event.to, viewer))
        return Step(
            number, event, step.kind, step.cause, step.turn, step.round, step.seat, subject_of(event), step.rule
        )

    def seen_view(self, number: int, viewer: Viewer) -> State:
        """Give the state after step `number` of what `viewer` sees, as it sees it; raises `FormatError` for none."""
        return self.view(self.at(number, viewer), viewer)

    def number_of(self, at: int, viewer: Viewer) -> int:
        """Give the number that `viewer` has for a step of the timeline: that of the last it saw by then."""
        return max(bisect_right(self.moments(viewer), at) - 1, 0)

    def moments(self, viewer: Viewer) -> Sequence[int]:
        """Give the steps of the timeline that `viewer` ever learns of: step n of its view is `moments(viewer)[n]`."""
        if viewer not in self._moments:
            self._check_viewer(viewer)
            self._moments[viewer] = [
                at for at, event in enumerate(self.events) if not type(event).seen_by or seen(event, viewer) is not None
            ]
        return self._moments[viewer]

    def next(self, step: int, wanted: Callable[[Step], bool]) -> int | None:
        """Give the first step after `step` for which `wanted` holds, or None."""
        return next((found.number for found in self.steps[step + 1 :] if wanted(found)), None)

    def prev(self, step: int, wanted: Callable[[Step], bool]) -> int | None:
        """Give the last step before `step` for which `wanted` holds, or None."""
        return next((found.number for found in reversed(self.steps[: max(step, 0)]) if wanted(found)), None)

    def diff(self, before: int, after: int, viewer: Viewer) -> list[Change]:
        """Give what differs between the states after two steps, in either order, as `viewer` sees them."""
        return diff(self.paths(before, viewer), self.paths(after, viewer))

    def last_change(self, path: str, before: int, viewer: Viewer) -> int | None:
        """Give the step at or before `before` that last changed the value at `path`, or None if it never changed."""
        value = self.paths(before, viewer).get(path)
        needed = _needed(self.states[before], path)
        for step in range(before, 0, -1):
            one, other = self.states[step - 1], self.states[step]
            if all(getattr(one, name) == getattr(other, name) for name in needed):
                continue
            if self.paths(step - 1, viewer).get(path) != value:
                return step
        return None


def names_of(timeline: Timeline) -> list[str]:
    """Give the name of each seat, for words."""
    return [player.name for player in timeline.header.players]


def _needed(state: State, path: str) -> list[str]:
    """Give the fields of a state that decide what a viewer sees at a path: its own, and those that its mark names."""
    name = re.split(r"[.\[]", path, maxsplit=1)[0]
    if name not in state.__struct_fields__:
        return []
    mark = marks_of(type(state)).get(name)
    return [name] if mark is None else [name, *mark.names[: 1 if mark.kind == "labelled" else None]]
