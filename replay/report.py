"""A timeline as plain facts for one viewer: what `tabletape show` prints, and any other program may want."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from core.engine import past_secrets
from core.paths import diff, flatten
from core.redact import moves_of
from events.base import Move
from events.marks import Viewer
from replay.debugger.alternatives import alternatives
from replay.timeline import Timeline, names_of

__all__ = ["events_of", "fault_of", "moves_at", "names_of", "step_of"]


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
    """Give one step as `viewer` sees it: event, rule, changes, state, the moves that the viewer may see, and what
    could come next.

    `number` counts what the viewer sees; raises `FormatError` if it sees no such step.
    """
    names = names_of(timeline)
    at = timeline.at(number, viewer)
    step = timeline.seen_step(number, viewer)
    state = flatten(timeline.seen_view(number, viewer))
    before = flatten(timeline.seen_view(number - 1, viewer)) if number else {}
    moves = moves_at(timeline, at, viewer)
    return {
        "id": timeline.header.id,
        "number": number,
        "last": len(timeline.moments(viewer)) - 1,
        "turn": step.turn,
        "round": step.round,
        "seat": step.seat,
        "cause": step.cause,
        "rule": step.rule,
        "words": timeline.game.words(step.event, names),
        "event": msgspec.to_builtins(step.event),
        "changes": diff(before, state),
        "state": state,
        "moves": [timeline.game.words(move, names) for move in moves],
        "next": msgspec.to_builtins(alternatives(timeline, number, viewer)),
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
