"""A store as one file that needs no other beside it: made while others use the store, looked at, and put back."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec import Struct

from replay.errors import StoreDamaged, StoreError
from replay.storage.database import Acknowledged, by_itself, in_place
from replay.storage.gate import Gate
from replay.storage.store import Store


class Backup(Struct, frozen=True):
    """A backup that was made: where, how many games are in it, how many of them at play, and its bytes."""

    path: str
    replays: int
    at_play: int
    bytes: int


class Restored(Struct, frozen=True):
    """A backup that was put back: where, how many games are in it, and where the store lies that was there before."""

    path: str
    replays: int
    kept: str | None


def backup(store: Store, to: Path, force: bool = False) -> Backup:
    """Copy a store that others may be using into one file; they wait for as long as the copying takes.

    The copy has its name only when it was read whole and is sound. Raises `StoreError` if a file is there already and
    is not to be replaced (`force`) or is a store in use, `StoreDamaged`, `StoreBusy`.
    """
    _refuse(to, force)
    with _aside(to, f"no backup can be made at {to}") as fresh:
        store.copy(fresh)
        with _sound(fresh, store.path) as copy:
            made = Backup(str(to), copy.count(), len(copy.at_play()), fresh.stat().st_size)
        _refuse(to, force)
        in_place(fresh, to)
    return made


def restore(backup: Path, to: Path, force: bool = False, wait: float = 10.0) -> Restored:
    """Put a backup where a store is to be. A store that is there is replaced if that is wanted (`force`), and kept.

    One of an older version of the tables is taken to today's; the backup stays as it is. Raises `StoreError` if there
    is no backup or a store in its way, `StoreDamaged`, `StoreBusy`.
    """
    _refuse_store(backup)
    if to.is_dir():
        raise StoreError(f"{to} is a folder and no database")
    way = f"{to} is there already; --force puts the backup in its place, and keeps what is there"
    if to.exists() and not force:
        raise StoreError(way)
    gate = Gate(to, wait)
    with _aside(gate.path, f"{backup} cannot be put at {to}") as fresh:
        shutil.copyfile(backup, fresh)
        if _empty(fresh):
            raise StoreError(f"{backup} is an empty database and no store")
        copy = _sound(fresh, backup)
        replays = copy.count()
        with gate.alone():
            if to.exists() and not force:
                raise StoreError(way)
            copy.go_beyond(_acknowledged(gate))
            kept = _kept(gate)
            in_place(fresh, gate.path)
            in_place(Gate(fresh).side("acked"), gate.side("acked"))
    return Restored(str(to), replays, None if kept is None else str(kept))


@contextmanager
def _aside(path: Path, cannot: str) -> Iterator[Path]:
    """Give a file of the same name in a folder beside, which goes with all that is in it."""
    try:
        with TemporaryDirectory(prefix=f"{path.name}.", suffix=".new", dir=path.parent) as folder:
            yield Path(folder) / path.name
    except OSError as error:
        raise StoreError(f"{cannot}: {error.strerror or error}") from None


def _sound(fresh: Path, source: Path) -> Store:
    """Open a copy and read it whole; raises what is wrong, under the name of what it is a copy of."""
    try:
        store = Store(fresh)
        if damage := store.damage():
            more = "" if len(damage) == 1 else f" (and {len(damage) - 1} more)"
            raise StoreDamaged(
                f"{source} is damaged: {damage[0]}{more}; `tabletape doctor --repair` saves what can be read"
            )
    except StoreError as error:
        raise type(error)(str(error).replace(str(fresh.resolve()), str(source))) from None
    return store


def _empty(fresh: Path) -> bool:
    """Say whether a database has no table: opening it as a store would make one of it."""
    try:
        with by_itself(fresh, read_only=True) as lease:
            return not lease.rows("SELECT 1 FROM duckdb_tables() WHERE database_name = current_database()")
    except StoreError:
        return False  # opening it says what it is


def _refuse(to: Path, force: bool) -> None:
    if _has_beside(to, "wal", "steps", "acked"):  # a lock alone is left by whoever has looked at a backup
        raise StoreError(f"{to} is a store and no backup: give another name")
    if to.exists() and not force:
        raise StoreError(f"{to} is there already; --force replaces it")


def _refuse_store(backup: Path) -> None:
    if not backup.is_file():
        raise StoreError(f"there is no file {backup}")
    if side := _has_beside(backup, "wal", "steps"):
        raise StoreError(
            f"{backup} is no backup: {side} belongs to it; `tabletape backup --db {backup} FILE` makes one"
        )


def _has_beside(path: Path, *endings: str) -> str | None:
    """Give the name of a file beside a database that says something about what is in it, if one of these is there."""
    for ending in endings:
        side = Gate(path).side(ending)
        if side.exists() and side.stat().st_size:
            return side.name
    return None


def _acknowledged(gate: Gate) -> int:
    """The generation that writers of the store that is there were told of last."""
    with suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode(gate.side("acked").read_bytes(), type=Acknowledged).generation
    return 0


def _kept(gate: Gate) -> Path | None:
    """Give the store that is there another name too, with the files beside it, and take those away from here."""
    names = (gate.path.with_name(f"{gate.path.name}.old{number}") for number in count(1))
    old = Gate(next(name for name in names if not name.exists()))
    there = gate.path.exists()
    for file, other in [
        (gate.path, old.path),
        *[(gate.side(each), old.side(each)) for each in ("wal", "steps", "acked")],
    ]:
        if there and file.exists():
            _linked(file, other)
    for ending in ("wal", "steps"):  # who is stopped behind this leaves a store whose `.acked` says what it lacks
        gate.side(ending).unlink(missing_ok=True)
    return old.path if there else None


def _linked(file: Path, other: Path) -> None:
    try:
        os.link(file, other)
    except OSError:  # where files have one name each
        shutil.copy2(file, other)
