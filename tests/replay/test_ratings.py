"""Ratings from who finished ahead of whom, and the matrix of who beats whom."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest

from events.tape import Tape
from replay.filters import Filter
from replay.simulate import Batch, simulate
from replay.statistics.ratings import head_to_head, ratings
from replay.storage.store import Store
from replay.timeline import Timeline
from tests.replay.tapes import QUEEN

Row = tuple[list[str], list[int], list[int]]


def rated(*rows: Row) -> dict[str, dict[str, float]]:
    frame = pl.DataFrame(rows, schema=["players", "ranks", "sides"], orient="row")
    return {row["player"]: row for row in ratings(frame).to_dicts()}


def test_who_wins_rises_and_becomes_surer() -> None:
    found = rated(*[(["Ada", "Bo", "Cy"], [1, 2, 3], [0, 1, 2])] * 40)
    assert found["Ada"]["mu"] > found["Bo"]["mu"] > found["Cy"]["mu"]
    assert found["Ada"]["sigma"] < 25 / 3
    assert found["Ada"]["low"] < found["Ada"]["mu"] < found["Ada"]["high"]
    assert found["Ada"]["ordinal"] == pytest.approx(found["Ada"]["mu"] - 3 * found["Ada"]["sigma"])
    assert (found["Ada"]["n"], found["Ada"]["enough"]) == (40, True)


def test_equals_stay_equal() -> None:
    found = rated(*[(["Ada", "Bo"], [1, 1], [0, 1])] * 10)
    assert found["Ada"]["mu"] == pytest.approx(found["Bo"]["mu"])


def test_partners_rise_together_and_a_name_at_two_sides_says_nothing() -> None:
    found = rated((["Ada", "Bo", "Cy", "Di"], [1, 2, 1, 2], [0, 1, 0, 1]), (["Ed", "Ed"], [1, 2], [0, 1]))
    assert found["Ada"]["mu"] == pytest.approx(found["Cy"]["mu"])
    assert found["Ada"]["mu"] > found["Bo"]["mu"] == pytest.approx(found["Di"]["mu"])
    assert "Ed" not in found
    assert rated() == {}


def test_head_to_head_is_a_plain_count_over_the_streams(store: Store) -> None:
    batch = Batch(game=QUEEN, seats=4, seed="h", bots=("greedy", "random", "random", "random"), options=b"{}")
    teams = Batch(game=QUEEN, seats=4, seed="t", bots=batch.bots, options=b'{"teams":true}')
    tapes = [*simulate(batch, 30), *simulate(teams, 10)]
    store.add(tapes)
    n, ahead, level = (Counter[tuple[str, str]]() for _ in range(3))
    for tape in tapes:
        ranks, partners = ranks_of(tape), b'"teams":true' in tape.events[0]
        names = [player.name for player in tape.header.players]
        for a, b in [(a, b) for a in range(4) for b in range(4) if a != b]:
            if partners and a % 2 == b % 2:
                continue
            n[names[a], names[b]] += 1
            ahead[names[a], names[b]] += ranks[a] < ranks[b]
            level[names[a], names[b]] += ranks[a] == ranks[b]
    found = head_to_head(store.pair_table(Filter(game=QUEEN)))
    assert {(row["player"], row["other"]): (row["n"], row["ahead"], row["level"]) for row in found.to_dicts()} == {
        pair: (n[pair], ahead[pair], level[pair]) for pair in n
    }
    assert {len(set(sides)) for sides in store.meetings()["sides"]} == {2, 4}


def ranks_of(tape: Tape) -> list[int]:
    outcome = Timeline(tape).game.outcome(Timeline(tape).states[-1])
    assert outcome is not None
    return [next(at for at, group in enumerate(outcome.ranking) if seat in group) for seat in range(4)]
