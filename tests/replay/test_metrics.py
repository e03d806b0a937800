"""Metrics: held against plain counts over streams, their examples, and how they are kept in the store.

`TABLETAPE_GAMES=20000 python -m pytest tests/replay/test_metrics.py` counts over that many games instead of a few.
"""

from __future__ import annotations

import math
import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from msgspec.structs import replace
from polars.testing import assert_frame_equal

import core.registry
from core.conformance import random_game
from core.engine import states, take_back
from core.game import Game
from core.metrics import metrics_of as metrics_of_kind
from core.metrics import moments
from core.tally import Metric, Tally
from events.base import Event
from events.tape import Tape, sealed
from replay import frames
from replay.filters import Cell
from replay.games import load
from replay.simulate import Batch, tapes
from replay.statistics import measuring, summaries
from replay.statistics.measuring import case_in, lot_of, metric_of, metrics_of
from replay.storage import tally_sums
from replay.storage.database import Database
from replay.storage.measured import Share
from replay.storage.store import Filter, Store
from replay.storage.tables import TABLES, VERSION
from tests.replay import plain_moves
from tests.replay.examples import cited, example, found, golden
from tests.replay.plain import COUNTS
from tests.replay.tapes import stored
from tests.toy import HiddenStones, toy

GAMES = int(os.environ.get("TABLETAPE_GAMES", "160"))
QUEEN = "queen-of-the-cupcakes"
TEAMS = ("greedy", "random", "greedy", "random")
SHARES = {
    QUEEN: (0.7, [("random", "greedy"), ("greedy", "random", "random"), TEAMS, ("random",) * 4, ("random",) * 5]),
    "trash-pandas": (0.1, [("forager", "random"), ("forager", "random", "random")]),
    "picnic-palace": (0.1, [("planner", "random"), ("random", "patient", "random", "random")]),
    "cherry-on-the-cake": (0.1, [("greedy", "random"), ("random", "greedy", "random")]),
}


def simulated() -> Iterator[Tape]:
    """Games of all kinds; the last event of every twentieth is missing."""
    for slug, (share, line_ups) in SHARES.items():
        for bots in line_ups:
            options = b'{"teams":true}' if bots == TEAMS else b"{}"
            batch = Batch(game=slug, seats=len(bots), seed="metrics", bots=bots, options=options)
            for number, tape in enumerate(tapes(batch, 0, max(4, round(GAMES * share / len(line_ups))))):
                yield tape if number % 20 != 19 else sealed(tape.header, tape.events[:-1])


KINDS = {slug: set(core.registry.codec(core.registry.find(slug)).tags) - {"taken_back"} for slug in SHARES}


class Counted:
    """Plain counts over streams, as they go by on their way into a store."""

    def __init__(self) -> None:
        self.cases: dict[tuple[str, str], dict[tuple[int, int | None, str], Counter[str]]] = defaultdict(
            lambda: defaultdict(Counter)
        )
        self.lots: dict[tuple[str, str, str], dict[int, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        self.seats: dict[tuple[str, int, int], Counter[str]] = defaultdict(Counter)
        self.credits: dict[tuple[str, int, int], float] = defaultdict(float)
        self.scores: dict[tuple[str, int], list[int]] = defaultdict(list)
        self.lengths: dict[tuple[str, int], list[int]] = defaultdict(list)
        self.endings = Counter[tuple[str, int, str]]()
        self.beside: dict[tuple[str, str, str], list[float]] = defaultdict(lambda: [0.0] * 4)
        self.unfinished = Counter[str]()

    def watch(self, every: Iterator[Tape]) -> Iterator[Tape]:
        """Count tapes and pass them on."""
        for tape in every:
            self._count(tape.header.game, tape)
            yield tape

    def _count(self, slug: str, tape: Tape) -> None:
        events = [msgspec.json.decode(raw) for raw in tape.events]
        end, seats = events[-1], len(tape.header.players)
        if end["type"] != "game_ended":
            self.unfinished[slug] += 1
            return
        winners = end["ranking"][0]
        credit = [1 / len(winners) if seat in winners else 0.0 for seat in range(seats)]
        self.lengths[slug, seats].append(len(events))
        self.endings[slug, seats, end["reason"]] += 1
        sides = 2 if events[0]["options"].get("teams") else seats
        first, second, *_ = sorted(end["scores"][:sides], reverse=True)
        found: dict[tuple[str, int | None, str], Counter[str]] = defaultdict(Counter)
        margin = ("margin", None, "", 1, first - second)
        happened = Counter([event["type"] for event in events])
        kinds = [("kinds", None, kind, 1, happened[kind]) for kind in KINDS[slug]]
        sheet = load(slug).sheet
        cases = chain(COUNTS[slug](events, sheet), plain_moves.counts(slug, events, sheet), [margin], kinds)
        for metric, seat, key, n, total in cases:
            found[metric, seat, key].update({"n": n, "total": total})
        for (metric, seat, key), each in found.items():
            self.cases[slug, metric][seats, seat, key].update({**each, "games": 1})
            self.lots[slug, metric, key][lot_of(tape.header.id)].update(each)
            if seat is not None:
                beside = self.beside[slug, metric, key]
                for at, more in enumerate((1, credit[seat], each["total"], each["total"] * credit[seat])):
                    beside[at] += more
        for seat in range(seats):
            sole = seat in winners and len(winners) == 1
            row = {"n": 1, "wins": int(sole), "shared": int(seat in winners and not sole)}
            self.seats[slug, seats, seat].update(row)
            self.credits[slug, seats, seat] += credit[seat]
            self.scores[slug, seats].append(end["scores"][seat])


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, Counted]:
    store = Store(tmp_path_factory.mktemp("metrics") / "games.duckdb")
    plain = Counted()
    store.add(plain.watch(simulated()))
    assert store.measure().bad == ()
    return store, plain


@pytest.mark.parametrize("slug", list(SHARES))
def test_metrics_equal_a_plain_count(counted: tuple[Store, Counted], slug: str) -> None:
    store, plain = counted
    own = {metric.name for metric in load(slug).metrics}
    assert own <= {metric for game, metric in plain.cases if game == slug}, "every metric of a game has a plain count"
    for (game, metric), cases in plain.cases.items():
        if game == slug:
            table = store.metric_table(slug, metric, by=("seats", "seat", "key"))
            found = {(row["seats"], row["seat"], row["key"]): row for row in table.to_dicts()}
            expected = {cell: each for cell, each in cases.items() if each["n"]}
            assert found.keys() == expected.keys(), metric
            for cell, row in found.items():
                each = expected[cell]
                assert [row[name] for name in ("games", "n", "total")] == [
                    each["games"],
                    each["n"],
                    each["total"],
                ], (metric, cell)


@pytest.mark.parametrize("slug", list(SHARES))
def test_results_equal_a_plain_count_with_ties_split_and_unfinished_games_apart(
    counted: tuple[Store, Counted], slug: str
) -> None:
    store, plain = counted
    wanted = Filter(game=slug)
    rates = summaries.win_rates(store.seat_table(wanted, ["seat"]), ["seats", "seat"]).to_dicts()
    assert len(rates) == len([key for key in plain.seats if key[0] == slug])
    for row in rates:
        cell = (slug, row["seats"], row["seat"])
        assert {name: row[name] for name in ("n", "wins", "shared")} == dict(plain.seats[cell])
        assert row["credit"] == pytest.approx(plain.credits[cell])
    for row in summaries.score_summary(store.seat_table(wanted, ["score"]), "seats").to_dicts():
        scores = pl.Series(plain.scores[slug, row["seats"]]).cast(pl.Float64)
        assert (row["n"], row["least"], row["most"]) == (len(scores), scores.min(), scores.max())
        assert (row["mean"], row["sd"]) == (pytest.approx(scores.mean()), pytest.approx(scores.std()))
        quartiles = [scores.quantile(q, "linear") for q in (0.25, 0.5, 0.75)]
        assert [row["lower"], row["median"], row["upper"]] == pytest.approx(quartiles)
    games = store.game_table(wanted)
    for row in summaries.length_summary(games).to_dicts():
        lengths = pl.Series(plain.lengths[slug, row["seats"]])
        assert (row["n"], row["length_mean"]) == (len(lengths), pytest.approx(lengths.mean()))
        assert row["length_median"] == lengths.median()
    endings = {(slug, row["seats"], row["ended"]): row["n"] for row in summaries.endings(games).to_dicts()}
    assert endings == {key: n for key, n in plain.endings.items() if key[0] == slug}
    assert games.filter(~pl.col("finished"))["games"].sum() == plain.unfinished[slug]


def test_the_sample_has_ties_teams_five_seats_and_unfinished_games(counted: tuple[Store, Counted]) -> None:
    store, plain = counted
    assert plain.unfinished.total()
    assert sum(each["shared"] for each in plain.seats.values())
    assert store.count(Filter(game=QUEEN, seats=5, finished=True))
    assert store.count(Filter(options='{"teams":true}', finished=True))


def test_win_rates_beside_a_card_equal_a_plain_count(counted: tuple[Store, Counted]) -> None:
    store, plain = counted
    rates = summaries.situation_rates(store.situation_table(QUEEN)).to_dicts()
    assert len(rates) == 4 * 6
    for row in rates:
        n, credit, copies, credit_of_copies = plain.beside[QUEEN, row["situation"], row["key"]]
        assert (row["n"], row["draws"]) == (n, copies)
        assert row["rate"] == pytest.approx(credit / n)
        assert row["draw_rate"] == pytest.approx(credit_of_copies / copies)


def test_the_interval_of_a_mean_is_that_of_a_ratio_between_lots(counted: tuple[Store, Counted]) -> None:
    store, plain = counted
    metric = metric_of(QUEEN, "beside_bin")
    for row in summaries.metric_summary(store.metric_table(QUEEN, metric.name), metric).to_dicts():
        lots = list(plain.lots[QUEEN, metric.name, row["key"]].values())
        n, value = sum(lot["n"] for lot in lots), row["value"]
        off = sum((lot["total"] - value * lot["n"]) ** 2 for lot in lots)
        half = 1.959963984540054 * math.sqrt(off * len(lots) / (len(lots) - 1)) / n
        assert (row["low"], row["high"]) == (pytest.approx(value - half), pytest.approx(value + half))


def test_a_rate_of_one_case_a_game_has_wilsons_interval(counted: tuple[Store, Counted]) -> None:
    store, _ = counted
    metric = metric_of(QUEEN, "full_bin")
    for row in summaries.metric_summary(store.metric_table(QUEEN, metric.name), metric).to_dicts():
        assert (row["low"], row["high"]) == pytest.approx(summaries.wilson(float(row["total"]), float(row["n"])))


@pytest.mark.parametrize("by", [("player",), ("bot", "key"), ("seats", "key"), ("won",), ()])
def test_however_a_metric_is_told_apart_its_parts_add_up(counted: tuple[Store, Counted], by: tuple[str, ...]) -> None:
    store, plain = counted
    table = store.metric_table(QUEEN, "beside_bin", by=by)
    cases = plain.cases[QUEEN, "beside_bin"].values()
    assert table["n"].sum() == sum(each["n"] for each in cases)
    assert table["total"].sum() == sum(each["total"] for each in cases)
    bot = store.metric_table(QUEEN, "beside_bin", Filter(bots=("greedy",)), by=by)
    assert 0 < bot["n"].sum() < table["n"].sum()


# --- definitions -----------------------------------------------------------------------------------------------------

EVERY = [pytest.param(metric, id=f"{slug}-{metric.name}") for slug in SHARES for metric in metrics_of(slug)]


@pytest.mark.parametrize("metric", EVERY)
def test_the_worked_example_of_a_metric(metric: Metric) -> None:
    slug, file = cited(metric)
    (shown,) = [each for each in metrics_of(slug) if each.name == metric.name]
    assert metric.example == example(shown, slug, file)


@pytest.mark.parametrize("metric", EVERY)
def test_a_tally_stands_at_an_event_that_its_metric_looks_at(metric: Metric) -> None:
    slug, file = cited(metric)
    (shown,) = [each for each in metrics_of(slug) if each.name == metric.name]
    steps = [tally.step for tally in found(shown, slug, file) if tally.step is not None]
    kinds = [msgspec.json.decode(event)["type"] for event in golden(slug, file).events]
    if metric.triggers not in (("moves",), ("states",), ("events",)):
        assert {kinds[step] for step in steps} <= {*metric.triggers}


@pytest.mark.parametrize(
    ("cell", "kind", "number"),
    [
        (Cell(metric="steals", key="hand"), "card_stolen", 0),  # the first that succeeds
        (Cell(metric="ever_held", key="Kitteh"), "hands_dealt", 0),
        (Cell(metric="lead_changes", seats=2), "turn_started", 2),
        (Cell(kind="doggo_played"), "doggo_played", 0),
        (Cell(seat=0, won=True), "game_ended", 0),
    ],
)
def test_the_case_behind_a_mark_is_a_step(cell: Cell, kind: str, number: int) -> None:
    tape = golden("trash-pandas", "2-doggo-draws-the-last-card.jsonl")
    kinds = [msgspec.json.decode(event)["type"] for event in tape.events]
    step = case_in(tape, cell)
    assert (kinds[step], kinds[:step].count(kind)) == (kind, number)


def test_the_docs_define_every_metric() -> None:
    text = (Path(__file__).parents[2] / "docs" / "statistics.md").read_text()
    assert measuring.described() in text, "put what `python -m replay.statistics.measuring` writes at its end"


def test_the_worked_example_of_the_seat_test() -> None:
    results = pl.DataFrame(
        {"seats": [2] * 4, "seat": [0, 0, 1, 1], "won": [True, False] * 2, "winners": [1] * 4, "rank": [1, 2, 1, 2]}
    ).with_columns(games=pl.Series([170, 130, 130, 170]))
    (row,) = summaries.seat_test(results).to_dicts()
    assert (row["n"], round(row["statistic"], 2), round(row["p"], 3), row["enough"]) == (300, 5.33, 0.021, True)


def test_shared_wins_vary_less_and_games_shared_by_all_say_nothing() -> None:
    """Of 100 three-seat games seats 0 and 1 share 60 and seat 2 wins 40: the variance is that of such credits."""
    credit = pl.DataFrame(
        {
            "seats": [3] * 6,
            "seat": [0, 0, 1, 1, 2, 2],
            "won": [True, False, True, False, False, True],
            "winners": [2, 1, 2, 1, 2, 1],
            "rank": [1, 2, 1, 2, 2, 1],
            "games": [60, 40, 60, 40, 60, 40],
        }
    )
    (row,) = summaries.seat_test(credit).to_dicts()
    variance = (60 * 0.5 + 40) / 300 - 1 / 9
    off = 2 * (30 - 100 / 3) ** 2 + (40 - 100 / 3) ** 2
    assert row["statistic"] == pytest.approx(2 / 3 * off / (100 * variance))
    shared = credit.with_columns(won=pl.lit(value=True), winners=3)
    assert summaries.seat_test(shared)["p"].to_list() == [None]


def test_the_worked_example_of_a_win_rate_beside_a_card() -> None:
    lot = {"lots": [2], "nn": [2.0], "nt": [1.0], "tt": [1.0], "draw_nn": [10.0], "draw_nt": [9.0], "draw_tt": [9.0]}
    sums = {"n": [2], "credit": [1.0], "base": [1.0], "draws": [4], "draw_credit": [3.0], "draw_base": [2.0]}
    (row,) = summaries.situation_rates(
        pl.DataFrame({"key": ["yellow"], "situation": ["start_hand"]} | sums | lot)
    ).to_dicts()
    assert (row["rate"], row["draw_rate"], row["baseline"], row["enough"]) == (0.5, 0.75, 0.5, False)


# --- moments ---------------------------------------------------------------------------------------------------------


def test_what_was_taken_back_is_not_measured_but_counted_from_the_move_that_stands() -> None:
    game = toy()
    played = list(random_game(game, 2, "moments"))
    back: list[Event] = [*played[:8], take_back(game, played[:8], 5), *played[6:]]
    along = moments(list(states(game, back)), back, game.initial())
    assert [moment.event for moment in along] == played
    assert [moment.step for moment in along] == [*range(6), *range(9, len(back))]
    assert all(game.evolve(moment.before, moment.event) == moment.after for moment in along)


def test_choices_count_the_moves_of_the_seat_and_no_forced_move() -> None:
    """The toy offers one to three stones, as far as there are any, and the last stone is taken without asking."""
    game = toy()
    played = list(random_game(game, 3, "choices"))
    along = moments(list(states(game, played)), played, game.initial())
    expected: dict[int, list[int]] = defaultdict(list)
    heap = 0
    for event in map(msgspec.to_builtins, played):
        heap = 9 if event["type"] == "round_started" else heap
        if event["type"] == "stones_taken":
            if heap > 1:
                expected[event["seat"]].append(min(3, heap))
            heap -= event["count"]
    measure = {metric.name: metric.measure for metric in metrics_of_kind(HiddenStones)}
    choices = {tally.seat: (tally.n, tally.total) for tally in measure["choices"](game, along)}
    assert choices == {seat: (len(moves), sum(moves)) for seat, moves in expected.items()}
    assert {tally.seat: tally.total for tally in measure["decisions"](game, along)} == {
        seat: len(expected[seat]) for seat in range(3)
    }
    assert "lead_changes" not in measure
    assert "start_hand" not in measure


# --- the store -------------------------------------------------------------------------------------------------------


def test_measuring_again_changes_nothing_and_only_what_is_new_is_measured(path: Path, tapes: list[Tape]) -> None:
    store = stored(path, tapes[:6])
    assert store.measured() == Share(6, 0, 0)
    assert store.measure().replays == 6
    before = frames.metrics(store.path).collect()
    store.add(tapes)
    assert store.measure(jobs=2).replays == 6
    assert store.measure().replays == 0
    after = frames.metrics(store.path).collect()
    assert after.filter(pl.col("replay").is_in(before["replay"].to_list())).equals(before)


def test_a_metric_of_another_version_is_measured_anew(
    path: Path, tapes: list[Tape], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = stored(path, tapes, measured=True)
    kind = core.registry.find(QUEEN)
    monkeypatch.setattr(kind, "metrics", (replace(kind.metrics[0], version=2), *kind.metrics[1:]))
    measuring.digest_of.cache_clear()
    assert store.measured().measured == 0
    assert store.measure().replays == len(tapes)
    assert store.measure().replays == 0
    monkeypatch.undo()
    measuring.digest_of.cache_clear()
    assert store.metric_table(QUEEN, "decisions", by=())["n"].item() == sum(len(tape.header.players) for tape in tapes)


def test_a_game_that_cannot_be_measured_is_marked_and_reported_and_the_others_go_on(
    store: Store, tapes: list[Tape], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fragile(game: Game[Any], along: Any) -> list[Tally]:
        return [Tally(None, "", 1, 1 // (3 - along[-1].after.seats))]  # fails for three seats

    kind = core.registry.find(QUEEN)
    monkeypatch.setattr(kind, "metrics", (replace(kind.metrics[0], name="fragile", measure=fragile),))
    measuring.digest_of.cache_clear()
    store.add(tapes)
    measured = store.measure()
    three = [tape.header.id for tape in tapes if len(tape.header.players) == 3]
    assert [finding.replay for finding in measured.bad] == three
    assert "cannot be measured" in str(measured.bad[0])
    assert store.measured() == Share(12, 12 - len(three), len(three))
    assert store.metric_table(QUEEN, "fragile", by=("seats",))["games"].to_list() == [3, 3, 3]
    measuring.digest_of.cache_clear()


def test_a_game_whose_events_break_the_rules_is_not_measured(store: Store, tapes: list[Tape]) -> None:
    events = [*tapes[0].events[:-3], *tapes[0].events[-2:]]  # a turn ends nowhere
    store.add([sealed(tapes[0].header, tuple(events))])
    (bad,) = store.measure().bad
    assert f"step {len(events) - 2}" in bad.problem


def test_what_was_measured_goes_with_its_replay(path: Path, tapes: list[Tape]) -> None:
    store = stored(path, tapes, measured=True)
    store.remove(tapes[0].header.id)
    taken_back = b'{"type":"taken_back","to":5}'
    store.append(tapes[1].header.id, len(tapes[1].events), [taken_back])
    left = frames.metrics(store.path).collect()["replay"].unique().to_list()
    assert sorted(left) == [tape.header.id for tape in tapes[2:]]
    assert store.measured() == Share(10, 10, 0)


def test_sums_say_what_the_rows_say(counted: tuple[Store, Counted]) -> None:
    store, _ = counted
    for seats in (None, 3):
        rows, sums = Filter(seats=seats), Filter(seats=seats, branches=False)
        for metric in metrics_of(QUEEN):
            by = ("seats", "won", "key") if metric.key else ("seats",)
            found = [store.metric_table(QUEEN, metric.name, wanted, by) for wanted in (sums, rows)]
            assert_frame_equal(*found)
        assert_frame_equal(*[store.situation_table(QUEEN, wanted, ("seats",)) for wanted in (sums, rows)])


def test_sums_answer_while_they_are_of_what_is_measured(path: Path, tapes: list[Tape]) -> None:
    store = stored(path, tapes, measured=True)

    def margin() -> int:
        return int(store.metric_table(QUEEN, "margin", Filter(branches=False), ())["n"].item())

    with Database(store.path, TABLES, VERSION).writing() as lease:
        lease.run("UPDATE tally_sum SET n = n + 100")
    assert margin() > 12, "the sums are looked at"
    store.remove(tapes[0].header.id)
    assert margin() == 11, "the sums are of other games, so they are not"
    store.measure()
    assert margin() == 11
    with Database(store.path, TABLES, VERSION).reading() as lease:
        assert lease.rows("SELECT sum(n) FROM tally_sum WHERE metric = 'margin'") == [(11,)]
        late = tally_sums.made(lease, ["margin"])
    store.remove(tapes[1].header.id)
    with Database(store.path, TABLES, VERSION).writing() as lease:
        tally_sums.keep(lease, late)
        assert lease.rows("FROM tally_sum") == [], "they are of a game that has gone in the meantime"


def test_sums_forget_a_game_that_comes_back_as_another(path: Path, tapes: list[Tape]) -> None:
    id = tapes[0].header.id
    store = stored(path, tapes[:2], measured=True)
    store.remove(id)
    store.add([replace(tapes[4], header=replace(tapes[4].header, id=id))])
    store.measure()
    rows, sums = Filter(), Filter(branches=False)
    assert_frame_equal(*[store.metric_table(QUEEN, "kinds", wanted) for wanted in (rows, sums)])


def test_rebuilding_measures_anew(path: Path, tapes: list[Tape]) -> None:
    store = stored(path, tapes)
    assert store.rebuild().bad == ()
    assert store.measured() == Share(12, 12, 0)


# --- lazy frames -----------------------------------------------------------------------------------------------------


def test_lazy_frames_are_those_of_the_store(store: Store, tapes: list[Tape]) -> None:
    store.add([*tapes, replace(tapes[0], header=replace(tapes[0].header, id="0192a000-0000-0000-0000-0000000003e8"))])
    store.append(*_begun(store, tapes[1]))
    assert frames.replays(store.path).select(pl.len()).collect().item() == 14
    seats = frames.seats(store.path, Filter(seats=3)).collect()
    assert seats.equals(store.seat_results(Filter(seats=3)))
    assert seats.schema == frames.SEATS
    last = frames.events(store.path).filter(pl.col("kind") == "game_ended").select("replay", "body").collect()
    assert last.height == 13
    assert frames.events(store.path).head(30).collect().height == 30
    nobody = frames.metrics(store.path, Filter(players=("nobody",))).collect()
    assert nobody.is_empty()
    assert nobody.schema == frames.METRICS


def _begun(store: Store, tape: Tape) -> tuple[str, int, tuple[bytes, ...]]:
    """A game that is not finished."""
    id = "0192a000-0000-0000-0000-0000000003e9"
    store.begin(replace(tape.header, id=id, length=None, digest=None))
    return id, 0, tape.events[:10]
