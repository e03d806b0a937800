"""What the finished games of one kind say, question by question, each figure with its interval and its definition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import altair as alt
import polars as pl
import streamlit as st

from core.registry import games
from dashboard import answers, charts, recordings
from dashboard.address import choose, say_notices
from dashboard.boxes import provenance_note
from dashboard.guarded import guarded
from replay import statistics
from replay.games import default_sheet
from replay.store import Filter

PLAYERS: Final = 20
WINS: Final = "share of wins; the upright mark is an equal share"
SHARE: Final = st.column_config.NumberColumn(format="percent")
RATES: Final = ("label", "rate", "low", "high", "baseline", "n", "wins", "shared", "credit", "mean_rank")
COLUMNS: Final[dict[str, Any]] = {
    **dict.fromkeys(("rate", "low", "high", "baseline", "share"), SHARE),
    "label": st.column_config.TextColumn(" "),
    "credit": st.column_config.NumberColumn(format="%.1f"),
    "mean": st.column_config.NumberColumn(format="%.2f"),
    "sd": st.column_config.NumberColumn(format="%.2f"),
    "mean_rank": st.column_config.NumberColumn("mean rank", format="%.2f"),
    "turns_mean": st.column_config.NumberColumn("turns: mean", format="%.1f"),
    "length_mean": st.column_config.NumberColumn("events: mean", format="%.1f"),
    **{f"turns_{name}": f"turns: {name}" for name in ("least", "median", "most")},
    **{f"length_{name}": f"events: {name}" for name in ("least", "median", "most")},
}


def figure(question: str, answer: str, chart: alt.Chart | alt.LayerChart, table: pl.DataFrame, definition: str) -> None:
    """Show a question, its answer in words, the chart and the table behind it, and how it is counted."""
    with st.container(border=True):
        st.subheader(question)
        st.text(answer)
        left, right = st.columns(2)
        left.altair_chart(chart, alt=f"{question} {answer}", key=f"chart-{definition}")
        right.dataframe(
            table, hide_index=True, column_config=COLUMNS, alt=f"Table: {question}", key=f"table-{definition}"
        )
        with st.expander("How this is counted"):
            st.markdown(statistics.DEFINITIONS[definition])


def by_seats(frame: pl.DataFrame, name: pl.Expr) -> pl.DataFrame:
    """Put a label before the columns: the seat count where there are several, and a name."""
    several = frame["seats"].n_unique() > 1
    label = pl.format("{} seats · {}", "seats", name) if several else name
    return frame.select(label.alias("label"), pl.exclude("label"))


def as_one(frame: pl.DataFrame) -> pl.DataFrame:
    """The same frame with all seat counts taken together."""
    return frame.with_columns(seats=pl.lit(0, pl.Int16))


def seat_figure(results: pl.DataFrame) -> None:
    """Does it matter where one sits?"""
    rates = by_seats(statistics.win_rates(results, ["seats", "seat"]), pl.format("seat {}", "seat"))
    figure(
        "Does a seat win more often than its share?",
        answers.share_of_wins(rates, lambda row: str(row["label"])),
        charts.rates(rates, WINS),
        rates.select(RATES),
        "seats",
    )


def player_figure(results: pl.DataFrame) -> None:
    """Does it matter who plays?"""
    rates = statistics.win_rates(results, ["player", "bot"]).sort("n", "player", "bot", descending=[True, False, False])
    known = pl.when(pl.col("bot").is_null() | (pl.col("bot") == pl.col("player"))).then("player")
    rates = rates.select(known.otherwise(pl.format("{} (bot {})", "player", "bot")).alias("label"), pl.all())
    shown = rates.head(PLAYERS)
    more = (
        f" The chart has the {PLAYERS} who played most, the table all {rates.height}." if rates.height > PLAYERS else ""
    )
    figure(
        "Does a player win more often than its share?",
        answers.share_of_wins(shown, lambda row: str(row["label"])) + more,
        charts.rates(shown, WINS),
        rates.select(RATES),
        "players",
    )


def score_figure(results: pl.DataFrame) -> None:
    """What is a good score?"""
    whole = statistics.score_summary(results, "game").to_dicts()[0]
    figure(
        "What do players score?",
        answers.scores(whole),
        charts.counts(statistics.score_counts(results), "score", "score"),
        statistics.score_summary(results, ["seats", "seat"]),
        "scores",
    )


def length_figure(finished: pl.DataFrame) -> None:
    """How long is a game?"""
    whole = statistics.length_summary(as_one(finished)).to_dicts()[0]
    figure(
        "How long is a game?",
        answers.length(whole),
        charts.counts(statistics.length_counts(as_one(finished)), "turns", "turns"),
        statistics.length_summary(finished),
        "length",
    )


def ending_figure(finished: pl.DataFrame) -> None:
    """How do games end?"""
    shares = statistics.endings(finished).with_columns(rate="share", enough=pl.col("games") >= statistics.FLOOR)
    shares = by_seats(shares, pl.col("ended").str.replace_all("_", " "))
    figure(
        "How do games end?",
        answers.endings(statistics.endings(as_one(finished))),
        charts.rates(shares, "share of games"),
        shares.select("label", "n", "games", "share", "low", "high"),
        "endings",
    )


def counted(values: Sequence[tuple[str, Any]]) -> None:
    """Show plain counts side by side."""
    for column, (name, value) in zip(st.columns(len(values)), values, strict=True):
        column.metric(name, f"{value:,}", border=True)


st.title("Statistics")
with guarded():
    library = recordings.library()
    left, right = st.columns([3, 1])
    with left:
        slug = choose("Game", "game", list(games()), lambda slug: games()[slug].title) or next(iter(games()))
    low, high = default_sheet(games()[slug]).seats
    with right:
        asked = choose("Seats", "seats", [str(seats) for seats in range(low, high + 1)], everything="Any number")
    say_notices()
    wanted = Filter(game=slug, seats=None if asked is None else int(asked))
    replays = library.replays(wanted)
    finished = replays.filter(pl.col("finished"))
    stopped = replays.filter(~pl.col("finished") & pl.col("fault_step").is_not_null())
    counted(
        [
            ("Finished games", finished.height),
            ("Not finished, not counted", replays.height - finished.height - stopped.height),
            ("Stopped by a fault, not counted", stopped.height),
        ]
    )
    if note := provenance_note(default_sheet(games()[slug])):
        st.text(f"{note} What is counted here holds for that box.")
    if finished.is_empty():
        st.info("No finished game of this kind is recorded yet.")
        st.code(f"tabletape simulate {slug} -n 1000 --seed 42 --seats {asked or low}", language="shell")
    else:
        results = library.results(wanted)
        seat_figure(results)
        player_figure(results)
        score_figure(results)
        length_figure(finished)
        ending_figure(finished)
