"""Live games as the play page knows them: the referee of this process, and what a seat sees and may do.

Everything a page shows of a game at play comes from here, for one viewer whose token was looked at.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from typing import Final

from msgspec import Struct

from core.engine import past_secrets, take_back
from dashboard.choosing import Choice
from dashboard.scene import Scene
from dashboard.tables import picture_of
from events.base import Move, TakenBack
from events.errors import UnlawfulEvent
from events.marks import Viewer
from replay.api.service import Service
from replay.api.settings import Settings, settings_from
from replay.report import moves_at, names_of
from replay.timeline import Timeline

LATELY: Final = 8
"""Steps that are told in words."""


def service() -> Service:
    """Give the one service of this process, which `/api` and the pages share: a game has one referee."""
    return _service(settings_from(os.environ))


@cache
def _service(settings: Settings) -> Service:
    return Service(settings)


class Sight(Struct, frozen=True):
    """A game at play as one viewer sees it after `count` steps of its own.

    `due` are the seats whose turn it is as far as everybody knows. `undoable` says whether the viewer's own last move
    can be taken back.
    """

    count: int
    names: tuple[str, ...]
    scene: Scene
    lately: tuple[str, ...]
    due: tuple[int, ...]
    choices: tuple[Choice, ...]
    undoable: bool


def sight(line: Timeline, viewer: Viewer) -> Sight:
    """Give what a viewer sees of a game at play, at its last step."""
    names = names_of(line)
    count = len(line.moments(viewer))
    words = line.game.words
    return Sight(
        count=count,
        names=tuple(names),
        scene=picture_of(line.game.slug)(line.seen_view(count - 1, viewer), names),
        lately=tuple(
            [words(shown.step.event, names) for shown in line.shown_between(viewer, max(count - LATELY, 0), LATELY)]
        ),
        due=due(line),
        choices=tuple([Choice(move, words(move, names)) for move in moves_at(line, len(line) - 1, viewer)]),
        undoable=_undoable(line, viewer),
    )


def due(line: Timeline) -> tuple[int, ...]:
    """Give the seats that are to choose as far as everybody knows; who is asked in secret is not told (G-06)."""
    after = past_secrets(line.game, line.states[-1], "spectator")
    moves: Sequence[Move] = line.game.legal(after) if line.game.forced(after) is None else []
    return tuple(dict.fromkeys([move.seat for move in moves]))


def _undoable(line: Timeline, viewer: Viewer) -> bool:
    """Say whether a seat's own move is the last that it sees, and nothing was drawn or revealed since."""
    for at in reversed(line.moments(viewer)):
        event = line.events[at]
        if isinstance(event, TakenBack):
            return False
        if line.step(at).cause == "move":
            try:
                return (
                    isinstance(event, Move) and event.seat == viewer and bool(take_back(line.game, line.events, at - 1))
                )
            except UnlawfulEvent:
                return False
    return False
