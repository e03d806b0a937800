"""Queen of the Cupcakes: what a turn is (QC-05 to QC-08, QC-14, QC-16, QC-19, QC-20, QC-22, QC-25 to QC-29)."""

from __future__ import annotations

import pytest

from core.engine import append, refuse
from core.games.queen_of_the_cupcakes.rules import splits
from core.games.queen_of_the_cupcakes.state import Table
from events.base import Event, Move
from events.errors import UnlawfulEvent
from events.queen_of_the_cupcakes import (
    BankFilled,
    CardsLaid,
    CardsPassed,
    CardsTaken,
    FrontPilesRevealed,
    GameEnded,
    Kind,
    LayingSkipped,
    TurnStarted,
)
from tests.core.games.queen_of_the_cupcakes.cupcakes import cards, follow, hands, pair, queen, settled, table


def asked(now: Table) -> list[Move]:
    """The moves of a decision: nothing may be forced there."""
    assert queen.forced(now) is None
    return list(queen.legal(now))


# --- 1. taking -------------------------------------------------------------------------------------------------------


def test_book_example_taking_all_green_cards() -> None:
    now = follow(queen, table(bank=cards("gyggb"), hands=hands("opb", "")), CardsTaken(0, "green", 3))
    assert now.bank == cards("yb")
    assert now.hands[0] == cards("opbggg")
    assert now.phase == "lay"


def test_qc_05_taking_is_compulsory() -> None:
    now = table(bank=cards("oopyy"))
    assert asked(now) == [CardsTaken(0, "orange", 2), CardsTaken(0, "purple", 1), CardsTaken(0, "yellow", 2)]
    assert refuse(queen, now, 9, LayingSkipped(0)) == "not one of the 3 legal moves of seat 0 (turn 2)"
    assert refuse(queen, now, 9, CardsLaid(0, "orange", 1, 1)) == "not one of the 3 legal moves of seat 0 (QC-07)"


def test_qc_06_a_kind_that_is_not_in_the_bank_cannot_be_taken() -> None:
    now = table(bank=cards("oopyy"))
    for kind in ("green", "blue", "grey"):
        assert refuse(queen, now, 9, CardsTaken(0, kind, 0)) == "not one of the 3 legal moves of seat 0 (QC-05)"


@pytest.mark.parametrize("count", [-1, 0, 1, 3])
def test_qc_06_all_cards_of_the_kind_are_taken(count: int) -> None:
    with pytest.raises(UnlawfulEvent, match=r"^event 9, .*not one of the 3 legal moves of seat 0 \(QC-05\)$"):
        append(queen, table(bank=cards("oopyy")), 9, CardsTaken(0, "orange", count))


def test_qc_22_a_bank_of_one_kind_is_taken_without_asking() -> None:
    now = table(bank=cards("ggggg"))
    assert queen.forced(now) == CardsTaken(0, "green", 5)
    assert queen.forced(table(bank=cards("g"))) == CardsTaken(0, "green", 1)
    assert queen.forced(table(bank=cards("ggggo"))) is None


def test_moves_out_of_turn_are_refused() -> None:
    now = table(bank=cards("oopyy"), seat=1, turn=2)
    assert refuse(queen, now, 9, CardsTaken(0, "orange", 2)) == "not one of the 3 legal moves of seat 1 (QC-05)"
    assert refuse(queen, now, 9, CardsTaken(1, "orange", 2)) is None


# --- 2. laying out ---------------------------------------------------------------------------------------------------


def test_book_example_laying_out_five_green_cards() -> None:
    now = table(phase="lay", bank=cards("ob"), hands=hands("ggogggg", ""))
    now = queen.evolve(now, CardsLaid(0, "green", 3, 2))
    assert now.bins == (0, 0, 3, 0, 0, 0)
    assert now.fronts == hands("gg", "")
    assert now.hands[0] == cards("og")


@pytest.mark.parametrize(
    ("held", "ways"),
    [
        (0, []),
        (1, []),
        (2, [(1, 1)]),
        (3, [(1, 1), (1, 2), (2, 1)]),
        (4, [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (3, 1)]),
        (5, [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2)]),
        (6, [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3)]),
        (11, [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3)]),
    ],
)
def test_qc_07_one_to_three_beside_the_bin_and_one_to_three_in_front(held: int, ways: list[tuple[int, int]]) -> None:
    assert list(splits(held, 1, 3)) == ways
    now = table(phase="lay", bank=cards("o"), hands=(cards("g") * held + cards("ob"), ()))
    moves = [move for move in asked(now) if isinstance(move, CardsLaid)]
    assert [(move.kind, move.beside_bin, move.in_front) for move in moves] == [("green", *way) for way in ways]


@pytest.mark.parametrize(
    ("kind", "beside_bin", "in_front"),
    [
        ("green", 4, 1),
        ("green", 1, 4),
        ("green", 0, 2),
        ("green", 2, 0),
        ("blue", 1, 1),
        ("grey", 1, 1),
        ("green", 3, 4),
    ],
)
def test_qc_07_other_lay_outs_are_refused(kind: Kind, beside_bin: int, in_front: int) -> None:
    now = table(phase="lay", hands=hands("ggggggb", ""))
    reason = refuse(queen, now, 9, CardsLaid(0, kind, beside_bin, in_front))
    assert reason == "not one of the 10 legal moves of seat 0 (QC-07)"


def test_qc_07_one_lay_out_a_turn() -> None:
    now = table(phase="lay", bank=cards("opy"), hands=hands("ggbb", ""), pile=cards("ee"))
    after = follow(queen, now, CardsLaid(0, "green", 1, 1))
    assert (after.seat, after.phase) == (1, "take")
    assert refuse(queen, after, 9, CardsLaid(0, "blue", 1, 1)) is not None


@pytest.mark.parametrize(("before", "beside_bin", "after"), [(4, 1, 5), (4, 2, 6), (4, 3, 7), (3, 3, 6)])
def test_qc_08_a_bin_may_be_overfilled_at_no_gain(before: int, beside_bin: int, after: int) -> None:
    now = table(phase="lay", hands=hands("ooooo", ""), bins=(before, 2, 1, 0, 0, 0), fronts=hands("p", "ppg"))
    end = follow(queen, now, CardsLaid(0, "orange", beside_bin, 2))
    assert end.bins[0] == after
    assert end.outcome is not None
    assert end.outcome.reason == "bin_full"
    assert end.outcome.scores == (2 * 2 + 1, 3)  # whatever lies beside the bin


def test_qc_19_there_is_no_hand_limit() -> None:
    now = table(bank=cards("ggggb"), hands=(cards("oooppp") * 4, ()))
    now = follow(queen, now, CardsTaken(0, "green", 4))
    assert len(now.hands[0]) == 28
    now = follow(queen, now, LayingSkipped(0))
    assert len(now.hands[0]) == 28
    assert now.seat == 1


def test_qc_20_cards_taken_this_turn_may_be_laid_at_once() -> None:
    now = follow(queen, table(bank=cards("ggopy"), hands=hands("bbo", "")), CardsTaken(0, "green", 2))
    assert asked(now) == [
        LayingSkipped(0),
        CardsLaid(0, "green", 1, 1),
        CardsLaid(0, "blue", 1, 1),  # and those of another kind as well
    ]


def test_qc_22_with_one_card_nothing_is_asked() -> None:
    now = follow(queen, table(bank=cards("goopp"), hands=hands("", "oo")), CardsTaken(0, "green", 1))
    assert (now.seat, now.turn, now.hands[0]) == (1, 2, cards("g"))
    alone = table(phase="lay", hands=hands("g", ""))
    assert queen.forced(alone) == LayingSkipped(0)


def test_qc_22_with_two_different_cards_the_seat_is_asked_though_it_can_only_decline() -> None:
    assert asked(table(phase="lay", hands=hands("gb", ""))) == [LayingSkipped(0)]
    assert asked(table(phase="lay", hands=hands("opgybe", ""))) == [LayingSkipped(0)]


# --- 2. in teams: passing --------------------------------------------------------------------------------------------


def team_table(*in_hand: str, bank: str = "opy", pile: str = "ee") -> Table:
    return table(seats=4, teams=True, phase="lay", bank=cards(bank), pile=cards(pile), hands=hands(*in_hand))


def test_qc_25_lay_out_or_pass_or_neither() -> None:
    now = team_table("ggb", "", "", "")
    assert asked(now) == [
        LayingSkipped(0),
        CardsLaid(0, "green", 1, 1),
        CardsPassed(0, 2, pair("gg")),
        CardsPassed(0, 2, pair("gb")),
    ]
    for move in asked(now):
        after = follow(queen, now, move)
        assert (after.seat, len(after.bank)) == (1, 5)  # the bank is filled up, the turn is over


def test_qc_25_nobody_passes_without_teams() -> None:
    now = table(seats=4, phase="lay", hands=hands("ggb", "", "", ""))
    assert not [move for move in asked(now) if isinstance(move, CardsPassed)]
    assert refuse(queen, now, 9, CardsPassed(0, 2, pair("gb"))) == "not one of the 2 legal moves of seat 0 (QC-25)"


def test_qc_26_exactly_two_of_any_kinds() -> None:
    now = team_table("oopgg", "", "", "")
    passes = [move.cards for move in asked(now) if isinstance(move, CardsPassed)]
    assert passes == [cards("oo"), cards("op"), cards("og"), cards("pg"), cards("gg")]
    assert refuse(queen, now, 9, CardsPassed(0, 2, pair("pp"))) is not None  # it holds one
    assert refuse(queen, now, 9, CardsPassed(0, 2, pair("po"))) is not None  # the same two have one name


def test_qc_26_fewer_than_two_cards_cannot_be_passed() -> None:
    assert queen.forced(team_table("o", "", "", "")) == LayingSkipped(0)


@pytest.mark.parametrize("partner", [0, 1, 3])
def test_qc_29_cards_go_to_the_seat_opposite_only(partner: int) -> None:
    assert refuse(queen, team_table("ob", "", "", ""), 9, CardsPassed(0, partner, pair("ob"))) is not None


@pytest.mark.parametrize(("seat", "partner"), [(0, 2), (1, 3), (2, 0), (3, 1)])
def test_qc_28_a_pass_is_not_answered(seat: int, partner: int) -> None:
    now = table(seats=4, teams=True, seat=seat, phase="lay", hands=(cards("gbb"),) * 4, bank=cards("o"))
    after = queen.evolve(now, CardsPassed(seat, partner, pair("gb")))
    assert after.hands[seat] == cards("b")
    assert after.hands[partner] == cards("gbbgb")
    assert isinstance(queen.forced(after), BankFilled)


# --- 3. refilling ----------------------------------------------------------------------------------------------------


def test_the_bank_is_filled_up_to_five_from_the_top_of_the_pile() -> None:
    now = table(phase="fill", bank=cards("oo"), pile=cards("gybpp"))
    assert queen.forced(now) == BankFilled(cards("gyb"))
    now = settled(queen, now)
    assert (now.bank, now.pile, now.seat) == (cards("oogyb"), cards("pp"), 1)
    wrong = refuse(queen, table(phase="fill", bank=cards("oo"), pile=cards("gybpp")), 9, BankFilled(cards("gy")))
    assert wrong == 'the rules bring {"type":"bank_filled","cards":["green","yellow","blue"]} here (turn 3)'


def test_qc_14_a_pile_that_runs_out_exactly_leaves_exactly_one_more_turn() -> None:
    now = table(bank=cards("oopgb"), pile=cards("ye"), hands=hands("o", "p"))
    now = follow(queen, now, CardsTaken(0, "orange", 2), LayingSkipped(0))
    assert (now.pile, now.bank, now.seat, now.outcome) == ((), cards("pgbye"), 1, None)
    now = follow(queen, now, CardsTaken(1, "green", 1), LayingSkipped(1))
    assert now.outcome is not None
    assert now.outcome.reason == "pile_empty"
    assert (now.seat, now.turn) == (1, 2)
    assert now.bank == cards("pbye")


@pytest.mark.parametrize(("pile", "bank"), [("", "pgb"), ("y", "pgby")])
def test_qc_16_what_is_left_of_the_pile_goes_to_the_bank_then_the_game_ends(pile: str, bank: str) -> None:
    before = table(bank=cards("oopgb"), pile=cards(pile), hands=hands("o", "p"))
    happened: list[Event] = [CardsTaken(0, "orange", 2), LayingSkipped(0)]
    now = before
    for event in happened:
        now = append(queen, now, 9, event)
    for expected in (BankFilled, FrontPilesRevealed, GameEnded):
        due = queen.forced(now)
        assert isinstance(due, expected)
        now = queen.evolve(now, due)
    assert (now.bank, now.pile) == (cards(bank), ())
    assert queen.census(now) == queen.census(before)


def test_the_turn_goes_round() -> None:
    assert queen.forced(table(seats=5, phase="turn", seat=4, turn=10)) == TurnStarted(seat=0, turn=11)
