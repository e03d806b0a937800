"""Sentences that every game shares, and places from scores."""

from __future__ import annotations

import pytest

from core.ranking import by_score
from core.redact import seen
from core.reducer import Reducer, put
from core.words import counted, listed, plain, result
from events.base import Event, GameEnded, GameStarted, RoundStarted, TakenBack, TurnStarted, Unknown
from tests.toy import CardDrawn, CardsShown, Heap, StonesOptions, StonesTaken, toy

NAMES = ["Ada", "Bo", "Cy"]


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (GameStarted("x", 1, 3, "", StonesOptions()), "A game for 3 begins: Ada, Bo and Cy"),
        (RoundStarted(2), "Round 2 begins"),
        (TurnStarted(1, 4), "Turn 4: Bo's turn"),
        (TakenBack(7), "Taken back to step 7"),
        (StonesTaken(2, 3), "Stones taken: seat Cy, count 3"),
        (CardDrawn(0, "one"), "Card drawn: seat Ada, card one"),
        (CardsShown((("one",), ("two",))), "Cards shown: cards (1 one, 1 two)"),
        (
            GameEnded("rounds_played", (3, 9, 3), ((1,), (0, 2))),
            "The game ends (rounds played): Bo wins with 9, then Ada 3, Cy 3",
        ),
        (GameEnded("x", (5, 5, 1), ((0, 1), (2,))), "The game ends (x): Ada and Bo share the win with 5, then Cy 1"),
    ],
)
def test_any_event_is_a_sentence(event: Event, sentence: str) -> None:
    assert plain(event, NAMES) == sentence
    assert toy().words(event, NAMES) == sentence


class DogBarked(Event, frozen=True, tag="dog_barked"):
    """Says nothing more."""


def test_an_event_without_fields_is_said_by_its_tag() -> None:
    assert plain(DogBarked(), NAMES) == "dog_barked"


def test_a_hidden_card_is_not_said() -> None:
    hidden = seen(CardDrawn(0, "three"), 1)
    assert hidden is not None
    assert plain(hidden, NAMES) == "Card drawn: seat Ada, card ?"


def test_hostile_names_and_unknown_events_are_plain_text() -> None:
    assert plain(TurnStarted(0, 1), ["<script>", "x"]) == "Turn 1: <script>'s turn"
    assert plain(Unknown("peeked", b"{}"), NAMES).startswith("Peeked: ")


def test_lists_and_counts() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert counted(["?"]) == "1 card"
    assert counted(["?", "red", "?"], "tile") == "2 tiles and 1 red"


def test_results_of_all_kinds() -> None:
    assert result(GameEnded("x", (4, 4), ((0, 1),)), NAMES) == "Ada and Bo share the win with 4"
    assert result(GameEnded("x", (4,), ((0,),)), NAMES) == "Ada wins with 4"


@pytest.mark.parametrize(
    ("scores", "ranking"),
    [
        ([], ()),
        ([5], ((0,),)),
        ([1, 2, 3], ((2,), (1,), (0,))),
        ([3, 3, 3], ((0, 1, 2),)),
        ([-1, 0, -1], ((1,), (0, 2))),
        ([(7, 1), (7, 2), (6, 9)], ((1,), (0,), (2,))),  # a tie-break is the second part of a score
    ],
)
def test_places_from_scores(scores: list[object], ranking: tuple[tuple[int, ...], ...]) -> None:
    assert by_score(scores) == ranking


def test_a_reducer_has_one_rule_for_an_event_type() -> None:
    reducer = Reducer[Heap]()

    @reducer.on(RoundStarted)
    def first(table: Heap, event: RoundStarted) -> Heap:
        return table

    with pytest.raises(ValueError, match="RoundStarted has a rule already"):
        reducer.on(RoundStarted)(first)
    table = toy().initial()
    assert reducer.evolve(table, RoundStarted(1)) is table
    with pytest.raises(KeyError):
        reducer.evolve(table, TakenBack(0))


def test_put_leaves_the_old_tuple_alone() -> None:
    old = (1, 2, 3)
    assert put(old, 2, 9) == (1, 2, 9)
    assert put(old, 0, 9) == (9, 2, 3)
    assert old == (1, 2, 3)
