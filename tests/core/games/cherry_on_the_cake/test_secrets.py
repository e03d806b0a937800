"""Cherry on the Cake: who may see what, written down by hand from the rulings, in every phase."""

from __future__ import annotations

from typing import get_args

import pytest
from msgspec import Struct

from core.bots import RandomBot
from core.bots.seats import seated
from core.conformance import check_secrets, random_game
from core.engine import fold, play, start, states
from core.games.cherry_on_the_cake.bot import GreedyBot
from core.games.cherry_on_the_cake.state import Board, Phase, Table
from core.redact import marks_of, moves_of, redact, seen
from core.rng import seed_key
from core.words import plain
from events import cherry_on_the_cake as happened
from events.base import Event
from events.cherry_on_the_cake import CakeEvent, CakeOptions, ChipTaken, PieceChosen
from events.marks import MASK, Viewer
from tests.core.games.cherry_on_the_cake.bakery import CHERRY, moves

EVERY_OPTION = CakeOptions(
    start_cubes="chosen", give_back="chosen", die="four_results", roll_optional=True, die_cubes="one_jar"
)
FACE_DOWN_FOR_ALL = ("spare", "bronze", "silver", "gold")
"""Of the table: pieces out of play (CC-09), chips that nobody has (CC-39)."""
OWNERS = ("chosen", "bronze", "silver", "gold")
"""Of a board: what a seat has chosen (CC-10), its chips (CC-58)."""


def masked(value: object) -> object:
    """Give the same tuples with every value hidden."""
    return tuple([masked(item) for item in value]) if isinstance(value, tuple) else MASK


def expected_board(board: Board, viewer: Viewer) -> list[tuple[str, object]]:
    """Give what a viewer sees of a board, field by field: all but the pile, and what is its owner's alone."""
    fields = []
    for name in board.__struct_fields__:
        value = getattr(board, name)
        hidden = name == "pile" or (name in OWNERS and viewer != board.seat)
        fields.append((name, masked(value) if hidden else value))
    return fields


def fields_of(thing: Struct, *without: str) -> list[tuple[str, object]]:
    """Give the fields of a struct with their values."""
    return [(name, getattr(thing, name)) for name in thing.__struct_fields__ if name not in without]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_view_of_every_step_by_hand(seats: int) -> None:
    """CC-09, CC-10, CC-12, CC-39, CC-58; all else is public."""
    viewers: list[Viewer] = ["spectator", *range(seats)]
    phases: list[str] = [CHERRY.initial().phase]
    key = seed_key("views")
    for number in range(12 - 2 * seats):
        begun = start(CHERRY, seats, EVERY_OPTION)
        bots = [GreedyBot() if number else RandomBot() for _ in range(seats)]
        for state in states(CHERRY, play(CHERRY, begun, seed_key(f"views/{number}"), seated(bots, key))):
            phases.append(state.phase)
            assert redact(state, "omniscient") is state
            for viewer in viewers:
                view = redact(state, viewer)
                assert fields_of(view, "boards", *FACE_DOWN_FOR_ALL) == fields_of(state, "boards", *FACE_DOWN_FOR_ALL)
                for name in FACE_DOWN_FOR_ALL:
                    assert getattr(view, name) == masked(getattr(state, name))
                for shown, board in zip(view.boards, state.boards, strict=True):
                    assert fields_of(shown) == expected_board(board, viewer)
    assert {*phases} == {*get_args(Phase)}


def test_the_events_that_hide_something_and_what() -> None:
    kinds = [getattr(member, "__origin__", member) for member in CakeEvent.__args__]
    marked = {kind.__name__: tuple(marks_of(kind)) for kind in kinds if marks_of(kind)}
    assert marked == {
        "PiecesShuffled": ("pieces",),
        "PiecesDealt": ("piles",),
        "PieceChosen": ("piece", "rotation"),
        "ChipTaken": ("value",),
    }


def test_g_06_every_event_is_seen_by_everybody() -> None:
    """So nothing can be read from a gap in the numbers, and nobody is asked in secret."""
    viewers: list[Viewer] = ["spectator", 0, 1, 2]
    for event in random_game(CHERRY, 3, "g-06"):
        assert all(seen(event, viewer) is not None for viewer in viewers)


def test_a_commitment_is_hidden_while_it_is_one() -> None:
    """In a whole game: what a rival has chosen shows in no event or view between its choice and the reveal."""
    events = random_game(CHERRY, 3, "commitments")
    for step, event in enumerate(events):
        if isinstance(event, PieceChosen):
            state = fold(CHERRY, events[: step + 1])
            for other in range(3):
                chosen = redact(state, other).boards[event.seat].chosen
                if state.phase == "choose" and other != event.seat:
                    assert masked((event.piece, event.rotation)) == chosen
                elif other == event.seat:
                    assert (event.piece, event.rotation) == chosen


@pytest.mark.parametrize("seats", [2, 3])
def test_swapping_what_a_rival_chooses_changes_nothing_that_a_viewer_sees(seats: int) -> None:
    """The swap test for choices: two tables on which seat 0 has chosen differently are the same to all others.

    Other seats go on choosing on both, and see the same; at the reveal they see the difference.
    """
    compared = 0
    for number in range(3):
        for state in states(CHERRY, random_game(CHERRY, seats, f"swap/{number}")):
            if state.phase == "choose" and not any(board.chosen for board in state.boards):
                own = moves_of(moves(state), 0)
                tables = [CHERRY.evolve(state, move) for move in own]
                rival = moves_of(moves(tables[0]), 1)[0]
                later = [CHERRY.evolve(table, rival) for table in tables]
                viewers: list[Viewer] = ["spectator", *range(1, seats)]
                for viewer in viewers:
                    for several in (own, tables, later):
                        first, *others = [_shown(thing, viewer) for thing in several]
                        assert all(other == first for other in others)
                        compared += len(others)
    assert compared > 100


def _shown(thing: Event | Table, viewer: Viewer) -> object:
    if isinstance(thing, Event):
        return seen(thing, viewer)
    own = moves_of(CHERRY.legal(thing), viewer) if thing.phase == "choose" else []
    return redact(thing, viewer), own


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_swapping_what_nobody_has_seen_changes_nothing_that_anybody_sees(seats: int) -> None:
    """Pieces in piles, out of play, and chips: exchanged where a viewer has never seen them."""
    assert check_secrets(CHERRY, seats, "swap") > 30


@pytest.mark.parametrize("viewer", [0, 1, "spectator"])
def test_cc_39_others_see_seat_and_metal_of_a_chip(viewer: Viewer) -> None:
    shown = seen(ChipTaken(0, "gold", 6), viewer)
    assert shown is not None
    assert (shown.seat, shown.metal) == (0, "gold")
    assert str(shown.value) == ("6" if viewer == 0 else MASK)


def test_cc_39_the_list_of_values_is_public() -> None:
    view = redact(CHERRY.initial(), "spectator")
    assert (view.sheet.bronze, view.sheet.gold) == (CHERRY.sheet.bronze, CHERRY.sheet.gold)


def test_words_hide_what_the_event_hides() -> None:
    names = ["Ada", "Bo"]
    choice, chip = seen(PieceChosen(0, 3, 180), 1), seen(ChipTaken(0, "gold", 6), 1)
    assert choice is not None
    assert chip is not None
    assert CHERRY.words(choice, names) == "Ada chooses a piece"
    assert CHERRY.words(PieceChosen(0, 3, 180), names) == "Ada chooses piece 4 turned round"
    assert CHERRY.words(chip, names) == "Ada takes a gold chip"
    assert CHERRY.words(ChipTaken(0, "gold", 6), names) == "Ada takes a gold chip worth 6"


def test_every_event_has_words_of_its_own() -> None:
    """Not the plain reading with the names of fields; for players and for spectators."""
    said: dict[str, str] = {}
    names = ["Ada", "Bo", "Cy", "Di"]
    general = ("GameStarted", "RoundStarted", "TurnStarted", "GameEnded")
    viewers: tuple[Viewer, ...] = ("spectator", "omniscient")
    for options in (None, EVERY_OPTION):
        for number in range(6):
            for event in random_game(CHERRY, 4, f"words/{number}", options):
                for viewer in viewers:
                    shown = seen(event, viewer)
                    assert shown is not None
                    text = CHERRY.words(shown, names)
                    assert text
                    assert "<" not in text
                    assert type(event).__name__ in general or text != plain(shown, names)
                    said[type(event).__name__] = text
    missing = {name for name in dir(happened) if isinstance(getattr(happened, name), type)} - {*said}
    assert {name for name in missing if issubclass(getattr(happened, name), Event)} <= {
        "Event",
        "Move",
        "DieStarsCounted",
        "DieGoldenCubePlaced",
        "DieCubePlaced",
        "AmountChosen",
    }
