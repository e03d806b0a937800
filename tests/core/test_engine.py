"""The engine: starting, folding, refusing, taking back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import pytest
from msgspec.structs import replace

from core.chance import Chance
from core.conformance import random_game
from core.engine import append, consequence, fold, past_secrets, play, refuse, start, states, take_back
from core.rng import Rng, seed_key
from events.base import Event, GameStarted, Move, RoundStarted, TakenBack, TurnStarted, Unknown
from events.codec import encode
from events.errors import SetupError, UnlawfulEvent
from events.marks import Viewer
from tests.toy import CardDrawn, GameEnded, Heap, HiddenStones, StonesOptions, StonesTaken, toy

GAME = toy()
EVENTS = random_game(GAME, 2, "engine")
"""game_started, round_started, card_drawn, card_drawn, turn_started, stones_taken ..."""


def at(step: int) -> Any:
    """The state after a step."""
    return fold(GAME, EVENTS[: step + 1])


def test_start_names_what_is_played() -> None:
    assert start(GAME, 3) == GameStarted("hidden-stones", 1, 3, GAME.sheet_digest, StonesOptions())
    assert start(GAME, 3, StonesOptions(double=True)).options == StonesOptions(double=True)


@pytest.mark.parametrize("seats", [-1, 0, 1, 5])
def test_start_refuses_seats_that_the_box_is_not_for(seats: int) -> None:
    with pytest.raises(SetupError, match=rf"^Hidden Stones is for 2 to 4 seats, not for {seats}$"):
        start(GAME, seats)


def test_start_refuses_what_does_not_go_together() -> None:
    class NotInThrees(HiddenStones):
        def setup_problem(self, seats: int, options: Any) -> str | None:
            return "three are a crowd" if seats == 3 else None

    with pytest.raises(SetupError, match=r"^Hidden Stones: three are a crowd$"):
        start(toy(NotInThrees), 3)


def test_every_state_is_the_fold_of_a_beginning() -> None:
    along = list(states(GAME, EVENTS))
    assert len(along) == len(EVENTS)
    assert all(state == at(step) for step, state in enumerate(along))


def test_play_lets_the_rules_run_until_a_seat_must_choose() -> None:
    asked = list[tuple[int, int]]()

    def choose(state: Any, moves: Sequence[Move], so_far: Sequence[Event]) -> Move:
        assert GAME.forced(state) is None
        assert fold(GAME, so_far) == state
        asked.append((len(so_far), len(moves)))
        return moves[0]

    events = play(GAME, start(GAME, 2), b"key", choose)
    assert [step for step, event in enumerate(events) if isinstance(event, StonesTaken)][: len(asked)]
    assert len(asked) == 3 * 8  # nine stones one by one in three rounds, the last of each without asking
    assert isinstance(events[-1], GameEnded)


def test_consequences_are_addressed_by_seed_and_step() -> None:
    drawing = at(1)
    draws = {consequence(GAME, drawing, seed_key(f"s/{n}"), 2) for n in range(40)}
    assert draws == {CardDrawn(0, "one"), CardDrawn(0, "two"), CardDrawn(0, "three")}
    due = GAME.forced(drawing)
    assert due is not None
    assert not isinstance(due, Event)
    assert consequence(GAME, drawing, b"k", 2) == due.sample(Rng(b"k", 2))
    assert consequence(GAME, at(4), b"k", 5) is None
    assert consequence(GAME, at(len(EVENTS) - 1), b"k", 99) is None


def test_play_draws_what_consequence_draws_and_gives_up_on_rules_without_end() -> None:
    key = seed_key("engine")
    due = [consequence(GAME, at(step - 1), key, step) for step in range(1, len(EVENTS))]
    assert [brought or event for brought, event in zip(due, EVENTS[1:], strict=True)] == EVENTS[1:]
    chosen = [
        event for brought, event in zip(due, EVENTS[1:], strict=True) if brought is None and isinstance(event, Move)
    ]

    def again(limit: int) -> list[Event]:
        class Bounded(HiddenStones):
            bound = limit

        moves = iter(chosen)
        return play(toy(Bounded), EVENTS[0], key, lambda state, legal, so_far: next(moves))

    assert again(len(EVENTS) + 1) == EVENTS
    with pytest.raises(UnlawfulEvent, match=rf"^Hidden Stones has not ended after {len(EVENTS)} events$"):
        again(len(EVENTS))


def test_every_event_of_a_game_is_accepted_in_its_place() -> None:
    for step, event in enumerate(EVENTS):
        assert refuse(GAME, at(step - 1) if step else GAME.initial(), step, event) is None


def started(**changes: Any) -> Event:
    return replace(start(GAME, 2), **changes)


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (TurnStarted(0, 1), "a stream begins with game_started"),
        (TakenBack(0), "a stream begins with game_started"),
        (Unknown("x", b"{}"), "a stream begins with game_started"),
        (started(game="chess"), "it names another game, rules or sheet"),
        (started(rules=2), "it names another game, rules or sheet"),
        (started(sheet="0" * 32), "it names another game, rules or sheet"),
        (started(seats=7), "Hidden Stones is for 2 to 4 seats, not for 7"),
    ],
)
def test_a_first_event_that_starts_no_such_game_is_refused(event: Event, reason: str) -> None:
    assert refuse(GAME, GAME.initial(), 0, event) == reason


@pytest.mark.parametrize(
    ("step", "event", "reason"),
    [
        (1, RoundStarted(2), 'the rules bring {"type":"round_started","round":1} here'),
        (1, started(), 'the rules bring {"type":"round_started","round":1} here'),
        (2, CardDrawn(1, "one"), "not a possible outcome"),
        (2, StonesTaken(0, 1), "not a possible outcome (HS-1)"),
        (5, StonesTaken(1, 1), "not one of the 3 legal moves of seat 0 (HS-1)"),
        (5, StonesTaken(0, 4), "not one of the 3 legal moves of seat 0 (HS-1)"),
        (5, StonesTaken(0, 0), "not one of the 3 legal moves of seat 0 (HS-1)"),
        (5, TurnStarted(1, 2), "not one of the 3 legal moves of seat 0"),
        (5, Unknown("peeked", b"{}"), "not one of the 3 legal moves of seat 0"),
        (len(EVENTS), StonesTaken(0, 1), "the game is over"),
        (len(EVENTS), EVENTS[-1], "the game is over"),
    ],
)
def test_an_event_out_of_place_is_refused_with_a_reason(step: int, event: Event, reason: str) -> None:
    before = at(step - 1)
    assert refuse(GAME, before, step, event) == reason
    with pytest.raises(UnlawfulEvent) as refused:
        append(GAME, before, step, event)
    assert str(refused.value) == f"event {step}, {encode(event).decode()}: {reason}"
    assert before == at(step - 1)


def test_every_seat_that_may_choose_is_named() -> None:
    class AllAtOnce(HiddenStones):
        def legal(self, state: Heap) -> Sequence[Move]:
            return [StonesTaken(seat, count) for count in (1, 2) for seat in (2, 0)]

    assert refuse(toy(AllAtOnce), at(4), 5, StonesTaken(1, 1)) == "not one of the 4 legal moves of seat 2 or 0 (HS-1)"


def test_append_gives_the_state_after_a_lawful_event() -> None:
    assert append(GAME, at(4), 5, EVENTS[5]) == at(5)


# --- taking back -----------------------------------------------------------------------------------------------------


def test_taken_back_is_the_state_of_the_step() -> None:
    events = [*EVENTS[:9], TakenBack(4)]
    assert fold(GAME, events) == at(4)
    assert list(states(GAME, events))[-1] == at(4)


def test_a_game_goes_on_after_taking_back() -> None:
    other = next(move for move in GAME.legal(at(4)) if move != EVENTS[5])
    events = [*EVENTS[:9], TakenBack(4), other]
    assert fold(GAME, events) == GAME.evolve(at(4), other)


def test_taking_back_what_was_taken_back() -> None:
    """Step 9 is the state of step 4; step 11 takes back to it, step 12 to before it: steps keep their numbers."""
    other = next(move for move in GAME.legal(at(4)) if move != EVENTS[5])
    events = [*EVENTS[:9], TakenBack(4), other, TakenBack(9), TakenBack(7)]
    along = list(states(GAME, events))
    assert along[11] == at(4)
    assert along[12] == at(7)
    assert all(fold(GAME, events[: step + 1]) == state for step, state in enumerate(along))


@pytest.mark.parametrize("to", [-1, 8, 9, 10_000])
def test_only_what_has_happened_can_be_taken_back(to: int) -> None:
    assert refuse(GAME, at(8), 9, TakenBack(7)) is None
    assert refuse(GAME, at(8), 9, TakenBack(to)) == f"nothing to take back: step {to} is not before 8"


def test_the_end_of_a_game_can_be_corrected() -> None:
    assert refuse(GAME, at(len(EVENTS) - 1), len(EVENTS), TakenBack(4)) is None
    assert refuse(GAME, at(len(EVENTS) - 1), len(EVENTS), TakenBack(0)) is None


class CardsBind(HiddenStones):
    """A card that has been looked at stays drawn."""

    irrevocable = (CardDrawn,)


def test_play_is_taken_back_to_any_step_behind_which_nothing_was_shown() -> None:
    """Steps 2 and 3 are cards that are drawn; the seats take stones from step 5 on."""
    game, played = toy(CardsBind), EVENTS[:9]
    assert [take_back(game, played, to) for to in range(3, 8)] == [TakenBack(to) for to in range(3, 8)]
    for to, shown in ((2, 3), (1, 2), (0, 2)):
        with pytest.raises(UnlawfulEvent, match=rf"^step {shown}, card_drawn, cannot be taken back$"):
            take_back(game, played, to)
    for to in (-1, 8, 9):
        with pytest.raises(UnlawfulEvent, match=rf"^nothing to take back: step {to} is not before 8$"):
            take_back(game, played, to)
    assert take_back(GAME, played, 0) == TakenBack(0)


# --- what is asked in secret -----------------------------------------------------------------------------------------


class Nodded(Move, frozen=True, tag="nodded"):
    """Seat 1 answers what it alone was asked; `sure` is not the first of its answers."""

    seen_by: ClassVar[tuple[str, ...]] = ("seat",)

    sure: bool = False


class Noted(Event, frozen=True, tag="noted"):
    """What it has answered is noted, and it alone sees that."""

    seen_by: ClassVar[tuple[str, ...]] = ("seat",)

    seat: int


class Whispers(HiddenStones):
    """Before the first turn of a game seat 1 is asked in secret: `heap` 99 is then a note to be made, 98 a yes."""

    def forced(self, state: Heap) -> Event | Chance | None:
        if state.heap == 99:
            return Noted(1)
        return None if self.asking(state) else super().forced(state)

    def legal(self, state: Heap) -> Sequence[Move]:
        return [Nodded(1), Nodded(1, sure=True)] if self.asking(state) else super().legal(state)

    def evolve(self, state: Heap, event: Event) -> Heap:
        if isinstance(event, Nodded):
            return replace(state, heap=98 if event.sure else 99)
        return replace(state, heap=97) if isinstance(event, Noted) else super().evolve(state, event)

    def asking(self, state: Heap) -> bool:
        return state.phase == "turn" and state.turn == 0 and state.heap == 9


@pytest.mark.parametrize(("viewer", "heap"), [(0, 97), ("spectator", 97), (1, 9), ("omniscient", 9)])
def test_to_who_does_not_see_it_a_seat_asked_in_secret_has_declined(viewer: Viewer, heap: int) -> None:
    """G-06: the first answer is to do nothing; what follows from it unseen has happened too, and nothing further."""
    asked = at(3)
    assert past_secrets(toy(Whispers), asked, viewer) == replace(asked, heap=heap)


@pytest.mark.parametrize("step", [0, 1, 4])
def test_what_all_see_has_not_happened_before_it_happens(step: int) -> None:
    """An event that the rules bring, one that chance decides, a choice."""
    assert past_secrets(toy(Whispers), at(step), 0) == at(step)
