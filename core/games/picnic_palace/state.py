"""What lies on the table in Picnic Palace: all of it open but the faces of face-down cards (YW-43)."""

from __future__ import annotations

from typing import Annotated, Literal

from core.game import Outcome, State
from core.sheets import Sheet
from events.marks import COMPONENTS, HIDDEN
from events.picnic_palace import KINDS, Cards, Kind

Phase = Literal[
    "setup",
    "start_seat",
    "shuffle",
    "round",
    "deal",
    "open",
    "first_turn",
    "turn",
    "act",
    "show",
    "flip_again",
    "clear",
    "score",
    "sprinkles",
    "rank",
    "over",
]

KEPT: Cards = ("sprinkles", "pauly_pickle")
"""The kinds that score nothing in a round and stay with whoever collected them (YW-23, YW-41)."""


class PicnicSheet(Sheet, frozen=True):
    """The box: what `data/sheets/picnic-palace.toml` says, and what a designer may change.

    `row_length`, `invitations` and `flips` have one figure for each seat count.
    """

    rounds: int
    rows: int
    face_up: int
    row_length: tuple[int, ...]
    invitations: tuple[int, ...]
    flips: tuple[int, ...]
    most_sprinkles: int
    fewest_sprinkles: int
    cards: int
    copies: dict[Kind, int]
    sets: dict[Kind, tuple[int, ...]]
    each: dict[Kind, int]

    def __post_init__(self) -> None:
        """Refuse a box that cannot be played."""
        low, high = self.seats
        if low < 2:
            raise ValueError("`seats` count from 2: alone nobody has the most Sprinkles")
        for name in ("row_length", "invitations", "flips"):
            figures = getattr(self, name)
            if len(figures) != high - low + 1 or min(figures) < 1:
                raise ValueError(f"`{name}` has one count, 1 or more, for each of {low} to {high} seats")
        if min(self.rounds, self.rows) < 1 or not 0 <= self.face_up <= min(self.row_length):
            raise ValueError("`rounds` and `rows` count from 1, and `face_up` is not more than a row holds")
        if (counted := sum(self.copies.values())) != self.cards or min(self.copies.values(), default=0) < 0:
            raise ValueError(f"`copies` are 0 or more and add up to {self.cards} cards, not {counted}")
        if (dealt := self.rounds * self.rows * max(self.row_length)) > self.cards:
            raise ValueError(f"{self.cards} cards are too few for {self.rounds} rounds: {dealt} are dealt")
        if min(self.most_sprinkles, self.fewest_sprinkles) < 0:
            raise ValueError("`most_sprinkles` and `fewest_sprinkles` are 0 or more")
        scored = [*self.sets, *self.each]
        if sorted(scored) != sorted([kind for kind in KINDS if kind not in KEPT]):
            raise ValueError("every kind but Sprinkles and Pauly Pickle stands in `sets` or in `each`, once")
        if not all(self.sets.values()):
            raise ValueError("each of `sets` has points for one card or more")

    @property
    def deck(self) -> Cards:
        """All guests, kind by kind."""
        deck: Cards = ()
        for kind in KINDS:
            deck += (kind,) * self.copies.get(kind, 0)
        return deck


class Table(State, frozen=True):
    """The table. `seat` has the turn (-1 before the first), `starter` has or will have the first turn of a round.

    Of each row `face_up` lies left of `face_down` (YW-09), so row r is `face_up[r] + face_down[r]`, left to right.
    `deck` has its top card first. `row` is the row chosen for a flip that is not yet shown, else -1; `flips` are those
    the seat still has to make if it flips. `invitations` counts the unused ones of each seat. `collected` has what
    lies before each seat, in the order taken: this round's guests, and the Sprinkles and Pickles of all rounds.
    `points` has the scores of each finished round. Out of the game are `discarded`, seen by all, and `unseen`.
    """

    sheet: Annotated[PicnicSheet, COMPONENTS]
    phase: Phase = "setup"
    seats: int = 0
    round: int = 0
    turn: int = 0
    seat: int = -1
    starter: int = -1
    flips: int = 0
    row: int = -1
    deck: Annotated[Cards, HIDDEN] = ()
    face_up: tuple[Cards, ...] = ()
    face_down: Annotated[tuple[Cards, ...], HIDDEN] = ()
    invitations: tuple[int, ...] = ()
    collected: tuple[Cards, ...] = ()
    points: tuple[tuple[int, ...], ...] = ()
    sprinkles_points: tuple[int, ...] = ()
    discarded: Cards = ()
    unseen: Annotated[Cards, HIDDEN] = ()
    outcome: Outcome | None = None


def for_seats(table: Table, figures: tuple[int, ...]) -> int:
    """Give the figure of the sheet that holds for the seats at this table."""
    return figures[table.seats - table.sheet.seats[0]]


def totals(table: Table) -> tuple[int, ...]:
    """Give the running score of each seat: its rounds, and its Sprinkles once they are scored."""
    parts = (*table.points, table.sprinkles_points) if table.sprinkles_points else table.points
    return tuple([sum([part[seat] for part in parts]) for seat in range(table.seats)])
