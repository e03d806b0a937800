"""What each event of Cherry on the Cake changes. Nothing is checked here: `rules` says what may happen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from core.game import Outcome
from core.games.cherry_on_the_cake.jars import pay, stock
from core.games.cherry_on_the_cake.state import BLUE_JARS, Board, Phase, Table, contents
from core.reducer import Reducer, put
from events import cherry_on_the_cake as happened
from events.base import GameStarted

T = TypeVar("T")

reducer = Reducer[Table]()
evolve = reducer.evolve


@reducer.on(GameStarted)
def game_started(table: Table, event: GameStarted[happened.CakeOptions]) -> Table:
    """Cubes, chips and pieces lie ready; the boards are empty."""
    sheet = table.sheet
    return replace(
        table,
        options=event.options,
        phase="plates",
        seats=event.seats,
        boards=tuple([Board(seat) for seat in range(event.seats)]),
        spare=tuple(range(len(sheet.pieces))),
        supply=(sheet.cubes,) * len(sheet.colours),
        golden=sheet.golden_cubes,
        bronze=tuple(sorted(sheet.bronze)),
        silver=tuple(sorted(sheet.silver)),
        gold=tuple(sorted(sheet.gold)),
    )


@reducer.on(happened.PlatesDealt)
def plates_dealt(table: Table, event: happened.PlatesDealt) -> Table:
    """Every board has a plate; seat 0 puts its start cubes first."""
    boards = [replace(board, plate=plate) for board, plate in zip(table.boards, event.plates, strict=True)]
    return replace(table, phase="start_cubes", seat=0, boards=tuple(boards))


@reducer.on(happened.StartCubesPlaced)
def start_cubes_placed(table: Table, event: happened.StartCubesPlaced) -> Table:
    """One cube in each blue jar; then the next seat, or the pieces."""
    small, middle, large = event.cubes
    board = replace(table.boards[event.seat], small=(small,), middle=(middle,), large=(large,))
    last = event.seat + 1 == table.seats
    return replace(
        table,
        phase="shuffle" if last else "start_cubes",
        seat=-1 if last else event.seat + 1,
        boards=put(table.boards, event.seat, board),
        supply=_less(table, event.cubes),
    )


@reducer.on(happened.PiecesShuffled)
def pieces_shuffled(table: Table, event: happened.PiecesShuffled) -> Table:
    """The pieces lie in a new order."""
    return replace(table, phase="deal", spare=event.pieces)


@reducer.on(happened.PiecesDealt)
def pieces_dealt(table: Table, event: happened.PiecesDealt) -> Table:
    """Two pieces above each board, a pile beside it."""
    boards = [
        replace(board, shown=shown, pile=pile)
        for board, shown, pile in zip(table.boards, event.shown, event.piles, strict=True)
    ]
    dealt = table.options.pieces * table.seats
    return replace(table, phase="round", boards=tuple(boards), spare=table.spare[dealt:])


# --- a round ---------------------------------------------------------------------------------------------------------


@reducer.on(happened.RoundStarted)
def round_started(table: Table, event: happened.RoundStarted) -> Table:
    """All seats are to choose."""
    return replace(table, phase="choose", round=event.round, seat=-1, connected=(), choices=())


@reducer.on(happened.PieceChosen)
def piece_chosen(table: Table, event: happened.PieceChosen) -> Table:
    """A seat has committed itself; after the last one the choices are shown."""
    board = replace(table.boards[event.seat], chosen=(event.piece, event.rotation))
    boards = put(table.boards, event.seat, board)
    missing = () in [board.chosen for board in boards]
    return replace(table, phase="choose" if missing else "reveal", boards=boards)


@reducer.on(happened.ChoicesRevealed)
def choices_revealed(table: Table, event: happened.ChoicesRevealed) -> Table:
    """Everybody sees the choices."""
    boards = [replace(board, chosen=()) for board in table.boards]
    return replace(table, phase="next_turn", boards=tuple(boards), choices=event.choices)


@reducer.on(happened.TurnStarted)
def turn_started(table: Table, event: happened.TurnStarted) -> Table:
    """A seat is to place its piece."""
    return replace(table, phase="place", part="sugar", seat=event.seat, turn=event.turn, connected=(), gained=0)


@reducer.on(happened.PiecePlaced)
def piece_placed(table: Table, event: happened.PiecePlaced) -> Table:
    """The piece leaves the board for the cake."""
    board = table.boards[event.seat]
    cake = (*board.cake, (event.piece, event.rotation))
    board = replace(board, cake=cake, shown=_without(board.shown, (event.piece,)))
    return replace(table, phase="connect", boards=put(table.boards, event.seat, board))


@reducer.on(happened.StripesConnected)
def stripes_connected(table: Table, event: happened.StripesConnected) -> Table:
    """The connection is known."""
    return replace(table, phase="take", connected=event.stripes)


@reducer.on(happened.CubesTaken)
def cubes_taken(table: Table, event: happened.CubesTaken) -> Table:
    """Cubes leave the supply and wait beside the board."""
    supply = _less(table, event.cubes)
    return replace(table, phase="distribute", supply=supply, waiting=event.cubes, gained=len(event.cubes))


@reducer.on(happened.CubePlaced)
def cube_placed(table: Table, event: happened.CubePlaced) -> Table:
    """A waiting cube goes into a jar."""
    boards = _put_in(table, event.seat, event.jar, event.colour)
    return replace(table, boards=boards, waiting=_without(table.waiting, (event.colour,)))


@reducer.on(happened.JarEmptied)
def jar_emptied(table: Table, event: happened.JarEmptied) -> Table:
    """The cubes go back; a chip is due if there is one of that metal left (CC-38)."""
    metal = pay(table.sheet, event.jar)
    due = bool(stock(table, metal))
    coloured = [cube for cube in event.cubes if cube != "golden"]
    board = _with_jar(table.boards[event.seat], event.jar, ())
    return replace(
        table,
        phase="chip" if due else _settling(table),
        boards=put(table.boards, event.seat, board),
        supply=_more(table, coloured),
        golden=table.golden + event.cubes.count("golden"),
        metal=metal if due else None,
    )


@reducer.on(happened.ChipTaken)
def chip_taken(table: Table, event: happened.ChipTaken) -> Table:
    """A chip changes hands. For a golden one the die is rolled, but not at the end of the game (CC-52)."""
    board = table.boards[event.seat]
    own = tuple(sorted((*stock(board, event.metal), event.value)))
    phase: Phase = "roll" if table.options.roll_optional else "rolling"
    if event.metal != "gold" or table.part == "golden":
        phase = _settling(table)
    return replace(
        table,
        phase=phase,
        boards=put(table.boards, event.seat, replace(board, **{event.metal: own})),
        metal=None,
        **{event.metal: _without(stock(table, event.metal), (event.value,))},
    )


@reducer.on(happened.CubesReturned)
def cubes_returned(table: Table, event: happened.CubesReturned) -> Table:
    """Cubes of the exchange jar go back; one may be taken."""
    board = table.boards[event.seat]
    board = replace(board, exchange=_without(board.exchange, event.cubes))
    boards = put(table.boards, event.seat, board)
    return replace(table, phase="exchange", boards=boards, supply=_more(table, event.cubes))


@reducer.on(happened.CubeExchanged)
def cube_exchanged(table: Table, event: happened.CubeExchanged) -> Table:
    """The cube comes from the supply."""
    boards = _put_in(table, event.seat, event.jar, event.colour)
    return replace(table, phase="distribute", boards=boards, supply=_less(table, (event.colour,)))


@reducer.on(happened.ExchangeDeclined)
def exchange_declined(table: Table, event: happened.ExchangeDeclined) -> Table:
    """Nothing is taken."""
    return replace(table, phase="distribute")


@reducer.on(happened.StarsCounted)
def stars_counted(table: Table, event: happened.StarsCounted) -> Table:
    """The marker advances; whoever got neither cube nor star is consoled (CC-37)."""
    boards = _advanced(table, event.seat, event.stars)
    return replace(table, phase="next_turn" if table.gained or event.stars else "consolation", boards=boards)


@reducer.on(happened.ConsolationTaken)
def consolation_taken(table: Table, event: happened.ConsolationTaken) -> Table:
    """The exchange jar gets a cube, and may have enough for an exchange."""
    boards = _put_in(table, event.seat, "exchange", event.colour)
    supply = _less(table, (event.colour,))
    return replace(table, phase="distribute", part="consolation", boards=boards, supply=supply)


@reducer.on(happened.ConsolationDeclined)
def consolation_declined(table: Table, event: happened.ConsolationDeclined) -> Table:
    """Nothing is taken."""
    return replace(table, phase="next_turn")


@reducer.on(happened.PiecesPassed)
def pieces_passed(table: Table, event: happened.PiecesPassed) -> Table:
    """Every seat has the piece of the seat at its right; the last round has no draw."""
    boards = [replace(board, shown=(event.pieces[board.seat - 1],)) for board in table.boards]
    return replace(table, phase="draw" if boards[0].pile else "round", seat=-1, boards=tuple(boards))


@reducer.on(happened.PiecesDrawn)
def pieces_drawn(table: Table, event: happened.PiecesDrawn) -> Table:
    """A second piece above each board."""
    boards = [
        replace(board, shown=(*board.shown, piece), pile=board.pile[1:])
        for board, piece in zip(table.boards, event.pieces, strict=True)
    ]
    return replace(table, phase="round", boards=tuple(boards))


# --- the die ---------------------------------------------------------------------------------------------------------


@reducer.on(happened.RollAccepted)
def roll_accepted(table: Table, event: happened.RollAccepted) -> Table:
    """The die is rolled."""
    return replace(table, phase="rolling")


@reducer.on(happened.RollDeclined)
def roll_declined(table: Table, event: happened.RollDeclined) -> Table:
    """It is not."""
    return replace(table, phase="distribute")


@reducer.on(happened.DieRolled)
def die_rolled(table: Table, event: happened.DieRolled) -> Table:
    """Its action is due: cubes as many as the supply has (CC-41), a bronze chip if there is one (CC-38)."""
    supply = sum(table.supply)
    match event.face:
        case "one_cube" | "two_cubes":
            due = min(1 if event.face == "one_cube" else 2, supply)
            return replace(table, phase="die_cubes" if due else "distribute", face=event.face, due=due, die_jar=None)
        case "golden_cube":
            return replace(table, phase="die_golden", face=event.face)
        case "one_star" | "two_stars":
            return replace(table, phase="die_stars", face=event.face, due=1 if event.face == "one_star" else 2)
        case "bronze_chip":
            return replace(table, phase="chip" if table.bronze else "distribute", face=event.face, metal="bronze")
    return replace(table, phase="amount", face=event.face, die_jar=None)


@reducer.on(happened.AmountChosen)
def amount_chosen(table: Table, event: happened.AmountChosen) -> Table:
    """So many cubes or stars are due."""
    return replace(table, phase="die_cubes" if table.face == "cubes" else "die_stars", due=event.amount)


@reducer.on(happened.DieCubePlaced)
def die_cube_placed(table: Table, event: happened.DieCubePlaced) -> Table:
    """A cube comes from the supply into a jar."""
    return replace(
        table,
        phase="die_cubes" if table.due > 1 else "distribute",
        boards=_put_in(table, event.seat, event.jar, event.colour),
        supply=_less(table, (event.colour,)),
        due=table.due - 1,
        die_jar=None if event.jar == "exchange" else event.jar,
    )


@reducer.on(happened.DieGoldenCubePlaced)
def die_golden_cube_placed(table: Table, event: happened.DieGoldenCubePlaced) -> Table:
    """A golden cube comes from its supply into a blue jar."""
    boards = _put_in(table, event.seat, event.jar, "golden")
    return replace(table, phase="distribute", boards=boards, golden=table.golden - 1)


@reducer.on(happened.DieStarsCounted)
def die_stars_counted(table: Table, event: happened.DieStarsCounted) -> Table:
    """The marker advances."""
    boards = _advanced(table, event.seat, event.stars)
    return replace(table, phase="distribute", boards=boards, due=0)


# --- the end ---------------------------------------------------------------------------------------------------------


@reducer.on(happened.GoldenCubesTaken)
def golden_cubes_taken(table: Table, event: happened.GoldenCubesTaken) -> Table:
    """A seat has golden cubes in hand."""
    return replace(
        table,
        phase="golden",
        part="golden",
        seat=event.seat,
        connected=(),
        in_hand=event.count,
        golden=table.golden - event.count,
    )


@reducer.on(happened.GoldenCubePlaced)
def golden_cube_placed(table: Table, event: happened.GoldenCubePlaced) -> Table:
    """One of them goes into a blue jar."""
    return replace(table, boards=_put_in(table, event.seat, event.jar, "golden"), in_hand=table.in_hand - 1)


@reducer.on(happened.GoldenCubesLeft)
def golden_cubes_left(table: Table, event: happened.GoldenCubesLeft) -> Table:
    """The rest of them is lost."""
    return replace(table, phase="golden_return")


@reducer.on(happened.GoldenCubesReturned)
def golden_cubes_returned(table: Table, event: happened.GoldenCubesReturned) -> Table:
    """No golden cube stays with the seat."""
    board = table.boards[event.seat]
    small, middle, large = [tuple([cube for cube in contents(board, jar) if cube != "golden"]) for jar in BLUE_JARS]
    board = replace(board, small=small, middle=middle, large=large)
    return replace(
        table,
        phase="next_golden",
        boards=put(table.boards, event.seat, board),
        golden=table.golden + event.count,
        in_hand=0,
    )


@reducer.on(happened.ChipsRevealed)
def chips_revealed(table: Table, event: happened.ChipsRevealed) -> Table:
    """All chips lie face up."""
    boards = [
        replace(board, bronze=(), silver=(), gold=(), turned_up=chips)
        for board, chips in zip(table.boards, event.chips, strict=True)
    ]
    return replace(table, phase="score", seat=-1, boards=tuple(boards))


@reducer.on(happened.GameEnded)
def game_ended(table: Table, event: happened.GameEnded) -> Table:
    """The game is over."""
    return replace(table, phase="over", outcome=Outcome(event.reason, event.scores, event.ranking))


def _put_in(table: Table, seat: int, jar: happened.Jar, cube: happened.Cube) -> tuple[Board, ...]:
    board = table.boards[seat]
    return put(table.boards, seat, _with_jar(board, jar, (*getattr(board, jar), cube)))


def _with_jar(board: Board, jar: happened.Jar, cubes: tuple[Any, ...]) -> Board:
    if jar == "small":
        return replace(board, small=cubes)
    if jar == "middle":
        return replace(board, middle=cubes)
    return replace(board, large=cubes) if jar == "large" else replace(board, exchange=cubes)


def _advanced(table: Table, seat: int, stars: int) -> tuple[Board, ...]:
    board = table.boards[seat]
    return put(table.boards, seat, replace(board, track=board.track + stars))


def _settling(table: Table) -> Phase:
    return "golden" if table.part == "golden" else "distribute"


def _less(table: Table, cubes: Sequence[happened.Colour]) -> tuple[int, ...]:
    return _more(table, cubes, -1)


def _more(table: Table, cubes: Sequence[happened.Colour], each: int = 1) -> tuple[int, ...]:
    supply, colours = list(table.supply), table.sheet.colours
    for colour in cubes:
        supply[colours.index(colour)] += each
    return tuple(supply)


def _without(items: tuple[T, ...], gone: tuple[T, ...]) -> tuple[T, ...]:
    left = list(items)
    for item in gone:
        left.remove(item)
    return tuple(left)
