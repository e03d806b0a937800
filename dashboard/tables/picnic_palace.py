"""The table of Picnic Palace: deck, rows, what guests are worth, and the invitations and columns of each seat.

A row is drawn from its right end, where its last face-down card stays until it is flipped: places that were emptied are
at the left, and a card that a Pickle took lets those left of it close up (YW-20, YW-21).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from core.games.picnic_palace.scoring import round_points
from core.games.picnic_palace.state import PicnicSheet, Table, for_seats, totals
from core.games.picnic_palace.words import named
from core.words import counted, listed
from dashboard.scene import Element, Scene, card, card_back, label, on, panel, path, pile, rect, text, touch
from events.marks import MASK
from events.picnic_palace import KINDS

WIDTH: Final = 1000
MARGIN: Final = 16
ROWS_TOP: Final = 58
ROWS_LEFT: Final = 186
ROW_HEIGHT: Final = 96
LEGEND_HEIGHT: Final = 94
SEAT_HEIGHT: Final = 232

# A colour, a sign and a short name each: colour alone tells nobody anything.
LOOKS: Final = {
    "sassy": ("#d64f86", "◆", "Sassy"),
    "kyle_kiwi": ("#8fb53c", "◉", "Kiwi"),
    "baron_von_bacon": ("#a33b3b", "≈", "Bacon"),
    "sunny": ("#f3cf45", "✶", "Sunny"),
    "cheezey_pie": ("#e8862e", "▲", "Pie"),
    "flaco_taco": ("#cfae70", "◐", "Taco"),
    "franky": ("#c9604a", "▬", "Franky"),
    "bunford_burger": ("#7a5233", "≡", "Burger"),
    "sprinkles": ("#6b5bc2", "✱", "Sprinkles"),
    "pauly_pickle": ("#2e7d4f", "●", "Pickle"),
}

_drawn_once: Final = lru_cache(maxsize=4096)
"""What is drawn alike in hundreds of steps is drawn once."""


def picture(view: Table, names: Sequence[str]) -> Scene:
    """Give the table as its viewer sees it: `view` is redacted, and cards without a face lie face down."""
    columns = 2 if len(names) in (2, 4) else 3
    legend_top = ROWS_TOP + view.sheet.rows * ROW_HEIGHT
    seats_top = legend_top + LEGEND_HEIGHT
    height = seats_top + -(-len(names) // columns) * (SEAT_HEIGHT + MARGIN)
    groups: dict[str, tuple[Element, ...]] = {
        "felt": (rect(0, 0, WIDTH, height, "felt", radius=16),),
        "status": tuple(_status(view, names)),
        "deck": _deck(len(view.deck)),
        "out": _out(view.discarded[-1] if view.discarded else None, len(view.discarded), len(view.unseen)),
    }
    for row, (face_up, face_down) in enumerate(zip(view.face_up, view.face_down, strict=True)):
        length = for_seats(view, view.sheet.row_length)
        groups[f"row-{row}"] = _row(row, face_up + face_down, len(face_up), length, row == view.row)
    groups["worth"] = tuple(_worth(view.sheet, legend_top))
    width = (WIDTH - MARGIN * (columns + 1)) / columns
    for seat in range(view.seats):
        x = MARGIN + seat % columns * (width + MARGIN)
        y = seats_top + seat // columns * (SEAT_HEIGHT + MARGIN)
        groups |= _place(view, seat, names[seat], x, y, width)
    return Scene(WIDTH, height, _description(view, names), groups)


# --- the middle of the table -----------------------------------------------------------------------------------------


def _status(view: Table, names: Sequence[str]) -> Iterator[Element]:
    yield label(32, 36, _phase(view, names), 620, size=19, bold=True)
    if view.round:
        when = f"Round {view.round} of {view.sheet.rounds}" + (f" · turn {view.turn}" if view.turn else "")
        yield text(WIDTH - 32, 36, when, "muted", size=14, anchor="end")


def _phase(view: Table, names: Sequence[str]) -> str:
    if view.outcome is not None:
        winners = view.outcome.ranking[0]
        shared = "wins" if len(winners) == 1 else "share the win"
        return f"{listed([names[seat] for seat in winners])} {shared} with {view.outcome.scores[winners[0]]}"
    match view.phase:
        case "act":
            return f"{names[view.seat]} has the turn"
        case "show":
            return f"{names[view.seat]} flips a card"
        case "flip_again":
            return f"{names[view.seat]} flips a second card"
        case "clear" | "score":
            return "All invitations are used: the round is over"
        case "sprinkles" | "rank":
            return "Sprinkles are scored"
        case "turn" | "first_turn":
            return "The next turn begins"
    return "The table is set"


@_drawn_once
def _deck(count: int) -> tuple[Element, ...]:
    return (text(32, ROWS_TOP + 14, "Deck", "muted", size=13), *pile(32, ROWS_TOP + 24, count))


@_drawn_once
def _out(top: str | None, seen: int, unseen: int) -> tuple[Element, ...]:
    y = ROWS_TOP + 144
    words = f"{unseen} of them unseen" if unseen else ""
    face = None if top is None else _face(top, 32, y + 10, 60)
    return (
        text(32, y, "Out of the game", "muted", size=13),
        *pile(32, y + 10, seen + unseen, face),
        label(32, y + 116, words, 140, "muted", size=13),
    )


@_drawn_once
def _row(row: int, cards: tuple[str, ...], face_up: int, length: int, flipping: bool) -> tuple[Element, ...]:
    """A row, its emptied places dashed at the left; the card about to be flipped is framed.

    Who may see everything sees of a face-down card its back, and on it what it is.
    """
    y = ROWS_TOP + row * ROW_HEIGHT
    pitch = min(66.0, (WIDTH - MARGIN - ROWS_LEFT) / max(length, 1))
    size = min(60.0, pitch - 5)
    emptied = length - len(cards)
    parts: list[Element] = [text(ROWS_LEFT - 12, y + 46, f"{row + 1}", "muted", size=16, anchor="end", bold=True)]
    for place in range(emptied):
        parts.append(rect(ROWS_LEFT + place * pitch, y, size, size * 1.4, "slot", radius=8))
    for place, kind in enumerate(cards):
        x = ROWS_LEFT + (emptied + place) * pitch
        if place < face_up:
            ways = [f"type=row_taken;row={row}", f"type=pickle_used;row={row};position={place}"]
            parts += (*_face(kind, x, y, size), *touch(x, y, size, size * 1.4, *ways))
        else:
            parts += (*_face_down(kind, x, y, size), *touch(x, y, size, size * 1.4, f"type=flip_chosen;row={row}"))
        if flipping and place == face_up:
            parts.append(rect(x - 3, y - 3, size + 6, size * 1.4 + 6, "mark", radius=10))
    return tuple(parts)


def _face(kind: str, x: float, y: float, width: float) -> tuple[Element, ...]:
    colour, sign, short = LOOKS[kind]
    name = text(x + width / 2, y + width * 1.29, short, size=width / 6, anchor="middle")
    return (*card(x, y, "", colour=colour, glyph=sign, width=width, height=width * 1.4), name)


def _face_down(kind: str, x: float, y: float, width: float) -> tuple[Element, ...]:
    back = card_back(x, y, width=width, height=width * 1.4)
    if kind == MASK:
        return back
    colour, sign, _ = LOOKS[kind]
    middle, centre = x + width / 2, y + width * 0.7
    return (
        *back,
        rect(middle - width / 4, centre - width / 4, width / 2, width / 2, radius=width / 12, fill=colour),
        text(middle, centre + width / 10, sign, size=width * 0.3, anchor="middle", bold=True, fill=on(colour)),
    )


def _worth(sheet: PicnicSheet, y: float) -> Iterator[Element]:
    """What guests are worth, and how many there are of each kind: said to be reconstructed where it is (YW-01)."""
    counts = f"how many there are ({sheet.provenance.get('copies', 'unknown')})"
    yield text(32, y + 12, f"What 1, 2, 3 ... of a kind are worth in a round, and {counts}", "muted", size=13)
    pitch = (WIDTH - 2 * MARGIN) / len(KINDS)
    for place, kind in enumerate(KINDS):
        colour, sign, short = LOOKS[kind]
        x = MARGIN + place * pitch
        yield rect(x, y + 20, pitch - 6, 62, "panel", radius=8)
        yield rect(x + 6, y + 26, 18, 18, radius=4, fill=colour)
        yield text(x + 15, y + 40, sign, size=12, anchor="middle", bold=True, fill=on(colour))
        yield text(x + 29, y + 39, short, size=10.5, bold=True)
        yield label(x + 7, y + 58, _values(sheet, kind), pitch - 8, size=11)
        yield text(x + 7, y + 74, f"{sheet.copies.get(kind, 0)} cards", "muted", size=11)


def _values(sheet: PicnicSheet, kind: str) -> str:
    for name, values in sheet.sets.items():
        if name == kind:
            return " ".join(map(str, values))
    for name, each in sheet.each.items():
        if name == kind:
            return f"{each} each"
    return f"most: {sheet.most_sprinkles}" if kind == "sprinkles" else "for a card"


# --- a seat ----------------------------------------------------------------------------------------------------------


def _place(view: Table, seat: int, name: str, x: float, y: float, width: float) -> dict[str, tuple[Element, ...]]:
    """A seat's panel, its invitations and scores, and what it has collected, in a column a kind."""
    all_of_them = for_seats(view, view.sheet.invitations)
    active = seat == view.seat and view.phase in ("act", "show", "flip_again")
    return {
        f"seat-{seat}": panel(x, y, width, SEAT_HEIGHT, name, note=_note(view, seat), active=active),
        f"invitations-{seat}": _invitations(
            x + 14, y + 36, view.invitations[seat], all_of_them, view.round > 0, f"seat={seat};type=invitation_wasted"
        ),
        f"score-{seat}": (
            label(x + width - 14, y + 51, _scored(view, seat), width - 28 - 32 * all_of_them, size=12, anchor="end"),
        ),
        f"collected-{seat}": _columns(
            view.collected[seat], x + 12, y + 66, width - 24, SEAT_HEIGHT - 76, f"seat={seat};type=pickle_used"
        ),
    }


def _note(view: Table, seat: int) -> str:
    points = f"{totals(view)[seat]} points"
    if view.outcome is not None:
        return f"{points} · wins" if seat in view.outcome.ranking[0] else points
    out = view.turn and not view.invitations[seat] and view.phase not in ("round", "deal", "open", "sprinkles", "rank")
    return f"{points} · out" if out else points


def _scored(view: Table, seat: int) -> str:
    """The points of the rounds so far, of this one as it stands, and of Sprinkles."""
    parts = [" + ".join([f"{points[seat]}" for points in view.points])] if view.points else []
    if len(view.points) < view.round:
        parts.append(f"now {round_points(view.sheet, view.collected[seat])}")
    if view.sprinkles_points:
        parts.append(f"{LOOKS['sprinkles'][1]} {view.sprinkles_points[seat]:+d}")
    return " · ".join(parts)


@_drawn_once
def _invitations(x: float, y: float, unused: int, all_of_them: int, in_play: bool, way: str) -> tuple[Element, ...]:
    """Unused invitations are envelopes, used ones dashed outlines."""
    parts: list[Element] = []
    for place in range(all_of_them if in_play else 0):
        left = x + place * 32
        if place < unused:
            parts.append(rect(left, y, 26, 18, "accent", radius=3))
            parts.append(path(f"M{left + 4} {y + 4}l9 6l9 -6l0 2l-9 6l-9 -6Z", "on-accent"))
            parts += touch(left, y, 26, 18, way)
        else:
            parts.append(rect(left, y, 26, 18, "slot", radius=3))
    return tuple(parts)


@_drawn_once
def _columns(
    cards: tuple[str, ...], x: float, y: float, width: float, height: float, pickle: str
) -> tuple[Element, ...]:
    """Collected cards as the rulebook lays them: a splayed column a kind, with its number above."""
    pitch = width / len(KINDS)
    wide = min(44.0, pitch - 4)
    high = wide * 1.4
    parts: list[Element] = []
    for place, kind in enumerate(KINDS):
        colour, sign, _ = LOOKS[kind]
        left, count = x + place * pitch + (pitch - wide) / 2, cards.count(kind)
        middle = left + wide / 2
        if not count:
            parts.append(text(middle, y + 30, sign, "muted", size=12, anchor="middle"))
            continue
        parts.append(text(middle, y + 9, f"{count}", size=13, anchor="middle", bold=True))
        step = min(18.0, (height - 16 - high) / max(count - 1, 1))
        for number in range(count):
            top = y + 14 + number * step
            parts.append(rect(left, top, wide, high, "card", radius=4))
            parts.append(rect(left + 2, top + 2, wide - 4, high - 4, radius=3, fill=colour))
            parts.append(text(middle, top + 14, sign, size=12, anchor="middle", bold=True, fill=on(colour)))
        if kind == "pauly_pickle":
            parts += touch(left, y + 14, wide, (count - 1) * step + high, pickle)
    return tuple(parts)


# --- in words --------------------------------------------------------------------------------------------------------


def _description(view: Table, names: Sequence[str]) -> str:
    rows = [
        f"Row {row + 1}: {_guests(face_up)} face up, {len(face_down)} face down"
        for row, (face_up, face_down) in enumerate(zip(view.face_up, view.face_down, strict=True))
    ]
    seats = [
        f"{names[seat]}: score {points}, unused invitations {view.invitations[seat]}, collected "
        f"{_guests(view.collected[seat])}"
        for seat, points in enumerate(totals(view))
    ]
    return ". ".join([_phase(view, names), f"Deck: {len(view.deck)}", *rows, *seats])


def _guests(cards: Sequence[str]) -> str:
    return counted([named(kind) for kind in cards])
