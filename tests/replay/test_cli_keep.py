"""The commands that look after what is stored, and what Ctrl-C leaves."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from tempfile import TemporaryFile

import msgspec
import pytest

from events.tape import Tape
from replay import health
from replay.cli import run
from replay.exchange import lines_of, writing
from replay.storage.database import Database
from replay.storage.store import Filter, Store
from replay.storage.tables import TABLES, VERSION
from tests.programs import Program
from tests.replay.tapes import QUEEN, SMALL, id_of


@pytest.fixture
def filled(store: Store, tapes: list[Tape], monkeypatch: pytest.MonkeyPatch, path: Path) -> Store:
    monkeypatch.setenv("TABLETAPE_DB", str(path))
    monkeypatch.chdir(path.parent)
    store.add(tapes[:4])
    return store


def test_rebuild_marks_a_bad_stream_and_goes_on(filled: Store, path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["rebuild"]) == 0
    with Database(path, TABLES, VERSION).writing() as lease:
        lease.run("DELETE FROM event WHERE replay = $id AND seq = 5", id=id_of(1))
        lease.run("DELETE FROM seat_result")
    assert run(["rebuild"]) == 1
    assert f"replay {id_of(1)}: its events are not those that were stored" in capfd.readouterr().out
    assert filled.seat_results().height > 0


def test_doctor_tells_of_projections(filled: Store, path: Path) -> None:
    told = [finding for finding in health.database(path) if finding.what == "projection kind_count"]
    assert [(finding.state, finding.detail) for finding in told] == [
        ("ok", "version 1, last written by write 1, lacks 0 games")
    ]
    with Database(path, TABLES, VERSION).writing() as lease:
        lease.run("DELETE FROM seat_result WHERE replay = $id", id=id_of(1))
    (bad,) = [finding for finding in health.database(path) if finding.what == "projection seat_result"]
    assert (bad.state, bad.detail) == ("bad", "version 1, last written by write 1, lacks 1 games")


def test_doctor_says_when_nobody_can_tell_whether_the_last_writes_are_there(filled: Store, path: Path) -> None:
    path.with_name(f"{path.name}.acked").unlink()
    (told,) = [finding for finding in health.database(path) if finding.state == "note"]
    assert "games.duckdb.acked is not beside it: whether its last writes and steps are there" in told.detail


def test_remove_rename_anonymise_and_vacuum(filled: Store, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["remove", id_of(2)]) == 0
    assert filled.count() == 3
    assert run(["rename", "player 0", "[b]Ada[/b]"]) == 0
    assert filled.count(Filter(players=("[b]Ada[/b]",))) == 3
    assert "player 0 is [b]Ada[/b] in 3 replays" in capfd.readouterr().out
    assert run(["anonymise", "[b]Ada[/b]"]) == 0
    assert all(row["players"][0].startswith("anonymous-") for row in filled.replays().to_dicts())
    assert run(["anonymise", "nobody"]) == 1
    assert run(["rename", "player 1", ""]) == 1
    assert run(["remove", id_of(2)]) == 2
    assert run(["vacuum"]) == 0
    assert filled.check() == []


def test_compressed_files_and_parquet_there_and_back(filled: Store, tapes: list[Tape], path: Path) -> None:
    assert run(["export", "--all", "-o", "a.jsonl.zst"]) == 0
    assert run(["export", "--all", "-o", "a.jsonl"]) == 0
    assert run(["export", "--parquet", "tables"]) == 0
    assert run(["export", "--parquet", "tables"]) == 1
    assert run(["export", "--all", "--parquet", "more"]) == 2
    assert (path.parent / "a.jsonl").read_bytes() == b"".join([line for tape in tapes[:4] for line in lines_of(tape)])
    for file in ("a.jsonl.zst", "tables"):
        assert run(["import", file, "--db", f"{file}.db"]) == 0
        assert list(Store(path.parent / f"{file}.db").tapes()) == tapes[:4]
    assert run(["verify", "a.jsonl.zst"]) == 0


@pytest.mark.parametrize("content", [b"", b"rubbish"])
def test_a_file_that_is_not_compressed_at_all(path: Path, capfd: pytest.CaptureFixture[str], content: bytes) -> None:
    file = path.with_name("b.jsonl.zst")
    file.write_bytes(content)
    assert run(["import", str(file), "--db", str(path)]) == (1 if content else 0)
    said = capfd.readouterr().err
    assert said.count("\n") == (1 if content else 0)


def test_of_a_compressed_file_that_is_cut_off_what_can_be_read_is_kept(
    store: Store, path: Path, tapes: list[Tape], capfd: pytest.CaptureFixture[str]
) -> None:
    file = path.with_name("b.jsonl.zst")
    many = [
        msgspec.structs.replace(tape, header=msgspec.structs.replace(tape.header, id=id_of(at * 12 + number)))
        for at in range(15)
        for number, tape in enumerate(tapes)
    ]
    with writing(file) as whole:
        whole.writelines([line for tape in many for line in lines_of(tape)])
    file.write_bytes(file.read_bytes()[:-20])
    assert run(["import", str(file), "--db", str(path)]) == 1
    assert "the file cannot be read to its end" in capfd.readouterr().out
    stored = list(store.tapes())
    assert stored[:-1] == many[: len(stored) - 1]
    assert len(stored) > 1


def test_ctrl_c_leaves_whole_streams_and_says_so(path: Path) -> None:
    with TemporaryFile("w+") as errors:
        running = Program(SMALL, "simulate", QUEEN, "-n", "1000000", "--db", str(path), errors=errors.fileno())
        store = Store(path)
        while not store.count():
            assert running.process.is_alive()
            time.sleep(0.1)
        assert running.process.pid is not None
        os.kill(running.process.pid, signal.SIGINT)
        running.ends()
        errors.seek(0)
        assert errors.read().splitlines() == [
            "stopping: what is at work is finished and kept (Ctrl-C again: stop at once)",
            "tabletape: stopped; what was stored until then stays",
        ]
    assert running.process.exitcode == 130
    assert store.count() > 0
    assert store.check() == []
