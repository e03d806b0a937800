"""Many small appends: put together, safe when they are answered, and never in the way of others for long."""

from __future__ import annotations

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from events.errors import FormatError
from events.tape import Tape
from replay.errors import Conflict, StoreBusy, StoreDamaged, StoreError, UnknownReplay
from replay.storage.appender import Appender
from replay.storage.appending import Append, Ends
from replay.storage.database import Database
from replay.storage.store import Store
from replay.storage.tables import TABLES, VERSION
from tests.replay.tapes import Elsewhere, id_of, recorded


def begin(store: Store, tapes: list[Tape]) -> None:
    for tape in tapes:
        store.begin(tape.header)


def play(appender: Appender, tape: Tape, by: int) -> None:
    for at in range(0, len(tape.events), by):
        wanted = min(at + by, len(tape.events))
        assert appender.append(tape.header.id, at, tape.events[at : at + by]) == wanted


def test_games_of_many_threads_are_the_games(store: Store, tapes: list[Tape]) -> None:
    begin(store, tapes)
    with store.appender() as appender, ThreadPoolExecutor(6) as pool:
        for played in [pool.submit(play, appender, tape, 1 + at % 5) for at, tape in enumerate(tapes)]:
            played.result()
    assert list(store.tapes()) == tapes
    assert store.check() == []
    assert store.seat_results().height == sum(len(tape.header.players) for tape in tapes)


def test_an_append_is_there_for_others_when_it_is_answered(
    store: Store, tapes: list[Tape], elsewhere: Elsewhere
) -> None:
    begin(store, tapes[:1])
    reader = elsewhere("""
store = Store(path)
for line in sys.stdin:
    print(len(store.read(tapes[0].header.id).events), flush=True)
""")
    with store.appender() as appender:
        for length in range(1, 8):
            appender.append(id_of(0), length - 1, tapes[0].events[length - 1 : length])
            reader.stdin.write("\n")
            reader.stdin.flush()
            assert reader.said() == str(length)
            assert len(store.read(id_of(0)).events) == length


def test_each_append_has_its_own_answer(store: Store, tapes: list[Tape]) -> None:
    begin(store, tapes[:1])
    events = tapes[0].events
    with store.appender() as appender:
        assert appender.append(id_of(0), "new", events[:5]) == 5
        with pytest.raises(Conflict):
            appender.append(id_of(0), 7, events[7:9])
        with pytest.raises(FormatError):
            appender.append(id_of(0), 5, [b"{"])
        with pytest.raises(UnknownReplay):
            appender.append(id_of(9), 0, events[:1])
        assert appender.append(id_of(0), 5, events[5:8]) == 8
        assert appender.append(id_of(0), 5, events[5:8]) == 8
    with pytest.raises(StoreError, match="closed"):
        appender.append(id_of(0), 8, events[8:9])
    assert store.read(id_of(0)).events == events[:8]
    assert store.check() == []


def test_what_comes_together_is_written_together(store: Store, path: Path, tapes: list[Tape]) -> None:
    begin(store, tapes)
    before = store.generation()
    with store.appender() as appender, ThreadPoolExecutor(12) as pool:
        with Database(path, TABLES, VERSION).reading():  # a writer has to wait
            waiting = [pool.submit(appender.append, tape.header.id, 0, tape.events[:9]) for tape in tapes]
            assert not any(each.done() for each in waiting)
        assert [each.result() for each in waiting] == [9] * 12
    assert store.generation() - before <= 3
    assert [tape.events for tape in store.tapes()] == [tape.events[:9] for tape in tapes]


def test_appends_to_one_stream_within_one_transaction(path: Path, store: Store, tapes: list[Tape]) -> None:
    begin(store, tapes[:2])
    events = tapes[0].events
    appends = [Append(id_of(0), at, events[at : at + 4]) for at in range(0, len(events), 4)]
    again = [Append(id_of(0), 8, events[8:16]), Append(id_of(0), 3, events[4:5]), Append(id_of(1), 0, tapes[1].events)]
    with Database(path, TABLES, VERSION).holding() as hold:
        ends = Ends(hold)
        answers = ends.take([*appends, *again])
        ends.settle()
    assert answers[: len(appends)] == [min(at + 4, len(events)) for at in range(0, len(events), 4)]
    assert answers[len(appends)] == len(events)
    assert isinstance(answers[-2], Conflict)
    assert list(store.tapes()) == tapes[:2]
    assert store.check() == []


READER = """
with Database(path, TABLES, VERSION).reading():
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_a_store_that_is_busy_is_said_and_the_next_append_served(
    path: Path, store: Store, tapes: list[Tape], elsewhere: Elsewhere
) -> None:
    begin(store, tapes[:1])
    holder = elsewhere(READER)
    assert holder.said() == "held"
    with Store(path, wait=0.1).appender() as appender:
        with pytest.raises(StoreBusy):
            appender.append(id_of(0), 0, tapes[0].events[:3])
        holder.ends("\n")
        assert appender.append(id_of(0), 0, tapes[0].events[:3]) == 3


def test_a_log_that_cannot_be_written_leaves_nobody_waiting(
    path: Path, store: Store, tapes: list[Tape], elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(store, tapes[:1])
    holder = elsewhere(READER)
    assert holder.said() == "held"

    class Broken:
        def warning(self, *_: object, **__: object) -> None:
            raise OSError("the log is gone")

    monkeypatch.setattr("replay.storage.appender.log", Broken())
    monkeypatch.setattr(threading, "excepthook", lambda found: None)
    with Store(path, wait=0.1).appender() as appender:
        with pytest.raises(StoreBusy):
            appender.append(id_of(0), 0, tapes[0].events[:3])
        holder.ends("\n")
        with pytest.raises((StoreError, OSError), match=r"closed|the log is gone"):
            appender.append(id_of(0), 0, tapes[0].events[:3])


def test_a_mistake_of_ours_leaves_nobody_waiting(
    store: Store, tapes: list[Tape], monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(store, tapes[:1])
    seen = list[BaseException | None]()
    monkeypatch.setattr(threading, "excepthook", lambda found: seen.append(found.exc_value))

    def wrong(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Ends, "take", wrong)
    with store.appender() as appender:
        with pytest.raises(ZeroDivisionError):
            appender.append(id_of(0), 0, tapes[0].events[:1])
        with pytest.raises(StoreError, match="closed"):
            appender.append(id_of(0), 0, tapes[0].events[:1])
    assert [type(error) for error in seen] == [ZeroDivisionError]
    assert store.read(id_of(0)).events == ()


def test_nothing_that_was_answered_is_lost_to_a_kill(path: Path, store: Store, elsewhere: Elsewhere) -> None:
    chance = random.Random(11)
    for round_ in range(2):
        writer = elsewhere(f"""
import msgspec
from events.tape import Tape
from tests.replay.tapes import id_of
store = Store(path)
with store.appender() as appender:
    for number in range(100):
        id = id_of(1000 * {round_ + 1} + number)
        store.begin(msgspec.structs.replace(tapes[2].header, id=id))
        for at, event in enumerate(tapes[2].events):
            print(id, appender.append(id, at, [event]), flush=True)
""")
        acknowledged = dict[str, int]()
        for _ in range(chance.randrange(20, 120)):
            id, answer = writer.said().split()
            acknowledged[id] = int(answer)
        writer.kill()
        for id, length in acknowledged.items():
            stored = store.read(id).events
            assert len(stored) >= length
            assert stored == recorded(2).events[: len(stored)]
        assert store.check() == []


@pytest.fixture
def left_behind(path: Path, store: Store, tapes: list[Tape], elsewhere: Elsewhere) -> Path:
    """The journal of a process that was killed after it had answered twenty steps, and before it put them in."""
    begin(store, tapes[:1])
    writer = elsewhere("""
import os
from replay.storage.appending import Ends
Ends.settle = lambda self: os.kill(os.getpid(), 9)
with Store(path).appender() as appender:
    for at in range(20):
        print(appender.append(tapes[0].header.id, at, tapes[0].events[at : at + 1]), flush=True)
""")
    assert writer.ends().split()[-1] == "20"
    return path.with_name(f"{path.name}.steps")


def test_what_was_answered_and_not_put_in_is_put_in_by_whoever_comes_next(
    left_behind: Path, path: Path, tapes: list[Tape]
) -> None:
    lines = left_behind.read_bytes()
    assert lines.count(b"\n") == 20
    left_behind.write_bytes(lines + lines[:-9])  # of a line that was not answered
    for _ in range(2):  # also if its writer was killed when they were in
        store = Store(path)
        assert store.read(id_of(0)).events == tapes[0].events[:20]
        assert left_behind.read_bytes() == b""
        left_behind.write_bytes(lines)
    assert store.append(id_of(0), 20, tapes[0].events[20:]) == len(tapes[0].events)
    assert store.check() == []


@pytest.mark.parametrize(
    "odd",
    [
        rb'{"type":"a\u0000b","text":"\ud83d\ude00"}',
        b'{"type":"","seat":99999999999999999999}',
        b'{ "type" : "turn_started", "seat" : -1, "turn" : 99999999999 }',
        b'{"type":"turn_started","seat":400000,"turn":9223372036854775807}',
    ],
)
def test_whatever_is_an_event_can_be_put_in_later(store: Store, tapes: list[Tape], odd: bytes) -> None:
    begin(store, tapes[:1])
    events = (*tapes[0].events[:9], odd, tapes[0].events[9])
    with store.appender() as appender:
        for at, event in enumerate(events):
            appender.append(id_of(0), at, [event])
    assert store.read(id_of(0)).events == events
    assert store.check() == []


def test_a_journal_that_is_damaged_or_of_another_store_is_said(
    left_behind: Path, path: Path, tmp_path: Path, tapes: list[Tape]
) -> None:
    lines = left_behind.read_bytes()
    other = Store(tmp_path / "other.duckdb")
    other.path.with_name("other.duckdb.steps").write_bytes(lines)
    with pytest.raises(StoreDamaged, match="they are those of another store"):
        other.count()
    assert other.path.with_name("other.duckdb.steps").read_bytes() == lines
    changed = lines.replace(b'"expected":3', b'"expected":4')
    for damaged in (changed, b"\n".join(lines.split(b"\n")[5:]) + lines, lines[:-9] + b"~" + lines[-8:]):
        left_behind.write_bytes(damaged)
        for ask in (Store(path).count, lambda: Store(path).add(tapes[1:2])):
            with pytest.raises(StoreDamaged, match=r"\.steps has steps that were answered and cannot be put") as error:
                ask()
            assert "\n" not in str(error.value)
    for cut in (lines[: len(lines) // 2], b""):  # also a copy to which they were not taken along
        left_behind.write_bytes(cut)
        with pytest.raises(StoreDamaged, match="has lost its last steps"):
            Store(path)
    left_behind.unlink()
    path.with_name(f"{path.name}.acked").unlink()
    assert Store(path).read(id_of(0)).events == ()
    assert Store(path).check() == []


def test_a_sealed_header_goes_on_being_right(store: Store, tapes: list[Tape]) -> None:
    for number, (length, digest) in enumerate([(3, "?"), (None, None), (9, None)]):
        header = msgspec.structs.replace(tapes[0].header, id=id_of(700 + number), length=length, digest=digest)
        store.add([Tape(header, tapes[0].events[:9])])
        store.append(header.id, 9, tapes[0].events[9:11])
        found = store.read(header.id).header
        assert found.length == (None if length is None else 11)
        assert (found.digest is None) == (digest is None)
    assert store.check() == []
