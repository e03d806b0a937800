"""A figure of the statistics page: a question, its answer in words, a chart, the table behind it, and the games behind
each of its marks.

A frame of a figure has a column `cell`: which games a row counts, as text. A click on a mark of the chart, or on a row
of the table, puts it into the address as `behind`, and the games are listed below the figure.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import BytesIO
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

import msgspec
import polars as pl
import streamlit as st

from dashboard import charts
from dashboard.address import notice, plain
from dashboard.listing import table as listed
from dashboard.recordings import Library
from replay.filters import Cell, Filter

BEHIND: Final = "behind"
SHARE: Final = st.column_config.NumberColumn(format="percent")
COLUMNS: Final[dict[str, Any]] = {
    **dict.fromkeys(("rate", "low", "high", "baseline", "share"), SHARE),
    "label": st.column_config.TextColumn(" "),
    "credit": st.column_config.NumberColumn(format="%.1f"),
    **{name: st.column_config.NumberColumn(format="%.2f") for name in ("mean", "sd", "mu", "sigma", "ordinal")},
    "mean_rank": st.column_config.NumberColumn("mean rank", format="%.2f"),
    "turns_mean": st.column_config.NumberColumn("turns: mean", format="%.1f"),
    "length_mean": st.column_config.NumberColumn("events: mean", format="%.1f"),
    **{f"turns_{name}": f"turns: {name}" for name in ("least", "median", "most")},
    **{f"length_{name}": f"events: {name}" for name in ("least", "median", "most")},
}
NUMBERS: Final = dict.fromkeys(("rate", "low", "high", "baseline"), st.column_config.NumberColumn(format="%.2f"))
"""For figures whose values are no shares."""


def text_of(cell: Cell) -> str:
    """Give a cell as text for the address and for charts."""
    return urlencode(msgspec.to_builtins(cell))


def cells(frame: pl.DataFrame, **fields: str | Cell) -> pl.DataFrame:
    """Give a frame with the column `cell`: fields of a cell from columns of the frame, and what all rows share."""
    shared = msgspec.to_builtins(fields.pop("always", Cell()))
    named = [
        msgspec.convert({**shared, **{name: row[str(column)] for name, column in fields.items()}}, Cell)
        for row in frame.iter_rows(named=True)
    ]
    return frame.with_columns(cell=pl.Series([text_of(cell) for cell in named], dtype=pl.String))


class Figures:
    """The figures of a page: what they are of, for the lists of games behind them."""

    def __init__(self, library: Library, wanted: Filter) -> None:
        self._library = library
        self._wanted = wanted
        self._behind = _asked()

    def show(
        self,
        name: str,
        question: str,
        answer: str,
        chart: charts.Spec,
        table: pl.DataFrame,
        definition: str,
        *,
        shares: bool = True,
    ) -> None:
        """Show a figure; `shares` says that its values are rates."""

        def picked(key: str) -> None:
            """Put what was clicked into the address; a second click on it takes it out."""
            selection = st.session_state[key]["selection"]
            found = [point.get("cell") for point in selection.get(charts.PICK, ())]
            found += [table["cell"][row] for row, _ in selection.get("cells", ()) if row < table.height]
            if found and found[0]:
                st.query_params[BEHIND] = f"{name}~{found[0]}"
            else:
                st.query_params.pop(BEHIND, None)

        with st.container(border=True):
            st.subheader(question)
            st.text(answer)
            left, right = st.columns(2)
            drawn, shown = f"chart-{name}", f"table-{name}"
            clickable = "cell" in table.columns
            if clickable:
                left.vega_lite_chart(
                    spec=chart,
                    alt=f"{question} {answer}",
                    key=drawn,
                    on_select=lambda: picked(drawn),
                    selection_mode=charts.PICK,
                )
            else:
                left.vega_lite_chart(spec=chart, alt=f"{question} {answer}", key=drawn)
            right.dataframe(
                table,
                hide_index=True,
                column_config=COLUMNS if shares else {**COLUMNS, **NUMBERS},
                column_order=[column for column in table.columns if column != "cell"],
                alt=f"Table: {question}",
                key=shown,
                on_select=(lambda: picked(shown)) if clickable else "ignore",
                selection_mode="single-cell",
            )
            with st.expander("How this is counted, and the figures as a file"):
                st.markdown(definition)
                downloads(name, table, chart)
            if self._behind is not None and self._behind[0] == name:
                self._games(self._behind[1])

    def _games(self, cell: Cell) -> None:
        """List the games behind a mark."""
        wanted = msgspec.structs.replace(self._wanted, cell=cell)
        total = self._library.count(wanted)
        said = ", ".join(
            [field if value is True else f"{field} {value}" for field, value in msgspec.to_builtins(cell).items()]
        )
        st.text(f"{total:,} games behind it ({said}), the newest first. Choose one to step through it.")
        if total:
            listed(self._library, wanted, total, "behind")
        st.button("Close the list", key="close-behind", on_click=_close)


def _close() -> None:
    st.query_params.pop(BEHIND, None)


def downloads(name: str, table: pl.DataFrame, chart: Mapping[str, Any] | None = None) -> None:
    """Offer a table as CSV and as Parquet, and its chart as what Vega tools make an SVG of."""
    whole = table.drop("cell", strict=False)
    parquet = BytesIO()
    whole.write_parquet(parquet)
    # Made at once, small as they are: one made only when it is asked for is lost if the page is drawn again just then.
    first, second, third, rest = st.columns([2, 2, 2, 5])
    first.download_button(
        "CSV",
        whole.write_csv().encode(),
        f"{name}.csv",
        "text/csv",
        key=f"csv-{name}",
        on_click="ignore",
    )
    second.download_button(
        "Parquet",
        parquet.getvalue(),
        f"{name}.parquet",
        "application/vnd.apache.parquet",
        key=f"parquet-{name}",
        on_click="ignore",
    )
    if chart is not None:
        third.download_button(
            "Vega-Lite",
            json.dumps(chart, indent=2, sort_keys=True),
            f"{name}.vl.json",
            "application/json",
            key=f"vega-{name}",
            on_click="ignore",
        )
    made = "" if chart is None else " An SVG is made from Vega-Lite."
    rest.caption(f"The chart as a picture (PNG): the buttons at its upper right.{made}")


def _asked() -> tuple[str, Cell] | None:
    """The figure and the cell that the address asks for."""
    asked = st.query_params.get(BEHIND)
    if asked is None:
        return None
    name, _, text = asked.partition("~")
    try:
        cell = msgspec.convert(dict(parse_qsl(text, strict_parsing=True)), Cell, strict=False)
    except (ValueError, msgspec.ValidationError):
        cell = Cell()
    if cell == Cell():
        notice(f"The address asks for games behind “{plain(asked[:60])}”, which is no part of a figure.")
        del st.query_params[BEHIND]
        return None
    return name, cell
