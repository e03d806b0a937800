"""Queen of the Cupcakes, for 2 to 5 seats: fill the bins whose cards you have laid down.

Rulings QC-01 to QC-31. Read `rules` first; it follows the rulebook from set-up to the end of the game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from core.bots import Bot
from core.game import Game, Outcome
from core.games.queen_of_the_cupcakes import determinise, reducer, rules, words
from core.games.queen_of_the_cupcakes.bot import GreedyBot
from core.games.queen_of_the_cupcakes.metrics import METRICS, SUBJECTS, sides, standing
from core.games.queen_of_the_cupcakes.state import QueenSheet, Table
from events.queen_of_the_cupcakes import (
    BankFilled,
    CardsPassed,
    FrontPilesRevealed,
    HandsDealt,
    QueenEvent,
    QueenOptions,
)


class Queen(Game[Table]):
    """The game as the engine knows it."""

    slug = "queen-of-the-cupcakes"
    title = "Queen of the Cupcakes"
    union = QueenEvent
    options = QueenOptions
    sheet_type = QueenSheet
    bots: ClassVar[Mapping[str, Callable[[], Bot]]] = {"greedy": GreedyBot}
    playout = GreedyBot
    bound = 5_000
    irrevocable = (HandsDealt, BankFilled, CardsPassed, FrontPilesRevealed)
    metrics = METRICS
    subjects = SUBJECTS
    sheet: QueenSheet

    evolve = staticmethod(reducer.evolve)
    forced = staticmethod(rules.forced)
    legal = staticmethod(rules.legal)
    words = staticmethod(words.words)
    standing = staticmethod(standing)
    world = staticmethod(determinise.world)
    sides = staticmethod(sides)

    def setup_problem(self, seats: int, options: Any) -> str | None:
        """Teams are two pairs: four seats (QC-30)."""
        return f"teams need 4 seats, not {seats} (QC-30)" if options.teams and seats != 4 else None

    def initial(self) -> Table:
        """The closed box."""
        return Table(sheet=self.sheet)

    def outcome(self, state: Table) -> Outcome | None:
        """The result, once there is one."""
        return state.outcome

    def census(self, state: Table) -> Mapping[str, int]:
        """Cards by kind: pile, bank, bins, hands and front piles."""
        table = state
        cards = Counter[str](table.pile + table.bank)
        for pile in (*table.hands, *table.fronts, *table.revealed):
            cards.update(pile)
        cards.update(dict(zip(table.sheet.kinds, table.bins, strict=False)))
        return cards
