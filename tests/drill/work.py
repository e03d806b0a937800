"""Programs that work with a store until they are killed, and tell of each thing that they were told is safe.

A program kills itself by SIGKILL after so many seconds of its own processor time, counted from where its work begins:
how busy the machine is makes no difference to where that is.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import count
from pathlib import Path
from typing import Final
from uuid import UUID

import msgspec

from events.errors import TabletapeError
from events.jsonl import read
from events.tape import Player, Tape
from replay import logs
from replay.live.game import LiveGames, Wish
from replay.report import moves_at
from replay.storage import gate
from replay.storage.backup import backup, restore
from replay.storage.store import Store

SAID: Final = "!"
"""What a line begins with that is an error message."""

WARM: Final = 0xFFFFFFFF
"""Number of a game of which nothing is told."""

YEAR: Final = timedelta(days=365)


def tapes_in(folder: Path) -> list[Tape]:
    """Give the games that every program works with."""
    with (folder / "tapes.jsonl").open("rb") as file:
        return [found.tape for found in read(file) if found.tape is not None]


_OURS: Final = 0x0192A0008000 << 80 | 0x8 << 60


def id_of(round_: int, number: int) -> str:
    """Give the id of a game that a program of a round stores."""
    return str(UUID(int=_OURS | round_ << 32 | number))


def number_of(id: str) -> int | None:
    """Give the number of a game that a program stored, or None for one that has an id of another kind."""
    whole = UUID(id).int
    return whole & 0xFFFFFFFF if whole >> 60 == _OURS >> 60 else None


def games(folder: Path, round_: int) -> Iterator[Tape]:
    """Give games without end, each under an id of its own."""
    tapes = tapes_in(folder)
    for number in count():
        tape = tapes[number % len(tapes)]
        yield Tape(msgspec.structs.replace(tape.header, id=id_of(round_, number)), tape.events)


def tell(*words: object) -> None:
    """Say what is safe, in one write, to whoever started this program."""
    os.write(_told, f"{' '.join(map(str, words))}\n".encode())


_told = 1


def kill_after(seconds: float) -> None:
    """Kill this process when it has worked for so many seconds of processor time from now on."""
    until = time.process_time() + seconds

    def wait() -> None:
        while time.process_time() < until:
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=wait, daemon=True).start()


def let_the_clock_jump(path: Path) -> None:
    """Let every look at the clock, and the times of files, be a year off, to and fro."""
    real, off = time.time_ns, count()

    def jumped() -> timedelta:
        return YEAR * (-1 if next(off) % 2 else 1)

    class Jumping(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Jumping:
            return cls.fromtimestamp(real() / 1e9, UTC) + jumped()

    def touch() -> None:
        while True:
            for file in path.parent.glob(f"{path.name}*"):
                at = real() // 1_000_000_000 + int(jumped().total_seconds())
                with suppress(FileNotFoundError):
                    os.utime(file, (at, at))
            time.sleep(0.001)

    time.time_ns = lambda: real() + int(jumped().total_seconds()) * 1_000_000_000
    vars(gate)["datetime"] = Jumping
    threading.Thread(target=touch, daemon=True).start()


def _begun(store: Store, tape: Tape) -> Tape:
    store.begin(msgspec.structs.replace(tape.header, length=None, digest=None))
    return tape


def _append(store: Store, folder: Path, round_: int) -> None:
    for tape in games(folder, round_):
        _begun(store, tape)
        for at, event in enumerate(tape.events):
            tell(tape.header.id, store.append(tape.header.id, at, [event]))


def _grouped(store: Store, folder: Path, round_: int) -> None:
    with store.appender() as appender, ThreadPoolExecutor(4) as pool:

        def play(tape: Tape) -> None:
            for at, event in enumerate(_begun(store, tape).events):
                tell(tape.header.id, appender.append(tape.header.id, at, [event]))

        dealt = games(folder, round_)
        while True:
            for played in [pool.submit(play, next(dealt)) for _ in range(8)]:
                played.result()


def _bulk(store: Store, folder: Path, round_: int) -> None:
    dealt = games(folder, round_)
    while True:
        some = [next(dealt) for _ in range(40)]
        store.add(some, batch=20)
        for tape in some:
            tell(tape.header.id, len(tape.events))


def _live(store: Store, folder: Path, round_: int) -> None:
    with store.appender() as appender:
        at_play = LiveGames(store, appender)
        while True:
            game, _ = at_play.create(
                Wish(game="trash-pandas", players=(Player("Ann"), Player("forager", "forager")), window=0)
            )
            while not game.over:
                tell(game.id, len(game.timeline()))
                line = game.timeline()
                move = moves_at(line, len(line) - 1, 0)[0]
                game.move(0, msgspec.json.encode(move), game.seen_by(0))


def _backup(store: Store, folder: Path, round_: int) -> None:
    dealt = games(folder, round_)
    for number in count():
        tape = next(dealt)
        store.add([tape])
        tell(tape.header.id, len(tape.events))
        made = backup(store, folder / f"backup-{round_}-{number}")
        tell(made.path, made.replays)


def _restore(store: Store, folder: Path, round_: int) -> None:
    while True:
        restore(folder / "backup", store.path, force=True)
        tell("restored", 1)
        for kept in folder.glob("games.duckdb.old*"):
            kept.unlink()


def _vacuum(store: Store, folder: Path, round_: int) -> None:
    for tape in games(folder, round_):
        store.add([tape])
        store.vacuum()
        tell(tape.header.id, len(tape.events))


def _rebuild(store: Store, folder: Path, round_: int) -> None:
    for tape in games(folder, round_):
        store.add([tape])
        tell(tape.header.id, len(tape.events))
        store.rebuild()
        tell("rebuilt", 1)


def _upgrade(folder: Path) -> None:
    for done, path in enumerate(sorted(folder.glob("*/games.duckdb")), 1):
        Store(path)
        tell("upgraded", done)
    while True:  # all are done before the time is over
        time.process_time()


WORK: Final[Mapping[str, Callable[[Store, Path, int], None]]] = {
    "append": _append,
    "grouped": _grouped,
    "bulk": _bulk,
    "live": _live,
    "backup": _backup,
    "restore": _restore,
    "vacuum": _vacuum,
    "rebuild": _rebuild,
}


def _warm_up(store: Store, folder: Path, round_: int) -> None:
    """Do once what takes long the first time, so that the time to live is spent in the work itself."""
    tape = _begun(store, Tape(msgspec.structs.replace(tapes_in(folder)[0].header, id=id_of(round_, WARM)), ()))
    store.append(tape.header.id, 0, tapes_in(folder)[0].events[:1])


def main(kind: str, folder: Path, round_: int, seconds: float, jumping: bool, told: Path) -> None:
    """Work until killed, or until there is an error, which is told; into a file, as what was written there stays."""
    global _told
    _told = os.open(told, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    logs.configure(json=False, level="error")
    path = folder / "games.duckdb"
    try:
        if jumping:
            let_the_clock_jump(path)
        if kind == "upgrade":
            kill_after(seconds)
            _upgrade(folder)
        store = Store(path)
        _warm_up(store, folder, round_)
        kill_after(seconds)
        WORK[kind](store, folder, round_)
    except TabletapeError as error:
        tell(SAID, error)
