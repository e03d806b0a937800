"""The options by which commands that look at many games are told which ones, and the filter that they make."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, TypeAlias

import typer

from replay.storage.store import Filter

Players: TypeAlias = Annotated[
    list[str] | None, typer.Option("--player", help="Only games with this player; several: with all of them.")
]
Bots: TypeAlias = Annotated[
    list[str] | None, typer.Option("--bot", help="Only games with this bot; several: with all of them.")
]
Seats: TypeAlias = Annotated[int | None, typer.Option(min=1, max=127, help="Only games at this many seats.")]
Source: TypeAlias = Annotated[str | None, typer.Option(help="Only `simulated`, `live` or `imported` games.")]
Sheet: TypeAlias = Annotated[str | None, typer.Option(help="Only games with this box: the digest of its sheet.")]
Played: TypeAlias = Annotated[str | None, typer.Option("--options", help="Only games with these options, as JSON.")]
Since: TypeAlias = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Only games recorded on this day or later.")
]
Until: TypeAlias = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Only games recorded on this day or before.")
]
Turns: TypeAlias = Annotated[tuple[int, int] | None, typer.Option(help="Only games of so many turns: from, to.")]
Events: TypeAlias = Annotated[tuple[int, int] | None, typer.Option(help="Only games of so many events: from, to.")]
Tags: TypeAlias = Annotated[
    list[str] | None, typer.Option("--tag", help="Only games with this tag; several: with all of them.")
]
LeftOut: TypeAlias = Annotated[
    list[str] | None, typer.Option("--without-seed", help="Leave out games of this seed, or of a batch with it.")
]
Branches: TypeAlias = Annotated[
    bool | None, typer.Option("--branches/--no-branches", help="Only branches of other games, or none of them.")
]


def chosen(
    *,
    game: str | None,
    players: list[str] | None,
    bots: list[str] | None,
    seats: int | None,
    source: str | None,
    sheet: str | None,
    options: str | None,
    since: datetime | None,
    until: datetime | None,
    turns: tuple[int, int] | None,
    events: tuple[int, int] | None,
    tags: list[str] | None,
    without_seeds: list[str] | None,
    branches: bool | None,
) -> Filter:
    """Give the filter that options ask for."""
    return Filter(
        game=game,
        seats=seats,
        players=tuple(players or ()) or None,
        bots=tuple(bots or ()) or None,
        provenance=source,
        sheet=sheet,
        options=options,
        since=None if since is None else since.date().isoformat(),
        until=None if until is None else until.date().isoformat(),
        least_turns=None if turns is None else turns[0],
        most_turns=None if turns is None else turns[1],
        least_events=None if events is None else events[0],
        most_events=None if events is None else events[1],
        tags=tuple(tags or ()) or None,
        without_seeds=tuple(without_seeds or ()) or None,
        branches=branches,
    )
