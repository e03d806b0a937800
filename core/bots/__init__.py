"""What a bot is, and the bot that plays any game.

A bot is handed a redacted view, the moves of its own seat and its own generator stream: nothing else, and no way to the
state behind the view.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from core.rng import Rng
from events.base import Move


class Bot(Protocol):
    """Chooses moves for one seat."""

    blind: ClassVar[bool]
    """True for a bot that never looks at the table: the engine then spares itself the view and hands it None."""

    def choose(self, view: Any, moves: Sequence[Move], rng: Rng) -> Move:
        """Give one of `moves`. `view` is the state as this seat may see it."""


class RandomBot:
    """Plays every legal move with the same chance."""

    blind: ClassVar[bool] = True

    def choose(self, view: Any, moves: Sequence[Move], rng: Rng) -> Move:
        """Give a uniformly random move."""
        return moves[rng.below(len(moves))]


ANY_GAME: Mapping[str, Callable[[], Bot]] = {"random": RandomBot}
"""The bots that play any game, by name."""
