"""Notes: what is said about a step of a replay (a bookmark, a bot's reason). Beside the stream, never in it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from replay.database import Lease
from replay.errors import StoreError
from replay.reading import row_of


class Note(Struct, frozen=True):
    """A note: its id, the step it is about, of which kind it is, who wrote it, and the text.

    `seen_by` are the seats that may read it; None: everybody.
    """

    id: str
    step: int
    kind: str
    author: str | None
    seen_by: tuple[int, ...] | None
    text: str


def add(
    lease: Lease, replay: str, step: int, text: str, kind: str, author: str | None, seen_by: Sequence[int] | None
) -> str:
    """Add a note and give its id; raises `UnknownReplay`, or `StoreError` for a step that is not there."""
    length = row_of(lease, replay)[-2]
    if not 0 <= step < length:
        raise StoreError(f"replay {replay} has no step {step}: it has {length} events")
    ((id,),) = lease.rows(
        """
        INSERT INTO note(replay, seq, kind, author, seen_by, body)
        VALUES ($replay, $step, $kind, $author, $seen_by::SMALLINT[], $text) RETURNING id::VARCHAR
        """,
        replay=replay,
        step=step,
        kind=kind,
        author=author,
        seen_by=None if seen_by is None else list(seen_by),
        text=text,
    )
    return str(id)


def of(lease: Lease, replay: str) -> list[Note]:
    """Give the notes of a replay by step, older before newer; raises `UnknownReplay`."""
    row_of(lease, replay)
    rows = lease.rows(
        "SELECT id::VARCHAR, seq, kind, author, seen_by, body FROM note WHERE replay = $replay ORDER BY seq, id",
        replay=replay,
    )
    return [
        Note(id, step, kind, author, None if seen_by is None else tuple(seen_by), text)
        for id, step, kind, author, seen_by, text in rows
    ]


def remove(lease: Lease, id: str) -> bool:
    """Remove a note; say whether there was one."""
    return bool(lease.rows("DELETE FROM note WHERE id::VARCHAR = $id RETURNING id", id=id))
