"""Random games by the hundred: each ends lawfully, with all 108 cards accounted for after every event.

The full soak is the same with SOAK = 100_000; its figures are in docs/games/picnic-palace.md.
"""

from __future__ import annotations

from collections import Counter

import pytest

from core.conformance import check_game, random_game
from core.engine import states
from core.games.picnic_palace.state import Table
from events.base import Event
from events.picnic_palace import GameEnded, InvitationWasted, PickleUsed, RowTaken
from tests.core.games.picnic_palace.picnic import GAME, box

SOAK = 180
BOX = Counter(GAME.sheet.deck)


def census(state: Table) -> Counter[str]:
    """Count all cards, by the fields of the state and not by the game's own census."""
    piles = [state.deck, state.discarded, state.unseen, *state.face_up, *state.face_down, *state.collected]
    return Counter([card for pile in piles for card in pile])


def soak(seats: int, seed: str) -> Counter[str]:
    """Play a random game, hold every step to what never changes; give how often rare things happened."""
    events = random_game(GAME, seats, seed)
    assert isinstance(events[-1], GameEnded)
    rare = Counter[str]()
    used = Counter[int]()
    for event, state in zip(events, states(GAME, events), strict=True):
        if state.phase not in ("setup", "start_seat", "shuffle"):
            assert census(state) == BOX
        count(event, used, rare)
        rare["alone"] += state.phase == "act" and sum(map(bool, state.invitations)) == 1
    invitations = GAME.sheet.invitations[seats - 2]
    assert used == dict.fromkeys(range(seats), invitations * 3)
    return rare


def count(event: Event, used: Counter[int], rare: Counter[str]) -> None:
    """Note an invitation, and what the soak wants to have seen."""
    if isinstance(event, RowTaken | InvitationWasted):
        used[event.seat] += 1
    rare["pickled"] += isinstance(event, PickleUsed)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_random_games_end_with_every_card_in_its_place(seats: int) -> None:
    seen = Counter[str]()
    for number in range(SOAK // 3):
        seen += soak(seats, f"soak/{seats}/{number}")
    assert seen["pickled"] > SOAK
    assert seen["alone"] > SOAK


def test_conformance() -> None:
    assert check_game(GAME, games=2) == 6


def test_conformance_of_a_designers_box() -> None:
    short = box(rounds=2, rows=2, face_up=0, row_length=(5, 4, 4), invitations=(3, 2, 1), flips=(2, 2, 1))
    assert check_game(short, games=1) == 3
