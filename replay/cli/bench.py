"""The command that measures, on the machine it runs on. Figures come with the machine, the versions and the seed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer

from core.registry import games
from replay.bench import rules, statistics, storing
from replay.bench.storing import Figure
from replay.cli.terminal import DEFAULT_DB, Db, Json, print_json, recorded, say


def bench_(
    what: Annotated[
        Literal["store", "games", "statistics"] | None,
        typer.Argument(
            help="The store, the rules of the games, or the statistics of --db; store and games if left out."
        ),
    ] = None,
    game: Annotated[str | None, typer.Option(help="Only this game, of games and statistics.")] = None,
    number: Annotated[int, typer.Option("-n", "--number", min=1, help="Games a batch, of games.")] = 50,
    events: Annotated[int, typer.Option(min=1, help="About how many events are ingested.")] = 500_000,
    replays: Annotated[int, typer.Option(min=1, help="Out of how many replays one is read.")] = 100_000,
    seconds: Annotated[float, typer.Option(min=0, help="For how long processes work together.")] = 15,
    kills: Annotated[int, typer.Option(min=0, help="How many processes are killed.")] = 5,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Measure on this machine: the store in a folder of its own, the games, or the statistics of a database."""
    slugs = list(games()) if game is None else [game]
    if not json:
        say(storing.machine())
    found = []
    for figure in _figures(what, slugs, number, (events, replays, seconds, kills), db):
        found.append(figure)
        if not json:
            say(f"{figure.what}: {figure.value}")
    if json:
        print_json({"machine": storing.machine(), "figures": found})


def _figures(
    what: str | None, slugs: list[str], number: int, store: tuple[int, int, float, int], db: Path
) -> Iterator[Figure]:
    if what in (None, "games"):
        for slug in slugs:
            yield from [Figure(f"{slug}, {rate.what}", str(rate)) for rate in rules.rates(slug, number)]
    if what in (None, "store"):
        yield from storing.figures(*store)
    if what == "statistics":
        with recorded(db) as opened:
            for slug in slugs:
                yield from statistics.figures(opened, slug)
