"""The filters of a page: what is chosen stands in the address and applies to everything on the page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

import streamlit as st

from dashboard.address import choose, notice, several, typed
from dashboard.recordings import Library
from replay.storage.store import Filter

NUMBER: Final = r"[0-9]{1,6}"
DAY: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
MORE: Final = ("player", "bot", "source", "options", "sheet", "since", "until", "tag", "noseed", "turns", "events")
"""What stands in the address for the filters that are folded away until one is used."""


def more(library: Library, game: str | None, seats: int | None, finished: bool | None = None) -> Filter:
    """Show the filters beside game, seats and state; give what they all let pass."""
    used = [name for name in MORE if name in st.query_params]
    facets = library.facets(game)
    with st.expander(f"Filters ({len(used)})" if used else "Filters", expanded=bool(used)):
        first, second, third = (st.columns(count) for count in (4, 4, 3))
        with first[0]:
            players = several("Players", "player", library.players(Filter(game=game)), others=True)
        with first[1]:
            bots = several("Bots", "bot", library.bots(Filter(game=game)), others=True)
        with first[2]:
            source = choose("Source", "source", facets["provenance"], everything="Any source")
        with first[3]:
            tags = several("Tags", "tag", facets["tags"])
        with second[0]:
            options = choose("Options", "options", facets["options"], everything="Any options")
        with second[1]:
            sheet = choose("Box", "sheet", facets["sheet"], lambda digest: digest[:12], everything="Any box")
        with second[2]:
            since = _day(typed("Recorded from", "since", DAY, "day, as 2026-11-30"), "since")
        with second[3]:
            until = _day(typed("Recorded to", "until", DAY, "day, as 2026-11-30"), "until")
        with third[0]:
            turns = _range(typed("Turns", "turns", f"{NUMBER}-{NUMBER}", "from-to, as 20-40"))
        with third[1]:
            events = _range(typed("Events", "events", f"{NUMBER}-{NUMBER}", "finished games, as 50-120"))
        with third[2]:
            seeds = typed("Without seeds", "noseed", r"[^\x00-\x1f]{1,200}", "seeds or batches, as 42, club")
    return Filter(
        game=game,
        seats=seats,
        finished=finished,
        players=players,
        bots=bots,
        provenance=source,
        tags=tags,
        options=options,
        sheet=sheet,
        since=since,
        until=until,
        least_turns=turns[0],
        most_turns=turns[1],
        least_events=events[0],
        most_events=events[1],
        without_seeds=_words(seeds),
    )


def _day(text: str | None, name: str) -> str | None:
    try:
        return None if text is None else date.fromisoformat(text).isoformat()
    except ValueError:
        notice(f"There is no day “{text}”.")
        st.query_params.pop(name, None)
        return None


def _range(text: str | None) -> Sequence[int | None]:
    return (None, None) if text is None else [int(end) for end in text.split("-")]


def _words(text: str | None) -> tuple[str, ...] | None:
    return tuple([word.strip() for word in (text or "").split(",") if word.strip()]) or None
