"""How the hidden cards of Trash Pandas may lie for all that a seat knows (TP-06).

What was shown to everybody, or to this seat, on its way into a hand is there until it may have left: played, stolen, or
among the cards that were stashed face down.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from core.bots import View
from core.determinise import Card, Passage, Place, deal, faces, unseen
from core.games.trash_pandas.state import Table, others
from core.rng import Rng
from events import trash_pandas as happened
from events.base import Event

PLAYED: dict[type[Event], str] = {
    happened.NannersPlayed: "Nanners",
    happened.BlammoPlayed: "Blammo!",
    happened.YumYumPlayed: "Yum Yum",
    happened.PiePlayed: "MMM Pie!",
    happened.ShinyPlayed: "Shiny",
    happened.DoggoPlayed: "Doggo",
    happened.KittehPlayed: "Kitteh",
}
"""The cards that are played by an event of their own; Feesh brings a card too."""


def world(view: View, rng: Rng) -> Table:
    """Give a table that may be the real one, on which nobody before the viewer is being asked in secret (G-06)."""
    table: Table = view.table
    viewer = view.seat
    if table.phase in ("setup", "shuffle"):
        return table
    own = (table.hands[viewer], table.stashes[viewer])
    hidden = unseen(table.sheet.deck, table.discard, *table.face_up, *own)
    if not hidden:
        return table
    history = _history(viewer, tuple(view.record))
    places, pile = deal(history.passages, hidden, rng)
    dealt: Any = {
        name: [faces(places.get((name, seat), ())) for seat in range(table.seats)] for name in ("hand", "stash")
    }
    dealt["hand"][viewer], dealt["stash"][viewer] = own
    can: Any = pile
    table = replace(table, pile=can, hands=tuple(dealt["hand"]), stashes=tuple(dealt["stash"]))
    if table.seat not in (-1, viewer):
        table = replace(table, gained=_gained(table, places.get(("hand", table.seat), ()), history.turn))
    return replace(table, asked=_asked(table, viewer, table.asked[viewer]))


def _gained(table: Table, hand: Sequence[Card], turn: int) -> tuple[int, ...]:
    """Count what came into the active hand since its turn began."""
    came = [card.face for card in hand if card.since >= turn]
    return tuple([came.count(kind) for kind in table.sheet.kinds])


def _asked(table: Table, viewer: int, asked: bool) -> tuple[bool, ...]:
    """If the viewer is asked, so are those behind it that can answer (TP-32); those before it have declined."""
    marks = [seat == viewer and asked for seat in range(table.seats)]
    if asked and table.theft is None:  # a theft asks its victim alone
        answer = table.revealed or "Yum Yum"
        rivals = others(table, table.seat)
        for seat in rivals[rivals.index(viewer) + 1 :]:
            marks[seat] = answer in table.hands[seat]
    return tuple(marks)


@lru_cache(maxsize=16)  # who deals a table anew does so hundreds of times, of the same record
def _history(viewer: int, record: Sequence[Event]) -> History:
    return History(viewer, record)


class History:
    """Where cards went, as far as a seat has seen it. The turn, or bonus turn, began before passage `turn`."""

    def __init__(self, viewer: int, record: Sequence[Event]) -> None:
        self.viewer = viewer
        self.passages: list[Passage] = []
        self.turn = 0
        self.active = -1
        self.resolved = False
        self.zone = "hand"
        for event in record:
            self._read(event)

    def _read(self, event: Any) -> None:
        if card := PLAYED.get(type(event)):
            self._play(event.seat, card)
        match event:
            case happened.HandsDealt(hands=hands):
                for seat, cards in enumerate(hands):
                    self._pass(None, self._at("hand", seat), cards)
            case happened.TurnStarted() | happened.BonusTurnStarted():
                self.active, self.turn, self.resolved = event.seat, len(self.passages), False
            case happened.TokenChosen() | happened.TokenSkipped() | happened.PiePlayed():
                self.resolved = True
            case happened.CardsDrawn(seat=seat, cards=cards):
                self._pass(None, self._at("hand", seat), cards)
            case happened.CardRevealed(seat=seat, card=card):
                self._pass(None, self._at("hand", seat), (card,))
            case happened.FeeshPlayed(seat=seat, card=card):
                self._pass(None, self._at("hand", seat), (card,))
                self._play(seat, "Feesh")
            case happened.CardsStashed(seat=seat, cards=cards):
                self._pass(self._at("hand", seat), self._at("stash", seat), cards)
            case happened.MatchStashed(seat=seat, card=card):
                self._pass(self._at("hand", seat), None, (card,))
            case happened.ShinyPlayed():
                self.zone = "stash"
            case happened.HandTargeted():
                self.zone = "hand"
            case happened.CardStolen(seat=seat, victim=victim, card=card):
                self._pass(self._at(self.zone, victim), self._at("hand", seat), (card,))
            case happened.FaceUpCardStolen(seat=seat, card=card):
                self._pass(None, self._at("hand", seat), (card,))
            case happened.HandsDiscarded(hands=hands):
                for seat, cards in enumerate(hands):
                    self._pass(self._at("hand", seat), None, cards)

    def _at(self, name: str, seat: int) -> Place | None:
        return None if seat == self.viewer else (name, seat)

    def _play(self, seat: int, card: str) -> None:
        """Cards gained this turn are barred while tokens are resolved; a Pie gained this turn always (TP-35, TP-38)."""
        barred = seat == self.active and (self.resolved or card == "MMM Pie!")
        self._pass(self._at("hand", seat), None, (card,), self.turn if barred else None)

    def _pass(
        self, source: Place | None, target: Place | None, cards: Sequence[str], before: int | None = None
    ) -> None:
        self.passages += [Passage(source, target, card, before) for card in cards if source or target]
