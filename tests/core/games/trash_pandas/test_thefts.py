"""Thefts, Doggo and Kitteh: TP-44 to TP-57."""

from __future__ import annotations

import pytest

from events.trash_pandas import (
    BlammoPlayed,
    CardsDrawn,
    CardsStashed,
    CardStolen,
    DieThrown,
    DoggoPlayed,
    FaceUpCardStolen,
    FeeshPlayed,
    HandTargeted,
    KittehPlayed,
    NoEffect,
    PiePlayed,
    ShinyPlayed,
    TheftSuffered,
    TokenChosen,
    TrashPandasOptions,
    TurnEnded,
)
from tests.core.games.trash_pandas.playing import Playing, cards, given


def stealing(*hands: str, can: str = "NNNN", options: TrashPandasOptions | None = None) -> Playing:
    """Seat 0 resolves the steal token, with the tree token still to come."""
    return given(*hands, can=can, options=options).roll("steal", "tree").stop().resolve("steal")


def stolen(seat: int, victim: int, letter: str) -> CardStolen:
    return CardStolen(seat, victim, cards(letter)[0], gained=False)


# --- the steal token -------------------------------------------------------------------------------------------------


def test_tp_44_any_rival_with_a_card_in_hand() -> None:
    game = stealing("N", "", "N", "P")
    assert game.moves() == [HandTargeted(0, 2), HandTargeted(0, 3)]
    assert "(TP-44)" in game.refused(HandTargeted(0, 1))


def test_tp_44_nobody_with_a_card_no_effect() -> None:
    assert stealing("N", "", "").events[-1] == NoEffect(0, "steal")


def test_tp_44_one_rival_with_cards_is_the_victim_without_a_question() -> None:
    game = stealing("N", "", "NN")
    assert game.events[-1] == HandTargeted(0, 2)
    assert game.odds() == {stolen(0, 2, "N"): 2}


def test_tp_45_every_card_is_as_likely_and_two_seats_learn_which() -> None:
    game = stealing("", "NNP", "B").do(HandTargeted(0, 1))
    assert game.odds() == {stolen(0, 1, "N"): 2, stolen(0, 1, "P"): 1}
    event = stolen(0, 1, "P")
    game.do(event)
    assert game.table.hands == (cards("P"), cards("NN"), cards("B"))
    assert b'"card":"?"' in game.record(2)[-1]
    assert b'"card":"?"' in game.record("spectator")[-1]
    assert b'"card":"MMM Pie!"' in game.record(0)[-1]
    assert b'"card":"MMM Pie!"' in game.record(1)[-1]


def test_tp_45_so_with_a_face_down_card() -> None:
    game = given("S", "", "", stashes=["", "NNP", ""]).do(ShinyPlayed(0, 1, "face down"))
    assert game.odds() == {stolen(0, 1, "N"): 2, stolen(0, 1, "P"): 1}


def test_tp_46_the_target_answers_before_the_card_is_drawn() -> None:
    game = stealing("", "DN")
    assert game.moves() == [TheftSuffered(1), DoggoPlayed(1, draws=False), DoggoPlayed(1, draws=True)]
    assert not game.happened(CardStolen)
    game.do(TheftSuffered(1))
    assert game.odds() == {stolen(0, 1, "D"): 1, stolen(0, 1, "N"): 1}


def test_tp_47_doggo_blocks_and_draws_two() -> None:
    game = stealing("", "DN", can="BPNN").do(DoggoPlayed(1, draws=True))
    assert game.table.hands == ((), cards("NBP"))
    assert game.table.discard == cards("D")
    assert game.moves() == [TokenChosen(0, "tree")]


def test_tp_47_rulebook_fewer_than_two_cards_draw_what_is_there() -> None:
    game = stealing("", "DN", can="B").do(DoggoPlayed(1, draws=True))
    assert game.happened(CardsDrawn) == [CardsDrawn(1, cards("B"))]


def test_tp_48_the_draw_is_optional_none_or_all() -> None:
    assert [move.draws for move in stealing("", "D").moves() if isinstance(move, DoggoPlayed)] == [False, True]
    assert [move.draws for move in stealing("", "D", can="").moves() if isinstance(move, DoggoPlayed)] == [False]
    game = stealing("", "DN").do(DoggoPlayed(1, draws=False))
    assert game.table.hands[1] == cards("N")


def test_tp_48_option_the_draw_is_automatic() -> None:
    must = TrashPandasOptions(doggo_must_draw=True)
    assert stealing("", "D", options=must).moves() == [TheftSuffered(1), DoggoPlayed(1, draws=True)]
    assert stealing("", "D", can="", options=must).moves() == [TheftSuffered(1), DoggoPlayed(1, draws=False)]


def test_tp_49_kitteh_takes_a_card_from_the_thiefs_hand_and_the_thief_may_answer() -> None:
    game = stealing("BP", "KN").do(KittehPlayed(1, None))
    assert game.odds() == {stolen(1, 0, "B"): 1, stolen(1, 0, "P"): 1}
    game.do(stolen(1, 0, "B"))
    assert game.table.hands == (cards("P"), cards("NB"))
    answering = stealing("DK", "KN").do(KittehPlayed(1, None))
    assert answering.moves() == [
        TheftSuffered(0),
        DoggoPlayed(0, draws=False),
        DoggoPlayed(0, draws=True),
        KittehPlayed(0, None),
    ]


def test_tp_50_kitteh_answered_by_kitteh_answered_by_doggo() -> None:
    game = stealing("KB", "KDN").do(KittehPlayed(1, None), KittehPlayed(0, None))
    assert game.moves() == [TheftSuffered(1), DoggoPlayed(1, draws=False), DoggoPlayed(1, draws=True)]
    blocked = Playing(game.table).do(DoggoPlayed(1, draws=False))
    assert blocked.table.hands == (cards("B"), cards("N"))
    assert blocked.table.discard == cards("DKK")
    lost = Playing(game.table).do(TheftSuffered(1), stolen(0, 1, "N"))
    assert lost.table.hands == (cards("BN"), cards("D"))


def test_tp_51_the_zone_never_changes() -> None:
    """Against a Shiny a Kitteh steals from the stash; the card goes to the final thief's hand."""
    game = given("SB", "K", stashes=["P", "N"]).do(ShinyPlayed(0, 1, "face down"), KittehPlayed(1, "face down"))
    assert game.odds() == {stolen(1, 0, "P"): 1}
    game.do(stolen(1, 0, "P"))
    assert game.table.hands == (cards("B"), cards("P"))
    assert game.table.stashes == ((), cards("N"))


def test_tp_51_rulebook_kitteh_turns_a_shiny_back_on_a_face_up_card() -> None:
    game = given("S", "K", stashes=["", "N"], face_up=["P", ""]).do(ShinyPlayed(0, 1, "face down"))
    assert game.moves() == [TheftSuffered(1), KittehPlayed(1, "MMM Pie!")]
    game.do(KittehPlayed(1, "MMM Pie!"))
    assert game.events[-1] == FaceUpCardStolen(1, 0, "MMM Pie!")
    assert game.table.hands == ((), cards("P"))
    assert game.table.face_up == ((), ())


def test_tp_52_kitteh_against_an_empty_hand_calls_the_theft_off() -> None:
    game = stealing("", "KN").do(KittehPlayed(1, None))
    assert game.moves() == [TokenChosen(0, "tree")]
    assert game.table.hands == ((), cards("N"))


def test_tp_52_kitteh_against_an_empty_stash_and_the_thief_is_not_asked() -> None:
    game = given("SD", "K", stashes=["", "N"]).do(ShinyPlayed(0, 1, "face down"))
    assert game.moves() == [TheftSuffered(1), KittehPlayed(1, None)]
    game.do(KittehPlayed(1, None))
    assert game.moves() == [DieThrown(0)]
    assert game.table.hands == (cards("D"), ())  # no Doggo is drawn for


def test_tp_53_doggo_of_the_thief_against_a_kitteh() -> None:
    """The two cards are gained this turn: locked while resolving."""
    game = stealing("D", "KN", can="FNNN").do(KittehPlayed(1, None), DoggoPlayed(0, draws=True))
    assert game.table.hands[0] == cards("FN")
    assert game.table.discard == cards("DK")
    assert game.moves() == [TokenChosen(0, "tree")]  # the Feesh could take the Kitteh, but it is locked


def test_tp_54_shiny_names_a_face_up_card_or_a_face_down_one() -> None:
    game = given("S", "", "", stashes=["N", "BB", ""], face_up=["N", "PPF", "Y"])
    assert game.moves() == [
        DieThrown(0),
        ShinyPlayed(0, 1, "MMM Pie!"),
        ShinyPlayed(0, 1, "Feesh"),
        ShinyPlayed(0, 1, "face down"),
        ShinyPlayed(0, 2, "Yum Yum"),
    ]
    game.do(ShinyPlayed(0, 1, "Feesh"))
    assert game.events[-1] == FaceUpCardStolen(0, 1, "Feesh")
    assert game.table.face_up == (cards("N"), cards("PP"), cards("Y"))
    assert game.record("spectator")[-2] == (
        b'{"type":"shiny_played","seat":0,"victim":1,"card":"Feesh"}'  # named with the play, before the answer
    )


def test_tp_54_a_kitteh_names_its_own_target() -> None:
    game = given("SK", "K", stashes=["BB", "N"], face_up=["P", "F"]).do(ShinyPlayed(0, 1, "Feesh"))
    assert [move.card for move in game.moves() if isinstance(move, KittehPlayed)] == ["MMM Pie!", "face down"]
    game.do(KittehPlayed(1, "face down"))
    assert [move.card for move in game.moves() if isinstance(move, KittehPlayed)] == ["Feesh", "face down"]


def test_tp_55_a_blocked_shiny_is_spent_and_doggo_draws() -> None:
    game = given("S", "D", stashes=["", "N"], can="BP").do(ShinyPlayed(0, 1, "face down"), DoggoPlayed(1, draws=True))
    assert game.table.discard == cards("DS")
    assert game.table.hands == ((), cards("BP"))
    assert game.table.stashes == ((), cards("N"))


@pytest.mark.parametrize("answer", [DoggoPlayed(1, draws=False), KittehPlayed(1, None), TheftSuffered(1)])
def test_tp_56_no_answer_without_a_theft(answer: DoggoPlayed | KittehPlayed | TheftSuffered) -> None:
    game = given("DK", "DK").roll("tree")
    assert f"({type(answer).rule})" in game.refused(answer)
    assert [type(move).__name__ for move in game.moves()] == ["DieThrown", "RollingStopped"]


def test_tp_57_with_a_pie_a_new_free_choice_of_victim_and_a_new_answer() -> None:
    game = stealing("P", "DN", "NN").do(HandTargeted(0, 1), DoggoPlayed(1, draws=False), PiePlayed(0, "steal"))
    assert game.moves() == [HandTargeted(0, 1), HandTargeted(0, 2)]
    same = Playing(game.table).do(HandTargeted(0, 1))
    assert same.odds() == {stolen(0, 1, "N"): 1}
    again = stealing("P", "DDN").do(DoggoPlayed(1, draws=False), PiePlayed(0, "steal"))
    assert DoggoPlayed(1, draws=False) in again.moves()


def test_a_theft_in_the_middle_of_rolling_goes_back_to_rolling() -> None:
    game = given("SBF", "D", face_up=["", "P"]).roll("tree").do(ShinyPlayed(0, 1, "MMM Pie!"), TheftSuffered(1))
    assert {type(move) for move in game.moves()} >= {DieThrown, BlammoPlayed, FeeshPlayed}


def test_the_turn_goes_on_after_a_theft_with_the_last_token() -> None:
    game = given("", "N").roll("steal").stop().resolve("steal").do(stolen(0, 1, "N"))
    assert game.moves() == [TurnEnded(0)]
    assert "(TP-03)" in game.refused(CardsStashed(0, ("Nanners",)))
