"""Who was winning: chances by playing on, what choices cost, luck and play, and what is kept of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean, stdev

import msgspec
import pytest
from msgspec.structs import replace

from core.bots import RandomBot
from core.chance import Chance
from core.game import Outcome
from core.rollouts import rollout, shares
from events.codec import encode_all
from events.errors import SetupError
from events.marks import Viewer
from events.tape import Tape, digest, sealed
from replay.cli import run
from replay.evaluation.calibrating import calibrate
from replay.evaluation.evaluating import Budget, Chances, Evaluation, accounts, budget_for, evaluate, luck
from replay.evaluation.evaluations import evaluated, judged, known_decisions, known_evaluation
from replay.evaluation.judging import Decision, Trial, choices, judge
from replay.simulate import Batch, simulate
from replay.statistics.summaries import wilson
from replay.storage.store import Store
from replay.timeline import Timeline
from tests.replay.twins import played, twins

QUEEN = "queen-of-the-cupcakes"
FEW = Budget(most=24, band=0.01)
TRIAL = Trial(search=4, final=16)


def last(tape: Tape, viewer: Viewer = "omniscient", budget: Budget = FEW) -> Evaluation:
    return list(evaluate(tape, viewer, budget=budget))[-1]


def test_chances_are_the_mean_share_of_a_plain_count() -> None:
    tape = played(QUEEN)
    timeline = Timeline(tape)
    found = last(tape)
    for step in (0, 20, len(timeline) - 8):
        while step and timeline.step(step).cause == "rules":
            step -= 1
        totals = [0.0] * 3
        for number in range(24):
            key = b"evaluation/%d" % number
            end = rollout(timeline.game, timeline.states[step], timeline.events[: step + 1], [RandomBot()] * 3, key)
            outcome = timeline.game.outcome(end)
            assert outcome is not None
            best = [seat for seat in range(3) if outcome.scores[seat] == max(outcome.scores)]
            for seat in best:
                totals[seat] += 1 / len(best)
        assert found.chances[step].rates == pytest.approx([total / 24 for total in totals])
        assert found.chances[step].rollouts == 24


@pytest.mark.parametrize("game", ["queen-of-the-cupcakes", "trash-pandas", "cherry-on-the-cake", "picnic-palace"])
def test_a_finished_game_ends_at_its_result_and_accounts_add_up(game: str) -> None:
    tape = played(game)
    timeline = Timeline(tape)
    found = last(tape, budget=Budget(most=1, band=0.01))
    assert found.chances[-1] == Chances(0, shares(timeline.game, timeline.states[-1]))
    for chances in found.chances:
        assert sum(chances.rates) == pytest.approx(1)
    for account in accounts(timeline, found):
        assert account.start + account.luck + account.own + account.others == pytest.approx(account.end)
        brought = sum([changes[account.seat] for _, changes in luck(timeline, found)])
        assert brought == pytest.approx(account.luck)
        assert account.end == found.chances[-1].rates[account.seat]


def test_where_nobody_is_ranked_nobody_has_a_share() -> None:
    timeline = Timeline(played("trash-pandas"))
    given_up = replace(timeline.states[-1], outcome=Outcome("turn_limit", (0, 0, 0), ()))
    assert shares(timeline.game, given_up) == (0, 0, 0)


def test_a_team_wins_and_is_moved_together() -> None:
    batch = Batch(game="queen-of-the-cupcakes", seats=4, seed="team", bots=("random",) * 4, options=b'{"teams":true}')
    (tape,) = simulate(batch, 1)
    found = last(tape, budget=Budget(most=8, band=0.01))
    for chances in found.chances:
        assert chances.rates[0] == chances.rates[2]
        assert chances.rates[0] + chances.rates[1] == pytest.approx(1)
    first, _, partner, _ = accounts(Timeline(tape), found)
    assert (first.own, first.others) == pytest.approx((partner.own, partner.others))


def test_it_goes_on_until_the_band_is_narrow_enough_and_no_longer() -> None:
    rounds = list(evaluate(played(QUEEN), "omniscient", budget=Budget(most=150, band=0.16)))
    for at, chances in enumerate(rounds[-1].chances):
        assert chances.within(0.16)
        for earlier in rounds[:-1]:
            assert earlier.chances[at].rollouts <= chances.rollouts
            if earlier.chances[at].within(0.16):
                assert earlier.chances[at] == chances
    for band in (0.03, 0.05, 0.12):
        most = budget_for(band).most
        assert Chances(most, (0.5, 0.5)).within(band)
        assert not Chances(most - 1, (0.5, 0.5)).within(band)


def test_workers_and_another_hash_seed_give_the_same(tmp_path: Path) -> None:
    tape = played(QUEEN)
    with ThreadPoolExecutor(3) as pool:
        shared = list(evaluate(tape, 1, budget=FEW, pool=pool))[-1]
        assert list(judge(tape, 1, trial=Trial(2, 4), pool=pool)) == list(judge(tape, 1, trial=Trial(2, 4)))
    assert shared == last(tape, 1)
    file = tmp_path / "tape"
    file.write_bytes(msgspec.msgpack.encode(tape))
    program = """
import msgspec, sys
from events.tape import Tape
from replay.evaluation.evaluating import Budget, evaluate
tape = msgspec.msgpack.decode(open(sys.argv[1], "rb").read(), type=Tape)
*_, last = evaluate(tape, 1, budget=Budget(most=24, band=0.01))
sys.stdout.buffer.write(msgspec.json.encode(last))
"""
    said = subprocess.run(
        [sys.executable, "-c", program, str(file)],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONHASHSEED": "4242"},
    )
    assert said.stdout == msgspec.json.encode(shared)


@pytest.mark.parametrize("game", ["queen-of-the-cupcakes", "trash-pandas"])
def test_what_a_seat_does_not_know_does_not_change_what_it_is_told(game: str) -> None:
    pairs = [pair for seed in range(6) if (pair := twins(game, seed, 1)) and pair[0].states[-1] != pair[1].states[-1]]
    assert pairs
    for one, other in pairs[:2]:
        first, second = (sealed(each.header, encode_all(each.events)) for each in (one, other))
        assert last(first, 1, Budget(most=2, band=0.01)) == last(second, 1, Budget(most=2, band=0.01))
        assert list(judge(first, 1, trial=Trial(1, 2))) == list(judge(second, 1, trial=Trial(1, 2)))


def test_the_omniscient_sees_no_luck_in_a_draw_and_a_seat_does() -> None:
    tape = played(QUEEN)
    timeline = Timeline(tape)
    every, own = last(tape), last(tape, 0)
    drawn = [step for step in range(len(timeline)) if timeline.step(step).kind == "bank_filled"]
    assert all(every.chances[at] == every.chances[at - 1] for at in drawn)
    assert any(own.chances[at] != own.chances[at - 1] for at in drawn)
    assert any(isinstance(timeline.game.forced(state), Chance) for state in timeline.states)


def test_a_loss_is_the_mean_difference_of_the_best_and_the_chosen_in_a_plain_count() -> None:
    tape = played(QUEEN)
    timeline = Timeline(tape)
    game = timeline.game
    found = [each for each in judge(tape, "omniscient", trial=TRIAL) if each.loss]
    assert found
    for decision in found[:3] + found[-3:]:
        before = timeline.states[decision.number - 1]
        record = timeline.events[: decision.number]
        moves = game.legal(before)
        assert moves[decision.chosen] == timeline.events[decision.number]
        left, searched = decision.moves, 0
        while left > 1:
            left, searched = left // 2, searched + TRIAL.search
        differences = []
        for number in range(searched, searched + TRIAL.final):
            won = []
            for move in (moves[decision.best], moves[decision.chosen]):
                after = game.evolve(before, move)
                end = rollout(game, after, [*record, move], [RandomBot()] * 3, b"evaluation/%d" % number)
                won.append(shares(game, end)[decision.seat])
            differences.append(won[0] - won[1])
        assert decision.loss == pytest.approx(mean(differences))
        assert decision.band == pytest.approx(1.959964 * stdev(differences) / len(differences) ** 0.5)


def test_marks_are_those_of_the_published_thresholds_and_only_where_noise_cannot_explain_them() -> None:
    def mark(loss: float, band: float = 0.01) -> str:
        return Decision(1, 0, 2, 0, 1, loss, band).mark

    assert [mark(loss) for loss in (0.04, 0.05, 0.099, 0.1, 0.149, 0.15, 0.9)] == [
        "fine",
        "inaccuracy",
        "inaccuracy",
        "mistake",
        "mistake",
        "blunder",
        "blunder",
    ]
    assert mark(0.2, band=0.21) == "fine"


def test_choices_are_those_of_the_viewer_between_two_moves_or_more() -> None:
    timeline = Timeline(played(QUEEN))
    every = choices(timeline, "omniscient")
    own = [timeline.at(number, 1) for number in choices(timeline, 1)]
    assert set(own) == {step for step in every if timeline.step(step).seat == 1}
    assert all(timeline.step(step).cause == "move" for step in every)


def test_what_was_worked_out_is_kept_until_the_stream_goes_on(tmp_path: Path) -> None:
    store = Store(tmp_path / "games.duckdb")
    whole = played(QUEEN)
    tape = sealed(whole.header, whole.events[:30])
    store.add([tape])
    id = tape.header.id
    assert known_evaluation(store, id, 1, "random", FEW) is None
    *_, found = evaluated(store, id, 1, "random", FEW)
    assert found == last(tape, 1)
    assert list(evaluated(store, id, 1, "random", FEW)) == [found]
    some = judged(store, id, 1, "random", TRIAL)
    begun = [next(some), next(some)]
    some.close()
    assert known_decisions(store, id, 1, "random", TRIAL) == begun
    every = list(judged(store, id, 1, "random", TRIAL))
    assert every[:2] == begun
    assert known_decisions(store, id, 1, "random", TRIAL) == every
    assert known_decisions(store, id, 2, "random", TRIAL) == []
    store.append(id, 30, whole.events[30:31])
    assert known_evaluation(store, id, 1, "random", FEW) is None
    store.remove(id)
    assert store.evaluated(id, bytes.fromhex(digest(tape.events)), "any") == {}


def test_who_cannot_be_evaluated_is_told_in_a_line() -> None:
    tape = played(QUEEN)
    refused: list[tuple[Viewer, str, str]] = [
        ("spectator", "random", "a spectator holds no cards"),
        ("omniscient", "nobody", "no bot of Queen of the Cupcakes is called 'nobody'; there are: random"),
    ]
    for viewer, bot, reason in refused:
        with pytest.raises(SetupError, match=reason):
            next(evaluate(tape, viewer, bot, FEW))
    with pytest.raises(SetupError, match="does not open"):
        next(evaluate(sealed(tape.header, ()), "omniscient", budget=FEW))


def test_chances_are_held_against_what_was_won_as_in_a_plain_count() -> None:
    def told(*rates: float) -> Evaluation:
        return Evaluation("omniscient", "random", tuple([Chances(9, (rate, 1 - rate)) for rate in rates]))

    over = Evaluation("omniscient", "random", (*told(0.75).chances, Chances(0, (1.0, 0.0))))
    found = calibrate([(told(0.75, 0.72), (1.0, 0.0)), (told(0.78), (0.0, 1.0)), (over, (1.0, 0.0))])
    low, high = found
    assert (high.n, high.games) == (low.n, low.games) == (4, 3)
    assert high.told == pytest.approx((0.75 + 0.72 + 0.78 + 0.75) / 4)
    assert (high.won, low.won) == (0.75, 0.25)
    spread = (2 - 1.5) ** 2 + (0 - 0.75) ** 2 + (1 - 0.75) ** 2
    half = 1.959964 * (spread * 3 / 2) ** 0.5 / 4
    least, most = wilson(0.75 * 3, 3.0)
    assert (high.low, high.high) == pytest.approx((max(min(0.75 - half, least), 0), min(max(0.75 + half, most), 1)))
    (alike,) = calibrate([(told(0.55), (1.0, 1.0))] * 4)[-1:]
    assert alike.low < 0.6


def test_the_commands_say_who_was_winning_and_whether_that_is_right(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    store = Store(tmp_path / "games.duckdb")
    tape = played("picnic-palace")
    store.add([tape])
    asked = ["evaluate", tape.header.id, "--band", "0.3", "--no-choices", "--jobs", "1", "--db", str(store.path)]
    assert run([*asked, "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    found = last(tape, budget=budget_for(0.3))
    assert told["chances"] == [{"rollouts": each.rollouts, "rates": list(each.rates)} for each in found.chances]
    assert run([*asked, "--as", "spectator"]) == 2
    assert capfd.readouterr().err.count("\n") == 1
    assert run(["calibrate", "picnic-palace", "-n", "2", "--band", "0.3", "--jobs", "1", "--json"]) == 0
    rows = json.loads(capfd.readouterr().out)
    assert sum([row["n"] for row in rows]) > 200
