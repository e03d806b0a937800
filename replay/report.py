"""A timeline as plain facts for one viewer: what `tabletape show` prints, and any other program may want."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from core.engine import past_secrets
from core.paths import diff, flatten
from core.redact import moves_of
from events.base import Move
from events.errors import FormatError
from events.marks import Viewer
from replay.timeline import Timeline


def names_of(timeline: Timeline) -> list[str]:
    """Give the name of each seat, for words."""
    return [player.name for player in timeline.header.players]


def events_of(timeline: Timeline, viewer: Viewer) -> dict[str, Any]:
    """Give the header's facts and the events that `viewer` sees, each with its words, rule and cause."""
    names = names_of(timeline)
    return {
        "id": timeline.header.id,
        "game": timeline.header.game,
        "players": names,
        "viewer": viewer,
        "events": [
            {
                "number": shown.number,
                "turn": shown.step.turn,
                "round": shown.step.round,
                "seat": shown.step.seat,
                "cause": shown.step.cause,
                "rule": shown.step.rule,
                "words": timeline.game.words(shown.step.event, names),
                "event": msgspec.to_builtins(shown.step.event),
            }
            for shown in timeline.shown(viewer)
        ],
        "fault": fault_of(timeline, viewer),
    }


def step_of(timeline: Timeline, number: int, viewer: Viewer) -> dict[str, Any]:
    """Give one step as `viewer` sees it: event, rule, changes, state, and the moves that the viewer may see.

    `number` counts what the viewer sees; raises `FormatError` if it sees no such step.
    """
    names = names_of(timeline)
    steps = list(timeline.shown(viewer))
    if not 0 <= number < len(steps):
        raise FormatError(f"there is no step {number}: this viewer sees steps 0 to {len(steps) - 1}")
    shown = steps[number]
    state = flatten(shown.view)
    before = flatten(steps[number - 1].view) if number else {}
    moves = moves_at(timeline, shown.at, viewer)
    return {
        "id": timeline.header.id,
        "number": number,
        "last": len(steps) - 1,
        "turn": shown.step.turn,
        "round": shown.step.round,
        "seat": shown.step.seat,
        "cause": shown.step.cause,
        "rule": shown.step.rule,
        "words": timeline.game.words(shown.step.event, names),
        "event": msgspec.to_builtins(shown.step.event),
        "changes": diff(before, state),
        "state": state,
        "moves": [timeline.game.words(move, names) for move in moves],
        "fault": fault_of(timeline, viewer),
    }


def moves_at(timeline: Timeline, at: int, viewer: Viewer) -> Sequence[Move]:
    """Give the moves that `viewer` may see after step `at` of the timeline, if nobody answers what it does not see.

    A rival who is asked in secret and declines must not show by the viewer's own moves being gone for a moment (G-06).
    """
    after = past_secrets(timeline.game, timeline.states[at], viewer)
    return moves_of(timeline.game.legal(after), viewer) if timeline.game.forced(after) is None else []


def fault_of(timeline: Timeline, viewer: Viewer) -> str | None:
    """Say up to where a game opens, if that is not its end.

    Why it does not go on may tell a hidden card, so only a viewer who sees everything is told.
    """
    if timeline.fault is None:
        return None
    last = len(timeline.moments(viewer)) - 1
    where = f"This replay opens up to step {last}" if last >= 0 else "Nothing of this replay can be opened"
    reason = timeline.fault.reason if viewer == "omniscient" else "what follows cannot be believed"
    return f"{where}: {reason}"
