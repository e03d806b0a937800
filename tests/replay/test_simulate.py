"""Batches are the same however often, in whatever process and by however many of them they are played."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.streams import decode
from events.errors import SetupError, TabletapeError
from events.tape import SEED_LIMIT
from replay.games import load
from replay.simulate import CHUNK, Batch, check, simulate

QUEEN = "queen-of-the-cupcakes"
PAIR = Batch(game=QUEEN, seats=2, seed="42", bots=("random", "greedy"))
DIGESTS = """
from replay.simulate import Batch, simulate
batch = Batch(game="queen-of-the-cupcakes", seats=3, seed="42", bots=("random", "greedy", "random"))
print([(tape.header.id, tape.header.digest) for tape in simulate(batch, 12)])
"""


def test_the_same_batch_gives_the_same_games_in_processes_with_different_hash_seeds() -> None:
    root = Path(__file__).parents[2]
    printed = [
        subprocess.run(
            [sys.executable, "-c", DIGESTS],
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("0", "1", "4242")
    ]
    assert printed[0].count("-") > 12
    assert printed[0] == printed[1] == printed[2]


def test_several_processes_play_the_same_games_in_the_same_order() -> None:
    batch = Batch(game=QUEEN, seats=2, seed="jobs", bots=("random", "random"))
    count = CHUNK + 30
    assert list(simulate(batch, count, jobs=2)) == list(simulate(batch, count))


def test_games_of_a_batch_differ_and_a_longer_batch_begins_with_the_shorter() -> None:
    first = list(simulate(PAIR, 5))
    assert len({tape.header.digest for tape in first}) == 5
    assert list(simulate(PAIR, 8))[:5] == first


def test_ids_are_ordered_and_belong_to_the_batch() -> None:
    ids = [PAIR.id_of(number) for number in (0, 1, 2, 255, 256, 2**39)]
    assert ids == sorted(ids)
    other = Batch(game=QUEEN, seats=2, seed="43", bots=("random", "greedy"))
    assert other.id_of(0)[:12] != PAIR.id_of(0)[:12]
    assert {id[14] for id in ids} == {"8"}, "version 8: an id of our own making"


def test_players_rotate_so_that_nobody_profits_from_a_seat() -> None:
    seats = [[player.name for player in tape.header.players] for tape in simulate(PAIR, 4)]
    assert seats == [["random", "greedy"], ["greedy", "random"]] * 2
    fixed = Batch(game=QUEEN, seats=2, seed="42", bots=("random", "greedy"), fixed_seats=True)
    assert {tuple([p.name for p in tape.header.players]) for tape in simulate(fixed, 3)} == {("random", "greedy")}


def test_a_bots_draws_move_no_deck() -> None:
    """Two line-ups of one seed are dealt the same cards, whatever the bots draw."""
    dealt = []
    for bots in (("random", "random"), ("greedy", "random")):
        tape = next(simulate(Batch(game=QUEEN, seats=2, seed="42", bots=bots), 1))
        events, _ = decode(type(load(QUEEN)), tape)
        dealt.append(events[1])
    assert dealt[0] == dealt[1]


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"game": "queen-of-cupcakes"}, "did you mean queen-of-the-cupcakes"),
        ({"seats": 9, "bots": ("random",) * 9}, "for 2 to 5 seats, not for 9"),
        ({"bots": ("random",)}, "2 seats need 2 players"),
        ({"bots": ("random", "clever")}, "no bot of Queen of the Cupcakes is called 'clever'"),
        ({"options": b'{"team":true}'}, "it has: teams"),
        ({"options": b'{"teams":true}'}, "QC-30"),
        ({"seed": ""}, None),
        ({"seed": "x" * SEED_LIMIT}, "1 to 64 bytes"),
    ],
)
def test_a_batch_that_cannot_be_played_says_why_in_one_line(changed: dict[str, object], says: str | None) -> None:
    fields = {name: getattr(PAIR, name) for name in PAIR.__struct_fields__} | changed
    batch = Batch(**fields)
    if says is None:
        assert check(batch).slug == QUEEN  # an empty base seed is lawful: games are dealt from "/0", "/1", ...
        return
    with pytest.raises(TabletapeError, match=says) as error:
        check(batch)
    assert isinstance(error.value, SetupError)
    assert "\n" not in str(error.value)
