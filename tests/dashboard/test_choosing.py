"""Moves on the picture: what a move is about leads to it, and what leads nowhere cannot be pressed."""

from __future__ import annotations

import pytest

from core.conformance import random_game
from core.engine import states
from core.redact import moves_of, redact
from core.registry import OURS
from dashboard.choosing import is_about, places
from dashboard.tables import picture_of
from events.base import kind_of
from events.queen_of_the_cupcakes import CardsLaid, CardsPassed, CardsTaken
from replay.games import load

WORDS_ONLY = {
    "queen-of-the-cupcakes": {"laying_skipped"},
    "picnic-palace": set(),
    "trash-pandas": {
        *("rolling_stopped", "bust_accepted", "turn_ended"),
        *("yum_yum_kept", "match_kept", "theft_suffered"),
    },
    "cherry-on-the-cake": {"exchange_declined", "consolation_declined", "golden_cubes_left"},
}
"""Kinds of moves that are about nothing on the table: to do nothing, to stop."""


@pytest.mark.parametrize("slug", [kind.slug for kind in OURS])
def test_every_move_that_is_about_something_is_found_on_the_picture(slug: str) -> None:
    game = load(slug)
    without = set()
    for number in range(2):
        for state in states(game, random_game(game, 3, f"pictures/{number}")):
            moves = game.legal(state) if game.forced(state) is None else ()
            for seat in dict.fromkeys([move.seat for move in moves]):
                own = moves_of(moves, seat)
                scene = picture_of(slug)(redact(state, seat), ("Ann", "Ben", "Cat"))
                marks = places(scene)
                without |= {kind_of(move) for move in own if not any(is_about(move, mark) for mark in marks)}
    assert without <= WORDS_ONLY[slug] | {"cards_stashed"}  # of cards, also none may be stashed


def test_a_place_stands_for_the_moves_that_it_names_and_no_others() -> None:
    way = "type=cards_laid;kind=blue+seat=1;cards=grey"
    assert is_about(CardsLaid(seat=0, kind="blue", beside_bin=1, in_front=1), way)
    assert is_about(CardsPassed(seat=1, partner=3, cards=("blue", "grey")), way)
    for other in (
        CardsLaid(seat=0, kind="grey", beside_bin=1, in_front=1),
        CardsTaken(seat=0, kind="blue", count=1),
        CardsPassed(seat=0, partner=2, cards=("grey", "grey")),
    ):
        assert not is_about(other, way)
