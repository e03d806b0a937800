"""What the seats of Trash Pandas may expect, as a turn begins.

The figures come of 1,500 games of the forager with two seats. With the weights of an expected place and of a card in
hand left free, least squares set both to 1.0; the rest explains as much of the final lead as any shape that was tried.
"""

from __future__ import annotations

from math import sqrt

from core.games.trash_pandas.state import Table

OPEN = 0.8
"""The square of a lead that each copy still in the trash can puts in doubt."""

DECIDED = 0.05
"""The same when no copy is left: hardly any."""

LATE = 1 / 3
"""The part of the trash can from which on cards in hand are worth less: fewer of them will be stashed."""


def prospects(table: Table) -> tuple[float, ...]:
    """Give the points of the expected place in each kind, those of each stashed card, and one for a card in hand."""
    sheet = table.sheet
    left = len(table.pile) / (sum(sheet.copies) - sum(sheet.hands[: table.seats]))
    stashes = [shown + hidden for shown, hidden in zip(table.face_up, table.stashes, strict=True)]
    worth_in_hand = min(1.0, left / LATE)
    totals = [len(hand) * worth_in_hand for hand in table.hands]
    for kind, copies, points, each in zip(sheet.kinds, sheet.copies, sheet.points, sheet.points_each, strict=True):
        counts = [stash.count(kind) for stash in stashes]
        for seat, count in enumerate(counts):
            totals[seat] += each * count + (_placed(counts, seat, points, copies * left) if any(points) else 0)
    return tuple(totals)


def _placed(counts: list[int], seat: int, points: tuple[int, ...], coming: float) -> float:
    """Give the points of a seat's expected place, between those of the places around it.

    `coming` copies are in the trash can; a seat that has no copy may not get one (TP-77).
    """
    doubt = OPEN * coming + DECIDED
    own = counts[seat]
    ahead = 0.0
    for other, count in enumerate(counts):
        if other != seat:
            lead = own - count
            ahead += (1 - lead / sqrt(lead * lead + doubt)) / 2
    place = min(int(ahead), len(points) - 1)
    below = points[place + 1] if place + 1 < len(points) else 0
    value = points[place] + (ahead - place) * (below - points[place])
    return value if own else value * min(1.0, coming / 3)
