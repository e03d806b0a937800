"""The one read path: canonical bytes at once, anything else one by one, old shapes upcast, unknown events kept.

The stored bytes in tests/upcast/ are those of a version that no longer exists. They are never written again.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest
from msgspec.structs import replace

from core.conformance import random_game
from core.engine import fold, states
from core.streams import decode, lawful, refuse_opening, shapes
from events.base import Event, TakenBack, TurnStarted
from events.codec import encode, encode_all
from events.jsonl import read, write
from events.tape import Fault, Header, Player, Tape, digest, sealed
from events.upcast import Upcaster, upcast
from tests.toy import HiddenStones, StonesTaken, toy

STORED = Path(__file__).parents[1] / "upcast"
OLD_DIGESTS = {
    "hidden-stones-shapes-1.jsonl": "0fa6ef7a1001dab068e86caa159a60cee96323f3e0843302db3870338457bdbe",
    "hidden-stones-shapes-2.jsonl": "4de07bd83898425c950bed3ca0900f738a20b2eedd734b6d89cb22959e22f9be",
}
"""The digests of the stored streams as they were recorded: reading them must not change them."""

TODAY = "801b60a8f262f8a8553717a5fbfadb0747e889a2413038e74393955f71bfad4f"
"""The digest of the same game in today's shapes."""


def renamed(old: dict[str, Any]) -> dict[str, Any]:
    """Shapes 1 to 2: stones_taken called its seat `player`, and its count `n`."""
    if old["type"] != "stones_taken":
        return old
    return {"type": "stones_taken", "seat": old["player"], "count": old["n"]}


def split(old: dict[str, Any]) -> dict[str, Any]:
    """Shapes 2 to 3: a card was a number."""
    names = {1: "one", 2: "two", 3: "three"}
    match old:
        case {"type": "card_drawn"}:
            return {**old, "card": names[old["card"]]}
        case {"type": "cards_shown"}:
            return {**old, "cards": [[names[card] for card in hand] for hand in old["cards"]]}
    return old


class StonesOfToday(HiddenStones):
    """The toy after two changes of its events."""

    upcasters: ClassVar[tuple[Upcaster, ...]] = (renamed, split)


def tape(events: Sequence[Event], version: int = 1, game: type[HiddenStones] = HiddenStones) -> Tape:
    header = Header(
        id="00000000-0000-0000-0000-000000000000",
        game=game.slug,
        rules=game.rules,
        shapes=version,
        sheet=toy().sheet_digest,
        players=(Player("Ada"), Player("Bo")),
        provenance="imported",
    )
    return sealed(header, encode_all(events))


EVENTS = tuple(random_game(toy(), 2, "streams"))


def test_what_was_written_is_read() -> None:
    assert decode(HiddenStones, tape(EVENTS)) == (EVENTS, None)
    assert decode(HiddenStones, tape(())) == ((), None)


def test_shapes_count_upcasters() -> None:
    assert shapes(HiddenStones) == 1
    assert shapes(StonesOfToday) == 3


@pytest.mark.parametrize("name", sorted(OLD_DIGESTS))
def test_stored_streams_of_old_shapes_are_read_as_todays(name: str) -> None:
    content = (STORED / name).read_bytes()
    (reading,) = read(content.splitlines(keepends=True))
    old = reading.tape
    assert old is not None
    assert old.fault is None
    assert digest(old.events) == old.header.digest == OLD_DIGESTS[name]
    events, fault = decode(StonesOfToday, old)
    assert fault is None
    assert digest(encode_all(events)) == TODAY
    assert fold(toy(StonesOfToday), events).scores == (4, 2)
    assert b"".join(write(old)) == content  # what is stored is never rewritten


@pytest.mark.parametrize("version", [0, 4, 99])
def test_shapes_of_another_time_are_not_guessed_at(version: int) -> None:
    events, fault = decode(StonesOfToday, tape(EVENTS, version))
    assert events == ()
    assert fault == Fault(0, f"event shapes of version {version} are not known here (this has 3)")


def test_an_event_that_an_upcaster_cannot_read_ends_the_stream_there() -> None:
    (reading,) = read((STORED / "hidden-stones-shapes-1.jsonl").read_bytes().splitlines(keepends=True))
    old = reading.tape
    assert old is not None
    sound, _ = decode(StonesOfToday, old)
    for broken in (b"{}", b"[]", b'{"type":"card_drawn"}', b'{"type":"cards_shown","cards":7}', b"[" * 90_000, b"{"):
        damaged = replace(old, events=(*old.events[:4], broken, *old.events[5:]))
        events, fault = decode(StonesOfToday, damaged)
        assert events == sound[:4]
        assert fault is not None
        assert fault.step == 4
        assert "\n" not in fault.reason


def test_an_upcaster_leaves_todays_events_alone() -> None:
    raw = encode(StonesTaken(1, 2))
    assert upcast(raw, 3, StonesOfToday.upcasters) == raw
    assert upcast(b'{"type":"stones_taken","player":1,"n":2}', 1, StonesOfToday.upcasters) == raw
    assert upcast(raw, 2, StonesOfToday.upcasters) == raw


def test_what_is_no_object_comes_to_no_upcaster() -> None:
    with pytest.raises(msgspec.ValidationError, match=r"^Expected `object`, got `array`$"):
        upcast(b"[]", 1, StonesOfToday.upcasters)


def test_an_unknown_event_ends_what_can_be_folded_and_is_kept() -> None:
    unknown = b'{"type":"heap_kicked","by":1}'
    raws = encode_all(EVENTS)
    odd = sealed(tape(EVENTS).header, (*raws[:7], unknown, *raws[7:]))
    events, fault = decode(HiddenStones, odd)
    assert events == EVENTS[:7]
    assert fault == Fault(7, "an event of a type not known here: heap_kicked")
    assert odd.events[7] == unknown


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (b'{"type":"stones_taken","seat":0}', "broken stones_taken event: Object missing required field `count`"),
        (b'{"type":"stones_taken","seat":0,"count":"1"}', "broken stones_taken event: Expected `int`, got `str`"),
        (b'{"type":"stones_taken","seat":0,"count":1,"count":2}', "not an event: a field is given twice"),
        (b'{"seat":0}', "not an event: Object missing required field `type`"),
        (b"", "not an event: Input data was truncated"),
    ],
)
def test_a_broken_event_ends_the_stream_there(broken: bytes, reason: str) -> None:
    raws = encode_all(EVENTS)
    events, fault = decode(HiddenStones, replace(tape(EVENTS), events=(*raws[:7], broken, *raws[8:])))
    assert events == EVENTS[:7]
    assert fault is not None
    assert fault.step == 7
    assert fault.reason.startswith(reason)


def test_a_fault_of_the_file_is_handed_on() -> None:
    fault = Fault(9, "line 12: not JSON")
    assert decode(HiddenStones, replace(tape(EVENTS), fault=fault)) == (EVENTS[:9], fault)


def test_two_halves_of_an_event_are_not_one() -> None:
    """Bytes are read in one go only where each of them is an event: what is joined must not become one."""
    raws = encode_all(EVENTS)
    half = (b'{"type":"turn_started","seat":0', b'"turn":1}')
    events, fault = decode(HiddenStones, replace(tape(EVENTS), events=(*raws[:4], *half)))
    assert events == EVENTS[:4]
    assert fault is not None
    assert fault.step == 4


def test_other_json_of_the_same_events_is_read_as_well() -> None:
    loose = tuple([raw.replace(b":", b": ").replace(b",", b" , ") for raw in encode_all(EVENTS)])
    assert decode(HiddenStones, replace(tape(EVENTS), events=loose)) == (EVENTS, None)


# --- as far as the rules go ------------------------------------------------------------------------------------------

HEADER = tape(EVENTS).header


def test_a_lawful_stream_gives_the_state_after_each_event() -> None:
    assert lawful(toy(), HEADER, EVENTS) == (tuple(states(toy(), EVENTS)), None)
    assert lawful(toy(), HEADER, ()) == ((), None)
    assert refuse_opening(toy(), HEADER, EVENTS[0]) is None


def test_a_stream_that_was_taken_back_goes_on_from_there() -> None:
    events = (*EVENTS[:9], TakenBack(4), EVENTS[5])
    along, fault = lawful(toy(), HEADER, events)
    assert fault is None
    assert along == tuple(states(toy(), events))
    assert along[10] == along[5] != along[8]


def test_the_first_unlawful_event_ends_the_states_and_is_named() -> None:
    events = (*EVENTS[:5], StonesTaken(0, 4), *EVENTS[6:])
    fault = Fault(5, "stones_taken: not one of the 3 legal moves of seat 0 (HS-1)")
    assert lawful(toy(), HEADER, events) == (tuple(states(toy(), EVENTS[:5])), fault)


def test_an_opening_of_another_game_or_for_others_than_the_header_names() -> None:
    third = replace(HEADER, players=(*HEADER.players, Player("Cy")))
    for header, event, reason in (
        (HEADER, TurnStarted(0, 1), "turn_started: a stream begins with game_started"),
        (third, EVENTS[0], "game_started: the header names 3 players for 2 seats"),
    ):
        assert lawful(toy(), header, (event, *EVENTS[1:])) == ((), Fault(0, reason))
        assert refuse_opening(toy(), header, event) == reason.partition(": ")[2]
