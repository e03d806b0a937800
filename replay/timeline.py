"""A recorded game as a line of steps that can be walked in both directions: the public API of every replay.

Step k is event k and the state after it. State k is always the fold of events 0 to k; nothing is ever undone, so every
walk that ends at k shows the same. What a viewer sees is asked for by name: there is no default viewer.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Literal

from msgspec import Struct

from core.chance import Chance
from core.game import Game, State
from core.paths import Change, Leaf, diff, flatten
from core.redact import redact, seen
from core.streams import decode, lawful
from events.base import Event, TakenBack, kind_of, seat_of, subject_of
from events.marks import Viewer
from events.tape import Header, Tape
from replay.games import game_of
from replay.places import places

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
        return tuple(self._steps())

    def _steps(self) -> Iterator[Step]:
        for number, (event, place) in enumerate(zip(self.events, places(self.events), strict=True)):
            yield Step(
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
        """Give the state after a step as `viewer` may see it."""
        return redact(self.states[step], viewer)

    def paths(self, step: int, viewer: Viewer) -> dict[str, Leaf]:
        """Give the state after a step as flat paths, as `viewer` may see it."""
        return flatten(self.view(step, viewer))

    def shown(self, viewer: Viewer) -> Iterator[Shown]:
        """Give the steps that `viewer` ever learns of, numbered by what it sees (G-06), with its event and view."""
        number = 0
        moments = self.moments(viewer)
        for at, step in enumerate(self.steps):
            event = seen(step.event, viewer)
            if isinstance(event, TakenBack):  # told in the viewer's own numbers, or a gap would tell of hidden events
                event = TakenBack(to=max(bisect_right(moments, event.to) - 1, 0))
            if event is not None:
                subject = subject_of(event)
                shown = Step(number, event, step.kind, step.cause, step.turn, step.round, step.seat, subject, step.rule)
                yield Shown(number, at, shown, self.view(at, viewer))
                number += 1

    def moments(self, viewer: Viewer) -> list[int]:
        """Give the steps of the timeline that `viewer` ever learns of: step n of its view is `moments(viewer)[n]`."""
        return [at for at, event in enumerate(self.events) if seen(event, viewer) is not None]

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
        for step in range(before, 0, -1):
            if self.paths(step - 1, viewer).get(path) != value:
                return step
        return None
