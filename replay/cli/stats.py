"""The command that counts: win rates, scores, lengths and metrics of the finished games of one kind."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from core.registry import find
from replay.cli import filtering
from replay.cli.terminal import DEFAULT_DB, Db, Json, many, out, print_json, recorded, say, table_of
from replay.statistics import summaries
from replay.statistics.measuring import metric_of, metrics_of
from replay.storage.store import Filter


def stats(
    game: Annotated[str, typer.Argument(help="The game's name.")],
    by: Annotated[str, typer.Option(help="seat, player, bot or seats.")] = "seat",
    metric: Annotated[str | None, typer.Option(help="What a metric found, by its key; `list` names them.")] = None,
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
    branches: filtering.Branches = False,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Win rates with their intervals, scores and length of finished games; branches are left out unless asked for."""
    if by not in ("seat", "player", "bot", "seats"):
        raise typer.BadParameter(f"cannot count by {by!r}: seat, player, bot or seats")
    find(game)
    wanted = filtering.chosen(
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
    if metric is not None:
        return _metric(game, metric, wanted, by, db, json)
    keys = [by] if by == "seats" else ["seats", by]
    with recorded(db) as store:
        results = store.seat_table(wanted, [by, "score"])
        listed = store.game_table(wanted)
        boxes = store.facets(game)["sheet"] if sheet is None else [sheet]
    frames = {
        "win_rates": summaries.win_rates(results, keys),
        "scores": summaries.score_summary(results, keys),
        "length": summaries.length_summary(listed),
        "endings": summaries.endings(listed),
    }
    unfinished = int(listed.filter(~pl.col("finished"))["games"].sum())
    if json:
        told = {name: frame.to_dicts() for name, frame in frames.items()}
        return print_json({**told, "unfinished": unfinished, "boxes": boxes})
    if listed.is_empty():
        say(f"No such game of {game} is stored in {db}.")
        return None
    out.print(table_of(frames["win_rates"].drop("credit", "enough"), "Win rates (95 % interval low to high)"))
    out.print(table_of(frames["scores"], "Scores"))
    out.print(table_of(frames["length"], "Length in turns, and in events"))
    out.print(table_of(frames["endings"], "Endings"))
    finished = int(listed["games"].sum()) - unfinished
    out.print(f"{many(finished, 'finished game')}; not counted: {unfinished:,} unfinished.", style="dim")
    if len(boxes) > 1:
        out.print(f"Games of {len(boxes)} different boxes are counted together; --sheet takes one: {', '.join(boxes)}")
    return None


def _metric(game: str, name: str, wanted: Filter, by: str, db: Path, json: bool) -> None:
    """Print what a metric of a game found, or which metrics there are."""
    if name == "list":
        known = [{"metric": each.name, "version": each.version, "title": each.title} for each in metrics_of(game)]
        return print_json(known) if json else out.print(table_of(pl.DataFrame(known), "Metrics"))
    metric = metric_of(game, name)
    with recorded(db) as store:
        keys = [*([] if by == "seat" else [by]), *(["key"] if metric.key else [])] or ["seats"]
        found = summaries.metric_summary(store.metric_table(game, name, wanted, by=keys), metric)
        share = store.measured(wanted)
    if json:
        return print_json({"metric": name, "version": metric.version, "rows": found.to_dicts(), "measured": share})
    out.print(table_of(found, metric.title))
    say(metric.definition.replace("**", ""))
    out.print(f"measured: {share.measured:,} of {many(share.finished, 'finished game')}.", style="dim")
    return None
