"""The end of the game and its scoring: TP-72 to TP-82."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from core.games.trash_pandas.scoring import places, ranking, scores, variety
from core.games.trash_pandas.state import Table
from events.trash_pandas import (
    BonusTurnStarted,
    BustAccepted,
    CardsDrawn,
    DoggoPlayed,
    DrawChosen,
    GameEnded,
    HandsDiscarded,
    NoEffect,
    StashesRevealed,
    TurnEnded,
    TurnStarted,
)
from tests.core.games.trash_pandas.playing import GAME, cards, finish_turn, given, table

NANNERS, PIE, FEESH, YUM_YUM, SHINY = (7, 0, 0), (6, 2, 1), (5, 3, 1), (4, 2, 0), (3, 0, 0)


def stashed(*stashes: str) -> Table:
    """A table at the end of a game with these stashes."""
    return replace(table(*[""] * len(stashes)), face_up=tuple([cards(stash) for stash in stashes]))


# --- the end ---------------------------------------------------------------------------------------------------------


def test_tp_72_the_last_card_drawn_ends_the_game_after_the_turn() -> None:
    game = given("", "N", can="FB").roll("bin", "steal").stop().resolve("bin").do(DrawChosen(0, 2))
    assert game.table.phase == "resolve"  # the turn is finished first
    finish_turn(game)
    assert [type(event) for event in game.events[-3:]] == [HandsDiscarded, StashesRevealed, GameEnded]
    assert game.outcome().reason == "can_empty"


def test_tp_81_the_last_event_has_scores_and_places() -> None:
    ended = GAME.forced(replace(stashed("N", "NN"), phase="score"))
    assert ended == GameEnded("can_empty", (0, 7), ((1,), (0,)))


def test_tp_72_one_card_left_is_not_the_end() -> None:
    game = given("", "N", can="FB").roll("bin").stop().resolve("bin").do(DrawChosen(0, 1), TurnEnded(0))
    assert game.events[-1] == TurnStarted(1, 2)


def test_tp_72_a_consolation_card_may_be_the_last() -> None:
    game = given("", "", can="N").roll("tree", "tree").do(BustAccepted(0))
    assert game.happened(CardsDrawn) == [CardsDrawn(0, cards("N"))]
    assert game.outcome().reason == "can_empty"


def test_tp_72_a_draw_from_the_empty_can_only_comes_later_in_the_same_turn() -> None:
    game = given("", "", can="N").roll("bin", "reveal").stop().resolve("bin").do(DrawChosen(0, 1)).resolve("reveal")
    assert game.events[-1] == NoEffect(0, "reveal")


def test_tp_73_the_last_card_drawn_in_anothers_turn() -> None:
    """A Doggo draws it; the active seat finishes its turn, bonus turn included."""
    game = given("", "D", can="NF").roll("steal", "tree", "bin", "bin_tree", "reveal", "recycle").resolve("steal")
    game.do(DoggoPlayed(1, draws=True))
    assert game.table.pile == ()
    finish_turn(game)
    assert game.events[-1] == BonusTurnStarted(0)
    game.roll("steal", "steal").do(BustAccepted(0))
    assert game.outcome().reason == "can_empty"


# --- places ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "points", "expected"),
    [
        ([4, 2, 1, 0], FEESH, [5, 3, 1, 0]),  # the rulebook's: most Feesh are five points
        ([3, 3, 2, 1], FEESH, [4, 4, 3, 1]),  # and its tie: four each, the next is second with three (TP-74)
        ([3, 3, 3, 1], FEESH, [4, 4, 4, 3]),  # TP-75: one point less however many tie
        ([3, 2, 2, 1], FEESH, [5, 2, 2, 1]),  # TP-75: also at second place
        ([3, 2, 1, 1], FEESH, [5, 3, 0, 0]),  # TP-75: and at third
        ([4, 2, 2, 1], NANNERS, [7, 0, 0, 0]),  # TP-76: a tie at no points is no points, never fewer
        ([2, 1, 1, 1], YUM_YUM, [4, 1, 1, 1]),
        ([3, 2, 1, 1], YUM_YUM, [4, 2, 0, 0]),
        ([0, 0, 0, 0], PIE, [0, 0, 0, 0]),  # TP-77
        ([2, 0, 0, 1], PIE, [6, 0, 0, 2]),  # TP-77: none of a kind is no place
        ([1, 0, 0, 0], SHINY, [3, 0, 0, 0]),
        ([2, 1], PIE, [6, 2]),  # TP-78: the second of two scores the second value
        ([2, 2], PIE, [5, 5]),
        ([4, 3, 2, 1], PIE, [6, 2, 1, 0]),  # TP-79: nothing for the fourth
        ([1, 1, 1, 1], SHINY, [2, 2, 2, 2]),
    ],
)
def test_tp_74_to_79_places(counts: Sequence[int], points: Sequence[int], expected: Sequence[int]) -> None:
    assert places(counts, points) == tuple(expected)


def test_tp_74_the_place_after_a_tie_is_the_next() -> None:
    assert places([2, 2, 1], FEESH) == (4, 4, 3)


def test_tp_75_the_tie_costs_one_point_however_many_share() -> None:
    assert places([2, 2, 2, 2], NANNERS) == (6, 6, 6, 6)


def test_tp_76_no_point_is_taken_at_a_place_without_points() -> None:
    assert places([3, 1, 1], NANNERS) == (7, 0, 0)


def test_tp_77_who_has_none_of_a_kind_has_no_place() -> None:
    assert places([0, 3, 0, 1], FEESH) == (0, 5, 0, 3)


def test_tp_78_two_seats_play_by_the_same_table() -> None:
    assert scores(stashed("PP", "P")) == (6, 2)


def test_tp_79_a_fourth_place_is_worth_nothing() -> None:
    assert scores(stashed("PPPP", "PPP", "PP", "P")) == (6, 2, 1, 0)


def test_all_kinds_together_with_a_point_for_each_blammo() -> None:
    """Nanners 7, Pie 2+5, ... worked out by hand.

    Seat 0: Nanners 1st 7, Pie 2nd 2, Blammo! 3, Doggo 0 = 12. Seat 1: Pie 1st 6, Feesh tie 1st 4, Blammo! 1 = 11.
    Seat 2: Feesh tie 1st 4, Yum Yum 1st 4, Shiny 1st 3 = 11.
    """
    assert scores(stashed("NNPBBBD", "NPPFB", "FYYS")) == (12, 11, 11)


# --- who wins --------------------------------------------------------------------------------------------------------


def test_tp_80_variety_breaks_a_tie() -> None:
    """Seven points each; Doggo and Kitteh, worth nothing, make the difference."""
    over = stashed("NB", "PDBK")
    assert scores(over) == (8, 7)
    tied = stashed("N", "PBDK")
    assert scores(tied) == (7, 7)
    assert [variety(stash) for stash in tied.face_up] == [1, 4]
    assert ranking(tied, scores(tied)) == ((1,), (0,))


def test_tp_80_then_the_most_cards() -> None:
    tied = stashed("NNB", "PPBB")
    assert scores(tied) == (8, 8)
    assert ranking(tied, scores(tied)) == ((1,), (0,))


def test_tp_80_then_the_win_is_shared() -> None:
    tied = stashed("NF", "NF", "")
    assert scores(tied) == (10, 10, 0)
    assert ranking(tied, scores(tied)) == ((0, 1), (2,))


def test_tp_80_blammo_counts_for_variety() -> None:
    tied = stashed("NN", "PB")
    assert scores(tied) == (7, 7)
    assert ranking(tied, scores(tied)) == ((1,), (0,))


def test_tp_80_the_tie_break_applies_to_every_place() -> None:
    tied = stashed("NNNBBB", "NDBB", "NBB")
    assert scores(tied) == (10, 2, 2)
    assert ranking(tied, scores(tied)) == ((0,), (1,), (2,))


def test_tp_81_hands_are_discarded_and_everything_is_public() -> None:
    game = given("NN", "FF", can="B", stashes=["P", "D"], face_up=["S", ""]).roll("tree", "tree").do(BustAccepted(0))
    assert game.outcome().scores == (6 + 3, 0)  # nothing for the hands
    over = game.view("spectator")
    assert over.hands == ((), ())
    assert over.stashes == ((), ())
    assert over.face_up == (cards("SP"), cards("D"))
    assert sorted(over.discard) == sorted(cards("FFNNB"))


def test_tp_82_no_score_is_negative() -> None:
    assert places([1, 1], (0, 0, 0)) == (0, 0)
    assert scores(stashed("SF", "SF", "SF", "SF")) == (6, 6, 6, 6)
