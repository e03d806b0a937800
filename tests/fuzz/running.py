"""The long run: one harness at a time, as many inputs as there is time for; what fails is made small and kept."""

from __future__ import annotations

import signal
import sys
import time
import traceback
from hashlib import blake2b
from pathlib import Path
from tempfile import gettempdir
from types import FrameType
from typing import Final

from hypothesis import HealthCheck, Phase, given, seed, settings
from msgspec import Struct

from tests.fuzz.harness import CORPUS, Feed, Harness
from tests.fuzz.inputs import inputs

BATCH: Final = 250
"""Inputs that are drawn from one seed."""

PATIENCE: Final = 20.0
"""Seconds of processor that one input may take."""


class Run(Struct):
    """How far a harness has come: inputs fed, seconds, and the faults that were found, each by where it is."""

    name: str
    inputs: int = 0
    seconds: float = 0.0
    faults: dict[str, str] = {}


class Slow(BaseException):
    """An input that takes too long; no harness takes this for an error of Tabletape's."""


def run(harness: Harness, seconds: float, first: int) -> Run:
    """Feed a harness for so many seconds, from seed `first` on; a failing input goes into the corpus."""
    done = Run(harness.name)
    began = time.monotonic()
    signal.signal(signal.SIGVTALRM, _too_slow)
    with harness.opened() as feed:
        number = first
        while time.monotonic() < began + seconds:
            _batch(harness, feed, number, began + seconds, done)
            number += 1
    done.seconds = time.monotonic() - began
    return done


def _batch(harness: Harness, feed: Feed, number: int, until: float, done: Run) -> None:
    """Feed some inputs; the first new fault is made small by hypothesis, kept, and told once."""
    failed = b""
    where = ""

    @seed(number)
    @settings(
        max_examples=BATCH,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        print_blob=False,
    )
    @given(inputs(harness.seeds(), harness.words))
    def one(text: bytes) -> None:
        nonlocal failed, where
        if time.monotonic() > until and not failed:
            return
        done.inputs += 1
        try:
            _fed(harness.name, feed, text)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) or (place := _place(error)) in done.faults:
                return
            failed, where = text, place
            raise AssertionError(place) from error

    try:
        one()
    except AssertionError as error:
        done.faults[where] = str(keep(harness.name, failed))
        print(f"{harness.name}: {where} ({done.faults[where]})", flush=True)
        traceback.print_exception(error.__cause__, file=sys.stdout)
        sys.stdout.flush()


def last_of(name: str) -> Path:
    """Give the file with the last input of a harness: of a process that was killed, what it was killed by."""
    return Path(gettempdir()) / f"tabletape-fuzz-{name}"


def _fed(name: str, feed: Feed, text: bytes) -> None:
    last_of(name).write_bytes(text)
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
    try:
        feed(text)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _too_slow(number: int, frame: FrameType | None) -> None:
    raise Slow


def _place(error: BaseException) -> str:
    """Say where an error comes from, so that it is told once."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "site-packages" not in frame.filename and "/lib/python" not in frame.filename]
    last = (ours or frames)[-1]
    return f"{type(error).__name__} in {Path(last.filename).name}, line {last.lineno}"


def keep(name: str, text: bytes) -> Path:
    """Put an input into the corpus of a harness; give where it is."""
    folder = CORPUS / name
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / blake2b(text, digest_size=5).hexdigest()
    file.write_bytes(text)
    return file
