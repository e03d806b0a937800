"""What the page about experiments knows: which ones the database keeps, what each has come to, and how it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import polars as pl

from dashboard import charts, recordings
from dashboard.figures import cells
from dashboard.recordings import Library
from replay import experiments
from replay.experiments import Difference, Kept, Result
from replay.experiments.figures import Figure
from replay.filters import Cell

VERDICTS: Final = {"seen": "differs", "hint": "perhaps", "none": "no difference seen", "few": "too few games to tell"}
PARTS: Final = {
    **dict.fromkeys(("wins", "shared"), "seats"),
    "bots": "players",
    **dict.fromkeys(("score", "margin"), "scores"),
    **dict.fromkeys(("turns", "events", "endings", "decisions"), "length"),
    **dict.fromkeys(("choices", "lead_changes", "lead_for_good"), "course"),
    **dict.fromkeys(("start_hand", "ever_held", "used", "held_at_end"), "cards"),
    "kinds": "events",
}
"""Where the statistics page shows a figure; those that are not here are special to their game."""


@lru_cache(maxsize=8)
def kept(at: Library) -> Sequence[Kept]:
    """Give the experiments that the database keeps, the newest first."""
    return experiments.kept(recordings.store())


@lru_cache(maxsize=16)
def result(at: Library, text: str) -> Result | None:
    """Give what an experiment has come to; None if it has not come to a look yet."""
    return experiments.result(recordings.store(), experiments.parse(text.encode()))


def table_of(found: Sequence[Difference], figure: Figure) -> pl.DataFrame:
    """Give the differences of one figure as the table and the chart of `Figures.show` have them.

    The chart draws `difference` from `low` to `high`; a row leads to the games of the variant that it is about.
    """
    frame = pl.DataFrame(
        [
            {
                "label": each.key.replace("_", " ") or "all",
                "baseline": each.base,
                "rate": each.value,
                "difference": each.difference,
                "low": each.difference_low,
                "high": each.difference_high,
                "p": None if each.adjusted is None else round(each.adjusted, 4),
                "verdict": VERDICTS[each.verdict],
                "n": each.n,
                "key": each.key,
            }
            for each in found
        ],
        infer_schema_length=None,
    )
    return _with_cells(frame, figure).drop("key")


def _with_cells(frame: pl.DataFrame, figure: Figure) -> pl.DataFrame:
    """The frame with which games a row counts; as it is, if that is every game."""
    match figure.name:
        case "turns" | "events" | "score" | "shared":
            return frame
        case "wins":
            seats = frame.with_columns(seat=pl.col("key").str.strip_prefix("seat ").cast(pl.Int64))
            return cells(seats, seat="seat", always=Cell(won=True)).drop("seat")
        case "bots":
            return cells(frame, bot="key", always=Cell(won=True))
        case "endings":
            return cells(frame, ended="key")
    fields = {"key": "key"} if figure.key else {}
    return cells(frame, **fields, always=Cell(metric=figure.name))


def chart(table: pl.DataFrame, figure: Figure) -> charts.Spec:
    """Draw the differences of a figure with their intervals, around an upright line where there is none.

    A full point is a difference, a hollow one may be or is none. Differences of rates are in points.
    """
    points = figure.unit == "rate"
    shown = table.filter(pl.col("difference").is_not_null()).with_columns(
        pl.col("difference", "low", "high") * (100 if points else 1)
    )
    names = list(VERDICTS.values())[:3]
    meaning = dict(zip(names, (charts.ACCENT, charts.BASELINE, charts.GREY), strict=True))
    title = "difference, in points" if points else "difference"

    def across(column: str) -> charts.Spec:
        return charts.number(column, title=title, scale={"zero": True})

    said = [charts.number(column, format=".2f") for column in ("difference", "low", "high")]
    base: charts.Spec = {
        "y": charts.LABELS,
        "color": charts.colours("verdict", meaning),
        "tooltip": [charts.name("label"), *said, charts.name("verdict"), charts.number("n")],
    }
    value = {**base, "x": across("difference")}
    none = charts.layer({"type": "rule", "color": charts.GREY, "strokeDash": [4, 3]}, {"x": charts.number("none")})
    layers = [
        {"data": {"values": [{"none": 0.0}]}, **none},
        charts.layer(charts.INTERVAL, {**base, "x": across("low"), "x2": {"field": "high"}}),
        charts.layer(charts.FULL, value, only=f"datum.verdict == '{names[0]}'"),
        charts.layer(charts.HOLLOW, value, only=f"datum.verdict != '{names[0]}'"),
    ]
    if "cell" in shown.columns:
        layers.append({"name": charts.CLICKED, **charts.layer(charts.UNSEEN, value)})
    return charts.layered(shown, 30, layers)
