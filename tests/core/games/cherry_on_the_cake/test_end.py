"""Cherry on the Cake: golden cubes on finished cakes, scoring, who wins."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from core.conformance import random_game
from core.engine import append, fold, refuse
from core.games.cherry_on_the_cake.scoring import scores
from core.games.cherry_on_the_cake.state import BLUE_JARS, Board, Table, contents
from core.redact import redact
from core.words import result
from events.base import Event
from events.cherry_on_the_cake import (
    ChipsRevealed,
    ChipTaken,
    DieRolled,
    GameEnded,
    GoldenCubePlaced,
    GoldenCubesLeft,
    GoldenCubesReturned,
    GoldenCubesTaken,
    JarEmptied,
)
from events.marks import Viewer
from tests.core.games.cherry_on_the_cake.bakery import (
    CHERRY,
    FACE_DOWN,
    after,
    board,
    box,
    cake,
    chance,
    cubes,
    due,
    jar,
    moves,
    perft,
    plain,
    run,
    stripe,
    table,
)


def golden(count: int, own: Board | None = None, *others: Board, **fields: Any) -> Table:
    """Give a table on which seat 0 has golden cubes to place at the end of the game."""
    boards = [own or board(0), *(others or [board(1)])]
    return table(*boards, phase="golden", part="golden", in_hand=count, **fields)


def put(name: Any) -> GoldenCubePlaced:
    """Give the move of seat 0 that puts a golden cube into a jar."""
    return GoldenCubePlaced(0, name)


def finished(*stripes: Any, plate: Any = (), golden_supply: int = 12) -> Table:
    """Give a table on which the last piece has been placed; seat 0 has a cake of one piece."""
    game = box([stripes], plate)
    boards = (cake(0), Board(1, plate=1))
    return table(*boards, game=game, phase="next_turn", seat=1, round=7, golden=golden_supply)


# --- 1. golden cubes -------------------------------------------------------------------------------------------------


def test_cc_48_all_golden_cubes_on_the_cake_count_connected_or_not() -> None:
    assert due(finished(stripe("g", (0, 5), None, "**"), stripe("p", (9, 12), None, "*"))) == GoldenCubesTaken(0, 3)


def test_cc_49_those_on_the_plate_too() -> None:
    state = finished(stripe("g", (0, 5), None, "*"), plate=[plain("g", (0, 4), "**")])
    assert due(state) == GoldenCubesTaken(0, 3)


@pytest.mark.parametrize(("depicted", "left", "taken"), [(14, 12, 12), (14, 10, 10), (3, 2, 2), (3, 0, 0)])
def test_cc_50_no_more_than_the_golden_supply_holds(depicted: int, left: int, taken: int) -> None:
    state = finished(stripe("g", (0, 5), None, "*" * depicted), golden_supply=left)
    assert due(state) == GoldenCubesTaken(0, taken)


def test_cc_50_cubes_in_any_jar_are_not_in_the_supply_and_own_ones_stay() -> None:
    boards = (replace(cake(0), large=jar("*g")), board(1, middle="**"))
    game = box([[stripe("g", (0, 5), None, "*" * 12)]], plate=())
    state = table(*boards, game=game, phase="next_turn", seat=1, round=7)
    assert due(state, game) == GoldenCubesTaken(0, 9)
    state = game.evolve(state, due(state, game))
    assert state.boards[0].large == jar("*g")


def test_cc_50_everything_golden_goes_back_for_the_next_seat() -> None:
    state = golden(3, board(0, large="*g"), board(1, small="*"))
    state = append(CHERRY, state, 9, put("middle"))
    state = append(CHERRY, state, 9, GoldenCubesLeft(0))
    assert due(state) == GoldenCubesReturned(0, 4)
    state = CHERRY.evolve(state, due(state))
    assert (state.boards[0].middle, state.boards[0].large) == ((), jar("g"))
    assert state.golden == 11
    assert state.boards[1].small == jar("*")
    assert due(state) == GoldenCubesTaken(1, 0)


def test_cc_51_freely_several_in_one_jar_and_a_full_one_is_emptied_at_once() -> None:
    state = golden(5, board(0, small="g"))
    assert moves(state) == [put("small"), put("middle"), put("large"), GoldenCubesLeft(0)]
    state = append(CHERRY, after(state, put("small")), 9, put("small"))
    assert due(state) == JarEmptied(0, "small", jar("g**"))
    state = after(state, ChipTaken(0, "bronze", 3))
    assert (state.in_hand, state.golden, state.boards[0].small) == (3, 9, ())


def test_cc_51_golden_cubes_emptied_are_spent_and_an_emptied_jar_is_filled_again() -> None:
    state = golden(4, board(0, small="gp"))
    state = after(state, put("small"), ChipTaken(0, "bronze", 1))
    assert state.in_hand == 3
    state = after(state, put("small"), put("small"), put("small"))
    state = append(CHERRY, state, 9, ChipTaken(0, "bronze", 2))
    assert state.boards[0].bronze == (1, 2)
    assert due(state) == GoldenCubesReturned(0, 0)


def test_cc_51_the_seat_may_stop_at_any_time() -> None:
    for count in (1, 2, 3):
        assert GoldenCubesLeft(0) in moves(golden(count))
    state = append(CHERRY, golden(3), 9, GoldenCubesLeft(0))
    assert due(state) == GoldenCubesReturned(0, 3)


def test_cc_51_never_into_the_exchange_jar() -> None:
    assert {getattr(move, "jar", None) for move in moves(golden(3))} == {"small", "middle", "large", None}


def test_cc_51_nothing_is_asked_of_a_seat_without_golden_cubes() -> None:
    assert due(golden(0)) == GoldenCubesReturned(0, 0)


def test_cc_52_no_die_for_a_golden_chip_at_the_end() -> None:
    state = after(golden(2, board(0, large="gpok")), put("large"))
    assert chance(state).admits(ChipTaken(0, "gold", 5))
    state = append(CHERRY, state, 9, ChipTaken(0, "gold", 5))
    assert state.phase == "golden"
    assert state.boards[0].gold == (5,)


def test_cc_52_no_game_rolls_after_its_last_cake_is_finished() -> None:
    for number in range(20):
        events = random_game(CHERRY, 2, f"cc-52/{number}")
        end = [isinstance(event, GoldenCubesTaken) for event in events].index(True)
        assert not any(isinstance(event, DieRolled) for event in events[end:])


def test_cc_53_after_an_emptying_any_blue_jar_with_space() -> None:
    state = after(golden(3, board(0, small="gp")), put("small"), ChipTaken(0, "bronze", 1))
    assert moves(state) == [put("small"), put("middle"), put("large"), GoldenCubesLeft(0)]


def test_cc_54_the_exchange_jar_is_not_used() -> None:
    state = golden(1, board(0, exchange="bk"))
    state = after(state, GoldenCubesLeft(0))
    assert state.boards[0].exchange == cubes("bk")


def test_cc_38_a_metal_that_has_run_out_brings_no_chip_at_the_end_either() -> None:
    state = append(CHERRY, golden(2, board(0, small="gp"), bronze=()), 9, put("small"))
    assert due(state) == JarEmptied(0, "small", jar("gp*"))
    state = after(state)
    assert moves(state) == [put("small"), put("middle"), put("large"), GoldenCubesLeft(0)]


def test_perft_of_two_golden_cubes() -> None:
    """Small, middle and large have two places free each. First three jars or a stop: 4. Then 3 * 4 and the stop: 13.

    Nothing is full before both cubes lie in one jar, where chance follows; then the count ends.
    """
    state = golden(2, board(0, small="g", middle="gp", large="gpo"))
    assert [perft(state, depth) for depth in (1, 2)] == [4, 3 * 4 + 1]


def test_perft_of_three_golden_cubes_without_chips() -> None:
    """All metals have run out, so that nothing is left to chance. Seat 1 has no golden cubes: then the game ends.

    Small has 1 free, middle 2, large 5. f(n) counts the sequences with n cubes: a stop, or a cube in one of the three
    jars, which never lack room: f(0) = 1, f(n) = 1 + 3 f(n - 1): 1, 4, 13, 40.
    """
    none: dict[str, Any] = {"bronze": (), "silver": (), "gold": ()}
    for count, sequences in ((0, 1), (1, 4), (2, 13), (3, 40)):
        assert perft(golden(count, board(0, small="gp", middle="gp"), **none), 9) == sequences


def test_golden_cubes_are_placed_by_one_seat_after_the_other() -> None:
    for seats in (2, 3, 4):
        events = random_game(CHERRY, seats, "in turn")
        frame = [event for event in events if isinstance(event, GoldenCubesTaken | GoldenCubesReturned)]
        assert [event.seat for event in frame] == [seat for seat in range(seats) for _ in range(2)]


# --- 2. scoring ------------------------------------------------------------------------------------------------------


def chips(seat: int, bronze: tuple[int, ...], silver: tuple[int, ...], gold: tuple[int, ...], track: int) -> Board:
    """Give a board with chips and a place on the track."""
    return board(seat, bronze=bronze, silver=silver, gold=gold, track=track)


def ended(*boards: Board) -> list[Event]:
    """Give what happens when all golden cubes have gone back."""
    return run(table(*boards, phase="next_golden", part="golden", seat=len(boards) - 1, round=7))


def test_cc_55_track_and_all_chips_are_added_up() -> None:
    happened = ended(chips(0, (1, 2), (3,), (6,), 4), chips(1, (), (), (), 5))
    assert happened == [
        ChipsRevealed((((1, 2), (3,), (6,)), ((), (), ()))),
        GameEnded("cakes_finished", (16, 5), ((0,), (1,))),
    ]


def test_cc_56_the_score_is_a_plain_number() -> None:
    happened = ended(chips(0, (), (), (), 57), chips(1, (3,), (), (), 41))
    assert isinstance(happened[-1], GameEnded)
    assert happened[-1].scores == (57, 44)


def test_cc_57_a_tie_is_a_shared_win() -> None:
    happened = ended(chips(0, (2,), (), (), 4), chips(1, (), (), (6,), 0), chips(2, (), (), (), 1))
    end = happened[-1]
    assert isinstance(end, GameEnded)
    assert end.ranking == ((0, 1), (2,))
    assert result(end, ["Ada", "Bo", "Cy"]) == "Ada and Bo share the win with 6, then Cy 1"


def test_cc_58_chips_are_private_their_number_and_metal_public_until_all_are_shown() -> None:
    state = table(chips(0, (1, 2), (3,), (6,), 4), chips(1, (), (4,), (), 5), phase="next_golden", seat=1)
    others: tuple[Viewer, ...] = (1, "spectator")
    for viewer in others:
        view = redact(state, viewer).boards[0]
        assert (view.bronze, view.silver, view.gold) == ((FACE_DOWN, FACE_DOWN), (FACE_DOWN,), (FACE_DOWN,))
        assert view.track == 4
    own = redact(state, 0)
    assert own.boards[0] == state.boards[0]
    assert own.boards[1].silver == (FACE_DOWN,)
    shown = CHERRY.evolve(state, due(state))
    assert redact(shown, "spectator").boards[0].turned_up == ((1, 2), (3,), (6,))


def test_cc_58_chips_are_shown_after_the_last_golden_step_and_the_track_alone_is_public_before() -> None:
    events = random_game(CHERRY, 3, "cc-58")
    kinds = [type(event) for event in events]
    assert kinds[-3:] == [GoldenCubesReturned, ChipsRevealed, GameEnded]
    before = fold(CHERRY, events[:-2])
    assert all(each.turned_up == () for each in before.boards)
    assert before.outcome is None


def test_cc_59_chips_lie_face_down() -> None:
    """A chip is taken with its value for its owner alone."""
    state = after(table(board(0, small="gpo")))
    event = ChipTaken(0, "bronze", 3)
    taken = CHERRY.evolve(state, event)
    assert redact(taken, 1).boards[0].bronze == (FACE_DOWN,)
    assert redact(event, 1).value == FACE_DOWN
    assert redact(event, 0) == event


def test_cc_60_figures_and_their_sides_are_no_part_of_a_game() -> None:
    assert not [name for name in (*Table.__struct_fields__, *Board.__struct_fields__) if "figure" in name]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_scores_are_counted_again_from_the_events(seats: int) -> None:
    """Stars of every kind and chips, taken from the stream alone."""
    for number in range(15):
        events = random_game(CHERRY, seats, f"count/{number}")
        totals = [0] * seats
        for event in events:
            points = getattr(event, "stars", 0) if not isinstance(event, ChipTaken) else event.value
            if points:
                totals[getattr(event, "seat", 0)] += points
        end = events[-1]
        assert isinstance(end, GameEnded)
        assert list(end.scores) == totals
        assert scores(fold(CHERRY, events)) == end.scores


def test_no_golden_cube_is_left_on_a_board_after_the_end() -> None:
    for number in range(10):
        state = fold(CHERRY, random_game(CHERRY, 4, f"golden/{number}"))
        lying = [cube for each in state.boards for name in BLUE_JARS for cube in contents(each, name)]
        assert "golden" not in lying
        assert state.golden == 12


@pytest.mark.parametrize("move", [put("small"), GoldenCubesLeft(0)])
def test_golden_cubes_before_the_end_are_refused(move: Event) -> None:
    reason = refuse(CHERRY, table(waiting="gp"), 9, move)
    assert reason == "not one of the 6 legal moves of seat 0 (CC-51)"
    of_another = GoldenCubePlaced(1, "small")
    assert refuse(CHERRY, golden(2), 9, of_another) == "not one of the 4 legal moves of seat 0 (CC-51)"
