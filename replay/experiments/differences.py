"""How the figures of two variants differ, and whether that is more than chance.

Games are paired by their number: game i of both is dealt from the same randomness. A figure is a ratio, total / n over
games, so its variance is that of a ratio estimator between whole games (W. G. Cochran, Sampling Techniques, 3rd ed.,
2.11), and how the two variants vary together is told by the same residuals: nothing is won by common random numbers
where nothing correlates, and nothing is lost.

The interval of a value is Student's for a mean, with the games that have a case, and Wilson's for a rate, for as many
independent cases as would vary like that (as in `metric_summary`). The interval of a difference is
made from both by the method of variance estimates recovery (G. Y. Zou, A. Donner, Statistics in Medicine 27, 2008),
which for paired rates is R. G. Newcombe's (Statistics in Medicine 17, 1998, method 10 without a correction for
continuity), and for means about that of the paired differences. p is where that interval just reaches zero.

Many figures are looked at, so each p is adjusted by S. Holm's method (Scandinavian Journal of Statistics 6, 1979): the
chance that any difference is called `seen` where there is none stays below 5 %. If there are several looks, each has an
equal part of the 5 % (Bonferroni), for intervals and for verdicts: stopping at any of them is sound.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Final, Literal, NamedTuple

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from replay.experiments.figures import Figure
from replay.statistics.summaries import FLOOR, wilson

ALPHA: Final = 0.05
"""How often, at the most, something is called a difference that is none."""

NEAREST: Final = 0.01
FARTHEST: Final = 38.0
"""Standard errors between which the one of a p-value is looked for: 0.99 to zero."""

Verdict = Literal["seen", "hint", "none", "few"]


class Difference(Struct, frozen=True, kw_only=True):
    """A figure of a variant (by tag) beside that of the baseline.

    `games` are those of each variant. `base` and `value` are total / n with their intervals, null where there is no
    case; `difference` = value - base. `correlation` is that of the paired games. `adjusted` is p by Holm, times the
    number of looks. The verdict is `seen` (adjusted below 5 %), `hint` (only its own interval leaves zero out), `none`,
    or `few` where less than 30 games have a case.
    """

    variant: str
    figure: str
    key: str
    unit: Literal["rate", "mean"]
    games: int
    base: float | None
    base_low: float | None
    base_high: float | None
    base_n: int
    value: float | None
    low: float | None
    high: float | None
    n: int
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    correlation: float | None = None
    p: float | None = None
    adjusted: float | None = None
    verdict: Verdict = "few"


def differences(
    base: pl.DataFrame, others: Mapping[str, pl.DataFrame], games: int, looks: int, figures: Mapping[str, Figure]
) -> list[Difference]:
    """Give how each variant differs from the baseline, by variant and figure, from `figures.rows` of each.

    All have games 0 to `games` - 1; only `figures` are looked at.
    """
    z = NormalDist().inv_cdf(1 - ALPHA / looks / 2)
    found = [
        _difference(tag, figures[figure], key, games, z, *sums)
        for tag, other in others.items()
        for figure, key, *sums in _sums(base, other, list(figures)).iter_rows()
    ]
    return _judged(found, looks)


def _sums(base: pl.DataFrame, other: pl.DataFrame, figures: Sequence[str]) -> pl.DataFrame:
    """The sums over games that everything is made of, exact whole numbers, by figure and key."""
    known = pl.col("figure").is_in(figures)
    paired = base.filter(known).join(
        other.filter(known), on=["figure", "key", "number"], how="full", coalesce=True, suffix="_b"
    )
    n, t, m, u = (pl.col(name).fill_null(0) for name in ("n", "total", "n_b", "total_b"))
    sums = paired.group_by("figure", "key").agg(
        *[part.sum().alias(f"base_{at}") for at, part in enumerate(((n > 0), n, t, n * n, n * t, t * t))],
        *[part.sum().alias(f"other_{at}") for at, part in enumerate(((m > 0), m, u, m * m, m * u, u * u))],
        *[part.sum().alias(f"cross_{at}") for at, part in enumerate((n * m, n * u, t * m, t * u))],
    )
    return sums.sort(pl.col("figure").cast(pl.Enum(figures)), "key")


class _Side(NamedTuple):
    """A figure of one variant: how many games have a case, cases, value, and the sum of squared residuals."""

    games: int
    n: int
    value: float
    squares: float
    variance: float
    rate: bool

    def interval(self, z: float) -> tuple[float, float]:
        """The ends of the interval of z standard errors."""
        if not self.rate:
            half = _student(z, max(self.games - 1, 1)) * math.sqrt(self.variance)
            return self.value - half, self.value + half
        cases: float = self.games  # all there are, if no game has two; else as many independent ones as would vary so
        if self.variance > 0 and self.games < self.n:
            cases = min(self.n, self.value * (1 - self.value) / self.variance)
        return wilson(self.value * cases, cases, z)


def _student(z: float, freedom: int) -> float:
    """The quantile of Student's t for a normal one: M. Abramowitz, I. Stegun, Handbook, 26.7.5, its first terms."""
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    return z + first / freedom + second / freedom**2


def _side(figure: Figure, games: int, with_case: int, n: int, total: int, nn: int, nt: int, tt: int) -> _Side:
    value = total / n
    squares = max(tt - 2 * value * nt + value * value * nn, 0.0)
    variance = squares / n**2 * games / (games - 1) if games > 1 else 0.0
    return _Side(with_case, n, value / figure.whole, squares, variance / figure.whole**2, figure.unit == "rate")


def _difference(tag: str, figure: Figure, key: str, games: int, z: float, *sums: int) -> Difference:
    first, second, (nm, nu, tm, tu) = sums[:6], sums[6:12], sums[12:]
    base = _side(figure, games, *first) if first[1] else None
    other = _side(figure, games, *second) if second[1] else None
    low, high = base.interval(z) if base else (None, None)
    other_low, other_high = other.interval(z) if other else (None, None)
    found = Difference(
        variant=tag,
        figure=figure.name,
        key=key,
        unit=figure.unit,
        games=games,
        base=base and base.value,
        base_low=low,
        base_high=high,
        base_n=first[1],
        value=other and other.value,
        low=other_low,
        high=other_high,
        n=second[1],
    )
    if base is None or other is None or min(base.games, other.games) < FLOOR:
        return found
    one, two = first[2] / first[1], second[2] / second[1]
    together = tu - two * tm - one * nu + one * two * nm
    scale = math.sqrt(base.squares * other.squares)
    correlation = min(max(together / scale, -1.0), 1.0) if scale > 0 else 0.0
    between = _between(base, other, correlation, z)
    return replace(
        found,
        difference=other.value - base.value,
        difference_low=between[0],
        difference_high=between[1],
        correlation=correlation,
        p=_p(base, other, correlation),
    )


def _between(base: _Side, other: _Side, correlation: float, z: float) -> tuple[float, float]:
    """The ends of the interval of a difference, from those of both values."""
    (low, high), (other_low, other_high) = base.interval(z), other.interval(z)

    def reach(own: float, others: float) -> float:
        return math.sqrt(max(own * own - 2 * correlation * own * others + others * others, 0.0))

    difference = other.value - base.value
    return (
        difference - reach(other.value - other_low, high - base.value),
        difference + reach(other_high - other.value, base.value - low),
    )


def _p(base: _Side, other: _Side, correlation: float) -> float:
    """The level at which the interval of the difference just reaches zero, by halving."""
    if base.value == other.value:
        return 1.0
    near, far = NEAREST, FARTHEST
    for _ in range(50):
        z = (near + far) / 2
        low, high = _between(base, other, correlation, z)
        near, far = (near, z) if low <= 0 <= high else (z, far)
    return math.erfc(far / math.sqrt(2))


def _judged(found: Sequence[Difference], looks: int) -> list[Difference]:
    """The same with adjusted p-values and verdicts."""
    tested = sorted([(each.p, at) for at, each in enumerate(found) if each.p is not None])
    judged = list(found)
    adjusted = 0.0
    for rank, (p, at) in enumerate(tested):
        adjusted = max(adjusted, min(1.0, p * (len(tested) - rank) * looks))
        apart = (found[at].difference_low or 0) > 0 or (found[at].difference_high or 0) < 0
        verdict: Verdict = "seen" if adjusted < ALPHA else "hint" if apart else "none"
        judged[at] = replace(found[at], adjusted=adjusted, verdict=verdict)
    return judged
