"""The store: recorded games in one DuckDB file, which several processes may use at once.

    store = Store("games.duckdb")
    store.add(tapes)                      # whole games, in bulk; those that are there already are left alone
    store.append(id, expected, events)    # a live game, step by step
    store.read(store.find("0192"))        # the tape, exactly as it came
    store.replays(Filter(game="queen-of-the-cupcakes"))

Every call takes the file for as long as it works and lets it go again, or stays ready to read on for as long as nobody
waits. Who appends many small steps uses an `appender`, which keeps the file while nobody else waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final
from uuid import UUID

import polars as pl

from events.tape import Tape
from replay.errors import ProjectionFailed, StoreDamaged
from replay.filters import EVERYTHING, Filter
from replay.notes import Note
from replay.statistics import measuring
from replay.storage import measured, projections, tally_sums
from replay.storage.appending import redo
from replay.storage.bulk import ROWS, Pace
from replay.storage.checking import Finding, counts, lost, streams, whole_store
from replay.storage.contract import Added
from replay.storage.database import Database
from replay.storage.gate import Holder
from replay.storage.measured import Measurements, Share
from replay.storage.projections import PROJECTIONS, Health
from replay.storage.reading import read_all
from replay.storage.rebuilding import Rebuilt, mark_unreadable, rebuild_streams
from replay.storage.store_reading import NEWEST, REPLAYS, Kin, Reading
from replay.storage.store_writing import Writing
from replay.storage.tables import STEPS, TABLES, VERSION

__all__ = [
    "EVERYTHING",
    "NEWEST",
    "REPLAYS",
    "Added",
    "Filter",
    "Finding",
    "Health",
    "Kin",
    "Measurements",
    "Note",
    "Rebuilt",
    "Share",
    "Store",
]

TALLIES: Final = 4 * ROWS
"""Rows of `tally` that are written together, by metric: so a metric is read without a look at the others."""


class Store(Reading, Writing):
    """Recorded games in a file. May be used by several threads."""

    def __init__(self, path: Path | str, wait: float = 10.0) -> None:
        """Open a store; a missing file becomes an empty one. `wait`: seconds to wait while others hold it.

        Raises `StoreError` if it cannot be used, `StoreBusy`, or `StoreDamaged`; so do all methods.
        """
        self._database = Database(path, TABLES, VERSION, wait, STEPS, redo)
        self._pace = Pace()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Let the file go at once, which otherwise is done a moment after it was read last."""
        self._database.let_go()

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._database.path

    def holder(self) -> Holder | None:
        """Give who is writing to the store at this moment, or None."""
        return self._database.holder()

    def longest_wait(self) -> float:
        """Give the seconds of the longest wait for the file so far, the work that was then done not counted."""
        return self._database.longest_wait

    def generation(self) -> int:
        """Give a number that grows with every write: what a cache of answers can be keyed by."""
        return self._database.generation()

    def copy(self, to: Path) -> None:
        """Copy the file, with all in it that was answered; others wait for as long."""
        self._database.copy(to)

    def go_beyond(self, generation: int) -> None:
        """Count on from above a generation: what was known of another store at that one is not what is here."""
        self._database.go_beyond(generation)

    # --- measuring ----------------------------------------------------------------------------------------------------

    def measure(
        self, wanted: Filter = EVERYTHING, jobs: int = 1, progress: Callable[[int], None] | None = None
    ) -> Measurements:
        """Measure the finished games that today's metrics have not looked at, by `jobs` processes.

        A game that cannot be measured is marked and reported, the others go on. Calls `progress` with the number of
        games that it is done with.
        """
        where, values = wanted.where()
        with self._database.reading() as lease:
            ids = measured.unmeasured(lease, where, **values)
        done = 0
        bad = list[Finding]()
        waiting = list[tuple[pl.DataFrame, pl.DataFrame]]()
        for found in measuring.spread(self._readable(ids, bad), jobs):
            waiting.append(found)
            if sum(tally.height for tally, _ in waiting) >= TALLIES:
                bad += self._keep(waiting)
                waiting = []
            done += found[1].height
            if progress is not None:
                progress(done)
        if waiting:
            bad += self._keep(waiting)
        self._add_up()
        return Measurements(done, tuple(bad))

    def _add_up(self) -> None:
        """Make the sums of `tally` anew, if they are none of today: a few metrics at a time: nobody waits for long."""
        parts = list[pl.DataFrame]()
        with self._database.reading() as lease:
            groups = [] if tally_sums.are_fresh(lease) else tally_sums.metrics(lease)
        for metrics in groups:
            with self._database.reading() as lease:
                parts.append(tally_sums.made(lease, metrics))
        if parts:
            with self._database.writing() as lease:
                tally_sums.keep(lease, pl.concat(parts))

    def _readable(self, ids: Sequence[UUID], bad: list[Finding]) -> Iterator[list[Tape]]:
        """Tapes by the chunk; of a damaged file those that can be read, and the others as findings."""
        for at in range(0, len(ids), measuring.CHUNK):
            chunk = ids[at : at + measuring.CHUNK]
            try:
                with self._database.reading() as lease:
                    tapes = read_all(lease, chunk)
            except StoreDamaged as error:
                bad.append(Finding(None, str(error)))
                continue
            yield tapes

    def _keep(self, found: Sequence[tuple[pl.DataFrame, pl.DataFrame]]) -> list[Finding]:
        tally = pl.concat([tally for tally, _ in found])
        marks = pl.concat([marks for _, marks in found])
        with self._database.writing() as lease:
            return measured.keep(lease, tally, marks)

    # --- health -------------------------------------------------------------------------------------------------------

    def check(self) -> list[Finding]:
        """Read everything and give what is wrong: gaps, digests, what streams come to, projections. [] is well."""
        try:
            return list(self._findings())
        except StoreDamaged as error:
            return [Finding(None, str(error))]

    def _findings(self) -> Iterator[Finding]:
        with self._database.reading() as lease:
            found = whole_store(lease)
        yield from found
        for ids in self._ids(EVERYTHING):
            with self._database.reading() as lease:
                found = list(streams(lease, ids))
            yield from found

    def damage(self) -> list[Finding]:
        """Read every event and give what is lost: gaps, and events that are not those that were stored. [] is well.

        Quicker than `check`, which also looks at what is made of them. Raises `StoreDamaged` for what cannot be read.
        """
        with self._database.reading() as lease:
            found = list(counts(lease))
        for ids in self._ids(EVERYTHING):
            with self._database.reading() as lease:
                found += lost(lease, ids)
        return found

    def projections(self) -> list[Health]:
        """Give how each projection is: how far it has come, how many finished games it lacks, and what stopped it."""
        with self._database.reading() as lease:
            return projections.health(lease)

    def rebuild(self, progress: Callable[[int], None] | None = None, jobs: int = 1) -> Rebuilt:
        """Work out anew what streams come to and what is said of their events, the projections, and what is measured.

        Needed after a game was installed that was not there when its replays were added, and after a projection was
        stopped. A stream that is bad is marked and reported, the others go on. Calls `progress` with the number of
        replays that it is done with.
        """
        done = 0
        bad = list[Finding]()
        for ids in self._ids(EVERYTHING):
            bad += self._rebuild_streams(ids)
            done += len(ids)
            if progress is not None:
                progress(done)
        with self._database.writing() as lease:
            measured.forget_all(lease)
        bad += self.measure(jobs=jobs).bad
        for projection in PROJECTIONS:
            try:
                with self._database.holding() as hold:
                    projections.rebuild(hold, projection)
            except ProjectionFailed as error:
                bad.append(Finding(None, str(error)))
        return Rebuilt(done, tuple(bad))

    def _rebuild_streams(self, ids: Sequence[UUID]) -> list[Finding]:
        try:
            with self._database.writing() as lease:
                return rebuild_streams(lease, ids)
        except StoreDamaged as error:
            if len(ids) > 1:  # find out which
                return [finding for id in ids for finding in self._rebuild_streams([id])]
            with self._database.writing() as lease:
                return [mark_unreadable(lease, ids[0], str(error))]
