"""Resolving tokens, MMM Pie!, Recycle and the reveal: TP-02, TP-03, TP-58 to TP-71."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from core.games.trash_pandas.rules import TURN_LIMIT
from core.games.trash_pandas.state import TOKENS, middle, pending
from events.base import Event
from events.trash_pandas import (
    CardRevealed,
    CardsDrawn,
    CardsStashed,
    DrawChosen,
    FeeshPlayed,
    GameEnded,
    MatchKept,
    MatchStashed,
    NoEffect,
    PiePlayed,
    ShinyPlayed,
    Token,
    TokenChosen,
    TokenExchanged,
    TokenRepeated,
    TokenSkipped,
    TrashPandasOptions,
    TurnEnded,
    TurnStarted,
)
from tests.core.games.trash_pandas.playing import Playing, cards, given


def resolving(token: Token, *hands: str, **laid: Any) -> Playing:
    """Seat 0 resolves a token, with the Recycle token (or the tree) still to come."""
    other: Token = "tree" if token == "recycle" else "recycle"
    return given(*hands, **laid).roll(token, other).stop().resolve(token)


# --- the tokens one by one -------------------------------------------------------------------------------------------


def test_tp_02_the_reveal_token_stashes_face_up_the_steal_token_stashes_nothing() -> None:
    revealed = resolving("reveal", "", "N", can="N").do(MatchStashed(1, "Nanners"))
    assert revealed.table.face_up == ((), cards("N"))
    stolen = resolving("steal", "", "N")
    stolen.do(stolen.due().odds[0][0])
    assert stolen.table.face_up == stolen.table.stashes == ((), ())


def test_tp_03_the_bin_tree_token_stashes_face_down() -> None:
    game = resolving("bin_tree", "NNB", "")
    assert game.moves() == [DrawChosen(0, 1), CardsStashed(0, cards("N")), CardsStashed(0, cards("B"))]
    game.do(CardsStashed(0, cards("B")))
    assert game.table.stashes == (cards("B"), ())
    assert resolving("bin_tree", "NNB", "", can="F").do(DrawChosen(0, 1)).table.hands[0] == cards("NNBF")


def test_tree_stashes_up_to_two_cards() -> None:
    game = resolving("tree", "NNB", "")
    options = ["", "N", "B", "NN", "NB"]
    assert game.moves() == [CardsStashed(0, cards(letters)) for letters in options]
    game.do(CardsStashed(0, cards("NB")))
    assert game.table.stashes == (cards("NB"), ())
    assert game.table.hands[0] == cards("N")


def test_a_token_goes_back_to_the_middle_as_it_is_resolved() -> None:
    game = given("", "").roll("tree", "bin").stop().resolve("bin")
    assert middle(game.table) == ("bin", "bin_tree", "steal", "reveal", "recycle")
    assert pending(game.table) == ("tree",)


def test_tokens_are_resolved_in_any_order() -> None:
    game = given("", "").roll("steal", "bin", "tree").stop()
    assert game.moves() == [TokenChosen(0, token) for token in ("steal", "bin", "tree")]


def test_tp_58_tokens_are_resolved_as_far_as_possible() -> None:
    assert TokenSkipped(0, "bin") not in given("", "").roll("bin").stop().moves()
    assert [type(move) for move in resolving("bin_tree", "N", "", can="N").moves()] == [DrawChosen, CardsStashed]
    assert DrawChosen(0, 0) not in resolving("bin_tree", "N", "").moves()
    assert DrawChosen(0, 0) in resolving("bin", "N", "").moves()
    assert CardsStashed(0, ()) in resolving("tree", "N", "").moves()


def test_tp_58_option_skipping_but_not_the_reveal_token_while_a_card_is_left() -> None:
    skipping = TrashPandasOptions(may_skip_tokens=True)
    game = given("P", "", options=skipping).roll("steal", "reveal").stop()
    assert game.moves() == [TokenChosen(0, "steal"), TokenChosen(0, "reveal"), TokenSkipped(0, "steal")]
    game.do(TokenSkipped(0, "steal"))
    assert "steal" in middle(game.table)
    assert game.moves() == [TokenChosen(0, "reveal")]  # no Pie: nothing was resolved
    empty = given("", "", can="", options=skipping).roll("reveal").stop()
    assert TokenSkipped(0, "reveal") in empty.moves()


def test_tp_58_the_engine_gives_up_on_a_game_without_end() -> None:
    game = given("", "")
    game = Playing(replace(game.table, turn=TURN_LIMIT)).roll("tree").stop().resolve("tree").do(TurnEnded(0))
    assert game.events[-1] == GameEnded(reason="turn_limit", scores=(0, 0), ranking=())
    before = Playing(replace(game.before, turn=TURN_LIMIT - 1)).roll("tree").stop().resolve("tree").do(TurnEnded(0))
    assert before.events[-1] == TurnStarted(1, TURN_LIMIT)


def test_tp_59_the_number_of_cards_first() -> None:
    game = resolving("bin", "", "", can="FBN")
    assert game.moves() == [DrawChosen(0, 0), DrawChosen(0, 1), DrawChosen(0, 2)]
    game.do(DrawChosen(0, 2))
    assert game.events[-1] == CardsDrawn(0, cards("FB"))
    assert resolving("bin", "", "", can="F").moves() == [DrawChosen(0, 0), DrawChosen(0, 1)]


def test_tp_59_option_one_at_a_time() -> None:
    single = TrashPandasOptions(draw_one_at_a_time=True)
    game = resolving("bin", "", "", can="FBN", options=single)
    assert game.moves() == [DrawChosen(0, 0), DrawChosen(0, 1)]
    game.do(DrawChosen(0, 1))
    assert game.table.hands[0] == cards("F")
    assert game.moves() == [DrawChosen(0, 0), DrawChosen(0, 1)]
    assert game.do(DrawChosen(0, 1)).table.hands[0] == cards("FB")
    assert game.moves() == [TokenChosen(0, "recycle")]
    last = resolving("bin", "", "", can="F", options=single).do(DrawChosen(0, 1))
    assert last.events[-1] == DrawChosen(0, 0)  # nothing is left to draw


def test_tp_60_fewer_cards_left_than_to_draw() -> None:
    game = resolving("reveal", "", "N", "N", can="NB").do(MatchStashed(1, "Nanners"), MatchStashed(2, "Nanners"))
    assert game.events[-1] == CardsDrawn(0, cards("B"))  # one for two


def test_tp_61_no_branch_no_effect_and_one_branch_that_one() -> None:
    assert resolving("bin", "N", "", can="").events[-1] == NoEffect(0, "bin")
    assert resolving("tree", "", "").events[-1] == NoEffect(0, "tree")
    assert resolving("bin_tree", "", "", can="").events[-1] == NoEffect(0, "bin_tree")
    assert resolving("bin_tree", "", "", can="B").events[-2:] == [DrawChosen(0, 1), CardsDrawn(0, cards("B"))]
    assert resolving("bin_tree", "N", "", can="").events[-1] == CardsStashed(0, cards("N"))


def test_tp_61_two_equal_cards_are_asked_for_since_only_their_owner_knows_that_they_are_equal() -> None:
    assert resolving("bin_tree", "NN", "", can="").moves() == [CardsStashed(0, cards("N"))]


def test_tp_62_doggo_and_kitteh_may_be_stashed() -> None:
    game = resolving("tree", "DK", "").do(CardsStashed(0, cards("DK")))
    assert game.table.stashes[0] == cards("DK")


# --- the reveal ------------------------------------------------------------------------------------------------------


def test_tp_63_rivals_stash_a_like_card_clockwise_and_are_drawn_for() -> None:
    game = given("", "NN", "B", "N", can="NFP").roll("reveal", "tree").stop().resolve("reveal")
    assert game.happened(CardRevealed) == [CardRevealed(0, "Nanners")]
    assert game.moves() == [MatchKept(1), MatchStashed(1, "Nanners")]
    game.do(MatchStashed(1, "Nanners"))
    assert game.asked() == 3  # one card at most, and who has none is passed over
    game.do(MatchStashed(3, "Nanners"))
    assert game.events[-1] == CardsDrawn(0, cards("FP"))
    assert game.table.face_up == ((), cards("N"), (), cards("N"))
    assert game.table.hands == (cards("NFP"), cards("N"), cards("B"), ())


def test_tp_63_nobody_stashes_nothing_is_drawn() -> None:
    game = resolving("reveal", "", "N", can="NFP").do(MatchKept(1))
    assert game.moves() == [TokenChosen(0, "recycle")]
    assert game.table.hands[0] == cards("N")


def test_tp_64_reveal_with_an_empty_deck() -> None:
    assert resolving("reveal", "", "N", can="").events[-1] == NoEffect(0, "reveal")


def test_tp_65_a_revealed_doggo_or_kitteh_may_be_matched() -> None:
    for letter in "DK":
        game = resolving("reveal", "", letter, can=letter)
        assert MatchStashed(1, cards(letter)[0]) in game.moves()


def test_the_active_seat_is_not_asked_for_its_own_reveal() -> None:
    assert resolving("reveal", "N", "", can="N").asked() == 0


# --- Recycle ---------------------------------------------------------------------------------------------------------


def test_tp_66_tokens_resolved_this_turn_are_not_free_again() -> None:
    game = given("", "").roll("bin", "recycle").stop().resolve("bin").do(DrawChosen(0, 0)).resolve("recycle")
    assert game.moves() == [TokenExchanged(0, token) for token in ("tree", "bin_tree", "steal", "reveal")]


def test_tp_66_six_by_exchange_earn_no_bonus_turn() -> None:
    game = given("", "").roll(*[token for token in TOKENS if token != "steal"]).stop().resolve("recycle")
    assert game.events[-1] == TokenExchanged(0, "steal")  # one token is free: no question
    assert game.table.bonus == "no"


def test_tp_66_recycle_may_exceed_three_tokens_of_a_bonus_turn() -> None:
    game = given("P", "")
    game = Playing(replace(game.table, bonus="running")).roll("recycle", "bin", "tree").resolve("recycle")
    game.do(TokenExchanged(0, "steal"), PiePlayed(0, "recycle"), TokenExchanged(0, "reveal"))
    assert pending(game.table) == ("bin", "tree", "steal", "reveal")


def test_tp_67_the_recycled_token_is_resolved_in_any_order_with_its_own_pie() -> None:
    game = given("P", "", can="NNNN").roll("recycle", "tree").stop().resolve("recycle").do(TokenExchanged(0, "bin"))
    assert game.moves() == [TokenChosen(0, "tree"), TokenChosen(0, "bin"), PiePlayed(0, "recycle")]
    game.resolve("bin").do(DrawChosen(0, 2))
    assert PiePlayed(0, "bin") in game.moves()


def test_tp_68_a_pied_recycle_is_a_second_exchange() -> None:
    game = resolving("recycle", "P", "").do(TokenExchanged(0, "bin"), PiePlayed(0, "recycle"))
    assert game.moves() == [TokenExchanged(0, token) for token in ("bin_tree", "steal", "reveal")]
    game.do(TokenExchanged(0, "steal"))
    assert pending(game.table) == ("tree", "bin", "steal")


def test_tp_68_none_left_no_effect() -> None:
    game = given("P", "").roll(*[token for token in TOKENS if token != "steal"]).stop().resolve("recycle")
    game.do(PiePlayed(0, "recycle"))
    assert game.events[-1] == NoEffect(0, "recycle")


# --- MMM Pie! --------------------------------------------------------------------------------------------------------


def test_tp_69_a_pie_right_after_with_new_choices() -> None:
    game = given("PNB", "", can="NNNN").roll("tree", "bin").stop()
    assert "PiePlayed" not in [type(move).__name__ for move in game.moves()]
    game.resolve("tree").do(CardsStashed(0, cards("N")), PiePlayed(0, "tree"))
    assert game.moves() == [CardsStashed(0, ()), CardsStashed(0, cards("B"))]


def test_tp_69_a_feesh_or_shiny_in_between_does_not_forfeit_it() -> None:
    game = resolving("tree", "PFSN", "", discard="B", face_up=["", "Y"]).do(CardsStashed(0, cards("N")))
    game.do(FeeshPlayed(0, "Blammo!"), ShinyPlayed(0, 1, "Yum Yum"))
    assert PiePlayed(0, "tree") in game.moves()


def test_tp_69_the_next_token_forfeits_it() -> None:
    game = given("P", "", can="NNNN").roll("bin", "recycle", "tree").stop().resolve("bin").do(DrawChosen(0, 0))
    game.resolve("tree").do(CardsStashed(0, ()))
    assert "(TP-69)" in game.refused(PiePlayed(0, "bin"))
    assert PiePlayed(0, "tree") in game.moves()


def test_tp_69_on_the_last_token_at_the_end_of_the_turn() -> None:
    game = given("P", "", can="NNNN").roll("bin").stop().resolve("bin").do(DrawChosen(0, 2))
    assert game.moves() == [TurnEnded(0), PiePlayed(0, "bin")]
    game.do(PiePlayed(0, "bin"), DrawChosen(0, 2))  # rulebook: four cards instead of two
    assert game.table.hands[0] == cards("NNNN")
    assert game.moves() == [TurnEnded(0)]


def test_tp_69_option_a_pie_with_the_choice_of_the_token() -> None:
    game = given("P", "", can="FBNP", options=TrashPandasOptions(pie_before=True)).roll("bin", "reveal").stop()
    assert PiePlayed(0, "bin") in game.moves()
    game.do(PiePlayed(0, "bin"), DrawChosen(0, 2))
    assert game.events[-1] == TokenRepeated(0, "bin")
    game.do(DrawChosen(0, 1))
    assert game.moves() == [TokenChosen(0, "reveal")]  # no second Pie, and the first token is done
    assert game.table.hands[0] == cards("FBN")


def test_tp_69_option_a_pied_reveal_waits_for_the_rivals_in_between() -> None:
    before = TrashPandasOptions(pie_before=True)
    game = given("P", "NB", can="NFBY", options=before).roll("reveal").stop().do(PiePlayed(0, "reveal"))
    game.do(MatchStashed(1, "Nanners"))
    expected: list[Event] = [CardsDrawn(0, cards("F")), TokenRepeated(0, "reveal"), CardRevealed(0, "Blammo!")]
    assert game.events[-3:] == expected
    game.do(MatchKept(1))
    assert game.moves() == [TurnEnded(0)]


def test_tp_70_one_pie_a_token_several_a_turn() -> None:
    game = given("PPPP", "", can="NNNN").roll("bin", "recycle").stop().resolve("bin")
    game.do(DrawChosen(0, 0), PiePlayed(0, "bin"), DrawChosen(0, 0))
    assert "(TP-69)" in game.refused(PiePlayed(0, "bin"))
    game.resolve("recycle").do(TokenExchanged(0, "tree"), PiePlayed(0, "recycle"))


def test_tp_71_a_pied_token_does_as_much_as_it_can() -> None:
    drawn = resolving("bin", "P", "", can="NNN").do(DrawChosen(0, 2), PiePlayed(0, "bin"))
    assert drawn.moves() == [DrawChosen(0, 0), DrawChosen(0, 1)]
    stashed = resolving("tree", "PN", "").do(CardsStashed(0, cards("N")), PiePlayed(0, "tree"))
    assert stashed.events[-1] == NoEffect(0, "tree")
    nobody = resolving("steal", "P", "N")
    nobody.do(nobody.due().odds[0][0], PiePlayed(0, "steal"))
    assert nobody.events[-1] == NoEffect(0, "steal")
