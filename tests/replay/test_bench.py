"""That the bench measures what it says: it runs, over little, and loses nothing. It is not timed."""

from __future__ import annotations

import pytest

from replay.bench import storing
from replay.simulate import tapes
from replay.storage import bulk


def test_every_figure_is_there_and_nothing_is_lost_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "FRESH", 1)
    monkeypatch.setattr(storing, "TOGETHER", ("write", "bulk", "query"))
    found = {figure.what: figure.value for figure in storing.figures(events=600, replays=200, seconds=1, kills=1)}
    assert {"ingest from Python streams", "ingest from Parquet", "bytes an event, after vacuum"} <= set(found)
    together = [value for what, value in found.items() if "together" in what]
    assert len(together) == 3
    assert all(" 0 refused" in value for value in together)
    (killed,) = [value for what, value in found.items() if "SIGKILL" in what]
    assert killed.endswith(" 0 lost")
    assert "seed 'bench'" in storing.machine()


def test_a_batch_is_never_larger_than_the_pace_but_for_a_single_game() -> None:
    """A little over a row group, and DuckDB packs it twice."""
    dealt = list(tapes(storing.BATCH, 0, 3))
    sizes = [len(tape.events) for tape in dealt]
    pace = bulk.Pace()
    for allowed, games in ((sum(sizes), [3]), (sum(sizes) - 1, [2, 1]), (1, [1, 1, 1])):
        pace.events = allowed
        assert [len(group) for group in bulk._batches(dealt, 10, pace)] == games
