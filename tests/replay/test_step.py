"""The debugger in the terminal, and the commands about branches and notes, driven as a user does."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from replay.cli import run
from replay.simulate import Batch, simulate
from replay.storage.store import Store

TAPES = list(simulate(Batch(game="queen-of-the-cupcakes", seats=3, seed="step", bots=("random",) * 3), 2))
ID, OTHER = [tape.header.id for tape in TAPES]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "games.duckdb"
    Store(path).add(TAPES)
    return path


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert run([str(argument) for argument in arguments]) == 0
    return capsys.readouterr().out


def stepped(
    db: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, viewer: str, commands: str
) -> list[str]:
    monkeypatch.setattr(sys, "stdin", io.StringIO(commands))
    return told(capsys, "step", ID, "--as", viewer, "--db", db).splitlines()


def heads(lines: list[str]) -> list[int]:
    """The steps that were stood at."""
    return [int(line.split(" of ")[0]) for line in lines if line.split(" of ")[0].isdigit()]


def test_commands_walk_from_a_pipe_and_a_blank_line_repeats(
    db: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = stepped(db, capsys, monkeypatch, "1", "next 3\n\nback\ngoto 9999\nfirst\nplay 1000\n")
    assert heads(lines)[:5] == [0, 3, 6, 5, len(TAPES[0].events) - 1]
    assert heads(lines)[5:] == list(range(len(TAPES[0].events)))


def test_watches_stop_in_both_directions(
    db: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = 'break event.kind == "cards_taken"\nc\nc\nrc\nbreaks\ndelete 0\nc\n'
    lines = stepped(db, capsys, monkeypatch, "spectator", commands)
    first, second, third = heads(lines)[1:]
    assert first == third < second
    assert lines[-1] == "nothing is watched: say break and a condition"


def test_bad_commands_are_told_in_one_line_and_change_nothing(
    db: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = ["frk", "goto x", "break bans > 1", "print nowhere", "fork 99", "viewer 9", "delete 0", "open zz", "choose 0"]
    lines = stepped(db, capsys, monkeypatch, "1", "\n".join([*bad, "list color=1", "next"]))
    assert len(lines) - len(stepped(db, capsys, monkeypatch, "1", "next")) == len(bad) + 1
    assert heads(lines) == [0, 1]


def test_nothing_that_a_seat_may_not_see_is_printed(
    db: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = "goto 8\nstate\ntree\ndiff 2\nlegal\nwhy\nlist\nprint pile\nwhen hands[0]\n"
    lines = stepped(db, capsys, monkeypatch, "1", commands)
    for line in lines:
        if " = " in line and ("pile" in line or "hands[0]" in line):
            assert not any(colour in line for colour in ("green", "blue", "grey", "orange", "purple", "yellow"))
    assert any(line.startswith("  hands[0] = ?") for line in lines)


def test_a_fork_is_stored_and_stood_in_and_goes_on_by_hand(
    db: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = f"goto 12\nfork 0\nlast\nchoose 0\nbranches\ncompare {ID}\nbookmark\nnote so\nnotes\n"
    lines = stepped(db, capsys, monkeypatch, "omniscient", commands)
    store = Store(db)
    assert store.count() == 3
    (branch,) = [tape for tape in store.tapes() if tape.header.fork is not None]
    assert [line for line in lines if line.startswith(">   ")]
    assert [(note.kind, note.text, note.seen_by) for note in store.notes(branch.header.id)] == [
        ("bookmark", "", ()),
        ("note", "so", ()),
    ]
    assert run(["verify", branch.header.id, "--db", str(db)]) == 0


def test_fork_and_compare_as_commands(db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = told(capsys, "fork", ID, "--at", 12, "--move", 0, "--players", "random,greedy,random", "--db", db)
    branch = made.split()[0]
    assert "differ" in told(capsys, "compare", ID, ID, "--db", db)
    assert branch in told(capsys, "compare", ID, branch, "--as", "omniscient", "--db", db)
    assert run(["fork", ID, "--at", "12", "--move", "99", "--db", str(db)]) == 2
    assert run(["verify", branch, "--db", str(db)]) == 0


def test_notes_travel_with_the_game_and_only_to_those_who_may_read_them(
    db: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for viewer, text in (("spectator", "for all"), ("1", "for seat 1"), ("omniscient", "for none")):
        told(capsys, "note", ID, text, "--at", 5, "--as", viewer, "--db", db)
    assert "for seat 1" in told(capsys, "notes", ID, "--as", 1, "--db", db)
    assert "for seat 1" not in told(capsys, "notes", ID, "--as", 0, "--db", db)
    seen = told(capsys, "export", ID, "--as", 0, "--db", db)
    assert "for all" in seen
    assert "for seat 1" not in seen
    assert "for none" not in seen
    first, second = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    told(capsys, "export", "--all", "-o", first, "--db", db)
    told(capsys, "import", first, "--db", tmp_path / "other.duckdb")
    told(capsys, "import", first, "--db", tmp_path / "other.duckdb")
    told(capsys, "export", "--all", "-o", second, "--db", tmp_path / "other.duckdb")
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes().count(b'{"note":') == 3


SPACED = '{"note": {"step": 2, "kind": "note", "text": "with spaces"}}'


def test_a_bad_note_is_told_in_one_line_and_its_game_loads(
    db: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "bad.jsonl"
    game = told(capsys, "export", ID, "--db", db)
    seat = '{"note":{"step":1,"kind":"note","seen_by":[99999]}}'
    bad = ['{"note":{"step":-1}}', '{"note":{"step":1,"kind":"note"', '{"note":{"step":99999,"kind":"note"}}', seat]
    file.write_text(game + "\n".join([*bad, '{"note":{"step":1,"kind":"note","text":"good"}}', SPACED]))
    other = tmp_path / "other.duckdb"
    assert run(["import", str(file), "--db", str(other)]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert len([line for line in printed if "note" in line and "line" in line]) == len(bad)
    assert Store(other).read(ID) == TAPES[0]
    assert [note.text for note in Store(other).notes(ID)] == ["good", "with spaces"]
