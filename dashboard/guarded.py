"""A page stays usable when something is wrong with the database: one line says what, and a button looks again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from dashboard.address import plain
from events.errors import TabletapeError
from replay.errors import StoreBusy


@contextmanager
def guarded() -> Iterator[None]:
    """Turn our errors within the block into a line on the page, and end the page there."""
    try:
        yield
    except TabletapeError as error:
        (st.warning if isinstance(error, StoreBusy) else st.error)(plain(str(error)))
        st.button("Look again", key="look-again")
        st.stop()
