"""Following a game: each step as its viewer sees it, as it happens, as server-sent events.

    id: 12                      the number that the step has for this viewer
    event: step
    data: {...}                 `shapes.StepSeen`

    event: moves                the moves that this seat has now, if they have changed
    event: over                 the last message

Nothing is sent for what a viewer does not see, and what keeps a quiet connection open comes by the clock alone: neither
numbers nor times tell of a rival who is asked in secret.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Final

import msgspec
from anyio.to_thread import run_sync
from msgspec import Struct

from events.errors import TabletapeError
from replay.api.operations import moves_seen, step_seen
from replay.api.service import Service
from replay.live.game import LiveGame

QUIET: Final = 15.0
"""Seconds between two signs of life."""

POLL: Final = 1.0
"""Seconds between two looks at a stream that others may write to."""

MOST: Final = 200
"""Steps that are made ready at once."""


GONE: Final = b"event: gone\ndata: {}\n\n"
"""Sent where a stream has to be followed anew: it was taken up again, was removed, or the database is busy."""


class News(Struct, frozen=True):
    """What is new for a viewer: messages, the number of its next step, and whether more follows."""

    messages: tuple[bytes, ...]
    next: int
    moves: bytes
    more: bool
    over: bool


async def messages(service: Service, id: str, token: str | None, viewer: str, first: int) -> AsyncIterator[bytes]:
    """Give messages from step `first` of a viewer on, until the game is over or may not be seen any more."""
    clock = asyncio.get_running_loop().time
    alive = clock() + QUIET
    moves = b""
    yield b": following\n\n"
    with changes(service, id) as (changed, game):
        while True:
            changed.clear()
            try:
                news = await run_sync(_news, service, id, token, viewer, first, moves)
            except TabletapeError:
                yield GONE
                return
            first, moves = news.next, news.moves
            for message in news.messages:
                yield message
            if news.over:
                return
            if game is not None and service.live.at_hand(id) is not game:
                yield GONE
                return
            while not news.more and not changed.is_set():
                if clock() >= alive:
                    alive += QUIET
                    yield b": \n\n"
                wait = alive - clock() if game is not None else min(POLL, alive - clock())
                if not await waited(changed, wait) and game is None:
                    break


async def waited(changed: asyncio.Event, seconds: float) -> bool:
    """Wait for a change, but not longer than so many seconds; say whether it came."""
    try:
        await asyncio.wait_for(changed.wait(), max(seconds, 0.0))
    except TimeoutError:
        return False
    return True


def _news(service: Service, id: str, token: str | None, viewer: str, first: int, moves: bytes) -> News:
    timeline, chosen, game = service.look(id, token, viewer)
    count = len(timeline.moments(chosen))
    found = [
        b"id: %d\nevent: step\ndata: %s\n\n" % (shown.number, msgspec.json.encode(step_seen(timeline, shown)))
        for shown in timeline.shown_between(chosen, first, MOST)
    ]
    after = first + len(found)
    more = after < count
    if more:
        return News(tuple(found), after, moves, True, False)
    if isinstance(chosen, int) and count:
        now = msgspec.json.encode(moves_seen(timeline, count - 1, chosen))
        if now != moves:
            found.append(b"event: moves\ndata: %s\n\n" % now)
            moves = now
    over = service.is_over(timeline, game) or timeline.fault is not None
    if over:
        found.append(b"event: over\ndata: {}\n\n")
    return News(tuple(found), after, moves, False, over)


@contextmanager
def changes(service: Service, id: str) -> Iterator[tuple[asyncio.Event, LiveGame | None]]:
    """Give what is set when a live game changes, and the game; None where others may write, and nothing is set."""
    loop, changed = asyncio.get_running_loop(), asyncio.Event()
    game = service.live.at_hand(id)
    if game is None:
        yield changed, None
        return

    def wake() -> None:
        loop.call_soon_threadsafe(changed.set)

    leave = game.follow(wake)
    try:
        yield changed, game
    finally:
        leave()
