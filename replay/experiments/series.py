"""Games of several batches, played side by side into a store: each game once, however often it is asked for.

What is stored is not played again, so a series that was stopped goes on where it stood. The batches take turns, a few
games each: wherever a series stops, all of them have come about as far. Games are tagged, to be found again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from events.errors import SetupError
from events.tape import Tape
from replay.filters import Filter
from replay.jobs.workers import always, spread
from replay.simulate import Batch, check, tapes
from replay.storage.store import Store

TURN: Final = 5
"""Games of a batch before the next batch has its turn: what a worker plays before it hands them over."""

KEPT: Final = 200
"""Games that are stored together."""

Piece = tuple[Batch, tuple[int, ...]]
"""Numbers of games of a batch."""


def play_on(
    store: Store,
    batches: Mapping[Batch, str],
    numbers: range,
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
    go_on: Callable[[], bool] = always,
) -> int:
    """Play those of the games `numbers` of each batch that the store lacks; give how many there were.

    `batches` gives the tag of each batch, which all its games get, those that were stored before too. Once `go_on` says
    no, games at work are played to their end and no more begun. Whatever else ends it early, what was handed over is
    stored and tagged. Calls `progress` with how many games there are. Raises `SetupError` for a batch that cannot be
    played, or a game that cannot be stored, and `WorkerLost`.
    """
    for batch in batches:
        check(batch)
    pieces = list(_missing(store, list(batches), numbers))
    done = len(batches) * len(numbers) - sum([len(wanted) for _, wanted in pieces])
    new = 0
    waiting = list[Tape]()
    try:
        for packed in spread(_played, pieces, jobs, go_on=go_on):
            played = msgspec.msgpack.decode(packed, type=list[Tape])
            waiting += played
            new += len(played)
            if len(waiting) >= KEPT:
                _keep(store, waiting)
                waiting = []
            if progress is not None:
                progress(done + new)
    finally:
        _keep(store, waiting)
        for tag in dict.fromkeys(batches.values()):
            tagged = [batch for batch, name in batches.items() if name == tag]
            store.tag_all([batch.id_of(number) for batch in tagged for number in numbers], tag)
    return new


def _missing(store: Store, batches: Sequence[Batch], numbers: range) -> Iterator[Piece]:
    """The numbers of games that the store lacks, by turns."""
    ids = tuple([batch.id_of(number) for batch in batches for number in numbers])
    there = {id for part in store.parts("replay", ["replay"], Filter(ids=ids)) for id in part["replay"]}
    for at in range(0, len(numbers), TURN):
        for batch in batches:
            if wanted := tuple([each for each in numbers[at : at + TURN] if batch.id_of(each) not in there]):
                yield batch, wanted


def _played(piece: Piece) -> bytes:
    """Play a piece, in a worker perhaps."""
    batch, numbers = piece
    return msgspec.msgpack.encode([tape for number in numbers for tape in tapes(batch, number, 1)])


def _keep(store: Store, played: Sequence[Tape]) -> None:
    added = store.add(played)
    if told := [*added.refused, *[f"replay {id} is stored with other events" for id in added.changed]]:
        raise SetupError(f"{len(told)} of {len(played)} games were not stored: {told[0]}")
