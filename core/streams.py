"""From tapes to events: the one read path. Whoever wants the events of a recorded game gets them here, upcast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from core.engine import refuse
from core.game import Game, State
from core.registry import codec
from events.base import Event, GameStarted, TakenBack, Unknown, kind_of
from events.errors import FormatError, line_of
from events.tape import Fault, Header, Tape
from events.upcast import upcast

_NOT_THE_OLD_SHAPE = (
    msgspec.MsgspecError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What an upcaster may raise for an event that is not of the shape it is for."""


def decode(kind: type[Game[Any]], tape: Tape) -> tuple[tuple[Event, ...], Fault | None]:
    """Give the events of a tape that can be believed and known, in today's shapes, and where and why they stop early.

    An event of an unknown type stops the stream: nothing after it can be folded.
    """
    if not 1 <= tape.header.shapes <= shapes(kind):
        return (), Fault(
            0, f"event shapes of version {tape.header.shapes} are not known here (this has {shapes(kind)})"
        )
    events = list[Event]()
    raws = tape.sound
    reader = codec(kind)
    if tape.header.shapes == shapes(kind):
        try:
            events.extend(reader.decode_all(raws))
        except FormatError:
            events.clear()
    if not events:
        for step, raw in enumerate(raws):
            try:
                events.append(reader.decode(upcast(raw, tape.header.shapes, kind.upcasters)))
            except (FormatError, *_NOT_THE_OLD_SHAPE) as error:
                return tuple(events), Fault(step, line_of(error) or type(error).__name__)
    if Unknown in map(type, events):
        step, event = next((step, event) for step, event in enumerate(events) if isinstance(event, Unknown))
        return tuple(events[:step]), Fault(step, f"an event of a type not known here: {line_of(event.kind)}")
    return tuple(events), tape.fault


def refuse_opening(game: Game[Any], header: Header, event: Event) -> str | None:
    """Say why an event cannot open the stream of a header: it is no lawful start, or tells of another game."""
    if reason := refuse(game, game.initial(), 0, event):
        return reason
    if isinstance(event, GameStarted) and event.seats != len(header.players):
        return f"the header names {len(header.players)} players for {event.seats} seats"
    return None


def lawful(game: Game[Any], header: Header, events: Sequence[Event]) -> tuple[tuple[State, ...], Fault | None]:
    """Give the states along a stream up to its first unlawful event, and where that is and why.

    Rules are total on lawful streams only, so whatever walks a stream that somebody else wrote goes by this.
    """
    along = list[State]()
    state = game.initial()
    for step, event in enumerate(events):
        reason = refuse(game, state, step, event) if step else refuse_opening(game, header, event)
        if reason:
            return tuple(along), Fault(step, f"{kind_of(event)}: {reason}")
        state = along[event.to] if isinstance(event, TakenBack) else game.evolve(state, event)
        along.append(state)
    return tuple(along), None


def shapes(kind: type[Game[Any]]) -> int:
    """Give the version of a game's event types: one more than it has upcasters."""
    return len(kind.upcasters) + 1
