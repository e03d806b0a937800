"""How the tables are that are made from the streams: whether the figures can be trusted to be up to date."""

from __future__ import annotations

import polars as pl
import streamlit as st

from dashboard import recordings
from dashboard.guarded import guarded
from replay.storage.store import Filter

st.title("Health")
st.text("What figures are made from is kept beside the streams, and can always be made again: tabletape rebuild.")
with guarded():
    library = recordings.library()
    found = recordings.store().projections()
    share = library.measured(Filter())
    for column, (name, value) in zip(
        st.columns(4),
        {
            "Games": library.count(Filter()),
            "Finished": share.finished,
            "Measured": share.measured,
            "Cannot be measured": share.failed,
        }.items(),
        strict=True,
    ):
        column.metric(name, f"{value:,}", border=True)
    stopped = [each for each in found if each.problem is not None]
    for each in stopped:
        st.warning(f"{each.name.replace('_', ' ')} is not written any more. Run tabletape rebuild.")
    if share.measured + share.failed < share.finished:
        st.info("Some finished games are not measured yet. Run tabletape measure.")
    # How often was written tells how many seats have answered in secret: it is nobody's while a game is played here.
    playing = bool(recordings.store().at_play())
    st.dataframe(
        pl.DataFrame(
            [
                (
                    each.name,
                    each.version,
                    None if playing else each.position,
                    None if playing else library.generation,
                    each.lag,
                    each.problem or "none",
                )
                for each in found
            ],
            schema={
                "Table": pl.String,
                "Version": pl.Int64,
                "Last written by write": pl.Int64,
                "Writes in all": pl.Int64,
                "Games it lacks": pl.Int64,
                "Last error": pl.String,
            },
            orient="row",
        ),
        hide_index=True,
        alt="How each projection is",
    )
