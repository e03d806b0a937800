"""That the bench measures what it says: it runs, over little, and loses nothing. It is not timed."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from events.tape import Tape
from replay import simulate
from replay.bench import storing
from replay.storage import bulk
from replay.storage.database import Database
from replay.storage.store import Store


def test_every_figure_is_there_and_nothing_is_lost_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "FRESH", 1)
    monkeypatch.setattr(storing, "TOGETHER", ("write", "bulk", "query"))
    found = {figure.what: figure.value for figure in storing.figures(events=300, replays=80, seconds=0.5, kills=1)}
    assert {"ingest from Python streams", "ingest from Parquet", "bytes an event, after vacuum"} <= set(found)
    together = [value for what, value in found.items() if "together" in what]
    assert len(together) == 3
    assert all(" 0 refused" in value for value in together)
    (killed,) = [value for what, value in found.items() if "SIGKILL" in what]
    assert killed.endswith(" 0 lost")
    assert "seed 'bench'" in storing.machine()


def test_a_batch_is_never_larger_than_the_pace_but_for_a_single_game() -> None:
    """A little over a row group, and DuckDB packs it twice."""
    dealt = list(simulate.tapes(storing.BATCH, 0, 3))
    sizes = [len(tape.events) for tape in dealt]
    pace = bulk.Pace()
    for allowed, games in ((sum(sizes), [3]), (sum(sizes) - 1, [2, 1]), (1, [1, 1, 1])):
        pace.events = allowed
        assert [len(group) for group in bulk._batches(dealt, 10, pace)] == games


def test_those_who_waited_for_a_batch_come_before_the_next(
    path: Path, tapes: list[Tape], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(path)
    looks = [True, True, False]
    monkeypatch.setattr(Database, "is_wanted", lambda database: looks.pop(0))
    store._pace.until = time.monotonic() + 3600
    assert store.add(tapes[:2]).new == 2
    assert looks == []
    store._pace.until = 0
    assert store.add(tapes[:2]).known == 2


def test_a_batch_is_as_large_as_is_written_at_once_as_long_as_others_wait() -> None:
    pace = bulk.Pace()
    for took, wanted in ((1.0, True), (0.1, True), (0.1, False)):  # a slow one is not forgotten at once
        pace.written(40_000, took, wanted)
        assert bulk.FEWEST <= pace.events <= 40_000 * bulk.AT_ONCE / 0.64
    for _ in range(20):
        pace.written(40_000, 0.1, True)
    assert pace.events == int(40_000 * bulk.AT_ONCE / 0.1)
    pace.written(0, 30.0, True)  # also one without events
    assert pace.events == bulk.FEWEST
    for _ in range(bulk.CALM + 10):
        pace.written(pace.events, 5.0, False)
    assert pace.events == bulk.MOST
