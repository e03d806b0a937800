"""Games on their way into a lake: out of a store, or played by the workers of an executor; and back into a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import polars as pl

from events.errors import SetupError
from replay.errors import StoreDamaged, StoreError
from replay.filters import EVERYTHING, Filter
from replay.jobs.workers import always, spread
from replay.lake.reading import LakeStore
from replay.lake.rows import tapes_of
from replay.lake.segments import Lake, Segment, segment_of
from replay.simulate import Batch, check, chunks, tapes
from replay.storage.checking import Finding
from replay.storage.contract import Added, together
from replay.storage.store import Store
from replay.verify import Summary, parent_of, summary, verify

GAMES: Final = 10_000
"""Games of a segment that a store is exported to: many, since what a question costs is opening files."""

EVENTS: Final = 1_000_000
"""Events of such a segment: it is in memory while it is written, and read as a whole."""

PLAYED: Final = 2_000
"""Games of a segment that a worker plays: what is lost at most when it dies."""


class Exported(Added, frozen=True):
    """What became of the games that were to go into a lake; games at play are left out, since they still change."""

    at_play: int = 0


def export(
    store: Store,
    lake: Lake,
    wanted: Filter = EVERYTHING,
    progress: Callable[[int], None] | None = None,
    games: int = GAMES,
) -> Exported:
    """Write the games of a store that a lake does not have into new segments of it, of at most `games` games.

    Those that it has stay as they are, also if the store has other events under their id. `progress` is called with the
    number of games that are done. Raises `StoreError`, `FormatError`.
    """
    every = store.heads(wanted)
    heads = every.filter(~pl.col("id").is_in(store.at_play()))
    found = heads.join(_heads(lake, heads), on="id", how="left", suffix="_there", maintain_order="left")
    changed = found.filter(pl.col("head") != pl.col("head_there"))["id"].to_list()
    missing = found.filter(pl.col("head_there").is_null())
    done = known = heads.height - missing.height
    for ids in _cut(missing, games):
        rows = store.rows_of(ids)
        if not rows["replay"].is_empty():  # else all of them were removed in the meantime
            lake.write(rows)
        done += len(ids)
        if progress is not None:
            progress(done)
    return Exported(missing.height, known - len(changed), tuple(changed), at_play=every.height - heads.height)


def _heads(lake: Lake, wanted: pl.DataFrame) -> pl.DataFrame:
    """Those of some games that a lake has: id and head."""
    if wanted.is_empty():
        return wanted.select("id", "head")
    low, high = wanted["id"].min(), wanted["id"].max()
    near = lake.around(str(low), str(high))
    return (
        lake.scan("replay", near).select("id", "head").join(wanted.lazy().select("id"), on="id", how="semi").collect()
    )


def _cut(missing: pl.DataFrame, games: int) -> Iterator[list[str]]:
    """Cut games, sorted by game and id, into segments: of one game each, of so many games and `EVENTS` events."""
    ids = list[str]()
    game, events = "", 0
    for id, of, length in missing.select("id", "game", "length").iter_rows():
        if ids and (of != game or len(ids) == games or events >= EVENTS):
            yield ids
            ids, events = [], 0
        ids.append(id)
        game, events = of, events + length
    if ids:
        yield ids


def bring(lake: Lake, store: Store, progress: Callable[[int], None] | None = None) -> tuple[Added, tuple[Finding, ...]]:
    """Store the games of a lake, a segment at a time; give what became of them, and what cannot be read.

    Games that are there already stay. The others keep the order of arrival that they had. `progress` is called with the
    number of games that are done.
    """
    order = _arrivals(lake, store.arrivals())
    added = list[Added]()
    bad = [Finding(None, problem) for problem in lake.broken]
    for segment in lake.segments:
        try:
            rows = lake.rows(segment)
        except StoreDamaged as error:
            bad.append(Finding(None, str(error)))
            continue
        placed = rows["replay"].drop("added").join(order, on="id")
        added.append(store.bring_rows({**rows, "replay": placed}))
        if progress is not None:
            progress(sum(each.tapes for each in added))
    return together(added), tuple(bad)


def _arrivals(lake: Lake, first: int) -> pl.DataFrame:
    """Give the games of a lake numbered from `first` in the order of arrival: id and added."""
    parts = [pl.DataFrame(schema={"id": pl.String(), "added": pl.Int64()})]
    for segment in lake.segments:
        with suppress(StoreDamaged):
            parts.append(lake.read(lake.scan("replay", [segment]).select("id", "added")))
    ordered = pl.concat(parts).sort("added", "id").unique("id", keep="first", maintain_order=True)
    return ordered.select("id", added=pl.int_range(first, first + pl.len(), dtype=pl.Int64()))


def play(
    batch: Batch,
    count: int,
    lake: Lake,
    jobs: int = 1,
    executor: Executor | None = None,
    measured: bool = True,
    progress: Callable[[int], None] | None = None,
    go_on: Callable[[], bool] = always,
    games: int = PLAYED,
) -> Added:
    """Let workers play those of the first `count` games of a batch that a lake does not have.

    Each worker writes what it has played as a segment of `games` games; none of them travels. What one that died was at
    is played again, into the same files. Raises what `check` raises, `StoreError` and `WorkerLost`.
    """
    check(batch)
    gaps = list(_gaps(batch, count, lake))
    pieces = (piece for gap in gaps for piece in chunks(gap.start, gap.stop, games))
    new, known = 0, count - sum(map(len, gaps))
    for segment in spread(partial(_played, batch, lake.root, measured), pieces, jobs, executor, go_on):
        if not lake.has(segment):
            raise StoreError(f"a worker wrote {segment} into {lake.at}, and it is not there: do all machines share it?")
        new += segment.games
        if progress is not None:
            progress(known + new)
    return Added(new, known, ())


def _gaps(batch: Batch, count: int, lake: Lake) -> Iterator[range]:
    """Give the numbers of a batch, below `count`, whose games a lake does not have."""
    low, high = batch.id_of(0), batch.id_of(count - 1)
    there = list[range]()
    for segment in lake.around(low, high):
        first, last = batch.number_of(segment.low), batch.number_of(segment.high)
        if first is not None and last is not None and last - first + 1 == segment.games:
            there.append(range(first, last + 1))
        else:
            ids = lake.read(lake.scan("replay", [segment]).select("id"))["id"]
            single = [batch.number_of(id) for id in ids]
            there += [range(number, number + 1) for number in single if number is not None]
    at = 0
    for numbers in sorted(there, key=lambda numbers: numbers.start):
        if at < min(numbers.start, count):
            yield range(at, min(numbers.start, count))
        at = max(at, numbers.stop)
    if at < count:
        yield range(at, count)


def _played(batch: Batch, at: str, measured: bool, numbers: range) -> Segment:
    """In a worker: play some games of a batch into a segment of the lake at an address, if it is not there."""
    lake = Lake(at)
    ids = [batch.id_of(number) for number in numbers]
    segment = segment_of(batch.game, ids)
    if not lake.has(segment):
        with TemporaryDirectory() as folder:
            store = Store(Path(folder) / "games.duckdb")
            added = store.add(tapes(batch, numbers.start, len(numbers)))
            if added.refused:
                raise SetupError(f"{len(added.refused)} games cannot be stored: {added.refused[0]}")
            if measured:
                store.measure()
            rows = store.rows_of(ids)
        lake.write({**rows, "replay": rows["replay"].with_columns(pl.col("added") + numbers.start)})
    return segment


def judge(lake: Lake, jobs: int = 1, executor: Executor | None = None) -> Iterator[tuple[Summary, str | None]]:
    """Judge the games of a lake; give for each segment what was found, and why it cannot be read, if so."""
    yield from [(summary([]), problem) for problem in lake.broken]
    yield from spread(partial(_judged, lake.root), lake.segments, jobs, executor)


def _judged(at: str, segment: Segment) -> tuple[Summary, str | None]:
    lake = Lake(at)
    try:
        rows = lake.rows(segment)
    except StoreDamaged as error:
        return summary([]), str(error)
    return summary(
        [verify(tape, parent_of(tape, LakeStore(at)) if tape.header.fork else None) for tape in tapes_of(rows)]
    ), None
