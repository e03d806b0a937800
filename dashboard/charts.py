"""The figures of the statistics page. Every mark reads on light and on dark; colour never says anything alone."""

from __future__ import annotations

from typing import Final

import altair as alt
import polars as pl

from replay.statistics import FLOOR

ACCENT: Final = "#23916b"
GREY: Final = "#8a8f98"
BASELINE: Final = "#c2571a"
ENOUGH: Final = f"{FLOOR} games or more"
FEW: Final = f"fewer than {FLOOR}: says little"


def rates(frame: pl.DataFrame, title: str) -> alt.LayerChart:
    """Draw shares with their intervals, a line a row: columns label, rate, low, high, n, enough, and maybe baseline.

    Hollow grey points rest on too few games; the upright tick is the baseline.
    """
    shown = frame.with_columns(games=pl.when("enough").then(pl.lit(ENOUGH)).otherwise(pl.lit(FEW)))
    top = min(1.0, 1.05 * max([0.1, *shown["high"]]))

    def share(column: str) -> alt.X:
        return alt.X(f"{column}:Q", title=title, axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, top]))

    colour = alt.Color(
        "games:N",
        scale=alt.Scale(domain=[ENOUGH, FEW], range=[ACCENT, GREY]),
        legend=alt.Legend(title=None, orient="bottom", columns=1),
    )
    said = [alt.Tooltip("label:N"), *[alt.Tooltip(f"{name}:Q", format=".1%") for name in ("rate", "low", "high")]]
    base = alt.Chart(shown).encode(
        y=alt.Y("label:N", sort=None, title=None, axis=alt.Axis(labelLimit=260)), tooltip=[*said, alt.Tooltip("n:Q")]
    )
    points = base.encode(x=share("rate"), color=colour)
    layers = [
        base.mark_rule(strokeWidth=3).encode(x=share("low"), x2="high:Q", color=colour),
        points.transform_filter("datum.enough").mark_point(filled=True, size=110, opacity=1),
        points.transform_filter("!datum.enough").mark_point(size=110, strokeWidth=2),
    ]
    if "baseline" in shown.columns:
        layers.insert(0, base.mark_tick(color=BASELINE, thickness=3, height=22).encode(x=share("baseline")))
    return alt.LayerChart(layer=layers, height=alt.Step(30))


def counts(frame: pl.DataFrame, value: str, title: str) -> alt.Chart:
    """Draw how often each whole number came up: columns `value` and n."""
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar(color=ACCENT, cornerRadiusEnd=3)
        .encode(
            x=alt.X(f"{value}:O", title=title, axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            y=alt.Y("n:Q", title="games" if value == "turns" else "seats", axis=alt.Axis(tickMinStep=1)),
            tooltip=[alt.Tooltip(value, title=title), "n"],
        )
        .properties(height=240)
    )
    return chart
