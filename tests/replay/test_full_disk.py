"""A disk without room: told in one line, and all that was acknowledged before is there."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from replay.bench.storing import BATCH
from replay.simulate import tapes
from replay.storage.store import Store
from tests.programs import Program

ROOM = 3 << 20
"""Bytes that the disk, or a file, may have."""

FILL = """
import resource, sys
from events.errors import TabletapeError
from replay.bench.storing import BATCH, repeated
from replay.simulate import tapes
from replay.storage.store import Store

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

STEPS = """
import sys
from pathlib import Path
from events.errors import TabletapeError
from replay.bench.storing import BATCH
from replay.simulate import tapes
from replay.storage.store import Store
import msgspec

path = Path(sys.argv[1])
store = Store(path)
dealt = list(tapes(BATCH, 0, 10))
for tape in dealt:
    store.begin(msgspec.structs.replace(tape.header, length=None, digest=None))


def fill_up():
    with path.with_name("ballast").open("wb", buffering=0) as ballast:
        ballast.write(bytes(4 * {room}))


try:
    with store.appender() as appender:
        append = appender.append if sys.argv[2] == "grouped" else store.append
        for tape in dealt:
            for at, event in enumerate(tape.events):
                print(tape.header.id, append(tape.header.id, at, [event]), flush=True)
                if at == 5:
                    fill_up()
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
    subprocess.run(["umount", "--lazy", str(tmp_path)], check=True)


def _resize(disk: Path, size: int) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)


def _run(program: str, path: Path, how: str) -> str:
    """Run a program until there is no room left, which it says in one line; give what it printed before."""
    with TemporaryFile("w+") as errors:
        printed = Program(program.format(room=ROOM), str(path), how, errors=errors.fileno()).ends()
        errors.seek(0)
        said = errors.read()
    assert said.startswith("no room left for"), said
    assert said.count("\n") == 1
    return printed


def _filled(folder: Path, how: str) -> None:
    path = folder / "games.duckdb"
    safe = int(_run(FILL, path, how).split()[-1])
    dealt = [tape.events for tape in tapes(BATCH, 0, 10)]
    kept = [tape.events for tape in Store(path).tapes()]
    assert len(kept) >= safe > 0
    assert kept[:safe] == [dealt[number % 10] for number in range(safe)]


@pytest.mark.parametrize("how", ["single", "grouped"])
def test_steps_on_a_full_disk_are_kept_and_go_on_when_there_is_room(small_disk: Path, how: str) -> None:
    path = small_disk / "games.duckdb"
    _resize(small_disk, 4 * ROOM)
    said = re.findall(r"^([0-9a-f-]{36}) (\d+)$", _run(STEPS, path, how), re.MULTILINE)  # beside lines of the log
    safe = {id: int(length) for id, length in said}
    _resize(small_disk, 8 * ROOM)
    store = Store(path)
    for tape in tapes(BATCH, 0, 10):
        stored = store.read(tape.header.id).events
        assert len(stored) >= safe.get(tape.header.id, 0)
        assert stored == tape.events[: len(stored)]
        assert store.append(tape.header.id, len(stored), tape.events[len(stored) :]) == len(tape.events)
    assert max(safe.values()) > 5
    assert store.check() == []


def test_a_full_disk_is_one_line_and_nothing_acknowledged_is_lost(small_disk: Path) -> None:
    _filled(small_disk, "disk")


def test_a_file_that_may_not_grow_is_one_line_and_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    _filled(tmp_path, "quota")
