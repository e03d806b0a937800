"""A tape: one recorded game as it is stored and exchanged, and the chain that makes a change to it show.

A tape is a header and the canonical bytes of its events. Everything that travels (simulation to store, store to file,
file to timeline) travels as tapes; whoever needs events decodes them with the game's `Codec`.

The chain: link 0 is 32 zero bytes, link n+1 is blake2b-256 of link n followed by the bytes of event n. The digest of a
stream is its last link in hexadecimal, so it covers every event and their order, and can be carried on from a stored
digest when a game goes on. Names of players are in the header and outside the chain: they can be changed or removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

FORMAT = 1
"""Version of the header and of the file form."""

ROOT = bytes(32)
"""The link before the first event."""

NAME_LIMIT = 80
"""Longest name of a player, in characters."""

SEED_LIMIT = 64
"""Longest seed, in UTF-8 bytes (the generator's key size)."""

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]
Version: TypeAlias = Annotated[int, msgspec.Meta(ge=1, lt=1 << 31)]

Provenance = Literal["simulated", "live", "imported"]

_hash = blake2b(digest_size=32)
"""Of nothing yet: it is copied, never fed."""


class Player(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Who sat at a seat: a name, and which bot where it was one. Never part of an event."""

    name: str
    bot: str | None = None


class Fork(Struct, frozen=True, forbid_unknown_fields=True):
    """Where a branch leaves its parent: it shares the parent's events 0 to `step`."""

    parent: str
    step: Count


class Header(
    Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True, tag_field="tabletape", tag=FORMAT
):
    """What is known about a stream besides its events.

    `rules` is the version of the rules it was played under, `shapes` that of its event types (what upcasters start
    from). `seed` is None for games that nature dealt: a real table. `sheet` is the digest of the component sheet;
    one that is not shipped travels in `components`, as its fields. `length` and `digest` describe the whole stream.
    `recorded` is when, as ISO 8601 text in UTC, where that is known.
    """

    id: str
    game: str
    rules: Version
    shapes: Version
    sheet: str
    players: tuple[Player, ...]
    provenance: Provenance
    seed: str | None = None
    components: dict[str, Any] | None = None
    recorded: str | None = None
    fork: Fork | None = None
    length: Count | None = None
    digest: str | None = None


class Fault(Struct, frozen=True):
    """The first event of a tape that cannot be believed, and why. It and all after it are kept as they came."""

    step: int
    reason: str


class Tape(Struct, frozen=True):
    """A recorded game: its header, the canonical bytes of its events, and where it stops being believable, if it does.

    From `fault.step` on, `events` holds what was found there instead (whole lines of a file): kept, never folded.
    """

    header: Header
    events: tuple[bytes, ...]
    fault: Fault | None = None

    @property
    def sound(self) -> tuple[bytes, ...]:
        """The events that can be believed."""
        return self.events if self.fault is None else self.events[: self.fault.step]


def link(previous: bytes, event: bytes) -> bytes:
    """Give the next link of the chain: 32 bytes."""
    return blake2b(previous + event, digest_size=32).digest()


def links(events: Iterable[bytes], previous: bytes = ROOT) -> Iterator[bytes]:
    """Give the link after each event."""
    for event in events:
        previous = link(previous, event)
        yield previous


def digest(events: Iterable[bytes]) -> str:
    """Give the digest of a whole stream: its last link in hexadecimal.

    >>> digest([])[:8]
    '00000000'
    """
    last = ROOT
    for event in events:  # `link`, without a call and a new hash to set up for each of a million events
        after = _hash.copy()
        after.update(last + event)
        last = after.digest()
    return last.hex()


def sealed(header: Header, events: tuple[bytes, ...]) -> Tape:
    """Give the tape of a stream, its length and digest written into the header."""
    return Tape(msgspec.structs.replace(header, length=len(events), digest=digest(events)), events)
