"""What a page shows is in its address: a filter, a game, a viewer. The address decides, and choosing changes it.

A value that the address cannot have is dropped, and the page says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

import streamlit as st

NOTICE: Final = "notice"
_special = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:&@/])")


def plain(text: str) -> str:
    """Give text that came from outside for a place where Streamlit reads Markdown: it stands there as it is."""
    return _special.sub(r"\\\1", " ".join(text.split()))


def choose(
    label: str,
    name: str,
    options: Sequence[str],
    said: Callable[[str], str] = str,
    *,
    everything: str | None = None,
    others: bool = False,
) -> str | None:
    """Show a select box whose choice stands in the address as `name`; give the choice.

    `said` gives the words for an option. With `everything`, which is what it is then called, nothing need be chosen
    (None); else the first option is chosen if none is. With `others` a value that is not offered may be typed.
    """
    asked = st.query_params.get(name)
    offered = [*([""] if everything is not None else []), *options]
    if asked is not None and asked not in offered:
        if others:
            offered.append(asked)
        else:
            notice(f"The address asks for {name} “{asked[:60]}”, which is not there.")
            del st.query_params[name]
            asked = None
    key = f"choice-{name}"
    st.session_state[key] = offered[0] if asked is None else asked

    def chosen() -> None:
        value = st.session_state[key]
        if value in (None, offered[0]):
            st.query_params.pop(name, None)
        else:
            st.query_params[name] = value

    value = st.selectbox(
        label,
        offered,
        key=key,
        format_func=lambda value: said(value) if value else everything or "",
        on_change=chosen,
        accept_new_options=others,
    )
    return value or None


def several(label: str, name: str, options: Sequence[str], *, others: bool = False) -> tuple[str, ...] | None:
    """Show a box of several choices, which stand in the address as `name`, once each; None if there is none.

    With `others` a value that is not offered may be typed.
    """
    asked = list(dict.fromkeys(st.query_params.get_all(name)))
    known = [value for value in asked if value in options or (others and value)]
    if known != asked:
        missing = ", ".join([f"“{value[:60]}”" for value in asked if value not in known])
        notice(f"The address asks for {name} {missing}, which is not there.")
        _put(name, known)
    key = f"choice-{name}"
    st.session_state[key] = known
    offered = [*options, *[value for value in known if value not in options]]
    chosen = st.multiselect(
        label, offered, key=key, on_change=lambda: _put(name, st.session_state[key]), accept_new_options=others
    )
    return tuple(chosen) or None


def typed(label: str, name: str, form: str, hint: str) -> str | None:
    """Show a box for text of a form (a regular expression), which stands in the address as `name`; None if empty."""
    asked = st.query_params.get(name)
    if asked is not None and not re.fullmatch(form, asked):
        notice(f"“{asked[:60]}” is no {name}: {hint}.")
        del st.query_params[name]
        asked = None
    key = f"choice-{name}"
    st.session_state[key] = asked or ""
    value = st.text_input(
        label, key=key, placeholder=hint, on_change=lambda: _put(name, [st.session_state[key].strip()])
    )
    return value or None


def _put(name: str, values: Sequence[str]) -> None:
    if given := [value for value in values if value]:
        st.query_params[name] = given
    else:
        st.query_params.pop(name, None)


def notice(text: str) -> None:
    """Keep a line for the page to say, also if another page says it."""
    said: list[str] = st.session_state.setdefault(NOTICE, [])
    if text not in said:
        said.append(text)


def say_notices() -> None:
    """Say what was kept to be said, once."""
    for text in st.session_state.pop(NOTICE, []):
        st.info(plain(text))
