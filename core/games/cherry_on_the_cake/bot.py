"""A greedy player of Cherry on the Cake: counts what each choice would connect, and fills jars that are nearly full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from msgspec.structs import replace

from core.games.cherry_on_the_cake.geometry import connected, stripes
from core.games.cherry_on_the_cake.jars import accepting, with_room
from core.games.cherry_on_the_cake.state import BLUE_JARS, Board, CakeSheet, Table, contents
from core.rng import Rng
from events.base import Move
from events.cherry_on_the_cake import (
    AmountChosen,
    ConsolationTaken,
    CubeExchanged,
    CubePlaced,
    CubesReturned,
    DieCubePlaced,
    DieGoldenCubePlaced,
    GoldenCubePlaced,
    Jar,
    JarEmptied,
    PieceChosen,
    RollAccepted,
)

CUBE, STAR, GOLDEN = 20, 40, 15
"""What a connected cube, a connected star and a golden cube on the cake are worth to it (tuned by playing itself)."""

CHIP = {"bronze": 4, "silver": 7, "gold": 12}
"""What a chip is worth to it; a gold one brings a roll."""


class GreedyBot:
    """Looks at its own move only: what is it worth to me now?"""

    blind: ClassVar[bool] = False

    def choose(self, view: Any, moves: Sequence[Move], rng: Rng) -> Move:
        """Give the move of highest worth; equal ones by chance."""
        table: Table = view.table
        worths = [worth(table, move) for move in moves]
        best = max(worths)
        return rng.choice([move for move, value in zip(moves, worths, strict=True) if value == best])


def worth(table: Table, move: Move) -> int:
    """Give what a move is worth to its seat, on a scale of the bot's own."""
    board, sheet = table.boards[move.seat], table.sheet
    match move:
        case PieceChosen():
            return connection(sheet, board, move)
        case CubePlaced(colour=colour, jar=jar):
            # A cube that fits only here goes first: the others will still find room.
            return 100 * (3 - len(accepting(sheet, board, colour))) + filling(sheet, board, jar)
        case CubeExchanged(jar=jar) | DieCubePlaced(jar=jar) | DieGoldenCubePlaced(jar=jar) | GoldenCubePlaced(jar=jar):
            return 1 + filling(sheet, board, jar)
        case ConsolationTaken(colour=colour):
            return 1 + board.exchange.count(colour)
        case JarEmptied():
            return 1
        case CubesReturned():  # before emptying, to fill one jar more; not where the cube for it would find no room
            return 2 if with_room(sheet, board) else 0
        case AmountChosen(amount=amount):
            return amount
        case RollAccepted():
            return 1
    return 0


def connection(sheet: CakeSheet, board: Board, move: PieceChosen) -> int:
    """Give what a piece, placed so, would bring at once, and its golden cubes for the end."""
    ahead = replace(board, cake=(*board.cake, (move.piece, move.rotation)))
    lit = [stripes(sheet, ahead, layer)[index] for layer, index in connected(sheet, ahead)]
    gilt = sum([stripe.golden for stripe in sheet.pieces[move.piece].stripes])
    return sum([CUBE * stripe.cubes + STAR * stripe.stars for stripe in lit]) + GOLDEN * gilt


def filling(sheet: CakeSheet, board: Board, jar: Jar) -> int:
    """Give what one more cube is worth in a jar: more the nearer it is to its chip."""
    if jar == "exchange":
        return 0
    value = CHIP[sheet.pays[BLUE_JARS.index(jar)]]
    return 12 * value // sheet.capacity[BLUE_JARS.index(jar)] + 10 * len(contents(board, jar))
