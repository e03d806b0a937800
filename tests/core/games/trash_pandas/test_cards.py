"""Feesh, Shiny, and the lock on cards gained this turn: TP-34 to TP-43."""

from __future__ import annotations

import pytest

from events.trash_pandas import (
    BlammoPlayed,
    BustAccepted,
    CardsStashed,
    CardStolen,
    DieThrown,
    DoggoPlayed,
    DrawChosen,
    FeeshPlayed,
    HandTargeted,
    KittehPlayed,
    NannersPlayed,
    PiePlayed,
    RollingStopped,
    ShinyPlayed,
    TokenChosen,
    TurnEnded,
    YumYumPlayed,
)
from tests.core.games.trash_pandas.playing import Playing, cards, given


def offered(game: Playing) -> set[str]:
    return {type(move).__name__ for move in game.moves()}


@pytest.mark.parametrize("stage", ["before", "rolled", "blammoed", "bust", "forced", "stopped", "between"])
def test_tp_34_feesh_and_shiny_at_every_decision_of_ones_own_turn(stage: str) -> None:
    game = given("FSB", "Y", discard="N", face_up=["", "P"])
    if stage == "blammoed":
        game.roll("tree").do(BlammoPlayed(0))
    elif stage != "before":
        game.roll("tree")
    if stage == "bust":
        game.roll("tree")
    if stage in ("forced", "stopped", "between"):
        game.roll("recycle").stop().do(game.moves()[1 if stage == "forced" else 0])
    if stage == "between":
        game.resolve("tree").do(CardsStashed(0, ()))
    assert {"FeeshPlayed", "ShinyPlayed"} <= offered(game)


def test_tp_34_not_once_the_last_token_is_done() -> None:
    game = given("FS", "", discard="N", face_up=["", "P"]).roll("tree").stop().resolve("tree").do(CardsStashed(0, ()))
    assert game.moves() == [TurnEnded(0)]


def test_tp_34_nor_on_another_seats_turn() -> None:
    assert given("", "FS", discard="N", face_up=["P", ""]).asked() == 0


def test_tp_35_cards_gained_while_rolling_are_playable_until_the_first_token_is_chosen() -> None:
    game = given("FF", "", discard="SN", face_up=["", "P"]).do(FeeshPlayed(0, "Shiny"))
    assert ShinyPlayed(0, 1, "MMM Pie!") in game.moves()
    game.roll("tree", "recycle").stop()
    assert ShinyPlayed(0, 1, "MMM Pie!") in game.moves()  # still, between the stop and the first token
    game.resolve("tree").do(CardsStashed(0, ()))
    assert "ShinyPlayed" not in offered(game)
    assert FeeshPlayed(0, "Nanners") in game.moves()  # the second Feesh was there before


def test_tp_35_a_card_drawn_while_resolving_is_locked_but_may_be_stashed() -> None:
    game = given("", "", can="FN", discard="B").roll("bin", "tree", "recycle").stop()
    game.resolve("bin").do(DrawChosen(0, 1))
    assert "FeeshPlayed" not in offered(game)
    assert CardsStashed(0, ("Feesh",)) in game.resolve("tree").moves()


def test_tp_35_a_pie_gained_this_turn_never_works_this_turn() -> None:
    game = given("F", "", discard="P").roll("tree", "recycle").do(FeeshPlayed(0, "MMM Pie!")).stop()
    game.resolve("tree").do(CardsStashed(0, ()))
    assert "PiePlayed" not in offered(game)


def test_tp_36_before_the_lock_the_copy_gained_this_turn_is_played_first() -> None:
    """Of two Shinys, one gained: the gained one is spent while rolling, so the other works while resolving."""
    game = given("SF", "", discard="S", face_up=["", "PNB"]).do(FeeshPlayed(0, "Shiny"), ShinyPlayed(0, 1, "MMM Pie!"))
    game.roll("tree", "recycle").stop().resolve("tree").do(CardsStashed(0, ()))
    assert ShinyPlayed(0, 1, "Nanners") in game.moves()


def test_tp_36_once_the_lock_is_on_only_other_copies_are_played() -> None:
    game = given("SF", "", discard="S", face_up=["", "PNB"]).do(FeeshPlayed(0, "Shiny"))
    game.roll("tree", "recycle").stop().resolve("tree").do(CardsStashed(0, ()), ShinyPlayed(0, 1, "MMM Pie!"))
    assert game.table.hands[0] == cards("SP")
    assert "ShinyPlayed" not in offered(game)  # what is left is the locked one


def test_tp_36_a_locked_copy_is_stashed_first() -> None:
    game = given("SF", "", discard="S", face_up=["", "PNB"]).do(FeeshPlayed(0, "Shiny"))
    game.roll("tree", "recycle").stop().resolve("tree").do(CardsStashed(0, ("Shiny",)))
    assert ShinyPlayed(0, 1, "MMM Pie!") in game.moves()


def test_tp_36_a_random_theft_picks_an_instance() -> None:
    """The active seat has two Shinys, one of them gained this turn, and a Kitteh turns a theft upon it."""
    game = given("SFN", "NK", discard="S", can="", face_up=["", "PNB"]).do(FeeshPlayed(0, "Shiny"))
    game.roll("steal", "tree").stop().resolve("steal").do(KittehPlayed(1, None))
    old, new = CardStolen(1, 0, "Shiny", gained=False), CardStolen(1, 0, "Shiny", gained=True)
    assert game.odds() == {old: 1, new: 1, CardStolen(1, 0, "Nanners", gained=False): 1}
    assert "ShinyPlayed" not in offered(Playing(game.table).do(old))
    assert "ShinyPlayed" in offered(Playing(game.table).do(new))


def test_tp_37_the_lock_does_not_bind_others() -> None:
    """A Doggo drawn by a Doggo blocks later in the same turn."""
    game = given("P", "DN", can="DNNN").roll("steal", "tree").stop().resolve("steal")
    game.do(DoggoPlayed(1, draws=True), PiePlayed(0, "steal"))
    assert DoggoPlayed(1, draws=True) in game.moves()


def test_tp_38_the_active_seat_may_not_defend_with_what_it_gained_while_resolving() -> None:
    game = given("", "NK", can="DN").roll("bin", "steal").stop().resolve("bin").do(DrawChosen(0, 1))
    game.resolve("steal").do(KittehPlayed(1, None))
    assert game.odds() == {CardStolen(1, 0, "Doggo", gained=True): 1}  # not asked: the card is drawn at once


def test_tp_38_but_with_one_it_had() -> None:
    game = given("D", "NK", can="DN").roll("bin", "steal").stop().resolve("bin").do(DrawChosen(0, 1))
    game.resolve("steal").do(KittehPlayed(1, None))
    assert game.asked() == 0


def test_tp_38_and_while_rolling_with_one_it_gained() -> None:
    game = given("FS", "K", discard="D", stashes=["N", "N"]).do(FeeshPlayed(0, "Doggo"))
    game.do(ShinyPlayed(0, 1, "face down"), KittehPlayed(1, "face down"))
    assert DoggoPlayed(0, draws=True) in game.moves()


def test_tp_39_tp_40_a_feesh_takes_no_feesh() -> None:
    game = given("FF", "", discard="FFNF")
    assert game.moves() == [DieThrown(0), FeeshPlayed(0, "Nanners")]
    assert "(TP-40)" in game.refused(FeeshPlayed(0, "Feesh"))
    game.do(FeeshPlayed(0, "Nanners"))
    assert game.table.discard == cards("FFFF")
    assert game.moves() == [DieThrown(0)]


def test_tp_41_a_card_discarded_earlier_this_turn() -> None:
    game = given("BFFF", "YD", face_up=["", "P"], can="NN").roll("tree").do(BlammoPlayed(0), FeeshPlayed(0, "Blammo!"))
    assert game.table.hands[0] == cards("FFB")
    game.roll("tree").stop().do(YumYumPlayed(1))
    assert FeeshPlayed(0, "Yum Yum") in game.moves()


def test_tp_41_even_a_nanners_just_used() -> None:
    game = given("NF", "").roll("tree", "tree").do(NannersPlayed(0), FeeshPlayed(0, "Nanners"))
    assert game.table.hands[0] == cards("N")


def test_tp_42_without_a_target_they_are_not_playable() -> None:
    assert given("FS", "").moves() == [DieThrown(0)]
    assert given("FS", "", discard="F", stashes=["NN", ""]).moves() == [DieThrown(0)]  # not from one's own stash
    assert "(TP-54)" in given("FS", "").refused(ShinyPlayed(0, 1, "face down"))


def test_tp_43_cards_run_out() -> None:
    """Seven Feesh bring back seven cards at most: played whenever possible, they come to an end."""
    game = given("FFFFFFFSSS", "", discard="B", face_up=["", "N"])
    played = 0
    while own := [move for move in game.moves() if not isinstance(move, DieThrown | RollingStopped | BustAccepted)]:
        game.do(own[-1])
        played += 1
    assert played <= 7 + 3 + 1


def test_rulebook_shiny_takes_the_card_into_the_hand() -> None:
    game = given("S", "", stashes=["", "N"]).do(ShinyPlayed(0, 1, "face down"))
    assert game.odds() == {CardStolen(0, 1, "Nanners", gained=False): 1}
    game.do(CardStolen(0, 1, "Nanners", gained=False))
    assert game.table.hands[0] == cards("N")
    assert game.table.stashes == ((), ())
    assert game.table.discard == cards("S")


def test_the_types_of_moves_between_tokens() -> None:
    game = given("P", "N").roll("steal", "tree").stop().resolve("steal").do(CardStolen(0, 1, "Nanners", gained=False))
    assert game.moves() == [TokenChosen(0, "tree"), PiePlayed(0, "steal")]
    assert "(TP-44)" in game.refused(HandTargeted(0, 1))
