"""Measuring finished games, as a command of its own and behind those that add games."""

from __future__ import annotations

from typing import Annotated

import typer

from core.registry import find
from replay.cli.terminal import DEFAULT_DB, Db, Json, log, many, out, print_json, progress, recorded, say
from replay.storage.store import EVERYTHING, Filter, Measurements, Store

NoMeasure = Annotated[bool, typer.Option("--no-measure", help="Leave measuring to `tabletape measure`.")]
Jobs = Annotated[int, typer.Option(min=1, max=256, help="Processes that measure.")]


def measure(
    game: Annotated[str | None, typer.Option(help="Only this game.")] = None,
    jobs: Jobs = 1,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Measure finished games that today's metrics have not looked at. One that cannot be measured is marked."""
    if game is not None:
        find(game)
    with recorded(db) as store:
        measured = measure_games(store, Filter(game=game), jobs)
    if json:
        print_json(measured)
    else:
        out.print(f"{many(measured.replays - len(measured.bad), 'game')} measured.")
        for finding in measured.bad:
            say(str(finding), style="red")
    if measured.bad:
        raise typer.Exit(1)


def measure_games(store: Store, wanted: Filter = EVERYTHING, jobs: int = 1) -> Measurements:
    """Measure what is not measured yet, with a progress bar."""
    share = store.measured(wanted)
    with progress("measuring", share.finished - share.measured - share.failed) as advance:
        measured = store.measure(wanted, jobs, advance)
    log.info("measured", games=measured.replays, bad=len(measured.bad))
    return measured
