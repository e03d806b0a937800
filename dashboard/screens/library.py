"""The library: which games are recorded, filtered; a row opens its replay. Files are taken in here."""

from __future__ import annotations

from typing import Final

import polars as pl
import streamlit as st

from core.registry import games
from dashboard import recordings
from dashboard.address import choose, notice, say_notices
from dashboard.filtering import more
from dashboard.guarded import guarded
from dashboard.listing import table, title
from dashboard.playing import service
from dashboard.recordings import Library
from events.errors import FormatError
from replay.errors import UnknownReplay
from replay.notes import TAG_LIMIT
from replay.storage.store import Filter

FINISHED: Final = {"yes": "Finished", "no": "Not finished"}


def filters(library: Library) -> Filter:
    """Show the filters; give what they let pass."""
    known = library.replays(Filter(), recordings.LISTED)
    slugs = sorted({*games(), *known.get_column("game").unique()})
    seats = [str(count) for count in sorted(known.get_column("seats").unique())]
    columns = st.columns([4, 2, 2])
    with columns[0]:
        game = choose("Game", "game", slugs, title, everything="All games")
    with columns[1]:
        count = choose("Seats", "seats", seats, everything="Any number")
    with columns[2]:
        finished = choose("State", "finished", list(FINISHED), FINISHED.__getitem__, everything="All")
    return more(library, game, None if count is None else int(count), None if finished is None else finished == "yes")


def games_that(library: Library, wanted: Filter) -> None:
    """Show the games that pass, and say how many they are."""
    total = library.count(wanted)
    everything = library.count(Filter())
    finished = library.count(Filter(finished=True))
    if wanted == Filter():
        st.text(f"{total:,} games, {finished:,} of them finished, the newest first. Choose one to step through it.")
    else:
        st.text(f"{total:,} of {everything:,} games, the newest first. Choose one to step through it.")
    if total == 0:
        st.info("No game passes these filters.")
    else:
        table(library, wanted, total, "library")


def tagging() -> None:
    """Show the form that puts a tag on a replay, or takes it off."""
    with st.expander("Tag a replay"), st.form("tag", clear_on_submit=True, border=False):
        st.text("Tags are what games can be filtered by, here and in the statistics.")
        id = st.text_input("Id of the replay, or its start")
        name = st.text_input("Tag", max_chars=TAG_LIMIT)
        add, remove, _ = st.columns([1, 1, 3])
        put = add.form_submit_button("Add the tag")
        if not (remove.form_submit_button("Take it off") or put):
            return
        store = recordings.store()
        try:
            found = store.find(id.strip()[:80])
            tags = store.tag(found, name.strip()) if put else store.untag(found, name.strip())
            notice(f"{found}: {', '.join(tags) or 'no tags'}")
        except (FormatError, UnknownReplay) as error:
            notice(str(error))
        st.rerun()


def take_in() -> None:
    """Show the form that takes a file in, and what became of the last one; nothing where none is taken in."""
    if not service().settings.uploads:
        return
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
        games_that(library, wanted)
        tagging()
    take_in()
