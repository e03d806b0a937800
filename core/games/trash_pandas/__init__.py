"""Trash Pandas, for 2 to 4 seats: push your luck for tokens, and stash the most of a kind.

Rulings TP-01 to TP-83. Read `rules` first; it follows the rulebook from set-up to the end of the game. `cards` has what
the cards do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import ClassVar

from core.bots import Bot
from core.game import Game, Outcome
from core.games.trash_pandas import determinise, prospects, reducer, rules, words
from core.games.trash_pandas.bot import ForagerBot
from core.games.trash_pandas.metrics import METRICS, SUBJECTS, standing
from core.games.trash_pandas.state import Table, TrashPandasSheet, middle, pending
from events.trash_pandas import (
    CardRevealed,
    CardsDrawn,
    CardStolen,
    DieRolled,
    DoggoPlayed,
    HandsDealt,
    HandsDiscarded,
    HandTargeted,
    KittehPlayed,
    MatchStashed,
    NannersPlayed,
    RollingStopped,
    ShinyPlayed,
    StashesRevealed,
    TrashPandasEvent,
    TrashPandasOptions,
    YumYumPlayed,
)


class TrashPandas(Game[Table]):
    """The game as the engine knows it."""

    slug = "trash-pandas"
    title = "Trash Pandas"
    union = TrashPandasEvent
    options = TrashPandasOptions
    sheet_type = TrashPandasSheet
    bots: ClassVar[Mapping[str, Callable[[], Bot]]] = {"forager": ForagerBot}
    playout = ForagerBot
    bound = 1_000_000
    irrevocable = (
        HandsDealt,
        DieRolled,
        CardsDrawn,
        CardRevealed,
        MatchStashed,
        YumYumPlayed,
        DoggoPlayed,
        KittehPlayed,
        CardStolen,
        HandsDiscarded,
        StashesRevealed,
    )
    windows = (RollingStopped, NannersPlayed, CardRevealed, MatchStashed, HandTargeted, ShinyPlayed, KittehPlayed)
    metrics = METRICS
    subjects = SUBJECTS
    sheet: TrashPandasSheet

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
        """Cards by kind in the trash can, discard pile, hands and stashes, and the tokens wherever they lie."""
        if state.phase in ("setup", "shuffle"):
            return {}
        counts = Counter[str](state.pile + state.discard)
        for cards in (*state.hands, *state.stashes, *state.face_up):
            counts.update(cards)
        counts.update([f"{token} token" for token in (*middle(state), *pending(state))])
        return counts
