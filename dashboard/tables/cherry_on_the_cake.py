"""The table of Cherry on the Cake: supplies, score track, and each seat's cake, growing upwards, beside its board.

Stripes are drawn to scale: what overlaps in the picture overlaps in the game. The stripes that the last piece connected
are framed. Each stripe has the sign of its colour, and the cubes, stars and golden cubes printed on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from core.games.cherry_on_the_cake.geometry import lower_edge, upper_edge
from core.games.cherry_on_the_cake.state import BLUE_JARS, METALS, Board, Piece, Plate, Stripe, Table, blue_jars
from core.words import counted, listed
from dashboard.scene import Element, Scene, circle, label, line, on, panel, path, rect, text, touch

WIDTH: Final = 1000
MARGIN: Final = 16
COLUMNS: Final = 2
PANEL: Final = (WIDTH - MARGIN * (COLUMNS + 1)) / COLUMNS
SUPPLY_TOP: Final = 56
TRACK_TOP: Final = 116
SEATS_TOP: Final = 176
SEAT_HEIGHT: Final = 350
LAYER: Final = 30
CAKE: Final = 220
"""Width of a cake; pieces above the boards are as wide less a little."""
SIDE: Final = 264
"""Where, in a panel, what lies beside the cake begins."""
LAP: Final = 20

# A colour, a sign and a name each: colour alone tells nobody anything.
LOOKS: Final = {
    "green": ("#4d9a4a", "▲"),
    "purple": ("#7d55ad", "◆"),
    "orange": ("#ee8a2e", "●"),
    "pink": ("#ee8fb5", "♥"),
    "blue": ("#3d78c2", "■"),
    "golden": ("#f0cf5a", "✚"),
}
METAL: Final = {"bronze": "#b97a48", "silver": "#bfc7cd", "gold": "#e6bd3c"}
DOUGH: Final = "#ecd6ab"
CHINA: Final = "#d9e2e8"
DEEP: Final = "#5b4326"

_drawn_once: Final = lru_cache(maxsize=8192)
"""What is drawn alike in hundreds of steps is drawn once."""


def picture(view: Table, names: Sequence[str]) -> Scene:
    """Give the table as its viewer sees it: `view` is redacted, and what it hides is drawn as face down."""
    height = SEATS_TOP + -(-len(names) // COLUMNS) * (SEAT_HEIGHT + MARGIN)
    groups: dict[str, tuple[Element, ...]] = {
        "felt": (rect(0, 0, WIDTH, height, "felt", radius=16),),
        "status": tuple(_status(view, names)),
        "supply": tuple(_supply(view)),
        "chips": tuple(_stock(view)),
        "die": (label(WIDTH - 32, SUPPLY_TOP + 50, _die(view), 240, size=13, anchor="end"),),
        "track": tuple(_track(view)),
    }
    for board in view.boards:
        x = MARGIN + board.seat % COLUMNS * (PANEL + MARGIN)
        y = SEATS_TOP + board.seat // COLUMNS * (SEAT_HEIGHT + MARGIN)
        groups |= _place(view, board, names[board.seat], x, y)
    return Scene(WIDTH, height, _description(view, names), groups)


# --- the middle of the table -----------------------------------------------------------------------------------------


def _status(view: Table, names: Sequence[str]) -> Iterator[Element]:
    yield label(32, 36, _phase(view, names), 700, size=19, bold=True)
    if view.round:
        when = f"Round {view.round} of {view.options.pieces}" + (f" · turn {view.turn}" if view.turn else "")
        yield text(WIDTH - 32, 36, when, "muted", size=14, anchor="end")


def _phase(view: Table, names: Sequence[str]) -> str:
    if view.outcome is not None:
        winners = view.outcome.ranking[0]
        shared = "wins" if len(winners) == 1 else "share the win"
        return f"{listed([names[seat] for seat in winners])} {shared} with {view.outcome.scores[winners[0]]}"
    if view.phase == "choose":
        waiting = [names[board.seat] for board in view.boards if not board.chosen]
        return f"{listed(waiting)} {'chooses' if len(waiting) == 1 else 'choose'} a piece"
    if view.phase in ("reveal", "next_turn") and view.seat < 0:
        return "All have chosen"
    if view.seat < 0:
        return "The chips are turned up" if view.phase == "score" else "The table is set"
    name = names[view.seat]
    doing = {
        "start_cubes": "places the start cubes",
        "distribute": "distributes cubes and empties jars",
        "chip": "takes a chip",
        "exchange": "may take a cube for those given back",
        "roll": "may roll the die",
        "rolling": "rolls the die",
        "amount": "chooses how many",
        "die_cubes": "places a cube for the die",
        "die_golden": "places a golden cube for the die",
        "consolation": "is consoled",
        "golden": f"has {view.in_hand} golden cube{'' if view.in_hand == 1 else 's'} in hand",
    }
    return f"{name} {doing.get(view.phase, 'has the turn')}"


def _supply(view: Table) -> Iterator[Element]:
    yield text(32, SUPPLY_TOP + 12, "Supply", "muted", size=13)
    counts = [*zip(view.sheet.colours, view.supply, strict=False), ("golden", view.golden)]
    for place, (colour, count) in enumerate(counts if view.supply else []):
        x = 32 + place * 66.0
        yield from _cube(colour, x, SUPPLY_TOP + 22, 24)
        yield text(x + 30, SUPPLY_TOP + 40, f"{count}", size=15, bold=True)
        yield from touch(x - 4, SUPPLY_TOP + 18, 60, 32, f"colour={colour}")


def _stock(view: Table) -> Iterator[Element]:
    yield text(460, SUPPLY_TOP + 12, "Chips", "muted", size=13)
    for place, (metal, values) in enumerate(zip(METALS, (view.bronze, view.silver, view.gold), strict=True)):
        x = 460 + place * 92.0
        yield from _chip(metal, "", x + 11, SUPPLY_TOP + 34, 11)
        yield text(x + 26, SUPPLY_TOP + 38, f"{len(values)} {metal}", size=12)
    if "reconstructed" in [view.sheet.provenance.get(name) for name in ("pieces", "plates", "bronze")]:
        note = "Faces of pieces and values of chips: reconstructed"
        yield label(WIDTH - 32, SUPPLY_TOP + 12, note, 400, "muted", size=12, anchor="end")
    yield text(WIDTH - 32, SUPPLY_TOP + 30, "▪ cube   ★ star   ✚ golden cube", "muted", size=12, anchor="end")


def _die(view: Table) -> str:
    return f"Last roll: {view.face.replace('_', ' ')}" if view.face else ""


def _track(view: Table) -> Iterator[Element]:
    """A loop of twenty spaces, unrolled; a marker that has gone round says how far (CC-56)."""
    pitch = (WIDTH - 64) / LAP
    for space in range(LAP):
        yield rect(32 + space * pitch, TRACK_TOP + 4, pitch - 3, 40, "panel", radius=6)
        yield text(32 + space * pitch + 5, TRACK_TOP + 16, f"{space}", "muted", size=10)
    for space in range(LAP):
        here = [board for board in view.boards if board.track % LAP == space]
        for place, board in enumerate(here):
            step = min(15.0, (pitch - 22) / max(len(here) - 1, 1))
            x = 32 + space * pitch + 13 + place * step
            yield circle(x, TRACK_TOP + 30, 10, "back")
            yield text(x, TRACK_TOP + 34, f"{board.seat + 1}", size=12, anchor="middle", bold=True, fill="#ffffff")
            if board.track >= LAP:
                lap = f"+{board.track // LAP * LAP}"
                yield text(x, TRACK_TOP + 16, lap, size=9, anchor="middle", bold=True)


# --- a seat ----------------------------------------------------------------------------------------------------------


def _place(view: Table, board: Board, name: str, x: float, y: float) -> dict[str, tuple[Element, ...]]:
    """A seat's panel: the cake at the left, pieces, jars and chips at the right."""
    seat, side = board.seat, x + SIDE
    active = seat == view.seat and view.outcome is None
    choosing = view.phase == "choose" and not board.chosen
    note = _note(view, board)
    return {
        f"seat-{seat}": panel(x, y, PANEL, SEAT_HEIGHT, f"{seat + 1}  {name}", note=note, active=active or choosing),
        f"cake-{seat}": tuple(_cake(view, board, x + 14, y + SEAT_HEIGHT - 14)),
        f"shown-{seat}": tuple(_shown(view, board, side, y + 52)),
        f"jars-{seat}": tuple(_jars(view, board, side, y + 146)),
        f"chips-{seat}": tuple(_own_chips(board, side, y + 252)),
        f"cubes-{seat}": tuple(_waiting(view, side, y + SEAT_HEIGHT - 14)) if seat == view.seat else (),
    }


def _note(view: Table, board: Board) -> str:
    if view.outcome is not None:
        score = f"{view.outcome.scores[board.seat]} points"
        return f"{score} · wins" if board.seat in view.outcome.ranking[0] else score
    if board.chosen:
        return f"track {board.track} · has chosen"
    return f"track {board.track}"


def _cake(view: Table, board: Board, x: float, bottom: float) -> Iterator[Element]:
    """The plate and the pieces on it, bottom upwards; the next place is a dashed outline."""
    unit = CAKE / view.sheet.width
    lit = view.connected if board.seat == view.seat else ()
    if board.plate >= 0:
        yield from _plate(view.sheet.plates[board.plate], unit, x, bottom - LAYER)
        top = bottom - LAYER
        for piece, rotation in board.cake:
            top -= LAYER
            yield from _piece(view.sheet.pieces[piece], rotation, view.sheet.width, unit, x, top, LAYER)
            yield text(x + CAKE + 5, top + LAYER / 2 + 4, f"{piece + 1}", "muted", size=10)
        for layer, index in lit:
            yield _frame(view, board, layer, index, unit, x, bottom - LAYER * (layer + 1))
        if len(board.cake) < view.options.pieces:
            yield rect(x, top - LAYER + 3, CAKE, LAYER - 6, "slot", radius=4)


@_drawn_once
def _plate(plate: Plate, unit: float, x: float, y: float) -> tuple[Element, ...]:
    """A plate has a top edge only: its stripes end on it."""
    middle = y + LAYER - 8
    parts: list[Element] = [
        rect(x - 5, middle - 2, CAKE + 10, 9, radius=4.5, fill=CHINA),
        rect(x, y, CAKE, LAYER - 8, radius=2, fill=DOUGH),
    ]
    for stripe in plate.stripes:
        left, right = x + stripe.top[0] * unit, x + stripe.top[1] * unit
        parts.append(rect(left, y, right - left, LAYER - 8, fill=LOOKS[stripe.colour][0]))
        parts += _symbols(stripe, (left + right) / 2, y + 10, y + 20)
    return tuple(parts)


@_drawn_once
def _piece(
    piece: Piece, rotation: int, width: int, unit: float, x: float, y: float, height: float
) -> tuple[Element, ...]:
    """A piece as it lies: its stripes run from where they meet its lower edge to where they meet its upper one."""
    parts: list[Element] = [rect(x, y, width * unit, height, fill=DOUGH)]
    for stripe in piece.stripes:
        low, high = lower_edge(stripe, rotation, width), upper_edge(stripe, rotation, width)
        colour = LOOKS[stripe.colour][0]
        parts.append(path(_outline(low, high, unit, x, y, height), fill=colour))
        middle = x + (sum(low) + sum(high)) * unit / 4
        parts += _symbols(stripe, middle, y + height * 0.43, y + height * 0.86)
    parts.append(line(x, y, x + width * unit, y))
    return tuple(parts)


def _outline(low: tuple[int, int], high: tuple[int, int], unit: float, x: float, y: float, height: float) -> str:
    corners = [(low[0], y + height), (high[0], y), (high[1], y), (low[1], y + height)]
    return "M" + "L".join([f"{x + at * unit:.1f} {level:.1f}" for at, level in corners]) + "Z"


def _symbols(stripe: Stripe, middle: float, first: float, second: float) -> list[Element]:
    """The sign of the stripe's colour, and below it what is printed on it: cubes, stars, golden cubes."""
    ink = on(LOOKS[stripe.colour][0])
    printed = "▪" * stripe.cubes + "★" * stripe.stars + "✚" * stripe.golden
    parts = [text(middle, first, LOOKS[stripe.colour][1], size=10, anchor="middle", fill=ink)]
    if printed:
        parts.append(text(middle, second, printed, size=11, anchor="middle", bold=True, fill=ink))
    return parts


def _frame(view: Table, board: Board, layer: int, index: int, unit: float, x: float, y: float) -> Element:
    """The frame round a connected stripe."""
    if layer == 0:
        low = high = view.sheet.plates[board.plate].stripes[index].top
        return path(_outline(low, high, unit, x, y, LAYER - 8), "mark")
    piece, rotation = board.cake[layer - 1]
    stripe, width = view.sheet.pieces[piece].stripes[index], view.sheet.width
    low, high = lower_edge(stripe, rotation, width), upper_edge(stripe, rotation, width)
    return path(_outline(low, high, unit, x, y, LAYER), "mark")


def _shown(view: Table, board: Board, x: float, y: float) -> Iterator[Element]:
    """Pieces above the board, a chosen one framed and turned as it will lie; and how many lie in the pile."""
    unit = (CAKE - 36) / view.sheet.width
    yield text(x, y, f"Face up · {len(board.pile)} in the pile", "muted", size=12)
    chosen, rotation = view.choices[board.seat] if view.choices else board.chosen or (-1, 0)
    for place, piece in enumerate(board.shown):
        top = y + 10 + place * (LAYER + 8)
        lies = rotation if piece == chosen else 0
        yield from _piece(view.sheet.pieces[piece], lies, view.sheet.width, unit, x, top, LAYER)
        yield text(x + CAKE - 30, top + 19, f"{piece + 1}", "muted", size=11)
        if piece == chosen:
            yield rect(x - 3, top - 3, CAKE - 30, LAYER + 6, "mark", radius=5)
        yield from touch(x - 3, top - 3, CAKE - 30, LAYER + 6, f"seat={board.seat};piece={piece}")


def _jars(view: Table, board: Board, x: float, y: float) -> Iterator[Element]:
    """The blue jars with their places and what they pay, and the exchange jar."""
    for row, (jar, cubes, most) in enumerate(blue_jars(view.sheet, board)):
        level = y + row * 25
        yield text(x, level + 15, jar.capitalize(), size=12)
        for place in range(most):
            if place < len(cubes):
                yield from _cube(cubes[place], x + 56 + place * 23, level, 20)
            else:
                yield rect(x + 56 + place * 23, level, 20, 20, "slot", radius=4)
        yield from _chip(view.sheet.pays[BLUE_JARS.index(jar)], "", x + 188, level + 10, 8)
        yield from touch(x - 4, level - 2, 206, 24, f"seat={board.seat};jar={jar}")
    level = y + 3 * 25
    yield text(x, level + 15, "Exchange", size=11)
    step = min(23.0, 100 / max(len(board.exchange), 1))
    for place, cube in enumerate(board.exchange):
        yield from _cube(cube, x + 56 + place * step, level, 20)
    yield text(x + 197, level + 15, f"{view.sheet.exchange_rate}:1", "muted", size=12, anchor="end")
    ways = [f"seat={board.seat};{what}" for what in ("jar=exchange", "type=cubes_returned")]
    yield from touch(x - 4, level - 2, 206, 24, *ways)


def _own_chips(board: Board, x: float, y: float) -> Iterator[Element]:
    """A row of chips a metal; a value that the viewer may not see is a question mark."""
    shown = board.turned_up or (board.bronze, board.silver, board.gold)
    for row, (metal, values) in enumerate(zip(METALS, shown, strict=True)):
        level = y + row * 22
        yield text(x, level + 14, metal.capitalize(), size=12)
        step = min(21.0, 120 / max(len(values) - 1, 1))
        for place, value in enumerate(values):
            yield from _chip(metal, str(value), x + 66 + place * step, level + 9, 9.5)


def _waiting(view: Table, x: float, y: float) -> Iterator[Element]:
    """Cubes beside the board: received and not yet placed, or golden ones at the end."""
    cubes: list[str] = [*view.waiting, *["golden"] * view.in_hand]
    if cubes:
        yield text(x, y - 2, "To place", size=12, bold=True)
        step = min(19.0, 140 / max(len(cubes), 1))
        for place, cube in enumerate(cubes):
            yield from _cube(cube, x + 58 + place * step, y - 15, 17)
            way = f"colour={cube}" if cube != "golden" else "type=golden_cube_placed"
            yield from touch(x + 58 + place * step, y - 15, 17, 17, f"seat={view.seat};{way}")


@_drawn_once
def _cube(colour: str, x: float, y: float, size: float) -> tuple[Element, ...]:
    fill, sign = LOOKS[colour]
    middle = x + size / 2
    return (
        rect(x + 1, y + 1.5, size, size, "shade", radius=size / 5),
        rect(x, y, size, size, radius=size / 5, fill=fill),
        text(middle, y + size * 0.72, sign, size=size * 0.6, anchor="middle", fill=on(fill)),
    )


@_drawn_once
def _chip(metal: str, value: str, x: float, y: float, radius: float) -> tuple[Element, ...]:
    """A chip, with its value where the viewer sees it; without one, the first letter of its metal."""
    words = value or metal[0].upper()
    fill = METAL[metal]
    return (
        circle(x + 0.7, y + 1, radius, "shade"),
        circle(x, y, radius, fill=fill),
        text(x, y + radius * 0.42, words, size=radius * 1.2, anchor="middle", bold=True, fill=on(fill)),
    )


# --- in words --------------------------------------------------------------------------------------------------------


def _description(view: Table, names: Sequence[str]) -> str:
    seats = []
    for board in view.boards:
        jars = [f"{jar} jar {counted(cubes)}" for jar, cubes, _ in blue_jars(view.sheet, board)]
        chips = sum([len(values) for values in board.turned_up or (board.bronze, board.silver, board.gold)])
        seats.append(
            f"{names[board.seat]}: {board.track} on the track, cake of {len(board.cake)} pieces, {', '.join(jars)}, "
            f"exchange jar {counted(board.exchange)}, {chips} chips"
        )
    lit = [f"{len(view.connected)} stripes connected"] if view.connected else []
    received = [f"{counted(view.waiting)} to place"] if view.waiting else []
    return ". ".join([_phase(view, names), *lit, *received, *seats])
