"""Files in and out: tapes as JSON Lines, whole or as one viewer may see them.

A file is judged game by game. A game that cannot be believed from some event on is kept up to there, with the rest of
its lines beside it as they came, and is marked; its neighbours load. Files are only ever read, never changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from core.engine import refuse
from core.game import State
from core.redact import seen
from core.registry import games
from core.streams import decode
from events.base import TakenBack, kind_of
from events.codec import canonical, encode
from events.errors import FormatError, SetupError
from events.jsonl import LINE_LIMIT, halted, read, write
from events.marks import Viewer
from events.tape import Fault, Tape
from replay.games import game_of
from replay.timeline import Timeline


class Found(Struct, frozen=True):
    """One game of a file: the line it starts on, its tape if it has one, and what is wrong with it, if anything is."""

    line: int
    tape: Tape | None
    problem: str | None


def read_file(path: Path) -> Iterator[Found]:
    """Give the games of a file, judged by the rules as well; raises `FormatError` if the file cannot be read."""
    try:
        with path.open("rb") as file:
            for reading in read(_lines(file)):
                if reading.tape is None:
                    yield Found(reading.line, None, reading.problem)
                else:
                    tape, problem = judged(reading.tape)
                    yield Found(reading.line, tape, problem)
    except OSError as error:
        raise FormatError(f"cannot read {path}: {error.strerror}") from None


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Give the lines of a file; of one that is far too long only as much as it takes to see that."""
    readline = file.readline
    while line := readline(LINE_LIMIT + 2):
        if not line.endswith(b"\n") and len(line) > LINE_LIMIT:
            while (rest := readline(LINE_LIMIT)) and not rest.endswith(b"\n"):
                pass
        yield line


def judged(tape: Tape) -> tuple[Tape, str | None]:
    """Give a tape halted at its first event that is unknown or unlawful, and what is wrong, in one line.

    A game that is not installed here, or whose box is not, is kept as it is: nothing can be said of it.
    """
    if tape.header.game not in games():
        return tape, f"stored as it is: no game is called {tape.header.game!r} here"
    try:
        game = game_of(tape.header)
    except (SetupError, FormatError) as error:
        return tape, f"stored as it is: {error}"
    events, fault = decode(type(game), tape)
    along: list[State] = []
    state = game.initial()
    for step, event in enumerate(events):
        if reason := refuse(game, state, step, event):
            fault = Fault(step, f"{kind_of(event)}: {reason}")
            break
        state = along[event.to] if isinstance(event, TakenBack) else game.evolve(state, event)
        along.append(state)
    if fault is None:
        return tape, None
    if tape.fault is None:
        tape = halted(tape, fault)
    return tape, f"stops at event {fault.step}: {fault.reason}"


def lines_of(tape: Tape, viewer: Viewer | None = None) -> Iterator[bytes]:
    """Give a tape as lines: whole for None, so that it can be read again, or only what one viewer may ever see of it.

    What is written for a viewer is for reading and for other programs. It has neither the seed nor checks nor hidden
    events, and events are numbered as the viewer sees them.
    """
    if viewer is None:
        yield from write(tape)
        return
    timeline = Timeline(tape)
    header = tape.header
    yield (
        canonical(
            {
                "seen_by": viewer,
                "id": header.id,
                "game": header.game,
                "rules": header.rules,
                "sheet": header.sheet,
                "players": header.players,
                "provenance": header.provenance,
            }
        )
        + b"\n"
    )
    number = 0
    for event in timeline.events:
        shown = seen(event, viewer)
        if shown is not None:
            yield b'{"seq":%d,' % number + encode(shown)[1:] + b"\n"
            number += 1
