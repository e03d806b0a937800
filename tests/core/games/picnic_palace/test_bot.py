"""The bots: what they go for, and that the planner plays well. The full figures are in docs/games/picnic-palace.md."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.bots import Bot, RandomBot, View
from core.bots.seats import seated
from core.engine import play, start
from core.games.picnic_palace.bot import PatientBot, PlannerBot
from core.games.picnic_palace.state import Table
from core.redact import redact
from core.rng import Rng, seed_key
from events.base import GameEnded, Move
from events.picnic_palace import FlipChosen, PickleUsed, RowTaken
from tests.core.games.picnic_palace.picnic import GAME, cards, table

GAMES = 150
"""The full measurement has 2,000."""


def chosen(bot: Bot, state: Table, seed: bytes = b"bot") -> Move:
    return bot.choose(View(state.seat, redact(state, state.seat), ()), GAME.legal(state), Rng(seed, 1))


def wins(one: Callable[[], Bot], other: Callable[[], Bot], games: int = GAMES) -> float:
    """Give the share of two-seat games that `one` wins, seats alternating, a shared win as a half."""
    won = 0.0
    for number in range(games):
        bots = [one(), other()] if number % 2 == 0 else [other(), one()]
        key = seed_key(f"strength/{number}")
        ended = play(GAME, start(GAME, 2), key, seated(bots, key))[-1]
        assert isinstance(ended, GameEnded)
        won += (number % 2 in ended.ranking[0]) / len(ended.ranking[0])
    return won / games


def test_the_planner_beats_random_in_99_percent() -> None:
    assert wins(PlannerBot, RandomBot) >= 0.99


def test_the_planner_beats_the_patient_bot_in_60_percent() -> None:
    assert wins(PlannerBot, PatientBot) >= 0.6


def test_the_patient_bot_is_no_straw_man() -> None:
    assert wins(PatientBot, RandomBot, 60) >= 0.85


def test_the_patient_bot_waits_for_a_row_worth_six() -> None:
    down = "fr fr | fr fr | fr fr"
    assert isinstance(chosen(PatientBot(), table("bu | sa su | ky", down)), FlipChosen)
    assert chosen(PatientBot(), table("bu fl | sa su | ky", down)) == RowTaken(0, 0, cards("bu fl"))
    completing = table("su | sa su | ky", down, collected=["su su", "", ""])
    assert chosen(PatientBot(), completing) == RowTaken(0, 1, cards("sa su"))
    assert chosen(PatientBot(), table("sa | ba ba | ky", "||")) == RowTaken(0, 1, cards("ba ba"))


def test_the_planner_takes_what_completes_its_set() -> None:
    state = table("ch ch | bu bu | sa ky", "fr fr | fr fr | fr fr", collected=["ch ch ch", "", ""])
    assert chosen(PlannerBot(), state) == RowTaken(0, 0, cards("ch ch"))


def test_the_planner_takes_what_would_complete_the_set_of_another() -> None:
    up, down = "ch ch | fr | sa ky", "fr fr | fr fr | fr fr"
    assert isinstance(chosen(PlannerBot(), table(up, down, seats=2)), FlipChosen)
    threatened = table(up, down, seats=2, collected=["", "ch ch ch"])
    assert chosen(PlannerBot(), threatened) == RowTaken(0, 0, cards("ch ch"))


def test_the_planner_waits_and_flips_where_it_tempts_nobody() -> None:
    state = table("sa | fl | fl", "fr fr | fr fr | fr fr", collected=["", "sa sa sa", ""])
    for seed in (b"%d" % number for number in range(12)):
        assert chosen(PlannerBot(), state, seed) in (FlipChosen(0, 1), FlipChosen(0, 2))


def test_the_planner_alone_in_the_round_flips_everything_first() -> None:
    state = table("ch ch ch ch ch | fr | sa ky", "fr fr | | fr fr", invitations=[2, 0, 0])
    assert isinstance(chosen(PlannerBot(), state), FlipChosen)


def test_the_planner_gives_a_pickle_for_a_fifth_cheezey_pie() -> None:
    state = table("sa ch | fr | ky", "fr fr | fr | fr", collected=["ch ch ch ch pa", "", ""], invitations=[1, 2, 2])
    move = chosen(PlannerBot(), state)
    assert move == PickleUsed(0, 0, 1, "cheezey_pie")


@pytest.mark.parametrize("kind", [PlannerBot, PatientBot])
def test_bots_choose_by_what_their_seat_sees(kind: Callable[[], Bot]) -> None:
    for seed in (b"a", b"b", b"c"):
        one = chosen(kind(), table("su su | fr | sa ky", "fr sa | ch fr | bu fr"), seed)
        two = chosen(kind(), table("su su | fr | sa ky", "ch ch | ch ch | sp sp"), seed)
        assert one == two


def test_both_can_be_named_in_a_simulation() -> None:
    assert (GAME.bots["planner"], GAME.bots["patient"]) == (PlannerBot, PatientBot)
