"""The table of Queen of the Cupcakes: draw pile, bank and bins, and before each seat its hand and its front pile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from core.games.queen_of_the_cupcakes.scoring import placing, points
from core.games.queen_of_the_cupcakes.state import Table
from core.words import counted, listed
from dashboard.scene import Element, Scene, card, card_back, label, line, on, panel, pile, rect, text, touch
from events.marks import MASK

WIDTH: Final = 1000
MARGIN: Final = 16
SEATS_TOP: Final = 252
SEAT_HEIGHT: Final = 152

# A colour and a sign each: colour alone tells nobody anything.
LOOKS: Final = {
    "orange": ("#e0822a", "●"),
    "purple": ("#7d4fb0", "◆"),
    "green": ("#3f8f52", "▲"),
    "yellow": ("#f0c93a", "★"),
    "blue": ("#2f73b8", "■"),
    "grey": ("#8b959d", "✚"),
}

_BIN_LEFT: Final = 508
_BIN_TOP: Final = 52
_BIN_BOTTOM: Final = 188
_PLACES: Final = ("1st", "2nd", "3rd")

_drawn_once: Final = lru_cache(maxsize=4096)
"""What is drawn alike in hundreds of steps is drawn once."""


def picture(view: Table, names: Sequence[str]) -> Scene:
    """Give the table as its viewer sees it: `view` is redacted, and cards without a face lie face down."""
    columns = 2 if len(names) in (2, 4) else 3
    lines = -(-len(names) // columns)
    height = SEATS_TOP + lines * (SEAT_HEIGHT + MARGIN)
    groups: dict[str, tuple[Element, ...]] = {
        "felt": _felt(height),
        "status": tuple(_status(view, names)),
        "draw": _pile(len(view.pile), 32, 52, 1.0),
        "bank": _cards(view.bank, 132, 52, 340, 70, 1.0, ("type=cards_taken;kind=",)),
    }
    for index, kind in enumerate(view.sheet.kinds[: len(view.bins)]):
        groups[f"bin-{kind}"] = _bin(
            kind,
            index,
            len(view.sheet.kinds),
            view.bins[index],
            view.sheet.bin_capacity,
            _over(view),
            _placed(view, kind),
        )
    width = (WIDTH - MARGIN * (columns + 1)) / columns
    for seat in range(len(view.hands)):
        x = MARGIN + (seat % columns) * (width + MARGIN)
        y = SEATS_TOP + (seat // columns) * (SEAT_HEIGHT + MARGIN)
        groups |= _place(view, seat, names[seat], x, y, width)
    return Scene(WIDTH, height, _description(view, names), groups)


@_drawn_once
def _felt(height: float) -> tuple[Element, ...]:
    return (
        rect(0, 0, WIDTH, height, "felt", radius=16),
        text(32, 36, "Draw pile", "muted", size=13),
        text(132, 36, "Bank", "muted", size=13),
        text(_BIN_LEFT, 36, "Bins: of equally full ones, the one further left comes first", "muted", size=13),
    )


def _status(view: Table, names: Sequence[str]) -> Iterator[Element]:
    yield label(32, 180, _phase(view, names), 440, size=19, bold=True)
    if view.turn:
        yield label(32, 206, f"Turn {view.turn}. {_ending(view)}", 440, "muted", size=14)


def _ending(view: Table) -> str:
    if view.outcome is None:
        return f"A full bin ({view.sheet.bin_capacity} cards) ends the game."
    return "A bin was full." if view.outcome.reason == "bin_full" else "The draw pile ran out."


def _phase(view: Table, names: Sequence[str]) -> str:
    if view.outcome is not None:
        winners = view.outcome.ranking[0]
        won = f"wins with {view.outcome.scores[winners[0]]}" if len(winners) == 1 else "share the win"
        return f"{listed([names[seat] for seat in winners])} {won}"
    if view.phase == "take":
        return f"{names[view.seat]} takes from the bank"
    if view.phase == "lay":
        return f"{names[view.seat]} may lay out cards" + (", or pass two" if view.teams else "")
    if view.phase in ("reveal", "score"):
        return "The game is over: front piles are turned up"
    return "The bank is filled up" if view.turn else "The table is set up"


@_drawn_once
def _bin(kind: str, index: int, kinds: int, filled: int, capacity: int, most: int, place: str) -> tuple[Element, ...]:
    """A bin as a stack of cards that grows from below; the line is where it is full, and cards may go over it."""
    colour, sign = LOOKS[kind]
    slot = (_BIN_BOTTOM - _BIN_TOP) / most
    pitch = (WIDTH - MARGIN - _BIN_LEFT) / kinds
    x, width = _BIN_LEFT + index * pitch, pitch - 14
    middle = x + width / 2
    parts: list[Element] = []
    for level in range(max(filled, capacity)):
        y = _BIN_BOTTOM - (level + 1) * slot
        if level < filled:
            parts.append(rect(x, y, width, slot - 3, radius=4, fill=colour))
            parts.append(text(middle, y + slot / 2 + 3, sign, size=12, anchor="middle", fill=on(colour)))
        else:
            parts.append(rect(x, y, width, slot - 3, "slot", radius=4))
    full = _BIN_BOTTOM - capacity * slot - 1.5
    state = " over" if filled > capacity else " full" if filled == capacity else ""
    return (
        *parts,
        line(x - 4, full, x + width + 4, full, "mark"),
        text(middle, 206, f"{sign} {kind}", size=13, anchor="middle"),
        text(middle, 224, f"{filled} of {capacity}{state}", size=13, anchor="middle", bold=True),
        text(middle, 241, place, "muted", size=12, anchor="middle"),
        *touch(x - 4, _BIN_TOP - 4, width + 8, _BIN_BOTTOM - _BIN_TOP + 46, f"type=cards_laid;kind={kind}"),
    )


def _over(view: Table) -> int:
    """The most cards that a bin can come to have (QC-08)."""
    return view.sheet.bin_capacity - 1 + view.sheet.lay_out[1]


def _placed(view: Table, kind: str) -> str:
    """What a card of this kind is worth, once it is settled."""
    if view.phase not in ("score", "over") or kind not in points(view):
        return ""
    worth = points(view)[kind]
    return f"{_PLACES[placing(view).index(kind)]}: {worth} {'pt' if worth == 1 else 'pts'}"


def _place(view: Table, seat: int, name: str, x: float, y: float, width: float) -> dict[str, tuple[Element, ...]]:
    """A seat's panel; its hand at the left, the cards in front of it at the right."""
    front_width = 152 if width > 400 else 116
    split = x + width - front_width
    active = seat == view.seat and view.outcome is None
    hand = view.hands[seat]
    heading = "Hand" if view.outcome is None else "Hand, not counted"
    small = 0.9 if width > 400 else 0.8
    return {
        f"seat-{seat}": panel(x, y, width, SEAT_HEIGHT, name, note=_note(view, seat), active=active),
        f"hand-{seat}": (
            text(x + 14, y + 46, f"{heading}: {len(hand)}", "muted", size=13),
            *_cards(
                _grouped(view, hand),
                x + 14,
                y + 56,
                split - x - 34,
                40,
                small,
                (f"seat={seat};type=cards_laid;kind=", f"seat={seat};type=cards_passed;cards="),
            ),
        ),
        f"front-{seat}": (
            text(split, y + 46, f"In front: {_in_front(view, seat)}", "muted", size=13),
            *(_worth(view, seat, split, y + 56, front_width - 14) if view.revealed else ()),
            *(() if view.revealed else _pile(len(view.fronts[seat]), split, y + 56, 0.8)),
        ),
    }


def _note(view: Table, seat: int) -> str:
    team = f"Team {seat % (view.seats // 2) + 1}" if view.teams else ""
    if view.outcome is None:
        return team
    scored = f"{view.outcome.scores[seat]} points"
    won = " · wins" if seat in view.outcome.ranking[0] else ""
    return f"{team} · {scored}{won}" if team else f"{scored}{won}"


def _in_front(view: Table, seat: int) -> int:
    return len(view.revealed[seat] if view.revealed else view.fronts[seat])


@_drawn_once
def _pile(count: int, x: float, y: float, size: float) -> tuple[Element, ...]:
    return pile(x, y, count, width=60 * size, height=84 * size)


def _worth(view: Table, seat: int, x: float, y: float, width: float) -> Iterator[Element]:
    """The turned-up cards, kind by kind with their number; kinds that score are framed."""
    own = view.revealed[seat]
    kinds = [kind for kind in view.sheet.kinds if kind in own]
    pitch = width / 2
    for place, kind in enumerate(kinds):
        colour, sign = LOOKS[kind]
        left, top = x + place % 2 * pitch, y + place // 2 * 31
        yield rect(left, top, pitch - 6, 27, radius=6, fill=colour)
        if kind in points(view):
            yield rect(left + 1.5, top + 1.5, pitch - 9, 24, "mark", radius=5)
        words = f"{sign} {own.count(kind)}"
        yield text(left + (pitch - 6) / 2, top + 18.5, words, size=14, anchor="middle", bold=True, fill=on(colour))


def _grouped(view: Table, hand: Sequence[str]) -> tuple[str, ...]:
    """A hand as players sort it: by kind, in the order of the bins."""
    order = [MASK, *view.sheet.kinds]
    return tuple(sorted(hand, key=order.index))


@_drawn_once
def _cards(
    cards: tuple[str, ...], x: float, y: float, width: float, pitch: float, size: float, ways: tuple[str, ...]
) -> tuple[Element, ...]:
    """Cards side by side, closer together where they would not fit; each stands for the moves `ways` with its kind."""
    wide, high = 60 * size, 84 * size
    step = min(pitch, (width - wide) / max(len(cards) - 1, 1))
    parts: list[Element] = []
    for place, kind in enumerate(cards):
        left = x + place * step
        if kind == MASK:
            parts += card_back(left, y, width=wide, height=high)
        else:
            colour, sign = LOOKS[kind]
            parts += card(left, y, kind, colour=colour, glyph=sign, width=wide, height=high)
            parts += touch(left, y, wide, high, *[f"{way}{kind}" for way in ways])
    return tuple(parts)


def _description(view: Table, names: Sequence[str]) -> str:
    bins = listed([f"{kind} {filled}" for kind, filled in zip(view.sheet.kinds, view.bins, strict=False)] or ["none"])
    seats = [
        f"{name} holds {counted(hand)} and has {_in_front(view, seat)} in front"
        for seat, (name, hand) in enumerate(zip(names, view.hands, strict=False))
    ]
    parts = [
        _phase(view, names),
        f"Draw pile: {len(view.pile)}",
        f"Bank: {counted(view.bank)}",
        f"Cards beside the bins: {bins}",
        *seats,
    ]
    return ". ".join(parts)
