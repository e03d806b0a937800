"""Commands that bring games into a lake and out of it, and look at one."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from replay.cli import filtering
from replay.cli.measure import NoMeasure, measure_games
from replay.cli.terminal import DEFAULT_DB, Db, Json, log, many, out, print_json, progress, recorded, say
from replay.lake import moving
from replay.lake.reading import LakeStore, open_store
from replay.lake.segments import Lake
from replay.storage.store import Filter

app = typer.Typer(
    help="Games as a folder of Parquet files, for many of them and for several machines.", no_args_is_help=True
)

At = Annotated[str, typer.Argument(metavar="LAKE", help="A folder, or an address such as s3://bucket/games.")]


@app.command("export")
def export(
    lake: At,
    game: Annotated[str | None, typer.Option(help="Only this game.")] = None,
    source: filtering.Source = None,
    tag: filtering.Tags = None,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Write the games of the database that a lake does not have into it. What is there is never changed."""
    wanted = Filter(game=game, provenance=source, tags=tuple(tag or ()) or None)
    with recorded(db) as store, progress("exporting", store.count(wanted)) as advance:
        written = moving.export(store, Lake(lake), wanted, advance)
    log.info("exported", lake=lake, new=written.new, known=written.known, changed=len(written.changed))
    if json:
        return print_json(written)
    out.print(f"{many(written.new, 'game')} written, {written.known:,} already there.")
    if written.at_play:
        out.print(f"{many(written.at_play, 'game')} at play left out.")
    for id in written.changed:
        say(f"{id} is there with other events, as it was when it was written: that stays")
    return None


@app.command("import")
def import_(lake: At, no_measure: NoMeasure = False, db: Db = DEFAULT_DB, json: Json = False) -> None:
    """Bring the games of a lake into the database. A segment that cannot be read is told of; the others are brought."""
    files = _there(lake)
    with open_store(db) as store, progress("importing", sum(each.games for each in files.segments)) as advance:
        added, bad = moving.bring(files, store, advance)
    if not no_measure:
        measure_games(store)
    log.info("imported", lake=lake, new=added.new, known=added.known, problems=len(bad) + len(added.refused))
    problems = [*map(str, bad), *added.refused]
    problems += [f"{id} is stored with other content; the stored game was kept" for id in added.changed]
    if json:
        print_json({"new": added.new, "known": added.known, "problems": problems})
    else:
        out.print(f"{many(added.new, 'game')} added, {added.known:,} already there.")
        for problem in problems:
            say(problem, style="red")
    if problems:
        raise typer.Exit(1)


@app.command("check")
def check(lake: At, json: Json = False) -> None:
    """Read everything in a lake: segments, digests, and whether a game is there twice."""
    _there(lake)
    store = LakeStore(lake)
    found = store.check()
    games = sum(segment.games for segment in store.lake.segments)
    if json:
        facts: dict[str, Any] = {"segments": len(store.lake.segments), "games": games, "problems": [*map(str, found)]}
        print_json(facts)
    else:
        out.print(f"{many(games, 'game')} in {many(len(store.lake.segments), 'segment')}.")
        for finding in found:
            say(str(finding), style="red")
    if found:
        raise typer.Exit(1)


def _there(at: str) -> Lake:
    """Open a lake that is to be read: one that is not there is a mistake in its name."""
    lake = Lake(at)
    lake.expect_games()
    return lake
