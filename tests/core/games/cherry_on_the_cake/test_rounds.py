"""Cherry on the Cake: choosing at once, placing one after another, passing on and drawing."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from core.conformance import random_game
from core.engine import refuse, states, take_back
from core.games.cherry_on_the_cake.state import Table
from core.redact import moves_of, redact, seen
from events.base import Event, TakenBack
from events.cherry_on_the_cake import (
    CakeOptions,
    ChipTaken,
    ChoicesRevealed,
    CubePlaced,
    CubesTaken,
    DieRolled,
    GoldenCubesTaken,
    PieceChosen,
    PiecePlaced,
    PiecesDrawn,
    PiecesPassed,
    RoundStarted,
    StripesConnected,
    TurnStarted,
)
from events.errors import UnlawfulEvent
from events.marks import Viewer
from tests.core.games.cherry_on_the_cake.bakery import (
    CHERRY,
    FACE_DOWN,
    after,
    board,
    box,
    dealt,
    due,
    moves,
    perft,
    revealed,
    run,
    stripe,
    table,
)


def choices(state: Table, seat: int) -> list[tuple[int, int]]:
    """Give what a seat may choose: pieces and rotations."""
    return [(move.piece, move.rotation) for move in moves(state) if isinstance(move, PieceChosen) and move.seat == seat]


# --- 1. choosing -----------------------------------------------------------------------------------------------------


def test_cc_10_all_seats_may_choose_in_any_order() -> None:
    state = dealt(3)
    for order in permutations(range(3)):
        now = state
        for seat in order:
            assert {move.seat for move in moves(now)} == {0, 1, 2} - {*order[: order.index(seat)]}
            now = CHERRY.evolve(now, PieceChosen(seat, now.boards[seat].shown[1], 180))
        assert due(now) == ChoicesRevealed(((1, 180), (8, 180), (15, 180)))


def test_cc_10_piece_and_rotation_are_one_choice() -> None:
    assert choices(dealt(2), 1) == [(7, 0), (7, 180), (8, 0), (8, 180)]


def test_cc_10_a_choice_is_fixed() -> None:
    state = after(dealt(2), PieceChosen(0, 0, 0))
    assert choices(state, 0) == []
    assert refuse(CHERRY, state, 9, PieceChosen(0, 1, 0)) == "not one of the 4 legal moves of seat 1 (CC-10)"


def test_cc_10_choices_are_shown_together_and_not_before() -> None:
    state = after(dealt(3), PieceChosen(1, 8, 180), PieceChosen(0, 0, 0))
    assert state.choices == ()
    state = CHERRY.evolve(state, PieceChosen(2, 14, 0))
    assert due(state) == ChoicesRevealed(((0, 0), (8, 180), (14, 0)))
    state = CHERRY.evolve(state, due(state))
    assert state.choices == ((0, 0), (8, 180), (14, 0))
    assert [each.chosen for each in state.boards] == [(), (), ()]


@pytest.mark.parametrize(
    "move", [PieceChosen(0, 7, 0), PieceChosen(0, 2, 0), PieceChosen(2, 0, 0), PiecePlaced(0, 0, 0)]
)
def test_cc_10_a_piece_that_does_not_lie_face_up_before_the_seat_is_refused(move: Event) -> None:
    """One of a rival, one of the own pile, a seat that does not exist, placing before the reveal."""
    reason = refuse(CHERRY, dealt(2), 9, move)
    assert reason is not None
    assert reason.startswith("not one of the 8 legal moves of seat 0 or 1")
    assert type(move).rule in reason


def test_cc_10_perft_of_the_choices_of_two_seats() -> None:
    """First any of 2 * 4 choices, then the other seat's 4: 32 sequences; then the rules run on seat 0's turn."""
    assert [perft(dealt(2), depth) for depth in (1, 2)] == [8, 32]


def test_cc_10_perft_of_the_choices_of_three_seats() -> None:
    """12 choices, then 8, then 4: 12, 96, 384, each order of committing for itself (3! * 4 ** 3)."""
    assert [perft(dealt(3), depth) for depth in (1, 2, 3)] == [12, 96, 384]


def test_cc_11_two_rotations() -> None:
    assert {rotation for _, rotation in choices(dealt(2), 0)} == {0, 180}


def test_cc_13_nothing_before_the_reveal_tells_what_a_choice_would_connect() -> None:
    """Only events about choosing lie between two rounds, and the state has no connection."""
    kinds: list[str] = []
    for event, state in zip(events := random_game(CHERRY, 3, "cc-13"), states(CHERRY, events), strict=True):
        if state.phase in ("choose", "reveal"):
            kinds.append(type(event).__name__)
            assert (state.connected, state.waiting, state.seat) == ((), (), -1)
            for move in moves(state):
                assert move.__struct_fields__ == ("seat", "piece", "rotation")
    assert {*kinds} == {"RoundStarted", "PieceChosen"}


def test_cc_14_in_the_last_round_only_the_rotation_is_chosen() -> None:
    last = None
    for state in states(CHERRY, random_game(CHERRY, 2, "cc-14")):
        if state.phase == "choose" and state.round == 7:
            last = last or state
    assert last is not None
    assert [len(each.shown) for each in last.boards] == [1, 1]
    for seat in (0, 1):
        (piece,) = last.boards[seat].shown
        assert choices(last, seat) == [(piece, 0), (piece, 180)]


# --- 2. placing ------------------------------------------------------------------------------------------------------


def test_a_turn_begins_with_the_reveal_and_runs_to_the_first_choice() -> None:
    state = revealed(dealt(2), (1, 180), (7, 0))
    events = run(state)
    assert events[:2] == [TurnStarted(0, 1), PiecePlaced(0, 1, 180)]
    assert [type(event) for event in events[2:4]] == [StripesConnected, CubesTaken]
    state = after(state)
    assert state.boards[0].cake == ((1, 180),)
    assert state.boards[0].shown == (0,)
    assert state.boards[1].shown == (7, 8)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_cc_02_seat_0_is_first_in_every_round(seats: int) -> None:
    turns = [event for event in random_game(CHERRY, seats, "cc-02") if isinstance(event, TurnStarted)]
    assert [event.seat for event in turns] == [*range(seats)] * 7
    assert [event.turn for event in turns] == [*range(1, 7 * seats + 1)]


def test_each_piece_lies_on_the_one_before() -> None:
    cakes: dict[int, list[tuple[int, int]]] = {0: [], 1: []}
    for event, state in zip(events := random_game(CHERRY, 2, "layers"), states(CHERRY, events), strict=True):
        if isinstance(event, PiecePlaced):
            cakes[event.seat].append((event.piece, event.rotation))
        assert [list(each.cake) for each in state.boards] in ([], [cakes[0], cakes[1]])
    assert len(cakes[0]) == len(cakes[1]) == 7


# --- 3. passing on and drawing ---------------------------------------------------------------------------------------


def test_cc_07_the_other_piece_goes_to_the_left() -> None:
    """Nothing connects in this box, so that the consolations alone are asked."""
    bare = [[stripe("g", (0, 4), (n, n + 4))] for n in range(1, 36)]
    game = box(bare, plate=(), plates=tuple([_bare(plate) for plate in CHERRY.sheet.plates]))
    state = revealed(dealt(3, game=game), (0, 0), (8, 0), (14, 0), game=game)
    passed = None
    while passed is None:
        event = game.forced(state)
        if event is None:
            event = game.legal(state)[-1]
        assert isinstance(event, Event)
        passed = event if isinstance(event, PiecesPassed) else None
        state = game.evolve(state, event)
    assert passed == PiecesPassed((1, 7, 15))
    assert [each.shown for each in state.boards] == [(15,), (1,), (7,)]
    assert due(state, game) == PiecesDrawn((2, 9, 16))
    state = game.evolve(state, due(state, game))
    assert [each.shown for each in state.boards] == [(15, 2), (1, 9), (7, 16)]
    assert [each.pile for each in state.boards] == [(3, 4, 5, 6), (10, 11, 12, 13), (17, 18, 19, 20)]
    assert due(state, game) == RoundStarted(2)


def _bare(plate: Any) -> Any:
    return type(plate)(plate.start_cubes, ())


@pytest.mark.parametrize("pieces", [6, 7, 8])
def test_cc_05_draws_last_until_two_rounds_before_the_end(pieces: Any) -> None:
    events = random_game(CHERRY, 2, "cc-05", CakeOptions(pieces=pieces))
    frame = [event for event in events if isinstance(event, RoundStarted | PiecesPassed | PiecesDrawn)]
    kinds = [type(event).__name__ for event in frame]
    one_round = ["RoundStarted", "PiecesPassed", "PiecesDrawn"]
    assert kinds == one_round * (pieces - 2) + ["RoundStarted", "PiecesPassed", "RoundStarted"]
    assert [event.round for event in frame if isinstance(event, RoundStarted)] == [*range(1, pieces + 1)]


def test_cc_06_no_pass_after_the_last_round() -> None:
    events = random_game(CHERRY, 4, "cc-06")
    last = max([step for step, event in enumerate(events) if isinstance(event, RoundStarted)])
    assert not [event for event in events[last:] if isinstance(event, PiecesPassed)]
    end = [event for event in events[last:] if isinstance(event, GoldenCubesTaken)]
    assert [event.seat for event in end] == [0, 1, 2, 3]


def test_cc_12_a_pile_is_hidden_from_everybody_its_owner_too() -> None:
    state = dealt(2)
    viewers: list[Viewer] = [0, 1, "spectator"]
    for viewer in viewers:
        assert [each.pile for each in redact(state, viewer).boards] == [(FACE_DOWN,) * 5] * 2


# --- what others learn -----------------------------------------------------------------------------------------------


def test_cc_10_others_learn_only_that_a_seat_has_chosen() -> None:
    before = dealt(2)
    event = PieceChosen(0, 1, 180)
    state = CHERRY.evolve(before, event)
    assert seen(event, 0) == event
    others: tuple[Viewer, ...] = (1, "spectator")
    for viewer in others:
        shown = seen(event, viewer)
        assert shown is not None
        assert (shown.seat, shown.piece, shown.rotation) == (0, FACE_DOWN, FACE_DOWN)
        view = redact(state, viewer)
        assert view.boards[0].chosen == (FACE_DOWN, FACE_DOWN)
        assert view.boards[1].chosen == ()
    assert redact(state, 0).boards[0].chosen == (1, 180)


def test_cc_10_no_two_choices_of_a_rival_look_different() -> None:
    """Swap test of commitments: whatever seat 0 chooses, seat 1 and spectators are shown the same."""
    before = dealt(2)
    alike: dict[Viewer, list[Any]] = {1: [], "spectator": []}
    for move in moves_of(moves(before), 0):
        after_it = CHERRY.evolve(before, move)
        for viewer, shown in alike.items():
            own = [moves_of(moves(after_it), viewer)]
            shown.append((seen(move, viewer), redact(after_it, viewer), own))
    for shown in alike.values():
        assert len(shown) == 4
        assert all(each == shown[0] for each in shown)


# --- taking back -----------------------------------------------------------------------------------------------------


def test_cc_62_no_take_back_across_what_shows_something() -> None:
    kinds = (ChipTaken, DieRolled, ChoicesRevealed, PiecesDrawn, PieceChosen)
    crossed = set()
    for number in range(4):
        events = random_game(CHERRY, 4, f"cc-62/{number}")
        for step, event in enumerate(events):
            if isinstance(event, kinds):
                with pytest.raises(UnlawfulEvent, match="cannot be taken back"):
                    take_back(CHERRY, events[: step + 2], step - 1)
                crossed.add(type(event))
    assert crossed == {*kinds}


def test_cc_62_the_placing_of_a_cube_may_be_taken_back() -> None:
    first = after(table(board(0), board(1), waiting="gp"))
    move = CubePlaced(0, "green", "small")
    assert move in moves(first)
    assert take_back(CHERRY, [RoundStarted(1), move], 0) == TakenBack(0)
    with pytest.raises(UnlawfulEvent, match="nothing to take back"):
        take_back(CHERRY, [RoundStarted(1), move], 1)
