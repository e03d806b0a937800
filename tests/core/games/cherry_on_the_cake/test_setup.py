"""Cherry on the Cake: the box, and everything before the first choice."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from core.chance import Chance
from core.conformance import seat_counts
from core.engine import append, start
from core.games.cherry_on_the_cake import Cherry, generate
from core.games.cherry_on_the_cake.state import CakeSheet, Piece, Stripe
from core.rng import Rng, seed_key
from core.sheets import parse
from events.base import Event
from events.cherry_on_the_cake import (
    CakeOptions,
    Colour,
    DieRolled,
    PiecesDealt,
    PiecesShuffled,
    PlatesDealt,
    StartCubesPlaced,
)
from events.errors import FormatError, SetupError
from replay.packaged import data_root
from tests.core.games.cherry_on_the_cake.bakery import (
    CHERRY,
    SHEET,
    after,
    board,
    box,
    chance,
    colour,
    cubes,
    dealt,
    due,
    moves,
    perft,
    stripe,
    supply,
    table,
)

CHOSEN = CakeOptions(start_cubes="chosen")


# --- the box ---------------------------------------------------------------------------------------------------------


def test_the_sheet_is_what_the_generator_writes() -> None:
    assert (data_root() / "sheets" / "cherry-on-the-cake.toml").read_text() == generate.sheet_text()


def test_the_sheet_has_the_attested_numbers() -> None:
    assert (5 * SHEET.cubes + SHEET.golden_cubes, SHEET.golden_cubes) == (102, 12)
    assert SHEET.colours == get_args(Colour)
    assert [len(SHEET.bronze), len(SHEET.silver), len(SHEET.gold)] == [22, 22, 22]
    assert (len(SHEET.pieces), len(SHEET.plates), SHEET.seats, len(SHEET.die)) == (40, 4, (2, 4), 6)
    assert (SHEET.capacity, SHEET.pays, SHEET.exchange_rate) == ((3, 4, 5), ("bronze", "silver", "gold"), 3)
    assert {piece: len(piece.stripes) for piece in SHEET.pieces} == dict.fromkeys(SHEET.pieces, 5)
    invented = {name for name, source in SHEET.provenance.items() if source == "reconstructed"}
    assert invented >= {"bronze", "silver", "gold", "pieces", "plates", "width", "die"}


def symbols(piece: Piece, name: str) -> int:
    """Count the symbols of a kind on a piece."""
    return sum([getattr(each, name) for each in piece.stripes])


def test_the_sheet_keeps_the_recipe() -> None:
    colours = [Counter([each.colour for each in piece.stripes]) for piece in SHEET.pieces]
    assert Counter([len(each) for each in colours]) == {5: 30, 4: 10}
    for piece in SHEET.pieces:
        order = [each.colour for each in piece.stripes]
        assert all(left != right for left, right in pairwise(order))
        for edge in ([each.bottom for each in piece.stripes], [each.top for each in piece.stripes]):
            assert all(4 <= high - low <= 7 for low, high in edge)
            assert all(left[1] < right[0] for left, right in pairwise(edge))
    assert Counter([symbols(piece, "cubes") for piece in SHEET.pieces]) == {2: 6, 3: 16, 4: 18}
    assert Counter([symbols(piece, "stars") for piece in SHEET.pieces]) == {0: 20, 1: 16, 2: 4}
    golden = sorted([symbols(piece, "golden") for piece in SHEET.pieces])
    assert Counter(golden) == {0: 13, 1: 22, 2: 5}
    assert sum(golden[-7:]) <= SHEET.golden_cubes
    for plate in SHEET.plates:
        assert sorted([each.colour for each in plate.stripes]) == sorted(SHEET.colours)
        assert [(each.cubes, each.stars, each.golden) for each in plate.stripes] == [(1, 0, 0)] * 5
        assert len(set(plate.start_cubes)) == 3
    bronze, silver, gold = (sum(values) / 22 for values in (SHEET.bronze, SHEET.silver, SHEET.gold))
    assert bronze < silver < gold


TWICE = (stripe("g", (0, 4)),)
SYMMETRIC = (stripe("g", (0, 4), (36, 40)),)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"colours": ("green", "green")}, "each once"),
        ({"capacity": (3, 4, 6)}, "capacity"),
        ({"capacity": (1, 4, 5)}, "capacity"),
        ({"exchange_rate": 0}, "exchange_rate"),
        ({"golden_cubes": -1}, "golden_cubes"),
        ({"die": ()}, "die"),
        ({"die": ("cubes",)}, "how many"),
        ({"cubes": 1}, "fewer than the plates need"),
        ({"seats": (2, 5)}, "too few for 5 seats"),
        ({"pieces": SHEET.pieces[:31]}, "too few for 4 seats"),
        ({"width": 30}, "leaves the edge"),
    ],
)
def test_a_box_that_cannot_be_played_is_refused(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        replace(SHEET, **changes)


@pytest.mark.parametrize(
    ("pieces", "complaint"),
    [
        ([[stripe("g", (4, 4))]], "piece 0: its stripes overlap, are empty"),
        ([[stripe("g", (5, 4))]], "not in order"),
        ([[stripe("g", (0, 4)), stripe("p", (3, 8))]], "overlap"),
        ([[stripe("g", (0, 4), (10, 14)), stripe("p", (5, 8), (2, 6))]], "not in order"),
        ([[stripe("g", (-1, 4))]], "leaves the edge"),
        ([[replace(stripe("g", (0, 4)), stars=-1)]], "counted from 0"),
        ([SYMMETRIC], "its own half turn"),
        ([TWICE, TWICE], "alike"),
        ([TWICE, [stripe("g", (36, 40))]], "alike"),
    ],
)
def test_cc_16_pieces_that_cannot_be_printed_are_refused(pieces: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        box(pieces)


def test_cc_16_a_plate_has_a_top_edge_in_order() -> None:
    with pytest.raises(ValueError, match="plate 0"):
        box(plate=[Stripe(colour="green", top=(3, 3))])


def test_a_colour_that_the_box_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="not one of `colours`"):
        replace(SHEET, colours=SHEET.colours[:4], capacity=(2, 3, 4))


def test_a_broken_file_is_refused_in_one_line() -> None:
    text = generate.sheet_text().replace('colour = "pink"', 'colour = "beige"', 1)
    with pytest.raises(FormatError, match="beige") as caught:
        parse(text, CakeSheet)
    assert "\n" not in str(caught.value)


# --- setup -----------------------------------------------------------------------------------------------------------


def test_cc_01_two_to_four_seats() -> None:
    assert seat_counts(CHERRY) == [2, 3, 4]
    for seats in (1, 5):
        with pytest.raises(SetupError, match="2 to 4 seats"):
            start(CHERRY, seats)


def test_cc_03_plates_are_dealt_at_random_and_to_one_seat_each() -> None:
    state = CHERRY.evolve(CHERRY.initial(), start(CHERRY, 3))
    happening = chance(state)
    found = [happening.sample(Rng(seed_key("plates"), number)) for number in range(200)]
    assert all(happening.admits(event) for event in found)
    assert len({event.plates for event in found if isinstance(event, PlatesDealt)}) == 24
    for plates in ((0, 1), (0, 1, 1), (0, 1, 4), (0, 1, -1), (0, 1, 2, 3)):
        assert not happening.admits(PlatesDealt(plates))
    assert not happening.admits(DieRolled(0, "one_star"))


def test_cc_04_start_countsgo_into_the_jars_in_printed_order() -> None:
    state = after(CHERRY.initial(), start(CHERRY, 2), PlatesDealt((3, 1)))
    for laid, plate in zip(state.boards, (3, 1), strict=True):
        first, second, third = SHEET.plates[plate].start_cubes
        assert (laid.small, laid.middle, laid.large, laid.exchange) == ((first,), (second,), (third,), ())
    assert sum(state.supply) == 90 - 6


def test_cc_04_or_as_the_seats_choose_clockwise_before_any_piece_is_turned_up() -> None:
    state = after(CHERRY.initial(), start(CHERRY, 2, CHOSEN), PlatesDealt((0, 1)))
    assert [board.shown for board in state.boards] == [(), ()]
    first, second, third = SHEET.plates[0].start_cubes
    options = moves(state)
    assert [move.seat for move in options] == [0] * 6
    state = after(state, StartCubesPlaced(0, (third, first, second)))
    assert (state.boards[0].small, state.boards[0].middle) == ((third,), (first,))
    assert [move.seat for move in moves(state)] == [1] * 6
    state = after(state, StartCubesPlaced(1, SHEET.plates[1].start_cubes))
    assert isinstance(chance(state), Chance)
    assert state.phase == "shuffle"


def test_cc_04_equal_orders_are_one_and_a_single_one_is_forced() -> None:
    green, pink = colour("g"), colour("k")
    plates = (replace(SHEET.plates[0], start_cubes=(green, green, pink)), *SHEET.plates[1:])
    game = box(plates=plates)
    state = after(game.initial(), start(game, 2, CHOSEN), PlatesDealt((0, 1)), game=game)
    assert len(moves(state, game)) == 3
    alike = Cherry(replace(SHEET, plates=(replace(plates[0], start_cubes=(green,) * 3), *plates[1:])))
    state = alike.evolve(alike.evolve(alike.initial(), start(alike, 2, CHOSEN)), PlatesDealt((0, 1)))
    assert due(state, alike) == StartCubesPlaced(0, (green,) * 3)


def test_cc_04_perft_of_three_seats_choosing() -> None:
    """Three different cubes lie in 3! orders, for each of three seats: 6, 36, 216; then chance deals."""
    state = after(CHERRY.initial(), start(CHERRY, 3, CHOSEN), PlatesDealt((0, 1, 2)))
    assert [perft(state, depth) for depth in (1, 2, 3, 4)] == [6, 36, 216, 216]


@pytest.mark.parametrize("pieces", [6, 7, 8])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_cc_08_six_seven_or_eight_pieces_a_seat(seats: int, pieces: Any) -> None:
    state = dealt(seats, CakeOptions(pieces=pieces))
    assert [len(board.shown) + len(board.pile) for board in state.boards] == [pieces] * seats
    assert len(state.spare) == 40 - seats * pieces


def test_cc_61_blocks_of_the_shuffled_pieces_the_first_two_face_up() -> None:
    state = dealt(3, first=tuple(range(39, -1, -1)))
    assert [board.shown for board in state.boards] == [(39, 38), (32, 31), (25, 24)]
    assert [board.pile for board in state.boards] == [(37, 36, 35, 34, 33), (30, 29, 28, 27, 26), (23, 22, 21, 20, 19)]


def test_cc_09_unused_pieces_stay_out_of_play() -> None:
    state = dealt(2, first=tuple(range(39, -1, -1)))
    assert state.spare == tuple(range(25, -1, -1))


def test_the_deal_is_a_consequence_of_the_shuffle_and_no_other_is_accepted() -> None:
    state = after(CHERRY.initial(), start(CHERRY, 2), PlatesDealt((0, 1)))
    state = append(CHERRY, state, 1, PiecesShuffled(tuple(range(40))))
    event: Event = due(state)
    assert event == PiecesDealt(((0, 1), (7, 8)), ((2, 3, 4, 5, 6), (9, 10, 11, 12, 13)))


def test_a_shuffle_has_every_piece_once() -> None:
    state = after(CHERRY.initial(), start(CHERRY, 2), PlatesDealt((0, 1)))
    assert chance(state).admits(PiecesShuffled(tuple(range(39, -1, -1))))
    assert not chance(state).admits(PiecesShuffled((*range(39), 0)))


def test_supply_at_the_start_of_play() -> None:
    """Plates 0 and 1 take green, purple, orange and purple, orange, pink."""
    state = dealt(2)
    spent = supply("gpo" + "pok")
    assert state.supply == tuple([18 - count for count in spent])
    assert state.golden == 12
    assert cubes("gpo") == SHEET.plates[0].start_cubes


def test_every_cube_chip_and_piece_is_counted_wherever_it_lies() -> None:
    """In jars, waiting, in the supply; before a seat, turned up, with nobody; in a cake, in sight, in a pile, spare."""
    mine = board(0, small="g", middle="p", large="o*", exchange="k", cake=((3, 0),), shown=(4,), pile=(5,), bronze=(1,))
    other = board(1, turned_up=((2,), (), (5, 5)))
    laid = table(mine, other, waiting="g", in_hand=2, golden=1, supply=(7, 0, 0, 0, 1), spare=(6,))
    laid = replace(laid, bronze=(1, 3), silver=(4,), gold=(5,))
    counts = {"green": 9, "purple": 1, "orange": 1, "pink": 1, "blue": 1, "golden": 4}
    chips = {"bronze 1": 2, "bronze 2": 1, "bronze 3": 1, "silver 4": 1, "gold 5": 3}
    pieces = {f"piece {number}": 1 for number in (3, 4, 5, 6)}
    assert dict(CHERRY.census(laid)) == counts | chips | pieces
