"""Cherry on the Cake: the die that comes with a golden chip."""

from __future__ import annotations

from typing import Any

import pytest

from core.engine import append, refuse
from core.games.cherry_on_the_cake.state import Board, Table
from events.cherry_on_the_cake import (
    AmountChosen,
    CakeOptions,
    ChipTaken,
    DieCubePlaced,
    DieGoldenCubePlaced,
    DieRolled,
    DieStarsCounted,
    Face,
    JarEmptied,
    RollAccepted,
    RollDeclined,
    StarsCounted,
    TurnStarted,
)
from tests.core.games.cherry_on_the_cake.bakery import (
    CHERRY,
    after,
    board,
    chance,
    colour,
    due,
    jar,
    moves,
    perft,
    run,
    supply,
    table,
)

FOUR = CakeOptions(die="four_results")
ONE_JAR = CakeOptions(die_cubes="one_jar")
OPTIONAL = CakeOptions(roll_optional=True)
CHIP = ChipTaken(0, "gold", 4)


def chip(own: Board | None = None, **fields: Any) -> Table:
    """Give a table on which seat 0 has just taken a golden chip."""
    state = table(*([own] if own else []), phase="chip", metal="gold", **{"gained": 1, **fields})
    return append(CHERRY, state, 9, CHIP)


def rolled(face: Face, own: Board | None = None, **fields: Any) -> Table:
    """Give a table on which seat 0 has rolled the die for a golden chip."""
    return append(CHERRY, chip(own, **fields), 9, DieRolled(0, face))


def put(letter: str, name: Any) -> DieCubePlaced:
    """Give the move of seat 0 that puts a cube of the die into a jar."""
    return DieCubePlaced(0, colour(letter), name)


def test_cc_40_six_faces_of_one_sixth() -> None:
    faces: tuple[Face, ...] = ("one_cube", "two_cubes", "golden_cube", "one_star", "two_stars", "bronze_chip")
    assert chance(chip()).odds == tuple([(DieRolled(0, face), 1) for face in faces])
    assert not chance(chip()).admits(DieRolled(0, "cubes"))
    assert not chance(chip()).admits(DieRolled(1, "one_star"))


def test_cc_40_or_four_results_of_a_quarter() -> None:
    results: tuple[Face, ...] = ("cubes", "golden_cube", "stars", "bronze_chip")
    assert chance(chip(options=FOUR)).odds == tuple([(DieRolled(0, face), 1) for face in results])


def test_cc_40_of_four_results_the_seat_chooses_one_or_two() -> None:
    stars = rolled("stars", options=FOUR)
    assert moves(stars) == [AmountChosen(0, 1), AmountChosen(0, 2)]
    assert after(stars, AmountChosen(0, 2)).boards[0].track == 2
    cubes = after(rolled("cubes", options=FOUR), AmountChosen(0, 1))
    assert after(cubes, put("g", "small")).boards[0].small == jar("g")
    assert refuse(CHERRY, cubes, 9, AmountChosen(0, 2)) == "not one of the 15 legal moves of seat 0 (CC-40)"


def test_cc_40_one_cube_in_the_supply_leaves_no_amount_to_choose() -> None:
    assert due(rolled("cubes", options=FOUR, supply=supply("g"))) == AmountChosen(0, 1)
    assert due(rolled("cubes", options=FOUR, supply=supply(""))) == StarsCounted(0, 0)


def test_cc_41_the_roll_is_automatic() -> None:
    assert moves(chip()) == []
    assert chip().phase == "rolling"


def test_cc_41_or_optional() -> None:
    state = chip(options=OPTIONAL)
    assert moves(state) == [RollAccepted(0), RollDeclined(0)]
    assert chance(after(state, RollAccepted(0))).odds
    assert run(append(CHERRY, state, 9, RollDeclined(0))) == [StarsCounted(0, 0), TurnStarted(1, 2)]


@pytest.mark.parametrize(("face", "stars"), [("one_star", 1), ("two_stars", 2)])
def test_cc_41_stars_advance_the_marker(face: Face, stars: int) -> None:
    assert due(rolled(face)) == DieStarsCounted(0, stars)
    assert after(rolled(face)).boards[0].track == stars


def test_cc_41_cubes_are_a_duty_and_of_any_colour_in_the_supply() -> None:
    assert {type(move) for move in moves(rolled("one_cube"))} == {DieCubePlaced}
    assert moves(rolled("one_cube", supply=supply("k"))) == [put("k", name) for name in ("small", "middle", "large")]


@pytest.mark.parametrize(("left", "placed"), [("", 0), ("k", 1), ("kk", 2), ("kkk", 2)])
def test_cc_41_two_cubes_as_far_as_the_supply_goes(left: str, placed: int) -> None:
    state = after(rolled("two_cubes", supply=supply(left)))
    for _ in range(placed):
        state = after(state, moves(state)[0])
    own = state.boards[0]
    assert len((*own.small, *own.middle, *own.large)) == placed
    assert state.phase == "place"


def test_cc_42_each_cube_under_the_normal_rules() -> None:
    """The second green cube finds green in every jar, or full, and goes into the exchange jar."""
    state = after(rolled("two_cubes", board(0, small="g", middle="g")), put("g", "large"))
    assert put("g", "exchange") in moves(state)
    assert put("k", "exchange") not in moves(state)
    assert put("k", "small") in moves(state)


def test_cc_42_perft_of_two_cubes_placed_one_by_one() -> None:
    """Five colours into three empty jars: 15; then 14 of these again and no second of that colour in that jar: 14."""
    state = rolled("two_cubes")
    assert [perft(state, depth) for depth in (1, 2, 3)] == [15, 15 * 14, 15 * 14]


def test_cc_42_or_both_into_one_blue_jar() -> None:
    state = rolled("two_cubes", board(0, small="gp", middle="g"), options=ONE_JAR)
    assert {move.jar for move in moves(state) if isinstance(move, DieCubePlaced)} == {"middle", "large"}
    state = after(state, put("k", "middle"))
    assert moves(state) == [put(letter, "middle") for letter in "pob"]


def test_cc_42_the_jar_of_an_earlier_roll_does_not_bind_the_next() -> None:
    jars = {"small", "middle", "large"}
    again = rolled("two_cubes", die_jar="small", options=ONE_JAR)
    assert {move.jar for move in moves(again) if isinstance(move, DieCubePlaced)} == jars
    both = CakeOptions(die="four_results", die_cubes="one_jar")
    chosen = after(rolled("cubes", die_jar="small", options=both), AmountChosen(0, 2))
    assert {move.jar for move in moves(chosen) if isinstance(move, DieCubePlaced)} == jars


def test_cc_40_stars_are_one_or_two_whatever_the_supply_of_cubes() -> None:
    stars = rolled("stars", options=FOUR, supply=supply("g"))
    assert moves(stars) == [AmountChosen(0, 1), AmountChosen(0, 2)]


def test_cc_42_perft_of_both_cubes_in_one_jar() -> None:
    """Small is full but for one place; middle has green: 4 colours, then 3; large is empty: 5, then 4. 9, then 32."""
    state = rolled("two_cubes", board(0, small="gp", middle="g"), options=ONE_JAR)
    assert [perft(state, depth) for depth in (1, 2)] == [9, 4 * 3 + 5 * 4]


def test_cc_42_a_single_cube_goes_into_a_blue_jar_under_that_option() -> None:
    state = rolled("one_cube", board(0, small="gp"), options=ONE_JAR)
    assert put("o", "small") in moves(state)
    assert put("g", "small") not in moves(state)


def test_cc_42_two_cubes_of_one_colour_in_the_supply_do_not_fit_one_jar() -> None:
    """The first is placed; no second can follow into the same jar, so the action is over."""
    state = rolled("two_cubes", options=ONE_JAR, supply=supply("kk"))
    state = after(state, put("k", "large"))
    assert state.boards[0].large == jar("k")
    assert state.phase == "place"


def test_cc_43_cubes_of_the_die_do_not_enter_a_full_jar_that_waits() -> None:
    """The large jar was emptied first; small and middle are full and wait, and are emptied after the die."""
    state = rolled("two_cubes", board(0, small="gpo", middle="gpok"))
    assert {move.jar for move in moves(state) if isinstance(move, DieCubePlaced)} == {"large"}
    assert refuse(CHERRY, state, 9, JarEmptied(0, "small", jar("gpo"))) is not None
    state = after(state, put("g", "large"), put("b", "large"))
    assert [move.jar for move in moves(state) if isinstance(move, JarEmptied)] == ["small", "middle"]


def test_cc_29_nothing_is_emptied_between_two_cubes_of_a_roll() -> None:
    state = after(rolled("two_cubes", board(0, small="gp")), put("o", "small"))
    assert {type(move) for move in moves(state)} == {DieCubePlaced}
    state = after(state, put("o", "middle"))
    assert state.phase == "chip"


def test_cc_44_a_cube_of_the_die_may_fill_the_large_jar_again() -> None:
    state = after(rolled("one_cube", board(0, large="gpok")), put("b", "large"))
    assert (state.phase, state.metal) == ("chip", "gold")
    state = append(CHERRY, state, 9, ChipTaken(0, "gold", 6))
    assert {type(event) for event, _ in chance(state).odds} == {DieRolled}
    assert state.boards[0].gold == (4, 6)


def test_cc_38_a_bronze_chip_from_the_die() -> None:
    state = rolled("bronze_chip")
    assert {event.metal for event, _ in chance(state).odds if isinstance(event, ChipTaken)} == {"bronze"}
    state = append(CHERRY, state, 9, ChipTaken(0, "bronze", 2))
    assert due(state) == StarsCounted(0, 0)
    assert due(rolled("bronze_chip", bronze=())) == StarsCounted(0, 0)


def test_cc_45_a_golden_cube_goes_into_a_blue_jar() -> None:
    state = rolled("golden_cube")
    assert moves(state) == [DieGoldenCubePlaced(0, name) for name in ("small", "middle", "large")]
    state = after(state, DieGoldenCubePlaced(0, "middle"))
    assert (state.boards[0].middle, state.golden) == (jar("*"), 11)


def test_cc_45_it_clashes_with_no_colour_and_fills_one_slot() -> None:
    state = after(rolled("golden_cube", board(0, small="g*")), DieGoldenCubePlaced(0, "small"))
    assert (state.phase, state.metal) == ("chip", "bronze")


def test_cc_45_it_goes_back_to_the_golden_supply_when_its_jar_is_emptied() -> None:
    state = table(board(0, small="g*p"), gained=1)
    assert (state.golden, sum(state.supply)) == (11, 88)
    assert due(state) == JarEmptied(0, "small", jar("g*p"))
    state = after(state)
    assert (state.golden, sum(state.supply)) == (12, 90)


def test_cc_45_nothing_if_all_are_out() -> None:
    state = rolled("golden_cube", golden=0)
    assert due(state) == StarsCounted(0, 0)


def test_cc_45_a_single_jar_with_room_is_no_choice() -> None:
    state = rolled("golden_cube", board(0, small="gpo", middle="gpok"))
    assert due(state) == DieGoldenCubePlaced(0, "large")


def test_cc_46_colours_are_compared_among_coloured_cubes_only() -> None:
    state = table(board(0, small="**", middle="*g", large="*"), waiting="gp")
    jars = [(move.colour, move.jar) for move in moves(state) if hasattr(move, "colour") and hasattr(move, "jar")]
    assert jars == [
        ("green", "small"),
        ("green", "large"),
        ("purple", "small"),
        ("purple", "middle"),
        ("purple", "large"),
    ]


def test_cc_47_no_exchange_or_die_cube_is_golden() -> None:
    exchange = after(table(board(0, exchange="bbb")))
    cubes = rolled("two_cubes")
    for state in (exchange, cubes):
        assert {getattr(move, "colour", "green") for move in moves(state)} == {*CHERRY.sheet.colours}


def test_cc_44_a_chain_ends_with_the_golden_chips() -> None:
    """The last golden chip brings a roll; its cube fills the large jar once more, which then brings nothing."""
    state = rolled("one_cube", board(0, large="gpok"), gold=(4,))
    state = append(CHERRY, state, 9, put("b", "large"))
    assert run(state) == [JarEmptied(0, "large", jar("gpokb")), StarsCounted(0, 0), TurnStarted(1, 2)]
