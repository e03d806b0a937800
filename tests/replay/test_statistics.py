"""Statistics are tested against a plain count over the games, and against the examples of their definitions."""

from collections import Counter
from statistics import mean, stdev

import msgspec
import polars as pl
import pytest

from events.tape import Tape
from replay.simulate import Batch, simulate
from replay.statistics.summaries import (
    FLOOR,
    endings,
    length_counts,
    length_summary,
    score_counts,
    score_summary,
    wilson,
    win_rates,
)


def rows_of(tapes: list[Tape]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Give the two frames that the store gives, made here by hand from the last event of each game."""
    seats, games = [], []
    for tape in tapes:
        end = msgspec.json.decode(tape.events[-1])
        turns = sum(event.startswith(b'{"type":"turn_started"') for event in tape.events)
        games.append(
            {
                "seats": len(tape.header.players),
                "turns": turns,
                "length": len(tape.events),
                "finished": True,
                "ended": end["reason"],
            }
        )
        for seat, player in enumerate(tape.header.players):
            rank = next(place for place, group in enumerate(end["ranking"], 1) if seat in group)
            seats.append(
                {
                    "seat": seat,
                    "player": player.name,
                    "bot": player.bot,
                    "seats": len(tape.header.players),
                    "won": rank == 1,
                    "winners": len(end["ranking"][0]),
                    "rank": rank,
                    "score": end["scores"][seat],
                }
            )
    return pl.DataFrame(seats), pl.DataFrame(games)


@pytest.fixture(scope="module")
def tapes() -> list[Tape]:
    line_ups = (("random", "greedy"), ("random", "random", "greedy"))
    return [
        tape
        for bots in line_ups
        for tape in simulate(Batch(game="queen-of-the-cupcakes", seats=len(bots), seed="stats", bots=bots), 150)
    ]


def test_win_rates_equal_a_plain_count_with_shared_wins_split(tapes: list[Tape]) -> None:
    results, _ = rows_of(tapes)
    counted: dict[tuple[int, str], list[float]] = {}
    sole, shared = Counter[tuple[int, str]](), Counter[tuple[int, str]]()
    for tape in tapes:
        best = msgspec.json.decode(tape.events[-1])["ranking"][0]
        for seat, player in enumerate(tape.header.players):
            key = (len(tape.header.players), player.name)
            counted.setdefault(key, []).append(1 / len(best) if seat in best else 0.0)
            sole[key] += best == [seat]
            shared[key] += seat in best and len(best) > 1
    rates = win_rates(results, ["seats", "player"])
    assert [(row["seats"], row["player"]) for row in rates.iter_rows(named=True)] == sorted(counted)
    assert sum(shared.values()) > 0, "the sample must hold ties"
    for row in rates.iter_rows(named=True):
        key = (row["seats"], row["player"])
        assert (row["n"], row["wins"], row["shared"]) == (len(counted[key]), sole[key], shared[key])
        assert row["rate"] == pytest.approx(mean(counted[key]))
        assert row["baseline"] == pytest.approx(1 / row["seats"])
        assert row["low"] < row["rate"] < row["high"]
        assert row["enough"] is (row["n"] >= FLOOR)


def test_the_credits_of_every_game_add_up_to_one(tapes: list[Tape]) -> None:
    results, games = rows_of(tapes)
    assert win_rates(results, "seats")["credit"].sum() == pytest.approx(games.height)


def test_scores_and_lengths_equal_a_plain_count(tapes: list[Tape]) -> None:
    results, games = rows_of(tapes)
    for row in score_summary(results, ["seats", "seat"]).iter_rows(named=True):
        scores = [
            msgspec.json.decode(tape.events[-1])["scores"][row["seat"]]
            for tape in tapes
            if len(tape.header.players) == row["seats"]
        ]
        assert (row["n"], row["least"], row["most"]) == (len(scores), min(scores), max(scores))
        assert (row["mean"], row["sd"]) == (pytest.approx(mean(scores)), pytest.approx(stdev(scores)))
    assert score_counts(results)["n"].sum() == results.height
    for row in length_summary(games).iter_rows(named=True):
        lengths = [len(tape.events) for tape in tapes if len(tape.header.players) == row["seats"]]
        assert (row["n"], row["length_least"], row["length_most"]) == (len(lengths), min(lengths), max(lengths))
        assert row["length_mean"] == pytest.approx(mean(lengths))
    assert length_counts(games)["n"].sum() == len(tapes)
    reasons = Counter((len(t.header.players), msgspec.json.decode(t.events[-1])["reason"]) for t in tapes)
    assert {(row["seats"], row["ended"]): row["n"] for row in endings(games).iter_rows(named=True)} == dict(reasons)


def test_unfinished_games_do_not_count_as_lengths_or_endings() -> None:
    games = pl.DataFrame(
        {"seats": [2, 2], "turns": [10, 3], "length": [50, 9], "finished": [True, False], "ended": ["bin_full", None]}
    )
    assert length_summary(games)["n"].to_list() == [1]
    assert endings(games)["games"].to_list() == [1]


def test_the_worked_example_of_the_win_rate() -> None:
    won = [True] * 9 + [False]
    winners = [1] * 7 + [2, 2] + [1]
    results = pl.DataFrame(
        {"seat": [0] * 10, "seats": [2] * 10, "won": won, "winners": winners, "rank": [1] * 9 + [2], "score": [0] * 10}
    )
    (row,) = win_rates(results, "seat").to_dicts()
    assert (row["n"], row["wins"], row["shared"], row["credit"], row["rate"]) == (10, 7, 2, 8.0, 0.8)
    assert (round(row["low"], 3), round(row["high"], 3), row["baseline"]) == (0.490, 0.943, 0.5)
    assert row["enough"] is False


def test_the_worked_example_of_the_scores() -> None:
    (row,) = score_summary(pl.DataFrame({"seat": [0] * 4, "score": [3, 5, 8, 12]}), "seat").to_dicts()
    assert (row["mean"], round(row["sd"], 2), row["lower"], row["median"], row["upper"]) == (7.0, 3.92, 4.5, 6.5, 9.0)


@pytest.mark.parametrize(("wins", "n"), [(0.0, 5.0), (5.0, 5.0), (1.5, 40.0)])
def test_wilson_ends_solve_its_equation(wins: float, n: float) -> None:
    """The ends are where (p - q)² = z² q (1 - q) / n, the definition of the score interval."""
    for end in wilson(wins, n):
        assert (wins / n - end) ** 2 == pytest.approx(1.959963984540054**2 * end * (1 - end) / n, abs=1e-12)


def test_an_empty_database_gives_empty_tables() -> None:
    schema = {"seat": pl.Int64, "seats": pl.Int64, "won": pl.Boolean, "winners": pl.Int64, "rank": pl.Int64}
    assert win_rates(pl.DataFrame(schema=schema), "seat").is_empty()
