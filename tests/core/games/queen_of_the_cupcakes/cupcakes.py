"""Tables of Queen of the Cupcakes in few words: cards as letters, games from a chosen deck, moves with what follows."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from core.chance import Chance
from core.engine import append, start
from core.games.queen_of_the_cupcakes import Queen
from core.games.queen_of_the_cupcakes.state import QueenSheet, Table
from core.sheets import parse
from events.base import Event, GameStarted
from events.queen_of_the_cupcakes import Cards, DeckShuffled, Kind, QueenOptions
from replay.packaged import data_root

LETTERS: dict[str, Kind] = {
    "o": "orange",
    "p": "purple",
    "g": "green",
    "y": "yellow",
    "b": "blue",
    "e": "grey",
}

queen = Queen(parse((data_root() / "sheets" / "queen-of-the-cupcakes.toml").read_bytes(), QueenSheet))

TEAMS = QueenOptions(teams=True)


def cards(letters: str) -> Cards:
    """Give cards by their letters: o(range), p(urple), g(reen), y(ellow), b(lue), (gr)e(y)."""
    return tuple([LETTERS[letter] for letter in letters.replace(" ", "")])


def pair(letters: str) -> tuple[Kind, Kind]:
    """Give two cards by their letters."""
    first, second = cards(letters)
    return first, second


def hands(*letters: str) -> tuple[Cards, ...]:
    """Give one pile of cards a seat."""
    return tuple([cards(each) for each in letters])


def small(**changes: Any) -> Queen:
    """Give the game with another box."""
    return Queen(replace(queen.sheet, **changes))


def deck(sheet: QueenSheet, top: str) -> Cards:
    """Give a whole deck whose top cards are chosen; the others follow in the order of the bins."""
    rest = list(sheet.deck)
    for card in cards(top):
        rest.remove(card)
    return cards(top) + tuple(rest)


def dealt(seats: int, top: str, options: QueenOptions | None = None, game: Queen = queen) -> Table:
    """Give the table at the first decision of a game whose deck begins with `top`."""
    started = start(game, seats, options)
    return follow(game, game.initial(), started, DeckShuffled(deck(game.sheet, top)))


def follow(game: Queen, table: Table, *events: Event) -> Table:
    """Append lawful events, after each of them what the rules bring without chance, up to the next decision."""
    for event in events:
        table = append(game, table, 0 if isinstance(event, GameStarted) else 1, event)
        table = settled(game, table)
    return table


def settled(game: Queen, table: Table) -> Table:
    """Give the table at the next decision or outcome of chance."""
    while (due := game.forced(table)) is not None and not isinstance(due, Chance):
        table = game.evolve(table, due)
    return table


def table(**changes: Any) -> Table:
    """Give a table of two seats on which seat 0 is to take, bank and hands mixed, nothing laid out; with changes."""
    seats = changes.get("seats", 2)
    usual = Table(
        sheet=queen.sheet,
        phase="take",
        seats=seats,
        turn=1,
        seat=0,
        pile=cards("opgyb") * 6,
        bank=cards("opgyb"),
        bins=(0,) * 6,
        hands=(cards("opgyb"),) * seats,
        fronts=((),) * seats,
    )
    return replace(usual, **changes)
