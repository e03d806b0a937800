"""The picture of Trash Pandas: every step for every viewer, no hidden face, no hint of who is asked, and in words."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from core.conformance import random_game
from core.engine import states
from core.games.trash_pandas.state import TOKENS, Table, middle, pending
from core.redact import redact
from dashboard.scene import Element, Scene, svg
from dashboard.tables import picture_of
from dashboard.tables.trash_pandas import LOOKS, TOKEN_COLOURS, picture
from events.marks import Viewer
from events.trash_pandas import HandTargeted
from tests.core.games.trash_pandas.playing import GAME, cards, given, table

NAMES = ("Ada", "Bo", "Cy", "Di")
COLOURS = {colour: kind for kind, (colour, _) in LOOKS.items()}


def game(seats: int) -> list[Table]:
    return list(states(GAME, random_game(GAME, seats, "picture")))


def faces(elements: tuple[Element, ...]) -> Counter[str]:
    """Count the fields in a kind's colour: one a card that shows what it is."""
    return Counter([COLOURS[str(each.attrs["fill"])] for each in elements if each.attrs.get("fill") in COLOURS])


def backs(elements: tuple[Element, ...]) -> int:
    return len([each for each in elements if each.attrs.get("class") == "back"])


def test_it_is_the_picture_of_the_game() -> None:
    assert picture_of("trash-pandas") is picture


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_step_for_every_viewer_shows_what_the_viewer_may_see_and_no_other_face(seats: int) -> None:
    names = NAMES[:seats]
    viewers: list[Viewer] = ["spectator", "omniscient", *range(seats)]
    sizes = set()
    for number, state in enumerate(game(seats)):
        for viewer in viewers if number % 12 == 0 else viewers[:2]:
            scene = picture(redact(state, viewer), names)
            for seat in range(len(state.hands)):
                knows = viewer in (seat, "omniscient")
                for part, lies in (("hand", state.hands[seat]), ("stash", state.stashes[seat])):
                    drawn = scene.groups[f"{part}-{seat}"]
                    assert faces(drawn) == (Counter(lies) if knows else Counter())
                    assert backs(drawn) == (0 if knows else len(lies))
                assert faces(scene.groups[f"face-up-{seat}"]) == Counter(state.face_up[seat])
            assert faces(scene.groups["can"]) == Counter()
            sizes.add((scene.width, scene.height))
            if number % 40 == 0:
                assert svg(scene).startswith("<svg")
    assert len(sizes) == 1


def test_cards_that_nobody_has_seen_change_nothing_in_the_picture() -> None:
    one = table("NP", "FY", can="BSDK", stashes=["B", "D"])
    two = replace(one, pile=cards("PPPP"), hands=(cards("NP"), cards("SS")), stashes=(cards("B"), cards("K")))
    viewers: list[Viewer] = ["spectator", 0]
    for viewer in viewers:
        assert picture(redact(one, viewer), NAMES[:2]) == picture(redact(two, viewer), NAMES[:2])
    assert picture(one, NAMES[:2]) != picture(two, NAMES[:2])


def test_who_is_asked_is_shown_to_that_seat_and_to_no_other() -> None:
    """G-06: to all others the table looks as if the rival had nothing to play."""
    can = given("", "DN", "N").roll("steal", "tree").stop().resolve("steal").do(HandTargeted(0, 1))
    cannot = given("", "PN", "N").roll("steal", "tree").stop().resolve("steal").do(HandTargeted(0, 1))
    viewers: list[Viewer] = ["spectator", 0, 2]
    for viewer in viewers:
        assert picture(can.view(viewer), NAMES[:3]) == picture(cannot.view(viewer), NAMES[:3])
    assert "Bo may answer: Ada is stealing a hand card from Bo" in words(picture(can.view(1), NAMES[:3]))
    assert "Ada is stealing a hand card from Bo" in words(picture(can.view(0), NAMES[:3]))


def words(scene: Scene) -> list[str]:
    return [each.text for elements in scene.groups.values() for each in elements if each.text]


def test_tokens_lie_in_the_middle_or_before_the_active_seat() -> None:
    for state in game(2):
        scene = picture(state, NAMES[:2])
        for token in TOKENS:
            lies = any(each.attrs.get("fill") == TOKEN_COLOURS[token] for each in scene.groups[f"token-{token}"])
            assert lies == (token in middle(state))
        if state.turn and state.outcome is None:
            taken = [each for each in scene.groups[f"taken-{state.seat}"] if each.tag == "circle" and "r" in each.attrs]
            assert len([each for each in taken if each.attrs["r"] == 17]) == len(pending(state))


def test_the_die_shows_the_last_roll() -> None:
    rolled = picture(given("", "").roll("reveal").table, NAMES[:2])
    assert TOKEN_COLOURS["reveal"] in [each.attrs.get("fill") for each in rolled.groups["die"]]
    assert "not rolled" in words(picture(given("", "").table, NAMES[:2]))


def test_it_says_in_words_what_it_shows() -> None:
    view = given("NP", "F", can="BB", discard="S", stashes=["D", "YY"], face_up=["", "B"]).roll("tree").view(0)
    assert picture(view, NAMES[:2]).description == (
        "Ada rolls on or stops. Trash can: 2. Discard pile: 1 Shiny. Tokens taken: Tree. "
        "Ada holds 1 Nanners and 1 MMM Pie!; stashed face down 1 Doggo, face up nothing. "
        "Bo holds 1 card; stashed face down 2 cards, face up 1 Blammo!"
    )


def test_at_the_end_it_says_who_won() -> None:
    *_, over = game(3)
    scene = picture(redact(over, "spectator"), NAMES[:3])
    assert over.outcome is not None
    assert any("wins" in line or "share the win" in line for line in words(scene))
    assert [line for line in words(scene) if "points" in line]
    stopped = replace(over, outcome=replace(over.outcome, reason="turn_limit", ranking=()))
    assert "The game was stopped without a winner" in words(picture(stopped, NAMES[:3]))


def test_hostile_names_are_words_and_nothing_else() -> None:
    drawn = svg(picture(given("D", "N").table, ["<script>alert(1)</script>", "&quot;"]))
    assert "<script" not in drawn
