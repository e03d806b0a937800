"""A store in memory, with nothing on the disk and nothing to share: for tests, notebooks and programs of a moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from events.errors import FormatError
from events.tape import Header, Tape, digest
from replay.filters import EVERYTHING, Filter
from replay.storage.appending import Append, Expected, continued, is_new, refuse_fault
from replay.storage.contract import Added
from replay.storage.reading import digits_of, only, unknown
from replay.storage.rows import check


class MemoryStore:
    """Recorded games in memory. For one thread."""

    def __init__(self) -> None:
        self._tapes: dict[str, Tape] = {}

    def add(self, tapes: Iterable[Tape], progress: Callable[[int], None] | None = None) -> Added:
        """Store whole games. Adding the same again changes nothing."""
        new = known = 0
        changed = list[str]()
        refused = list[str]()
        for done, tape in enumerate(tapes, 1):
            id = tape.header.id
            try:
                check(tape)
            except FormatError as error:
                refused.append(f"replay {id[:80]}: {error}")
            else:
                if id not in self._tapes:
                    self._tapes[id] = tape
                    new += 1
                elif digest(self._tapes[id].events) == digest(tape.events):
                    known += 1
                else:
                    changed.append(id)
            if progress is not None:
                progress(done)
        return Added(new, known, tuple(changed), tuple(refused))

    def begin(self, header: Header) -> None:
        """Store a stream that has no events yet; raises `FormatError`."""
        tape = Tape(header, ())
        check(tape)
        self._tapes.setdefault(header.id, tape)

    def append(self, id: str, expected: Expected, events: Sequence[bytes]) -> int:
        """Append events to a stream of the expected length, all or none; raises what `Store.append` raises."""
        tape = self.read(id)
        refuse_fault(id, None if tape.fault is None else tape.fault.step)
        append = Append(id, expected, tuple(events))
        if is_new(append, len(tape.events), lambda first, last: tape.events[first:last]):
            self._tapes[id] = continued(tape, events)
        return len(self._tapes[id].events)

    def remove(self, id: str) -> None:
        """Remove a replay; raises `UnknownReplay`."""
        self.read(id)
        del self._tapes[id]

    def find(self, prefix: str) -> str:
        """Give the one id that begins with at least four characters; raises `UnknownReplay` for none or several."""
        digits = digits_of(prefix)
        return only(prefix, sorted([id for id in self._tapes if id.replace("-", "").startswith(digits)]))

    def read(self, id: str) -> Tape:
        """Give a replay exactly as it was added; raises `UnknownReplay`."""
        if id not in self._tapes:
            raise unknown(id)
        return self._tapes[id]

    def tapes(self, wanted: Filter = EVERYTHING) -> Iterator[Tape]:
        """Give replays one after the other, in the order of arrival."""
        return iter([tape for tape in self._tapes.values() if wanted.holds(tape)])

    def count(self, wanted: Filter = EVERYTHING) -> int:
        """Give how many replays there are."""
        return len(list(self.tapes(wanted)))
