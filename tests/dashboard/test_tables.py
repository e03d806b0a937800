"""The pictures of Queen of the Cupcakes and of any game: every step for every viewer, and never a hidden face."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from core.conformance import random_game
from core.engine import states
from core.game import State
from core.games.queen_of_the_cupcakes.state import Table
from core.redact import redact
from dashboard.scene import Element, Scene, svg
from dashboard.tables import fallback, picture_of, queen_of_the_cupcakes
from dashboard.tables.queen_of_the_cupcakes import LOOKS
from events.marks import Viewer
from events.queen_of_the_cupcakes import QueenOptions
from replay.games import load
from tests.toy import toy

QUEEN = load("queen-of-the-cupcakes")
NAMES = ("Ada", "Bartholomew Featherstonehaugh-Wolstenholme", "<script>", "![x](http://x)", "Eve")
COLOURS = {colour: kind for kind, (colour, _) in LOOKS.items()}


def game(seats: int, teams: bool = False) -> list[Table]:
    return list(states(QUEEN, random_game(QUEEN, seats, "picture", QueenOptions(teams=teams))))


def faces(elements: Sequence[Element]) -> Counter[str]:
    """Count what is filled in a kind's colour: a card, or a turned-up kind."""
    return Counter([COLOURS[str(each.attrs["fill"])] for each in elements if each.attrs.get("fill") in COLOURS])


def words(scene: Scene) -> str:
    return " ".join([each.text or "" for elements in scene.groups.values() for each in elements])


def test_each_game_has_its_own_picture_and_a_new_one_the_fallback() -> None:
    assert picture_of("queen-of-the-cupcakes") is queen_of_the_cupcakes.picture
    assert picture_of("hidden-stones") is fallback.picture
    assert picture_of("no.such") is fallback.picture


@pytest.mark.parametrize(("seats", "teams"), [(2, False), (3, False), (4, False), (4, True), (5, False)])
def test_queen_shows_each_viewer_what_lies_open_and_nothing_else(seats: int, teams: bool) -> None:
    sizes = set()
    viewers: list[Viewer] = ["spectator", "omniscient", *range(seats)]
    for state in game(seats, teams):
        for viewer in viewers:
            scene = queen_of_the_cupcakes.picture(redact(state, viewer), NAMES[:seats])
            sizes.add((scene.width, scene.height))
            assert faces(scene.groups["bank"]) == Counter(state.bank)
            assert faces(scene.groups["draw"]) == Counter()
            for seat, hand in enumerate(state.hands):
                assert faces(scene.groups[f"hand-{seat}"]) == Counter(hand if viewer in (seat, "omniscient") else ())
                open_ = state.revealed[seat] if state.revealed else ()
                assert faces(scene.groups[f"front-{seat}"]) == Counter(dict.fromkeys(open_, 1))
            for kind, filled in zip(state.sheet.kinds, state.bins, strict=True):
                assert faces(scene.groups[f"bin-{kind}"]) == Counter({kind: filled} if filled else {})
    assert len(sizes) == 1


def test_queen_says_in_words_what_it_shows() -> None:
    along = game(3)
    before = queen_of_the_cupcakes.picture(redact(along[5], 0), NAMES[:3])
    assert "Ada takes from the bank" in before.description or "may lay out" in before.description
    assert f"Draw pile: {len(along[5].pile)}" in before.description
    assert f"{NAMES[1]} holds {len(along[5].hands[1])} cards" in before.description
    end = along[-1]
    assert end.outcome is not None
    after = queen_of_the_cupcakes.picture(redact(end, "spectator"), NAMES[:3])
    for seat, score in enumerate(end.outcome.scores):
        notes = [each.text or "" for each in after.groups[f"seat-{seat}"]]
        assert any(note.startswith(f"{score} points") for note in notes)
        assert any(note.endswith("wins") for note in notes) == (seat in end.outcome.ranking[0])


def test_queen_marks_a_bin_that_is_full_or_over() -> None:
    table = next(state for state in game(2) if state.phase == "take")
    for filled, said in ((4, "4 of 5"), (5, "5 of 5 full"), (7, "7 of 5 over")):
        scene = queen_of_the_cupcakes.picture(replace(table, bins=(filled, 0, 0, 0, 0, 0)), NAMES[:2])
        assert said in [each.text for each in scene.groups["bin-orange"]]
        assert faces(scene.groups["bin-orange"]) == Counter({"orange": filled})
        bars = [each for each in scene.groups["bin-orange"] if each.attrs.get("fill") in COLOURS]
        assert min(float(bar.attrs["y"]) for bar in bars) >= 45


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_the_fallback_draws_any_game_for_every_viewer(seats: int) -> None:
    playable = [QUEEN] if seats == 5 else [QUEEN, toy()]
    for played in playable:
        sizes = set()
        for step, state in enumerate(states(played, random_game(played, seats, "fallback"))):
            for viewer in ("spectator", *range(seats)):
                scene = fallback.picture(redact(state, viewer), NAMES[:seats])
                sizes.add((scene.width, scene.height))
                assert step % 5 or svg(scene).startswith("<svg")
                assert f"{NAMES[0]}: hands" in scene.description or "hands none" in scene.description
        assert len(sizes) == 1


def test_the_fallback_shows_hidden_cards_as_backs_and_open_ones_by_name() -> None:
    state = next(state for state in game(2) if state.phase == "take")
    scene = fallback.picture(redact(state, 0), NAMES[:2])
    own = [each.text for each in scene.groups["seat-0 hands"] if each.text]
    assert {str(text).split(" × ")[0] for text in own[1:]} == set(state.hands[0])
    other = scene.groups["seat-1 hands"]
    assert [each.text for each in other if each.text] == ["hands", f"× {len(state.hands[1])}"]
    assert any(each.attrs.get("class") == "back" for each in other)
    bins = [each.text for each in scene.groups["bins"] if each.text]
    assert bins[1:] == [f"{kind} {count}" for kind, count in zip(state.sheet.kinds, state.bins, strict=True)]


def test_the_fallback_says_whose_turn_it_is() -> None:
    for state in game(3):
        active = [
            seat
            for seat in range(3)
            if "active"
            in [each.attrs.get("class") for each in fallback.picture(state, NAMES[:3]).groups[f"seat-{seat}"]]
        ]
        assert active == ([state.seat] if state.seat >= 0 else [])


class Wide(State, frozen=True):
    """More fields than a panel has lines, and one value that needs many."""

    one: int = 1
    two: int = 2
    three: int = 3
    four: int = 4
    five: int = 5
    six: int = 6
    seven: tuple[str, ...] = tuple([f"a-rather-long-name-{number}" for number in range(40)])
    eight: int = 8
    nine: int = 9


def test_the_fallback_says_what_it_has_no_room_for() -> None:
    scene = fallback.picture(Wide(), ["Ada"])
    assert "…" in words(scene)
    assert "and 2 more: see the state" in words(scene)
    assert max(float(each.attrs["y"]) for each in scene.groups["seven"]) < scene.height
