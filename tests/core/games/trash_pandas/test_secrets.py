"""Who may see what, written down by hand from TP-06, TP-33, TP-45, TP-81, G-06; and every reaction window (TP-33).

A window opens only for a seat that can answer. So each window is played twice: once by a rival that can answer and does
not, once by a rival that cannot. To everybody else the two must look the same at every moment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from msgspec.structs import replace

from core.conformance import random_game
from core.engine import states
from core.games.trash_pandas.state import Table
from core.redact import marks_of, moves_of, redact, seen
from events.base import Event
from events.marks import Viewer
from events.trash_pandas import (
    CardsDrawn,
    CardsStashed,
    CardStolen,
    DeckShuffled,
    DrawChosen,
    HandsDealt,
    HandTargeted,
    KittehPlayed,
    MatchKept,
    NannersPlayed,
    PiePlayed,
    ShinyPlayed,
    TheftSuffered,
    TurnEnded,
    YumYumKept,
    YumYumPlayed,
)
from tests.core.games.trash_pandas.playing import GAME, Playing, cards, given

# --- fields ----------------------------------------------------------------------------------------------------------


def test_the_secret_fields_of_the_table() -> None:
    assert {name: mark.kind for name, mark in marks_of(Table).items()} == {
        "sheet": "components",
        "pile": "hidden",
        "hands": "own_seat",
        "stashes": "own_seat",
        "gained": "private",
        "asked": "own_seat",
    }


def allowed(table: Table, viewer: Viewer) -> Table:
    """What the rulings let a viewer see, phase by phase; the sizes of everything are public."""

    def own(zones: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
        return tuple([zone if seat == viewer else ("?",) * len(zone) for seat, zone in enumerate(zones)])

    return replace(
        table,
        pile=("?",) * len(table.pile),  # the deck: nobody
        hands=own(table.hands),  # a hand, and face-down stashes: their seat
        stashes=own(table.stashes),
        gained=table.gained if viewer == table.seat else ("?",) * len(table.gained),  # known by the hand alone
        asked=tuple([mark if seat == viewer else "?" for seat, mark in enumerate(table.asked)]),  # TP-33
    )


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_tp_06_every_viewer_sees_what_it_may_in_every_phase(seats: int) -> None:
    phases = set[str]()
    for number in range(4):
        for table in states(GAME, random_game(GAME, seats, f"phases/{number}")):
            phases.add(table.phase)
            for viewer in ("spectator", *range(seats)):
                assert redact(table, viewer) == allowed(table, viewer)
            assert redact(table, "omniscient") is table
    assert len(phases) == 17  # all but the closed box and the option's


def test_tp_81_at_the_end_everything_is_public() -> None:
    *_, over = states(GAME, random_game(GAME, 3, "end"))
    view = redact(over, "spectator")
    assert replace(view, gained=over.gained, asked=over.asked) == over


@pytest.mark.parametrize(
    ("event", "field", "viewers"),
    [
        (DeckShuffled(cards("NP")), "cards", []),
        (CardsDrawn(1, cards("NP")), "cards", [1]),
        (CardsStashed(1, cards("NP")), "cards", [1]),
        (CardStolen(1, 0, "Feesh", gained=True), "card", [0, 1]),
        (CardStolen(1, 0, "Feesh", gained=True), "gained", [0]),
        (HandsDealt((cards("N"), cards("P"), cards("F"))), "hands", []),
    ],
)
def test_the_secret_fields_of_events(event: Event, field: str, viewers: Sequence[Viewer]) -> None:
    for viewer in ("spectator", 0, 1, 2):
        shown = seen(event, viewer)
        assert shown is not None
        assert (getattr(shown, field) == getattr(event, field)) == (viewer in viewers)


def test_hands_dealt_shows_each_seat_its_own() -> None:
    dealt = HandsDealt((cards("N"), cards("PF")))
    shown = seen(dealt, 1)
    assert shown is not None
    assert [list(hand) for hand in shown.hands] == [["?"], list(cards("PF"))]


@pytest.mark.parametrize("event", [YumYumKept(1), MatchKept(1), TheftSuffered(1)])
def test_g_02_declining_is_seen_by_the_seat_and_the_omniscient_alone(event: Event) -> None:
    assert [viewer for viewer in ("spectator", 0, 1, 2, "omniscient") if seen(event, viewer)] == [1, "omniscient"]


def test_a_seat_sees_its_own_moves_alone() -> None:
    game = given("B", "Y", "Y").roll("tree").stop()
    moves = GAME.legal(game.table)
    assert moves_of(moves, 1) == moves
    assert moves_of(moves, 0) == moves_of(moves, 2) == moves_of(moves, "spectator") == []


# --- every window ----------------------------------------------------------------------------------------------------


def stop(game: Playing) -> Playing:
    return game.roll("tree", "bin").stop()


def saved_by_nanners(game: Playing) -> Playing:
    return game.roll("tree", "tree").do(NannersPlayed(0))


def stop_again(game: Playing) -> Playing:
    return game.roll("tree").stop().do(YumYumPlayed(2)).roll("bin").stop()


def steal_token(game: Playing) -> Playing:
    return game.roll("steal", "tree").stop().resolve("steal").do(HandTargeted(0, 1))


def pied_steal(game: Playing) -> Playing:
    steal_token(game)
    if game.table.asked[1]:
        game.do(TheftSuffered(1))
    return game.do(CardStolen(0, 1, "Nanners", gained=False), PiePlayed(0, "steal"), HandTargeted(0, 1))


def shiny_face_down(game: Playing) -> Playing:
    return game.do(ShinyPlayed(0, 1, "face down"))


def shiny_face_up_while_rolling(game: Playing) -> Playing:
    return game.roll("tree").do(ShinyPlayed(0, 1, "Blammo!"))


def reveal(game: Playing) -> Playing:
    return game.roll("reveal", "tree").stop().resolve("reveal")


def kitteh_back(game: Playing) -> Playing:
    return steal_token(game).do(KittehPlayed(1, None))


def kitteh_back_at_a_shiny(game: Playing) -> Playing:
    return shiny_face_down(game).do(KittehPlayed(1, "face down"))


WINDOWS: list[tuple[Callable[[Playing], Playing], str, str, int, Event]] = [
    # what opens the window; the hand of the seat that could answer, and one that cannot; the seat; its refusal
    (stop, "YN", "PN", 1, YumYumKept(1)),
    (saved_by_nanners, "YN", "PN", 1, YumYumKept(1)),
    (stop_again, "NN", "NN", 1, YumYumKept(2)),
    (steal_token, "DN", "PN", 1, TheftSuffered(1)),
    (steal_token, "KN", "PN", 1, TheftSuffered(1)),
    (pied_steal, "DNN", "PNN", 1, TheftSuffered(1)),
    (shiny_face_down, "DN", "PN", 1, TheftSuffered(1)),
    (shiny_face_up_while_rolling, "KN", "PN", 1, TheftSuffered(1)),
    (reveal, "BN", "PN", 1, MatchKept(1)),
]


@pytest.mark.parametrize(("opens", "can", "cannot", "seat", "declines"), WINDOWS)
def test_tp_33_a_rival_that_declines_looks_like_one_that_cannot_answer(
    opens: Callable[[Playing], Playing], can: str, cannot: str, seat: int, declines: Event
) -> None:
    def laid(hand: str, other: str) -> Playing:
        game = given("NSPPF", hand, other, can="BNFNN", discard="B", stashes=["N", "P", ""], face_up=["", "B", ""])
        return opens(game)

    if opens is stop_again:
        one, two, seat = laid(can, "YY"), laid(cannot, "YP"), 2
    else:
        one, two = laid(can, "NN"), laid(cannot, "NN")
    alike(one, two, but=seat, declines=declines)


@pytest.mark.parametrize("hand", ["D", "K"])
@pytest.mark.parametrize("opens", [kitteh_back, kitteh_back_at_a_shiny])
def test_tp_33_the_active_seat_too_when_a_kitteh_comes_back(opens: Callable[[Playing], Playing], hand: str) -> None:
    def laid(first: str) -> Playing:
        return opens(given(f"S{first}N", "KN", "NN", can="BNFNN", stashes=["N", "P", ""]))

    alike(laid(hand), laid("P"), but=0, declines=TheftSuffered(0))


def test_tp_38_nobody_can_tell_whether_a_defence_was_locked() -> None:
    """The active seat drew a Doggo this turn, and may not use it; or drew something else."""

    def laid(can: str) -> Playing:
        game = given("", "KN", "", can=can).roll("bin", "steal").stop().resolve("bin").do(DrawChosen(0, 1))
        return game.resolve("steal").do(KittehPlayed(1, None))

    locked, other = laid("DB"), laid("FB")
    for viewer in (1, 2, "spectator"):
        assert locked.record(viewer) == other.record(viewer)
        assert locked.view(viewer) == other.view(viewer)


def alike(one: Playing, two: Playing, but: int, declines: Event) -> None:
    """Two games that differ in the hand of seat `but` alone: it is asked in the first, not in the second."""
    viewers: list[Viewer] = [viewer for viewer in (0, 1, 2, "spectator") if viewer != but]
    assert one.table.asked[but]
    assert not any(two.table.asked)
    for viewer in viewers:
        so_far = one.record(viewer)
        assert so_far == two.record(viewer)[: len(so_far)]
        if len(one.events) == len(two.events):
            assert one.view(viewer) == two.view(viewer)  # G-06: while the one is still being asked
    assert one.asked() == but
    one.do(declines)
    for viewer in viewers:
        assert one.record(viewer) == two.record(viewer)
        assert one.view(viewer) == two.view(viewer)
    after, other = GAME.forced(one.table), GAME.forced(two.table)
    assert type(after) is type(other)
    if after is None:
        for viewer in viewers:
            assert moves_of(GAME.legal(one.table), viewer) == moves_of(GAME.legal(two.table), viewer)


def test_tp_36_how_many_cards_of_a_hand_were_gained_is_no_secret_told_by_stashing() -> None:
    """A gained card is stashed, or one that was there before: nobody else sees a difference."""

    def laid(stashed: str) -> Playing:
        game = given("P", "", can="BN").roll("bin", "tree").stop().resolve("bin").do(DrawChosen(0, 1))
        return game.resolve("tree").do(CardsStashed(0, cards(stashed)))

    gained, old = laid("B"), laid("P")
    assert gained.table.gained != old.table.gained
    for viewer in (1, "spectator"):
        assert gained.view(viewer) == old.view(viewer)
        assert gained.record(viewer) == old.record(viewer)
    assert isinstance(gained.moves()[0], TurnEnded)
