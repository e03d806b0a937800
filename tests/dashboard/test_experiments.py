"""The page about experiments: what it says, and where it leads, without a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import altair as alt
import pytest
from streamlit.testing.v1 import AppTest

from dashboard import charts
from dashboard.address import plain
from replay import experiments
from replay.filters import Cell
from replay.storage.store import Filter, Store

APP = Path(__file__).parents[2] / "dashboard" / "app.py"
QUEEN = "queen-of-the-cupcakes"
HOSTILE = "![x](http:)"
TEXT = f"""
name = "bins"
question = "What do {HOSTILE} do?"
game = "{QUEEN}"
games = 30
[[variants]]
name = "five"
[[variants]]
name = "{HOSTILE}"
sheet.bin_capacity = 8
"""

Open = Callable[..., AppTest]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with an experiment, and a note that is none."""
    path = tmp_path_factory.mktemp("experiments") / "games.duckdb"
    store = Store(path)
    experiments.run(store, TEXT.encode())
    store.add_note(store.replays()["replay"][0], 0, f"name = '{HOSTILE}'", experiments.KIND)
    return path


@pytest.fixture
def page(file: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Gives a function that opens the page with a query."""
    monkeypatch.setenv("TABLETAPE_DB", str(file))

    def start(**query: str) -> AppTest:
        at = AppTest.from_file(str(APP), default_timeout=60)
        at.switch_page("screens/experiments.py")
        for name, value in query.items():
            at.query_params[name] = value
        at.run()
        assert not at.exception
        return at

    return start


def said(at: AppTest) -> str:
    return "\n".join([str(each.value) for each in [*at.text, *at.info, *at.subheader, *at.markdown]])


def test_what_differs_is_said_drawn_and_listed(page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    layered = charts.layered

    def valid(*parts: Any) -> charts.Spec:
        made = layered(*parts)
        alt.LayerChart.validate(made)  # raises for what is no Vega-Lite
        return made

    monkeypatch.setattr(charts, "layered", valid)
    at = page()
    assert "30 games of each variant" in said(at)
    assert "Games are " in said(at)
    assert "How many turns does a game take, and what does" in said(at)
    assert len(at.get("vega_lite_chart")) > 1
    rows = at.dataframe[-1].value.to_dict("records")
    (turns,) = [row for row in rows if row["question"] == "How many turns does a game take?"]
    assert turns["verdict"] == "differs"
    assert turns["difference"] == pytest.approx(turns["variant"] - turns["baseline"])
    assert "cannot be read" in said(at), "a note that is no experiment is told"


def test_one_question_is_asked_for_in_the_address(page: Open) -> None:
    at = page(question="wins")
    assert [each.value for each in at.subheader][1:-1] == [
        f"How often does a seat win, and what does “{plain(HOSTILE)}” change?"
    ]
    assert {row["label"] for row in at.dataframe[0].value.to_dict("records")} == {"seat 0", "seat 1"}
    assert "which is not there" in said(page(question="luck"))


def test_the_games_behind_a_variant_are_a_click_away(page: Open, file: Path) -> None:
    links = [link.proto for link in page(question="wins").get("page_link")]
    assert len([link for link in links if "statistics" in link.page]) == 2
    assert len([link for link in links if "statistics" not in link.page]) == 2
    at = page(question="endings", behind="endings~ended=bin_full")
    wanted = Filter(game=QUEEN, tags=(f"bins/{HOSTILE}",), cell=Cell(ended="bin_full"))
    assert f"{Store(file).count(wanted)} games behind it (ended bin_full)" in said(at)


def test_an_empty_database_says_how_experiments_get_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLETAPE_DB", str(tmp_path / "none.duckdb"))
    at = AppTest.from_file(str(APP), default_timeout=60)
    at.switch_page("screens/experiments.py").run()
    assert not at.exception
    assert "No experiment is kept" in said(at)
    assert any("tabletape experiment" in each.value for each in at.code)
