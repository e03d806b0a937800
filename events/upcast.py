"""Old event shapes made new: functions from the fields of an event to the fields of the next version of it.

A game lists its upcasters in order: number i turns shapes version i+1 into i+2. What is stored is never rewritten;
upcasting happens on the one read path, and what comes out must decode like any other event.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import msgspec

Upcaster: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]


def upcast(raw: bytes, shapes: int, upcasters: Sequence[Upcaster]) -> bytes:
    """Give an event of version `shapes` in today's shape; raises `msgspec.DecodeError` if it is not JSON.

    >>> upcast(b'{"type":"x","who":1}', 1, [lambda old: {"type": "x", "seat": old["who"]}])
    b'{"type":"x","seat":1}'
    """
    if shapes > len(upcasters):
        return raw
    fields = msgspec.json.decode(raw, type=dict[str, Any])
    for step in upcasters[shapes - 1 :]:
        fields = step(fields)
    return msgspec.json.encode(fields)
