"""That the bench of the games measures what it says, for each game. It is not timed."""

from __future__ import annotations

import pytest

from core.registry import OURS
from events.errors import SetupError
from replay import bench_rules


@pytest.mark.parametrize("slug", [kind.slug for kind in OURS])
def test_every_figure_is_a_rate_with_its_spread(slug: str) -> None:
    found = {rate.what: rate for rate in bench_rules.rates(slug, games=2)}
    assert {"random self-play, recorded", "fold", "legal moves", "verify whole, legal and exact"} <= set(found)
    assert all(0 < rate.slowest <= rate.median <= rate.fastest for rate in found.values())


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(SetupError, match="no game"):
        list(bench_rules.rates("chess", games=1))
