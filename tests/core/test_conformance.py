"""The checks that every game must pass: a sound toy passes them all, and each is shown a toy that it catches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Annotated, Any, ClassVar, Literal

import pytest
from msgspec import Struct
from msgspec.structs import replace

from core.chance import Chance, pick
from core.conformance import Broken, check_game, random_game, seat_counts
from core.game import Outcome
from events import base
from events.base import Event, Move
from events.errors import TabletapeError
from events.marks import HIDDEN
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
    assert check_game(toy(), 8, options) == 24


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
        return [*HiddenStones.legal(state), *[StonesTaken(9, 1) for _ in range(state.phase == "take")]]

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


BROKEN: list[tuple[type[HiddenStones], str]] = [
    (StateMarkMissing, "sees in the view what nothing has shown"),
    (EventMarkMissing, "learns from an outcome of chance what the view hides"),
    (ConsequenceTells, "learns from an event what the view hides"),
    (SkipsPointlessQuestion, "can tell a hidden card by whether a seat is asked"),
    (MovesTell, "can tell a hidden card by its own legal moves"),
    (MutableState, "step 0: the state holds a list"),
    (SetState, "step 0: the state holds a frozenset"),
    (MutableInside, "step 0: the state holds a Purse"),
    (StoneVanishes, "components appear or vanish: {'stone': 7} after {'stone': 9}"),
    (DoubleMove, "a legal move is listed twice"),
    (StrangersMove, "is no move of a seat"),
    (NeverEnds, "Hidden Stones has not ended after 200 events"),
    (Stuck, "nobody may choose, and the game has not ended"),
    (ImpureReducer, "the fold differs from the live state"),
    (OtherOutcome, "the outcome is not what game_ended says"),
    (EarlyOutcome, "an outcome before or after the end"),
    (SeatUnranked, "rank"),
    (LossyEvent, "not read back as written"),
    (AdmitsAnything, "an event out of place is accepted"),
    (DeniesItsOutcome, "a played event is refused: not a possible outcome"),
]


@pytest.mark.parametrize(("kind", "finding"), BROKEN, ids=lambda value: getattr(value, "__name__", ""))
def test_a_broken_game_is_caught_by_the_check_that_should(kind: type[HiddenStones], finding: str) -> None:
    with pytest.raises(TabletapeError) as caught:
        check_game(toy(kind), 8)
    assert finding in str(caught.value)
    assert isinstance(caught.value, Broken) or kind is NeverEnds
    assert "\n" not in str(caught.value)


def test_a_game_that_nobody_can_play_is_caught() -> None:
    class Unplayable(HiddenStones):
        def setup_problem(self, seats: int, options: Any) -> str | None:
            return "never"

    with pytest.raises(Broken, match="hidden-stones cannot be started with any seat count"):
        check_game(toy(Unplayable))
