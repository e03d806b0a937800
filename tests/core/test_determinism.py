"""The same seed gives the same game, state by state, in any process; and nothing in the core can reach the outside."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.conformance import check_replay, random_game, state_digests
from core.registry import OURS
from replay.games import load
from tests.toy import toy

ROOT = Path(__file__).parents[2]
HASH_SEEDS = ("0", "1")

PROGRAM = """
from core.bots import ANY_GAME
from core.bots.seats import seated
from core.conformance import random_game, seat_counts, state_digests
from core.engine import play, start
from core.registry import OURS
from core.rng import seed_key
from events.codec import encode
from events.tape import digest
from replay.games import load
from tests.toy import HiddenStones, toy

for game in [*[load(kind.slug) for kind in OURS], toy()]:
    known = {**ANY_GAME, **game.bots}
    for seats in (seat_counts(game)[0], seat_counts(game)[-1]):
        bots = [list(known.values())[-1 - seat % len(known)]() for seat in range(seats)]
        key = seed_key("determinism")
        for events in (random_game(game, seats, "determinism"), play(game, start(game, seats), key, seated(bots, key))):
            print(game.slug, seats, digest([encode(event) for event in events]))
            print(*state_digests(game, events), sep="\\n")

# and now what goes by the order of a set
print()
class ByHash(HiddenStones):
    def legal(self, state):
        names = {"alpha": 1, "beta": 2, "gamma": 3}
        moves = HiddenStones.legal(state)
        return [moves[names[name] - 1] for name in set(names) if names[name] <= len(moves)]

game = toy(ByHash)
print(*state_digests(game, random_game(game, 2, "determinism")), sep="\\n")
"""


@pytest.fixture(scope="module")
def printed() -> list[tuple[list[str], list[str]]]:
    """What two processes print in which texts are hashed differently: of every game, and of one that goes by a set."""
    said = []
    for hash_seed in HASH_SEEDS:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": hash_seed},
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        games, by_set_order = done.stdout.split("\n\n")
        said.append((games.splitlines(), by_set_order.splitlines()))
    return said


def test_two_processes_agree_on_every_state_of_every_game(printed: list[tuple[list[str], list[str]]]) -> None:
    """Random bots and each game's own, at the smallest and the largest table."""
    first, other = [games for games, _ in printed]
    assert len([line for line in first if " " in line]) == 4 * (len(OURS) + 1)
    differing = [line for line, (one, two) in enumerate(zip(first, other, strict=False)) if one != two]
    assert differing == []
    assert len(other) == len(first)


def test_the_order_of_a_set_would_be_seen(printed: list[tuple[list[str], list[str]]]) -> None:
    first, other = [by_set_order for _, by_set_order in printed]
    assert first
    assert first != other


@pytest.mark.parametrize("slug", [kind.slug for kind in OURS])
def test_the_core_needs_no_clock_no_generator_no_file(slug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that could make one replay differ from the next raises while a game is played and folded."""
    game = load(slug)
    game_before = random_game(game, game.sheet.seats[0], "pure")

    def forbidden(*args: object, **kwargs: object) -> None:
        raise AssertionError("the core reaches outside")

    for name in ("time.time", "time.monotonic", "random.random", "random.shuffle", "os.urandom", "uuid.uuid4"):
        monkeypatch.setattr(name, forbidden)
    monkeypatch.setattr("builtins.open", forbidden)
    events = random_game(game, game.sheet.seats[0], "pure")
    check_replay(game, events)
    monkeypatch.undo()
    assert events == game_before


def test_a_digest_of_a_state_covers_all_before_it() -> None:
    game = toy()
    events = random_game(game, 2, "digests")
    whole = state_digests(game, events)
    assert state_digests(game, events[:9]) == whole[:9]
    other = random_game(game, 2, "other digests")
    assert whole[-1] != state_digests(game, other)[-1]
