"""The generator: randomness addressed by (seed, stream name, event number), with no state to carry, save or restore.

Block b of the randomness of event n is

    blake2b(n as 8 bytes big-endian || b as 8 bytes big-endian, key = seed, person = stream name, digest_size = 64)

read as sixteen 32-bit big-endian words, the blocks one after another. `below(m)` takes the next word w, again while
w >= floor(2^32 / m) * m, and gives w mod m. `shuffled` is Fisher-Yates from the last index down to 1, each index i
exchanged with `below(i + 1)`. Another language can re-deal any game from these lines; test vectors are in
`tests/core/test_rng.py` and `docs/randomness.md`.

Nature and each bot draw from streams of their own name, so a bot's draws never move a deck.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from struct import Struct
from typing import Any, TypeVar

from events.errors import SetupError
from events.tape import SEED_LIMIT

T = TypeVar("T")

NATURE = b"nature"
"""The stream of everything the rules leave to chance."""

_address = Struct(">QQ").pack
_word_at = Struct(">I").unpack_from
_SPAN = 1 << 32


def bot_stream(seat: int) -> bytes:
    """Give the name of the stream that the bot at a seat draws from."""
    return b"bot/%d" % seat


def seed_key(seed: str) -> bytes:
    """Give a seed as the generator's key; raises `SetupError` unless it is text of 1 to 64 UTF-8 bytes."""
    try:
        key = seed.encode()
    except UnicodeEncodeError:
        raise SetupError("a seed is text that UTF-8 can write") from None
    if not 1 <= len(key) <= SEED_LIMIT:
        raise SetupError(f"a seed is text of 1 to {SEED_LIMIT} bytes, not of {len(key)}")
    return key


@lru_cache(maxsize=64)
def _keyed(key: bytes, stream: bytes) -> Any:
    """The hash of a stream before any address: only ever copied."""
    return blake2b(key=key, digest_size=64, person=stream)


class Rng:
    """The randomness of one event of one stream. Two made with the same address give the same numbers.

    >>> Rng(b"42", 1).below(6), Rng(b"42", 1).below(6), Rng(b"42", 2).below(6)
    (3, 3, 1)
    """

    __slots__ = ("_at", "_block", "_blocks", "_key", "_seq", "_stream")

    def __init__(self, key: bytes, seq: int, stream: bytes = NATURE) -> None:
        self._key = key
        self._seq = seq
        self._stream = stream
        self._blocks = 0
        self._block = b""
        self._at = 0

    def word(self) -> int:
        """Give the next 32-bit word."""
        at = self._at
        if at == len(self._block):
            at = self._next_block()
        self._at = at + 4
        word: int = _word_at(self._block, at)[0]
        return word

    def _next_block(self) -> int:
        block = _keyed(self._key, self._stream).copy()
        block.update(_address(self._seq, self._blocks))
        self._block = block.digest()
        self._blocks += 1
        return 0

    def below(self, n: int) -> int:
        """Give a uniform integer from 0 to n - 1, for n from 1 to 2^32."""
        at = self._at  # as in `word`, whose call would be a quarter of the time
        if at == len(self._block):
            at = self._next_block()
        self._at = at + 4
        word: int = _word_at(self._block, at)[0]
        limit = _SPAN - _SPAN % n
        while word >= limit:
            word = self.word()
        return word % n

    def choice(self, items: Sequence[T]) -> T:
        """Give one of the items, each as likely."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> tuple[T, ...]:
        """Give the items in a uniformly random order."""
        order = list(items)
        below = self.below
        for i in range(len(order) - 1, 0, -1):
            j = below(i + 1)
            order[i], order[j] = order[j], order[i]
        return tuple(order)
