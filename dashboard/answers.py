"""Statistics in words: what a figure says to the question above it. Words for frames of `replay.statistics`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from core.words import listed
from replay.statistics import FLOOR


def percent(share: float) -> str:
    """Give a share as text: `39.2 %`."""
    return f"{100 * share:.1f} %"


def share_of_wins(rates: pl.DataFrame, who: Callable[[Mapping[str, Any]], str]) -> str:
    """Say who wins more or less often than equal players would: whose interval lies apart from the baseline.

    `rates` as `win_rates` gives it; `who` names the one that a row is about.
    """
    rows = rates.to_dicts()
    judged = [row for row in rows if row["enough"]]
    few = len(rows) - len(judged)
    if not judged:
        most = max((row["n"] for row in rows), default=0)
        return f"Too few games to tell: that takes {FLOOR} of each, here there are at most {most}."
    apart = [_apart(row, who(row)) for row in judged if row["low"] > row["baseline"] or row["high"] < row["baseline"]]
    if apart:
        answer = "\n".join(["Yes.", *[f"• {each}." for each in apart]])
    else:
        answer = "No sign of it: every interval contains what equal players would get."
    left_out = f"{few} with fewer than {FLOOR} games {'is' if few == 1 else 'are'} left out."
    return f"{answer}\n{left_out}" if few else answer


def _apart(row: Mapping[str, Any], who: str) -> str:
    how = "more" if row["low"] > row["baseline"] else "less"
    interval = f"{percent(row['low'])} to {percent(row['high'])}"
    return f"{who} wins {how}, {percent(row['rate'])} ({interval}) where {percent(row['baseline'])} is an equal share"


def scores(summary: Mapping[str, Any]) -> str:
    """Say how scores are spread, from one row of `score_summary`."""
    return (
        f"Half of all scores lie between {summary['lower']:g} and {summary['upper']:g}, the middle one is "
        f"{summary['median']:g}. They go from {summary['least']} to {summary['most']}."
    )


def length(summary: Mapping[str, Any]) -> str:
    """Say how long games are, from one row of `length_summary`."""
    return (
        f"The middle game takes {summary['turns_median']:g} turns and {summary['length_median']:g} events; "
        f"the shortest took {summary['turns_least']} turns, the longest {summary['turns_most']}."
    )


def endings(shares: pl.DataFrame) -> str:
    """Say how games end, from the rows of `endings` for one seat count (or all of them as one)."""
    parts = [
        f"{percent(row['share'])} with “{row['ended'].replace('_', ' ')}” "
        f"({percent(row['low'])} to {percent(row['high'])})"
        for row in shares.sort("n", descending=True).to_dicts()
    ]
    return f"Of {shares['games'][0]} games, {listed(parts)}."
