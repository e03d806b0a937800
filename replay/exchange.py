"""Files in and out: tapes as JSON Lines, plain or compressed, whole or as one viewer may see them.

A file is judged game by game. A game that cannot be believed from some event on is kept up to there, with the rest of
its lines beside it as they came, and is marked; its neighbours load. Files are only ever read, never changed.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

import pyarrow as pa
from msgspec import Struct

from core.registry import games
from core.streams import decode, lawful
from events.codec import canonical, encode
from events.errors import FormatError, SetupError
from events.jsonl import LINE_LIMIT, Remark, halted, read, write, write_note
from events.marks import Viewer
from events.tape import Tape
from replay.games import game_of
from replay.notes import Note, as_seen, remark_of
from replay.timeline import Timeline

COMPRESSED = ".zst"
"""The ending of files that are compressed (zstd)."""

PACKED: Final = 1_000
"""How many times larger a compressed file may become: one of games becomes some twenty times as large."""


class Found(Struct, frozen=True):
    """One game of a file: the line it starts on, its tape if it has one, and what is wrong with it, if anything is.

    `notes` are those of its notes that are sound; of one that is not, there is a `Found` of its own, without a tape.
    `step` is the first event that cannot be believed, or None where none or no single one is to blame.
    """

    line: int
    tape: Tape | None
    problem: str | None
    step: int | None = None
    notes: tuple[Remark, ...] = ()


@contextmanager
def reading(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading; one whose name ends in `.zst` is taken out of its compression."""
    compression = "zstd" if path.suffix == COMPRESSED else None
    with pa.input_stream(str(path), compression=compression) as stream:
        yield io.BufferedReader(stream)


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """Make a file, which may not be there yet, for writing; one whose name ends in `.zst` is compressed."""
    with path.open("xb") as file:
        if path.suffix != COMPRESSED:
            yield file
            return
        with pa.CompressedOutputStream(file, "zstd") as stream:
            yield stream


def read_file(path: Path) -> Iterator[Found]:
    """Give the games of a file, judged by the rules as well; raises `FormatError` if the file cannot be read.

    Of a file that can be read only up to somewhere (damaged, compressed) the games up to there are given.
    """
    failed = list[str]()
    number = 0
    try:
        most = path.stat().st_size * PACKED if path.suffix == COMPRESSED else None
        with reading(path) as file:
            for game in read(_lines(file, failed, most)):
                number = game.line
                if game.tape is None:
                    yield Found(game.line, None, game.problem)
                else:
                    tape, problem = judged(game.tape)
                    step = None if problem is None or tape.fault is None else tape.fault.step
                    notes = tuple([note for note in game.notes if note.step < len(tape.events)])
                    yield Found(game.line, tape, problem, step, notes)
                    yield from [Found(line, None, reason) for line, reason in game.bad_notes]
                    lost = [note.step for note in game.notes if note not in notes]
                    yield from [Found(game.line, None, f"a note on step {at}, which is not there") for at in lost]
    except OSError as error:
        failed.append(error.strerror or str(error))
    if failed and not number:
        raise FormatError(f"cannot read {path}: {failed[0]}")
    if failed:
        yield Found(number, None, f"the file cannot be read to its end: {failed[0]}")


def _lines(file: BinaryIO, failed: list[str], most: int | None) -> Iterator[bytes]:
    """Give the lines of a file as far as it can be read; of one far too long only as much as it takes to see that.

    A file that becomes longer than `most` is no file of games, but made to fill the machine: it is read up to there.
    """
    readline = file.readline
    size = 0
    try:
        while line := readline(LINE_LIMIT + 2):
            size += len(line)
            if not line.endswith(b"\n") and len(line) > LINE_LIMIT:
                while (rest := readline(LINE_LIMIT)) and not rest.endswith(b"\n"):
                    size += len(rest)
                    if most is not None and size > most:
                        break
            if most is not None and size > most:
                failed.append(f"it is more than {PACKED:,} times as large as its compression")
                return
            yield line
    except OSError as error:
        failed.append(error.strerror or str(error))


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
    _, unlawful = lawful(game, tape.header, events)
    fault = unlawful or fault
    if fault is None:
        return tape, None
    if tape.fault is None or fault.step < tape.fault.step:
        tape = halted(tape, fault)
    return tape, f"stops at event {fault.step}: {fault.reason}"


def lines_of(tape: Tape, viewer: Viewer | None = None, notes: Sequence[Note] = ()) -> Iterator[bytes]:
    """Give a tape as lines: whole for None, so that it can be read again, or only what one viewer may ever see of it.

    What is written for a viewer is for reading and for other programs. It has neither the seed nor checks nor hidden
    events, and events are numbered as the viewer sees them. Behind the events stand the notes, those that the viewer
    may read.
    """
    if viewer is None:
        yield from write(tape)
        yield from _lines_of_notes(notes)
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
    for shown in timeline.shown(viewer):
        yield b'{"seq":%d,' % shown.number + encode(shown.step.event)[1:] + b"\n"
    yield from _lines_of_notes(as_seen(notes, timeline, viewer))


def _lines_of_notes(notes: Sequence[Note]) -> list[bytes]:
    """In one order whoever stored them: by step, then by what they say."""
    lines = [(note.step, write_note(remark_of(note))) for note in notes]
    return [line for _, line in sorted(lines)]
