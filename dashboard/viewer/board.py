"""A table picture on a page, whose things can be pressed: what a move is about leads to the move."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
import streamlit as st

from dashboard.scene import Scene, role_css
from dashboard.viewer import ALLOWED, asset

_mount: Final = st.components.v2.component(
    "tabletape_board",
    html='<div class="pan"><svg class="picture" preserveAspectRatio="xMidYMid meet"></svg></div>',
    css=role_css() + asset("board.css"),
    js="\n".join([f"const ALLOWED = {ALLOWED};", asset("plain.js"), asset("board.js")]),
)


def board(
    scene: Scene, key: str, targets: Mapping[str, str], count: int, on_touch: Callable[[str, int], None] | None = None
) -> None:
    """Show a scene; `on_touch` is called with what a pressed place is about, and the `count` of what was shown.

    `targets` gives the places that can be pressed, by what they are about, each with words for who cannot see it.
    """

    def touched() -> None:
        told: Any = st.session_state[key].get("touched")
        if on_touch is not None and isinstance(told, dict):
            about, at = told.get("about"), told.get("count")
            if isinstance(about, str) and isinstance(at, int):
                on_touch(about, at)

    _mount(
        key=key,
        data=msgspec.json.encode({"scene": scene, "targets": targets, "count": count}),
        on_touched_change=touched,
    )
