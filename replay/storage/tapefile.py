"""A JSON Lines file as something to read replays from, without a database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from events.tape import Tape
from replay.exchange import read_file
from replay.filters import EVERYTHING, Filter
from replay.storage.reading import digits_of, only, unknown


class TapeFile:
    """The recorded games of a file, plain or compressed. It is read anew for each question and never held in memory."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def find(self, prefix: str) -> str:
        """Give the one id that begins with at least four characters; raises `UnknownReplay` for none or several."""
        digits = digits_of(prefix)
        ids = [tape.header.id for tape in self.tapes()]
        return only(prefix, sorted([id for id in ids if id.replace("-", "").startswith(digits)]))

    def read(self, id: str) -> Tape:
        """Give a replay exactly as it was written; raises `UnknownReplay`."""
        found = next((tape for tape in self.tapes() if tape.header.id == id), None)
        if found is None:
            raise unknown(id)
        return found

    def tapes(self, wanted: Filter = EVERYTHING) -> Iterator[Tape]:
        """Give replays one after the other, in their order in the file; raises `FormatError` if it cannot be read.

        Of an id that is there twice, the first counts, as it does for a database that the file is imported into.
        """
        seen = set[str]()
        for found in read_file(self.path):
            if found.tape is not None and found.tape.header.id not in seen:
                seen.add(found.tape.header.id)
                if wanted.holds(found.tape):
                    yield found.tape

    def count(self, wanted: Filter = EVERYTHING) -> int:
        """Give how many replays there are."""
        return sum(1 for _ in self.tapes(wanted))
