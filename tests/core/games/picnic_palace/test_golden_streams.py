"""The golden streams show what their list says they show. That they hold is checked for all games together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

import pytest

from core.engine import states
from core.games.picnic_palace import Picnic
from core.games.picnic_palace.state import PicnicSheet, Table
from core.streams import decode
from events.base import Event, TakenBack
from events.picnic_palace import (
    CardFlipped,
    FlipChosen,
    GameEnded,
    InvitationWasted,
    PickleUsed,
    RoundStarted,
    RowTaken,
    SprinklesScored,
    TurnStarted,
)
from replay.games import game_of
from replay.golden import tapes

Steps: TypeAlias = Sequence[tuple[Event, Table]]


def steps(name: str) -> Steps:
    """Give the events of a golden stream, each with the table after it."""
    tape = next(tape for stream, tape in tapes("picnic-palace") if stream.file == f"{name}.jsonl")
    events, fault = decode(Picnic, tape)
    assert fault is None
    return list(zip(events, states(game_of(tape.header), events), strict=True))


def sprinkles(played: Steps) -> SprinklesScored:
    return next(event for event, _ in played if isinstance(event, SprinklesScored))


def ended(played: Steps) -> GameEnded:
    event = played[-1][0]
    assert isinstance(event, GameEnded)
    return event


def rounds(played: Steps) -> Iterator[Steps]:
    starts = [step for step, (event, _) in enumerate(played) if isinstance(event, RoundStarted)]
    for first, beyond in pairwise([*starts, len(played)]):
        yield played[first:beyond]


def odd_last_flip(played: Steps) -> bool:
    """Two seats: a flip after which one more is due, and no card left for it."""
    return any(
        isinstance(event, CardFlipped) and table.flips == 1 and not any(table.face_down) for event, table in played
    )


def second_flip_forced(played: Steps) -> bool:
    """One row alone can be flipped, as the second card of a turn, and it is."""
    return any(
        before.phase == "flip_again"
        and isinstance(event, FlipChosen)
        and len([row for row in before.face_down if row]) == 1
        for (_, before), (event, _) in pairwise(played)
    )


def solo_finish(played: Steps) -> bool:
    """In one round the last four turns or more are of one seat alone, it flips meanwhile, and starts the next round."""
    for this, following in pairwise(rounds(played)):
        alone = [(event, table) for event, table in this if sum(map(bool, table.invitations)) == 1]
        turns = [event for event, _ in alone if isinstance(event, TurnStarted)]
        flips = [event for event, _ in alone if isinstance(event, FlipChosen)]
        first = next(event for event, _ in following if isinstance(event, TurnStarted))
        if len(turns) >= 4 and len(flips) >= 2:
            return {*[turn.seat for turn in turns], *[flip.seat for flip in flips]} == {first.seat}
    return False


def old_pickle(played: Steps) -> bool:
    """A seat that has taken no Pickle in this round uses one."""
    for this in rounds(played):
        taken = [event for event, _ in this if isinstance(event, RowTaken) and "pauly_pickle" in event.cards]
        fresh = {event.seat for event in taken}
        if any(isinstance(event, PickleUsed) and event.seat not in fresh for event, _ in this):
            return True
    return False


def equal_best(played: Steps) -> list[int]:
    """The seats with the best score."""
    scores = ended(played).scores
    return [seat for seat, score in enumerate(scores) if score == max(scores)]


SHOWN: dict[str, Callable[[Steps], bool]] = {
    "2-odd-last-flip": odd_last_flip,
    "2-second-flip-forced": second_flip_forced,
    "2-sprinkles-tie": lambda played: (
        sprinkles(played).points == (0, 0) and sprinkles(played).counts[0] == sprinkles(played).counts[1] > 0
    ),
    "3-invitation-wasted": lambda played: any(isinstance(event, InvitationWasted) for event, _ in played),
    "3-pickle-of-an-earlier-round": old_pickle,
    "3-solo-finish": solo_finish,
    "3-sprinkles-all-equal": lambda played: len(set(sprinkles(played).counts)) == 1,
    "3-taken-back": lambda played: any(isinstance(event, TakenBack) for event, _ in played),
    "4-designers-box": lambda played: isinstance(sheet := played[0][1].sheet, PicnicSheet) and sheet.cards == 112,
    "4-negative-total": lambda played: min(ended(played).scores) < 0,
    "4-shared-win": lambda played: len(ended(played).ranking[0]) > 1,
    "4-sprinkles-break-the-tie": lambda played: len(equal_best(played)) > len(ended(played).ranking[0]) == 1,
    "4-three-tied-for-fewest": lambda played: sprinkles(played).points.count(-3) == 3,
    "4-two-tied-for-most-and-fewest": lambda played: sorted(sprinkles(played).points) == [-5, -5, 5, 5],
}


def test_every_golden_stream_has_its_check() -> None:
    assert [stream.file for stream, _ in tapes("picnic-palace")] == [f"{name}.jsonl" for name in SHOWN]


@pytest.mark.parametrize("name", SHOWN)
def test_it_shows_what_it_is_there_for(name: str) -> None:
    played = steps(name)
    assert SHOWN[name](played)
    assert ended(played).reason == "rounds_played"
