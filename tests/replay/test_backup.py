"""Backups: made while a store is used, put back, and refused if they are not what they should be."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import duckdb
import msgspec
import pytest

from events.tape import Tape
from replay.cli import run
from replay.errors import StoreBusy, StoreDamaged, StoreError
from replay.storage.backup import backup, restore
from replay.storage.database import Database
from replay.storage.store import Store
from replay.storage.tables import TABLES, VERSION
from tests.replay.tapes import Elsewhere, id_of, recorded, stored

APPEND = """
import msgspec
from tests.replay.tapes import id_of
store = Store(path)
with store.appender() as appender:
    for number in range(100, 1000):
        store.begin(msgspec.structs.replace(tapes[2].header, id=id_of(number), length=None, digest=None))
        for at, event in enumerate(tapes[2].events):
            appender.append(id_of(number), at, [event])
            print(number, flush=True)
"""


def test_a_backup_of_a_store_in_use_is_whole_and_needs_no_other_file(
    path: Path, tapes: list[Tape], tmp_path: Path, elsewhere: Elsewhere
) -> None:
    store = stored(path, tapes[:3])
    store.keep_live(id_of(0), "{}")
    writer = elsewhere(APPEND)
    for _ in range(5):
        writer.said()
    folder = tmp_path / "backups"
    folder.mkdir()
    made = backup(Store(path, wait=60), folder / "b.duckdb")
    assert writer.process.is_alive()
    assert [file.name for file in folder.iterdir()] == ["b.duckdb"]
    assert made.bytes == (folder / "b.duckdb").stat().st_size
    copy = Store(folder / "b.duckdb")
    assert copy.check() == []
    assert copy.count() == made.replays >= 4
    assert copy.read(id_of(0)) == tapes[0]
    kept = copy.read(id_of(100)).events
    assert kept
    assert kept == recorded(2).events[: len(kept)]


def test_a_backup_replaces_nothing_unasked(path: Path, tapes: list[Tape], tmp_path: Path) -> None:
    store = stored(path, tapes[:1])
    to = tmp_path / "b.duckdb"
    to.write_bytes(b"mine")
    with pytest.raises(StoreError, match="is there already"):
        backup(store, to)
    assert to.read_bytes() == b"mine"
    assert backup(store, to, force=True).replays == 1
    with pytest.raises(StoreError, match="is a store and no backup"):
        backup(store, path, force=True)
    with pytest.raises(StoreError, match="no backup can be made at"):
        backup(store, tmp_path / "nowhere" / "b.duckdb")
    assert Store(path).check() == []


def test_what_is_damaged_gives_no_backup(path: Path, tapes: list[Tape], tmp_path: Path) -> None:
    store = stored(path, tapes[:2])
    with Database(path, TABLES, VERSION).writing() as lease:
        lease.run("UPDATE event SET kind = 'x' WHERE replay = $id AND seq = 3", id=id_of(1))
    with pytest.raises(StoreDamaged, match=f"games.duckdb is damaged: replay {id_of(1)}: the events do not give"):
        backup(store, tmp_path / "b.duckdb")
    assert not [file for file in tmp_path.iterdir() if file.name.startswith("b.")]


def test_a_backup_is_put_back_and_what_was_there_is_kept(
    path: Path, tapes: list[Tape], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    store = stored(path, tapes[:2])
    to = tmp_path / "b"
    assert run(["backup", str(to), "--db", str(path), "--json"]) == 0
    made = msgspec.json.decode(capfd.readouterr().out)
    assert made == {"path": str(to), "replays": 2, "at_play": 0, "bytes": to.stat().st_size}
    store.add(tapes[2:4])
    store.add(tapes[4:5])
    before = store.generation()
    assert run(["restore", str(to), "--db", str(path)]) == 3
    assert "is there already; --force" in capfd.readouterr().err
    for number in ("1", "2"):
        assert run(["restore", str(to), "--db", str(path), "--force"]) == 0
        assert f"What was there is {path}.old{number} now." in capfd.readouterr().out
    assert list(store.tapes()) == tapes[:2]  # a program that had the store open finds what is there now
    assert store.generation() > before
    assert store.add(tapes[2:3]).new == 1
    assert store.check() == []
    assert list(Store(path.with_name(f"{path.name}.old1")).tapes()) == tapes[:5]
    assert run(["restore", str(to), "--db", str(tmp_path / "new.duckdb")]) == 0
    assert list(Store(tmp_path / "new.duckdb").tapes()) == tapes[:2]


def test_a_damaged_store_gives_way_to_a_backup_and_is_kept_as_it_was(
    path: Path, tapes: list[Tape], tmp_path: Path
) -> None:
    store = stored(path, tapes[:2])
    backup(store, tmp_path / "b")
    path.write_bytes(path.read_bytes()[:20_000])
    for ending in ("wal", "steps"):
        path.with_name(f"{path.name}.{ending}").write_bytes(b"rubbish")
    restored = restore(tmp_path / "b", path, force=True)
    assert list(Store(path).tapes()) == tapes[:2]
    assert Store(path).check() == []
    kept = Path(str(restored.kept))
    assert kept.stat().st_size == 20_000
    assert {kept.with_name(f"{kept.name}.{ending}").read_bytes() for ending in ("wal", "steps")} == {b"rubbish"}


def test_what_is_no_backup_is_refused_in_one_line(path: Path, tapes: list[Tape], tmp_path: Path) -> None:
    store = stored(path, tapes[:1])
    newer, rubbish, cut, opened, empty = (tmp_path / name for name in ("newer", "rubbish", "cut", "opened", "empty"))
    duckdb.connect(str(empty)).close()
    backup(store, newer)
    shutil.copy(newer, opened)
    (tmp_path / "opened.steps").write_bytes(b"left behind")
    with Database(newer, TABLES, VERSION).writing() as lease:
        lease.run("UPDATE meta SET value = '99' WHERE key = 'version'")
    rubbish.write_bytes(b"rubbish")
    cut.write_bytes(path.read_bytes()[:-300_000])
    for file, words in (
        (newer, "newer is a store of version 99"),
        (rubbish, "rubbish is not a database"),
        (cut, "is damaged"),
        (empty, "empty is an empty database and no store"),
        (opened, r"is no backup: opened\.steps belongs to it"),
        (tmp_path / "nothing", "there is no file"),
    ):
        with pytest.raises(StoreError, match=words) as error:
            restore(file, path, force=True)
        assert "\n" not in str(error.value)
        assert ".new" not in str(error.value)
    assert list(store.tapes()) == tapes[:1]


# --- where nothing can be written ------------------------------------------------------------------------------------


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk that can be made read-only, by `freeze`."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(folder)], capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def freeze(disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)


@pytest.mark.parametrize("alone", [False, True])
def test_a_store_on_a_read_only_disk_is_read(disk: Path, tapes: list[Tape], alone: bool) -> None:
    path = disk / "games.duckdb"
    Store(path).add(tapes[:2])
    if alone:
        for file in disk.glob("games.duckdb.*"):
            file.unlink()
    freeze(disk)
    store = Store(path)
    assert list(store.tapes()) == tapes[:2]
    assert store.check() == []
    for ask in (lambda: store.add(tapes[2:3]), store.vacuum):
        with pytest.raises(
            StoreError, match=r"nothing can be written to .*games\.duckdb .*read-only file system"
        ) as error:
            ask()
        assert "\n" not in str(error.value)
    with pytest.raises(StoreError, match=r"no database can be made at .*read-only"):
        Store(disk / "other.duckdb")
    assert restore(path, disk.parent / "copy").replays == 2


def test_what_was_left_behind_on_a_read_only_disk_is_not_passed_over(
    disk: Path, tapes: list[Tape], tmp_path: Path
) -> None:
    path = disk / "games.duckdb"
    Store(path).add(tapes[:2])
    path.with_name("games.duckdb.steps").write_bytes(b"something that was answered")
    freeze(disk)
    with pytest.raises(StoreError, match="copy it, with the files beside it, to where that can be done"):
        Store(path).count()


def test_who_may_only_read_heeds_who_writes(path: Path, tapes: list[Tape], monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(path, wait=0.1)
    store.add(tapes[:2])

    def refuse(file: Path, flags: int, *mode: int) -> int:
        if flags & os.O_RDWR:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return real(file, flags, *mode)

    real = os.open
    with Database(path, TABLES, VERSION).writing(), monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        with pytest.raises(StoreBusy, match=f"process {os.getpid()} "):
            store.count()
    monkeypatch.setattr(os, "open", refuse)
    assert store.count() == 2
    with pytest.raises(StoreError, match="nothing can be written to"):
        store.add(tapes[2:3])


def test_a_backup_that_somebody_looked_at_is_replaced_all_the_same(tapes: list[Tape], path: Path) -> None:
    store = stored(path, tapes[:1])
    to = path.with_name("nightly.backup")
    backup(store, to)
    assert Store(to).count() == 1
    store.add(tapes[1:3])
    assert backup(store, to, force=True).replays == 3
    to.unlink()
    assert backup(store, to).replays == 3


def test_no_backup_takes_the_place_of_a_store_that_was_kept(tapes: list[Tape], path: Path) -> None:
    store = stored(path, tapes[:3])
    to = path.with_name("games.backup")
    backup(store, to)
    kept = restore(to, path, force=True).kept
    assert kept is not None
    with pytest.raises(StoreError, match="is a store and no backup"):
        backup(Store(path), Path(kept), force=True)
    assert Store(kept).count() == 3


def test_a_folder_is_no_place_for_a_store(tapes: list[Tape], path: Path, tmp_path: Path) -> None:
    store = stored(path, tapes[:1])
    backup(store, path.with_name("games.backup"))
    (tmp_path / "folder").mkdir()
    with pytest.raises(StoreError, match="is a folder"):
        restore(path.with_name("games.backup"), tmp_path / "folder", force=True)
    assert not list(tmp_path.glob("folder.*"))
