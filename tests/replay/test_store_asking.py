"""The store as it is asked: filters, counts and results, what the check finds, and what is made anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec
import polars as pl
import pytest

from core.registry import find
from core.streams import decode
from events.base import GameEnded, kind_of, seat_of, subject_of
from events.codec import encode
from events.errors import TabletapeError
from events.tape import Fork, Tape, digest, sealed
from replay.errors import UnknownReplay
from replay.storage.database import Database
from replay.storage.store import Filter, Rebuilt, Store
from replay.storage.tables import TABLES, VERSION
from tests.replay.odd import NIM, ODD, live
from tests.replay.tapes import QUEEN, id_of, recorded


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


EVERY = (*[recorded(number) for number in range(12)], sealed(NIM, ()))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with every one of these, which no test changes."""
    store = Store(tmp_path_factory.mktemp("library") / "games.duckdb")
    store.add(EVERY)
    return store


@pytest.mark.parametrize(("wanted", "holds"), FILTERS, ids=[repr(wanted) for wanted, _ in FILTERS])
def test_filters(library: Store, wanted: Filter, holds: Callable[[Tape], bool]) -> None:
    chosen = [tape for tape in EVERY if holds(tape)]
    ids = [tape.header.id for tape in chosen]
    assert list(library.tapes(wanted)) == chosen
    assert library.count(wanted) == len(chosen)
    assert library.replays(wanted)["replay"].to_list() == ids[::-1]
    results = library.seat_results(wanted)["replay"].unique(maintain_order=True).to_list()
    assert results == [id for id in ids if id != NIM.id]
    counted = sum(len(tape.events) for tape in chosen)
    assert library.kind_counts(wanted)["n"].sum() == counted
    assert library.subject_counts(wanted)["n"].sum() == sum(
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
