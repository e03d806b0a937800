"""How the face-down cards of Picnic Palace may lie for all that a seat knows: everything else is open (YW-43)."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from core.bots import View
from core.determinise import unseen
from core.games.picnic_palace.state import Table
from core.rng import Rng


def world(view: View, rng: Rng) -> Table:
    """Give a table that may be the real one."""
    table: Table = view.table
    hidden = unseen(table.sheet.deck, *table.face_up, *table.collected, table.discarded)
    cards: Any = rng.shuffled(hidden)
    rows = list[Any]()
    for row in table.face_down:
        rows.append(cards[: len(row)])
        cards = cards[len(row) :]
    out = len(table.unseen)
    deck = cards[out:] if table.deck else ()
    return replace(table, face_down=tuple(rows), unseen=cards[:out], deck=deck)
