"""Points of a round, of Sprinkles, and places: each test is named by its ruling; and the rulebook's examples."""

from __future__ import annotations

import pytest

from core.conformance import random_game
from core.engine import states
from core.games.picnic_palace.scoring import round_points, sprinkles_points
from core.games.picnic_palace.state import Table, totals
from events.picnic_palace import GameEnded, PickleUsed, RoundScored, RowTaken, SprinklesScored
from tests.core.games.picnic_palace.picnic import GAME, after, cards, due, settled, table

SHEET = GAME.sheet


@pytest.mark.parametrize("kind", ["sassy", "kyle_kiwi"])
def test_sassy_and_kyle_kiwi_score_by_the_triangle(kind: str) -> None:
    assert [round_points(SHEET, cards(f"{kind} " * count)) for count in range(6)] == [0, 1, 3, 6, 10, 15]


@pytest.mark.parametrize("kind", ["baron_von_bacon", "sunny"])
def test_baron_von_bacon_and_sunny_score_by_the_square(kind: str) -> None:
    assert [round_points(SHEET, cards(f"{kind} " * count)) for count in range(6)] == [0, 1, 4, 9, 16, 25]


def test_yw_02_cheezey_pie_scores_by_the_rules_summary() -> None:
    assert [round_points(SHEET, cards("cheezey_pie " * count)) for count in range(6)] == [0, 1, 5, 12, 22, 35]


@pytest.mark.parametrize(
    ("kind", "most"), [("sassy", 15), ("kyle_kiwi", 15), ("baron", 25), ("sunny", 25), ("cheezey_pie", 35)]
)
def test_yw_03_more_than_five_give_the_points_of_five_and_no_second_set(kind: str, most: int) -> None:
    assert [round_points(SHEET, cards(f"{kind} " * count)) for count in (5, 6, 9)] == [most] * 3


@pytest.mark.parametrize(("kind", "each"), [("flaco_taco", 2), ("franky", 3), ("bunford_burger", 4)])
def test_yw_04_taco_franky_and_burger_give_2_3_and_4_each_without_limit(kind: str, each: int) -> None:
    assert [round_points(SHEET, cards(f"{kind} " * count)) for count in (0, 1, 2, 6)] == [0, each, 2 * each, 6 * each]


def test_kinds_score_each_by_itself() -> None:
    assert round_points(SHEET, cards("sa ky sa su fr su bu fl sp pa su")) == 3 + 1 + 9 + 3 + 4 + 2


def test_yw_41_pickles_and_sprinkles_score_nothing_in_a_round() -> None:
    assert round_points(SHEET, cards("pa pa pa sp sp sp sp")) == 0
    state = table("||", phase="sprinkles", collected=["pa pa pa", "", "pa"], points=((5, 5, 5),), round=3)
    assert settled(state).outcome == settled(table("||", phase="sprinkles", points=((5, 5, 5),), round=3)).outcome


def test_yw_32_each_round_is_scored_by_itself() -> None:
    state = table(
        "sa | |",
        seat=0,
        invitations=[1, 0, 0],
        collected=["sa su", "su su", "sp pa fr"],
        deck=SHEET.deck[:60],
    )
    later = settled(state)
    assert later.points == ((3 + 1, 4, 3),)
    assert later.collected == ((), (), cards("sp pa"))
    again = after(
        table("sa | |", round=2, invitations=[1, 0, 0], points=later.points, deck=SHEET.deck[:30]),
    )
    assert again.points == ((4, 4, 3), (1, 0, 0))
    assert totals(again) == (5, 4, 3)


def test_yw_32_the_same_number_as_from_piles_counted_at_the_end() -> None:
    """The rulebook's other way: keep each round's cards in a pile, and score the piles after the game."""
    for seats in (2, 3, 4):
        events = random_game(GAME, seats, "yw-32")
        piles: list[list[str]] = []
        before = None
        for event, state in zip(events, states(GAME, events), strict=True):
            if isinstance(event, RoundScored):
                assert before is not None
                piles.append([" ".join(pile) for pile in before.collected])
            before = state
        assert before is not None
        rounds = [tuple([round_points(SHEET, cards(pile)) for pile in piles_of_round]) for piles_of_round in piles]
        assert before.points == tuple(rounds)
        assert len(rounds) == 3


# --- Sprinkles -------------------------------------------------------------------------------------------------------


def test_the_rulebooks_example_of_sprinkles() -> None:
    """Chris 5, Jo 3, Meredith and Phil 1 each; then with Jo at 1 too."""
    assert sprinkles_points(SHEET, (5, 3, 1, 1)) == (10, 0, -5, -5)
    assert sprinkles_points(SHEET, (5, 1, 1, 1)) == (10, -3, -3, -3)
    chris, jo, meredith, phil = "sp sp sp sp sp", "sp sp sp", "sp", "sp"
    end = table("||", seats=4, phase="sprinkles", collected=[chris, jo, meredith, phil], points=((0,) * 4,), round=3)
    assert due(end) == SprinklesScored(counts=(5, 3, 1, 1), points=(10, 0, -5, -5))


@pytest.mark.parametrize(
    ("counts", "points"),
    [
        ((3, 2, 1), (10, 0, -10)),
        ((3, 3, 1), (5, 5, -10)),
        ((3, 1, 1), (10, -5, -5)),
        ((2, 2, 2, 1), (3, 3, 3, -10)),
        ((2, 2, 1, 1), (5, 5, -5, -5)),
        ((4, 3, 2, 1), (10, 0, 0, -10)),
        ((2, 2, 1, 0), (5, 5, 0, -10)),
    ],
)
def test_yw_33_tied_seats_split_without_remainder(counts: tuple[int, ...], points: tuple[int, ...]) -> None:
    assert sprinkles_points(SHEET, counts) == points


@pytest.mark.parametrize("counts", [(0, 0, 0), (2, 2, 2), (0, 0, 0, 0), (3, 3, 3, 3)])
def test_yw_34_all_equal_is_nothing_for_anybody(counts: tuple[int, ...]) -> None:
    assert sprinkles_points(SHEET, counts) == (0,) * len(counts)


@pytest.mark.parametrize("count", [0, 1, 6])
def test_yw_35_two_seats_tied_get_nothing(count: int) -> None:
    assert sprinkles_points(SHEET, (count, count)) == (0, 0)


def test_yw_36_of_two_seats_the_one_with_fewer_loses_nothing() -> None:
    assert sprinkles_points(SHEET, (3, 2)) == (10, 0)
    assert sprinkles_points(SHEET, (0, 1)) == (0, 10)


def test_yw_37_nobody_has_both_the_most_and_the_fewest() -> None:
    for seats in (3, 4):
        for number in range(4**seats):
            counts = tuple([number // 4**seat % 4 for seat in range(seats)])
            points = sprinkles_points(SHEET, counts)
            winners = [seat for seat in range(seats) if points[seat] > 0]
            losers = [seat for seat in range(seats) if points[seat] < 0]
            if max(counts) == min(counts):
                assert not winners
                assert not losers
            else:
                assert winners == [seat for seat in range(seats) if counts[seat] == max(counts)]
                assert losers == [seat for seat in range(seats) if counts[seat] == min(counts)]


def test_yw_38_none_at_all_counts_as_the_fewest() -> None:
    assert sprinkles_points(SHEET, (2, 1, 0)) == (10, 0, -10)
    assert sprinkles_points(SHEET, (1, 0, 0, 0)) == (10, -3, -3, -3)


def test_sprinkles_of_all_rounds_count_and_are_scored_once() -> None:
    events = random_game(GAME, 4, "sprinkles")
    scored = [event for event in events if isinstance(event, SprinklesScored)]
    taken = [0] * 4
    for event in events:
        if isinstance(event, RowTaken):
            taken[event.seat] += event.cards.count("sprinkles")
        elif isinstance(event, PickleUsed):
            taken[event.seat] += event.kind == "sprinkles"
    assert [event.counts for event in scored] == [tuple(taken)]
    assert sum(taken) > 0


# --- the end ---------------------------------------------------------------------------------------------------------


def ended(points: tuple[int, ...], sprinkles: tuple[int, ...]) -> Table:
    """A finished game with these points from the rounds and these numbers of Sprinkles."""
    piles = ["sp " * count for count in sprinkles]
    return settled(table("||", phase="sprinkles", seats=len(points), collected=piles, points=(points,), round=3))


def places(points: tuple[int, ...], sprinkles: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    outcome = ended(points, sprinkles).outcome
    assert outcome is not None
    return outcome.ranking


def test_the_end_of_the_third_round_is_the_end_of_the_game() -> None:
    state = table("sa | |", round=3, invitations=[1, 0, 0], collected=["sp sa", "fr", "sp su"], points=((9, 9, 9),) * 2)
    final = settled(state)
    assert final.points[2] == (3, 3, 1)
    assert final.sprinkles_points == (5, -10, 5)
    assert final.outcome is not None
    assert final.outcome.scores == (26, 11, 24)
    assert final.outcome.ranking == ((0,), (2,), (1,))
    assert final.outcome.reason == "rounds_played"


def test_most_points_win() -> None:
    assert places((30, 40, 20), (2, 1, 1)) == ((0,), (1,), (2,))


def test_yw_39_a_total_may_be_negative() -> None:
    final = ended((4, 0, 3), (2, 0, 1))
    assert final.outcome is not None
    assert final.outcome.scores == (14, -10, 3)
    assert final.outcome.ranking == ((0,), (2,), (1,))


def test_yw_40_of_equal_scores_the_one_with_more_sprinkles_is_better() -> None:
    assert places((20, 10), (0, 1)) == ((1,), (0,))


def test_yw_40_at_every_place_g_04() -> None:
    """Seats 1 and 2 both end with 20, behind seat 0; seat 2 has more Sprinkles."""
    assert places((50, 20, 20, 15), (4, 1, 2, 0)) == ((0,), (2,), (1,), (3,))


def test_yw_40_g_04_equal_in_both_share_the_place() -> None:
    assert places((20, 20, 10), (1, 1, 0)) == ((0, 1), (2,))
    assert places((20, 20), (3, 3)) == ((0, 1),)
    assert places((30, 20, 20), (3, 1, 1)) == ((0,), (1, 2))


def test_the_last_event_says_what_the_state_says() -> None:
    state = table("||", phase="sprinkles", collected=["sp", "", ""], points=((1, 2, 3),), round=3)
    scored = due(state)
    assert scored == SprinklesScored(counts=(1, 0, 0), points=(10, -5, -5))
    ending = due(GAME.evolve(state, scored))
    assert ending == GameEnded("rounds_played", (11, -3, -2), ((0,), (2,), (1,)))
