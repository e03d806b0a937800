"""The picture of Cherry on the Cake: every step for every viewer, no hidden face, and the table in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from core.conformance import random_game
from core.engine import states
from core.games.cherry_on_the_cake.geometry import joints
from core.games.cherry_on_the_cake.state import Table
from core.redact import redact
from dashboard.scene import Element, Scene, svg
from dashboard.tables import picture_of
from dashboard.tables.cherry_on_the_cake import LOOKS, picture
from events.cherry_on_the_cake import CakeOptions, PieceChosen
from events.marks import MASK, Viewer
from tests.core.games.cherry_on_the_cake.bakery import (
    CHERRY,
    SHEET,
    after,
    board,
    box,
    cake,
    dealt,
    plain,
    stripe,
    table,
)

NAMES = ("Ada", "Bo", "<b>Cy</b>", "Di")


def words(scene: Scene, group: str) -> list[str]:
    """Give all words of a group."""
    return [each.text for each in scene.groups[group] if each.text]


def looks(elements: Sequence[Element]) -> Counter[str]:
    """Count the elements of a group by their role."""
    return Counter([str(each.attrs.get("class", "")) for each in elements])


def cubes(scene: Scene, group: str) -> int:
    """Count the cubes in a group: each has a shadow."""
    return len([each for each in scene.groups[group] if each.tag == "rect" and each.attrs.get("class") == "shade"])


def test_it_is_the_picture_of_the_game() -> None:
    assert picture_of("cherry-on-the-cake") is picture


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_step_for_every_viewer_shows_what_it_may_and_no_more(seats: int) -> None:
    names = NAMES[:seats]
    viewers: list[Viewer] = ["spectator", "omniscient", *range(seats)]
    sizes = set()
    for number, state in enumerate(states(CHERRY, random_game(CHERRY, seats, "picture"))):
        for viewer in viewers if number % 8 == 0 else viewers[:1]:
            scene = picture(redact(state, viewer), names)
            sizes.add((scene.width, scene.height))
            assert number % 40 or svg(scene).startswith("<svg")
            assert scene.description
            for each in state.boards:
                held: list[tuple[object, ...]] = [each.bronze, each.silver, each.gold]
                shown = [text for text in words(scene, f"chips-{each.seat}") if len(text) == 1]
                if each.turned_up:
                    held = [*each.turned_up]
                elif viewer not in ("omniscient", each.seat):
                    held = [(MASK,) * len(values) for values in held]
                assert shown == [str(value) for values in held for value in values]
                lying = [*each.small, *each.middle, *each.large, *each.exchange]
                assert cubes(scene, f"jars-{each.seat}") == len(lying)
                assert looks(scene.groups[f"shown-{each.seat}"])["mark"] == _marked(state, each.seat, viewer)
    assert len(sizes) == 1


def _marked(state: Table, seat: int, viewer: Viewer) -> int:
    """A choice is framed once all see it, and before that for its own seat, as long as its piece is not placed."""
    each = state.boards[seat]
    if state.choices:
        return int(state.choices[seat][0] in each.shown)
    return int(bool(each.chosen) and viewer in ("omniscient", seat))


def test_what_a_viewer_has_never_seen_changes_nothing_in_the_picture() -> None:
    """Piles, what is out of play, chips of others, a choice of a rival."""
    one = after(dealt(3), PieceChosen(0, 0, 0))
    two = after(dealt(3), PieceChosen(0, 1, 180))
    changed = [replace(each, pile=each.pile[::-1], bronze=(3,)) for each in two.boards]
    two = replace(two, boards=tuple(changed), spare=two.spare[::-1])
    one = replace(one, boards=tuple([replace(each, bronze=(1,)) for each in one.boards]))
    assert picture(redact(one, "spectator"), NAMES[:3]) == picture(redact(two, "spectator"), NAMES[:3])
    assert picture(one, NAMES[:3]) != picture(two, NAMES[:3])


def test_a_rival_is_seen_to_have_chosen_and_not_what() -> None:
    state = after(dealt(2), PieceChosen(0, 1, 180))
    assert any("has chosen" in note for note in words(picture(redact(state, 1), NAMES[:2]), "seat-0"))
    assert not any("has chosen" in note for note in words(picture(redact(state, 0), NAMES[:2]), "seat-1"))
    assert picture(redact(state, 1), NAMES[:2]).groups["status"][0].text == "Bo chooses a piece"


def test_stripes_are_drawn_to_scale_and_meet_where_they_overlap() -> None:
    """The outlines of two stripes share a stretch of the edge between two layers exactly where the game says so."""
    for number in range(1, 12):
        own = cake(0, number)
        scene = picture(table(own, board(1)), NAMES[:2])
        outlines = [_corners(each) for each in scene.groups["cake-0"] if each.tag == "path"]
        lower, upper = outlines[:5], outlines[5:]
        found = [
            (one, other)
            for other, above in enumerate(upper)
            for one, below in enumerate(lower)
            if min(above[3][0], below[2][0]) - max(above[0][0], below[1][0]) > 0.2  # corners: lower left, then on
            and SHEET.pieces[0].stripes[one].colour == SHEET.pieces[number].stripes[other].colour
        ]
        assert tuple(found) == joints(SHEET, own, 2)


def _corners(outline: Element) -> list[tuple[float, float]]:
    """Give the corners of a stripe: lower left, upper left, upper right, lower right."""
    points = str(outline.attrs["d"]).strip("MZ").split("L")
    corners = []
    for point in points:
        x, y = point.split()
        corners.append((float(x), float(y)))
    return corners


def test_connected_stripes_are_framed_and_no_others() -> None:
    game = box([[stripe("g", (0, 5), (0, 6), "s"), stripe("p", (20, 25))]], [plain("g", (0, 5), "cs")])
    rival = replace(cake(1), seat=1)
    state = table(cake(0), rival, connected=((0, 0), (1, 0)), game=game)
    scene = picture(state, NAMES[:2])
    assert looks(scene.groups["cake-0"])["mark"] == 2
    assert looks(scene.groups["cake-1"])["mark"] == 0
    other = picture(replace(state, seat=1), NAMES[:2])
    assert [looks(other.groups[f"cake-{seat}"])["mark"] for seat in (0, 1)] == [0, 2]


def test_a_marker_that_has_gone_round_says_how_far() -> None:
    scene = picture(table(board(0, track=7), board(1, track=45)), NAMES[:2])
    assert [text for text in words(scene, "track") if text.startswith("+")] == ["+40"]
    assert any("track 45" in note for note in words(scene, "seat-1"))


def test_cubes_to_place_and_golden_ones_in_hand() -> None:
    assert cubes(picture(table(waiting="gpk"), NAMES[:2]), "cubes-0") == 3
    assert cubes(picture(table(waiting="gpk"), NAMES[:2]), "cubes-1") == 0
    golden = table(phase="golden", part="golden", in_hand=4)
    assert cubes(picture(golden, NAMES[:2]), "cubes-0") == 4


def test_a_long_game_has_room_for_its_cake_and_jars_for_many_cubes() -> None:
    tall = replace(cake(*range(8)), exchange=tuple(SHEET.colours) * 3)
    state = table(tall, board(1), options=CakeOptions(pieces=8))
    scene = picture(state, NAMES[:2])
    tops = [float(each.attrs["y"]) for each in scene.groups["cake-0"] if each.tag == "rect"]
    assert min(tops) > 220
    swap = [float(each.attrs["x"]) for each in scene.groups["jars-0"] if each.tag == "rect"]
    assert max(swap) < 470


def test_it_says_that_faces_and_values_are_reconstructed() -> None:
    scene = picture(table(), NAMES[:2])
    assert any("reconstructed" in text for text in words(scene, "chips"))
    real = box(provenance=dict.fromkeys(SHEET.provenance, "printed"))
    assert not any("reconstructed" in text for text in words(picture(table(game=real), NAMES[:2]), "chips"))


def test_it_describes_itself() -> None:
    scene = picture(table(board(0, small="gp", track=3), board(1, bronze=(1,)), waiting="kk"), NAMES[:2])
    assert "Ada distributes cubes and empties jars" in scene.description
    assert "2 pink to place" in scene.description
    assert "Ada: 3 on the track" in scene.description
    assert "small jar 1 green and 1 purple" in scene.description
    assert "1 chips" in scene.description


def test_a_hostile_name_stays_text() -> None:
    scene = picture(dealt(3), NAMES[:3])
    assert "<b>Cy" not in svg(scene)
    assert "&lt;b&gt;Cy" in svg(scene)


def test_every_colour_has_its_own_fill_and_sign() -> None:
    assert tuple(LOOKS) == (*SHEET.colours, "golden")
    for each in zip(*LOOKS.values(), strict=True):
        assert len(set(each)) == len(LOOKS)
