"""What a seat may do on its turn, who has the next one, when a round is over: each test is named by its ruling."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from core.conformance import random_game
from core.engine import refuse, states
from core.games.picnic_palace.state import Table
from events.base import Event, Move
from events.errors import UnlawfulEvent
from events.picnic_palace import (
    CardFlipped,
    Cards,
    FlipChosen,
    InvitationWasted,
    PickleUsed,
    RoundScored,
    RowsDealt,
    RowTaken,
    TurnStarted,
    UnclaimedDiscarded,
)
from tests.core.games.picnic_palace.picnic import GAME, after, cards, due, moves, rows, settled, table


def chosen_rows(state: Table) -> list[int]:
    return [move.row for move in moves(state, FlipChosen) if isinstance(move, FlipChosen)]


# --- 1. flip ---------------------------------------------------------------------------------------------------------


def test_yw_09_the_left_most_face_down_card_is_flipped() -> None:
    state = after(table("sa | su |", "fr bu | ky | ch"), FlipChosen(0, 0))
    assert state.face_up == rows("sa fr | su |")
    assert state.face_down == rows("bu | ky | ch")


def test_yw_09_the_face_up_cards_of_a_row_are_always_its_beginning() -> None:
    events = random_game(GAME, 2, "yw-09")
    dealt: tuple[Cards, ...] = ()
    flips = 0
    for event, state in zip(events, states(GAME, events), strict=True):
        if isinstance(event, RowsDealt):
            dealt = event.rows
        for row, left in zip(dealt, state.face_down, strict=False):
            assert row[len(row) - len(left) :] == left
            flips += isinstance(event, CardFlipped)
    assert flips > 10


def test_yw_10_a_row_without_face_down_cards_cannot_be_flipped() -> None:
    state = table("sa | su | fr", "| ky | ch")
    assert chosen_rows(state) == [1, 2]
    assert refuse(GAME, state, 1, FlipChosen(0, 0)) == "not one of the 5 legal moves of seat 0 (YW-10)"


def test_one_flip_with_three_or_four_seats() -> None:
    for seats in (3, 4):
        state = after(table("sa | su | fr", "ky bu | ky | ch", seats=seats), FlipChosen(0, 0))
        assert (state.seat, state.phase) == (1, "act")


def test_yw_12_two_seats_flip_two_cards_one_after_the_other() -> None:
    state = table("sa | su | fr", "ky bu | ch | fl", seats=2)
    between = after(state, FlipChosen(0, 0))
    assert (between.seat, between.phase) == (0, "flip_again")
    assert moves(between) == [FlipChosen(0, 0), FlipChosen(0, 1), FlipChosen(0, 2)]
    same_row = after(between, FlipChosen(0, 0))
    assert (same_row.seat, same_row.phase, same_row.face_up) == (1, "act", rows("sa ky bu | su | fr"))
    other_row = after(between, FlipChosen(0, 2))
    assert (other_row.seat, other_row.face_up) == (1, rows("sa ky | su | fr fl"))


def test_yw_12_the_second_flip_is_compulsory() -> None:
    between = after(table("sa | su | fr", "ky bu | ch | fl", seats=2), FlipChosen(0, 0))
    assert refuse(GAME, between, 1, RowTaken(0, 1, ("sunny",))) == "not one of the 3 legal moves of seat 0 (YW-15)"
    with pytest.raises(UnlawfulEvent):
        after(between, TurnStarted(1, 2))


def test_yw_12_the_second_flip_is_forced_if_one_row_has_face_down_cards() -> None:
    state = after(table("sa | su | fr", "ky bu | |", seats=2), FlipChosen(0, 0))
    assert (state.seat, state.face_up) == (1, rows("sa ky bu | su | fr"))


def test_yw_13_the_first_card_is_seen_before_the_second_row_is_chosen() -> None:
    events = random_game(GAME, 2, "yw-13")
    seconds = 0
    for step, (event, state) in enumerate(zip(events, states(GAME, events), strict=True)):
        if isinstance(event, FlipChosen):
            assert isinstance(events[step + 1], CardFlipped)
        if state.phase == "flip_again" and GAME.forced(state) is None:
            assert isinstance(event, CardFlipped)
            assert state.face_up[event.row][-1] == event.kind
            seconds += 1
    assert seconds > 10


def test_yw_11_with_one_face_down_card_left_two_seats_flip_one() -> None:
    state = after(table("sa | su |", "| fr |", seats=2), FlipChosen(0, 1))
    assert (state.seat, state.phase, state.face_up) == (1, "act", rows("sa | su fr |"))


def test_yw_11_an_odd_last_flip_is_common() -> None:
    odd = 0
    for number in range(60):
        events = random_game(GAME, 2, f"yw-11/{number}")
        for event, state in zip(events, states(GAME, events), strict=True):
            odd += isinstance(event, CardFlipped) and state.flips == 1 and not any(state.face_down)
    assert odd >= 10


def test_yw_14_without_face_down_cards_there_is_no_flip() -> None:
    state = table("sa | su |", "||")
    assert moves(state) == [RowTaken(0, 0, ("sassy",)), RowTaken(0, 1, ("sunny",))]


# --- 2. invite -------------------------------------------------------------------------------------------------------


def test_an_invitation_takes_all_face_up_cards_of_a_row() -> None:
    state = after(table("sa fr | su |", "ky ch | bu |", collected=["fr", "", ""]), RowTaken(0, 0, cards("sa fr")))
    assert state.collected[0] == cards("fr sa fr")
    assert state.invitations == (2, 3, 3)
    assert state.face_up == rows("| su |")


def test_yw_15_a_row_with_no_face_up_card_cannot_be_invited_while_another_has_some() -> None:
    state = table("| su |", "ky | bu |")
    assert moves(state, RowTaken) == [RowTaken(0, 1, ("sunny",))]
    assert refuse(GAME, state, 1, RowTaken(0, 0, ())) == "not one of the 3 legal moves of seat 0 (YW-15)"
    assert refuse(GAME, state, 1, RowTaken(0, 1, ())) is not None
    assert refuse(GAME, state, 1, InvitationWasted(0)) == "not one of the 3 legal moves of seat 0 (YW-17)"


def test_yw_16_with_no_face_up_card_anywhere_flipping_is_the_only_action() -> None:
    state = table("||", "ky | bu |", collected=["pa", "", ""])
    assert moves(state) == [FlipChosen(0, 0), FlipChosen(0, 1)]


def test_yw_16_g_01_and_it_is_forced_if_one_row_alone_can_be_flipped() -> None:
    assert due(table("||", "ky bu | |", collected=["pa", "", ""])) == FlipChosen(0, 0)


def test_yw_17_with_no_card_in_any_row_an_invitation_is_used_for_nothing() -> None:
    state = table("||", "||", collected=["sa pa", "", ""])
    assert due(state) == InvitationWasted(0)
    later = GAME.evolve(state, due(state))
    assert later.invitations == (2, 3, 3)
    assert later.collected == state.collected
    assert refuse(GAME, state, 1, RowTaken(0, 0, ())) is not None


def test_g_01_what_the_open_table_leaves_alone_is_no_choice() -> None:
    alone = table("su | |", "||")
    assert due(alone) == RowTaken(0, 0, ("sunny",))
    assert moves(alone) == []
    with_pickle = table("su | |", "||", collected=["pa", "", ""])
    assert moves(with_pickle) == [RowTaken(0, 0, ("sunny",)), PickleUsed(0, 0, 0, "sunny")]


def test_g_01_a_single_option_is_never_asked() -> None:
    asked = 0
    for seats in (2, 3, 4):
        events = random_game(GAME, seats, "g-01")
        for state in states(GAME, events):
            if state.phase in ("act", "flip_again"):
                count = len(GAME.legal(state))
                assert (count == 1) == (GAME.forced(state) is not None)
                asked += 1
    assert asked > 100


def test_yw_18_something_is_always_possible() -> None:
    for up in ("||", "sa | |", "pa | |", "sa su | fr | pa"):
        for down in ("||", "sa | |", "| fr pa | su"):
            for pile in ("", "pa"):
                state = table(up, down, collected=[pile, "", ""])
                assert GAME.legal(state), (up, down, pile)


def test_yw_19_nothing_is_flipped_to_replace_a_taken_row() -> None:
    state = after(table("sa fr | su |", "ky ch | bu |"), RowTaken(0, 0, cards("sa fr")))
    assert state.face_up[0] == ()
    assert state.face_down[0] == cards("ky ch")


def test_yw_20_the_row_goes_on_with_its_left_most_remaining_card() -> None:
    state = after(table("sa fr | su |", "ky ch | bu |"), RowTaken(0, 0, cards("sa fr")), FlipChosen(1, 0))
    assert state.face_up[0] == ("kyle_kiwi",)
    assert RowTaken(2, 0, ("kyle_kiwi",)) in moves(state)


def test_yw_46_an_invitation_may_take_one_card_or_nine() -> None:
    nine = cards("sa sa sa su su fr fr pa sp")
    state = table("ky | sa sa sa su su fr fr pa sp |", "ch | ch |")
    assert moves(state, RowTaken) == [RowTaken(0, 0, ("kyle_kiwi",)), RowTaken(0, 1, nine)]


# --- 3. the Pickle ---------------------------------------------------------------------------------------------------


def test_yw_22_a_pickle_takes_any_one_face_up_card_by_row_and_position() -> None:
    state = table("sa fr | pa su |", "ky | |", collected=["pa", "", ""])
    assert moves(state, PickleUsed) == [
        PickleUsed(0, 0, 0, "sassy"),
        PickleUsed(0, 0, 1, "franky"),
        PickleUsed(0, 1, 1, "sunny"),
    ]
    later = after(state, PickleUsed(0, 0, 1, "franky"))
    assert later.collected[0] == ("franky",)
    assert later.invitations == (3, 3, 3)
    assert (later.seat, later.face_up) == (1, rows("sa | pa su |"))


def test_yw_22_it_needs_a_pickle_of_ones_own() -> None:
    state = table("sa fr | su |", "ky | |", collected=["", "pa", "pa"])
    assert moves(state, PickleUsed) == []
    assert refuse(GAME, state, 1, PickleUsed(0, 0, 0, "sassy")) == "not one of the 3 legal moves of seat 0 (YW-22)"


def test_yw_22_it_names_what_really_lies_there() -> None:
    state = table("sa fr | su |", "ky | |", collected=["pa", "", ""])
    for wrong in (PickleUsed(0, 0, 0, "franky"), PickleUsed(0, 0, 2, "kyle_kiwi"), PickleUsed(0, 2, 0, "sassy")):
        assert refuse(GAME, state, 1, wrong) is not None


def test_yw_22_a_table_of_pickles_gives_a_pickle_nothing_to_take() -> None:
    state = table("pa | pa |", "||", collected=["pa", "", ""])
    assert moves(state) == [RowTaken(0, 0, cards("pa")), RowTaken(0, 1, cards("pa"))]


def test_yw_21_the_gap_is_closed_and_the_row_stays_face_up_before_face_down() -> None:
    state = table("sa fr su | ky |", "bu ch | |", collected=["pa", "", ""])
    taken = after(state, PickleUsed(0, 0, 0, "sassy"))
    assert (taken.face_up[0], taken.face_down[0]) == (cards("fr su"), cards("bu ch"))
    middle = after(state, PickleUsed(0, 0, 1, "franky"))
    assert (middle.face_up[0], middle.face_down[0]) == (cards("sa su"), cards("bu ch"))


def test_yw_23_a_pickle_of_an_earlier_round_can_be_used() -> None:
    end = table(
        "sa | |",
        "||",
        seat=1,
        invitations=[0, 1, 0],
        collected=["fr pa sp pa", "", "sa"],
        deck=GAME.sheet.deck[:60],
        starter=1,
    )
    state = settled(end)
    assert (state.round, state.collected[0]) == (2, cards("pa sp pa"))
    ready = after(state, FlipChosen(1, 0), FlipChosen(2, 0))
    assert ready.seat == 0
    assert after(ready, PickleUsed(0, 1, 0, ready.face_up[1][0])).collected[0] == cards("sp pa") + ready.face_up[1][:1]


def test_yw_24_an_invitation_may_bring_pickles() -> None:
    state = after(table("pa pa | su |", "ky | |"), RowTaken(0, 0, cards("pa pa")))
    assert state.collected[0] == cards("pa pa")


def test_yw_25_a_used_pickle_is_out_of_the_game() -> None:
    state = after(table("sa fr | su |", "ky | |", collected=["pa pa", "", ""]), PickleUsed(0, 0, 0, "sassy"))
    assert state.collected[0] == cards("pa sa")
    assert state.discarded == ("pauly_pickle",)


def test_yw_26_a_pickle_may_take_sprinkles() -> None:
    assert PickleUsed(0, 0, 1, "sprinkles") in moves(table("sa sp | |", "ky | |", collected=["pa", "", ""]))


@pytest.mark.parametrize("first", [PickleUsed(0, 0, 0, "sassy"), RowTaken(0, 0, ("sassy",)), FlipChosen(0, 1)])
def test_yw_27_one_action_a_turn(first: Move) -> None:
    state = after(table("sa | su |", "ky fr | ch fl |", collected=["pa pa", "", ""]), first)
    assert state.seat == 1
    assert {move.seat for move in moves(state)} == {1}


def test_yw_45_nobody_may_pass() -> None:
    state = table("sa | su |", "ky fr | ch fl |", collected=["pa", "", ""])
    assert {type(move) for move in moves(state)} == {FlipChosen, RowTaken, PickleUsed}
    assert refuse(GAME, state, 1, TurnStarted(1, 2)) == "not one of the 6 legal moves of seat 0 (YW-28)"
    assert refuse(GAME, state, 1, InvitationWasted(0)) is not None


# --- out of turn, out of window --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "rule"),
    [
        (FlipChosen(1, 0), "YW-10"),
        (RowTaken(1, 0, ("sassy",)), "YW-15"),
        (PickleUsed(1, 0, 0, "sassy"), "YW-22"),
        (FlipChosen(0, 3), "YW-10"),
        (FlipChosen(0, -1), "YW-10"),
        (PickleUsed(0, 0, -1, "sassy"), "YW-22"),
        (CardFlipped(0, 0, "kyle_kiwi"), "YW-09"),
        (RoundScored((0, 0, 0)), "YW-32"),
        (UnclaimedDiscarded((), ()), "YW-42"),
    ],
)
def test_what_is_not_on_is_refused_with_its_rule(move: Event, rule: str) -> None:
    state = table("sa | su |", "ky fr | ch fl |", collected=["", "pa", ""])
    reason = refuse(GAME, state, 1, move)
    assert reason is not None
    assert reason.startswith("not one of the 4 legal moves of seat 0")
    assert f"({rule})" in reason


def test_a_flip_shows_the_card_that_lies_there() -> None:
    shown = GAME.evolve(table("sa | su |", "ky fr | ch fl |"), FlipChosen(0, 0))
    assert refuse(GAME, shown, 2, CardFlipped(0, 0, "franky")) is not None
    assert refuse(GAME, shown, 2, CardFlipped(0, 0, "kyle_kiwi")) is None


# --- who is next, who is out -----------------------------------------------------------------------------------------


def turns(state: Table, *played: Event) -> Sequence[int]:
    """Who has the turn at first and after each event."""
    seats = [state.seat]
    for event in played:
        state = after(state, event)
        seats.append(state.seat)
    return seats


def test_play_goes_clockwise() -> None:
    down = "ky ky ky | ch ch ch | fl fl"
    state = table("sa | su |", down, seats=4, seat=2)
    flips = [FlipChosen(seat, 0) for seat in (2, 3)] + [FlipChosen(seat, 1) for seat in (0, 1)]
    assert turns(state, *flips) == [2, 3, 0, 1, 2]


def test_yw_28_who_has_used_the_last_invitation_is_out_of_the_round_at_once() -> None:
    state = table("sa | su |", "ky ky ky | ch ch ch |", invitations=[1, 2, 2], collected=["pa", "", ""])
    later = after(state, RowTaken(0, 0, ("sassy",)), FlipChosen(1, 1), FlipChosen(2, 1))
    assert later.seat == 1
    assert {move.seat for move in moves(later)} == {1}
    assert refuse(GAME, later, 1, PickleUsed(0, 1, 0, "sunny")) is not None


def test_yw_29_the_last_seat_goes_on_alone_and_may_flip_first() -> None:
    state = table("sa | su |", "ky ky | ch |", invitations=[0, 2, 0], seat=1, collected=["pa", "pa", ""])
    played = [FlipChosen(1, 0), PickleUsed(1, 0, 1, "kyle_kiwi"), FlipChosen(1, 1), RowTaken(1, 1, cards("su ch"))]
    assert turns(state, *played) == [1] * 5
    last = after(state, *played)
    assert last.invitations == (0, 1, 0)
    assert last.round == 1


def test_yw_29_and_its_turns_come_to_an_end() -> None:
    state = table("sa | su |", "ky | ch | pa", invitations=[0, 2, 0], seat=1, collected=["", "pa pa", ""])

    def longest(state: Table) -> int:
        """The most turns until the round is swept off the table."""
        due = GAME.forced(state)
        if state.phase == "clear":
            return 0
        nexts = GAME.legal(state) if due is None else [due]
        assert all(isinstance(event, Event) for event in nexts)
        return max(
            longest(GAME.evolve(state, event)) + isinstance(event, TurnStarted)
            for event in nexts
            if isinstance(event, Event)
        )

    # this turn and those after it: 3 face-down cards, 2 Pickles and the one that lies there, 2 invitations
    assert 1 + longest(state) == 3 + 3 + 2


def test_the_round_is_over_when_all_invitations_are_used() -> None:
    state = table("sa | su |", "ky | |", invitations=[1, 0, 0], deck=GAME.sheet.deck[:60], collected=["", "fr", "fl"])
    evolved = GAME.evolve(state, RowTaken(0, 1, ("sunny",)))
    swept = GAME.evolve(evolved, due(evolved))
    assert due(evolved) == UnclaimedDiscarded(face_up=("sassy",), face_down=("kyle_kiwi",))
    assert due(swept) == RoundScored(points=(1, 3, 2))
    assert settled(swept).points == ((1, 3, 2),)


def test_g_02_nobody_is_ever_asked_in_the_turn_of_another() -> None:
    for seats in (2, 3, 4):
        events = random_game(GAME, seats, "g-02")
        for state in states(GAME, events):
            assert {move.seat for move in GAME.legal(state)} <= {state.seat}


def test_g_07_equal_cards_have_no_identity() -> None:
    one = table("sa sa | |", "ky | |", collected=["pa", "", ""])
    first, second = (after(one, PickleUsed(0, 0, at, "sassy")) for at in (0, 1))
    assert first == second
