"""Perft: how many sequences of choices a small fixed deal allows, each figure worked out by hand.

Written below: a row as (face up, face down), `n!` for a turn that the rules force, k for the invitations left.
"""

from __future__ import annotations

import pytest

from core.games.picnic_palace.state import Table
from tests.core.games.picnic_palace.picnic import box, dealt, sequences, table

SINGLE = box(rounds=1, rows=1, face_up=1, row_length=(2, 3, 4), invitations=(1, 1, 1), flips=(1, 1, 1), cards=108)
"""One row, one flip a turn, one invitation each."""

PAIR = box(rounds=1, rows=2, face_up=1, row_length=(2, 2, 2), invitations=(1, 1, 1), flips=(1, 1, 1))
"""Two rows of two."""

PAIR_TWO_FLIPS = box(rounds=1, rows=2, face_up=1, row_length=(2, 2, 2), invitations=(1, 1, 1), flips=(2, 1, 1))


def test_one_row_of_two() -> None:
    """(1,1), k = 2: flip, then two forced invitations; or take, then flip!, take!."""
    assert sequences(dealt("fr fr", game=SINGLE, seats=2), SINGLE) == 2


def test_one_row_of_three_for_three_seats() -> None:
    """f(up, down, k), k = 3, waste! when nothing lies there.

    f(1,2,3) = f(2,1,3) + f(0,2,2)
    f(2,1,3) = f(3,0,3) [take!, waste!, waste! 1] + f(0,1,2) [flip!, take!, waste! 1] = 2
    f(0,2,2) = f(1,1,2) = f(2,0,2) [1] + f(0,1,1) [1] = 2. Together 4.
    """
    assert sequences(dealt("fr fr fr", game=SINGLE, seats=3), SINGLE) == 4


def test_one_row_of_four_for_four_seats() -> None:
    """f(1,3,4) = f(2,2,4) + f(0,3,3).

    f(2,2,4) = f(3,1,4) [f(4,0,4) 1 + f(0,1,3) 1 = 2] + f(0,2,3) [f(1,1,3) = f(2,0,3) 1 + f(0,1,2) 1 = 2] = 4
    f(0,3,3) = f(1,2,3) = f(2,1,3) [2] + f(0,2,2) [2] = 4. Together 8.
    """
    assert sequences(dealt("fr fr fr fr", game=SINGLE, seats=4), SINGLE) == 8


def test_two_rows_of_two_with_one_flip() -> None:
    """g(rows, k), the rows in any order.

    g(20 20, 1) = 2            g(01 20, 1) = flip to 10 20: 2, take: 1 = 3
    g(00 20, 1) = 1            g(10 11, 1) = flip to 10 20: 2, take either: 2 = 4
    g(00 11, 1) = 1 + 1 = 2    g(01 11, 1) = flip to 10 11: 4, flip to 01 20: 3, take: 1 = 8
    g(20 20, 2) = 2 x g(00 20, 1) = 2
    g(20 11, 2) = g(20 20, 2) 2 + g(00 11, 1) 2 + g(20 01, 1) 3 = 7
    g(11 11, 2) = 2 x g(20 11, 2) 14 + 2 x g(01 11, 1) 16 = 30
    """
    assert sequences(dealt("fr fr fr fr", game=PAIR, seats=2), PAIR) == 30


def test_two_rows_of_two_with_two_flips() -> None:
    """The second flip is forced, in the only row left; so every flip turn leads to 20 20.

    g(01 11, 1) = flip to 10 20 either way: 2 x 2, take: 1 = 5
    g(11 11, 2) = 2 x g(20 20, 2) 4 + 2 x g(01 11, 1) 10 = 14
    """
    assert sequences(dealt("fr fr fr fr", game=PAIR_TWO_FLIPS, seats=2), PAIR_TWO_FLIPS) == 14


def alone(up: str, down: str) -> Table:
    """A table of two with one seat left in the round, with one invitation."""
    return table(up, down, game=PAIR_TWO_FLIPS, seats=2, invitations=[1, 0])


def test_an_odd_number_of_face_down_cards_with_two_flips() -> None:
    """Rows 12 and 11, alone, k = 1.

    take either: 2; flip the first row twice: 30 11; the first and the second, in either order: 21 20, twice
    (second then first is forced: the second row has nothing left).
    30 11: take either 2, the odd last flip to 30 20: 2 = 4. 21 20: likewise 4. Together 2 + 4 + 4 + 4 = 14.
    """
    assert sequences(alone("fr | fr", "fr fr | fr"), PAIR_TWO_FLIPS) == 14


@pytest.mark.parametrize(
    ("up", "down", "pile", "count"),
    [
        # take, or the Pickle for either card; then everything is forced
        ("fr su |", "|", "pa", 3),
        # flip (then take!, waste!), take (then flip!, take!), or the Pickle (then flip!, take!, waste!)
        ("fr |", "su |", "pa", 3),
        # a Pickle cannot take a Pickle: take, or the Pickle for the one Franky (after which take!, waste!)
        ("fr pa |", "|", "pa", 2),
        # two Pickles, two cards: take 1; the first of either, then seat 1 must take what is left, waste!: 2
        ("fr su |", "|", "pa pa", 3),
        # two rows: take either, then take!: 2; the Pickle for either, then take!, waste!: 2
        ("fr | su", "|", "pa", 4),
    ],
)
def test_pickles(up: str, down: str, pile: str, count: int) -> None:
    state = table(up, down, game=PAIR, seats=2, invitations=[1, 1], collected=[pile, ""])
    assert sequences(state, PAIR) == count


def test_a_pickle_taken_with_an_invitation_can_be_used_by_who_is_still_in() -> None:
    """Seat 0 has two invitations, seat 1 none; rows `pa` and `fr su`, nothing face down.

    take the Pickle: then take the row 1, or the Pickle for either card and take! what is left: 1 + 2 = 3
    take `fr su`: then take! the Pickle: 1. Together 4.
    """
    state = table("pa | fr su", "|", game=PAIR, seats=2, invitations=[2, 0])
    assert sequences(state, PAIR) == 4
