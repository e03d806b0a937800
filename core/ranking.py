"""Places from scores, the same for every game (G-04)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def by_score(scores: Sequence[Any]) -> tuple[tuple[int, ...], ...]:
    """Give groups of seats, best first; seats with equal scores share a place. A tie-break is a tuple as score.

    >>> by_score([7, 12, 7])
    ((1,), (0, 2))
    """
    best_first = sorted(dict.fromkeys(scores), reverse=True)
    return tuple([tuple([seat for seat, score in enumerate(scores) if score == best]) for best in best_first])
