"""Inputs: what is valid, with a few things done to it that a bad program, a bad disk or a bad person does."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

HOSTILE: Final = (
    *b"0 -1 1 3 127 128 10000 32768 2147483647 2147483648 9223372036854775808 18446744073709551616".split(),
    *b'1e400 0.5 -0.0 NaN Infinity -Infinity nan inf true false null [] {} [[]] [null] [0] "" \'\' " \\ /'.split(),
    *b'"\\ud800" "\\u0000" "\\u001b[2J" {"a":1,"a":2} 1970-01-01 9999-99-99 0001-01-01T00:00:00Z'.split(),
    *b'"../../etc/passwd" /etc/passwd %00 %2e%2e%2f %ff $(id) {{7*7}} %s%n [bold]x[/] "<script>1</script>"'.split(),
    *(b"'; DROP TABLE replay; --", b"' OR '1'='1", b"<img src=x onerror=alert(1)>"),
    *(b"\x00", b"\n", b"\r", b"\r\n", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\x1b[2J", b"\x1b]0;x\x07"),
    *("\u202e".encode(), "\u2028".encode(), "\x85".encode(), "\U0001f3b2".encode()),
    *(b"1" + b"0" * 400, b"-1" + b"0" * 400, b"1" + b"0" * 5000, b"a" * 5000, b"x," * 3000, b"(" * 600),
    *(b"[" * 3000, b"{" * 3000, b'{"a":' * 3000, b"[" * 3000 + b"]" * 3000),
)
"""Pieces that something somewhere once fell over."""

_PIECE: Final = re.compile(rb'"(?:[^"\\\n]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?|[A-Za-z_][A-Za-z_0-9-]*')
"""A text in quotes, a number, or a word, in whatever language."""

Change = Callable[[DrawFn, bytes, Sequence[bytes], Sequence[bytes]], bytes]


def inputs(seeds: Sequence[bytes], words: Sequence[bytes]) -> SearchStrategy[bytes]:
    """Give valid inputs with one to six changes, and now and then bytes of no meaning."""
    return st.one_of(*[_changed(seeds, (*HOSTILE, *words, *words))] * 9, st.binary(max_size=300))


@st.composite
def _changed(draw: DrawFn, seeds: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    text = draw(st.sampled_from(seeds))
    for change in draw(st.lists(st.sampled_from(_CHANGES), min_size=1, max_size=6)):
        text = change(draw, text, words, seeds)
    return text


def _replace(draw: DrawFn, text: bytes, words: Sequence[bytes], seeds: Sequence[bytes]) -> bytes:
    """Put a piece in place of another: a value of another type, a name that is not there."""
    pieces = list(_PIECE.finditer(text))
    if not pieces:
        return text
    piece = pieces[draw(st.integers(0, len(pieces) - 1))]
    return text[: piece.start()] + draw(st.sampled_from(words)) + text[piece.end() :]


def _exchange(draw: DrawFn, text: bytes, words: Sequence[bytes], seeds: Sequence[bytes]) -> bytes:
    """Exchange two pieces, so that each is of a kind that stands there, and in the wrong place."""
    pieces = list(_PIECE.finditer(text))
    if len(pieces) < 2:
        return text
    at = draw(st.integers(0, len(pieces) - 2))
    one, other = pieces[at], pieces[draw(st.integers(at + 1, len(pieces) - 1))]
    between = text[one.end() : other.start()]
    return text[: one.start()] + other[0] + between + one[0] + text[other.end() :]


def _flip(draw: DrawFn, text: bytes, words: Sequence[bytes], seeds: Sequence[bytes]) -> bytes:
    if not text:
        return text
    at = draw(st.integers(0, len(text) - 1))
    return text[:at] + bytes([text[at] ^ draw(st.integers(1, 255))]) + text[at + 1 :]


def _insert(draw: DrawFn, text: bytes, words: Sequence[bytes], seeds: Sequence[bytes]) -> bytes:
    at = draw(st.integers(0, len(text)))
    return text[:at] + draw(st.sampled_from(words)) + text[at:]


def _cut(draw: DrawFn, text: bytes, words: Sequence[bytes], seeds: Sequence[bytes]) -> bytes:
    first, last = sorted([draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))])
    return text[:first] + text[last:]


def _end(draw: DrawFn, text: bytes, words: Sequence[bytes], seeds: Sequence[bytes]) -> bytes:
    return text[: draw(st.integers(0, len(text)))]


def _double(draw: DrawFn, text: bytes, words: Sequence[bytes], seeds: Sequence[bytes]) -> bytes:
    first, last = sorted([draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))])
    return text[:last] + text[first:last] * draw(st.integers(1, 3)) + text[last:]


def _splice(draw: DrawFn, text: bytes, words: Sequence[bytes], seeds: Sequence[bytes]) -> bytes:
    other = draw(st.sampled_from(seeds))
    return text[: draw(st.integers(0, len(text)))] + other[draw(st.integers(0, len(other))) :]


def _lines(draw: DrawFn, text: bytes, words: Sequence[bytes], seeds: Sequence[bytes]) -> bytes:
    """Take a line away, or to another place, or have it twice."""
    lines = text.split(b"\n")
    line = lines[draw(st.integers(0, len(lines) - 1))]
    rest = lines if draw(st.booleans()) else [each for each in lines if each is not line]
    at = draw(st.integers(0, len(rest)))
    return b"\n".join([*rest[:at], *([line] if draw(st.booleans()) else []), *rest[at:]])


_CHANGES: Final[Sequence[Change]] = (
    *[_replace] * 4,
    *[_exchange, _flip] * 2,
    *(_insert, _cut, _end, _double, _splice, _lines),
)
