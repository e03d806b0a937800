"""Who may go to the database file: a turnstile and a lock, in small files beside it, both `flock`ed.

A process that dies leaves nothing locked. Where nothing can be written, files that are there already are locked all the
same, so that others' writers are heeded; where there are none, nobody can be writing from here.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from replay.errors import StoreBusy

POLL: Final = 0.002
"""Seconds between two looks at a lock that somebody else holds."""

_NOT_HERE: Final = (errno.EROFS, errno.EACCES, errno.EPERM)
"""What a file system says where nothing can be written."""


class Holder(Struct, frozen=True):
    """Who holds the database for writing: process id, command line, and since when (ISO 8601, UTC)."""

    pid: int
    command: str
    since: str

    def __str__(self) -> str:
        return f"process {self.pid} ({self.command}) has been writing to it since {self.since}"


class Gate:
    """The way to one database file. `wait` is how many seconds to wait for others."""

    def __init__(self, path: Path | str, wait: float = 10.0) -> None:
        self.path = Path(path).resolve()
        self.wait = wait
        self.longest_wait = 0.0
        """Seconds of the longest wait so far, the work that was then done not counted."""

    def side(self, ending: str) -> Path:
        """Give the file beside the database that ends in `.` and this."""
        return self.path.with_name(f"{self.path.name}.{ending}")

    def holder(self) -> Holder | None:
        """Give who is writing now, or None."""
        try:
            holder = msgspec.json.decode(self.side("lock").read_bytes(), type=Holder)
            os.kill(holder.pid, 0)
        except PermissionError:
            return holder  # alive, and somebody else's
        except (OSError, msgspec.DecodeError):
            return None
        return holder

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Keep writers out; raises `StoreBusy`."""
        with _visible(self.side("turn")) as turn, _visible(self.side("lock")) as lock:
            self._pass(turn, lock, fcntl.LOCK_SH)
            yield

    @contextmanager
    def alone(self) -> Iterator[int]:
        """Keep everybody else out; gives the turnstile, at which they queue. Raises `StoreBusy`, `OSError`."""
        with opened(self.side("turn")) as turn, opened(self.side("lock")) as lock:
            self._pass(turn, lock, fcntl.LOCK_EX)
            os.ftruncate(lock, 0)  # of a holder that died
            os.pwrite(lock, msgspec.json.encode(_ourselves()), 0)
            try:
                yield turn
            finally:
                os.ftruncate(lock, 0)

    def is_wanted(self) -> bool:
        """Say whether somebody, in this process or another, waits for the database, if that can be seen."""
        try:
            with opened(self.side("turn")) as turn:
                return is_waited_at(turn)
        except OSError:
            return False

    def _pass(self, turn: int | None, lock: int | None, how: int) -> None:
        asked = time.monotonic()
        until = asked + self.wait
        self._take(turn, fcntl.LOCK_EX, until)
        self._take(lock, how, until)
        if turn is not None:
            fcntl.flock(turn, fcntl.LOCK_UN)
        self.longest_wait = max(self.longest_wait, time.monotonic() - asked)

    def _take(self, file: int | None, how: int, until: float) -> None:
        while file is not None:
            try:
                fcntl.flock(file, how | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise StoreBusy(self._busy()) from None
            else:
                return
            time.sleep(POLL)

    def _busy(self) -> str:
        holder = self.holder()
        who = "others are reading it" if holder is None else str(holder)
        return f"{self.path} is busy: {who}; waited {self.wait:g} s, try again when that is done"


class Stay:
    """Keeps writers out while nothing is done with the file, so that what is known of it holds.

    Must be over, and ended, as soon as somebody waits.
    """

    def __init__(self, gate: Gate) -> None:
        """Take the lock, for somebody who holds it `shared` at this moment; raises `OSError` where that cannot be."""
        with ExitStack() as files:  # opened to read only, so that a disk can be made one that can only be read
            self._turn = os.open(gate.side("turn"), os.O_RDONLY)
            files.callback(os.close, self._turn)
            self._lock = os.open(gate.side("lock"), os.O_RDONLY)
            files.callback(os.close, self._lock)
            fcntl.flock(self._lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            self._files = files.pop_all()

    def is_over(self) -> bool:
        """Say whether somebody waits."""
        return is_waited_at(self._turn)

    def end(self) -> None:
        """Let the lock go, also if a child was forked that has it too."""
        fcntl.flock(self._lock, fcntl.LOCK_UN)
        self._files.close()


def is_waited_at(turn: int) -> bool:
    """Say whether somebody, in this process or another, stands at the turnstile."""
    try:
        fcntl.flock(turn, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(turn, fcntl.LOCK_UN)
    return False


@contextmanager
def opened(side: Path) -> Iterator[int]:
    """Open a file beside the database, which is made if it is not there; raises `OSError`."""
    file = os.open(side, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        yield file
    finally:
        os.close(file)


@contextmanager
def _visible(side: Path) -> Iterator[int | None]:
    """Open a file beside the database to lock it: only to read where no more may be, None if there is none then."""
    try:
        file = os.open(side, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        if error.errno not in _NOT_HERE:
            raise
        try:
            file = os.open(side, os.O_RDONLY)
        except FileNotFoundError:
            yield None
            return
    try:
        yield file
    finally:
        os.close(file)


def _ourselves() -> Holder:
    command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])[:200]
    return Holder(os.getpid(), command, datetime.now(UTC).isoformat(timespec="seconds"))
