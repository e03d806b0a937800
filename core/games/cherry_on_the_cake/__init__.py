"""Cherry on the Cake, for 2 to 4 seats: build a cake piece by piece, connect its stripes, fill jars with their cubes.

Rulings CC-01 to CC-62. Read `rules` first; it follows the rulebook from set-up to the end of the game. `geometry` has
what is connected, `jars` what may be done with cubes, `generate` how the invented component sheet was made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import ClassVar

from core.bots import Bot
from core.game import Game, Outcome
from core.games.cherry_on_the_cake import determinise, prospects, reducer, rules, words
from core.games.cherry_on_the_cake.bot import GreedyBot
from core.games.cherry_on_the_cake.jars import stock
from core.games.cherry_on_the_cake.metrics import METRICS, SUBJECTS, standing
from core.games.cherry_on_the_cake.state import BLUE_JARS, METALS, Board, CakeSheet, Table, contents
from events.cherry_on_the_cake import (
    CakeEvent,
    CakeOptions,
    ChipsRevealed,
    ChipTaken,
    ChoicesRevealed,
    DieRolled,
    PieceChosen,
    PiecesDealt,
    PiecesDrawn,
    PlatesDealt,
)


class Cherry(Game[Table]):
    """The game as the engine knows it."""

    slug = "cherry-on-the-cake"
    title = "Cherry on the Cake"
    union = CakeEvent
    options = CakeOptions
    sheet_type = CakeSheet
    bots: ClassVar[Mapping[str, Callable[[], Bot]]] = {"greedy": GreedyBot}
    playout = GreedyBot
    horizon = 2  # a piece pays when the next one connects it
    bound = 50_000
    irrevocable = (
        PlatesDealt,
        PiecesDealt,
        PieceChosen,
        ChoicesRevealed,
        PiecesDrawn,
        ChipTaken,
        DieRolled,
        ChipsRevealed,
    )
    metrics = METRICS
    subjects = SUBJECTS
    sheet: CakeSheet

    evolve = staticmethod(reducer.evolve)
    forced = staticmethod(rules.forced)
    legal = staticmethod(rules.legal)
    words = staticmethod(words.words)
    standing = staticmethod(standing)
    prospects = staticmethod(prospects.prospects)
    world = staticmethod(determinise.world)

    def initial(self) -> Table:
        """The closed box."""
        return Table(sheet=self.sheet)

    def outcome(self, state: Table) -> Outcome | None:
        """The result, once there is one."""
        return state.outcome

    def census(self, state: Table) -> Mapping[str, int]:
        """Cubes by colour, chips by metal and value, pieces by number: on the table, on boards, in cakes."""
        table = state
        found = Counter[str](dict(zip(table.sheet.colours, table.supply, strict=False)))
        found.update(table.waiting)
        found["golden"] += table.golden + table.in_hand
        pieces = list(table.spare)
        for board in table.boards:
            for jar in BLUE_JARS:
                found.update(contents(board, jar))
            found.update(board.exchange)
            pieces += [*[piece for piece, _ in board.cake], *board.shown, *board.pile]
            for metal, values in zip(METALS, board.turned_up, strict=False):
                found.update([f"{metal} {value}" for value in values])
        owners: list[Table | Board] = [table, *table.boards]
        for owner in owners:
            for metal in METALS:
                found.update([f"{metal} {value}" for value in stock(owner, metal)])
        found.update([f"piece {piece}" for piece in pieces])
        return found
