"""A lake as a store: the questions that a database answers, answered from the files through polars. It is only read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Final, NoReturn
from uuid import UUID

import msgspec
import polars as pl
import structlog

from events.tape import Tape
from replay.errors import StoreDamaged, StoreError
from replay.filters import EVERYTHING, Filter
from replay.lake.rows import KEPT, schema, tapes_of
from replay.lake.segments import FILES, SUMS, Lake, Segment, damaged, is_lake
from replay.storage import tally_sums
from replay.storage.bulk import Pace
from replay.storage.checking import Finding
from replay.storage.database import Database, Lease, blaming_files, in_memory
from replay.storage.gate import Holder
from replay.storage.reading import digits_of, is_id, only, unknown
from replay.storage.rows import unlike
from replay.storage.store import Store
from replay.storage.tables import TABLES

log = structlog.get_logger("tabletape")

READ: Final = 500
"""Replays that are taken out of a segment together."""

ARRIVAL: Final = "added::HUGEINT * 18446744073709551616 + hash(id) AS added"
"""SQL for an order of arrival in which no two games are equal: so that pages of a list never show one game twice."""


def open_store(db: Path | str, wait: float = 10.0) -> Store:
    """Open what games are recorded in: a database file, or a folder that is a lake and has games in it.

    Raises what `Store` raises.
    """
    if not is_lake(db):
        return Store(db, wait)
    store = LakeStore(db)
    store.lake.expect_games()
    return store


class LakeStore(Store):
    """Recorded games in a lake, as it was when this was opened. What would write raises `StoreError`.

    A segment that is damaged or none of Tabletape's is left out, which the log says in a line; the others are read.
    """

    def __init__(self, at: Path | str) -> None:
        """Open a lake; raises `StoreError`."""
        self.lake = Lake(at)
        self._database = _Files(self.lake, self.lake.segments)
        self._pace = Pace()
        for problem in self.lake.broken:
            log.warning("segment_left_out", problem=problem)

    def find(self, prefix: str) -> str:
        """Give the one id that begins with at least four characters; raises `UnknownReplay` for none or several."""
        digits = digits_of(prefix)
        low, high = str(UUID(digits.ljust(32, "0"))), str(UUID(digits.ljust(32, "f")))
        found = self._of("replay", low, high, "id").select("id").unique().sort("id").head(3)
        return only(prefix, self.lake.read(found)["id"].to_list())

    def read(self, id: str) -> Tape:
        """Give a replay exactly as it was added; raises `UnknownReplay`."""
        replay = self.lake.read(self._of("replay", id, id, "id")) if is_id(id) else pl.DataFrame()
        if replay.is_empty():
            raise unknown(id)
        event = self.lake.read(self._of("event", id, id, "replay"))
        boxes = self.lake.scan("sheet", self.lake.around(id, id)).filter(
            pl.col("key").is_in(replay["components"].implode())
        )
        return next(tapes_of({"replay": replay.head(1), "event": event, "sheet": self.lake.read(boxes)}))

    def tapes(self, wanted: Filter = EVERYTHING) -> Iterator[Tape]:
        """Give replays segment by segment, in the order of arrival within each.

        Raises `StoreDamaged` for segments that cannot be read, after those of all others were given.
        """
        failed = list[str]()
        for segment in self._meant(wanted):
            try:
                with _Files(self.lake, [segment]).reading() as lease:
                    where, values = wanted.where()
                    ids = [id for (id,) in lease.rows(f"SELECT id::VARCHAR FROM replay WHERE {where}", **values)]
                yield from self._chosen(segment, ids)
            except StoreDamaged as error:
                failed.append(str(error))
        if failed:
            raise StoreDamaged("; ".join(failed))

    def _meant(self, wanted: Filter) -> list[Segment]:
        games = [each for each in self.lake.segments if wanted.game in (None, each.game)]
        if wanted.ids is None:
            return games
        return [each for each in games if any(each.low <= id <= each.high for id in wanted.ids)]

    def _chosen(self, segment: Segment, ids: Sequence[str]) -> Iterator[Tape]:
        rows = self.lake.rows(segment) if ids else {}
        order = rows["replay"].sort("added", "id")["id"].to_list() if ids else []
        chosen = [id for id in order if id in {*ids}]
        for at in range(0, len(chosen), READ):
            part = pl.Series("id", chosen[at : at + READ]).implode()
            yield from tapes_of(
                {
                    "replay": rows["replay"].filter(pl.col("id").is_in(part)),
                    "event": rows["event"].filter(pl.col("replay").is_in(part)),
                    "sheet": rows["sheet"],
                }
            )

    def ids(self, wanted: Filter = EVERYTHING) -> pl.DataFrame:
        """Give the ids of replays, as column `replay`."""
        return self._frame("SELECT id::VARCHAR AS replay FROM replay WHERE {where}", wanted)

    def check(self) -> list[Finding]:
        """Read everything and give what is wrong: segments that cannot be read, streams that are not their digests."""
        found = [Finding(None, problem) for problem in self.lake.broken]
        there = set[str]()
        for segment in self.lake.segments:
            try:
                rows = self.lake.rows(segment)
            except StoreDamaged as error:
                found.append(Finding(None, str(error)))
                continue
            heads = dict(rows["replay"].select("id", "head").iter_rows())
            for tape in tapes_of(rows):
                if unlike(tape, heads[tape.header.id]):
                    found.append(Finding(tape.header.id, "its events are not those that were recorded"))
                if tape.header.id in there:
                    found.append(Finding(tape.header.id, "it is in more than one segment, and counted twice"))
            there |= heads.keys()
        return found

    def measure(self, *_: object, **__: object) -> NoReturn:
        """Raise `StoreError`: nothing is written into a segment that is there."""
        raise StoreError(_only_read(self.lake.at))

    def lent(self) -> NoReturn:
        """Raise `StoreError`: no other process can be asked about a lake in SQL."""
        raise StoreError(f"{self.lake.at} is a lake: SQL is asked of a database, `tabletape lake import` makes one")

    def _of(self, table: str, low: str, high: str, key: str) -> pl.LazyFrame:
        return self.lake.scan(table, self.lake.around(low, high)).filter(
            pl.col(key).is_between(pl.lit(low), pl.lit(high))
        )


class _Files(Database):
    """Segments of a lake in the place of a database."""

    def __init__(self, lake: Lake, segments: Sequence[Segment]) -> None:
        self.path = Path(lake.at)
        self.wait = 0.0
        self.longest_wait = 0.0
        self._lake = lake
        self._segments = segments

    def let_go(self) -> None:
        """Nothing of a lake stays at hand."""

    @contextmanager
    def reading(self) -> Iterator[Lease]:
        """Let SQL read the files as the tables of a store: by DuckDB, or through polars where they are far away."""
        frames = dict[str, pl.LazyFrame]()

        def rows(name: str, table: str, segments: Sequence[Segment]) -> str:
            if (sql := self._lake.sql(table, segments)) is None:
                frames[name] = self._lake.scan(table, segments)
            return sql or name

        told = {table: rows(f"lake_{table}", table, self._segments) for table in FILES}
        summed, measured = self._lake.having(SUMS, self._segments), self._lake.having("tally", self._segments)
        if summed and len(summed) < len(measured):  # some are of an older version: they are added up here
            old = rows("lake_unsummed", "tally", [each for each in measured if each not in {*summed}])
            added_up = tally_sums.added_up(f"(SELECT {_columns('tally')} FROM {old})")
            told[SUMS] = (
                f"(FROM {told[SUMS]} UNION ALL BY NAME SELECT '{tally_sums.EVER}' AS stamp, * FROM ({added_up}))"
            )
        blamed = partial(damaged, self._lake.at)
        with blaming_files(blamed), in_memory() as lease, lease.given(frames):
            with blaming_files(blamed, columns=True):
                for table in (*KEPT, SUMS):
                    lease.run(f"CREATE TEMP VIEW {table} AS SELECT {_columns(table)} FROM {told[table]}")
            for table in TABLES.keys() - told.keys():
                lease.run(TABLES[table])
            yield lease

    def holding(self) -> NoReturn:
        """Raise `StoreError`."""
        raise StoreError(_only_read(self._lake.at))

    def generation(self) -> int:
        """Give a number that stands for the segments that there are."""
        return int.from_bytes(blake2b(msgspec.json.encode(self._segments), digest_size=7).digest(), "big")

    def holder(self) -> Holder | None:
        """Give None: nobody holds a lake."""
        return None

    def vacuum(self) -> tuple[int, int]:
        """Raise `StoreError`."""
        raise StoreError(_only_read(self._lake.at))


def _table(name: str) -> str:
    return "tally" if name == "unsummed" else name


def _only_read(at: str) -> str:
    return f"{at} is a lake, which is only read: `tabletape lake import {at}` brings its games into a database"


def _columns(table: str) -> str:
    """SQL for the columns of a table as a store has them, from what is read of it."""
    told = [f"{name}::UUID AS {name}" for name in ("id", "replay") if name in schema(table)]
    told += [ARRIVAL] if table == "replay" else []
    return f"* REPLACE ({', '.join(told)})" if told else "*"
