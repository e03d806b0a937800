"""What collected cards are worth at the end of a round, and Sprinkles at the end of the game."""

from __future__ import annotations

from core.games.picnic_palace.state import PicnicSheet
from events.picnic_palace import Cards, Kind


def kind_points(sheet: PicnicSheet, kind: Kind, count: int) -> int:
    """Give the points of `count` cards of one kind: one set (YW-02), however large (YW-03), or so much each (YW-04).

    Sprinkles and Pickles give none in a round (YW-41).
    """
    values = sheet.sets.get(kind)
    if values and count:
        return values[min(count, len(values)) - 1]
    return sheet.each.get(kind, 0) * count


def round_points(sheet: PicnicSheet, cards: Cards) -> int:
    """Give the points of what a seat collected in a round, each kind by itself (YW-32)."""
    return sum([kind_points(sheet, kind, cards.count(kind)) for kind in dict.fromkeys(cards)])


def sprinkles_points(sheet: PicnicSheet, counts: tuple[int, ...]) -> tuple[int, ...]:
    """Give one score a seat for its Sprinkles: points for the most, a loss for the fewest, none counting too (YW-38).

    Tied seats split either, without remainder (YW-33). All equal: nothing for anybody (YW-34, YW-35), so nobody has
    both the most and the fewest (YW-37). With two seats the fewest cost nothing (YW-36).
    """
    most, fewest = max(counts), min(counts)
    if most == fewest:
        return (0,) * len(counts)
    won = sheet.most_sprinkles // counts.count(most)
    lost = sheet.fewest_sprinkles // counts.count(fewest) if len(counts) > 2 else 0
    return tuple([won if count == most else -lost if count == fewest else 0 for count in counts])
