"""Bots at the seats of one game: who is asked, and with what."""

from __future__ import annotations

from collections.abc import Sequence

from core.bots import Bot, View
from core.engine import Choose
from core.game import State
from core.redact import redact, seen
from core.rng import Rng, bot_stream
from events.base import Event, Move


def seated(bots: Sequence[Bot], key: bytes) -> Choose[State]:
    """Give the decisions of bots, one a seat, for one game of `core.engine.play`.

    Where several seats may choose at once, the one whose moves are listed first is asked first. Each seat draws from a
    stream of its own (`core.rng.bot_stream`), so bots move neither a deck nor each other.
    """
    streams = [bot_stream(seat) for seat in range(len(bots))]
    records: list[list[Event]] = [[] for _ in bots]
    told = [0] * len(bots)

    def choose(state: State, moves: Sequence[Move], record: Sequence[Event]) -> Move:
        seat = moves[0].seat
        own = moves if moves[-1].seat == seat else [move for move in moves if move.seat == seat]
        bot, rng = bots[seat], Rng(key, len(record), streams[seat])
        if bot.blind:
            return bot.choose(None, own, rng)
        news = [seen(event, seat) for event in record[told[seat] :]]
        records[seat] += [event for event in news if event is not None]
        told[seat] = len(record)
        return bot.choose(View(seat, redact(state, seat), records[seat]), own, rng)

    return choose
