"""Ctrl-C for long work: the first one ends it in good order, so that what is done is kept; the second one at once.

SIGTERM, with which `kill`, `timeout`, containers and service managers end a program, counts as Ctrl-C, however often it
comes: `timeout` sends it to the program and to its group, and who will not wait sends SIGKILL.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from replay.cli.terminal import err

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def until_stopped() -> Iterator[Callable[[], bool]]:
    """Give the function that says whether work is to go on: until somebody presses Ctrl-C."""
    before = {each: signal.getsignal(each) for each in SIGNALS}
    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        signal.signal(signal.SIGINT, before[signal.SIGINT])
        if stopped:
            return
        stopped = True
        err.print("stopping: what is at work is finished and kept (Ctrl-C again: stop at once)", style="dim")

    for each in SIGNALS:
        signal.signal(each, stop)
    try:
        yield lambda: not stopped
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
