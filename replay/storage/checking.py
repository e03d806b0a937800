"""What is wrong in a store, if anything is: its events, its digests, what streams come to, its projections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

import msgspec
from msgspec import Struct

from replay.storage import projections
from replay.storage.database import Lease
from replay.storage.reading import AMONG, read_all
from replay.storage.rows import COMES_TO, Account, account, unlike


class Finding(Struct, frozen=True):
    """Something that is wrong in the store: with which replay (None: with the whole), and what."""

    replay: str | None
    problem: str

    def __str__(self) -> str:
        return self.problem if self.replay is None else f"replay {self.replay}: {self.problem}"


NOT_STORED: Final = "the events do not give the digest that they were stored under"


def whole_store(lease: Lease) -> list[Finding]:
    """Look at what can be counted: events that are missing, or of no replay, and projections."""
    return [*counts(lease), *_projections(lease)]


def counts(lease: Lease) -> Iterator[Finding]:
    """Look for events that are missing, or of no replay."""
    counted = lease.rows("""
        SELECT coalesce(id, replay)::VARCHAR AS name, length, coalesce(n, 0)
        FROM replay FULL JOIN (
          SELECT replay, count(*) AS n, count(DISTINCT seq) AS steps, min(seq) AS first, max(seq) AS last
          FROM event GROUP BY replay
        ) ON replay = id
        WHERE coalesce(n, 0) IS DISTINCT FROM length OR n <> steps OR first <> 0 OR last <> n - 1
        ORDER BY name
    """)
    for id, length, found in counted:
        if length is None:
            yield Finding(id, f"{found} events of a replay that is not there")
        else:
            yield Finding(id, f"{length} events expected, {found} are there or not in order")


def _projections(lease: Lease) -> Iterator[Finding]:
    for health in projections.health(lease):
        if health.problem is not None:
            yield Finding(
                None, f"{health.name} is not kept up to date: {health.problem}; `tabletape rebuild` makes it anew"
            )
    for projection in projections.PROJECTIONS:
        if rows := projections.differences(lease, projection):
            yield Finding(
                None, f"{projection.name} differs from the events in {rows} rows; `tabletape rebuild` makes it anew"
            )


def lost(lease: Lease, ids: Sequence[UUID]) -> Iterator[Finding]:
    """Read some replays whole and look at their digests."""
    heads = dict(lease.rows(f"SELECT id::VARCHAR, head FROM replay WHERE id {AMONG}", ids=ids))
    for tape in read_all(lease, ids):
        if unlike(tape, heads[tape.header.id]):
            yield Finding(tape.header.id, NOT_STORED)


def streams(lease: Lease, ids: Sequence[UUID]) -> Iterator[Finding]:
    """Read some replays whole and look at their digests, and at what is kept about them."""
    kept = lease.rows(f"SELECT id::VARCHAR, head, {', '.join(COMES_TO)} FROM replay WHERE id {AMONG}", ids=ids)
    tapes = {tape.header.id: tape for tape in read_all(lease, ids)}
    for id, head, *comes_to in kept:
        if unlike(tapes[id], head):
            yield Finding(id, NOT_STORED)
        elif account(tapes[id]) != msgspec.convert(dict(zip(COMES_TO, comes_to, strict=True)), Account):
            yield Finding(
                id, "what the stream comes to differs from what is kept about it; `tabletape rebuild` corrects it"
            )
