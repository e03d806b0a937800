"""Commands that look at recorded games: all of them as a list, and one of them in words."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from core.redact import viewer_from
from replay.cli import filtering
from replay.cli.terminal import (
    DEFAULT_DB,
    Db,
    Json,
    cell,
    out,
    print_json,
    recorded,
    say,
    say_alternatives,
    value,
)
from replay.debugger.alternatives import alternatives
from replay.report import events_of, step_of
from replay.rulings import rulings
from replay.timeline import Timeline


def replays(
    game: Annotated[str | None, typer.Option(help="Only this game.")] = None,
    player: filtering.Players = None,
    bot: filtering.Bots = None,
    seats: filtering.Seats = None,
    source: filtering.Source = None,
    sheet: filtering.Sheet = None,
    options: filtering.Played = None,
    since: filtering.Since = None,
    until: filtering.Until = None,
    turns: filtering.Turns = None,
    events: filtering.Events = None,
    tag: filtering.Tags = None,
    without_seed: filtering.LeftOut = None,
    branches: filtering.Branches = None,
    limit: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many at most.")] = 50,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """List recorded games."""
    chosen = filtering.chosen(
        game=game,
        players=player,
        bots=bot,
        seats=seats,
        source=source,
        sheet=sheet,
        options=options,
        since=since,
        until=until,
        turns=turns,
        events=events,
        tags=tag,
        without_seeds=without_seed,
        branches=branches,
    )
    with recorded(db) as store:
        found, total = store.replays(chosen, limit=limit), store.count(chosen)
    if json:
        return print_json(found.to_dicts())
    table = Table("id", "game", "players", "ended", "winners", "turns", "from", box=None, header_style="bold")
    for row in found.iter_rows(named=True):
        fault = f"stops at {row['fault_step']}" if row["fault_step"] is not None else "running"
        winners = ", ".join([row["players"][seat] for seat in row["winners"] or ()])
        ended = (row["ended"] or fault).replace("_", " ")
        cells = [row["replay"], row["game"], ", ".join(row["players"]), ended, winners, str(row["turns"])]
        table.add_row(*[cell(text) for text in cells], row["provenance"])
    out.print(table)
    out.print(f"{len(found)} of {total}", style="dim")
    return None


def show(
    replay: Annotated[str, typer.Argument(metavar="ID", help="An id, or the start of one.")],
    at: Annotated[
        int | None, typer.Option(help="One step: its event, its rule, the state and what may follow.")
    ] = None,
    viewer: Annotated[str, typer.Option("--as", help="A seat, `spectator` or `omniscient`.")] = "spectator",
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Show a recorded game as one viewer sees it, in words; or one step of it, in full."""
    with recorded(db) as store:
        tape = store.read(store.find(replay))
    timeline = Timeline(tape)
    who = viewer_from(viewer, timeline.seats)
    facts = events_of(timeline, who) if at is None else step_of(timeline, at, who)
    if json:
        return print_json(facts)
    if at is None:
        out.print(f"{timeline.game.title}, {tape.header.id}, as {viewer}", style="bold")
        for event in facts["events"]:
            mark = {"move": ">", "chance": "?", "correction": "<"}.get(event["cause"], " ")
            say(f"{event['number']:5} {mark} {event['words']}")
        if facts["fault"]:
            say(facts["fault"], style="red")
        return None
    say(f"{facts['number']} of {facts['last']}: {facts['words']}", style="bold")
    rule = rulings(timeline.game.slug).get(facts["rule"])
    if facts["rule"]:
        say(f"Rule {facts['rule']}: {rule.question} {rule.ruling}." if rule else f"Rule {facts['rule']}")
    for path, before, after in facts["changes"]:
        say(f"  {path}: {value(before)} -> {value(after)}")
    out.print("State", style="bold")
    for path, leaf in facts["state"].items():
        say(f"  {path} = {value(leaf)}")
    out.print("May follow", style="bold")
    say_alternatives(alternatives(timeline, at, who))
    return None
