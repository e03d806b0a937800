"""The chain over a stream, and the header."""

from __future__ import annotations

from hashlib import blake2b

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from events.tape import ROOT, Fault, Header, Player, Tape, digest, link, links, sealed

HEADER = Header(
    id="00000000-0000-0000-0000-000000000001",
    game="g",
    rules=1,
    shapes=1,
    sheet="s",
    players=(Player("Ada"), Player("Bo", "random")),
    provenance="live",
)

streams = st.lists(st.binary(max_size=20), max_size=12)


def chain(events: list[bytes]) -> str:
    """The digest, straight from its description: 32 zero bytes, then blake2b-256 of the last link and the event."""
    last = b"\x00" * 32
    for event in events:
        last = blake2b(last + event, digest_size=32).digest()
    return last.hex()


@given(streams)
def test_the_digest_is_that_of_the_description(events: list[bytes]) -> None:
    assert digest(events) == chain(events)
    assert [each.hex() for each in links(events)] == [chain(events[: n + 1]) for n in range(len(events))]


def test_pinned_digests() -> None:
    assert digest([]) == "00" * 32
    assert digest([b'{"type":"turn_started","seat":1,"turn":4}']) == (
        "cf4544cdced36666ac3af73742234043edb255bba354580af30869f8f2774354"
    )


@given(streams, streams)
def test_a_chain_goes_on_from_a_stored_link(one: list[bytes], two: list[bytes]) -> None:
    *_, middle = [ROOT, *links(one)]
    *_, last = [middle, *links(two, middle)]
    assert last.hex() == digest([*one, *two])


@given(streams.filter(len), st.data())
def test_any_change_changes_the_digest(events: list[bytes], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(events) - 1))
    whole = digest(events)
    assert digest(events[:at] + events[at + 1 :]) != whole
    assert digest([*events[:at], events[at] + b"x", *events[at + 1 :]]) != whole
    assert digest([*events[: at + 1], events[at], *events[at + 1 :]]) != whole
    assert digest([*events, b""]) != whole
    if at and events[at] != events[at - 1]:
        assert digest([*events[: at - 1], events[at], events[at - 1], *events[at + 1 :]]) != whole


def test_where_one_event_ends_and_the_next_begins_counts() -> None:
    assert digest([b"ab", b"c"]) != digest([b"a", b"bc"]) != digest([b"abc"])
    assert link(ROOT, b"") != ROOT


def test_sealing_writes_length_and_digest_and_nothing_else() -> None:
    tape = sealed(HEADER, (b"a", b"b"))
    assert tape.header == replace(HEADER, length=2, digest=digest([b"a", b"b"]))
    assert (tape.events, tape.fault) == ((b"a", b"b"), None)


def test_a_tape_with_a_sheet_of_its_own_travels_between_processes() -> None:
    """Workers hand tapes over as MessagePack, files as JSON."""
    tape = sealed(replace(HEADER, components={"stones": 9, "cards": [3, 2, 1], "note": "ä"}), (b"a", b"\xff"))
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(tape), type=Tape) == tape
    assert msgspec.json.decode(msgspec.json.encode(tape.header), type=Header) == tape.header


def test_names_can_be_changed_without_touching_the_chain() -> None:
    named = sealed(HEADER, (b"a",))
    removed = sealed(replace(HEADER, players=(Player("Seat 0"), Player("Seat 1"))), (b"a",))
    assert named.header.digest == removed.header.digest


def test_a_fault_ends_what_can_be_believed() -> None:
    tape = Tape(HEADER, (b"a", b"b", b"c"), Fault(1, "line 3: not JSON"))
    assert tape.sound == (b"a",)
    assert Tape(HEADER, (b"a", b"b")).sound == (b"a", b"b")
    assert Tape(HEADER, (b"a", b"b"), Fault(0, "")).sound == ()
