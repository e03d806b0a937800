"""Commands that look after what is stored: made anew, removed, renamed, packed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from replay import names
from replay.cli.terminal import DEFAULT_DB, Db, Json, log, many, out, print_json, progress, recorded, say
from replay.errors import StoreError
from replay.lake.segments import is_lake
from replay.storage import backup as backups

Player = Annotated[str, typer.Argument(help="The name, as `tabletape replays` lists it.")]

VACUUM = "Until `tabletape vacuum` the file may still hold what was removed, unseen."


def rebuild(db: Db = DEFAULT_DB, json: Json = False) -> None:
    """Make anew what is made from events: results, counts, measurements, what streams come to. A bad one is marked."""
    with recorded(db) as store, progress("rebuilding", store.count()) as advance:
        rebuilt = store.rebuild(advance)
    log.info("rebuilt", replays=rebuilt.replays, bad=len(rebuilt.bad))
    if json:
        print_json(rebuilt)
    else:
        out.print(f"{rebuilt.replays} replays looked at.")
        for finding in rebuilt.bad:
            say(str(finding), style="red")
    if rebuilt.bad:
        raise typer.Exit(1)


def backup(
    file: Annotated[Path, typer.Argument(help="The file to make.")],
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Copy the store into one file, also while others use it. It has its name when it was read whole and is sound."""
    if is_lake(db):
        raise StoreError(f"{db} is a lake: its files never change, a copy of the folder is a backup")
    with recorded(db) as store:
        made = backups.backup(store, file, force)
    log.info("backed_up", to=made.path, replays=made.replays, bytes=made.bytes)
    if json:
        return print_json(made)
    playing = f", {made.at_play} of them at play" if made.at_play else ""
    say(f"{made.path} has {many(made.replays, 'game')}{playing} in {made.bytes:,} bytes: read whole, and sound.")
    return None


def restore(
    file: Annotated[Path, typer.Argument(metavar="BACKUP", help="A file that `tabletape backup` made.")],
    force: Annotated[bool, typer.Option("--force", help="Replace the store that is there, and keep it aside.")] = False,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Put a backup at --db, after it was read whole. What was there is kept under another name."""
    restored = backups.restore(file, db, force)
    log.info("restored", db=restored.path, replays=restored.replays, kept=restored.kept)
    if json:
        return print_json(restored)
    kept = "" if restored.kept is None else f" What was there is {restored.kept} now."
    say(f"{restored.path} has {many(restored.replays, 'game')}.{kept}")
    return None


def remove(
    replay: Annotated[str, typer.Argument(metavar="ID", help="An id, or the start of one.")],
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Remove a replay, with all that is kept about it."""
    with recorded(db) as store:
        id = store.find(replay)
        store.remove(id)
    log.info("removed", replay=id)
    if json:
        return print_json({"removed": id})
    out.print(f"{id} is removed. {VACUUM}", soft_wrap=True)
    return None


def rename(
    player: Player,
    name: Annotated[str, typer.Argument(metavar="NEW", help="The name to give instead.")],
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Give a player another name in every replay. Events, digests and ids stay as they are."""
    _renamed(player, name, db, json)


def anonymise(player: Player, db: Db = DEFAULT_DB, json: Json = False) -> None:
    """Give a player a name that says nothing, in every replay. The games can still be counted together."""
    _renamed(player, names.anonymous(), db, json)


def vacuum(db: Db = DEFAULT_DB, json: Json = False) -> None:
    """Write the file anew, without what was removed from it."""
    with recorded(db) as store:
        before, after = store.vacuum()
    log.info("vacuumed", before=before, after=after)
    if json:
        return print_json({"before": before, "after": after})
    out.print(f"{before:,} bytes before, {after:,} now.")
    return None


def _renamed(player: str, name: str, db: Db, json: bool) -> None:
    with recorded(db) as store:
        count = store.rename(player, name)
    log.info("renamed", replays=count)
    if json:
        print_json({"name": name, "replays": count})
    elif count:
        say(f"{player} is {name} in {count} replays. {VACUUM}")
    else:
        say(f"No replay has a player called {player}.")
    if not count:
        raise typer.Exit(1)
