"""The table `tally` added up, so that a question about all games of a kind does not read a hundred rows of each.

The sums hold for what was measured when they were made: their stamp says which games by which metrics. Whoever adds to
that need not know of them; they are looked at only while their stamp is today's, and `Store.measure` makes them anew.
Who takes something away forgets them: what comes back under the same id may be another game, or have ended otherwise.
Those of a lake hold for ever, as its segments do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from replay.filters import Filter
from replay.storage.database import Lease

STAMP: Final = "(SELECT count(*) || ' ' || coalesce(bit_xor(hash(replay, digest)), 0) FROM measured)"
"""SQL for what stands for all that is measured."""

EVER: Final = ""
"""The stamp of sums whose games never change."""

ROWS: Final = "(SELECT *, 1 AS games, n AS most FROM tally)"
"""SQL for the rows of `tally` in the form that sums have: games, and the most cases of a game."""

AT_ONCE: Final = 2_000_000
"""Rows of `tally` that are added up by one statement, if they are of several metrics: it takes a moment."""

SUMS: Final = "tally_sum"
"""SQL for the sums themselves."""


def hold_for(lease: Lease, wanted: Filter) -> bool:
    """Say whether the sums answer for a filter: all games of one kind, or those of a seat count, without branches."""
    whole = wanted == Filter(game=wanted.game, seats=wanted.seats, branches=False)
    return whole and are_fresh(lease)


def are_fresh(lease: Lease) -> bool:
    """Say whether the sums are those of what is measured now."""
    found = lease.rows("SELECT stamp FROM tally_sum LIMIT 1")
    return bool(found) and (found == [(EVER,)] or found == lease.rows(f"SELECT {STAMP}"))


def forget(lease: Lease) -> None:
    """Forget the sums, as something that they were made of goes away."""
    lease.run("DELETE FROM tally_sum")


def metrics(lease: Lease) -> list[list[str]]:
    """Give the metrics that something was found by, with those together that are quickly added up together."""
    groups = list[list[str]]()
    room = 0
    for metric, rows in lease.rows("SELECT metric, count(*) FROM tally GROUP BY ALL ORDER BY metric"):
        if rows > room:
            groups.append([])
            room = AT_ONCE
        groups[-1].append(metric)
        room -= rows
    return groups


def made(lease: Lease, metrics: Sequence[str]) -> pl.DataFrame:
    """Give the sums of some metrics, of what is measured now."""
    sums = added_up("(FROM tally WHERE metric IN (SELECT unnest($metrics)))")
    return lease.frame(f"SELECT {STAMP} AS stamp, * FROM ({sums}) ORDER BY ALL", metrics=list(metrics))


def added_up(tally: str) -> str:
    """Give SQL for the sums, but for their stamp, of rows of `tally`; branches of other games are left out."""
    return f"""
        SELECT metric, game, seats, lot, winners, key, count(*) AS games, sum(n)::BIGINT AS n,
          sum(total)::BIGINT AS total, max(n) AS most
        FROM {tally} WHERE replay NOT IN (SELECT id FROM replay WHERE parent IS NOT NULL) GROUP BY ALL
    """


def keep(lease: Lease, sums: pl.DataFrame) -> None:
    """Store the sums of all metrics in place of those that were there; none if something else is measured by now."""
    forget(lease)
    with lease.given({"new_sums": sums}):
        lease.run(f"""
            INSERT INTO tally_sum BY NAME
            SELECT * FROM new_sums WHERE (SELECT bool_and(stamp = {STAMP}) FROM new_sums)
        """)
