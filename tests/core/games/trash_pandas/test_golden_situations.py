"""The golden streams show what they are there for: each situation is found in the events themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from core.engine import states
from core.games.trash_pandas.scoring import variety
from core.games.trash_pandas.state import Table
from core.streams import decode
from events.base import Event, GameStarted
from events.trash_pandas import (
    BlammoPlayed,
    BonusTurnStarted,
    CardsDrawn,
    CardStolen,
    DieRolled,
    DoggoPlayed,
    FaceUpCardStolen,
    FeeshPlayed,
    GameEnded,
    KittehPlayed,
    NannersPlayed,
    PiePlayed,
    ShinyPlayed,
    TokenExchanged,
    YumYumKept,
    YumYumPlayed,
)
from replay.golden import tapes
from tests.core.games.trash_pandas.playing import GAME

Told = list[tuple[Event, Table, Table]]
"""A game: each event with the table before and after it."""


@cache
def games() -> dict[str, Told]:
    """Every golden game by its file."""
    told = {}
    for stream, tape in tapes("trash-pandas"):
        events, fault = decode(type(GAME), tape)
        assert fault is None
        tables = [GAME.initial(), *states(GAME, events)]
        told[stream.file] = list(zip(events, tables, tables[1:], strict=False))
    return told


def runs(game: Told, *kinds: type[Event] | tuple[type[Event], ...]) -> Iterator[Told]:
    """Give where events of these types follow one another; declined answers do not count."""
    loud = [step for step in game if not isinstance(step[0], YumYumKept)]
    for at in range(len(loud)):
        run = loud[at : at + len(kinds)]
        if len(run) == len(kinds) and all(isinstance(step[0], kind) for step, kind in zip(run, kinds, strict=True)):
            yield run


def bust_saved_by(kind: type[Event]) -> Callable[[Told], bool]:
    return lambda game: any(run[0][1].phase == "bust" for run in runs(game, kind))


def feeshed_nanners(game: Told) -> bool:
    return any(
        run[1][1].phase == "bust" and getattr(run[0][0], "card", None) == "Nanners"
        for run in runs(game, FeeshPlayed, NannersPlayed)
    )


def forced_roll(busts: bool) -> Callable[[Told], bool]:
    def shown(game: Told) -> bool:
        for at, (event, _, _) in enumerate(game):
            if isinstance(event, YumYumPlayed):
                after = next(after for rolled, _, after in game[at:] if isinstance(rolled, DieRolled))
                if (after.phase == "bust") == busts:
                    return True
        return False

    return shown


def final(game: Told) -> tuple[GameEnded, Table]:
    event, _, after = game[-1]
    assert isinstance(event, GameEnded)
    return event, after


def tied_at(place: int, worth: bool) -> Callable[[Told], bool]:
    """A kind in which several seats share the place; it is worth points, or it is not though the kind has some."""

    def shown(game: Told) -> bool:
        _, over = final(game)
        for kind, points in zip(over.sheet.kinds, over.sheet.points, strict=True):
            counts = [stash.count(kind) for stash in over.face_up]
            ranked = sorted([count for count in dict.fromkeys(counts) if count], reverse=True)
            shared = len(ranked) > place and counts.count(ranked[place]) > 1
            if shared and any(points) and bool(points[place]) == worth:
                return True
        return False

    return shown


def decided_by(rule: str) -> Callable[[Told], bool]:
    def shown(game: Told) -> bool:
        ended, over = final(game)
        best = max(ended.scores)
        seats = [seat for seat, score in enumerate(ended.scores) if score == best]
        winner = ended.ranking[0]
        kinds = [variety(over.face_up[seat]) for seat in seats]
        by_variety = kinds.count(max(kinds)) == 1
        return len(seats) > 1 and len(winner) == 1 and by_variety == (rule == "variety")

    return shown


SITUATIONS: dict[str, Callable[[Told], bool]] = {
    "a bust saved by Blammo!": bust_saved_by(BlammoPlayed),
    "a bust saved by Nanners": bust_saved_by(NannersPlayed),
    "a bust saved by a Feeshed Nanners": feeshed_nanners,
    "a Yum Yum roll that busts": forced_roll(busts=True),
    "a Yum Yum roll that does not": forced_roll(busts=False),
    "a Yum Yum after Nanners": lambda game: any(runs(game, NannersPlayed, YumYumPlayed)),
    "six tokens and a bonus turn": lambda game: any(runs(game, BonusTurnStarted)),
    "a Kitteh answered by Kitteh answered by Doggo": lambda game: any(
        runs(game, KittehPlayed, KittehPlayed, DoggoPlayed)
    ),
    "a Shiny turned back by Kitteh": lambda game: any(
        runs(game, ShinyPlayed, KittehPlayed, (CardStolen, FaceUpCardStolen))
    ),
    "a Pied Recycle": lambda game: any(
        getattr(run[0][0], "token", None) == "recycle" for run in runs(game, PiePlayed, TokenExchanged)
    ),
    "the last card drawn by a Doggo in another's turn": lambda game: any(
        not run[1][2].pile and getattr(run[1][0], "seat", None) != run[1][2].seat
        for run in runs(game, DoggoPlayed, CardsDrawn)
    ),
    "a tie for a first place": tied_at(0, worth=True),
    "a tie for a second place": tied_at(1, worth=True),
    "a tie for a third place": tied_at(2, worth=True),
    "a tie at a place without points": lambda game: tied_at(1, worth=False)(game) or tied_at(2, worth=False)(game),
    "equal scores decided by variety": decided_by("variety"),
    "equal scores and variety decided by the number of cards": decided_by("cards"),
    "a shared win": lambda game: len(final(game)[0].ranking[0]) > 1,
}


@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_golden_stream_shows(situation: str) -> None:
    showing = [file for file, game in games().items() if SITUATIONS[situation](game)]
    claiming = [stream.file for stream, _ in tapes("trash-pandas") if situation in stream.shows.split("; ")]
    assert claiming
    assert [file for file in claiming if file not in showing] == []


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_golden_streams_of_each_seat_count(seats: int) -> None:
    def seated(game: Told) -> bool:
        first: Event = game[0][0]
        return isinstance(first, GameStarted) and first.seats == seats

    assert len([game for game in games().values() if seated(game)]) >= 10
