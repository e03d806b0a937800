"""Cherry on the Cake: whole games. Conformance, a soak that counts everything, the greedy bot.

The full soak is this one with SOAK = 50_000, the full strength test with DUELS = 2_000; their figures are in
docs/games/cherry-on-the-cake.md.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from msgspec.structs import replace

from core.bots import RandomBot, View
from core.bots.seats import seated
from core.conformance import check_game, random_game, seat_counts
from core.engine import play, start, states
from core.games.cherry_on_the_cake import Cherry
from core.games.cherry_on_the_cake.bot import GreedyBot
from core.games.cherry_on_the_cake.state import Board, Table
from core.rng import Rng, seed_key
from events.base import GameEnded, Move
from events.cherry_on_the_cake import CakeOptions, CubePlaced, PieceChosen
from tests.core.games.cherry_on_the_cake.bakery import (
    CHERRY,
    SHEET,
    after,
    board,
    dealt,
    due,
    moves,
    perft,
    revealed,
    table,
)

SOAK = 72
"""Random games that are held to every count at every step."""
DUELS = 60
"""Games of greedy against random."""
WIDEST = CakeOptions(
    pieces=8, start_cubes="chosen", give_back="chosen", die="four_results", roll_optional=True, die_cubes="one_jar"
)
BOX: dict[str, int] = {**dict.fromkeys(SHEET.colours, 18), "golden": 12}


def counted(state: Table) -> tuple[Counter[str], list[int], list[list[int]]]:
    """Count cubes, pieces and chips by the fields of the state, and not by the game's own census."""
    cubes = Counter(dict(zip(SHEET.colours, state.supply, strict=True))) + Counter({"golden": state.golden})
    cubes.update({"golden": state.in_hand})
    cubes.update(state.waiting)
    pieces = [*state.spare]
    chips = [[*state.bronze], [*state.silver], [*state.gold]]
    for each in state.boards:
        for name in ("small", "middle", "large", "exchange"):
            cubes.update(getattr(each, name))
        pieces += [*each.shown, *each.pile, *[piece for piece, _ in each.cake]]
        for at, own in enumerate((each.bronze, each.silver, each.gold)):
            chips[at] += [*own, *(each.turned_up[at] if each.turned_up else ())]
    return cubes, sorted(pieces), [sorted(values) for values in chips]


def lawful(board: Board) -> bool:
    """Is no jar overfull or with two cubes of a colour, and nothing golden in the exchange jar?"""
    jars = (board.small, board.middle, board.large)
    coloured = [[cube for cube in cubes if cube != "golden"] for cubes in jars]
    fits = all(len(cubes) <= most for cubes, most in zip(jars, SHEET.capacity, strict=True))
    return fits and all(len(cubes) == len({*cubes}) for cubes in coloured) and "golden" not in {*board.exchange}


@pytest.mark.parametrize("pieces", [6, 7, 8])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_random_games_end_with_everything_in_its_place(seats: int, pieces: Any) -> None:
    chips = [sorted(SHEET.bronze), sorted(SHEET.silver), sorted(SHEET.gold)]
    for number in range(SOAK // 9):
        events = random_game(CHERRY, seats, f"soak/{seats}/{pieces}/{number}", CakeOptions(pieces=pieces))
        assert isinstance(events[-1], GameEnded)
        for state in states(CHERRY, events):
            cubes, faces, values = counted(state)
            assert cubes == BOX
            assert faces == [*range(40)]
            assert values == chips
            assert all(lawful(each) for each in state.boards)
        assert [len(each.cake) for each in state.boards] == [pieces] * seats


def test_conformance_for_every_seat_count() -> None:
    assert check_game(CHERRY, games=1) == 3


def test_conformance_under_every_other_option() -> None:
    assert seat_counts(CHERRY, WIDEST) == [2, 3, 4]
    assert check_game(Cherry(replace(SHEET, seats=(2, 2))), games=2, options=WIDEST) == 2


def test_conformance_of_a_designers_box() -> None:
    """Few cubes and chips, so that supplies run out; small jars and a cheap exchange."""
    scarce = Cherry(
        replace(
            SHEET,
            seats=(3, 3),
            cubes=7,
            golden_cubes=3,
            capacity=(2, 2, 3),
            pays=("gold", "bronze", "gold"),
            exchange_rate=2,
            bronze=(1, 2),
            silver=(),
            gold=(3, 4, 5),
        )
    )
    assert check_game(scarce, games=3) == 3


def test_perft_of_the_first_round_of_two_seats() -> None:
    """32 sequences of choices; the same with a third decision, counted one choice at a time."""
    state = dealt(2)
    third = 0
    for first in moves(state):
        for second in moves(after(state, first)):
            third += max(1, len(moves(after(state, first, second))))
    assert perft(state, 3) == third


def test_perft_of_a_turn_worked_out_by_hand() -> None:
    """Seat 0 holds green in its small jar, and received two cubes, green and pink.

    Green has middle or large; pink has small, middle or large. Green first: 2 * 3, pink first: 3 * 2; no jar fills up
    (small 2 of 3, middle at most 2 of 4). 5 first moves, 12 sequences; then seat 1 has the turn.
    """
    state = table(board(0, small="g"), waiting="gk")
    assert [perft(state, depth) for depth in (1, 2)] == [5, 12]


def test_perft_of_a_turn_with_an_exchange() -> None:
    """Green lies in every jar and goes to two blue ones in the exchange jar; blue, blue and green go back unasked.

    Then a cube of five colours for one of three jars, green for none: 4 * 3, or nothing: 13.
    """
    state = table(board(0, small="g", middle="g", large="g", exchange="bb"), waiting="g")
    assert [perft(state, depth) for depth in (1, 2)] == [13, 13]


# --- the greedy bot --------------------------------------------------------------------------------------------------


def duel(number: int) -> tuple[float, int]:
    """Give a greedy seat's share of the win against a random one, at seat 0 and 1 in turn, and its lead."""
    own = number % 2
    bots: list[Any] = [RandomBot(), RandomBot()]
    bots[own] = GreedyBot()
    key = seed_key(f"strength/{number}")
    end = play(CHERRY, start(CHERRY, 2), key, seated(bots, key))[-1]
    assert isinstance(end, GameEnded)
    return (1 / len(end.ranking[0]) if own in end.ranking[0] else 0.0), end.scores[own] - end.scores[1 - own]


def test_the_greedy_bot_beats_random_in_95_of_100_games() -> None:
    results = [duel(number) for number in range(DUELS)]
    assert sum([won for won, _ in results]) >= 0.95 * DUELS
    assert sum([lead for _, lead in results]) > 10 * DUELS


def choice(state: Table, options: list[Move]) -> Move:
    """Give what the greedy bot chooses at seat 0."""
    return GreedyBot().choose(View(0, state, ()), options, Rng(b"greedy", 1))


def test_the_greedy_bot_counts_what_a_choice_would_connect() -> None:
    """Of its four choices it takes the best by cubes, stars and golden cubes; checked by placing each."""
    state = dealt(2)
    chosen = choice(state, [move for move in moves(state) if move.seat == 0])
    assert isinstance(chosen, PieceChosen)
    gains = {}
    for move in moves(state):
        if isinstance(move, PieceChosen) and move.seat == 0:
            placed = revealed(state, (move.piece, move.rotation), (7, 0))
            while placed.phase != "distribute":
                placed = CHERRY.evolve(placed, due(placed))
            golden = sum([stripe.golden for stripe in SHEET.pieces[move.piece].stripes])
            stars = 0
            for layer, at in placed.connected:
                face = SHEET.plates[0] if layer == 0 else SHEET.pieces[move.piece]
                stars += face.stripes[at].stars
            gains[move] = 20 * len(placed.waiting) + 40 * stars + 15 * golden
    assert gains[chosen] == max(gains.values())
    assert len({*gains.values()}) > 1


def test_the_greedy_bot_fills_a_jar_that_is_nearly_full() -> None:
    """The silver chip of a middle jar that lacks one cube, rather than a start in the large one."""
    state = table(board(0, small="o", middle="gpk", large="g"), waiting="bb")
    assert choice(state, moves(state)) == CubePlaced(0, "blue", "middle")


def test_the_greedy_bot_places_the_cube_that_fits_in_one_jar_first() -> None:
    state = table(board(0, small="pk", middle="g", large="g"), waiting="og")
    assert choice(state, moves(state)) == CubePlaced(0, "green", "small")
