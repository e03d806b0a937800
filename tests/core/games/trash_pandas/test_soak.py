"""Many whole games: what every game must keep, every card in one place after every event, an end each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from core.conformance import check_game, check_secrets, random_game
from core.engine import states
from core.games.trash_pandas import TrashPandas
from core.games.trash_pandas.state import TOKENS, Table, middle, pending
from events.base import GameEnded
from events.trash_pandas import TrashPandasOptions
from replay.golden import variants
from tests.core.games.trash_pandas.playing import GAME, SHEET

GAMES = 90
"""Random games of the soak; raise it for a longer one."""

DECK = sorted(SHEET.deck)


def test_random_games_end_with_every_card_in_one_place_after_every_event() -> None:
    reasons = Counter(soak(range(GAMES)))
    assert reasons == {"can_empty": GAMES}


def soak(numbers: range) -> Iterator[str]:
    """Play random games, with 2, 3 and 4 seats by turns and now and then an option turned over; give how each ended."""
    options = [TrashPandasOptions()] * 6 + list(variants(TrashPandas).values())
    for number in numbers:
        events = random_game(GAME, 2 + number % 3, f"soak/{number}", options[number % len(options)])
        for step, table in enumerate(states(GAME, events)):
            if step:
                problem = misplaced(table)
                assert problem is None, f"game {number}, step {step}: {problem}"
        ended = events[-1]
        assert isinstance(ended, GameEnded)
        assert min(ended.scores) >= 0  # TP-82
        yield ended.reason


def misplaced(table: Table) -> str | None:
    """Say which cards or tokens are not in exactly one place; None if all are."""
    if table.phase != "shuffle":
        cards = table.pile + table.discard
        for zone in (table.hands, table.stashes, table.face_up):
            for pile in zone:
                cards += pile
        if sorted(cards) != DECK:
            return f"the cards are {Counter(cards)}"
        hand = table.hands[table.seat]
        if any(new and new > hand.count(kind) for kind, new in zip(table.sheet.kinds, table.gained, strict=True)):
            return f"more cards gained than held: {table.gained}, {hand}"
    if sorted(middle(table) + pending(table)) != sorted(TOKENS):
        return f"tokens: {middle(table)} and {pending(table)}"
    return None


def test_the_soak_would_notice() -> None:
    *_, table = states(GAME, random_game(GAME, 2, "noticed"))
    assert misplaced(table) is None
    assert misplaced(replace(table, discard=table.discard[1:])) is not None
    assert misplaced(replace(table, discard=("Shiny", *table.discard[1:]))) != misplaced(table)
    assert misplaced(replace(table, taken=("bin",), resolved=())) is None
    assert misplaced(replace(table, gained=(1,) * 8)) is not None


def test_conformance() -> None:
    assert check_game(GAME, games=2) == 6


@pytest.mark.parametrize(
    ("name", "seats"),
    [(name, 2 + number % 3) for number, name in enumerate(variants(TrashPandas)) if name != "default"],
)
def test_conformance_with_each_option(name: str, seats: int) -> None:
    game = TrashPandas(replace(SHEET, seats=(seats, seats), hands=SHEET.hands[:seats]))
    assert check_game(game, games=1, options=variants(TrashPandas)[name]) == 1


def test_conformance_of_secrets() -> None:
    assert sum([check_secrets(GAME, seats, "secret") for seats in (2, 3, 4)]) > 2_000


def test_the_same_seed_gives_the_same_game() -> None:
    assert random_game(GAME, 4, "same") == random_game(GAME, 4, "same")
    assert random_game(GAME, 4, "same") != random_game(GAME, 4, "other")
