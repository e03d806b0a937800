"""Valid things to begin with: the shortest golden game of each kind, as this and as other programs write them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from core.registry import games
from events.codec import canonical
from events.jsonl import Remark, read, write, write_note
from events.tape import Player, Tape, sealed
from replay.packaged import data_root

NAMES = ("<b>Ann</b>", "x'; DROP TABLE replay; --", "../../etc/passwd", "[red]Ben[/]")
"""Names that somebody may have, and that must not be anything but names."""


@cache
def goldens() -> tuple[Tape, ...]:
    """Give the shortest golden game of each kind, its players with names that are hard to bear."""
    return tuple([_named(_shortest(slug)) for slug in games()])


def _shortest(slug: str) -> Path:
    return min((data_root() / "golden" / slug).glob("*.jsonl"), key=lambda file: (file.stat().st_size, file.name))


def _named(file: Path) -> Tape:
    (reading,) = read(file.read_bytes().splitlines())
    assert reading.tape is not None
    players = [Player(name, player.bot) for name, player in zip(NAMES, reading.tape.header.players, strict=False)]
    return sealed(replace(reading.tape.header, players=tuple(players)), reading.tape.events)


def files() -> Sequence[bytes]:
    """Give files of games: with checks and notes, without, cut short, and several in one."""
    note = write_note(Remark(3, "note", "Ada", (0,), "here it turned"))
    ours = [b"".join([*write(tape), note]) for tape in goldens()]
    others = [foreign(tape.header, tape.events) for tape in goldens()]
    begun = [foreign(tape.header, tape.events[:20]) for tape in goldens()]
    return [*ours[:2], *others, *begun, *begun, ours[0] + others[1]]


def foreign(header: Any, events: Iterable[bytes]) -> bytes:
    """Give a game as another program writes it, which claims nothing: no check, length or digest to fail before all."""
    opening = canonical(replace(header, length=None, digest=None))
    lines = [canonical({"seq": seq, **msgspec.json.decode(event)}) for seq, event in enumerate(events)]
    return b"\n".join([opening, *lines, b""])
