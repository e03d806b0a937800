"""Work in pieces, done by several workers: processes of this machine, or any `concurrent.futures.Executor`.

Pieces are handed out a few at a time, so memory stays flat however many there are, and what comes of them is given in
their order. Pieces of processes that died are handed out again, to new ones.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import islice
from multiprocessing import parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from threading import Lock, Thread
from types import ModuleType
from typing import Final, TypeVar

from events.errors import TabletapeError

TRIES: Final = 3
"""How often a piece is tried whose worker dies."""

AHEAD: Final = 2
"""Pieces that are handed out for each worker: one at work and one that waits."""

Piece = TypeVar("Piece")
Result = TypeVar("Result")


class WorkerLost(TabletapeError):
    """Workers ended in the middle of their work, again and again."""


def always() -> bool:
    """Say that work goes on to its end."""
    return True


def spread(
    work: Callable[[Piece], Result],
    pieces: Iterable[Piece],
    jobs: int = 1,
    executor: Executor | None = None,
    go_on: Callable[[], bool] = always,
) -> Iterator[Result]:
    """Give what `work` makes of each piece, in order: here if there is one job, else by `jobs` processes.

    Or by an executor that has `jobs` workers. `work` is a function of a module, so that it can be sent to others. Once
    `go_on` says no, nothing more is handed out, and what is at work is still given. Raises `WorkerLost`, and whatever
    `work` raises.
    """
    if executor is not None:
        yield from _handed_out(work, pieces, lambda: nullcontext(executor), AHEAD * jobs, go_on)
    elif jobs > 1:
        yield from _handed_out(work, pieces, lambda: processes(jobs), AHEAD * jobs, go_on)
    else:
        for piece in pieces if go_on() else ():
            yield work(piece)
            if not go_on():
                return


def _handed_out(
    work: Callable[[Piece], Result],
    pieces: Iterable[Piece],
    workers: Callable[[], AbstractContextManager[Executor]],
    ahead: int,
    go_on: Callable[[], bool],
) -> Iterator[Result]:
    left = iter(pieces)
    owed = deque[Piece]()
    tries = 0
    while True:
        with workers() as pool:
            try:
                futures = deque[Future[Result]]([pool.submit(work, piece) for piece in owed])
                while True:
                    for piece in islice(left, ahead - len(owed)) if go_on() else ():
                        owed.append(piece)
                        futures.append(pool.submit(work, piece))
                    if not owed:
                        return
                    result = futures.popleft().result()
                    owed.popleft()
                    tries = 0
                    yield result
            except BrokenExecutor:
                tries += 1
                if tries == TRIES:
                    raise WorkerLost(
                        f"a worker process ended in the middle of its work, {TRIES} times; was there too little memory?"
                    ) from None


class _Worker(SpawnProcess):
    """A process that imports what it is given to do, and not first what runs here: the command line, or a page."""

    def start(self) -> None:
        with _starting:
            main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
            try:
                super().start()
            finally:
                sys.modules["__main__"] = main


_starting: Final = Lock()
"""One thread at a time puts another module in the place of `__main__`."""


class _Workers(SpawnContext):
    Process = _Worker


@contextmanager
def processes(jobs: int) -> Iterator[Executor]:
    """Give fresh processes of this machine as an executor, until the block ends.

    What they are given to do must stand in a module that can be imported: they know nothing of `__main__`.
    """
    pool = ProcessPoolExecutor(jobs, mp_context=_Workers(), initializer=_begin)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """In a worker: Ctrl-C is for the process that hands out the work, and without that one there is none.

    So is what ends a whole group: of a worker that dies while it hands over a result, the rest is waited for for ever.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.setpgid(0, 0)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
