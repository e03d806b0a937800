"""Two players of Picnic Palace: one that merely waits for a good row, and one that counts what it may still complete.

The patient one is the measure of the other: beating random moves alone would only show that a bot can wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from core.bots import View
from core.games.picnic_palace.scoring import kind_points, round_points
from core.games.picnic_palace.state import Table
from core.rng import Rng
from events.base import Move
from events.picnic_palace import Cards, FlipChosen, Kind, PickleUsed, RowTaken

WORTH_TAKING = 6
"""Points now for which the patient bot uses an invitation."""


class PatientBot:
    """Waits for a row that brings it 6 points at once, and flips until there is one. Keeps its Pickles."""

    blind: ClassVar[bool] = False

    def choose(self, view: View, moves: Sequence[Move], rng: Rng) -> Move:
        """Give the row of most points if it is worth taking or nothing can be flipped, else any flip."""
        table: Table = view.table
        own = table.collected[view.seat]
        held = round_points(table.sheet, own)
        rows = [move for move in moves if isinstance(move, RowTaken)]
        gains = [round_points(table.sheet, own + row.cards) - held for row in rows]
        flips = [move for move in moves if isinstance(move, FlipChosen)]
        best = max(gains, default=0)
        if flips and best < WORTH_TAKING:
            return rng.choice(flips)
        return rng.choice([row for row, gain in zip(rows, gains, strict=True) if gain == best])


# The planner reckons in hundredths of a card and of a point. The figures are tuned by play against itself.
SPRINKLES = 250
"""What a Sprinkles card counts for before the majority is known."""
PICKLE = 300
"""What a Pauly Pickle counts for: a card of choice, some day."""
PICKLED = 400
"""What a card must bring to be worth a Pickle."""
INVITED = 1000
"""What a row must bring, or keep from the others, to be worth an invitation."""


class PlannerBot:
    """Takes the row that helps it most, or the others too much; else flips where that tempts nobody."""

    blind: ClassVar[bool] = False

    def choose(self, view: View, moves: Sequence[Move], rng: Rng) -> Move:
        """Give the move of highest worth; equal ones by chance."""
        outlook = Outlook(view.table, view.seat)
        worths = [outlook.worth(move) for move in moves]
        best = max(worths)
        return rng.choice([move for move, worth in zip(moves, worths, strict=True) if worth == best])


class Outlook:
    """What a seat sees coming: the kinds still to be had in this round, and what each row is to the other seats."""

    def __init__(self, table: Table, seat: int) -> None:
        self.table = table
        self.seat = seat
        self.coming = _coming(table)
        rivals = [rival for rival in range(table.seats) if rival != seat and table.invitations[rival]]
        self.alone = not rivals
        self.lures = [max([self.gain(rival, row) for rival in rivals], default=0) for row in table.face_up]
        """For each row what it would bring the rival whom it helps most."""

    def worth(self, move: Move) -> tuple[int, int]:
        """Give how good a move is, measured by what makes it better than waiting, then among its like."""
        match move:
            case PickleUsed(kind=kind):
                return self.gain(self.seat, (kind,), used=0) - PICKLED, 0
            case RowTaken(row=row, cards=cards):
                return self.gain(self.seat, cards) + self._denied(row) - INVITED, 0
            case FlipChosen() if self.alone:
                return 100 * INVITED, 0  # nobody else can take what turns up
            case FlipChosen(row=row):
                return 0, -self.lures[row]
        return 0, 0

    def gain(self, seat: int, cards: Cards, used: int = 1) -> int:
        """Give what some face-up cards bring a seat beyond what it may expect of their kinds without them.

        It may expect its share of the cards to come, by the invitations it has left when this one is used.
        """
        left = self.table.invitations[seat] - used
        of = max(1, sum(self.table.invitations) - used)
        return sum([self._kind_gain(seat, kind, cards.count(kind), left, of) for kind in dict.fromkeys(cards)])

    def _kind_gain(self, seat: int, kind: Kind, count: int, left: int, of: int) -> int:
        if kind == "sprinkles":
            return SPRINKLES * count
        if kind == "pauly_pickle":
            return PICKLE * count
        expected = 100 * self.table.collected[seat].count(kind) + (self.coming[kind] - 100 * count) * left // of
        return self._points(kind, expected + 100 * count) - self._points(kind, expected)

    def _points(self, kind: Kind, hundredths: int) -> int:
        """Give the points of a number of cards that need not be whole, between those of its neighbours."""
        whole, part = divmod(hundredths, 100)
        fewer = kind_points(self.table.sheet, kind, whole)
        return 100 * fewer + (part * (kind_points(self.table.sheet, kind, whole + 1) - fewer) if part else 0)

    def _denied(self, row: int) -> int:
        """Give what a rival is worse off without this row: the next best remains."""
        others = [lure for other, lure in enumerate(self.lures) if other != row]
        return max(0, self.lures[row] - max(others, default=0))


def _coming(table: Table) -> dict[Kind, int]:
    """Give how many cards of each kind the rows hold, in hundredths: those in sight, and what is to be expected."""
    in_sight = [card for row in table.face_up for card in row]
    gone = [*table.discarded, *[card for pile in table.collected for card in pile], *in_sight]
    face_down = sum(map(len, table.face_down))
    hidden = max(1, table.sheet.cards - len(gone))
    return {
        kind: 100 * in_sight.count(kind) + 100 * (copies - gone.count(kind)) * face_down // hidden
        for kind, copies in table.sheet.copies.items()
    }
