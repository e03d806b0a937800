"""Who may see what, written down from the rulings by hand: everything but the faces of face-down cards (YW-43)."""

from __future__ import annotations

from typing import get_args

import pytest

from core.conformance import check_secrets, random_game
from core.engine import states, take_back
from core.games.picnic_palace.state import Phase, Table
from core.redact import marks_of, moves_of, redact, seen
from core.registry import codec
from events.base import TakenBack
from events.errors import UnlawfulEvent
from events.marks import MASK, Viewer
from events.picnic_palace import (
    CardFlipped,
    DeckShuffled,
    FlipChosen,
    PicnicEvent,
    RowsDealt,
    RowTaken,
    UnclaimedDiscarded,
)
from tests.core.games.picnic_palace.picnic import GAME, cards, moves, table

PUBLIC = (
    "phase",
    "seats",
    "round",
    "turn",
    "seat",
    "starter",
    "flips",
    "row",
    "face_up",
    "invitations",
    "collected",
    "points",
    "sprinkles_points",
    "discarded",
    "outcome",
)
SECRET = ("deck", "face_down", "unseen")


def masked(value: object) -> object:
    """The same tuples with every face hidden."""
    return tuple([masked(item) for item in value]) if isinstance(value, tuple) else MASK


def test_yw_43_every_field_of_the_table_is_written_down_here() -> None:
    assert sorted((*PUBLIC, *SECRET, "sheet")) == sorted(Table.__struct_fields__)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_yw_43_in_every_phase_all_is_public_but_the_faces_of_face_down_cards(seats: int) -> None:
    events = random_game(GAME, seats, "yw-43")
    viewers: list[Viewer] = ["spectator", *range(seats)]
    phases = {GAME.initial().phase}
    for state in states(GAME, events):
        phases.add(state.phase)
        assert redact(state, "omniscient") == state
        for viewer in viewers:
            view = redact(state, viewer)
            assert [name for name in PUBLIC if getattr(view, name) != getattr(state, name)] == []
            assert [name for name in SECRET if getattr(view, name) != masked(getattr(state, name))] == []
    assert {*get_args(Phase)} - phases == (set() if seats == 2 else {"flip_again"})


def test_yw_43_three_events_have_a_secret_and_it_is_what_lies_face_down() -> None:
    kinds = [getattr(member, "__origin__", member) for member in PicnicEvent.__args__]
    marked = {kind: tuple(marks_of(kind)) for kind in kinds if marks_of(kind)}
    assert marked == {DeckShuffled: ("cards",), RowsDealt: ("rows",), UnclaimedDiscarded: ("face_down",)}
    assert len(kinds) == len(codec(type(GAME)).tags) == 17


@pytest.mark.parametrize("viewer", ["spectator", 0, 1, 2])
def test_yw_42_views_show_how_many_leave_unseen_and_no_face(viewer: Viewer) -> None:
    event = UnclaimedDiscarded(face_up=cards("sa fr"), face_down=cards("su bu ch"))
    shown = seen(event, viewer)
    assert shown is not None
    assert (shown.face_up, shown.face_down) == (cards("sa fr"), (MASK,) * 3)
    state = GAME.evolve(table("sa fr | |", "su | bu | ch", deck=cards("sp pa"), invitations=[0, 0, 0]), event)
    view = redact(state, viewer)
    assert (view.unseen, view.deck) == ((MASK,) * 3, (MASK,) * 2)
    assert view.discarded == cards("sa fr")
    assert redact(state, "omniscient").unseen == cards("su bu ch")


def test_g_06_every_event_is_seen_by_everybody() -> None:
    """So nothing can be read from a gap in the numbers, and nobody is asked in secret."""
    for seats in (2, 3, 4):
        viewers: list[Viewer] = ["spectator", *range(seats)]
        for event in random_game(GAME, seats, "g-06"):
            assert all(seen(event, viewer) is not None for viewer in viewers)


def test_a_flip_tells_its_seat_no_more_than_the_row() -> None:
    """The move is chosen blind: the card it shows stands in the event after it."""
    assert FlipChosen.__struct_fields__ == ("seat", "row")
    first, second = (table("sa | |", f"{card} ky | fr |") for card in ("su", "pa"))
    assert moves(first) == moves(second)


def test_moves_are_shown_to_their_own_seat() -> None:
    state = table("sa | su |", "ky | |", seat=1)
    legal = GAME.legal(state)
    assert moves_of(legal, 1) == legal
    others: list[Viewer] = ["spectator", 0, 2]
    assert [moves_of(legal, viewer) for viewer in others] == [[], [], []]


def test_g_07_a_row_is_named_by_place_and_its_cards_by_kind() -> None:
    assert RowTaken.__struct_fields__ == ("seat", "row", "cards")
    assert CardFlipped.__struct_fields__ == ("seat", "row", "kind")


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_swapping_cards_nobody_has_seen_changes_nothing_that_anybody_sees(seats: int) -> None:
    assert check_secrets(GAME, seats, "swap") > 30


def test_in_play_a_row_may_be_put_back_but_no_card_that_was_seen() -> None:
    events = random_game(GAME, 3, "take-back")
    flipped = next(step for step, event in enumerate(events) if isinstance(event, CardFlipped))
    with pytest.raises(UnlawfulEvent, match="card_flipped, cannot be taken back"):
        take_back(GAME, events[: flipped + 1], flipped - 1)
    taken = next(step for step, event in enumerate(events) if isinstance(event, RowTaken))
    assert take_back(GAME, events[: taken + 2], taken - 1) == TakenBack(taken - 1)
