"""The errors that leave Tabletape. Each is one line that says what is wrong and where; a traceback is a bug."""

from __future__ import annotations


class TabletapeError(Exception):
    """Base of all our errors, so that a caller can catch what we raise and nothing else."""


class FormatError(TabletapeError):
    """Bytes that are not what they should be: an event, a header, a line of a file, a component sheet."""


class SetupError(TabletapeError):
    """A game that cannot be started as asked: unknown game, seat count out of range, an option that does not fit."""


class UnlawfulEvent(TabletapeError):
    """An event that cannot come next in this game: the rules, or a seat, would have to do something else."""


LONGEST = 300
"""Characters of what is repeated of something that came from outside."""


def line_of(said: object) -> str:
    """Give what a library or a file said as one line for an error of ours: not longer than a line, and printable.

    >>> line_of("no\\n\\x1b[2J   such field")
    'no ?[2J such field'
    """
    text = " ".join(str(said).split())[: LONGEST + 1]
    text = "".join([char if char.isprintable() else "?" for char in text])
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
