"""States as flat paths, and what differs between two of them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct
from msgspec.structs import replace

from core.game import Outcome, State
from core.paths import diff, flatten
from core.redact import redact
from events.marks import COMPONENTS, OWN_SEAT, labelled


class Box(Struct, frozen=True):
    """What is played with: the same at every step."""

    kinds: tuple[str, ...] = ("red", "blue")


class Table(State, frozen=True):
    """A bit of everything."""

    sheet: Annotated[Box, COMPONENTS] = Box()
    bins: Annotated[tuple[int, ...], labelled("sheet", "kinds")] = (3, 4)
    rows: Annotated[tuple[tuple[str, ...], ...], labelled("sheet", "kinds")] = (("a",), ())
    hands: Annotated[tuple[tuple[str, ...], ...], OWN_SEAT] = (("x", "y"), ())
    empty: tuple[str, ...] = ()
    outcome: Outcome | None = None


def test_every_value_has_a_path() -> None:
    assert flatten(Table(outcome=Outcome("end", (1, 2), ((1,), (0,))))) == {
        "bins.red": 3,
        "bins.blue": 4,
        "rows.red": ("a",),
        "rows.blue": (),
        "hands[0]": ("x", "y"),
        "hands[1]": (),
        "empty": (),
        "outcome.reason": "end",
        "outcome.scores": (1, 2),
        "outcome.ranking[0]": (1,),
        "outcome.ranking[1]": (0,),
    }


def test_the_box_is_not_repeated() -> None:
    assert not [path for path in flatten(Table()) if path.startswith("sheet")]


def test_a_redacted_state_has_the_same_paths() -> None:
    view = flatten(redact(Table(), 1))
    assert view["hands[0]"] == ("?", "?")
    assert list(view) == list(flatten(Table()))


def test_diff_names_what_changed_in_order() -> None:
    before = Table()
    after = replace(before, bins=(3, 5), hands=(("x",), ("y",)), outcome=Outcome("end", (0, 1), ((1,), (0,))))
    assert diff(flatten(before), flatten(after)) == [
        ("bins.blue", 4, 5),
        ("hands[0]", ("x", "y"), ("x",)),
        ("hands[1]", (), ("y",)),
        ("outcome.reason", None, "end"),
        ("outcome.scores", None, (0, 1)),
        ("outcome.ranking[0]", None, (1,)),
        ("outcome.ranking[1]", None, (0,)),
    ]


def test_diff_backwards_says_what_is_gone() -> None:
    before, after = flatten(Table(outcome=Outcome("end", (), ()))), flatten(Table())
    assert diff(before, after) == [
        ("outcome.reason", "end", None),
        ("outcome.scores", (), None),
        ("outcome.ranking", (), None),
    ]


def test_equal_states_do_not_differ() -> None:
    assert diff(flatten(Table()), flatten(Table())) == []
