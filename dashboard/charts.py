"""The figures of the statistics page. Every mark reads on light and on dark; colour never says anything alone."""

from __future__ import annotations

from typing import Any, Final

import altair as alt
import polars as pl

from replay.statistics.summaries import FLOOR

ACCENT: Final = "#23916b"
GREY: Final = "#8a8f98"
BASELINE: Final = "#c2571a"
ENOUGH: Final = f"{FLOOR} games or more"
FEW: Final = f"fewer than {FLOOR}: says little"


alt.utils.schemapi.disable_debug_mode()  # the tests look whether charts are valid, and not each page that shows one

PICK: Final = "pick"
"""What a click on a chart is called: it tells the column `cell` of what was clicked."""


def spec(chart: alt.Chart | alt.LayerChart) -> dict[str, Any]:
    """Give a chart as Vega-Lite has it, with its data."""
    return {name: part for name, part in chart.to_dict(validate=False).items() if name != "config"}


def data(frame: pl.DataFrame) -> alt.InlineData:
    """Give rows as they are: how Altair makes them of a frame is a setting of the process, which others change."""
    return alt.InlineData(values=frame.fill_nan(None).to_dicts())


def rates(frame: pl.DataFrame, title: str, form: str = ".1%") -> alt.LayerChart:
    """Draw values with their intervals, a line a row: columns label, rate, low, high, n, enough, and maybe baseline.

    Hollow grey points rest on too few games; the upright tick is the baseline. `form` is how values are written.
    """
    shown = frame.with_columns(games=pl.when("enough").then(pl.lit(ENOUGH)).otherwise(pl.lit(FEW)))
    share = form.endswith("%")
    told = [name for name in ("high", "baseline") if name in shown.columns]
    top = min(1.0, 1.05 * max([0.1, *[end for name in told for end in shown[name].drop_nulls()]]))
    scale = alt.Scale(domain=[0, top]) if share else alt.Scale(zero=False)
    axis = alt.Axis(format="%") if share else alt.Axis()

    def across(column: str) -> alt.X:
        return alt.X(f"{column}:Q", title=title, axis=axis, scale=scale)

    colour = alt.Color(
        "games:N",
        scale=alt.Scale(domain=[ENOUGH, FEW], range=[ACCENT, GREY]),
        legend=alt.Legend(title=None, orient="bottom", columns=1),
    )
    said = [alt.Tooltip("label:N"), *[alt.Tooltip(f"{name}:Q", format=form) for name in ("rate", "low", "high")]]
    base = alt.Chart(data(shown)).encode(
        y=alt.Y("label:N", sort=None, title=None, axis=alt.Axis(labelLimit=260)), tooltip=[*said, alt.Tooltip("n:Q")]
    )
    points = base.encode(x=across("rate"), color=colour)
    layers = [
        base.mark_rule(strokeWidth=3).encode(x=across("low"), x2="high:Q", color=colour),
        points.transform_filter("datum.enough").mark_point(filled=True, size=110, opacity=1),
        points.transform_filter("!datum.enough").mark_point(size=110, strokeWidth=2),
    ]
    if "baseline" in shown.columns and shown["baseline"].null_count() < shown.height:
        layers.insert(0, base.mark_tick(color=BASELINE, thickness=3, height=22).encode(x=across("baseline")))
    if "cell" in shown.columns:  # unseen, so that a click near a point meets it
        layers.append(base.mark_point(size=900, opacity=0, filled=True).encode(x=across("rate")).add_params(_pick()))
    return alt.LayerChart(layer=layers, height=alt.Step(30))


def counts(frame: pl.DataFrame, value: str, title: str, unit: str = "games") -> alt.Chart:
    """Draw how often each whole number came up: columns `value`, n, and maybe cell. `unit` says what n counts."""
    chart: alt.Chart = (
        alt.Chart(data(frame))
        .mark_bar(color=ACCENT, cornerRadiusEnd=3)
        .encode(
            x=alt.X(f"{value}:O", title=title, axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            y=alt.Y("n:Q", title=unit, axis=alt.Axis(tickMinStep=1)),
            tooltip=[alt.Tooltip(f"{value}:Q", title=title), "n:Q"],
        )
        .properties(height=240)
    )
    return chart.add_params(_pick()) if "cell" in frame.columns else chart


def matrix(frame: pl.DataFrame) -> alt.LayerChart:
    """Draw who finishes ahead of whom: columns player, other, share, low, high, n, enough, cell."""
    base = alt.Chart(data(frame)).encode(
        x=alt.X("other:N", title="ahead of", axis=alt.Axis(orient="top", labelAngle=-40, labelLimit=120)),
        y=alt.Y("player:N", title=None, axis=alt.Axis(labelLimit=160)),
        tooltip=[
            alt.Tooltip("player:N"),
            alt.Tooltip("other:N"),
            *[alt.Tooltip(f"{name}:Q", format=".1%") for name in ("share", "low", "high")],
            alt.Tooltip("n:Q"),
        ],
    )
    scale = alt.Scale(domain=[0, 0.5, 1], range=[BASELINE, "#d9dcd8", ACCENT])
    squares = base.mark_rect().encode(
        color=alt.Color("share:Q", scale=scale, legend=None),
        opacity=alt.condition("datum.enough", alt.value(1), alt.value(0.35)),
    )
    words = base.mark_text(color="#10201a").encode(text=alt.Text("share:Q", format=".0%"))
    return alt.LayerChart(layer=[squares.add_params(_pick()), words], height=alt.Step(34))


def xy(frame: pl.DataFrame, x: str, y: str) -> alt.Chart:
    """Draw two columns of any frame, as points or, where x is no number, as bars."""
    number = frame.schema[x].is_numeric()
    chart = alt.Chart(frame.select(pl.col(x).alias("x"), pl.col(y).alias("y")))
    marked = chart.mark_circle(color=ACCENT, size=60, opacity=0.8) if number else chart.mark_bar(color=ACCENT)
    across = alt.X("x:Q" if number else "x:N", title=x, sort=None)
    drawn: alt.Chart = marked.encode(x=across, y=alt.Y("y:Q", title=y), tooltip=["x", "y"]).properties(height=320)
    return drawn


def _pick() -> alt.Parameter:
    return alt.selection_point(PICK, fields=["cell"])
