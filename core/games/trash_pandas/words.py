"""The events of Trash Pandas as players would say them."""

from __future__ import annotations

from collections.abc import Sequence

from core.words import counted, listed, plain
from events.base import Event
from events.marks import MASK
from events.trash_pandas import (
    BlammoPlayed,
    BonusTurnStarted,
    BustAccepted,
    CardRevealed,
    CardsDrawn,
    CardsStashed,
    CardStolen,
    DeckShuffled,
    DieRolled,
    DieThrown,
    DoggoPlayed,
    DrawChosen,
    FaceUpCardStolen,
    FeeshPlayed,
    GameEnded,
    HandsDealt,
    HandsDiscarded,
    HandTargeted,
    KittehPlayed,
    MatchKept,
    MatchStashed,
    NannersPlayed,
    NoEffect,
    PiePlayed,
    RollingStopped,
    ShinyPlayed,
    StashesRevealed,
    TheftSuffered,
    Token,
    TokenChosen,
    TokenExchanged,
    TokenRepeated,
    TokenSkipped,
    TurnEnded,
    YumYumKept,
    YumYumPlayed,
)

TOKEN_NAMES: dict[Token, str] = {
    "bin": "Trash can",
    "tree": "Tree",
    "bin_tree": "Trash can / Tree",
    "steal": "Steal",
    "reveal": "Reveal",
    "recycle": "Recycle",
}


def words(event: Event, names: Sequence[str]) -> str:
    """Give an event, as its viewer may see it, as a sentence."""
    return _rolling(event, names) or _resolving(event, names) or _stealing(event, names) or _table(event, names)


def _rolling(event: Event, names: Sequence[str]) -> str | None:
    match event:
        case DieThrown(seat=seat):
            return f"{names[seat]} rolls the die"
        case DieRolled(token=token):
            return f"The die shows {TOKEN_NAMES[token]}"
        case RollingStopped(seat=seat):
            return f"{names[seat]} stops rolling"
        case BustAccepted(seat=seat):
            return f"{names[seat]} busts: no token is resolved"
        case BlammoPlayed(seat=seat):
            return f"{names[seat]} plays Blammo! and has to roll again"
        case NannersPlayed(seat=seat):
            return f"{names[seat]} plays Nanners: the last roll does not count, and rolling has stopped"
        case YumYumPlayed(seat=seat):
            return f"{names[seat]} plays Yum Yum: another roll is due"
        case YumYumKept(seat=seat):
            return f"{names[seat]} keeps Yum Yum"
    return None


def _resolving(event: Event, names: Sequence[str]) -> str | None:
    match event:
        case TokenChosen(seat=seat, token=token):
            return f"{names[seat]} resolves {TOKEN_NAMES[token]}"
        case TokenSkipped(seat=seat, token=token):
            return f"{names[seat]} leaves {TOKEN_NAMES[token]} unresolved"
        case NoEffect(token=token):
            return f"{TOKEN_NAMES[token]} has no effect"
        case PiePlayed(seat=seat, token=token):
            return f"{names[seat]} plays MMM Pie! to resolve {TOKEN_NAMES[token]} twice"
        case TokenRepeated(token=token):
            return f"{TOKEN_NAMES[token]} is resolved a second time"
        case DrawChosen(seat=seat, count=count):
            return f"{names[seat]} will draw {_cards(count)}"
        case CardsDrawn(seat=seat, cards=cards):
            return f"{names[seat]} draws {counted(cards)} from the trash can"
        case CardsStashed(seat=seat, cards=cards):
            return f"{names[seat]} stashes {counted(cards)}" + (" face down" if cards else "")
        case CardRevealed(seat=seat, card=card):
            return f"{names[seat]} reveals {card} and takes it"
        case MatchStashed(seat=seat, card=card):
            return f"{names[seat]} stashes {card} face up"
        case MatchKept(seat=seat):
            return f"{names[seat]} keeps the matching card"
        case TokenExchanged(seat=seat, token=token):
            return f"{names[seat]} exchanges Recycle for {TOKEN_NAMES[token]}"
    return None


def _stealing(event: Event, names: Sequence[str]) -> str | None:
    match event:
        case FeeshPlayed(seat=seat, card=card):
            return f"{names[seat]} plays Feesh and takes {card} from the discard pile"
        case ShinyPlayed(seat=seat, victim=victim, card=card):
            return f"{names[seat]} plays Shiny to steal {_wanted(card)} from the stash of {names[victim]}"
        case HandTargeted(seat=seat, victim=victim):
            return f"{names[seat]} is about to steal from the hand of {names[victim]}"
        case DoggoPlayed(seat=seat, draws=draws):
            return f"{names[seat]} blocks with Doggo" + ("" if draws else " and draws nothing")
        case KittehPlayed(seat=seat, card=None):
            return f"{names[seat]} turns the tables with Kitteh"
        case KittehPlayed(seat=seat, card=str(card)):
            return f"{names[seat]} turns the tables with Kitteh to steal {_wanted(card)}"
        case TheftSuffered(seat=seat):
            return f"{names[seat]} lets the theft happen"
        case CardStolen(seat=seat, victim=victim, card=card):
            return f"{names[seat]} steals {'a card' if card == MASK else card} from {names[victim]}"
        case FaceUpCardStolen(seat=seat, victim=victim, card=card):
            return f"{names[seat]} steals {card} from the stash of {names[victim]}"
    return None


def _table(event: Event, names: Sequence[str]) -> str:
    match event:
        case DeckShuffled(cards=cards):
            return f"{len(cards)} cards are shuffled"
        case HandsDealt(hands=hands):
            return f"Hands are dealt: {_each(names, hands)}"
        case BonusTurnStarted(seat=seat):
            return f"All six tokens: {names[seat]} has a bonus turn"
        case TurnEnded(seat=seat):
            return f"{names[seat]} ends the turn"
        case HandsDiscarded(hands=hands):
            return f"The trash can is empty. Hands are discarded: {_each(names, hands)}"
        case StashesRevealed(stashes=stashes):
            return f"Face-down stashes are turned up: {_each(names, stashes)}"
        case GameEnded(ranking=()):
            return "The game is stopped without a winner: too many turns"
    return plain(event, names)


def _cards(count: int) -> str:
    return "no card" if count == 0 else "1 card" if count == 1 else f"{count} cards"


def _wanted(card: str) -> str:
    return "a face-down card" if card == "face down" else card


def _each(names: Sequence[str], piles: Sequence[Sequence[str]]) -> str:
    return listed([f"{name} {counted(pile)}" for name, pile in zip(names, piles, strict=False)])
