"""The scene graph: what it refuses, what its SVG looks like, and key-framing against a plain model."""

import itertools
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard import scene
from dashboard.scene import Element, Scene, svg, tracks

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</svg><script>alert(1)</script>",
    "]]><!--",
    '"><a href="javascript:alert(1)">',
    "&lt;&#60;&unknown;",
    "nul \0 escape \x1b surrogate \ud800 \uffff",
)


def one(*elements: Element, description: str = "a table") -> Scene:
    return Scene(100, 50, description, {"only": elements})


# --- the allow-list ---


@pytest.mark.parametrize("tag", ["script", "image", "foreignObject", "a", "use", "style", "animate", "g", "RECT", ""])
def test_other_tags_are_refused(tag: str) -> None:
    with pytest.raises(ValueError, match="no element"):
        Element(tag, {})


@pytest.mark.parametrize("name", ["href", "xlink:href", "style", "onload", "onclick", "id", "filter", "mask", "X"])
def test_other_attributes_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no attribute"):
        Element("rect", {name: "1"})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("fill", "url(#x)"),
        ("fill", "red"),
        ("fill", "#12345"),
        ("fill", "#123456\n"),
        ("stroke", "url(http://x)"),
        ("class", "ink other"),
        ("class", "halo"),
        ("class", ""),
        ("x", "1e9"),
        ("x", "10%"),
        ("x", float("nan")),
        ("x", float("inf")),
        ("x", "١"),
        ("width", True),
        ("d", "M0 0;url(x)"),
        ("transform", "matrix(1 0 0 1 0 0)"),
        ("text-anchor", "inherit"),
    ],
)
def test_other_values_are_refused(name: str, value: str | float) -> None:
    with pytest.raises(ValueError, match="cannot be"):
        Element("rect", {name: value})


def test_only_a_text_has_words() -> None:
    assert Element("text", {}, "hello").text == "hello"
    with pytest.raises(ValueError, match="only a text has words"):
        Element("rect", {}, "hello")


def test_nothing_on_the_allow_list_loads_styles_or_runs() -> None:
    assert not [name for name in scene.ATTRIBUTES if name.startswith("on") or "href" in name or name in ("style", "id")]
    dangerous = ("url(#a)", "javascript:alert(1)", "http://x", "expression(1)", "\\75rl(x)", "<", '"')
    assert not [
        (name, value) for name, form in scene.ATTRIBUTES.items() for value in dangerous if re.fullmatch(form, value)
    ]


def test_an_element_is_a_short_list_in_json() -> None:
    element = scene.rect(1, 2.5, 30, 40.0, "card", radius=8)
    assert msgspec.json.decode(msgspec.json.encode(element)) == [
        "rect",
        {"x": 1, "y": 2.5, "width": 30, "height": 40, "rx": 8, "class": "card"},
        None,
    ]


# --- the SVG document ---


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_words_stay_words(words: str) -> None:
    document = svg(one(scene.text(1, 2, words), description=words))
    root = ElementTree.fromstring(document)
    assert {node.tag for node in root.iter()} == {f"{SVG}{tag}" for tag in ("svg", "title", "style", "g", "text")}
    shown = root.findtext(f".//{SVG}text")
    assert shown == root.findtext(f"{SVG}title")
    printable = [c for c in words if c not in "\0\x1b\ud800\uffff"]
    assert [c for c in shown or "" if c != "\N{REPLACEMENT CHARACTER}"] == printable


@given(st.text())
def test_any_words_make_a_readable_document(words: str) -> None:
    root = ElementTree.fromstring(svg(one(scene.text(1, 2, words), description=words)).encode())
    assert len(list(root.iter())) == 5


def test_groups_are_drawn_in_order() -> None:
    document = svg(Scene(9, 9, "", {"under": (scene.rect(0, 0, 9, 9),), "over": (scene.circle(1, 1, 1),)}))
    root = ElementTree.fromstring(document)
    assert [group.get("data-group") for group in root.iter(f"{SVG}g")] == ["under", "over"]
    assert root.get("viewBox") == "0 0 9 9"


def test_the_document_needs_nothing_from_outside() -> None:
    document = svg(one(*scene.card(0, 0, "green", colour="#00aa00", glyph="G")))
    assert re.findall(r"https?:[^\"]*", document) == ["http://www.w3.org/2000/svg"]
    assert "url(" not in document
    assert "var(" not in document
    assert "light-dark(" not in document


def test_each_theme_has_its_own_colours_and_the_page_gets_both() -> None:
    light, dark = scene.ROLES["felt"]["fill"]
    assert f".felt{{fill:{light}}}" in scene.role_css("light")
    assert f".felt{{fill:{dark}}}" in scene.role_css("dark")
    assert f".felt{{fill:light-dark({light},{dark})}}" in scene.role_css()
    for theme in (scene.role_css("light"), scene.role_css("dark"), scene.role_css()):
        assert re.findall(r"\.([a-z-]+)\{", theme) == list(scene.ROLES)


# --- key-framing ---

frames = st.lists(st.dictionaries(st.sampled_from("abcd"), st.integers(0, 2)), max_size=12)


@given(frames)
def test_tracks_give_back_every_frame(frames: list[dict[str, int]]) -> None:
    result = tracks(frames)

    def at(name: str, number: int) -> int | None:
        return next((value for start, value in reversed(result[name]) if start <= number), None)

    for number, frame in enumerate(frames):
        assert {name: at(name, number) for name in result} == {name: frame.get(name) for name in result}
        assert frame.keys() <= result.keys()


@given(frames)
def test_tracks_hold_changes_only(frames: list[dict[str, int]]) -> None:
    result = tracks(frames)
    for track in result.values():
        numbers = [number for number, _ in track]
        assert numbers == sorted(set(numbers))
        assert track[0][1] is not None
        assert all(before != after for (_, before), (_, after) in itertools.pairwise(track))
    assert list(result) == list(dict.fromkeys(name for frame in frames for name in frame))


def test_tracks_of_pictures() -> None:
    still, moved = (scene.circle(1, 1, 1),), (scene.circle(2, 1, 1),)
    pictures = [{"a": still, "b": still}, {"a": still, "b": moved}, {"a": still}]
    assert tracks(pictures) == {"a": [(0, still)], "b": [(0, still), (1, moved), (2, None)]}


# --- things on a table ---


@pytest.mark.parametrize(
    "draw",
    [
        lambda words: scene.card(0, 0, words, colour="#3366cc", glyph="B"),
        lambda words: scene.panel(0, 0, 200, 100, words, note=words, active=True),
        lambda words: (scene.label(0, 0, words, 60),),
    ],
)
def test_long_words_are_cut(draw: Callable[[str], tuple[Element, ...]]) -> None:
    words = [element.text for element in draw("W" * 5_000) if element.text]
    assert words
    assert all(len(word) < 40 for word in words)
    assert any(word.endswith("…") for word in words)


def test_short_words_are_left_alone() -> None:
    assert scene.fitted("Ada", 100, 14) == "Ada"
    assert scene.fitted("", 0, 14) == ""
    assert scene.fitted("日本語日本語", 60, 14) == "日本語…"


def test_colour_is_never_the_only_difference_between_cards() -> None:
    def words(colour: str, glyph: str) -> list[str | None]:
        return [element.text for element in scene.card(0, 0, "", colour=colour, glyph=glyph)]

    assert words("#ff0000", "R") != words("#00ff00", "G")


@pytest.mark.parametrize(("count", "layers"), [(1, 0), (2, 1), (3, 2), (66, 2)])
def test_a_pile_shows_its_count_and_some_depth(count: int, layers: int) -> None:
    elements = scene.pile(0, 0, count)
    assert [element.text for element in elements if element.text] == [str(count)]
    assert len(elements) == len(scene.card_back(0, 0)) + layers + 2


def test_an_empty_pile_is_an_outline() -> None:
    outline, *_, count = scene.pile(0, 0, 0)
    assert outline.attrs["class"] == "slot"
    assert count.text == "0"


def test_the_seat_to_move_differs_in_more_than_colour() -> None:
    resting, active = scene.panel(0, 0, 200, 100, "Ada"), scene.panel(0, 0, 200, 100, "Ada", active=True)
    assert [element.tag for element in active if element not in resting] == ["rect", "path", "text"]


@pytest.mark.parametrize(("colour", "ink"), [("#ffffff", "#10201a"), ("#f0c93a", "#10201a"), ("#20304a", "#ffffff")])
def test_ink_reads_on_its_colour(colour: str, ink: str) -> None:
    assert scene.on(colour) == ink


# --- the colours of the page ---


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_white_words_can_be_read_on_a_button(theme: str) -> None:
    settings = Path(scene.__file__).parent / ".streamlit" / "config.toml"
    assert scene.on(tomllib.loads(settings.read_text(encoding="utf-8"))["theme"][theme]["primaryColor"]) == "#ffffff"
