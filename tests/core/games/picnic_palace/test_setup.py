"""Setting up, dealing the rounds, who starts: each test is named by its ruling."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from core.chance import Chance
from core.conformance import random_game
from core.engine import fold, start, states
from core.games.picnic_palace.state import PicnicSheet, Table
from core.rng import Rng
from core.sheets import parse, sheet_digest
from events.base import Options
from events.errors import FormatError, SetupError
from events.picnic_palace import (
    DeckShuffled,
    FirstCardsFlipped,
    FlipChosen,
    RoundStarted,
    RowsDealt,
    RowTaken,
    StartSeatDrawn,
    TurnStarted,
    UnclaimedDiscarded,
)
from replay.packaged import data_root
from tests.core.games.picnic_palace.picnic import GAME, after, box, cards, dealt, due, settled, table

TOML = (data_root() / "sheets" / "picnic-palace.toml").read_text(encoding="utf-8")


def chance(state: Table) -> Chance:
    due = GAME.forced(state)
    assert isinstance(due, Chance)
    return due


# --- the box ---------------------------------------------------------------------------------------------------------


def test_yw_01_the_reconstructed_deck_has_108_cards_and_says_that_it_is_reconstructed() -> None:
    assert GAME.sheet.copies == {
        "sassy": 14,
        "kyle_kiwi": 14,
        "baron_von_bacon": 13,
        "sunny": 13,
        "cheezey_pie": 11,
        "flaco_taco": 9,
        "franky": 8,
        "bunford_burger": 6,
        "sprinkles": 12,
        "pauly_pickle": 8,
    }
    assert len(GAME.sheet.deck) == GAME.sheet.cards == 108
    assert GAME.sheet.provenance["copies"] == "reconstructed"
    assert [name for name, source in GAME.sheet.provenance.items() if source == "reconstructed"] == ["copies"]


def test_yw_01_a_designer_may_put_other_counts_but_they_must_add_up() -> None:
    changed = parse(TOML.replace("sassy = 14", "sassy = 15").replace("franky = 8", "franky = 7"), PicnicSheet)
    assert changed.deck.count("sassy") == 15
    assert sheet_digest(changed) != GAME.sheet_digest
    with pytest.raises(FormatError, match="add up to 108 cards, not 109"):
        parse(TOML.replace("sassy = 14", "sassy = 15"), PicnicSheet)


def test_g_05_there_is_no_option_and_a_stream_names_its_sheet() -> None:
    assert Options.__struct_fields__ == GAME.options.__struct_fields__ == ()
    assert start(GAME, 3).sheet == GAME.sheet_digest


def test_the_deck_does_not_depend_on_the_order_in_which_a_sheet_lists_its_kinds() -> None:
    backwards = dict(reversed(GAME.sheet.copies.items()))
    assert box(copies=backwards).sheet.deck == GAME.sheet.deck
    assert box(copies=backwards).sheet_digest == GAME.sheet_digest


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("seats = [2, 4]", "seats = [1, 3]", "`seats` count from 2: alone nobody has the most Sprinkles"),
        ("row_length = [9, 10, 12]", "row_length = [9, 10]", "`row_length` has one count"),
        ("invitations = [4, 3, 3]", "invitations = [4, 0, 3]", "`invitations` has one count"),
        ("rounds = 3", "rounds = 0", "count from 1"),
        ("face_up = 2", "face_up = 10", "not more than a row holds"),
        ("franky = 8", "franky = -8", "add up to 108"),
        ("row_length = [9, 10, 12]", "row_length = [9, 10, 13]", "117 are dealt"),
        ("most_sprinkles = 10", "most_sprinkles = -1", "0 or more"),
        ("franky = 3\n", "", "once"),
        ("flaco_taco = 2", "sassy = 2", "once"),
        ("sassy = [1, 3, 6, 10, 15]", "sassy = []", "one card or more"),
        ('copies = "reconstructed"', "", "provenance is missing"),
        ("sunny = 13", 'sunny = "many"', "copies"),
        ("sunny = 13", "sunny = 12\nnanners = 1", "copies"),
    ],
)
def test_a_box_that_cannot_be_played_is_refused_in_one_line(old: str, new: str, said: str) -> None:
    assert old in TOML
    with pytest.raises(FormatError, match=said) as refusal:
        parse(TOML.replace(old, new, 1), PicnicSheet)
    assert "\n" not in str(refusal.value)


def test_a_box_may_lack_a_kind_and_show_no_card_but_not_be_empty() -> None:
    bare = replace(GAME.sheet, face_up=0, copies={**GAME.sheet.copies, "franky": 0, "sunny": 21})
    assert len(bare.deck) == 108
    assert "franky" not in bare.deck
    with pytest.raises(ValueError, match=r"^0 cards are too few for 3 rounds: 108 are dealt$"):
        replace(GAME.sheet, cards=0, copies={})


def test_every_guest_is_counted_wherever_it_lies() -> None:
    """In the deck, in a row face up or down, before a seat, and out of the game, seen or unseen."""
    state = table("sa|sun|", "|fr|ky", collected=("sp", "", "fr"))
    state = replace(state, deck=cards("sa"), discarded=cards("sun"), unseen=cards("sa"))
    expected = {"sassy": 3, "sunny": 2, "franky": 2, "kyle_kiwi": 1, "sprinkles": 1}
    assert dict(GAME.census(state)) == expected


def test_at_first_nobody_has_anything_and_after_a_round_the_rows_are_empty() -> None:
    opened = GAME.evolve(GAME.initial(), start(GAME, 3))
    assert (opened.invitations, opened.collected) == ((0, 0, 0), ((), (), ()))
    swept = GAME.evolve(table("sa||", "|fr|"), UnclaimedDiscarded(cards("sa"), cards("fr")))
    assert (swept.face_up, swept.face_down) == (((), (), ()), ((), (), ()))


@pytest.mark.parametrize("seats", [1, 5])
def test_two_to_four_play(seats: int) -> None:
    with pytest.raises(SetupError, match="for 2 to 4 seats"):
        start(GAME, seats)


# --- who starts, the deck --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_yw_07_any_seat_may_start_and_it_is_drawn_before_the_shuffle(seats: int) -> None:
    started = GAME.evolve(GAME.initial(), start(GAME, seats))
    drawing = chance(started)
    assert drawing.odds == tuple([(StartSeatDrawn(seat), 1) for seat in range(seats)])
    assert not drawing.admits(StartSeatDrawn(seats))
    shuffling = chance(GAME.evolve(started, StartSeatDrawn(1)))
    assert shuffling.admits(DeckShuffled(tuple(reversed(GAME.sheet.deck))))
    assert not shuffling.admits(DeckShuffled((*GAME.sheet.deck[1:], "franky")))
    assert dealt("", seats=seats, starter=1).seat == 1


def test_yw_05_the_deck_is_shuffled_once_for_all_three_rounds() -> None:
    events = random_game(GAME, 4, "yw-05")
    assert [type(event) for event in events].count(DeckShuffled) == 1
    shuffled = next(event for event in events if isinstance(event, DeckShuffled))
    rounds = [event.rows for event in events if isinstance(event, RowsDealt)]
    assert tuple([card for rows in rounds for row in rows for card in row]) == shuffled.cards


@pytest.mark.parametrize(("seats", "length", "invitations", "flips"), [(2, 9, 4, 2), (3, 10, 3, 1), (4, 12, 3, 1)])
def test_setup_by_seat_count(seats: int, length: int, invitations: int, flips: int) -> None:
    state = dealt("", seats=seats)
    assert [len(up) + len(down) for up, down in zip(state.face_up, state.face_down, strict=True)] == [length] * 3
    assert [len(up) for up in state.face_up] == [2, 2, 2]
    assert state.invitations == (invitations,) * seats
    assert state.flips == flips


# --- dealing and opening ---------------------------------------------------------------------------------------------


def test_yw_06_rows_are_dealt_row_by_row_from_the_top() -> None:
    state = dealt(f"sa {'ky ' * 9} ba {'su ' * 9} ch {'fl ' * 9}")
    assert [row[0] for row in state.face_up] == ["sassy", "baron_von_bacon", "cheezey_pie"]
    assert [set(row[1:] + down) for row, down in zip(state.face_up, state.face_down, strict=True)] == [
        {"kyle_kiwi"},
        {"sunny"},
        {"flaco_taco"},
    ]
    assert len(state.deck) == 108 - 30


def test_g_03_the_first_entry_of_the_deck_is_its_top_card() -> None:
    state = dealt("fr bu sp pa")
    assert state.face_up[0] == ("franky", "bunford_burger")
    assert state.face_down[0][:2] == ("sprinkles", "pauly_pickle")


def test_yw_08_the_two_left_most_cards_of_each_row_are_flipped_by_the_rules() -> None:
    events = random_game(GAME, 3, "yw-08")
    opened = [step for step, event in enumerate(events) if isinstance(event, FirstCardsFlipped)]
    assert len(opened) == 3
    for step in opened:
        rows = events[step - 1]
        assert isinstance(rows, RowsDealt)
        assert events[step] == FirstCardsFlipped(rows=tuple([row[:2] for row in rows.rows]))


# --- from round to round ---------------------------------------------------------------------------------------------


def last_invitation(up: str, *, seat: int = 2, down: str = "||") -> Table:
    """A three-seat table at which one seat alone has one invitation left."""
    left = [0, 0, 0]
    left[seat] = 1
    return table(up, down, seat=seat, invitations=left, deck=GAME.sheet.deck[:60])


def test_yw_30_who_uses_the_last_invitation_starts_the_next_round() -> None:
    state = after(last_invitation("sa | su |"), RowTaken(2, 0, ("sassy",)))
    assert (state.round, state.starter, state.seat) == (2, 2, 2)


def test_yw_30_also_if_it_was_used_for_nothing() -> None:
    state = settled(last_invitation("||", seat=1))
    assert (state.round, state.seat) == (2, 1)


def test_yw_31_the_new_round_goes_clockwise_from_there() -> None:
    state = after(last_invitation("sa | su |"), RowTaken(2, 0, ("sassy",)))
    assert after(state, FlipChosen(2, 0)).seat == 0
    assert after(state, FlipChosen(2, 0), FlipChosen(0, 0)).seat == 1


def test_yw_44_all_invitations_are_unused_again_in_each_round() -> None:
    events = random_game(GAME, 3, "yw-44")
    for event, state in zip(events, states(GAME, events), strict=True):
        if isinstance(event, RoundStarted):
            assert state.invitations == (3, 3, 3)
    assert [event.round for event in events if isinstance(event, RoundStarted)] == [1, 2, 3]


def test_turns_are_counted_over_the_whole_game() -> None:
    turns = [event.turn for event in random_game(GAME, 2, "turns") if isinstance(event, TurnStarted)]
    assert turns == list(range(1, len(turns) + 1))


def test_yw_42_unclaimed_cards_leave_face_down_ones_unseen() -> None:
    state = after(last_invitation("sa | su fr |", down="ky | | bu sp"), RowTaken(2, 0, ("sassy",)))
    assert state.discarded == ("sunny", "franky", "sassy")
    assert state.unseen == ("kyle_kiwi", "bunford_burger", "sprinkles")


@pytest.mark.parametrize(("seats", "left"), [(2, 27), (3, 18), (4, 0)])
def test_yw_42_the_rest_of_the_deck_is_ignored_after_the_third_round(seats: int, left: int) -> None:
    state = fold(GAME, random_game(GAME, seats, "yw-42"))
    assert state.outcome is not None
    assert len(state.deck) == left


def test_yw_42_the_sweep_is_an_event_also_when_nothing_is_left() -> None:
    state = replace(last_invitation("||"), phase="clear", invitations=(0, 0, 0))
    assert due(state) == UnclaimedDiscarded(face_up=(), face_down=())


def test_a_deal_from_a_seed_is_a_possible_deal() -> None:
    started = GAME.evolve(GAME.initial(), start(GAME, 4))
    drawing = chance(started)
    first = drawing.sample(Rng(b"seed", 1))
    assert drawing.admits(first)
    shuffling = chance(GAME.evolve(started, first))
    assert shuffling.admits(shuffling.sample(Rng(b"seed", 2)))
