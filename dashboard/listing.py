"""A list of games, a page at a time; a chosen row opens its replay."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from typing import Any, Final

import polars as pl
import streamlit as st

from core.registry import games
from dashboard.recordings import Library, is_being_recorded
from events.errors import SetupError
from replay.filters import Cell, Filter
from replay.statistics.measuring import case_in

PER_PAGE: Final = 100
WIDTHS: Final[Mapping[str, Any]] = {
    name: st.column_config.Column(width=width)
    for name, width in {"Game": 170, "Players": 300, "Winners": 150, "Ended": 160, "Seats": 60, "Turns": 60}.items()
}
COLUMNS: Final = {
    **dict.fromkeys(("Open", "Game", "Players", "Winners", "Ended"), pl.String),
    **dict.fromkeys(("Seats", "Turns"), pl.Int32),
    **dict.fromkeys(("From", "Id"), pl.String),
}


def title(slug: str) -> str:
    """Give what a game is called; its slug, if it is not installed."""
    return games()[slug].title if slug in games() else slug


def rows_of(rows: pl.DataFrame) -> pl.DataFrame:
    """Give the rows of `Store.replays` as they are shown."""
    return pl.DataFrame([_shown(row) for row in rows.iter_rows(named=True)], schema=COLUMNS)


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    when = "" if row["recorded"] is None else f", {row['recorded'][:10]}"
    return {
        "Open": "Open",
        "Game": title(row["game"]),
        "Players": ", ".join(row["players"]),
        "Winners": ", ".join([row["players"][seat] for seat in row["winners"] or ()]),
        "Ended": _ended(row["ended"], row["fault_step"]),
        "Seats": row["seats"],
        "Turns": row["turns"],
        "From": f"{row['provenance']}{when}",
        "Id": row["replay"],
    }


def _ended(ended: str | None, fault: int | None) -> str:
    if fault is not None:
        return f"⚠ opens up to step {fault - 1}" if fault else "⚠ cannot be opened"
    return "not finished" if ended is None else ended.replace("_", " ")


def table(library: Library, wanted: Filter, total: int, name: str) -> None:
    """Show the games that pass, `total` of them; `name` tells lists of a page apart.

    If those of a cell of a figure are wanted, a replay opens at the step that the cell counts, seen by somebody who
    sees everything.
    """
    pages = -(-total // PER_PAGE)
    where = repr(wanted)
    number = 1
    if st.session_state.get(f"{name}-where") != where:
        st.session_state[f"{name}-where"] = where
        st.session_state.pop(f"{name}-page", None)
    if pages > 1:
        number = st.session_state.get(f"{name}-page", 1)
    rows = library.replays(wanted, PER_PAGE, (number - 1) * PER_PAGE)
    key = key_of(rows, wanted)
    buttons = st.column_config.ButtonColumn(" ", width=70, type="tertiary", key=f"open-{key}")
    event = st.dataframe(
        rows_of(rows),
        hide_index=True,
        column_config={**WIDTHS, "Open": buttons},
        on_select="rerun",
        selection_mode="single-cell",
        key=f"rows-{key}",
        alt="Recorded games. A click on a row opens its replay, or the right arrow key in its first column",
        height=min(38 + 35 * rows.height, 640),
    )
    # Whoever comes to the table by keyboard lands in its first column: a cell there opens nothing by itself.
    chosen = [row for row, column in event["selection"]["cells"] if column != "Open"]
    if button := st.session_state.get(f"open-{key}"):
        chosen.append(button["row"])
    if chosen and chosen[0] < rows.height:
        open_replay(library, rows["replay"][chosen[0]], wanted.cell)
    if pages > 1:
        st.pagination(pages, key=f"{name}-page")


def key_of(rows: pl.DataFrame, wanted: Filter) -> str:
    """Name a list: what was chosen in one means nothing in another.

    The browser is sent it, so it is made of nothing but which games are listed. The number of writes to the store
    would change it as well, and would tell of answers in secret.
    """
    ids = "".join(rows.get_column("replay"))
    return f"{blake2b(ids.encode(), digest_size=8).hexdigest()}-{wanted!r}"


def open_replay(library: Library, id: str, cell: Cell | None) -> None:
    """Go to a replay, to the step of what a cell counts if one is given."""
    if is_being_recorded(id):
        st.switch_page("screens/record.py", query_params={"record": id})
    at = {}
    if cell is not None:
        with suppress(SetupError, ValueError):  # it was measured by other rules than those that are here now
            at = {"viewer": "omniscient", "step": str(case_in(library.tape(id), cell))}
    st.switch_page("screens/replay.py", query_params={"replay": id, **at})
