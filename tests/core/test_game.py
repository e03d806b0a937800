"""What a game has without saying anything about it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from core.bots import View
from core.engine import fold, start
from core.game import Outcome
from core.rng import Rng
from core.sheets import sheet_digest
from events.errors import SetupError
from replay.games import load
from tests.toy import StonesOptions, toy

GAME = toy()
NOTHING = Rng(b"k", 0)


def test_a_game_is_bound_to_its_box() -> None:
    assert toy().sheet_digest == sheet_digest(GAME.sheet)


def test_each_seat_of_a_finished_game_is_a_side_of_its_own() -> None:
    table = fold(GAME, [start(GAME, 3)])
    assert GAME.sides(table) == ()
    over = replace(table, outcome=Outcome("rounds_played", (1, 2, 1), ((1,), (0, 2))))
    assert GAME.sides(over) == ((0,), (1,), (2,))


def test_nothing_is_known_of_a_game_under_way_and_any_seats_will_do() -> None:
    table = fold(GAME, [start(GAME, 3)])
    assert GAME.standing(table) is None
    assert GAME.prospects(table) is None
    assert GAME.setup_problem(3, StonesOptions()) is None


def test_a_game_without_secrets_has_one_world_and_one_with_secrets_must_say_how_they_may_lie() -> None:
    table = load("queen-of-the-cupcakes").sheet  # hides nothing
    assert GAME.world(View(0, table, []), NOTHING) is table
    with pytest.raises(SetupError, match=r"^Hidden Stones does not say how hidden things may lie \(Game.world\)$"):
        GAME.world(View(0, fold(GAME, [start(GAME, 2)]), []), NOTHING)
