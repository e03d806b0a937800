"""What is measured in games, held against plain counts of a few recorded ones; over many games: `tests/replay`."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import chain

import msgspec
import pytest

from core.games.picnic_palace.metrics import used
from core.metrics import metrics_of
from core.tally import Moment, Tally, counted, summed
from events.base import Event
from events.cherry_on_the_cake import ChipsRevealed
from events.picnic_palace import PickleUsed, RoundScored, SprinklesScored
from replay.games import load
from replay.statistics.measuring import moments_of
from tests.core.games.picnic_palace import picnic
from tests.replay import plain_moves
from tests.replay.examples import golden
from tests.replay.plain import COUNTS

RECORDED = [
    ("queen-of-the-cupcakes", "3-bin-full.jsonl"),
    ("queen-of-the-cupcakes", "teams-pile-empty.jsonl"),
    ("trash-pandas", "2-kitteh-kitteh-doggo.jsonl"),
    ("trash-pandas", "3-six-tokens.jsonl"),
    ("cherry-on-the-cake", "2-golden-end.jsonl"),
    ("cherry-on-the-cake", "2-seats-8-pieces.jsonl"),
    ("picnic-palace", "2-odd-last-flip.jsonl"),
    ("picnic-palace", "3-pickle-of-an-earlier-round.jsonl"),
]


@pytest.mark.parametrize(("slug", "file"), RECORDED)
def test_what_a_game_is_measured_by_is_what_a_plain_count_says(slug: str, file: str) -> None:
    game, along = moments_of(golden(slug, file))
    events = [msgspec.json.decode(raw) for raw in golden(slug, file).events]
    expected: dict[str, dict[tuple[int | None, str], Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    cases = chain(COUNTS[slug](events, game.sheet), plain_moves.counts(slug, events, game.sheet))
    for metric, seat, key, n, total in cases:
        expected[metric][seat, key].update({"n": n, "total": total})
    measured = {metric.name: list(metric.measure(game, along)) for metric in metrics_of(type(game))}
    for name, plain in expected.items():
        found = {(tally.seat, tally.key): (tally.n, tally.total) for tally in measured[name] if tally.n}
        assert found == {case: (each["n"], each["total"]) for case, each in plain.items() if each["n"]}, name


@pytest.mark.parametrize(("slug", "file"), RECORDED)
def test_the_standing_before_the_last_event_is_the_final_score(slug: str, file: str) -> None:
    game, along = moments_of(golden(slug, file))
    outcome = game.outcome(along[-1].after)
    assert outcome is not None
    assert game.standing(along[-1].before) == outcome.scores


def test_cases_are_summed_and_stand_where_the_first_counted_for_something() -> None:
    cases = [(0, "a", 0, 7), (1, "a", 5, 8), (0, "a", 3, 9), (0, "a", 2, 10), (1, "a", 0, 11), (0, "b", 0, 12)]
    assert summed(cases) == [Tally(0, "a", 3, 5, 9), Tally(1, "a", 2, 5, 8), Tally(0, "b", 1, 0, 12)]
    assert counted([(0, "a", 7), (0, "a", 9), (1, "a", 9)]) == [Tally(0, "a", 1, 2, 7), Tally(1, "a", 1, 1, 9)]


def test_partners_are_one_side() -> None:
    game, along = moments_of(golden("queen-of-the-cupcakes", "teams-pile-empty.jsonl"))
    assert game.sides(along[-1].after) == ((0, 2), (1, 3))


def test_a_guest_is_used_when_it_scores_and_a_pickle_when_it_is_given() -> None:
    state = picnic.table(collected=("sa sp pa", "fr", ""))

    def use(event: Event) -> list[tuple[int, str]]:
        return list(used(Moment(7, state, event, state)))

    assert use(RoundScored((1, 3, 0))) == [(0, "sassy"), (1, "franky")]
    assert use(SprinklesScored((1, 0, 0), (10, -5, -5))) == [(0, "sprinkles")]
    assert use(PickleUsed(1, 0, 0, "sunny")) == [(1, "pauly_pickle")]


def test_chips_are_to_be_seen_when_they_are_turned_up() -> None:
    game, along = moments_of(golden("cherry-on-the-cake", "2-golden-end.jsonl"))
    step = next(moment.step for moment in along if isinstance(moment.event, ChipsRevealed))
    metrics = [metric for metric in game.metrics if metric.triggers == ("chips_revealed",)]
    assert metrics
    assert {tally.step for metric in metrics for tally in metric.measure(game, along)} == {step}


def test_each_metric_asks_and_defines() -> None:
    for slug in dict.fromkeys([slug for slug, _ in RECORDED]):
        metrics = metrics_of(type(load(slug)))
        assert len(dict.fromkeys([metric.title for metric in metrics])) == len(metrics)
        assert all(metric.title.endswith("?") and metric.definition.endswith(".") for metric in metrics)
