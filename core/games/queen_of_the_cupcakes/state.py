"""What lies on the table in Queen of the Cupcakes, and who may see it (QC-21, QC-22)."""

from __future__ import annotations

from typing import Annotated, Literal

from core.game import Outcome, State
from core.sheets import Sheet
from events.marks import COMPONENTS, HIDDEN, OWN_SEAT, labelled
from events.queen_of_the_cupcakes import Cards, Kind

Phase = Literal["setup", "shuffle", "deal", "fill", "turn", "take", "lay", "reveal", "score", "over"]


class QueenSheet(Sheet, frozen=True):
    """The box: what `data/sheets/queen-of-the-cupcakes.toml` says, and what a designer may change."""

    kinds: tuple[Kind, ...]
    copies: tuple[int, ...]
    hand: int
    bank: int
    bin_capacity: int
    lay_out: tuple[int, int]
    points_bin_full: tuple[int, int, int]
    points_pile_empty: tuple[int, int, int]

    def __post_init__(self) -> None:
        """Refuse a box that cannot be played."""
        if len(dict.fromkeys(self.kinds)) != len(self.kinds) or len(self.kinds) < 3:
            raise ValueError("`kinds` names at least three kinds, each once")
        if len(self.copies) != len(self.kinds) or min(self.copies) < 0:
            raise ValueError("`copies` has one count, 0 or more, for each of `kinds`")
        if min(self.hand, self.bank, self.bin_capacity, self.lay_out[0]) < 1 or self.lay_out[0] > self.lay_out[1]:
            raise ValueError("`hand`, `bank`, `bin_capacity` and `lay_out` count from 1, the least of `lay_out` first")
        if self.seats[0] == 1:
            raise ValueError("`seats` begins at 2: points are compared")
        if sum(self.copies) > 1_000:
            raise ValueError(f"{sum(self.copies):,} cards are too many: at most 1,000 cards are played with")
        if sum(self.copies) < self.hand * self.seats[1] + self.bank:
            raise ValueError(f"{sum(self.copies)} cards are too few to deal to {self.seats[1]} seats")

    @property
    def deck(self) -> Cards:
        """All cards, kind by kind."""
        deck: Cards = ()
        for kind, copies in zip(self.kinds, self.copies, strict=True):
            deck += (kind,) * copies
        return deck


class Table(State, frozen=True):
    """The table. `seat` has the turn (-1 before the first), `bins` counts cards bin by bin, top to bottom.

    `pile` is face down, its top card first. `fronts` are the face-down cards in front of the seats: hidden from
    everybody, their owner too, until they are `revealed`.
    """

    sheet: Annotated[QueenSheet, COMPONENTS]
    phase: Phase = "setup"
    seats: int = 0
    teams: bool = False
    turn: int = 0
    seat: int = -1
    pile: Annotated[Cards, HIDDEN] = ()
    bank: Cards = ()
    bins: Annotated[tuple[int, ...], labelled("sheet", "kinds")] = ()
    hands: Annotated[tuple[Cards, ...], OWN_SEAT] = ()
    fronts: Annotated[tuple[Cards, ...], HIDDEN] = ()
    revealed: tuple[Cards, ...] = ()
    outcome: Outcome | None = None


def bin_is_full(table: Table) -> bool:
    """Has a bin as many cards as end the game, or more (QC-08)?"""
    return max(table.bins) >= table.sheet.bin_capacity


def partner(table: Table, seat: int) -> int:
    """Give the seat opposite (QC-29)."""
    return (seat + table.seats // 2) % table.seats
