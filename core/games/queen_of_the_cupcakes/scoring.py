"""What the cards in front of the seats are worth, and who won."""

from __future__ import annotations

from core.games.queen_of_the_cupcakes.state import Table, bin_is_full, partner
from events.queen_of_the_cupcakes import Kind


def placing(table: Table) -> tuple[Kind, Kind, Kind]:
    """Give the three kinds that score: the fullest bins, of equal ones the higher up (QC-11, QC-13, QC-17).

    An empty bin can be among them, and then nobody has its cards in front (QC-12).
    """
    fullest = sorted(range(len(table.bins)), key=table.bins.__getitem__, reverse=True)  # equal ones stay in order
    first, second, third = [table.sheet.kinds[index] for index in fullest[:3]]
    return first, second, third


def points(table: Table) -> dict[Kind, int]:
    """Give the points a card of each scoring kind; all other kinds give none (QC-31)."""
    sheet = table.sheet
    values = sheet.points_bin_full if bin_is_full(table) else sheet.points_pile_empty
    return dict(zip(placing(table), values, strict=True))


def scores(table: Table) -> tuple[int, ...]:
    """Give one score a seat; partners both show what their pooled cards are worth (QC-29)."""
    value = points(table)
    own = [sum([value.get(card, 0) for card in pile]) for pile in table.revealed]
    if table.teams:
        return tuple([own[seat] + own[partner(table, seat)] for seat in range(table.seats)])
    return tuple(own)
