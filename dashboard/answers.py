"""Statistics in words: what a figure says to the question above it. Words for frames of `replay.statistics`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from core.words import listed
from replay.statistics.summaries import FLOOR


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


def seat_test(tested: pl.DataFrame) -> str:
    """Say of each seat count whether seats win so unequally that it is more than chance, from `seat_test`."""
    return "\n".join([_tested(row) for row in tested.iter_rows(named=True)])


def _tested(row: Mapping[str, Any]) -> str:
    games = f"{row['n']:,} games for {row['seats']}"
    if not row["enough"]:
        return f"{games} are too few to test whether a seat has an advantage."
    if row["p"] is None:
        return f"In all {games}, everybody shared the win: no seat has an advantage."
    if row["p"] < 0.05:
        return f"In {games}, seats win more unequally than chance explains ({chance(row['p'])})."
    return f"In {games}, seats win no more unequally than chance explains ({chance(row['p'])})."


def chance(p: float) -> str:
    """Give a p-value as text."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def measured(rows: pl.DataFrame, unit: str, key: str) -> str:
    """Say what a metric comes to, from `metric_summary`: all of it in a line, and where it is most and least."""
    n, total = int(rows["n"].sum()), int(rows["total"].sum())
    if not n:
        return "Nothing of the kind happened in these games."

    def said(value: float) -> str:
        return percent(value) if unit == "rate" else f"{value:.2f}"

    answer = f"{said(total / n)} over {n:,} cases."
    judged = rows.filter("enough").sort("value")
    if not key or judged.height < 2:
        return answer
    low, high = judged.row(0, named=True), judged.row(-1, named=True)
    return (
        f"{answer} Most: {high['label']} with {said(high['value'])}. Least: {low['label']} with {said(low['value'])}."
    )


def happened(kinds: pl.DataFrame) -> str:
    """Say how much happens in a game, from the rows of the metric `kinds`."""
    total, games = int(kinds["total"].sum()), int(kinds["games"][0])
    return f"{total:,} events in {games:,} games, {total / games:.1f} in each."


def rated(ratings: pl.DataFrame) -> str:
    """Say who is the strongest, and whether that is sure, from `ratings`."""
    if ratings.height < 2:
        return "Nobody has met anybody in these games."
    first, second = ratings.row(0, named=True), ratings.row(1, named=True)
    sure = "" if first["low"] > second["high"] else " Their intervals overlap: it may be the other way round."
    return (
        f"{first['player']} stands highest with {first['mu']:.1f} ({first['low']:.1f} to {first['high']:.1f}), before "
        f"{second['player']} with {second['mu']:.1f}.{sure}"
    )


def met(pairs: pl.DataFrame) -> str:
    """Say who is ahead of whom most clearly, from `head_to_head`."""
    clear = pairs.filter(pl.col("enough") & (pl.col("low") > 0.5)).sort("share", descending=True)
    if clear.is_empty():
        return "Nobody finishes ahead of another more often than chance explains."
    best = clear.row(0, named=True)
    return (
        f"{best['player']} finishes ahead of {best['other']} in {percent(best['share'])} of {best['n']:,} games "
        f"({percent(best['low'])} to {percent(best['high'])}); {clear.height} such pairs in all."
    )
