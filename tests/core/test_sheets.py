"""Component sheets: read, refused, named by what is played with."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from core.sheets import from_fields, from_json, parse, sheet_digest
from events.codec import canonical
from events.errors import FormatError, TabletapeError
from tests.toy import HiddenStones, StonesSheet

TOML = """
game = "hidden-stones"
name = "Hidden Stones"
seats = [2, 4]
stones = 9
most = 3
cards = [3, 2, 1]
rounds = 3
[provenance]
seats = "rulebook"
stones = "printed"
most = "rulebook"
cards = "reconstructed"
rounds = "rulebook"
"""


def test_a_sheet_is_read() -> None:
    sheet = parse(TOML, StonesSheet)
    assert (sheet.stones, sheet.cards, sheet.seats) == (9, (3, 2, 1), (2, 4))
    assert sheet.components == ("stones", "most", "cards", "rounds", "seats")
    assert sheet.provenance["cards"] == "reconstructed"


def test_a_sheet_travels_as_json_and_as_fields() -> None:
    sheet = parse(TOML, StonesSheet)
    assert from_json(canonical(sheet), StonesSheet) == sheet
    fields = {name: getattr(sheet, name) for name in sheet.__struct_fields__}
    assert from_fields(fields, StonesSheet) == sheet


def test_the_digest_is_of_what_is_played_with() -> None:
    sheet = parse(TOML, StonesSheet)
    assert len(sheet_digest(sheet)) == 32
    assert sheet_digest(replace(sheet, name="Stones", note="mended", provenance={})) == sheet_digest(sheet)
    assert sheet_digest(HiddenStones.default_sheet or sheet) == sheet_digest(sheet)
    changes: list[dict[str, Any]] = [
        {"stones": 8},
        {"most": 2},
        {"cards": (3, 1, 2)},
        {"rounds": 4},
        {"seats": (2, 3)},
        {"game": "hidden-stones-2"},
    ]
    digests = [sheet_digest(replace(sheet, **change)) for change in changes]
    assert len({sheet_digest(sheet), *digests}) == 1 + len(changes)


@pytest.mark.parametrize(
    ("line", "instead", "wrong"),
    [
        ("stones = 9", "", "missing required field `stones`"),
        ("stones = 9", "stones = 'nine'", "Expected `int`, got `str` - at `$.stones`"),
        ("stones = 9", "stones = 9\nstones = 9", "Cannot overwrite a value"),
        ("stones = 9", "stones = 9\nbeans = 1", "unknown field `beans`"),
        ("stones = 9", "stones = 1979-05-27", "Expected `int`, got `date` - at `$.stones`"),
        ("stones = 9", "stones = nan", "Expected `int`, got `float` - at `$.stones`"),
        ("seats = [2, 4]", "seats = [4, 2]", "a seat range cannot be 4 to 2"),
        ("seats = [2, 4]", "seats = [0, 2]", "a seat range cannot be 0 to 2"),
        ("seats = [2, 4]", "seats = [2]", "at `$.seats`"),
        ('stones = "printed"', "", "provenance is missing for ['stones']"),
        ('stones = "printed"', 'stones = "printed"\nbeans = "printed"', "provenance names ['beans']"),
        ('stones = "printed"', 'stones = "heard"', "Invalid enum value 'heard'"),
        ('name = "Hidden Stones"', 'name = "Hidden', "unreadable component sheet"),
    ],
)
def test_a_wrong_sheet_is_refused_in_one_line(line: str, instead: str, wrong: str) -> None:
    assert line in TOML
    with pytest.raises(FormatError) as refused:
        parse(TOML.replace(line, instead, 1), StonesSheet)
    assert wrong in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"stones": "nine"}, "Expected `int`, got `str` - at `$.stones`"),
        ({"beans": 1}, "Object contains unknown field `beans`"),
        ({"stones": 1_001}, "a figure is larger than 1,000"),
        ({"stones": -1_001}, "a figure is larger than 1,000"),
        ({"cards": (1, 1_001, 1)}, "a figure is larger than 1,000"),
        ({"seats": (0, 4)}, "a seat range cannot be 0 to 4"),
        ({"seats": (3, 2)}, "a seat range cannot be 3 to 2"),
    ],
)
def test_a_wrong_sheet_is_refused_in_the_same_words_in_json_and_in_a_header(
    changes: dict[str, Any], wrong: str
) -> None:
    fields = {**msgspec.to_builtins(parse(TOML, StonesSheet)), **changes}
    for read in (lambda: from_json(canonical(fields), StonesSheet), lambda: from_fields(fields, StonesSheet)):
        assert refusal(read) == f"unreadable component sheet: {wrong}"


def test_the_figures_of_a_table_are_looked_at_as_well() -> None:
    class Prices(StonesSheet, frozen=True):
        prices: dict[str, tuple[int, ...]]

    text = TOML.replace("[provenance]", "prices = {{ bean = [1, {}] }}\n[provenance]\nprices = 'printed'")
    assert parse(text.format(1_000), Prices).prices == {"bean": (1, 1_000)}
    with pytest.raises(FormatError, match=r"^unreadable component sheet: a figure is larger than 1,000$"):
        parse(text.format(1_001), Prices)


def test_a_box_may_be_for_one_seat_count_and_for_one_seat() -> None:
    assert parse(TOML.replace("[2, 4]", "[1, 1]"), StonesSheet).seats == (1, 1)


@pytest.mark.parametrize(
    "text", [b"", b"\xff", b"\x00", b"[[[[", b"a=" + b"[" * 5_000, b"game = 1", b"a=" + b"1" * 5_000]
)
def test_bytes_that_are_no_sheet_are_refused(text: bytes) -> None:
    with pytest.raises(FormatError):
        parse(text, StonesSheet)
    with pytest.raises(FormatError):
        from_json(text, StonesSheet)


def refusal(read: Callable[[], object]) -> str:
    """Give the words of our own error, or nothing if there is none; any other error is the test's failure."""
    try:
        read()
    except TabletapeError as error:
        return str(error)
    return ""


@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace"))))
def test_any_bytes_are_refused_in_one_line(text: bytes) -> None:
    for read in (parse, from_json):
        words = refusal(partial(read, text, StonesSheet))
        assert words.startswith("unreadable component sheet: ")
        assert "\n" not in words


@given(st.integers(0, len(TOML) - 1), st.characters())
def test_any_changed_character_gives_a_sheet_or_one_line(at: int, character: str) -> None:
    assert "\n" not in refusal(lambda: parse(TOML[:at] + character + TOML[at + 1 :], StonesSheet))
