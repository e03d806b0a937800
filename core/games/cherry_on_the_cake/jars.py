"""What a seat may do with cubes: distribute them onto its jars, empty full jars, exchange, and use what the die brings.

Options are a colour and a jar, never single cubes: equal options are one (CC-28). Nothing here depends on what is
hidden, so wherever one option is left the rules take it (G-01).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement, compress
from typing import TypeVar

from core.chance import Chance, pick
from core.games.cherry_on_the_cake.state import BLUE_JARS, Board, CakeSheet, Table, contents
from events.base import Move
from events.cherry_on_the_cake import (
    AmountChosen,
    BlueJar,
    ChipTaken,
    Colour,
    ConsolationDeclined,
    ConsolationTaken,
    Cube,
    CubeExchanged,
    CubePlaced,
    Cubes,
    CubesReturned,
    DieCubePlaced,
    DieGoldenCubePlaced,
    DieRolled,
    ExchangeDeclined,
    Face,
    GoldenCubePlaced,
    GoldenCubesLeft,
    Jar,
    JarEmptied,
    Metal,
    RollAccepted,
    RollDeclined,
)

MoveT = TypeVar("MoveT", bound=Move)


def accepting(sheet: CakeSheet, board: Board, colour: Colour) -> list[BlueJar]:
    """Give the blue jars that take a cube: not full, and free of its colour (CC-27); golden ones clash not (CC-46)."""
    return [jar for jar, cubes in room(sheet, board) if colour not in cubes]


def with_room(sheet: CakeSheet, board: Board) -> list[BlueJar]:
    """Give the blue jars that are not full."""
    return [jar for jar, _ in room(sheet, board)]


def room(sheet: CakeSheet, board: Board) -> list[tuple[BlueJar, tuple[Cube, ...]]]:
    """Give the blue jars that are not full, and what is in them."""
    small, middle, large = sheet.capacity
    free: list[tuple[BlueJar, tuple[Cube, ...]]] = []
    if len(board.small) < small:
        free.append(("small", board.small))
    if len(board.middle) < middle:
        free.append(("middle", board.middle))
    if len(board.large) < large:
        free.append(("large", board.large))
    return free


def full(table: Table) -> list[JarEmptied | CubesReturned]:
    """Give the emptying of each full jar of the seat."""
    board = table.boards[table.seat]
    small, middle, large = table.sheet.capacity
    moves: list[JarEmptied | CubesReturned] = []
    if len(board.small) >= small:
        moves.append(JarEmptied(table.seat, "small", board.small))
    if len(board.middle) >= middle:
        moves.append(JarEmptied(table.seat, "middle", board.middle))
    if len(board.large) >= large:
        moves.append(JarEmptied(table.seat, "large", board.large))
    return moves


def placing(table: Table, colours: Iterable[Colour], place: Callable[[int, Colour, Jar], MoveT]) -> list[MoveT]:
    """Give where a cube may go: into a blue jar, and into the exchange jar only where none takes it (CC-27)."""
    seat, free = table.seat, room(table.sheet, table.boards[table.seat])
    moves: list[MoveT] = []
    for colour in colours:
        before = len(moves)
        for jar, cubes in free:
            if colour not in cubes:
                moves.append(place(seat, colour, jar))
        if len(moves) == before:
            moves.append(place(seat, colour, "exchange"))
    return moves


def available(table: Table) -> list[Colour]:
    """Give the colours of which the supply has a cube (CC-26)."""
    return list(compress(table.sheet.colours, table.supply))


# --- b) distributing, emptying, exchanging ---------------------------------------------------------------------------


def distributing(table: Table) -> list[CubePlaced]:
    """Received cubes go into the jars one by one, in the seat's order; room is tested at each cube (CC-27, CC-28)."""
    return placing(table, dict.fromkeys(table.waiting), CubePlaced)


def emptying(table: Table) -> list[JarEmptied | CubesReturned]:
    """Then every full jar is emptied and the exchange jar used while it has enough, in the seat's order (CC-30, CC-31).

    Nothing is due while received cubes are unplaced (CC-29): this is asked when none are.
    """
    board = table.boards[table.seat]
    due = full(table)
    if len(board.exchange) >= table.sheet.exchange_rate:  # also twice and more (CC-32)
        due += [CubesReturned(table.seat, cubes) for cubes in prices(table, board.exchange)]
    return due


def prices(table: Table, jar: Cubes) -> list[Cubes]:
    """Give the cubes that an exchange may cost, by colour: each time the most numerous, or any (CC-33)."""
    colours, rate = table.sheet.colours, table.sheet.exchange_rate
    if table.options.give_back == "chosen":
        return [
            cubes
            for cubes in combinations_with_replacement(colours, rate)
            if all(cubes.count(colour) <= jar.count(colour) for colour in dict.fromkeys(cubes))
        ]
    left = [jar.count(colour) for colour in colours]
    cubes: list[Colour] = []
    for _ in range(rate):
        most = left.index(max(left))  # of equally numerous ones the first in the order of colours
        left[most] -= 1
        cubes.append(colours[most])
    return [tuple(cubes)]


def exchanging(table: Table) -> list[CubeExchanged | ExchangeDeclined]:
    """For the returned cubes the seat may take one that a blue jar takes (CC-34, CC-35), never golden (CC-47)."""
    seat, free = table.seat, room(table.sheet, table.boards[table.seat])
    taking = [
        CubeExchanged(seat, colour, jar) for colour in available(table) for jar, cubes in free if colour not in cubes
    ]
    return [*taking, ExchangeDeclined(seat)]


def consoling(table: Table) -> list[ConsolationTaken | ConsolationDeclined]:
    """Whoever got neither cube nor star may put one cube, not golden, into the exchange jar (CC-36, CC-37)."""
    seat = table.seat
    return [*[ConsolationTaken(seat, colour) for colour in available(table)], ConsolationDeclined(seat)]


def pay(sheet: CakeSheet, jar: BlueJar) -> Metal:
    """Give the metal of the chip that an emptied jar brings."""
    return sheet.pays[BLUE_JARS.index(jar)]


def stock(table: Table | Board, metal: Metal) -> tuple[int, ...]:
    """Give the chips of a metal that the table, or a board, has."""
    if metal == "bronze":
        return table.bronze
    return table.silver if metal == "silver" else table.gold


@lru_cache(maxsize=4096)
def chip(seat: int, metal: Metal, left: tuple[int, ...]) -> Chance:
    """Give the draw of one of the chips of a metal that are left: all are equally likely (CC-39)."""
    return pick([(ChipTaken(seat, metal, value), left.count(value)) for value in dict.fromkeys(left)])


# --- the die ---------------------------------------------------------------------------------------------------------

RESULTS: dict[Face, Face] = {"one_cube": "cubes", "two_cubes": "cubes", "one_star": "stars", "two_stars": "stars"}
"""What a die with four results shows in place of two faces each (CC-40)."""

PER_FACE: dict[Face, int] = {"one_cube": 1, "two_cubes": 2, "one_star": 1, "two_stars": 2}
MOST_OF_A_RESULT = 2


def rolls(table: Table) -> list[tuple[DieRolled, int]]:
    """Give what the die may show with its odds (CC-40)."""
    faces: Sequence[Face] = table.sheet.die
    if table.options.die == "four_results":
        faces = list(dict.fromkeys([RESULTS.get(face, face) for face in faces]))
    return [(DieRolled(table.seat, face), faces.count(face)) for face in dict.fromkeys(faces)]


def rolling(table: Table) -> list[RollAccepted | RollDeclined]:
    """The roll for a golden chip is automatic, or a choice by option (CC-41)."""
    return [RollAccepted(table.seat), RollDeclined(table.seat)] if table.options.roll_optional else []


def amounts(table: Table) -> list[AmountChosen]:
    """Of four results the seat then takes 1 or 2: cubes only as many as the supply has (CC-26, CC-40)."""
    most = min(MOST_OF_A_RESULT, sum(table.supply)) if table.face == "cubes" else MOST_OF_A_RESULT
    return [AmountChosen(table.seat, amount) for amount in range(1, most + 1)]


def rolled_cubes(table: Table) -> list[DieCubePlaced]:
    """Cubes of the die go into jars like others, each for itself; by option both into one blue jar (CC-42).

    A full jar that still waits to be emptied takes none of them (CC-43).
    """
    seat, board, sheet = table.seat, table.boards[table.seat], table.sheet
    colours = available(table)
    if table.options.die_cubes == "separate":
        return placing(table, colours, DieCubePlaced)
    fitting = [
        (colour, jar) for colour in colours for jar in accepting(sheet, board, colour) if table.die_jar in (None, jar)
    ]
    if table.due > 1:
        fitting = [pair for pair in fitting if _takes_another(table, *pair)] or fitting
    return [DieCubePlaced(seat, colour, jar) for colour, jar in fitting]


def _takes_another(table: Table, colour: Colour, jar: BlueJar) -> bool:
    """Could a cube of another colour follow into the same jar?"""
    board, sheet = table.boards[table.seat], table.sheet
    others = [other for other in available(table) if other != colour]
    free = sheet.capacity[BLUE_JARS.index(jar)] - len(contents(board, jar))
    return free > 1 and any(jar in accepting(sheet, board, other) for other in others)


def rolled_golden(table: Table) -> list[DieGoldenCubePlaced]:
    """A golden cube of the die goes into a blue jar with room, if the supply has one (CC-45)."""
    seat, board = table.seat, table.boards[table.seat]
    if not table.golden:
        return []
    return [DieGoldenCubePlaced(seat, jar) for jar in with_room(table.sheet, board)]


# --- the golden cubes at the end -------------------------------------------------------------------------------------


def gilding(table: Table) -> list[GoldenCubePlaced | GoldenCubesLeft]:
    """Golden cubes go freely into blue jars with room, one at a time; the seat may stop at any time (CC-51, CC-53)."""
    seat, board = table.seat, table.boards[table.seat]
    if not table.in_hand:
        return []
    return [*[GoldenCubePlaced(seat, jar) for jar, _ in room(table.sheet, board)], GoldenCubesLeft(seat)]


def golden_cubes(board: Board) -> int:
    """Give the golden cubes that lie in the jars of a board."""
    return sum([contents(board, jar).count("golden") for jar in BLUE_JARS])
