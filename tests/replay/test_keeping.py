"""Looking after what is stored: older stores, projections, Parquet, names, notes, and what a file still holds."""

from __future__ import annotations

import gzip
import shutil
import signal
from collections.abc import Callable, Mapping
from pathlib import Path

import duckdb
import msgspec
import polars as pl
import pytest

from core.game import Game, State
from events.errors import FormatError, SetupError
from events.jsonl import write
from events.tape import Player, Tape, sealed
from replay.errors import StoreError, UnknownReplay
from replay.storage import projections, rows
from replay.storage.database import Database
from replay.storage.projections import KIND_COUNT, SEAT_RESULT, Projection
from replay.storage.store import Filter, Store
from replay.storage.tables import STEPS, TABLES, VERSION
from tests.replay.tapes import QUEEN, Elsewhere, id_of, recorded, stored

STORED = Path(__file__).parent / "stored"


def unpacked(name: str, path: Path) -> Path:
    path.write_bytes(gzip.decompress((STORED / name).read_bytes()))
    return path


def columns(path: Path) -> list[tuple[object, ...]]:
    """Every column of a store: where, what, and whether it must be there."""
    with Database(path, TABLES, VERSION).reading() as lease:
        return lease.rows("""
            SELECT table_name, column_name, data_type, is_nullable FROM duckdb_columns()
            WHERE database_name = current_database() ORDER BY ALL
        """)


# --- older stores ----------------------------------------------------------------------------------------------------


def test_every_older_version_is_kept_as_a_file() -> None:
    assert sorted(STEPS) == list(range(1, VERSION))
    assert {f"version-{version}.duckdb.gz" for version in STEPS} <= {file.name for file in STORED.iterdir()}


@pytest.mark.parametrize("version", list(STEPS))
def test_a_store_of_an_older_version_is_taken_to_today_with_nothing_lost(
    path: Path, tmp_path: Path, version: int
) -> None:
    unpacked(f"version-{version}.duckdb.gz", path)
    before = path.read_bytes()
    store = Store(path)
    lines = b"".join([line for tape in store.tapes() for line in write(tape)])
    assert lines == gzip.decompress((STORED / "version-1.jsonl.gz").read_bytes())
    assert store.check() == []
    assert [note.text for note in store.notes(id_of(0))] == ["a good move"]
    assert store.add([recorded(5)]).new == 1
    assert store.append(id_of(500), 25, recorded(2).events[25:]) == len(recorded(2).events)
    assert store.check() == []
    assert path.with_name(f"{path.name}.v{version}").read_bytes() == before
    assert store.measure().bad == ()
    fresh = tmp_path / "fresh.duckdb"
    Store(fresh)
    assert columns(path) == columns(fresh)
    assert [each.problem for each in store.projections()] == [None, None]


def test_a_step_that_fails_leaves_the_store_as_it_was(path: Path) -> None:
    unpacked("version-1.duckdb.gz", path)
    broken = {1: (*STEPS[1], "SELECT no_such_column FROM replay")}
    with pytest.raises(Exception, match="no_such_column"):
        Database(path, TABLES, VERSION, steps=broken)
    assert Store(path).check() == []


AFTER = """
real = database.Lease.run
def run(self, sql, /, **values):
    real(self, sql, **values)
    if {words!r} in sql:
        os.kill(os.getpid(), 9)
database.Lease.run = run
"""

KILLED = {
    "before it is copied": "database.in_place = lambda *_: os.kill(os.getpid(), 9)",
    "in the midst of its steps": AFTER.format(words="ADD COLUMN id UUID"),
    "before they are committed": AFTER.format(words="SET value = $version"),
    "when they are committed": AFTER.format(words="COMMIT"),
}


@pytest.mark.parametrize("point", KILLED)
def test_a_step_in_which_the_program_is_killed_leaves_the_old_store_or_the_new(
    path: Path, elsewhere: Elsewhere, point: str
) -> None:
    before = unpacked("version-1.duckdb.gz", path).read_bytes()
    program = elsewhere(f"import os\nfrom replay.storage import database\n{KILLED[point]}\nStore(path)")
    program.ends()
    assert program.process.exitcode == -signal.SIGKILL
    store = Store(path)
    lines = b"".join([line for tape in store.tapes() for line in write(tape)])
    assert lines == gzip.decompress((STORED / "version-1.jsonl.gz").read_bytes())
    assert store.check() == []
    assert path.with_name(f"{path.name}.v1").read_bytes() == before


# --- projections -----------------------------------------------------------------------------------------------------


@pytest.fixture
def breaking(monkeypatch: pytest.MonkeyPatch) -> Callable[[Projection], None]:
    """Put another query in the place of a projection's."""

    def put(changed: Projection) -> None:
        every = tuple([changed if each.name == changed.name else each for each in (SEAT_RESULT, KIND_COUNT)])
        monkeypatch.setattr(projections, "PROJECTIONS", every)
        monkeypatch.setattr("replay.storage.store.PROJECTIONS", every)

    return put


def test_projections_are_well_and_say_how_far_they_are(store: Store, tapes: list[Tape]) -> None:
    assert [(each.name, each.position, each.lag, each.problem) for each in store.projections()] == [
        ("seat_result", 0, 0, None),
        ("kind_count", 0, 0, None),
    ]
    store.add(tapes[:2])
    store.add([sealed(tapes[2].header, tapes[2].events[:9])])
    assert [(each.position, each.lag) for each in store.projections()] == [(2, 0), (2, 0)]
    store.append(id_of(2), 9, tapes[2].events[9:])
    assert {each.position for each in store.projections()} == {store.generation()}


def test_a_projection_that_fails_stops_and_the_games_are_kept(
    path: Path, tapes: list[Tape], breaking: Callable[[Projection], None]
) -> None:
    store = stored(path, tapes[:1])
    breaking(Projection("kind_count", 1, "SELECT error('out of counts') FROM {replay} JOIN {event} ON true"))
    assert store.add(tapes[1:3]).new == 2
    store.begin(tapes[3].header)
    with store.appender() as appender:
        appender.append(id_of(3), 0, tapes[3].events)
    seats, kinds = store.projections()
    assert (seats.lag, seats.problem) == (0, None)
    assert kinds.lag == 3
    assert kinds.problem is not None
    assert "out of counts" in kinds.problem
    breaking(KIND_COUNT)
    assert any("out of counts" in str(finding) for finding in store.check())
    assert store.rebuild().bad == ()
    assert store.check() == []


def test_a_rebuild_that_fails_is_reported_and_the_others_go_on(
    path: Path, tapes: list[Tape], breaking: Callable[[Projection], None]
) -> None:
    store = stored(path, tapes[:3])
    with Database(path, TABLES, VERSION).writing() as lease:
        lease.run("DELETE FROM kind_count")
    breaking(Projection("seat_result", 1, "SELECT no_such FROM {replay} JOIN {event} ON true"))
    (bad,) = store.rebuild().bad
    assert "seat_result cannot be made" in str(bad)
    assert [(each.lag, each.problem is None) for each in store.projections()] == [(0, False), (0, True)]


def test_a_projection_of_another_version_is_made_anew(
    path: Path, tapes: list[Tape], breaking: Callable[[Projection], None]
) -> None:
    store = stored(path, tapes[:3])
    breaking(Projection("kind_count", 2, KIND_COUNT.query.replace("count(*)", "count(*) + 1")))
    (_, kinds) = store.projections()
    assert kinds.problem == "made by version 1 of its query, this has 2"
    store.add(tapes[3:4])
    assert store.projections()[1].lag == 1
    assert store.rebuild().bad == ()
    assert store.projections()[1] == projections.Health("kind_count", 2, store.generation(), 0, None)


def test_a_bad_stream_is_marked_and_the_rest_goes_on(path: Path, tapes: list[Tape]) -> None:
    store = stored(path, tapes[:4])
    with Database(path, TABLES, VERSION).writing() as lease:
        lease.run("DELETE FROM event WHERE replay = $id AND seq = 5", id=id_of(1))
        lease.run("UPDATE seat_result SET score = 0")
    for _ in range(2):
        rebuilt = store.rebuild()
        assert [finding.replay for finding in rebuilt.bad] == [id_of(1)]
        row = store.replays(Filter(ids=(id_of(1),))).row(0, named=True)
        assert (row["finished"], row["fault_step"]) == (False, 0)
        assert row["fault_reason"] == "its events are not those that were stored"
    assert store.seat_results().equals(store.seat_results(Filter(ids=(id_of(0), id_of(2), id_of(3)))))
    assert store.seat_results()["score"].sum() > 0


def test_a_game_that_is_installed_later_is_described_by_a_rebuild(
    store: Store, path: Path, tapes: list[Tape], monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_of_it(slug: str, rules: int | None = None) -> type[Game[State]]:
        raise SetupError(f"no game is called {slug!r}")

    with monkeypatch.context() as without:
        without.setattr(rows, "find", none_of_it)
        store.add(tapes[:3])
    assert store.count(Filter(finished=True)) == 0
    store.rebuild()
    assert store.check() == []
    again = Store(path.with_name("other.duckdb"))
    again.add(tapes[:3])
    assert again.count(Filter(finished=True)) == 3
    for frame in ("replays", "seat_results", "subject_counts", "kind_counts"):
        assert getattr(store, frame)().equals(getattr(again, frame)())
    query = "SELECT * FROM event ORDER BY replay, seq"
    with Database(path, TABLES, VERSION).reading() as one, Database(again.path, TABLES, VERSION).reading() as other:
        assert one.rows(query) == other.rows(query)
    assert list(store.tapes()) == tapes[:3]


# --- Parquet ---------------------------------------------------------------------------------------------------------


def test_parquet_and_back(store: Store, tapes: list[Tape], tmp_path: Path) -> None:
    custom = msgspec.structs.replace(tapes[2].header, components={"copies": [1]}, sheet="1" * 32)
    store.add([*tapes[:2], Tape(custom, tapes[2].events), sealed(tapes[3].header, ())])
    store.add_note(id_of(0), 3, "why?", seen_by=(1,))
    folder = tmp_path / "it's here"
    store.export_parquet(folder)
    assert {file.name for file in folder.iterdir()} == {f"{table}.parquet" for table in ("meta", *TABLES)}
    assert pl.read_parquet(folder / "event.parquet").height == sum(len(tape.events) for tape in store.tapes())
    other = Store(tmp_path / "other.duckdb")
    other.add([sealed(tapes[1].header, tapes[1].events[:5]), tapes[0]])
    added = other.bring(folder)
    assert (added.new, added.known, added.changed) == (2, 1, (id_of(1),))
    assert list(other.tapes(Filter(ids=(id_of(0), id_of(2), id_of(3))))) == [
        tape for tape in store.tapes() if tape.header.id != id_of(1)
    ]
    assert [row["game"] for row in other.sheets().to_dicts()] == [QUEEN]
    assert other.check() == []
    assert other.bring(folder).new == 0
    with pytest.raises(FormatError, match="is there already"):
        store.export_parquet(folder)


def spoilt(table: str, query: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        file = folder / f"{table}.parquet"
        duckdb.sql(f"CREATE OR REPLACE TABLE spoilt AS SELECT {query} FROM read_parquet('{file}') AS it")
        duckdb.sql(f"COPY spoilt TO '{file}'")

    return spoil


def rubbish(folder: Path) -> None:
    (folder / "event.parquet").write_bytes(b"rubbish")


SPOILT: Mapping[str, tuple[Callable[[Path], None], str]] = {
    "an event twice": (spoilt("event", "* REPLACE (greatest(seq, 1) AS seq)"), "not all there"),
    "a table less": (lambda folder: (folder / "event.parquet").unlink(), "has no event.parquet"),
    "no Parquet": (rubbish, "cannot"),
    "a name with a line end": (spoilt("replay", "* REPLACE (['a\nb', 'c'] AS players)"), "control characters|argument"),
    "a seat less": (spoilt("replay", "* REPLACE (['a'] AS players)"), "cannot be read"),
    "of no provenance": (spoilt("replay", "* REPLACE ('heaven' AS provenance)"), "cannot be read"),
    "a column less": (spoilt("replay", "* EXCLUDE (game)"), "cannot read"),
    "a column less that hardly any replay needs": (spoilt("replay", "* EXCLUDE (fault_step)"), "cannot read"),
    "a replay without an id": (spoilt("replay", "* REPLACE (NULL::UUID AS id)"), "of replay .* are not all there"),
    "components with a comma too many": (
        spoilt("sheet", "* REPLACE (left(components, -1) || ',}' AS components)"),
        "sheet .* cannot be read",
    ),
    "components that are no text": (
        spoilt("sheet", "* REPLACE ({'a': 1} AS components)"),
        "sheet .* cannot be read",
    ),
    "components without a bottom": (
        spoilt("sheet", "* REPLACE ('{\"a\":' || repeat('[', 9000) || repeat(']', 9000) || '}' AS components)"),
        "sheet .* cannot be read",
    ),
    "another version": (spoilt("meta", "key, '77' AS value"), "another version"),
}


@pytest.fixture(scope="module")
def believed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of tables as it should be."""
    folder = tmp_path_factory.mktemp("believed")
    custom = msgspec.structs.replace(recorded(1).header, components={"copies": [1]}, sheet="1" * 32)
    source = Store(folder / "source.duckdb")
    source.add([recorded(0), Tape(custom, recorded(1).events)])
    source.export_parquet(folder / "tables")
    return folder / "tables"


def test_a_folder_that_can_be_believed_is_taken(store: Store, believed: Path) -> None:
    assert store.bring(believed).new == 2


@pytest.mark.parametrize("what", SPOILT)
def test_a_folder_that_cannot_be_believed_leaves_nothing(
    store: Store, believed: Path, tmp_path: Path, what: str
) -> None:
    shutil.copytree(believed, tmp_path / "tables")
    spoil, words = SPOILT[what]
    spoil(tmp_path / "tables")
    with pytest.raises((FormatError, StoreError), match=words) as error:
        store.bring(tmp_path / "tables")
    assert "\n" not in str(error.value)
    assert store.count() == 0
    assert store.check() == []


# --- names, notes, what a file still holds ---------------------------------------------------------------------------


def named(tape: Tape, *players: str) -> Tape:
    return Tape(
        msgspec.structs.replace(tape.header, players=tuple([Player(name) for name in players])), tape.events, tape.fault
    )


def test_a_player_has_another_name_everywhere(store: Store, path: Path, tapes: list[Tape]) -> None:
    every = [named(tapes[0], "Ada Lovelace", "Bo"), named(tapes[4], "Bo", "Ada Lovelace"), tapes[1]]
    store.add(every)
    store.add_note(id_of(0), 2, "hm", author="Ada Lovelace")
    assert store.rename("Ada Lovelace", "A.") == 2
    assert store.rename("Ada Lovelace", "A.") == 0
    assert list(store.tapes()) == [named(tapes[0], "A.", "Bo"), named(tapes[4], "Bo", "A."), tapes[1]]
    assert set(store.seat_results(Filter(players=("A.",)))["player"]) == {"A.", "Bo"}
    assert [note.author for note in store.notes(id_of(0))] == ["A."]
    assert store.check() == []
    assert store.add(every).known == 3  # the old file brings no name back
    assert store.count(Filter(players=("Ada Lovelace",))) == 0
    before, after = store.vacuum()
    assert after <= before
    assert b"Lovelace" not in path.read_bytes()
    assert store.check() == []
    assert store.add(tapes[5:7]).new == 2


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 81])
def test_what_cannot_be_a_name(store: Store, name: str) -> None:
    with pytest.raises(FormatError, match="a name has"):
        store.rename("Ada", name)


def test_vacuum_gives_room_back_and_keeps_the_rest(path: Path, tapes: list[Tape]) -> None:
    store = stored(path, tapes)
    generation = store.generation()
    for tape in tapes[1:]:
        store.remove(tape.header.id)
    shutil.copy(path, path.with_name("kept"))
    store.vacuum()
    assert list(store.tapes()) == tapes[:1]
    assert store.generation() == generation + 11
    assert store.check() == []
    assert not path.with_name(f"{path.name}.new").exists()


def test_notes(path: Path, tapes: list[Tape]) -> None:
    store = stored(path, tapes[:2])
    late = store.add_note(id_of(0), 9, "<b>late</b>", author="Ada", kind="bookmark")
    early = store.add_note(id_of(0), 2, "early", seen_by=(0, 1))
    found = store.notes(id_of(0))
    assert [(note.id, note.step, note.text) for note in found] == [(early, 2, "early"), (late, 9, "<b>late</b>")]
    assert (found[0].seen_by, found[0].kind, found[1].author, found[1].kind) == ((0, 1), "note", "Ada", "bookmark")
    assert store.notes(id_of(1)) == []
    assert store.remove_note(early)
    assert not store.remove_note(early)
    for step in (-1, len(tapes[0].events)):
        with pytest.raises(StoreError, match="has no step"):
            store.add_note(id_of(0), step, "nowhere")
    with pytest.raises(UnknownReplay):
        store.add_note(id_of(7), 0, "nowhere")
    store.remove(id_of(0))
    store.add(tapes[:1])
    assert store.notes(id_of(0)) == []
