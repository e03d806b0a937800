"""What can be asked about a step on the replay page: what else could have happened, where something holds, branches.

Everything is made of what the viewer may see; a branch is stored as a replay of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import streamlit as st
from msgspec import Struct

from core.redact import viewer_from
from dashboard import recordings
from dashboard.address import notice, plain
from dashboard.recordings import Library
from dashboard.viewer import Remark, Watch
from events.errors import TabletapeError
from events.marks import Viewer
from replay.debugger.alternatives import Alternatives, Option, alternatives
from replay.debugger.branching import branch, choose, fresh_id, keep, lineage, option_of, play_on
from replay.debugger.watches import LONGEST, WatchError
from replay.evaluation.reasons import KIND
from replay.notes import as_seen, audience
from replay.simulate import bots_for

MOST_WATCHES: Final = 8
MOST_OPTIONS: Final = 25
"""Options that are listed at once; a line of text narrows them down."""

WATCH: Final = "watch"
"""The name of a watch in the address; it may stand there several times."""

EXAMPLES: Final = 'event.kind == "turn_started" && turn > 3'


class Place(Struct, frozen=True):
    """Where the page is: in which replay, at which of its viewer's steps."""

    library: Library
    id: str
    viewer: Viewer
    step: int


# --- what else could have happened ------------------------------------------------------------------------------------


def options(place: Place) -> None:
    """Show what could have come after the step, each with a button that goes on from there in a branch."""
    timeline = place.library.timeline(place.id)
    found = alternatives(timeline, place.step, place.viewer)
    last = place.step + 1 == len(timeline.moments(place.viewer))
    going_on = timeline.header.fork is not None and last and timeline.fault is None and found.kind == "move"
    st.text(_heading(found))
    shown = _narrowed(list(enumerate(found.options)))
    can_fork = found.kind in ("move", "chance")
    for number, option in shown[:MOST_OPTIONS]:
        words, odds, act = st.columns([8, 3, 3], vertical_alignment="center")
        words.text(("✓ " if option.chosen else "") + option.words)
        odds.text(_odds(option, found.total) + (" recorded" if option.chosen else ""))
        label = "Choose" if going_on else "Branch here"
        if can_fork and not option.chosen and act.button(label, key=f"option-{number}", width="stretch"):
            _take(place, number, going_on)
    if len(shown) > MOST_OPTIONS:
        st.caption(f"{len(shown) - MOST_OPTIONS} more: narrow them down by a word.")
    if going_on:
        _bots(place)


def _heading(found: Alternatives) -> str:
    if not found.options:
        return f"Nothing can be listed here: {found.note or 'the rules go on by themselves'}."
    return {
        "move": "The moves that could be made here:",
        "chance": "What chance could bring here:",
        "rules": "The rules leave one thing:",
    }.get(found.kind, "")


def _narrowed(listed: list[tuple[int, Option]]) -> list[tuple[int, Option]]:
    if len(listed) <= MOST_OPTIONS:
        return listed
    needle = st.text_input("Only those with", key="option-needle").lower()
    return [each for each in listed if needle in each[1].words.lower()]


def _odds(option: Option, total: int | None) -> str:
    if option.weight is None or not total:
        return ""
    return f"{option.weight} in {total} ({100 * option.weight / total:.1f} %)"


def _take(place: Place, number: int, going_on: bool) -> None:
    """Make a branch of an option, or at the end of a branch go on in it, and open it there."""
    timeline = place.library.timeline(place.id)
    store = recordings.store()
    try:
        at, event = option_of(timeline, place.step, place.viewer, number)
        if going_on:
            tape = choose(place.library.tape(place.id), event)
            store.append(place.id, len(timeline), tape.events[len(timeline) :])
            open_replay(place.id, place.step + 1)
        tape = branch(timeline, at, event, id=fresh_id())
        keep(store, tape)
    except TabletapeError as error:
        st.error(plain(str(error)))
        return
    open_replay(tape.header.id, place.step + 1)


def _bots(place: Place) -> None:
    timeline = place.library.timeline(place.id)
    known = list(bots_for(type(timeline.game)))
    bot, act = st.columns([8, 6], vertical_alignment="bottom")
    chosen = bot.selectbox("Bots for all seats", known, key="play-on-bot")
    if not act.button("Let bots play on", key="play-on", width="stretch"):
        return
    try:
        tape = play_on(place.library.tape(place.id), [chosen] * timeline.seats)
        recordings.store().append(place.id, len(timeline), tape.events[len(timeline) :])
    except TabletapeError as error:
        st.error(plain(str(error)))
        return
    open_replay(place.id, place.step + 1)


def open_replay(id: str, step: int) -> None:
    """Open a replay at a step, what else could have happened beside it."""
    st.query_params["replay"] = id
    st.query_params["step"] = str(step)
    st.query_params["tab"] = "options"
    st.rerun()


# --- watches ----------------------------------------------------------------------------------------------------------


def _texts(id: str) -> list[str]:
    """Give the watches on a replay, which stand in the address too.

    Once read from there they are kept by the session: a run that was on its way while one was added still brings the
    address of before, and the new one would be lost.
    """
    texts: list[str] = st.session_state.setdefault(f"watches-{id}", st.query_params.get_all(WATCH))
    if st.query_params.get_all(WATCH) != texts:
        st.query_params[WATCH] = texts
    return texts


def watched(library: Library, id: str, viewer: Viewer) -> tuple[Watch, ...]:
    """Give the watches of the address that can be looked for, with the steps at which they hold."""
    found = []
    for text in _texts(id)[:MOST_WATCHES]:
        try:
            found.append(Watch(text, library.hits(id, viewer, text)))
        except WatchError:  # said in its tab
            continue
    return tuple(found)


def watches(place: Place) -> None:
    """Show the watches, and a box for one more."""
    texts = _texts(place.id)
    kept = f"watches-{place.id}"
    for number, text in enumerate(texts):
        words, count, act = st.columns([8, 4, 2], vertical_alignment="center")
        words.code(text, language=None)
        try:
            hits = place.library.hits(place.id, place.viewer, text)
            later = next((at for at in hits if at > place.step), None)
            count.text(f"{len(hits)} steps" + ("" if later is None else f", next {later}"))
        except WatchError as error:
            count.text(str(error))
        if act.button("Remove", key=f"unwatch-{number}", width="stretch"):
            st.session_state[kept] = [*texts[:number], *texts[number + 1 :]]
            st.rerun(scope="fragment")

    def add() -> None:
        text = st.session_state["new-watch"].strip()
        if text and text not in texts and len(texts) < MOST_WATCHES:
            st.session_state[kept] = [*texts, text]
        st.session_state["new-watch"] = ""

    if len(texts) < MOST_WATCHES:
        st.text_input("Stop where this holds", key="new-watch", max_chars=LONGEST, placeholder=EXAMPLES, on_change=add)
    st.caption("Keys w and Shift+w lead to the next and the last such step. Names are those of the state.")


# --- notes ------------------------------------------------------------------------------------------------------------


def remarks(library: Library, id: str, viewer: Viewer) -> tuple[Remark, ...]:
    """Give the notes that the viewer may read, at its own steps."""
    found = as_seen(recordings.store().notes(id), library.timeline(id), viewer)
    return tuple(
        [Remark(note.id, note.step, note.kind, note.text) for note in found if note.kind in ("note", "bookmark", KIND)]
    )


def write(library: Library, id: str, viewer: Viewer, note: Mapping[str, Any]) -> None:
    """Do what the browser asks for: keep a note or a bookmark at a step, or remove one that the viewer may read."""
    store = recordings.store()
    timeline = library.timeline(id)
    try:
        match note:
            case {"remove": str(which)} if which in [each.id for each in remarks(library, id, viewer)]:
                store.remove_note(which)
            case {"step": int(step), "kind": "note" | "bookmark" as kind, "text": str(text)}:
                store.add_note(id, timeline.at(step, viewer), text, kind, seen_by=audience(viewer))
    except TabletapeError as error:
        notice(str(error))


# --- branches ---------------------------------------------------------------------------------------------------------


def branches(place: Place) -> None:
    """Show the tree of branches that the replay stands in, with links."""
    tree = lineage(recordings.store(), place.id)
    if len(tree) == 1:
        st.text("No branches yet: “What else” makes one.")
    for one in tree:
        words, go, compare = st.columns([8, 3, 3], vertical_alignment="center")
        origin = "" if one.step is None else f" from step {one.step}" if place.viewer == "omniscient" else ""
        indent = "    " * one.depth + ("└ " if one.depth else "")
        here = " (this one)" if one.id == place.id else ""
        end = "ended" if one.ended else "not finished"
        words.text(f"{indent}{one.id[:13]}{origin}: {end}{here}")
        if one.id != place.id:
            query = {"replay": one.id, "viewer": str(place.viewer), "tab": "branches"}
            go.page_link("screens/replay.py", label="Open", query_params=query)
            query = {"one": place.id, "other": one.id, "viewer": str(place.viewer)}
            compare.page_link("screens/compare.py", label="Compare", query_params=query)


def branch_of(library: Library, id: str, viewer: Viewer) -> None:
    """Say of which replay this is a branch, with a link back to where it left."""
    fork = library.timeline(id).header.fork
    if fork is None:
        return
    try:
        parent = library.timeline(recordings.store().find(fork.parent))
        viewer_from(str(viewer), parent.seats)
    except TabletapeError:
        st.caption(f"A branch of {plain(fork.parent)}, which is not here.")
        return
    step = parent.number_of(fork.step, viewer)
    query = {"replay": fork.parent, "step": str(step), "viewer": str(viewer)}
    st.page_link("screens/replay.py", label=f"Branch of {plain(fork.parent[:13])} at step {step}", query_params=query)
