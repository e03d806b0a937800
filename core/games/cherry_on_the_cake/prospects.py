"""What the seats of Cherry on the Cake may expect, as a round begins.

The figures come of 1,500 games of the greedy bot with two seats, by least squares round by round. But for the last
rounds they hardly differ.
"""

from __future__ import annotations

from core.games.cherry_on_the_cake.geometry import connected, stripes
from core.games.cherry_on_the_cake.metrics import standing
from core.games.cherry_on_the_cake.state import Board, CakeSheet, Table, blue_jars

CUBE, STAR = 0.5, 0.8
"""What a cube and a star are worth that lie on the topmost piece, or are connected by it: they may be so again."""

GOLDEN, EXCHANGE = 0.8, 0.4
"""What a golden cube on the cake is worth, and a cube in the exchange jar."""


def prospects(table: Table) -> tuple[float, ...] | None:
    """Give the points so far, what the jars hold, and what the cake may bring; None but at the start of a round."""
    if table.phase != "choose":
        return None
    ahead = min(1.0, (table.options.pieces - table.round + 1) / 2)
    return tuple(
        [
            points + _jars(table.sheet, board) + _cake(table.sheet, board, ahead)
            for points, board in zip(standing(table), table.boards, strict=True)
        ]
    )


def _jars(sheet: CakeSheet, board: Board) -> float:
    """Give of each jar's mean chip the part that is filled, and the cubes to be exchanged."""
    value = EXCHANGE * len(board.exchange)
    for metal, (_, cubes, capacity) in zip(sheet.pays, blue_jars(sheet, board), strict=True):
        chips = {"bronze": sheet.bronze, "silver": sheet.silver, "gold": sheet.gold}[metal]
        value += sum(chips) / max(1, len(chips)) * len(cubes) / capacity
    return value


def _cake(sheet: CakeSheet, board: Board, ahead: float) -> float:
    """Give the golden cubes, and what the next piece may connect, less in the last rounds."""
    top = len(board.cake)
    layers = [stripes(sheet, board, layer) for layer in range(top + 1)]
    golden = sum([stripe.golden for layer in layers for stripe in layer])
    reached = connected(sheet, board) if top else ()
    loose = [stripe for at, stripe in enumerate(layers[top]) if (top, at) not in reached]
    open_ = [*[layers[layer][at] for layer, at in reached], *loose]
    again = CUBE * sum([stripe.cubes for stripe in open_]) + STAR * sum([stripe.stars for stripe in open_])
    return GOLDEN * golden + ahead * again
