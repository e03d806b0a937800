"""SQL over the recorded games, for those who ask what no figure answers. Who asks sees everything."""

from __future__ import annotations

from inspect import cleandoc
from typing import Final

import streamlit as st

from dashboard import charts, recordings
from dashboard.address import choose, plain, say_notices
from dashboard.figures import downloads
from dashboard.guarded import guarded
from replay.sql.query import EXAMPLES, ROWS, SECONDS, SIZE, VIEWS, Answer, QueryRefused, ask
from replay.storage.tables import TABLES

QUERY: Final = "query"
ANSWER: Final = "answer"


def written() -> None:
    """Show what can be asked for."""
    st.subheader("What there is")
    st.text(f"Views that give what the Python API gives: {', '.join(VIEWS)}. All else are tables:")
    for name, statement in TABLES.items():
        with st.expander(name):
            st.code(cleandoc(statement), language="sql")


def typed() -> None:
    """Show the box for a query, and run what is in it."""
    example = choose("Example", "example", list(EXAMPLES), everything="None")
    if example is not None and st.session_state.get("example") != example:
        st.session_state[QUERY] = EXAMPLES[example].strip()
    st.session_state["example"] = example
    with st.form("sql", border=False):
        st.text_area("One SELECT", key=QUERY, height=220)
        if st.form_submit_button("Run", type="primary"):
            st.session_state.pop(ANSWER, None)
            try:
                st.session_state[ANSWER] = ask(recordings.store(), st.session_state[QUERY])
            except QueryRefused as error:
                st.error(plain(f"Not run to its end: {error}"))


def answered(answer: Answer) -> None:
    """Show what a query gave: as a table, as a chart, as a file."""
    frame = answer.flat
    st.text(f"{frame.height:,} rows" + (", the first ones: there is more than is shown." if answer.cut else "."))
    st.dataframe(frame, hide_index=True, alt="What the query gave", key="sql-rows")
    numbers = [name for name in frame.columns if frame.schema[name].is_numeric()]
    if frame.height and numbers and frame.width > 1:
        left, right = st.columns(2)
        with left:
            x = st.selectbox("Across", frame.columns, key="sql-x")
        with right:
            y = st.selectbox("Up", numbers, index=len(numbers) - 1, key="sql-y")
        st.altair_chart(charts.xy(frame, x, y), alt="Chart of the rows", key="sql-chart")
    downloads("sql", answer.frame if answer.frame.equals(frame) else frame)


st.title("SQL")
st.text(
    f"One SELECT at a time, which only reads. It may take {SECONDS:g} seconds and give {ROWS:,} rows or "
    f"{SIZE // 1_000_000} MB. It sees all that is stored, hidden cards and the seeds of games that still go on too."
)
with guarded():
    recordings.nothing_at_play()
    left, right = st.columns([3, 2])
    with left:
        typed()
        if ANSWER in st.session_state:
            answered(st.session_state[ANSWER])
    with right:
        written()
    say_notices()
