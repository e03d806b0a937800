"""Appending to streams: what an append must fit, and how it is written.

An append says how long the stream was that it was decided on. Events are in order by where they stand, never by time,
and there are no gaps. The same append again changes nothing, so whoever does not know whether one was kept asks again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from events.errors import FormatError, TabletapeError
from events.tape import Tape, digest, links
from replay.errors import Conflict, StoreError
from replay.storage import projections
from replay.storage.database import Hold, Lease
from replay.storage.reading import events_of, renew, row_of
from replay.storage.rows import COMES_TO, GOES_ON, GROWS, Account, Stored, comes_to, ends, goes_on, is_event, tape_from

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


class _Stream(NamedTuple):
    """What is known of a stream, with all that was taken: what the next append to it is measured by."""

    stored: Stored
    account: Account


class Ends:
    """The ends of streams within one hold, so that appends need not read their streams.

    Appends are taken, one by one, kept in the journal if they are to be safe at once, and settled together.
    """

    def __init__(self, hold: Hold) -> None:
        self._hold = hold
        self._streams: dict[str, _Stream] = {}
        self._over: set[str] = set()
        """Streams that are finished as they stand in the database."""
        self._waiting: dict[str, list[bytes]] = {}
        """Events that are taken and not settled, by stream."""
        self._anew: set[str] = set()
        """Those of them of which more has changed than `goes_on` tells."""
        self._rows: list[tuple[Any, ...]] = []
        self._unsafe: list[Append] = []

    def take(self, appends: Sequence[Append]) -> list[int | TabletapeError]:
        """Take appends, in order; give for each the length of its stream after it, or why it does not fit."""
        answers = list[int | TabletapeError]()
        for append in appends:
            try:
                answers.append(self._take(append))
            except TabletapeError as error:  # of this one alone: nothing of it was taken
                answers.append(error)
        return answers

    def keep(self) -> None:
        """Make safe on the disk what was taken, before it is settled."""
        if self._unsafe:
            self._hold.keep(msgspec.json.encode(self._unsafe))
        self._unsafe = []

    def settle(self) -> None:
        """Put what was taken into the database, in one transaction. What was kept in the journal is there now."""
        if self._waiting:
            projections.kept(self._hold, self._write)
        if self._hold.journal.size:
            self._hold.forget()
        self._streams = {id: stream for id, stream in self._streams.items() if not stream.account.finished}
        self._over = set()
        self._waiting = {}
        self._anew = set()
        self._rows = []
        self._unsafe = []

    def _take(self, append: Append) -> int:
        stream = self._stream(append.id)
        refuse_fault(append.id, stream.stored.fault_step)
        length = stream.stored.length
        if not is_new(append, length, lambda first, last: self._stands(append.id, first, last)):
            return length
        after = _grown(stream.stored, append.events)
        found = goes_on(tape_from(after, append.events), stream.account, length)
        if found is None:
            self._anew.add(append.id)
            found = comes_to(tape_from(after, (*self._stands(append.id, 0, length), *append.events)), length)
        account, rows = found
        self._streams[append.id] = _Stream(after, account)
        self._waiting.setdefault(append.id, []).extend(append.events)
        self._rows += [(append.id, step, *row) for step, row in enumerate(rows, length)]
        self._unsafe.append(Append(append.id, length, append.events))
        return after.length

    def _stream(self, id: str) -> _Stream:
        if id not in self._streams:
            row = row_of(self._hold.lease, id, f", {', '.join(COMES_TO)}")
            first = len(Stored._fields)
            self._streams[id] = stream = _Stream(Stored(*row[:first]), Account(*row[first:]))
            if stream.account.finished:
                self._over.add(id)
        return self._streams[id]

    def _stands(self, id: str, first: int, last: int) -> list[bytes]:
        waiting = self._waiting.get(id, [])
        settled = self._streams[id].stored.length - len(waiting)
        stored = events_of(self._hold.lease, id, first, min(last, settled)) if first < settled else []
        return stored + waiting[max(0, first - settled) : max(0, last - settled)]

    def _write(self, lease: Lease) -> None:
        changed = {id: self._streams[id] for id in self._waiting}
        for columns, of in (((*GROWS, *GOES_ON), changed.keys() - self._anew), ((*GROWS, *COMES_TO), self._anew)):
            if of:
                rows = ends([(stream.stored, stream.account) for id, stream in changed.items() if id in of])
                with lease.given({"new_replay": rows}):
                    renew(lease, columns)
        lease.put("event", sorted(self._rows, key=itemgetter(0, 1)))
        finished = [id for id, stream in changed.items() if stream.account.finished]
        projections.replace(lease, finished, [id for id in changed if id in self._over])


def redo(hold: Hold) -> None:
    """Settle what was kept in the journal by a process that was stopped; raises `FormatError` if it does not fit."""
    found = Ends(hold)
    for line in hold.journal.lines():
        try:
            appends = msgspec.json.decode(line, type=list[Append])
        except msgspec.MsgspecError as error:
            raise FormatError(f"they cannot be read: {error}") from None
        for answer in found.take(appends):
            if isinstance(answer, TabletapeError):
                raise FormatError(str(answer))
    found.settle()


def _grown(stored: Stored, events: Sequence[bytes]) -> Stored:
    """A stream with more events; where its header states length or digest, it goes on stating them."""
    length = stored.length + len(events)
    *_, head = links(events, stored.head)
    after = stored._replace(length=length, head=head)
    if stored.stated_length is not None:
        after = after._replace(stated_length=length)
    if stored.stated_digest is not None:
        after = after._replace(stated_digest=head.hex())
    if None in (after.stated_length, after.stated_digest):
        return after
    return after._replace(sealed=True, stated_length=None, stated_digest=None)
