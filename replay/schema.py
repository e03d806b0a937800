"""JSON Schemas of what Tabletape writes, for other programs: the header's line, and the event lines of each game.

They are made from the types and kept in `data/schema/`; `python -m replay.schema` writes them anew, and a test fails
when a type has changed and its schema has not.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec

from core.game import Game
from core.registry import games
from events.tape import Header
from replay.packaged import data_root

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_CHECK = {"type": "string", "pattern": "^[0-9a-f]{8}$", "description": "start of the chain's link after this line"}
_SEQ = {"type": "integer", "minimum": 0, "description": "number of the event, from 0 without a gap"}


def schemas() -> dict[str, dict[str, Any]]:
    """Give every schema by its file name."""
    return {"header.json": header_schema()} | {f"{slug}.json": event_schema(kind) for slug, kind in games().items()}


def header_schema() -> dict[str, Any]:
    """Give the schema of the line that opens a game in a file."""
    (reference,), parts = msgspec.json.schema_components([Header], schema_hook=_sheet)
    parts["Header"]["properties"]["check"] = _CHECK
    return {"$schema": DIALECT, "title": "Header of a recorded game", **reference, "$defs": parts}


def event_schema(kind: type[Game[Any]]) -> dict[str, Any]:
    """Give the schema of an event's line of a game: one of its events, with `seq` and perhaps `check`."""
    (choice,), parts = msgspec.json.schema_components([kind.union])
    for part in parts.values():
        if "type" in part.get("properties", {}):
            part["properties"] = {"seq": _SEQ, "check": _CHECK, **part["properties"]}
            part["required"] = ["seq", *part["required"]]
    return {"$schema": DIALECT, "title": f"Events of {kind.title}", **choice, "$defs": parts}


def write(folder: Path) -> list[Path]:
    """Write every schema into a folder; give the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, schema in schemas().items():
        file = folder / name
        file.write_bytes(msgspec.json.format(msgspec.json.encode(schema), indent=2) + b"\n")
        files.append(file)
    return files


def _sheet(kind: type) -> dict[str, Any]:
    """A custom component sheet is an object of the game's own."""
    if kind is msgspec.Raw:
        return {"type": "object"}
    raise NotImplementedError


if __name__ == "__main__":
    for path in write(data_root() / "schema"):
        sys.stdout.write(f"{path}\n")
