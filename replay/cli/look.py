"""Commands that look at recorded games: one of them, or all at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.table import Table

from core.redact import viewer_from
from core.registry import find
from replay import statistics
from replay.alternatives import alternatives
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
    table_of,
    value,
)
from replay.measuring import metric_of, metrics_of
from replay.report import events_of, step_of
from replay.rulings import rulings
from replay.store import Filter
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


def stats(
    game: Annotated[str, typer.Argument(help="The game's name.")],
    by: Annotated[str, typer.Option(help="seat, player, bot or seats.")] = "seat",
    metric: Annotated[str | None, typer.Option(help="What a metric found, by its key; `list` names them.")] = None,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Win rates with their intervals, scores and length of finished games."""
    if by not in ("seat", "player", "bot", "seats"):
        raise typer.BadParameter(f"cannot count by {by!r}: seat, player, bot or seats")
    find(game)
    if metric is not None:
        return _metric(game, metric, by, db, json)
    keys = [by] if by == "seats" else ["seats", by]
    with recorded(db) as store:
        results = store.seat_table(Filter(game=game), [by, "score"])
        listed = store.game_table(Filter(game=game))
    frames = {
        "win_rates": statistics.win_rates(results, keys),
        "scores": statistics.score_summary(results, keys),
        "length": statistics.length_summary(listed),
        "endings": statistics.endings(listed),
    }
    unfinished = int(listed.filter(~pl.col("finished"))["games"].sum())
    if json:
        return print_json({**{name: frame.to_dicts() for name, frame in frames.items()}, "unfinished": unfinished})
    if listed.is_empty():
        say(f"No game of {game} is stored in {db}.")
        return None
    out.print(table_of(frames["win_rates"].drop("credit", "enough"), "Win rates (95 % interval low to high)"))
    out.print(table_of(frames["scores"], "Scores"))
    out.print(table_of(frames["length"], "Length in turns, and in events"))
    out.print(table_of(frames["endings"], "Endings"))
    finished = listed["games"].sum() - unfinished
    out.print(f"{finished} finished games; {unfinished} unfinished ones are not counted.", style="dim")
    return None


def _metric(game: str, name: str, by: str, db: Path, json: bool) -> None:
    """Print what a metric of a game found, or which metrics there are."""
    if name == "list":
        known = [{"metric": each.name, "version": each.version, "title": each.title} for each in metrics_of(game)]
        return print_json(known) if json else out.print(table_of(pl.DataFrame(known), "Metrics"))
    metric = metric_of(game, name)
    with recorded(db) as store:
        keys = [*([] if by == "seat" else [by]), *(["key"] if metric.key else [])] or ["seats"]
        found = statistics.metric_summary(store.metric_table(game, name, by=keys), metric)
        share = store.measured(Filter(game=game))
    if json:
        return print_json({"metric": name, "version": metric.version, "rows": found.to_dicts(), "measured": share})
    out.print(table_of(found, metric.title))
    say(metric.definition.replace("**", ""))
    out.print(f"{share.measured} of {share.finished} finished games are measured.", style="dim")
    return None
