"""Places to stop at among the steps that a viewer sees: the terminal and the page walk by the same table.

Numbers are those of the viewer throughout (`Timeline.shown`): a walk neither stops at nor counts what it
does not see.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct

from core.engine import past_secrets
from events.errors import FormatError
from events.marks import Viewer
from replay.timeline import Step, Timeline


class Place(Struct, frozen=True):
    """A step that a walk may stop at: the step and the one before it (None at the start), as one viewer sees them."""

    timeline: Timeline
    viewer: Viewer
    step: Step
    before: Step | None

    @property
    def decides(self) -> bool:
        """Does a seat choose after this step? Seats that are asked in secret do not show (G-06)."""
        return decides(self.timeline, self.step.number, self.viewer)


Stop = Callable[[Place, Any], bool]
"""(a place, what is looked for) -> is it one to stop at."""


def _new(field: str) -> Stop:
    def stops(place: Place, sought: Any) -> bool:
        return place.before is None or getattr(place.step, field) != getattr(place.before, field)

    return stops


WALKS: Final[Mapping[str, Stop]] = {
    "event": lambda place, sought: True,
    "move": lambda place, sought: place.step.cause == "move",
    "decision": lambda place, sought: place.decides,
    "turn": _new("turn"),
    "round": _new("round"),
    "seat": lambda place, sought: place.step.seat == sought,
    "kind": lambda place, sought: place.step.kind == sought,
    "subject": lambda place, sought: place.step.subject == sought,
}
"""Every walk by its name. `seat`, `kind` and `subject` look for a value; not given, it is that of the first step."""

SOUGHT: Final = ("seat", "kind", "subject")
"""The walks that look for a value."""


def find(
    timeline: Timeline, viewer: Viewer, number: int, walk: str, sought: object = None, *, back: bool = False
) -> int | None:
    """Give the next (or, `back`, the last) step that a walk from step `number` stops at, or None if there is none.

    Raises `FormatError` for an unknown walk or step, and where nothing is sought: the step has no seat or no subject.
    """
    if walk not in WALKS:
        raise FormatError(f"no walk is called {walk[:40]!r}; there are: {', '.join(WALKS)}")
    here = timeline.seen_step(number, viewer)
    if walk in SOUGHT and sought is None:
        sought = getattr(here, walk)
        if sought is None:
            raise FormatError(f"step {number} has no {walk}: say which one")
    last = len(timeline.moments(viewer)) - 1
    ahead = range(number - 1, -1, -1) if back else range(number + 1, last + 1)
    stops = WALKS[walk]
    return next((at for at in ahead if stops(place(timeline, viewer, at), sought)), None)


def place(timeline: Timeline, viewer: Viewer, number: int) -> Place:
    """Give a step as a place; raises `FormatError` if the viewer sees no such step."""
    before = timeline.seen_step(number - 1, viewer) if number else None
    return Place(timeline, viewer, timeline.seen_step(number, viewer), before)


def nearest(timeline: Timeline, viewer: Viewer, number: int) -> int:
    """Give the step nearest to a number: itself, the first or the last; raises `FormatError` if there is no step."""
    last = len(timeline.moments(viewer)) - 1
    if last < 0:
        raise FormatError("nothing of this replay can be opened")
    return min(max(number, 0), last)


def decides(timeline: Timeline, number: int, viewer: Viewer) -> bool:
    """Say whether a seat chooses after a viewer's step, as far as the viewer may know."""
    after = past_secrets(timeline.game, timeline.states[timeline.at(number, viewer)], viewer)
    return timeline.game.forced(after) is None and bool(timeline.game.legal(after))
