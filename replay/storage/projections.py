"""What is counted from streams and kept beside them: tables that can always be made again from `replay` and `event`.

A projection is one query, registered with a name (its table) and a version. It fills its table with every write that
touches a finished game, from the rows just written; the same query over all rows makes it anew, and says whether what
is there is right. Events that were taken back are counted: that they happened is a fact of the stream.

A projection that cannot be written never keeps an append from being kept: it is stopped, with the reason, and lags
behind until it is rebuilt. So is one that another version of its query filled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from msgspec import Struct

from replay.errors import ProjectionFailed
from replay.storage import tally_sums
from replay.storage.database import Hold, Lease


class Projection(Struct, frozen=True):
    """A table and the query that fills it; `{replay}` and `{event}` stand for where rows come from.

    Whoever changes the query raises the version.
    """

    name: str
    version: int
    query: str

    def rows(self, replay: str, event: str) -> str:
        """Give the query over some rows: names of tables, or subqueries."""
        return self.query.format(replay=replay, event=event)


SEAT_RESULT = Projection(
    "seat_result",
    1,
    """
    SELECT id AS replay, game, seats, seat, players[seat + 1] AS player, bots[seat + 1] AS bot,
      scores[seat + 1] AS score, ranks[seat + 1] AS rank,
      len(list_filter(ranks, lambda place: place = 1))::SMALLINT AS winners, ranks[seat + 1] = 1 AS won
    FROM (SELECT *, unnest(range(seats))::SMALLINT AS seat FROM {replay} WHERE finished)
    ORDER BY id, seat
    """,
)

KIND_COUNT = Projection(
    "kind_count",
    1,
    """
    SELECT id AS replay, game, kind, seat, count(*)::INTEGER AS n
    FROM {event} AS event JOIN {replay} AS replay ON event.replay = replay.id
    WHERE finished AND seq < known
    GROUP BY ALL ORDER BY ALL
    """,
)

PROJECTIONS = (SEAT_RESULT, KIND_COUNT)


class Health(Struct, frozen=True):
    """How a projection is.

    `position` is the generation of the last write that reached it, `lag` how many finished games it lacks, `problem`
    why it is not written any more, or None.
    """

    name: str
    version: int
    position: int
    lag: int
    problem: str | None

    def __str__(self) -> str:
        stopped = "" if self.problem is None else f", stopped: {self.problem}"
        return f"version {self.version}, last written by write {self.position}, lacks {self.lag} games{stopped}"


def project(lease: Lease, replay: str, event: str, **values: object) -> None:
    """Fill the projections from some rows, which they do not hold yet; raises `ProjectionFailed`."""
    running = _running(lease)
    for projection in running:
        with lease.blaming(ProjectionFailed, projection.name):
            lease.run(f"INSERT INTO {projection.name} BY NAME {projection.rows(replay, event)}", **values)
    lease.run(  # their rows are there: to replace each, as `_mark` does, takes five times as long
        """
        UPDATE projection SET position = value::BIGINT + 1 FROM meta
        WHERE key = 'generation' AND list_contains($names, name)
        """,
        names=[projection.name for projection in running],
    )


def replace(lease: Lease, finished: Sequence[str], were: Sequence[str]) -> None:
    """Fill the projections from some finished games; of those that `were` finished, forget what was made before.

    Raises `ProjectionFailed`.
    """
    if were:
        for table in (*[projection.name for projection in _running(lease)], "tally", "measured"):
            lease.run(f"DELETE FROM {table} WHERE replay IN (SELECT unnest($ids::UUID[]))", ids=were)
        tally_sums.forget(lease)
    if finished:
        among = "IN (SELECT unnest($ids::UUID[]))"
        project(
            lease,
            f"(SELECT * FROM replay WHERE id {among})",
            f"(SELECT * FROM event WHERE replay {among})",
            ids=finished,
        )


T = TypeVar("T")


def kept(hold: Hold, work: Callable[[Lease], T]) -> T:
    """Do a piece of work in a transaction; a projection that cannot be written is stopped, and the work done again."""
    while True:
        try:
            with hold.transaction() as lease:
                return work(lease)
        except ProjectionFailed as failed:
            with hold.transaction() as lease:
                _stop(lease, failed)


def _stop(lease: Lease, failed: ProjectionFailed) -> None:
    (projection,) = [each for each in PROJECTIONS if each.name == failed.name]
    _mark(lease, projection, failed.reason)


def rebuild(hold: Hold, projection: Projection) -> None:
    """Make a projection anew from what is stored; raises `ProjectionFailed`, and then stops it."""
    try:
        with hold.transaction() as lease:
            with lease.blaming(ProjectionFailed, projection.name):
                lease.run(f"DELETE FROM {projection.name}")
                lease.run(f"INSERT INTO {projection.name} BY NAME {projection.rows('replay', 'event')}")
            _mark(lease, projection, None)
    except ProjectionFailed as failed:
        with hold.transaction() as lease:
            _stop(lease, failed)
        raise


def health(lease: Lease) -> list[Health]:
    """Give how each projection is."""
    return list(_health(lease))


def _health(lease: Lease) -> Iterator[Health]:
    marks = {name: mark for name, *mark in lease.rows("SELECT name, version, position, problem FROM projection")}
    for projection in PROJECTIONS:
        version, position, problem = marks.get(projection.name, (0, 0, None))
        if version != projection.version:
            problem = f"made by version {version} of its query, this has {projection.version}"
        lacks = f"FROM replay ANTI JOIN {projection.name} AS made ON made.replay = replay.id WHERE finished"
        lag = int(lease.rows(f"SELECT count(*) {lacks}")[0][0])
        yield Health(projection.name, projection.version, position, lag, problem)


def differences(lease: Lease, projection: Projection) -> int:
    """Count the rows that a projection has too many or too few."""
    held = f"SELECT *, 1 AS times FROM {projection.name}"
    right = f"SELECT *, -1 AS times FROM ({projection.rows('replay', 'event')})"
    each = f"SELECT * EXCLUDE (times), sum(times) AS over FROM ({held} UNION ALL BY NAME {right}) GROUP BY ALL"
    return int(lease.rows(f"SELECT coalesce(sum(abs(over)), 0) FROM ({each})")[0][0])


def _running(lease: Lease) -> list[Projection]:
    """The projections that are written with the streams: those that stand in the store and are not stopped."""
    running = lease.rows("SELECT name, version FROM projection WHERE problem IS NULL")
    return [projection for projection in PROJECTIONS if (projection.name, projection.version) in running]


def _mark(lease: Lease, projection: Projection, problem: str | None) -> None:
    lease.run(
        """
        INSERT OR REPLACE INTO projection
        SELECT $name, $version, value::BIGINT + 1, $problem FROM meta WHERE key = 'generation'
        """,
        name=projection.name,
        version=projection.version,
        problem=problem,
    )
