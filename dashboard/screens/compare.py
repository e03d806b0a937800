"""Two recorded games side by side, stepping together from where they first differ, as one viewer sees both."""

from __future__ import annotations

from functools import partial

import polars as pl
import streamlit as st

from core.redact import viewer_from
from dashboard import recordings
from dashboard import viewer as component
from dashboard.address import choose, notice, plain, say_notices
from dashboard.guarded import guarded
from dashboard.recordings import Library
from dashboard.viewer import Aside
from events.errors import TabletapeError
from events.marks import Viewer
from replay.debugger.comparing import Comparison, compare, differences
from replay.report import names_of


def found(name: str) -> str | None:
    """Give the id of the replay that the address asks for as `name`; None, and a notice, if it is not there."""
    asked = st.query_params.get(name, "")
    if not asked:
        return None
    try:
        return recordings.store().find(asked[:80])
    except TabletapeError as error:
        notice(str(error))
        return None


def opening(comparison: Comparison) -> int:
    """Give the step to open at: what the address says, else the first difference."""
    last = max(max(comparison.lengths) - 1, 0)
    asked = st.query_params.get("step")
    first = min(comparison.common, last)
    if asked is None:
        return first
    if asked.isascii() and asked.isdigit() and len(asked) < 10 and int(asked) <= last:
        return int(asked)
    notice(f"There is no step {asked[:20]}: this is step {first}, where the two first differ.")
    st.query_params["step"] = str(first)
    return first


@st.fragment
def stage(library: Library, ids: tuple[str, str], viewer: Viewer, step: int) -> None:
    """Show both viewers, and what differs in the state at the step where the user rests."""
    rests: list[int] = []
    for place, id in zip(st.columns(2), ids, strict=True):
        with place:
            timeline = library.timeline(id)
            st.text(f"{id[:13]}: {', '.join(names_of(timeline))}")
            of = f"{id}/{viewer}/{len(timeline)}"
            frames = partial(library.payload, id, viewer)
            rests.append(component.show(frames, f"compare-{len(rests)}", step, of, Aside(together=True)).step)
    one, other = (library.timeline(id) for id in ids)
    if rests[0] != rests[1]:
        st.text(f"The games stand at different steps: {rests[0]} and {rests[1]}.")
        return
    changes = differences(one, other, rests[0], viewer)
    st.subheader(f"What differs in the state at step {rests[0]}")
    if not changes:
        st.text("Nothing: as far as this viewer sees, the two are the same here.")
        return
    said = [(path, _text(before), _text(after)) for path, before, after in changes]
    st.dataframe(
        pl.DataFrame(said, schema=["Value", "Left", "Right"], orient="row"),
        hide_index=True,
        alt="What differs in the state",
    )


def _text(value: object) -> str:
    return (
        "absent" if value is None else ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)
    )


with guarded():
    library = recordings.library()
    st.title("Compare")
    ids = found("one"), found("other")
    if ids[0] is None or ids[1] is None:
        say_notices()
        st.info("Compare two games from the branches of a replay, or give the address two ids: one and other.")
        st.page_link("screens/library.py", label="To the library")
        st.stop()
    one, other = library.timeline(ids[0]), library.timeline(ids[1])
    seats = min(one.seats, other.seats)
    shown = {"spectator": "A spectator: what is public", "omniscient": "Everything, hidden cards too"}
    shown |= {str(seat): f"Seat {seat}" for seat in range(seats)}
    chosen = choose("Seen by", "viewer", ["spectator", *map(str, range(seats)), "omniscient"], shown.__getitem__)
    viewer = viewer_from(chosen or "spectator", seats)
    comparison = compare(one, other, viewer)
    step = opening(comparison)
    say_notices()
    if comparison.first is None:
        st.text(plain("As far as this viewer sees, the two games are the same."))
    else:
        st.text(f"The first {comparison.common} steps are the same; step {comparison.first} differs.")
    stage(library, (ids[0], ids[1]), viewer, step)
