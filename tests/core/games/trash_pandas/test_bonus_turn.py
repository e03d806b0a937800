"""Six tokens and the bonus turn: TP-20 to TP-26."""

from __future__ import annotations

from core.games.trash_pandas.state import TOKENS, pending
from events.trash_pandas import (
    BonusTurnStarted,
    BustAccepted,
    CardsDrawn,
    DieThrown,
    DrawChosen,
    FeeshPlayed,
    GameEnded,
    NoEffect,
    PiePlayed,
    RollingStopped,
    Token,
    TokenChosen,
    TurnEnded,
    TurnStarted,
    YumYumPlayed,
)
from tests.core.games.trash_pandas.playing import cards, finish_turn, given, in_bonus_turn

SIX: tuple[Token, ...] = ("recycle", "tree", "steal", "bin", "bin_tree", "reveal")


def test_six_tokens_are_resolved_then_the_same_seat_goes_on() -> None:
    game = given("", "").roll(*TOKENS)
    assert game.moves() == [TokenChosen(0, token) for token in TOKENS]
    finish_turn(game)
    assert game.events[-2:] == [TurnEnded(0), BonusTurnStarted(0)]
    assert game.table.turn == 1  # still the same turn


def test_tp_36_in_the_bonus_turn_nothing_has_been_gained_yet() -> None:
    before = given("", "").roll(*TOKENS).resolve("reveal")
    assert sum(before.table.gained) == 1
    assert finish_turn(before).table.gained == (0,) * 8


def test_tp_20_three_tokens_at_most_and_no_further_bonus() -> None:
    game = in_bonus_turn("", "").roll("bin", "tree", "recycle")
    assert game.moves() == [TokenChosen(0, token) for token in ("bin", "tree", "recycle")]
    assert finish_turn(game).events[-1] == TurnStarted(1, 2)


def test_tp_20_the_next_seat_has_a_whole_turn_and_may_earn_a_bonus_turn_of_its_own() -> None:
    game = finish_turn(in_bonus_turn("", "").roll("bin", "tree", "recycle"))
    game.roll("bin", "tree", "recycle")
    assert RollingStopped(1) in game.moves()
    finish_turn(game.roll("steal", "reveal", "bin_tree"))
    assert game.events[-2:] == [TurnEnded(1), BonusTurnStarted(1)]


def test_tp_21_a_bust_in_the_bonus_turn() -> None:
    game = in_bonus_turn("", "").roll("bin", "bin")
    held = len(game.table.hands[0])
    game.do(BustAccepted(0))
    assert len(game.table.hands[0]) == held + 1
    assert game.events[-1] == TurnStarted(1, 2)


def test_tp_22_gains_of_the_main_part_are_playable_in_the_bonus_turn() -> None:
    game = given("", "", can="FNNNNN", discard="B").roll(*SIX).resolve("bin").do(DrawChosen(0, 1)).resolve("recycle")
    assert FeeshPlayed(0, "Blammo!") not in game.moves()  # locked
    assert FeeshPlayed(0, "Blammo!") in finish_turn(game).moves()


def test_tp_23_an_empty_can_does_not_cancel_the_bonus_turn() -> None:
    game = given("", "", can="N").roll(*SIX).resolve("bin").do(DrawChosen(0, 1))
    finish_turn(game)
    assert game.events[-1] == BonusTurnStarted(0)
    assert game.table.pile == ()
    game.roll("bin").stop().resolve("bin").do(TurnEnded(0))
    assert isinstance(game.events[-1], GameEnded)


def test_tp_24_no_yum_yum_against_a_stop_that_nobody_decided() -> None:
    assert given("", "Y").roll(*TOKENS).asked() == 0
    game = in_bonus_turn("", "", "YY").roll("bin", "tree", "recycle")
    assert game.asked() == 0
    assert "(TP-27)" in game.refused(YumYumPlayed(2))


def test_tp_25_yum_yum_in_a_bonus_turn_below_three_tokens() -> None:
    game = in_bonus_turn("", "", "YY").roll("bin", "tree").stop()
    assert game.asked() == 2
    game.do(YumYumPlayed(2))
    assert game.moves() == [DieThrown(0)]
    game.roll("recycle")
    assert pending(game.table) == ("bin", "tree", "recycle")
    assert RollingStopped(0) not in game.moves()


def test_tp_26_recycle_with_all_six_has_no_effect_with_a_pie_neither() -> None:
    game = given("P", "").roll(*TOKENS).resolve("recycle")
    assert game.events[-1] == NoEffect(0, "recycle")
    game.do(PiePlayed(0, "recycle"))
    assert game.events[-2:] == [PiePlayed(0, "recycle"), NoEffect(0, "recycle")]
    assert game.table.discard == cards("P")


def test_the_bonus_turn_draws_from_an_empty_can() -> None:
    game = given("", "", can="N").roll(*SIX).resolve("bin").do(DrawChosen(0, 1))
    finish_turn(game).roll("bin", "bin").do(BustAccepted(0))
    assert len(game.happened(CardsDrawn)) == 1  # TP-17
    assert isinstance(game.events[-1], GameEnded)
