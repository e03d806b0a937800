"""Replays within a lease: whether an id is one, what is stored of it, and its tape."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any, Final
from uuid import UUID

from events.tape import Tape
from replay.errors import UnknownReplay
from replay.storage.database import Lease
from replay.storage.rows import EVENT_BYTES, TAPE, TAPES, Stored, event_bytes, tape_from

AMONG: Final = "IN (SELECT unnest($ids::UUID[]))"
"""SQL for being one of `ids`."""

SHORTEST_PREFIX: Final = 4
"""Characters that the beginning of an id needs to be looked for."""


def is_id(text: str) -> bool:
    """Say whether a text has the form of an id."""
    return re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", text) is not None


def digits_of(prefix: str) -> str:
    """Give the digits of the beginning of an id; raises `UnknownReplay` if it is none."""
    digits = prefix.lower().replace("-", "")
    if len(digits) < SHORTEST_PREFIX or not re.fullmatch(r"[0-9a-f]{1,32}", digits):
        raise UnknownReplay(
            f"{prefix!r} is not the beginning of an id: give at least {SHORTEST_PREFIX} characters of one that "
            "`tabletape replays` lists"
        )
    return digits


def only(prefix: str, found: Sequence[str]) -> str:
    """Give the one id that was found for its beginning; raises `UnknownReplay` for none or several."""
    if not found:
        raise UnknownReplay(f"no replay begins with {prefix!r}; `tabletape replays` lists them")
    if len(found) > 1:
        raise UnknownReplay(f"more than one replay begins with {prefix!r}, e.g. {found[0]} and {found[1]}")
    return found[0]


def unknown(id: str) -> UnknownReplay:
    """Give the error for an id that no replay has."""
    return UnknownReplay(f"no replay has the id {id[:80]!r}; `tabletape replays` lists them")


def row_of(lease: Lease, id: str, more: str = "") -> tuple[Any, ...]:
    """Give what is stored of a replay beside its events, and more columns; raises `UnknownReplay`."""
    rows = lease.rows(TAPE.format(more=more), id=id) if is_id(id) else []
    if not rows:
        raise unknown(id)
    (row,) = rows
    at = Stored._fields.index("components")
    if row[at] is None:
        return row
    ((components,),) = lease.rows("SELECT components FROM sheet WHERE key = $key", key=row[at])
    return (*row[:at], components, *row[at + 1 :])


def read(lease: Lease, id: str) -> Tape:
    """Give a replay exactly as it was stored; raises `UnknownReplay`."""
    stored = Stored(*row_of(lease, id))
    return tape_from(stored, events_of(lease, id))


def events_of(lease: Lease, id: str, first: int = 0, last: int = (1 << 31) - 1) -> list[bytes]:
    """Give the events of a stream that are there, from step `first` to before `last`."""
    rows = lease.rows(
        "SELECT seq, kind, body, raw FROM event WHERE replay = $id AND seq >= $first AND seq < $last",
        id=id,
        first=first,
        last=last,
    )
    return [event_bytes(kind, body, raw) for _, kind, body, raw in sorted(rows, key=itemgetter(0))]


def read_all(lease: Lease, ids: Sequence[UUID]) -> list[Tape]:
    """Give the replays of some ids, in the order of arrival; ids that are gone are left out."""
    stored = lease.rows(f"{TAPES.format(more='')} WHERE id {AMONG} ORDER BY added", ids=ids)
    listed = f"SELECT replay::VARCHAR, list({EVENT_BYTES} ORDER BY seq) FROM event"
    events = dict(lease.rows(f"{listed} WHERE replay {AMONG} GROUP BY replay", ids=ids))
    return [tape_from(row, events.get(row.id, ())) for row in map(Stored._make, stored)]


def renew(lease: Lease, columns: Iterable[str]) -> None:
    """Write some columns of `replay` anew from the frame `new_replay`."""
    changes = ", ".join([f"{name} = new_replay.{name}" for name in columns])
    lease.run(f"UPDATE replay SET {changes} FROM new_replay WHERE replay.id = new_replay.id::UUID")
