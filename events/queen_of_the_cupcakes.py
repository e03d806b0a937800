"""What can happen in Queen of the Cupcakes."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from events import base
from events.base import Event, Move, Options
from events.marks import HIDDEN, OWN_SEAT, private_to

Kind = Literal["orange", "purple", "green", "yellow", "blue", "grey"]
"""The six kinds of Trashies, by colour (QC-03)."""

Cards: TypeAlias = tuple[Kind, ...]


class QueenOptions(Options, frozen=True):
    """`teams`: four seats play as two pairs of opposite seats (QC-30)."""

    teams: bool = False


class DeckShuffled(Event, frozen=True, tag="deck_shuffled"):
    """All cards in a random order, the top one first."""

    rule: ClassVar[str] = "setup B"

    cards: Annotated[Cards, HIDDEN]


class HandsDealt(Event, frozen=True, tag="hands_dealt"):
    """The starting hands, one a seat, each a block from the top of the pile."""

    rule: ClassVar[str] = "QC-24"

    hands: Annotated[tuple[Cards, ...], OWN_SEAT]


class BankFilled(Event, frozen=True, tag="bank_filled"):
    """Cards come face up from the pile into the bank, as many as it lacks or as the pile still has."""

    rule: ClassVar[str] = "turn 3"

    cards: Cards


class TurnStarted(base.TurnStarted, frozen=True):
    """The next seat clockwise is to take and lay out."""

    rule: ClassVar[str] = "QC-04"


class CardsTaken(Move, frozen=True, tag="cards_taken"):
    """A seat takes all `count` bank cards of one kind into its hand."""

    subject: ClassVar[str] = "kind"
    rule: ClassVar[str] = "QC-05"

    kind: Kind
    count: int


class CardsLaid(Move, frozen=True, tag="cards_laid"):
    """A seat lays out cards of one kind: 1 to 3 beside the bin, 1 to 3 face down in front of itself."""

    subject: ClassVar[str] = "kind"
    rule: ClassVar[str] = "QC-07"

    kind: Kind
    beside_bin: int
    in_front: int


class CardsPassed(Move, frozen=True, tag="cards_passed"):
    """A seat hands two cards to its partner instead of laying out; the two of them alone know which (QC-27)."""

    rule: ClassVar[str] = "QC-25"

    partner: int
    cards: Annotated[tuple[Kind, Kind], private_to("seat", "partner")]


class LayingSkipped(Move, frozen=True, tag="laying_skipped"):
    """A seat lays out nothing."""

    rule: ClassVar[str] = "turn 2"


class FrontPilesRevealed(Event, frozen=True, tag="front_piles_revealed"):
    """The face-down cards in front of the seats are turned up for scoring."""

    rule: ClassVar[str] = "QC-23"

    piles: tuple[Cards, ...]


class GameEnded(base.GameEnded, frozen=True):
    """A bin is full (2/1/1 points a card), or the bank could not be restored to five (1/1/1)."""

    rule: ClassVar[str] = "QC-15"

    reason: Literal["bin_full", "pile_empty"]


QueenEvent: TypeAlias = (
    base.GameStarted[QueenOptions]
    | DeckShuffled
    | HandsDealt
    | BankFilled
    | TurnStarted
    | CardsTaken
    | CardsLaid
    | CardsPassed
    | LayingSkipped
    | FrontPilesRevealed
    | GameEnded
    | base.TakenBack
)
