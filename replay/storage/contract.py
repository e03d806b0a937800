"""What every store of recorded games does, wherever it keeps them: the database, memory, or (reading only) a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from msgspec import Struct

from events.tape import Header, Tape
from replay.filters import EVERYTHING, Filter
from replay.storage.appending import Expected


class Added(Struct, frozen=True):
    """What became of the tapes that were to be added.

    `known` were there with the same events; `changed` are there with others, and stayed as they were; `refused` says
    of each tape that cannot be stored why, in one line.
    """

    new: int
    known: int
    changed: tuple[str, ...]
    refused: tuple[str, ...] = ()

    @property
    def tapes(self) -> int:
        """How many tapes there were."""
        return self.new + self.known + len(self.changed) + len(self.refused)


def together(every: Iterable[Added]) -> Added:
    """Give what became of tapes that were added in several goes."""
    parts = list(every)
    return Added(
        sum(part.new for part in parts),
        sum(part.known for part in parts),
        tuple([id for part in parts for id in part.changed]),
        tuple([reason for part in parts for reason in part.refused]),
    )


class Reader(Protocol):
    """What recorded games can be read from."""

    def find(self, prefix: str) -> str:
        """Give the one id that begins with at least four characters; raises `UnknownReplay` for none or several."""

    def read(self, id: str) -> Tape:
        """Give a replay exactly as it was added; raises `UnknownReplay`."""

    def tapes(self, wanted: Filter = EVERYTHING) -> Iterator[Tape]:
        """Give replays one after the other, in the order of arrival."""

    def count(self, wanted: Filter = EVERYTHING) -> int:
        """Give how many replays there are."""


class Recorder(Reader, Protocol):
    """What recorded games can be kept in as well."""

    def add(self, tapes: Iterable[Tape], progress: Callable[[int], None] | None = None) -> Added:
        """Store whole games. Adding the same again changes nothing."""

    def begin(self, header: Header) -> None:
        """Store a stream that has no events yet; raises `FormatError`."""

    def append(self, id: str, expected: Expected, events: Sequence[bytes]) -> int:
        """Append events to a stream of the expected length, all or none; give its new length."""

    def remove(self, id: str) -> None:
        """Remove a replay; raises `UnknownReplay`."""
