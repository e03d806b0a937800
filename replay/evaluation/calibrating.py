"""Is a chance of 70 % really 70 %? Evaluated steps of games against how those games ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from replay.evaluation.evaluating import Evaluation
from replay.statistics.summaries import Z95, wilson

BINS: Final = 10
"""Chances are taken together from 0 to 10 %, from 10 to 20 %, and so on."""


class Calibrated(Struct, frozen=True):
    """Those chances that lie in one bin: how many there are, of how many games, their mean, and the mean share won.

    `low` and `high` are the ends of the 95 % interval of `won`. The chances of a game hang together, so it is that of a
    ratio whose cases are games (Cochran, Sampling Techniques, 3rd edition, 1977, section 6.4), and no narrower than
    Wilson's for so many games: a few games that all ended alike are no certainty.
    """

    n: int
    games: int
    told: float
    won: float
    low: float
    high: float


def calibrate(games: Iterable[tuple[Evaluation, Sequence[float]]]) -> list[Calibrated]:
    """Give, bin by bin, the chances that were told and what was won, from evaluations and each seat's share of the win.

    Every step and seat counts, but those at which the game was over. Empty bins are left out.
    """
    sums: list[list[tuple[int, float, float]]] = [[] for _ in range(BINS)]
    for evaluation, won in games:
        cases: list[list[tuple[float, float]]] = [[] for _ in range(BINS)]
        for chances in evaluation.chances:
            if chances.rollouts:
                for rate, share in zip(chances.rates, won, strict=True):
                    cases[min(int(rate * BINS), BINS - 1)].append((rate, share))
        for bin_, found in zip(sums, cases, strict=True):
            if found:
                bin_.append((len(found), sum([rate for rate, _ in found]), sum([share for _, share in found])))
    return [_calibrated(bin_) for bin_ in sums if bin_]


def _calibrated(cases: Sequence[tuple[int, float, float]]) -> Calibrated:
    n = sum([count for count, _, _ in cases])
    won = sum([share for _, _, share in cases]) / n
    spread = sum([(share - won * count) ** 2 for count, _, share in cases])
    games = len(cases)
    half = Z95 * (spread * games / max(games - 1, 1)) ** 0.5 / n
    told = sum([rate for _, rate, _ in cases]) / n
    low, high = wilson(won * games, float(games))
    return Calibrated(n, games, told, won, max(min(won - half, low), 0.0), min(max(won + half, high), 1.0))
