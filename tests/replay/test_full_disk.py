"""A disk without room: told in one line, and all that was acknowledged before is there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from replay.bench import BATCH
from replay.simulate import tapes
from replay.store import Store

ROOM = 3 << 20
"""Bytes that the disk, or a file, may have."""

FILL = """
import resource, sys
from events.errors import TabletapeError
from replay.bench import BATCH, repeated
from replay.simulate import tapes
from replay.store import Store

if sys.argv[2] == "quota":
    resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))
try:
    store = Store(sys.argv[1])
    for first in range(0, 1_000_000, 50):
        store.add(repeated(list(tapes(BATCH, 0, 10)), first, 50))
        print(first + 50, flush=True)
except TabletapeError as error:
    print(error, file=sys.stderr)
"""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", str(tmp_path)], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted here: {mounted.stderr.strip()}")
    yield tmp_path
    subprocess.run(["umount", str(tmp_path)], check=True)


def _filled(folder: Path, how: str) -> None:
    path = folder / "games.duckdb"
    filled = subprocess.run(
        [sys.executable, "-c", FILL.format(room=ROOM), str(path), how],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
    )
    assert filled.stderr.startswith("no room left for"), filled.stderr
    assert filled.stderr.count("\n") == 1
    safe = int(filled.stdout.split()[-1])
    dealt = [tape.events for tape in tapes(BATCH, 0, 10)]
    kept = [tape.events for tape in Store(path).tapes()]
    assert len(kept) >= safe > 0
    assert kept[:safe] == [dealt[number % 10] for number in range(safe)]


def test_a_full_disk_is_one_line_and_nothing_acknowledged_is_lost(small_disk: Path) -> None:
    _filled(small_disk, "disk")


def test_a_file_that_may_not_grow_is_one_line_and_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    _filled(tmp_path, "quota")
