"""Component sheets as tables: what is in a game's box, and where each figure is known from."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import polars as pl

from core.sheets import Sheet
from core.words import listed

KNOWN: Final = {
    "rulebook": "the rulebook",
    "printed": "the printed components",
    "reconstructed": "nobody: reconstructed",
}
MEANING: Final = {
    "rulebook": "the rules state it",
    "printed": "counted on the printed components",
    "reconstructed": "no source states it; a reasoned placeholder that may differ from the real box",
}


def components(sheet: Sheet) -> pl.DataFrame:
    """Give one row a figure of the box: what it is, its value, and where it is known from."""
    names = list(sheet.components)
    return pl.DataFrame(
        {
            "Component": [name.replace("_", " ") for name in names],
            "In the box": [_said(msgspec.to_builtins(getattr(sheet, name))) for name in names],
            "Known from": [KNOWN[sheet.provenance[name]] for name in names],
        },
        schema={"Component": pl.String, "In the box": pl.String, "Known from": pl.String},
    )


def provenance_note(sheet: Sheet) -> str | None:
    """Say which figures of a box are reconstructed; None if all are attested."""
    guessed = [name.replace("_", " ") for name in sheet.components if sheet.provenance[name] == "reconstructed"]
    if not guessed:
        return None
    return f"Reconstructed in this box, not printed: {listed(guessed)}."


def _said(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join([f"{name} {_said(item)}" for name, item in value.items()])
    if isinstance(value, list | tuple):
        nested = any(isinstance(item, dict | list | tuple) for item in value)
        return ("; " if nested else ", ").join([_said(item) for item in value])
    return str(value)
