"""The search: play twins in both worlds, and hold against each other what their viewer gets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from msgspec import Struct

from core.engine import fold
from core.game import Game
from events.marks import Viewer
from tests.leaks.channels import Got, Pieces, at_play, dealt, recorded
from tests.leaks.twins import Twins, other_world, twins
from tests.leaks.world import world


class Leak(Struct, frozen=True):
    """Where the two worlds of a viewer could be told apart: the channel, and the first piece that differs."""

    game: str
    number: int
    viewer: Viewer
    channel: str
    one: bytes
    two: bytes

    def __str__(self) -> str:
        at = next((at for at, (a, b) in enumerate(zip(self.one, self.two, strict=False)) if a != b), 0)
        around = slice(max(at - 60, 0), at + 120)
        where = f"{self.game}, twins {self.number}, viewer {self.viewer}, by its {self.channel}"
        return f"{where}:\n  {self.one[around]!r}\n  {self.two[around]!r}"


class Searched(Struct):
    """What was searched, and what was found: twins by viewer, bytes by channel, leaks."""

    swaps: Counter[str]
    compared: Counter[str]
    leaks: list[Leak]


def search(game: Game[Any], number: int, folder: Path | None, pages: Sequence[str] | None) -> Searched:
    """Compare everything in both worlds of one number; `folder` is an empty one to work in.

    Without one, only what can be got of recorded games, and at a table that is dealt anew: a tenth of the work.
    """
    done = Searched(Counter(), Counter(), [])
    found = twins(game, number)
    if found is not None:
        done.swaps["spectator" if found.viewer == "spectator" else f"seat {found.viewer}"] += 1
        for channel, one, two in both(found, number, folder, pages):
            done.compared[channel] += sum(map(len, one))
            if list(one) != list(two):
                done.leaks.append(Leak(game.slug, number, found.viewer, channel, *_first_difference(one, two)))
    return done


def both(
    found: Twins, number: int, folder: Path | None, pages: Sequence[str] | None
) -> Iterator[tuple[str, Pieces, Pieces]]:
    """Give each channel with what comes through it in both worlds, those first that take the least work."""
    for one, two in _both(found, number, folder, pages):
        for channel in one:
            yield channel, one[channel], two[channel]


def _both(found: Twins, number: int, folder: Path | None, pages: Sequence[str] | None) -> Iterator[tuple[Got, Got]]:
    yield recorded(found, found.one), recorded(found, found.two)
    anew = other_world(found, number)
    if anew is not None:
        yield dealt(found, fold(found.game, found.one)), dealt(found, anew)
    if folder is None:
        return
    got = list[Got]()
    for name, events in (("1", found.one), ("2", found.two)):
        with world(folder / name, found, events, watched=pages is not None) as (played, log):
            got.append(at_play(played, log, pages))
    yield got[0], got[1]


def _first_difference(one: Pieces, two: Pieces) -> tuple[bytes, bytes]:
    return next((a, b) for a, b in zip_longest(one, two, fillvalue=b"nothing") if a != b)
