"""The rules of Picnic Palace, in the order of its rulebook.

Three rounds. In each, three rows of guests lie on the table, the first cards of each face up. On a turn a seat either
(1) flips the next card of a row (with two seats: two cards), or (2) uses one of its few invitations to take all face-up
cards of a row, or (3) gives a Pauly Pickle for any one face-up card. Who has used all invitations is out of the round;
the round ends when all have. Sets score every round, Sprinkles once, at the end of the game.

Nothing that decides what a seat may do is secret here, so wherever one action alone is possible, it happens (G-01).
No seat ever reacts in another seat's turn (G-02, G-06).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from core.chance import Chance, pick, shuffle
from core.games.picnic_palace.scoring import round_points, sprinkles_points
from core.games.picnic_palace.state import Phase, Table, for_seats, totals
from core.ranking import by_score
from events.base import Event, Move
from events.picnic_palace import (
    CardFlipped,
    DeckShuffled,
    FirstCardsFlipped,
    FlipChosen,
    GameEnded,
    InvitationWasted,
    PickleUsed,
    RoundScored,
    RoundStarted,
    RowsDealt,
    RowTaken,
    SprinklesScored,
    StartSeatDrawn,
    TurnStarted,
    UnclaimedDiscarded,
)


def forced(table: Table) -> Event | Chance | None:
    """Give what happens without a choice: setting up, showing a flipped card, whose turn it is, scoring."""
    rule = FORCED.get(table.phase)
    return rule(table) if rule else None


def legal(table: Table) -> Sequence[Move]:
    """Give what the seat whose turn it is may choose: exactly one action, and no passing (YW-27, YW-45)."""
    if table.phase == "act":
        return actions(table)
    if table.phase == "flip_again":
        return flipping(table)
    return ()


# --- setup -----------------------------------------------------------------------------------------------------------


def start_seat_drawn(table: Table) -> Chance:
    """Any seat may start the first round; that is drawn before the shuffle (YW-07, G-03)."""
    return pick([(StartSeatDrawn(seat), 1) for seat in range(table.seats)])


def deck_shuffled(table: Table) -> Chance:
    """All guests are shuffled into the deck, once for the whole game (YW-05)."""
    return shuffle(table.sheet.deck, DeckShuffled, lambda event: event.cards)


# --- starting a round ------------------------------------------------------------------------------------------------


def round_started(table: Table) -> RoundStarted:
    """The next round."""
    return RoundStarted(round=table.round + 1)


def rows_dealt(table: Table) -> RowsDealt:
    """Rows as long as the number of seats asks for, dealt face down one after the other (YW-06, G-03)."""
    length = for_seats(table, table.sheet.row_length)
    return RowsDealt(rows=tuple([table.deck[length * row : length * (row + 1)] for row in range(table.sheet.rows)]))


def first_cards_flipped(table: Table) -> FirstCardsFlipped:
    """The two left-most cards of each row (YW-08)."""
    return FirstCardsFlipped(rows=tuple([row[: table.sheet.face_up] for row in table.face_down]))


def first_turn(table: Table) -> TurnStarted:
    """The start player, drawn or by the last invitation of the round before (YW-07, YW-30)."""
    return TurnStarted(seat=table.starter, turn=table.turn + 1)


# --- a turn ----------------------------------------------------------------------------------------------------------


def next_turn(table: Table) -> TurnStarted:
    """Clockwise (YW-31), past seats that are out of the round (YW-28); the last one left goes on alone (YW-29)."""
    seat = (table.seat + 1) % table.seats
    while not table.invitations[seat]:
        seat = (seat + 1) % table.seats
    return TurnStarted(seat=seat, turn=table.turn + 1)


def actions(table: Table) -> list[Move]:
    """One of the three actions. One is always possible (YW-18)."""
    return [*flipping(table), *inviting(table), *pickling(table)]


def flipping(table: Table) -> list[FlipChosen]:
    """1. Flip the next card of any row that has a face-down one (YW-09, YW-10, YW-14)."""
    moves: list[FlipChosen] = []
    for row, cards in enumerate(table.face_down):
        if cards:
            moves.append(FlipChosen(table.seat, row))
    return moves


def inviting(table: Table) -> list[RowTaken] | list[InvitationWasted]:
    """2. Use an invitation for all face-up cards of a row that has some, be it one or nine (YW-15, YW-16, YW-46).

    Only when no card is left in any row, an invitation is used for nothing (YW-17). Pickles come along (YW-24), and
    nothing is flipped to replace what was taken (YW-19). Empty places have no meaning (YW-20).
    """
    moves: list[RowTaken] = []
    for row, cards in enumerate(table.face_up):
        if cards:
            moves.append(RowTaken(table.seat, row, cards))
    return moves if moves or any(table.face_down) else [InvitationWasted(table.seat)]


def pickling(table: Table) -> list[PickleUsed]:
    """3. Give a Pickle, of whichever round (YW-23), for any one face-up card that is no Pickle (YW-22, YW-26)."""
    seat = table.seat
    if "pauly_pickle" not in table.collected[seat]:
        return []
    return [
        PickleUsed(seat, row, position, kind)
        for row, cards in enumerate(table.face_up)
        for position, kind in enumerate(cards)
        if kind != "pauly_pickle"
    ]


def only_action(table: Table) -> Move | None:
    """What lies on the table is open to all: where it leaves one action, that one happens (G-01, YW-16, YW-17)."""
    if table.face_up.count(()) + table.face_down.count(()) < 2 * table.sheet.rows - 1:
        return None  # two things to take or to flip, or more: at a glance
    only, *others = actions(table)
    return None if others else only


def only_flip(table: Table) -> FlipChosen | None:
    """Likewise for the second of two flips, which may not be left out (YW-12)."""
    only, *others = flipping(table)
    return None if others else only


def card_flipped(table: Table) -> CardFlipped:
    """The left-most face-down card of the chosen row, seen by all before anything else is chosen (YW-09, YW-13)."""
    return CardFlipped(seat=table.seat, row=table.row, kind=table.face_down[table.row][0])


# --- the end of a round ----------------------------------------------------------------------------------------------


def unclaimed_discarded(table: Table) -> UnclaimedDiscarded:
    """Cards left in the rows are out of the game, face-down ones unseen (YW-42)."""
    return UnclaimedDiscarded(
        face_up=tuple([card for row in table.face_up for card in row]),
        face_down=tuple([card for row in table.face_down for card in row]),
    )


def round_scored(table: Table) -> RoundScored:
    """Each round by itself, never across rounds (YW-32)."""
    return RoundScored(points=tuple([round_points(table.sheet, cards) for cards in table.collected]))


# --- the end of the game ---------------------------------------------------------------------------------------------


def sprinkles_scored(table: Table) -> SprinklesScored:
    """After the last round, whatever is left of the deck (YW-42)."""
    counts = sprinkles(table)
    return SprinklesScored(counts=counts, points=sprinkles_points(table.sheet, counts))


def game_ended(table: Table) -> GameEnded:
    """Most points win, below zero too (YW-39); then more Sprinkles, at every place; else it is shared (YW-40, G-04)."""
    scores = totals(table)
    return GameEnded(
        reason="rounds_played",
        scores=scores,
        ranking=by_score(list(zip(scores, sprinkles(table), strict=True))),
    )


def sprinkles(table: Table) -> tuple[int, ...]:
    """Give how many Sprinkles each seat has collected so far."""
    return tuple([cards.count("sprinkles") for cards in table.collected])


FORCED: Mapping[Phase, Callable[[Table], Event | Chance | None]] = {
    "start_seat": start_seat_drawn,
    "shuffle": deck_shuffled,
    "round": round_started,
    "deal": rows_dealt,
    "open": first_cards_flipped,
    "first_turn": first_turn,
    "turn": next_turn,
    "act": only_action,
    "show": card_flipped,
    "flip_again": only_flip,
    "clear": unclaimed_discarded,
    "score": round_scored,
    "sprinkles": sprinkles_scored,
    "rank": game_ended,
}
"""What the rules do in each phase; None where a seat must choose."""
