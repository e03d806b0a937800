"""The cards of Trash Pandas: those played on one's own turn, and those that answer what another seat does.

Blammo!, Nanners and MMM Pie! belong to a certain moment of a turn and stand there, in `rules`.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.chance import Chance, pick
from core.games.trash_pandas.state import FACE_DOWN, Table, Theft, others, playable
from events.base import Event, Move
from events.trash_pandas import (
    Card,
    CardStolen,
    DoggoPlayed,
    FaceDown,
    FaceUpCardStolen,
    FeeshPlayed,
    KittehPlayed,
    MatchKept,
    MatchStashed,
    ShinyPlayed,
    TheftSuffered,
    YumYumKept,
    YumYumPlayed,
)

# --- on one's own turn -----------------------------------------------------------------------------------------------


def own(table: Table) -> list[Move]:
    """Give what Feesh and Shiny offer the active seat at its decisions before the last token is done (TP-34)."""
    hand = table.hands[table.seat]
    return [*feesh(table), *shiny(table)] if "Feesh" in hand or "Shiny" in hand else []


def feesh(table: Table) -> Iterator[FeeshPlayed]:
    """Feesh takes any one card of the discard pile (TP-41) but another Feesh (TP-39, TP-40, TP-43)."""
    if playable(table, table.seat, "Feesh"):
        for card in dict.fromkeys(table.discard):
            if card != "Feesh":
                yield FeeshPlayed(table.seat, card)


def shiny(table: Table) -> Iterator[ShinyPlayed]:
    """Shiny steals from a rival's stash: a card that lies face up, or a random face-down one (TP-42, TP-54)."""
    if playable(table, table.seat, "Shiny"):
        for rival in others(table, table.seat):
            for card in stealable(table, rival):
                yield ShinyPlayed(table.seat, rival, card)


def stealable(table: Table, victim: int) -> list[Card | FaceDown]:
    """Give what can be named in a theft from a stash."""
    named: list[Card | FaceDown] = list(dict.fromkeys(table.face_up[victim]))
    return [*named, FACE_DOWN] if table.stashes[victim] else named


# --- on another seat's doing -----------------------------------------------------------------------------------------


def answers(table: Table) -> list[Move]:
    """Give the answers of the next seat that has one, clockwise from the active seat's left; it may do nothing.

    Doggo and Kitteh answer a theft and nothing else (TP-56), Yum Yum a decision to stop.
    """
    seat = next(seat for seat in [*others(table, table.seat), table.seat] if table.asked[seat])
    if table.theft is not None:
        return [TheftSuffered(seat), *defences(table, seat, table.theft)]
    if table.revealed is not None:
        return [MatchKept(seat), MatchStashed(seat, table.revealed)]
    return [YumYumKept(seat), YumYumPlayed(seat)]


def defences(table: Table, seat: int, theft: Theft) -> Iterator[Move]:
    """Doggo blocks, its two cards being optional (TP-47, TP-48); Kitteh steals from the thief instead (TP-49 to TP-51).

    Kitteh names its own target in the thief's stash (TP-54), and calls a theft off where there is none (TP-52).
    """
    if playable(table, seat, "Doggo"):
        if not (table.options.doggo_must_draw and table.pile):
            yield DoggoPlayed(seat, draws=False)
        if table.pile:
            yield DoggoPlayed(seat, draws=True)
    if playable(table, seat, "Kitteh"):
        from_stash = stealable(table, theft.thief) if theft.card is not None else []
        targets: list[Card | FaceDown | None] = [*from_stash] or [None]
        for card in targets:
            yield KittehPlayed(seat, card)


# --- the theft itself ------------------------------------------------------------------------------------------------


def stolen(table: Table, theft: Theft) -> Event | Chance:
    """A theft that nobody has answered: the card named, or a random one of the hand or of the face-down cards (TP-45).

    Every copy is as likely. In the hand of the active seat a copy gained this turn differs from one it had (TP-36).
    """
    thief, victim = theft.thief, theft.victim
    if theft.card not in (None, FACE_DOWN):
        return FaceUpCardStolen(thief, victim, theft.card)
    cards = table.hands[victim] if theft.card is None else table.stashes[victim]
    odds: list[tuple[Event, int]] = []
    for card in dict.fromkeys(cards):
        held = cards.count(card)
        gained = table.gained[table.sheet.kinds.index(card)] if theft.card is None and victim == table.seat else 0
        if held > gained:
            odds.append((CardStolen(thief, victim, card, gained=False), held - gained))
        if gained:
            odds.append((CardStolen(thief, victim, card, gained=True), gained))
    return pick(odds)
