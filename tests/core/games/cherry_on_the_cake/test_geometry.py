"""Cherry on the Cake: what is connected. Pieces of one or two stripes, straight where only one interval is given."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from core.games.cherry_on_the_cake.geometry import connected, joints, lower_edge, overlap, upper_edge
from core.games.cherry_on_the_cake.state import Piece, PieceStripe, Stripe, half_turn
from core.reducer import put
from events.cherry_on_the_cake import CubesTaken, StripeAt
from tests.core.games.cherry_on_the_cake.bakery import SHEET, box, cake, cubes, due, plain, stripe, table

NO_STRIPES: tuple[Stripe, ...] = ()


def lit(
    *pieces: Sequence[PieceStripe], plate: Sequence[Stripe] = NO_STRIPES, layers: Sequence[int] | None = None
) -> tuple[StripeAt, ...]:
    """Give what the last of some pieces, stacked upright unless `layers` says otherwise, connects."""
    game = box(pieces, plate)
    return connected(game.sheet, cake(*(range(len(pieces)) if layers is None else layers)))


def taken(*pieces: Sequence[PieceStripe], plate: Sequence[Stripe] = NO_STRIPES) -> Sequence[str]:
    """Give the cubes that the last of some stacked pieces brings."""
    game = box(pieces, plate)
    board = cake(*range(len(pieces)))
    state = table(board, game=game, phase="take", connected=connected(game.sheet, board))
    event = due(state, game)
    assert isinstance(event, CubesTaken)
    return event.cubes


@pytest.mark.parametrize(
    ("lower", "upper", "shared"),
    [
        ((5, 10), (9, 14), 1),  # by one unit
        ((5, 10), (1, 6), 1),
        ((5, 10), (10, 14), 0),  # corner to corner
        ((5, 10), (1, 5), 0),
        ((5, 10), (11, 14), 0),
        ((5, 10), (6, 8), 2),  # one within the other
        ((6, 8), (5, 10), 2),
        ((5, 10), (5, 10), 5),
    ],
)
def test_cc_15_stripes_join_where_they_share_an_interval_of_positive_length(
    lower: tuple[int, int], upper: tuple[int, int], shared: int
) -> None:
    assert overlap(lower, upper) == overlap(upper, lower) == shared
    joined = lit([stripe("b", (0, 2), lower)], [stripe("b", upper, (30, 33))])
    assert joined == (((1, 0), (2, 0)) if shared else ())


def test_cc_15_stripes_of_two_colours_never_join() -> None:
    assert lit([stripe("b", (5, 10))], [stripe("k", (5, 10), (5, 9))]) == ()


def test_cc_15_rulebook_picture_blue_overlaps_and_pink_touches_corner_to_corner() -> None:
    below = [stripe("b", (0, 2), (4, 10)), stripe("k", (3, 6), (20, 26))]
    above = [stripe("b", (8, 13)), stripe("k", (26, 30))]
    assert lit(below, above) == ((1, 0), (2, 0))


def test_cc_16_the_top_of_the_lower_piece_meets_the_bottom_of_the_upper_one() -> None:
    """Slanted stripes: only the edges that lie upon each other count."""
    assert lit([stripe("b", (0, 4), (20, 24))], [stripe("b", (22, 26), (0, 4))]) == ((1, 0), (2, 0))
    assert lit([stripe("b", (20, 24), (0, 4))], [stripe("b", (22, 26), (0, 4))]) == ()


def test_cc_16_a_half_turn_exchanges_the_edges_and_mirrors_them() -> None:
    slanted = stripe("b", (3, 8), (20, 26))
    assert (lower_edge(slanted, 0, 40), upper_edge(slanted, 0, 40)) == ((3, 8), (20, 26))
    assert (lower_edge(slanted, 180, 40), upper_edge(slanted, 180, 40)) == ((14, 20), (32, 37))
    (turned,) = half_turn(Piece((slanted,)), 40).stripes
    assert (turned.bottom, turned.top) == ((14, 20), (32, 37))


def test_cc_16_two_half_turns_are_none() -> None:
    for piece in SHEET.pieces:
        assert half_turn(half_turn(piece, SHEET.width), SHEET.width) == piece
        assert half_turn(piece, SHEET.width) != piece


def test_cc_16_a_turned_piece_lies_like_its_half_turn() -> None:
    """Turning a piece of the box, and exchanging it for a piece printed the other way up, connect the same stripes."""
    for number in range(1, len(SHEET.pieces)):
        turned = half_turn(SHEET.pieces[number], SHEET.width)
        below = joints(SHEET, cake(0, -number), 2)
        printed = joints(replace(SHEET, pieces=put(SHEET.pieces, number, turned)), cake(0, number), 2)
        last = len(turned.stripes) - 1
        assert sorted(below) == sorted([(lower, last - upper) for lower, upper in printed])


@pytest.mark.parametrize(("rotation", "joined"), [(0, ()), (180, ((1, 0), (2, 0)))])
def test_cc_11_the_rotation_decides(rotation: int, joined: tuple[StripeAt, ...]) -> None:
    layers = [0, 1] if rotation == 0 else [0, -1]
    assert lit([stripe("b", (0, 4))], [stripe("b", (10, 14), (36, 40))], layers=layers) == joined


def test_cc_17_the_whole_component_through_all_layers() -> None:
    tower = [[stripe("g", (n, n + 4), (n + 1, n + 5))] for n in range(5)]
    assert lit(*tower) == ((1, 0), (2, 0), (3, 0), (4, 0), (5, 0))


def test_cc_17_a_component_that_the_new_piece_does_not_belong_to_is_not_collected() -> None:
    below = [stripe("g", (0, 4), (0, 5), "c"), stripe("p", (10, 14), None, "c")]
    between = [stripe("g", (0, 5), (0, 4), "c"), stripe("p", (20, 24), None, "c")]
    above = [stripe("p", (22, 26), None, "c")]
    assert lit(below, between, above) == ((2, 1), (3, 0))
    assert taken(below, between, above) == cubes("pp")


def test_cc_17_a_gap_of_one_layer_breaks_a_component() -> None:
    assert lit([stripe("g", (0, 5))], [stripe("p", (0, 5))], [stripe("g", (0, 5), (0, 6))]) == ()


def test_cc_18_an_unconnected_new_stripe_pays_nothing_not_even_its_own_cubes() -> None:
    below = [stripe("g", (0, 5), None, "c")]
    assert taken(below, [stripe("g", (10, 15), None, "ccc")]) == ()
    assert taken(below, [stripe("g", (4, 9), None, "ccc")]) == cubes("gggg")


def test_cc_19_cubes_are_paid_each_time_their_component_is_extended() -> None:
    layers = [[stripe("g", (n, n + 5), None, "c")] for n in range(4)]
    assert [len(taken(*layers[:height])) for height in (2, 3, 4)] == [2, 3, 4]


def test_cc_20_two_stripes_of_a_colour_on_one_piece_are_not_joined_by_lying_on_it() -> None:
    below = [stripe("g", (0, 5), None, "c")]
    above = [stripe("g", (2, 6), None, "c"), stripe("g", (20, 25), None, "c")]
    assert lit(below, above) == ((1, 0), (2, 0))
    assert taken(below, above) == cubes("gg")


def test_cc_20_two_stripes_of_a_colour_join_one_component_below() -> None:
    below = [stripe("g", (10, 20), None, "c")]
    above = [stripe("g", (6, 12), None, "c"), stripe("g", (18, 24), None, "c")]
    assert lit(below, above) == ((1, 0), (2, 0), (2, 1))
    assert taken(below, above) == cubes("ggg")


def test_cc_20_an_untouched_second_stripe_is_reached_through_an_older_branch() -> None:
    """The two stripes of the second piece are joined by the third, so placing the fourth collects both."""
    first = [stripe("g", (0, 4), None, "c")]
    second = [stripe("g", (2, 6), None, "c"), stripe("g", (10, 14), None, "c")]
    third = [stripe("g", (5, 11), None, "c")]
    fourth = [stripe("g", (8, 12), None, "c")]
    assert lit(first, second) == ((1, 0), (2, 0))
    assert lit(first, second, third) == ((1, 0), (2, 0), (2, 1), (3, 0))
    assert lit(first, second, third, fourth) == ((1, 0), (2, 0), (2, 1), (3, 0), (4, 0))


def test_cc_20_branches_that_rejoin_count_each_stripe_once() -> None:
    """A fork and a join: 1 below, 2 beside each other, 1 above; the lowest is reached on two ways and paid once."""
    below = [stripe("g", (10, 20), None, "cc")]
    fork = [stripe("g", (8, 12), None, "c"), stripe("g", (18, 22), None, "c")]
    join = [stripe("g", (10, 20), (11, 20), "c")]
    assert lit(below, fork, join) == ((1, 0), (2, 0), (2, 1), (3, 0))
    assert len(taken(below, fork, join)) == 5


def test_cc_20_a_chain_goes_down_and_up_again() -> None:
    """The new stripe stands on one arm; the other arm hangs on the same foot, in the same layer as the first."""
    foot = [stripe("g", (0, 30), None, "c")]
    arms = [stripe("g", (0, 4), None, "c"), stripe("g", (20, 24), None, "c")]
    new = [stripe("g", (1, 5), None, "c"), stripe("g", (10, 14), None, "c")]
    assert lit(foot, arms, new) == ((1, 0), (2, 0), (2, 1), (3, 0))


def test_cc_21_the_plate_is_the_bottom_layer_and_pays() -> None:
    assert lit([stripe("g", (4, 9))], plate=[plain("g", (0, 5))]) == ((0, 0), (1, 0))
    assert taken([stripe("g", (4, 9), None, "c")], plate=[plain("g", (0, 5), "cc")]) == cubes("ggg")
    tower = [[stripe("g", (n, n + 5), None, "c")] for n in range(1, 4)]
    assert taken(*tower, plate=[plain("g", (0, 5), "cc")]) == cubes("ggggg")


def test_cc_22_gaps_connect_nothing() -> None:
    """Where neither piece has a stripe, dough lies upon dough."""
    assert lit([stripe("g", (0, 4))], [stripe("p", (30, 34))]) == ()


def test_cc_23_golden_cubes_on_connected_stripes_are_not_paid() -> None:
    assert taken([stripe("g", (0, 5), None, "c**")], [stripe("g", (0, 5), (1, 6), "*")]) == cubes("g")


def test_rulebook_example_lena_connects_green_and_purple() -> None:
    """She receives two green cubes and a purple one."""
    below = [stripe("g", (2, 8), None, "c"), stripe("o", (12, 16), None, "c"), stripe("p", (20, 26))]
    above = [stripe("g", (6, 10), None, "c"), stripe("o", (17, 19), None, "c"), stripe("p", (22, 28), None, "c")]
    assert taken(below, above) == cubes("ggp")
