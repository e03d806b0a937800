"""Games bound to their boxes: from a slug, or from what a recorded game's header says."""

from __future__ import annotations

from functools import cache
from typing import Any

from core.game import Game
from core.registry import find
from core.sheets import Sheet, from_fields, parse, sheet_digest
from events.errors import FormatError, SetupError
from events.tape import Header
from replay.packaged import data_root


@cache
def default_sheet(kind: type[Game[Any]]) -> Sheet:
    """Give the box that a game ships with; raises `FormatError` if its file is missing or wrong."""
    if kind.default_sheet is not None:
        return kind.default_sheet
    file = data_root() / "sheets" / f"{kind.slug}.toml"
    try:
        return parse(file.read_bytes(), kind.sheet_type)
    except OSError as error:
        raise FormatError(f"no component sheet for {kind.title}: {error}") from None


@cache
def load(slug: str) -> Game[Any]:
    """Give a game in today's rules with the box it ships with; raises `SetupError` for an unknown slug."""
    kind = find(slug)
    return kind(default_sheet(kind))


def game_of(header: Header) -> Game[Any]:
    """Give the game that a stream was played as: its rules version, and the box it names.

    Raises `SetupError` if the game, that version or that box is not here.
    """
    kind = find(header.game, header.rules)
    if header.components is not None:
        sheet = from_fields(header.components, kind.sheet_type)
        if sheet_digest(sheet) != header.sheet:
            raise SetupError("the component sheet in the header is not the one that the stream names")
        return kind(sheet)
    game = load(header.game) if kind is find(header.game) else kind(default_sheet(kind))
    if game.sheet_digest != header.sheet:
        raise SetupError(f"the component sheet {header.sheet} of this game is not here")
    return game
