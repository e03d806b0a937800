"""The short form of the crash drill: a kill a kind. `make drill` does it some hundred times."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from events.jsonl import write
from events.tape import Tape
from replay.storage.store import Store
from tests.drill.__main__ import told
from tests.drill.kinds import Tally, judge, run
from tests.drill.work import id_of
from tests.replay.tapes import recorded


@pytest.mark.parametrize("kind", ["grouped", "bulk", "backup", "restore", "vacuum", "rebuild", "jumping clock"])
def test_a_killed_program_leaves_all_that_it_was_told_is_safe(kind: str) -> None:
    line = run(kind, 1, "short")
    assert (line.lost, line.wrong) == (0, ()), told(line)


def test_what_is_lost_or_changed_is_noticed(tmp_path: Path) -> None:
    tape = recorded(0)
    (tmp_path / "tapes.jsonl").write_bytes(b"".join(write(tape)))
    changed = (*tape.events[:5], tape.events[6], *tape.events[6:])
    games = [
        Tape(msgspec.structs.replace(tape.header, id=id_of(0, number), length=None, digest=None), events)
        for number, events in enumerate([tape.events, tape.events[:7], changed])
    ]
    Store(tmp_path / "games.duckdb").add([tape, *games])
    tally = Tally()
    judge(tmp_path, {game.header.id: 9 for game in games}, tally)
    assert (tally.acknowledged, tally.lost, tally.wrong) == (27, 2 + 9, [])
