"""A lake holds what a store holds, answers what a store answers, and gives back what it was given."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from events.jsonl import halted
from events.tape import Fault, Fork, Player, Tape, sealed
from replay import frames, logs
from replay.cli import run
from replay.errors import StoreDamaged, StoreError, UnknownReplay
from replay.filters import Filter
from replay.games import load
from replay.lake import moving
from replay.lake.reading import LakeStore, open_store
from replay.lake.segments import Lake, absolute
from replay.simulate import Batch, simulate
from replay.storage.store import Store
from replay.storage.tally_sums import are_fresh
from tests.replay.tapes import QUEEN, id_of, recorded

PICNIC = "picnic-palace"
BATCH = Batch(game=PICNIC, seats=2, seed="lake", bots=("random", "random"))
HOSTILE = Player("<script>alert(1)</script> 'x'; DROP TABLE replay; --")


def changed(tape: Tape, events: tuple[bytes, ...] | None = None, **header: object) -> Tape:
    return sealed(msgspec.structs.replace(tape.header, **header), tape.events if events is None else events)


@pytest.fixture(autouse=True)
def logs_to_this_test() -> None:
    """Log to the standard error of the test that runs, not to that of an earlier one."""
    logs.configure(json=False, level="warning")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two kinds in turn, a box of its own, an unfinished game, a fault, a branch, a game unknown here; notes, tags.

    In a folder, as a store and as a lake.
    """
    folder = tmp_path_factory.mktemp("made")
    store = Store(folder / "games.duckdb")
    tapes = [recorded(number) for number in range(12)]
    picnic = list(simulate(BATCH, 5))
    sheet = msgspec.to_builtins(load(QUEEN).sheet)
    strange = changed(
        tapes[9], (b'{"type":"won"}', b"not JSON"), game="nim/\u00fc %2F..", players=(HOSTILE,), seed=None
    )
    store.add(
        [
            tapes[4],
            picnic[1],
            changed(tapes[1], components=sheet),
            changed(tapes[2], tapes[2].events[:20]),
            picnic[0],
            halted(tapes[5], Fault(30, "line 31 is not JSON")),
            changed(tapes[7], tapes[4].events[:9], fork=Fork(tapes[4].header.id, 7)),
            strange,
            *picnic[2:],
            tapes[0],
        ]
    )
    store.measure()
    store.add_note(tapes[4].header.id, 3, "why this?", author="Ada", seen_by=[1])
    store.tag(picnic[1].header.id, "odd")
    moving.export(store, Lake(folder / "lake"))
    return folder


@pytest.fixture
def mixed(made: Path, path: Path) -> Store:
    """The store, for a test to change."""
    Store(made / path.name).copy(path)
    return Store(path)


@pytest.fixture
def lake(made: Path, tmp_path: Path) -> str:
    """The same games as a lake, for a test to damage."""
    shutil.copytree(made / "lake", tmp_path / "lake")
    return str(tmp_path / "lake")


def exported(db: Path | str, capfdbinary: pytest.CaptureFixture[bytes]) -> bytes:
    capfdbinary.readouterr()
    assert run(["export", "--all", "--db", str(db)]) == 0
    return capfdbinary.readouterr().out


def event_files(lake: str) -> list[Path]:
    return sorted(Path(lake).glob("event/*/*.parquet"))


def test_store_to_lake_to_store_loses_nothing(
    mixed: Store, lake: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    other = Store(tmp_path / "other.duckdb")
    added, bad = moving.bring(Lake(lake), other)
    assert (added.new, added.refused, bad) == (mixed.count(), (), ())
    assert list(other.tapes()) == list(mixed.tapes())
    assert exported(other.path, capfdbinary) == exported(mixed.path, capfdbinary)
    for tape in mixed.tapes():
        assert other.notes(tape.header.id) == mixed.notes(tape.header.id)
    assert other.measured() == mixed.measured()
    assert other.count(Filter(tags=("odd",))) == 1
    assert other.check() == []
    again, _ = moving.bring(Lake(lake), other)
    assert (again.new, again.known) == (0, mixed.count())


ANSWERS: dict[str, Callable[[Store, Filter], object]] = {
    "replays": lambda store, wanted: store.replays(wanted).sort("replay"),
    "seat_results": Store.seat_results,
    "kind_counts": Store.kind_counts,
    "subject_counts": Store.subject_counts,
    "seat_table": lambda store, wanted: store.seat_table(wanted, ["seat", "score"]),
    "game_table": Store.game_table,
    "metric_table": lambda store, wanted: store.metric_table(PICNIC, "choices", wanted),
    "measured": Store.measured,
}
UNFILTERED: dict[str, Callable[[Store, Filter], object]] = {
    "sheets": lambda store, _: store.sheets(),
    "facets": lambda store, _: store.facets(),
    "family": lambda store, _: sorted(store.family(id_of(4))),
    "notes": lambda store, _: store.notes(id_of(4)),
}
FILTERS = (Filter(), Filter(game=QUEEN), Filter(finished=True, seats=2, branches=False), Filter(tags=("odd",)))


def test_a_lake_answers_what_the_store_answers(mixed: Store, lake: str) -> None:
    there = open_store(lake)
    asked = [(*each, wanted) for each in ANSWERS.items() for wanted in FILTERS]
    asked += [(*each, Filter()) for each in UNFILTERED.items()]
    for name, answer, wanted in asked:
        found, right = answer(there, wanted), answer(mixed, wanted)
        if isinstance(found, pl.DataFrame) and isinstance(right, pl.DataFrame):
            found, right = (found.schema, found.to_dicts()), (right.schema, right.to_dicts())
        assert found == right, (name, wanted)
    assert {tape.header.id: tape for tape in there.tapes()} == {tape.header.id: tape for tape in mixed.tapes()}
    for tape in mixed.tapes():
        assert there.read(there.find(tape.header.id)) == tape
    with pytest.raises(UnknownReplay):
        there.read(id_of(77))
    assert there.check() == []


def test_what_was_measured_is_added_up_with_each_segment_and_segments_without_sums_still_count(
    mixed: Store, lake: str
) -> None:
    sums = sorted(Path(lake).glob("tally_sum/*/*.parquet"))
    for left in (2, 1, 0):
        for file in sums[left:]:
            file.unlink(missing_ok=True)
        there = open_store(lake)
        with there._database.reading() as lease:
            assert are_fresh(lease) == (left > 0)
        for game in (PICNIC, QUEEN):
            for wanted in (Filter(branches=False), Filter(branches=False, seats=2)):
                found = there.metric_table(game, "choices", wanted)
                assert found.equals(mixed.metric_table(game, "choices", wanted))
            assert_frame_equal(there.situation_table(game, wanted), mixed.situation_table(game, wanted))


def test_frames_over_a_lake_are_those_over_the_store(mixed: Store, lake: str) -> None:
    for table in (frames.replays, frames.seats, frames.events, frames.metrics):
        for wanted in FILTERS:
            found, right = table(lake, wanted).collect(), table(mixed.path, wanted).collect()
            assert found.schema == right.schema
            assert found.sort(pl.all()).equals(right.sort(pl.all())), (table, wanted)


def test_what_is_written_later_is_a_new_segment_and_changes_none(mixed: Store, lake: str, tapes: list[Tape]) -> None:
    before = {file: file.read_bytes() for file in Path(lake).rglob("*.parquet")}
    mixed.add([tapes[3], tapes[6]])
    done = moving.export(mixed, Lake(lake), games=1)
    assert (done.new, done.known) == (2, mixed.count() - 2)
    assert {file: file.read_bytes() for file in before} == before
    assert open_store(lake).count() == mixed.count()
    assert len(event_files(lake)) == 5


def test_games_at_play_are_left_out(store: Store, tapes: list[Tape], tmp_path: Path) -> None:
    store.add([tapes[0], changed(tapes[1], tapes[1].events[:9])])
    store.keep_live(tapes[1].header.id, "{}")
    done = moving.export(store, Lake(tmp_path / "lake"))
    assert (done.new, done.at_play) == (1, 1)
    assert LakeStore(tmp_path / "lake").count() == 1


def test_a_damaged_and_a_foreign_segment_are_a_line_each_and_the_others_are_read(
    mixed: Store, lake: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def file(table: str, game: str) -> Path:
        return next(Path(lake).glob(f"{table}/game={game}/*.parquet"))

    whole = file("event", QUEEN).read_bytes()
    file("event", QUEEN).write_bytes(whole[: len(whole) // 2])
    pl.DataFrame({"who": ["knows"]}).write_parquet(file("seat_result", PICNIC))
    there = LakeStore(lake)
    assert [("event cannot be read" in line, "has who as String" in line) for line in there.lake.broken] == [
        (False, True),
        (True, False),
    ]
    assert there.count() == 1
    assert run(["lake", "check", lake]) == 1
    assert capsys.readouterr().out.count("is left out") == 2
    assert run(["lake", "import", lake, "--db", str(tmp_path / "new.duckdb")]) == 1
    assert "1 game added" in capsys.readouterr().out


def test_damage_inside_a_file_is_found_where_it_is_read(mixed: Store, lake: str, tmp_path: Path) -> None:
    events = next(Path(lake).glob(f"event/game={QUEEN}/*.parquet"))
    data = bytearray(events.read_bytes())
    for at in range(500, len(data) // 2, 50):
        data[at] ^= 0xFF
    events.write_bytes(data)
    there = LakeStore(lake)
    with pytest.raises(StoreDamaged, match="lake check"):
        there.subject_counts()
    assert there.count() == mixed.count()
    (finding,) = there.check()
    assert f"event/game={QUEEN}" in str(finding) or f"game={QUEEN}" in str(finding)
    added, bad = moving.bring(Lake(lake), Store(tmp_path / "new.duckdb"))
    assert (added.new, len(bad)) == (6, 1)
    with pytest.raises(StoreDamaged, match=QUEEN):
        list(there.tapes())


def test_a_game_that_was_changed_in_a_lake_is_refused_by_name(mixed: Store, lake: str, tmp_path: Path) -> None:
    file = next(Path(lake).glob(f"event/game={PICNIC}/*.parquet"))
    rows = pl.read_parquet(file, hive_partitioning=False)
    rows.with_columns(body=pl.col("body").str.replace('"turn":1', '"turn":2')).write_parquet(file)
    added, _ = moving.bring(Lake(lake), Store(tmp_path / "new.duckdb"))
    assert len(added.refused) == 5
    assert all("its events are not those that were recorded" in reason for reason in added.refused)
    assert len(LakeStore(lake).check()) == 5


def test_a_lake_is_only_read_and_says_what_to_do(lake: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["note", id_of(4), "x", "--at", "3"], ["simulate", QUEEN], ["rebuild"], ["vacuum"], ["measure"]):
        capsys.readouterr()
        assert run([*command, "--db", lake]) == 3, command
        assert "is only read: `tabletape lake import" in capsys.readouterr().err
    capsys.readouterr()
    assert run(["sql", "SELECT 1", "--db", lake]) == 3
    assert capsys.readouterr().err.count("\n") == 1


def test_what_is_missing_of_a_batch_is_played_and_nothing_twice(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    for count, new in ((3, 3), (3, 0), (6, 3)):
        assert moving.play(BATCH, count, Lake(lake), games=2).new == new
    (Path(lake) / str(Lake(lake).segments[2])).unlink()
    assert moving.play(BATCH, 6, Lake(lake), games=2).new == 2
    assert [segment.games for segment in Lake(lake).segments] == [2, 1, 2, 1]
    there = LakeStore(lake)
    assert list(there.tapes()) == list(simulate(BATCH, 6))
    assert there.measured().measured == 6
    summaries = [found for found, _ in moving.judge(Lake(lake))]
    assert sum(found.passed["exact"] for found in summaries) == 6


def test_an_address_needs_a_file_system_that_fsspec_knows(lake: str, mixed: Store, tmp_path: Path) -> None:
    for at in (f"file://{lake}", Path(f"file://{lake}")):  # a command takes it for a path
        assert open_store(at).count() == mixed.count()
    with pytest.raises(StoreError, match="cannot open nowhere://x"):
        Lake("nowhere://x")


def test_a_lake_that_is_not_there_is_a_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("import", "check"):
        assert run(["lake", command, str(tmp_path / "nowhere")]) == 3
        assert "there are no games in" in capsys.readouterr().err


def test_what_is_no_lake_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    for command, said in (
        (["simulate", PICNIC, "-n", "1", "--segments", str(tmp_path / "file")], "is a file: a lake is a folder"),
        (["replays", "--db", str(tmp_path / "folder")], "it is no lake, or an empty one"),
    ):
        capsys.readouterr()
        assert run(command) == 3
        err = capsys.readouterr().err
        assert said in " ".join(err.split())


def test_where_games_are_is_the_same_place_from_every_folder(tmp_path: Path) -> None:
    assert absolute("games") == str(Path.cwd() / "games")
    assert absolute(Path("s3://bucket/games")) == "s3://bucket/games"


def test_a_segment_that_only_a_worker_sees_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of that name on another machine is not the one that is meant."""
    elsewhere = str(tmp_path / "elsewhere")
    played = moving._played
    monkeypatch.setattr(moving, "_played", lambda batch, _, *rest: played(batch, elsewhere, *rest))
    with pytest.raises(StoreError, match="do all machines share it"):
        moving.play(BATCH, 2, Lake(tmp_path / "here"), measured=False)
