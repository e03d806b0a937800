"""The command that says what can be played. It opens no store and plays nothing, so it imports neither."""

from __future__ import annotations

from collections import Counter
from typing import Any

from core.bots.named import Bots
from core.registry import games as all_games
from replay.cli.terminal import Json, out, print_json
from replay.games import default_sheet


def games(json: Json = False) -> None:
    """What can be played: seats, options, bots, and where the components are known from."""
    rows: list[dict[str, Any]] = [
        {
            "game": kind.slug,
            "title": kind.title,
            "rules": kind.rules,
            "seats": list(default_sheet(kind).seats),
            "options": {name: _default(kind.options, name) for name in kind.options.__struct_fields__},
            "bots": list(Bots(kind)),
            "sheet": kind(default_sheet(kind)).sheet_digest,
            "provenance": dict(Counter(default_sheet(kind).provenance.values())),
            "note": default_sheet(kind).note,
        }
        for kind in all_games().values()
    ]
    if json:
        return print_json(rows)
    for row in rows:
        low, high = row["seats"]
        options = ", ".join([f"{name}={value}" for name, value in row["options"].items()])
        known = ", ".join([f"{count} {source}" for source, count in sorted(row["provenance"].items())])
        out.print(row["game"], style="bold")
        out.print(f"    {row['title']}, {low} to {high} seats, rules version {row['rules']}")
        out.print(f"    options: {options or 'none'}", soft_wrap=True)
        out.print(f"    bots: {', '.join(row['bots'])}")
        out.print(f"    figures of the component sheet: {known}")
    return None


def _default(options: Any, name: str) -> Any:
    return getattr(options(), name)
