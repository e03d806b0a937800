"""Which stripes of a cake a new piece connects: exact integers, no judging by eye (CC-15 to CC-22)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from core.games.cherry_on_the_cake.state import Board, CakeSheet, Interval, Piece, PieceStripe, Plate, Stripe
from events.cherry_on_the_cake import StripeAt


def overlap(one: Interval, other: Interval) -> int:
    """Give how many units two intervals share; 0 where they touch in a point or not at all (CC-15)."""
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def upper_edge(stripe: Stripe, rotation: int, width: int) -> Interval:
    """Give where a stripe meets the upper edge of its piece as it lies: turned by 180 degrees, that is its bottom.

    A plate is never turned.
    """
    if rotation == 0 or not isinstance(stripe, PieceStripe):
        return stripe.top
    return (width - stripe.bottom[1], width - stripe.bottom[0])


def lower_edge(stripe: PieceStripe, rotation: int, width: int) -> Interval:
    """Give where a stripe meets the lower edge of its piece as it lies (CC-11, CC-16)."""
    return stripe.bottom if rotation == 0 else (width - stripe.top[1], width - stripe.top[0])


def stripes(sheet: CakeSheet, board: Board, layer: int) -> tuple[Stripe, ...]:
    """Give the printed stripes of a layer of a cake: 0 is the plate (CC-21), 1 the first piece."""
    return sheet.plates[board.plate].stripes if layer == 0 else sheet.pieces[board.cake[layer - 1][0]].stripes


def stripes_at(sheet: CakeSheet, board: Board, found: Sequence[StripeAt]) -> list[Stripe]:
    """Give the printed stripes that stand at some places of a cake."""
    pieces, cake = sheet.pieces, board.cake
    standing: list[Stripe] = []
    for layer, index in found:
        face = pieces[cake[layer - 1][0]] if layer else sheet.plates[board.plate]
        standing.append(face.stripes[index])
    return standing


def joints(sheet: CakeSheet, board: Board, layer: int) -> tuple[tuple[int, int], ...]:
    """Give the pairs (stripe of the layer below, stripe of this layer) of one colour that overlap; `layer` from 1."""
    piece, rotation = board.cake[layer - 1]
    if layer == 1:
        return _joints(sheet.plates[board.plate], 0, sheet.pieces[piece], rotation, sheet.width)
    number, turned = board.cake[layer - 2]
    return _joints(sheet.pieces[number], turned, sheet.pieces[piece], rotation, sheet.width)


@lru_cache(maxsize=1 << 13)  # more than any two pieces of the box, either way up
def _joints(below: Piece | Plate, turned: int, above: Piece, rotation: int, width: int) -> tuple[tuple[int, int], ...]:
    return tuple(
        [
            (lower, upper)
            for upper, stripe in enumerate(above.stripes)
            for lower, other in enumerate(below.stripes)
            if stripe.colour == other.colour
            and overlap(upper_edge(other, turned, width), lower_edge(stripe, rotation, width))
        ]
    )


def connected(sheet: CakeSheet, board: Board) -> tuple[StripeAt, ...]:
    """Give the stripes that the topmost piece of a cake connects, through all layers, bottom layer first (CC-17).

    A stripe of the new piece that overlaps none of its colour connects nothing (CC-18). Each stripe counts once however
    many chains reach it, and stripes of one piece are joined by a chain only (CC-20).
    """
    top = len(board.cake)
    fresh = joints(sheet, board, top)
    if not fresh:
        return ()
    known = {0: (), top: fresh, top + 1: ()}  # the joints below each layer that was reached
    found = list(dict.fromkeys([(top, upper) for _, upper in fresh]))
    for layer, stripe in found:  # grows while it is walked
        if layer not in known:
            known[layer] = joints(sheet, board, layer)
        for lower, upper in known[layer]:
            if upper == stripe and (layer - 1, lower) not in found:
                found.append((layer - 1, lower))
        for lower, upper in known[layer + 1]:
            if lower == stripe and (layer + 1, upper) not in found:
                found.append((layer + 1, upper))
    return tuple(sorted(found))
