"""A greedy player of Queen of the Cupcakes: lays out where its cards will count, and takes what it can lay out soon."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from core.games.queen_of_the_cupcakes.state import Table
from core.rng import Rng
from events.base import Move
from events.queen_of_the_cupcakes import CardsLaid, CardsPassed, CardsTaken


class GreedyBot:
    """Looks at its own move only: what is it worth to me now, given the bins?"""

    blind: ClassVar[bool] = False

    def choose(self, view: Any, moves: Sequence[Move], rng: Rng) -> Move:
        """Give the move of highest worth; equal ones by chance."""
        table: Table = view
        worths = [worth(table, move) for move in moves]
        best = max(worths)
        return rng.choice([move for move, value in zip(moves, worths, strict=True) if value == best])


def worth(table: Table, move: Move) -> int:
    """Give what a move is worth to its seat, on a scale of the bot's own."""
    if isinstance(move, CardsTaken):
        held = table.hands[move.seat].count(move.kind)
        return 10 * min(move.count + held, 6) + 2 * table.bins[table.sheet.kinds.index(move.kind)]
    if isinstance(move, CardsLaid):
        filled = table.bins[table.sheet.kinds.index(move.kind)] + move.beside_bin
        return 10 * move.in_front + 3 * filled
    if isinstance(move, CardsPassed):
        return -1
    return 0
