"""Commands that ask what might have been: fork a recorded game, and compare two."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from core.redact import viewer_from
from events.marks import Viewer
from replay.cli.terminal import DEFAULT_DB, Db, Json, out, print_json, recorded, say, value
from replay.debugger import branching, comparing
from replay.timeline import Timeline, names_of

Viewed = Annotated[str, typer.Option("--as", help="A seat, `spectator` or `omniscient`.")]


def fork(
    replay: Annotated[str, typer.Argument(metavar="ID", help="An id, or the start of one.")],
    at: Annotated[int, typer.Option(help="The step to branch off after.")],
    move: Annotated[int, typer.Option(help="Which of what could follow: its number in `tabletape show --at`.")],
    players: Annotated[str | None, typer.Option(help="Bots that finish the branch, one a seat: random,greedy.")] = None,
    viewer: Viewed = "omniscient",
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Branch off a recorded game with another move or another outcome of chance; bots may play it to its end."""
    with recorded(db) as store:
        timeline = Timeline(store.read(store.find(replay)))
        who = viewer_from(viewer, timeline.seats)
        step, event = branching.option_of(timeline, at, who, move)
        tape = branching.branch(timeline, step, event, id=branching.fresh_id())
        if players is not None:
            tape = branching.play_on(tape, players.split(","))
        branching.keep(store, tape)
    if json:
        return print_json({"id": tape.header.id, "parent": timeline.header.id, "length": len(tape.events)})
    out.print(f"{tape.header.id} branches off {timeline.header.id} after step {at}: {len(tape.events)} events.")
    return None


def compare(
    first: Annotated[str, typer.Argument(metavar="ID", help="An id, or the start of one.")],
    second: Annotated[str, typer.Argument(metavar="ID", help="Another.")],
    viewer: Viewed = "spectator",
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Say from which step on two recorded games differ, as one viewer sees them, and in what."""
    with recorded(db) as store:
        one, other = [Timeline(store.read(store.find(id))) for id in (first, second)]
    who = viewer_from(viewer, min(one.seats, other.seats))
    found = comparing.compare(one, other, who)
    if json:
        return print_json({"ids": [one.header.id, other.header.id], **msgspec.structs.asdict(found)})
    say_comparison(one, other, found, who)
    return None


def say_comparison(one: Timeline, other: Timeline, found: comparing.Comparison, viewer: Viewer) -> None:
    """Print a comparison."""
    say(f"The first {found.common} steps are the same.", style="bold")
    if found.first is None:
        return say("They do not differ.")
    for timeline, length in zip((one, other), found.lengths, strict=True):
        ends = found.first >= length
        words = (
            "ends" if ends else timeline.game.words(timeline.seen_step(found.first, viewer).event, names_of(timeline))
        )
        say(f"{timeline.header.id} {found.first:5}  {words}")
    for path, before, after in found.changes:
        say(f"  {path}: {value(before)} | {value(after)}")
    return None
