"""A picture of any state of any game, from its paths alone: what a new game has on its first day.

A field with something for each seat (`hands[0]`, `hands[1]`, ...) is shown in the seats' panels, all others on the
table; a field called `seat` says whose turn it is. Values that lie together are chips, hidden ones face down.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, TypeAlias

from core.game import State
from core.paths import Leaf, Scalar, flatten
from dashboard.scene import Element, Scene, label, panel, rect, text
from events.marks import MASK

WIDTH: Final = 1000
MARGIN: Final = 16
ROW: Final = 30
TITLE: Final = 44
TABLE_ROWS: Final = 6
SEAT_ROWS: Final = 5
NAME_WIDTH: Final = 92
LETTER: Final = 8.0
"""About the width of a letter of a chip."""

_Leaves: TypeAlias = list[tuple[str, Leaf]]
"""(what is left of the path, value) of the leaves of one row."""

_seated = re.compile(r"\[(\d+)\]\.?(.*)")


def picture(view: State, names: Sequence[str]) -> Scene:
    """Give the table as panels: one for what is common, one for each seat."""
    common, seated = _sorted(view, len(names))
    columns = 2 if len(names) < 5 else 3
    width = (WIDTH - MARGIN * (columns + 1)) / columns
    table_height = TITLE + ROW * TABLE_ROWS + 8
    seat_height = TITLE + ROW * SEAT_ROWS + 8
    lines = -(-len(names) // columns)
    height = MARGIN + table_height + lines * (MARGIN + seat_height) + MARGIN
    active = getattr(view, "seat", None)

    groups: dict[str, tuple[Element, ...]] = {
        "felt": (rect(0, 0, WIDTH, height, "felt", radius=16),),
        "table": panel(MARGIN, MARGIN, WIDTH - 2 * MARGIN, table_height, "Table"),
    }
    half = (WIDTH - 2 * MARGIN) / 2
    rows = list(common.items())
    groups |= _rows("", rows[:TABLE_ROWS], MARGIN, MARGIN, half, TABLE_ROWS)
    groups |= _rows("", rows[TABLE_ROWS:], MARGIN + half, MARGIN, half, TABLE_ROWS)
    for seat, name in enumerate(names):
        x = MARGIN + (seat % columns) * (width + MARGIN)
        y = 2 * MARGIN + table_height + (seat // columns) * (seat_height + MARGIN)
        groups[f"seat-{seat}"] = panel(x, y, width, seat_height, name, active=seat == active)
        groups |= _rows(f"seat-{seat} ", list(seated[seat].items()), x, y, width, SEAT_ROWS)
    return Scene(WIDTH, height, _description(common, seated, names), groups)


def _sorted(view: State, seats: int) -> tuple[dict[str, _Leaves], list[dict[str, _Leaves]]]:
    """Give the rows of the table and of each seat, by name, in the order of the state's fields."""
    fields: dict[str, _Leaves] = {}
    for path, value in flatten(view).items():
        name = re.split(r"[.\[]", path, maxsplit=1)[0]
        fields.setdefault(name, []).append((path.removeprefix(name), value))
    common: dict[str, _Leaves] = {}
    seated: list[dict[str, _Leaves]] = [{} for _ in range(seats)]
    for name, leaves in fields.items():
        matches = [_seated.fullmatch(rest) for rest, _ in leaves]
        places = [int(match[1]) for match in matches if match]
        if len(places) < len(leaves) or sorted(dict.fromkeys(places)) != list(range(seats)):
            common[name] = [(rest.lstrip("."), value) for rest, value in leaves]
            continue
        for match, (_, value) in zip(matches, leaves, strict=True):
            if match:
                row, _, rest = match[2].partition(".")
                seated[int(match[1])].setdefault(row or name, []).append((rest, value))
    return _present(common), [_present(rows) for rows in seated]


def _present(rows: dict[str, _Leaves]) -> dict[str, _Leaves]:
    """Leave out what is not there yet."""
    return {name: leaves for name, leaves in rows.items() if any(value is not None for _, value in leaves)}


def _rows(
    prefix: str, rows: Sequence[tuple[str, _Leaves]], x: float, y: float, width: float, most: int
) -> dict[str, tuple[Element, ...]]:
    """Draw rows below a panel's title, each a group of its own; where lines run out, the last says what is missing."""
    groups: dict[str, tuple[Element, ...]] = {}
    line = 0
    for number, (name, leaves) in enumerate(rows):
        left = len(rows) - number
        if line >= most - (left > 1):
            words = f"and {left} more: see the state"
            groups[f"{prefix}more"] = (text(x + 14, y + TITLE + ROW * line + 17, words, "muted", size=13),)
            break
        room = most - line - (left > 1)
        parts, used = _row(name, leaves, x + 14, y + TITLE + ROW * line, width - 28, room)
        groups[prefix + name] = parts
        line += used
    return groups


def _row(name: str, leaves: _Leaves, x: float, y: float, width: float, most: int) -> tuple[tuple[Element, ...], int]:
    """Draw a row's name and its chips, over at most `most` lines; give the elements and how many lines they take."""
    start = x + NAME_WIDTH
    end = x + width
    parts = [label(x, y + 17, name.replace("_", " "), NAME_WIDTH - 8, "muted", size=13)]
    at, line = start, 0
    for words, hidden in _chips(leaves):
        size = min(LETTER * len(words) + (26 if hidden else 16), end - start)
        if at + size > end and at > start:
            at, line = start, line + 1
        if line == most:
            parts.append(text(end, y + ROW * (line - 1) + 17, "…", "muted", size=13, anchor="end"))
            break
        parts += _chip(words, hidden, at, y + ROW * line, size)
        at += size + 6
    if at == start:
        parts.append(text(start, y + 17, "none", "muted", size=13))
    return tuple(parts), min(line + 1, most)


def _chip(words: str, hidden: bool, x: float, y: float, width: float) -> Iterator[Element]:
    if hidden:
        yield rect(x, y, 17, 24, "back", radius=3)
        yield rect(x + 3, y + 3, 11, 18, "weave", radius=2)
        yield text(x + 22, y + 17, words, size=13)
    else:
        yield rect(x, y, width, 24, "card", radius=6)
        yield label(x + width / 2, y + 17, words, width - 8, size=13, anchor="middle")


def _chips(leaves: _Leaves) -> Iterator[tuple[str, bool]]:
    """Give what stands on each chip of a row, and whether it is face down."""
    for rest, value in leaves:
        name = f"{rest.replace('_', ' ').strip()} " if rest else ""
        if isinstance(value, tuple):
            for words in runs(value):
                item, _, count = words.partition(" × ")
                yield (f"{name}× {count or 1}", True) if item == MASK else (f"{name}{words}", False)
        elif value is not None:
            yield f"{name}{value}", value == MASK


def runs(values: tuple[Scalar, ...]) -> Iterator[str]:
    """Give the items of a tuple as words; equal neighbours, but not numbers, as one: `green × 2`."""
    for item, run in groupby(values):
        count = len(list(run))
        if isinstance(item, int):
            yield from [str(item)] * count
        else:
            yield f"{item} × {count}" if count > 1 else f"{item}"


def _description(common: dict[str, _Leaves], seated: Sequence[dict[str, _Leaves]], names: Sequence[str]) -> str:
    parts = [f"Table: {_listed(common)}"]
    parts += [f"{name}: {_listed(rows)}" for name, rows in zip(names, seated, strict=True) if rows]
    return ". ".join(parts)


def _listed(rows: dict[str, _Leaves]) -> str:
    return "; ".join([f"{name.replace('_', ' ')} {_said(leaves)}" for name, leaves in rows.items()])


def _said(leaves: _Leaves) -> str:
    return ", ".join([f"hidden {words}" if hidden else words for words, hidden in _chips(leaves)]) or "none"
