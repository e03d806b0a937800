"""Chance: what may happen, drawn or recognised."""

from __future__ import annotations

from collections import Counter

from core.chance import pick, shuffle
from core.rng import Rng
from events.base import RoundStarted, TurnStarted
from tests.toy import CardDrawn, CardsShown, Hand

ONE, TWO, NEVER = CardDrawn(0, "one"), CardDrawn(0, "two"), CardDrawn(0, "three")


def test_a_pick_admits_what_has_weight_and_nothing_else() -> None:
    due = pick([(ONE, 3), (TWO, 1), (NEVER, 0)])
    assert [due.admits(event) for event in (ONE, TWO, NEVER)] == [True, True, False]
    assert not due.admits(CardDrawn(1, "one"))
    assert not due.admits(RoundStarted(1))
    assert due.odds == ((ONE, 3), (TWO, 1), (NEVER, 0))


def test_a_pick_follows_its_weights_exactly() -> None:
    """`below(4)` of 0, 1, 2 gives the first, 3 the second: weights are read in their order."""
    due = pick([(ONE, 3), (TWO, 1), (NEVER, 0)])
    for event in range(200):
        below = Rng(b"pick", event).below(4)
        assert due.sample(Rng(b"pick", event)) == (TWO if below == 3 else ONE)


def test_a_pick_comes_in_its_proportion() -> None:
    due = pick([(ONE, 3), (TWO, 1)])
    drawn = Counter([due.sample(Rng(b"odds", event)) for event in range(4_000)])
    assert abs(drawn[ONE] - 3_000) < 120


def test_a_single_outcome_is_certain() -> None:
    due = pick([(NEVER, 0), (ONE, 5)])
    assert {due.sample(Rng(b"x", event)) for event in range(20)} == {ONE}


HANDS: tuple[Hand, ...] = (("one",), ("two",), ("two",))


def test_a_shuffle_admits_every_order_of_the_same_things() -> None:
    due = shuffle(HANDS, CardsShown, lambda event: event.cards)
    assert due.admits(CardsShown((("two",), ("one",), ("two",))))
    assert not due.admits(CardsShown((("two",), ("one",))))
    assert not due.admits(CardsShown((("two",), ("one",), ("one",))))
    assert not due.admits(CardsShown((*HANDS, ("one",))))
    assert not due.admits(TurnStarted(0, 1))
    assert due.odds == ()


def test_a_shuffle_draws_what_the_generator_gives() -> None:
    due = shuffle(HANDS, CardsShown, lambda event: event.cards)
    assert due.sample(Rng(b"s", 3)) == CardsShown(Rng(b"s", 3).shuffled(HANDS))
    assert len({due.sample(Rng(b"s", event)) for event in range(60)}) == 3
