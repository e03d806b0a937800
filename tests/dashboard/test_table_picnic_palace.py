"""The picture of Picnic Palace: every step for every viewer, no hidden face, and the table in words."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from msgspec.structs import replace

from core.conformance import random_game
from core.engine import states
from core.games.picnic_palace.state import Table
from core.redact import redact
from dashboard.scene import Element, Scene, svg
from dashboard.tables import picture_of
from dashboard.tables.picnic_palace import LOOKS, picture
from events.marks import Viewer
from events.picnic_palace import KINDS
from tests.core.games.picnic_palace.picnic import GAME, box, table

NAMES = ("Ada", "Bo", "Cy", "Di")
COLOURS = {colour: kind for kind, (colour, _, _) in LOOKS.items()}


def game(seats: int, seed: str = "picture") -> list[Table]:
    return list(states(GAME, random_game(GAME, seats, seed)))


def faces(elements: tuple[Element, ...]) -> Counter[str]:
    """Count the fields in a kind's colour: one a card that shows what it is."""
    return Counter([COLOURS[str(each.attrs["fill"])] for each in elements if each.attrs.get("fill") in COLOURS])


def drawn(scene: Scene, part: str) -> Counter[str]:
    """Count the faces in all groups whose names begin alike."""
    counts = [faces(elements) for name, elements in scene.groups.items() if name.startswith(part)]
    return sum(counts, Counter[str]())


def test_it_is_the_picture_of_the_game() -> None:
    assert picture_of("picnic-palace") is picture


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_step_for_every_viewer_shows_the_open_cards_and_no_other(seats: int) -> None:
    names = NAMES[:seats]
    viewers: list[Viewer] = ["spectator", "omniscient", *range(seats)]
    along = game(seats)
    sizes = set()
    for number, state in enumerate(along):
        for viewer in viewers if number % 10 == 0 else viewers[:2]:
            scene = picture(redact(state, viewer), names)
            down = state.face_down if viewer == "omniscient" else ()
            assert drawn(scene, "row-") == Counter([card for row in (*state.face_up, *down) for card in row])
            assert drawn(scene, "collected-") == Counter([card for pile in state.collected for card in pile])
            assert drawn(scene, "out") == Counter(state.discarded[-1:])
            assert drawn(scene, "deck") == Counter()
            sizes.add((scene.width, scene.height))
            if number % 25 == 0:
                assert svg(scene).startswith("<svg")
    assert len(sizes) == 1


def test_cards_that_nobody_has_seen_change_nothing_in_the_picture() -> None:
    one = table("sa | su |", "fr bu | ch | sp", deck=GAME.sheet.deck[:9], unseen=("sunny", "franky"))
    two = replace(
        one, face_down=(("sassy",) * 2, ("sunny",), ("franky",)), deck=GAME.sheet.deck[-9:], unseen=("sassy",) * 2
    )
    viewers: list[Viewer] = ["spectator", 0, 1, 2]
    for viewer in viewers:
        assert picture(redact(one, viewer), NAMES[:3]) == picture(redact(two, viewer), NAMES[:3])
    assert picture(one, NAMES[:3]) != picture(two, NAMES[:3])


def test_a_row_keeps_its_right_end_where_it_is() -> None:
    def backs(scene: Scene) -> list[object]:
        return [each.attrs["x"] for each in scene.groups["row-0"] if each.attrs.get("class") == "back"]

    full = picture(redact(table("sa su fr | |", "ky ky | |"), 0), NAMES[:3])
    taken = picture(redact(table("| |", "ky ky | |"), 0), NAMES[:3])
    assert backs(full) == backs(taken)
    assert len(backs(full)) == 2


def words(scene: Scene, group: str) -> list[str]:
    return [each.text for each in scene.groups[group] if each.text]


def test_invitations_used_and_unused_can_be_told_apart_without_colour() -> None:
    scene = picture(table("sa | |", invitations=[1, 0, 3]), NAMES[:3])
    looks = [[each.attrs["class"] for each in scene.groups[f"invitations-{seat}"]] for seat in range(3)]
    assert [look.count("slot") for look in looks] == [2, 3, 0]
    assert [look.count("on-accent") for look in looks] == [1, 0, 3]
    assert any("out" in note for note in words(scene, "seat-1"))
    assert not any("out" in note for note in words(scene, "seat-0"))


def test_running_scores() -> None:
    state = table("sa | |", round=3, points=((7, 1, 2), (12, 3, 4)), collected=["fr fr", "", "sp"])
    scene = picture(state, NAMES[:3])
    assert words(scene, "score-0") == ["7 + 12 · now 6"]
    assert "19 points" in words(scene, "seat-0")
    final = replace(state, phase="over", points=(*state.points, (6, 0, 0)), sprinkles_points=(-5, -5, 10))
    assert words(picture(final, NAMES[:3]), "score-2") == ["2 + 4 + 0 · ✱ +10"]


def test_the_counts_are_said_to_be_reconstructed_and_are_those_of_the_box() -> None:
    scene = picture(table("sa | |"), NAMES[:3])
    assert any("reconstructed" in each for each in words(scene, "worth"))
    counts = [each for each in words(scene, "worth") if each.endswith(" cards")]
    assert counts == [f"{GAME.sheet.copies[kind]} cards" for kind in KINDS]
    real = box(provenance={**GAME.sheet.provenance, "copies": "printed"})
    assert not any("reconstructed" in each for each in words(picture(table("||", game=real), NAMES[:3]), "worth"))


def test_every_kind_has_its_own_colour_sign_and_name() -> None:
    assert tuple(LOOKS) == KINDS
    for each in zip(*LOOKS.values(), strict=True):
        assert len(set(each)) == len(KINDS)


def test_it_describes_itself_in_words() -> None:
    state = table("sa sa | su |", "ky | fr | ch", points=((7, 1, 2),), round=2, collected=["pa", "", ""])
    assert picture(redact(state, 1), NAMES[:3]).description == (
        "Ada has the turn. Deck: 0. Row 1: 2 Sassy face up, 1 face down. Row 2: 1 Sunny face up, 1 face down. "
        "Row 3: nothing face up, 1 face down. "
        "Ada: score 7, unused invitations 3, collected 1 Pauly Pickle. "
        "Bo: score 1, unused invitations 3, collected nothing. Cy: score 2, unused invitations 3, collected nothing"
    )


def test_hostile_names_are_words_and_nothing_else() -> None:
    hostile = ("</text><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "x" * 500)
    drawn_as = svg(picture(table("sa | |"), hostile))
    assert not re.search(r"<(script|img)", drawn_as)
