"""What every store of recorded games keeps to, run over each: the database, memory, and, for reading, a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from events.errors import FormatError
from events.jsonl import halted, read
from events.tape import Fault, Player, Tape, sealed
from replay.errors import Conflict, StoreError, UnknownReplay
from replay.exchange import COMPRESSED, lines_of, writing
from replay.filters import Filter
from replay.lake.moving import export
from replay.lake.reading import LakeStore
from replay.lake.segments import Lake
from replay.storage.appending import Expected
from replay.storage.contract import Reader, Recorder
from replay.storage.memory import MemoryStore
from replay.storage.tapefile import TapeFile
from tests.replay.tapes import QUEEN, id_of, stored

Filled = Callable[[list[Tape]], Reader]


def as_file(path: Path, tapes: list[Tape]) -> TapeFile:
    with writing(path) as file:
        file.writelines([line for tape in tapes for line in lines_of(tape)])
    return TapeFile(path)


def recorder(kind: str, path: Path) -> Recorder:
    return MemoryStore() if kind == "memory" else stored(path)


class TestReading:
    """What holds for everything that recorded games can be read from."""

    @pytest.fixture(params=["database", "memory", "file", "compressed file", "lake"])
    def filled(self, request: pytest.FixtureRequest, path: Path) -> Filled:
        """Make one that holds some tapes."""

        def fill(tapes: list[Tape]) -> Reader:
            if "file" in request.param:
                ending = COMPRESSED if "compressed" in request.param else ".jsonl"
                return as_file(path.with_suffix(ending), tapes)
            if request.param == "memory":
                memory = MemoryStore()
                memory.add(tapes)
                return memory
            if request.param == "lake":
                export(stored(path, tapes), Lake(path.with_suffix("")))
                return LakeStore(path.with_suffix(""))
            return stored(path, tapes)

        return fill

    def test_what_is_there_is_read_exactly_and_in_order(self, filled: Filled, tapes: list[Tape]) -> None:
        lines = list(lines_of(tapes[4]))
        lines[12] = lines[12].replace(b'"seq":11', b'"seq":12')
        (broken,) = [found.tape for found in read(lines)]
        assert broken is not None
        every = [tapes[2], broken, tapes[0]]
        store = filled(every)
        assert [tape.events for tape in store.tapes()] == [tape.events for tape in every]
        assert store.read(id_of(0)) == tapes[0]
        assert store.count() == 3
        again = store.read(id_of(4))
        assert again.fault is not None
        assert again.fault.step == 11

    def test_nothing(self, filled: Filled) -> None:
        store = filled([])
        assert list(store.tapes()) == []
        assert store.count() == 0
        with pytest.raises(UnknownReplay, match="no replay begins with"):
            store.find("0192")

    def test_an_unknown_replay(self, filled: Filled, tapes: list[Tape]) -> None:
        store = filled(tapes[:1])
        for id in (id_of(7), "abcd", "' OR true --", ""):
            with pytest.raises(UnknownReplay, match="`tabletape replays` lists them"):
                store.read(id)

    def test_find(self, filled: Filled, tapes: list[Tape]) -> None:
        other = "abcd0000-0000-4000-8000-000000000001"
        header = msgspec.structs.replace(tapes[5].header, id=other)
        store = filled([*tapes[:3], sealed(header, tapes[5].events)])
        assert store.find("ABCD") == other
        assert store.find("abcd0000-0000-4") == other
        assert store.find(id_of(2)) == id_of(2)
        with pytest.raises(UnknownReplay, match="more than one replay begins with '0192'"):
            store.find("0192")
        for text in ("abc", "", "ab-c", "abcg", "%%%%", "abcd'", "a" * 33):
            with pytest.raises(UnknownReplay, match="not the beginning of an id"):
                store.find(text)

    def test_filters_mean_the_same(self, filled: Filled, tapes: list[Tape]) -> None:
        cut = sealed(msgspec.structs.replace(tapes[3].header, provenance="live"), tapes[3].events[:20])
        named = msgspec.structs.replace(tapes[4].header, players=(Player("<b>"), Player("b", "random")))
        every = [*tapes[:3], cut, Tape(named, tapes[4].events)]
        by_hand = {
            Filter(game=QUEEN, seats=3): [1],
            Filter(players=("<b>",)): [4],
            Filter(bots=("random",), finished=False): [3],
            Filter(ids=(id_of(1), "none")): [1],
            Filter(provenance="live"): [3],
            Filter(sheet="0" * 32): [],
            Filter(seats=2, finished=True): [0, 4],
        }
        store = filled(every)
        for wanted, numbers in by_hand.items():
            assert [tape.header.id for tape in store.tapes(wanted)] == [id_of(number) for number in numbers], wanted


class TestRecording:
    """What holds for everything that recorded games can be kept in."""

    @pytest.fixture(params=["database", "memory"])
    def store(self, request: pytest.FixtureRequest, path: Path) -> Recorder:
        return recorder(request.param, path)

    @pytest.fixture
    def begun(self, store: Recorder, tapes: list[Tape]) -> Recorder:
        """A store with a live game of ten events."""
        store.begin(msgspec.structs.replace(tapes[0].header, length=None, digest=None))
        assert store.append(id_of(0), "new", tapes[0].events[:10]) == 10
        return store

    def test_adding_again_adds_nothing_and_changes_nothing(self, store: Recorder, tapes: list[Tape]) -> None:
        seen = list[int]()
        assert store.add(tapes[:3], seen.append).new == 3
        other = sealed(tapes[1].header, tapes[1].events[:5])
        bad = Tape(msgspec.structs.replace(tapes[0].header, id="12"), ())
        added = store.add([tapes[0], other, bad, tapes[3]])
        assert (added.new, added.known, added.changed, len(added.refused)) == (1, 1, (id_of(1),), 1)
        assert list(store.tapes()) == tapes[:4]
        assert seen[-1] == 3

    def test_a_game_step_by_step_is_the_game(self, store: Recorder, tapes: list[Tape]) -> None:
        whole = tapes[2]
        store.begin(whole.header)
        several = len(whole.events) - 25
        assert store.append(id_of(2), 0, whole.events[:several]) == several
        for at, event in enumerate(whole.events[several:], several):
            assert store.append(id_of(2), at, [event]) == at + 1
        assert store.read(id_of(2)) == whole
        assert store.count(Filter(finished=True)) == 1

    def test_another_length_is_a_conflict(self, begun: Recorder, tapes: list[Tape]) -> None:
        events = tapes[0].events
        wrong: list[tuple[Expected, Sequence[bytes]]] = [
            (9, events[10:12]),
            (11, events[11:12]),
            ("new", events[1:3]),
            (9, events[9:12]),
            (-1, events[:1]),
        ]
        for expected, brought in wrong:
            with pytest.raises(Conflict) as conflict:
                begun.append(id_of(0), expected, brought)
            asked = 0 if expected == "new" else expected
            assert (conflict.value.expected, conflict.value.actual) == (asked, 10)
        assert begun.read(id_of(0)).events == events[:10]

    def test_the_same_again_changes_nothing(self, begun: Recorder, tapes: list[Tape]) -> None:
        events = tapes[0].events
        for _ in range(2):
            assert begun.append(id_of(0), 10, events[10:13]) == 13
        assert begun.append(id_of(0), "new", events[:10]) == 13
        assert begun.append(id_of(0), 4, events[4:8]) == 13
        assert begun.append(id_of(0), 13, []) == 13
        assert begun.read(id_of(0)).events == events[:13]

    def test_any_length(self, begun: Recorder, tapes: list[Tape]) -> None:
        assert begun.append(id_of(0), "any", tapes[0].events[10:12]) == 12
        assert begun.read(id_of(0)).events == tapes[0].events[:12]

    def test_what_is_no_event(self, begun: Recorder, tapes: list[Tape]) -> None:
        for junk in (b"", b"{", b"[]", b'{"seat":1}', b'{"type":1}', b"\xff"):
            with pytest.raises(FormatError, match="event 11 is no event"):
                begun.append(id_of(0), 10, [tapes[0].events[10], junk])
        assert begun.read(id_of(0)).events == tapes[0].events[:10]

    def test_a_stream_with_a_fault_does_not_go_on(self, store: Recorder, tapes: list[Tape]) -> None:
        store.add([halted(tapes[1], Fault(30, "not legal"))])
        with pytest.raises(StoreError, match="cannot go on"):
            store.append(id_of(1), "any", tapes[1].events[:1])

    def test_an_unknown_replay(self, store: Recorder) -> None:
        for ask in (store.remove, lambda id: store.append(id, 0, [])):
            with pytest.raises(UnknownReplay):
                ask(id_of(7))

    def test_a_removed_replay_may_come_back(self, store: Recorder, tapes: list[Tape]) -> None:
        store.add(tapes[:3])
        store.remove(id_of(1))
        assert list(store.tapes()) == [tapes[0], tapes[2]]
        assert store.add(tapes[:3]).new == 1
        assert list(store.tapes()) == [tapes[0], tapes[2], tapes[1]]
