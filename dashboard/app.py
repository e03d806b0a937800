"""The dashboard: pages about recorded games. `dashboard/server.py` serves it."""

from __future__ import annotations

import streamlit as st

st.set_page_config(page_title="Tabletape", page_icon="🎲", layout="wide")
page = st.navigation(
    [
        st.Page("pages/library.py", title="Library", default=True),
        st.Page("pages/replay.py", title="Replay", url_path="replay"),
        st.Page("pages/statistics.py", title="Statistics", url_path="statistics"),
        st.Page("pages/boxes.py", title="Boxes", url_path="boxes"),
    ],
    position="top",
)
page.run()
