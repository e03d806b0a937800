"""The one place that hides: what a viewer may see of a state, an event, a list of moves.

What each field may show is declared in its type (`events.marks`). A redacted thing has the type of the thing itself,
with `MASK` where a face is hidden, so whatever draws, describes or compares the real thing does so for a viewer too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias, TypeVar, get_type_hints

from msgspec import Struct
from msgspec.structs import replace

from events.base import Event, Move
from events.errors import SetupError
from events.marks import MASK, Mark, Viewer

StructT = TypeVar("StructT", bound=Struct)
EventT = TypeVar("EventT", bound=Event)

_Hide: TypeAlias = Callable[[Any, Any, Viewer], Any]
"""(the value of a field, the struct it stands in, the viewer) -> what the viewer sees of it."""


def redact(thing: StructT, viewer: Viewer) -> StructT:
    """Give a state (or any marked struct) as `viewer` may see it. The omniscient viewer gets the thing itself."""
    if viewer == "omniscient":
        return thing
    changes = {}
    for name, hide in _plan(type(thing)):
        value = getattr(thing, name)
        shown = hide(value, thing, viewer)
        if shown is not value:
            changes[name] = shown
    return replace(thing, **changes) if changes else thing


def hides(kind: type[Struct]) -> bool:
    """Say whether a type of states or events keeps anything from anybody."""
    return bool(_plan(kind))


def seen(event: EventT, viewer: Viewer) -> EventT | None:
    """Give an event as `viewer` may see it, or None where the viewer never learns that it happened."""
    names = type(event).seen_by
    if names and viewer != "omniscient" and viewer not in [getattr(event, name) for name in names]:
        return None
    return redact(event, viewer)


def moves_of(moves: Sequence[Move], viewer: Viewer) -> Sequence[Move]:
    """Give the moves that `viewer` may see: a seat its own, a spectator none. What a rival may do tells its hand."""
    if viewer == "omniscient":
        return moves
    return [move for move in moves if move.seat == viewer]


def viewer_from(text: str, seats: int) -> Viewer:
    """Give the viewer that a text names: `spectator`, `omniscient` or a seat; raises `SetupError` for another."""
    if text == "spectator":
        return "spectator"
    if text == "omniscient":
        return "omniscient"
    if text.isascii() and text.isdigit() and len(text) < 6 and int(text) < seats:
        return int(text)
    raise SetupError(f"no such viewer: {text!r} (spectator, omniscient or a seat from 0 to {seats - 1})")


@cache
def marks_of(kind: type[Struct]) -> Mapping[str, Mark]:
    """Give the mark of each marked field of a struct type."""
    marks = {}
    for name, hint in get_type_hints(kind, include_extras=True).items():
        for note in getattr(hint, "__metadata__", ()):
            if mark := (getattr(note, "extra", None) or {}).get("mark"):
                marks[name] = mark
    return marks


@cache
def _plan(kind: type[Struct]) -> tuple[tuple[str, _Hide], ...]:
    """Give the fields of a type that a view may have to change, each with how."""
    marks = marks_of(kind)
    hiders: dict[str, _Hide] = {"hidden": _hidden, "own_seat": _own_seat}
    plan: list[tuple[str, _Hide]] = []
    for name, info in zip(kind.__struct_fields__, _types(kind), strict=True):
        mark = marks.get(name)
        if mark is None or mark.kind == "labelled":
            if _holds_structs(info):
                plan.append((name, _inside))
        elif mark.kind == "private":
            plan.append((name, _private(mark.names)))
        elif mark.kind in hiders:
            plan.append((name, hiders[mark.kind]))
    return tuple(plan)


def _types(kind: type[Struct]) -> list[Any]:
    hints = get_type_hints(kind)
    return [hints[name] for name in kind.__struct_fields__]


def _holds_structs(hint: Any) -> bool:
    if isinstance(hint, type) and issubclass(hint, Struct):
        return bool(_plan(hint))
    return any(_holds_structs(part) for part in getattr(hint, "__args__", ()))


def _mask(value: Any) -> Any:
    """Hide faces, keep counts: a tuple of five stays a tuple of five."""
    if type(value) is not tuple:
        return MASK
    return tuple([_mask(item) for item in value]) if tuple in map(type, value) else (MASK,) * len(value)


def _hidden(value: Any, within: Any, viewer: Viewer) -> Any:
    return _mask(value)


def _own_seat(value: Any, within: Any, viewer: Viewer) -> Any:
    return tuple([item if seat == viewer else _mask(item) for seat, item in enumerate(value)])


def _private(names: tuple[str, ...]) -> _Hide:
    def hide(value: Any, within: Any, viewer: Viewer) -> Any:
        return value if viewer in [getattr(within, name) for name in names] else _mask(value)

    return hide


def _inside(value: Any, within: Any, viewer: Viewer) -> Any:
    if isinstance(value, Struct):
        return redact(value, viewer)
    if type(value) is tuple:
        return tuple([_inside(item, within, viewer) for item in value])
    return value
