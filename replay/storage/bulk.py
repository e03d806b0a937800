"""Whole games in bulk: batches of rows, made ready while the batch before is written, each kept whole or not at all."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Final, NamedTuple

import polars as pl

from events.errors import FormatError
from events.tape import Tape, digest
from replay.storage import projections
from replay.storage.contract import Added
from replay.storage.database import Database, Lease
from replay.storage.reading import AMONG
from replay.storage.rows import Frames, Gathered, check, gathered

ROWS: Final = 122_880
"""Events of a row group of DuckDB."""

MOST: Final = 2 * ROWS
"""Events that a batch has at most."""

FEWEST: Final = ROWS // 16
"""Events that a batch may always have: to write fewer takes hardly less time."""

FIRST: Final = ROWS // 4
"""Events of the first batch: nothing is written while it is made ready, and how long that will take is not known."""

AT_ONCE: Final = 0.2
"""Seconds that a batch is to hold the file for, as long as others want it."""

CALM: Final = 8
"""Batches that nobody waits for, until there is nobody else."""

YIELD: Final = 0.01
"""Seconds between two looks at whether others who waited for a batch have had their turn."""

TURN: Final = 0.0005
"""Seconds of Python that a thread which makes a batch ready takes from the one that writes, as soon as that wants some.

It wants some thirty times a batch, hardly ever for long. Python's own 5 ms would come to as much as its work.
"""


class Pace:
    """How many events the next batch may have: as many as are written at once, or more if nobody waits for the file."""

    def __init__(self) -> None:
        self.events = FIRST
        self._calm = CALM
        """Batches since somebody waited for one."""
        self._each = 0.0
        """Seconds that an event may take. Now and then DuckDB packs what it has, and that is not forgotten at once."""
        self.until = 0.0
        """Up to when the file is left to others, if they want it: by `time.monotonic`."""

    def written(self, events: int, took: float, wanted: bool) -> None:
        """Take into account how long a batch took, in seconds, and whether somebody waited for it."""
        self._calm = 0 if wanted else self._calm + 1
        self.until = time.monotonic() + took if wanted else 0.0
        self._each = max(took / max(events, FEWEST), 0.8 * self._each, 1e-9)
        at_once = int(AT_ONCE / self._each)
        self.events = min(MOST, 2 * self.events if self._calm >= CALM else max(FEWEST, at_once))


def add(database: Database, tapes: Iterable[Tape], most: int, pace: Pace) -> Generator[Added, None, None]:
    """Store whole games, and give what became of each batch once that is safe.

    A batch has at most `most` games, and about as many events as the pace allows: `MOST`, or, as long as others wait
    for the file, down to `FEWEST`, so that nobody waits for long.
    """
    # One batch is written while Python looks at the next: neither polars nor DuckDB holds it up.
    with SHORT_TURNS, ThreadPoolExecutor(1, "tabletape-writer") as writer:
        written: Future[Added] | None = None
        for group in _batches(tapes, most, pace):
            ready = _ready(group)
            if written is not None:
                yield written.result()
            written = writer.submit(_write, database, ready, pace)
        if written is not None:
            yield written.result()


class ShortTurns:
    """Threads of Python take short turns as long as any thread of the process is in here."""

    def __init__(self) -> None:
        self._mutex = Lock()
        self._inside = 0
        self._before = 0.0

    def __enter__(self) -> None:
        with self._mutex:
            if not self._inside:
                self._before = sys.getswitchinterval()
                sys.setswitchinterval(TURN)
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._mutex:
            self._inside -= 1
            if not self._inside:
                sys.setswitchinterval(self._before)


SHORT_TURNS: Final = ShortTurns()


def _batches(tapes: Iterable[Tape], most: int, pace: Pace) -> Iterator[list[Tape]]:
    """Tapes by the `most`, fewer if they would have more events than the pace, and no id twice in one batch.

    A batch that is a little larger than some row groups would cost DuckDB twice the work: it packs what is over, and
    with it what lies next to it, again with the next batch.
    """
    group: dict[str, Tape] = {}
    events = 0
    for tape in tapes:
        full = len(group) >= most or events + len(tape.events) > pace.events
        if group and (full or tape.header.id in group):
            yield list(group.values())
            group, events = {}, 0
        group[tape.header.id] = tape
        events += len(tape.events)
    if group:
        yield list(group.values())


class _Ready(NamedTuple):
    """A batch of tapes, what is to be stored of them, and why others of it cannot be stored."""

    tapes: list[Tape]
    refused: tuple[str, ...]
    rows: Gathered


def _ready(group: Sequence[Tape]) -> _Ready:
    sound = list[Tape]()
    refused = list[str]()
    for tape in group:
        try:
            check(tape)
            sound.append(tape)
        except FormatError as error:
            refused.append(f"replay {tape.header.id[:80]}: {error}")
    return _Ready(sound, tuple(refused), gathered(sound))


def _write(database: Database, ready: _Ready, pace: Pace) -> Added:
    held = dict[str, str]()
    if ready.tapes:
        rows = ready.rows.frames()
        _let_others(database, pace.until)
        with database.holding() as hold:
            began = time.monotonic()
            held = projections.kept(hold, lambda lease: _insert(lease, rows))
            wanted = hold.wanted()
        pace.written(rows[1].height, time.monotonic() - began, wanted)
    there = [tape for tape in ready.tapes if tape.header.id in held]
    changed = [tape.header.id for tape in there if digest(tape.events) != held[tape.header.id]]
    return Added(len(ready.tapes) - len(there), len(there) - len(changed), tuple(changed), ready.refused)


def _let_others(database: Database, until: float) -> None:
    """Leave the file to those who wait for it, up to a moment."""
    while time.monotonic() < until:
        time.sleep(YIELD)
        if not database.is_wanted():
            return


def _insert(lease: Lease, rows: Frames) -> dict[str, str]:
    """Store the rows of those tapes whose id is not there; give the digests of those that are, by id."""
    replay, event, sheet = rows
    known = lease.rows(f"SELECT id::VARCHAR, head FROM replay WHERE id {AMONG}", ids=replay["id"].to_list())
    held = {id: head.hex() for id, head in known}
    if held:
        replay = replay.filter(~pl.col("id").is_in(list(held)))
        event = event.filter(~pl.col("replay").is_in(list(held)))
    if replay.is_empty():
        return held
    with lease.given({"new_replay": replay.with_row_index("place"), "new_event": event, "new_sheet": sheet}):
        lease.run("INSERT INTO sheet BY NAME SELECT * FROM new_sheet WHERE key NOT IN (SELECT key FROM sheet)")
        lease.run("""
            INSERT INTO replay BY NAME
            SELECT * EXCLUDE (place), (SELECT coalesce(max(added) + 1, 0) FROM replay) + place AS added FROM new_replay
        """)
        lease.run("INSERT INTO event BY NAME SELECT * FROM new_event")
        projections.project(
            lease,
            "(SELECT * REPLACE (id::UUID AS id) FROM new_replay)",
            "(SELECT * REPLACE (replay::UUID AS replay) FROM new_event)",
        )
    return held
