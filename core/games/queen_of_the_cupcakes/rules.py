"""The rules of Queen of the Cupcakes, in the order of its rulebook.

Six bins stand on the table, one for each kind of card. On a turn a seat (1) takes all cards of one kind from the bank
of five, (2) may lay out cards of one kind, some beside their bin and some face down in front of itself, and (3) fills
the bank up again. The game ends the moment a bin is full, or when the bank cannot be filled up. Face-down cards score
if their kind's bin is among the three fullest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement

from core.chance import Chance, shuffle
from core.games.queen_of_the_cupcakes.scoring import scores
from core.games.queen_of_the_cupcakes.state import Phase, Table, bin_is_full, partner
from core.ranking import by_score
from events.base import Event, Move
from events.queen_of_the_cupcakes import (
    BankFilled,
    Cards,
    CardsLaid,
    CardsPassed,
    CardsTaken,
    DeckShuffled,
    FrontPilesRevealed,
    GameEnded,
    HandsDealt,
    Kind,
    LayingSkipped,
    TurnStarted,
)


def forced(table: Table) -> Event | Chance | None:
    """Give what happens without a choice: setting up, the end of a turn, the end of the game."""
    rule = FORCED.get(table.phase)
    return rule(table) if rule else None


def legal(table: Table) -> Sequence[Move]:
    """Give what the seat whose turn it is may choose."""
    if table.phase == "take":
        return taking(table)
    if table.phase == "lay":
        return [LayingSkipped(table.seat), *laying(table), *(passing(table) if table.teams else ())]
    return ()


# --- setup -----------------------------------------------------------------------------------------------------------


def deck_shuffled(table: Table) -> Chance:
    """B. All cards are shuffled into the draw pile."""
    return shuffle(table.sheet.deck, DeckShuffled, lambda event: event.cards)


def hands_dealt(table: Table) -> HandsDealt:
    """C. Five cards a seat from the top of the pile, seat by seat (QC-24)."""
    size = table.sheet.hand
    return HandsDealt(hands=tuple([table.pile[size * seat : size * (seat + 1)] for seat in range(table.seats)]))


def bank_filled(table: Table) -> BankFilled:
    """D, and 3 of every turn: the bank is filled up to five, or with what is left of the pile (QC-14, QC-16)."""
    return BankFilled(cards=table.pile[: table.sheet.bank - len(table.bank)])


def next_turn(table: Table) -> TurnStarted:
    """Seat 0 begins (QC-04), then clockwise."""
    return TurnStarted(seat=(table.seat + 1) % table.seats, turn=table.turn + 1)


# --- a turn ----------------------------------------------------------------------------------------------------------


def taking(table: Table) -> list[CardsTaken]:
    """1. Take all bank cards of one kind that lies there; taking is compulsory (QC-05, QC-06)."""
    moves: list[CardsTaken] = []
    for kind, count in counted(table.bank):
        moves.append(CardsTaken(table.seat, kind, count))
    return moves


@lru_cache(maxsize=8192)
def counted(bank: Cards) -> tuple[tuple[Kind, int], ...]:
    """Give the kinds that lie in a bank, in that order, each with the number of its cards."""
    return tuple([(kind, bank.count(kind)) for kind in dict.fromkeys(bank)])


def only_taking(table: Table) -> CardsTaken | None:
    """With one kind in the bank anybody can see that there is nothing to choose (QC-22, G-01)."""
    return taking(table)[0] if table.bank.count(table.bank[0]) == len(table.bank) else None


def laying(table: Table) -> tuple[CardsLaid, ...]:
    """2. Lay out cards of one kind, 1 to 3 beside its bin and 1 to 3 in front (QC-07), just taken or not (QC-20).

    It is one action: a bin may overflow (QC-08), and what was laid in front with the card that fills it counts (QC-09).
    """
    hand = tuple(sorted(table.hands[table.seat]))  # taken in whatever order
    return laying_from(table.seat, hand, table.sheet.kinds, table.sheet.lay_out)


@lru_cache(maxsize=8192)
def laying_from(seat: int, hand: Cards, kinds: Cards, lay_out: tuple[int, int]) -> tuple[CardsLaid, ...]:
    """Give the ways to lay out cards of a hand, kind by kind."""
    return tuple([move for kind in kinds for move in laying_of(seat, kind, hand.count(kind), lay_out)])


@lru_cache(maxsize=1024)
def laying_of(seat: int, kind: Kind, held: int, lay_out: tuple[int, int]) -> tuple[CardsLaid, ...]:
    """Give the ways to lay out some of the cards that a seat holds of a kind."""
    return tuple([CardsLaid(seat, kind, beside_bin, in_front) for beside_bin, in_front in splits(held, *lay_out)])


@lru_cache(maxsize=1024)
def splits(held: int, least: int, most: int) -> tuple[tuple[int, int], ...]:
    """Give the ways to lay out some of `held` cards: (beside the bin, in front), each from `least` to `most`."""
    parts = range(least, most + 1)
    return tuple([(beside, front) for beside in parts for front in parts if beside + front <= held])


def nothing_to_lay(table: Table) -> LayingSkipped | None:
    """With fewer than two cards in hand, likewise; with two or more a seat is asked, whatever they are (QC-22)."""
    return LayingSkipped(table.seat) if len(table.hands[table.seat]) < 2 else None


def passing(table: Table) -> list[CardsPassed]:
    """Teams: instead of laying out, pass two cards of any kinds to the partner, who is not asked (QC-25, 26, 28)."""
    seat, hand = table.seat, table.hands[table.seat]
    return [
        CardsPassed(seat=seat, partner=partner(table, seat), cards=(first, second))
        for first, second in combinations_with_replacement(table.sheet.kinds, 2)
        if hand.count(first) >= 1 + (first == second) and hand.count(second) >= 1
    ]


# --- the end ---------------------------------------------------------------------------------------------------------


def front_piles_revealed(table: Table) -> FrontPilesRevealed:
    """The cards in front are turned up; hands are worth nothing and stay closed (QC-23)."""
    return FrontPilesRevealed(piles=table.fronts)


def game_ended(table: Table) -> GameEnded:
    """A full bin decides, also where the pile has run out (QC-15). Equal scores share a place (QC-18, QC-29)."""
    totals = scores(table)
    return GameEnded(
        reason="bin_full" if bin_is_full(table) else "pile_empty",
        scores=totals,
        ranking=by_score(totals),
    )


FORCED: Mapping[Phase, Callable[[Table], Event | Chance | None]] = {
    "shuffle": deck_shuffled,
    "deal": hands_dealt,
    "fill": bank_filled,
    "turn": next_turn,
    "take": only_taking,
    "lay": nothing_to_lay,
    "reveal": front_piles_revealed,
    "score": game_ended,
}
"""What the rules do in each phase; None where a seat must choose."""
