"""What the seats of Picnic Palace may expect, as a round begins.

The figures come of 1,500 games of the planner with two seats: what became of leads in points, Sprinkles and Pickles
between two rounds.
"""

from __future__ import annotations

from math import sqrt

from core.games.picnic_palace.state import Table, totals

PICKLE = 4.0
"""What a Pauly Pickle brings in the end, if a round is still to come."""

OPEN = 3.0
"""The square of a lead in Sprinkles that each round to come puts in doubt."""


def prospects(table: Table) -> tuple[float, ...] | None:
    """Give the points so far, what Pickles bring, and Sprinkles by their odds; None but at the start of a round."""
    if table.phase != "deal":
        return None
    sprinkles = [cards.count("sprinkles") for cards in table.collected]
    doubt = OPEN * (table.sheet.rounds - table.round + 1)
    return tuple(
        [
            points + PICKLE * cards.count("pauly_pickle") + _sprinkled(table, sprinkles, seat, doubt)
            for seat, (points, cards) in enumerate(zip(totals(table), table.collected, strict=True))
        ]
    )


def _sprinkled(table: Table, counts: list[int], seat: int, doubt: float) -> float:
    """Give the points for the most Sprinkles, less those for the fewest (YW-36), each as likely as it looks now."""
    rivals = [count for other, count in enumerate(counts) if other != seat]
    value = table.sheet.most_sprinkles * _likely(counts[seat] - max(rivals), doubt)
    fewest = table.sheet.fewest_sprinkles if table.seats > 2 else 0
    return value - fewest * _likely(min(rivals) - counts[seat], doubt)


def _likely(lead: int, doubt: float) -> float:
    return (1 + lead / sqrt(lead * lead + doubt)) / 2
