"""Damaged stores: what is sound comes out of them, whole or up to where it stops, and what does not is named."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path
from tempfile import TemporaryFile
from zlib import crc32

import msgspec
import pytest

from events.tape import Tape, sealed
from replay import health
from replay.cli import run
from replay.errors import StoreError
from replay.storage.appending import Append
from replay.storage.database import Database
from replay.storage.repair import Repaired, repair
from replay.storage.salvage import WANTED, Piece, Salvaged, Task, Told, salvage
from replay.storage.store import Store
from replay.storage.tables import TABLES, VERSION
from replay.verify import verify
from tests.programs import Program
from tests.replay.tapes import id_of, stored


@pytest.fixture
def to(tmp_path: Path) -> Path:
    return tmp_path / "repaired.duckdb"


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork the processes that read a damaged file off one that has imported what they run: a repair starts several."""

    def run(command: list[str], input: bytes, capture_output: bool, cwd: Path) -> subprocess.CompletedProcess[bytes]:
        with TemporaryFile("w+") as errors:
            code = f"import runpy; runpy.run_module({command[-1]!r}, run_name='__main__', alter_sys=True)"
            program = Program(code, errors=errors.fileno())
            printed = program.ends(input.decode())
            errors.seek(0)
            assert program.process.exitcode is not None
            return subprocess.CompletedProcess(
                command, program.process.exitcode, printed.encode(), errors.read().encode()
            )

    monkeypatch.setattr(subprocess, "run", run)


def sound(repaired: Repaired, to: Path, tapes: list[Tape]) -> Store:
    """What must hold of everything that was saved: the new store is well, and has nothing that was not recorded."""
    store = Store(to)
    assert store.check() == []
    recorded = {tape.header.id: tape for tape in tapes}
    kept = list(store.tapes())
    assert len(kept) == repaired.whole + repaired.halted
    for tape in kept:
        assert tape.sound == recorded[tape.header.id].events[: len(tape.sound)]
        assert (tape.fault is None) == (tape == recorded[tape.header.id])
        assert verify(tape).holds == (tape.fault is None)
    return store


@pytest.mark.usefixtures("forked")
def test_whatever_byte_is_damaged_what_is_saved_is_sound(store: Store, path: Path, tapes: list[Tape], to: Path) -> None:
    for tape in tapes:
        store.add([tape])  # each in a write of its own: what was written before lies in other blocks
    whole = path.read_bytes()
    chance = random.Random("damage")
    refused = list[str]()
    for _ in range(2):
        at = chance.randrange(3 * 4096, len(whole))
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        damaged = path.read_bytes()
        try:
            repaired = repair(path, to)
        except StoreError as error:
            refused.append(str(error))
            continue
        assert path.read_bytes() == damaged
        assert len(list(sound(repaired, to, tapes).tapes())) == len(tapes) or repaired.lost
        for file in to.parent.glob("repaired.duckdb*"):
            file.unlink()
    assert len(refused) < 2
    assert all(line.startswith(f"nothing of {path} can be saved: ") and "\n" not in line for line in refused)


@pytest.mark.usefixtures("forked")
def test_streams_that_are_not_whole_are_cut_off_marked_and_named(
    store: Store, path: Path, tapes: list[Tape], to: Path
) -> None:
    tapes[6] = sealed(tapes[6].header, tapes[6].events[:9])
    store.add(tapes[:8])
    store.add_note(id_of(1), 3, "here")
    store.add_note(id_of(1), 30, "gone")
    store.tag(id_of(0), "cup")
    store.keep_live(id_of(0), "{}")
    with Database(path, TABLES, VERSION).writing() as lease:
        lease.run("DELETE FROM event WHERE replay = $id AND seq = 20", id=id_of(1))
        lease.run("DELETE FROM event WHERE replay = $id", id=id_of(2))
        lease.run("DELETE FROM replay WHERE id = $id", id=id_of(3))
        lease.run("UPDATE replay SET head = 'x'::BLOB WHERE id = $id", id=id_of(4))
        lease.run("INSERT INTO event SELECT * FROM event WHERE replay = $id AND seq = 7", id=id_of(5))
        lease.run("UPDATE event SET body = '{\"seat\":99}' WHERE replay = $id AND seq = 12", id=id_of(7))
    repaired = repair(path, to)
    assert (repaired.whole, repaired.halted) == (3, 3)
    saved = Store(to)
    assert saved.check() == []
    assert [saved.read(id_of(number)) for number in (0, 5, 6)] == [tapes[0], tapes[5], tapes[6]]
    assert saved.read(id_of(1)).events == tapes[1].events[:20]
    said = {finding.replay: str(finding) for finding in repaired.lost}
    assert (
        f"event 20 of {len(tapes[1].events)} and those behind it cannot be read; it is believed up to event 20"
        in " ".join(map(str, repaired.lost))
    )
    assert "none of its" in said[id_of(2)]
    assert "its header is lost" in said[id_of(3)]
    assert "it is believed up to event 0" in said[id_of(4)]
    assert "it is believed up to event 12" in said[id_of(7)]
    assert saved.read(id_of(7)).sound == tapes[7].events[:12]
    assert [note.text for note in saved.notes(id_of(1))] == ["here"]
    assert [note.text for note in saved.notes(id_of(0))] == ["cup"]
    assert saved.live_facts(id_of(0)) == "{}"
    assert saved.generation() > store.generation()
    with pytest.raises(StoreError, match="cannot go on"):
        saved.append(id_of(1), 20, tapes[1].events[20:])


@pytest.mark.usefixtures("forked")
def test_a_live_game_whose_facts_are_lost_stays_hidden(
    store: Store, path: Path, tapes: list[Tape], to: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = msgspec.structs.replace(tapes[0].header, provenance="live", length=None, digest=None)
    store.add([Tape(header, tapes[0].events[:9]), tapes[1]])
    store.keep_live(header.id, "{}")
    lost = Told(Piece("live"), "Corrupt database file")

    def blind(file: Path, folder: Path) -> Salvaged:
        if folder.name != "way-0":
            return Salvaged({table: [] for table in WANTED}, (), "it does not open")
        found = salvage(file, folder)
        return msgspec.structs.replace(found, files={**found.files, "live": []}, lost=(lost,))

    monkeypatch.setattr("replay.storage.repair.salvage", blind)
    repaired = repair(path, to)
    assert [str(finding) for finding in repaired.lost] == ["table live cannot be read: Corrupt database file"]
    assert Store(to).at_play() == [header.id]


@pytest.mark.usefixtures("forked")
def test_a_header_a_log_and_steps_that_are_damaged(
    path: Path, tapes: list[Tape], capfd: pytest.CaptureFixture[str]
) -> None:
    store = stored(path, tapes[:2])
    store.begin(msgspec.structs.replace(tapes[2].header, length=None, digest=None))
    to = path.with_name("games.repaired.duckdb")
    whole, steps = path.read_bytes(), path.with_name(f"{path.name}.steps")
    owner = msgspec.json.decode(path.with_name(f"{path.name}.acked").read_bytes())["store"]
    texts = [
        b"%b %b" % (owner.encode(), msgspec.json.encode([Append(id_of(2), at, tapes[2].events[at : at + 1])]))
        for at in range(6)
    ]
    journal = b"".join([b"%08x %b\n" % (crc32(text), text) for text in texts])
    path.write_bytes(b"x" * 4096 + whole[4096:])
    path.with_name(f"{path.name}.wal").write_bytes(b"rubbish")
    steps.write_bytes(journal)
    (found,) = health.database(path)
    assert (found.state, found.detail) == ("bad", f"{path} is not a database")
    assert run(["doctor", "--repair", "--db", str(path)]) == 0
    assert f"{to} has 3 whole games. {path} is as it was.\nNothing is lost.\n" in capfd.readouterr().out
    assert list(Store(to).tapes())[:2] == tapes[:2]
    assert Store(to).read(id_of(2)).events == tapes[2].events[:6]
    assert run(["doctor", "--repair", "--db", str(path)]) == 3
    assert "is there already" in capfd.readouterr().err


@pytest.mark.usefixtures("forked")
def test_a_file_of_which_nothing_is_left(path: Path, to: Path) -> None:
    path.write_bytes(b"x" * 20_000)
    with pytest.raises(StoreError, match=r"^nothing of .*games\.duckdb can be saved: [^\n]+$"):
        repair(path, to)
    assert sorted(file.name for file in path.parent.iterdir() if "repaired" in file.name) == []
    with pytest.raises(StoreError, match="there is no database"):
        repair(path.with_name("other"), to)


def test_what_duckdb_dies_of_is_passed_over(
    path: Path, tapes: list[Tape], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored(path, tapes[:2])
    events = Piece("event", 0, len(tapes[0].events) + len(tapes[1].events))
    asked = list[Task]()
    real = subprocess.run

    def dying(command: list[str], input: bytes, capture_output: bool, cwd: Path) -> subprocess.CompletedProcess[bytes]:
        asked.append(msgspec.json.decode(input, type=Task))
        if events in asked[-1].deadly:
            return real(command, input=input, capture_output=capture_output, cwd=cwd)
        return subprocess.CompletedProcess(command, -11, msgspec.json.encode(Told(events)) + b"\n", b"")

    monkeypatch.setattr(subprocess, "run", dying)
    found = salvage(path, tmp_path / "parts")
    assert [task.deadly for task in asked] == [(), (events,)]
    assert [(told.piece, told.reason) for told in found.lost] == [(events, "DuckDB did not survive it")]
    assert found.files["replay"]


@pytest.mark.usefixtures("forked")
def test_the_store_of_a_newer_program_is_left_to_it(path: Path, tapes: list[Tape], to: Path) -> None:
    stored(path, tapes[:1])
    with Database(path, TABLES, VERSION).writing() as lease:
        lease.run("UPDATE meta SET value = '99' WHERE key = 'version'")
    with pytest.raises(StoreError, match="version 99, and this program knows"):
        repair(path, to)
    assert not to.exists()


@pytest.mark.usefixtures("forked")
def test_why_nothing_can_be_saved_is_said(path: Path, tapes: list[Tape], to: Path) -> None:
    stored(path, tapes[:1])
    with path.open("r+b") as file:
        file.truncate(3 * 4096 + 100)
    with pytest.raises(StoreError, match=r"nothing of .* can be saved: (?!None)."):
        repair(path, to)
