"""Faults that the fuzzing found, each by the behaviour that it broke."""

from __future__ import annotations

import itertools
from pathlib import Path

import pyarrow as pa
import pytest

from core.streams import decode
from events import jsonl
from events.errors import FormatError
from events.jsonl import read, write
from replay.cli import run
from replay.exchange import judged, read_file
from replay.storage.store import Store
from tests.core.test_streams import StonesOfToday
from tests.fuzz.seeds import foreign, goldens


def test_an_error_repeats_a_line_at_most_of_what_came_from_outside() -> None:
    header, events = goldens()[0].header, goldens()[0].events[:5]
    for event in (b'{"type":"%b"}' % (b"x" * 9_000), b'{"type":"\\u001b[2J\\u202e\\nboo"}'):
        (reading,) = read(foreign(header, [*events, event]).splitlines())
        assert reading.tape is not None
        _, problem = judged(reading.tape)
        assert problem is not None
        assert problem.isprintable()
        assert len(problem) < 400
    stones = foreign(goldens()[0].header, [b'{"type":"card_drawn","%b":1}' % (b"[" * 9_000)])
    (reading,) = read(stones.splitlines())
    assert reading.tape is not None
    _, fault = decode(StonesOfToday, reading.tape)
    assert fault is not None
    assert len(fault.reason) < 400


def test_what_was_not_utf_8_is_no_note(tmp_path: Path) -> None:
    store = Store(tmp_path / "games.duckdb")
    store.add(goldens()[:1])
    id = goldens()[0].header.id
    for text, author in (("caf\udce9", None), ("café", "\ud800")):
        with pytest.raises(FormatError, match="a note is text"):
            store.add_note(id, 0, text, author=author)
    assert store.notes(id) == []


def test_a_file_that_does_not_end_is_read_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    tape = goldens()[0]
    lines = [*write(tape)]
    monkeypatch.setattr(jsonl, "GAME_LIMIT", sum(len(line) + jsonl.LINE_COST for line in lines))
    stray = itertools.repeat(b"no game\n", 2_000)
    found = list(read([*stray, *lines, *lines[:-1], *lines[1:], *lines]))
    assert [(each.line, each.tape == tape, each.problem) for each in found] == [
        (1, False, "2000 lines that belong to no game: a game starts with its header line"),
        (2_001, True, None),
        (2_001 + len(lines), False, f"a game of more than {jsonl.GAME_LIMIT:,} bytes, which is not read"),
        (2_001 + 3 * len(lines) - 2, True, None),
    ]


def test_a_compressed_file_that_becomes_a_thousand_times_as_large_is_read_up_to_there(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl.zst"
    whole = b"".join(write(goldens()[0]))
    for swollen in (b"\n" * 6_000_000, b"x" * 6_000_000):
        file.write_bytes(pa.compress(whole + swollen, codec="zstd", asbytes=True))
        game, problem = read_file(file)
        assert game.tape == goldens()[0]
        assert "1,000 times as large" in str(problem.problem)


def test_a_name_that_is_too_long_for_a_file_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for arguments in (["verify", "1" * 400], ["replays", "--db", str(tmp_path / ("1" * 400))]):
        assert run(arguments) in (1, 2, 3)
        assert len(capsys.readouterr().err.splitlines()) == 1
