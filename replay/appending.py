"""Appending to streams: what an append must fit, and how it is written.

An append says how long the stream was that it was decided on. Events are in order by where they stand, never by time,
and there are no gaps. The same append again changes nothing, so whoever does not know whether one was kept asks again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec
import polars as pl
from msgspec import Struct

from events.errors import FormatError, TabletapeError
from events.tape import Tape, digest, link
from replay import projections
from replay.database import Lease
from replay.errors import Conflict, ProjectionFailed, StoreError
from replay.places import Place
from replay.reading import read, renew, row_of
from replay.rows import COMES_TO, EVENT_BYTES, EVENT_PARTS, Stored, frames, goes_on, is_event, tape_from

Expected: TypeAlias = int | Literal["any", "new"]
"""How long the stream must be: so many events; none yet; or any number. "any" alone cannot safely be asked twice."""


class Append(Struct, frozen=True):
    """Events that are to go on a stream."""

    id: str
    expected: Expected
    events: tuple[bytes, ...]


def is_new(append: Append, length: int, stands: Callable[[int, int], Sequence[bytes]]) -> bool:
    """Say whether an append brings something to a stream of `length` events, or stands there already.

    `stands(start, end)` gives the events that stand there. Raises `Conflict` if it does not fit, `FormatError` for what
    is no event.
    """
    at = length if append.expected == "any" else 0 if append.expected == "new" else append.expected
    if at > length or at < 0:
        raise Conflict(append.id, at, length)
    if at < length:
        if tuple(stands(at, at + len(append.events))) != append.events:
            raise Conflict(append.id, at, length)
        return False
    for step, raw in enumerate(append.events, length):
        if not is_event(raw):
            raise FormatError(f"replay {append.id}: what should be event {step} is no event")
    return bool(append.events)


def refuse_fault(id: str, step: int | None) -> None:
    """Raise `StoreError` for a stream that cannot be believed from a step on: nothing can come behind it."""
    if step is not None:
        raise StoreError(f"replay {id} cannot go on: its event {step} cannot be believed")


def continued(tape: Tape, events: Sequence[bytes]) -> Tape:
    """Give the tape with more events; a header that states length and digest goes on stating them."""
    every = (*tape.events, *events)
    header = tape.header
    if header.length is not None:
        header = msgspec.structs.replace(header, length=len(every))
    if header.digest is not None:
        header = msgspec.structs.replace(header, digest=digest(every))
    return Tape(header, every)


class _End(NamedTuple):
    """The end of a stream: all that the next append to it needs to know."""

    stored: Stored
    known: int
    turns: int
    round: int | None
    finished: bool


class Ends:
    """The ends of streams, kept between the transactions of one hold, so that an append need not read its stream."""

    def __init__(self) -> None:
        self._ends: dict[str, _End] = {}

    def write(self, lease: Lease, appends: Sequence[Append]) -> list[int | TabletapeError]:
        """Write appends, in order; give for each the length of its stream, or why it was not written.

        To be called within a transaction; if that cannot be kept, neither can these ends.
        """
        writing = _Writing(lease, self._ends)
        answers = list[int | TabletapeError]()
        try:
            for append in appends:
                try:
                    answers.append(writing.write(append))
                except ProjectionFailed:
                    raise
                except TabletapeError as error:  # of this one alone: nothing of it was written yet
                    answers.append(error)
            writing.flush()
        except BaseException:
            self._ends.clear()
            raise
        return answers


class _Writing:
    """Appends of one transaction. Those that only go on are gathered, and written with one statement a table."""

    def __init__(self, lease: Lease, ends: dict[str, _End]) -> None:
        self._lease = lease
        self._ends = ends
        self._gone_on: dict[str, _End] = {}
        self._rows: list[tuple[Any, ...]] = []

    def write(self, append: Append) -> int:
        end = self._end(append.id)
        refuse_fault(append.id, end.stored.fault_step)
        length = end.stored.length
        if not is_new(append, length, lambda first, last: self._stands(append.id, first, last)):
            return length
        return self._go_on(end, append) or self._look_at_all(append)

    def flush(self) -> None:
        """Write what was gathered."""
        for id, end in self._gone_on.items():
            stored = end.stored
            self._lease.run(
                """
                UPDATE replay SET length = $length, head = $head, sealed = $sealed, stated_length = $stated_length,
                  stated_digest = $stated_digest, known = $length, turns = $turns, round = $round WHERE id = $id
                """,
                id=id,
                length=stored.length,
                head=stored.head,
                sealed=stored.sealed,
                stated_length=stored.stated_length,
                stated_digest=stored.stated_digest,
                turns=end.turns,
                round=end.round,
            )
        if self._gone_on:
            self._lease.put("event", self._rows)
        self._gone_on = {}
        self._rows = []

    def _end(self, id: str) -> _End:
        if id not in self._ends:
            *stored, known, turns, round_, finished = row_of(self._lease, id, ", known, turns, round, finished")
            self._ends[id] = _End(Stored(*stored), known, turns, round_, finished)
        return self._ends[id]

    def _stands(self, id: str, first: int, last: int) -> list[bytes]:
        self.flush()
        return [
            raw
            for (raw,) in self._lease.rows(
                f"SELECT {EVENT_BYTES} FROM event WHERE replay = $id AND seq >= $first AND seq < $last ORDER BY seq",
                id=id,
                first=first,
                last=last,
            )
        ]

    def _go_on(self, end: _End, append: Append) -> int | None:
        """Append to a stream that opens to its end and is not finished; None if all of it has to be looked at."""
        stored = end.stored
        if not 0 < stored.length == end.known or end.finished:
            return None
        found = goes_on(tape_from(stored, append.events), Place(end.turns, end.round, None))
        if found is None:
            return None
        place, rows = found
        head = stored.head
        for raw in append.events:
            head = link(head, raw)
        length = stored.length + len(append.events)
        after = stored._replace(length=length, head=head)
        if not stored.sealed and (stored.stated_length is not None or stored.stated_digest is not None):
            after = after._replace(
                stated_length=None if stored.stated_length is None else length,
                stated_digest=None if stored.stated_digest is None else head.hex(),
            )
            if None not in (after.stated_length, after.stated_digest):
                after = after._replace(sealed=True, stated_length=None, stated_digest=None)
        self._gone_on[append.id] = self._ends[append.id] = _End(after, length, place.turn, place.round, False)
        for at, row in enumerate(rows):
            self._rows.append((append.id, stored.length + at, *row))
        return length

    def _look_at_all(self, append: Append) -> int:
        """Append to a stream and work out from its beginning what it comes to."""
        self.flush()
        tape = continued(read(self._lease, append.id), append.events)
        replay, event, _ = frames([tape])
        new = event.filter(pl.col("seq") >= len(tape.events) - len(append.events))
        with self._lease.given({"new_replay": replay, "new_event": new}):
            renew(self._lease, ("length", "head", "sealed", "stated_length", "stated_digest", *COMES_TO))
            self._lease.run(f"INSERT INTO event BY NAME {EVENT_PARTS.format(rows='new_event')}")
        finished = self._ends.pop(append.id).finished
        if finished or replay.item(0, "finished"):
            projections.replace(self._lease, append.id)
        return len(tape.events)
