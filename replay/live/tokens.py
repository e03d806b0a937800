"""What the referee of a live game must not forget, and who is who: tokens (only their hashes are kept), commitment."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from hashlib import blake2b, sha256
from hmac import compare_digest
from typing import Final, Literal, TypeAlias

from msgspec import Struct

Role: TypeAlias = int | Literal["organiser", "spectator"]
"""Who somebody at a live game is: a seat, the one who set it up, or somebody who looks on."""

TOKEN_BYTES: Final = 32


Face: TypeAlias = int | str
"""A card, a piece, a token: by its name, or by its number in the box."""


class Entry(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What was entered at a real table: an event as JSON (a move, an outcome, a take-back), or the faces asked for."""

    event: str | None = None
    faces: tuple[Face, ...] = ()


class Facts(Struct, frozen=True):
    """What is kept beside the stream of a live game.

    Tokens are kept as hashes; a seat of a bot has none, and without `spectator` anybody may look on. `commitment` and
    `salt` are None where people deal (a real table that is recorded). `window` is for how many seconds others wait
    after an event that a rival may answer in secret, 0 for as long as the rival takes. A game that was `broken_off`
    is not played on: `Store.at_play` looks for that field in the text. `draft` is what was entered so far at a table
    that is recorded on a page; else None.
    """

    organiser: str
    seats: tuple[str | None, ...]
    spectator: str | None = None
    commitment: str | None = None
    salt: str | None = None
    window: float = 0.0
    broken_off: bool = False
    draft: tuple[Entry, ...] | None = None

    def role(self, token: str | None) -> Role | None:
        """Give whose token this is, or None. Takes the same time for every wrong token."""
        given = hashed(token or "")
        found: Role | None = None
        for role, kept in self._known():
            if compare_digest(given, kept):
                found = role
        return found

    def _known(self) -> Iterator[tuple[Role, str]]:
        yield "organiser", self.organiser
        if self.spectator is not None:
            yield "spectator", self.spectator
        for seat, kept in enumerate(self.seats):
            if kept is not None:
                yield seat, kept


class Tokens(Struct, frozen=True):
    """The tokens of a live game, told once, to whoever sets it up; None at the seats of bots."""

    organiser: str
    seats: tuple[str | None, ...]
    spectator: str | None


def new_token() -> str:
    """Give a token of 256 bits from the operating system."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def hashed(token: str) -> str:
    """Give what is kept of a token; it is random enough to need neither salt nor stretching."""
    return sha256(token.encode(errors="surrogatepass")).hexdigest()


def commitment(seed: str, salt: str) -> str:
    """Give what is published before a game is dealt from `seed`: blake2b-256 of salt and seed.

    Nobody can find the seed from it, and the dealer cannot name another one afterwards.

    >>> commitment("42", "00")[:8]
    '5b2d2a1a'
    """
    return blake2b(f"{salt}/{seed}".encode(), digest_size=32).hexdigest()


def keeps(published: str, seed: str, salt: str) -> bool:
    """Say whether a seed that was told at the end is the one that was committed to at the start."""
    return compare_digest(published, commitment(seed, salt))
