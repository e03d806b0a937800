"""What changed cards, options, seats or bots do to a game: the experiments that the database keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import polars as pl
import streamlit as st

from core.registry import games
from dashboard import experimenting, recordings
from dashboard.address import choose, notice, plain, say_notices
from dashboard.experimenting import VERDICTS, chart, table_of
from dashboard.figures import Figures, downloads
from dashboard.guarded import guarded
from dashboard.recordings import Library
from replay.experiments import Difference, Experiment, Result, name_of
from replay.experiments.figures import Figure, figures_of
from replay.experiments.words import verdict
from replay.packaged import data_root
from replay.storage.store import Filter

# Comments and no strings below constants here: Streamlit would write a string onto the page.

MOST: Final = 12  # questions that are drawn unless one is asked for
EXAMPLE: Final = "nine-nanners.toml"

COUNTED: Final = (
    "Both variants play games of the same numbers, dealt from the same randomness, and players rotate through the "
    "seats. **rate** is the value of the variant, **baseline** that of the baseline, **low** to **high** the interval "
    "of their **difference**, in which game i of one is paired with game i of the other. **p** is adjusted for the "
    "many figures of the experiment (Holm) and for its looks: below 5 % a difference is called one. *Perhaps*: the "
    "interval of this figure alone leaves zero out, but among so many figures chance explains that. *Example:* games "
    "took 20.0 turns and take 18.1, the difference is -1.9 (-2.6 to -1.2)."
)


def nothing_yet() -> None:
    """Say how experiments get here."""
    st.subheader("No experiment is kept in this database yet")
    st.text("An experiment is a file that names a game and two or more variants of it, as this one:")
    st.code((data_root() / "experiments" / EXAMPLE).read_text(), language="toml")
    st.code(f"tabletape experiment {EXAMPLE} --jobs 2", language="shell")


def about(experiment: Experiment, found: Result) -> None:
    """Say what was played."""
    st.subheader(plain(experiment.question or experiment.name))
    st.text(f"{games()[experiment.game].title}: {found.course}. The baseline is “{name_of(found.baseline)}”.")


def questions(library: Library, found: Result, tag: str) -> None:
    """Show what differs, question by question, or the one that is asked for; and everything as a table."""
    known = figures_of(found.game)
    own = [each for each in found.differences if each.variant == tag]
    names = list(dict.fromkeys([each.figure for each in own]))
    asked = choose("Question", "question", names, lambda name: known[name].title, everything="All that differ")
    differing = list(dict.fromkeys([each.figure for each in own if each.verdict == "seen"]))
    figures = Figures(library, Filter(game=found.game, tags=(tag,)))
    for name in [asked] if asked else differing[:MOST]:
        rows = [each for each in own if each.figure == name]
        table = table_of(rows, known[name])
        figures.show(
            name,
            f"{known[name].title.removesuffix('?')}, and what does “{plain(name_of(tag))}” change?",
            "\n".join(
                [f"{verdict(each, known, titled=False)}." for each in rows if asked or each.verdict in ("seen", "hint")]
            ),
            chart(table, known[name]),
            table,
            COUNTED,
            shares=known[name].unit == "rate",
        )
        with st.container(horizontal=True):
            for each in (found.baseline, tag):
                st.page_link(
                    "screens/statistics.py",
                    label=f"In the statistics of “{plain(name_of(each))}”",
                    query_params={"game": found.game, "tag": each, "part": experimenting.PARTS.get(name, "game")},
                )
    if not asked and len(differing) > MOST:
        st.text(f"{len(differing) - MOST} more questions have an answer that differs: choose one above.")
    everything(own, known)


def everything(own: Sequence[Difference], known: Mapping[str, Figure]) -> None:
    """Show the table of all figures."""
    rows = [
        {
            "question": known[each.figure].title,
            "of": each.key.replace("_", " "),
            "baseline": each.base,
            "variant": each.value,
            "difference": each.difference,
            "low": each.difference_low,
            "high": each.difference_high,
            "p": None if each.adjusted is None else round(each.adjusted, 4),
            "verdict": VERDICTS[each.verdict],
        }
        for each in own
    ]
    table = pl.DataFrame(rows, infer_schema_length=None)
    counts = [(words, sum(VERDICTS[each.verdict] == words for each in own)) for words in VERDICTS.values()]
    st.subheader("All figures")
    st.text(", ".join([f"{words}: {count}" for words, count in counts if count]) + ".")
    st.dataframe(table, hide_index=True, alt="All figures of the experiment", key="experiment-all")
    downloads("experiment", table)


def played(experiment: Experiment, text: str) -> None:
    """Show the file, how it is played, and where its games are."""
    with st.container(horizontal=True):
        for variant in experiment.variants:
            st.page_link(
                "screens/library.py",
                label=f"The games of “{plain(variant.name)}”",
                query_params={"game": experiment.game, "tag": experiment.tag(variant)},
            )
    with st.expander("The file of this experiment"):
        st.code(text, language="toml")
        st.code("tabletape experiment FILE.toml    # goes on where it was stopped", language="shell")


st.title("Experiments")
with guarded():
    library = recordings.library()
    above = st.container()
    kept = dict[str, tuple[Experiment, str]]()
    for each in experimenting.kept(library):
        if each.experiment is None:
            notice(f"An experiment beside replay {each.replay} cannot be read: {each.problem}")
        else:
            kept.setdefault(each.experiment.name, (each.experiment, each.text))
    name = choose("Experiment", "experiment", list(kept)) if kept else None
    if name is None:
        nothing_yet()
    else:
        experiment, text = kept[name]
        found = experimenting.result(library, text)
        if found is None:
            st.subheader(plain(experiment.question or name))
            st.info("It has not come to its first look yet, or its games are not all measured: run it (again).")
        else:
            about(experiment, found)
            tag = choose("Variant", "variant", list(found.said), name_of) or next(iter(found.said))
            questions(library, found, tag)
        played(experiment, text)
    with above:
        say_notices()
