"""What the stashes are worth, and who won."""

from __future__ import annotations

from collections.abc import Sequence

from core.games.trash_pandas.state import Table
from core.ranking import by_score
from events.trash_pandas import Cards


def places(counts: Sequence[int], points: Sequence[int]) -> tuple[int, ...]:
    """Give the points of each seat for its `counts` of one kind.

    Equal counts share a place at one point less each, but never less than none; the next count takes the next place
    (TP-74 to TP-76, TP-82). None of a kind is no place (TP-77), and there is nothing beyond third (TP-79). Two seats
    play by the same table (TP-78).

    >>> places([4, 4, 2, 0], (5, 3, 1))
    (4, 4, 3, 0)
    """
    scored = dict.fromkeys(counts, 0)
    ranked = sorted([count for count in scored if count], reverse=True)
    for count, value in zip(ranked, points, strict=False):
        scored[count] = max(0, value - 1) if counts.count(count) > 1 else value
    return tuple([scored[count] for count in counts])


def scores(table: Table) -> tuple[int, ...]:
    """Give one score a seat: places kind by kind, and the points that each card brings whoever has most (Blammo!)."""
    sheet = table.sheet
    totals = [0] * table.seats
    for kind, points, each in zip(sheet.kinds, sheet.points, sheet.points_each, strict=True):
        counts = [stash.count(kind) for stash in table.face_up]
        for seat, (count, value) in enumerate(zip(counts, places(counts, points), strict=True)):
            totals[seat] += value + each * count
    return tuple(totals)


def ranking(table: Table, totals: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Give groups of seats, best first: by score, then by variety of the stash, then by its size (TP-80, G-04)."""
    return by_score(list(zip(totals, map(variety, table.face_up), map(len, table.face_up), strict=True)))


def variety(stash: Cards) -> int:
    """Give the number of kinds in a stash, those without points included (TP-80)."""
    return len(dict.fromkeys(stash))
