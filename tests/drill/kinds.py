"""What is drilled: programs are killed in the middle of their work, disks fill up or cannot be written, clocks jump.

Each drill gives a line: how often, how much was told to be safe, how much of that is lost, and what else is wrong. All
chance is from a seed.
"""

from __future__ import annotations

import gzip
import random
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Final

from msgspec import Struct

from events.errors import TabletapeError
from events.jsonl import write
from replay.errors import StoreError
from replay.storage.backup import backup
from replay.storage.gate import Gate
from replay.storage.repair import repair
from replay.storage.store import Store
from replay.storage.tables import STEPS
from replay.verify import verify
from tests.drill.work import SAID, WORK, games, main, number_of, tapes_in
from tests.programs import PROGRAMS
from tests.replay.tapes import recorded

ROOT: Final = Path(__file__).parents[2]
STORED: Final = ROOT / "tests" / "replay" / "stored"

LONGEST: Final = 0.6
"""Seconds of processor time after which a program is killed at the latest."""

ROOM: Final = 3 << 20
"""Bytes of a disk that is to be too small."""

Acked = dict[str, int]
"""What programs were told is safe: for each stream its length, for another thing how often or how much of it."""


class Line(Struct, frozen=True):
    """How a drill went: how often, events (or pieces of work) that were acknowledged, how many of them are lost."""

    kind: str
    times: int
    acknowledged: int
    lost: int
    wrong: tuple[str, ...] = ()
    note: str = ""


class Tally:
    """What a drill has found so far."""

    def __init__(self) -> None:
        self.times = 0
        self.acknowledged = 0
        self.lost = 0
        self.wrong = list[str]()

    def line(self, kind: str) -> Line:
        """Give it as a line."""
        return Line(kind, self.times, self.acknowledged, self.lost, tuple(self.wrong))


def run(kind: str, times: int, seed: str) -> Line:
    """Do one drill so many times."""
    chance = random.Random(f"{seed}/{kind}")
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="tabletape-drill-") as name:
        folder = Path(name)
        for each in range(times):
            try:
                DRILLS.get(kind, _killed)(kind, folder, each, chance, tally)
            except _Cannot as reason:
                return Line(kind, 0, 0, 0, note=str(reason))
            except TabletapeError as error:
                tally.wrong.append(str(error))
            tally.times += 1
    return tally.line(kind)


class _Cannot(Exception):
    """Why a drill cannot be done here."""


def _furnished(folder: Path) -> Store:
    """A store with some games, and the games that programs work with; what is there already stays."""
    if not (folder / "tapes.jsonl").exists():
        tapes = [recorded(number) for number in range(6)]
        (folder / "tapes.jsonl").write_bytes(b"".join([line for tape in tapes for line in write(tape)]))
        Store(folder / "games.duckdb").add(tapes)
    return Store(folder / "games.duckdb")


# --- programs that are killed ----------------------------------------------------------------------------------------


def _seconds(chance: random.Random) -> float:
    return chance.uniform(0, LONGEST)


def _killed(kind: str, folder: Path, each: int, chance: random.Random, tally: Tally) -> None:
    """A program alone, killed at any point of its work."""
    store = _furnished(folder)
    if kind == "restore" and not (folder / "backup").exists():
        backup(store, folder / "backup")
    judge(folder, _told(_start(kind, folder, each, _seconds(chance))), tally)


def _jumping(kind: str, folder: Path, each: int, chance: random.Random, tally: Tally) -> None:
    """A program whose clock jumps by years, to and fro, and so do the times of the files."""
    _furnished(folder)
    kind = chance.choice(("append", "grouped", "live"))
    judge(folder, _told(_start(kind, folder, each, _seconds(chance), jumping=True)), tally)


def _together(kind: str, folder: Path, each: int, chance: random.Random, tally: Tally) -> None:
    """Two programs on one store, both killed, each at a point of its own; the other goes on meanwhile."""
    _furnished(folder)
    pair = [_start(chance.choice(list(WORK)[:4]), folder, 2 * each + one, _seconds(chance)) for one in range(2)]
    acked = Acked()
    for process in pair:
        acked |= _told(process)
    judge(folder, acked, tally)


def _upgraded(kind: str, folder: Path, each: int, chance: random.Random, tally: Tally) -> None:
    """Stores of an older version, and a program that is killed while it takes one after the other to today's."""
    version = chance.choice(list(STEPS))
    own = folder / str(each)
    older = gzip.decompress((STORED / f"version-{version}.duckdb.gz").read_bytes())
    for number in range(6):
        (own / str(number)).mkdir(parents=True)
        (own / str(number) / "games.duckdb").write_bytes(older)
    tally.acknowledged += _told(_start("upgrade", own, each, _seconds(chance))).get("upgraded", 0)
    for path in own.rglob("games.duckdb"):
        copy = Gate(path).side(f"v{version}")
        if copy.exists() and copy.read_bytes() != older:
            tally.wrong.append(f"{copy.name} is not what the store was")
        store = Store(path)
        lines = b"".join([line for tape in store.tapes() for line in write(tape)])
        if lines != gzip.decompress((STORED / "version-1.jsonl.gz").read_bytes()):
            tally.lost += 1
        tally.wrong += [str(finding) for finding in store.check()]
        if copy.exists() and copy.read_bytes() != older:
            tally.wrong.append(f"{copy.name} is not what the store was")


class _Program(Struct):
    """A program that was started, and the file into which it tells what is safe."""

    process: ForkServerProcess
    told: Path


def _start(kind: str, folder: Path, each: int, seconds: float, jumping: bool = False) -> _Program:
    told = Path(tempfile.mkdtemp(dir=tempfile.gettempdir(), prefix="tabletape-told-")) / "told"
    process = PROGRAMS.Process(target=main, args=(kind, folder, each, seconds, jumping, told))
    process.start()
    return _Program(process, told)


def _told(program: _Program) -> Acked:
    """What a program told until it died; raises the error that it met with instead."""
    program.process.join()
    lines = program.told.read_text().splitlines() if program.told.exists() else []
    shutil.rmtree(program.told.parent)
    acked = Acked()
    for line in lines:
        what, *rest = line.split(" ")
        if what == SAID:
            raise _Said(" ".join(rest), acked)
        acked[what] = max(acked.get(what, 0), int(rest[0]))
    if program.process.exitcode != -signal.SIGKILL:
        raise RuntimeError(f"a program ended with {program.process.exitcode} before it was killed")
    return acked


class _Said(TabletapeError):
    """The error that a program met with, and what it told before."""

    def __init__(self, message: str, acked: Acked) -> None:
        super().__init__(message)
        self.acked = acked


def judge(folder: Path, acked: Acked, tally: Tally) -> None:
    """Whether everything that was told is there, and all is well with it."""
    store = Store(folder / "games.duckdb")
    tally.wrong += [str(finding) for finding in store.check()]
    tally.wrong += [f"{tape.header.id} is not there" for tape in tapes_in(folder) if store.read(tape.header.id) != tape]
    dealt = tapes_in(folder)
    for name, length in acked.items():
        tally.acknowledged += length
        if name.startswith("/"):
            copy = Store(Path(name))
            tally.lost += max(0, length - copy.count())
            tally.wrong += [f"{name}: {finding}" for finding in copy.damage()]
        elif "-" in name:
            tape = store.read(name)
            tally.lost += max(0, length - len(tape.events))
            number = number_of(name)
            if number is None:  # a live game: what is legal and as it was dealt is as it was played
                tally.wrong += [f"{name}: {failure.reason}" for failure in verify(tape).failures]
            elif tape.events != dealt[number % len(dealt)].events[: len(tape.events)]:
                tally.lost += length
    for left in folder.glob("backup-*"):
        if left.is_file() and "." not in left.name and str(left) not in acked:
            tally.wrong += [f"{left.name}: {finding}" for finding in Store(left).damage()]


# --- damage ----------------------------------------------------------------------------------------------------------


def _damaged(kind: str, folder: Path, each: int, chance: random.Random, tally: Tally) -> None:
    """A file that is damaged anywhere: what comes out is sound, and what does not is named, or nothing comes out."""
    store = _furnished(folder)
    if not each:
        for number in range(4):  # in several writes, whose blocks lie apart
            store.add(islice(games(folder, number), 60))
    own = folder / str(each)
    own.mkdir()
    file = bytearray((folder / "games.duckdb").read_bytes())
    at = chance.randrange(len(file))
    match chance.choice(("a byte", "a page", "the end", "the log")):
        case "a byte":
            file[at] ^= 1 << chance.randrange(8)
        case "a page":
            file[at : at + 4096] = bytes(len(file[at : at + 4096]))
        case "the end":
            del file[-chance.randrange(len(file) // 3) :]
        case _:
            (own / "games.duckdb.wal").write_bytes(chance.randbytes(5000))
    (own / "games.duckdb").write_bytes(file)
    there = {tape.header.id: tape for tape in store.tapes()}
    try:
        repaired = repair(own / "games.duckdb", own / "repaired")
    except StoreError as error:
        if not str(error).startswith("nothing of ") or "\n" in str(error):
            tally.wrong.append(str(error))
        return
    saved = Store(own / "repaired")
    tally.wrong += [str(finding) for finding in saved.check()]
    whole = 0
    for tape in saved.tapes():
        whole += tape == there[tape.header.id]
        tally.acknowledged += len(tape.sound)
        if tape.sound != there[tape.header.id].events[: len(tape.sound)]:
            tally.lost += len(tape.sound)
    if whole != repaired.whole or (whole < len(there) and not repaired.lost):
        tally.wrong.append(f"{whole} of {len(there)} games are whole, and {len(repaired.lost)} things were said")


# --- disks -----------------------------------------------------------------------------------------------------------


@contextmanager
def _disk(folder: Path, size: int) -> Iterator[Path]:
    disk = folder / "disk"
    disk.mkdir(exist_ok=True)
    mounted = _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk))
    if mounted.returncode:
        raise _Cannot(f"no disk can be mounted here: {mounted.stderr.strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def _mount(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["mount", *arguments], capture_output=True, text=True)


def _full(kind: str, folder: Path, each: int, chance: random.Random, tally: Tally) -> None:
    """A disk that is full before the program is done, and has room again."""
    with _disk(folder, 2 * ROOM) as disk:
        _furnished(disk)
        (disk / "ballast").write_bytes(bytes(chance.randrange(ROOM)))
        acked = Acked()
        try:
            _told(_start(chance.choice(("grouped", "bulk")), disk, 1, 60))
            tally.wrong.append("the disk was never full")
        except _Said as error:
            acked = error.acked
            if not str(error).startswith("no room left for"):
                tally.wrong.append(str(error))
        _mount("-o", f"remount,size={8 * ROOM}", str(disk))
        judge(disk, acked, tally)


def _frozen(kind: str, folder: Path, each: int, chance: random.Random, tally: Tally) -> None:
    """A disk that can only be read: all is there, and what would write says what to do."""
    with _disk(folder, 16 * ROOM) as disk:
        _furnished(disk)
        acked = _told(_start("grouped", disk, 1, _seconds(chance)))
        Store(disk / "games.duckdb").count()  # what was left behind can only be put in where that can be written
        _mount("-o", "remount,ro", str(disk))
        try:
            _told(_start(chance.choice(("append", "grouped", "bulk", "vacuum", "rebuild")), disk, 2, 60))
            tally.wrong.append("what writes went on where nothing can be written")
        except _Said as error:
            if not str(error).startswith("nothing can be written to"):
                tally.wrong.append(str(error))
        judge(disk, acked, tally)
        _mount("-o", "remount,rw", str(disk))


Drill = Callable[[str, Path, int, random.Random, Tally], None]

DRILLS: Final[Mapping[str, Drill]] = {
    "upgrade": _upgraded,
    "together": _together,
    "jumping clock": _jumping,
    "damaged file": _damaged,
    "full disk": _full,
    "read-only disk": _frozen,
}

KINDS: Final = (*WORK, *DRILLS)

DISKS: Final = ("full disk", "read-only disk")
"""Drills in which nobody is killed at random: a few are enough."""
