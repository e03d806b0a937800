"""The one DuckDB of this process, and which files it has attached: the only module that opens DuckDB.

A file is attached once in a process, however many threads are at work on it. Behind the last that read it stays so for
a moment, unless somebody waits for it. Nobody forks while a file is attached: the child would not have its lock.
"""

from __future__ import annotations

import atexit
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import Lock, Thread
from typing import Final
from uuid import uuid4

import duckdb

from replay.storage.gate import Gate, Stay

LOOK: Final = 0.005
"""Seconds between two looks at whether somebody waits for a file that nobody here reads any more."""

LOOKS: Final = 200
"""So many looks after it was read last it is let go, even if nobody waits."""

MEMORY: Final = Path(":memory:")
"""What is attached as a database that is nowhere but in memory."""

Written = tuple[int, int, int]
"""Which file it is, its bytes, and when it was written to last."""


def written(file: Path) -> Written | None:
    """Give in which state a file is, or None if it is not there."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


class Attachment:
    """A file as this process has it attached.

    Behind the last reader it stays attached for a while, if there is a `gate` by which others show that they wait.
    """

    def __init__(self, path: Path, gate: Gate | None = None) -> None:
        self._path = path
        self._name = f"tape_{uuid4().hex}"
        self._gate = gate
        self._users = 0
        self._read_only = True
        self._seen: Written | None = None
        """The file when it was attached."""
        self._stay: Stay | None = None
        self._looks = 0

    @contextmanager
    def used(self, read_only: bool) -> Iterator[duckdb.DuckDBPyConnection]:
        """Give a cursor that works on the file; it is attached for the first, and detached after the last, or soon.

        What was written is moved from the log into the file by that.
        """
        cursor = self._join(read_only)
        try:
            yield cursor
        finally:
            cursor.close()
            self._leave()

    def let_go(self) -> None:
        """Detach the file, if nobody here is at work on it."""
        with _mutex:
            self.let_go_alone()

    def let_go_alone(self) -> None:
        """Detach the file, as `let_go`, for somebody who has the mutex."""
        if self._stay is not None and not self._users:
            with suppress(duckdb.Error):  # nothing was written
                self._detach()

    def _join(self, read_only: bool) -> duckdb.DuckDBPyConnection:
        with _mutex:
            if self._seen != written(self._path):  # by somebody who does not ask
                self.let_go_alone()
            cursor = _instance().cursor()
            try:
                if not self._users and self._stay is None:
                    self._read_only, self._seen = read_only, written(self._path)
                    mode = "(READ_ONLY)" if read_only else ""
                    cursor.execute(f"ATTACH $path AS {self._name} {mode}", {"path": str(self._path)})
                cursor.execute(f"SET schema = '{self._name}.main'")  # USE takes 4 ms in a fresh process
                self._users += 1
            except BaseException:
                cursor.close()
                raise
            return cursor

    def _leave(self) -> None:
        with _mutex:
            self._users -= 1
            stays = False
            try:
                stays = not self._users and self._stays()
            finally:
                if not self._users and not stays:
                    self._detach()

    def _stays(self) -> bool:
        """Keep the file attached that was read, if that can be and nobody waits for it, and say whether it is."""
        if self._gate is None or not self._read_only:
            return False
        self._looks = 0
        if self._stay is None:
            try:
                self._stay = Stay(self._gate)
                Thread(target=self._watch, args=(self._stay,), name="tabletape-watch", daemon=True).start()
            except (OSError, RuntimeError):
                return False
        return not self._stay.is_over()

    def _watch(self, stay: Stay) -> None:
        """Detach the file as soon as somebody waits for it, or if nobody here has read it for a while."""
        while self._stay is stay:
            time.sleep(LOOK)
            with _mutex:
                self._looks += 1
                if self._stay is stay and not self._users and (self._looks > LOOKS or stay.is_over()):
                    self.let_go_alone()

    def _detach(self) -> None:
        stay, self._stay = self._stay, None
        try:
            _instance().execute(f"DETACH {self._name}")
        finally:
            if stay is not None:
                stay.end()


def attachment_of(path: Path) -> Attachment:
    """Give the one attachment of a database that others use too."""
    return _attachments.setdefault(path, Attachment(path, Gate(path)))


_mutex = Lock()
"""Attaching and detaching is done by one thread at a time, and nobody forks meanwhile."""

_attachments: Final[dict[Path, Attachment]] = {}
"""What this process has read or written, each file once."""


@cache
def _instance() -> duckdb.DuckDBPyConnection:
    """The one DuckDB of this process. It never loads an extension and spills into a folder for temporary files."""
    return duckdb.connect(
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "checkpoint_threshold": "1MB",  # a long log makes opening slow: 50 us a step
            "temp_directory": str(Path(tempfile.gettempdir()) / f"tabletape-{os.getpid()}"),
        }
    )


def _let_all_go() -> None:
    """Detach what nobody here is at work on, for somebody who has the mutex."""
    for attachment in list(_attachments.values()):
        attachment.let_go_alone()


def _before_fork() -> None:
    """Let all go, and keep it so: a child would have the mutex as it is then, and no thread to release it."""
    _mutex.acquire()
    _let_all_go()


def _at_exit() -> None:
    with _mutex:
        _let_all_go()


os.register_at_fork(before=_before_fork, after_in_parent=_mutex.release, after_in_child=_mutex.release)
atexit.register(_at_exit)
