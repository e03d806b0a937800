"""What can happen in Picnic Palace."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias, get_args

from events import base
from events.base import Event, Move, Options
from events.marks import HIDDEN

Kind = Literal[
    "sassy",
    "kyle_kiwi",
    "baron_von_bacon",
    "sunny",
    "cheezey_pie",
    "flaco_taco",
    "franky",
    "bunford_burger",
    "sprinkles",
    "pauly_pickle",
]
"""The ten kinds of guests. Cards of a kind are all alike (G-07)."""

KINDS: tuple[Kind, ...] = get_args(Kind)

Cards: TypeAlias = tuple[Kind, ...]


class StartSeatDrawn(Event, frozen=True, tag="start_seat_drawn"):
    """Chance says which seat starts the first round."""

    rule: ClassVar[str] = "YW-07"

    seat: int


class DeckShuffled(Event, frozen=True, tag="deck_shuffled"):
    """All guests in a random order, the top one first; never shuffled again (YW-05)."""

    rule: ClassVar[str] = "YW-05"

    cards: Annotated[Cards, HIDDEN]


class RoundStarted(base.RoundStarted, frozen=True):
    """A round begins: all invitations lie on their unused side."""

    rule: ClassVar[str] = "YW-44"


class RowsDealt(Event, frozen=True, tag="rows_dealt"):
    """The rows of the round come face down from the deck, first row first, each left to right."""

    rule: ClassVar[str] = "YW-06"

    rows: Annotated[tuple[Cards, ...], HIDDEN]


class FirstCardsFlipped(Event, frozen=True, tag="first_cards_flipped"):
    """The left-most cards of each row are turned face up before the first turn."""

    rule: ClassVar[str] = "YW-08"

    rows: tuple[Cards, ...]


class TurnStarted(base.TurnStarted, frozen=True):
    """The next seat clockwise that has an unused invitation is to do one of the three actions."""

    rule: ClassVar[str] = "YW-28"


class FlipChosen(Move, frozen=True, tag="flip_chosen"):
    """Action 1: a seat chooses the row whose left-most face-down card it flips. What it is, the next event shows."""

    rule: ClassVar[str] = "YW-10"

    row: int


class CardFlipped(Event, frozen=True, tag="card_flipped"):
    """The left-most face-down card of a row is turned face up."""

    subject: ClassVar[str] = "kind"
    rule: ClassVar[str] = "YW-09"

    seat: int
    row: int
    kind: Kind


class RowTaken(Move, frozen=True, tag="row_taken"):
    """Action 2: a seat uses an invitation and takes all face-up cards of a row, left to right."""

    rule: ClassVar[str] = "YW-15"

    row: int
    cards: Cards


class InvitationWasted(Move, frozen=True, tag="invitation_wasted"):
    """Action 2 with no card left in any row: an invitation is used for nothing."""

    rule: ClassVar[str] = "YW-17"


class PickleUsed(Move, frozen=True, tag="pickle_used"):
    """Action 3: a seat gives a Pauly Pickle out of the game and takes one face-up card; position 0 is the left-most."""

    subject: ClassVar[str] = "kind"
    rule: ClassVar[str] = "YW-22"

    row: int
    position: int
    kind: Kind


class UnclaimedDiscarded(Event, frozen=True, tag="unclaimed_discarded"):
    """What nobody took leaves the game, row by row: the face-down cards unseen."""

    rule: ClassVar[str] = "YW-42"

    face_up: Cards
    face_down: Annotated[Cards, HIDDEN]


class RoundScored(Event, frozen=True, tag="round_scored"):
    """One score a seat for what it collected in the round; what was scored leaves the game."""

    rule: ClassVar[str] = "YW-32"

    points: tuple[int, ...]


class SprinklesScored(Event, frozen=True, tag="sprinkles_scored"):
    """How many Sprinkles each seat has collected over the whole game, and what they bring or cost."""

    rule: ClassVar[str] = "YW-33"

    counts: tuple[int, ...]
    points: tuple[int, ...]


class GameEnded(base.GameEnded, frozen=True):
    """The last round is over and the Sprinkles are scored; of equal scores the one with more Sprinkles is better."""

    rule: ClassVar[str] = "YW-40"

    reason: Literal["rounds_played"]


PicnicEvent: TypeAlias = (
    base.GameStarted[Options]
    | StartSeatDrawn
    | DeckShuffled
    | RoundStarted
    | RowsDealt
    | FirstCardsFlipped
    | TurnStarted
    | FlipChosen
    | CardFlipped
    | RowTaken
    | InvitationWasted
    | PickleUsed
    | UnclaimedDiscarded
    | RoundScored
    | SprinklesScored
    | GameEnded
    | base.TakenBack
)
