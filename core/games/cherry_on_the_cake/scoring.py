"""What a seat has at the end."""

from __future__ import annotations

from core.games.cherry_on_the_cake.state import Table


def scores(table: Table) -> tuple[int, ...]:
    """Give one score a seat: its place on the track (a plain number, CC-56) and all its chips (CC-55)."""
    return tuple([board.track + sum([sum(values) for values in board.turned_up]) for board in table.boards])
