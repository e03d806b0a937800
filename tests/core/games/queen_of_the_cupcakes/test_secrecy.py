"""Queen of the Cupcakes: who sees what, written down by hand (QC-21 to QC-23, QC-27)."""

from __future__ import annotations

from typing import Any

import pytest

from core.conformance import random_game
from core.engine import states
from core.games.queen_of_the_cupcakes.state import Phase, Table
from core.redact import moves_of, redact, seen
from events.marks import Viewer
from events.queen_of_the_cupcakes import (
    BankFilled,
    CardsLaid,
    CardsPassed,
    CardsTaken,
    DeckShuffled,
    FrontPilesRevealed,
    HandsDealt,
    LayingSkipped,
)
from tests.core.games.queen_of_the_cupcakes.cupcakes import TEAMS, cards, hands, pair, queen, settled, table

NAMES = ["Ada", "Bo", "Cy", "Di"]
PHASES: tuple[Phase, ...] = ("shuffle", "deal", "fill", "turn", "take", "lay", "reveal", "score", "over")
PUBLIC = ("phase", "seats", "teams", "turn", "seat", "bank", "bins", "revealed", "outcome")


def masked(count: int) -> Any:
    """Cards that a viewer sees the backs of."""
    return ("?",) * count


@pytest.mark.parametrize("phase", PHASES)
def test_the_same_is_hidden_in_every_phase(phase: Phase) -> None:
    """Hands are for their seat; the pile and the face-down cards in front for nobody, their owner included."""
    now = table(
        seats=4,
        teams=True,
        phase=phase,
        pile=cards("opg"),
        hands=hands("ob", "p", "", "gge"),
        fronts=hands("oo", "", "p", "g"),
        revealed=hands("o", "p", "g", "y"),
        bins=(1, 2, 0, 0, 3, 4),
    )
    table_of: dict[Viewer, tuple[tuple[str, ...], ...]] = {
        0: (cards("ob"), masked(1), (), masked(3)),
        1: (masked(2), cards("p"), (), masked(3)),
        2: (masked(2), masked(1), (), masked(3)),
        3: (masked(2), masked(1), (), cards("gge")),
        "spectator": (masked(2), masked(1), (), masked(3)),
    }
    for viewer, shown in table_of.items():
        view: Table = redact(now, viewer)
        assert view.hands == shown, viewer
        assert view.pile == masked(3), viewer
        assert view.fronts == (masked(2), (), masked(1), masked(1)), viewer
        for name in PUBLIC:
            assert getattr(view, name) == getattr(now, name), (viewer, name)
    assert redact(now, "omniscient") is now


def test_random_games_pass_through_every_phase() -> None:
    found = {state.phase for state in states(queen, random_game(queen, 3, "phases"))}
    assert found == set(PHASES)


def test_the_deck_and_the_hands_are_dealt_unseen() -> None:
    shuffled = DeckShuffled(cards("opg"))
    dealt = HandsDealt(hands("oo", "pp"))
    for viewer in (0, 1, "spectator"):
        assert seen(shuffled, viewer) == DeckShuffled(masked(3))
    assert seen(dealt, 0) == HandsDealt((cards("oo"), masked(2)))
    assert seen(dealt, 1) == HandsDealt((masked(2), cards("pp")))
    assert seen(dealt, "spectator") == HandsDealt((masked(2), masked(2)))
    assert seen(dealt, "omniscient") == dealt


@pytest.mark.parametrize("viewer", [0, 1, 2, 3, "spectator", "omniscient"])
def test_qc_21_a_lay_out_is_public_when_it_happens(viewer: Viewer) -> None:
    laid = CardsLaid(1, "green", 2, 1)
    assert seen(laid, viewer) == laid
    assert queen.words(laid, NAMES) == "Bo lays out green: 2 beside the bin, 1 in front"


def test_qc_21_nobody_looks_at_the_cards_in_front_not_even_their_owner() -> None:
    now = queen.evolve(table(phase="lay", hands=hands("ggg", "")), CardsLaid(0, "green", 1, 2))
    assert now.fronts[0] == cards("gg")
    assert redact(now, 0).fronts == (masked(2), ())


@pytest.mark.parametrize("viewer", [0, 1, "spectator"])
def test_qc_22_what_is_taken_and_the_bank_are_public(viewer: Viewer) -> None:
    for event in (CardsTaken(0, "green", 3), BankFilled(cards("opg")), LayingSkipped(1)):
        assert seen(event, viewer) == event


@pytest.mark.parametrize("viewer", [0, 1, "spectator"])
def test_qc_23_after_the_end_front_piles_are_open_and_hands_and_pile_stay_closed(viewer: Viewer) -> None:
    now = table(phase="reveal", pile=cards("op"), hands=hands("ob", "gg"), fronts=hands("oo", "p"))
    shown = queen.forced(now)
    assert isinstance(shown, FrontPilesRevealed)
    assert seen(shown, viewer) == shown
    over = queen.evolve(now, shown)
    over = settled(queen, over)
    assert over.outcome is not None
    view = redact(over, viewer)
    assert view.revealed == hands("oo", "p")
    assert view.pile == masked(2)
    assert [hand == masked(2) for hand in view.hands] == [seat != viewer for seat in (0, 1)]


@pytest.mark.parametrize(("seat", "partner"), [(0, 2), (1, 3), (2, 0), (3, 1)])
def test_qc_27_giver_and_partner_alone_know_the_passed_cards(seat: int, partner: int) -> None:
    passed = CardsPassed(seat, partner, pair("ob"))
    viewers: list[Viewer] = [0, 1, 2, 3, "spectator", "omniscient"]
    knowing = [viewer for viewer in viewers if seen(passed, viewer) == passed]
    assert knowing == [*sorted([seat, partner]), "omniscient"]
    for viewer in viewers:
        if viewer not in knowing:
            hidden = seen(passed, viewer)
            assert hidden == CardsPassed(seat, partner, masked(2))
            assert hidden is not None
            assert queen.words(hidden, NAMES) == f"{NAMES[seat]} passes 2 cards to {NAMES[partner]}"
    assert queen.words(passed, NAMES) == f"{NAMES[seat]} passes 1 orange and 1 blue to {NAMES[partner]}"


def test_qc_27_a_pass_stays_secret_after_the_game() -> None:
    """Views of the events do not depend on when they are asked for; the hands they went to stay closed as well."""
    events = random_game(queen, 4, "qc-27", TEAMS)
    passes = [event for event in events if isinstance(event, CardsPassed)]
    assert passes
    *_, over = states(queen, events)
    assert over.outcome is not None
    for event in passes:
        shown = seen(event, "spectator")
        assert shown is not None
        assert shown.cards == masked(2)
    assert redact(over, "spectator").hands == tuple([masked(len(hand)) for hand in over.hands])
    assert any(over.hands)


def test_a_seat_sees_its_own_moves_and_a_spectator_none() -> None:
    now = table(phase="lay", seat=1, hands=hands("oo", "gg"))
    moves = queen.legal(now)
    assert moves_of(moves, 1) == moves
    assert moves_of(moves, 0) == moves_of(moves, "spectator") == []
    assert moves_of(moves, "omniscient") == moves


def test_words_of_hidden_things_say_how_many() -> None:
    dealt = seen(HandsDealt(hands("oo", "pg")), 1)
    assert dealt is not None
    assert queen.words(dealt, NAMES[:2]) == "Hands are dealt: Ada 2 cards; Bo 1 purple and 1 green"
    shuffled = seen(DeckShuffled(cards("opg")), "spectator")
    assert shuffled is not None
    assert queen.words(shuffled, NAMES) == "3 cards are shuffled into the draw pile"
    assert queen.words(BankFilled(()), NAMES) == "The draw pile is empty: the bank gets nothing"
    assert queen.words(BankFilled(cards("oop")), NAMES) == "The bank gets 2 orange and 1 purple"
    assert queen.words(CardsTaken(0, "grey", 2), NAMES) == "Ada takes 2 grey from the bank"
    assert queen.words(LayingSkipped(1), NAMES) == "Bo lays out nothing"
    revealed = FrontPilesRevealed(hands("oo", ""))
    assert queen.words(revealed, NAMES) == "The cards in front are turned up: Ada has 2 orange and Bo has nothing"
