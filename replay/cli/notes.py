"""Commands for what is said about recorded games."""

from __future__ import annotations

from typing import Annotated, Literal

import typer
from msgspec.structs import asdict

from core.redact import viewer_from
from replay.cli.terminal import DEFAULT_DB, Db, Json, out, print_json, recorded, say
from replay.notes import as_seen, audience
from replay.timeline import Timeline

Viewed = Annotated[str, typer.Option("--as", help="A seat, `spectator` or `omniscient`: whose step numbers are meant.")]


def note(
    replay: Annotated[str, typer.Argument(metavar="ID", help="An id, or the start of one.")],
    text: Annotated[str, typer.Argument(help="What is to be said.")] = "",
    at: Annotated[int, typer.Option(help="The step.")] = 0,
    kind: Annotated[Literal["note", "bookmark"], typer.Option(help="What it is.")] = "note",
    author: Annotated[str | None, typer.Option(help="Who says it.")] = None,
    viewer: Viewed = "spectator",
    db: Db = DEFAULT_DB,
) -> None:
    """Write a note or a bookmark beside a step. A seat's notes are for that seat, a spectator's for everybody."""
    with recorded(db) as store:
        timeline = Timeline(store.read(store.find(replay)))
        who = viewer_from(viewer, timeline.seats)
        step = timeline.at(at, who)
        out.print(store.add_note(timeline.header.id, step, text, kind, author, audience(who)))


def notes(
    replay: Annotated[str, typer.Argument(metavar="ID", help="An id, or the start of one.")],
    viewer: Viewed = "spectator",
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """List the notes of a recorded game that a viewer may read."""
    with recorded(db) as store:
        timeline = Timeline(store.read(store.find(replay)))
        found = as_seen(store.notes(timeline.header.id), timeline, viewer_from(viewer, timeline.seats))
    if json:
        return print_json([asdict(note) for note in found])
    for note in found:
        by = f" ({note.author})" if note.author else ""
        say(f"{note.step:5}  {note.kind}: {note.text}{by}")
    return None
