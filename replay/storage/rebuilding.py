"""Making anew what is made from events: what streams come to, what rows say about events, and the projections."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from replay.storage.checking import Finding
from replay.storage.database import Lease
from replay.storage.reading import AMONG, read_all, renew
from replay.storage.rows import COMES_TO, accounts, frames, unlike, whole

_SAID: tuple[str, ...] = ("turn", "round", "seat", "kind", "subject")
"""What a row of `event` says about its event beside its bytes. The bytes are the truth, and never written anew."""


class Rebuilt(Struct, frozen=True):
    """How many replays were looked at, and what is wrong with those (and projections) that could not be made anew."""

    replays: int
    bad: tuple[Finding, ...]


def rebuild_streams(lease: Lease, ids: Sequence[UUID]) -> list[Finding]:
    """Work out anew what some streams come to and what is said of their events; give those that are bad.

    A stream whose events are not those that were stored is marked: it opens nowhere and counts nowhere.
    """
    heads = dict(lease.rows(f"SELECT id::VARCHAR, head FROM replay WHERE id {AMONG}", ids=ids))
    tapes = {tape.header.id: tape for tape in read_all(lease, ids)}
    found = {id: whole(tape, heads[id]) for id, tape in tapes.items()}
    with lease.given({"new_replay": accounts(found)}):
        renew(lease, COMES_TO)
    bad = [id for id, tape in tapes.items() if unlike(tape, heads[id])]
    _, event, _ = frames([tape for id, tape in tapes.items() if id not in bad])
    with lease.given({"new_event": event}):
        says = ", ".join(("seq", *_SAID))
        other = lease.rows(
            f"""
            SELECT DISTINCT replay FROM (
              SELECT replay::UUID AS replay, {says} FROM new_event
              EXCEPT SELECT replay, {says} FROM event WHERE replay {AMONG}
            )
            """,
            ids=ids,
        )
        if other:
            lease.run(
                f"""
                UPDATE event SET {", ".join([f"{name} = new_event.{name}" for name in _SAID if name != "kind"])}
                FROM new_event
                WHERE event.replay {AMONG} AND event.replay = new_event.replay::UUID AND event.seq = new_event.seq
                """,
                ids=[id for (id,) in other],
            )
    return [Finding(id, found[id].problem or "") for id in bad]


def mark_unreadable(lease: Lease, id: UUID, reason: str) -> Finding:
    """Mark a stream whose events cannot be read from the disk."""
    lease.run(
        "UPDATE replay SET known = 0, problem = $reason, finished = false WHERE id = $id", id=id, reason=reason[:400]
    )
    return Finding(str(id), reason)
