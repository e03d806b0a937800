"""Fixtures of the tests of the store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from events.jsonl import write
from events.tape import Tape
from replay.storage.store import Store
from tests.programs import Program
from tests.replay.tapes import PRELUDE, Elsewhere, recorded, stored

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tapes() -> list[Tape]:
    """Twelve games, three at each seat count."""
    return [recorded(number) for number in range(12)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store of a test lies."""
    return tmp_path / "games.duckdb"


@pytest.fixture
def store(path: Path) -> Store:
    """An empty store."""
    return stored(path)


@pytest.fixture
def elsewhere(path: Path, tapes: list[Tape], tmp_path: Path) -> Iterator[Elsewhere]:
    """Start programs in other processes, which end with the test."""
    file = tmp_path / "tapes.jsonl"
    file.write_bytes(b"".join([line for tape in tapes for line in write(tape)]))
    started = list[Program]()

    def start(program: str) -> Program:
        started.append(Program(PRELUDE.format(file=str(file), path=str(path)) + program))
        return started[-1]

    yield start
    for process in started:
        process.kill()
