"""What is counted from streams and kept beside them: tables that can always be made again from `replay` and `event`.

A projection is one query. It fills its table with every write that touches a finished game, from the rows just written;
the same query over all rows makes it anew, and says whether what is there is right. Events that were taken back are
counted: that they happened is a fact of the stream.
"""

from __future__ import annotations

from msgspec import Struct

from replay.database import Lease


class Projection(Struct, frozen=True):
    """A table and the query that fills it; `{replay}` and `{event}` stand for where rows come from."""

    table: str
    query: str

    def rows(self, replay: str, event: str) -> str:
        """Give the query over some rows: names of tables, or subqueries."""
        return self.query.format(replay=replay, event=event)


SEAT_RESULT = Projection(
    "seat_result",
    """
    SELECT id::UUID AS replay, game, seats, seat, players[seat + 1] AS player, bots[seat + 1] AS bot,
      scores[seat + 1] AS score, ranks[seat + 1] AS rank,
      len(list_filter(ranks, lambda place: place = 1))::SMALLINT AS winners, ranks[seat + 1] = 1 AS won
    FROM (SELECT *, unnest(range(seats))::SMALLINT AS seat FROM {replay} WHERE finished)
    ORDER BY id, seat
    """,
)

KIND_COUNT = Projection(
    "kind_count",
    """
    SELECT id::UUID AS replay, game, kind, seat, count(*)::INTEGER AS n
    FROM {event} AS event JOIN {replay} AS replay ON event.replay = replay.id
    WHERE finished AND seq < known
    GROUP BY ALL ORDER BY ALL
    """,
)

PROJECTIONS = (SEAT_RESULT, KIND_COUNT)


def project(lease: Lease, replay: str, event: str, **values: object) -> None:
    """Fill the projections from some rows, which they do not hold yet."""
    for projection in PROJECTIONS:
        lease.run(f"INSERT INTO {projection.table} BY NAME {projection.rows(replay, event)}", **values)


def replace(lease: Lease, id: str) -> None:
    """Make the projections of one replay anew."""
    for projection in PROJECTIONS:
        lease.run(f"DELETE FROM {projection.table} WHERE replay = $id", id=id)
    project(lease, "(SELECT * FROM replay WHERE id = $id)", "(SELECT * FROM event WHERE replay = $id)", id=id)


def rebuild(lease: Lease) -> None:
    """Make every projection anew from what is stored."""
    for projection in PROJECTIONS:
        lease.run(f"DELETE FROM {projection.table}")
    project(lease, "replay", "event")


def differences(lease: Lease, projection: Projection) -> int:
    """Count the rows that a projection has too many or too few."""
    held = f"SELECT * FROM {projection.table}"
    right = f"SELECT * FROM ({projection.rows('replay', 'event')})"
    return int(
        lease.rows(f"SELECT count(*) FROM (({held} EXCEPT ALL {right}) UNION ALL ({right} EXCEPT ALL {held}))")[0][0]
    )
