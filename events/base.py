"""The events that every game shares. Generic tools (timeline, statistics, dashboard) rely on these alone."""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

from msgspec import Struct

OptionsT = TypeVar("OptionsT", bound="Options", covariant=True)


class Event(Struct, frozen=True, gc=False, tag_field="type", forbid_unknown_fields=True):
    """A fact about a game. Integers and strings only, no clock: when it was recorded stands beside it, not in it.

    `gc=False`: frozen values of ints, strings and tuples form no cycles, and bulk decoding is seven times faster.
    """

    subject: ClassVar[str | None] = None
    """The field that says what the event is about (a card, a token, a colour), for statistics; None if none does."""

    rule: ClassVar[str] = ""
    """The ruling id or rulebook section that the event applies: the debugger's answer to "why did this happen?"."""

    seen_by: ClassVar[tuple[str, ...]] = ()
    """Fields naming the seats that see this event at all; empty: everybody. Others never learn that it happened."""


class Move(Event, frozen=True):
    """An event that a seat may choose. Where public facts leave one possibility, the rules make it happen (G-01)."""

    seat: int


class Options(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """What a game may be played under. A game with options derives from this; each field has the ruling's default."""


class GameStarted(Event, Generic[OptionsT], frozen=True, tag="game_started"):
    """The first event of every stream: which game, under which rules and options, with which box, for how many."""

    game: str
    rules: int
    seats: int
    sheet: str
    options: OptionsT


class RoundStarted(Event, frozen=True, tag="round_started"):
    """A round begins (counted from 1), in games that have rounds."""

    round: int


class TurnStarted(Event, frozen=True, tag="turn_started"):
    """A seat's turn begins; turns are counted from 1 over the whole game."""

    seat: int
    turn: int


class GameEnded(Event, frozen=True, tag="game_ended"):
    """The last event: why the game ended, one score a seat, and groups of equal seats, best first (G-04)."""

    reason: str
    scores: tuple[int, ...]
    ranking: tuple[tuple[int, ...], ...]


class TakenBack(Event, frozen=True, tag="taken_back"):
    """A correction: the state is again that of step `to`. The engine folds this one itself, for every game."""

    to: int


class Unknown(Event, frozen=True, tag="unknown"):
    """An event of a type that this version does not know, kept byte for byte. A replay opens up to here and says so."""

    kind: str
    raw: bytes


def kind_of(event: Event) -> str:
    """Give the event's tag, e.g. `cards_taken`.

    >>> kind_of(TurnStarted(seat=0, turn=1))
    'turn_started'
    """
    return event.kind if type(event) is Unknown else str(type(event).__struct_config__.tag)


def seat_of(event: Event) -> int | None:
    """Give the seat that the event names as its own, or None."""
    return getattr(event, "seat", None)


def subject_of(event: Event) -> str | None:
    """Give the value of the event's subject field as text, or None."""
    name = type(event).subject
    return None if name is None else str(getattr(event, name))
