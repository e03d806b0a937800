"""What each event of Trash Pandas changes. Nothing is checked here: `rules` says what may happen."""

from __future__ import annotations

from msgspec.structs import replace

from core.game import Outcome
from core.games.trash_pandas.state import Table, Theft, most_tokens, pending, playable
from core.reducer import Reducer, put
from events import trash_pandas as happened
from events.base import GameStarted, Move
from events.trash_pandas import Card, Cards, FaceDown, Token

reducer = Reducer[Table]()
evolve = reducer.evolve


@reducer.on(GameStarted)
def game_started(table: Table, event: GameStarted[happened.TrashPandasOptions]) -> Table:
    """The tokens lie in the middle; nothing is dealt yet."""
    nothing: tuple[Cards, ...] = ((),) * event.seats
    return replace(
        table,
        phase="shuffle",
        seats=event.seats,
        options=event.options,
        hands=nothing,
        stashes=nothing,
        face_up=nothing,
        gained=(0,) * len(table.sheet.kinds),
        asked=(False,) * event.seats,
    )


@reducer.on(happened.DeckShuffled)
def deck_shuffled(table: Table, event: happened.DeckShuffled) -> Table:
    """The cards become the deck."""
    return replace(table, phase="deal", pile=event.cards)


@reducer.on(happened.HandsDealt)
def hands_dealt(table: Table, event: happened.HandsDealt) -> Table:
    """Hands come off the deck; the rest is the trash can."""
    dealt = sum([len(hand) for hand in event.hands])
    return replace(table, phase="turn_over", hands=event.hands, pile=table.pile[dealt:])


@reducer.on(happened.TurnStarted)
def turn_started(table: Table, event: happened.TurnStarted) -> Table:
    """A seat has the die."""
    nothing_gained = (0,) * len(table.sheet.kinds)
    return replace(
        table, phase="roll", seat=event.seat, turn=event.turn, bonus="no", rolled=None, gained=nothing_gained
    )


@reducer.on(happened.BonusTurnStarted)
def bonus_turn_started(table: Table, event: happened.BonusTurnStarted) -> Table:
    """The same seat has the die again; what it gained before counts as its own from now on (TP-22)."""
    return replace(table, phase="roll", bonus="running", rolled=None, gained=(0,) * len(table.sheet.kinds))


# --- rolling ---------------------------------------------------------------------------------------------------------


@reducer.on(happened.DieThrown)
def die_thrown(table: Table, event: happened.DieThrown) -> Table:
    """The die is in the air."""
    return replace(table, phase="thrown")


@reducer.on(happened.DieRolled)
def die_rolled(table: Table, event: happened.DieRolled) -> Table:
    """A token is taken, or the seat is about to bust.

    The sixth, or the third in a bonus turn, ends rolling: no Blammo!, no Yum Yum, no bust (TP-11, TP-18, TP-24).
    """
    if event.token in table.taken:
        return replace(table, phase="bust", rolled=event.token)
    taken = (*table.taken, event.token)
    if len(taken) < most_tokens(table):
        return replace(table, phase="rolled", rolled=event.token, taken=taken)
    bonus = "earned" if table.bonus == "no" else table.bonus
    return replace(table, phase="resolve", rolled=event.token, taken=taken, bonus=bonus)


@reducer.on(happened.RollingStopped)
def rolling_stopped(table: Table, event: happened.RollingStopped) -> Table:
    """Rolling is over, unless somebody has a Yum Yum to play (TP-27)."""
    return _stopped(table)


@reducer.on(happened.NannersPlayed)
def nanners_played(table: Table, event: happened.NannersPlayed) -> Table:
    """The last roll does not count, and the seat has stopped, which a Yum Yum may answer (TP-13, TP-14)."""
    return _stopped(replace(_spent(table, event.seat, "Nanners"), taken=_taken_before(table)))


@reducer.on(happened.BlammoPlayed)
def blammo_played(table: Table, event: happened.BlammoPlayed) -> Table:
    """The last roll does not count, and the seat is to roll (TP-08)."""
    return replace(_spent(table, event.seat, "Blammo!"), phase="roll", taken=_taken_before(table))


@reducer.on(happened.BustAccepted)
def bust_accepted(table: Table, event: happened.BustAccepted) -> Table:
    """The tokens go back; one card is drawn if there is one, in a bonus turn too (TP-16, TP-17, TP-21)."""
    return _over(replace(table, drawer=event.seat, due=min(1, len(table.pile))))


@reducer.on(happened.YumYumPlayed)
def yum_yum_played(table: Table, event: happened.YumYumPlayed) -> Table:
    """The active seat is to roll; nobody else is asked (TP-28, TP-29).

    It is a roll like any other: it may be Blammo!ed, bust, or bring the sixth token (TP-30, TP-31).
    """
    return replace(_spent(table, event.seat, "Yum Yum"), phase="roll", asked=(False,) * table.seats)


# --- resolving tokens ------------------------------------------------------------------------------------------------


@reducer.on(happened.TokenChosen)
def token_chosen(table: Table, event: happened.TokenChosen) -> Table:
    """A token goes back to the middle and is carried out."""
    return _chosen(table, event.token)


@reducer.on(happened.TokenSkipped)
def token_skipped(table: Table, event: happened.TokenSkipped) -> Table:
    """A token goes back to the middle."""
    resolved = (*table.resolved, event.token)
    return replace(table, resolved=resolved, resolving=None, revealed=None)


@reducer.on(happened.PiePlayed)
def pie_played(table: Table, event: happened.PiePlayed) -> Table:
    """The token is carried out again; one that still lies in front of the seat is chosen, to be carried out twice."""
    spent = _spent(table, event.seat, "MMM Pie!")
    if event.token in pending(table):
        return replace(_chosen(spent, event.token), pied=True, again=True)
    return replace(spent, phase=event.token, pied=True, revealed=None)


@reducer.on(happened.TokenRepeated)
def token_repeated(table: Table, event: happened.TokenRepeated) -> Table:
    """The token is carried out for the second time."""
    return replace(table, phase=event.token, again=False, revealed=None)


@reducer.on(happened.NoEffect)
def no_effect(table: Table, event: happened.NoEffect) -> Table:
    """Nothing is left to do for the token."""
    return replace(table, phase="resolve")


@reducer.on(happened.DrawChosen)
def draw_chosen(table: Table, event: happened.DrawChosen) -> Table:
    """Cards are about to be drawn. One at a time, the seat is asked again after the first of a bin (TP-59)."""
    asked_again = table.options.draw_one_at_a_time and table.phase == "bin" and event.count > 0
    return replace(table, phase="second_draw" if asked_again else "resolve", drawer=event.seat, due=event.count)


@reducer.on(happened.CardsDrawn)
def cards_drawn(table: Table, event: happened.CardsDrawn) -> Table:
    """Cards go from the trash can to a hand."""
    return replace(_given(table, event.seat, event.cards), pile=table.pile[len(event.cards) :], due=0)


@reducer.on(happened.CardsStashed)
def cards_stashed(table: Table, event: happened.CardsStashed) -> Table:
    """Cards go from the hand into the stash, those gained this turn first (TP-36)."""
    for card in event.cards:
        table = _lost(table, event.seat, card, gained=True)
    stash = table.stashes[event.seat] + event.cards
    return replace(table, phase="resolve", stashes=put(table.stashes, event.seat, stash))


@reducer.on(happened.CardRevealed)
def card_revealed(table: Table, event: happened.CardRevealed) -> Table:
    """A card goes from the trash can to the hand for all to see; rivals with one like it may stash theirs (TP-63)."""
    asked = tuple([seat != event.seat and event.card in hand for seat, hand in enumerate(table.hands)])
    shown = _given(table, event.seat, (event.card,))
    return replace(shown, phase="resolve", pile=table.pile[1:], revealed=event.card, asked=asked)


@reducer.on(happened.MatchStashed)
def match_stashed(table: Table, event: happened.MatchStashed) -> Table:
    """A card goes from a rival's hand face up into its stash; the active seat draws one for it in the end."""
    seat = event.seat
    return replace(
        _lost(table, seat, event.card, gained=False),
        face_up=put(table.face_up, seat, (*table.face_up[seat], event.card)),
        asked=put(table.asked, seat, False),
        drawer=table.seat,
        due=min(table.due + 1, len(table.pile)),
    )


@reducer.on(happened.TokenExchanged)
def token_exchanged(table: Table, event: happened.TokenExchanged) -> Table:
    """A token from the middle joins those still to be resolved (TP-67)."""
    return replace(table, phase="resolve", taken=(*table.taken, event.token))


@reducer.on(happened.TurnEnded)
def turn_ended(table: Table, event: happened.TurnEnded) -> Table:
    """The die is put down."""
    return _over(table)


# --- cards of one's own turn, and theft ------------------------------------------------------------------------------


@reducer.on(happened.FeeshPlayed)
def feesh_played(table: Table, event: happened.FeeshPlayed) -> Table:
    """A card goes from the discard pile to the hand."""
    left = _without(table.discard, event.card)
    return _spent(_given(replace(table, discard=left), event.seat, (event.card,)), event.seat, "Feesh")


@reducer.on(happened.ShinyPlayed)
def shiny_played(table: Table, event: happened.ShinyPlayed) -> Table:
    """A theft from a stash begins."""
    return _theft(_spent(table, event.seat, "Shiny"), event.seat, event.victim, event.card)


@reducer.on(happened.HandTargeted)
def hand_targeted(table: Table, event: happened.HandTargeted) -> Table:
    """A theft from a hand begins."""
    return _theft(replace(table, phase="resolve"), event.seat, event.victim, None)


@reducer.on(happened.DoggoPlayed)
def doggo_played(table: Table, event: happened.DoggoPlayed) -> Table:
    """The theft is off; two cards are about to be drawn, or what is left, whatever the theft was (TP-47, TP-55)."""
    due = min(2, len(table.pile)) if event.draws else 0
    spent = _spent(table, event.seat, "Doggo")
    return replace(spent, theft=None, asked=(False,) * table.seats, drawer=event.seat, due=due)


@reducer.on(happened.KittehPlayed)
def kitteh_played(table: Table, event: happened.KittehPlayed) -> Table:
    """The theft goes the other way, in the same zone (TP-51); with nothing to take there it is off (TP-52)."""
    spent = _spent(table, event.seat, "Kitteh")
    if table.theft is None:  # never on a lawful stream
        return spent
    thief, from_hand = table.theft.thief, table.theft.card is None
    if not table.hands[thief] if from_hand else event.card is None:
        return replace(spent, theft=None, asked=(False,) * table.seats)
    return _theft(spent, event.seat, thief, event.card)


def kept(table: Table, event: Move) -> Table:
    """A seat has answered by doing nothing."""
    return replace(table, asked=put(table.asked, event.seat, False))


for nothing_done in (happened.YumYumKept, happened.MatchKept, happened.TheftSuffered):
    reducer.on(nothing_done)(kept)


@reducer.on(happened.CardStolen)
def card_stolen(table: Table, event: happened.CardStolen) -> Table:
    """A card goes from a hand or a face-down stash to the thief's hand."""
    victim, card = event.victim, event.card
    if table.theft is not None and table.theft.card is None:
        left = _lost(table, victim, card, gained=event.gained)
    else:
        left = replace(table, stashes=put(table.stashes, victim, _without(table.stashes[victim], card)))
    return replace(_given(left, event.seat, (card,)), theft=None)


@reducer.on(happened.FaceUpCardStolen)
def face_up_card_stolen(table: Table, event: happened.FaceUpCardStolen) -> Table:
    """A card goes from an open stash to the thief's hand."""
    victim, card = event.victim, event.card
    left = replace(table, face_up=put(table.face_up, victim, _without(table.face_up[victim], card)))
    return replace(_given(left, event.seat, (card,)), theft=None)


# --- the end ---------------------------------------------------------------------------------------------------------


@reducer.on(happened.HandsDiscarded)
def hands_discarded(table: Table, event: happened.HandsDiscarded) -> Table:
    """The hands go to the discard pile."""
    discard = table.discard
    for hand in event.hands:
        discard = hand + discard
    return replace(table, phase="turn_up", hands=((),) * table.seats, discard=discard, gained=(0,) * len(table.gained))


@reducer.on(happened.StashesRevealed)
def stashes_revealed(table: Table, event: happened.StashesRevealed) -> Table:
    """All stashed cards lie face up."""
    face_up = tuple([shown + turned for shown, turned in zip(table.face_up, event.stashes, strict=True)])
    return replace(table, phase="score", stashes=((),) * table.seats, face_up=face_up)


@reducer.on(happened.GameEnded)
def game_ended(table: Table, event: happened.GameEnded) -> Table:
    """The game is over."""
    return replace(table, phase="over", outcome=Outcome(event.reason, event.scores, event.ranking))


# --- cards on their way ----------------------------------------------------------------------------------------------


def _without(cards: Cards, card: Card) -> Cards:
    at = cards.index(card)
    return cards[:at] + cards[at + 1 :]


def _given(table: Table, seat: int, cards: Cards) -> Table:
    """Cards join a hand; the active seat has gained them this turn, wherever they come from (TP-53)."""
    hands = put(table.hands, seat, table.hands[seat] + cards)
    if seat != table.seat:
        return replace(table, hands=hands)
    gained = list(table.gained)
    for card in cards:
        gained[table.sheet.kinds.index(card)] += 1
    return replace(table, hands=hands, gained=tuple(gained))


def _lost(table: Table, seat: int, card: Card, *, gained: bool) -> Table:
    """A card leaves a hand: a copy gained this turn if `gained` and there is one, else another."""
    hands = put(table.hands, seat, _without(table.hands[seat], card))
    index = table.sheet.kinds.index(card)
    if seat != table.seat or not gained or not table.gained[index]:
        return replace(table, hands=hands)
    return replace(table, hands=hands, gained=put(table.gained, index, table.gained[index] - 1))


def _spent(table: Table, seat: int, card: Card) -> Table:
    """A card is played from a hand to the discard pile: a copy gained this turn first, while those may be played."""
    fresh = not table.resolved and card != "MMM Pie!"
    return replace(_lost(table, seat, card, gained=fresh), discard=(card, *table.discard))


# --- steps that several events share ---------------------------------------------------------------------------------


def _taken_before(table: Table) -> tuple[Token, ...]:
    """The tokens without the last roll: what it took is free again, a duplicate took nothing (TP-19)."""
    return table.taken if table.phase == "bust" else table.taken[:-1]


def _stopped(table: Table) -> Table:
    """The seat has decided to stop: whoever else holds a Yum Yum now is asked, once (TP-25, TP-28, TP-32)."""
    asked = tuple(["Yum Yum" in hand for hand in table.hands])
    return replace(table, phase="resolve", asked=put(asked, table.seat, False))


def _chosen(table: Table, token: Token) -> Table:
    resolved = (*table.resolved, token)
    return replace(table, phase=token, resolved=resolved, resolving=token, pied=False, again=False, revealed=None)


def _theft(table: Table, thief: int, victim: int, card: Card | FaceDown | None) -> Table:
    """A theft waits for the victim's answer, if it has one (TP-46)."""
    can_answer = playable(table, victim, "Doggo") or playable(table, victim, "Kitteh")
    asked = put((False,) * table.seats, victim, can_answer)
    return replace(table, theft=Theft(thief, victim, card), asked=asked)


def _over(table: Table) -> Table:
    """The turn is over: all tokens lie in the middle."""
    return replace(table, phase="turn_over", taken=(), resolved=(), resolving=None, pied=False, revealed=None)
