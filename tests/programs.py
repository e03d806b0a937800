"""Programs that run beside a test, each in a process of its own, forked off one that has everything imported.

A fresh interpreter spends most of a second on imports. What is forked off has opened nothing yet, and shares nothing
with the test or with another program.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import chdir
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]

PROGRAMS: Final = get_context("forkserver")
"""For whoever starts one by a function."""

PROGRAMS.set_forkserver_preload(["tests.drill.work", "tests.programs", "tests.replay.tapes"])


class Program:
    """A program that was started; `stdin` and `stdout` are the other ends of what it reads and prints."""

    def __init__(
        self, code: str, *arguments: str, errors: int = 2, environment: Mapping[str, str] = os.environ
    ) -> None:
        """Start it as `python -c` would from the root of the project; its standard error goes to the file `errors`."""
        reads, writes = os.pipe()
        hears, says = os.pipe()
        ends = [Connection(reads), Connection(says), Connection(os.dup(errors))]
        given = (code, arguments, dict(environment), ends)
        self.process = PROGRAMS.Process(target=_run, args=given, daemon=True)
        with chdir(ROOT):
            self.process.start()
        for end in ends:
            end.close()
        self.stdin = os.fdopen(writes, "w")
        self.stdout = os.fdopen(hears)

    def said(self) -> str:
        """Give the next line that it prints."""
        return self.stdout.readline().strip()

    def ends(self, told: str = "") -> str:
        """Tell it something last; give what it prints from then on until it has ended."""
        self.stdin.write(told)
        self.stdin.close()
        printed = self.stdout.read()
        self.process.join()
        return printed

    def kill(self) -> None:
        """End it by SIGKILL, if it has not ended yet."""
        self.process.kill()
        self.process.join()
        self.stdin.close()
        self.stdout.close()


def _run(code: str, arguments: Sequence[str], environment: Mapping[str, str], ends: Sequence[Connection]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    for number, end in enumerate(ends):
        os.dup2(end.fileno(), number)
        end.close()
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w")
    sys.argv = ["-c", *arguments]
    exec(code, {"__name__": "__main__"})
