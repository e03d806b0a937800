"""The file form of tapes: JSON Lines, oldest first, any number of games in one file.

Line 1 of a game is its header (it starts with the format version), then comes one event a line:

    {"tabletape":1,"id":"...","game":"queen-of-the-cupcakes",...,"check":"5f0c9a1e"}
    {"seq":0,"check":"a41c22d0","type":"game_started",...}

`check` is the start of the chain's link after that event (of a hash of the header, in the header's line), so that a
changed byte is not only noticed but found, also in games without a seed. Writers of other programs may leave `check`,
`length` and `digest` out: then nothing is claimed and nothing is compared. Blank lines are skipped.

Behind its events may stand what is said about a game, which is no part of its stream, a line a note:

    {"note":{"step":12,"kind":"bookmark","author":"Ada","seen_by":[0],"text":"here it turned"}}

Where the header has a check, every event has one. Reading never stops at a bad game: each game comes back with what is
sound and, in `fault`, what is not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Annotated

import msgspec
from msgspec import Struct

from events.codec import canonical
from events.errors import FormatError, line_of
from events.tape import FORMAT, NAME_LIMIT, ROOT, SEED_LIMIT, Count, Fault, Header, Tape, link, links

CHECK = 8
"""Hexadecimal digits of a check."""

LINE_LIMIT = 1 << 20
"""Longest line, in bytes, that is read as one."""

GAME_LIMIT = 1 << 26
"""Bytes of the longest game that is read, each line with `LINE_COST` beside its own: what holds it in memory."""

LINE_COST = 128

NOTE_LIMIT = 4000
"""Longest text of a note, in characters."""

_Line = tuple[int, bytes]
"""A line of a file and its number, counted from 1."""

_uuid = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ours = re.compile(rb'\{"seq":(0|[1-9][0-9]{0,9}),(?:"check":"([0-9a-f]{8})",)?(?=")')
_note = re.compile(rb'\{\s*"note"\s*:\s*\{')
_header_decoder = msgspec.json.Decoder(Header)


class Remark(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A note as it travels: the step it is about, of which kind it is, who wrote it, and the text.

    `seen_by` are the seats that may read it; None: everybody; none: only who may see everything.
    """

    step: Count
    kind: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    author: Annotated[str, msgspec.Meta(max_length=NAME_LIMIT)] | None = None
    seen_by: tuple[Annotated[int, msgspec.Meta(ge=0, lt=1 << 15)], ...] | None = None
    text: Annotated[str, msgspec.Meta(max_length=NOTE_LIMIT)] = ""


class _NoteLine(Struct, forbid_unknown_fields=True):
    note: Remark


_note_decoder = msgspec.json.Decoder(_NoteLine)


class Reading(Struct, frozen=True):
    """One game found in a file: the line of its header, the tape, and the notes with it; or why there is no tape.

    `bad_notes` has the line and the reason for each note that cannot be read.
    """

    line: int
    tape: Tape | None
    problem: str | None = None
    notes: tuple[Remark, ...] = ()
    bad_notes: tuple[tuple[int, str], ...] = ()


def write(tape: Tape) -> Iterator[bytes]:
    """Give the lines of a tape, each with its line end. `read` gives the same tape again, byte for byte."""
    header = canonical(tape.header)
    yield header[:-1] + b',"check":"%b"}\n' % _header_check(header)
    for seq, (event, after) in enumerate(zip(tape.sound, links(tape.sound), strict=True)):
        yield b'{"seq":%d,"check":"%b",%b\n' % (seq, after.hex()[:CHECK].encode(), event[1:])
    for line in tape.events[len(tape.sound) :]:
        yield line + b"\n"


def write_note(note: Remark) -> bytes:
    """Give the line of a note, with its line end."""
    return b'{"note":%b}\n' % canonical(note)


def halted(tape: Tape, fault: Fault) -> Tape:
    """Give a tape that is believed only up to a fault: from there on it keeps its lines instead of its events."""
    lines = [line[:-1] for line in write(tape)][1:]
    return Tape(tape.header, (*tape.events[: fault.step], *lines[fault.step :]), fault)


def read(lines: Iterable[bytes]) -> Iterator[Reading]:
    """Give the games of a file, in order. Only framing, order and checks are judged here, not rules.

    A line that cannot be believed ends its game there (`Tape.fault`); the lines from there on are kept as they are.
    Lines before any header, behind a header that cannot be read, or left over after a whole game, are counted in one
    `Reading` without a tape. So is a game longer than `GAME_LIMIT`: memory is bounded, however long the file is.
    """
    game = list[_Line]()
    size = more = 0
    for number, line in enumerate(lines, 1):
        text = line.removeprefix(b"\xef\xbb\xbf" if number == 1 else b"").strip(b" \t\r\n")
        if not text:
            continue
        if _is_header(text) and game:
            yield from _readings(game, more)
            game, size, more = [], 0, 0
        size += len(text) + LINE_COST
        if size <= GAME_LIMIT or not game:
            game.append((number, text))
        else:
            more += 1
    if game:
        yield from _readings(game, more)


def _is_header(line: bytes) -> bool:
    return line.startswith(b'{"tabletape"') or line.replace(b" ", b"").startswith(b'{"tabletape"')


def _readings(game: list[_Line], more: int = 0) -> Iterator[Reading]:
    """Give what the lines from a header on are; `more` were beyond what is read of a game."""
    start, first = game[0]
    if not _is_header(first):
        count = len(game) + more
        yield Reading(start, None, f"{count} lines that belong to no game: a game starts with its header line")
        return
    try:
        header, checked = _header(first)
    except FormatError as error:
        yield Reading(start, None, str(error))
        return
    lines = [line for line in game[1:] if not _note.match(line[1])]
    notes, bad = _notes([line for line in game[1:] if _note.match(line[1])])
    if header.length is not None and header.digest is not None and len(lines) > header.length:
        tape = _tape(header, lines[: header.length], checked)
        if tape.fault is None:  # a whole game: what follows is another's, whose header is damaged
            yield Reading(start, tape, None, notes, bad)
            yield from _readings(lines[header.length :], more)
            return
    if more:
        yield Reading(start, None, f"a game of more than {GAME_LIMIT:,} bytes, which is not read")
        return
    yield Reading(start, _tape(header, lines, checked), None, notes, bad)


def _notes(lines: list[_Line]) -> tuple[tuple[Remark, ...], tuple[tuple[int, str], ...]]:
    """Read lines of notes: those that can be read, and where and why others cannot."""
    notes = list[Remark]()
    bad = list[tuple[int, str]]()
    for number, line in lines:
        try:
            if len(line) > LINE_LIMIT:
                raise ValueError(f"{len(line):,} bytes long")
            notes.append(_note_decoder.decode(line).note)
        except (msgspec.MsgspecError, RecursionError, ValueError) as error:
            bad.append((number, f"a note that cannot be read: {line_of(error)}"))
    return tuple(notes), tuple(bad)


def _header(line: bytes) -> tuple[Header, bool]:
    """Read a header's line: the header, and whether it has a check."""
    match = re.fullmatch(rb'(.*),"check":"([0-9a-f]{8})"\}', line, re.DOTALL)
    body = match[1] + b"}" if match else line
    if len(line) > LINE_LIMIT:
        raise FormatError(f"header of {len(line):,} bytes: at most {LINE_LIMIT:,} are read")
    try:
        header = _header_decoder.decode(body)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        hint = f" (this reads format {FORMAT})" if "$.tabletape" in str(error) else ""
        raise FormatError(f"unreadable header: {line_of(error)}{hint}") from None
    if match and match[2] != _header_check(canonical(header)):
        raise FormatError("the header was changed: it does not fit its check (remove the check if that was on purpose)")
    check_header(header)
    return header, match is not None


def check_header(header: Header) -> None:
    """Raise `FormatError` for a header whose values are of the right type but cannot be right."""
    if not _uuid.fullmatch(header.id):
        raise FormatError(f"id {header.id[:80]!r} is not a UUID in lower case")
    for player in header.players:
        if len(player.name) > NAME_LIMIT or not player.name.isprintable():
            raise FormatError(f"a player's name has control characters or is longer than {NAME_LIMIT} characters")
    if header.seed is not None and not 1 <= len(header.seed.encode("utf-8", "replace")) <= SEED_LIMIT:
        raise FormatError(f"a seed is text of 1 to {SEED_LIMIT} bytes")


def _header_check(header: bytes) -> bytes:
    return blake2b(header, digest_size=CHECK // 2).hexdigest().encode()


def _tape(header: Header, lines: list[_Line], checked: bool) -> Tape:
    events = list[bytes]()
    previous = ROOT
    fault = None
    for seq, (number, line) in enumerate(lines):
        try:
            found, check, event = _unframe(line)
            if found != seq:
                raise FormatError(f"seq {str(found)[:20]} stands where {seq} should be")
            after = link(previous, event)
            if checked and check is None:
                raise FormatError("the event was changed: it has no check")
            if check is not None and check != after.hex()[:CHECK]:
                raise FormatError("the event was changed: it does not fit the chain")
        except FormatError as error:
            fault = Fault(seq, f"line {number}: {error}")
            break
        events.append(event)
        previous = after
    if fault is None and header.length is not None and len(events) < header.length:
        fault = Fault(len(events), f"cut off after {len(events)} of {header.length} events")
    if fault is None and header.length is not None and len(events) > header.length:
        fault = Fault(header.length, f"goes on after its {header.length} events")
    if fault is None and header.digest is not None and previous.hex() != header.digest:
        fault = Fault(0, "the events do not give the digest of the header")
    sound = len(events) if fault is None else fault.step
    return Tape(header, (*events[:sound], *[line for _, line in lines[sound:]]), fault)


def _unframe(line: bytes) -> tuple[int, str | None, bytes]:
    """Take an event's line apart: its number, its check if it has one, and the event."""
    if len(line) > LINE_LIMIT:
        raise FormatError(f"a line of {len(line):,} bytes: at most {LINE_LIMIT:,} are read")
    if not line.endswith(b"}"):
        raise FormatError("not JSON (cut off, or damaged)")
    if match := _ours.match(line):
        return int(match[1]), match[2].decode() if match[2] else None, b"{" + line[match.end() :]
    try:
        fields = json.loads(line, object_pairs_hook=_single_fields, parse_constant=_no_number)
        if not isinstance(fields, dict) or type(seq := fields.pop("seq", None)) is not int:
            raise FormatError("not an event: it has no seq")
        check = fields.pop("check", None)
        event = json.dumps(fields, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return seq, None if check is None else str(check), event.encode()
    except (ValueError, RecursionError):
        raise FormatError("not JSON (cut off, or damaged)") from None


def _single_fields(items: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(items)
    if len(fields) != len(items):
        raise FormatError("not an event: a field is given twice")
    return fields


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")
