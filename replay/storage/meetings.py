"""Who met whom in finished games: what ratings and the matrix of players start from.

Where an option `teams` is set, the seats are partners that face each other across the table (QC-30).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from replay.filters import Filter
from replay.storage.database import Lease

SIDES: Final = "CASE WHEN options ->> '$.teams' = 'true' THEN seats // 2 ELSE seats END"
"""SQL for how many sides there are: seat s is on side s % sides."""


def newest(lease: Lease, wanted: Filter, most: int) -> pl.DataFrame:
    """Give the newest finished games in the order of arrival: lists `players`, `ranks` and `sides`, a seat each."""
    where, values = wanted.where()
    return lease.frame(
        f"""
        SELECT players, ranks, list_transform(range(seats), lambda seat: seat % ({SIDES})) AS sides
        FROM (FROM replay WHERE finished AND {where} ORDER BY added DESC LIMIT $most) ORDER BY added
        """,
        most=most,
        **values,
    )


def pairs(lease: Lease, wanted: Filter, most: int) -> pl.DataFrame:
    """Give, for each two of the `most` players of the most games, how they met: player, other, n, ahead, level.

    Games of the same players with the same places are looked at as one.
    """
    where, values = wanted.where()
    return lease.frame(
        f"""
        WITH alike AS (
            SELECT players, ranks, seats, options, count(*) AS games
            FROM replay WHERE finished AND {where} GROUP BY ALL
          ),
          game AS (SELECT players, ranks, seats, {SIDES} AS sides, games FROM alike),
          known AS (
            SELECT player FROM (SELECT unnest(players) AS player, games FROM game)
            GROUP BY player ORDER BY sum(games) DESC, player LIMIT $most
          ),
          seat AS (SELECT *, unnest(range(seats)) AS a FROM game),
          met AS (SELECT *, unnest(range(seats)) AS b FROM seat)
        SELECT players[a + 1] AS player, players[b + 1] AS other, sum(games)::BIGINT AS n,
          coalesce(sum(games) FILTER (ranks[a + 1] < ranks[b + 1]), 0)::BIGINT AS ahead,
          coalesce(sum(games) FILTER (ranks[a + 1] = ranks[b + 1]), 0)::BIGINT AS level
        FROM met
        WHERE a % sides <> b % sides AND players[a + 1] <> players[b + 1]
          AND players[a + 1] IN (FROM known) AND players[b + 1] IN (FROM known)
        GROUP BY ALL ORDER BY ALL
        """,
        most=most,
        **values,
    )
