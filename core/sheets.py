"""Component sheets: the box a game is played with (decks, points, tiles, order of bins, seat range) as a value.

A sheet is written as TOML; each of its figures says where it is known from. A stream names its sheet by the digest of
what is played with, so notes and provenance can be mended without touching old games, and a changed count cannot.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, ClassVar, Literal, TypeVar

import msgspec
from msgspec import Struct

from events.codec import canonical
from events.errors import FormatError, line_of

Source = Literal["rulebook", "printed", "reconstructed"]
"""Where a figure is known from: the rulebook, the printed components, or nobody (a reasoned placeholder)."""


class Sheet(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every sheet has: the game's slug, the seat range, and the source of each figure.

    `provenance` names every other field of the sheet once. A game's own sheet type adds its components as fields and
    may refuse impossible ones in `__post_init__` by raising `ValueError`.
    """

    about: ClassVar[tuple[str, ...]] = ("name", "note", "provenance")
    """Fields that describe the sheet and are not played with: outside its digest."""

    game: str
    name: str
    seats: tuple[int, int]
    provenance: dict[str, Source]
    note: str = ""

    @property
    def components(self) -> tuple[str, ...]:
        """The names of the fields that are played with."""
        return tuple([field for field in self.__struct_fields__ if field not in (*self.about, "game")])


LARGEST = 1_000
"""Largest figure of a sheet: more of anything is a slip of the pen, and would be played until the machine is full."""

SheetT = TypeVar("SheetT", bound=Sheet)


def parse(text: str | bytes, kind: type[SheetT]) -> SheetT:
    """Give the sheet that a TOML text describes; raises `FormatError` with the path of what is wrong."""
    try:
        return _checked(msgspec.toml.decode(text, type=kind))
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise FormatError(f"unreadable component sheet: {line_of(error)}") from None


def from_json(text: bytes, kind: type[SheetT]) -> SheetT:
    """Give the sheet that is written as JSON; raises `FormatError` with the path of what is wrong."""
    try:
        return _checked(msgspec.json.decode(text, type=kind))
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise FormatError(f"unreadable component sheet: {line_of(error)}") from None


def from_fields(fields: dict[str, Any], kind: type[SheetT]) -> SheetT:
    """Give the sheet that travels in a stream's header; raises `FormatError` with the path of what is wrong."""
    try:
        return _checked(msgspec.convert(fields, kind))
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise FormatError(f"unreadable component sheet: {line_of(error)}") from None


def sheet_digest(sheet: Sheet) -> str:
    """Give the digest of what a sheet is played with: blake2b-128 of its components as canonical JSON, in hex."""
    played = {name: getattr(sheet, name) for name in ("game", *sheet.components)}
    return blake2b(canonical(played), digest_size=16).hexdigest()


def _checked(sheet: SheetT) -> SheetT:
    if any(abs(figure) > LARGEST for figure in _figures(msgspec.to_builtins(sheet))):
        raise FormatError(f"unreadable component sheet: a figure is larger than {LARGEST:,}")
    low, high = sheet.seats
    if not 1 <= low <= high:
        raise FormatError(f"unreadable component sheet: a seat range cannot be {low} to {high}")
    unsourced = [name for name in sheet.components if name not in sheet.provenance]
    stray = [name for name in sheet.provenance if name not in sheet.components]
    if unsourced or stray:
        raise FormatError(
            f"component sheet of {sheet.game}: provenance is missing for {unsourced}"
            if unsourced
            else f"component sheet of {sheet.game}: provenance names {stray}, which it does not have"
        )
    return sheet


def _figures(value: object) -> Iterator[int]:
    """Give every integer of a sheet, however deep."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from _figures(item)
    elif isinstance(value, int):
        yield value
