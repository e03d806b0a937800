"""The scene graph of a table picture, and its only renderer in Python.

A picture is a list of flat elements in named groups: a tag, attributes and perhaps words, all from one allow-list
(`TAGS`, `ATTRIBUTES`). Nothing in it can run, load or style anything, whoever wrote the words. The viewer in the
browser draws the same elements under the same allow-list (a test holds the two equal), so both look alike.

Colours come in two ways: *roles* (`ROLES`, the attribute `class`) have a light and a dark form and carry the table
itself; plain `fill="#rrggbb"` is for the components of a game, the same on any table. Lengths are user units.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal, ParamSpec, TypeVar, cast
from xml.etree import ElementTree

import msgspec

T = TypeVar("T")
P = ParamSpec("P")
Theme = Literal["light", "dark"]
Track = list[tuple[int, T | None]]

# role -> {CSS property: (on light, on dark)}
ROLES: Final[Mapping[str, Mapping[str, tuple[str, str]]]] = {
    "felt": {"fill": ("#e8efea", "#16201c")},
    "panel": {"fill": ("#f8fbf9", "#1f2b26"), "stroke": ("#d0dcd5", "#33433c")},
    "active": {"fill": ("#ffffff", "#25352e"), "stroke": ("#1c7454", "#63cba3"), "stroke-width": ("2.5", "2.5")},
    "card": {"fill": ("#fffefb", "#313f39"), "stroke": ("#bac8c0", "#51635b")},
    "back": {"fill": ("#45657a", "#34505f"), "stroke": ("#2f4b5d", "#5c7a8a")},
    "weave": {"fill": ("none", "none"), "stroke": ("#86a2b3", "#6d8a99"), "stroke-width": ("1.5", "1.5")},
    "slot": {"fill": ("none", "none"), "stroke": ("#84978d", "#667a70"), "stroke-dasharray": ("4 4", "4 4")},
    "shade": {"fill": ("#1d2b2622", "#00000055")},
    "hairline": {"fill": ("none", "none"), "stroke": ("#bac8c0", "#3f5048")},
    "mark": {"fill": ("none", "none"), "stroke": ("#a8480a", "#ffb454"), "stroke-width": ("3", "3")},
    "accent": {"fill": ("#1c7454", "#63cba3")},
    "on-accent": {"fill": ("#ffffff", "#0f211a")},
    "ink": {"fill": ("#1c2a24", "#e8f0ec")},
    "muted": {"fill": ("#53655c", "#a3b5ac")},
    "touch": {"fill": ("none", "none")},
}

_NUMBER = r"-?[0-9]{1,7}(?:\.[0-9]{1,6})?"
_COLOUR = r"none|#[0-9a-fA-F]{6}"
_ROLE = "|".join(ROLES)
_FACT = r"[a-z_]{1,20}=[A-Za-z0-9_!. ]{1,20}"

TAGS: Final = ("rect", "circle", "ellipse", "line", "path", "polygon", "polyline", "text")
# attribute -> what its whole value must look like; the syntax is common to Python and JavaScript
ATTRIBUTES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("x", "y", "width", "height", "rx", "ry", "cx", "cy", "r", "x1", "y1", "x2", "y2"), _NUMBER),
    **dict.fromkeys(("font-size", "font-weight", "stroke-width", "opacity"), _NUMBER),
    **dict.fromkeys(("fill", "stroke"), _COLOUR),
    "class": f"(?:{_ROLE})(?: (?:{_ROLE}))*",
    "d": r"[MmLlHhVvCcSsQqTtAaZz0-9., \-]+",
    "points": r"[0-9., \-]+",
    "stroke-dasharray": r"[0-9. ]+",
    "stroke-linecap": "butt|round|square",
    "text-anchor": "start|middle|end",
    "data-about": rf"{_FACT}(?:[;+]{_FACT})*",
    "transform": rf"(?:translate|rotate|scale)\({_NUMBER}(?:[ ,]{_NUMBER}){{0,2}}\)",
}
_VALUES: Final = {name: re.compile(pattern) for name, pattern in ATTRIBUTES.items()}

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FONT: Final = 'system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif'
_SVG: Final = "http://www.w3.org/2000/svg"

CARD_WIDTH: Final = 60
CARD_HEIGHT: Final = 84


class Element(msgspec.Struct, frozen=True, array_like=True):
    """One drawn thing; as JSON `[tag, attributes, text or null]`.

    Raises `ValueError` for a tag, attribute or value that is not on the allow-list, and for words outside a text.
    """

    tag: str
    attrs: dict[str, str | int | float]
    text: str | None = None

    def __post_init__(self) -> None:
        if self.tag not in TAGS:
            raise ValueError(f"a picture has no element {self.tag!r}")
        if self.text is not None and self.tag != "text":
            raise ValueError(f"only a text has words, not a {self.tag}")
        for name, value in self.attrs.items():
            pattern = _VALUES.get(name)
            if pattern is None:
                raise ValueError(f"a picture has no attribute {name!r}")
            if not pattern.fullmatch(str(value)):
                raise ValueError(f"{name} of a {self.tag} cannot be {value!r}")


class Scene(msgspec.Struct, frozen=True):
    """A whole picture: its size, what it shows in words (for screen readers), and its groups, drawn in order."""

    width: int
    height: int
    description: str
    groups: dict[str, tuple[Element, ...]]


def svg(scene: Scene, theme: Theme = "light") -> str:
    """The picture as a complete SVG document that needs nothing from outside itself."""
    size = {"width": str(scene.width), "height": str(scene.height), "viewBox": f"0 0 {scene.width} {scene.height}"}
    root = ElementTree.Element("svg", {"xmlns": _SVG, **size, "role": "img"})
    ElementTree.SubElement(root, "title").text = _xml(scene.description)
    ElementTree.SubElement(root, "style").text = f"text{{font-family:{_FONT}}}{role_css(theme)}"
    for name, elements in scene.groups.items():
        group = ElementTree.SubElement(root, "g", {"data-group": _xml(name)})
        for element in elements:
            node = ElementTree.SubElement(group, element.tag, {key: str(value) for key, value in element.attrs.items()})
            node.text = None if element.text is None else _xml(element.text)
    return ElementTree.tostring(root, encoding="unicode")


def role_css(theme: Theme | None = None) -> str:
    """The roles as CSS rules: of one theme, or (without one) following the colour scheme of the page."""

    def value(light: str, dark: str) -> str:
        if theme is None:
            return f"light-dark({light},{dark})" if light.startswith("#") else light
        return light if theme == "light" else dark

    rules = (
        f".{role}{{{';'.join(f'{name}:{value(*pair)}' for name, pair in properties.items())}}}"
        for role, properties in ROLES.items()
    )
    return "".join(rules)


def tracks(frames: Sequence[Mapping[str, T]], start: int = 0) -> dict[str, Track[T]]:
    """For each name the (frame number, value) at which its value changes; `None` where it goes away.

    Frames are numbered from `start`.

    Serves pictures (name of a group -> its elements) and flattened states (path -> value) alike. A name has no entry
    before the frame in which it first appears, names stand in the order of first appearance, and the value at frame k
    is the one of the last entry at or before k.
    """
    result: dict[str, Track[T]] = {}
    for number, frame in enumerate(frames, start):
        for name, value in frame.items():
            track = result.setdefault(name, [])
            if not track or track[-1][1] != value:
                track.append((number, value))
        for name, track in result.items():
            if name not in frame and track[-1][1] is not None:
                track.append((number, None))
    return result


# --- shapes ---------------------------------------------------------------------------------------


def _drawn_once(draw: Callable[P, T]) -> Callable[P, T]:
    """The same card lies in the same place in hundreds of frames: what is drawn alike is the same object."""
    return cast(Callable[P, T], lru_cache(maxsize=8192)(draw))  # the type of lru_cache forgets the parameters


@_drawn_once
def rect(
    x: float, y: float, width: float, height: float, look: str = "", *, radius: float = 0, fill: str | None = None
) -> Element:
    """A rectangle, with rounded corners if it has a radius."""
    return _shape("rect", look, fill, x=x, y=y, width=width, height=height, rx=radius or None)


@_drawn_once
def circle(cx: float, cy: float, r: float, look: str = "", *, fill: str | None = None) -> Element:
    """A circle around (cx, cy)."""
    return _shape("circle", look, fill, cx=cx, cy=cy, r=r)


@_drawn_once
def line(x1: float, y1: float, x2: float, y2: float, look: str = "hairline") -> Element:
    """A straight line."""
    return _shape("line", look, None, x1=x1, y1=y1, x2=x2, y2=y2)


@_drawn_once
def path(d: str, look: str = "", *, fill: str | None = None) -> Element:
    """A free shape, in the path language of SVG."""
    return Element("path", {"d": d, **_paint(look, fill)})


@_drawn_once
def text(
    x: float,
    y: float,
    words: str,
    look: str = "ink",
    *,
    size: float = 14,
    anchor: Literal["start", "middle", "end"] = "start",
    bold: bool = False,
    fill: str | None = None,
) -> Element:
    """Words whose baseline is at y."""
    paint = _paint("" if fill else look, fill)
    attrs: dict[str, str | int | float] = {"x": _number(x), "y": _number(y), "font-size": _number(size), **paint}
    if anchor != "start":
        attrs["text-anchor"] = anchor
    if bold:
        attrs["font-weight"] = 600
    return Element("text", attrs, words)


@_drawn_once
def touch(x: float, y: float, width: float, height: float, *ways: str) -> tuple[Element, ...]:
    """A place on the table that moves are about, to be drawn over what lies there; none if nothing is said of it.

    Each of `ways` names the moves that it stands for by what their fields are: `type=row_taken;row=2`.
    """
    if not ways:
        return ()
    place = _shape("rect", "touch", None, x=x, y=y, width=width, height=height, rx=6)
    return (Element("rect", {**place.attrs, "data-about": "+".join(ways)}),)


# --- things on a table ----------------------------------------------------------------------------


@_drawn_once
def label(
    x: float,
    y: float,
    words: str,
    width: float,
    look: str = "ink",
    *,
    size: float = 14,
    anchor: Literal["start", "middle", "end"] = "start",
    bold: bool = False,
) -> Element:
    """Words cut with an ellipsis to about the given width; use it wherever the words are not our own."""
    return text(x, y, fitted(words, width, size), look, size=size, anchor=anchor, bold=bold)


@_drawn_once
def panel(
    x: float, y: float, width: float, height: float, title: str, *, note: str = "", active: bool = False
) -> tuple[Element, ...]:
    """A seat's place at the table: its name, a note at the right; the active seat has a strong frame and a pointer."""
    indent = 14.0
    parts = [rect(x, y, width, height, "active" if active else "panel", radius=12)]
    if active:
        parts.append(path(f"M{_number(x + 12)} {_number(y + 13)}l9 6l-9 6z", "accent"))
        indent = 28.0
    room = width - indent - 14
    note_width = min(_width(note, 13) + 8, room / 2) if note else 0.0
    parts.append(label(x + indent, y + 24, title, room - note_width, size=15, bold=True))
    if note:
        parts.append(label(x + width - 14, y + 24, note, note_width, "muted", size=13, anchor="end"))
    return tuple(parts)


@_drawn_once
def card(
    x: float, y: float, face: str, *, colour: str, glyph: str, width: float = CARD_WIDTH, height: float = CARD_HEIGHT
) -> tuple[Element, ...]:
    """A card lying face up: a field in its colour with its glyph, and its face in words below.

    The glyph (again in the corner, for fanned hands) tells cards apart where colours cannot: give each colour its own.
    """
    unit = width / CARD_WIDTH
    ink = on(colour)
    middle = x + width / 2
    field = height - 24 * unit
    centre = y + 4 * unit + field / 2
    return (
        rect(x + unit, y + 2 * unit, width, height, "shade", radius=8 * unit),
        rect(x, y, width, height, "card", radius=8 * unit),
        rect(x + 4 * unit, y + 4 * unit, width - 8 * unit, field, radius=5 * unit, fill=colour),
        text(x + 8 * unit, y + 18 * unit, glyph, size=12 * unit, bold=True, fill=ink),
        text(middle, centre + 9 * unit, glyph, size=26 * unit, anchor="middle", bold=True, fill=ink),
        label(middle, y + height - 7 * unit, face, width - 8 * unit, size=11 * unit, anchor="middle"),
    )


@_drawn_once
def card_back(x: float, y: float, *, width: float = CARD_WIDTH, height: float = CARD_HEIGHT) -> tuple[Element, ...]:
    """A card lying face down."""
    unit = width / CARD_WIDTH
    cx, cy = x + width / 2, y + height / 2
    across, down = 14 * unit, 20 * unit
    diamonds = "".join(
        f"M{_number(cx)} {_number(cy - down * part)}L{_number(cx + across * part)} {_number(cy)}"
        f"L{_number(cx)} {_number(cy + down * part)}L{_number(cx - across * part)} {_number(cy)}Z"
        for part in (1, 0.5)
    )
    return (
        rect(x + unit, y + 2 * unit, width, height, "shade", radius=8 * unit),
        rect(x, y, width, height, "back", radius=8 * unit),
        rect(x + 5 * unit, y + 5 * unit, width - 10 * unit, height - 10 * unit, "weave", radius=5 * unit),
        path(diamonds, "weave"),
    )


def pile(
    x: float,
    y: float,
    count: int,
    top: tuple[Element, ...] | None = None,
    *,
    width: float = CARD_WIDTH,
    height: float = CARD_HEIGHT,
) -> tuple[Element, ...]:
    """A pile of `count` cards and its count; `top` is the card on it, drawn at (x, y), and a back if there is none.

    An empty pile is a dashed outline. Cards below peep out at most 6 units to the right and below, the count sits on
    the upper right corner.
    """
    unit = width / CARD_WIDTH
    badge = f"{count}"
    half = (9 + 4 * len(badge)) * unit
    cx, cy = x + width - 4 * unit, y + 4 * unit
    if count == 0:
        body: tuple[Element, ...] = (rect(x, y, width, height, "slot", radius=8 * unit),)
    else:
        look = "back" if top is None else "card"
        steps = (3 * unit * depth for depth in range(min(count - 1, 2), 0, -1))
        below = (rect(x + step, y + step, width, height, look, radius=8 * unit) for step in steps)
        body = (*below, *(card_back(x, y, width=width, height=height) if top is None else top))
    return (
        *body,
        rect(cx - half, cy - 11 * unit, 2 * half, 22 * unit, "panel", radius=11 * unit),
        text(cx, cy + 5 * unit, badge, size=14 * unit, anchor="middle", bold=True),
    )


def on(colour: str) -> str:
    """Black or white, whichever reads better on a colour `#rrggbb` (WCAG relative luminance)."""

    def linear(channel: int) -> float:
        share = channel / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(colour[at : at + 2], 16)) for at in (1, 3, 5))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "#10201a" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "#ffffff"


def fitted(words: str, width: float, size: float) -> str:
    """The words, cut with an ellipsis to about `width` at font size `size` (an estimate: no font is at hand)."""
    if _width(words, size) <= width:
        return words
    room = width - _width("…", size)
    kept = ""
    for character in words:
        room -= _width(character, size)
        if room < 0:
            break
        kept += character
    return f"{kept.rstrip()}…"


@lru_cache(maxsize=4096)
def _width(words: str, size: float) -> float:
    """Estimated width: a full em for wide scripts and emoji, nothing for combining marks, a wide letter otherwise."""

    def ems(character: str) -> float:
        if unicodedata.combining(character):
            return 0.0
        if unicodedata.east_asian_width(character) in "WF":
            return 1.0
        return 0.76 if character.isupper() else 0.63

    return sum(map(ems, words)) * size


def _shape(tag: str, look: str, fill: str | None, **lengths: float | None) -> Element:
    given = {name: _number(value) for name, value in lengths.items() if value is not None}
    return Element(tag, {**given, **_paint(look, fill)})


def _paint(look: str, fill: str | None) -> dict[str, str]:
    return ({"class": look} if look else {}) | ({"fill": fill} if fill else {})


def _number(value: float) -> int | float:
    """Two decimals are enough for a picture, and whole numbers are shortest: `12`, not `12.0`."""
    rounded = round(value, 2)
    return int(rounded) if rounded == int(rounded) else rounded


def _xml(words: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", words)
