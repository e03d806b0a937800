"""What each event of Queen of the Cupcakes changes. Nothing is checked here: `rules` says what may happen."""

from __future__ import annotations

from msgspec.structs import replace

from core.game import Outcome
from core.games.queen_of_the_cupcakes.state import Table
from core.reducer import Reducer, put
from events import queen_of_the_cupcakes as happened
from events.base import GameStarted

reducer = Reducer[Table]()
evolve = reducer.evolve


@reducer.on(GameStarted)
def game_started(table: Table, event: GameStarted[happened.QueenOptions]) -> Table:
    """The bins are put up; nothing is dealt yet."""
    return replace(
        table,
        phase="shuffle",
        seats=event.seats,
        teams=event.options.teams,
        bins=(0,) * len(table.sheet.kinds),
        hands=((),) * event.seats,
        fronts=((),) * event.seats,
    )


@reducer.on(happened.DeckShuffled)
def deck_shuffled(table: Table, event: happened.DeckShuffled) -> Table:
    """The cards become the draw pile."""
    return replace(table, phase="deal", pile=event.cards)


@reducer.on(happened.HandsDealt)
def hands_dealt(table: Table, event: happened.HandsDealt) -> Table:
    """Hands come off the pile."""
    dealt = table.sheet.hand * table.seats
    return replace(table, phase="fill", hands=event.hands, pile=table.pile[dealt:])


@reducer.on(happened.BankFilled)
def bank_filled(table: Table, event: happened.BankFilled) -> Table:
    """Cards come off the pile into the bank. One that cannot be filled up ends the game (QC-16)."""
    bank = table.bank + event.cards
    whole = len(bank) == table.sheet.bank
    return replace(table, phase="turn" if whole else "reveal", bank=bank, pile=table.pile[len(event.cards) :])


@reducer.on(happened.TurnStarted)
def turn_started(table: Table, event: happened.TurnStarted) -> Table:
    """A seat is to take."""
    return replace(table, phase="take", seat=event.seat, turn=event.turn)


@reducer.on(happened.CardsTaken)
def cards_taken(table: Table, event: happened.CardsTaken) -> Table:
    """All bank cards of a kind go to the hand, which has no limit (QC-19)."""
    cards = (event.kind,) * event.count
    hands = put(table.hands, event.seat, table.hands[event.seat] + cards)
    return replace(table, phase="lay", bank=_without(table.bank, cards), hands=hands)


@reducer.on(happened.CardsLaid)
def cards_laid(table: Table, event: happened.CardsLaid) -> Table:
    """Cards of one kind leave the hand: some beside the bin, some face down in front of the seat."""
    index = table.sheet.kinds.index(event.kind)
    hand = _without(table.hands[event.seat], (event.kind,) * (event.beside_bin + event.in_front))
    front = table.fronts[event.seat] + (event.kind,) * event.in_front
    filled = table.bins[index] + event.beside_bin
    return replace(
        table,
        phase="reveal" if filled >= table.sheet.bin_capacity else "fill",  # the moment it is full: QC-10, QC-15
        hands=put(table.hands, event.seat, hand),
        bins=put(table.bins, index, filled),
        fronts=put(table.fronts, event.seat, front),
    )


@reducer.on(happened.CardsPassed)
def cards_passed(table: Table, event: happened.CardsPassed) -> Table:
    """Two cards go to the partner's hand."""
    hands = put(table.hands, event.seat, _without(table.hands[event.seat], event.cards))
    return replace(table, phase="fill", hands=put(hands, event.partner, hands[event.partner] + event.cards))


@reducer.on(happened.LayingSkipped)
def laying_skipped(table: Table, event: happened.LayingSkipped) -> Table:
    """Nothing is laid out."""
    return replace(table, phase="fill")


@reducer.on(happened.FrontPilesRevealed)
def front_piles_revealed(table: Table, event: happened.FrontPilesRevealed) -> Table:
    """The front piles lie face up."""
    return replace(table, phase="score", fronts=((),) * table.seats, revealed=event.piles)


@reducer.on(happened.GameEnded)
def game_ended(table: Table, event: happened.GameEnded) -> Table:
    """The game is over."""
    return replace(table, phase="over", outcome=Outcome(event.reason, event.scores, event.ranking))


def _without(hand: happened.Cards, cards: happened.Cards) -> happened.Cards:
    left = list(hand)
    for card in cards:
        left.remove(card)
    return tuple(left)
