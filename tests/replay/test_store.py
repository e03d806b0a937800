"""The store: what is added comes back exactly, counts right, and is there or not there as a whole."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import msgspec
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.registry import find
from core.streams import decode
from events.base import GameEnded, kind_of, seat_of, subject_of
from events.codec import canonical, encode
from events.errors import FormatError, TabletapeError
from events.jsonl import halted, read, write
from events.tape import Fault, Fork, Header, Player, Tape, digest, sealed
from replay.errors import Conflict, StoreError, UnknownReplay
from replay.games import default_sheet
from replay.storage import bulk
from replay.storage.database import Database, Hold
from replay.storage.rows import EVENT_BYTES, account, check, event_bytes, frames, is_event, parts
from replay.storage.store import Added, Filter, Rebuilt, Store
from replay.storage.tables import TABLES, VERSION
from replay.timeline import Timeline
from tests.replay.tapes import QUEEN, Elsewhere, id_of, recorded

NIM = Header(
    id=id_of(900),
    game="nim",
    rules=1,
    shapes=1,
    sheet="0" * 32,
    players=(Player("<script>alert(1)</script>"), Player("'; DROP TABLE replay; --"), Player("ひ\u0301 Ünï")),
    provenance="imported",
    fork=Fork(parent=id_of(1), step=3),
)


def renamed(tape: Tape, number: int, **changes: object) -> Tape:
    return msgspec.structs.replace(tape, header=msgspec.structs.replace(tape.header, id=id_of(number), **changes))


def with_events(tape: Tape, number: int, events: tuple[bytes, ...]) -> Tape:
    return sealed(renamed(tape, number).header, events)


def live(tape: Tape, number: int) -> Tape:
    """The header of a game that has not begun."""
    return Tape(renamed(tape, number, provenance="live", length=None, digest=None).header, ())


# --- round trip ------------------------------------------------------------------------------------------------------


def unlawful() -> dict[str, Tape]:
    """Tapes that are odd in one way each."""
    tape = recorded(1)
    sheet = default_sheet(find(QUEEN))
    fields = msgspec.json.decode(canonical(sheet))
    unknown = (*tape.events[:9], b'{"type":"cake_dropped","seat":1,"where":"floor"}', *tape.events[9:])
    lines = [line.rstrip(b"\n") for line in write(tape)]
    lines[7] = lines[7].replace(b'"seat":0', b'"seat":1')
    broken = next(read(lines)).tape
    assert broken is not None
    assert broken.fault is not None
    spaced = (*tape.events[:4], b'{ "turn":1, "seat" :0,"type":"turn_started"}', *tape.events[5:])
    back = (*tape.events[:12], b'{"type":"taken_back","to":5}', b'{"type":"taken_back","to":9999}')
    return {
        "empty": with_events(tape, 100, ()),
        "live": live(tape, 101),
        "unfinished": with_events(tape, 102, tape.events[:20]),
        "unknown event": with_events(tape, 103, unknown),
        "broken": renamed(broken, 104),
        "halted": renamed(halted(tape, Fault(30, "cards_taken: not legal")), 105),
        "not canonical": with_events(tape, 106, spaced),
        "taken back": with_events(tape, 107, back),
        "custom sheet": renamed(tape, 108, components=fields | {"name": "mine"}),
        "custom sheet, other words": renamed(tape, 109, components=fields | {"name": "yours"}),
        "no such game": sealed(
            NIM, (b'{"type":"game_started"}', b'{"seat":2,"type":"\xc3\xbc","n":1e9}', b'{"type":"x"}')
        ),
        "not even JSON": Tape(
            msgspec.structs.replace(NIM, id=id_of(110)), (b"\xff\x00{", b"[]", b"7", b'{"type":null}', b'{"type":"x",}')
        ),
        "huge numbers": with_events(
            tape, 111, (*tape.events[:4], b'{"type":"turn_started","seat":%d,"turn":%d}' % (9**30, 9**30))
        ),
        "fork": renamed(tape, 112, fork=Fork(parent=id_of(1), step=7), recorded="2026-11-30T02:50:00Z", seed=None),
        "wrong words in the header": renamed(tape, 113, length=3, digest="?"),
        "length only": renamed(tape, 114, digest=None),
        "seats": renamed(tape, 115, players=(Player("alone"),)),
        "null in a seed": renamed(tape, 116, seed="a\0b"),
    }


ODD = unlawful()


@pytest.mark.parametrize("name", ODD)
def test_what_is_added_comes_back_exactly(store: Store, name: str) -> None:
    tape = ODD[name]
    assert store.add([recorded(1), tape]).refused == ()
    again = store.read(tape.header.id)
    assert again == tape
    assert b"".join(write(again)) == b"".join(write(tape))
    assert list(store.tapes()) == [recorded(1), tape]
    assert store.check() == []


def test_what_odd_streams_come_to(store: Store) -> None:
    store.add(ODD.values())
    rows = {row["replay"]: row for row in store.replays().iter_rows(named=True)}
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
    assert set(store.seat_results().get_column("replay")) == {ODD[name].header.id for name in finished}


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


@given(st.lists(st.one_of(st.binary(max_size=40), st.text(max_size=20).map(lambda tag: canonical({"type": tag})))))
def test_bytes_of_any_kind_have_rows(lines: list[bytes]) -> None:
    for fault in (None, Fault(0, "wrong")):
        tape = Tape(NIM, tuple(lines), fault)
        check(tape)
        _, event, _ = frames([tape])
        assert event.height == len(lines)
        assert account(tape).known == 0


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


def test_batches_are_small_as_long_as_others_wait(
    path: Path, tapes: list[Tape], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = True
    monkeypatch.setattr(Hold, "wanted", lambda hold: wanted)
    monkeypatch.setattr(bulk, "FEWEST", 1)
    store = Store(path)
    store._pace.events = 4 * 90

    def batches() -> list[int]:
        seen = list[int]()
        store.add(tapes, seen.append)
        return seen

    assert batches()[0] > 1  # it is not known yet that somebody waits
    assert batches() == list(range(1, 13))
    wanted = False
    assert [batches() for _ in range(3)][-1] == [12]
    assert list(store.tapes()) == tapes


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
        answers = list(pool.map(ask, range(160)))
    assert answers == [True] * 160


def test_threads_that_write_and_read(store: Store, tapes: list[Tape]) -> None:
    with ThreadPoolExecutor(8) as pool:
        written = [pool.submit(store.add, [tape]) for tape in tapes]
        counted = [pool.submit(lambda: len(list(store.tapes()))) for _ in tapes]
        assert sum([each.result().new for each in written]) == len(tapes)
        assert all(0 <= each.result() <= len(tapes) for each in counted)
    assert sorted([tape.header.id for tape in store.tapes()]) == [tape.header.id for tape in tapes]
    assert store.check() == []


# --- appending -------------------------------------------------------------------------------------------------------


def test_a_game_appended_step_by_step_is_the_game(store: Store, tapes: list[Tape]) -> None:
    whole, begun = tapes[2], live(tapes[2], 500)
    store.add([begun])
    for at in range(0, len(whole.events), 7):
        length = store.append(id_of(500), at, whole.events[at : at + 7])
        assert length == min(at + 7, len(whole.events))
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


def test_an_append_decided_on_another_length_is_a_conflict(store: Store, tapes: list[Tape]) -> None:
    events = tapes[0].events
    store.add([with_events(tapes[0], 0, events[:10])])
    for expected, brought in ((9, events[10:12]), (11, events[11:12]), (0, events[1:3]), (9, events[9:12])):
        with pytest.raises(Conflict) as conflict:
            store.append(id_of(0), expected, brought)
        assert (conflict.value.expected, conflict.value.actual) == (expected, 10)
    assert store.read(id_of(0)).events == events[:10]


def test_the_same_append_again_changes_nothing(store: Store, tapes: list[Tape]) -> None:
    events = tapes[0].events
    store.add([with_events(tapes[0], 0, events[:10])])
    for _ in range(3):
        assert store.append(id_of(0), 10, events[10:13]) == 13
    assert store.append(id_of(0), 13, []) == 13
    assert store.append(id_of(0), 4, events[4:8]) == 13
    assert store.read(id_of(0)).events == events[:13]
    assert store.check() == []


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


@pytest.mark.parametrize("junk", [b"", b"{", b"[]", b'{"seat":1}', b'{"type":1}', b"\xff"])
def test_what_is_no_event_is_not_appended(store: Store, tapes: list[Tape], junk: bytes) -> None:
    store.add([with_events(tapes[0], 0, tapes[0].events[:10])])
    with pytest.raises(FormatError, match="event 11 is no event"):
        store.append(id_of(0), 10, [tapes[0].events[10], junk])
    assert store.read(id_of(0)).events == tapes[0].events[:10]


def test_a_stream_with_a_fault_does_not_go_on(store: Store) -> None:
    store.add([ODD["halted"]])
    with pytest.raises(StoreError, match="cannot go on"):
        store.append(ODD["halted"].header.id, len(ODD["halted"].events), [recorded(1).events[0]])


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


# --- asking ----------------------------------------------------------------------------------------------------------


def test_an_empty_store_has_answers(store: Store) -> None:
    assert store.count() == 0
    assert list(store.tapes()) == []
    assert store.check() == []
    assert store.rebuild() == Rebuilt(0, ())
    for frame in (store.replays(), store.seat_results(), store.kind_counts(), store.subject_counts()):
        assert frame.is_empty()
    assert store.add([]).new == 0
    with pytest.raises(UnknownReplay):
        store.find("0192")


def test_frames_have_fixed_columns(store: Store, tapes: list[Tape]) -> None:
    text, small, whole, number, yes = pl.String, pl.Int16, pl.Int32, pl.Int64, pl.Boolean
    expected = {
        "replays": {
            "replay": text,
            "game": text,
            "rules": whole,
            "seats": small,
            "options": text,
            "sheet": text,
            "seed": text,
            "provenance": text,
            "players": pl.List(text),
            "bots": pl.List(text),
            "length": whole,
            "turns": whole,
            "ended": text,
            "finished": yes,
            "scores": pl.List(number),
            "winners": pl.List(small),
            "recorded": text,
            "parent": text,
            "fault_step": whole,
            "fault_reason": text,
        },
        "seat_results": {
            "replay": text,
            "game": text,
            "seats": small,
            "seat": small,
            "player": text,
            "bot": text,
            "score": number,
            "rank": small,
            "winners": small,
            "won": yes,
        },
        "kind_counts": {"game": text, "kind": text, "seat": small, "n": number},
        "subject_counts": {"game": text, "kind": text, "subject": text, "seat": small, "n": number},
    }
    for _ in range(2):
        for name, schema in expected.items():
            assert dict(getattr(store, name)().schema) == schema, name
        store.add(tapes)


def test_results_are_those_of_the_games(store: Store, tapes: list[Tape]) -> None:
    store.add([*tapes, ODD["unfinished"]])
    rows = []
    for tape in tapes:
        ended = decode(find(QUEEN), tape)[0][-1]
        assert isinstance(ended, GameEnded)
        for seat, player in enumerate(tape.header.players):
            rank = next(place for place, group in enumerate(ended.ranking, 1) if seat in group)
            won = (len(ended.ranking[0]), rank == 1)
            who = (seat, player.name, player.bot)
            rows.append((tape.header.id, QUEEN, len(ended.scores), *who, ended.scores[seat], rank, *won))
    assert store.seat_results().rows() == rows
    credit = store.seat_results().group_by("replay").agg((pl.col("won") / pl.col("winners")).sum())
    assert credit["won"].to_list() == pytest.approx([1.0] * 12)


def test_counts_are_those_of_the_events(store: Store, tapes: list[Tape]) -> None:
    store.add([*tapes, ODD["unfinished"]])
    events = [event for tape in tapes for event in decode(find(QUEEN), tape)[0]]
    kinds = Counter([(QUEEN, kind_of(event), seat_of(event)) for event in events])
    assert {row[:3]: row[3] for row in store.kind_counts().rows()} == kinds
    subjects = Counter(
        [
            (QUEEN, kind_of(event), subject, seat_of(event))
            for event in events
            if (subject := subject_of(event)) is not None
        ]
    )
    assert {row[:4]: row[4] for row in store.subject_counts().rows()} == subjects


FILTERS: list[tuple[Filter, Callable[[Tape], bool]]] = [
    (Filter(), lambda tape: True),
    (Filter(game=QUEEN), lambda tape: tape.header.game == QUEEN),
    (Filter(game="nim"), lambda tape: tape.header.game == "nim"),
    (Filter(seats=4), lambda tape: len(tape.header.players) == 4),
    (Filter(players=("player 3",), seats=5), lambda tape: len(tape.header.players) == 5),
    (Filter(bots=("random",)), lambda tape: tape.header.game == QUEEN),
    (Filter(finished=False), lambda tape: tape.header.game == "nim"),
    (Filter(finished=True), lambda tape: tape.header.game == QUEEN),
    (Filter(branches=True), lambda tape: tape.header.fork is not None),
    (Filter(branches=False), lambda tape: tape.header.fork is None),
    (Filter(provenance="imported"), lambda tape: tape.header.game == "nim"),
    (Filter(sheet="0" * 32), lambda tape: tape.header.game == "nim"),
    (Filter(ids=(id_of(3), id_of(5), "none", id_of(77))), lambda tape: tape.header.id in (id_of(3), id_of(5))),
    (Filter(ids=()), lambda tape: False),
    (Filter(players=("player 0", "player 4")), lambda tape: len(tape.header.players) == 5),
    (Filter(options='{"teams":false}', seats=2), lambda tape: len(tape.header.players) == 2),
    (Filter(since="2026-01-01"), lambda tape: False),
    (Filter(tags=("final",)), lambda tape: False),
    (Filter(without_seeds=("store/1", "store/2/7", "st")), lambda tape: tape.header.seed != "store/1"),
    (Filter(without_seeds=("store",)), lambda tape: tape.header.game == "nim"),
    (Filter(least_events=1, most_events=90), lambda tape: 1 <= len(tape.events) <= 90),
    (
        Filter(least_turns=22, most_turns=25),
        lambda tape: 22 <= sum(b'"turn_started"' in event for event in tape.events) <= 25,
    ),
]


@pytest.mark.parametrize(("wanted", "holds"), FILTERS, ids=[repr(wanted) for wanted, _ in FILTERS])
def test_filters(store: Store, tapes: list[Tape], wanted: Filter, holds: Callable[[Tape], bool]) -> None:
    every = [*tapes, sealed(NIM, ())]
    store.add(every)
    chosen = [tape for tape in every if holds(tape)]
    ids = [tape.header.id for tape in chosen]
    assert list(store.tapes(wanted)) == chosen
    assert store.count(wanted) == len(chosen)
    assert store.replays(wanted)["replay"].to_list() == ids[::-1]
    results = store.seat_results(wanted)["replay"].unique(maintain_order=True).to_list()
    assert results == [id for id in ids if id != NIM.id]
    counted = sum(len(tape.events) for tape in chosen)
    assert store.kind_counts(wanted)["n"].sum() == counted
    assert store.subject_counts(wanted)["n"].sum() == sum(
        subject_of(event) is not None for tape in chosen if tape.events for event in decode(find(QUEEN), tape)[0]
    )


def test_pages_are_in_order_and_whole(store: Store, tapes: list[Tape]) -> None:
    store.add(tapes, batch=5)
    pages = [store.replays(limit=5, offset=at)["replay"].to_list() for at in (0, 5, 10, 15)]
    assert [len(page) for page in pages] == [5, 5, 2, 0]
    assert [id for page in pages for id in page] == [tape.header.id for tape in reversed(tapes)]


def test_the_seed_of_a_running_game_is_not_told(store: Store, tapes: list[Tape]) -> None:
    store.add([tapes[0], live(tapes[0], 501)])
    assert store.replays()["seed"].to_list() == [None, "store/0"]


def test_find_takes_the_beginning_of_an_id(store: Store, tapes: list[Tape]) -> None:
    others = [
        msgspec.structs.replace(NIM, id=id)
        for id in ("abcd0000-0000-4000-8000-000000000001", "ffffffff-0000-4000-8000-000000000001")
    ]
    store.add([*tapes, *[sealed(header, ()) for header in others]])
    assert store.find("abcd") == others[0].id
    assert store.find("ABCD0000-0000-4") == others[0].id
    assert store.find("ffff") == others[1].id
    assert store.find(id_of(3)) == id_of(3)
    with pytest.raises(UnknownReplay, match="more than one replay begins with '0192a'"):
        store.find("0192a")
    with pytest.raises(UnknownReplay, match="`tabletape replays` lists them"):
        store.find("dead")
    for text in ("abc", "", "ab-c", "abcg", "%%%%", "abcd'", "a" * 33):
        with pytest.raises(UnknownReplay, match="not the beginning of an id"):
            store.find(text)


@pytest.mark.parametrize("id", [id_of(7), "abcd", "' OR true --", ""])
def test_an_unknown_replay_is_said_so(store: Store, id: str) -> None:
    for ask in (store.read, store.remove, lambda id: store.append(id, 0, [])):
        with pytest.raises(UnknownReplay) as error:
            ask(id)
        assert "`tabletape replays` lists them" in str(error.value)
        assert isinstance(error.value, TabletapeError)


def test_a_removed_replay_leaves_nothing_and_may_come_back(store: Store, path: Path, tapes: list[Tape]) -> None:
    store.add(tapes[:3])
    store.remove(id_of(1))
    assert [tape.header.id for tape in store.tapes()] == [id_of(0), id_of(2)]
    with Database(path, TABLES, VERSION).reading() as lease:
        for table in ("event", "seat_result", "kind_count", "note"):
            assert lease.rows(f"SELECT count(*) FROM {table} WHERE replay = $id", id=id_of(1)) == [(0,)]
    assert store.check() == []
    assert store.add(tapes[:3]).new == 1
    assert list(store.tapes()) == [tapes[0], tapes[2], tapes[1]]


def test_branches_belong_together_also_without_the_game_that_they_left(store: Store, tapes: list[Tape]) -> None:
    parents = {1: id_of(0), 2: id_of(0), 3: id_of(1), 5: "nobody's"}
    replace = msgspec.structs.replace
    store.add(
        [
            replace(tape, header=replace(tape.header, fork=Fork(parents[number], 1))) if number in parents else tape
            for number, tape in enumerate(tapes[:6])
        ]
    )

    def family(number: int) -> list[str]:
        return [kin.id for kin in store.family(id_of(number))]

    for number in range(4):
        assert family(number) == [id_of(one) for one in range(4)]
    assert (family(4), family(5)) == ([id_of(4)], [id_of(5)])
    store.remove(id_of(0))
    for number in range(1, 4):
        assert family(number) == [id_of(one) for one in range(1, 4)]


# --- health ----------------------------------------------------------------------------------------------------------

DAMAGES = {
    "DELETE FROM event WHERE replay = $id AND seq = 5": ["events expected"],
    "UPDATE event SET body = replace(body, 'blue', 'grey') WHERE replay = $id": ["do not give the digest"],
    "INSERT INTO event SELECT * FROM event WHERE replay = $id AND seq = 3": ["events expected"],
    "DELETE FROM seat_result WHERE replay = $id AND seat = 0": ["seat_result differs from the events in 1 rows"],
    "UPDATE kind_count SET n = n + 1 WHERE replay = $id AND kind = 'deck_shuffled'": ["kind_count differs"],
    "UPDATE replay SET turns = 1 WHERE id = $id": ["what the stream comes to differs"],
    "UPDATE event SET replay = uuid() WHERE replay = $id AND seq = 5": ["events of a replay that is not there"],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_check_finds(store: Store, path: Path, tapes: list[Tape], damage: str) -> None:
    store.add(tapes[:4])
    with Database(path, TABLES, VERSION).writing() as lease:
        lease.run(damage, id=id_of(2))
    findings = [str(finding) for finding in store.check()]
    for words in DAMAGES[damage]:
        assert any(words in finding for finding in findings), findings
    assert all(id_of(other) not in finding for finding in findings for other in (0, 1, 3))


def test_rebuild_makes_right_what_is_made_from_events(store: Store, path: Path, tapes: list[Tape]) -> None:
    store.add([*tapes, *ODD.values()])
    before = [store.replays(), store.seat_results(), store.kind_counts()]
    with Database(path, TABLES, VERSION).writing() as lease:
        lease.run("DELETE FROM kind_count")
        lease.run("UPDATE seat_result SET score = 0")
        lease.run("UPDATE replay SET turns = 0, finished = false, scores = NULL, problem = 'none', known = 1")
    assert store.check() != []
    for _ in range(2):
        assert store.rebuild() == Rebuilt(12 + len(ODD), ())
        assert store.check() == []
        for frame, made in zip(before, (store.replays(), store.seat_results(), store.kind_counts()), strict=True):
            assert made.equals(frame)


def test_the_digest_in_the_store_is_the_chain(store: Store, path: Path, tapes: list[Tape]) -> None:
    store.add(tapes)
    with Database(path, TABLES, VERSION).reading() as lease:
        heads = lease.rows("SELECT head FROM replay ORDER BY id")
    assert [head.hex() for (head,) in heads] == [digest(tape.events) for tape in tapes]
    assert [tape.header.digest for tape in tapes] == [head.hex() for (head,) in heads]
    assert encode(decode(find(QUEEN), tapes[0])[0][0]) == tapes[0].events[0]
