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
