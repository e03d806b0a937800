"""Tournaments: everybody meets everybody at every seat, and the standings are plain counts over the games."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations, permutations
from pathlib import Path

import msgspec
import pytest

from core.bots import RandomBot
from core.registry import OURS
from events.errors import SetupError
from replay.cli import run as command
from replay.experiments import tournaments
from replay.experiments.tournaments import Tournament
from replay.storage.store import Filter, Store

QUEEN = "queen-of-the-cupcakes"


@pytest.fixture
def bots(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """Four bots that differ in their names only."""
    names = ("ada", "bo", "cy", "di")
    monkeypatch.setattr(OURS[0], "bots", dict.fromkeys(names, RandomBot))
    return names


def test_every_order_of_seats_is_played_equally_often(bots: tuple[str, ...]) -> None:
    batches = list(Tournament(game=QUEEN, players=bots, games=12, seats=3).line_ups())
    assert len(batches) == 8, "four groups, in two orders that are no rotation of each other"
    seated = Counter(
        [tuple(player.name for player in batch.players(number)) for batch in batches for number in range(6)]
    )
    assert seated == Counter({order: 2 for group in combinations(bots, 3) for order in permutations(group)})


def test_the_standings_are_plain_counts_and_a_tournament_goes_on_where_it_stopped(
    store: Store, bots: tuple[str, ...]
) -> None:
    tournament = Tournament(game=QUEEN, players=bots, games=7, seats=3, seed="t")
    asked = iter([True, True, False])
    assert tournaments.run(store, tournament, go_on=lambda: next(asked, False)) is None
    assert 0 < store.count() < tournament.size == 28
    told = list[int]()
    found = tournaments.run(store, tournament, progress=told.append)
    assert found is not None
    assert (found.games, store.count(), told[-1]) == (28, 28, 28)
    assert store.count(Filter(tags=("tournament/t",))) == 28
    n, credit, met, ahead = Counter[str](), Counter[str](), Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for tape in store.tapes():
        ranking = msgspec.json.decode(tape.events[-1])["ranking"]
        place = {tape.header.players[seat].name: at for at, group in enumerate(ranking) for seat in group}
        n.update(list(place))
        credit.update({name: 60 // len(ranking[0]) for name, at in place.items() if at == 0})
        met.update(permutations(place, 2))
        ahead.update([(one, other) for one, other in permutations(place, 2) if place[one] < place[other]])
    assert {row["player"]: row["n"] for row in found.rates.to_dicts()} == n == dict.fromkeys(bots, 21)
    assert {row["player"]: round(60 * row["credit"]) for row in found.rates.to_dicts()} == {
        bot: credit[bot] for bot in bots
    }
    assert {(row["player"], row["other"]): (row["n"], row["ahead"]) for row in found.pairs.to_dicts()} == {
        pair: (met[pair], ahead[pair]) for pair in met
    }
    assert sorted(found.ratings["player"]) == sorted(bots)
    assert tournaments.run(store, tournament) is not None
    assert store.count() == 28


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"players": ("random", "random")}, "'random' is named twice"),
        ({"players": ("random",)}, "a tournament at 2 seats needs as many players"),
        ({"seats": 3}, "a tournament at 3 seats needs as many players"),
        ({"seats": 1}, "two seats at the least"),
        ({"players": ("random", "clever")}, "no bot of Queen of the Cupcakes is called 'clever'"),
        ({"game": "chess"}, "no game is called 'chess'"),
        ({"seed": "x" * 40}, "at most 29 characters"),
    ],
)
def test_what_cannot_be_played_is_said_before_a_game_is(store: Store, changed: dict[str, object], says: str) -> None:
    tournament = msgspec.structs.replace(Tournament(game=QUEEN, players=("random", "greedy"), games=2), **changed)
    with pytest.raises(SetupError, match=says):
        tournaments.run(store, tournament)
    assert store.count() == 0


def test_the_command_prints_standings_and_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TABLETAPE_DB", raising=False)
    asked = ["tournament", QUEEN, "--players", "greedy,random", "-n", "6"]
    assert command(asked) == 0
    assert "Who finished ahead of whom" in capfd.readouterr().out
    assert command([*asked, "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert (told["games"], told["tag"], {row["n"] for row in told["rates"]}) == (6, "tournament/0", {6})
    assert command(["tournament", QUEEN, "--players", "greedy", "-n", "6"]) == 2
    assert capfd.readouterr().err.count("\n") == 1
