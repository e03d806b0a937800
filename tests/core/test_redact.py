"""Views: each mark, for each viewer, on events, states, structs inside structs, and lists of moves."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import pytest
from msgspec import Struct

from core.game import State
from core.redact import hides, marks_of, moves_of, redact, seen, viewer_from
from events.base import Event, Move
from events.errors import SetupError
from events.marks import HIDDEN, OWN_SEAT, Viewer, labelled, private_to

VIEWERS: list[Viewer] = [0, 1, 2, "spectator", "omniscient"]


class Letter(Event, frozen=True, tag="letter"):
    """From one seat to another, with a stamp that nobody reads."""

    seat: int
    to: int
    text: Annotated[tuple[str, ...], private_to("seat", "to")]
    stamp: Annotated[str, HIDDEN] = "stamp"
    weight: int = 3


class Declined(Move, frozen=True, tag="declined"):
    """Others do not learn of it."""

    seen_by: ClassVar[tuple[str, ...]] = ("seat",)

    card: Annotated[str, private_to("seat")] = "c"


class Inner(Struct, frozen=True):
    """A struct inside a state."""

    owner: int
    secret: Annotated[int, private_to("owner")]
    seen: int = 7


class Table(State, frozen=True):
    """A state with every mark."""

    names: tuple[str, ...] = ("ann", "bo")
    counts: Annotated[tuple[int, ...], labelled("names")] = (1, 2)
    hands: Annotated[tuple[tuple[str, ...], ...], OWN_SEAT] = (("a", "b"), ("c",), ())
    deck: Annotated[tuple[tuple[str, int], ...], HIDDEN] = (("x", 1), ("y", 2))
    inner: Inner | None = Inner(1, 42)
    many: tuple[Inner, ...] = (Inner(0, 10), Inner(2, 20))
    deep: tuple[tuple[Inner, ...], ...] = ((Inner(1, 5),), ())


@pytest.mark.parametrize(
    ("viewer", "text"), [(0, ("dear",)), (1, ("?",)), (2, ("dear",)), ("spectator", ("?",)), ("omniscient", ("dear",))]
)
def test_private_fields_are_for_the_seats_that_are_named(viewer: Viewer, text: Any) -> None:
    letter = Letter(0, 2, ("dear",))
    shown = seen(letter, viewer)
    assert shown is not None
    assert shown.text == text
    assert shown.stamp == ("stamp" if viewer == "omniscient" else "?")
    assert (shown.seat, shown.to, shown.weight) == (0, 2, 3)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_whole_event_can_be_secret(viewer: Viewer) -> None:
    event = Declined(1)
    assert seen(event, viewer) == (event if viewer in (1, "omniscient") else None)


@pytest.mark.parametrize(
    ("viewer", "hands"),
    [
        (0, (("a", "b"), ("?",), ())),
        (1, (("?", "?"), ("c",), ())),
        (2, (("?", "?"), ("?",), ())),
        ("spectator", (("?", "?"), ("?",), ())),
    ],
)
def test_a_position_is_for_its_seat(viewer: Viewer, hands: Any) -> None:
    assert redact(Table(), viewer).hands == hands


@pytest.mark.parametrize("viewer", [0, 1, 2, "spectator"])
def test_hidden_is_for_nobody_and_counts_stay(viewer: Viewer) -> None:
    view = redact(Table(), viewer)
    deck: object = view.deck
    assert deck == (("?", "?"), ("?", "?"))
    assert (view.names, view.counts) == (("ann", "bo"), (1, 2))


@pytest.mark.parametrize(
    ("viewer", "secrets"),
    [
        (0, ("?", 10, "?", "?")),
        (1, (42, "?", "?", 5)),
        (2, ("?", "?", 20, "?")),
        ("spectator", ("?", "?", "?", "?")),
        ("omniscient", (42, 10, 20, 5)),
    ],
)
def test_structs_inside_are_redacted_by_their_own_marks(viewer: Viewer, secrets: Any) -> None:
    view = redact(Table(), viewer)
    assert view.inner is not None
    found = (view.inner.secret, view.many[0].secret, view.many[1].secret, view.deep[0][0].secret)
    assert found == secrets
    assert view.many[0].seen == 7
    assert redact(Table(inner=None), viewer).inner is None


def test_a_view_is_a_new_thing_and_the_omniscient_one_the_thing_itself() -> None:
    table = Table()
    assert redact(table, "omniscient") is table
    assert redact(table, 0) is not table
    assert table == Table()


def test_a_type_hides_something_if_any_struct_inside_it_does() -> None:
    class Holder(Struct, frozen=True):
        inside: tuple[tuple[Inner, ...], ...] = ()

    class Plain(Struct, frozen=True):
        names: Annotated[tuple[str, ...], labelled("names")] = ()

    assert [hides(kind) for kind in (Letter, Declined, Inner, Table, Holder)] == [True] * 5
    assert not hides(Plain)


def test_what_has_no_secret_is_given_as_it_is() -> None:
    inner = Inner(0, 3)
    assert redact(inner, 0) is inner


@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_view_of_a_view_is_that_view(viewer: Viewer) -> None:
    view = redact(Table(), viewer)
    assert redact(view, viewer) == view
    assert redact(view, "spectator") == redact(Table(), "spectator")


def test_marks_are_read_from_the_types_of_a_family() -> None:
    class More(Table, frozen=True):
        extra: Annotated[int, HIDDEN] = 1

    assert {name: mark.kind for name, mark in marks_of(More).items()} == {
        "counts": "labelled",
        "hands": "own_seat",
        "deck": "hidden",
        "extra": "hidden",
    }
    assert redact(More(), 0).hands == redact(Table(), 0).hands
    extra: object = redact(More(), 0).extra
    assert extra == "?"


def test_moves_are_shown_to_their_seat() -> None:
    moves = [Declined(0), Declined(1), Declined(0, "d")]
    assert moves_of(moves, 0) == [moves[0], moves[2]]
    assert moves_of(moves, 1) == [moves[1]]
    assert moves_of(moves, 2) == moves_of(moves, "spectator") == []
    assert moves_of(moves, "omniscient") == moves


@pytest.mark.parametrize(
    ("text", "viewer"), [("spectator", "spectator"), ("omniscient", "omniscient"), ("0", 0), ("2", 2)]
)
def test_viewers_by_name(text: str, viewer: Viewer) -> None:
    assert viewer_from(text, 3) == viewer


@pytest.mark.parametrize("text", ["", "3", "-1", "all", "Spectator", "²", "٣", " 1", "1.0", "9" * 5_000, "0\n"])
def test_other_viewers_are_refused(text: str) -> None:
    with pytest.raises(SetupError, match=r"^no such viewer: .* \(spectator, omniscient or a seat from 0 to 2\)$"):
        viewer_from(text, 3)
