"""Commands about live games, which a running service referees: they ask it over HTTP, as any program may."""

from __future__ import annotations

import os
from typing import Annotated, Any
from urllib.parse import quote

import typer

from events.errors import SetupError
from replay.api.client import Client
from replay.cli.terminal import Json, out, print_json, say

app = typer.Typer(help="Live games at a running service.", no_args_is_help=True)

Address = Annotated[str, typer.Option("--service", metavar="HOST:PORT", help="Where `tabletape serve` runs.")]


@app.command()
def create(
    game: Annotated[str, typer.Argument(help="The game's name, as `tabletape games` lists it.")],
    seats: Annotated[str, typer.Option(help="Names, seat 0 first, with commas between them.")],
    bots: Annotated[str, typer.Option(help="Bots at the seats behind them, e.g. random,forager.")] = "",
    window: Annotated[float | None, typer.Option(help="Seconds that all wait where a rival may answer.")] = None,
    service: Address = "127.0.0.1:8501",
    json: Json = False,
) -> None:
    """Set up a live game; prints its id and the token of each seat, this once. TABLETAPE_TOKEN is the service's own."""
    token = os.environ.get("TABLETAPE_TOKEN")
    if not token:
        raise SetupError("set TABLETAPE_TOKEN to the token that the service was started with")
    players: list[dict[str, str]] = [{"name": name.strip()} for name in seats.split(",") if name.strip()]
    players += [{"name": bot.strip(), "bot": bot.strip()} for bot in bots.split(",") if bot.strip()]
    wish: dict[str, Any] = {"game": game, "players": players}
    if window is not None:
        wish["window"] = window
    created = Client(service, token).ask("POST", "/live", wish)
    if json:
        return print_json(created)
    id, tokens = created["live"]["id"], created["tokens"]
    say(f"game        {id}")
    say(f"commitment  {created['live']['commitment']}")
    say(f"organiser   {tokens['organiser']}")
    for seat, (player, given) in enumerate(zip(players, tokens["seats"], strict=True)):
        say(f"seat {seat}      {given or 'a bot'}  {player['name']}")
    out.print(f"Moves go to http://{service}/api/live/{id}/moves, with a seat's token as bearer token.", soft_wrap=True)
    return None


@app.command("break-off")
def break_off(
    game: Annotated[str, typer.Argument(help="The game's id.")], service: Address = "127.0.0.1:8501", json: Json = False
) -> None:
    """End a game that nobody plays on; all of it is then open. TABLETAPE_ORGANISER_TOKEN is its organiser's."""
    token = os.environ.get("TABLETAPE_ORGANISER_TOKEN")
    if not token:
        raise SetupError("set TABLETAPE_ORGANISER_TOKEN to the token that the organiser was told")
    told = Client(service, token).ask("POST", f"/live/{quote(game, safe='')}/break-off", {})
    if json:
        return print_json(told)
    say(f"{told['id']} is broken off; it can be replayed as an unfinished game")
    return None
