"""What the pages that begin a game ask for: which game, for how many, who sits where, the options, the token."""

from __future__ import annotations

from typing import Any, Final, Literal, get_args, get_origin

import msgspec
import streamlit as st

from core.registry import games
from dashboard.listing import title
from dashboard.playing import service
from replay.api.service import WrongToken
from replay.games import load
from replay.live.tokens import Facts, Role

NAMES: Final = ("Ann", "Ben", "Cleo", "Dan", "Eve", "Finn")
LONGEST_NAME: Final = 40


def game_and_seats() -> tuple[str, int]:
    """Show which game, and for how many; give both."""
    game, count = st.columns([3, 1])
    slug = game.selectbox("Game", list(games()), format_func=title, key="new-game")
    low, high = load(slug).sheet.seats
    return slug, int(count.number_input("Seats", low, high, key=f"new-seats-{slug}"))


def name_at(seat: int) -> str:
    """Show the box for the name at a seat; give the name."""
    name = st.text_input(
        f"Name at seat {seat}", NAMES[seat % len(NAMES)], max_chars=LONGEST_NAME, key=f"new-name-{seat}"
    )
    return name.strip() or f"Seat {seat}"


def chosen_options(slug: str) -> dict[str, Any]:
    """Show the options of a game that are a choice, or yes or no; give what was chosen."""
    chosen: dict[str, Any] = {}
    fields = msgspec.structs.fields(games()[slug].options)
    if not fields:
        return chosen
    with st.expander("Options"):
        for field in fields:
            label, key = field.name.replace("_", " ").capitalize(), f"new-option-{slug}-{field.name}"
            if field.type is bool:
                chosen[field.name] = st.checkbox(label, field.default, key=key)
            elif get_origin(field.type) is Literal:
                offered = get_args(field.type)
                chosen[field.name] = st.selectbox(label, offered, offered.index(field.default), key=key)
    return chosen


def service_token() -> str | None:
    """Show the box for the token of the service, where it has one; give what was typed."""
    if service().settings.token is None:
        return None
    return st.text_input("Token of the service", type="password", key="new-token") or None


def check(token: str | None) -> None:
    """Raise `Refused` for somebody who may not begin a game here, or not so many of them."""
    if service().settings.token is not None:
        service().check_tries(client())
        try:
            service().check_token(token)
        except WrongToken:
            service().count_wrong(client())
            raise
    service().count_stream(client())
    service().check_room()


def role_of(facts: Facts, typed: str) -> Role | None:
    """Give whose token was typed, None if nobody's; raises `Refused` for that if a client has tried too many."""
    role = facts.role(typed.strip())
    if role is None:
        service().check_tries(client())
        service().count_wrong(client())
    return role


def client() -> str:
    """Give who is at this page, as far as limits go: an address, or all those at this machine."""
    return st.context.ip_address or "this machine"
