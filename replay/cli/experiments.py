"""Commands that let bots play to answer a question: what a change does to a game, and who is the strongest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from events.errors import FormatError
from replay import experiments
from replay.cli.stopping import until_stopped
from replay.cli.terminal import DEFAULT_DB, Db, Json, err, log, many, out, print_json, progress, say, table_of
from replay.experiments import running, tournaments
from replay.experiments.tournaments import Tournament
from replay.lake.reading import open_store

Jobs = Annotated[int, typer.Option(min=1, max=256, help="Processes that play and measure.")]

COLUMNS = ("figure", "key", "base", "value", "difference", "difference_low", "difference_high", "adjusted", "verdict")


def experiment(
    file: Annotated[Path, typer.Argument(help="The experiment (TOML): a game and two or more variants.")],
    jobs: Jobs = 1,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Play variants of a game against each other and say what differs. Run again, it goes on where it was stopped."""
    try:
        text = file.read_bytes()
    except OSError as error:
        raise FormatError(f"cannot read {file}: {error.strerror}") from None
    try:
        experiments.parse(text)
    except FormatError as error:
        raise FormatError(f"{file}: {error}") from None
    with open_store(db) as store, _stages() as told, until_stopped() as go_on:
        found = experiments.run(store, text, jobs, told, go_on)
    if found is None:
        raise KeyboardInterrupt
    log.info("experiment", name=found.experiment, games=found.games, look=found.look, looks=found.looks)
    if json:
        return print_json(found)
    if found.question:
        say(found.question, style="bold")
    for tag, lines in found.said.items():
        say(f"{experiments.name_of(tag)} beside {experiments.name_of(found.baseline)}:")
        for line in lines:
            say(f"  {line}")
    rows = [
        [experiments.name_of(each.variant), *[getattr(each, name) for name in COLUMNS]] for each in found.differences
    ]
    frame = pl.DataFrame(rows, ["variant", *COLUMNS], orient="row", infer_schema_length=None)
    out.print(table_of(frame, f"Differences ({100 * found.confidence:.4g} % intervals)"))
    say(f"{found.course}. The games are kept: tabletape replays --tag {next(iter(found.said))!r}", style="dim")
    return None


def tournament(
    game: Annotated[str, typer.Argument(help="The game's name.")],
    players: Annotated[str, typer.Option(help="Bots that meet, e.g. random,greedy.")],
    number: Annotated[int, typer.Option("-n", "--number", min=1, max=100_000, help="Games of each group.")] = 100,
    seats: Annotated[
        int | None, typer.Option(min=2, max=127, help="How many sit at a table; as few as can be.")
    ] = None,
    seed: Annotated[str, typer.Option(help="Text; game i of each line-up is dealt from SEED/i.")] = "0",
    jobs: Jobs = 1,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Let everybody play everybody at every seat: ratings, and who is ahead of whom. Run again, it goes on."""
    asked = Tournament(game=game, players=tuple(players.split(",")), games=number, seats=seats, seed=seed)
    with open_store(db) as store, progress("playing", asked.size) as advance, until_stopped() as go_on:
        found = tournaments.run(store, asked, jobs, advance, go_on)
    if found is None:
        raise KeyboardInterrupt
    log.info("tournament", game=game, seats=asked.table, games=found.games)
    if json:
        frames = {"rates": found.rates, "ratings": found.ratings, "pairs": found.pairs}
        return print_json(
            {"games": found.games, "tag": asked.tag, **{name: each.to_dicts() for name, each in frames.items()}}
        )
    out.print(table_of(found.rates.drop("credit", "enough"), "Win rates (95 % interval low to high)"))
    out.print(table_of(found.ratings.drop("enough"), "Ratings (mu with its 95 % interval; ordinal = mu - 3 sigma)"))
    out.print(table_of(found.pairs.drop("enough"), "Who finished ahead of whom"))
    say(f"{many(found.games, 'game')}, kept: tabletape replays --tag {asked.tag}", style="dim")
    return None


@contextmanager
def _stages() -> Iterator[running.Progress]:
    """Show a bar on standard error, on a terminal only, that says what is going on."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("experiment", total=None)
        yield lambda what, done, total: bar.update(task, description=what, completed=done, total=total)
