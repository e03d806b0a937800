"""The file between processes and threads: leases, what is said when one cannot be had, and what survives."""

from __future__ import annotations

import os
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import duckdb
import msgspec
import pytest

from events.tape import Tape
from replay.errors import StoreBusy, StoreDamaged, StoreError
from replay.storage.database import Database
from replay.storage.gate import Holder
from replay.storage.store import Store
from replay.storage.tables import TABLES, VERSION
from tests.replay.tapes import Elsewhere, id_of

NOTE = "INSERT INTO note(replay, seq, kind, body) VALUES (uuid(), 0, 'test', $body)"

HOLD = """
with Database(path, TABLES, VERSION).{how}() as lease:
    print("held", flush=True)
    sys.stdin.readline()
print("let go", flush=True)
"""


@pytest.fixture
def database(path: Path) -> Database:
    return Database(path, TABLES, VERSION, wait=0.1)


def write_note(database: Database, body: str) -> None:
    with database.writing() as lease:
        lease.run(NOTE, body=body)


def notes(database: Database) -> list[str]:
    with database.reading() as lease:
        return [body for (body,) in lease.rows("SELECT body FROM note ORDER BY body")]


def test_a_write_is_there_for_the_next_lease_and_counted(database: Database) -> None:
    before = database.generation()
    write_note(database, "a")
    assert notes(database) == ["a"]
    assert database.generation() == before + 1


def test_a_block_that_raises_leaves_nothing(database: Database) -> None:
    before = database.generation()

    def stopped() -> None:
        with database.writing() as lease:
            lease.run(NOTE, body="a")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert notes(database) == []
    assert database.generation() == before


def test_a_swallowed_failure_is_not_taken_for_success(database: Database) -> None:
    def careless() -> None:
        with database.writing() as lease:
            lease.run(NOTE, body="a")
            with suppress(duckdb.Error):
                lease.run("SELECT nothing")

    with pytest.raises(StoreError, match="aborted"):
        careless()
    assert notes(database) == []


def test_a_mistake_in_our_sql_stays_one(database: Database) -> None:
    with pytest.raises(duckdb.BinderException), database.reading() as lease:
        lease.rows("SELECT nothing")


def test_a_reader_cannot_write(database: Database) -> None:
    with pytest.raises(duckdb.Error, match="read-only"), database.reading() as lease:
        lease.run("DELETE FROM note")


def test_nothing_is_left_in_the_log_after_a_write(database: Database, path: Path) -> None:
    write_note(database, "a")
    assert not path.with_name(f"{path.name}.wal").exists()


def test_busy_says_who_is_writing_and_since_when(database: Database, elsewhere: Elsewhere) -> None:
    before = database.generation()
    writer = elsewhere(HOLD.format(how="writing"))
    assert writer.said() == "held"
    holder = database.holder()
    assert holder is not None
    assert holder.pid == writer.process.pid
    for ask in (database.generation, lambda: write_note(database, "a")):
        for _ in range(2):  # who gives up does not wipe out who holds
            with pytest.raises(StoreBusy) as busy:
                ask()
            assert f"process {writer.process.pid} (-c) has been writing to it since {holder.since}" in str(busy.value)
            assert "\n" not in str(busy.value)
    writer.ends("\n")
    assert database.holder() is None
    assert database.generation() == before + 1


def test_a_writer_waits_for_readers_and_says_so(database: Database, elsewhere: Elsewhere) -> None:
    reader = elsewhere(HOLD.format(how="reading"))
    assert reader.said() == "held"
    assert notes(database) == []
    with pytest.raises(StoreBusy, match="others are reading it"):
        write_note(database, "a")
    reader.ends("\n")
    write_note(database, "a")
    assert notes(database) == ["a"]


def test_who_waits_is_seen(path: Path) -> None:
    database = Database(path, TABLES, VERSION, wait=60)
    with ThreadPoolExecutor(1) as other:
        with database.reading():
            assert not database.is_wanted()
            writing = other.submit(write_note, database, "a")
            while not database.is_wanted():
                assert not writing.done()
                time.sleep(0.001)
        writing.result()
    assert not database.is_wanted()
    assert notes(database) == ["a"]


def test_a_holder_that_dies_leaves_nothing_locked(database: Database, path: Path, elsewhere: Elsewhere) -> None:
    writer = elsewhere(HOLD.format(how="writing"))
    assert writer.said() == "held"
    writer.kill()
    assert path.with_name(f"{path.name}.lock").read_bytes() != b""
    assert database.holder() is None
    write_note(database, "a")
    assert notes(database) == ["a"]


def test_what_a_dead_holder_left_behind_misleads_nobody(database: Database, path: Path) -> None:
    lock = path.with_name(f"{path.name}.lock")
    for left in (b'{"pid":', msgspec.json.encode(Holder(2**22 + 1, "a long command line " * 10, "long ago"))):
        lock.write_bytes(left)
        assert database.holder() is None
        with database.writing():
            holder = database.holder()
            assert holder is not None
            assert holder.pid == os.getpid()


def test_readers_that_overlap_do_not_starve_a_writer(path: Path, elsewhere: Elsewhere) -> None:
    database = Database(path, TABLES, VERSION, wait=5)
    readers = elsewhere("""
import threading
database = Database(path, TABLES, VERSION)
def read_on():
    while True:
        with database.reading():
            time.sleep(0.05)
for _ in range(3):
    threading.Thread(target=read_on).start()
    time.sleep(0.02)
print("reading", flush=True)
""")
    assert readers.said() == "reading"
    for number in range(5):
        write_note(database, str(number))
    assert notes(database) == ["0", "1", "2", "3", "4"]
    assert readers.process.is_alive()


def test_a_file_that_stays_at_hand_keeps_no_writer_waiting(
    database: Database, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("replay.storage.attachment.LOOKS", 10**9)  # it does not let go by itself
    for number in range(3):
        assert len(notes(database)) == number
        assert database._attachment._stay is not None
        writer = elsewhere(f"""
with Database(path, TABLES, VERSION).writing() as lease:
    lease.run("{NOTE.replace("$body", "'a'")}")
print("written", flush=True)
""")
        assert writer.said() == "written"
    assert notes(database) == ["a", "a", "a"]


def test_a_file_that_is_not_read_any_more_is_let_go(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replay.storage.attachment.LOOKS", 1)
    assert notes(database) == []
    for thread in threading.enumerate():
        if thread.name == "tabletape-watch":
            thread.join(60)
    assert database._attachment._stay is None


def test_a_child_forked_right_after_a_read_can_read(database: Database, elsewhere: Elsewhere) -> None:
    """Whatever thread lets the file go must not have the mutex at that moment: nobody in the child would release it."""
    assert notes(database) == []
    forking = elsewhere("""
import os, signal, threading
database = Database(path, TABLES, VERSION)

def let_go():
    while True:
        database.let_go()

threading.Thread(target=let_go, daemon=True).start()
for _ in range(30):
    with database.reading():
        pass
    child = os.fork()
    if not child:
        signal.alarm(60)
        with database.reading():
            os._exit(0)
    if os.waitpid(child, 0)[1]:
        break
else:
    print("all could", flush=True)
""")
    assert forking.said() == "all could"


def test_another_program_on_the_file_is_named(database: Database, elsewhere: Elsewhere) -> None:
    database.let_go()  # it is no Tabletape, and does not wait
    other = elsewhere("import duckdb\nc = duckdb.connect(path)\nprint('held', flush=True)\nsys.stdin.readline()")
    assert other.said() == "held"
    with pytest.raises(StoreBusy, match=f"process {other.process.pid} has it open, by another program"):
        database.generation()


def test_two_processes_make_one_database(path: Path, elsewhere: Elsewhere) -> None:
    program = "print(Store(path).add(tapes).new)"
    both = [elsewhere(program) for _ in range(2)]
    assert sorted([process.ends() for process in both]) == ["0\n", "12\n"]
    assert Store(path).check() == []


def test_an_older_copy_in_its_place_is_noticed(store: Store, path: Path, tapes: list[Tape], tmp_path: Path) -> None:
    store.add(tapes[:1])
    old = shutil.copy(path, tmp_path / "old")
    store.add(tapes[1:2])
    store.add(tapes[2:3])
    shutil.copy(old, path)
    with pytest.raises(StoreDamaged, match="has lost its last 2 writes"):
        Store(path)
    assert [finding.replay for finding in store.check()] == [None]
    path.with_name(f"{path.name}.acked").unlink()
    assert Store(path).count() == 1


def test_a_dropped_log_is_noticed(path: Path, tapes: list[Tape], elsewhere: Elsewhere) -> None:
    writer = elsewhere("""
import os
store = Store(path)
store.add(tapes[:1])
store._database._attachment._leave = lambda: os.kill(os.getpid(), 9)
store.add(tapes[1:2])
""")
    writer.ends()
    log = path.with_name(f"{path.name}.wal")
    assert log.exists()
    kept = log.read_bytes()
    log.unlink()
    with pytest.raises(StoreDamaged, match="has lost its last 1 writes"):
        Store(path)
    log.write_bytes(kept)
    assert list(Store(path).tapes()) == tapes[:2]


def test_a_database_that_was_deleted_is_begun_anew(path: Path, tapes: list[Tape]) -> None:
    store = Store(path)
    store.add(tapes[:2])
    path.unlink()
    assert Store(path).count() == 0


def test_a_database_that_goes_away_under_a_program_is_said(path: Path, tapes: list[Tape], tmp_path: Path) -> None:
    store = Store(path)
    path.rename(tmp_path / "kept")
    for ask in (store.count, lambda: store.add(tapes[:1]), store.vacuum):
        with pytest.raises(StoreError, match=r"is not there any more$"):
            ask()
    assert not path.exists()
    duckdb.connect(str(path)).close()
    for ask in (store.count, lambda: store.add(tapes[:1]), store.vacuum):
        with pytest.raises(StoreError, match=r"is no store any more: another database was put in its place$"):
            ask()
    (tmp_path / "kept").rename(path)
    assert store.add(tapes[:1]).new == 1


@pytest.mark.parametrize("content", [b"", b"hello", b"x" * 20_000])
def test_a_file_that_is_no_database(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"games\.duckdb is not a database$"):
        Store(path)
    assert path.read_bytes() == content


def test_a_database_of_somebody_else(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE cake(x INTEGER)")
    with pytest.raises(StoreError, match="not one of Tabletape's"):
        Store(path)


def test_a_maker_that_was_stopped_half_way(path: Path) -> None:
    duckdb.connect(str(path)).close()
    assert Store(path).count() == 0


def test_a_store_of_another_version(path: Path) -> None:
    running = Store(path)
    with Database(path, TABLES, VERSION).writing() as lease:
        lease.run("UPDATE meta SET value = '99' WHERE key = 'version'")
    for ask in (lambda: Store(path), running.count, lambda: running.remove(id_of(0)), running.vacuum):
        with pytest.raises(StoreError, match="is a store of version 99"):
            ask()


@pytest.mark.parametrize("name", ["nowhere/games.duckdb", "."])
def test_a_place_where_no_file_can_be(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError) as error:
        Store(tmp_path / name)
    assert "\n" not in str(error.value)


def test_any_name_will_do(tmp_path: Path) -> None:
    path = tmp_path / "o'clock; DROP TABLE replay --.db"
    assert Store(path).count() == 0
    assert path.exists()


def test_damage_is_one_line_and_the_rest_is_read(store: Store, path: Path, tapes: list[Tape]) -> None:
    store.add(tapes)
    whole = path.read_bytes()
    said = list[str]()
    for at in range(5_000, len(whole), 80_000):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            assert list(Store(path).tapes()) == tapes
        except StoreDamaged as error:
            said.append(str(error))
    assert said
    for line in said:
        assert "is damaged: put back a backup, or let `tabletape doctor --repair` save what can be read" in line
        assert "\n" not in line
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StoreDamaged):
        Store(path).count()
    path.write_bytes(whole)
    assert Store(path).check() == []
