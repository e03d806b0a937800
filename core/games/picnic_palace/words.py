"""The events of Picnic Palace as players would say them."""

from __future__ import annotations

from collections.abc import Sequence

from core.words import counted, listed, plain
from events.base import Event
from events.picnic_palace import (
    CardFlipped,
    DeckShuffled,
    FirstCardsFlipped,
    FlipChosen,
    InvitationWasted,
    PickleUsed,
    RoundScored,
    RowsDealt,
    RowTaken,
    SprinklesScored,
    StartSeatDrawn,
    UnclaimedDiscarded,
)


def words(event: Event, names: Sequence[str]) -> str:
    """Give an event, as its viewer may see it, as a sentence."""
    match event:
        case StartSeatDrawn(seat=seat):
            return f"{names[seat]} is drawn to start"
        case DeckShuffled(cards=cards):
            return f"{len(cards)} guests are shuffled into the deck"
        case RowsDealt(rows=rows):
            return f"{len(rows)} rows are dealt: {_by_row(rows)}"
        case FirstCardsFlipped(rows=rows):
            return f"The first cards of each row are flipped: {_by_row(rows)}"
        case FlipChosen(seat=seat, row=row):
            return f"{names[seat]} flips a card of row {row + 1}"
        case CardFlipped(row=row, kind=kind):
            return f"{named(kind)} turns up in row {row + 1}"
        case RowTaken(seat=seat, row=row, cards=cards):
            return f"{names[seat]} invites row {row + 1}: {_guests(cards)}"
        case InvitationWasted(seat=seat):
            return f"{names[seat]} has to use an invitation for nothing"
        case PickleUsed(seat=seat, row=row, kind=kind):
            return f"{names[seat]} gives a Pauly Pickle for {named(kind)} of row {row + 1}"
        case UnclaimedDiscarded(face_up=face_up, face_down=face_down):
            return _unclaimed(face_up, face_down)
        case RoundScored(points=points):
            return f"The round scores: {_each(names, points)}"
        case SprinklesScored(counts=counts, points=points):
            scored = [f"{name} {won:+d} for {count}" for name, won, count in zip(names, points, counts, strict=True)]
            return f"Sprinkles are scored: {listed(scored)}"
    return plain(event, names)


def named(kind: str) -> str:
    """Give the name of a kind of guest.

    >>> named("kyle_kiwi"), named("?")
    ('Kyle Kiwi', '?')
    """
    return kind.replace("_", " ").title()


def _guests(cards: Sequence[str]) -> str:
    return counted([named(card) for card in cards])


def _by_row(rows: Sequence[Sequence[str]]) -> str:
    return "; ".join([_guests(row) for row in rows])


def _unclaimed(face_up: Sequence[str], face_down: Sequence[str]) -> str:
    parts = [f"{_guests(face_up)} face up"] if face_up else []
    parts += [f"{_guests(face_down)} face down"] if face_down else []
    return f"Unclaimed cards leave the game: {listed(parts)}" if parts else "No card was left unclaimed"


def _each(names: Sequence[str], points: Sequence[int]) -> str:
    return listed([f"{name} {won}" for name, won in zip(names, points, strict=True)])
