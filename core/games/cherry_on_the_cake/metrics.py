"""What games of Cherry on the Cake are measured by, beside what any game is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

from core.games.cherry_on_the_cake.state import BLUE_JARS, METALS, Table
from core.tally import Metric, Moment, Subjects, Tally, counted, summed
from events.cherry_on_the_cake import (
    ChipsRevealed,
    ConsolationDeclined,
    ConsolationTaken,
    JarEmptied,
    PiecePlaced,
    Pieces,
    StarsCounted,
    StripesConnected,
)


def standing(table: Table) -> tuple[int, ...]:
    """Give the stars and chips that each seat has so far, face-down ones too; golden cubes count at the end alone."""
    return tuple(
        [
            board.track + sum([sum(chips) for chips in (board.bronze, board.silver, board.gold, *board.turned_up)])
            for board in table.boards
        ]
    )


def held(table: Table) -> list[tuple[str, ...]]:
    """Give the pieces that lie face up above each board."""
    return [_named(board.shown) for board in table.boards]


@lru_cache(maxsize=4096)
def _named(pieces: Pieces) -> tuple[str, ...]:
    return tuple([f"piece {piece}" for piece in pieces])


def used(moment: Moment) -> Iterator[tuple[int, str]]:
    """Give the piece that is placed."""
    if isinstance(placed := moment.event, PiecePlaced):
        yield placed.seat, f"piece {placed.piece}"


def _connected(game: Any, along: Sequence[Moment]) -> list[Tally]:
    return summed(
        [
            (event.seat, str(before.round), len(event.stripes), step)
            for step, before, event, _ in along
            if isinstance(event, StripesConnected)
        ]
    )


def _jars(game: Any, along: Sequence[Moment]) -> list[Tally]:
    emptied = counted(
        [(moment.event.seat, moment.event.jar, moment.step) for moment in along if isinstance(moment.event, JarEmptied)]
    )
    found = {(tally.seat, tally.key): tally for tally in emptied}
    seats = range(along[-1].after.seats)
    return [found.get((seat, jar), Tally(seat, jar, 1, 0)) for seat in seats for jar in BLUE_JARS]


def _chips(along: Sequence[Moment]) -> Iterator[tuple[int, str, tuple[int, ...], int]]:
    """What each seat has of each metal at the end: the values of its chips, and when they are turned up."""
    for moment in along:
        if isinstance(revealed := moment.event, ChipsRevealed):
            for seat, chips in enumerate(revealed.chips):
                yield from [(seat, metal, values, moment.step) for metal, values in zip(METALS, chips, strict=True)]


def _chip_points(game: Any, along: Sequence[Moment]) -> list[Tally]:
    return [Tally(seat, metal, 1, sum(values), step) for seat, metal, values, step in _chips(along)]


def _chips_held(game: Any, along: Sequence[Moment]) -> list[Tally]:
    return [Tally(seat, metal, 1, len(values), step) for seat, metal, values, step in _chips(along)]


def _stars(game: Any, along: Sequence[Moment]) -> list[Tally]:
    return [Tally(board.seat, "", 1, board.track) for board in along[-1].after.boards]


def _consolation(game: Any, along: Sequence[Moment]) -> list[Tally]:
    return summed(
        [
            (event.seat, "", int(after.phase == "consolation"), step)
            for step, _, event, after in along
            if isinstance(event, StarsCounted)
        ]
    )


def _consolation_taken(game: Any, along: Sequence[Moment]) -> list[Tally]:
    return summed(
        [
            (moment.event.seat, "", int(isinstance(moment.event, ConsolationTaken)), moment.step)
            for moment in along
            if isinstance(moment.event, ConsolationTaken | ConsolationDeclined)
        ]
    )


def _turned(game: Any, along: Sequence[Moment]) -> list[Tally]:
    return summed(
        [
            (moment.event.seat, "", int(moment.event.rotation == 180), moment.step)
            for moment in along
            if isinstance(moment.event, PiecePlaced)
        ]
    )


SUBJECTS: Final = Subjects("piece", held, used, "it places in its cake")

METRICS: Final = (
    Metric(
        name="connections",
        title="How many stripes does a piece connect?",
        definition="The stripes of the whole cake that a newly placed piece connects, by round.",
        example="In `cherry-on-the-cake/2-chain-of-rolls.jsonl`, seat 1, round 3: 15 in 1.",
        unit="mean",
        key="round",
        triggers=("stripes_connected",),
        measure=_connected,
    ),
    Metric(
        name="jars",
        title="How often is a jar emptied?",
        definition="How often a seat emptied this jar in a game, golden cubes at the end included.",
        example="In `cherry-on-the-cake/2-chain-of-rolls.jsonl`, seat 0, jar large: 4 in 1.",
        unit="mean",
        key="jar",
        triggers=("jar_emptied",),
        measure=_jars,
    ),
    Metric(
        name="chips",
        title="How many chips does a seat earn?",
        definition="The chips of this metal that a seat has at the end.",
        example="In `cherry-on-the-cake/2-chain-of-rolls.jsonl`, seat 0, metal gold: 4 in 1.",
        unit="mean",
        key="metal",
        triggers=("chips_revealed",),
        measure=_chips_held,
    ),
    Metric(
        name="chip_points",
        title="What are chips worth?",
        definition="The points of all chips of this metal that a seat has at the end.",
        example="In `cherry-on-the-cake/2-chain-of-rolls.jsonl`, seat 0, metal gold: 18 in 1.",
        unit="mean",
        key="metal",
        triggers=("chips_revealed",),
        measure=_chip_points,
    ),
    Metric(
        name="stars",
        title="How far does the star track carry?",
        definition="The points of a seat for its place on the star track at the end.",
        example="In `cherry-on-the-cake/2-chain-of-rolls.jsonl`, seat 1: 6 in 1.",
        unit="mean",
        triggers=("game_ended",),
        measure=_stars,
    ),
    Metric(
        name="consolation",
        title="How often does a turn bring nothing but the consolation?",
        definition="Of the turns of a seat, the share that brought neither a cube nor a star (CC-37).",
        example="In `cherry-on-the-cake/2-consolation-exchanged.jsonl`, seat 0: 1 in 7.",
        unit="rate",
        triggers=("stars_counted",),
        measure=_consolation,
    ),
    Metric(
        name="consolation_taken",
        title="How often is the consolation taken?",
        definition="Of the consolations that a seat was offered, the share that it took.",
        example="In `cherry-on-the-cake/2-exchange-twice.jsonl`, seat 0: 1 in 2.",
        unit="rate",
        triggers=("consolation_taken", "consolation_declined"),
        measure=_consolation_taken,
    ),
    Metric(
        name="turned",
        title="How often is a piece turned upside down?",
        definition="Of the pieces that a seat placed, the share that it turned by 180 degrees. The **baseline** is one "
        "half: no way up is better than the other by itself.",
        example="In `cherry-on-the-cake/2-chain-of-rolls.jsonl`, seat 1: 4 in 7.",
        unit="rate",
        triggers=("piece_placed",),
        measure=_turned,
        baseline=lambda key: 0.5,
    ),
)
