"""Which decisions are moves (TP-83, G-01), what an illegal one is told, and how the game reads."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from core.bots import Bot, RandomBot, View
from core.bots.seats import seated
from core.conformance import random_game
from core.engine import append, play, refuse, start, states, take_back
from core.games.trash_pandas.bot import ForagerBot
from core.redact import redact, seen
from core.rng import Rng, seed_key
from events.base import Event, Move
from events.errors import UnlawfulEvent
from events.trash_pandas import (
    BlammoPlayed,
    BustAccepted,
    CardsDrawn,
    CardsStashed,
    DieRolled,
    DieThrown,
    DoggoPlayed,
    DrawChosen,
    FeeshPlayed,
    GameEnded,
    HandTargeted,
    KittehPlayed,
    MatchStashed,
    NannersPlayed,
    PiePlayed,
    RollingStopped,
    ShinyPlayed,
    TokenChosen,
    TokenExchanged,
    TokenSkipped,
    TrashPandasEvent,
    TurnEnded,
    YumYumKept,
    YumYumPlayed,
)
from tests.core.games.trash_pandas.playing import GAME, Playing, given

BOT_GAMES = 60
"""Games of the bot against a random one; the docs have the figure for 2,000."""


# --- TP-83 -----------------------------------------------------------------------------------------------------------


def test_tp_83_every_decision_of_a_turn_is_asked_even_with_one_answer() -> None:
    """An empty hand: nothing but the ordinary moves can exist, and each of them is a move all the same."""
    game = given("", "", can="N")
    asked: list[list[Move]] = []

    def step(move: Move) -> None:
        asked.append(game.moves())
        game.do(move)

    step(DieThrown(0))
    game.do(DieRolled(0, "tree"))
    step(RollingStopped(0))
    step(TokenChosen(0, "tree"))
    step(TurnEnded(0))
    assert asked == [
        [DieThrown(0)],
        [DieThrown(0), RollingStopped(0)],
        [TokenChosen(0, "tree")],
        [TurnEnded(0)],
    ]


def test_tp_83_accepting_a_bust_is_a_move() -> None:
    assert given("", "").roll("tree", "tree").moves() == [BustAccepted(0)]


def test_tp_83_the_compulsory_roll_is_asked_with_feesh_and_shiny_alone() -> None:
    game = given("BBFSPNYDK", "Y", discard="N", face_up=["", "P"]).roll("tree").do(BlammoPlayed(0))
    assert {type(move) for move in game.moves()} == {DieThrown, FeeshPlayed, ShinyPlayed}
    game.roll("tree").stop().do(YumYumPlayed(1))
    assert {type(move) for move in game.moves()} == {DieThrown, FeeshPlayed, ShinyPlayed}


def test_tp_83_at_the_end_of_the_turn_a_pie_alone_is_added() -> None:
    game = given("BFSPPNYDK", "", discard="N", face_up=["", "P"]).roll("bin").stop().resolve("bin").do(DrawChosen(0, 0))
    assert game.moves() == [TurnEnded(0), PiePlayed(0, "bin")]


# --- bad input -------------------------------------------------------------------------------------------------------

ROLLED = given("B", "BDKYFS", "N", discard="N", face_up=["N", "N", "N"]).roll("tree", "steal").table
"""Seat 0 has rolled two tokens and holds a Blammo!."""


@pytest.mark.parametrize(
    ("move", "rule"),
    [
        (DieThrown(1), "TP-07"),  # out of turn
        (RollingStopped(1), "TP-07"),
        (BlammoPlayed(1), "TP-09"),
        (FeeshPlayed(1, "Nanners"), "TP-40"),
        (ShinyPlayed(1, 0, "Nanners"), "TP-54"),
        (BustAccepted(0), "TP-16"),  # out of its window
        (YumYumPlayed(1), "TP-27"),
        (DoggoPlayed(1, draws=True), "TP-48"),
        (KittehPlayed(1, None), "TP-51"),
        (MatchStashed(2, "Nanners"), "TP-63"),
        (TokenChosen(0, "tree"), "turn B"),
        (TokenSkipped(0, "tree"), "TP-58"),
        (TokenExchanged(0, "bin"), "TP-66"),
        (DrawChosen(0, 2), "TP-59"),
        (CardsStashed(0, ("Blammo!",)), "TP-03"),
        (HandTargeted(0, 1), "TP-44"),
        (PiePlayed(0, "tree"), "TP-69"),
        (TurnEnded(0), "TP-83"),
        (NannersPlayed(0), "TP-12"),  # not held, too
        (FeeshPlayed(0, "Nanners"), "TP-40"),  # not held
        (ShinyPlayed(0, 1, "Nanners"), "TP-54"),
        (CardsDrawn(0, ("Nanners",)), "TP-60"),  # not a move at all
        (GameEnded("can_empty", (0, 0, 0), ((0, 1, 2),)), "TP-72"),
    ],
)
def test_a_move_out_of_turn_or_window_or_not_held_is_refused_naming_the_ruling(move: Event, rule: str) -> None:
    before = replace(ROLLED)
    reason = refuse(GAME, ROLLED, 9, move)
    assert reason == f"not one of the 3 legal moves of seat 0 ({rule})"
    with pytest.raises(UnlawfulEvent, match="not one of the 3 legal moves") as refusal:
        append(GAME, ROLLED, 9, move)
    assert "\n" not in str(refusal.value)
    assert before == ROLLED


def test_a_rivals_answer_is_refused_from_any_other_seat() -> None:
    game = given("DK", "D", "DK").roll("steal").stop().resolve("steal").do(HandTargeted(0, 1))
    assert game.refused(DoggoPlayed(2, draws=True)) == "not one of the 3 legal moves of seat 1 (TP-48)"
    assert game.refused(KittehPlayed(1, None)) == "not one of the 3 legal moves of seat 1 (TP-51)"
    assert game.refused(DieRolled(0, "bin")) == "not one of the 3 legal moves of seat 1 (turn A)"


def test_an_impossible_outcome_of_chance_is_refused() -> None:
    game = given("", "").do(DieThrown(0))
    assert game.refused(DieRolled(1, "bin")) == "not a possible outcome (turn A)"


def test_a_take_back_in_play_goes_behind_no_roll_and_no_card_that_was_seen() -> None:
    game = given("", "", can="NN").roll("bin", "tree").stop().resolve("tree")
    at = len(game.events)
    assert take_back(GAME, game.events, at - 3).to == at - 3  # the stop may be taken back, and the choice of a token
    with pytest.raises(UnlawfulEvent, match="die_rolled, cannot be taken back"):
        take_back(GAME, game.events, at - 5)
    game.resolve("bin").do(DrawChosen(0, 1))
    with pytest.raises(UnlawfulEvent, match="cards_drawn, cannot be taken back"):
        take_back(GAME, game.events, at)


def test_a_take_back_in_play_goes_behind_no_answer_that_showed_a_rivals_card() -> None:
    game = given("", "Y").roll("bin").stop().do(YumYumPlayed(1))
    with pytest.raises(UnlawfulEvent, match="yum_yum_played, cannot be taken back"):
        take_back(GAME, game.events, 1)


def test_a_secret_refusal_does_not_stop_a_take_back_which_would_tell_of_it() -> None:
    game = given("", "Y").roll("bin").stop().do(YumYumKept(1))
    assert take_back(GAME, game.events, 1).to == 1


def test_every_event_names_the_rule_it_applies() -> None:
    for kind in TrashPandasEvent.__args__[1:-1]:  # game_started and taken_back are everybody's
        assert kind.rule, kind


# --- words -----------------------------------------------------------------------------------------------------------


def test_every_event_is_said_in_words_for_every_viewer_and_tells_no_face_that_is_hidden() -> None:
    names = ["Ada", "Bo", "Cy"]
    for number in range(6):
        for event in random_game(GAME, 3, f"words/{number}"):
            for viewer in ("omniscient", "spectator", 0, 1, 2):
                shown = seen(event, viewer)
                if shown is not None:
                    sentence = GAME.words(shown, names)
                    assert sentence[0].isupper() or sentence[0].isdigit()
                    assert "?" not in sentence
                    assert "_" not in sentence


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (DieRolled(0, "bin_tree"), "The die shows Trash can / Tree"),
        (CardsStashed(1, ("Nanners", "Nanners")), "Bo stashes 2 Nanners face down"),
        (CardsStashed(1, ()), "Bo stashes nothing"),
        (ShinyPlayed(0, 1, "face down"), "Ada plays Shiny to steal a face-down card from the stash of Bo"),
        (KittehPlayed(1, None), "Bo turns the tables with Kitteh"),
        (KittehPlayed(1, "Feesh"), "Bo turns the tables with Kitteh to steal Feesh"),
        (DoggoPlayed(1, draws=False), "Bo blocks with Doggo and draws nothing"),
        (GameEnded("turn_limit", (0, 0), ()), "The game is stopped without a winner: too many turns"),
        (GameEnded("can_empty", (9, 3), ((0,), (1,))), "The game ends (can empty): Ada wins with 9, then Bo 3"),
    ],
)
def test_words(event: Event, sentence: str) -> None:
    assert GAME.words(event, ["Ada", "Bo"]) == sentence


# --- the bot ---------------------------------------------------------------------------------------------------------


def test_the_bot_beats_a_random_one() -> None:
    """At least four games of five; a shared win counts half."""
    won = 0.0
    for number in range(BOT_GAMES):
        mine, key = number % 2, seed_key(f"strength/{number}")
        bots: list[Bot] = [ForagerBot() if seat == mine else RandomBot() for seat in (0, 1)]
        *_, ended = play(GAME, start(GAME, 2), key, seated(bots, key))
        assert isinstance(ended, GameEnded)
        won += 1 / len(ended.ranking[0]) if mine in ended.ranking[0] else 0
    assert won >= 0.8 * BOT_GAMES


def best(game: Playing) -> Move:
    """The bot's move where it is asked."""
    moves = game.moves()
    seat = moves[0].seat
    return ForagerBot().choose(View(seat, redact(game.table, seat), game.events), moves, Rng(b"bot", 1))


def test_the_bot_saves_tokens_answers_thefts_and_stashes() -> None:
    assert best(given("", "").roll("tree")) == DieThrown(0)
    assert best(given("NN", "").roll("tree", "bin", "steal", "reveal").stop()) == TokenChosen(0, "reveal")
    assert best(given("YY", "").roll("tree", "bin", "steal", "reveal")) == RollingStopped(0)
    assert best(given("N", "").roll("tree", "bin", "steal", "bin")) == NannersPlayed(0)
    assert best(given("F", "", discard="SN").roll("tree", "bin", "steal", "bin")) == FeeshPlayed(0, "Nanners")
    assert best(given("", "NND").roll("steal").stop().resolve("steal")) == DoggoPlayed(1, draws=True)
    assert best(given("NBDD", "").roll("tree").stop().resolve("tree")) == CardsStashed(0, ("Nanners", "Blammo!"))


def test_the_bot_plays_on_what_its_seat_sees_alone() -> None:
    """It copes with hidden faces, always gives one of the moves, and the same one for the same view."""
    for number in range(3):
        for table in states(GAME, random_game(GAME, 2, f"view/{number}")):
            if GAME.forced(table) is None and table.outcome is None:
                moves = GAME.legal(table)
                view = View(moves[0].seat, redact(table, moves[0].seat), ())
                chosen = ForagerBot().choose(view, moves, Rng(b"bot", 1))
                assert chosen in moves
                assert chosen == ForagerBot().choose(view, moves, Rng(b"bot", 1))
