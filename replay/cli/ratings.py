"""The command that rates players, and the one that tags replays."""

from __future__ import annotations

from typing import Annotated

import typer

from core.registry import find
from replay.cli import filtering
from replay.cli.terminal import DEFAULT_DB, Db, Json, many, out, print_json, recorded, say, table_of
from replay.statistics.ratings import head_to_head
from replay.statistics.ratings import ratings as rate
from replay.storage.store import NEWEST, Filter


def ratings(
    game: Annotated[str, typer.Argument(help="The game's name.")],
    seats: filtering.Seats = None,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Rate players and bots by who finished ahead of whom, and list how they met."""
    find(game)
    wanted = Filter(game=game, seats=seats, finished=True, branches=False)
    with recorded(db) as store:
        total = store.count(wanted)
        rated, met = rate(store.meetings(wanted)), head_to_head(store.pair_table(wanted))
    if json:
        return print_json({"games": min(total, NEWEST), "ratings": rated.to_dicts(), "pairs": met.to_dicts()})
    if not total:
        say(f"No finished game of {game} is stored in {db}.")
        return None
    out.print(table_of(rated.drop("enough"), "Ratings (mu with its 95 % interval; ordinal = mu - 3 sigma)"))
    out.print(table_of(met.drop("enough"), "Who finished ahead of whom"))
    newest = f"; ratings are of the newest {NEWEST:,} games" if total > NEWEST else ""
    out.print(f"{many(total, 'finished game')}{newest}.", style="dim")
    return None


def tag(
    replay: Annotated[str, typer.Argument(metavar="ID", help="An id, or the start of one.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="The tag: a word or a few.")],
    remove: Annotated[bool, typer.Option("--remove", help="Take the tag off.")] = False,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Put a tag on a replay, by which it can be found and counted."""
    with recorded(db) as store:
        id = store.find(replay)
        tags = store.untag(id, name) if remove else store.tag(id, name)
    if json:
        return print_json({"replay": id, "tags": tags})
    say(f"{id}: {', '.join(tags) or 'no tags'}")
    return None
