"""The statistics and SQL pages in a real browser: filter, down to the step of a replay, download, ask, be refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest
from playwright.sync_api import Page, expect

from events.base import GameEnded
from replay.filters import Cell, Filter
from replay.storage.store import Store
from replay.timeline import Timeline
from tests.browser.pages import GAMES, QUEEN, Tab, click_cell, press, settled

Open = Callable[[str], Page]


@pytest.fixture
def open_page(tab: Tab, service: str) -> Iterator[Open]:
    """Gives a function that opens a page; nothing may be asked of anybody else."""

    def start(path: str) -> Page:
        return settled(tab.open(f"{service}{path}"))

    yield start
    assert [url for url in tab.asked if not url.startswith((service, "blob:", "data:"))] == []


def test_from_a_filter_over_a_mark_to_the_step_of_a_replay(open_page: Open, store: Store) -> None:
    page = open_page(f"/statistics?game={QUEEN}&seats=3&part=events&bot=greedy")
    expect(page.get_by_test_id("stMetricValue").first).to_have_text(str(GAMES[3]))
    canvas = page.locator("[data-testid=stVegaLiteChart] canvas, [data-testid=stVegaLiteChart] svg").first
    expect(canvas).to_be_visible()
    grid = page.locator("canvas[data-testid=data-grid-canvas]").first
    cell = grid.locator("[data-testid=glide-cell-0-3]")
    expect(cell).to_be_attached()
    kind = cell.inner_text().replace(" ", "_")
    click_cell(page, grid, 60, 3)
    expect(page.get_by_text(f"(kind {kind})")).to_be_visible()
    expect(page).to_have_url(re.compile(f"behind=kinds(~|%7E)kind(=|%3D){kind}"))

    wanted = Filter(game=QUEEN, seats=3, bots=("greedy",), cell=Cell(kind=kind))
    (id,) = store.replays(wanted, limit=1)["replay"]
    behind = page.locator("canvas[data-testid=data-grid-canvas]").nth(1)
    expect(behind.locator("[data-testid=glide-cell-1-0]")).to_be_attached()
    click_cell(page, behind, 200, 0)
    expect(page.locator(".number")).to_be_visible()
    kinds = [json.loads(event)["type"] for event in store.read(id).events]
    expect(page).to_have_url(re.compile(f"replay={id}"))
    expect(page.locator(".number")).to_have_value(str(kinds.index(kind)))


def test_a_click_on_a_point_lists_the_games_behind_it(open_page: Open) -> None:
    page = open_page(f"/statistics?game={QUEEN}&seats=2&part=length")
    chart = page.get_by_test_id("stVegaLiteChart").first
    bar = chart.locator("[aria-roledescription=bar]").first
    expect(bar).to_be_visible()
    bar.scroll_into_view_if_needed()
    box = bar.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] - 2)
    expect(page.get_by_text("games behind it (turns")).to_be_visible()
    expect(page).to_have_url(re.compile("behind=length(~|%7E)turns"))


def test_statistics_are_a_plain_count_and_its_figures_are_files(open_page: Open, store: Store, tmp_path: Path) -> None:
    page = open_page(f"/statistics?game={QUEEN}&seats=2")
    games, won, credit = 0, 0, 0.0
    for tape in store.tapes(Filter(game=QUEEN, seats=2, branches=False)):
        games += 1
        end = Timeline(tape).events[-1]
        assert isinstance(end, GameEnded)
        won += end.ranking[0] == (0,)
        credit += 1 / len(end.ranking[0]) if 0 in end.ranking[0] else 0
    assert games >= GAMES[2]
    expect(page.get_by_test_id("stMetricValue").first).to_have_text(str(games))
    grid = page.locator("canvas[data-testid=data-grid-canvas]").first
    row = [grid.locator(f"[data-testid=glide-cell-{column}-0]") for column in range(8)]
    expect(row[0]).to_have_text("seat 0")
    expect(row[5]).to_have_text(str(games))
    expect(row[6]).to_have_text(str(won))
    assert float(row[1].inner_text()) == pytest.approx(credit / games, abs=1e-4)
    expect(page.get_by_role("heading", name="Does a seat win more often than its share?")).to_be_visible()
    expect(page.get_by_test_id("stVegaLiteChart").locator("canvas, svg").first).to_be_visible()

    page.get_by_text("How this is counted, and the figures as a file").click()
    files = {}
    for name in ("CSV", "Parquet", "Vega-Lite"):
        with page.expect_download() as download:
            press(page, name)
        files[name] = tmp_path / download.value.suggested_filename
        download.value.save_as(files[name])
    rows = pl.read_csv(files["CSV"])
    assert rows["n"].to_list() == [games] * 2
    assert pl.read_parquet(files["Parquet"]).columns == rows.columns
    assert "vega-lite" in json.loads(files["Vega-Lite"].read_text())["$schema"]
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as PNG").press("Enter")
    assert download.value.suggested_filename.endswith(".png")


def test_sql_is_asked_and_refused(open_page: Open, store: Store) -> None:
    page = open_page("/sql")
    box = page.get_by_label("One SELECT")
    expect(box).to_be_visible()

    def run(query: str) -> None:
        box.fill(query)
        press(page, "Run")

    generation = store.generation()
    run("DELETE FROM replay")
    expect(page.get_by_text("nothing is ever written")).to_be_visible()
    run(f"SELECT seats, count(*) AS games FROM replays WHERE game = '{QUEEN}' AND seats > 3 GROUP BY ALL ORDER BY ALL")
    expect(page.get_by_text("2 rows.")).to_be_visible()
    expect(page.locator("[data-testid=glide-cell-1-1]").first).to_have_text(str(GAMES[5]))
    run("SELECT * FROM read_text('/etc/passwd')")
    expect(page.get_by_text("reads the recorded games only, and no files")).to_be_visible()
    expect(page.get_by_text("root:")).to_have_count(0)
    assert store.generation() == generation
