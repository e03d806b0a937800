"""The command that makes games: bots play them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from core.registry import find
from core.sheets import parse
from events.codec import canonical
from events.errors import FormatError, SetupError
from replay.cli.measure import NoMeasure, measure_games
from replay.cli.stopping import until_stopped
from replay.cli.terminal import DEFAULT_DB, Cluster, Db, Json, log, many, out, print_json, progress
from replay.games import default_sheet
from replay.jobs.cluster import crew
from replay.lake import moving
from replay.lake.reading import open_store
from replay.lake.segments import Lake
from replay.simulate import Batch
from replay.simulate import simulate as play_batch
from replay.storage.store import Filter


def simulate(
    game: Annotated[str, typer.Argument(help="The game's name, as `tabletape games` lists it.")],
    number: Annotated[int, typer.Option("-n", "--number", min=1, max=2**40, help="How many games.")] = 100,
    seed: Annotated[str, typer.Option(help="Text of up to 40 bytes; game i is dealt from SEED/i.")] = "0",
    seats: Annotated[
        int | None, typer.Option(min=1, max=127, help="How many seats; as many as players if those are given.")
    ] = None,
    players: Annotated[str | None, typer.Option(help="Bots, one a seat, e.g. random,greedy.")] = None,
    option: Annotated[list[str] | None, typer.Option("--option", "-o", help="NAME=VALUE, as often as needed.")] = None,
    sheet: Annotated[Path | None, typer.Option(help="A component sheet of your own (TOML).")] = None,
    fixed_seats: Annotated[bool, typer.Option(help="Keep players at their seats instead of rotating them.")] = False,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="Processes that play.")] = 1,
    segments: Annotated[
        str | None,
        typer.Option(metavar="LAKE", help="Write them here (a folder or an address), not into the database."),
    ] = None,
    cluster: Cluster = None,
    no_measure: NoMeasure = False,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Let bots play games and store them. The same command again adds nothing: the games are the same.

    With --segments whoever plays also writes: Parquet files that make a lake (`tabletape lake`).
    """
    if cluster is not None and segments is None:
        raise typer.BadParameter("the workers of a cluster write into a lake that all can reach: say --segments")
    kind = find(game)
    line_up = tuple(players.split(",")) if players else ("random",) * (seats or default_sheet(kind).seats[0])
    batch = Batch(
        game=game,
        seats=len(line_up) if seats is None else seats,
        seed=seed,
        bots=line_up,
        options=_options(option or []),
        components=None if sheet is None else _sheet(sheet, game),
        fixed_seats=fixed_seats,
    )
    with until_stopped() as go_on, progress("simulating", number) as advance:
        if segments is None:
            with open_store(db) as store:
                added = store.add(play_batch(batch, number, jobs, go_on=go_on), progress=advance)
        else:
            with crew(cluster, jobs) as workers:
                added = moving.play(
                    batch, number, Lake(segments), workers.jobs, workers.executor, not no_measure, advance, go_on
                )
        stopped = added.tapes < number and not go_on()
    log.info("simulated", game=game, seats=batch.seats, seed=seed, new=added.new, known=added.known)
    if added.refused or added.changed:
        told = added.refused or [f"replay {id} is stored with other events" for id in added.changed]
        raise SetupError(f"{len(told)} of {number} games were not stored: {told[0]}")
    if segments is None and not no_measure and not stopped:
        measure_games(store, Filter(game=game), jobs)
    facts = {"game": game, "new": added.new, "known": added.known, "first": batch.id_of(0)}
    if json:
        print_json(facts)
    else:
        out.print(f"{many(added.new, 'game')} added, {added.known:,} already there. The first is {batch.id_of(0)}.")
    if stopped:
        raise KeyboardInterrupt


def _options(pairs: list[str]) -> bytes:
    """NAME=VALUE pairs as JSON; a value that is JSON is taken as it is, anything else as text."""
    fields: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise typer.BadParameter(f"an option is NAME=VALUE, not {pair!r}")
        try:
            fields[name] = msgspec.json.decode(value.encode())
        except msgspec.MsgspecError:
            fields[name] = value
    return canonical(fields)


def _sheet(file: Path, game: str) -> bytes:
    try:
        sheet = parse(file.read_bytes(), find(game).sheet_type)
    except OSError as error:
        raise FormatError(f"cannot read {file}: {error.strerror}") from None
    return canonical(sheet)
