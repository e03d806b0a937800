"""Reading what can be read of a damaged database file, in a process of its own: DuckDB may not survive it.

The process (`python -m replay.storage.salvage`) copies tables, some thousand rows at a time, into Parquet files, and
says what it is about to read. What cannot be read is cut in half, until so few rows are lost that are read together
anyway. If it dies, the next one passes over what it died of.

What a table says stands in blocks that have checksums, so what can be read is what was written.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from replay.errors import StoreError
from replay.storage.database import Lease, by_itself

ROWS: Final = 122_880
"""Rows that are read together: those of a row group of DuckDB."""

FEWEST: Final = 2048
"""Rows that are not taken apart any more: those that DuckDB packs together."""

WANTED: Final[Mapping[str, str]] = {
    "meta": "key VARCHAR, value VARCHAR",
    "sheet": "key VARCHAR, game VARCHAR, sheet VARCHAR, components VARCHAR",
    "replay": """id UUID, added BIGINT, game VARCHAR, rules INTEGER, shapes INTEGER, sheet VARCHAR, components VARCHAR,
        players VARCHAR[], bots VARCHAR[], provenance VARCHAR, seed VARCHAR, recorded VARCHAR, parent VARCHAR,
        fork_step INTEGER, sealed BOOLEAN, stated_length INTEGER, stated_digest VARCHAR, fault_step INTEGER,
        fault_reason VARCHAR, length INTEGER, head BLOB""",
    "event": "replay UUID, seq INTEGER, kind VARCHAR, body VARCHAR, raw BLOB",
    "note": "replay UUID, seq INTEGER, kind VARCHAR, author VARCHAR, seen_by SMALLINT[], body VARCHAR",
    "live": "replay UUID, facts VARCHAR",
}
"""Tables, and their columns that cannot be made from anything else: stores of every version have these."""

LATE: Final = ("live",)
"""Tables that stores of the first versions do not have."""


def columns(table: str) -> str:
    """Give the names of the columns that are wanted of a table, as SQL."""
    return ", ".join([column.split()[0] for column in WANTED[table].split(",")])


class Piece(Struct, frozen=True):
    """Rows of a table, from a row id to before another; all of them with no end."""

    table: str
    first: int = 0
    last: int | None = None

    def __str__(self) -> str:
        if self.last is None:
            return f"table {self.table}"
        return f"rows {self.first} to {self.last - 1} of table {self.table}"


class Task(Struct, frozen=True):
    """What a process is to do: read a file into a folder, and pass over what others died of."""

    file: str
    folder: str
    deadly: tuple[Piece, ...]


class Told(Struct, frozen=True):
    """What a process says: what it is about to read, or, with a reason, what it could not read."""

    piece: Piece
    reason: str | None = None


class Salvaged(Struct, frozen=True):
    """What was read of a file: its Parquet files by table, what could not be read and why, or that nothing could."""

    files: Mapping[str, Sequence[Path]]
    lost: tuple[Told, ...]
    problem: str | None

    def lacks(self, table: str) -> list[Told]:
        """Give what could not be read of a table."""
        return [told for told in self.lost if told.piece.table == table]


REFUSED: Final = 3
"""The exit code of a process that could not open the file."""

DIED: Final = 4
"""That of one which could not go on after what it read last."""


def salvage(file: Path, folder: Path) -> Salvaged:
    """Read what can be read of a database that nobody uses into a new folder; `file` itself is not changed."""
    folder.mkdir()
    deadly = list[Piece]()
    while True:
        task = msgspec.json.encode(Task(str(file), str(folder), tuple(deadly)))
        command = [sys.executable, "-m", "replay.storage.salvage"]
        process = subprocess.run(command, input=task, capture_output=True, cwd=Path(__file__).parents[2])
        said = process.stdout.replace(str(file).encode(), b"the file")
        told = [msgspec.json.decode(line, type=Told) for line in said.splitlines()]
        if process.returncode in (0, REFUSED) or not told or told[-1].piece in deadly:
            break
        deadly.append(told[-1].piece)
    problem = " ".join(process.stderr.decode(errors="replace").replace(str(file), "the file").split()[-60:])
    return Salvaged(
        {table: sorted(folder.glob(f"{table}-*.parquet")) for table in WANTED},
        tuple(_together([each for each in told if each.reason is not None])),
        None if not process.returncode else problem or f"the process that read it ended with {process.returncode}",
    )


def _together(lost: Sequence[Told]) -> Iterator[Told]:
    """Give what could not be read with neighbours as one, for the first one's reason."""
    waiting: Told | None = None
    for each in lost:
        if waiting is not None and (waiting.piece.table, waiting.piece.last) == (each.piece.table, each.piece.first):
            waiting = Told(Piece(each.piece.table, waiting.piece.first, each.piece.last), waiting.reason)
            continue
        if waiting is not None:
            yield waiting
        waiting = each
    if waiting is not None:
        yield waiting


def main() -> int:
    """Do the task on standard input; say what is done on standard output, and why it cannot be done on the other."""
    task = msgspec.json.decode(sys.stdin.buffer.read(), type=Task)
    opened = False
    try:
        with by_itself(Path(task.file), read_only=True) as lease:
            for told in _read(lease, Path(task.folder), task.deadly):
                opened = True
                sys.stdout.buffer.write(msgspec.json.encode(told) + b"\n")
                sys.stdout.buffer.flush()
    except StoreError as error:
        sys.stderr.write(str(error))
        return DIED if opened else REFUSED
    return 0


def _read(lease: Lease, folder: Path, deadly: Sequence[Piece]) -> Iterator[Told]:
    tables = {name for (name,) in lease.rows("SELECT table_name FROM duckdb_tables() WHERE NOT internal")}
    for table in WANTED:
        if table in LATE and table not in tables:
            continue
        whole = Piece(table)
        yield Told(whole)
        try:
            if whole in deadly:
                raise StoreError("DuckDB did not survive it")
            with lease.unharmed():
                ((rows,),) = lease.rows(f"SELECT coalesce(max(rowid) + 1, 0) FROM {table}")
        except StoreError as error:
            yield Told(whole, str(error))
            continue
        for first in range(0, rows, ROWS):
            yield from _piece(lease, folder, deadly, Piece(table, first, min(first + ROWS, rows)))


def _piece(lease: Lease, folder: Path, deadly: Sequence[Piece], piece: Piece) -> Iterator[Told]:
    assert piece.last is not None
    file = folder / f"{piece.table}-{piece.first:012}-{piece.last:012}.parquet"
    if file.exists():
        return
    yield Told(piece)
    try:
        if piece in deadly:
            raise StoreError("DuckDB did not survive it")
        rows = f"SELECT {columns(piece.table)} FROM {piece.table} WHERE rowid >= $first AND rowid < $last"
        with lease.unharmed():
            found = lease.frame(rows, first=piece.first, last=piece.last)
        found.write_parquet(file.with_suffix(".new"))
        file.with_suffix(".new").rename(file)
    except StoreError as error:
        middle = (piece.first + piece.last) // 2 // FEWEST * FEWEST
        if middle <= piece.first:
            yield Told(piece, str(error))
            return
        for first, last in ((piece.first, middle), (middle, piece.last)):
            yield from _piece(lease, folder, deadly, Piece(piece.table, first, last))


if __name__ == "__main__":
    sys.exit(main())
