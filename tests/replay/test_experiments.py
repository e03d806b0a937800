"""Experiments: what their files may say, that they play each game once, and that their figures hold."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from statistics import mean, stdev

import msgspec
import polars as pl
import pytest

from core.rng import Rng
from events.errors import FormatError, SetupError
from events.tape import Tape
from replay import experiments
from replay.cli import run as command
from replay.experiments import Difference, plan
from replay.experiments.differences import differences
from replay.experiments.figures import ROWS, WHOLE, Figure, figures_of, rows
from replay.experiments.series import play_on
from replay.experiments.words import verdict
from replay.packaged import data_root
from replay.simulate import Batch
from replay.storage.store import Filter, Store
from replay.timeline import Timeline
from tests.replay.plain import COUNTS

QUEEN = "queen-of-the-cupcakes"
GAMES = 40
BINS = f"""
name = "bins"
question = "What do larger bins do?"
game = "{QUEEN}"
bots = ["greedy", "random"]
seed = "e"
games = {GAMES}

[[variants]]
name = "five"

[[variants]]
name = "eight"
sheet.bin_capacity = 8
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, experiments.Result]:
    """A store with an experiment that has come to its end."""
    store = Store(tmp_path_factory.mktemp("experiments") / "games.duckdb")
    found = experiments.run(store, BINS.encode())
    assert found is not None
    return store, found


def found_in(result: experiments.Result, figure: str, key: str = "") -> Difference:
    (one,) = [each for each in result.differences if (each.figure, each.key) == (figure, key)]
    return one


def games_of(store: Store, tag: str) -> list[Tape]:
    """The games of a variant by their number."""
    return sorted(store.tapes(Filter(tags=(tag,))), key=lambda tape: tape.header.id)


# --- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", sorted((data_root() / "experiments").glob("*.toml")), ids=lambda file: file.stem)
def test_what_is_shipped_can_be_played(file: Path) -> None:
    experiment = experiments.parse(file.read_bytes())
    assert experiment.name == file.stem
    assert len(experiments.batches(experiment)) >= 2


def test_variants_change_the_box_the_options_the_seats_and_the_bots() -> None:
    experiment = experiments.parse(
        f"""
        name = "all"
        game = "{QUEEN}"
        seats = 4
        bots = "greedy"
        games = 1
        baseline = "teams"
        [[variants]]
        name = "cards"
        sheet = {{ "copies.0" = 9, hand = 6, lay_out.1 = 4 }}
        [[variants]]
        name = "teams"
        options = {{ teams = true }}
        [[variants]]
        name = "three"
        seats = 3
        bots = "random"
    """.encode()
    )
    teams, cards, three = experiments.batches(experiment).values()
    assert list(experiments.batches(experiment)) == ["all/teams", "all/cards", "all/three"]
    assert (teams.options, teams.components, teams.bots) == (b'{"teams":true}', None, ("greedy",) * 4)
    assert (three.seats, three.bots, three.options) == (3, ("random",) * 3, b"{}")
    sheet = msgspec.json.decode(cards.components or b"")
    assert (sheet["copies"], sheet["hand"], sheet["lay_out"]) == ([9, 11, 11, 11, 11, 11], 6, [1, 4])
    assert (sheet["provenance"]["copies"], sheet["provenance"]["bank"]) == ("reconstructed", "rulebook")
    assert {batch.seed for batch in (teams, cards, three)} == {"0"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("games = 40", "games = 40 games"), "no TOML: .*line 7"),
        (("games = 40", "games = 0"), r"Expected `int` >= 1 - at `\$.games`"),
        (("games = 40", "games = 10_000_000"), "<= 100000"),
        (("games = 40", "game_count = 40"), "unknown field `game_count`"),
        (("seed =", "seeds ="), "unknown field `seeds`"),
        ((QUEEN, "queen-of-cupcakes"), "game: no game is called 'queen-of-cupcakes'; did you mean"),
        (('"greedy", "random"', '"greedy", "clever"'), "variant 'five': no bot .* is called 'clever'"),
        (('"greedy", "random"', '"greedy"'), "variant 'five': .* is for 2 to 5 seats, not for 1"),
        (('name = "eight"', 'name = "eight"\nseats = 3'), "variant 'eight': 3 seats need 3 players, not 2"),
        (('name = "eight"', 'name = "eight"\nseats = 1_000_000_000'), r"variant 2: .*<= 127 - at `\$.seats`"),
        (('name = "eight"', 'name = "eight"\nsheets = {}'), "variant 2: .*unknown field `sheets`"),
        (('name = "eight"', 'name = "eight"\noptions = { team = true }'), "variant 'eight': options of .*teams"),
        (('name = "eight"', "sheet.hand = 4"), "variant 2: .*missing required field `name`"),
        (('name = "eight"', 'name = "five"'), "two of them are called 'five'"),
        (('name = "eight"', 'name = "a/b"'), "no slash"),
        (('name = "eight"', f'name = "{"x" * 36}"'), "at most 39 characters"),
        (
            ("sheet.bin_capacity = 8", "sheet.bins = 8"),
            "sheet.bins is not there; there are: .*bin_capacity",
        ),
        (("sheet.bin_capacity = 8", 'sheet."copies.6" = 8'), r"sheet.copies.6 is not there; there are: 0 to 5"),
        (("sheet.bin_capacity = 8", 'sheet."hand.6" = 8'), "sheet.hand is a single value"),
        (("sheet.bin_capacity = 8", 'sheet.hand = "six"'), r"variant 'eight': .*Expected `int`, got `str`"),
        (("sheet.bin_capacity = 8", "sheet.bin_capacity = 5"), "'bins/five' and 'bins/eight' are the same"),
        (("seed =", 'baseline = "six"\nseed ='), "baseline: no variant is called 'six'; there are: five, eight"),
        (("seed =", 'figures = ["turn"]\nseed ='), "figures: there is no 'turn'; there are: turns, "),
        (("seed =", "precision.luck = 1\nseed ="), "precision: there is no figure 'luck'"),
        (("seed =", 'precision."turns/x" = 1\nseed ='), "precision: turns has no parts"),
        (("seed =", "precision.turns = 0\nseed ="), r"Expected `float` > 0.0 - at `\$.precision"),
        (("seed =", f"# {'x' * 4000}\nseed ="), "at most 4,000 characters"),
        (("[[variants]]", "[[others]]"), "unknown field `others`"),
    ],
)
def test_a_bad_file_is_one_line_that_says_where(change: tuple[str, str], says: str) -> None:
    with pytest.raises(FormatError, match=says) as error:
        experiments.parse(BINS.replace(*change).encode())
    assert "\n" not in str(error.value)


def test_one_variant_is_no_experiment() -> None:
    with pytest.raises(FormatError, match="length >= 2"):
        experiments.parse(BINS.rpartition("[[variants]]")[0].encode())


# --- playing ---------------------------------------------------------------------------------------------------------


def test_each_game_is_played_once_however_often_a_series_is_stopped(store: Store) -> None:
    batches = {Batch(game=QUEEN, seats=2, seed=seed, bots=("random", "random")): f"s/{seed}" for seed in ("a", "b")}
    asked = count()
    first = play_on(store, batches, range(12), go_on=lambda: next(asked) < 2)
    assert 0 < first < 24
    assert store.count() == first
    told = list[int]()
    assert play_on(store, batches, range(12), 2, told.append) == 24 - first
    assert (store.count(), told[-1], told == sorted(told)) == (24, 24, True)
    assert play_on(store, batches, range(12)) == 0
    for batch, tag in batches.items():
        ids = [tape.header.id for tape in games_of(store, tag)]
        assert ids == [batch.id_of(number) for number in range(12)]


def test_an_experiment_ends_at_the_first_look_that_is_precise_enough(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "FIRST", 30)
    text = BINS.replace("games = 40", 'games = 120\nprecision = { turns = 5, "wins/seat 0" = 0.5 }')
    assert experiments.parse(text.encode()).looks == (30, 60, 120)
    found = experiments.run(store, text.encode())
    assert found is not None
    assert (found.games, found.look, found.looks, found.precise, store.count()) == (30, 1, 3, True, 60)
    assert found.course == "30 games of each variant, look 1 of 3: as precise as was asked for"
    assert found.confidence == pytest.approx(1 - 0.05 / 3), "each look has its part"
    least = min(found.differences, key=lambda each: 1 if each.p is None else each.p)
    tested = sum(each.p is not None for each in found.differences)
    assert least.adjusted == pytest.approx((least.p or 0) * tested * 3), "every figure and every look counts"
    assert experiments.result(store, experiments.parse(text.encode())) == found


def test_an_experiment_is_kept_with_its_file_and_read_again(played: tuple[Store, experiments.Result]) -> None:
    store, found = played
    (kept,) = experiments.kept(store)
    assert (kept.text, kept.problem) == (BINS, "")
    assert kept.experiment is not None
    assert experiments.result(store, kept.experiment) == found
    assert experiments.run(store, BINS.encode()) == found
    assert store.count() == 2 * GAMES
    longer = experiments.parse(BINS.replace("games = 40", "games = 41").encode())
    assert experiments.result(store, longer) is None, "it has not come to its look"
    with pytest.raises(SetupError, match="another experiment that is called 'bins'"):
        experiments.run(store, BINS.replace("= 8", "= 7").encode())


def test_what_cannot_be_read_is_kept_and_said(store: Store) -> None:
    batch = Batch(game=QUEEN, seats=2, seed="x", bots=("random", "random"))
    play_on(store, {batch: "x"}, range(1))
    store.add_note(batch.id_of(0), 0, "name = 1", experiments.KIND)
    (kept,) = experiments.kept(store)
    assert (kept.experiment, kept.replay) == (None, batch.id_of(0))
    assert "missing required field" in kept.problem or "Expected `str`" in kept.problem


PRINTED = """
import msgspec, sys
from pathlib import Path
from replay import experiments
from replay.packaged import data_root
from replay.storage.store import Store
if __name__ == "__main__":
    text = (data_root() / "experiments" / "nine-nanners.toml").read_text().replace("games = 1600", "games = 6")
    store = Store(sys.argv[1])
    print(msgspec.json.encode(experiments.run(store, text.encode())).decode())
    print([(tape.header.id, tape.header.digest) for tape in store.tapes()])
"""


def test_nine_nanners_gives_the_same_streams_and_the_same_result_to_the_digit_in_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other = subprocess.Popen(
        [sys.executable, "-c", PRINTED, str(tmp_path / "other.duckdb")],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONHASHSEED": "4242"},
        stdout=subprocess.PIPE,
        text=True,
    )
    monkeypatch.setattr(sys, "argv", ["-c", str(tmp_path / "here.duckdb")])
    exec(PRINTED, {"__name__": "__main__"})
    first = capsys.readouterr().out
    assert other.communicate()[0] == first
    result, streams = first.splitlines()
    assert len(json.loads(result)["differences"]) > 50
    assert streams.count("', '") == 12


# --- figures ---------------------------------------------------------------------------------------------------------


def plainly(tape: Tape) -> dict[tuple[str, str], Counter[str]]:
    """The figures of a game of Queen of the Cupcakes, counted over its lines."""
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    events = [msgspec.json.decode(raw) for raw in tape.events]
    end = events[-1]
    winners = end["ranking"][0]
    cases = [("turns", "", sum(event["type"] == "turn_started" for event in events)), ("events", "", len(events))]
    cases += [("score", "", score) for score in end["scores"]]
    for seat, player in enumerate(tape.header.players):
        won = WHOLE // len(winners) if seat in winners else 0
        cases += [("wins", f"seat {seat}", won), ("bots", player.bot or "", won)]
    cases += [("shared", "", int(len(winners) > 1)), ("endings", end["reason"], 1)]
    for figure, key, total in cases:
        found[figure, key].update(n=1, total=total)
    for figure, _, key, n, total in COUNTS[QUEEN](events, Timeline(tape).game.sheet):
        found[figure, key].update(n=n, total=total)
    return found


def test_figures_are_plain_counts_over_the_streams(played: tuple[Store, experiments.Result]) -> None:
    store, result = played
    tapes = games_of(store, "bins/eight")
    counted: dict[tuple[str, str], dict[int, Counter[str]]] = defaultdict(dict)
    for number, tape in enumerate(tapes):
        for what, cases in plainly(tape).items():
            counted[what][number] = cases
    figures = rows(store, [tape.header.id for tape in tapes])
    assert figures.schema == ROWS
    for (figure, key), games in counted.items():
        own = figures.filter((pl.col("figure") == figure) & (pl.col("key") == key) & (pl.col("n") > 0))
        ours = {row["number"]: (row["n"], row["total"]) for row in own.to_dicts()}
        if figure == "endings":  # a game that ended otherwise is a case too
            assert {number for number, (_, total) in ours.items() if total} == set(games)
            assert len(ours) == GAMES
        else:
            assert ours == {number: (each["n"], each["total"]) for number, each in games.items() if each["n"]}
    assert {"turns", "wins", "bots", "bins", "beside_bin"} <= {figure for figure, _ in counted}
    assert found_in(result, "turns").value == mean([games["total"] for games in counted["turns", ""].values()])


def test_a_mean_differs_by_the_mean_of_the_paired_differences(played: tuple[Store, experiments.Result]) -> None:
    store, result = played
    turns = [
        [plainly(tape)["turns", ""]["total"] for tape in games_of(store, tag)] for tag in ("bins/five", "bins/eight")
    ]
    apart = [after - before for before, after in zip(*turns, strict=True)]
    found = found_in(result, "turns")
    assert found.difference == pytest.approx(mean(apart))
    half = 2.0227 * stdev(apart) / math.sqrt(GAMES)  # Student's t with 39 degrees of freedom, from a table
    assert (found.difference_low, found.difference_high) == pytest.approx(
        (mean(apart) - half, mean(apart) + half), rel=1e-3
    )


def frame(name: str, cases: Sequence[tuple[int, int]]) -> pl.DataFrame:
    """A figure of games: n and total of each."""
    return pl.DataFrame([(name, "", number, n, total) for number, (n, total) in enumerate(cases)], ROWS, orient="row")


def test_paired_rates_have_the_interval_that_was_published() -> None:
    """R. G. Newcombe, Statistics in Medicine 17 (1998) 2635, data set a, method 10: 0.0569 to 0.3404."""
    pairs = [(1, 1)] * 36 + [(1, 0)] * 12 + [(0, 1)] * 2
    figure = Figure(name="rate", title="?", unit="rate")
    base, other = [frame("rate", [(1, pair[at]) for pair in pairs]) for at in (1, 0)]
    (found,) = differences(base, {"x": other}, len(pairs), 1, {"rate": figure})
    assert (found.difference_low, found.difference_high) == pytest.approx((0.0569, 0.3404), abs=5e-5)


def test_equal_variants_differ_in_at_most_one_experiment_of_twenty() -> None:
    """Each experiment looks at eight figures: skewed counts, several cases a game, and rates, rare ones too."""
    figures = {f"f{at}": Figure(name=f"f{at}", title="?", unit="rate" if at % 2 else "mean") for at in range(8)}

    def variant(number: int) -> pl.DataFrame:
        """Of 40 games, independent of those of any other variant."""
        games = [Rng(b"equal", 40 * number + game) for game in range(40)]
        cases = [[1 + rng.below(3) for _ in figures] for rng in games]
        return pl.concat(
            [
                frame(name, [(each[at], draw(rng, each[at])) for rng, each in zip(games, cases, strict=True)])
                for at, name in enumerate(figures)
                for draw in [hits(3 + 2 * at) if at % 2 else spread]
            ]
        )

    def hits(one_in: int) -> Callable[[Rng, int], int]:
        return lambda rng, n: sum([rng.below(one_in) == 0 for _ in range(n)])

    def spread(rng: Rng, n: int) -> int:
        return sum([rng.below(1 + rng.below(20)) for _ in range(n)])

    seen, apart, tests = 0, 0, 0
    for experiment in range(200):
        found = differences(variant(2 * experiment), {"x": variant(2 * experiment + 1)}, 40, 1, figures)
        seen += any(each.verdict == "seen" for each in found)
        apart += sum([(each.p or 0) < 0.05 for each in found])
        tests += len(found)
    assert seen <= 16, "of 200: 10 are expected at the most, and 16 or less come up in 98 of 100 such runs"
    assert 0.02 < apart / tests < 0.065


def test_an_effect_that_is_certain_is_seen_and_said(played: tuple[Store, experiments.Result]) -> None:
    _, result = played
    turns = found_in(result, "turns")
    assert turns.verdict == "seen"
    assert result.said["bins/eight"][0].startswith("Games are ")
    assert "turns longer (" in verdict(turns, figures_of(QUEEN))
    start = found_in(result, "start_hand", "blue")
    assert start.difference == 0
    assert start.correlation == pytest.approx(1), "the same decks: common random numbers"
    assert verdict(start, figures_of(QUEEN)).endswith("blue: no difference seen (0.00 to 0.00)")


# --- the command -----------------------------------------------------------------------------------------------------


def test_the_command_plays_says_and_prints_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TABLETAPE_DB", raising=False)
    file = tmp_path / "bins.toml"
    file.write_text(BINS.replace("games = 40", 'games = 30\nfigures = ["turns", "wins"]'))
    assert command(["experiment", str(file)]) == 0
    said = capfd.readouterr().out
    assert "What do larger bins do?" in said
    assert "eight beside five:" in said
    assert "30 games of each variant. The games are kept" in said
    assert command(["experiment", str(file), "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert [(row["figure"], row["key"]) for row in told["differences"]] == [
        ("turns", ""),
        ("wins", "seat 0"),
        ("wins", "seat 1"),
    ]
    assert command(["replays", "--tag", "bins/eight", "--limit", "99", "--json"]) == 0
    assert len(json.loads(capfd.readouterr().out)) == 30
    for text, says in (("games = x", "bins.toml: no TOML"), (None, "cannot read")):
        file.unlink() if text is None else file.write_text(text)
        assert command(["experiment", str(file)]) == 1
        error = capfd.readouterr().err
        assert says in error
        assert error.count("\n") == 1
