"""Queen of the Cupcakes: whole games. Conformance, and how many games there are from a few small deals."""

from __future__ import annotations

import pytest

from core.conformance import check_game, random_game, seat_counts
from core.engine import fold
from core.games.queen_of_the_cupcakes import Queen
from core.games.queen_of_the_cupcakes.state import Table
from events.queen_of_the_cupcakes import QueenOptions
from tests.core.games.queen_of_the_cupcakes.cupcakes import TEAMS, dealt, follow, queen, small

GAMES = 6
"""Random games a seat count; the full soak is a matter of this number."""


def test_conformance_for_every_seat_count() -> None:
    assert seat_counts(queen) == [2, 3, 4, 5]
    assert check_game(queen, GAMES) == 4 * GAMES


def test_conformance_of_teams() -> None:
    assert seat_counts(queen, TEAMS) == [4]
    assert check_game(queen, 2 * GAMES, TEAMS) == 2 * GAMES


def test_conformance_of_a_designers_box() -> None:
    game = small(copies=(5, 17, 11, 11, 11, 11), hand=3, bank=4, bin_capacity=7, lay_out=(2, 4), seats=(2, 3))
    assert check_game(game, GAMES) == 2 * GAMES


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_both_endings_occur_at_every_seat_count(seats: int) -> None:
    reasons = [fold(queen, random_game(queen, seats, f"endings/{number}")).outcome for number in range(120)]
    assert {outcome.reason for outcome in reasons if outcome is not None} == {"bin_full", "pile_empty"}


def perft(game: Queen, table: Table, depth: int) -> int:
    """Count the sequences of `depth` decisions, shorter ones where the game ends before."""
    moves = game.legal(table) if game.forced(table) is None else ()
    if depth == 0 or not moves:
        return 1
    return sum([perft(game, follow(game, table, move), depth - 1) for move in moves])


TINY = {"kinds": ("orange", "purple", "green"), "copies": (2, 2, 2), "hand": 1, "bank": 2, "lay_out": (1, 1)}


@pytest.mark.parametrize(("depth", "count"), [(1, 2), (2, 3), (3, 6), (4, 8), (5, 18), (6, 21), (9, 21)])
def test_perft_of_six_cards_two_seats(depth: int, count: int) -> None:
    """Hands o | p, bank o p, pile g g; a bin holds two, a lay-out is 1 + 1. "t" takes, "l" lays out, "-" lays nothing.

    A. t-o, hand oo: two ways on.
       1. -   bank p g; seat 1 (p) chooses:
              t-p, hand pp: - or l-p; either way bank g g, taken by seat 0 without asking: hand oogg, then -, l-o or l-g
                                                                                              2 * 3 = 6
              t-g, hand pg: only -; bank p g; seat 0 (oo) chooses t-p or t-g, then - or l-o   1 * 2 * 2 = 4
       2. l-o bank p g; seat 1 (p) chooses:
              t-p: - or l-p; seat 0 (empty) takes g g unasked, then - or l-g                  2 * 2 = 4
              t-g: only -; seat 0 (empty) chooses t-p or t-g, one card: nothing is asked      1 * 2 = 2
    B. t-p, hand op: only -; bank o g; seat 1 (p) chooses:
              t-o, hand po: only -; seat 0 (op) takes g g unasked, then - or l-g              1 * 2 = 2
              t-g, hand pg: only -; bank o g; seat 0 (op): t-o, then - or l-o; or t-g, then - 1 * 3 = 3
    In all 6 + 4 + 4 + 2 + 2 + 3 = 21 games; the pile is empty after the third turn of each.
    By decisions: 2 takes; A has 2 ways on and B 1, so 3; seat 1 takes in 2 ways each, 6; it lays in 2 + 1, 2 + 1, 1 + 1
    ways, 8. The fifth is the last lay-out where the bank was g g (A1 2 * 3, A2 2 * 2, B 2: 12) and a take elsewhere
    (A1 2, A2 2, B 2: 6): 18. The sixth ends what is left: A1 4 for 2, B 3 for 2: 21.
    """
    game = small(**TINY, bin_capacity=2, seats=(2, 2))
    table = dealt(2, "o p op gg", game=game)
    assert perft(game, table, depth) == count


@pytest.mark.parametrize(("depth", "count"), [(2, 3), (9, 14)])
def test_perft_where_the_first_lay_out_fills_a_bin(depth: int, count: int) -> None:
    """The deal of the test before, but one card fills a bin, so that every lay-out ends the game at once.

    A1: t-p, then l-p ends (1) or - goes on to 3 = 4; t-g goes on to 4. A2 is over at once: 1. B as before: 5.
    In all 4 + 4 + 1 + 5 = 14.
    """
    game = small(**TINY, bin_capacity=1, seats=(2, 2))
    assert perft(game, dealt(2, "o p op gg", game=game), depth) == count


@pytest.mark.parametrize(("depth", "count"), [(1, 2), (2, 5), (3, 10), (4, 23)])
def test_perft_of_two_turns_in_teams(depth: int, count: int) -> None:
    """Hands o | p | g | o, bank o p, pile g p g; "s" passes two cards to the partner.

    Seat 0: t-o, hand oo: -, l-o or s-oo (3), then bank p g. Or t-p, hand op: - or s-op (2), then bank o g.   2, then 5
    Seat 1 (p): two takes each way.                                                                           10
    After t-o: t-p, hand pp: -, l-p, s-pp (3); t-g, hand pg: -, s-pg (2); so 3 * 5 = 15.
    After t-p: t-o, hand po: -, s-op (2); t-g, hand pg: -, s-pg (2); so 2 * 4 = 8.        15 + 8 = 23
    """
    game = small(**{**TINY, "copies": (3, 3, 3)}, bin_capacity=2, seats=(4, 4))
    assert perft(game, dealt(4, "o p g o op gpg", QueenOptions(teams=True), game), depth) == count


def test_perft_of_a_first_lay_out_with_the_printed_box() -> None:
    """Seat 0 holds ooogg, the bank is o o p p g.

    t-o, hand ooooogg: -, 8 ways with five orange, 1 with two green: 10. t-p, hand ooogg pp: -, 3 ways with three
    orange, 1 green, 1 purple: 6. t-g, hand ooo ggg: -, 3 and 3: 7. In all 23.
    """
    table = dealt(2, "ooogg yyyyy ooppg")
    assert perft(queen, table, 1) == 3
    assert perft(queen, table, 2) == 10 + 6 + 7
