"""What the viewer in the browser is given: a replay as one viewer may see it, or a part of a long one.

Needs no Streamlit.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from dashboard.scene import Element

Scalar = str | int | float | bool


class Step(msgspec.Struct, frozen=True):
    """One event of the replay, as its viewer may know it.

    `marked` names the picture groups that this step changed, `move` tells a seat's choice from a consequence, `passing`
    a choice to do nothing, and `about` describes the whole table after the step for screen readers.
    """

    turn: int
    seat: int | None
    kind: str
    words: str
    move: bool
    about: str
    round: int | None = None
    subject: str | None = None
    rule: str | None = None
    marked: tuple[str, ...] = ()
    passing: bool = False


class Payload(msgspec.Struct, frozen=True):
    """The frames of a replay for one viewer. Frame k is the table after step k.

    `rev` names the content: the browser takes a payload anew only if it differs. `picture` and `state` are tracks
    (`dashboard.scene.tracks`) of group -> elements and of path -> value. `seats` are the names shown for the seats, and
    `warning` is a line shown above the picture. `rulings` has the text of each rule that has one.

    A long replay comes in parts: `steps` are then those from `first` on, out of `total` (None: all are here), the
    tracks may begin one step earlier, and `turns` are the steps at which turns begin, over the whole, each as its
    distance from the one before. `lost` counts the events that follow and cannot be opened.
    """

    rev: str
    width: int
    height: int
    steps: tuple[Step, ...]
    picture: Mapping[str, Sequence[tuple[int, tuple[Element, ...] | None]]]
    state: Mapping[str, Sequence[tuple[int, Scalar | None]]]
    seats: tuple[str, ...] = ()
    warning: str | None = None
    rulings: Mapping[str, str] = {}
    first: int = 0
    total: int | None = None
    turns: tuple[int, ...] = ()
    lost: int = 0

    @property
    def length(self) -> int:
        """The number of steps of the whole replay."""
        return len(self.steps) if self.total is None else self.total


def packed(payload: Payload) -> bytes:
    """Give a payload as JSON on one line, what occurs again and again said once.

    In `picture` the elements are numbers into `elements`, and the `about` of a step is a list of numbers into
    `sentences`.
    """
    elements, sentences = _Numbers(), _Numbers()
    picture = {
        name: [(at, None if parts is None else [elements.of(part) for part in parts]) for at, parts in track]
        for name, track in payload.picture.items()
    }
    steps = [
        {**msgspec.to_builtins(step), "about": [sentences.of(part) for part in step.about.split(". ")]}
        for step in payload.steps
    ]
    facts = {name: getattr(payload, name) for name in payload.__struct_fields__}
    facts |= {"steps": steps, "picture": picture, "elements": elements.raw, "sentences": sentences.raw}
    return msgspec.json.encode(facts)


class _Numbers:
    """Numbers for things, in the order in which they first come."""

    def __init__(self) -> None:
        self.raw: list[msgspec.Raw] = []
        self._known: dict[bytes, int] = {}

    def of(self, thing: Any) -> int:
        text = msgspec.json.encode(thing)
        number = self._known.setdefault(text, len(self.raw))
        if number == len(self.raw):
            self.raw.append(msgspec.Raw(text))
        return number
