"""What the finished games of one kind say, question by question, each figure with its interval and its definition.

Only the part that is looked at is worked out, from counts that the database has added up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec
import polars as pl
import streamlit as st
from msgspec import Struct

from core.metrics import SITUATIONS
from core.registry import games
from core.tally import Metric
from dashboard import answers, charts, recordings
from dashboard.address import choose, say_notices
from dashboard.boxes import provenance_note
from dashboard.figures import Figures, cells
from dashboard.filtering import more
from dashboard.guarded import guarded
from dashboard.recordings import Library
from replay.filters import Cell
from replay.games import default_sheet
from replay.statistics import ratings, summaries
from replay.statistics.measuring import metrics_of
from replay.storage.store import NEWEST, Filter, Store

# Comments and no strings below constants here: Streamlit would write a string onto the page.

MOST: Final = 20  # rows that a chart has; the table has all

WINS: Final = "share of wins; upright: an equal share"
RATES: Final = ("label", "rate", "low", "high", "baseline", "n", "wins", "shared", "credit", "mean_rank")
COURSE: Final = ("choices", "lead_changes", "lead_for_good")
ELSEWHERE: Final = (*COURSE, *SITUATIONS, "margin", "decisions", "kinds")  # metrics with a place of their own

PARTS: Final[Mapping[str, str]] = {
    "seats": "Seats",
    "players": "Players and bots",
    "scores": "Scores",
    "length": "Length and endings",
    "course": "Course of the game",
    "cards": "Cards and other subjects",
    "game": "What is special to this game",
    "events": "Kinds of events",
}


class Page(Struct):
    """What the figures are of."""

    library: Library
    figures: Figures
    slug: str
    wanted: Filter
    replays: pl.DataFrame
    """`Store.game_table` of it."""

    def table(self, question: Callable[..., pl.DataFrame], *about: object) -> pl.DataFrame:
        """Ask the store."""
        return self.library.table(question, *about)


def labelled(frame: pl.DataFrame, name: pl.Expr) -> pl.DataFrame:
    """Put a label before the columns: the seat count where there are several, and a name."""
    several = frame["seats"].n_unique() > 1
    label = pl.format("{} seats · {}", "seats", name) if several else name
    return frame.select(label.alias("label"), pl.exclude("label"))


def as_one(frame: pl.DataFrame) -> pl.DataFrame:
    """The same frame with all seat counts taken together."""
    return frame.with_columns(seats=pl.lit(0, pl.Int16))


def clipped(frame: pl.DataFrame, what: str) -> str:
    """Say what the chart leaves to the table."""
    return f" The chart has the first {MOST} {what}, the table all {frame.height}." if frame.height > MOST else ""


def seats(page: Page) -> None:
    """Does it matter where one sits?"""
    results = page.table(Store.seat_table, page.wanted, ("seat",))
    rates = labelled(summaries.win_rates(results, ["seats", "seat"]), pl.format("seat {}", "seat"))
    rates = cells(rates, seat="seat", seats="seats", always=Cell(won=True))
    page.figures.show(
        "seats",
        "Does a seat win more often than its share?",
        f"{answers.seat_test(summaries.seat_test(results))}\nDoes any seat by itself? "
        f"{answers.share_of_wins(rates, lambda row: str(row['label']))}",
        charts.rates(rates, WINS),
        rates.select(*RATES, "cell"),
        f"{summaries.DEFINITIONS['seats']}\n\nWhether seats differ at all is tested by chi-square of the credits, for "
        "each seat count: p says how often equal seats would differ as much.",
    )


def players(page: Page) -> None:
    """Does it matter who plays?"""
    results = page.table(Store.seat_table, page.wanted, ("player", "bot"))
    rates = summaries.win_rates(results, ["player", "bot"]).sort("n", "player", "bot", descending=[True, False, False])
    known = pl.when(pl.col("bot").is_null() | (pl.col("bot") == pl.col("player"))).then("player")
    rates = rates.select(known.otherwise(pl.format("{} (bot {})", "player", "bot")).alias("label"), pl.all())
    rates = cells(rates, player="player", bot="bot", always=Cell(won=True))
    shown = rates.head(MOST)
    page.figures.show(
        "players",
        "Does a player win more often than its share?",
        answers.share_of_wins(shown, lambda row: str(row["label"])) + clipped(rates, "by games played"),
        charts.rates(shown, WINS),
        rates.select(*RATES, "cell"),
        summaries.DEFINITIONS["players"],
    )
    rated = page.library.ratings(page.wanted)
    if not rated.is_empty():
        rated = cells(rated.rename({"player": "label"}), player="label")
        newest = f" Of the newest {NEWEST:,} games." if page.replays.filter("finished")["games"].sum() > NEWEST else ""
        page.figures.show(
            "ratings",
            "How strong is a player?",
            answers.rated(rated.rename({"label": "player"})) + newest + clipped(rated, "by strength"),
            charts.rates(rated.head(MOST).with_columns(rate="mu"), "strength (mu) with its 95 % interval", ".1f"),
            rated,
            RATED,
            shares=False,
        )
    pairs = ratings.head_to_head(page.table(Store.pair_table, page.wanted, MOST))
    if not pairs.is_empty():
        pairs = cells(pairs, player="player", other="other")
        page.figures.show(
            "pairs",
            "Who is ahead of whom?",
            answers.met(pairs),
            charts.matrix(pairs),
            pairs,
            "For each two of the players of the most games: **n** games in which both sat, on different sides; how "
            "often the first finished **ahead** of the other, how often **level** with it; **share** = (ahead + "
            "level / 2) / n, **low** and **high** the ends of Wilson's 95 % interval. Equal players share by half.",
        )


RATED: Final = (
    "By Plackett-Luce (`openskill`): each finished game, in the order of arrival, moves what is known of its players "
    "by who finished ahead of whom; ties and teams are taken as they are. **mu** is the strength (a newcomer has 25), "
    "**sigma** how unsure it is (8.33 for a newcomer), **low** to **high** is mu ± 1.96 sigma, **ordinal** = mu - 3 "
    f"sigma. At most the newest {NEWEST:,} games are looked at. *Example:* whoever has beaten two equals once stands "
    "above 25, with a smaller sigma."
)


def scores(page: Page) -> None:
    """What is a good score?"""
    results = page.table(Store.seat_table, page.wanted, ("score",))
    (whole,) = summaries.score_summary(as_one(results), "seats").to_dicts()
    counts = cells(summaries.score_counts(results), score="score")
    page.figures.show(
        "scores",
        "What do players score?",
        answers.scores(whole),
        charts.counts(counts, "score", "score", "seats"),
        counts,
        summaries.DEFINITIONS["scores"],
    )
    st.dataframe(summaries.score_summary(results, "seats"), hide_index=True, alt="Scores by number of seats")
    metrics(page, ["margin"])


def length(page: Page) -> None:
    """How long is a game, and how does it end?"""
    whole = as_one(page.replays)
    (summary,) = summaries.length_summary(whole).to_dicts()
    turns = cells(summaries.length_counts(whole).drop("seats"), turns="turns")
    page.figures.show(
        "length",
        "How many turns does a game take?",
        answers.length(summary),
        charts.counts(turns, "turns", "turns"),
        turns,
        summaries.DEFINITIONS["length"],
    )
    events = page.replays.filter("finished").group_by(events="length").agg(n=pl.col("games").sum()).sort("events")
    events = cells(events, events="events")
    page.figures.show(
        "events",
        "How many events does a game have?",
        f"From {summary['length_least']} to {summary['length_most']}, {summary['length_mean']:.1f} on average.",
        charts.counts(events, "events", "events"),
        events,
        summaries.DEFINITIONS["length"],
    )
    metrics(page, ["decisions"])
    shares = summaries.endings(page.replays).with_columns(rate="share", enough=pl.col("games") >= summaries.FLOOR)
    shares = labelled(shares, pl.col("ended").str.replace_all("_", " "))
    shares = cells(shares, ended="ended", seats="seats")
    page.figures.show(
        "endings",
        "How do games end?",
        answers.endings(summaries.endings(whole)),
        charts.rates(shares, "share of games"),
        shares.select("label", "n", "games", "share", "low", "high", "cell"),
        summaries.DEFINITIONS["endings"],
    )


def metrics(page: Page, names: Sequence[str]) -> None:
    """Show some of the game's metrics."""
    known = {metric.name: metric for metric in metrics_of(page.slug)}
    share = page.library.measured(page.wanted)
    if share.measured < share.finished:
        st.info(
            f"{share.measured:,} of {share.finished:,} finished games are measured: what follows counts those. "
            "Run tabletape measure for the others."
        )
    for name in names:
        if name in known:
            metric_figure(page, known[name])


def metric_figure(page: Page, metric: Metric) -> None:
    """Show what one metric found."""
    by = "key" if metric.key else "seats"
    found = summaries.metric_summary(page.table(Store.metric_table, page.slug, metric.name, page.wanted, (by,)), metric)
    if found.is_empty():
        st.text(f"{metric.title} Nothing of the kind was measured in these games.")
        return
    if metric.key:
        found = found.with_columns(label=pl.col("key").str.replace_all("_", " "))
        found = found.sort("n", "value", "key", descending=[True, True, False])
    else:
        found = found.with_columns(label=pl.format("{} seats", "seats"))
    if metric.name == "kinds":  # every game is a case of each: asked for are those in which it happened
        found = cells(found, kind="key")
        answer = answers.happened(found)
    else:
        found = cells(found, **{by: by}, always=Cell(metric=metric.name))
        answer = answers.measured(found, metric.unit, metric.key) + (f" By {metric.key}." if metric.key else "")
    shown = found.rename({"value": "rate"})
    baseline = ["baseline"] if shown["baseline"].null_count() < shown.height else []
    page.figures.show(
        metric.name,
        metric.title,
        answer + clipped(found, "by cases"),
        charts.rates(
            shown.head(MOST), "share" if metric.unit == "rate" else "mean", ".1%" if metric.unit == "rate" else ".2f"
        ),
        shown.select("label", "rate", "low", "high", *baseline, "n", "total", "games", "cell"),
        f"{metric.definition}\n\n*Example:* {metric.example}\n\nVersion {metric.version}. **rate** is total / n, "
        "**low** to **high** its 95 % interval, in which the cases of a game count together.",
        shares=metric.unit == "rate",
    )


def course(page: Page) -> None:
    """How does a game go?"""
    metrics(page, COURSE)


def own(page: Page) -> None:
    """What this game alone is asked."""
    names = [metric.name for metric in metrics_of(page.slug) if metric.name not in ELSEWHERE]
    metrics(page, names)
    if not names:
        st.info("This game has no questions of its own.")


def cards(page: Page) -> None:
    """What goes with winning?"""
    subjects = games()[page.slug].subjects
    if subjects is None:
        st.info("This game names nothing that seats hold and use.")
        return
    per = choose("Counted", "per", ["game", "draw"], {"game": "a game", "draw": "a draw"}.__getitem__)
    found = summaries.situation_rates(page.table(Store.situation_table, page.slug, page.wanted))
    if per == "draw":
        found = found.select(
            *("key", "situation", "enough"),
            **{name: f"draw_{name}" for name in ("credit", "rate", "low", "high", "baseline")},
            n="draws",
        )
    known = {metric.name: metric for metric in metrics_of(page.slug)}
    for situation in SITUATIONS:
        rows = found.filter(pl.col("situation") == situation).sort("rate", descending=True)
        if rows.is_empty():
            continue
        rows = cells(rows.with_columns(label="key"), key="key", always=Cell(metric=situation))
        page.figures.show(
            situation,
            f"{known[situation].title.removesuffix('?')}, and how often does it win then?",
            answers.share_of_wins(rows, lambda row: f"who has {row['label']}") + clipped(rows, "by win rate"),
            charts.rates(rows.head(MOST), WINS),
            rows.select("label", "rate", "low", "high", "baseline", "n", "credit", "cell"),
            f"{known[situation].definition}\n\nVersion {known[situation].version}. A win rate beside a {subjects.name} "
            "says what goes with it, not what it causes.",
        )
    metrics(page, ())


def kinds(page: Page) -> None:
    """What happens how often?"""
    metrics(page, ["kinds"])


SHOWN: Final[Mapping[str, Callable[[Page], None]]] = {
    "seats": seats,
    "players": players,
    "scores": scores,
    "length": length,
    "course": course,
    "cards": cards,
    "game": own,
    "events": kinds,
}


def counted(values: Sequence[tuple[str, Any]]) -> None:
    """Show plain counts side by side."""
    for column, (name, value) in zip(st.columns(len(values)), values, strict=True):
        column.metric(name, f"{value:,}", border=True)


st.title("Statistics")
with guarded():
    library = recordings.library()
    above = st.container()
    left, middle, right = st.columns([3, 1, 2])
    with left:
        slug = choose("Game", "game", list(games()), lambda slug: games()[slug].title) or next(iter(games()))
    low, high = default_sheet(games()[slug]).seats
    with middle:
        asked = choose("Seats", "seats", [str(seats) for seats in range(low, high + 1)], everything="Any number")
    with right:
        part = choose("About", "part", list(PARTS), PARTS.__getitem__) or "seats"
    passing = more(library, slug, None if asked is None else int(asked))
    wanted = msgspec.structs.replace(passing, branches=False)
    figures = Figures(library, wanted)
    with above:
        say_notices()
    replays = library.table(Store.game_table, wanted)
    finished = int(replays.filter("finished")["games"].sum())
    faulty = int(replays.filter(~pl.col("finished") & pl.col("faulty"))["games"].sum())
    counted(
        [
            ("Finished games", finished),
            ("Not finished, not counted", int(replays["games"].sum()) - finished - faulty),
            ("Stopped by a fault, not counted", faulty),
        ]
    )
    if branches := library.count(msgspec.structs.replace(passing, branches=True)):
        st.text(f"Branches of other games are left out: {branches:,}.")
    if passing.sheet is None and (boxes := len(library.facets(slug)["sheet"])) > 1:
        st.text(f"These games were played with {boxes} different boxes. Each by itself: Filters, Box.")
    if note := provenance_note(default_sheet(games()[slug])):
        st.text(f"{note} What is counted here holds for that box.")
    if finished:
        SHOWN[part](Page(library, figures, slug, wanted, replays))
    elif library.count(Filter(game=slug, finished=True)):
        st.info("No finished game passes these filters.")
    else:
        st.info("No finished game of this kind is recorded yet.")
        st.code(f"tabletape simulate {slug} -n 1000 --seed 42 --seats {asked or low}", language="shell")
