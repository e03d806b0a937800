"""Ctrl-C for long work: the first one ends it in good order, so that what is done is kept; the second one at once."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from replay.cli.terminal import err


@contextmanager
def until_stopped() -> Iterator[Callable[[], bool]]:
    """Give the function that says whether work is to go on: until somebody presses Ctrl-C."""
    before = signal.getsignal(signal.SIGINT)
    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        stopped = True
        signal.signal(signal.SIGINT, before)
        err.print("stopping: what is at work is finished and kept (Ctrl-C again: stop at once)", style="dim")

    signal.signal(signal.SIGINT, stop)
    try:
        yield lambda: not stopped
    finally:
        signal.signal(signal.SIGINT, before)
