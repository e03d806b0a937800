"""What can go wrong with the store. Each is one line that says what is wrong and what to do."""

from __future__ import annotations

from events.errors import TabletapeError


class StoreError(TabletapeError):
    """The database cannot do what was asked: not ours, not readable, no room left."""


class StoreBusy(StoreError):
    """Somebody else held the database for longer than we were willing to wait."""


class StoreDamaged(StoreError):
    """The database is not what was written to it."""


class UnknownReplay(TabletapeError):
    """No replay, or more than one, goes by the given id."""


class Conflict(TabletapeError):
    """An append that does not fit the stream: it was decided on another length, or other events stand there already."""

    def __init__(self, replay: str, expected: int, actual: int) -> None:
        super().__init__(
            f"replay {replay} has {actual} events, the append was meant for {expected}"
            if expected > actual
            else f"replay {replay} has gone on to {actual} events, other ones than the append to {expected} brings"
        )
        self.expected = expected
        self.actual = actual


class ProjectionFailed(StoreError):
    """A projection could not be written, and why."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name} cannot be made: {reason}")
        self.name = name
        self.reason = reason
