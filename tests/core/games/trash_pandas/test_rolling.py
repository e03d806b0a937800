"""Set-up, rolling, stopping, busting and what saves from it: TP-01 to TP-19."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from core.chance import Chance
from core.conformance import random_game
from core.engine import start, states
from core.games.trash_pandas.state import CARDS, TOKENS, TrashPandasSheet, middle, pending
from core.redact import redact
from core.sheets import parse
from events.errors import FormatError, SetupError
from events.trash_pandas import (
    BlammoPlayed,
    BustAccepted,
    CardsDrawn,
    DeckShuffled,
    DieRolled,
    DieThrown,
    DoggoPlayed,
    FeeshPlayed,
    HandsDealt,
    NannersPlayed,
    RollingStopped,
    ShinyPlayed,
    TokenChosen,
    TrashPandasOptions,
    TurnStarted,
    YumYumPlayed,
)
from replay.packaged import data_root
from tests.core.games.trash_pandas.playing import GAME, SHEET, cards, given, in_bonus_turn, table

NO_SHINY = TrashPandasOptions(shiny_when_busting=False)


# --- setup -----------------------------------------------------------------------------------------------------------


def test_tp_01_53_cards_are_played_with() -> None:
    counts = dict(zip(SHEET.kinds, SHEET.copies, strict=True))
    assert counts == {
        "Nanners": 11,
        "MMM Pie!": 9,
        "Feesh": 7,
        "Yum Yum": 5,
        "Shiny": 3,
        "Blammo!": 13,
        "Doggo": 3,
        "Kitteh": 2,
    }
    assert len(SHEET.deck) == 53
    shuffled = GAME.forced(GAME.evolve(GAME.initial(), start(GAME, 2)))
    assert isinstance(shuffled, Chance)
    assert shuffled.admits(DeckShuffled(SHEET.deck[::-1]))
    assert not shuffled.admits(DeckShuffled(SHEET.deck[1:]))


@pytest.mark.parametrize(("seats", "sizes", "can"), [(2, [3, 4], 46), (3, [3, 4, 5], 41), (4, [3, 4, 5, 6], 35)])
def test_tp_04_seat_0_has_fewest_cards_and_starts(seats: int, sizes: list[int], can: int) -> None:
    events = random_game(GAME, seats, "deal")
    dealt, started = events[2], events[3]
    assert isinstance(dealt, HandsDealt)
    assert [len(hand) for hand in dealt.hands] == sizes
    assert started == TurnStarted(seat=0, turn=1)
    tables = list(states(GAME, events[:4]))
    assert len(tables[3].pile) == can
    assert tuple(card for hand in dealt.hands for card in hand) + tables[3].pile == tables[1].pile  # G-03: from the top


def test_tp_04_2_to_4_seats() -> None:
    for seats in (1, 5):
        with pytest.raises(SetupError, match="2 to 4 seats"):
            start(GAME, seats)


def test_tp_05_the_discard_pile_is_never_drawn_from() -> None:
    game = given("BN", "N", can="F", discard="SSPP").roll("bin").stop().resolve("bin")
    assert [move.count for move in game.moves() if hasattr(move, "count")] == [0, 1]


def test_tp_06_what_is_public() -> None:
    laid = table("BN", "PY", can="FS", discard="K", stashes=["DD", "N"], face_up=["P", "B"])
    view = redact(laid, 1)
    assert view.discard == cards("K")
    assert view.face_up == (cards("P"), cards("B"))
    assert view.hands == (("?", "?"), cards("PY"))
    assert view.stashes == (("?", "?"), cards("N"))  # a seat may look at its own
    assert view.pile == ("?", "?")
    spectator = redact(laid, "spectator")
    assert spectator.hands == (("?", "?"), ("?", "?"))
    assert spectator.stashes == (("?", "?"), ("?",))
    assert repr(spectator.gained) == repr(("?",) * 8)


# --- rolling ---------------------------------------------------------------------------------------------------------


def test_a_roll_takes_the_token_and_the_six_are_as_likely() -> None:
    game = given("", "N").do(DieThrown(0))
    assert game.odds() == {DieRolled(0, token): 1 for token in TOKENS}
    game.do(DieRolled(0, "steal"))
    assert pending(game.table) == ("steal",)
    assert middle(game.table) == ("bin", "tree", "bin_tree", "reveal", "recycle")
    assert game.moves() == [DieThrown(0), RollingStopped(0)]


def test_tp_07_the_first_roll_is_compulsory() -> None:
    assert given("BNYPDK", "N").moves() == [DieThrown(0)]
    bonus = in_bonus_turn("", "N")
    assert bonus.moves() == [DieThrown(0)]


def test_tp_08_blammo_undoes_a_roll_that_did_not_bust() -> None:
    game = given("BF", "N", discard="N").roll("tree", "bin").do(FeeshPlayed(0, "Nanners"), BlammoPlayed(0))
    assert pending(game.table) == ("tree",)  # the bin is back in the middle
    assert game.moves() == [DieThrown(0)]  # compulsory
    assert game.table.discard == cards("BF")
    assert pending(game.roll("bin").table) == ("tree", "bin")


def test_tp_09_blammo_until_the_next_roll_or_the_stop() -> None:
    game = given("BB", "N")
    assert BlammoPlayed(0) not in game.moves()  # no roll yet
    game.roll("tree").do(BlammoPlayed(0))
    assert BlammoPlayed(0) not in game.moves()  # undone already
    game.roll("bin").stop()
    assert game.moves() == [TokenChosen(0, "bin")]
    saved = given("NB", "N").roll("tree", "tree").do(NannersPlayed(0))
    assert saved.moves() == [TokenChosen(0, "tree")]  # not after Nanners


def test_tp_10_blammos_chain() -> None:
    game = given("BBB", "N").roll("tree", "tree").do(BlammoPlayed(0)).roll("tree").do(BlammoPlayed(0)).roll("bin")
    assert pending(game.table) == ("tree", "bin")
    game.do(BlammoPlayed(0)).roll("tree")
    assert game.moves() == [BustAccepted(0)]


def test_tp_11_no_blammo_on_the_sixth_token() -> None:
    game = given("BBY", "Y").roll(*TOKENS)
    assert game.moves() == [TokenChosen(0, token) for token in TOKENS]


def test_tp_11_nor_on_the_third_of_a_bonus_turn() -> None:
    game = in_bonus_turn("BB", "N").roll("bin", "tree", "steal")
    assert [type(move) for move in game.moves()] == [TokenChosen] * 3


def test_tp_12_nanners_only_when_busting() -> None:
    game = given("N", "").roll("tree")
    assert NannersPlayed(0) not in game.moves()
    assert "(TP-12)" in game.refused(NannersPlayed(0))
    assert NannersPlayed(0) in game.roll("tree").moves()


def test_tp_12_option_any_roll() -> None:
    game = given("NN", "", options=TrashPandasOptions(nanners_any_roll=True)).roll("tree", "bin")
    assert NannersPlayed(0) in game.moves()
    game.do(NannersPlayed(0))
    assert pending(game.table) == ("tree",)
    first = given("N", "", options=TrashPandasOptions(nanners_any_roll=True)).roll("tree").do(NannersPlayed(0))
    assert pending(first.table) == ()
    assert [type(move).__name__ for move in first.moves()] == ["TurnEnded"]


def test_tp_13_nanners_keeps_the_tokens_and_stops() -> None:
    game = given("N", "").roll("tree", "bin", "tree").do(NannersPlayed(0))
    assert pending(game.table) == ("tree", "bin")
    assert game.moves() == [TokenChosen(0, "tree"), TokenChosen(0, "bin")]
    assert game.table.discard == cards("N")


def test_tp_14_yum_yum_after_nanners() -> None:
    game = given("NB", "Y").roll("tree", "tree").do(NannersPlayed(0))
    assert game.asked() == 1
    game.do(YumYumPlayed(1))
    assert game.moves() == [DieThrown(0)]  # compulsory
    game.roll("bin")
    assert {DieThrown(0), RollingStopped(0), BlammoPlayed(0)} == set(game.moves())
    busting = given("NBNF", "Y").roll("tree", "tree").do(NannersPlayed(0), YumYumPlayed(1)).roll("tree")
    assert [type(move) for move in busting.moves()] == [BustAccepted, BlammoPlayed, NannersPlayed] + [FeeshPlayed] * 2


def test_tp_14_a_new_stop_opens_a_new_window() -> None:
    game = given("N", "YY").roll("tree", "tree").do(NannersPlayed(0), YumYumPlayed(1)).roll("bin").stop()
    assert game.asked() == 1


def test_tp_15_what_may_be_played_before_a_bust() -> None:
    game = given("BNFSYPDK", "", discard="P", face_up=["", "N"]).roll("tree", "tree")
    assert game.moves() == [
        BustAccepted(0),
        BlammoPlayed(0),
        NannersPlayed(0),
        FeeshPlayed(0, "MMM Pie!"),
        ShinyPlayed(0, 1, "Nanners"),
    ]


def test_tp_15_rulebook_a_feesh_fetches_what_saves() -> None:
    game = given("F", "", discard="NB").roll("tree", "tree").do(FeeshPlayed(0, "Nanners"))
    assert game.moves() == [BustAccepted(0), NannersPlayed(0)]
    assert pending(game.do(NannersPlayed(0)).table) == ("tree",)


def test_tp_15_a_shiny_may_steal_what_saves() -> None:
    game = given("S", "", face_up=["", "B"]).roll("tree", "tree").do(ShinyPlayed(0, 1, "Blammo!"))
    assert game.moves() == [BustAccepted(0), BlammoPlayed(0)]


def test_tp_15_option_without_shiny() -> None:
    game = given("FS", "", discard="P", face_up=["", "B"], options=NO_SHINY).roll("tree")
    assert ShinyPlayed(0, 1, "Blammo!") in game.moves()
    game.roll("tree")
    assert game.moves() == [BustAccepted(0), FeeshPlayed(0, "MMM Pie!")]


def test_tp_16_a_bust() -> None:
    game = given("", "NN", can="FSB").roll("bin", "tree", "bin").do(BustAccepted(0))
    assert middle(game.table) == TOKENS
    assert game.table.hands[0] == cards("F")
    assert game.events[-2:] == [CardsDrawn(0, cards("F")), TurnStarted(1, 2)]


def test_tp_17_a_bust_with_an_empty_can_draws_nothing() -> None:
    """In a bonus turn, and after a Doggo drew the last cards while the seat was still rolling."""
    game = given("S", "D", can="NN", face_up=["", "B"]).roll("tree").do(ShinyPlayed(0, 1, "Blammo!"))
    game.do(DoggoPlayed(1, draws=True)).roll("tree").do(BustAccepted(0))
    assert [len(event.cards) for event in game.events if isinstance(event, CardsDrawn)] == [2]
    assert game.table.phase == "over"


def test_tp_18_nobody_busts_with_six_tokens() -> None:
    game = given("", "").roll(*TOKENS)
    assert "DieThrown" not in [type(move).__name__ for move in game.moves()]


def test_tp_19_an_ignored_roll_was_not_taken() -> None:
    game = given("B", "").roll("tree", "recycle").do(BlammoPlayed(0)).roll("bin", "recycle")
    assert pending(game.table) == ("tree", "bin", "recycle")  # no bust
    exchanged = given("B", "").roll("tree").do(BlammoPlayed(0)).roll("recycle").stop().resolve("recycle")
    assert "tree" in [getattr(move, "token", None) for move in exchanged.moves()]
    duplicate = given("N", "").roll("recycle", "bin", "bin").do(NannersPlayed(0)).resolve("recycle")
    assert "bin" not in [getattr(move, "token", None) for move in duplicate.moves()]


def test_every_kind_and_token_has_a_name_in_the_box() -> None:
    assert SHEET.kinds == CARDS
    assert Counter(TOKENS) == Counter(dict.fromkeys(TOKENS, 1))


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ("copies = [11,", "copies = [-1,", "count from 0"),
        ("copies = [11,", "copies = [11, 1,", " `copies`, `points` and `points_each` have one entry for each"),
        ("points_each = [0,", "points_each = [-1,", "count from 0"),
        ("hands = [3, 4, 5, 6]", "hands = [3, 4, 5]", "one number of cards"),
        ("hands = [3, 4, 5, 6]", "hands = [13, 14, 15, 16]", "no trash can"),
        ("bonus_tokens = 3", "bonus_tokens = 7", "from 1 to 6"),
        ('"Feesh", ', '"Nanners", ', "each once"),
        ('"Feesh", ', '"Fish", ', "Invalid enum value"),
    ],
)
def test_a_box_that_cannot_be_played_is_refused(old: str, new: str, wrong: str) -> None:
    text = (data_root() / "sheets" / "trash-pandas.toml").read_text()
    assert old in text
    with pytest.raises(FormatError, match=wrong) as refusal:
        parse(text.replace(old, new), TrashPandasSheet)
    assert "\n" not in str(refusal.value)


def test_a_box_may_be_as_small_as_can_be_played() -> None:
    """Eighteen cards are dealt to four seats, and one is left; a bonus turn is of one token or of all."""
    few = replace(SHEET, copies=(11, 8, 0, 0, 0, 0, 0, 0))
    assert len(few.deck) == 19
    with pytest.raises(ValueError, match=r"^18 cards leave no trash can after dealing to 4 seats$"):
        replace(few, copies=(11, 7, 0, 0, 0, 0, 0, 0))
    assert [replace(SHEET, bonus_tokens=count).bonus_tokens for count in (1, 6)] == [1, 6]
    assert replace(SHEET, hands=(0, 4, 5, 6)).hands[0] == 0
    with pytest.raises(ValueError, match=r"^`bonus_tokens` is from 1 to 6$"):
        replace(SHEET, bonus_tokens=0)


def test_every_card_and_token_is_counted_wherever_it_lies() -> None:
    laid = table("N", "BN", can="Y", discard="S", stashes=("D", ""), face_up=("", "KN"))
    expected = {"Nanners": 3, "Blammo!": 1, "Yum Yum": 1, "Shiny": 1, "Doggo": 1, "Kitteh": 1}
    tokens = {f"{token} token": 1 for token in TOKENS}
    assert dict(GAME.census(laid)) == expected | tokens
    assert dict(GAME.census(replace(laid, taken=("bin", "tree"), resolved=("tree",)))) == expected | tokens
    assert GAME.census(GAME.initial()) == GAME.census(replace(laid, phase="shuffle")) == {}
