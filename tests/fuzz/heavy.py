"""Inputs that are large, or become large: each in a process that may have little memory and little time.

Each is made as it is read, so that none needs a disk. A process that has had more than `MEMORY`, or takes more than
`SECONDS` of processor, is a fault; one that wants much more gets a `MemoryError` before the machine is full.
"""

from __future__ import annotations

import io
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO, Final
from unittest.mock import patch

import pyarrow as pa

from core.registry import find
from core.sheets import Sheet, from_json, parse
from events.codec import canonical
from events.errors import FormatError
from events.jsonl import read
from replay import exchange
from replay.experiments.plan import parse as parse_experiment
from replay.sql.query import ask
from replay.storage.store import Store
from replay.timeline import Timeline
from tests.fuzz.harness import is_a_line, ours
from tests.fuzz.running import Run
from tests.fuzz.seeds import foreign, goldens

if TYPE_CHECKING:
    from typing_extensions import Buffer  # of collections.abc from Python 3.12 on

NAME: Final = "heavy"
MEMORY: Final = 700 << 20
"""Bytes of the largest process; 200 MB of it are there after the imports."""
SECONDS: Final = 120
ROOT: Final = Path(__file__).parents[2]

PIECE: Final = 1 << 16


class _Pieces(io.RawIOBase):
    """A file that is made while it is read."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = b""

    def readable(self) -> bool:
        """It is there to be read."""
        return True

    def readinto(self, into: Buffer) -> int:
        """Give as much as there is room for."""
        room = memoryview(into)
        self._rest = self._rest or next(self._pieces, b"")
        given = self._rest[: len(room)]
        room[: len(given)] = given
        self._rest = self._rest[len(given) :]
        return len(given)


def _read(pieces: Iterator[bytes]) -> list[str]:
    """Read a file of such pieces as any other; give what is wrong with it."""

    @contextmanager
    def reading(path: Path) -> Iterator[BinaryIO]:
        yield io.BufferedReader(_Pieces(pieces))

    with patch.object(exchange, "reading", reading):
        return _problems(Path("games.jsonl"))


def _problems(file: Path) -> list[str]:
    problems = [found.problem for found in exchange.read_file(file) if found.problem is not None]
    for problem in problems:
        is_a_line(problem)
    return problems


def _begun() -> bytes:
    return foreign(goldens()[0].header, goldens()[0].events[:9])


def a_line_of_a_gigabyte(size: int) -> None:
    """One line that does not end: as an event, and where a header should be."""

    def pieces() -> Iterator[bytes]:
        yield _begun() + b'{"seq":9,"type":"'
        yield from (b"x" * PIECE for _ in range(size // PIECE))
        yield b'"}\n' + _begun()

    assert "at most" in _read(pieces())[0]


def many_blank_lines(size: int) -> None:
    """Lines that say nothing."""
    assert _read(b"\n" * PIECE for _ in range(size // PIECE)) == []


def many_lines_of_no_game(size: int) -> None:
    """Lines before any header: they are counted, not kept."""
    assert len(_read(b"no game\n" * (PIECE // 8) for _ in range(size // PIECE))) == 1


def many_events(size: int) -> None:
    """A game that does not end."""

    def pieces() -> Iterator[bytes]:
        yield foreign(goldens()[0].header, ())
        for at in range(size // PIECE):
            first = at * (PIECE // 32)
            yield b"".join([b'{"seq":%d,"type":"x"}\n' % seq for seq in range(first, first + PIECE // 32)])

    assert len(_read(pieces())) == 1


def a_million_brackets(size: int) -> None:
    """Nesting, wherever JSON or TOML is read."""
    for deep in (b"[" * size, b'{"a":' * size, b"[" * size + b"]" * size):
        event = b'{"seq":9,"type":"x","a":' + deep[: 1 << 19] + b"}\n"
        for reading in read([*_begun().splitlines(), event, b'{"tabletape":1,"id":' + deep + b"}"]):
            if reading.tape is not None:
                exchange.judged(reading.tape)
        for text in (deep, b"a = " + deep):
            for reader in (parse_experiment, _box, _box_as_json):
                with ours():
                    reader(text)


def _box(text: bytes) -> Sheet:
    return parse(text, find(goldens()[0].header.game).sheet_type)


def _box_as_json(text: bytes) -> Sheet:
    return from_json(text, find(goldens()[0].header.game).sheet_type)


def a_compressed_gigabyte(size: int) -> None:
    """A few kilobytes that become a gigabyte: one line, or lines."""
    for piece in (b" " * PIECE, b"x" * PIECE, b"\n" * PIECE):
        packed = pa.BufferOutputStream()
        with pa.CompressedOutputStream(packed, "zstd") as out:
            for _ in range(size // PIECE):
                out.write(piece)
        with TemporaryDirectory() as folder:
            file = Path(folder) / "games.jsonl.zst"
            file.write_bytes(packed.getvalue().to_pybytes())
            try:
                problems = _problems(file)
            except FormatError as error:
                problems = [str(error)]
            assert "1,000 times as large" in problems[0]


def ten_thousand_seats(size: int) -> None:
    """A header with more players than any table has."""
    header = canonical(goldens()[0].header)
    players = b",".join([b'{"name":"p%d"}' % seat for seat in range(size)])
    first, _, rest = header.partition(b'"players":[')
    events = (
        b'{"seq":0,"type":"game_started","game":"trash-pandas","rules":1,"seats":%d,"sheet":"x","options":{}}' % size
    )
    with TemporaryDirectory() as folder:
        file = Path(folder) / "games.jsonl"
        file.write_bytes(
            first + b'"players":[' + players + b"]" + rest[rest.index(b"]") + 1 :] + b"\n" + events + b"\n"
        )
        with ours():
            tapes = [found.tape for found in exchange.read_file(file) if found.tape is not None]
            store = Store(Path(folder) / "games.duckdb")
            for tape in tapes:
                with ours():
                    Timeline(tape)
            for reason in store.add(tapes).refused:
                is_a_line(reason)
            store.replays()


def sql_that_grows(size: int) -> None:
    """Queries that want all the memory or time there is."""
    with TemporaryDirectory() as folder:
        store = Store(Path(folder) / "games.duckdb")
        for query in (
            f"SELECT repeat('x', {size}) AS a",
            f"SELECT list(range) FROM range({size})",
            "SELECT count(*) FROM range(100000000) AS a, range(100000000) AS b",
            "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t",
            "SELECT " + "(" * 9000 + "1" + ")" * 9000,
        ):
            with ours():
                ask(store, query)


CASES: Final[Mapping[str, tuple[Callable[[int], None], int, int]]] = {
    case.__name__: (case, small, large)
    for case, small, large in (
        (a_line_of_a_gigabyte, 1 << 23, 1 << 30),
        (many_blank_lines, 1 << 19, 1 << 26),
        (many_lines_of_no_game, 1 << 19, 1 << 27),
        (many_events, 1 << 19, 1 << 27),
        (a_million_brackets, 30_000, 1_000_000),
        (a_compressed_gigabyte, 1 << 20, 1 << 30),
        (ten_thousand_seats, 1_000, 10_000),
        (sql_that_grows, 0, 1_000_000_000),
    )
}
"""What is done, how large it is in the test suite (0: it is too dear there), and in the long run."""


def run() -> Run:
    """Do every case at its full size, each in a process of its own."""
    done = Run(NAME)
    began = time.monotonic()
    for name in CASES:
        command = [sys.executable, "-W", "ignore", "-m", "tests.fuzz.heavy", name]
        ended = subprocess.run(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False)
        done.inputs += 1
        said = ended.stderr.strip().splitlines()
        if ended.returncode:
            done.faults[name] = said[-1] if said else f"ended with {ended.returncode}"
        if ended.returncode:
            print(f"    {name}: {done.faults[name]}", flush=True)
    done.seconds = time.monotonic() - began
    print(f"{NAME:12} {done.inputs:8,} inputs {done.seconds:8.0f} s {len(done.faults):4} faults", flush=True)
    return done


def main(name: str) -> None:
    """Do one case, in this process."""
    case, _, large = CASES[name]
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + 4 * MEMORY, taken + 4 * MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    case(large)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    print(f"    {name}: at most {most >> 20} MB")
    if most > MEMORY:
        sys.exit(f"it took {most >> 20} MB")


if __name__ == "__main__":
    main(sys.argv[1])
