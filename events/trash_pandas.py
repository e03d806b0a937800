"""What can happen in Trash Pandas."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from events import base
from events.base import Event, Move, Options
from events.marks import HIDDEN, OWN_SEAT, private_to

Card = Literal["Nanners", "MMM Pie!", "Feesh", "Yum Yum", "Shiny", "Blammo!", "Doggo", "Kitteh"]
"""The eight kinds of cards, by their printed names."""

Cards: TypeAlias = tuple[Card, ...]

Token = Literal["bin", "tree", "bin_tree", "steal", "reveal", "recycle"]
"""The six tokens, which are also the faces of the die. The two masks go by what they do (TP-02)."""

FaceDown = Literal["face down"]
"""Names a face-down card of a stash: which one is drawn at random (TP-54)."""


class TrashPandasOptions(Options, frozen=True):
    """The open choices of the rules; the defaults are those of the rulings.

    `nanners_any_roll`: Nanners also undoes a roll that does not bust (TP-12). `shiny_when_busting`: Shiny may be played
    between the busting roll and the bust (TP-15). `doggo_must_draw`: the two cards of a Doggo are not optional (TP-48).
    `may_skip_tokens`: a token need not be resolved (TP-58). `draw_one_at_a_time`: the second card of the bin token is
    decided on after the first was seen (TP-59). `pie_before`: MMM Pie! is played with the choice of a token (TP-69).
    """

    nanners_any_roll: bool = False
    shiny_when_busting: bool = True
    doggo_must_draw: bool = False
    may_skip_tokens: bool = False
    draw_one_at_a_time: bool = False
    pie_before: bool = False


# --- setup -----------------------------------------------------------------------------------------------------------


class DeckShuffled(Event, frozen=True, tag="deck_shuffled"):
    """All cards in a random order, the top one first."""

    rule: ClassVar[str] = "TP-01"

    cards: Annotated[Cards, HIDDEN]


class HandsDealt(Event, frozen=True, tag="hands_dealt"):
    """The starting hands, each a block from the top of the deck; the rest is the trash can."""

    rule: ClassVar[str] = "TP-04"

    hands: Annotated[tuple[Cards, ...], OWN_SEAT]


class TurnStarted(base.TurnStarted, frozen=True):
    """The next seat clockwise gets the die."""

    rule: ClassVar[str] = "TP-04"


class BonusTurnStarted(Event, frozen=True, tag="bonus_turn_started"):
    """A seat that rolled all six tokens goes on with a bonus turn of three tokens at most."""

    rule: ClassVar[str] = "TP-20"

    seat: int


# --- rolling ---------------------------------------------------------------------------------------------------------


class DieThrown(Move, frozen=True, tag="die_thrown"):
    """A seat rolls the die."""

    rule: ClassVar[str] = "TP-07"


class DieRolled(Event, frozen=True, tag="die_rolled"):
    """The die shows a token: it is taken, or the seat is about to bust if it has it already."""

    subject: ClassVar[str] = "token"
    rule: ClassVar[str] = "turn A"

    seat: int
    token: Token


class RollingStopped(Move, frozen=True, tag="rolling_stopped"):
    """A seat decides to stop rolling."""

    rule: ClassVar[str] = "TP-07"


class BustAccepted(Move, frozen=True, tag="bust_accepted"):
    """A seat busts: its tokens go back unresolved, it draws one card, its turn is over."""

    rule: ClassVar[str] = "TP-16"


class BlammoPlayed(Move, frozen=True, tag="blammo_played"):
    """A seat ignores its last roll and is to roll again."""

    rule: ClassVar[str] = "TP-09"


class NannersPlayed(Move, frozen=True, tag="nanners_played"):
    """A seat ignores its last roll and has decided to stop."""

    rule: ClassVar[str] = "TP-12"


class YumYumPlayed(Move, frozen=True, tag="yum_yum_played"):
    """A seat forces the one that stopped to roll once more."""

    rule: ClassVar[str] = "TP-27"


class YumYumKept(Move, frozen=True, tag="yum_yum_kept"):
    """A seat that could have played a Yum Yum does not; nobody else learns that it could."""

    rule: ClassVar[str] = "TP-33"
    seen_by: ClassVar[tuple[str, ...]] = ("seat",)


# --- resolving tokens ------------------------------------------------------------------------------------------------


class TokenChosen(Move, frozen=True, tag="token_chosen"):
    """A seat puts a token back into the middle to resolve it."""

    subject: ClassVar[str] = "token"
    rule: ClassVar[str] = "turn B"

    token: Token


class TokenSkipped(Move, frozen=True, tag="token_skipped"):
    """A seat puts a token back into the middle without resolving it."""

    subject: ClassVar[str] = "token"
    rule: ClassVar[str] = "TP-58"

    token: Token


class NoEffect(Event, frozen=True, tag="token_had_no_effect"):
    """There is nothing that the token being resolved could do."""

    subject: ClassVar[str] = "token"
    rule: ClassVar[str] = "TP-58"

    seat: int
    token: Token


class PiePlayed(Move, frozen=True, tag="pie_played"):
    """A seat resolves a token twice: again right after the first time, or from the start (`pie_before`)."""

    subject: ClassVar[str] = "token"
    rule: ClassVar[str] = "TP-69"

    token: Token


class TokenRepeated(Event, frozen=True, tag="token_repeated"):
    """A token that was chosen together with a Pie is resolved for the second time."""

    subject: ClassVar[str] = "token"
    rule: ClassVar[str] = "TP-69"

    seat: int
    token: Token


class DrawChosen(Move, frozen=True, tag="draw_chosen"):
    """A seat decides how many cards to draw from the trash can."""

    rule: ClassVar[str] = "TP-59"

    count: int


class CardsDrawn(Event, frozen=True, tag="cards_drawn"):
    """Cards come from the top of the trash can into a hand."""

    rule: ClassVar[str] = "TP-60"

    seat: int
    cards: Annotated[Cards, private_to("seat")]


class CardsStashed(Move, frozen=True, tag="cards_stashed"):
    """A seat lays cards from its hand face down into its stash; none is a choice too."""

    rule: ClassVar[str] = "TP-03"

    cards: Annotated[Cards, private_to("seat")]


class CardRevealed(Event, frozen=True, tag="card_revealed"):
    """The top card of the trash can is shown to everybody and goes to a hand."""

    subject: ClassVar[str] = "card"
    rule: ClassVar[str] = "TP-63"

    seat: int
    card: Card


class MatchStashed(Move, frozen=True, tag="match_stashed"):
    """A seat stashes, face up, a card like the one revealed."""

    subject: ClassVar[str] = "card"
    rule: ClassVar[str] = "TP-63"

    card: Card


class MatchKept(Move, frozen=True, tag="match_kept"):
    """A seat that holds a card like the one revealed keeps it; nobody else learns that it holds one."""

    rule: ClassVar[str] = "TP-33"
    seen_by: ClassVar[tuple[str, ...]] = ("seat",)


class TokenExchanged(Move, frozen=True, tag="token_exchanged"):
    """A seat gets a token that was not taken before for its Recycle."""

    subject: ClassVar[str] = "token"
    rule: ClassVar[str] = "TP-66"

    token: Token


class TurnEnded(Move, frozen=True, tag="turn_ended"):
    """A seat with no token left passes the die."""

    rule: ClassVar[str] = "TP-83"


# --- cards of one's own turn, and theft ------------------------------------------------------------------------------


class FeeshPlayed(Move, frozen=True, tag="feesh_played"):
    """A seat takes a card from the discard pile."""

    subject: ClassVar[str] = "card"
    rule: ClassVar[str] = "TP-40"

    card: Card


class ShinyPlayed(Move, frozen=True, tag="shiny_played"):
    """A seat is about to steal a card from a rival's stash: one that lies face up, or some face-down one."""

    subject: ClassVar[str] = "card"
    rule: ClassVar[str] = "TP-54"

    victim: int
    card: Card | FaceDown


class HandTargeted(Move, frozen=True, tag="hand_targeted"):
    """A seat is about to steal a random card from a rival's hand."""

    rule: ClassVar[str] = "TP-44"

    victim: int


class DoggoPlayed(Move, frozen=True, tag="doggo_played"):
    """A seat blocks the theft from it, and draws two cards or does without."""

    rule: ClassVar[str] = "TP-48"

    draws: bool


class KittehPlayed(Move, frozen=True, tag="kitteh_played"):
    """A seat turns the tables: it is now the thief. `card` names what it wants from a stash; None for a hand."""

    rule: ClassVar[str] = "TP-51"

    card: Card | FaceDown | None


class TheftSuffered(Move, frozen=True, tag="theft_suffered"):
    """A seat that could have answered a theft does not; nobody else learns that it could."""

    rule: ClassVar[str] = "TP-33"
    seen_by: ClassVar[tuple[str, ...]] = ("seat",)


class CardStolen(Event, frozen=True, tag="card_stolen"):
    """A random card goes from a hand or from face-down cards to the thief's hand; both seats know which.

    `gained` says whether the copy lost was one that the victim gained in its own current turn (TP-36).
    """

    subject: ClassVar[str] = "card"
    rule: ClassVar[str] = "TP-45"

    seat: int
    victim: int
    card: Annotated[Card, private_to("seat", "victim")]
    gained: Annotated[bool, private_to("victim")]


class FaceUpCardStolen(Event, frozen=True, tag="face_up_card_stolen"):
    """A named card that lay face up goes from a stash to the thief's hand."""

    subject: ClassVar[str] = "card"
    rule: ClassVar[str] = "TP-54"

    seat: int
    victim: int
    card: Card


# --- the end ---------------------------------------------------------------------------------------------------------


class HandsDiscarded(Event, frozen=True, tag="hands_discarded"):
    """What is left in the hands is shown and discarded."""

    rule: ClassVar[str] = "TP-81"

    hands: tuple[Cards, ...]


class StashesRevealed(Event, frozen=True, tag="stashes_revealed"):
    """The face-down cards of the stashes are turned up."""

    rule: ClassVar[str] = "TP-81"

    stashes: tuple[Cards, ...]


class GameEnded(base.GameEnded, frozen=True):
    """The trash can is empty at the end of a turn; or the engine has given up on a game without end (no ranking)."""

    rule: ClassVar[str] = "TP-72"

    reason: Literal["can_empty", "turn_limit"]


TrashPandasEvent: TypeAlias = (
    base.GameStarted[TrashPandasOptions]
    | DeckShuffled
    | HandsDealt
    | TurnStarted
    | BonusTurnStarted
    | DieThrown
    | DieRolled
    | RollingStopped
    | BustAccepted
    | BlammoPlayed
    | NannersPlayed
    | YumYumPlayed
    | YumYumKept
    | TokenChosen
    | TokenSkipped
    | NoEffect
    | PiePlayed
    | TokenRepeated
    | DrawChosen
    | CardsDrawn
    | CardsStashed
    | CardRevealed
    | MatchStashed
    | MatchKept
    | TokenExchanged
    | TurnEnded
    | FeeshPlayed
    | ShinyPlayed
    | HandTargeted
    | DoggoPlayed
    | KittehPlayed
    | TheftSuffered
    | CardStolen
    | FaceUpCardStolen
    | HandsDiscarded
    | StashesRevealed
    | GameEnded
    | base.TakenBack
)
