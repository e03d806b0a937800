"""Cherry on the Cake: taking cubes, distributing them, emptying jars, exchanging, counting stars, the consolation."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from msgspec.structs import replace

from core.engine import append, refuse
from core.games.cherry_on_the_cake.state import Table
from core.rng import Rng, seed_key
from events.base import Event, Move
from events.cherry_on_the_cake import (
    CakeOptions,
    ChipTaken,
    ConsolationDeclined,
    ConsolationTaken,
    CubeExchanged,
    CubePlaced,
    CubesReturned,
    CubesTaken,
    DieRolled,
    ExchangeDeclined,
    GoldenCubesTaken,
    JarEmptied,
    StarsCounted,
    TurnStarted,
)
from tests.core.games.cherry_on_the_cake.bakery import (
    CHERRY,
    after,
    board,
    box,
    cake,
    chance,
    colour,
    cubes,
    due,
    jar,
    moves,
    perft,
    plain,
    run,
    settled,
    stripe,
    supply,
    table,
)

NO_SPACE = {"small": "gpo", "middle": "gpok", "large": "gpokb"}


def put(letter: str, name: Any) -> CubePlaced:
    """Give the move of seat 0 that puts a received cube into a jar."""
    return CubePlaced(0, colour(letter), name)


def exchanged(letter: str, name: Any) -> CubeExchanged:
    """Give the move of seat 0 that takes a cube for three."""
    return CubeExchanged(0, colour(letter), name)


def jars(state: Table, seat: int = 0) -> tuple[tuple[str, ...], ...]:
    """Give what lies in the jars of a seat: small, middle, large, exchange."""
    own = state.boards[seat]
    return own.small, own.middle, own.large, own.exchange


def filled(small: str = "", middle: str = "", large: str = "", exchange: str = "") -> tuple[tuple[str, ...], ...]:
    """Give jars with these cubes."""
    return jar(small), jar(middle), jar(large), jar(exchange)


# --- a) taking cubes -------------------------------------------------------------------------------------------------


def shown(symbols: str, letter: str = "g", **fields: Any) -> Table:
    """Give a table on which the new piece is connected with a plate that has these symbols."""
    game = box([[stripe(letter, (0, 5), (0, 6))]], [plain(letter, (0, 5), symbols)])
    return table(cake(0), phase="take", connected=((0, 0), (1, 0)), game=game, **{"gained": 0, **fields})


def test_cc_25_all_cubes_are_taken() -> None:
    assert due(shown("ccc")) == CubesTaken(0, cubes("ggg"))
    state = after(shown("ccc"))
    assert sum(state.supply) == 90 - 3
    assert refuse(CHERRY, shown("ccc"), 9, CubesTaken(0, cubes("gg"))) is not None


@pytest.mark.parametrize(("left", "taken"), [("gggk", "ggg"), ("ggk", "gg"), ("kkk", "")])
def test_cc_26_what_the_supply_lacks_is_lost(left: str, taken: str) -> None:
    assert due(shown("ccc", supply=supply(left))) == CubesTaken(0, cubes(taken))


def test_cc_26_each_colour_for_itself() -> None:
    game = box(
        [[stripe("g", (0, 5), (0, 6)), stripe("p", (10, 15))]],
        [plain("g", (0, 5), "ccc"), plain("p", (10, 15), "c")],
    )
    state = table(cake(0), phase="take", connected=((0, 0), (0, 1), (1, 0), (1, 1)), game=game, supply=supply("gppp"))
    assert due(state, game) == CubesTaken(0, cubes("gp"))


# --- b) distributing -------------------------------------------------------------------------------------------------


def test_cc_27_a_cube_goes_into_a_blue_jar_with_room_and_without_its_colour() -> None:
    state = table(board(0, small="gp", middle="o", large="k"), waiting="go")
    assert moves(state) == [put("g", "middle"), put("g", "large"), put("o", "small"), put("o", "large")]


def test_cc_27_into_the_exchange_jar_where_the_colour_lies_in_every_jar() -> None:
    state = table(board(0, small="g", middle="g", large="g"), waiting="g")
    assert due(state) == put("g", "exchange")


def test_cc_27_or_where_jars_without_the_colour_are_full() -> None:
    """The two readings differ here: pink lies in the large jar alone, but the other jars are full."""
    state = table(board(0, small="gpo", middle="gpob", large="k"), waiting="kk")
    assert due(state) == put("k", "exchange")


def test_cc_27_never_into_the_exchange_jar_while_a_blue_jar_takes_it() -> None:
    state = table(board(0, small="g", middle="g", large="p"), waiting="gb")
    assert put("g", "exchange") not in moves(state)
    assert refuse(CHERRY, state, 9, put("g", "exchange")) == "not one of the 4 legal moves of seat 0 (CC-27)"


def test_cc_27_never_more_cubes_than_a_jar_holds_nor_two_of_a_colour() -> None:
    state = table(board(0, small="gpo", middle="k", large="g"), waiting="kg")
    for move in (put("k", "small"), put("k", "middle"), put("g", "large")):
        assert refuse(CHERRY, state, 9, move) is not None


def test_cc_28_equal_cubes_are_one_option() -> None:
    state = table(waiting="ggg")
    assert moves(state) == [put("g", "small"), put("g", "middle"), put("g", "large")]


def test_cc_28_room_is_tested_at_each_cube() -> None:
    """Green first fills the small jar, so purple goes elsewhere; the order is the seat's."""
    start = board(0, small="ok", middle="p", large="p")
    state = after(table(start, waiting="gp"), put("g", "small"))
    assert jars(state)[3] == cubes("p")
    other = after(table(start, waiting="gp"), put("p", "small"))
    assert jars(other)[3] == ()
    assert moves(other) == [put("g", "middle"), put("g", "large")]


def test_cc_28_there_is_no_duty_to_use_room() -> None:
    """Orange may take the last place that green could have had, though it has room elsewhere."""
    state = table(board(0, small="pk", middle="g", large="g"), waiting="go")
    assert put("g", "small") in moves(state)
    state = after(state, put("o", "small"))
    assert cubes("g") == state.boards[0].exchange


def test_cc_28_a_single_option_is_forced() -> None:
    """Green has room in the large jar alone; it goes there unasked, step c) follows, and the next seat has the turn."""
    state = table(board(0, small="g", middle="g", large="p"), waiting="g")
    assert run(state) == [put("g", "large"), StarsCounted(0, 0), TurnStarted(1, 2)]


def test_cc_28_perft_of_three_cubes_of_one_colour() -> None:
    """Three empty jars, three green cubes: 3 jars, then 2, then the last is forced. 3, 6, 6."""
    assert [perft(table(waiting="ggg"), depth) for depth in (1, 2, 3)] == [3, 6, 6]


def test_cc_28_perft_of_two_colours() -> None:
    """g and p into three empty jars: 6 first moves, then 3 for the cube that is left: 18."""
    assert [perft(table(waiting="gp"), depth) for depth in (1, 2, 3)] == [6, 18, 18]


def test_cc_28_perft_with_a_nearly_full_jar() -> None:
    """Small holds g p and one more; middle and large are empty.

    o o: the first o into s, m or l; after s (now full) the second has m or l, after m it has s or l, after l s or m:
    3, then 6. o k: o to s fills it, k has m or l (2); o to m or l, k has s, m or l (3 each): 8; with k first likewise:
    6, then 16.
    """
    start = board(0, small="gp")
    assert [perft(table(start, waiting="oo"), depth) for depth in (1, 2)] == [3, 6]
    assert [perft(table(start, waiting="ok"), depth) for depth in (1, 2)] == [6, 16]


# --- b) emptying and exchanging --------------------------------------------------------------------------------------


def test_cc_29_nothing_is_emptied_or_exchanged_while_cubes_wait() -> None:
    state = table(board(0, small="gpo", exchange="bbb"), waiting="ko")
    assert {type(move) for move in moves(state)} == {CubePlaced}
    assert refuse(CHERRY, state, 9, JarEmptied(0, "small", jar("gpo"))) is not None
    assert refuse(CHERRY, state, 9, CubesReturned(0, cubes("bbb"))) is not None


@pytest.mark.parametrize(
    ("name", "content", "metal"), [("small", "gpo", "bronze"), ("middle", "gpok", "silver"), ("large", "gpokb", "gold")]
)
def test_cc_30_a_full_jar_pays_a_chip_of_its_metal(name: Any, content: str, metal: Any) -> None:
    state = table(board(0, **{name: content}))
    assert due(state) == JarEmptied(0, name, jar(content))
    emptied = settled(state)
    assert getattr(emptied.boards[0], name) == ()
    assert sum(emptied.supply) == 90
    happening = chance(emptied)
    assert {event.metal for event, _ in happening.odds if isinstance(event, ChipTaken)} == {metal}


def test_cc_30_all_full_jars_are_emptied_in_the_seats_order() -> None:
    state = table(board(0, **NO_SPACE))
    assert [move.jar for move in moves(state) if isinstance(move, JarEmptied)] == ["small", "middle", "large"]
    state = after(state, JarEmptied(0, "middle", jar("gpok")), ChipTaken(0, "silver", 3))
    assert [move.jar for move in moves(state) if isinstance(move, JarEmptied)] == ["small", "large"]


def test_cc_30_emptying_is_a_duty() -> None:
    state = table(board(0, **NO_SPACE))
    assert all(isinstance(move, JarEmptied) for move in moves(state))


def test_cc_31_emptying_and_exchanging_in_the_seats_order() -> None:
    """Emptied first, the small jar can take the exchanged cube; exchanged first, it cannot."""
    state = table(board(0, small="gpo", exchange="bbb"))
    assert moves(state) == [JarEmptied(0, "small", jar("gpo")), CubesReturned(0, cubes("bbb"))]
    first = after(state, JarEmptied(0, "small", jar("gpo")), ChipTaken(0, "bronze", 1))
    assert exchanged("g", "small") in moves(first)
    second = after(state, CubesReturned(0, cubes("bbb")))
    assert exchanged("g", "small") not in moves(second)


def test_cc_31_an_exchanged_cube_fills_a_jar_which_is_emptied_then() -> None:
    state = after(table(board(0, middle="gpo", exchange="bbb")), exchanged("k", "middle"))
    assert state.phase == "chip"
    assert state.metal == "silver"


def test_cc_32_six_are_exchanged_twice() -> None:
    state = table(board(0, exchange="bbbbbb"))
    assert due(state) == CubesReturned(0, cubes("bbb"))
    state = after(state, exchanged("g", "small"))
    assert jars(state) == filled("g")
    assert moves(state) == [*[exchanged(each, where) for each, where in _anywhere("g", "small")], ExchangeDeclined(0)]


def _anywhere(taken: str, where: str) -> list[tuple[str, str]]:
    """Give each colour with each blue jar, but one pair."""
    pairs = [(each, name) for each in "gpokb" for name in ("small", "middle", "large")]
    return [pair for pair in pairs if pair != (taken, where)]


def test_cc_32_exchanging_is_a_duty_from_three_on() -> None:
    assert due(table(board(0, exchange="bkg"))) == CubesReturned(0, cubes("gkb"))
    assert due(table(board(0, exchange="bk"))) == StarsCounted(0, 0)


@pytest.mark.parametrize(
    ("held", "given"),
    [
        ("bbbg", "bbg"),  # after two, blue and green are level, and green comes first
        ("bbgk", "bgk"),  # blue is most numerous; then all three are level: green, then pink
        ("ggkkb", "gkg"),
        ("gpokb", "gpo"),
        ("bbbbkkk", "bbk"),
    ],
)
def test_cc_33_the_most_numerous_colour_goes_back_recounted_each_time(held: str, given: str) -> None:
    event = due(table(board(0, exchange=held)))
    assert isinstance(event, CubesReturned)
    assert Counter(event.cubes) == Counter(cubes(given))


def test_cc_33_or_what_the_seat_likes() -> None:
    state = table(board(0, exchange="ggkb"), options=CakeOptions(give_back="chosen"))
    assert moves(state) == [CubesReturned(0, cubes(price)) for price in ("ggk", "ggb", "gkb")]
    state = after(state, CubesReturned(0, cubes("gkb")))
    assert jars(state)[3] == cubes("g")


def test_cc_34_the_cube_taken_may_have_the_colour_given_back() -> None:
    state = settled(table(board(0, exchange="bbb")))
    assert exchanged("b", "small") in moves(state)


def test_cc_35_taking_is_optional_and_into_blue_jars_alone() -> None:
    state = settled(table(board(0, small="g", middle="g", large="g", exchange="bbb")))
    assert ExchangeDeclined(0) in moves(state)
    assert all(isinstance(move, ExchangeDeclined | CubeExchanged) for move in moves(state))
    assert exchanged("g", "small") not in moves(state)
    state = after(state, ExchangeDeclined(0))
    assert jars(state) == filled("g", "g", "g")


def test_cc_35_three_go_for_nothing_where_no_blue_jar_takes_a_cube() -> None:
    """All blue jars are full and wait to be emptied; the seat chose to exchange first."""
    state = table(board(0, **NO_SPACE, exchange="bbb"))
    state = append(CHERRY, state, 9, CubesReturned(0, cubes("bbb")))
    assert due(state) == ExchangeDeclined(0)


def test_cc_35_the_supply_is_read_after_the_three_are_back() -> None:
    state = table(board(0, exchange="bbb"), supply=supply(""))
    state = settled(state)
    assert moves(state) == [
        *[exchanged("b", name) for name in ("small", "middle", "large")],
        ExchangeDeclined(0),
    ]


def test_cc_38_a_metal_that_has_run_out_brings_no_chip() -> None:
    state = table(board(0, small="gpo"), bronze=(), gained=1)
    assert run(state) == [JarEmptied(0, "small", jar("gpo")), StarsCounted(0, 0), TurnStarted(1, 2)]


def test_cc_38_and_for_gold_no_roll() -> None:
    state = table(board(0, large="gpokb"), gold=(), gained=1)
    assert run(state) == [JarEmptied(0, "large", jar("gpokb")), StarsCounted(0, 0), TurnStarted(1, 2)]


# --- chips -----------------------------------------------------------------------------------------------------------


def test_cc_39_each_chip_of_a_metal_is_as_likely() -> None:
    state = settled(table(board(0, small="gpo")))
    assert chance(state).odds == (
        (ChipTaken(0, "bronze", 1), 6),
        (ChipTaken(0, "bronze", 2), 10),
        (ChipTaken(0, "bronze", 3), 6),
    )


def test_cc_39_a_chip_that_is_gone_is_not_drawn_again() -> None:
    state = settled(table(board(0, small="gpo"), bronze=(1, 1, 3)))
    assert not chance(state).admits(ChipTaken(0, "bronze", 2))
    assert not chance(state).admits(ChipTaken(1, "bronze", 1))
    assert not chance(state).admits(ChipTaken(0, "silver", 3))
    taken = CHERRY.evolve(state, ChipTaken(0, "bronze", 1))
    assert (taken.bronze, taken.boards[0].bronze) == ((1, 3), (1,))


def test_cc_39_chips_lie_by_value_so_that_none_has_an_identity() -> None:
    """Whoever draws 2, then 1, holds what whoever draws 1, then 2, holds."""
    state = settled(table(board(0, small="gpo")))
    one, other = (
        CHERRY.evolve(CHERRY.evolve(state, ChipTaken(0, "bronze", first)), ChipTaken(0, "bronze", second))
        for first, second in ((1, 2), (2, 1))
    )
    assert one == other
    drawn = [chance(state).sample(Rng(seed_key("chips"), number)) for number in range(300)]
    assert {event.value for event in drawn if isinstance(event, ChipTaken)} == {1, 2, 3}


# --- c) stars, and the consolation -----------------------------------------------------------------------------------


def test_cc_24_stars_on_all_connected_stripes_also_those_counted_before() -> None:
    game = box([[stripe("g", (0, 5), (0, 6), "s")]], [plain("g", (0, 5), "sc")])
    state = table(replace(cake(0), track=7), phase="take", connected=((0, 0), (1, 0)), game=game)
    state = after(state, put("g", "small"), game=game)
    assert state.boards[0].track == 9


def test_rulebook_example_benno_advances_one_space() -> None:
    game = box([[stripe("g", (0, 5), (0, 6))]], [plain("g", (0, 5), "s")])
    state = table(cake(0), phase="take", connected=((0, 0), (1, 0)), game=game)
    assert run(state, game)[:2] == [CubesTaken(0, ()), StarsCounted(0, 1)]
    assert settled(state, game).boards[0].track == 1


def nothing(**fields: Any) -> Table:
    """Give a table on which the seat's new piece connects nothing."""
    return table(
        fields.pop("own", board(0)),
        board(1),
        phase="take",
        connected=(),
        **{"gained": 0, **fields},
    )


def test_cc_36_the_consolation_is_any_coloured_cube_or_nothing() -> None:
    state = settled(nothing())
    assert moves(state) == [*[ConsolationTaken(0, name) for name in CHERRY.sheet.colours], ConsolationDeclined(0)]


def test_cc_36_it_goes_into_the_exchange_jar_though_a_blue_jar_has_room() -> None:
    state = CHERRY.evolve(settled(nothing()), ConsolationTaken(0, "green"))
    assert jars(state) == filled(exchange="g")
    assert sum(state.supply) == 90 - 1


def test_cc_36_a_third_cube_is_exchanged_at_once() -> None:
    state = settled(nothing(own=board(0, exchange="bb")))
    state = append(CHERRY, state, 9, ConsolationTaken(0, "green"))
    assert due(state) == CubesReturned(0, cubes("bgb"))
    state = after(state)
    assert exchanged("k", "large") in moves(state)


def test_cc_36_only_colours_in_the_supply_and_nothing_if_there_is_none() -> None:
    assert moves(settled(nothing(supply=supply("kk")))) == [ConsolationTaken(0, "pink"), ConsolationDeclined(0)]
    empty = nothing(supply=supply(""))
    assert run(empty) == [CubesTaken(0, ()), StarsCounted(0, 0), ConsolationDeclined(0), TurnStarted(1, 2)]


@pytest.mark.parametrize(
    ("symbols", "left", "consoled"),
    [
        ("", "gpokb", True),  # connected, but nothing depicted
        ("**", "gpokb", True),  # golden cubes count as nothing
        ("c", "pokb", True),  # a supply shortage to zero counts as none
        ("c", "gpokb", False),
        ("s", "gpokb", False),
        ("cs", "pokb", False),
    ],
)
def test_cc_37_whoever_got_neither_cube_nor_star_is_consoled(symbols: str, left: str, consoled: bool) -> None:
    game = box([[stripe("g", (0, 5), (0, 6))]], [plain("g", (0, 5), symbols)])
    state = table(cake(0), phase="take", connected=((0, 0), (1, 0)), game=game, supply=supply(left))
    state = settled(state, game)
    if state.waiting:
        state = after(state, put("g", "small"), game=game)
    assert (state.phase == "consolation") is consoled


def test_cc_37_in_the_seats_own_turn_and_once() -> None:
    """The exchange and the emptying that follow a consolation bring no second one."""
    state = settled(nothing(own=board(0, small="gp", exchange="bb")))
    state = after(state, ConsolationTaken(0, "blue"), exchanged("o", "small"))
    assert state.phase == "chip"
    assert state.part == "consolation"
    state = CHERRY.evolve(state, ChipTaken(0, "bronze", 2))
    assert due(state) == TurnStarted(1, 2)


def test_the_roll_for_a_gold_chip_comes_before_anything_else() -> None:
    state = after(table(board(0, **NO_SPACE)), JarEmptied(0, "large", jar("gpokb")), ChipTaken(0, "gold", 4))
    assert {type(event) for event, _ in chance(state).odds} == {DieRolled}


# --- the rulebook's examples -----------------------------------------------------------------------------------------


def test_rulebook_example_1_lina_fills_her_small_jar() -> None:
    """Two green and one purple; the small jar then holds three cubes of different colours and pays bronze."""
    state = after(table(board(0, small="o", middle="k", large="b"), waiting="ggp"), put("g", "small"))
    state = after(state, put("p", "small"), put("g", "middle"))
    assert (state.phase, state.metal) == ("chip", "bronze")
    state = after(state, ChipTaken(0, "bronze", 2))
    assert state.boards[0].bronze == (2,)
    assert jars(state) == filled("", "kg", "b")


def test_rulebook_example_2_max_exchanges_for_purple() -> None:
    """Green lies in all three jars, so the green cube goes to two others; for the three he takes purple and silver."""
    state = table(board(0, small="g", middle="gok", large="g", exchange="gb"), waiting="g")
    assert due(state) == put("g", "exchange")
    state = after(state)
    assert state.phase == "exchange"
    assert jars(state)[3] == ()
    state = after(state, exchanged("p", "middle"))
    assert (state.phase, state.metal) == ("chip", "silver")
    state = after(state, ChipTaken(0, "silver", 4))
    assert jars(state) == filled("g", "", "g")


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "rule"),
    [
        (CubePlaced(1, "green", "small"), "CC-27"),
        (CubePlaced(0, "blue", "small"), "CC-27"),
        (JarEmptied(0, "small", ()), "CC-30"),
        (CubesReturned(0, ()), "CC-32"),
        (CubeExchanged(0, "green", "small"), "CC-35"),
        (ExchangeDeclined(0), "CC-35"),
        (ConsolationTaken(0, "green"), "CC-36"),
        (ConsolationDeclined(0), "CC-36"),
        (GoldenCubesTaken(0, 3), "CC-50"),
    ],
)
def test_moves_out_of_turn_or_window_are_refused_with_their_rule(move: Event, rule: str) -> None:
    state = table(waiting="gp")
    assert refuse(CHERRY, state, 9, move) == f"not one of the 6 legal moves of seat 0 ({rule})"
    assert move not in moves(state)


def test_a_forced_step_is_not_a_move() -> None:
    state = table(board(0, small="g", middle="g", large="p"), waiting="g")
    assert moves(state) == []
    wrong: Move = put("g", "exchange")
    reason = refuse(CHERRY, state, 9, wrong)
    assert reason is not None
    assert reason.endswith("here (CC-27)")
