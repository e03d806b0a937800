"""The checks that every game must pass: a sound toy passes them all, and each is shown a toy that it catches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Annotated, Any, ClassVar, Literal

import pytest
from msgspec import Struct
from msgspec.structs import replace

from core.chance import Chance, pick, shuffle
from core.conformance import (
    Broken,
    check_ending,
    check_game,
    check_lawfulness,
    random_game,
    seat_counts,
    state_digests,
)
from core.game import Game, Outcome
from core.reducer import put
from events import base
from events.base import Event, Move
from events.errors import UnlawfulEvent
from events.marks import HIDDEN, OWN_SEAT
from tests.toy import (
    CardDrawn,
    CardsShown,
    GameEnded,
    Hand,
    Heap,
    HiddenStones,
    StonesEvent,
    StonesOptions,
    StonesTaken,
    forced,
    toy,
)


@pytest.mark.parametrize("options", [None, StonesOptions(double=True)])
def test_a_fifth_game_passes_every_check(options: StonesOptions | None) -> None:
    assert seat_counts(toy()) == [2, 3, 4]
    assert check_game(toy(), 3, options) == 9


class Declined(Move, frozen=True, tag="declined"):
    """A seat keeps still for the round: nobody else learns that it was asked."""

    seen_by: ClassVar[tuple[str, ...]] = ("seat",)


class SecretHeap(Heap, frozen=True):
    """A seat knows of itself whether it has declined."""

    declined: Annotated[tuple[bool, ...], OWN_SEAT] = ()


class SecretQuestions(HiddenStones):
    """Before a turn, who has a card of worth three may take a stone, or decline in secret for the round."""

    union = StonesEvent | Declined

    def initial(self) -> Heap:
        return SecretHeap(sheet=self.sheet)

    def forced(self, state: Heap) -> Event | Chance | None:
        return None if asked(state) else forced(state)

    def legal(self, state: Heap) -> Sequence[Move]:
        for seat in asked(state):
            return [Declined(seat), StonesTaken(seat, 1)]
        return HiddenStones.legal(state)

    def evolve(self, state: Any, event: Event) -> Any:
        if isinstance(event, Declined):
            return replace(state, declined=put(state.declined, event.seat, True))
        after = HiddenStones.evolve(state, event)
        return replace(after, declined=(False,) * len(after.scores)) if isinstance(event, base.RoundStarted) else after


def asked(state: Any) -> list[int]:
    """Give the seats that are asked in secret, the first of them now."""
    able = [seat for seat, hand in enumerate(state.hands) if hand == ("three",) and not state.declined[seat]]
    return able if state.phase == "turn" else []


class DeckShuffled(Event, frozen=True, tag="deck_shuffled"):
    """The cards are shuffled; nobody looks at them."""

    cards: Annotated[Hand, HIDDEN]


class Deck(Heap, frozen=True):
    """The cards lie face down, the next one last."""

    deck: Annotated[Hand, HIDDEN] = ()


class ShuffledDeck(HiddenStones):
    """The cards are drawn from a deck."""

    union = StonesEvent | DeckShuffled

    def initial(self) -> Heap:
        return Deck(sheet=self.sheet)

    def forced(self, state: Any) -> Event | Chance | None:
        due = forced(state)
        if state.phase != "draw" or not isinstance(due, Chance):
            return due
        if state.deck:
            return CardDrawn(sum([1 for hand in state.hands if hand]), state.deck[-1])
        return shuffle(("one", "one", "one", "two", "two", "three"), DeckShuffled, lambda event: event.cards)

    def evolve(self, state: Any, event: Event) -> Any:
        if isinstance(event, DeckShuffled):
            return replace(state, deck=event.cards)
        after = HiddenStones.evolve(state, event)
        return replace(after, deck=state.deck[:-1]) if isinstance(event, CardDrawn) else after


@pytest.mark.parametrize("kind", [SecretQuestions, ShuffledDeck])
def test_games_of_secret_questions_and_of_a_shuffled_deck_pass_every_check(kind: type[HiddenStones]) -> None:
    assert check_game(toy(kind), 2) == 6


def test_a_random_game_is_the_same_for_the_same_seed() -> None:
    assert random_game(toy(), 3, "a") == random_game(toy(), 3, "a") != random_game(toy(), 3, "b")


# --- games that break a promise, one each ----------------------------------------------------------------------------


class OpenHeap(Heap, frozen=True):
    """The mark of the hands is forgotten."""

    hands: tuple[Hand, ...] = ()


class StateMarkMissing(HiddenStones):
    """Everybody sees every hand in the state, but not in the event."""

    def initial(self) -> Heap:
        return OpenHeap(sheet=self.sheet)


class CardDrawnOpenly(Event, frozen=True, tag="card_drawn"):
    """The mark of the card is forgotten."""

    seat: int
    card: Literal["one", "two", "three"]


class EventMarkMissing(HiddenStones):
    """Everybody sees the card in the event, but not in the state."""

    union = (
        base.GameStarted[StonesOptions]
        | base.RoundStarted
        | CardDrawnOpenly
        | base.TurnStarted
        | StonesTaken
        | CardsShown
        | GameEnded
    )

    def forced(self, state: Heap) -> Event | Chance | None:
        due = forced(state)
        if state.phase != "draw" or not isinstance(due, Chance):
            return due
        return pick([(CardDrawnOpenly(e.seat, e.card), n) for e, n in due.odds if isinstance(e, CardDrawn)])

    def evolve(self, state: Heap, event: Event) -> Heap:
        closed = CardDrawn(event.seat, event.card) if isinstance(event, CardDrawnOpenly) else event
        return HiddenStones.evolve(state, closed)


class CardNoted(Event, frozen=True, tag="card_noted"):
    """A consequence that tells what the state hides."""

    cards: tuple[Hand, ...]


class ConsequenceTells(HiddenStones):
    """Before the first turn the cards are said aloud, and the game does not say that this may be remembered."""

    union = StonesEvent | CardNoted

    def forced(self, state: Heap) -> Event | Chance | None:
        if state.phase == "turn" and sum(state.taken) == 0 and state.turn % 100 == 0:
            return CardNoted(state.hands)
        return forced(replace(state, turn=state.turn % 100))

    def evolve(self, state: Heap, event: Event) -> Heap:
        return replace(state, turn=1) if isinstance(event, CardNoted) else HiddenStones.evolve(state, event)


class SkipsPointlessQuestion(HiddenStones):
    """Who has a card of worth one is not asked: it takes as many as it may, and everybody can tell its card."""

    def forced(self, state: Heap) -> Event | Chance | None:
        if state.phase == "take" and state.hands[state.seat] == ("one",):
            return self.legal(state)[-1]
        return forced(state)


class CardDrawnUnseen(Event, frozen=True, tag="card_drawn"):
    """Nobody sees the card, its owner neither."""

    seat: int
    card: Annotated[Literal["one", "two", "three"], HIDDEN]


class BlindHeap(Heap, frozen=True):
    """Nobody sees a hand."""

    hands: Annotated[tuple[Hand, ...], HIDDEN] = ()


class MovesTell(HiddenStones):
    """A seat does not know its own card, but what it may do depends on it."""

    union = (
        base.GameStarted[StonesOptions]
        | base.RoundStarted
        | CardDrawnUnseen
        | base.TurnStarted
        | StonesTaken
        | CardsShown
        | GameEnded
    )
    legal_by_card: ClassVar[Mapping[str, int]] = {"one": 1, "two": 2, "three": 3}

    def initial(self) -> Heap:
        return BlindHeap(sheet=self.sheet)

    def forced(self, state: Heap) -> Event | Chance | None:
        due = forced(state)
        if state.phase != "draw" or not isinstance(due, Chance):
            return due
        return pick([(CardDrawnUnseen(e.seat, e.card), n) for e, n in due.odds if isinstance(e, CardDrawn)])

    def evolve(self, state: Heap, event: Event) -> Heap:
        return HiddenStones.evolve(
            state, CardDrawn(event.seat, event.card) if isinstance(event, CardDrawnUnseen) else event
        )

    def legal(self, state: Heap) -> Sequence[Move]:
        most = self.legal_by_card[state.hands[state.seat][0]] if state.phase == "take" else 0
        return HiddenStones.legal(state)[:most]


class ListHeap(Heap, frozen=True):
    """A state with something that can be changed."""

    diary: Any = None


class MutableState(HiddenStones):
    """The state holds a list."""

    def initial(self) -> Heap:
        return ListHeap(sheet=self.sheet, diary=[])


class SetState(HiddenStones):
    """The state holds a set, which has no order of its own."""

    def initial(self) -> Heap:
        return ListHeap(sheet=self.sheet, diary=frozenset(["a", "b"]))


class Purse(Struct):
    """Not frozen."""

    coins: int = 0


class MutableInside(HiddenStones):
    """The state holds a struct that is not frozen."""

    def initial(self) -> Heap:
        return ListHeap(sheet=self.sheet, diary=(Purse(),))


class StoneVanishes(HiddenStones):
    """Who takes three stones loses one on the way."""

    def evolve(self, state: Heap, event: Event) -> Heap:
        after = HiddenStones.evolve(state, event)
        if isinstance(event, StonesTaken) and event.count == 3:
            return replace(after, taken=tuple([max(0, taken - 1) for taken in after.taken]))
        return after


class DoubleMove(HiddenStones):
    """A move is listed twice."""

    def legal(self, state: Heap) -> Sequence[Move]:
        moves = list(HiddenStones.legal(state))
        return moves + moves[:1]


class StrangersMove(HiddenStones):
    """A move is that of a seat which does not play."""

    def legal(self, state: Heap) -> Sequence[Move]:
        stranger = StonesTaken(len(state.scores), 1)
        return [*HiddenStones.legal(state), *[stranger for _ in range(state.phase == "take")]]

    def evolve(self, state: Heap, event: Event) -> Heap:
        own = StonesTaken(state.seat, event.count) if isinstance(event, StonesTaken) else event
        return HiddenStones.evolve(state, own)


class MixedMoves(HiddenStones):
    """The moves of a seat stand before and behind those of another."""

    def legal(self, state: Heap) -> Sequence[Move]:
        moves = list(HiddenStones.legal(state))
        other = StonesTaken((state.seat + 1) % len(state.scores), 1)
        return [*moves[:1], *[other for _ in moves[1:2]], *moves[1:]]

    def evolve(self, state: Heap, event: Event) -> Heap:
        own = StonesTaken(state.seat, event.count) if isinstance(event, StonesTaken) else event
        return HiddenStones.evolve(state, own)


class NeverEnds(HiddenStones):
    """Taking nothing is all one can do."""

    def legal(self, state: Heap) -> Sequence[Move]:
        return [StonesTaken(state.seat, 0)] if state.phase == "take" else ()


class Stuck(HiddenStones):
    """Nobody may do anything, and the game is not over."""

    def legal(self, state: Heap) -> Sequence[Move]:
        return () if state.round == 2 else HiddenStones.legal(state)


class ImpureReducer(HiddenStones):
    """Folding the same events again gives another state."""

    calls: ClassVar[Any] = count()

    def evolve(self, state: Heap, event: Event) -> Heap:
        after = HiddenStones.evolve(state, event)
        return replace(after, turn=after.turn + next(self.calls)) if isinstance(event, StonesTaken) else after

    def forced(self, state: Heap) -> Event | Chance | None:
        due = forced(state)
        return replace(due, turn=1) if isinstance(due, base.TurnStarted) else due


class OtherOutcome(HiddenStones):
    """The outcome is not what the last event says."""

    def outcome(self, state: Heap) -> Outcome | None:
        return None if state.outcome is None else replace(state.outcome, scores=(0,) * len(state.scores))


class EarlyOutcome(HiddenStones):
    """There is an outcome while the game goes on."""

    def outcome(self, state: Heap) -> Outcome | None:
        return state.outcome or (Outcome("", state.scores, ()) if state.phase == "end" else None)


class SeatUnranked(HiddenStones):
    """The last seat has no place."""

    def forced(self, state: Heap) -> Event | Chance | None:
        due = forced(state)
        return replace(due, ranking=due.ranking[:-1]) if isinstance(due, GameEnded) else due


class LossyEvent(HiddenStones):
    """An event holds a list where its type says tuple: it is not read back as it was."""

    def forced(self, state: Heap) -> Event | Chance | None:
        due = forced(state)
        shown: Any = list(state.hands)
        return CardsShown(shown) if isinstance(due, CardsShown) else due


class AdmitsAnything(HiddenStones):
    """Chance takes every event for one of its outcomes."""

    def forced(self, state: Heap) -> Event | Chance | None:
        due = forced(state)
        return Chance(due.sample, lambda event: True, due.odds) if isinstance(due, Chance) else due


class DeniesItsOutcome(HiddenStones):
    """Chance does not know its own outcomes."""

    def forced(self, state: Heap) -> Event | Chance | None:
        due = forced(state)
        return Chance(due.sample, lambda event: False, due.odds) if isinstance(due, Chance) else due


class OpenSecretHeap(SecretHeap, frozen=True):
    """The mark of who has declined is forgotten."""

    declined: tuple[bool, ...] = ()


class DecliningShows(SecretQuestions):
    """Everybody sees in the state who has declined, but not in the event."""

    def initial(self) -> Heap:
        return OpenSecretHeap(sheet=self.sheet)


class DeclinedOverheard(Declined, frozen=True, tag="declined"):
    """A neighbour learns of it."""

    seen_by: ClassVar[tuple[str, ...]] = ("seat", "neighbour")

    neighbour: int


class NeighbourOverhears(SecretQuestions):
    """Whom a seat tells that it declines learns what card it has."""

    union = StonesEvent | DeclinedOverheard

    def legal(self, state: Heap) -> Sequence[Move]:
        moves = SecretQuestions.legal(self, state)
        seats = len(state.scores)
        return [
            DeclinedOverheard(move.seat, (move.seat + 1) % seats) if isinstance(move, Declined) else move
            for move in moves
        ]


class DecliningEndsTheRound(SecretQuestions):
    """At the turn of who has declined in secret, all cards are shown."""

    def forced(self, state: Any) -> Event | Chance | None:
        ends = state.phase == "take" and state.declined[state.seat]
        return CardsShown(state.hands) if ends else SecretQuestions.forced(self, state)


class ShuffledQuestion(ShuffledDeck):
    """Who drew a card of worth one is not asked: it takes a stone."""

    def forced(self, state: Any) -> Event | Chance | None:
        skipped = state.phase == "take" and state.hands[state.seat] == ("one",)
        return StonesTaken(state.seat, 1) if skipped else ShuffledDeck.forced(self, state)


BROKEN: list[tuple[type[HiddenStones], str]] = [
    (StateMarkMissing, "step 2: viewer spectator sees in the view what nothing has shown"),
    (EventMarkMissing, "step 2: viewer spectator learns from an outcome of chance what the view hides"),
    (
        ConsequenceTells,
        "step 4: viewer spectator learns from an event what the view hides: "
        """b'{"type":"card_noted","cards":[["one"],["two"]]}'""",
    ),
    (SkipsPointlessQuestion, "step 5: viewer spectator can tell a hidden card by whether a seat is asked"),
    (MovesTell, "step 40: viewer 0 can tell a hidden card by its own legal moves"),
    (MutableState, "step 0: the state holds a list: it can be changed, or is not exact"),
    (SetState, "step 0: the state holds a frozenset: it can be changed, or is not exact"),
    (MutableInside, "step 0: the state holds a Purse: it can be changed, or is not exact"),
    (StoneVanishes, "step 9: components appear or vanish: {'stone': 7} after {'stone': 9}"),
    (DoubleMove, "step 4: a legal move is listed twice"),
    (StrangersMove, "step 4: StonesTaken(seat=2, count=1) is no move of a seat"),
    (MixedMoves, "step 4: the moves of a seat do not stand together"),
    (Stuck, "step 18: nobody may choose, and the game has not ended"),
    (ImpureReducer, "step 7: the fold differs from the live state"),
    (OtherOutcome, "step 43: the outcome is not what game_ended says"),
    (EarlyOutcome, "step 42: an outcome before or after the end"),
    (SeatUnranked, "step 43: the ranking names some seats and not others"),
    (LossyEvent, "step 0: events are not read back as written"),
    (AdmitsAnything, "step 17: an event out of place is accepted"),
    (DeniesItsOutcome, "step 2: a played event is refused: not a possible outcome"),
    (DecliningShows, "step 5: viewer spectator sees a change but not the event"),
    (NeighbourOverhears, "step 33: viewer 1 can tell a hidden card by whether a seat is asked"),
    (DecliningEndsTheRound, "step 19: viewer spectator can tell a hidden card by whether a seat is asked"),
    (ShuffledQuestion, "step 28: viewer spectator can tell a hidden card by whether a seat is asked"),
]


@pytest.mark.parametrize(("kind", "finding"), BROKEN, ids=lambda value: getattr(value, "__name__", ""))
def test_a_broken_game_is_caught_by_the_check_that_should(kind: type[HiddenStones], finding: str) -> None:
    with pytest.raises(Broken) as caught:
        check_game(toy(kind), 8)
    assert str(caught.value) == f"hidden-stones, {finding}"


def test_a_game_without_end_is_given_up() -> None:
    with pytest.raises(UnlawfulEvent, match=r"^Hidden Stones has not ended after 200 events$"):
        check_game(toy(NeverEnds), 8)


class EndsTwice(HiddenStones):
    """After its end the game ends again."""

    def forced(self, state: Heap) -> Event | Chance | None:
        return forced(replace(state, phase="end") if state.phase == "over" else state)


class NeverOver(EndsTwice):
    """And it knows of no outcome."""

    def outcome(self, state: Heap) -> Outcome | None:
        return None


class AsksOn(HiddenStones):
    """After its end somebody may take stones."""

    def legal(self, state: Heap) -> Sequence[Move]:
        return [StonesTaken(0, 1)] if state.phase == "over" else HiddenStones.legal(state)


def test_a_stream_that_does_not_end_as_it_should_is_caught() -> None:
    game, played = toy(), random_game(toy(), 2, "ending")
    end: Any = played[-1]
    last = len(played) - 1
    check_ending(game, [*played[:-1], replace(end, ranking=())])  # nobody is ranked in a game that is given up
    wrong: list[tuple[Game[Any], Sequence[Event], str]] = [
        (game, played[1:], "a stream begins with game_started"),
        (game, played[:-1], f"hidden-stones, step {last - 1}: nobody may choose, and the game has not ended"),
        (
            game,
            [*played[:-1], replace(end, scores=end.scores[:1])],
            f"hidden-stones, step {last}: there is not one score a seat",
        ),
        (toy(EndsTwice), played, f"hidden-stones, step {last}: the game goes on after its end"),
        (toy(AsksOn), played, f"hidden-stones, step {last}: the game goes on after its end"),
    ]
    for broken, events, finding in wrong:
        with pytest.raises(Broken) as caught:
            check_ending(broken, events)
        assert str(caught.value) == finding
    with pytest.raises(Broken, match=f"^hidden-stones, step {last + 1}: play goes on after the end$"):
        check_lawfulness(toy(NeverOver), played)


def test_every_game_is_played_under_the_options_and_with_the_seats_that_are_asked_for() -> None:
    started: list[base.GameStarted[StonesOptions]] = []

    class Watched(HiddenStones):
        def evolve(self, state: Heap, event: Event) -> Heap:
            if isinstance(event, base.GameStarted) and event not in started:
                started.append(event)
            return HiddenStones.evolve(state, event)

    assert check_game(toy(Watched), 1, StonesOptions(double=True)) == 3
    assert [(each.seats, each.options.double) for each in started] == [(2, True), (3, True), (4, True)]


def test_a_digest_covers_a_state_and_all_before_it() -> None:
    one, other = random_game(toy(), 2, "a"), random_game(toy(), 2, "b")
    digests = state_digests(toy(), one)
    assert digests == state_digests(toy(), one)
    assert len(dict.fromkeys(digests)) == len(one)
    assert all(len(digest) == 64 for digest in digests)
    changed = state_digests(toy(), other)
    apart = next(step for step, pair in enumerate(zip(digests, changed, strict=False)) if pair[0] != pair[1])
    assert one[:apart] == other[:apart]
    assert not set(digests[apart:]) & set(changed)


def test_a_game_that_nobody_can_play_is_caught() -> None:
    class Unplayable(HiddenStones):
        def setup_problem(self, seats: int, options: Any) -> str | None:
            return "never"

    with pytest.raises(Broken, match="hidden-stones cannot be started with any seat count"):
        check_game(toy(Unplayable))
