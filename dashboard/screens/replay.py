"""One recorded game, step by step, as one viewer sees it. The address leads back to the exact step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import msgspec
import polars as pl
import streamlit as st

from core.game import Outcome
from core.redact import viewer_from
from core.words import listed
from dashboard import chances, debugging, recordings
from dashboard import viewer as component
from dashboard.address import choose, notice, say_notices
from dashboard.boxes import components, provenance_note
from dashboard.debugging import Place
from dashboard.frames import same_moment
from dashboard.guarded import guarded
from dashboard.page import single_page
from dashboard.recordings import Library
from dashboard.viewer import Aside
from events.base import GameEnded, GameStarted
from events.marks import Viewer
from replay.errors import UnknownReplay
from replay.exchange import lines_of
from replay.notes import Note
from replay.report import names_of
from replay.timeline import Timeline

TABS: Final = ("state", "options", "chances", "watches", "notes", "branches")
# The tabs that are shown below the viewer; it shows the others itself. (A bare string here would be shown on the page.)
PANELS: Final[dict[str, Callable[[Place], None]]] = {
    "options": debugging.options,
    "chances": chances.panel,
    "watches": debugging.watches,
    "branches": debugging.branches,
}


def found(library: Library) -> str:
    """Give the id of the replay that the address asks for; one that is not there leads to the library."""
    asked = st.query_params.get("replay", "")
    if not asked:
        st.title("Replay")
        st.info("Choose a game in the library to step through it.")
        st.page_link("screens/library.py", label="To the library")
        st.stop()
    try:
        id = recordings.store().find(asked[:80])
    except UnknownReplay as error:
        notice(str(error))
        st.switch_page("screens/library.py")
    if id in recordings.store().at_play():
        st.title("Replay")
        st.info("This game is being played. It opens here when it is over.")
        page, asks = ("record", "record") if recordings.is_being_recorded(id) else ("play", "live")
        st.page_link(f"screens/{page}.py", label="To the table", query_params={asks: id})
        st.stop()
    return id


def asked_step(timeline: Timeline, id: str, viewer: Viewer) -> int:
    """Give the step to open at: the same moment after a change of viewer, else what the address says."""
    last = max(len(timeline.moments(viewer)) - 1, 0)
    rested: tuple[Viewer, int] | None = st.session_state.get(f"rested-{id}")
    asked = st.query_params.get("step")
    if rested is not None and rested[0] != viewer:
        step = same_moment(timeline, rested[1], rested[0], viewer)
    elif asked is None:
        step = 0 if rested is None else rested[1]
    elif asked.isascii() and asked.isdigit() and len(asked) < 10 and int(asked) <= last:
        step = int(asked)
    else:
        step = last if asked.isascii() and asked.isdigit() else 0
        notice(f"There is no step {asked[:20]}: this viewer sees steps 0 to {last}. This is step {step}.")
    if asked is not None and asked != str(step):
        st.query_params["step"] = str(step)
    return step


def asked_tab() -> str:
    """Give the tab that the address asks for; the first for one that is not there."""
    asked = st.query_params.get("tab", TABS[0])
    if asked in TABS:
        return asked
    notice(f"The address asks for tab “{asked[:60]}”, which is not there.")
    del st.query_params["tab"]
    return TABS[0]


def chosen_viewer(timeline: Timeline) -> Viewer:
    """Show the choice of viewers; give the one chosen."""
    names = names_of(timeline)
    said = {"spectator": "A spectator: what is public", "omniscient": "Everything, hidden cards too"}
    said |= {str(seat): f"Seat {seat}: {name}" for seat, name in enumerate(names)}
    options = ["spectator", *map(str, range(len(names))), "omniscient"]
    return viewer_from(choose("Seen by", "viewer", options, said.__getitem__) or "spectator", len(names))


def downloads(library: Library, id: str, viewer: Viewer) -> None:
    """Offer the replay as files: as the viewer sees it (whole to one who sees everything), and as a page of its own."""
    tape, whole = library.tape(id), viewer == "omniscient"
    name = f"{tape.header.game}-{id[:13]}"
    name = name if whole else f"{name}-as-{viewer}"

    def notes() -> list[Note]:
        return recordings.store().notes(id)

    st.download_button(
        "Recording",
        lambda: b"".join(lines_of(tape, None if whole else viewer, notes())),
        f"{name}.jsonl",
        "application/jsonl",
        on_click="ignore",
        width="stretch",
        help="The whole recording; it can be imported again."
        if whole
        else "What this viewer may see of it, for reading and for other programs.",
        key="download-whole" if whole else "download-seen",
    )
    st.download_button(
        "Page",
        lambda: single_page(library.timeline(id), viewer, notes()),
        f"{name}.html",
        "text/html",
        on_click="ignore",
        width="stretch",
        help="One file that steps through the replay without a server, as this viewer sees it.",
        key="download-page",
    )


def about(timeline: Timeline, viewer: Viewer) -> None:
    """Show what is known about the recording, its seats and its result."""
    header = timeline.header
    facts: dict[str, Any] = {
        "id": header.id,
        "rules": f"version {header.rules}",
        "recorded": f"{header.provenance}{'' if header.recorded is None else f', {header.recorded}'}",
        "box": f"{timeline.game.sheet.name}, {'as shipped' if header.components is None else 'one of its own'}",
    }
    first = timeline.events[0] if timeline.events else None
    if isinstance(first, GameStarted):
        facts |= {f"option {name}": value for name, value in msgspec.to_builtins(first.options).items()}
    if header.fork is not None:
        facts["branch of"] = f"{header.fork.parent}, from step {header.fork.step}"
    if viewer == "omniscient":
        over = isinstance(timeline.events[-1], GameEnded) if timeline.events else False
        facts["seed"] = "none: a real table" if header.seed is None else header.seed if over else "told at the end"
    st.dataframe(
        pl.DataFrame({"Fact": list(facts), "Value": [str(value) for value in facts.values()]}),
        hide_index=True,
        alt="About this recording",
    )
    outcome = timeline.game.outcome(timeline.states[-1]) if timeline.states else None
    st.dataframe(seats(timeline, outcome), hide_index=True, alt="Seats and result")
    if header.components is not None:
        st.dataframe(components(timeline.game.sheet), hide_index=True, alt="The box of this game")


def seats(timeline: Timeline, outcome: Outcome | None) -> pl.DataFrame:
    """Give who sat where, and how they ended."""
    players = timeline.header.players
    places = (
        {} if outcome is None else {seat: place for place, group in enumerate(outcome.ranking, 1) for seat in group}
    )
    return pl.DataFrame(
        {
            "Seat": list(range(len(players))),
            "Player": [player.name for player in players],
            "Bot": [player.bot for player in players],
            "Score": [None if outcome is None else outcome.scores[seat] for seat in range(len(players))],
            "Place": [places.get(seat) for seat in range(len(players))],
        },
        schema={"Seat": pl.Int64, "Player": pl.String, "Bot": pl.String, "Score": pl.Int64, "Place": pl.Int64},
    )


@st.fragment
def stage(library: Library, id: str, viewer: Viewer, step: int, tab: str) -> None:
    """Show the viewer and what is asked about its step, and remember where its user rests; run again when they do."""
    with guarded():
        line, judged = chances.line_of(library, id, viewer)
        aside = Aside(
            tabs=TABS,
            tab=tab,
            watches=debugging.watched(library, id, viewer),
            notes=debugging.remarks(library, id, viewer),
            writes=True,
            line=line,
            judged=judged,
        )
        timeline = library.timeline(id)
        rest = component.show(
            partial(library.payload, id, viewer),
            f"stage-{id}",
            step,
            f"{id}/{viewer}/{len(timeline)}",
            aside,
            partial(debugging.write, library, id, viewer),
        )
        st.session_state[f"rested-{id}"] = (viewer, rest.step)
        if rest.tab in PANELS and len(timeline):
            PANELS[rest.tab](Place(library, id, viewer, rest.step))


with guarded():
    library = recordings.library()
    id = found(library)
    timeline = library.timeline(id)
    head, choice, file, more = st.columns([10, 7, 3, 3], vertical_alignment="bottom")
    head.title(timeline.game.title)
    with choice:
        viewer = chosen_viewer(timeline)
    with file, st.popover("Download", width="stretch"):
        downloads(library, id, viewer)
    with more, st.popover("About", width="stretch"):
        about(timeline, viewer)
    left, right = st.columns([10, 13])
    left.text(listed(names_of(timeline)))
    if note := provenance_note(timeline.game.sheet):
        right.text(note)
    debugging.branch_of(library, id, viewer)
    step, tab = asked_step(timeline, id, viewer), asked_tab()
    say_notices()
    stage(library, id, viewer, step, tab)
