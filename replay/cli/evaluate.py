"""Who was winning, and what it turned on: the evaluation of one recorded game."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Annotated, Final

import typer
from msgspec.structs import asdict
from rich.table import Table

from core.redact import viewer_from
from core.rollouts import shares
from replay.cli.terminal import DEFAULT_DB, Cluster, Db, Json, cell, log, out, print_json, progress, recorded, say
from replay.evaluation.calibrating import Calibrated
from replay.evaluation.calibrating import calibrate as calibrate_games
from replay.evaluation.evaluating import Account, Evaluation, accounts, budget_for, luck
from replay.evaluation.evaluating import evaluate as evaluate_tape
from replay.evaluation.evaluations import evaluated, judged
from replay.evaluation.judging import Decision, better, choices, trial_for
from replay.games import load
from replay.jobs.cluster import crew
from replay.jobs.workers import processes
from replay.report import names_of
from replay.simulate import Batch, check, tapes
from replay.timeline import Timeline

MOST_LUCK: Final = 3
"""Events of chance that are told: those that moved most."""


def evaluate(
    replay: Annotated[str, typer.Argument(metavar="ID", help="An id, or the start of one.")],
    viewer: Annotated[str, typer.Option("--as", help="Who knows what: a seat, or `omniscient`.")] = "omniscient",
    bot: Annotated[str, typer.Option(help="The bot that plays on at every seat.")] = "random",
    band: Annotated[float, typer.Option(min=0.005, max=0.3, help="How exact: to +- this, in 95 of 100 cases.")] = 0.08,
    choice: Annotated[bool, typer.Option("--choices/--no-choices", help="Judge each choice, too.")] = True,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="Processes that play on.")] = 2,
    cluster: Cluster = None,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Estimate each seat's chance to win at every step, what each choice cost, and whether it was luck or play."""
    with recorded(db) as store:
        id = store.find(replay)
        timeline = Timeline(store.read(id))
        who = viewer_from(viewer, timeline.seats)
        budget = budget_for(band)
        found, decisions = None, list[Decision]()
        with _pool(cluster, jobs) as pool:
            with progress("playing on", budget.most) as advance:
                for each in evaluated(store, id, who, bot, budget, pool):
                    found = each
                    advance(max(chances.rollouts for chances in each.chances))
            if choice:
                with progress("judging", len(choices(timeline, who))) as advance:
                    for decision in judged(store, id, who, bot, trial_for(budget), pool):
                        decisions.append(decision)
                        advance(len(decisions))
    assert found is not None
    log.info("evaluated", replay=id, steps=len(found.chances), choices=len(decisions))
    if json:
        print_json(
            {
                "chances": [asdict(chances) for chances in found.chances],
                "accounts": accounts(timeline, found),
                "luck": luck(timeline, found),
                "choices": [asdict(decision) | {"mark": decision.mark} for decision in decisions],
            }
        )
        return
    out.print(f"{timeline.game.title}, {id}, as {viewer}; {bot} plays on", style="bold")
    _say_turns(timeline, found)
    _say_choices(timeline, found, decisions)
    _say_luck(timeline, found)
    _say_accounts(timeline, accounts(timeline, found))


@contextmanager
def _pool(cluster: str | None, jobs: int) -> Iterator[Executor]:
    with crew(cluster, jobs) as workers:
        if workers.executor is not None:
            yield workers.executor
        else:
            with processes(workers.jobs) as pool:
                yield pool


def _say_turns(timeline: Timeline, found: Evaluation) -> None:
    table = Table("step", "turn", box=None, header_style="bold")
    for name in names_of(timeline):
        table.add_column(cell(name))
    turn = -1
    for number, chances in enumerate(found.chances):
        step = timeline.step(timeline.at(number, found.viewer))
        if step.turn == turn and number + 1 < len(found.chances):
            continue
        turn = step.turn
        table.add_row(str(number), str(turn), *[f"{rate:.0%}" for rate in chances.rates])
    out.print(table)


def _say_choices(timeline: Timeline, found: Evaluation, decisions: list[Decision]) -> None:
    marked = [decision for decision in decisions if decision.mark != "fine"]
    names = names_of(timeline)
    for decision in sorted(marked, key=lambda each: -each.loss):
        words = timeline.game.words(timeline.seen_step(decision.number, found.viewer).event, names)
        _, move = better(timeline, found.viewer, decision)
        loss = f"{100 * decision.loss:.0f} points (+- {100 * decision.band:.0f})"
        say(f"step {decision.number}, {decision.mark}, {loss}: {words}. Better: {timeline.game.words(move, names)}")
    if decisions and not marked:
        out.print(f"None of {len(decisions)} choices cost anything that could be told from noise.")


def _say_luck(timeline: Timeline, found: Evaluation) -> None:
    """The events of chance that moved most."""
    names = names_of(timeline)
    moved = sorted(luck(timeline, found), key=lambda each: -max(map(abs, each[1])))
    for number, changes in moved[:MOST_LUCK]:
        words = timeline.game.words(timeline.seen_step(number, found.viewer).event, names)
        for_whom = ", ".join([f"{100 * by:+.0f} for {name}" for name, by in zip(names, changes, strict=True)])
        say(f"step {number}, luck, {for_whom}: {words}")


def _say_accounts(timeline: Timeline, found: list[Account]) -> None:
    table = Table("", "start", "luck", "own choices", "others", "end", box=None, header_style="bold")
    for name, account in zip(names_of(timeline), found, strict=True):
        moved = [f"{100 * part:+.0f}" for part in (account.luck, account.own, account.others)]
        table.add_row(cell(name), f"{account.start:.0%}", *moved, f"{account.end:.0%}")
    out.print(table)


def calibrate(
    game: Annotated[str, typer.Argument(help="The name that `tabletape games` lists.")],
    number: Annotated[int, typer.Option("-n", "--number", min=2, max=100_000, help="Games.")] = 100,
    seats: Annotated[int | None, typer.Option(min=1, help="Seats; by default the fewest.")] = None,
    bot: Annotated[str, typer.Option(help="The bot that plays the games, and on from each step.")] = "random",
    viewer: Annotated[str, typer.Option("--as", help="Who knows what: a seat, or `omniscient`.")] = "omniscient",
    seed: Annotated[str, typer.Option(help="Seed of the games.")] = "calibrate",
    band: Annotated[float, typer.Option(min=0.005, max=0.3, help="How exact each chance is.")] = 0.08,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="Processes that play on.")] = 2,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Hold the chances that are told against what was won: where a seat had 70 %, it should win in 70 of 100 cases."""
    opened = load(game)
    at = opened.sheet.seats[0] if seats is None else seats
    batch = Batch(game=game, seats=at, seed=seed, bots=(bot,) * at)
    check(batch)
    who = viewer_from(viewer, at)
    games = list[tuple[Evaluation, tuple[float, ...]]]()
    with _pool(cluster, jobs) as pool, progress("evaluating", number) as advance:
        for tape in tapes(batch, 0, number):
            timeline = Timeline(tape)
            *_, found = evaluate_tape(tape, who, bot, budget_for(band), pool)
            games.append((found, shares(timeline.game, timeline.states[-1])))
            advance(len(games))
    rows = calibrate_games(games)
    log.info("calibrated", game=game, games=number)
    if json:
        print_json([asdict(row) for row in rows])
        return
    table = Table("told", "won", "of 95 %", "chances", "games", "", box=None, header_style="bold")
    for row in rows:
        band_text = f"{row.low:.0%} to {row.high:.0%}"
        table.add_row(f"{row.told:.0%}", f"{row.won:.0%}", band_text, str(row.n), str(row.games), _plot(row))
    out.print(table)


def _plot(row: Calibrated) -> str:
    """A row of the plot: what was won with its interval, and `|` where it should lie."""
    line = [" "] * 41
    for at in range(round(40 * row.low), round(40 * row.high) + 1):
        line[at] = "-"
    line[round(40 * row.told)] = "|"
    line[round(40 * row.won)] = "●"
    return "".join(line)
