"""Tapes that are odd in one way each, and what other tapes are made into."""

from __future__ import annotations

from typing import Final

import msgspec

from core.registry import find
from events.codec import canonical
from events.jsonl import halted, read, write
from events.tape import Fault, Fork, Header, Player, Tape, sealed
from replay.games import default_sheet
from tests.replay.tapes import QUEEN, id_of, recorded

NIM = Header(
    id=id_of(900),
    game="nim",
    rules=1,
    shapes=1,
    sheet="0" * 32,
    players=(Player("<script>alert(1)</script>"), Player("'; DROP TABLE replay; --"), Player("ひ\u0301 Ünï")),
    provenance="imported",
    fork=Fork(parent=id_of(1), step=3),
)


def renamed(tape: Tape, number: int, **changes: object) -> Tape:
    return msgspec.structs.replace(tape, header=msgspec.structs.replace(tape.header, id=id_of(number), **changes))


def with_events(tape: Tape, number: int, events: tuple[bytes, ...]) -> Tape:
    return sealed(renamed(tape, number).header, events)


def live(tape: Tape, number: int) -> Tape:
    """The header of a game that has not begun."""
    return Tape(renamed(tape, number, provenance="live", length=None, digest=None).header, ())


def _odd() -> dict[str, Tape]:
    tape = recorded(1)
    sheet = default_sheet(find(QUEEN))
    fields = msgspec.json.decode(canonical(sheet))
    unknown = (*tape.events[:9], b'{"type":"cake_dropped","seat":1,"where":"floor"}', *tape.events[9:])
    lines = [line.rstrip(b"\n") for line in write(tape)]
    lines[7] = lines[7].replace(b'"seat":0', b'"seat":1')
    broken = next(read(lines)).tape
    assert broken is not None
    assert broken.fault is not None
    spaced = (*tape.events[:4], b'{ "turn":1, "seat" :0,"type":"turn_started"}', *tape.events[5:])
    back = (*tape.events[:12], b'{"type":"taken_back","to":5}', b'{"type":"taken_back","to":9999}')
    return {
        "empty": with_events(tape, 100, ()),
        "live": live(tape, 101),
        "unfinished": with_events(tape, 102, tape.events[:20]),
        "unknown event": with_events(tape, 103, unknown),
        "broken": renamed(broken, 104),
        "halted": renamed(halted(tape, Fault(30, "cards_taken: not legal")), 105),
        "not canonical": with_events(tape, 106, spaced),
        "taken back": with_events(tape, 107, back),
        "custom sheet": renamed(tape, 108, components=fields | {"name": "mine"}),
        "custom sheet, other words": renamed(tape, 109, components=fields | {"name": "yours"}),
        "no such game": sealed(
            NIM, (b'{"type":"game_started"}', b'{"seat":2,"type":"\xc3\xbc","n":1e9}', b'{"type":"x"}')
        ),
        "not even JSON": Tape(
            msgspec.structs.replace(NIM, id=id_of(110)), (b"\xff\x00{", b"[]", b"7", b'{"type":null}', b'{"type":"x",}')
        ),
        "huge numbers": with_events(
            tape, 111, (*tape.events[:4], b'{"type":"turn_started","seat":%d,"turn":%d}' % (9**30, 9**30))
        ),
        "fork": renamed(tape, 112, fork=Fork(parent=id_of(1), step=7), recorded="2026-11-30T02:50:00Z", seed=None),
        "wrong words in the header": renamed(tape, 113, length=3, digest="?"),
        "length only": renamed(tape, 114, digest=None),
        "seats": renamed(tape, 115, players=(Player("alone"),)),
        "null in a seed": renamed(tape, 116, seed="a\0b"),
    }


ODD: Final = _odd()
"""By what is odd about them."""
