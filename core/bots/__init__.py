"""What a bot is, and the bot that plays any game.

A bot is handed what its seat sees (the table and the record of the game so far, both redacted), the moves of its own
seat and its own generator stream: nothing else, and no way to the state behind the view.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from msgspec import Struct

from core.rng import Rng
from events.base import Event, Move


class View(Struct, frozen=True):
    """What a seat sees: its number, the table, and the events so far (QC-21: what was public may be remembered).

    Events that were taken back are not in the record.
    """

    seat: int
    table: Any
    record: Sequence[Event]


class Bot(Protocol):
    """Chooses moves for one seat. The same view, moves and randomness give the same move: a bot keeps no memory."""

    blind: ClassVar[bool]
    """True for a bot that never looks at its view: the engine then spares itself the trouble and hands it None."""

    def choose(self, view: Any, moves: Sequence[Move], rng: Rng) -> Move:
        """Give one of `moves`. `view` is a `View`, or None for a blind bot; `rng` serves this decision alone."""


class RandomBot:
    """Plays every legal move with the same chance."""

    blind: ClassVar[bool] = True

    def choose(self, view: View | None, moves: Sequence[Move], rng: Rng) -> Move:
        """Give a uniformly random move."""
        return moves[rng.below(len(moves))] if len(moves) > 1 else moves[0]


ANY_GAME: Mapping[str, Callable[[], Bot]] = {"random": RandomBot}
"""The bots that play any game, by name."""
