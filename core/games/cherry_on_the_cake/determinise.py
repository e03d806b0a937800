"""How the hidden things of Cherry on the Cake may be for all that a seat knows: pieces, chips, choices (CC-58)."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from core.bots import View
from core.determinise import unseen
from core.games.cherry_on_the_cake.jars import stock
from core.games.cherry_on_the_cake.state import METALS, Board, Table
from core.rng import Rng


def world(view: View, rng: Rng) -> Table:
    """Give a table that may be the real one. A choice that is still secret may be any that its seat has (CC-10)."""
    table: Table = view.table
    if not table.boards:
        return table
    pieces = _pieces(table, rng)
    boards = list[Board]()
    for board in table.boards:
        size = len(board.pile)
        chosen: Any = (rng.choice(board.shown), rng.choice((0, 180))) if board.chosen else ()
        own = board.seat == view.seat
        boards.append(replace(board, pile=pieces[:size], chosen=board.chosen if own else chosen))
        pieces = pieces[size:]
    return _chips(replace(table, boards=tuple(boards), spare=pieces), view.seat, rng)


def _pieces(table: Table, rng: Rng) -> tuple[int, ...]:
    """Give the pieces that nobody has seen, in some order."""
    seen = [piece for board in table.boards for piece in (*board.shown, *[piece for piece, _ in board.cake])]
    return rng.shuffled([piece for piece in range(len(table.sheet.pieces)) if piece not in seen])


def _chips(table: Table, viewer: int, rng: Rng) -> Table:
    """Give the table with chips for the boards of the others and for the supply, each in the order of their values."""
    sheet = table.sheet
    for at, (metal, box) in enumerate(zip(METALS, (sheet.bronze, sheet.silver, sheet.gold), strict=True)):
        open_ = [board.turned_up[at] for board in table.boards if board.turned_up]
        left = unseen(box, stock(table.boards[viewer], metal), *open_)
        chips: Any = rng.shuffled(left)
        boards = list[Board]()
        for board in table.boards:
            if board.seat != viewer:
                size = len(stock(board, metal))
                board = replace(board, **{metal: tuple(sorted(chips[:size]))})
                chips = chips[size:]
            boards.append(board)
        table = replace(table, boards=tuple(boards), **{metal: tuple(sorted(chips))})
    return table
