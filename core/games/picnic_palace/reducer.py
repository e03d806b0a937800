"""What each event of Picnic Palace changes. Nothing is checked here: `rules` says what may happen."""

from __future__ import annotations

from msgspec.structs import replace

from core.game import Outcome
from core.games.picnic_palace.state import KEPT, Table, for_seats
from core.reducer import Reducer, put
from events import picnic_palace as happened
from events.base import GameStarted, Options
from events.picnic_palace import Cards

reducer = Reducer[Table]()
evolve = reducer.evolve


@reducer.on(GameStarted)
def game_started(table: Table, event: GameStarted[Options]) -> Table:
    """Every seat has its place, and nothing on it."""
    nobody = (0,) * event.seats
    nothing: tuple[Cards, ...] = ((),) * event.seats
    return replace(table, phase="start_seat", seats=event.seats, invitations=nobody, collected=nothing)


@reducer.on(happened.StartSeatDrawn)
def start_seat_drawn(table: Table, event: happened.StartSeatDrawn) -> Table:
    """Somebody starts."""
    return replace(table, phase="shuffle", starter=event.seat)


@reducer.on(happened.DeckShuffled)
def deck_shuffled(table: Table, event: happened.DeckShuffled) -> Table:
    """The guests become the deck."""
    return replace(table, phase="round", deck=event.cards)


@reducer.on(happened.RoundStarted)
def round_started(table: Table, event: happened.RoundStarted) -> Table:
    """All invitations are turned to the unused side (YW-44)."""
    full = (for_seats(table, table.sheet.invitations),) * table.seats
    return replace(table, phase="deal", round=event.round, invitations=full)


@reducer.on(happened.RowsDealt)
def rows_dealt(table: Table, event: happened.RowsDealt) -> Table:
    """The rows come off the deck."""
    dealt = sum([len(row) for row in event.rows])
    nothing: tuple[Cards, ...] = ((),) * len(event.rows)
    return replace(table, phase="open", deck=table.deck[dealt:], face_up=nothing, face_down=event.rows)


@reducer.on(happened.FirstCardsFlipped)
def first_cards_flipped(table: Table, event: happened.FirstCardsFlipped) -> Table:
    """The first cards of each row lie face up."""
    left = tuple([row[len(shown) :] for row, shown in zip(table.face_down, event.rows, strict=True)])
    return replace(table, phase="first_turn", face_up=event.rows, face_down=left)


@reducer.on(happened.TurnStarted)
def turn_started(table: Table, event: happened.TurnStarted) -> Table:
    """A seat is to act."""
    flips = for_seats(table, table.sheet.flips)
    return replace(table, phase="act", seat=event.seat, turn=event.turn, flips=flips)


@reducer.on(happened.FlipChosen)
def flip_chosen(table: Table, event: happened.FlipChosen) -> Table:
    """A card of the row is about to be seen."""
    return replace(table, phase="show", row=event.row)


@reducer.on(happened.CardFlipped)
def card_flipped(table: Table, event: happened.CardFlipped) -> Table:
    """The row shows one card more. Of two flips a turn the second follows if there is a card for it (YW-11, YW-12)."""
    row = event.row
    face_down = put(table.face_down, row, table.face_down[row][1:])
    flips = table.flips - 1
    return replace(
        table,
        phase="flip_again" if flips and any(face_down) else "turn",
        row=-1,
        flips=flips,
        face_up=put(table.face_up, row, (*table.face_up[row], event.kind)),
        face_down=face_down,
    )


@reducer.on(happened.RowTaken)
def row_taken(table: Table, event: happened.RowTaken) -> Table:
    """An invitation for all face-up cards of a row."""
    return replace(
        _invitation_used(table, event.seat),
        face_up=put(table.face_up, event.row, ()),
        collected=put(table.collected, event.seat, table.collected[event.seat] + event.cards),
    )


@reducer.on(happened.InvitationWasted)
def invitation_wasted(table: Table, event: happened.InvitationWasted) -> Table:
    """An invitation for nothing."""
    return _invitation_used(table, event.seat)


@reducer.on(happened.PickleUsed)
def pickle_used(table: Table, event: happened.PickleUsed) -> Table:
    """A Pickle for one card; the cards left of it close the gap (YW-21), the Pickle leaves the game (YW-25)."""
    row, at, seat = table.face_up[event.row], event.position, event.seat
    mine = list(table.collected[seat])
    mine.remove("pauly_pickle")
    return replace(
        table,
        phase="turn",
        face_up=put(table.face_up, event.row, row[:at] + row[at + 1 :]),
        collected=put(table.collected, seat, (*mine, event.kind)),
        discarded=(*table.discarded, "pauly_pickle"),
    )


@reducer.on(happened.UnclaimedDiscarded)
def unclaimed_discarded(table: Table, event: happened.UnclaimedDiscarded) -> Table:
    """The rows are swept off the table."""
    return replace(
        table,
        phase="score",
        face_up=((),) * len(table.face_up),
        face_down=((),) * len(table.face_down),
        discarded=table.discarded + event.face_up,
        unseen=table.unseen + event.face_down,
    )


@reducer.on(happened.RoundScored)
def round_scored(table: Table, event: happened.RoundScored) -> Table:
    """Scored cards leave the game, Sprinkles and Pickles stay (YW-05, YW-23)."""
    points = (*table.points, event.points)
    return replace(
        table,
        phase="round" if len(points) < table.sheet.rounds else "sprinkles",
        collected=tuple([tuple([card for card in cards if card in KEPT]) for cards in table.collected]),
        discarded=table.discarded + tuple([card for cards in table.collected for card in cards if card not in KEPT]),
        points=points,
    )


@reducer.on(happened.SprinklesScored)
def sprinkles_scored(table: Table, event: happened.SprinklesScored) -> Table:
    """The last points of the game."""
    return replace(table, phase="rank", sprinkles_points=event.points)


@reducer.on(happened.GameEnded)
def game_ended(table: Table, event: happened.GameEnded) -> Table:
    """The game is over."""
    return replace(table, phase="over", outcome=Outcome(event.reason, event.scores, event.ranking))


def _invitation_used(table: Table, seat: int) -> Table:
    """One invitation fewer. The last one of all ends the round, and its owner starts the next (YW-30)."""
    invitations = put(table.invitations, seat, table.invitations[seat] - 1)
    if any(invitations):
        return replace(table, phase="turn", invitations=invitations)
    return replace(table, phase="clear", invitations=invitations, starter=seat)
