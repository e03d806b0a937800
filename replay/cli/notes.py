"""Commands for what is said about recorded games."""

from __future__ import annotations

from typing import Annotated, Literal

import typer
from msgspec.structs import asdict

from core.redact import viewer_from
from events.base import Move
from events.jsonl import Remark
from replay.cli.terminal import DEFAULT_DB, Db, Json, out, print_json, progress, recorded, say
from replay.evaluation.reasons import KIND, said
from replay.evaluation.reasons import reasons as reasons_of
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


def reasons(
    replay: Annotated[str, typer.Argument(metavar="ID", help="An id, or the start of one.")],
    at: Annotated[int | None, typer.Option(help="Only this step, as `--as omniscient` counts.")] = None,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Let search bots say why they chose each move, and keep it as notes that their seats may read."""
    found = list[dict[str, object]]()
    with recorded(db) as store:
        timeline = Timeline(store.read(store.find(replay)))
        if at is not None:
            timeline.step(at)
        total = sum([isinstance(event, Move) for event in timeline.events]) if at is None else 1
        with progress("thinking", total) as advance:
            for reason in reasons_of(timeline, at):
                text = said(timeline, reason)
                remark = Remark(reason.step, KIND, reason.bot, (reason.seat,), text)
                store.bring_notes(timeline.header.id, [remark])
                found.append({"step": reason.step, "seat": reason.seat, "text": text} | asdict(reason.thought))
                advance(len(found))
    if json:
        return print_json(found)
    for each in found:
        say(f"{each['step']:5}  {each['text']}")
    return None
