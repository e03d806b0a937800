"""Events as bytes. One canonical form: compact JSON, fields in the order of their type, tag first.

Digests and comparisons use the canonical form only, so there is exactly one encoder.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from events.base import Event, Unknown, kind_of
from events.errors import FormatError, line_of

_encoder = msgspec.json.Encoder(order="deterministic")

_BROKEN = (msgspec.MsgspecError, ValueError, RecursionError)
"""What readers raise for bytes that are no JSON of ours: `ValueError` for bad UTF-8 or a number of 5,000 digits."""


def encode(event: Event) -> bytes:
    """Give the canonical JSON of an event; an unknown event is given back as it came.

    >>> from events.base import TurnStarted
    >>> encode(TurnStarted(seat=1, turn=4))
    b'{"type":"turn_started","seat":1,"turn":4}'
    """
    return event.raw if type(event) is Unknown else _encoder.encode(event)


def encode_all(events: Sequence[Event]) -> tuple[bytes, ...]:
    """Give the canonical JSON of each event."""
    if Unknown in map(type, events):
        return tuple(map(encode, events))
    return tuple(_encoder.encode_lines(events).split(b"\n")[:-1])  # in one go; JSON has no line end within


def canonical(value: object) -> bytes:
    """Give the canonical JSON of any other value we write down: a header, a sheet, a state."""
    return _encoder.encode(value)


class _Tag(msgspec.Struct):
    """Only the tag of an event, to tell an unknown type from a broken one."""

    type: str


_tag_decoder = msgspec.json.Decoder(_Tag)


class Codec:
    """Reads the events of one game: built from the union of its event types, never from a single type."""

    def __init__(self, union: Any) -> None:
        self._one = msgspec.json.Decoder(union)

    def decode(self, raw: bytes) -> Event:
        """Give the event in canonical or any other JSON form.

        A type that this version does not know gives `Unknown`. Raises `FormatError` for anything that is not an event:
        broken JSON, no tag, a field missing, of another type, unknown or given twice.
        """
        try:
            event: Event = self._one.decode(raw)
        except _BROKEN as error:
            return self._unknown(raw, error)
        if _encoder.encode(event) != raw:
            _refuse_doubled_keys(raw)
        return event

    def decode_all(self, raws: tuple[bytes, ...]) -> tuple[Event, ...]:
        """Give the events of a whole stream. Bytes that are all known and canonical are read in one go."""
        lines = b"\n".join(raws)
        try:
            events: list[Event] = self._one.decode_lines(lines)
            # As many lines as events, and none of ours has a line end within: so each is the bytes that it was read of.
            if len(events) == len(raws) and _encoder.encode_lines(events) == lines + b"\n":
                return tuple(events)
        except _BROKEN:
            pass
        return tuple([self.decode(raw) for raw in raws])

    def _unknown(self, raw: bytes, error: Exception) -> Event:
        try:
            tag = _tag_decoder.decode(raw).type
        except _BROKEN as problem:
            raise FormatError(f"not an event: {_one_line(problem)}") from None
        if tag in self.tags:
            raise FormatError(f"broken {tag} event: {_one_line(error)}")
        _refuse_doubled_keys(raw)
        return Unknown(kind=tag, raw=raw)

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags this codec knows, in the order of the union."""
        union = self._one.type
        members = getattr(union, "__args__", (union,))
        return tuple([str(_struct(member).__struct_config__.tag) for member in members])


def _struct(member: Any) -> Any:
    """The class behind a member of a union: `GameStarted[Options]` stands for `GameStarted`."""
    return getattr(member, "__origin__", member)


def _refuse_doubled_keys(raw: bytes) -> None:
    def pairs(items: list[tuple[str, object]]) -> dict[str, object]:
        fields = dict(items)
        if len(fields) != len(items):
            raise FormatError("not an event: a field is given twice")
        return fields

    try:
        json.loads(raw, object_pairs_hook=pairs)
    except _BROKEN as error:
        raise FormatError(f"not an event: {_one_line(error)}") from None


def _one_line(error: Exception) -> str:
    return line_of(error) or type(error).__name__


__all__ = ["Codec", "canonical", "encode", "encode_all", "kind_of"]
