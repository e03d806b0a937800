"""What each game is played with, and where every figure of it is known from."""

from __future__ import annotations

import streamlit as st

from core.registry import games
from dashboard.address import choose, plain, say_notices
from dashboard.boxes import MEANING, components
from dashboard.guarded import guarded
from replay.games import default_sheet

st.title("Boxes")
st.text("What each game is played with. A stream names its box, so a game keeps the one it was played with.")
with guarded():
    slug = choose("Game", "game", list(games()), lambda slug: games()[slug].title) or next(iter(games()))
    sheet = default_sheet(games()[slug])
    say_notices()
    st.subheader(games()[slug].title)
    if sheet.note:
        st.info(plain(sheet.note))
    counts = {source: sum(known == source for known in sheet.provenance.values()) for source in MEANING}
    for column, (source, count) in zip(st.columns(len(counts)), counts.items(), strict=True):
        column.metric(source.capitalize(), count, help=MEANING[source], border=True)
    table = components(sheet)
    st.dataframe(
        table,
        column_config={
            "Component": st.column_config.Column(width=180),
            "In the box": st.column_config.Column(width=680),
        },
        hide_index=True,
        alt=f"The box of {games()[slug].title}",
        height=38 + 35 * table.height,
        row_height=35,
    )
    st.text("\n".join([f"{source}: {meaning}" for source, meaning in MEANING.items()]))
