"""A greedy player of Queen of the Cupcakes: looks one move ahead and counts what everybody's laid cards would be worth.

It remembers the lay-outs, which all were public (QC-21), so it knows what lies face down in front of each seat. Worths
are whole numbers on a scale of the bot's own, on which a point is ten.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

from core.bots import View
from core.games.queen_of_the_cupcakes.rules import splits
from core.games.queen_of_the_cupcakes.state import Table, partner
from core.reducer import put
from core.rng import Rng
from events.base import Event, Move
from events.queen_of_the_cupcakes import CardsLaid, CardsTaken

Counts: TypeAlias = tuple[int, ...]
"""A number for each kind, in the order of the bins."""

MARGIN = 1
"""Points ahead with which it is willing to end the game."""


class GreedyBot:
    """Takes what it can lay out well, lays out what brings it ahead, fills a bin only when that wins."""

    blind: ClassVar[bool] = False

    def choose(self, view: Any, moves: Sequence[Move], rng: Rng) -> Move:
        """Give the move of highest worth; equal ones by chance."""
        position = Position(view)
        worths = [position.worth(move) for move in moves]
        best = max(worths)
        return rng.choice([move for move, worth in zip(moves, worths, strict=True) if worth == best])


class Position:
    """What the bot's seat knows: the table it sees, and who has laid what in front."""

    def __init__(self, view: View) -> None:
        self.table: Table = view.table
        self.seat = view.seat
        self.kinds = self.table.sheet.kinds
        self.hand: Counts = tuple([self.table.hands[view.seat].count(kind) for kind in self.kinds])
        self.fronts = laid_in_front(self.table, view.record)
        self.lead = self.lead_with(self.table.bins, self.fronts)

    def worth(self, move: Move) -> int:
        """Give the worth of a move; of laying nothing and of passing cards it is 0."""
        if isinstance(move, CardsTaken):
            return self.worth_of_taking(self.kinds.index(move.kind), move.count)
        if isinstance(move, CardsLaid):
            return self.worth_of_laying(self.kinds.index(move.kind), move.beside_bin, move.in_front)
        return 0

    def worth_of_laying(self, kind: int, beside_bin: int, in_front: int) -> int:
        """Cards in front, and what they change in the score if the game ended now; a full bin does end it."""
        bins = put(self.table.bins, kind, self.table.bins[kind] + beside_bin)
        own = put(self.fronts[self.seat], kind, self.fronts[self.seat][kind] + in_front)
        lead = self.lead_with(bins, put(self.fronts, self.seat, own))
        if bins[kind] >= self.table.sheet.bin_capacity:
            return 1000 + lead if lead >= MARGIN else lead - 1000
        return 10 * in_front + 5 * (lead - self.lead) + 3 * beside_bin

    def worth_of_taking(self, kind: int, count: int) -> int:
        """The best lay-out that the hand then allows, many of a kind for later ones, and every card."""
        hand = put(self.hand, kind, self.hand[kind] + count)
        sizes = self.table.sheet.lay_out
        layings = [
            self.worth_of_laying(held_kind, beside_bin, in_front)
            for held_kind, held in enumerate(hand)
            for beside_bin, in_front in splits(held, *sizes)
        ]
        return max([0, *layings]) + 6 * sum([min(held, 4) ** 2 for held in hand]) + 15 * count

    def lead_with(self, bins: Counts, fronts: tuple[Counts, ...]) -> int:
        """Give the points that this seat (or team) would be ahead of the best other one if the game ended like this."""
        fullest = sorted(range(len(bins)), key=lambda index: (-bins[index], index))[:3]
        values = self.table.sheet.points_bin_full
        scores = [sum([value * front[kind] for kind, value in zip(fullest, values, strict=True)]) for front in fronts]
        own = [self.seat, partner(self.table, self.seat)] if self.table.teams else [self.seat]
        others = [seat for seat in range(self.table.seats) if seat not in own]
        if self.table.teams:
            return sum([scores[seat] for seat in own]) - sum([scores[seat] for seat in others])
        return scores[self.seat] - max([scores[seat] for seat in others])


def laid_in_front(table: Table, record: Sequence[Event]) -> tuple[Counts, ...]:
    """Give what lies in front of each seat, counted from the lay-outs that everybody saw."""
    kinds = table.sheet.kinds
    fronts = [[0] * len(kinds) for _ in range(table.seats)]
    for event in record:
        if isinstance(event, CardsLaid):
            fronts[event.seat][kinds.index(event.kind)] += event.in_front
    return tuple([tuple(front) for front in fronts])
