"""Statistics in words, boxes as tables, and the charts' data."""

from __future__ import annotations

import altair as alt
import polars as pl
import pytest

from core.registry import games
from dashboard import answers, charts
from dashboard.boxes import KNOWN, components, provenance_note
from dashboard.figures import cells
from replay.filters import Cell
from replay.games import default_sheet
from replay.statistics import summaries
from tests.toy import HiddenStones


def seats_played(wins: dict[int, int], games: int) -> pl.DataFrame:
    """Results of two-seat games in which seat s wins `wins[s]`, never together."""
    rows = [
        {"seats": 2, "seat": seat, "won": game < won, "winners": 1, "rank": 1 if game < won else 2}
        for seat, won in wins.items()
        for game in range(games)
    ]
    return pl.DataFrame(rows)


def said(wins: dict[int, int], games: int) -> str:
    rates = summaries.win_rates(seats_played(wins, games), "seat")
    return answers.share_of_wins(rates, lambda row: f"seat {row['seat']}")


def test_no_difference_is_no_sign() -> None:
    assert said({0: 52, 1: 48}, 100) == "No sign of it: every interval contains what equal players would get."


def test_what_lies_apart_from_its_share_is_named_with_its_interval() -> None:
    answer = said({0: 80, 1: 20}, 100)
    low, high = (answers.percent(end) for end in summaries.wilson(80.0, 100.0))
    assert answer.startswith("Yes.\n")
    assert f"• seat 0 wins more, 80.0 % ({low} to {high}) where 50.0 % is an equal share." in answer
    assert "• seat 1 wins less, 20.0 %" in answer


def test_few_games_are_not_judged() -> None:
    assert said({0: 29, 1: 0}, 29) == "Too few games to tell: that takes 30 of each, here there are at most 29."
    results = pl.concat([seats_played({0: 15}, 30), seats_played({1: 5}, 5)])
    rates = summaries.win_rates(results, "seat")
    answer = answers.share_of_wins(rates, lambda row: f"seat {row['seat']}")
    assert answer.endswith("\n1 with fewer than 30 games is left out.")


def test_scores_length_and_endings_are_said_in_words() -> None:
    scores = pl.DataFrame({"game": ["g"] * 4, "score": [3, 5, 8, 12]})
    (summary,) = summaries.score_summary(scores, "game").to_dicts()
    assert answers.scores(summary) == (
        "Half of all scores lie between 4.5 and 9, the middle one is 6.5. They go from 3 to 12."
    )
    replays = pl.DataFrame(
        {
            "finished": [True] * 4,
            "seats": [2] * 4,
            "turns": [10, 12, 14, 20],
            "length": [40, 50, 60, 90],
            "ended": ["a_b"] * 3 + ["c"],
        }
    )
    (length,) = summaries.length_summary(replays).to_dicts()
    assert answers.length(length) == (
        "The middle game takes 13 turns and 55 events; the shortest took 10 turns, the longest 20."
    )
    assert answers.endings(summaries.endings(replays)).startswith("Of 4 games, 75.0 % with “a b” (")


def test_the_chart_tells_few_from_enough_by_form_as_well() -> None:
    frame = summaries.win_rates(seats_played({0: 20, 1: 5}, 40), "seat").with_columns(label=pl.lit("x"))
    layers = charts.rates(frame, "share")["layer"]
    points = [layer for layer in layers if layer["mark"]["type"] == "point"]
    assert [(layer["transform"][0]["filter"], layer["mark"].get("filled", False)) for layer in points] == [
        ("datum.enough", True),
        ("!datum.enough", False),
    ]
    assert [layer["mark"]["type"] for layer in layers] == ["tick", "rule", "point", "point"]


def test_an_equal_share_beyond_every_interval_is_on_the_chart() -> None:
    frame = summaries.win_rates(seats_played({0: 4, 1: 2}, 60), "seat").with_columns(label=pl.lit("x"))
    scales = [layer["encoding"]["x"]["scale"]["domain"] for layer in charts.rates(frame, "share")["layer"]]
    assert all(top > 0.5 for _, top in scales)


def test_a_frame_with_cells_can_be_clicked() -> None:
    frame = summaries.win_rates(seats_played({0: 20}, 40), "seat").with_columns(label=pl.lit("x"))
    chart = charts.rates(cells(frame, seat="seat", always=Cell(won=True)), "share")
    assert [param["select"]["fields"] for param in chart["params"]] == [["cell"]]
    assert [row["cell"] for rows in chart["datasets"].values() for row in rows] == ["seat=0&won=True"]


def test_charts_are_valid_and_hold_their_rows() -> None:
    rates = summaries.win_rates(seats_played({0: 20, 1: 5}, 40), "seat")
    rates = rates.with_columns(label=pl.lit("x"), cell=pl.lit("seat=0"))
    pairs = pl.DataFrame({"player": ["a"], "other": ["b"], "share": [0.5], "low": [0.1], "high": [0.9], "n": [3]})
    pairs = pairs.with_columns(enough=False, cell=pl.lit("player=a"))
    counted = pl.DataFrame({"turns": [7, 9], "n": [2, 1], "mean": [1.5, float("nan")], "cell": ["turns=7", "turns=9"]})
    for kind, drawn, frame in (
        (alt.LayerChart, charts.rates(rates, "share"), rates),
        (alt.LayerChart, charts.rates(rates.drop("cell"), "strength", ".1f"), rates.drop("cell")),
        (alt.Chart, charts.counts(counted, "turns", "turns"), counted),
        (alt.LayerChart, charts.matrix(pairs), pairs),
    ):
        kind.validate(drawn)  # raises for what is no Vega-Lite, at which no page looks
        (rows,) = drawn["datasets"].values()
        assert pl.DataFrame(rows).select(frame.columns).to_dicts() == frame.fill_nan(None).to_dicts()


def test_seats_are_tested_in_words() -> None:
    assert "more unequally than chance explains (p < 0.001)" in answers.seat_test(
        summaries.seat_test(seats_played({0: 160, 1: 40}, 200))
    )
    assert "no more unequally" in answers.seat_test(summaries.seat_test(seats_played({0: 101, 1: 99}, 200)))
    assert "too few" in answers.seat_test(summaries.seat_test(seats_played({0: 9, 1: 1}, 10)))


@pytest.mark.parametrize("slug", list(games()))
def test_every_box_is_shown_whole_with_the_source_of_each_figure(slug: str) -> None:
    sheet = default_sheet(games()[slug])
    table = components(sheet)
    assert table.height == len(sheet.components)
    for name, row in zip(sheet.components, table.to_dicts(), strict=True):
        assert row["Component"] == name.replace("_", " ")
        assert row["Known from"] == KNOWN[sheet.provenance[name]]
        assert row["In the box"]
    note = provenance_note(sheet)
    guessed = [name for name in sheet.components if sheet.provenance[name] == "reconstructed"]
    assert (note is None) == (not guessed)
    for name in guessed:
        assert name.replace("_", " ").lower() in (note or "").lower()


def test_a_box_that_is_known_whole_needs_no_note() -> None:
    assert HiddenStones.default_sheet is not None
    assert provenance_note(HiddenStones.default_sheet) is None
