"""The library: which games are recorded, filtered; a row opens its replay. Files are taken in here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import polars as pl
import streamlit as st

from core.registry import games
from dashboard import recordings
from dashboard.address import choose, notice, say_notices
from dashboard.guarded import guarded
from dashboard.recordings import Library
from events.errors import FormatError
from replay.store import Filter

PER_PAGE: Final = 100
FINISHED: Final = {"yes": "Finished", "no": "Not finished"}
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


def filters(library: Library) -> Filter:
    """Show the filters; give what they let pass."""
    known = library.replays(Filter(), recordings.LISTED)
    slugs = sorted({*games(), *known.get_column("game").unique()})
    seats = [str(count) for count in sorted(known.get_column("seats").unique())]
    columns = st.columns([3, 3, 2, 2])
    with columns[0]:
        game = choose("Game", "game", slugs, title, everything="All games")
    with columns[1]:
        player = choose("Player", "player", library.players(Filter()), everything="Everybody", others=True)
    with columns[2]:
        count = choose("Seats", "seats", seats, everything="Any number")
    with columns[3]:
        finished = choose("State", "finished", list(FINISHED), FINISHED.__getitem__, everything="All")
    return Filter(
        game=game,
        player=player,
        seats=None if count is None else int(count),
        finished=None if finished is None else finished == "yes",
    )


def listing(rows: pl.DataFrame) -> pl.DataFrame:
    """Give the rows as they are shown."""
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


def table(library: Library, wanted: Filter) -> None:
    """Show the games that pass, a page at a time; a chosen row opens its replay."""
    total = library.count(wanted)
    everything = library.count(Filter())
    finished = library.count(Filter(finished=True))
    if wanted == Filter():
        st.text(f"{total:,} games, {finished:,} of them finished, the newest first. Choose one to step through it.")
    else:
        st.text(f"{total:,} of {everything:,} games, the newest first. Choose one to step through it.")
    if total == 0:
        st.info("No game passes these filters.")
        return
    pages = -(-total // PER_PAGE)
    where = repr(wanted)
    number = 1
    if st.session_state.get("library-where") != where:
        st.session_state["library-where"] = where
        st.session_state.pop("library-page", None)
    if pages > 1:
        number = st.session_state.get("library-page", 1)
    rows = library.replays(wanted, PER_PAGE, (number - 1) * PER_PAGE)
    key = f"{library.generation}-{number}-{where}"
    buttons = st.column_config.ButtonColumn(" ", width=70, type="tertiary", key=f"open-{key}")
    event = st.dataframe(
        listing(rows),
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
        st.switch_page("screens/replay.py", query_params={"replay": rows["replay"][chosen[0]]})
    if pages > 1:
        st.pagination(pages, key="library-page")


def take_in() -> None:
    """Show the form that takes a file in, and what became of the last one."""
    with st.expander("Import a file"), st.form("import", clear_on_submit=True, border=False):
        file = st.file_uploader(
            "JSON Lines, as `tabletape export` writes it; any number of games",
            type=["jsonl"],
            max_upload_size=recordings.UPLOAD_LIMIT // 1_000_000,
        )
        if st.form_submit_button("Import") and file is not None:
            try:
                st.session_state["import"] = recordings.take_in(file.getvalue())
            except FormatError as error:
                notice(str(error))
            st.rerun()
    done: recordings.Import | None = st.session_state.pop("import", None)
    if done is None:
        return
    say = st.warning if done.problems else st.success
    say(f"{done.new} games added, {done.known} were there already, {len(done.problems)} to look at.")
    if done.problems:
        st.dataframe(
            pl.DataFrame(done.problems, schema={"Line": pl.Int64, "Id": pl.String, "Problem": pl.String}, orient="row"),
            hide_index=True,
            alt="What is wrong with games of the file",
        )


def nothing_yet() -> None:
    """Say how games get here."""
    st.subheader("No games are recorded yet")
    st.markdown("Let bots play some, or import a file below:")
    st.code(
        "tabletape simulate queen-of-the-cupcakes -n 1000 --players greedy,random\n"
        "tabletape import club-night.jsonl\n"
        "tabletape demo    # a few hundred games of each kind",
        language="shell",
    )
    st.text(f"The database is {recordings.database()}. This page shows what is new when it is loaded again.")


st.title("Library")
above = st.container()
with guarded():
    library = recordings.library()
    wanted = filters(library) if library.count(Filter()) else None
    with above:
        say_notices()
    if wanted is None:
        nothing_yet()
    else:
        table(library, wanted)
    take_in()
