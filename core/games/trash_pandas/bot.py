"""A sensible player of Trash Pandas: rolls while the next token is worth the risk, and stashes what may win a kind.

Worths are whole numbers on a scale of the bot's own: ten is about a card in hand, twenty one in the stash.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from core.bots import View
from core.games.trash_pandas.state import FACE_DOWN, TOKENS, Table, most_tokens, pending, untaken
from core.rng import Rng
from events import trash_pandas as happened
from events.base import Event, Move
from events.trash_pandas import Card, FaceDown, Token

FIRST: Mapping[Token, int] = {"reveal": 6, "steal": 5, "bin": 4, "recycle": 3, "bin_tree": 2, "tree": 1}
"""The order in which tokens are resolved: those that bring cards before those that stash them."""

CONSOLATION = 10
"""The card drawn on a bust."""

BONUS = 40
"""What a bonus turn is worth."""


class ForagerBot:
    """Stops in time, saves itself from busting, gathers cards and stashes most of a kind, answers every theft."""

    blind: ClassVar[bool] = False

    def choose(self, view: Any, moves: Sequence[Move], rng: Rng) -> Move:
        """Give the move of highest worth; equal ones by chance."""
        position = Position(view)
        worths = [position.worth(move) for move in moves]
        best = max(worths)
        return rng.choice([move for move, worth in zip(moves, worths, strict=True) if worth == best])


class Position:
    """What the bot's seat sees, and what its moves are worth there."""

    def __init__(self, view: View) -> None:
        self.table: Table = view.table
        self.seat = view.seat
        self.hand = self.table.hands[self.seat]
        self.stash = self.table.stashes[self.seat] + self.table.face_up[self.seat]

    def worth(self, move: Move) -> int:
        """Give the worth of a move against doing nothing, stopping or declining, which is 0."""
        rule = WORTHS.get(type(move))
        return rule(self, move) if rule else 0

    # --- rolling -----------------------------------------------------------------------------------------------------

    def of_rolling(self, move: Event) -> int:
        """What the next token brings, against what a bust costs: each by the number of faces that bring it."""
        if self.table.phase != "rolled":
            return 1
        free = untaken(self.table)
        gain = sum([self.of_token(token) for token in free])
        if len(self.table.taken) + 1 == most_tokens(self.table) == len(TOKENS):
            gain += BONUS
        return gain - len(self.table.taken) * self.cost_of_a_bust()

    def cost_of_a_bust(self) -> int:
        """The tokens that are lost, or the card that saves them."""
        lost = self.held() - CONSOLATION
        if "Nanners" in self.hand:
            return min(lost, self.of_card("Nanners"))
        return min(lost, self.of_card("Blammo!") + lost // 2) if "Blammo!" in self.hand else lost

    def held(self) -> int:
        """The tokens in front of the active seat."""
        return sum([self.of_token(token) for token in pending(self.table)])

    def of_token(self, token: Token) -> int:
        """A token to this seat: cards to draw, or cards to stash out of a hand that holds some."""
        drawn = 10 * min(2, len(self.table.pile))
        stashed = 20 * min(2, len(self.hand))
        return {
            "bin": drawn,
            "tree": max(stashed, drawn // 2),
            "bin_tree": max(drawn, stashed) // 2,
            "steal": 15,
            "reveal": drawn // 2,
            "recycle": max(drawn, stashed) * 3 // 4,
        }[token]

    def of_being_saved(self, move: Event) -> int:
        """The tokens that a Nanners keeps, or that a Blammo! may keep, against a bust, for the card."""
        lost = self.held() - CONSOLATION
        if isinstance(move, happened.NannersPlayed):
            return lost - self.of_card("Nanners") if self.table.phase == "bust" else -1
        kept = lost * (len(TOKENS) - len(self.table.taken)) // len(TOKENS)
        return kept - self.of_card("Blammo!") if self.table.phase == "bust" else -1

    def of_yum_yum(self, move: Event) -> int:
        """A rival is to lose tokens: worth a card from three of them on."""
        return 20 * len(self.table.taken) - 50

    # --- cards -------------------------------------------------------------------------------------------------------

    def of_card(self, card: Card, more: int = 0) -> int:
        """A card in the stash, after `more` others of its kind: its part of a majority that is still open."""
        sheet = self.table.sheet
        index = sheet.kinds.index(card)
        needed = max(1, sheet.copies[index] // (self.table.seats + 1))
        have = self.stash.count(card) + more
        first = sheet.points[index][0] * 10
        return 1 + sheet.points_each[index] * 10 + (first // needed if have < needed else first // (4 * needed))

    def of_stashing(self, move: Any) -> int:
        """Cards in the stash."""
        return sum([self.of_card(card, move.cards[:at].count(card)) for at, card in enumerate(move.cards)])

    def of_matching(self, move: Any) -> int:
        """A card in the stash for nothing, while a rival draws one."""
        return self.of_card(move.card) - 5

    def of_drawing(self, move: Any) -> int:
        """Cards in hand; the more of them are there already, the better to stash one instead."""
        return int(move.count) * max(4, 16 - 3 * len(self.hand))

    def of_feesh(self, move: Any) -> int:
        """What saves from a bust, or a card that is worth more in the stash, when one can be stashed."""
        if self.table.phase == "bust":
            saved = "Nanners" in self.hand or "Blammo!" in self.hand
            saves = {"Nanners": 2, "Blammo!": 1}.get(move.card, 0)
            return -1 if saved or not saves else (self.held() - CONSOLATION) * saves // 2 - self.of_card("Feesh")
        return self.of_card(move.card) - self.of_card("Feesh") - 5 if self.can_stash() else -1

    def of_shiny(self, move: Any) -> int:
        """A card of a rival's stash, when it can be stashed at once."""
        return self.of_loot(move.card) - self.of_card("Shiny") if self.can_stash() else -1

    def of_loot(self, card: Card | FaceDown | None) -> int:
        """A card that a rival loses and this seat gets."""
        return 0 if card is None else 30 if card == FACE_DOWN else 15 + self.of_card(card)

    def can_stash(self) -> bool:
        """Has rolling stopped with a token that stashes?"""
        return self.table.phase == "resolve" and ("tree" in pending(self.table) or "bin_tree" in pending(self.table))

    def of_pie(self, move: Any) -> int:
        """The token once more, against the Pie in the stash."""
        hand = len(self.hand) - 1
        again = {"tree": 20 * min(2, hand), "bin": 10 * min(2, len(self.table.pile)), "bin_tree": 15, "recycle": 25}
        return again.get(move.token, 10) - self.of_card("MMM Pie!")

    # --- thefts ------------------------------------------------------------------------------------------------------

    def of_answering(self, move: Any) -> int:
        """Doggo and Kitteh are good for nothing else; cards drawn or stolen on top are welcome."""
        if isinstance(move, happened.DoggoPlayed):
            return 20 + 20 * move.draws
        return 25 + self.of_loot(move.card)

    def of_raiding(self, move: Any) -> int:
        """The rival with most cards."""
        return len(self.table.hands[move.victim])


WORTHS: Mapping[type[Event], Callable[[Position, Any], int]] = {
    happened.DieThrown: Position.of_rolling,
    happened.BlammoPlayed: Position.of_being_saved,
    happened.NannersPlayed: Position.of_being_saved,
    happened.YumYumPlayed: Position.of_yum_yum,
    happened.TokenChosen: lambda position, move: FIRST[move.token],
    happened.TokenExchanged: lambda position, move: position.of_token(move.token),
    happened.PiePlayed: Position.of_pie,
    happened.DrawChosen: Position.of_drawing,
    happened.CardsStashed: Position.of_stashing,
    happened.MatchStashed: Position.of_matching,
    happened.FeeshPlayed: Position.of_feesh,
    happened.ShinyPlayed: Position.of_shiny,
    happened.HandTargeted: Position.of_raiding,
    happened.DoggoPlayed: Position.of_answering,
    happened.KittehPlayed: Position.of_answering,
}
"""What kinds of moves are worth; the others are worth 0."""
