"""Moves to choose from: on the picture of the table, and as buttons beside it. Whoever chooses may do either."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final

import streamlit as st
from msgspec import Struct

from dashboard.address import notice, plain
from dashboard.scene import Scene
from dashboard.viewer.board import board
from events.base import Event, kind_of
from events.codec import encode

MOST_BUTTONS: Final = 12
"""Moves of one kind that are buttons; more are a list."""


class Choice(Struct, frozen=True):
    """A move that may be made now, and the same in words."""

    move: Event
    words: str

    @property
    def kind(self) -> str:
        """What kind of move it is, in words."""
        return kind_of(self.move).replace("_", " ")

    @property
    def raw(self) -> bytes:
        """The move as bytes."""
        return encode(self.move)


Choose = Callable[[Choice], None]


def is_about(move: Event, about: str) -> bool:
    """Say whether a place of a picture stands for a move: `dashboard.scene.touch` says how places are marked.

    >>> from events.queen_of_the_cupcakes import CardsTaken
    >>> is_about(CardsTaken(seat=0, kind="blue", count=2), "type=cards_laid;kind=blue+type=cards_taken;kind=blue")
    True
    """
    return any(
        all(_says(move, *fact.split("=", 1)) for fact in way.split(";") if "=" in fact) for way in about.split("+")
    )


def _says(move: Event, name: str, value: str) -> bool:
    if name == "type":
        return kind_of(move) == value
    field = getattr(move, name, None)
    return value in map(str, field) if isinstance(field, tuple) else field is not None and str(field) == value


def picture(key: str, scene: Scene, choices: Sequence[Choice], count: int, choose: Choose) -> None:
    """Show the table as it is after `count` steps.

    A press on what one move is about makes it; where several are about it, the buttons are narrowed to them.
    """

    def touched(about: str, at: int) -> None:
        found = [choice for choice in choices if is_about(choice.move, about)]
        if at != count or not found:
            notice("The table has changed: choose again.")
        elif len(found) == 1:
            choose(found[0])
        else:
            st.session_state[f"narrow-{key}"] = (count, about)

    targets = {}
    for about in places(scene):
        found = [choice for choice in choices if is_about(choice.move, about)]
        if found:
            targets[about] = found[0].words if len(found) == 1 else f"{len(found)} moves: {found[0].words}, ..."
    board(scene, f"board-{key}", targets, count, touched)


def places(scene: Scene) -> list[str]:
    """Give what the places of a picture are about, each once."""
    marks = [element.attrs.get("data-about") for elements in scene.groups.values() for element in elements]
    return list(dict.fromkeys([str(mark) for mark in marks if mark is not None]))


def buttons(key: str, choices: Sequence[Choice], count: int, choose: Choose) -> None:
    """Show moves by kind. The keys say after how many steps: what comes too late presses nothing."""
    at, about = st.session_state.get(f"narrow-{key}", (None, ""))
    shown = [choice for choice in choices if at != count or is_about(choice.move, about)]
    if len(shown) < len(choices):
        st.button(
            f"Show all {len(choices)} moves", key=f"all-{key}", on_click=st.session_state.pop, args=(f"narrow-{key}",)
        )
    for kind, group in groupby(sorted(shown, key=lambda choice: choice.kind), lambda choice: choice.kind):
        st.caption(plain(kind.capitalize()))
        _group(f"move-{key}-{count}-{kind}", list(group), choose)


def _group(key: str, choices: Sequence[Choice], choose: Choose) -> None:
    if len(choices) > MOST_BUTTONS:
        number = st.selectbox(
            f"{len(choices)} moves",
            range(len(choices)),
            format_func=lambda each: choices[each].words,
            key=f"{key}-list-{len(choices)}",
        )
        st.button("Do this", key=key, on_click=choose, args=(choices[number],))
        return
    for number, choice in enumerate(choices):
        st.button(
            plain(choice.words), key=f"{key}-{number}-{len(choices)}", on_click=choose, args=(choice,), width="stretch"
        )
