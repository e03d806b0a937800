"""Queen of the Cupcakes: how it ends and who wins (QC-08 to QC-18, QC-23, QC-29, QC-31)."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from core.conformance import random_game
from core.engine import fold, refuse, take_back
from core.games.queen_of_the_cupcakes import Queen
from core.games.queen_of_the_cupcakes.scoring import placing, points, scores
from core.games.queen_of_the_cupcakes.state import Table
from events.errors import UnlawfulEvent
from events.queen_of_the_cupcakes import BankFilled, CardsLaid, CardsTaken, FrontPilesRevealed, GameEnded, LayingSkipped
from tests.core.games.queen_of_the_cupcakes.cupcakes import cards, follow, hands, queen, settled, table


def end(**changes: Any) -> GameEnded:
    """How a table on which the front piles are turned up ends."""
    ended = queen.forced(table(**{"phase": "score", **changes}))
    assert isinstance(ended, GameEnded)
    return ended


def test_book_example_of_the_three_places() -> None:
    """Orange is full, purple has 4, green and yellow 3 each: green is higher up (QC-11, QC-13)."""
    now = table(bins=(5, 4, 3, 3, 0, 0))
    assert placing(now) == ("orange", "purple", "green")
    assert points(now) == {"orange": 2, "purple": 1, "green": 1}


def test_book_example_of_eight_cards_for_eight_points() -> None:
    piles = hands("oo ggg p yb", "")
    assert scores(table(bins=(5, 4, 3, 3, 0, 0), revealed=piles)) == (8, 0)
    assert end(bins=(5, 4, 3, 3, 0, 0), revealed=piles) == GameEnded("bin_full", (8, 0), ((0,), (1,)))


def test_qc_09_the_front_cards_of_the_last_lay_out_count() -> None:
    now = table(phase="lay", bins=(4, 0, 0, 0, 0, 0), hands=hands("oooo", ""))
    now = follow(queen, now, CardsLaid(0, "orange", 1, 3))
    assert now.outcome is not None
    assert now.outcome.scores == (6, 0)


def test_qc_10_the_round_is_not_finished_and_the_bank_not_refilled() -> None:
    now = table(seats=3, phase="lay", bank=cards("pp"), bins=(4, 0, 0, 0, 0, 0), hands=hands("oo", "gg", "bb"))
    after = queen.evolve(now, CardsLaid(0, "orange", 1, 1))
    assert isinstance(queen.forced(after), FrontPilesRevealed)
    assert refuse(queen, after, 9, BankFilled(after.pile[:3])) is not None
    ended = settled(queen, after)
    assert (ended.bank, ended.turn, ended.phase) == (cards("pp"), 1, "over")
    assert queen.legal(ended) == ()
    assert refuse(queen, ended, 12, CardsTaken(1, "purple", 2)) == "the game is over"


@pytest.mark.parametrize(
    ("bins", "places"),
    [
        ((5, 4, 3, 2, 1, 0), "opg"),
        ((0, 1, 2, 3, 4, 5), "eby"),
        ((2, 2, 2, 2, 2, 5), "eop"),  # all tied behind a full bin at the bottom
        ((0, 4, 0, 4, 4, 5), "epy"),  # three tied for two places
        ((4, 4, 5, 0, 0, 0), "gop"),
        ((0, 0, 0, 0, 0, 5), "eop"),  # empty bins, by height (QC-12)
        ((4, 0, 0, 7, 4, 0), "yob"),  # an overfilled bin
    ],
)
def test_qc_11_second_and_third_by_count_then_by_height(bins: tuple[int, ...], places: str) -> None:
    assert placing(table(bins=bins)) == cards(places)


def test_qc_12_nobody_owns_front_cards_of_an_empty_bin() -> None:
    seen = 0
    for number in range(150):
        final = fold(queen, random_game(queen, 2 + number % 4, f"qc-12/{number}"))
        for pile in final.revealed:
            for card in pile:
                assert final.bins[queen.sheet.kinds.index(card)] > 0
                seen += 1
    assert seen > 1_000


def test_qc_13_four_cards_do_not_fill_a_bin() -> None:
    now = table(phase="lay", bank=cards("opgy"), bins=(0, 3, 0, 0, 0, 0), hands=hands("pp", ""))
    now = follow(queen, now, CardsLaid(0, "purple", 1, 1))
    assert now.bins[1] == 4
    assert (now.outcome, now.seat) == (None, 1)


def test_qc_15_the_fifth_card_decides_though_the_bank_could_not_be_restored() -> None:
    before = table(
        bank=cards("ooopp"), pile=(), bins=(3, 1, 1, 0, 0, 0), hands=hands("", "oo"), fronts=hands("p", "gp")
    )
    now = follow(queen, before, CardsTaken(0, "orange", 3), CardsLaid(0, "orange", 2, 1))
    assert now.outcome is not None
    assert now.outcome.reason == "bin_full"
    assert now.outcome.scores == (2 + 1, 2)
    skipped = table(
        bank=cards("ooopp"), pile=(), bins=(3, 1, 1, 0, 0, 0), hands=hands("", "oo"), fronts=hands("p", "gp")
    )
    skipped = follow(queen, skipped, CardsTaken(0, "orange", 3), LayingSkipped(0))
    assert skipped.outcome is not None
    assert skipped.outcome.reason == "pile_empty"
    assert skipped.outcome.scores == (1, 2)


def test_an_empty_pile_gives_one_point_a_card_of_the_three_fullest() -> None:
    ended = end(bins=(4, 3, 3, 2, 0, 0), revealed=hands("oooo", "ppgyy"))
    assert ended == GameEnded("pile_empty", (4, 3), ((0,), (1,)))


def test_qc_17_ties_among_the_top_three_at_an_empty_pile_go_by_height() -> None:
    ended = end(bins=(1, 1, 1, 1, 1, 1), revealed=hands("ybe", "opg"))
    assert ended.scores == (0, 3)


@pytest.mark.parametrize(
    ("piles", "ranking"),
    [
        (("oo", "oo", "oo"), ((0, 1, 2),)),
        (("oo", "o", "oo"), ((0, 2), (1,))),
        (("", "o", ""), ((1,), (0, 2))),
        (("", "", ""), ((0, 1, 2),)),
        (("pp", "o", "g"), ((0, 1), (2,))),
    ],
)
def test_qc_18_equal_scores_share_a_place(piles: tuple[str, ...], ranking: tuple[tuple[int, ...], ...]) -> None:
    assert end(seats=3, bins=(5, 4, 3, 0, 0, 0), revealed=hands(*piles)).ranking == ranking


def test_qc_23_cards_in_hand_are_worth_nothing() -> None:
    rich, poor = hands("ooooo", "o"), hands("", "")
    for held in (rich, poor):
        assert end(bins=(5, 0, 0, 0, 0, 0), hands=held, revealed=hands("o", "oo")).scores == (2, 4)


def test_qc_23_front_piles_are_turned_up_before_they_count() -> None:
    before = table(phase="reveal", fronts=hands("og", "p"))
    assert queen.forced(before) == FrontPilesRevealed(hands("og", "p"))
    assert refuse(queen, before, 9, GameEnded("pile_empty", (0, 0), ((0, 1),))) is not None
    after = queen.evolve(before, FrontPilesRevealed(hands("og", "p")))
    assert (after.fronts, after.revealed) == (((), ()), hands("og", "p"))


TEAM_PILES = ("oo", "p", "g", "ppp")


def test_qc_29_partners_pool_their_cards_and_share_the_win() -> None:
    ended = end(seats=4, teams=True, bins=(5, 4, 3, 0, 0, 0), revealed=hands(*TEAM_PILES))
    assert ended == GameEnded("bin_full", (5, 4, 5, 4), ((0, 2), (1, 3)))


def test_qc_29_the_same_cards_without_teams() -> None:
    ended = end(seats=4, bins=(5, 4, 3, 0, 0, 0), revealed=hands(*TEAM_PILES))
    assert ended == GameEnded("bin_full", (4, 1, 1, 3), ((0,), (3,), (1, 2)))


def test_qc_29_a_tie_of_the_teams_is_shared_by_all_four() -> None:
    ended = end(seats=4, teams=True, bins=(5, 4, 3, 0, 0, 0), revealed=hands("oo", "pp", "", "gg"))
    assert ended == GameEnded("bin_full", (4, 4, 4, 4), ((0, 1, 2, 3),))


def test_qc_31_cards_without_a_place_cost_nothing() -> None:
    assert end(bins=(5, 4, 3, 2, 1, 1), revealed=hands("yyybbbeee", "")).scores == (0, 0)


def test_points_are_data() -> None:
    dear = replace(queen.sheet, points_bin_full=(7, 3, 2))
    assert end(sheet=dear, bins=(5, 4, 3, 0, 0, 0), revealed=hands("opg", "")).scores == (12, 0)


@pytest.mark.parametrize("phase", ["setup", "over"])
def test_nothing_happens_before_the_start_and_after_the_end(phase: str) -> None:
    now: Table = table(phase=phase)
    assert queen.forced(now) is None
    assert queen.legal(now) == ()


def test_a_take_back_in_play_goes_behind_no_card_that_was_seen() -> None:
    """CC-62 for this game: a refill shows cards, so a lay-out before it stands; a choice of the same turn does not."""
    events = random_game(queen, 3, "taken back")
    filled = [step for step, event in enumerate(events) if isinstance(event, BankFilled)][2]
    with pytest.raises(UnlawfulEvent, match="bank_filled, cannot be taken back"):
        take_back(queen, events[: filled + 1], filled - 1)
    taken = next(step for step, event in enumerate(events) if isinstance(event, CardsTaken))
    assert take_back(queen, events[: taken + 1], taken - 1).to == taken - 1
    with pytest.raises(UnlawfulEvent, match="front_piles_revealed, cannot be taken back"):
        take_back(queen, events, len(events) - 3)


def test_a_box_of_many_cards_is_played_to_its_end() -> None:
    sheet = replace(queen.sheet, copies=(160,) * 6, bin_capacity=300)
    events = random_game(Queen(sheet), 2, "many cards")
    assert isinstance(events[-1], GameEnded)
    assert len(events) > 1_000
