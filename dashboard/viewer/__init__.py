"""The replay viewer: one component that holds all frames of a replay in the browser and steps through them there.

The caller redacts first and builds the payload from what its viewer may see: whatever is in the payload can be read in
the browser, drawn or not.
"""

from importlib import resources
from typing import Final

import msgspec
import streamlit as st

from dashboard.payload import Payload
from dashboard.scene import ATTRIBUTES, TAGS, role_css


class _Head(msgspec.Struct, frozen=True):
    rev: str
    step: int


def _asset(name: str) -> str:
    return resources.files(__name__).joinpath(name).read_text("utf-8")


# The allow-list has one home, and the browser gets it from there.
_ALLOWED: Final = msgspec.json.encode({"tags": TAGS, "attributes": ATTRIBUTES}).decode()
_mount: Final = st.components.v2.component(
    "tabletape_viewer",
    html=_asset("viewer.html"),
    css=_asset("viewer.css") + role_css(),
    js=f"const ALLOWED = {_ALLOWED};\n{_asset('viewer.js')}",
)


def show(payload: Payload, key: str, step: int) -> int:
    """Shows the replay, opened at `step`, and gives the step (from 0) at which its user rests; 0 if there are no steps.

    `step` counts when the viewer appears or its `rev` changes. After that the user alone moves, and each time they come
    to rest the script (or fragment) runs again.
    """
    last = max(len(payload.steps) - 1, 0)
    # What is sent stays the step of the opening: a message that changed with every rest would carry all frames anew.
    pin = f"{key}-opened"
    opened: _Head | None = st.session_state.get(pin) if key in st.session_state else None
    fresh = opened is None or opened.rev != payload.rev
    if opened is None or fresh:
        opened = st.session_state[pin] = _Head(payload.rev, min(max(step, 0), last))
    # One line for the browser to decide by, and one that it reads only if it is new.
    data = msgspec.json.encode(opened) + b"\n" + msgspec.json.encode(payload)
    rested = _mount(key=key, data=data, default={"step": opened.step}, on_step_change=lambda: None)["step"]
    if fresh or not isinstance(rested, int):
        return opened.step
    return min(max(rested, 0), last)
