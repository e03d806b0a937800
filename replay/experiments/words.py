"""What an experiment found, in words."""

from __future__ import annotations

from collections.abc import Mapping

from replay.experiments.differences import Difference
from replay.experiments.figures import Figure


def amount(value: float, unit: str) -> str:
    """Give the size of a difference as text: points of a share, or a number."""
    if unit == "rate":
        return f"{100 * value:.1f} points"
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"


def level(value: float, unit: str) -> str:
    """Give a value as text."""
    return f"{100 * value:.1f} %" if unit == "rate" else amount(value, unit)


def verdict(found: Difference, figures: Mapping[str, Figure], *, titled: bool = True) -> str:
    """Say what a difference comes to: how much, from where to where, or that none is seen.

    `titled` says whether the question is said as well, where the sentence does not tell it.

    >>> from replay.experiments.figures import ALWAYS
    >>> found = Difference(
    ...     variant="t/short", figure="turns", key="", unit="mean", games=200,
    ...     base=20.0, base_low=19.5, base_high=20.5, base_n=200, value=18.1, low=17.6, high=18.6, n=200,
    ...     difference=-1.9, difference_low=-2.6, difference_high=-1.2, p=0.0, adjusted=0.0, verdict="seen",
    ... )
    >>> verdict(found, {"turns": ALWAYS[0]})
    'Games are 1.90 turns shorter (1.20 to 2.60), from 20.0 to 18.1'
    """
    figure = figures[found.figure]
    key = found.key.replace("_", " ")
    lead = (f"{figure.title} " if titled else "") + (f"{key}: " if key else "")
    if found.difference is None or found.difference_low is None or found.difference_high is None:
        return f"{lead}too few games to tell"
    ends = sorted([found.difference_low, found.difference_high], key=abs)
    low, high = [amount(abs(end), figure.unit) for end in ends]
    if found.difference_low <= 0 <= found.difference_high:
        low, high = amount(found.difference_low, figure.unit), amount(found.difference_high, figure.unit)
    interval = f"{low.removesuffix(' points')} to {high}"
    if found.verdict == "none":
        return f"{lead}no difference seen ({interval})"
    less = found.difference < 0
    sentence = (figure.less if less else figure.more) or f"{lead}{{by}} {'less' if less else 'more'}"
    told = sentence.replace("{by}", amount(abs(found.difference), figure.unit)).replace("{key}", key)
    said = f"{told} ({interval}), from {level(found.base or 0, figure.unit)} to {level(found.value or 0, figure.unit)}"
    return f"Perhaps: {said}" if found.verdict == "hint" else said


def summary(found: list[Difference], figures: Mapping[str, Figure]) -> list[str]:
    """Say in a few lines how a variant differs from the baseline: what is seen, what may be, how much is not seen."""
    lines = [f"{verdict(each, figures)}." for each in found if each.verdict == "seen"]
    lines += [f"{verdict(each, figures)}." for each in found if each.verdict == "hint"]
    same = sum(each.verdict == "none" for each in found)
    few = sum(each.verdict == "few" for each in found)
    if same:
        lines.append(f"No difference seen in {same} of {len(found)} figures.")
    if few:
        lines.append(f"Too few games to tell of {few}.")
    return lines
