"""Files of games: written and read back byte for byte; each kind of damage found, named, and no neighbour lost."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from core.conformance import random_game
from events.codec import canonical, encode_all
from events.jsonl import LINE_LIMIT, Reading, Remark, halted, read, write, write_note
from events.tape import Fault, Fork, Header, Player, Tape, sealed
from tests.toy import toy

GAME = toy()


def game(number: int, seats: int = 2) -> Tape:
    """A recorded game of its own seed, id and players."""
    events = encode_all(random_game(GAME, seats, f"jsonl/{number}"))
    header = Header(
        id=f"00000000-0000-0000-0000-{number:012d}",
        game=GAME.slug,
        rules=1,
        shapes=1,
        sheet=GAME.sheet_digest,
        players=tuple([Player(f"Zoë {seat}", "random" if seat else None) for seat in range(seats)]),
        provenance="simulated",
        seed=f"jsonl/{number}",
    )
    return sealed(header, events)


TAPES = [game(1), game(2, 3), game(3)]


def file_of(tapes: Iterable[Tape]) -> bytes:
    return b"".join([line for tape in tapes for line in write(tape)])


def readings(content: bytes) -> list[Reading]:
    return list(read(content.splitlines(keepends=True)))


def tapes_in(content: bytes) -> list[Tape]:
    """The games of a file without a problem."""
    return [reading.tape for reading in readings(content) if reading.tape is not None and reading.tape.fault is None]


FILE = file_of(TAPES)
LINES = FILE.splitlines()
STARTS = [number for number, line in enumerate(LINES, 1) if line.startswith(b'{"tabletape"')]


def only(content: bytes) -> Tape:
    """The one game of a file."""
    (reading,) = readings(content)
    assert reading.tape is not None, reading.problem
    return reading.tape


def edited(number: int, line: bytes | None) -> bytes:
    """The file of three games with one line put in place of another, or taken out."""
    lines = [*LINES[: number - 1], *([] if line is None else [line]), *LINES[number:]]
    return b"\n".join(lines) + b"\n"


# --- the form --------------------------------------------------------------------------------------------------------


def test_several_games_are_read_back_as_written() -> None:
    assert readings(FILE) == [Reading(line, tape) for line, tape in zip(STARTS, TAPES, strict=True)]
    assert file_of(tapes_in(FILE)) == FILE


def test_the_form_of_a_line() -> None:
    header, first, *_ = LINES
    assert header.startswith(b'{"tabletape":1,"id":"00000000-0000-0000-0000-000000000001","game":"hidden-stones"')
    assert set(json.loads(first)) == {"seq", "check", "type", "game", "rules", "seats", "sheet", "options"}
    assert [json.loads(line)["seq"] for line in LINES[1 : STARTS[1] - 1]] == list(range(len(TAPES[0].events)))
    assert json.loads(header)["digest"][:8] == json.loads(LINES[STARTS[1] - 2])["check"]


FULL = replace(
    TAPES[0].header,
    components={"stones": 9, "cards": [3, 2, 1], "name": "Ein schönes Spiel"},
    recorded="2030-01-01T12:00:00Z",
    fork=Fork("00000000-0000-0000-0000-000000000009", 4),
    seed=None,
)


def test_every_field_of_a_header_travels() -> None:
    tape = sealed(FULL, TAPES[0].events)
    content = file_of([tape])
    assert only(content) == tape
    assert file_of([only(content)]) == content


@pytest.mark.parametrize("ending", [b"\r\n", b"\n\n", b" \n", b"\n\r\n \t\n"])
def test_line_ends_and_blank_lines_do_not_matter(ending: bytes) -> None:
    assert tapes_in(ending.join(LINES)) == TAPES
    assert tapes_in(b"\n" + ending.join(LINES) + ending) == TAPES


def test_a_byte_order_mark_does_not_matter() -> None:
    assert tapes_in(b"\xef\xbb\xbf" + FILE) == TAPES


def test_no_line_end_after_the_last_line() -> None:
    assert tapes_in(FILE.rstrip(b"\n")) == TAPES


def test_an_empty_file_has_no_games() -> None:
    assert readings(b"") == readings(b"\n \r\n") == []


def foreign(tape: Tape) -> bytes:
    """The tape as another program would write it: spaces, another order of fields, no check, length or digest."""
    header = replace(tape.header, length=None, digest=None)
    lines = [json.dumps({"tabletape": 1, **json.loads(canonical(header))})]
    for seq, event in enumerate(tape.events):
        lines.append(json.dumps({**json.loads(event), "seq": seq}))
    return "\n".join(lines).encode()


def test_the_file_of_another_program_is_read() -> None:
    tape = only(foreign(TAPES[0]))
    assert tape.fault is None
    assert tape.events == TAPES[0].events
    assert tape.header == replace(TAPES[0].header, length=None, digest=None)
    assert readings(foreign(TAPES[0]).replace(b'{"', b'{ "')) == readings(foreign(TAPES[0]))


def test_a_line_may_be_a_megabyte_long_and_no_longer() -> None:
    header, first, *rest = foreign(TAPES[0]).split(b"\n")

    def padded(line: bytes, length: int) -> bytes:
        return line[:-1] + b" " * (length - len(line)) + b"}"

    assert only(b"\n".join([padded(header, LINE_LIMIT), first, *rest])).fault is None
    assert only(b"\n".join([header, padded(first, LINE_LIMIT), *rest])).fault is None
    told = "{} of 1,048,577 bytes: at most 1,048,576 are read"
    (reading,) = readings(b"\n".join([padded(header, LINE_LIMIT + 1), first, *rest]))
    assert reading.problem == told.format("header")
    tape = only(b"\n".join([header, padded(first, LINE_LIMIT + 1), *rest]))
    assert tape.fault == Fault(0, f"line 2: {told.format('a line')}")


def test_a_header_may_go_to_the_limit_of_its_fields() -> None:
    widest = sealed(
        replace(TAPES[0].header, seed="ä" * 32, players=(Player("x" * 80), Player("ü" * 80))), TAPES[0].events
    )
    assert only(file_of([widest])) == widest
    shortest = sealed(replace(TAPES[0].header, seed="x", players=(Player(""), Player(""))), TAPES[0].events)
    assert only(file_of([shortest])) == shortest


# --- damage ----------------------------------------------------------------------------------------------------------

MIDDLE = STARTS[1] + 8
"""The line of event 7 of the second game."""


def damaged(content: bytes) -> Tape:
    """The second of three games; the others must be as they were."""
    first, second, third = readings(content)
    assert (first.tape, third.tape) == (TAPES[0], TAPES[2])
    assert second.tape is not None
    return second.tape


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda line: line.replace(b'"seq":7', b'"seq":8'), "seq 8 stands where 7 should be"),
        (lambda line: line.replace(b'"seq":7', b'"seq":-7'), "seq -7 stands where 7 should be"),
        (lambda line: line.replace(b'"seq":7', b'"seq":"7"'), "not an event: it has no seq"),
        (lambda line: line.replace(b'"seq":7,', b""), "not an event: it has no seq"),
        (lambda line: line.replace(b'"check":"', b'"check":"0'), "the event was changed: it has no check"),
        (lambda line: line.replace(line[18:26], b"01234567"), "the event was changed: it does not fit the chain"),
        (lambda line: line[:8] + line[27:], "the event was changed: it has no check"),
        (lambda line: line.replace(b"}", b',"x":1}'), "the event was changed: it does not fit the chain"),
        (lambda line: line.replace(b":", b": "), None),
        (lambda line: line[:-1], "not JSON (cut off, or damaged)"),
        (lambda line: line[: len(line) // 2], "not JSON (cut off, or damaged)"),
        (lambda line: line + line, "the event was changed: it does not fit the chain"),
        (lambda line: b"x" + line, "not JSON (cut off, or damaged)"),
        (lambda line: b"{}", "not an event: it has no seq"),
        (lambda line: b"[7]}", "not JSON (cut off, or damaged)"),
        (lambda line: b'{ "seq": 7, "a": NaN}', "not JSON (cut off, or damaged)"),
        (lambda line: b'{ "seq": 7, "a": 1e999}', "not JSON (cut off, or damaged)"),
        (lambda line: b'{ "seq": 7, "a": "\\ud800"}', "not JSON (cut off, or damaged)"),
        (lambda line: b'{ "seq": 7, "a": ' + b"9" * 5_000 + b"}", "not JSON (cut off, or damaged)"),
        (lambda line: b'{ "seq": 7, "a": ' + b"[" * 90_000 + b"]" * 90_000 + b"}", "not JSON (cut off, or damaged)"),
        (lambda line: b'{ "seq": 7, "a": 1, "a": 2}', "not an event: a field is given twice"),
        (lambda line: b"\xff\xfe}", "not JSON (cut off, or damaged)"),
        (lambda line: line[:-1] + b" " * LINE_LIMIT + b"}", "a line of "),
    ],
)
def test_a_damaged_line_ends_its_game_there_and_is_named(change: Callable[[bytes], bytes], reason: str | None) -> None:
    line = LINES[MIDDLE - 1]
    tape = damaged(edited(MIDDLE, change(line)))
    if reason is None:  # the same event in other words: the chain says so
        assert tape.events == TAPES[1].events
        assert tape.fault is None
        return
    assert tape.fault is not None
    assert tape.fault.step == 7
    assert tape.fault.reason.startswith(f"line {MIDDLE}: {reason}")
    assert "\n" not in tape.fault.reason
    assert tape.sound == TAPES[1].events[:7]
    assert tape.events[7] == change(line).strip()  # kept as it was found
    assert tape.events[8:] == tuple(LINES[MIDDLE : STARTS[2] - 1])


def test_a_missing_line_is_found_by_the_next() -> None:
    tape = damaged(edited(MIDDLE, None))
    assert tape.fault == Fault(7, f"line {MIDDLE}: seq 8 stands where 7 should be")


def test_two_lines_exchanged() -> None:
    lines = list(LINES)
    lines[MIDDLE - 1], lines[MIDDLE] = lines[MIDDLE], lines[MIDDLE - 1]
    assert damaged(b"\n".join(lines)).fault == Fault(7, f"line {MIDDLE}: seq 8 stands where 7 should be")


def test_a_game_that_is_cut_off() -> None:
    content = b"\n".join([*LINES[: STARTS[2] - 3], *LINES[STARTS[2] - 1 :]])
    tape = damaged(content)
    length = len(TAPES[1].events)
    assert tape.fault == Fault(length - 2, f"cut off after {length - 2} of {length} events")
    assert tape.sound == tape.events == TAPES[1].events[:-2]


def test_a_file_that_is_cut_off() -> None:
    *whole, last = readings(FILE[:-100])
    assert [reading.tape for reading in whole] == TAPES[:2]
    assert last.tape is not None
    assert last.tape.fault is not None


def test_a_tape_with_a_fault_is_written_as_it_came() -> None:
    content = edited(MIDDLE, b"what is this?")
    again = b"".join([line for reading in readings(content) if reading.tape for line in write(reading.tape)])
    assert again == content


@pytest.mark.parametrize("step", [0, 7, len(TAPES[1].events)])
def test_a_tape_that_is_believed_up_to_a_step_keeps_its_lines_from_there_on(step: int) -> None:
    tape, fault = TAPES[1], Fault(step, "the rules say otherwise")
    kept = halted(tape, fault)
    assert (kept.header, kept.fault, kept.sound) == (tape.header, fault, tape.events[:step])
    assert kept.events[step:] == tuple(LINES[STARTS[1] + step : STARTS[2] - 1])
    assert b"".join(write(kept)) == b"".join(write(tape))


def test_a_digest_that_is_not_that_of_the_events() -> None:
    """Without checks the line cannot be named, but the change is seen."""
    header = replace(TAPES[0].header, digest="0" * 64)
    lines = [canonical(header), *[b'{"seq":%d,' % n + event[1:] for n, event in enumerate(TAPES[0].events)]]
    tape = only(b"\n".join(lines))
    assert tape.fault == Fault(0, "the events do not give the digest of the header")
    assert tape.events == tuple(lines[1:])


def test_more_events_than_the_header_says() -> None:
    header = replace(TAPES[0].header, length=5, digest=None)
    lines = [canonical(header), *[b'{"seq":%d,' % n + event[1:] for n, event in enumerate(TAPES[0].events)]]
    assert only(b"\n".join(lines)).fault == Fault(5, "goes on after its 5 events")


def test_lines_behind_a_whole_game_belong_to_no_game() -> None:
    first, rest, *others = readings(edited(STARTS[1], LINES[STARTS[1] - 1][1:]))
    assert first.tape == TAPES[0]
    count = STARTS[2] - STARTS[1]
    assert rest == Reading(STARTS[1], None, f"{count} lines that belong to no game: a game starts with its header line")
    assert [reading.tape for reading in others] == [TAPES[2]]


def test_what_was_changed_or_noted_in_a_game_is_told_also_where_lines_are_left_behind_it() -> None:
    own = LINES[: STARTS[1] - 1]
    unchecked = own[3][:8] + own[3][27:]
    (reading,) = readings(b"\n".join([*own[:3], unchecked, *own[4:], b"left over"]))
    assert reading.tape is not None
    assert reading.tape.fault == Fault(2, "line 4: the event was changed: it has no check")
    noted, rest = readings(b"\n".join([*own, b'{"note":{"step":1}}', b"left over"]))
    assert noted.tape == TAPES[0]
    assert noted.bad_notes == (
        (len(own) + 1, "a note that cannot be read: Object missing required field `kind` - at `$.note`"),
    )
    assert rest.line == len(own) + 2


def test_lines_before_any_header() -> None:
    first, *others = readings(b"hello\nworld\n" + FILE)
    assert first == Reading(1, None, "2 lines that belong to no game: a game starts with its header line")
    assert [reading.tape for reading in others] == TAPES


HEADER_LINE = LINES[STARTS[1] - 1]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (HEADER_LINE.replace(b"jsonl/2", b"jsonl/3"), "the header was changed: it does not fit its check"),
        (HEADER_LINE[:-1], "unreadable header: "),
        (HEADER_LINE[:100], "unreadable header: Input data was truncated"),
        (
            HEADER_LINE.replace(b'"rules":1', b'"rules":"1"'),
            "unreadable header: Expected `int`, got `str` - at `$.rules`",
        ),
        (HEADER_LINE.replace(b'"rules":1,', b""), "unreadable header: Object missing required field `rules`"),
        (HEADER_LINE.replace(b'"rules":1', b'"rules":0'), "unreadable header: Expected `int` >= 1 - at `$.rules`"),
        (HEADER_LINE.replace(b'"shapes":1', b'"shapes":-1'), "unreadable header: Expected `int` >= 1 - at `$.shapes`"),
        (HEADER_LINE.replace(b'"length":', b'"length":-'), "unreadable header: Expected `int` >= 0 - at `$.length`"),
        (HEADER_LINE.replace(b'"rules":1', b'"rules":' + b"9" * 5_000), "unreadable header: "),
        (
            HEADER_LINE.replace(b'"rules":1', b'"rules":1,"mood":"good"'),
            "unreadable header: Object contains unknown field",
        ),
        (
            HEADER_LINE.replace(b'{"tabletape":1', b'{"tabletape":99'),
            "unreadable header: Invalid value 99 - at `$.tabletape` (this reads format 1)",
        ),
        (HEADER_LINE.replace(b"Zo", b"\xff"), "unreadable header: "),
        (HEADER_LINE.replace(b"Zo", b"\\ud800"), "unreadable header: "),
        (HEADER_LINE.replace(b"simulated", b"dreamt"), "unreadable header: Invalid enum value 'dreamt'"),
    ],
)
def test_a_header_that_cannot_be_read_loses_its_game_only(line: bytes, problem: str) -> None:
    first, second, third = readings(edited(STARTS[1], line))
    assert (first.tape, third.tape) == (TAPES[0], TAPES[2])
    assert (second.line, second.tape) == (STARTS[1], None)
    assert second.problem is not None
    assert second.problem.startswith(problem)
    assert "\n" not in second.problem


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"id": "1"}, "id '1' is not a UUID in lower case"),
        ({"id": "00000000-0000-0000-0000-00000000000A"}, "id '00000000-0000-0000-0000-00000000000A' is not a UUID"),
        ({"seed": ""}, "a seed is text of 1 to 64 bytes"),
        ({"seed": "ä" * 33}, "a seed is text of 1 to 64 bytes"),
        ({"players": [{"name": "x" * 81}]}, "a player's name has control characters or is longer than 80"),
        ({"players": [{"name": "a\x1b[31m"}]}, "a player's name has control characters"),
        ({"players": [{"name": "a\u202eb"}]}, "a player's name has control characters"),
        ({"players": [{"name": "a\u2028b"}]}, "a player's name has control characters"),
    ],
)
def test_a_header_whose_values_cannot_be_right(changes: dict[str, object], problem: str) -> None:
    fields = json.loads(canonical(TAPES[0].header))
    (reading,) = readings(msgspec.json.encode({"tabletape": 1, **fields, **changes}))
    assert reading.tape is None
    assert reading.problem is not None
    assert reading.problem.startswith(problem)


# --- notes -----------------------------------------------------------------------------------------------------------

NOTES = (
    Remark(4, "bookmark", "Ada", (0, 1), "here it turned"),
    Remark(0, "x" * 40, None, None, ""),
    Remark(7, "note", "A" * 80, (), "ü" * 4000),
)
"""What each field may be at its longest, and with nothing in it."""


def test_notes_travel_behind_the_events_of_their_game_and_are_no_part_of_it() -> None:
    noted = [*LINES[: STARTS[1] - 1], *[write_note(note).rstrip(b"\n") for note in NOTES], *LINES[STARTS[1] - 1 :]]
    first, *others = readings(b"\n".join(noted))
    assert first == Reading(1, TAPES[0], None, NOTES, ())
    assert [(reading.tape, reading.notes) for reading in others] == [(TAPES[1], ()), (TAPES[2], ())]
    assert write_note(NOTES[1]) == b'{"note":{"step":0,"kind":"%b"}}\n' % (b"x" * 40)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"step": -1}, "Expected `int` >= 0 - at `$.note.step`"),
        ({"kind": ""}, "Expected `str` of length >= 1 - at `$.note.kind`"),
        ({"kind": "x" * 41}, "Expected `str` of length <= 40 - at `$.note.kind`"),
        ({"author": "A" * 81}, "Expected `str` of length <= 80 - at `$.note.author`"),
        ({"text": "x" * 4001}, "Expected `str` of length <= 4000 - at `$.note.text`"),
        ({"seen_by": [-1]}, "Expected `int` >= 0 - at `$.note.seen_by[0]`"),
        ({"seen_by": [1 << 15]}, "Expected `int` <= 32767 - at `$.note.seen_by[0]`"),
        ({"mood": 1}, "Object contains unknown field `mood` - at `$.note`"),
        ({"text": "x" * LINE_LIMIT}, "1,048,616 bytes long"),
    ],
    ids=range(9),
)
def test_a_note_that_cannot_be_read_is_named_and_costs_no_game(changes: dict[str, object], reason: str) -> None:
    noted = [canonical({"note": {"step": 1, "kind": "a", **changes}}), write_note(NOTES[0])]
    first, *others = readings(b"\n".join([*LINES[: STARTS[1] - 1], *noted, *LINES[STARTS[1] - 1 :]]))
    assert (first.tape, first.notes) == (TAPES[0], NOTES[:1])
    assert first.bad_notes == ((STARTS[1], f"a note that cannot be read: {reason}"),)
    assert [reading.tape for reading in others] == TAPES[1:]


@pytest.mark.parametrize("line", [b' { "note" : { ', b'{"note":{"step":1,"kind":"a"},"mood":1}'])
def test_what_begins_like_a_note_is_no_event(line: bytes) -> None:
    (reading,) = readings(b"\n".join([*LINES[: STARTS[1] - 1], line]))
    assert reading.tape == TAPES[0]
    assert [number for number, _ in reading.bad_notes] == [STARTS[1]]


# --- any damage at all -----------------------------------------------------------------------------------------------


@given(st.integers(0, len(FILE) - 1), st.integers(1, 255))
def test_any_changed_byte_is_found_in_its_line_and_the_neighbours_load(at: int, flip: int) -> None:
    changed = FILE[:at] + bytes([FILE[at] ^ flip]) + FILE[at + 1 :]
    if at == len(FILE) - 1 and changed[-1:] in (b" ", b"\t", b"\r"):
        assert tapes_in(changed) == TAPES  # another line end behind the last line says the same
        return
    line = FILE[:at].count(b"\n") + 1
    hit = [start <= line for start in STARTS].count(True) - 1
    touched = [hit] if FILE[at : at + 1] != b"\n" or line + 1 not in STARTS else [hit, hit + 1]
    whole = tapes_in(changed)
    assert whole == [tape for number, tape in enumerate(TAPES) if number not in touched]
    problems = [reading for reading in readings(changed) if reading.tape is None or reading.tape.fault is not None]
    named = [
        reading.line if reading.tape is None or reading.tape.fault is None else reading.tape.fault.reason
        for reading in problems
    ]
    pushed_down = changed[at : at + 1] == b"\n" and FILE[at - 1 : at] in (b"", b"\n")  # an empty line stands before it
    line += pushed_down
    assert any(name == line or str(name).startswith(f"line {line}: ") for name in named), named


@given(st.lists(st.one_of(st.binary(max_size=60), st.sampled_from(LINES)), max_size=12))
def test_any_lines_give_games_or_problems_and_lose_nothing(lines: list[bytes]) -> None:
    content = b"\n".join(lines)
    for reading in readings(content):
        assert (reading.tape is None) != (reading.problem is None)
        if reading.tape is not None:
            assert len(reading.tape.sound) <= len(reading.tape.events)
            again = b"".join(write(reading.tape))
            assert b"".join(write(only(again))) == again
