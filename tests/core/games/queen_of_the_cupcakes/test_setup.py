"""Queen of the Cupcakes: the box, the seats, the deal (QC-01 to QC-04, QC-24, QC-30)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from core.chance import Chance
from core.engine import refuse, start
from core.games.queen_of_the_cupcakes import Queen
from core.games.queen_of_the_cupcakes.scoring import placing
from core.rng import Rng
from core.sheets import parse
from events.errors import FormatError, SetupError
from events.queen_of_the_cupcakes import DeckShuffled, QueenOptions, TurnStarted
from replay.packaged import data_root
from tests.core.games.queen_of_the_cupcakes.cupcakes import (
    TEAMS,
    cards,
    dealt,
    deck,
    follow,
    hands,
    queen,
    small,
    table,
)


@pytest.mark.parametrize(("seats", "pile"), [(2, 51), (3, 46), (4, 41), (5, 36)])
def test_qc_01_two_to_five_seats_leave_a_pile_of_61_less_5_a_seat(seats: int, pile: int) -> None:
    dealt_table = dealt(seats, "opgyb" * 6)
    assert len(dealt_table.pile) == pile == 61 - 5 * seats
    assert [len(hand) for hand in dealt_table.hands] == [5] * seats
    assert len(dealt_table.bank) == 5


@pytest.mark.parametrize("seats", [-1, 0, 1, 6, 1_000_000])
def test_qc_01_other_seat_counts_are_refused(seats: int) -> None:
    with pytest.raises(SetupError, match=rf"^Queen of the Cupcakes is for 2 to 5 seats, not for {seats}$"):
        start(queen, seats)


def test_qc_01_the_range_is_in_the_sheet() -> None:
    assert queen.sheet.seats == (2, 5)
    assert start(small(seats=(2, 6)), 6).seats == 6


def test_qc_02_eleven_cards_of_six_kinds_kept_as_data() -> None:
    assert queen.sheet.copies == (11,) * 6
    assert len(queen.sheet.deck) == 66
    assert queen.sheet.provenance["copies"] == "reconstructed"
    uneven = small(copies=(9, 13, 11, 11, 11, 11))
    assert queen.census(dealt(2, "")) == dict.fromkeys(queen.sheet.kinds, 11)
    assert uneven.census(dealt(2, "", game=uneven))["purple"] == 13


def test_qc_03_bins_stand_in_the_order_of_the_sheet() -> None:
    kinds = queen.sheet.kinds
    assert kinds == ("orange", "purple", "green", "yellow", "blue", "grey")
    assert kinds.index("green") < kinds.index("yellow")
    assert queen.sheet.provenance["kinds"] == "reconstructed"


def test_qc_03_the_order_decides_ties_only() -> None:
    backwards = replace(queen.sheet, kinds=queen.sheet.kinds[::-1])
    bins = (1, 2, 3, 4, 5, 0)
    assert placing(table(bins=bins)) == ("blue", "yellow", "green")
    assert placing(table(bins=bins[::-1], sheet=backwards)) == ("blue", "yellow", "green")
    assert placing(table(bins=(2,) * 6)) == ("orange", "purple", "green")
    assert placing(table(bins=(2,) * 6, sheet=backwards)) == ("grey", "blue", "yellow")


def test_qc_04_seat_0_starts_and_play_goes_clockwise() -> None:
    now = dealt(3, "opgyb opgyb opgyb opgyb opgybopgyb")
    assert (now.seat, now.turn) == (0, 1)
    for turn, seat in [(2, 1), (3, 2), (4, 0), (5, 1)]:
        now = follow(queen, now, queen.legal(now)[0])
        now = follow(queen, now, queen.legal(now)[0])  # the first choice is to lay nothing
        assert (now.seat, now.turn) == (seat, turn)


def test_qc_04_another_seat_cannot_start() -> None:
    before = table(phase="turn", seat=-1, turn=0)
    assert queen.forced(before) == TurnStarted(seat=0, turn=1)
    reason = refuse(queen, before, 4, TurnStarted(seat=1, turn=1))
    assert reason == 'the rules bring {"type":"turn_started","seat":0,"turn":1} here (QC-04)'


def test_qc_24_hands_are_blocks_from_the_top_then_the_bank() -> None:
    now = dealt(2, "ooooo ppppp ggyyb bbb")
    assert now.hands == hands("ooooo", "ppppp")
    assert now.bank == cards("ggyyb")
    assert now.pile[:3] == cards("bbb")
    assert now.pile == deck(queen.sheet, "ooooo ppppp ggyyb bbb")[15:]


def test_the_deck_is_every_order_of_the_box_and_nothing_else() -> None:
    before = queen.evolve(queen.initial(), start(queen, 2))
    due = queen.forced(before)
    assert isinstance(due, Chance)
    drawn = due.sample(Rng(b"seed", 1))
    assert due.admits(drawn)
    assert isinstance(drawn, DeckShuffled)
    assert drawn.cards != queen.sheet.deck
    assert due.admits(DeckShuffled(queen.sheet.deck))
    assert not due.admits(DeckShuffled(queen.sheet.deck[1:]))
    assert not due.admits(DeckShuffled(("grey", *queen.sheet.deck[1:])))
    assert not due.admits(TurnStarted(seat=0, turn=1))


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_qc_30_teams_are_for_four_seats(seats: int) -> None:
    with pytest.raises(SetupError, match=rf"^Queen of the Cupcakes: teams need 4 seats, not {seats} \(QC-30\)$"):
        start(queen, seats, TEAMS)


def test_qc_30_teams_are_off_unless_asked_for() -> None:
    assert QueenOptions().teams is False
    assert dealt(4, "").teams is False
    assert dealt(4, "", TEAMS).teams is True


@pytest.mark.parametrize(
    ("line", "instead", "wrong"),
    [
        ("seats = [2, 5]", "seats = [0, 5]", "a seat range cannot be 0 to 5"),
        ("seats = [2, 5]", "seats = [1, 5]", " `seats` begins at 2: points are compared"),
        ("seats = [2, 5]", "seats = [5, 2]", "a seat range cannot be 5 to 2"),
        ("seats = [2, 5]", "seats = [2, 13]", "66 cards are too few to deal to 13 seats"),
        ('"grey"]', '"red"]', "Invalid enum value 'red' - at `$.kinds[5]`"),
        ('"grey"]', '"blue"]', "`kinds` names at least three kinds, each once"),
        ("11, 11]", "11]", "`copies` has one count, 0 or more, for each of `kinds`"),
        ("11, 11]", "11, -1]", "`copies` has one count, 0 or more, for each of `kinds`"),
        ("11, 11]", "11, 1000000000]", "at most 1,000 cards are played with"),
        (
            "points_bin_full = [2, 1, 1]",
            "points_bin_full = [99999999999999999999, 1, 1]",
            "a figure is larger than 1,000",
        ),
        ("hand = 5", "hand = 0", "count from 1"),
        ("lay_out = [1, 3]", "lay_out = [0, 3]", "count from 1"),
        (
            "lay_out = [1, 3]",
            "lay_out = [3, 1]",
            " `hand`, `bank`, `bin_capacity` and `lay_out` count from 1, the least of `lay_out` first",
        ),
        ("lay_out = [1, 3]", "lay_out = [1]", "Expected `array` of length 2, got 1 - at `$.lay_out`"),
        ('copies = "reconstructed"', "", "provenance is missing for ['copies']"),
        ('copies = "reconstructed"', 'copies = "a friend"', "Invalid enum value 'a friend'"),
        ("hand = 5", 'hand = "5"', "Expected `int`, got `str` - at `$.hand`"),
        ("hand = 5", "", "missing required field `hand`"),
        ("hand = 5", "hand = 5\nfoot = 5", "unknown field `foot`"),
        ("hand = 5", "hand = ", "Invalid value"),
    ],
)
def test_a_box_that_cannot_be_played_is_refused_in_one_line(line: str, instead: str, wrong: str) -> None:
    text = (data_root() / "sheets" / "queen-of-the-cupcakes.toml").read_text()
    assert line in text
    with pytest.raises(FormatError) as refused:
        parse(text.replace(line, instead, 1), Queen.sheet_type)
    assert wrong in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_box_may_be_as_small_and_as_large_as_can_be_played() -> None:
    """Three kinds; five hands of five and a bank of five; 1,000 cards."""
    few = replace(queen.sheet, kinds=cards("opg"), copies=(10, 10, 10))
    assert len(few.deck) == 30
    assert len(replace(few, copies=(500, 499, 1)).deck) == 1_000
    for copies, wrong in (((10, 10, 9), "29 cards are too few to deal to 5 seats"), ((500, 500, 1), "1,001 cards are")):
        with pytest.raises(ValueError, match=f"^{wrong}"):
            replace(few, copies=copies)


def test_every_card_is_counted_wherever_it_lies() -> None:
    """`bins` are counts, the other places piles."""
    state = table(
        pile=cards("op"), bank=cards("o"), bins=(3, 0, 0, 0, 0, 1), hands=hands("oo", "p"), fronts=hands("", "b")
    )
    assert queen.census(state) == {"orange": 7, "purple": 2, "green": 0, "yellow": 0, "blue": 1, "grey": 1}
    shown = replace(state, fronts=hands("", ""), revealed=hands("", "b"))
    assert queen.census(shown) == queen.census(state)
    assert queen.census(queen.initial()) == {}
