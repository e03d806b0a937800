"""The events of Queen of the Cupcakes as players would say them."""

from __future__ import annotations

from collections.abc import Sequence

from core.words import counted, listed, plain
from events.base import Event
from events.queen_of_the_cupcakes import (
    BankFilled,
    CardsLaid,
    CardsPassed,
    CardsTaken,
    DeckShuffled,
    FrontPilesRevealed,
    HandsDealt,
    LayingSkipped,
)


def words(event: Event, names: Sequence[str]) -> str:
    """Give an event, as its viewer may see it, as a sentence."""
    match event:
        case DeckShuffled(cards=cards):
            return f"{len(cards)} cards are shuffled into the draw pile"
        case HandsDealt(hands=hands):
            return "Hands are dealt: " + "; ".join(
                [f"{name} {counted(hand)}" for name, hand in zip(names, hands, strict=False)]
            )
        case BankFilled(cards=cards):
            return f"The bank gets {counted(cards)}" if cards else "The draw pile is empty: the bank gets nothing"
        case CardsTaken(seat=seat, kind=kind, count=count):
            return f"{names[seat]} takes {count} {kind} from the bank"
        case CardsLaid(seat=seat, kind=kind, beside_bin=beside_bin, in_front=in_front):
            return f"{names[seat]} lays out {kind}: {beside_bin} beside the bin, {in_front} in front"
        case CardsPassed(seat=seat, partner=partner, cards=cards):
            return f"{names[seat]} passes {counted(cards)} to {names[partner]}"
        case LayingSkipped(seat=seat):
            return f"{names[seat]} lays out nothing"
        case FrontPilesRevealed(piles=piles):
            shown = [f"{name} has {counted(pile)}" for name, pile in zip(names, piles, strict=False)]
            return f"The cards in front are turned up: {listed(shown)}"
    return plain(event, names)
