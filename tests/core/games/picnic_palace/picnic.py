"""Picnics to test with: boxes with changed figures, tables in the middle of a round, fixed deals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from core.chance import Chance
from core.engine import append, start
from core.games.picnic_palace import Picnic
from core.games.picnic_palace.state import PicnicSheet, Table
from events.base import Event, Move
from events.picnic_palace import KINDS, Cards, DeckShuffled, StartSeatDrawn
from replay.games import default_sheet

SHEET = default_sheet(Picnic)
assert isinstance(SHEET, PicnicSheet)
GAME = Picnic(SHEET)


def box(**changes: Any) -> Picnic:
    """Give the game with some figures of its sheet changed."""
    return Picnic(replace(GAME.sheet, **changes))


def cards(text: str) -> Cards:
    """Read cards: the shortest clear beginning of each name, e.g. `sa sa sunny`."""
    return tuple([next(kind for kind in KINDS if kind.startswith(word)) for word in text.split()])


def rows(text: str) -> tuple[Cards, ...]:
    """Read rows of cards, parted by bars: `sa su | | fr`."""
    return tuple([cards(row) for row in text.split("|")])


def table(
    up: str = "||",
    down: str = "||",
    *,
    game: Picnic = GAME,
    seats: int = 3,
    seat: int = 0,
    invitations: Sequence[int] = (),
    collected: Sequence[str] = (),
    **fields: Any,
) -> Table:
    """Give a table at which a seat is about to act, in the first round unless another is named."""
    index = seats - game.sheet.seats[0]
    return replace(
        game.initial(),
        **{
            "phase": "act",
            "seats": seats,
            "round": 1,
            "turn": 1,
            "seat": seat,
            "starter": 0,
            "flips": game.sheet.flips[index],
            "face_up": rows(up),
            "face_down": rows(down),
            "invitations": tuple(invitations) or (game.sheet.invitations[index],) * seats,
            "collected": tuple([cards(text) for text in collected]) or ((),) * seats,
            **fields,
        },
    )


def settled(state: Table, game: Picnic = GAME) -> Table:
    """Let the rules run until a seat must choose, chance must decide or the game is over."""
    while (due := game.forced(state)) is not None and not isinstance(due, Chance):
        state = game.evolve(state, due)
    return state


def after(state: Table, *events: Event, game: Picnic = GAME) -> Table:
    """Append events, each lawful where it comes, and let the rules run before and after each."""
    state = settled(state, game)
    for event in events:
        state = settled(append(game, state, 1, event), game)
    return state


def due(state: Table, game: Picnic = GAME) -> Event:
    """Give what the rules make happen next; there must be something."""
    event = game.forced(state)
    assert isinstance(event, Event)
    return event


def dealt(text: str, *, game: Picnic = GAME, seats: int = 3, starter: int = 0) -> Table:
    """Give the table before the first choice, the deck beginning with some cards; the others follow kind by kind."""
    rest = list(game.sheet.deck)
    first = cards(text)
    for card in first:
        rest.remove(card)
    state = game.evolve(game.initial(), start(game, seats))
    return after(state, StartSeatDrawn(starter), DeckShuffled((*first, *rest)), game=game)


def moves(state: Table, kind: type[Move] = Move, game: Picnic = GAME) -> list[Move]:
    """Give the moves of one type that may be chosen now; none where the rules leave no choice."""
    return [] if game.forced(state) is not None else [move for move in game.legal(state) if isinstance(move, kind)]


def sequences(state: Table, game: Picnic = GAME) -> int:
    """Count the ways in which the game can be played out from here: one for each sequence of choices."""
    state = settled(state, game)
    if game.outcome(state) is not None:
        return 1
    return sum([sequences(game.evolve(state, move), game) for move in game.legal(state)])
