"""A file of lines beside the database: what was answered, and is not yet in the database.

To be safe, a few bytes at the end of a file need one write and one `fdatasync`; the same in a transaction of DuckDB
costs some ten times as much processor. So who writes many small things holds the database alone, notes each here, and
puts all of them into the database before anybody else sees it. After a crash the next to come does that.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from typing import Final
from zlib import crc32

from events.errors import FormatError

_SUM: Final = 8
"""Characters of the checksum that each line begins with."""


class Journal:
    """The lines of one open file. To be used by one holder at a time, who has locked everybody else out."""

    def __init__(self, file: int, owner: str) -> None:
        """Take an open file, whose lines are to be of this owner."""
        self._file = file
        self._owner = owner.encode() + b" "
        self.size = os.fstat(file).st_size
        """How many bytes there are: 0 if nothing waits."""

    def add(self, text: bytes) -> None:
        """Write a line, which has no line feed in it. It is on the disk when this returns, and not there if it raises.

        Raises `OSError`, e.g. for a full disk.
        """
        text = self._owner + text
        line = b"%08x %b\n" % (crc32(text), text)
        try:
            if os.pwrite(self._file, line, self.size) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fdatasync(self._file)
        except BaseException:
            os.ftruncate(self._file, self.size)
            raise
        self.size += len(line)

    def lines(self) -> list[bytes]:
        """Give what was written, without the last line if its writer was stopped in the middle of it.

        Raises `FormatError` if it is not what was written, or of another owner.
        """
        texts = list[bytes]()
        for number, text in enumerate(lines_of(os.pread(self._file, self.size, 0)), 1):
            if text is None:
                raise FormatError(f"its line {number} is not what was written")
            if not text.startswith(self._owner):
                raise FormatError("they are those of another store")
            texts.append(text[len(self._owner) :])
        return texts

    def clear(self) -> None:
        """Forget everything, for good."""
        os.ftruncate(self._file, 0)
        os.fdatasync(self._file)
        self.size = 0


def lines_of(journal: bytes) -> Iterator[bytes | None]:
    """Give the lines, each an owner, a space and what was written; None for one that is not what was written.

    The last one, if its writer was stopped in the middle of it, is left out.
    """
    *lines, _stopped = journal.split(b"\n")
    for line in lines:
        text = line[_SUM + 1 :]
        yield text if line == b"%08x %b" % (crc32(text), text) else None
