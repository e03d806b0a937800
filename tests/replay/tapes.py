"""Recorded games for tests, and programs that use a store in another process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

from core.conformance import random_game
from core.streams import shapes
from events.codec import encode_all
from events.tape import Header, Player, Tape, sealed
from replay.games import load
from replay.storage.store import Store
from tests.programs import Program

QUEEN = "queen-of-the-cupcakes"

Elsewhere = Callable[[str], Program]
"""Starts a program in another process; it finds `tapes` and the `path` of the store."""

PRELUDE = """
import sys, time
from events.jsonl import read
from replay.storage.database import Database
from replay.storage.store import Filter, Store
from replay.storage.tables import TABLES, VERSION
tapes = [found.tape for found in read(open({file!r}, "rb"))]
path = {path!r}
"""

SMALL = """
from replay import cli, simulate
from replay.storage import bulk
simulate.CHUNK, bulk.FIRST, bulk.MOST = 20, 3000, 3000
cli.main()
"""
"""The command line with small chunks and batches: so a test need not wait for large ones."""


def id_of(number: int) -> str:
    """Give the id of a recorded game."""
    return str(UUID(int=0x0192A0000000 << 80 | number))


@cache
def recorded(number: int) -> Tape:
    """Give one finished game of random bots at 2 to 5 seats."""
    game = load(QUEEN)
    seats = 2 + number % 4
    header = Header(
        id=id_of(number),
        game=game.slug,
        rules=game.rules,
        shapes=shapes(type(game)),
        sheet=game.sheet_digest,
        players=tuple([Player(f"player {seat}", "random" if seat else None) for seat in range(seats)]),
        provenance="simulated",
        seed=f"store/{number}",
    )
    return sealed(header, encode_all(random_game(game, seats, f"store/{number}")))


def stored(path: Path, tapes: Sequence[Tape] = (), measured: bool = False) -> Store:
    """Give a new store that holds some games: a copy of one that was made before, since most of the work is the same.

    Two stores of the same games have the same name for themselves: nothing for a test of several side by side.
    """
    for ending, file in _files(tuple(tapes), measured).items():
        Path(f"{path}{ending}").write_bytes(file)
    return Store(path)


@cache
def _files(tapes: tuple[Tape, ...], measured: bool) -> Mapping[str, bytes]:
    with TemporaryDirectory() as folder:
        path = Path(folder, "games.duckdb")
        with Store(path) as store:
            store.add(tapes)
            if measured:
                store.measure()
        return {file.name.removeprefix(path.name): file.read_bytes() for file in Path(folder).iterdir()}
