"""What was measured in finished games, as the store keeps it: by which metrics, which games, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import polars as pl
from msgspec import Struct

from replay.statistics.measuring import digests
from replay.storage import tally_sums
from replay.storage.checking import Finding
from replay.storage.database import Lease
from replay.storage.reading import AMONG


class Measurements(Struct, frozen=True):
    """How many games were measured, and which could not be, and why."""

    replays: int
    bad: tuple[Finding, ...]


class Share(Struct, frozen=True):
    """How many games are finished, how many of them are measured by today's metrics, and how many cannot be."""

    finished: int
    measured: int
    failed: int


def unmeasured(lease: Lease, where: str, **values: object) -> list[UUID]:
    """Give the finished games that today's metrics have not looked at, in the order of arrival."""
    with lease.given({"today": digests()}):
        found = lease.rows(
            f"""
            SELECT id FROM replay JOIN today USING (game)
            WHERE finished AND {where} AND NOT EXISTS (
              SELECT 1 FROM measured WHERE measured.replay = replay.id AND measured.digest = today.digest
            ) ORDER BY added
            """,
            **values,
        )
    return [id for (id,) in found]


def keep(lease: Lease, tally: pl.DataFrame, marks: pl.DataFrame) -> list[Finding]:
    """Store what was found in games, in place of what was found before; give those that could not be measured.

    A game that was removed, or went on, in the meantime is left out.
    """
    with lease.given({"new_tally": tally, "new_measured": marks}):
        forget(lease, [UUID(id) for id in marks["replay"]])
        there = "replay::UUID IN (SELECT id FROM replay WHERE finished)"
        lease.run(f"INSERT INTO measured BY NAME SELECT * FROM new_measured WHERE {there}")
        lease.run(f"INSERT INTO tally BY NAME SELECT * FROM new_tally WHERE {there} ORDER BY metric, replay, seat, key")
    failed = marks.filter(pl.col("problem").is_not_null())
    return [Finding(row["replay"], f"cannot be measured: {row['problem']}") for row in failed.iter_rows(named=True)]


def forget(lease: Lease, ids: Sequence[UUID]) -> None:
    """Forget what was measured in some games."""
    known = [id for (id,) in lease.rows(f"SELECT replay FROM measured WHERE replay {AMONG}", ids=ids)]
    if known:
        for table in ("tally", "measured"):
            lease.run(f"DELETE FROM {table} WHERE replay {AMONG}", ids=known)
        tally_sums.forget(lease)


def forget_all(lease: Lease) -> None:
    """Forget what was measured in all games."""
    for table in ("tally", "measured"):
        lease.run(f"DELETE FROM {table}")
    tally_sums.forget(lease)


def share(lease: Lease, where: str, **values: object) -> Share:
    """Say how many games are measured."""
    with lease.given({"today": digests()}):
        ((finished, done, failed),) = lease.rows(
            f"""
            SELECT count(*), count(today.digest), count(measured.problem) FILTER (today.digest IS NOT NULL)
            FROM replay LEFT JOIN measured ON measured.replay = replay.id
              LEFT JOIN today ON today.game = measured.game AND today.digest = measured.digest
            WHERE finished AND {where}
            """,
            **values,
        )
    return Share(finished, done - failed, failed)
