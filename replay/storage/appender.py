"""Many small appends in one process, e.g. of a server at which games are played: one lease and one commit for many.

    with store.appender() as appender:
        length = appender.append(id, expected, events)    # by any number of threads

A thread of its own writes. It keeps the file as long as nobody else waits for it, and writes what has come together in
the meantime at once: into the journal, which is enough to be safe, and before it lets go into the database. An append
is on the disk when `append` returns.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Final, NamedTuple

import structlog

from events.errors import TabletapeError
from replay.errors import StoreError
from replay.storage.appending import Append, Ends, Expected
from replay.storage.database import Database, Hold

MOST: Final = 256
"""Appends that are made safe together."""

JOURNAL: Final = 1 << 20
"""Bytes that the journal may have: to put so many into the database takes a tenth of a second or so."""

LINGER: Final = 0.2
"""Seconds for which the file is kept after the last append."""

LOOK: Final = 0.005
"""Seconds between two looks at whether somebody waits."""


log = structlog.get_logger("tabletape")


class _Wish(NamedTuple):
    append: Append
    answer: Future[int]


class Appender:
    """Appends for as long as its `with` block lasts. May be used by several threads."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._wishes: SimpleQueue[_Wish | None] = SimpleQueue()
        self._closed = False
        self._door = threading.Lock()
        self._thread = threading.Thread(target=self._serve, name="tabletape-appender", daemon=True)

    def __enter__(self) -> Appender:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._close()
        self._thread.join()

    def append(self, id: str, expected: Expected, events: Sequence[bytes]) -> int:
        """Append events to a stream, as `Store.append` does, and wait until they are safe."""
        wish = _Wish(Append(id, expected, tuple(events)), Future())
        with self._door:
            if self._closed:
                raise StoreError("this appender is closed")
            self._wishes.put(wish)
        return wish.answer.result()

    def _close(self) -> None:
        """Let nobody in any more; those who are in are served."""
        with self._door:
            self._closed = True
            self._wishes.put(None)

    def _serve(self) -> None:
        try:
            while wishes := self._gathered(self._wishes.get()):
                self._write(wishes)
        except BaseException as error:  # a mistake of ours: nobody may be left waiting for an answer
            self._close()
            while wishes := self._gathered(self._wishes.get()):
                _disappoint(wishes, error)
            raise

    def _write(self, wishes: list[_Wish]) -> None:
        """Take the file and write, for as long as nobody else wants it."""
        try:
            with self._database.holding() as hold:
                ends = Ends(hold)
                while wishes:
                    _answer(ends, wishes)
                    if hold.journal.size > JOURNAL:
                        ends.settle()
                    wishes = self._next(hold)
                ends.settle()
        except BaseException as error:
            _disappoint(wishes, error)
            if not isinstance(error, TabletapeError):
                raise
            log.warning("append_failed", store=str(self._database.path), appends=len(wishes), error=str(error))

    def _next(self, hold: Hold) -> list[_Wish]:
        """The next appends, if they come before anybody else wants the file and before it was kept for too long."""
        until = time.monotonic() + LINGER
        while not hold.wanted() and time.monotonic() < until:
            try:
                return self._gathered(self._wishes.get(timeout=LOOK))
            except Empty:
                pass
        return []

    def _gathered(self, first: _Wish | None) -> list[_Wish]:
        """An append and those that wait behind it; none if this is the end, which then is found again."""
        wishes = list[_Wish]()
        wish = first
        while wish is not None:
            wishes.append(wish)
            if len(wishes) == MOST:
                return wishes
            try:
                wish = self._wishes.get_nowait()
            except Empty:
                return wishes
        self._wishes.put(None)
        return wishes


def _answer(ends: Ends, wishes: Sequence[_Wish]) -> None:
    answers = ends.take([wish.append for wish in wishes])
    ends.keep()
    for wish, answer in zip(wishes, answers, strict=True):
        if isinstance(answer, int):
            wish.answer.set_result(answer)
        else:
            wish.answer.set_exception(answer)


def _disappoint(wishes: Sequence[_Wish], error: BaseException) -> None:
    for wish in wishes:
        if not wish.answer.done():
            wish.answer.set_exception(error)
