"""The table of Trash Pandas: trash can, discard pile, tokens and die; before each seat its hand, stash and tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from core.games.trash_pandas.state import FACE_DOWN, TOKENS, Table, pending
from core.games.trash_pandas.words import TOKEN_NAMES
from core.words import counted, listed
from dashboard.scene import Element, Scene, card, card_back, circle, label, on, panel, pile, rect, text, touch
from events.marks import MASK
from events.trash_pandas import Token

WIDTH: Final = 1000
MARGIN: Final = 16
SEATS_TOP: Final = 236
SEAT_HEIGHT: Final = 276

# A colour and a sign each: colour alone tells nobody anything.
LOOKS: Final[dict[str, tuple[str, str]]] = {
    "Nanners": ("#f0c93a", "☾"),
    "MMM Pie!": ("#d9772b", "◔"),
    "Feesh": ("#3f88b8", "≈"),
    "Yum Yum": ("#7a4a2b", "▦"),
    "Shiny": ("#8a5fb5", "✦"),
    "Blammo!": ("#c23b3b", "✸"),
    "Doggo": ("#5d6b75", "♜"),
    "Kitteh": ("#2f7d6b", "⇄"),
}

TOKEN_COLOURS: Final[dict[Token, str]] = {
    "bin": "#5d6b75",
    "tree": "#3f8f52",
    "bin_tree": "#7a7a3a",
    "steal": "#a8480a",
    "reveal": "#7d4fb0",
    "recycle": "#2f73b8",
}

Points = tuple[tuple[float, float], ...]

# Drawn in a field of 40 by 40 around (0, 0).
_BIN: Final[tuple[Points, ...]] = (
    ((-4, -15), (4, -15), (4, -11), (13, -11), (13, -7), (-13, -7), (-13, -11), (-4, -11)),
    ((-11, -4), (11, -4), (8, 15), (-8, 15)),
)
_TREE: Final[tuple[Points, ...]] = (
    ((0, -17), (11, -4), (6, -4), (14, 8), (3, 8), (3, 16), (-3, 16), (-3, 8), (-14, 8), (-6, -4), (-11, -4)),
)
_BAG: Final[tuple[Points, ...]] = (
    ((-6, -16), (6, -16), (3, -9), (-3, -9)),
    ((-3, -7), (3, -7), (11, 1), (13, 9), (9, 15), (-9, 15), (-13, 9), (-11, 1)),
)
_MASK: Final[tuple[Points, ...]] = (
    ((-19, -9), (-9, -12), (0, -8), (9, -12), (19, -9), (18, 2), (11, 9), (5, 8), (0, 3), (-5, 8), (-11, 9), (-18, 2)),
)
_ARROWS: Final[tuple[Points, ...]] = (
    ((-14, -11), (4, -11), (4, -16), (15, -7), (4, 2), (4, -4), (-14, -4)),
    ((14, 12), (-4, 12), (-4, 17), (-15, 8), (-4, -1), (-4, 5), (14, 5)),
)
ICONS: Final[dict[Token, tuple[tuple[tuple[Points, ...], float, float], ...]]] = {
    "bin": ((_BIN, 0, 1.0),),
    "tree": ((_TREE, 0, 1.0),),
    "bin_tree": ((_BIN, -11, 0.66), (_TREE, 11, 0.66)),
    "steal": ((_BAG, 0, 1.0),),
    "reveal": ((_MASK, 0, 1.0),),
    "recycle": ((_ARROWS, 0, 1.0),),
}
"""Shapes of each token, each with how far right of the middle and how large."""

_MIDDLE: Final = 356
_DIE: Final = 884

PLAYED: Final = {
    "Nanners": "nanners_played",
    "MMM Pie!": "pie_played",
    "Feesh": "feesh_played",
    "Yum Yum": "yum_yum_played",
    "Shiny": "shiny_played",
    "Blammo!": "blammo_played",
    "Doggo": "doggo_played",
    "Kitteh": "kitteh_played",
}
"""The move that a card in a hand stands for."""

_drawn_once: Final = lru_cache(maxsize=4096)
"""What is drawn alike in hundreds of steps is drawn once."""


def picture(view: Table, names: Sequence[str]) -> Scene:
    """Give the table as its viewer sees it: `view` is redacted, and cards without a face lie face down."""
    columns = 3 if len(names) == 3 else 2
    lines = -(-len(names) // columns)
    height = SEATS_TOP + lines * (SEAT_HEIGHT + MARGIN)
    groups: dict[str, tuple[Element, ...]] = {
        "felt": _felt(height),
        "status": tuple(_status(view, names)),
        "can": _pile(len(view.pile), 32, 48),
        "discard": tuple(_discard(view)),
        "die": tuple(_die(view)),
    }
    for token in TOKENS:
        groups[f"token-{token}"] = tuple(_token_in_the_middle(view, token))
    width = (WIDTH - MARGIN * (columns + 1)) / columns
    for seat in range(len(view.hands)):
        x = MARGIN + (seat % columns) * (width + MARGIN)
        y = SEATS_TOP + (seat // columns) * (SEAT_HEIGHT + MARGIN)
        groups |= _place(view, seat, names[seat], x, y, width)
    return Scene(WIDTH, height, _description(view, names), groups)


# --- the middle ------------------------------------------------------------------------------------------------------


@_drawn_once
def _felt(height: float) -> tuple[Element, ...]:
    return (
        rect(0, 0, WIDTH, height, "felt", radius=16),
        text(32, 36, "Trash can", "muted", size=13),
        text(124, 36, "Discard pile", "muted", size=13),
        text(_MIDDLE, 36, "Tokens in the middle", "muted", size=13),
        text(_DIE, 36, "Die", "muted", size=13),
    )


@_drawn_once
def _pile(count: int, x: float, y: float) -> tuple[Element, ...]:
    return (*pile(x, y, count), *touch(x, y, 60, 84, "type=draw_chosen"))


def _discard(view: Table) -> Iterator[Element]:
    """The open pile with its top card, and how many of each kind lie in it."""
    yield from _open_pile(len(view.discard), view.discard[0] if view.discard else "")
    kinds = [kind for kind in view.sheet.kinds if kind in view.discard]
    for place, kind in enumerate(kinds):
        yield from _chip(kind, view.discard.count(kind), 206 + place % 2 * 62, 48 + place // 2 * 23)


@_drawn_once
def _open_pile(count: int, top: str) -> tuple[Element, ...]:
    return pile(124, 48, count, _face(top, 124, 48, 60) if top else None)


@_drawn_once
def _chip(kind: str, count: int, x: float, y: float) -> tuple[Element, ...]:
    colour, sign = LOOKS[kind]
    return (
        rect(x, y, 56, 20, radius=6, fill=colour),
        text(x + 28, y + 15, f"{sign} {count}", size=13, anchor="middle", bold=True, fill=on(colour)),
        *touch(x, y, 56, 20, f"type=feesh_played;card={kind}"),
    )


def _token_in_the_middle(view: Table, token: Token) -> Iterator[Element]:
    """A token where it lies in the middle; its empty place, with where it went, while it is taken."""
    index = TOKENS.index(token)
    cx, cy = _MIDDLE + 36 + index * 84, 86
    away = token in pending(view)
    note = "taken" if away else "resolved" if token in view.resolved else ""
    if away:
        yield circle(cx, cy, 30, "slot")
    else:
        yield from _token(token, cx, cy, 30)
    if token == view.resolving and not away:
        yield circle(cx, cy, 34, "mark")
        note = "resolved twice" if view.pied else "resolving" if view.phase == token else "resolved"
    yield text(cx, 136, _SHORT[token], size=12, anchor="middle")
    yield text(cx, 151, note, "muted", size=11, anchor="middle")
    ways = [f"type={kind};token={token}" for kind in ("token_exchanged", "pie_played")]
    yield from touch(cx - 32, cy - 32, 64, 64, *ways)


_SHORT: Final[dict[Token, str]] = {**TOKEN_NAMES, "bin_tree": "Can / Tree"}


@_drawn_once
def _token(token: Token, cx: float, cy: float, radius: float) -> tuple[Element, ...]:
    colour = TOKEN_COLOURS[token]
    unit = radius / 30
    parts = [circle(cx, cy, radius, fill=colour)]
    for shapes, right, size in ICONS[token]:
        parts += [_shape(points, cx + right * unit, cy, size * unit, on(colour)) for points in shapes]
    if token == "reveal":
        parts += [circle(cx + x * unit, cy - 2 * unit, 4 * unit, fill=colour) for x in (-9, 9)]
    return tuple(parts)


def _shape(points: Points, x: float, y: float, size: float, colour: str) -> Element:
    corners = " ".join([f"{round(x + dx * size, 2)},{round(y + dy * size, 2)}" for dx, dy in points])
    return Element("polygon", {"points": corners, "fill": colour})


def _die(view: Table) -> Iterator[Element]:
    """The die with the face that it shows."""
    yield rect(_DIE + 1, 50, 76, 76, "shade", radius=14)
    yield rect(_DIE, 48, 76, 76, "card", radius=14)
    words = "in the air" if view.phase == "thrown" else "not rolled"
    if view.rolled is not None and view.phase != "thrown":
        yield from _token(view.rolled, _DIE + 38, 86, 28)
        words = _SHORT[view.rolled]
    yield text(_DIE + 38, 142, words, size=12, anchor="middle")
    yield from touch(_DIE, 48, 76, 76, "type=die_thrown")


# --- what is going on ------------------------------------------------------------------------------------------------


def _status(view: Table, names: Sequence[str]) -> Iterator[Element]:
    yield label(32, 190, _phase(view, names), 940, size=18, bold=True)
    if view.turn:
        bonus = (
            ", bonus turn" if view.bonus == "running" else ", a bonus turn follows" if view.bonus == "earned" else ""
        )
        end = "The trash can is empty: the game ends with this turn." if not view.pile and view.outcome is None else ""
        yield label(32, 216, f"Turn {view.turn}{bonus}. {end}", 930, "muted", size=14)


def _phase(view: Table, names: Sequence[str]) -> str:
    """Give what is going on; a seat that may answer is told so, all others see the same as if nobody could (G-06)."""
    if view.outcome is not None:
        return _result(view, names)
    clockwise = [(view.seat + step) % view.seats for step in range(1, view.seats + 1)]
    asked = [seat for seat in clockwise if view.asked[seat] is True]
    return f"{names[asked[0]]} may answer: {_happening(view, names)}" if asked else _happening(view, names)


def _happening(view: Table, names: Sequence[str]) -> str:
    name = names[view.seat] if view.seat >= 0 else ""
    if view.theft is not None:
        return f"{names[view.theft.thief]} is stealing {_loot(view)} from {names[view.theft.victim]}"
    if view.phase in TOKEN_NAMES:
        return f"{name} resolves {TOKEN_NAMES[view.phase]}"
    if view.phase == "resolve" and view.revealed is not None:
        return f"{name} has revealed {view.revealed}"
    return {
        "roll": f"{name} has to roll",
        "thrown": f"{name} rolls",
        "rolled": f"{name} rolls on or stops",
        "bust": f"{name} is about to bust",
        "resolve": f"{name} resolves tokens" if pending(view) else f"{name} has no token left",
        "second_draw": f"{name} may draw a second card",
        "turn_over": "The die is passed on" if view.turn else "Hands are dealt",
        "turn_up": "The game is over: hands are discarded",
        "score": "The game is over: stashes are turned up",
    }.get(view.phase, "The table is set up")


def _loot(view: Table) -> str:
    wanted = view.theft.card if view.theft is not None else None
    if wanted is None:
        return "a hand card"
    return "a face-down card" if wanted == FACE_DOWN else f"the face-up {wanted}"


def _result(view: Table, names: Sequence[str]) -> str:
    if view.outcome is None or not view.outcome.ranking:
        return "The game was stopped without a winner"
    winners = view.outcome.ranking[0]
    won = f"wins with {view.outcome.scores[winners[0]]}" if len(winners) == 1 else "share the win"
    return f"{listed([names[seat] for seat in winners])} {won}"


# --- the seats -------------------------------------------------------------------------------------------------------


def _place(view: Table, seat: int, name: str, x: float, y: float, width: float) -> dict[str, tuple[Element, ...]]:
    """A seat's panel: its hand, its stash face down and face up, the tokens before it, or at the end its counts."""
    active = seat == view.seat and view.outcome is None
    half = (width - 42) / 2
    hand, down, up = view.hands[seat], view.stashes[seat], view.face_up[seat]
    below = y + 142
    turned_up = view.phase in ("score", "over")
    return {
        f"seat-{seat}": panel(x, y, width, SEAT_HEIGHT, name, note=_note(view, seat), active=active),
        f"hand-{seat}": _row(view, "Hand", hand, x + 14, y + 44, width - 28, seat),
        f"stash-{seat}": () if turned_up else _row(view, "Stash face down", down, x + 14, below, half, seat),
        f"face-up-{seat}": _row(view, "Stash", up, x + 14, below, width - 28, seat)
        if turned_up
        else _row(view, "Stash face up", up, x + 28 + half, below, half, seat),
        f"taken-{seat}": tuple(_counts(view, seat, x, y) if view.outcome is not None else _taken(view, seat, x, y)),
    }


def _note(view: Table, seat: int) -> str:
    if view.outcome is not None:
        won = " · wins" if view.outcome.ranking and seat in view.outcome.ranking[0] else ""
        return f"{view.outcome.scores[seat]} points{won}"
    if view.asked[seat] is True:
        return "may answer"
    if view.theft is not None and seat in (view.theft.thief, view.theft.victim):
        return "steals" if seat == view.theft.thief else "is stolen from"
    return ""


def _row(
    view: Table, title: str, cards: Sequence[str], x: float, y: float, width: float, seat: int
) -> tuple[Element, ...]:
    """A row of cards under its title, sorted by kind as players do, closer together where they would not fit."""
    order = [MASK, *view.sheet.kinds]
    thief = view.theft is not None and view.theft.thief == seat
    return _fan(title, tuple(sorted(cards, key=order.index)), x, y, width, seat, thief)


@_drawn_once
def _fan(
    title: str, cards: tuple[str, ...], x: float, y: float, width: float, seat: int, thief: bool
) -> tuple[Element, ...]:
    wide = 46.0
    step = min(50.0, (width - wide) / max(len(cards) - 1, 1))
    parts: list[Element] = [text(x, y + 2, f"{title}: {len(cards)}", "muted", size=13)]
    for place, face in enumerate(cards):
        left = x + place * step
        parts += _face(face, left, y + 12, wide)
        parts += touch(left, y + 12, wide, wide * 1.4, *_stands_for(title, face, seat, thief))
    return tuple(parts)


def _stands_for(title: str, face: str, seat: int, thief: bool) -> Iterator[str]:
    """Give the moves that a card of a seat stands for: to play or to stash it, or to steal it."""
    if title == "Hand":
        yield f"type=hand_targeted;victim={seat}"
        if face != MASK:
            yield f"seat={seat};type={PLAYED[face]}"
            yield f"seat={seat};type=cards_stashed;cards={face}"
            yield f"seat={seat};type=match_stashed;card={face}"
    else:
        card = FACE_DOWN if title == "Stash face down" else face
        yield f"type=shiny_played;victim={seat};card={card}"
        if thief:  # a Kitteh steals back from the thief
            yield f"type=kitteh_played;card={card}"


def _face(face: str, x: float, y: float, width: float) -> tuple[Element, ...]:
    height = width * 1.4
    if face == MASK:
        return card_back(x, y, width=width, height=height)
    colour, sign = LOOKS[face]
    return card(x, y, "Pie!" if face == "MMM Pie!" else face, colour=colour, glyph=sign, width=width, height=height)


def _taken(view: Table, seat: int, x: float, y: float) -> Iterator[Element]:
    """The tokens before the active seat."""
    if seat == view.seat and view.phase != "turn_over":
        left = pending(view)
        yield text(x + 14, y + 256, f"Tokens: {len(left)}", "muted", size=13)
        for place, token in enumerate(left):
            yield from _token(token, x + 102 + place * 38, y + 251, 17)
            yield from touch(x + 84 + place * 38, y + 233, 36, 36, f"seat={seat};token={token}")


def _counts(view: Table, seat: int, x: float, y: float) -> Iterator[Element]:
    """How many of each kind the seat has stashed."""
    stash = view.face_up[seat]
    for place, kind in enumerate([kind for kind in view.sheet.kinds if kind in stash]):
        yield from _chip(kind, stash.count(kind), x + 14 + place % 4 * 62, y + 226 + place // 4 * 22)


# --- in words --------------------------------------------------------------------------------------------------------


def _description(view: Table, names: Sequence[str]) -> str:
    seats = [
        f"{name} holds {counted(hand)}; stashed face down {counted(down)}, face up {counted(up)}"
        for name, hand, down, up in zip(names, view.hands, view.stashes, view.face_up, strict=False)
    ]
    tokens = [TOKEN_NAMES[token] for token in pending(view)]
    parts = [
        _phase(view, names),
        f"Trash can: {len(view.pile)}",
        f"Discard pile: {counted(view.discard)}",
        f"Tokens taken: {listed(tokens) if tokens else 'none'}",
        *seats,
    ]
    return ". ".join(parts)
