"""How the hidden cards of Queen of the Cupcakes may lie for all that a seat knows.

All lay-outs were public (QC-21), so what lies in front is known to the card; of the other hands, what was taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from core.bots import View
from core.determinise import Passage, deal, faces, unseen
from core.games.queen_of_the_cupcakes.state import Table
from core.rng import Rng
from events.base import Event
from events.marks import MASK
from events.queen_of_the_cupcakes import CardsLaid, CardsPassed, CardsTaken, HandsDealt


def world(view: View, rng: Rng) -> Table:
    """Give a table that may be the real one."""
    table: Table = view.table
    if not any((table.pile, *table.hands, *table.fronts)):
        return table
    own = table.hands[view.seat]
    beside = [kind for kind, count in zip(table.sheet.kinds, table.bins, strict=True) for _ in range(count)]
    hidden = unseen(table.sheet.deck, own, table.bank, beside)
    places, pile = deal(list(_passages(view.seat, view.record)), hidden, rng)
    dealt: Any = {
        name: [faces(places.get((name, seat), ())) for seat in range(table.seats)] for name in ("hand", "front")
    }
    dealt["hand"][view.seat] = own
    fronts = ((),) * table.seats if table.revealed else tuple(dealt["front"])
    cards: Any = pile
    return replace(table, hands=tuple(dealt["hand"]), fronts=fronts, pile=cards)


def _passages(viewer: int, record: Sequence[Event]) -> Iterator[Passage]:
    for event in record:
        match event:
            case HandsDealt(hands=hands):
                for seat, cards in enumerate(hands):
                    if seat != viewer:
                        yield from [Passage(None, ("hand", seat), MASK)] * len(cards)
            case CardsTaken(seat=seat, kind=kind, count=count) if seat != viewer:
                yield from [Passage(None, ("hand", seat), kind)] * count
            case CardsLaid(seat=seat, kind=kind, beside_bin=beside_bin, in_front=in_front):
                hand = None if seat == viewer else ("hand", seat)
                yield from [Passage(hand, ("front", seat), kind)] * in_front
                yield from [Passage(hand, None, kind)] * beside_bin
            case CardsPassed(seat=seat, partner=partner, cards=cards):
                source, target = [None if who == viewer else ("hand", who) for who in (seat, partner)]
                yield from [Passage(source, target, card) for card in cards]
