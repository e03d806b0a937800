"""Figures of the store, measured where it runs: `tabletape bench` prints them with the machine and the versions.

The games are random ones, dealt from one seed and repeated under new ids, so figures are of the store alone. What runs
beside what is other processes of this module: `python -m replay.bench ROLE FILE SECONDS`, each printing what it saw.
"""

from __future__ import annotations

import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.metadata import version
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Final
from uuid import UUID

import msgspec
from msgspec import Struct

from events.tape import Tape
from replay.errors import StoreBusy
from replay.simulate import Batch, tapes
from replay.storage.appender import Appender
from replay.storage.database import Database
from replay.storage.store import Store
from replay.storage.tables import TABLES, VERSION

BATCH: Final = Batch(game="queen-of-the-cupcakes", seats=3, seed="bench", bots=("random",) * 3)
DEALT: Final = 40
"""Games that are really dealt."""
FEW: Final = 20
"""Games that a process deals which is to be killed."""
FRESH: Final = 5
"""Fresh processes that each read a replay."""
TOGETHER: Final = ("write", "bulk", "query", "query", "query")
"""What processes do that work together."""
COPIES: Final = 250
"""Of so many copies of the dealt games rows are written together: about a million."""


class Figure(Struct, frozen=True):
    """One thing that was measured, in words and figures."""

    what: str
    value: str


class Seen(Struct, frozen=True):
    """What a process saw that worked beside others: pieces of work, refusals; seconds of the longest call and wait.

    The call is with its wait; the wait is for the file alone.
    """

    done: int
    refused: int
    longest: float
    wait: float


def machine() -> str:
    """Give where figures come from: processor, cores, load, versions, seed."""
    libraries = ", ".join([f"{name} {version(name)}" for name in ("duckdb", "polars", "msgspec")])
    load = " ".join([f"{each:.1f}" for each in os.getloadavg()])
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, load {load}; Python {platform.python_version()}, {libraries}; "
        f"seed {BATCH.seed!r}"
    )


def figures(events: int, replays: int, seconds: float, kills: int) -> Iterator[Figure]:
    """Measure the store with about so many events, one replay out of so many, so many seconds of common work, kills."""
    dealt = list(tapes(BATCH, 0, DEALT))
    with tempfile.TemporaryDirectory(prefix="tabletape-bench-") as folder:
        store = Store(Path(folder) / "games.duckdb")
        games = events * DEALT // sum(len(tape.events) for tape in dealt) or 1
        yield from _bulk(store, dealt, games)
        yield from _reads(_many(store.path.with_name("many.duckdb"), dealt, replays), replays)
        yield from _appends(store, dealt, games)
        yield from _together(store, seconds)
        yield _killed(store, kills)


def repeated(dealt: Sequence[Tape], first: int, count: int) -> Iterator[Tape]:
    """Give games under new ids, numbered from `first`."""
    for number in range(first, first + count):
        tape = dealt[number % len(dealt)]
        yield msgspec.structs.replace(tape, header=msgspec.structs.replace(tape.header, id=_id(number)))


def _id(number: int) -> str:
    return str(UUID(int=0x0192A0007000 << 80 | 0x8 << 60 | number))


def _number(id: str) -> int:
    return UUID(id).int & ((1 << 60) - 1)


def _bulk(store: Store, dealt: Sequence[Tape], games: int) -> Iterator[Figure]:
    events = sum(len(dealt[number % DEALT].events) for number in range(games))
    wall, cpu = _timed(lambda: store.add(repeated(dealt, 0, games)))
    yield Figure("ingest from Python streams", f"{events / wall:,.0f} events/s ({events / cpu:,.0f} a CPU second)")
    yield Figure("bytes an event, as ingested", f"{store.path.stat().st_size / events:.1f}")
    store.vacuum()
    yield Figure("bytes an event, after vacuum", f"{store.path.stat().st_size / events:.1f}")
    folder = store.path.with_name("tables")
    wall, cpu = _timed(lambda: store.export_parquet(folder))
    yield Figure("export to Parquet", f"{events / wall:,.0f} events/s ({events / cpu:,.0f} a CPU second)")
    other = Store(store.path.with_name("other.duckdb"))
    wall, cpu = _timed(lambda: other.bring(folder))
    yield Figure("ingest from Parquet", f"{events / wall:,.0f} events/s ({events / cpu:,.0f} a CPU second)")
    other.path.unlink()


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def _many(path: Path, dealt: Sequence[Tape], count: int) -> Store:
    """Give a store of about so many replays, the dealt ones repeated by SQL. Its projections know the first only."""
    store = Store(path)
    store.add(repeated(dealt, 0, len(dealt)))
    id = f"printf('{_id(0)[:24]}%012x', copy * {len(dealt)} + old.added)::UUID"
    copies = f"FROM range($first, $last) AS copies(copy), (SELECT * FROM replay WHERE added < {len(dealt)}) AS old"
    with Database(path, TABLES, VERSION).holding() as hold:
        for first in range(1, -(-count // len(dealt)), COPIES):
            of = {"first": first, "last": min(first + COPIES, -(-count // len(dealt)))}
            with hold.transaction() as lease:
                lease.run(
                    f"INSERT INTO event SELECT event.* REPLACE ({id} AS replay) {copies} "
                    "JOIN event ON event.replay = old.id ORDER BY copy, old.added, seq",
                    **of,
                )
                lease.run(
                    f"INSERT INTO replay SELECT old.* REPLACE ({id} AS id, copy * {len(dealt)} + added AS added) "
                    f"{copies} ORDER BY copy, old.added",
                    **of,
                )
    return store


def _reads(store: Store, games: int) -> Iterator[Figure]:
    chance = random.Random(BATCH.seed)
    warm = [_timed(lambda: store.read(_id(chance.randrange(games))))[0] for _ in range(60)][10:]
    yield Figure(f"one of {games:,} replays, warm", f"{_ms(median(warm))} (slowest {_ms(max(warm))})")
    whole, cold = list[float](), list[float]()
    for _ in range(FRESH):
        started = time.perf_counter()
        cold.append(_process("read", store.path, chance.randrange(games)).longest)
        whole.append(time.perf_counter() - started)
    yield Figure(
        f"one of {games:,} replays, opened and read by a fresh process",
        f"{_ms(median(cold))} (slowest {_ms(max(cold))}); the process with its imports {_ms(median(whole))}",
    )


def _appends(store: Store, dealt: Sequence[Tape], most: int) -> Iterator[Figure]:
    for what, threads in (("one after the other", 1), ("grouped, 16 threads", 16)):
        count = min(2 * threads + 6, most)
        games = [_begun(store, tape) for tape in repeated(dealt, 10_000_000 + threads * 1000, count)]
        with store.appender() as appender, ThreadPoolExecutor(threads) as pool:
            started = time.perf_counter()
            for played in [pool.submit(_step_by_step, appender, tape) for tape in games]:
                played.result()
            wall = time.perf_counter() - started
        yield Figure(f"durable appends of a step, {what}", f"{sum(len(tape.events) for tape in games) / wall:,.0f}/s")


def _begun(store: Store, tape: Tape) -> Tape:
    store.begin(msgspec.structs.replace(tape.header, length=None, digest=None))
    return tape


def _step_by_step(appender: Appender, tape: Tape) -> None:
    for at, event in enumerate(tape.events):
        appender.append(tape.header.id, at, [event])


def _together(store: Store, seconds: float) -> Iterator[Figure]:
    processes = [_start(role, store.path, seconds) for role in TOGETHER]
    seen = [msgspec.json.decode(process.communicate()[0], type=Seen) for process in processes]
    for role in dict.fromkeys(TOGETHER):
        own = [each for each, its in zip(seen, TOGETHER, strict=True) if its == role]
        done, refused = sum(each.done for each in own), sum(each.refused for each in own)
        yield Figure(
            f"{len(own)} x {role}, together for {seconds:g} s",
            f"{done} done, {refused} refused, longest wait {_ms(max(each.wait for each in own))}, "
            f"longest call {_ms(max(each.longest for each in own))}",
        )


def _killed(store: Store, kills: int) -> Figure:
    chance = random.Random(BATCH.seed)
    dealt = list(tapes(BATCH, 0, FEW))
    lost = 0
    acknowledged = 0
    for number in range(kills):
        process = _start("append", store.path, 20_000_000 + 1000 * number)
        assert process.stdout is not None
        process.stdout.readline()  # it has begun
        time.sleep(chance.uniform(0, 1))
        process.kill()
        told = [line.split() for line in process.communicate()[0].splitlines() if line.endswith(b".")]
        for id, length in {id.decode(): int(length[:-1]) for id, length in told}.items():
            acknowledged += length
            stored = store.read(id).events
            right = stored == dealt[_number(id) % FEW].events[: len(stored)]
            lost += max(0, length - len(stored)) if right else length
    return Figure(f"{kills} SIGKILLs of an appending process", f"{acknowledged} acknowledged events, {lost} lost")


def _start(role: str, path: Path, number: float) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "replay.bench.storing", role, str(path), str(number)]
    return subprocess.Popen(command, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE)


def _process(role: str, path: Path, number: float) -> Seen:
    return msgspec.json.decode(_start(role, path, number).communicate()[0], type=Seen)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def _worked(store: Store, pieces: Iterator[Callable[[], object]], seconds: float) -> Seen:
    done = refused = 0
    longest = 0.0
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            longest = max(longest, _timed(next(pieces))[0])
            done += 1
        except StoreBusy:
            refused += 1
    return Seen(done, refused, longest, store.longest_wait())


def _steps(store: Store, dealt: Sequence[Tape]) -> Iterator[Callable[[], object]]:
    """Steps of live games, one every 50 ms."""
    for tape in repeated(dealt, 30_000_000, 1_000_000):
        _begun(store, tape)
        for at, event in enumerate(tape.events):
            time.sleep(0.05)
            yield partial(store.append, tape.header.id, at, [event])


def _bulks(store: Store, dealt: Sequence[Tape]) -> Iterator[Callable[[], object]]:
    for first in range(40_000_000, 50_000_000, 1000):
        yield partial(store.add, list(repeated(dealt, first, 1000)))


def _questions(store: Store, dealt: Sequence[Tape]) -> Iterator[Callable[[], object]]:
    """What a dashboard asks, with pauses of 0.2 s."""
    first = partial(store.read, _id(len(dealt) // 2))
    asked: tuple[Callable[[], object], ...] = (partial(store.replays, limit=50), store.count, store.kind_counts, first)
    for ask in cycle(asked):
        time.sleep(0.2)
        yield ask


def _append_for_ever(store: Store, dealt: Sequence[Tape], first: int) -> None:
    """Append games step by step, and tell of each step that is safe."""
    with store.appender() as appender:
        for tape in repeated(dealt, first, 1000):
            _begun(store, tape)
            for at, event in enumerate(tape.events):
                print(tape.header.id, f"{appender.append(tape.header.id, at, [event])}.", flush=True)


def main(role: str, path: Path, number: float) -> None:
    """Do what a role says, and print what was seen."""
    if role == "append":
        return _append_for_ever(Store(path), list(tapes(BATCH, 0, FEW)), int(number))
    if role == "read":
        seen = Seen(1, 0, _timed(lambda: Store(path).read(_id(int(number))))[0], 0)
    else:
        store = Store(path)
        pieces = {"query": _questions, "write": _steps, "bulk": _bulks}[role]
        seen = _worked(store, pieces(store, list(tapes(BATCH, 0, DEALT))), number)
    sys.stdout.buffer.write(msgspec.json.encode(seen))
    return None


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]))
