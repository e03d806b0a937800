"""What the viewer in the browser is given: a whole replay as one viewer may see it. Needs no Streamlit."""

from collections.abc import Mapping, Sequence

import msgspec

from dashboard.scene import Element

Scalar = str | int | float | bool


class Step(msgspec.Struct, frozen=True):
    """One event of the replay, as its viewer may know it.

    `marked` names the picture groups that this step changed, `move` tells a seat's choice from a consequence, and
    `about` describes the whole table after the step for screen readers.
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
    ruling: str | None = None
    marked: tuple[str, ...] = ()


class Payload(msgspec.Struct, frozen=True):
    """A whole replay for one viewer. Frame k is the table after step k, so there are as many frames as steps.

    `rev` names the content: the browser takes a payload anew only if it differs. `picture` and `state` are tracks
    (`dashboard.scene.tracks`) of group -> elements and of path -> value. `seats` are the names shown for the seats, and
    `warning` is a line shown above the picture.
    """

    rev: str
    width: int
    height: int
    steps: tuple[Step, ...]
    picture: Mapping[str, Sequence[tuple[int, tuple[Element, ...] | None]]]
    state: Mapping[str, Sequence[tuple[int, Scalar | None]]]
    seats: tuple[str, ...] = ()
    warning: str | None = None
