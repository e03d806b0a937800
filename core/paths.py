"""States as flat paths, so that any state can be listed, searched and compared.

    hands[0]          ("green", "green", "blue")      a tuple of plain values is one value
    bins.orange       4                               positions with names are named (`events.marks.labelled`)
    outcome.scores    (7, 12)

Redact first, then flatten: a path of a redacted state shows what its viewer may see and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from core.redact import marks_of

Scalar: TypeAlias = str | int | None
Leaf: TypeAlias = Scalar | tuple[Scalar, ...]
Paths: TypeAlias = Mapping[str, Leaf]

Change: TypeAlias = tuple[str, Leaf, Leaf]
"""(path, value before, value after); None for a value that is not there."""


def flatten(state: Struct) -> dict[str, Leaf]:
    """Give every value of a state by its path, in the order of its fields. The box it is played with is left out."""
    return dict(_struct(state, ""))


def diff(before: Paths, after: Paths) -> list[Change]:
    """Give what differs between two flattened states, in the order of the paths of `after`, then what is gone."""
    changed: list[Change] = [
        (path, before.get(path), value) for path, value in after.items() if before.get(path) != value
    ]
    return changed + [(path, value, None) for path, value in before.items() if path not in after and value is not None]


def _struct(value: Struct, prefix: str) -> Iterator[tuple[str, Leaf]]:
    marks = marks_of(type(value))
    for name in value.__struct_fields__:
        mark = marks.get(name)
        if mark is not None and mark.kind == "components":
            continue
        names = labels(value, mark.names) if mark is not None and mark.kind == "labelled" else None
        yield from _any(getattr(value, name), prefix + name, names)


def _any(value: Any, path: str, labels: tuple[str, ...] | None) -> Iterator[tuple[str, Leaf]]:
    if isinstance(value, Struct):
        yield from _struct(value, path + ".")
    elif type(value) is tuple and labels is not None:
        for label, item in zip(labels, value, strict=False):
            yield from _any(item, f"{path}.{label}", None)
    elif type(value) is tuple and any(isinstance(item, Struct | tuple) for item in value):
        for index, item in enumerate(value):
            yield from _any(item, f"{path}[{index}]", None)
    else:
        yield path, value


def labels(value: Any, path: tuple[str, ...]) -> tuple[str, ...]:
    """Give the names of a tuple's positions, found along a path from the struct it stands in (`labelled`)."""
    for name in path:
        value = getattr(value, name)
    return tuple([str(label) for label in value])
