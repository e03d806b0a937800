"""Two recorded games side by side, as one viewer sees them: how far they are the same, and what differs then."""

from __future__ import annotations

from msgspec import Struct

from core.paths import Change, diff, flatten
from events.errors import SetupError
from events.marks import Viewer
from replay.timeline import Timeline


class Comparison(Struct, frozen=True):
    """How two games compare for a viewer, in its numbers.

    `common` steps are the same from the start; `first` is the first that differs or is there in one game only, None if
    none is. `changes` is what differs in the state after it, from one game to the other; empty where a game has ended.
    """

    common: int
    first: int | None
    lengths: tuple[int, int]
    changes: tuple[Change, ...]


def compare(one: Timeline, other: Timeline, viewer: Viewer) -> Comparison:
    """Compare two games of one kind; raises `SetupError` for two kinds, `FormatError` for a viewer that one lacks."""
    if one.header.game != other.header.game:
        raise SetupError(f"{one.header.game} cannot be compared with {other.header.game}")
    lengths = (len(one.moments(viewer)), len(other.moments(viewer)))
    common = next((number for number in range(min(lengths)) if not same(one, other, number, viewer)), min(lengths))
    first = None if common == max(lengths) else common
    changes = differences(one, other, common, viewer) if common < min(lengths) else ()
    return Comparison(common, first, lengths, tuple(changes))


def same(one: Timeline, other: Timeline, number: int, viewer: Viewer) -> bool:
    """Say whether a viewer sees the same event and the same table at a step of both games."""
    return one.seen_step(number, viewer).event == other.seen_step(number, viewer).event and one.seen_view(
        number, viewer
    ) == other.seen_view(number, viewer)


def differences(one: Timeline, other: Timeline, number: int, viewer: Viewer) -> list[Change]:
    """Give what differs between the states after one step of both games; raises `FormatError` if one has no such."""
    return diff(flatten(one.seen_view(number, viewer)), flatten(other.seen_view(number, viewer)))
