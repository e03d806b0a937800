"""One recorded game, step by step, as one viewer sees it. The address leads back to the exact step."""

from __future__ import annotations

from typing import Any

import msgspec
import polars as pl
import streamlit as st

from core.game import Outcome
from core.redact import viewer_from
from core.words import listed
from dashboard import recordings
from dashboard import viewer as component
from dashboard.address import choose, notice, say_notices
from dashboard.boxes import components, provenance_note
from dashboard.frames import same_moment
from dashboard.guarded import guarded
from dashboard.payload import Payload
from dashboard.recordings import Library
from events.base import GameEnded, GameStarted
from events.marks import Viewer
from events.tape import Tape
from replay.errors import UnknownReplay
from replay.exchange import lines_of
from replay.report import names_of
from replay.timeline import Timeline


def found(library: Library) -> str:
    """Give the id of the replay that the address asks for; one that is not there leads to the library."""
    asked = st.query_params.get("replay", "")
    if not asked:
        st.title("Replay")
        st.info("Choose a game in the library to step through it.")
        st.page_link("screens/library.py", label="To the library")
        st.stop()
    try:
        return recordings.store().find(asked[:80])
    except UnknownReplay as error:
        notice(str(error))
        st.switch_page("screens/library.py")


def asked_step(timeline: Timeline, payload: Payload, id: str, viewer: Viewer) -> int:
    """Give the step to open at: the same moment after a change of viewer, else what the address says."""
    last = max(len(payload.steps) - 1, 0)
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


def chosen_viewer(timeline: Timeline) -> Viewer:
    """Show the choice of viewers; give the one chosen."""
    names = names_of(timeline)
    said = {"spectator": "A spectator: what is public", "omniscient": "Everything, hidden cards too"}
    said |= {str(seat): f"Seat {seat}: {name}" for seat, name in enumerate(names)}
    options = ["spectator", *map(str, range(len(names))), "omniscient"]
    return viewer_from(choose("Seen by", "viewer", options, said.__getitem__) or "spectator", len(names))


def downloads(tape: Tape, viewer: Viewer) -> None:
    """Offer the replay as a file: as the viewer sees it, and whole to one who sees everything."""
    name = f"{tape.header.game}-{tape.header.id[:13]}"
    if viewer == "omniscient":
        st.download_button(
            "Download",
            lambda: b"".join(lines_of(tape)),
            f"{name}.jsonl",
            "application/jsonl",
            on_click="ignore",
            width="stretch",
            help="The whole recording; it can be imported again.",
            key="download-whole",
        )
    else:
        st.download_button(
            "Download",
            lambda: b"".join(lines_of(tape, viewer)),
            f"{name}-as-{viewer}.jsonl",
            "application/jsonl",
            on_click="ignore",
            width="stretch",
            help="What this viewer may see of it, for reading and for other programs.",
            key="download-seen",
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
def stage(id: str, viewer: Viewer, payload: Payload, step: int) -> None:
    """Show the viewer, and remember where its user rests; alone run again when they do."""
    st.session_state[f"rested-{id}"] = (viewer, component.show(payload, f"stage-{id}", step))


with guarded():
    library = recordings.library()
    id = found(library)
    timeline = library.timeline(id)
    head, choice, file, more = st.columns([10, 7, 3, 3], vertical_alignment="bottom")
    head.title(timeline.game.title)
    with choice:
        viewer = chosen_viewer(timeline)
    with file:
        downloads(library.tape(id), viewer)
    with more, st.popover("About", width="stretch"):
        about(timeline, viewer)
    left, right = st.columns([10, 13])
    left.text(listed(names_of(timeline)))
    if note := provenance_note(timeline.game.sheet):
        right.text(note)
    payload = library.payload(id, viewer)
    step = asked_step(timeline, payload, id, viewer)
    say_notices()
    stage(id, viewer, payload, step)
