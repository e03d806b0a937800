"""The figures of the pages, as Vega-Lite. Every mark reads on light and on dark; colour never says anything alone.

Written down as they are: Altair, which would make the same, takes a hundred times as long for each. It is asked where a
frame may hold anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import polars as pl

from replay.statistics.summaries import FLOOR

if TYPE_CHECKING:
    import altair as alt

Spec: TypeAlias = dict[str, Any]
"""A chart, or a part of one, as Vega-Lite has it."""

ACCENT: Final = "#23916b"
GREY: Final = "#8a8f98"
BASELINE: Final = "#c2571a"
ENOUGH: Final = f"{FLOOR} games or more"
FEW: Final = f"fewer than {FLOOR}: says little"

PICK: Final = "pick"
"""What a click on a chart is called: it tells the column `cell` of what was clicked."""

CLICKED: Final = "clicked"
"""The layer that clicks are about."""

FULL: Final[Spec] = {"type": "point", "filled": True, "size": 110, "opacity": 1}
HOLLOW: Final[Spec] = {"type": "point", "size": 110, "strokeWidth": 2}
INTERVAL: Final[Spec] = {"type": "rule", "strokeWidth": 3}
UNSEEN: Final[Spec] = {"type": "point", "filled": True, "size": 900, "opacity": 0}
"""Over a point, so that a click near it meets it."""

LABELS: Final[Spec] = {"field": "label", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 260}}
"""A line a row, in the order of the rows."""


def chart(frame: pl.DataFrame, **parts: Any) -> Spec:
    """Give a chart of the rows of a frame."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.4.1.json",
        "data": {"name": "rows"},
        "datasets": {"rows": frame.fill_nan(None).to_dicts()},
        **parts,
    }


def layered(frame: pl.DataFrame, step: int, layers: Sequence[Spec]) -> Spec:
    """Give a chart of layers, each line of it `step` high. A click is about the layer that is called so."""
    picked = [_pick(views=[CLICKED])] if any(layer.get("name") == CLICKED for layer in layers) else []
    return chart(frame, height={"step": step}, layer=layers) | ({"params": picked} if picked else {})


def layer(mark: Spec, encoding: Spec, *, only: str | None = None) -> Spec:
    """Give a layer of the rows for which `only` holds."""
    made: Spec = {"mark": mark, "encoding": encoding}
    return made if only is None else {**made, "transform": [{"filter": only}]}


def number(column: str, **more: Any) -> Spec:
    """Give how a number is drawn or told."""
    return {"field": column, "type": "quantitative", **more}


def name(column: str, **more: Any) -> Spec:
    """Give how a name is drawn or told."""
    return {"field": column, "type": "nominal", **more}


def colours(column: str, meaning: Mapping[str, str]) -> Spec:
    """Give the colour of each name in a column, told below the chart."""
    scale = {"domain": [*meaning], "range": [*meaning.values()]}
    return name(column, scale=scale, legend={"title": None, "orient": "bottom", "columns": 1})


def rates(frame: pl.DataFrame, title: str, form: str = ".1%") -> Spec:
    """Draw values with their intervals, a line a row: columns label, rate, low, high, n, enough, and maybe baseline.

    Hollow grey points rest on too few games; the upright tick is the baseline. `form` is how values are written.
    """
    shown = frame.with_columns(games=pl.when("enough").then(pl.lit(ENOUGH)).otherwise(pl.lit(FEW)))
    share = form.endswith("%")
    told = [column for column in ("high", "baseline") if column in shown.columns]
    top = min(1.0, 1.05 * max([0.1, *[end for column in told for end in shown[column].drop_nulls()]]))
    scale = {"domain": [0, top]} if share else {"zero": False}

    def across(column: str) -> Spec:
        return number(column, title=title, axis={"format": "%"} if share else {}, scale=scale)

    said = [name("label"), *[number(column, format=form) for column in ("rate", "low", "high")], number("n")]
    base: Spec = {"y": LABELS, "tooltip": said}
    colour = colours("games", {ENOUGH: ACCENT, FEW: GREY})
    points = {**base, "x": across("rate"), "color": colour}
    layers = [
        layer(INTERVAL, {**base, "x": across("low"), "x2": {"field": "high"}, "color": colour}),
        layer(FULL, points, only="datum.enough"),
        layer(HOLLOW, points, only="!datum.enough"),
    ]
    if "baseline" in shown.columns and shown["baseline"].null_count() < shown.height:
        tick = {"type": "tick", "color": BASELINE, "thickness": 3, "height": 22}
        layers.insert(0, layer(tick, {**base, "x": across("baseline")}))
    if "cell" in shown.columns:
        layers.append({"name": CLICKED, **layer(UNSEEN, {**base, "x": across("rate")})})
    return layered(shown, 30, layers)


def counts(frame: pl.DataFrame, value: str, title: str, unit: str = "games") -> Spec:
    """Draw how often each whole number came up: columns `value`, n, and maybe cell. `unit` says what n counts."""
    drawn = chart(
        frame,
        mark={"type": "bar", "color": ACCENT, "cornerRadiusEnd": 3},
        encoding={
            "x": {"field": value, "type": "ordinal", "title": title, "axis": {"labelAngle": 0, "labelOverlap": True}},
            "y": number("n", title=unit, axis={"tickMinStep": 1}),
            "tooltip": [number(value, title=title), number("n")],
        },
        height=240,
    )
    return {**drawn, "params": [_pick()]} if "cell" in frame.columns else drawn


def matrix(frame: pl.DataFrame) -> Spec:
    """Draw who finishes ahead of whom: columns player, other, share, low, high, n, enough, cell."""
    shares = [number(column, format=".1%") for column in ("share", "low", "high")]
    base: Spec = {
        "x": name("other", title="ahead of", axis={"orient": "top", "labelAngle": -40, "labelLimit": 120}),
        "y": name("player", title=None, axis={"labelLimit": 160}),
        "tooltip": [name("player"), name("other"), *shares, number("n")],
    }
    scale = {"domain": [0, 0.5, 1], "range": [BASELINE, "#d9dcd8", ACCENT]}
    faint = {"condition": {"test": "datum.enough", "value": 1}, "value": 0.35}
    squares = {**base, "color": number("share", scale=scale, legend=None), "opacity": faint}
    words = {**base, "text": number("share", format=".0%")}
    return layered(
        frame,
        34,
        [
            {"name": CLICKED, **layer({"type": "rect"}, squares)},
            layer({"type": "text", "color": "#10201a"}, words),
        ],
    )


def xy(frame: pl.DataFrame, x: str, y: str) -> alt.Chart:
    """Draw two columns of any frame, as points or, where x is no number, as bars."""
    import altair as alt  # a third of a second, and one page alone needs it

    alt.utils.schemapi.disable_debug_mode()
    numeric = frame.schema[x].is_numeric()
    rows = alt.Chart(frame.select(pl.col(x).alias("x"), pl.col(y).alias("y")))
    marked = rows.mark_circle(color=ACCENT, size=60, opacity=0.8) if numeric else rows.mark_bar(color=ACCENT)
    across = alt.X("x:Q" if numeric else "x:N", title=x, sort=None)
    drawn: alt.Chart = marked.encode(x=across, y=alt.Y("y:Q", title=y), tooltip=["x", "y"]).properties(height=320)
    return drawn


def _pick(**more: Any) -> Spec:
    return {"name": PICK, "select": {"type": "point", "fields": ["cell"]}, **more}
