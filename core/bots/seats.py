"""Bots at the seats of one game: who is asked, and with what."""

from __future__ import annotations

from collections.abc import Sequence

from core.bots import Bot, View
from core.engine import Choose
from core.game import State
from core.redact import redact, seen
from core.rng import Rng, bot_stream
from events.base import Event, Move, TakenBack


def seated(bots: Sequence[Bot], key: bytes) -> Choose[State]:
    """Give the decisions of bots, one a seat, for one game of `core.engine.play`.

    Where several seats may choose at once, the one whose moves are listed first is asked first. Each seat draws from a
    stream of its own (`core.rng.bot_stream`), so bots move neither a deck nor each other.
    """
    rngs = [Rng(key, 0, bot_stream(seat)) for seat in range(len(bots))]
    records = [Record(seat) for seat in range(len(bots))]

    def choose(state: State, moves: Sequence[Move], record: Sequence[Event]) -> Move:
        seat = moves[0].seat
        own = moves
        if moves[-1].seat != seat:  # others may choose too: theirs come after all of its own
            end = 1
            while moves[end].seat == seat:
                end += 1
            own = moves[:end]
        if len(own) == 1:  # asked where others must not know that it has one answer only (G-01): the bot is spared it
            return own[0]
        bot, rng = bots[seat], rngs[seat].at(len(record))
        if bot.blind:
            return bot.choose(None, own, rng)
        return bot.choose(View(seat, redact(state, seat), records[seat].upto(record)), own, rng)

    return choose


class Record:
    """What a seat has seen of a stream that grows; what was taken back is not in it."""

    def __init__(self, seat: int) -> None:
        """Begin with nothing."""
        self._seat = seat
        self._seen: list[Event] = []
        self._lengths: list[int] = []

    def upto(self, events: Sequence[Event]) -> list[Event]:
        """Give what it has seen of `events`, of which only those since the last time are looked at."""
        for event in events[len(self._lengths) :]:
            if type(event) is TakenBack:
                del self._seen[self._lengths[event.to] :]
            elif (news := seen(event, self._seat)) is not None:
                self._seen.append(news)
            self._lengths.append(len(self._seen))
        return self._seen


def record_of(events: Sequence[Event], seat: int) -> list[Event]:
    """Give what a seat has seen of a stream, as `View.record` has it."""
    return Record(seat).upto(events)
