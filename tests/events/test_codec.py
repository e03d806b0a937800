"""Events as bytes: one canonical form, and every other kind of bytes refused as ours or kept as they are."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.conformance import random_game
from core.game import Game
from core.registry import OURS, codec
from events.base import Event, GameStarted, Options, TurnStarted, Unknown, kind_of, seat_of, subject_of
from events.codec import Codec, canonical, encode, encode_all
from events.errors import LONGEST, FormatError, TabletapeError, line_of
from events.queen_of_the_cupcakes import CardsTaken, QueenEvent
from replay.games import load
from tests.toy import HiddenStones, StonesTaken, toy

CODEC = Codec(QueenEvent)
TURN = b'{"type":"turn_started","seat":1,"turn":4}'


def test_canonical_form() -> None:
    assert encode(CardsTaken(2, "green", 3)) == b'{"type":"cards_taken","seat":2,"kind":"green","count":3}'
    assert canonical({"b": 1, "a": ("ä", None)}) == '{"a":["ä",null],"b":1}'.encode()


def test_what_events_say_of_themselves() -> None:
    event = CODEC.decode(TURN)
    assert type(event) is not TurnStarted  # the game's own, which cites its rule
    assert (kind_of(event), seat_of(event), subject_of(event)) == ("turn_started", 1, None)
    taken = CardsTaken(2, "green", 3)
    assert (kind_of(taken), seat_of(taken), subject_of(taken)) == ("cards_taken", 2, "green")
    unknown = Unknown("peeked", b"{}")
    assert (kind_of(unknown), seat_of(unknown), subject_of(unknown)) == ("peeked", None, None)


@pytest.mark.parametrize("kind", [*OURS, HiddenStones], ids=lambda kind: kind.slug)
def test_every_event_of_every_game_is_read_back(kind: type[Game[Any]]) -> None:
    game = toy() if kind is HiddenStones else load(kind.slug)
    events = tuple(random_game(game, game.sheet.seats[1], "codec"))
    raws = tuple([encode(event) for event in events])
    reader = codec(type(game))
    assert reader.decode_all(raws) == events
    assert tuple([reader.decode(raw) for raw in raws]) == events
    for raw in raws:
        assert json.dumps(json.loads(raw), separators=(",", ":"), ensure_ascii=False).encode() == raw


@pytest.mark.parametrize("kind", [*OURS, HiddenStones], ids=lambda kind: kind.slug)
def test_every_type_of_a_game_has_a_tag_of_its_own(kind: type[Game[Any]]) -> None:
    members = kind.union.__args__
    tags = codec(kind).tags
    assert len(tags) == len(members) == len(set(tags))
    assert "unknown" not in tags


@pytest.mark.parametrize(
    "raw", [b" " + TURN, TURN + b"\n", TURN.replace(b":", b" : "), TURN.replace(b"seat", b"\\u0073eat")]
)
def test_other_json_of_the_same_event_is_the_same_event(raw: bytes) -> None:
    assert CODEC.decode(raw) == CODEC.decode(TURN)
    assert encode(CODEC.decode(raw)) == TURN


@pytest.mark.parametrize(
    "raw",
    [
        b'{"type":"cards_stolen","seat":1,"from":2}',
        b'{ "seat" : 1 , "type" : "cards_stolen" }',
        b'{"type":"cards_stolen","deep":{"a":[1,2,{"b":null}]},"float":1.5e3,"big":123456789012345678901234567890}',
        '{"type":"tarte aux pommes 🧁","x":"\\ud83e\\uddc1"}'.encode(),
        b'{"type":""}',
        b'{"type":"unknown","kind":"x","raw":"eA=="}',
    ],
)
def test_an_unknown_event_is_kept_byte_for_byte(raw: bytes) -> None:
    event = CODEC.decode(raw)
    assert event == Unknown(json.loads(raw)["type"], raw)
    assert encode(event) == raw
    assert CODEC.decode_all((TURN, raw, TURN)) == (CODEC.decode(TURN), event, CODEC.decode(TURN))
    assert encode_all(CODEC.decode_all((TURN, raw, TURN))) == (TURN, raw, TURN)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b'{"seat":1,"turn":4}', "not an event: Object missing required field `type`"),
        (b"{}", "not an event: Object missing required field `type`"),
        (b'{"type":7}', "not an event: Expected `str`, got `int`"),
        (b'{"type":null}', "not an event: Expected `str`, got `null`"),
        (b"[]", "not an event: Expected `object`, got `array`"),
        (b"null", "not an event: Expected `object`, got `null`"),
        (b'"turn_started"', "not an event: Expected `object`, got `str`"),
        (b"", "not an event: Input data was truncated"),
        (TURN[:-1], "not an event: Input data was truncated"),
        (TURN + TURN, "not an event: JSON is malformed"),
        (TURN + b"," + TURN, "not an event: JSON is malformed"),
        (TURN + b"\n" + TURN, "not an event: JSON is malformed"),
        (b"\xff\xfe", "not an event: JSON is malformed"),
        (b'{"type":"turn_started","seat":1}', "broken turn_started event: Object missing required field `turn`"),
        (TURN.replace(b"4", b'"4"'), "broken turn_started event: Expected `int`, got `str` - at `$.turn`"),
        (TURN.replace(b"4", b"4.0"), "broken turn_started event: Expected `int`, got `float` - at `$.turn`"),
        (TURN.replace(b"4", b"true"), "broken turn_started event: Expected `int`, got `bool` - at `$.turn`"),
        (TURN.replace(b"4", b"null"), "broken turn_started event: Expected `int`, got `null` - at `$.turn`"),
        (TURN.replace(b"4", b"NaN"), "not an event: JSON is malformed"),
        (TURN.replace(b"4", b"-Infinity"), "not an event: JSON is malformed"),
        (TURN.replace(b"4", b"1e999"), "broken turn_started event: "),
        (TURN.replace(b"4", b"9" * 5_000), "broken turn_started event: Integer value out of range"),
        (TURN.replace(b"}", b',"mood":"good"}'), "broken turn_started event: Object contains unknown field `mood`"),
        (TURN.replace(b"}", b',"turn":4}'), "not an event: a field is given twice"),
        (TURN.replace(b"}", b',"type":"turn_started"}'), "not an event: a field is given twice"),
        (b'{"type":"peeked","seat":1,"seat":2}', "not an event: a field is given twice"),
        (b'{"type":"peeked","a":{"b":1,"b":2}}', "not an event: a field is given twice"),
        (b'{"type":"peeked","n":' + b"9" * 5_000 + b"}", "not an event: Exceeds the limit"),
        (b'{"type":"peeked","n":NaN}', "not an event: JSON is malformed"),
        (b'{"type":"peeked","n":"\xff"}', "not an event: "),
        (b'{"type":"\\ud800"}', "not an event: "),
        (b'{"type":"peeked","n":"\\ud800"}', "not an event: "),
        (b'{"type":"peeked","n":' + b"[" * 90_000 + b"]" * 90_000 + b"}", "not an event: "),
        (
            b'{"type":"cards_taken","seat":0,"kind":"red","count":1}',
            "broken cards_taken event: Invalid enum value 'red'",
        ),
    ],
    ids=lambda value: repr(value[:30]).replace("\\", "/"),
)
def test_what_is_no_event_is_refused_in_one_line(raw: bytes, reason: str) -> None:
    with pytest.raises(FormatError) as refused:
        CODEC.decode(raw)
    assert str(refused.value).startswith(reason)
    assert "\n" not in str(refused.value)
    with pytest.raises(FormatError):
        CODEC.decode_all((TURN, raw))


def test_what_others_said_becomes_a_printable_line_of_bounded_length() -> None:
    assert line_of("no\n\x1b[2J \t such field") == "no ?[2J such field"
    assert line_of("x" * LONGEST) == "x" * LONGEST
    assert line_of("x" * (LONGEST + 1)) == line_of("x" * 9_000) == "x" * LONGEST + "…"


def test_a_lone_surrogate_is_refused_also_where_a_text_is_free() -> None:
    started = b'{"type":"game_started","game":"\\ud800","rules":1,"seats":2,"sheet":"x","options":{}}'
    with pytest.raises(FormatError):
        CODEC.decode(started)


@pytest.mark.parametrize(
    "raws",
    [
        (TURN[:-8], TURN[-8:]),
        (TURN + b"," + TURN,),
        (TURN + b",", TURN[1:]),
        (TURN.replace(b"}", b',"turn":5}'),),
        (b"",),
        (TURN, b"", TURN),
        (TURN + b"\n" + TURN, b""),
        (b"", TURN + b"\n" + TURN),
    ],
)
def test_events_read_in_one_go_are_each_an_event(raws: tuple[bytes, ...]) -> None:
    with pytest.raises(FormatError):
        CODEC.decode_all(raws)


def test_no_events_at_all() -> None:
    assert CODEC.decode_all(()) == ()


def test_a_codec_knows_the_tags_of_its_union_and_wants_one() -> None:
    two = Codec(GameStarted[Options] | TurnStarted)
    assert two.tags == ("game_started", "turn_started")
    assert two.decode(TURN) == TurnStarted(1, 4)
    assert two.decode(b'{"type":"game_ended"}') == Unknown("game_ended", b'{"type":"game_ended"}')
    with pytest.raises(FormatError):
        two.decode(b'{"seat":1,"turn":4}')


def refusal(raw: bytes) -> str:
    """Give the words of our own error; "" for what is an event, which then must be written as it was read."""
    try:
        event: Event = CODEC.decode(raw)
    except TabletapeError as error:
        return str(error)
    assert CODEC.decode(encode(event)) == event
    return ""


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@given(st.binary(max_size=120))
def test_only_our_errors_for_any_bytes(raw: bytes) -> None:
    assert "\n" not in refusal(raw)


@given(json_values)
def test_only_our_errors_for_any_json(value: object) -> None:
    assert "\n" not in refusal(json.dumps(value).encode())


@given(
    st.sampled_from([*CODEC.tags, "peeked"]),
    st.dictionaries(st.sampled_from(["seat", "turn", "kind", "count", "cards", "x"]), json_values, max_size=5),
)
def test_only_our_errors_for_anything_with_a_tag(tag: str, fields: dict[str, object]) -> None:
    assert "\n" not in refusal(json.dumps({"type": tag, **fields}).encode())


@given(st.data())
def test_only_our_errors_for_any_changed_byte(data: st.DataObject) -> None:
    raw = data.draw(st.sampled_from([TURN, encode(StonesTaken(1, 2)), encode(CardsTaken(0, "grey", 5))]))
    at = data.draw(st.integers(0, len(raw) - 1))
    changed = raw[:at] + bytes([data.draw(st.integers(0, 255))]) + raw[at + 1 :]
    assert "\n" not in refusal(changed)
