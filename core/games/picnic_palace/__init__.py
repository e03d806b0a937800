"""Picnic Palace, for 2 to 4 seats: invite the right guests at the right moment.

Rulings YW-01 to YW-46. Read `rules` first; it follows the rulebook from set-up to the end of the game.
The sheet is the only open choice (YW-01), so the game has no options (G-05).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import ClassVar

from core.bots import Bot
from core.game import Game, Outcome
from core.games.picnic_palace import determinise, prospects, reducer, rules, words
from core.games.picnic_palace.bot import PatientBot, PlannerBot
from core.games.picnic_palace.metrics import METRICS, SUBJECTS, standing
from core.games.picnic_palace.state import PicnicSheet, Table
from events.picnic_palace import CardFlipped, FirstCardsFlipped, PicnicEvent, StartSeatDrawn


class Picnic(Game[Table]):
    """The game as the engine knows it."""

    slug = "picnic-palace"
    title = "Picnic Palace"
    union = PicnicEvent
    sheet_type = PicnicSheet
    bots: ClassVar[Mapping[str, Callable[[], Bot]]] = {"planner": PlannerBot, "patient": PatientBot}
    playout = PlannerBot
    bound = 50_000
    irrevocable = (StartSeatDrawn, FirstCardsFlipped, CardFlipped)
    metrics = METRICS
    subjects = SUBJECTS
    sheet: PicnicSheet

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
        """Cards by kind: deck, rows, collected, and out of the game."""
        cards = Counter[str](state.deck + state.discarded + state.unseen)
        for part in (*state.face_up, *state.face_down, *state.collected):
            cards.update(part)
        return cards
