"""The dashboard: pages about recorded games. `dashboard/server.py` serves it.

Their folder must not be called `pages`: Streamlit would run a page of that folder by itself, without this script, when
it is the first that anybody asks for.
"""

from __future__ import annotations

import streamlit as st

st.set_page_config(page_title="Tabletape", page_icon="🎲", layout="wide")
page = st.navigation(
    [
        st.Page("screens/library.py", title="Library", default=True),
        st.Page("screens/replay.py", title="Replay", url_path="replay"),
        st.Page("screens/play.py", title="Play", url_path="play"),
        st.Page("screens/record.py", title="Record", url_path="record"),
        st.Page("screens/compare.py", title="Compare", url_path="compare"),
        st.Page("screens/statistics.py", title="Statistics", url_path="statistics"),
        st.Page("screens/experiments.py", title="Experiments", url_path="experiments"),
        st.Page("screens/sql.py", title="SQL", url_path="sql"),
        st.Page("screens/boxes.py", title="Boxes", url_path="boxes"),
        st.Page("screens/health.py", title="Health", url_path="health"),
    ],
    position="top",
)
page.run()
