"""What lies on the table in Trash Pandas, and who may see it (TP-06)."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Literal, get_args

from core.game import Outcome, State
from core.sheets import Sheet
from events.marks import COMPONENTS, HIDDEN, OWN_SEAT, private_to
from events.trash_pandas import Card, Cards, FaceDown, Token, TrashPandasOptions

CARDS: tuple[Card, ...] = get_args(Card)
TOKENS: tuple[Token, ...] = get_args(Token)
FACE_DOWN: FaceDown = "face down"

Phase = (
    Literal["setup", "shuffle", "deal", "roll", "thrown", "rolled", "bust", "resolve"]
    | Token  # the token that is being resolved
    | Literal["second_draw", "turn_over", "turn_up", "score", "over"]
)


class TrashPandasSheet(Sheet, frozen=True):
    """The box: what `data/sheets/trash-pandas.toml` says, and what a designer may change."""

    kinds: tuple[Card, ...]
    copies: tuple[int, ...]
    points: tuple[tuple[int, int, int], ...]
    points_each: tuple[int, ...]
    hands: tuple[int, ...]
    bonus_tokens: int

    def __post_init__(self) -> None:
        """Refuse a box that cannot be played."""
        if len(dict.fromkeys(self.kinds)) != len(self.kinds) or not self.kinds:
            raise ValueError("`kinds` names at least one kind of card, each once")
        if any(len(column) != len(self.kinds) for column in (self.copies, self.points, self.points_each)):
            raise ValueError("`copies`, `points` and `points_each` have one entry for each of `kinds`")
        if min(*self.copies, *self.points_each, *[value for places in self.points for value in places], 0) < 0:
            raise ValueError("`copies`, `points` and `points_each` count from 0")
        if len(self.hands) != self.seats[1] or min(self.hands) < 0:
            raise ValueError("`hands` has one number of cards, 0 or more, for each seat")
        if not 1 <= self.bonus_tokens <= len(TOKENS):
            raise ValueError(f"`bonus_tokens` is from 1 to {len(TOKENS)}")
        if sum(self.copies) <= sum(self.hands):
            raise ValueError(f"{sum(self.copies)} cards leave no trash can after dealing to {self.seats[1]} seats")

    @property
    def deck(self) -> Cards:
        """All cards, kind by kind."""
        deck: Cards = ()
        for kind, copies in zip(self.kinds, self.copies, strict=True):
            deck += (kind,) * copies
        return deck


class Theft(State, frozen=True):
    """A theft that is not through yet: of a random card of a hand (`card` is None), or of `card` of a stash."""

    thief: int
    victim: int
    card: Card | FaceDown | None


class Table(State, frozen=True):
    """The table. `seat` has the turn (-1 before the first).

    `pile` is the trash can and `discard` the open pile beside it, their top card first. `stashes` lie face down, for
    their owners' eyes only; `face_up` are the stashed cards that lie open.

    `gained` counts, kind by kind, the cards in the active seat's hand that it gained this turn. It is a count for each
    kind, not a list of cards, so that its length tells nobody anything (TP-35, TP-36).

    `taken` are the tokens taken this turn, `resolved` those of them that went back to the middle. `rolled` is what the
    die shows; `resolving` the token chosen last, `pied` whether a Pie was spent on it, `again` whether it is still to
    be resolved a second time.

    `asked` marks the seats that may still answer what just happened. Everybody sees their own mark alone: whether a
    rival can answer is as secret as its hand (TP-33). `due` cards are about to be drawn by the seat `drawer`.
    """

    sheet: Annotated[TrashPandasSheet, COMPONENTS]
    phase: Phase = "setup"
    seats: int = 0
    options: TrashPandasOptions = TrashPandasOptions()
    turn: int = 0
    seat: int = -1
    bonus: Literal["no", "earned", "running"] = "no"
    pile: Annotated[Cards, HIDDEN] = ()
    discard: Cards = ()
    hands: Annotated[tuple[Cards, ...], OWN_SEAT] = ()
    gained: Annotated[tuple[int, ...], private_to("seat")] = ()
    stashes: Annotated[tuple[Cards, ...], OWN_SEAT] = ()
    face_up: tuple[Cards, ...] = ()
    taken: tuple[Token, ...] = ()
    resolved: tuple[Token, ...] = ()
    rolled: Token | None = None
    resolving: Token | None = None
    pied: bool = False
    again: bool = False
    revealed: Card | None = None
    theft: Theft | None = None
    asked: Annotated[tuple[bool, ...], OWN_SEAT] = ()
    drawer: int = -1
    due: int = 0
    outcome: Outcome | None = None


def pending(table: Table) -> tuple[Token, ...]:
    """Give the tokens in front of the active seat."""
    resolved = table.resolved
    return tuple([token for token in table.taken if token not in resolved]) if resolved else table.taken


def untaken(table: Table) -> tuple[Token, ...]:
    """Give the tokens that were not taken this turn: resolved ones do not count as free again (TP-66)."""
    return tuple([token for token in TOKENS if token not in table.taken])


def middle(table: Table) -> tuple[Token, ...]:
    """Give the tokens in the middle: those not taken, and those that were resolved."""
    return tuple([token for token in TOKENS if token not in table.taken or token in table.resolved])


def most_tokens(table: Table) -> int:
    """Give the number of tokens at which rolling stops by itself: all, or three in a bonus turn (TP-20)."""
    return table.sheet.bonus_tokens if table.bonus == "running" else len(TOKENS)


def others(table: Table, seat: int) -> tuple[int, ...]:
    """Give the other seats, clockwise from the left of `seat`."""
    return clockwise(table.seats, seat)


@lru_cache(maxsize=64)
def clockwise(seats: int, seat: int) -> tuple[int, ...]:
    """Give all seats of a table but one, from its left."""
    return tuple([(seat + step) % seats for step in range(1, seats)])


def playable(table: Table, seat: int, card: Card) -> bool:
    """Does a seat hold a copy of the card that it may play?

    Cards gained this turn are barred while the active seat resolves tokens, from the first one chosen, and for nobody
    else (TP-35, TP-37, TP-38). A Pie works in resolving alone, so one gained this turn never works.
    """
    held = table.hands[seat].count(card)
    if not held or seat != table.seat or not (table.resolved or card == "MMM Pie!"):
        return held > 0
    return held > table.gained[table.sheet.kinds.index(card)]
