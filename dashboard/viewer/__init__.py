"""The replay viewer: one component that holds the frames of a replay in the browser and steps through them there.

The caller redacts first and builds the payload from what its viewer may see: whatever is in the payload can be read in
the browser, drawn or not.

    plain.js     what knows nothing of a viewer: drawing an element, finding a place in a track
    walks.js     where a walk stops, and which key does what
    state.js     the state as a tree, what changed, when a value changed
    notes.js     notes and bookmarks
    chances.js   the chances to win as lines over the scrubber
    viewer.js    the viewer: moving, drawing, the list of events, input
    board.js     one picture whose things can be pressed, of a game that is being played (`board.py`)
"""

from collections.abc import Callable
from importlib import resources
from typing import Any, Final

import msgspec
import streamlit as st

from dashboard.payload import Payload, packed
from dashboard.scene import ATTRIBUTES, TAGS, role_css

Frames = Callable[[int], Payload]
"""(a step) -> the part of the replay that it is in. Steps that are not there give the nearest part."""

TABS: Final = {
    "state": "State",
    "options": "What else",
    "watches": "Watches",
    "notes": "Notes",
    "chances": "Who was winning",
    "branches": "Branches",
}
"""What can be looked at beside a step: the name in the address, and the words. The viewer shows `state` and `notes`."""

OWN_TABS: Final = ("state", "notes")


class Watch(msgspec.Struct, frozen=True):
    """A condition and the steps at which it holds."""

    text: str
    hits: tuple[int, ...]


class Remark(msgspec.Struct, frozen=True):
    """A note at a step of the viewer's: its id, `note` or `bookmark`, and the text."""

    id: str
    step: int
    kind: str
    text: str


class Line(msgspec.Struct, frozen=True):
    """The chances to win: for each step and seat the estimate and the ends of its band, in thousandths."""

    rates: tuple[tuple[int, ...], ...]
    low: tuple[tuple[int, ...], ...]
    high: tuple[tuple[int, ...], ...]


class Judged(msgspec.Struct, frozen=True):
    """A choice that cost something: its step, `blunder`, `mistake` or `inaccuracy`, and what is said of it."""

    step: int
    mark: str
    words: str


class Aside(msgspec.Struct, frozen=True):
    """What stands beside the frames: which tabs there are and which is open, watches, notes, may notes be written here?

    Viewers that are `together` on a page step together. `line` are the chances to win, `judged` the choices that cost.
    """

    tabs: tuple[str, ...] = ("state",)
    tab: str = "state"
    watches: tuple[Watch, ...] = ()
    notes: tuple[Remark, ...] = ()
    writes: bool = False
    together: bool = False
    line: Line | None = None
    judged: tuple[Judged, ...] = ()


class Rest(msgspec.Struct, frozen=True):
    """Where a viewer's user is: at which step, with which tab open."""

    step: int
    tab: str


class _Opened(msgspec.Struct, frozen=True):
    of: str
    rev: str
    step: int
    tab: str


def asset(name: str) -> str:
    """Give the text of a file of this package."""
    return resources.files(__name__).joinpath(name).read_text("utf-8")


# The allow-list has one home, and the browser gets it from there.
ALLOWED: Final = msgspec.json.encode({"tags": TAGS, "attributes": ATTRIBUTES}).decode()
HTML: Final = asset("viewer.html")
CSS: Final = asset("viewer.css") + role_css()
JS: Final = "\n".join(
    [
        f"const ALLOWED = {ALLOWED};",
        *[asset(name) for name in ("plain.js", "walks.js", "state.js", "notes.js", "chances.js", "viewer.js")],
    ]
)
_mount: Final = st.components.v2.component("tabletape_viewer", html=HTML, css=CSS, js=JS)


def message(payload: Payload, of: str, step: int, aside: Aside) -> bytes:
    """Give what the browser is sent: a line to decide by, and one with the frames, that it reads only if it is new."""
    head = {"of": of, "rev": payload.rev, "step": step, **msgspec.structs.asdict(aside)}
    head["tabs"] = [(name, TABS[name]) for name in aside.tabs]
    return msgspec.json.encode(head) + b"\n" + packed(payload)


def show(
    frames: Frames,
    key: str,
    step: int,
    of: str,
    aside: Aside | None = None,
    on_note: Callable[[dict[str, Any]], None] | None = None,
) -> Rest:
    """Shows the replay, opened at `step`, and gives where its user rests; step 0 if there are no steps.

    `of` names the replay and its viewer: `step` and the tab of `aside` count when the viewer appears or `of` changes.
    After that the user alone moves, and each time they come to rest the script (or fragment) runs again. `on_note` is
    called with {step, kind, text} for a new note, and with {remove: id}.
    """
    aside = Aside() if aside is None else aside
    state: dict[str, Any] = st.session_state.get(key, {})
    # What is sent stays as it was at the opening: a message that changed with every rest would carry all frames anew.
    pin = f"{key}-opened"
    opened: _Opened | None = st.session_state.get(pin) if key in st.session_state else None
    fresh = opened is None or opened.of != of
    wanted = step if fresh or not isinstance(state.get("step"), int) else state["step"]
    payload = frames(wanted)
    last = max(payload.length - 1, 0)
    wanted = min(max(wanted, 0), last)
    if opened is None or opened.of != of:
        opened = _Opened(of, payload.rev, wanted, aside.tab)
    elif opened.rev != payload.rev:
        opened = msgspec.structs.replace(opened, rev=payload.rev, step=wanted)
    st.session_state[pin] = opened

    def noted() -> None:
        note = st.session_state[key].get("note")
        if on_note is not None and isinstance(note, dict):
            on_note(note)

    result = _mount(
        key=key,
        data=message(payload, of, opened.step, msgspec.structs.replace(aside, tab=opened.tab)),
        default={"step": opened.step, "tab": opened.tab},
        on_step_change=lambda: None,
        on_tab_change=lambda: None,
        on_note_change=noted,
    )
    tab = result.get("tab")
    return Rest(
        wanted if fresh or not isinstance(result["step"], int) else min(max(result["step"], 0), last),
        tab if not fresh and tab in aside.tabs else opened.tab,
    )
