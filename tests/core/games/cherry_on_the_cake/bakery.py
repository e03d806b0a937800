"""Cakes and tables to test with: pieces of a few stripes, jars in letters, games from a chosen deal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from msgspec.structs import replace

from core.chance import Chance
from core.engine import append, start
from core.games.cherry_on_the_cake import Cherry
from core.games.cherry_on_the_cake.state import BLUE_JARS, Board, Piece, PieceStripe, Plate, Stripe, Table, contents
from events.base import Event, GameStarted, Move
from events.cherry_on_the_cake import (
    CakeOptions,
    ChoicesRevealed,
    Colour,
    Cube,
    Cubes,
    Layer,
    PieceChosen,
    PiecesShuffled,
    PlatesDealt,
)
from events.marks import MASK
from replay.games import load

CHERRY = cast(Cherry, load("cherry-on-the-cake"))
SHEET = CHERRY.sheet
FACE_DOWN: Any = MASK
"""What a hidden value looks like; of any type, to be compared with values of any type."""

LETTERS: dict[str, Cube] = {
    "g": "green",
    "p": "purple",
    "o": "orange",
    "k": "pink",
    "b": "blue",
    "*": "golden",
}


def jar(letters: str) -> tuple[Cube, ...]:
    """Give cubes by their letters: g(reen), p(urple), o(range), (pin)k, b(lue), * golden."""
    return tuple([LETTERS[letter] for letter in letters])


def cubes(letters: str) -> Cubes:
    """Give coloured cubes by their letters."""
    return cast(Cubes, jar(letters))


def colour(letter: str) -> Colour:
    """Give a colour by its letter."""
    return cast(Colour, LETTERS[letter])


def stripe(letter: str, bottom: tuple[int, int], top: tuple[int, int] | None = None, symbols: str = "") -> PieceStripe:
    """Give a stripe of a piece, straight if no top is given; symbols: c(ube), s(tar), * golden."""
    return PieceStripe(
        colour=colour(letter),
        bottom=bottom,
        top=top or bottom,
        cubes=symbols.count("c"),
        stars=symbols.count("s"),
        golden=symbols.count("*"),
    )


def plain(letter: str, top: tuple[int, int], symbols: str = "") -> Stripe:
    """Give a stripe of a plate."""
    whole = stripe(letter, top, top, symbols)
    return Stripe(colour=whole.colour, top=top, cubes=whole.cubes, stars=whole.stars, golden=whole.golden)


def box(pieces: Sequence[Sequence[PieceStripe]] = (), plate: Sequence[Stripe] | None = None, **changes: Any) -> Cherry:
    """Give the game with some pieces (numbers 0, 1, ...) and the face of plate 0 exchanged, or other figures."""
    own = tuple([Piece(tuple(stripes)) for stripes in pieces])
    plates = SHEET.plates
    if plate is not None:
        plates = (Plate(plates[0].start_cubes, tuple(plate)), *plates[1:])
    return Cherry(replace(SHEET, **{"pieces": own + SHEET.pieces[len(own) :], "plates": plates, **changes}))


def cake(*layers: int) -> Board:
    """Give a board with a cake on plate 0: pieces by number, bottom first; -n is n turned round (n > 0)."""
    made: list[Layer] = [(abs(number), 0 if number >= 0 else 180) for number in layers]
    return Board(0, plate=0, cake=tuple(made))


def board(
    seat: int = 0, small: str = "", middle: str = "", large: str = "", exchange: str = "", **fields: Any
) -> Board:
    """Give a board with cubes in its jars."""
    return Board(
        seat,
        **{
            "plate": seat,
            "small": jar(small),
            "middle": jar(middle),
            "large": jar(large),
            "exchange": cubes(exchange),
            **fields,
        },
    )


def table(*boards: Board, waiting: str = "", game: Cherry = CHERRY, **fields: Any) -> Table:
    """Give a table on which seat 0 of two distributes cubes; what lies nowhere else is in the supplies."""
    sheet = game.sheet
    placed = boards or (board(0),)
    seats = placed if len(placed) > 1 else (*placed, board(1))
    lying = [cube for each in seats for name in BLUE_JARS for cube in contents(each, name)]
    lying += [cube for each in seats for cube in each.exchange]
    lying += jar(waiting)
    return replace(
        game.initial(),
        **{
            "phase": "distribute",
            "seats": len(seats),
            "seat": 0,
            "round": 1,
            "turn": 1,
            "boards": seats,
            "supply": tuple([sheet.cubes - lying.count(name) for name in sheet.colours]),
            "golden": sheet.golden_cubes - lying.count("golden") - fields.get("in_hand", 0),
            "bronze": tuple(sorted(sheet.bronze)),
            "silver": tuple(sorted(sheet.silver)),
            "gold": tuple(sorted(sheet.gold)),
            "waiting": cubes(waiting),
            "gained": len(waiting),
            **fields,
        },
    )


def supply(letters: str, sheet_colours: Sequence[Colour] = SHEET.colours) -> tuple[int, ...]:
    """Give a supply that has these cubes and no others."""
    return tuple([cubes(letters).count(name) for name in sheet_colours])


def idle(state: Table) -> bool:
    """Is the next seat to place a piece which it has never chosen? Tables made by hand end there."""
    return state.phase == "place" and not state.choices


def settled(state: Table, game: Cherry = CHERRY) -> Table:
    """Let the rules run until a seat must choose, chance must decide or the game is over."""
    while not idle(state) and (due := game.forced(state)) is not None and not isinstance(due, Chance):
        state = game.evolve(state, due)
    return state


def after(state: Table, *events: Event, game: Cherry = CHERRY) -> Table:
    """Append events, each lawful where it comes, and let the rules run before and after each."""
    state = settled(state, game)
    for event in events:
        state = settled(append(game, state, 0 if isinstance(event, GameStarted) else 1, event), game)
    return state


def run(state: Table, game: Cherry = CHERRY) -> list[Event]:
    """Give what the rules make happen from here, up to a choice, to chance or to the end."""
    happened = []
    while not idle(state) and (due := game.forced(state)) is not None and not isinstance(due, Chance):
        happened.append(due)
        state = game.evolve(state, due)
    return happened


def due(state: Table, game: Cherry = CHERRY) -> Event:
    """Give what the rules make happen next; there must be something, and not by chance."""
    event = game.forced(state)
    assert isinstance(event, Event)
    return event


def chance(state: Table, game: Cherry = CHERRY) -> Chance:
    """Give what is left to chance here; there must be something."""
    happening = game.forced(state)
    assert isinstance(happening, Chance)
    return happening


def moves(state: Table, game: Cherry = CHERRY) -> list[Move]:
    """Give the moves that may be chosen; none where the rules leave no choice."""
    return [] if idle(state) or game.forced(state) is not None else list(game.legal(state))


def dealt(
    seats: int = 2, options: CakeOptions | None = None, first: Sequence[int] = (), game: Cherry = CHERRY
) -> Table:
    """Give the table before the first choice: plates 0, 1, ..., pieces dealt from `first` on, then in order."""
    order = (*first, *[number for number in range(len(game.sheet.pieces)) if number not in first])
    return after(
        game.initial(),
        start(game, seats, options),
        PlatesDealt(tuple(range(seats))),
        PiecesShuffled(order),
        game=game,
    )


def revealed(state: Table, *choices: Layer, game: Cherry = CHERRY) -> Table:
    """Give the table when all seats have chosen, as soon as the choices are shown."""
    for seat, (piece, rotation) in enumerate(choices):
        state = append(game, state, 1, PieceChosen(seat, piece, rotation))
    return append(game, state, 1, ChoicesRevealed(choices))


def perft(state: Table, depth: int, game: Cherry = CHERRY) -> int:
    """Count the sequences of `depth` decisions, shorter ones where chance or the end comes before."""
    state = settled(state, game)
    options = moves(state, game)
    if depth == 0 or not options:
        return 1
    return sum([perft(game.evolve(state, move), depth - 1, game) for move in options])
