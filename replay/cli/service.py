"""Commands that serve the dashboard, and that look after the installation."""

from __future__ import annotations

import os
import stat
import sys
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from core.registry import games as all_games
from replay import health, logs
from replay.cli.measure import NoMeasure, measure_games
from replay.cli.terminal import DEFAULT_DB, Db, Json, err, log, many, out, print_json, progress, say
from replay.games import default_sheet
from replay.lake.reading import open_store
from replay.lake.segments import absolute
from replay.simulate import Batch
from replay.simulate import simulate as play_batch
from replay.storage import repair as repairing
from replay.storage.store import Filter, Store

DEMO_DB = Path("tabletape-demo.duckdb")

STREAMS_END = 2
"""Seconds that those who follow a game have to notice that the service stops."""


def serve(
    host: Annotated[
        str, typer.Option(help="The address to listen on; loopback unless you say otherwise.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535)] = 8501,
    browse: Annotated[bool, typer.Option("--open/--no-open", help="Open a browser.")] = False,
    db: Db = DEFAULT_DB,
) -> None:
    """Start the dashboard: library, step-through, statistics."""
    import uvicorn  # other commands start sooner without it

    with open_store(db) as store:
        count = store.count(Filter())
    os.environ["TABLETAPE_DB"] = absolute(db)
    os.environ["TABLETAPE_HOST"] = host
    logs.configure(json=not sys.stderr.isatty(), level=os.environ.get("TABLETAPE_LOG", "info"))
    url = f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{port}"
    out.print(f"Tabletape is at {url} with {many(count, 'game')} of {db}. Stop it with Ctrl-C.")
    if db.is_file() and db.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        err.print(f"others on this machine may open {db}, with all hidden cards: chmod 600 {db}", markup=False)
    if browse:
        webbrowser.open(url)
    log.info("serving", host=host, port=port, db=str(db), games=count)
    uvicorn.run(
        "dashboard.server:app", host=host, port=port, log_level="warning", timeout_graceful_shutdown=STREAMS_END
    )


def demo(
    number: Annotated[int, typer.Option("-n", "--number", min=1, help="Games of each kind and seat count.")] = 100,
    port: Annotated[int, typer.Option(min=1, max=65535)] = 8501,
    no_measure: NoMeasure = False,
    db: Annotated[Path, typer.Option("--db", envvar="TABLETAPE_DB", metavar="FILE")] = DEMO_DB,
) -> None:
    """Simulate a few hundred games of each kind, then open the dashboard on them."""
    batches = [batch for kind in all_games().values() for batch in _demo_batches(kind)]
    with Store(db) as store, progress("simulating", number * len(batches)) as advance:
        for at, batch in enumerate(batches):
            store.add(play_batch(batch, number))
            advance(number * (at + 1))
    if not no_measure:
        measure_games(store)
    serve(host="127.0.0.1", port=port, browse=sys.stdout.isatty(), db=db)


def _demo_batches(kind: Any) -> Iterator[Batch]:
    """The game at each seat count, its own bots against random ones."""
    low, high = default_sheet(kind).seats
    line_up = [*kind.bots, *["random"] * high]
    for seats in range(low, high + 1):
        yield Batch(game=kind.slug, seats=seats, seed="demo", bots=tuple(line_up[:seats]))


def doctor(
    repair: Annotated[
        bool, typer.Option("--repair", help="Save what can be saved of a damaged database into a new file beside it.")
    ] = False,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Check versions, database, component sheets, golden streams and the rules of every installed game."""
    if repair:
        return _repair(db, json)
    findings = health.examine(db)
    if json:
        print_json(findings)
    else:
        for finding in findings:
            mark, style = {"ok": ("ok ", "green"), "note": ("-- ", "dim")}.get(finding.state, ("BAD", "red"))
            say(f"{mark} {finding.what}: {finding.detail}", style=style)
    if any(finding.state == "bad" for finding in findings):
        raise typer.Exit(1)
    return None


def _repair(db: Path, json: bool) -> None:
    saved = repairing.repair(db, db.with_name(f"{db.stem}.repaired{db.suffix}"))
    log.info("repaired", to=saved.path, whole=saved.whole, halted=saved.halted, lost=len(saved.lost))
    if json:
        print_json(saved)
    else:
        cut = f", and {saved.halted:,} up to where it is damaged" if saved.halted else ""
        say(f"{saved.path} has {many(saved.whole, 'whole game')}{cut}. {db} is as it was.")
        for finding in saved.lost:
            say(str(finding), style="red")
        if not saved.lost:
            say("Nothing is lost.")
    if saved.lost:
        raise typer.Exit(1)
