"""The store as it is written: what is added comes back exactly, and is there or not there as a whole."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import msgspec
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.registry import find
from core.streams import decode
from events.base import kind_of, seat_of, subject_of
from events.codec import canonical
from events.jsonl import write
from events.tape import Fault, Player, Tape, sealed
from replay.storage import bulk
from replay.storage.database import Database, Hold
from replay.storage.rows import EVENT_BYTES, MANY, account, check, event_bytes, frames, is_event, parts
from replay.storage.store import Added, Filter, Store
from replay.storage.tables import TABLES, VERSION
from replay.timeline import Timeline
from tests.replay.odd import NIM, ODD, live, with_events
from tests.replay.tapes import QUEEN, Elsewhere, id_of, recorded

# --- round trip ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with all that is odd, which no test changes."""
    store = Store(tmp_path_factory.mktemp("odd") / "games.duckdb")
    assert store.add([recorded(1), *ODD.values()]).refused == ()
    return store


@pytest.mark.parametrize("name", ODD)
def test_what_is_added_comes_back_exactly(odd: Store, name: str) -> None:
    again = odd.read(ODD[name].header.id)
    assert again == ODD[name]
    assert b"".join(write(again)) == b"".join(write(ODD[name]))


def test_one_by_one_or_together_they_are_the_same_store(store: Store, odd: Store) -> None:
    every = [recorded(1), *ODD.values()]
    store.add(every, batch=1)
    for each in (store, odd):
        assert list(each.tapes()) == every
        assert each.check() == []
    assert store.replays().equals(odd.replays())


def test_what_odd_streams_come_to(odd: Store) -> None:
    rows = {row["replay"]: row for row in odd.replays().iter_rows(named=True)}
    faults = {name: rows[tape.header.id]["fault_step"] for name, tape in ODD.items()}
    assert {name: step for name, step in faults.items() if step is not None} == {
        "unknown event": 9,
        "broken": 6,
        "halted": 30,
        "no such game": 0,
        "not even JSON": 0,
        "seats": len(recorded(1).events) - 1,
    }
    assert "cake_dropped" in rows[ODD["unknown event"].header.id]["fault_reason"]
    finished = {name for name, tape in ODD.items() if rows[tape.header.id]["finished"]}
    sound = ["not canonical", "custom sheet", "custom sheet, other words", "fork", "length only", "null in a seed"]
    assert finished == {*sound, "wrong words in the header"}
    assert set(odd.seat_results().get_column("replay")) == {id_of(1), *[ODD[name].header.id for name in finished]}


def test_where_events_stand_agrees_with_the_timeline(store: Store, path: Path) -> None:
    store.add([recorded(3), ODD["taken back"], ODD["unknown event"]])
    for tape in (recorded(3), ODD["taken back"]):
        with Database(path, TABLES, VERSION).reading() as lease:
            rows = lease.rows(
                "SELECT seq, turn, round, seat, kind, subject FROM event WHERE replay = $id ORDER BY seq",
                id=tape.header.id,
            )
        events, _ = decode(find(QUEEN), tape)
        assert [row[3:] for row in rows] == [(seat_of(event), kind_of(event), subject_of(event)) for event in events]
        steps = Timeline(tape).steps
        assert [row[:3] for row in rows[: len(steps)]] == [(step.number, step.turn, step.round) for step in steps]


@settings(max_examples=40)  # `make fuzz` draws more
@given(st.lists(st.one_of(st.binary(max_size=40), st.text(max_size=20).map(lambda tag: canonical({"type": tag})))))
def test_bytes_of_any_kind_have_rows(lines: list[bytes]) -> None:
    tapes = [Tape(NIM, tuple(lines), fault) for fault in (None, Fault(0, "wrong"))]
    for tape in tapes:
        check(tape)
        assert account(tape).known == 0
    _, event, _ = frames(tapes)
    assert event.height == 2 * len(lines)


@settings(max_examples=40)
@given(
    st.sampled_from([b'{"type":"%b"', b'{ "type":"%b"', b'{"type" :"%b"']),
    st.text(),
    st.dictionaries(st.text().filter(lambda name: name != "type"), st.integers()),
)
def test_events_of_any_shape_come_back(opening: bytes, tag: str, fields: dict[str, int]) -> None:
    raw = opening % msgspec.json.encode(tag)[1:-1] + (b"," + msgspec.json.encode(fields)[1:] if fields else b"}")
    _, event, _ = frames([Tape(NIM, (raw,))])
    assert is_event(raw)
    kind, body, verbatim = event.select("kind", "body", "raw").row(0)
    assert (body, verbatim) == parts(kind, raw)
    again = f"SELECT {EVENT_BYTES} FROM (SELECT $kind AS kind, $body AS body, $raw::BLOB AS raw)"
    assert duckdb.execute(again, {"kind": kind, "body": body, "raw": verbatim}).fetchall() == [(raw,)]
    assert event_bytes(kind, body, verbatim) == raw


def test_the_rows_of_many_streams_are_those_of_few() -> None:
    few = [recorded(1), *ODD.values()]
    many = [few[at % len(few)] for at in range(MANY)]
    replay, _, _ = frames(many)
    assert replay.equals(pl.concat([frames(few)[0]] * (len(many) // len(few) + 1)).head(len(many)))


def test_hostile_names_are_only_text(store: Store) -> None:
    tape = sealed(NIM, ())
    store.add([tape])
    for player in NIM.players:
        assert store.count(Filter(players=(player.name,))) == 1
    assert store.replays().row(0, named=True)["players"] == [player.name for player in NIM.players]
    assert store.count(Filter(players=("' OR true --",))) == 0


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"id": "12"}, "not a UUID"),
        ({"players": (Player("a\nb"),)}, "control characters"),
        ({"players": tuple([Player("x")] * 128)}, "at most 127"),
        ({"recorded": "\ud800"}, "not Unicode"),
    ],
)
def test_a_header_that_cannot_be_stored_is_refused_alone(store: Store, changes: dict[str, object], reason: str) -> None:
    bad = Tape(msgspec.structs.replace(NIM, **changes), ())
    added = store.add([recorded(0), bad, recorded(1)])
    assert (added.new, len(added.refused)) == (2, 1)
    assert reason in added.refused[0]
    assert list(store.tapes()) == [recorded(0), recorded(1)]


# --- adding ----------------------------------------------------------------------------------------------------------


def test_the_order_of_arrival_is_kept(store: Store, tapes: list[Tape]) -> None:
    shuffled = random.Random(3).sample(tapes, 12)
    store.add(shuffled[:8])
    store.add(shuffled, batch=3)
    assert list(store.tapes()) == shuffled


def test_adding_again_adds_nothing(store: Store, tapes: list[Tape]) -> None:
    assert store.add(tapes[:5]) == Added(5, 0, ())
    added = store.add(tapes)
    assert (added.new, added.known, added.changed) == (7, 5, ())
    assert list(store.tapes()) == tapes
    assert store.check() == []


def test_other_content_under_a_known_id_is_reported_and_changes_nothing(store: Store, tapes: list[Tape]) -> None:
    store.add(tapes[:2])
    other = with_events(tapes[5], 0, tapes[5].events)
    added = store.add([other, *tapes[1:3]])
    assert (added.new, added.known, added.changed) == (1, 1, (id_of(0),))
    assert store.read(id_of(0)) == tapes[0]
    assert store.check() == []


def test_an_id_twice_in_one_go(store: Store, tapes: list[Tape]) -> None:
    added = store.add([tapes[0], tapes[0], with_events(tapes[1], 0, tapes[1].events), tapes[2]])
    assert (added.new, added.known, added.changed) == (2, 1, (id_of(0),))
    assert list(store.tapes()) == [tapes[0], tapes[2]]


def test_threads_take_turns_as_before_when_the_last_of_two_has_added(tmp_path: Path, tapes: list[Tape]) -> None:
    before = sys.getswitchinterval()
    databases = [Database(tmp_path / name, TABLES, VERSION) for name in ("one.duckdb", "two.duckdb")]
    works = [bulk.add(database, tapes[:2], 1, bulk.Pace()) for database in databases]
    for work in works:
        next(work)
    for work in works:
        assert sys.getswitchinterval() == bulk.TURN != before
        assert [added.new for added in work] == [1]
    assert sys.getswitchinterval() == before


def test_batches_are_small_as_long_as_others_wait(
    path: Path, tapes: list[Tape], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = True
    monkeypatch.setattr(Hold, "wanted", lambda hold: wanted)
    for name, value in {"FEWEST": 1, "AT_ONCE": 1e-9, "CALM": 1}.items():
        monkeypatch.setattr(bulk, name, value)
    store = Store(path)
    store._pace.events = 3 * 90

    def batches() -> list[int]:
        seen = list[int]()
        store.add(tapes[:6], seen.append)
        return seen

    assert batches()[0] > 1  # it is not known yet that somebody waits
    assert batches() == [1, 2, 3, 4, 5, 6]
    wanted = False
    assert [batches() for _ in range(3)][-1] == [6]
    assert list(store.tapes()) == tapes[:6]


def test_progress_counts_tapes_by_batches(store: Store, tapes: list[Tape]) -> None:
    seen: list[int] = []
    store.add(tapes, seen.append, batch=5)
    assert seen == [5, 10, 12]
    store.add(iter(tapes), seen.append, batch=12)
    assert seen == [5, 10, 12, 12]


def test_what_was_added_before_an_interruption_stays(store: Store, tapes: list[Tape]) -> None:
    def interrupted() -> Iterator[Tape]:
        yield from tapes[:7]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.add(interrupted(), batch=3)
    assert list(store.tapes()) == tapes[:6]
    assert store.check() == []


def test_a_writer_that_is_killed_leaves_whole_streams(path: Path, elsewhere: Elsewhere) -> None:
    chance = random.Random(7)
    for _ in range(2):
        writer = elsewhere("""
import itertools, uuid
import msgspec
from events.tape import Tape
def endless():
    for number in itertools.count():
        for tape in tapes:
            yield Tape(msgspec.structs.replace(tape.header, id=str(uuid.uuid4())), tape.events)
Store(path).add(endless(), lambda done: print(done, flush=True), batch=20)
""")
        acknowledged = [int(writer.said()) for _ in range(chance.randrange(1, 6))][-1]
        before = 0 if not path.exists() else acknowledged
        writer.kill()
        store = Store(path, wait=1)
        assert store.count() >= before
        assert store.check() == []
        assert {len(tape.events) for tape in store.tapes()} <= {len(recorded(number).events) for number in range(12)}


def test_one_writes_while_others_read(path: Path, tapes: list[Tape], elsewhere: Elsewhere) -> None:
    store = Store(path)
    reader = """
store = Store(path)
print("ready", flush=True)
seen = 0
while seen < len(tapes):
    found = list(store.tapes())
    assert found == tapes[:len(found)] and len(found) >= seen, len(found)
    assert store.kind_counts().height >= 0
    seen = len(found)
print("saw all", flush=True)
"""
    readers = [elsewhere(reader) for _ in range(2)]
    assert [process.said() for process in readers] == ["ready", "ready"]
    for tape in tapes:
        store.add([tape])
    assert [process.said() for process in readers] == ["saw all", "saw all"]


def test_eight_threads_get_their_own_answers(store: Store, tapes: list[Tape]) -> None:
    store.add(tapes)

    def ask(number: int) -> bool:
        tape = tapes[number % len(tapes)]
        return (
            store.read(tape.header.id) == tape
            and store.find(tape.header.id) == tape.header.id
            and store.count(Filter(ids=(tape.header.id,))) == 1
        )

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(64)))
    assert answers == [True] * 64


def test_threads_that_write_and_read(store: Store, tapes: list[Tape]) -> None:
    few = tapes[:6]
    with ThreadPoolExecutor(8) as pool:
        written = [pool.submit(store.add, [tape]) for tape in few]
        counted = [pool.submit(lambda: len(list(store.tapes()))) for _ in few]
        assert sum([each.result().new for each in written]) == len(few)
        assert all(0 <= each.result() <= len(few) for each in counted)
    assert sorted([tape.header.id for tape in store.tapes()]) == [tape.header.id for tape in few]
    assert store.check() == []


# --- appending -------------------------------------------------------------------------------------------------------


def test_a_game_appended_step_by_step_is_the_game(store: Store, tapes: list[Tape]) -> None:
    whole, begun = tapes[2], live(tapes[2], 500)
    store.add([begun])
    for at in range(0, len(whole.events), 12):
        length = store.append(id_of(500), at, whole.events[at : at + 12])
        assert length == min(at + 12, len(whole.events))
        row = store.replays().row(0, named=True)
        assert row["finished"] == (length == len(whole.events))
    assert store.read(id_of(500)) == Tape(begun.header, whole.events)
    assert store.check() == []
    store.add([whole])
    results = store.seat_results().drop("replay")
    seats = len(whole.header.players)
    assert results.height == 2 * seats
    assert results.head(seats).equals(results.tail(seats))


def test_an_append_to_a_sealed_stream_seals_it_again(store: Store, tapes: list[Tape]) -> None:
    whole = tapes[0]
    store.add([with_events(whole, 0, whole.events[:10])])
    store.append(id_of(0), 10, whole.events[10:])
    assert store.read(id_of(0)) == whole


def test_of_two_processes_that_append_one_wins(
    store: Store, path: Path, tapes: list[Tape], elsewhere: Elsewhere
) -> None:
    store.add([with_events(tapes[0], 0, tapes[0].events[:10])])
    program = """
from replay.errors import Conflict
store = Store(path)
print("ready", flush=True)
sys.stdin.readline()
try:
    print("now", store.append(tapes[0].header.id, 10, [b'{"type":"taken_back","to":%d}']))
except Conflict as conflict:
    print("conflict", conflict.expected, conflict.actual)
"""
    both = [elsewhere(program % to) for to in (3, 4)]
    assert [process.said() for process in both] == ["ready", "ready"]
    answers = [process.ends("\n").strip() for process in both]
    assert sorted(answers) == ["conflict 10 11", "now 11"]
    assert store.check() == []


def test_taking_back_the_end_takes_the_result_back(store: Store, tapes: list[Tape]) -> None:
    whole = tapes[1]
    store.add([whole])
    assert store.seat_results().height == 3
    end = len(whole.events) - 1
    store.append(id_of(1), end + 1, [b'{"type":"taken_back","to":%d}' % (end - 2)])
    assert store.seat_results().is_empty()
    assert store.kind_counts().is_empty()
    assert store.count(Filter(finished=False)) == 1
    store.append(id_of(1), end + 2, [b'{"type":"taken_back","to":%d}' % end])
    assert store.seat_results().height == 3
    assert store.check() == []
