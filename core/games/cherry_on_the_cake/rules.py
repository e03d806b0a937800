"""The rules of Cherry on the Cake, in the order of its rulebook.

A cake grows by one piece a round. All seats choose at once, secretly, one of two face-up pieces and how to turn it;
then, clockwise, each places its piece, (a) takes the cubes on all stripes which that piece connects, (b) distributes
them onto its jars, empties full ones for point chips and exchanges surplus ones, and (c) counts the stars on those
stripes. The other piece goes to the left and a new one comes from the pile. At the end the golden cubes depicted on a
cake fill up jars once more; stars and chips are the score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from core.chance import Chance, pick, shuffle
from core.games.cherry_on_the_cake import jars
from core.games.cherry_on_the_cake.geometry import connected, stripes, stripes_at
from core.games.cherry_on_the_cake.scoring import scores
from core.games.cherry_on_the_cake.state import Phase, Table
from core.ranking import by_score
from core.rng import Rng
from events.base import Event, Move
from events.cherry_on_the_cake import (
    ChipsRevealed,
    ChoicesRevealed,
    Colour,
    Cubes,
    CubesTaken,
    DieStarsCounted,
    GameEnded,
    GoldenCubesReturned,
    GoldenCubesTaken,
    PieceChosen,
    PiecePlaced,
    PiecesDealt,
    PiecesDrawn,
    PiecesPassed,
    PiecesShuffled,
    PlatesDealt,
    RoundStarted,
    StarsCounted,
    StartCubesPlaced,
    StripesConnected,
    TurnStarted,
)


def forced(table: Table) -> Event | Chance | None:
    """Give what happens without a choice: the frame of the game, and wherever a seat has one option left (CC-28)."""
    rule = FORCED.get(table.phase)
    return rule(table) if rule else None


def legal(table: Table) -> Sequence[Move]:
    """Give what the seat whose turn it is may choose; of all seats that have not yet chosen a piece (CC-10)."""
    options = OPTIONS.get(table.phase)
    return options(table) if options else ()


# --- setup -----------------------------------------------------------------------------------------------------------


def plates_dealt(table: Table) -> Chance:
    """G. Every seat gets another plate, at random (CC-03)."""
    plates, seats = range(len(table.sheet.plates)), table.seats

    def sample(rng: Rng) -> PlatesDealt:
        return PlatesDealt(rng.shuffled(plates)[:seats])

    def admits(event: Event) -> bool:
        return (
            isinstance(event, PlatesDealt)
            and len(event.plates) == len(dict.fromkeys(event.plates)) == seats
            and all(plate in plates for plate in event.plates)
        )

    return Chance(sample, admits)


def start_cubes(table: Table) -> list[StartCubesPlaced]:
    """G. One of the plate's three cubes into each blue jar: as printed, or as the seat likes (CC-04)."""
    first, second, third = table.sheet.plates[table.boards[table.seat].plate].start_cubes
    if table.options.start_cubes == "printed":
        return [StartCubesPlaced(table.seat, (first, second, third))]
    orders: list[tuple[Colour, Colour, Colour]] = [
        (first, second, third),
        (first, third, second),
        (second, first, third),
        (second, third, first),
        (third, first, second),
        (third, second, first),
    ]
    return [StartCubesPlaced(table.seat, order) for order in dict.fromkeys(orders)]


def pieces_shuffled(table: Table) -> Chance:
    """I. All cake pieces are shuffled; those left over after the deal stay hidden (CC-09)."""
    return shuffle(table.spare, PiecesShuffled, lambda event: event.pieces)


def pieces_dealt(table: Table) -> PiecesDealt:
    """I. Each seat gets a block of pieces (G-03): the first two face up, the rest as its pile (CC-61)."""
    size = table.options.pieces
    blocks = [table.spare[size * seat : size * (seat + 1)] for seat in range(table.seats)]
    return PiecesDealt(tuple([block[:2] for block in blocks]), tuple([block[2:] for block in blocks]))


def round_started(table: Table) -> RoundStarted:
    """As many rounds as each seat has pieces (CC-05, CC-08)."""
    return RoundStarted(table.round + 1)


# --- 1. all choose a piece at once -----------------------------------------------------------------------------------


def choosing(table: Table) -> list[PieceChosen]:
    """Any seat that has not chosen may, in any order: a face-up piece, either way up (CC-10, CC-11).

    In the last round one piece is left and only its rotation is chosen (CC-14). Nothing is said of what a choice would
    connect (CC-13).
    """
    moves: list[PieceChosen] = []
    for board in table.boards:
        if not board.chosen:
            for piece in board.shown:
                moves += either_way_up(board.seat, piece)
    return moves


@lru_cache(maxsize=1024)
def either_way_up(seat: int, piece: int) -> tuple[PieceChosen, PieceChosen]:
    """Give the ways in which a seat may choose a piece."""
    return PieceChosen(seat, piece, 0), PieceChosen(seat, piece, 180)


def choices_revealed(table: Table) -> ChoicesRevealed:
    """When all have chosen, all see it; nobody changes a choice (CC-10)."""
    return ChoicesRevealed(tuple([board.chosen for board in table.boards if board.chosen]))


# --- 2. they place them, clockwise -----------------------------------------------------------------------------------


def next_turn(table: Table) -> Event:
    """Seat 0 begins every round (CC-02); after the last seat of the last round the cakes are finished (CC-06)."""
    if table.seat + 1 < table.seats:
        return TurnStarted(table.seat + 1, table.turn + 1)
    return pieces_passed(table) if table.round < table.options.pieces else golden_cubes_taken(table, 0)


def piece_placed(table: Table) -> PiecePlaced:
    """The chosen piece goes flush onto the topmost one, or onto the plate."""
    piece, rotation = table.choices[table.seat]
    return PiecePlaced(table.seat, piece, rotation)


def stripes_connected(table: Table) -> StripesConnected:
    """a) What the new piece connects, through all layers and the plate (CC-17, CC-21)."""
    return StripesConnected(table.seat, connected(table.sheet, table.boards[table.seat]))


def cubes_taken(table: Table) -> CubesTaken:
    """a) All cubes on the connected stripes, also those taken before (CC-19), as far as the supply has them (CC-26).

    A cube has its stripe's colour. Golden ones printed there are not taken now (CC-23), gaps have no colour (CC-22).
    """
    cubes: Cubes = ()
    shown: list[Colour] = []
    for stripe in stripes_at(table.sheet, table.boards[table.seat], table.connected):
        shown += (stripe.colour,) * stripe.cubes
    if shown:
        for index, colour in enumerate(table.sheet.colours):
            if colour in shown:
                cubes += (colour,) * min(shown.count(colour), table.supply[index])
    return CubesTaken(table.seat, cubes)


def distributing(table: Table) -> Sequence[Move]:
    """b) The cubes go onto the jars, see `jars`."""
    return jars.distributing(table) if table.waiting else jars.emptying(table)


def only_distribution(table: Table) -> Event | None:
    """Two colours to place are two options or more, at a glance."""
    waiting = table.waiting
    return None if waiting and waiting.count(waiting[0]) < len(waiting) else only_option(table)


def only_option(table: Table) -> Event | None:
    """Where one option is left, that one; where none is, what follows."""
    options = OPTIONS[table.phase](table)
    return options[0] if len(options) == 1 else None if options else what_follows(table)


def only_consolation(table: Table) -> Event | None:
    """One cube that could be taken is a choice."""
    return None if any(table.supply) else only_option(table)


def stars_counted(table: Table) -> StarsCounted:
    """c) The stars on the connected stripes, also those counted before (CC-24)."""
    stars = 0
    for stripe in stripes_at(table.sheet, table.boards[table.seat], table.connected):
        stars += stripe.stars
    return StarsCounted(table.seat, stars)


def what_follows(table: Table) -> Event:
    """When no jar is full and no exchange due: step c), or after a consolation the next seat (CC-31, CC-37)."""
    return next_turn(table) if table.part == "consolation" else stars_counted(table)


def chip_taken(table: Table) -> Chance | None:
    """An emptied jar, or the die, brings a chip of its metal at random (CC-39)."""
    return jars.chip(table.seat, table.metal, jars.stock(table, table.metal)) if table.metal else None


# --- the die for a golden chip ---------------------------------------------------------------------------------------


def die_rolled(table: Table) -> Chance:
    """The die is resolved before anything else is emptied (CC-43), again for a golden chip it leads to (CC-44)."""
    return pick(jars.rolls(table))


def amounts(table: Table) -> Sequence[Move]:
    """With four results the seat says how many."""
    return jars.amounts(table) or jars.emptying(table)


def rolled_cubes(table: Table) -> Sequence[Move]:
    """Cubes from the die, as far as there are any."""
    return jars.rolled_cubes(table) or jars.emptying(table)


def rolled_golden(table: Table) -> Sequence[Move]:
    """A golden cube from the die, if there is one."""
    return jars.rolled_golden(table) or jars.emptying(table)


def die_stars_counted(table: Table) -> DieStarsCounted:
    """The marker advances at once."""
    return DieStarsCounted(table.seat, table.due)


# --- 3. all pass a piece on and draw one -----------------------------------------------------------------------------


def pieces_passed(table: Table) -> PiecesPassed:
    """The piece a seat has not placed goes to the seat at its left (CC-07); none is left in the last round (CC-06)."""
    return PiecesPassed(tuple([board.shown[0] for board in table.boards]))


def pieces_drawn(table: Table) -> PiecesDrawn:
    """And the top piece of each pile is turned up, while piles last: not before the last round (CC-05)."""
    return PiecesDrawn(tuple([board.pile[0] for board in table.boards]))


# --- the end ---------------------------------------------------------------------------------------------------------


def golden_cubes_taken(table: Table, seat: int) -> GoldenCubesTaken:
    """1. All golden cubes depicted on the cake and its plate (CC-48, CC-49), as far as the supply has them (CC-50)."""
    board = table.boards[seat]
    depicted = [stripe.golden for layer in range(len(board.cake) + 1) for stripe in stripes(table.sheet, board, layer)]
    return GoldenCubesTaken(seat, min(sum(depicted), table.golden))


def golden(table: Table) -> Event | None:
    """1. A full jar is emptied at once; when no golden cube is left to place, all go back (CC-50, CC-51)."""
    if full := jars.full(table):
        return full[0]  # the golden cubes in it are spent
    return None if table.in_hand else golden_cubes_returned(table)


def golden_cubes_returned(table: Table) -> GoldenCubesReturned:
    """1. The next seat can use them. Exchange jars are not used any more (CC-54), the die neither (CC-52)."""
    return GoldenCubesReturned(table.seat, jars.golden_cubes(table.boards[table.seat]) + table.in_hand)


def next_golden(table: Table) -> Event:
    """1. One seat after another; then 2. all chips are turned up (CC-58)."""
    if table.seat + 1 < table.seats:
        return golden_cubes_taken(table, table.seat + 1)
    return ChipsRevealed(tuple([(board.bronze, board.silver, board.gold) for board in table.boards]))


def game_ended(table: Table) -> GameEnded:
    """2. Most points win; equal scores share a place (CC-57)."""
    totals = scores(table)
    return GameEnded(reason="cakes_finished", scores=totals, ranking=by_score(totals))


FORCED: Mapping[Phase, Callable[[Table], Event | Chance | None]] = {
    "plates": plates_dealt,
    "start_cubes": only_option,
    "shuffle": pieces_shuffled,
    "deal": pieces_dealt,
    "round": round_started,
    "reveal": choices_revealed,
    "next_turn": next_turn,
    "place": piece_placed,
    "connect": stripes_connected,
    "take": cubes_taken,
    "distribute": only_distribution,
    "chip": chip_taken,
    "exchange": only_option,
    "roll": only_option,
    "rolling": die_rolled,
    "amount": only_option,
    "die_cubes": only_option,
    "die_golden": only_option,
    "die_stars": die_stars_counted,
    "consolation": only_consolation,
    "draw": pieces_drawn,
    "golden": golden,
    "golden_return": golden_cubes_returned,
    "next_golden": next_golden,
    "score": game_ended,
}
OPTIONS: Mapping[Phase, Callable[[Table], Sequence[Move]]] = {
    "start_cubes": start_cubes,
    "choose": choosing,
    "distribute": distributing,
    "exchange": jars.exchanging,
    "roll": jars.rolling,
    "amount": amounts,
    "die_cubes": rolled_cubes,
    "die_golden": rolled_golden,
    "consolation": jars.consoling,
    "golden": jars.gilding,
}
