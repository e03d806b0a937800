"""Yum Yum: TP-27 to TP-33."""

from __future__ import annotations

from core.games.trash_pandas.state import TOKENS, pending
from events.marks import Viewer
from events.trash_pandas import (
    BlammoPlayed,
    BustAccepted,
    DieThrown,
    DoggoPlayed,
    NannersPlayed,
    RollingStopped,
    ShinyPlayed,
    TokenChosen,
    YumYumKept,
    YumYumPlayed,
)
from tests.core.games.trash_pandas.playing import cards, given


def test_tp_27_only_between_the_stop_and_the_first_token() -> None:
    game = given("", "Y").roll("tree")
    assert game.asked() == 0
    assert "(TP-27)" in game.refused(YumYumPlayed(1))
    game.stop()
    assert game.moves() == [YumYumKept(1), YumYumPlayed(1)]
    game.do(YumYumKept(1))
    assert game.moves() == [TokenChosen(0, "tree")]
    assert "(TP-27)" in game.refused(YumYumPlayed(1))


def test_tp_28_holders_are_asked_clockwise_from_the_active_seats_left_until_one_plays() -> None:
    game = given("", "Y", "", "Y").roll("tree").stop()
    assert game.asked() == 1
    assert game.do(YumYumKept(1)).asked() == 3
    assert game.do(YumYumKept(3)).asked() == 0
    played = given("", "Y", "", "Y").roll("tree").stop().do(YumYumPlayed(1))
    assert played.moves() == [DieThrown(0)]
    assert played.table.discard == cards("Y")


def test_tp_28_the_window_does_not_reopen_for_a_yum_yum_gained_later() -> None:
    game = given("S", "D", can="YY", face_up=["", "N"]).roll("tree").stop().do(ShinyPlayed(0, 1, "Nanners"))
    game.do(DoggoPlayed(1, draws=True))
    assert game.table.hands[1] == cards("YY")
    assert game.moves() == [TokenChosen(0, "tree")]


def test_tp_29_one_forced_roll_a_stop_and_a_new_window_at_the_next() -> None:
    game = given("", "YY", "Y").roll("tree").stop().do(YumYumPlayed(1)).roll("bin")
    assert game.moves() == [DieThrown(0), RollingStopped(0)]
    game.stop()
    assert game.asked() == 1
    game.do(YumYumKept(1), YumYumPlayed(2)).roll("recycle").stop()
    assert game.asked() == 1


def test_tp_30_the_forced_roll_may_be_blammoed() -> None:
    game = given("B", "Y").roll("tree").stop().do(YumYumPlayed(1)).roll("bin").do(BlammoPlayed(0))
    assert game.moves() == [DieThrown(0)]
    assert pending(game.table) == ("tree",)


def test_tp_31_a_forced_roll_that_brings_the_sixth_token() -> None:
    game = given("", "YY").roll(*TOKENS[:5]).stop().do(YumYumPlayed(1)).roll(TOKENS[5])
    assert game.asked() == 0
    assert game.table.bonus == "earned"


def test_tp_32_never_on_ones_own_turn() -> None:
    game = given("Y", "").roll("tree").stop()
    assert game.moves() == [TokenChosen(0, "tree")]
    assert "(TP-27)" in game.refused(YumYumPlayed(0))


def test_a_forced_roll_busts_as_usual() -> None:
    game = given("NB", "Y").roll("tree").stop().do(YumYumPlayed(1)).roll("tree")
    assert game.moves() == [BustAccepted(0), BlammoPlayed(0), NannersPlayed(0)]


def test_tp_33_who_holds_none_is_not_asked_and_nobody_can_tell() -> None:
    """A rival that declines, and one that has nothing to play: the same to all others, in the stream and the view."""
    declined = given("B", "NY", "N").roll("tree").stop()
    nothing = given("B", "NB", "N").roll("tree").stop()
    viewers: list[Viewer] = [0, 2, "spectator"]
    for viewer in viewers:
        assert declined.view(viewer) == nothing.view(viewer)  # while the one is still being asked
    declined.do(YumYumKept(1))
    for viewer in viewers:
        assert declined.view(viewer) == nothing.view(viewer)
        assert declined.record(viewer) == nothing.record(viewer)
    assert declined.moves() == nothing.moves()
    assert declined.record(1) != nothing.record(1)
