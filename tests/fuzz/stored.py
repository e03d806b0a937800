"""Harnesses of what is stored: the journal beside a database, the files of a lake, a folder of Parquet files."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import polars as pl
from msgspec.structs import replace

from events.tape import Tape
from replay.errors import StoreDamaged
from replay.lake.reading import LakeStore
from replay.lake.rows import KEPT
from replay.lake.segments import Lake
from replay.storage.appending import Append
from replay.storage.journal import Journal
from replay.storage.store import Store
from replay.timeline import Timeline
from tests.fuzz.harness import Feed, Harness, is_a_line, ours
from tests.fuzz.seeds import goldens

BEGUN = 12
"""Events of the stream that the journal goes on with."""


def _stream() -> Tape:
    tape = goldens()[0]
    return Tape(replace(tape.header, length=None, digest=None), tape.events[:BEGUN])


# --- the journal -----------------------------------------------------------------------------------------------------


@contextmanager
def _journal() -> Iterator[Feed]:
    with TemporaryDirectory() as folder:
        sound, used = Path(folder) / "sound", Path(folder) / "used"
        sound.mkdir()
        store = Store(sound / "games.duckdb")
        store.add([_stream(), goldens()[1]])
        owner = _owner(sound)

        def feed(text: bytes) -> None:
            shutil.rmtree(used, ignore_errors=True)
            shutil.copytree(sound, used)
            journal = used / "games.duckdb.steps"
            if text.startswith(b"["):  # what only says the wrong thing: its sums are right
                with journal.open("wb+") as file:
                    for line in text.splitlines():
                        Journal(file.fileno(), owner).add(line)
            else:
                journal.write_bytes(text.replace(b"OWNER", owner.encode()))
            _taken_in(used / "games.duckdb", journal)

        yield feed


def _taken_in(path: Path, journal: Path) -> None:
    """Open a database with its journal: it is put in whole, or refused in a line and left alone."""
    before = journal.read_bytes()
    begun = _stream()
    try:
        tape = Store(path).read(begun.header.id)
    except StoreDamaged as error:
        is_a_line(str(error))
        assert journal.read_bytes() == before
        journal.unlink()
        assert Store(path).read(begun.header.id) == begun
    else:
        assert tape.events[:BEGUN] == begun.events
        assert journal.read_bytes() == b""
    assert Store(path).check() == []


def _owner(folder: Path) -> str:
    owner: str = msgspec.json.decode((folder / "games.duckdb.acked").read_bytes())["store"]
    return owner


def _journal_seeds() -> Sequence[bytes]:
    tape = goldens()[0]
    id, rest = tape.header.id, tape.events[BEGUN:]
    lines = [msgspec.json.encode([Append(id, BEGUN + at, (event,))]) for at, event in enumerate(rest[:3])]
    several = msgspec.json.encode([Append(id, BEGUN, rest[:2]), Append(id, BEGUN + 2, rest[2:4])])
    with TemporaryDirectory() as folder, (Path(folder) / "steps").open("wb+") as file:
        for line in lines:
            Journal(file.fileno(), "OWNER").add(line)
        raw = os.pread(file.fileno(), 1 << 20, 0)
    return [b"\n".join(lines), several, raw, raw]


# --- a lake, and a folder of Parquet files ---------------------------------------------------------------------------


def _filled(folder: Path) -> Store:
    store = Store(folder / "games.duckdb")
    store.add(goldens()[:2])
    store.measure()
    store.tag(goldens()[0].header.id, "club")
    return store


def _damage(text: bytes, files: Mapping[str, Path]) -> None:
    """Put other bytes in place of a table's file; or other values in place of some, with `SET column row json`."""
    name, _, damage = text.partition(b"\n")
    file = files.get(name.decode(errors="replace"), files["event"])
    if not damage.startswith(b"SET "):
        file.write_bytes(damage)
        return
    frame = pl.read_parquet(file)
    for line in damage.splitlines():
        _, column, row, value = (*line.decode(errors="replace").split(" ", 3), "", "", "")[:4]
        try:
            values = frame[column].to_list()
            values[int(row)] = json.loads(value)
            frame = frame.with_columns(pl.Series(column, values, dtype=frame.schema[column], strict=False))
        except (ValueError, LookupError, TypeError, RecursionError, OverflowError, pl.exceptions.PolarsError):
            frame = frame.drop(column, strict=False)
    frame.write_parquet(file)


def _damages(files: Mapping[str, Path]) -> list[bytes]:
    """Give each file as it is, and a line for each of its columns, which the mutations then change."""
    whole = [name.encode() + b"\n" + file.read_bytes() for name, file in files.items()]
    frames = [(name, pl.read_parquet(file)) for name, file in files.items()]
    values = [
        f"{name}\nSET {column} 0 {json.dumps(frame[column].to_list()[0], default=str)}".encode()
        for name, frame in frames
        for column in frame.columns
        if frame.height
    ]
    return [*whole, *values]


def _files(folder: Path) -> dict[str, Path]:
    """Give a file of each table of a lake."""
    found = {table: sorted((folder / table).rglob("*.parquet")) for table in KEPT}
    return {table: files[0] for table, files in found.items() if files}


@contextmanager
def _lake() -> Iterator[Feed]:
    with TemporaryDirectory() as folder:
        sound, used = Path(folder) / "sound", Path(folder) / "used"
        store = _filled(Path(folder))
        for tape in goldens()[:2]:
            Lake(sound).write(store.rows_of([tape.header.id]))

        def feed(text: bytes) -> None:
            shutil.rmtree(used, ignore_errors=True)
            shutil.copytree(sound, used)
            _damage(text, _files(used))
            _looked_over(used)

        yield feed


def _looked_over(folder: Path) -> None:
    lake = LakeStore(folder)
    for finding in lake.check():
        is_a_line(finding.problem)
    for ask in (lake.replays, lake.seat_results, lake.kind_counts, lambda: list(lake.tapes())):
        with ours():
            ask()
    for tape in goldens()[:2]:
        with ours():
            lake.read(tape.header.id)


def _lake_seeds() -> Sequence[bytes]:
    with TemporaryDirectory() as folder:
        at = Path(folder) / "lake"
        Lake(at).write(_filled(Path(folder)).rows_of([goldens()[0].header.id]))
        return _damages(_files(at))


@contextmanager
def _parquet() -> Iterator[Feed]:
    with TemporaryDirectory() as folder:
        sound, used = Path(folder) / "sound", Path(folder) / "used"
        _filled(Path(folder)).export_parquet(sound)
        mine = goldens()[0]
        target = Store(Path(folder) / "target.duckdb")
        target.add([mine])

        def feed(text: bytes) -> None:
            shutil.rmtree(used, ignore_errors=True)
            shutil.copytree(sound, used)
            _damage(text, {file.stem: file for file in used.glob("*.parquet")})
            with ours():
                target.bring(used)
            for finding in target.check():
                is_a_line(finding.problem)
            for id in target.replays()["replay"].to_list():
                with ours():
                    Timeline(target.read(id))
                if id != mine.header.id:
                    target.remove(id)
            assert target.read(mine.header.id) == mine

        yield feed


def _parquet_seeds() -> Sequence[bytes]:
    with TemporaryDirectory() as folder:
        _filled(Path(folder)).export_parquet(Path(folder) / "out")
        return _damages({file.stem: file for file in sorted((Path(folder) / "out").glob("*.parquet"))})


HARNESSES = (
    Harness("journal", _journal, _journal_seeds, (b'"any"', b'"new"', b"OWNER", b"00000000"), 4),
    Harness("lake", _lake, _lake_seeds, (b"PAR1", b"game", b"event", b"null", b'"\\u0000"')),
    Harness("parquet", _parquet, _parquet_seeds, (b"PAR1", b"replay", b"event", b"null", b'"\\u0000"')),
)
