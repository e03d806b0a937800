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
_words_of = Struct(">16I").unpack
_SPAN = 1 << 32
_END = 64  # bytes of a block: it is used up, or there is none yet


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

    __slots__ = ("_at", "_block", "_number", "_seq", "_source")

    def __init__(self, key: bytes, seq: int, stream: bytes = NATURE) -> None:
        self._source = _keyed(key, stream)
        self._seq = seq
        self._number = -1
        self._at = _END

    def at(self, seq: int, block: int = 0) -> Rng:
        """Go to a block of another event of the same stream, and give this generator: cheaper than a new one."""
        source = self._source.copy()
        source.update(_address(seq, block))
        self._block = source.digest()
        self._seq = seq
        self._number = block
        self._at = 0
        return self

    def word(self) -> int:
        """Give the next 32-bit word."""
        return self.below(_SPAN)

    def below(self, n: int) -> int:
        """Give a uniform integer from 0 to n - 1, for n from 1 to 2^32."""
        if self._at == _END:
            self.at(self._seq, self._number + 1)
        at = self._at
        self._at = at + 4
        word: int = _word_at(self._block, at)[0]
        return word % n if word < _SPAN - n else self._whole(word, n)

    def _whole(self, word: int, n: int) -> int:
        """As `below`, for a word so near the end that it may be past the last whole multiple of n."""
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
        left = len(order)
        sure = _SPAN - left
        while left > 1:
            for word in self._words(left - 1):
                if word < sure or word < _SPAN - _SPAN % left:  # as in `below`
                    at = word % left
                    left -= 1
                    order[left], order[at] = order[at], order[left]
        return tuple(order)

    def _words(self, most: int) -> tuple[int, ...]:
        """Give the next words, all that are left of a block but at most so many: quicker than one by one."""
        if self._at == _END:
            self.at(self._seq, self._number + 1)
        first = self._at // 4
        words: tuple[int, ...] = _words_of(self._block)[first : first + most]
        self._at += 4 * len(words)
        return words
