"""What statistics start from, added up by the database: a few rows, however many games there are.

Every function gives a frame that is sorted by its keys, with counts as 64-bit integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import polars as pl

from core.metrics import SITUATIONS
from core.tally import Metric
from replay.filters import Filter
from replay.storage import tally_sums
from replay.storage.database import Lease

SEAT_KEYS: Final = ("seats", "seat", "player", "bot", "score")
"""What seats can be told apart by."""

METRIC_KEYS: Final = ("seats", "seat", "player", "bot", "key", "won")
"""What the tallies of a metric can be told apart by."""

CREDIT: Final = "CASE WHEN winners > 0 THEN 1.0 / winners ELSE 0 END::DOUBLE"
"""SQL for what a seat of `tally` gets for its place: a shared win is split."""


def seats(lease: Lease, wanted: Filter, by: Sequence[str]) -> pl.DataFrame:
    """Give how many seats of finished games there are of each kind: `by`, seats, won, winners, rank, games.

    `games` counts a game once for each of its seats that is of the kind.
    """
    keys = _keys(by, SEAT_KEYS)
    where, values = _meant(wanted, "seat_result")
    columns = ", ".join(dict.fromkeys([*keys, "seats", "won", "winners", "rank"]))
    return lease.frame(
        f"SELECT {columns}, count(*)::BIGINT AS games FROM seat_result WHERE {where} GROUP BY ALL ORDER BY ALL",
        **values,
    )


def games(lease: Lease, wanted: Filter) -> pl.DataFrame:
    """Give how many games there are of each length and end: seats, finished, faulty, ended, turns, length, games.

    `length` counts events; a `faulty` game stops at what cannot be believed.
    """
    where, values = wanted.where()
    return lease.frame(
        f"""
        SELECT seats, finished, problem IS NOT NULL AS faulty, ended, turns, length, count(*)::BIGINT AS games
        FROM replay WHERE {where} GROUP BY ALL ORDER BY ALL
        """,
        **values,
    )


def tallies(lease: Lease, metric: Metric, wanted: Filter, by: Sequence[str]) -> pl.DataFrame:
    """Give what a metric found, added up: `by`, games, n, total, single, lots, nn, nt, tt.

    `games` counts a game once, or once for each of its seats if the metric looks at seats. `single` says that all cases
    are of different games. `lots` counts the lots that the games fall into, and nn, nt and tt are the sums over lots of
    n², n·total and total²: what the interval is made of (`replay.statistics.summaries.metric_summary`).
    """
    keys = _keys(by, METRIC_KEYS)
    told = {"won": "winners > 0", "player": "seat_result.player", "bot": "seat_result.bot"}
    columns = "".join([f"{told.get(key, f'tally.{key}')} AS {key}, " for key in keys])
    names = "".join([f"{key}, " for key in keys])
    joined = "JOIN seat_result ON seat_result.replay = tally.replay AND seat_result.seat = tally.seat"
    once = "key" in keys or not metric.key
    counted = "sum(games)" if once else "count(DISTINCT (tally.replay, tally.seat))"
    summed = once and not {"seat", "player", "bot"} & {*keys} and tally_sums.hold_for(lease, wanted)
    rows, where, values = _tally(wanted, summed)
    return lease.frame(
        f"""
        SELECT {names}sum(games)::BIGINT AS games, sum(n)::BIGINT AS n, sum(total)::BIGINT AS total,
          bool_and(single) AS single, count(*)::BIGINT AS lots, sum(n::DOUBLE * n) AS nn,
          sum(n::DOUBLE * total) AS nt, sum(total::DOUBLE * total) AS tt
        FROM (
          SELECT {columns}lot, {counted} AS games, sum(n) AS n, sum(total) AS total,
            max(most) = 1 AND {"true" if "seat" in keys else "count(tally.winners) = 0"} AS single
          FROM {rows} AS tally {joined if "player" in keys or "bot" in keys else ""}
          WHERE metric = $metric AND {where} GROUP BY ALL
        ) GROUP BY ALL ORDER BY ALL
        """,
        metric=metric.name,
        **values,
    )


def situations(lease: Lease, wanted: Filter, by: Sequence[str] = ()) -> pl.DataFrame:
    """Give the wins of seats beside what they held: key, situation, `by`, n, credit, base, and the same for each draw.

    n counts seats that had the subject in that situation, once a game; `credit` their wins, shared ones split; `base`
    sums 1/seats. `draws`, `draw_credit` and `draw_base` are the same with each seat counted once a copy. The columns
    from `lots` on say how both vary (see `tallies`).
    """
    keys = _keys(by, ("seats", "seat"))
    rows, where, values = _tally(wanted, "seat" not in keys and tally_sums.hold_for(lease, wanted))
    names = "".join([f", {key}" for key in keys])
    found = lease.frame(
        f"""
        SELECT key, metric AS situation{names}, sum(n)::BIGINT AS n, sum(credit) AS credit, sum(base) AS base,
          sum(draws)::BIGINT AS draws, sum(draw_credit) AS draw_credit, sum(draw_base) AS draw_base,
          count(*)::BIGINT AS lots, sum(n::DOUBLE * n) AS nn, sum(n * credit) AS nt, sum(credit * credit) AS tt,
          sum(draws::DOUBLE * draws) AS draw_nn, sum(draws * draw_credit) AS draw_nt,
          sum(draw_credit * draw_credit) AS draw_tt
        FROM (
          SELECT key, metric{names}, lot, sum(n) AS n, sum(n * {CREDIT}) AS credit, sum(n / seats) AS base,
            sum(total) AS draws, sum(total * {CREDIT}) AS draw_credit, sum(total / seats) AS draw_base
          FROM {rows} AS tally WHERE metric IN (SELECT unnest($situations)) AND {where} GROUP BY ALL
        ) GROUP BY ALL
        """,
        situations=list(SITUATIONS),
        **values,
    )
    return found.with_columns(pl.col("situation").cast(pl.Enum(SITUATIONS))).sort("key", "situation", *keys)


def _keys(by: Sequence[str], known: Sequence[str]) -> list[str]:
    keys = [by] if isinstance(by, str) else list(by)
    if unknown := [key for key in keys if key not in known]:
        raise ValueError(f"cannot count by {unknown[0]!r}: {', '.join(known)}")
    return keys


def _tally(wanted: Filter, summed: bool) -> tuple[str, str, dict[str, object]]:
    """SQL for the rows of `tally`, or of its sums, that are meant: the table, the condition, and its values."""
    if not summed:
        return tally_sums.ROWS, *_meant(wanted, "tally")
    where, values = msgspec.structs.replace(wanted, branches=None).where()
    return tally_sums.SUMS, where.replace("replay.", "tally."), values


def _meant(wanted: Filter, table: str) -> tuple[str, dict[str, object]]:
    """SQL for the rows of a table of finished games that are meant, without a look at `replay` where that will do."""
    plain = msgspec.structs.replace(wanted, branches=None)
    if plain == Filter(game=wanted.game, seats=wanted.seats) and wanted.branches is not True:
        where, values = plain.where()
        left_out = f" AND {table}.replay NOT IN (SELECT id FROM replay WHERE parent IS NOT NULL)"  # few, if any
        return where.replace("replay.", f"{table}.") + (left_out if wanted.branches is False else ""), values
    where, values = wanted.where()
    return f"{table}.replay IN (SELECT id FROM replay WHERE {where})", values
