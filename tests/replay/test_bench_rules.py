"""That the benches of the games and of the statistics measure what they say. They are not timed."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.registry import OURS
from events.errors import SetupError
from replay.bench import rules, statistics
from replay.simulate import Batch, tapes
from replay.storage.store import Store


@pytest.mark.parametrize("slug", [kind.slug for kind in OURS])
def test_every_figure_is_a_rate_with_its_spread(slug: str) -> None:
    found = {rate.what: rate for rate in rules.rates(slug, games=2)}
    assert {"random self-play, recorded", "fold", "legal moves", "verify whole, legal and exact"} <= set(found)
    assert all(0 < rate.slowest <= rate.median <= rate.fastest for rate in found.values())


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(SetupError, match="no game"):
        list(rules.rates("chess", games=1))


def test_every_standard_statistic_of_a_database_is_asked(tmp_path: Path) -> None:
    store = Store(tmp_path / "games.duckdb")
    store.add(tapes(Batch(game="picnic-palace", seats=2, seed="b", bots=("random", "random")), 0, 3))
    store.measure()
    found = {figure.what: figure.value for figure in statistics.figures(store, "picnic-palace")}
    assert found["finished games"] == "3, of which 3 are measured"
    assert {"win rates by seat", "ratings", "metric choices", "most memory of this process"} <= set(found)
