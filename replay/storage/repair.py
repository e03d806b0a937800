"""Whole streams out of a damaged store, into a new file; the damaged one and the files beside it stay as they are.

A damaged file is looked at in several ways, until one of them gives everything: as it lies there; without its log; with
the one of its two headers that is sound, which is the state of one checkpoint earlier or of today; with the first
header of an empty database, which says nothing but that it is one. A table is taken from the first way in which the
file opens; if something of it is lost there, from all of them together, so that what was removed may be back.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from uuid import UUID

import msgspec
from msgspec import Struct

from events.errors import TabletapeError
from events.jsonl import Remark, halted
from events.tape import Fault, Tape
from replay.errors import StoreError
from replay.live.tokens import Facts
from replay.storage.appending import Append
from replay.storage.checking import NOT_STORED, Finding
from replay.storage.database import Acknowledged, Lease, by_itself, in_place
from replay.storage.gate import Gate
from replay.storage.journal import lines_of
from replay.storage.reading import AMONG, read_all
from replay.storage.rows import unlike
from replay.storage.salvage import WANTED, Salvaged, columns, salvage
from replay.storage.store import Store
from replay.storage.tables import VERSION
from replay.verify import verify

HEADER: Final = 4096
"""Bytes of each of the three headers of a database file: what it is, and two that say where things lie, in turn."""

READ: Final = 500
"""Streams that are looked at together."""


class Repaired(Struct, frozen=True):
    """What was saved of a damaged store: where, how many games whole, how many up to an event, and what was not."""

    path: str
    whole: int
    halted: int
    lost: tuple[Finding, ...]


def repair(damaged: Path, to: Path, wait: float = 10.0) -> Repaired:
    """Save what can be saved of a damaged store into a new one. Streams of which something is lost are marked.

    Raises `StoreError` if there is no such file, if `to` is there already, or if nothing at all can be read.
    """
    if not damaged.is_file():
        raise StoreError(f"there is no database {damaged}")
    if to.exists():
        raise StoreError(f"{to} is there already: move it away first")
    gate = Gate(damaged, wait)
    try:
        with TemporaryDirectory(prefix=f"{to.name}.", suffix=".new", dir=to.parent) as folder:
            copy = Gate(Path(folder) / "damaged")
            with gate.shared():
                for file, its in [(gate.path, copy.path), *[(gate.side(each), copy.side(each)) for each in BESIDE]]:
                    if file.exists():
                        shutil.copyfile(file, its)
            fresh = Path(folder) / to.name
            repaired = _Repair(gate.path, copy, fresh).done()
            in_place(fresh, to)
            in_place(Gate(fresh).side("acked"), Gate(to).side("acked"))
            return msgspec.structs.replace(repaired, path=str(to))
    except OSError as error:
        raise StoreError(f"nothing can be saved to {to}: {error.strerror or error}") from None


BESIDE: Final = ("wal", "steps", "acked")
"""The files beside a database that belong to what is stored."""


class _Repair:
    """One repair, in a folder of its own."""

    def __init__(self, name: Path, damaged: Gate, fresh: Path) -> None:
        self._name = name
        self._damaged = damaged
        self._store = Store(fresh)
        self._lost = list[Finding]()
        self._whole = 0
        self._halted = 0

    def done(self) -> Repaired:
        """Save what can be saved."""
        ways = list(self._ways())
        if not any(files for way in ways for files in way.files.values()):
            why = ways[0].problem or next((told.reason for told in ways[0].lost), "it has no table of ours")
            raise StoreError(f"nothing of {self._name} can be saved: {why}")
        with by_itself(self._damaged.side("scratch"), read_only=False) as lease:
            best = next((way for way in ways if way.problem is None), ways[0])
            for table in WANTED:
                self._table(lease, table, best, ways)
            self._refuse_newer(lease)
            self._streams(lease)
            self._beside(lease)
            if best.lacks("live") or best.problem:
                self._hide(lease)
            self._writes(lease, opened=ways[0].problem is None)
        self._steps()
        with self._store:
            self._lost += self._store.check()
        return Repaired("", self._whole, self._halted, tuple(self._lost))

    # --- ways to look at the file ------------------------------------------------------------------------------------

    def _ways(self) -> Iterator[Salvaged]:
        """What is read in each way, until one gives everything."""
        for number, prepare in enumerate(self._looks()):
            prepare()
            found = salvage(self._damaged.path, self._damaged.path.with_name(f"way-{number}"))
            yield found
            if not found.lost and found.problem is None:
                return

    def _looks(self) -> Iterator[partial[None]]:
        with self._damaged.path.open("rb") as file:
            first, one, two = (file.read(HEADER) for _ in range(3))
        own = [first + one + two, first + two + two, first + one + one]
        yield partial(self._look, own[0], log=True)
        if self._damaged.side("wal").exists():
            yield partial(self._look, own[0], log=False)
        empty = _empty_header(self._damaged.side("empty"))
        for headers in dict.fromkeys([*own, *[empty + each[HEADER:] for each in own]]):
            if headers != own[0]:
                yield partial(self._look, headers, log=False)

    def _look(self, headers: bytes, log: bool) -> None:
        if not log:
            self._damaged.side("wal").unlink(missing_ok=True)
        with self._damaged.path.open("r+b") as file:
            file.write(headers)

    # --- tables ------------------------------------------------------------------------------------------------------

    def _table(self, lease: Lease, table: str, best: Salvaged, ways: Sequence[Salvaged]) -> None:
        """Put a table together from what was read of it, under the name that it has in a store."""
        self._lost += [Finding(None, f"{told.piece} cannot be read: {told.reason}") for told in best.lacks(table)]
        read = [way for way in (ways if best.lacks(table) or best.problem else [best]) if way.files[table]]
        rows = [
            f"SELECT {columns(table)}, {at} AS way FROM {_parquet(way.files[table])}" for at, way in enumerate(read)
        ]
        lease.run(f"CREATE TABLE read_{table}({WANTED[table]}, way INTEGER)")
        for each in rows:
            lease.run(f"INSERT INTO read_{table} {each}")
        lease.run(f"CREATE TABLE {table} AS SELECT {columns(table)} FROM {_ONCE[table].format(rows=f'read_{table}')}")

    def _streams(self, lease: Lease) -> None:
        """Store the streams, in the order of arrival; each whole, or as far as it goes."""
        for id, events in lease.rows(
            "SELECT replay::VARCHAR, count(*) FROM read_event WHERE replay NOT IN (SELECT id FROM replay) GROUP BY ALL"
        ):
            self._lost.append(
                Finding(id, f"its header is lost; {events} events were read that nothing can be done with")
            )
        for (id,) in lease.rows(
            "SELECT id::VARCHAR FROM replay WHERE components IS NOT NULL AND components NOT IN (SELECT key FROM sheet)"
        ):
            self._lost.append(Finding(id, "its box is lost, so it does not open"))
        ids = [id for (id,) in lease.rows("SELECT id FROM replay ORDER BY added")]
        for at in range(0, len(ids), READ):
            chunk = ids[at : at + READ]
            stated = {
                id: (length, head)
                for id, length, head in lease.rows(
                    f"SELECT id::VARCHAR, length, head FROM replay WHERE id {AMONG}", ids=chunk
                )
            }
            kept = [self._judged(tape, *stated[tape.header.id]) for tape in self._tapes(lease, chunk)]
            added = self._store.add([tape for tape in kept if tape is not None])
            self._lost += [Finding(None, reason) for reason in added.refused]

    def _tapes(self, lease: Lease, ids: Sequence[UUID]) -> list[Tape]:
        try:
            return read_all(lease, ids)
        except (ValueError, msgspec.MsgspecError) as error:
            if len(ids) > 1:  # find out which
                return [tape for id in ids for tape in self._tapes(lease, [id])]
            self._lost.append(Finding(str(ids[0]), f"its header cannot be read: {error}"))
            return []

    def _judged(self, tape: Tape, length: int, head: bytes) -> Tape | None:
        """A tape as it can be kept: whole; up to the first event that is lost or not what was stored; or not at all."""
        id, found = tape.header.id, len(tape.events)
        if found == length and not unlike(tape, head):
            self._whole += 1
            return tape
        if not found:
            self._lost.append(Finding(id, f"none of its {length} events can be read"))
            return None
        self._halted += 1
        unlawful = [failure.step for failure in verify(tape).failures if failure.grade != "whole"]
        if found == length:
            bad, why = min(unlawful, default=0), NOT_STORED
        else:
            bad, why = min([found, *unlawful]), f"event {found} of {length} and those behind it cannot be read"
        self._lost.append(Finding(id, f"{why}; it is believed up to event {bad}"))
        return tape if tape.fault is not None and tape.fault.step <= bad else halted(tape, Fault(bad, why))

    # --- beside the streams ------------------------------------------------------------------------------------------

    def _beside(self, lease: Lease) -> None:
        """Bring notes, and what the referees of live games must not forget, to the streams that are there."""
        lengths = dict(self._store.heads().select("id", "length").iter_rows())
        remarks: dict[str, list[Remark]] = {}
        for id, step, kind, author, seen_by, text in lease.rows(
            "SELECT * REPLACE (replay::VARCHAR AS replay) FROM note"
        ):
            if step < lengths.get(id, 0):
                seen = None if seen_by is None else tuple(seen_by)
                remarks.setdefault(id, []).append(Remark(step, kind, author, seen, text))
            else:
                self._lost.append(Finding(id, f"a note beside step {step}, which is not there"))
        for id, those in remarks.items():
            self._store.bring_notes(id, those)
        for id, facts in lease.rows("SELECT replay::VARCHAR, facts FROM live"):
            if id in lengths:
                self._store.keep_live(id, facts)

    def _hide(self, lease: Lease) -> None:
        """Let live games whose referee's facts are lost stay hidden: nobody has a token for them."""
        rows = lease.rows("""
            SELECT id::VARCHAR, len(players) FROM replay
            WHERE provenance = 'live' AND id NOT IN (SELECT replay FROM live)
        """)
        for id, seats in rows:
            facts = Facts(organiser="", seats=(None,) * seats, spectator="")
            self._store.keep_live(id, msgspec.json.encode(facts).decode())

    def _refuse_newer(self, lease: Lease) -> None:
        """Raise `StoreError` for the store of a newer program: what only that knows of would be lost unsaid."""
        found = dict(lease.rows("SELECT key, value FROM meta"))
        if int(found.get("version", VERSION)) > VERSION:
            raise StoreError(
                f"{self._name} is a store of version {found['version']}, and this program knows {VERSION}: repair it "
                "with the program that wrote it"
            )

    def _writes(self, lease: Lease, opened: bool) -> None:
        """Say whether writes are lost that were acknowledged, and count on from behind the last."""
        found = dict(lease.rows("SELECT key, value FROM meta"))
        there = int(found.get("generation", 0))
        known = None
        with suppress(OSError, msgspec.DecodeError):
            known = msgspec.json.decode(self._damaged.side("acked").read_bytes(), type=Acknowledged)
        steps = self._damaged.side("steps")
        if known is not None and found and known.generation > there:
            self._lost.append(Finding(None, f"its last {known.generation - there} writes are lost"))
        elif not opened and (known is None or not found):
            self._lost.append(Finding(None, "whether its last writes are there cannot be told"))
        if known is not None and known.steps > (steps.stat().st_size if steps.exists() else 0):
            self._lost.append(Finding(None, "steps that were answered last are lost: the journal is gone or cut off"))
        there = max(there, 0 if known is None else known.generation)
        self._store.go_beyond(there)

    def _steps(self) -> None:
        """Append what was answered and not yet put into the database, line by line."""
        steps = self._damaged.side("steps")
        lines = list(lines_of(steps.read_bytes())) if steps.exists() else []
        with self._store.appender() as appender:
            for number, line in enumerate(lines, 1):
                if line is None:
                    self._lost.append(
                        Finding(None, f"the steps in line {number} of the journal are lost: it is damaged")
                    )
                    continue
                for append in msgspec.json.decode(line.partition(b" ")[2], type=list[Append]):
                    try:
                        appender.append(append.id, append.expected, append.events)
                    except TabletapeError as error:
                        self._lost.append(Finding(append.id, f"steps that were answered last are lost: {error}"))


_ONCE: Final[Mapping[str, str]] = {
    "meta": "{rows} QUALIFY row_number() OVER (PARTITION BY key ORDER BY way) = 1",
    "sheet": "{rows} QUALIFY row_number() OVER (PARTITION BY key ORDER BY way) = 1",
    "replay": "{rows} QUALIFY row_number() OVER (PARTITION BY id ORDER BY length DESC, way) = 1",
    "event": """(
        SELECT *, row_number() OVER (PARTITION BY replay ORDER BY seq) - 1 AS place
        FROM (FROM {rows} QUALIFY row_number() OVER (PARTITION BY replay, seq ORDER BY way) = 1)
      ) SEMI JOIN replay ON replay.id = replay AND seq < length AND seq = place ORDER BY replay, seq""",
    "note": "{rows} GROUP BY ALL ORDER BY min(way), min(rowid)",
    "live": "{rows} QUALIFY row_number() OVER (PARTITION BY replay ORDER BY way) = 1",
}
"""SQL for the rows of a table out of those of all ways, each once; of events those up to the first that is missing."""


def _parquet(files: Sequence[Path]) -> str:
    return "read_parquet([" + ", ".join([f"'{str(file).replace(chr(39), 2 * chr(39))}'" for file in files]) + "])"


def _empty_header(path: Path) -> bytes:
    with by_itself(path, read_only=False):
        pass
    with path.open("rb") as file:
        return file.read(HEADER)
