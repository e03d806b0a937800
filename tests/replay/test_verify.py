"""Verification in three grades, and what each of them catches."""

from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from core.streams import decode
from events.codec import encode, encode_all
from events.queen_of_the_cupcakes import BankFilled, CardsTaken, DeckShuffled
from events.tape import Player, Tape, sealed
from replay.games import load
from replay.simulate import Batch, simulate
from replay.verify import first_difference, summary, together, verify, verify_all

QUEEN = "queen-of-the-cupcakes"


@pytest.fixture(scope="module")
def tape() -> Tape:
    return next(simulate(Batch(game=QUEEN, seats=3, seed="verify", bots=("random", "greedy", "random")), 1))


def failed(tape: Tape) -> list[tuple[str, int, str]]:
    return [(failure.grade, failure.step, failure.path) for failure in verify(tape).failures]


def changed(tape: Tape, step: int, event: bytes, reseal: bool = False) -> Tape:
    events = (*tape.events[:step], event, *tape.events[step + 1 :])
    return sealed(tape.header, events) if reseal else msgspec.structs.replace(tape, events=events)


def test_a_simulated_game_holds_in_all_three_grades(tape: Tape) -> None:
    verdict = verify(tape)
    assert verdict.holds
    assert verdict.grades == ("whole", "legal", "exact")
    assert verdict.finished


def test_a_changed_event_is_not_whole_even_if_it_is_lawful(tape: Tape) -> None:
    events, _ = decode(type(load(QUEEN)), tape)
    shuffled = events[1]
    assert isinstance(shuffled, DeckShuffled)
    last_two_swapped = DeckShuffled(cards=(*shuffled.cards[:-2], "grey", "grey"))
    assert "whole" in [grade for grade, _, _ in failed(changed(tape, 1, encode(last_two_swapped)))]


def test_a_deck_that_is_not_the_seeds_is_legal_and_whole_but_not_exact(tape: Tape) -> None:
    events, _ = decode(type(load(QUEEN)), tape)
    shuffled = events[1]
    assert isinstance(shuffled, DeckShuffled)
    cards = list(shuffled.cards)
    other = next(i for i in range(len(cards) - 1, 0, -1) if cards[i] != cards[-1])
    cards[other], cards[-1] = cards[-1], cards[other]
    step = next((i for i, event in enumerate(events) if isinstance(event, BankFilled) and i > 3), len(events))
    cut = msgspec.structs.replace(tape, events=tape.events[:step])
    forged = changed(cut, 1, encode(DeckShuffled(cards=tuple(cards))), reseal=True)
    assert failed(forged) == [("exact", 1, f"cards[{other}]")]


def test_an_illegal_move_is_named_with_its_step_and_rule(tape: Tape) -> None:
    events, _ = decode(type(load(QUEEN)), tape)
    step = next(i for i, event in enumerate(events) if isinstance(event, CardsTaken))
    forged = changed(tape, step, encode(CardsTaken(seat=0, kind="grey", count=5)), reseal=True)
    (failure,) = [failure for failure in verify(forged).failures if failure.grade == "legal"]
    assert failure.step == step
    assert "QC-05" in failure.reason


def test_a_game_without_a_seed_is_not_asked_to_be_exact(tape: Tape) -> None:
    verdict = verify(msgspec.structs.replace(tape, header=msgspec.structs.replace(tape.header, seed=None)))
    assert verdict.holds
    assert verdict.grades == ("whole", "legal")


def test_another_seed_is_not_exact_from_the_first_thing_that_chance_decided(tape: Tape) -> None:
    header = msgspec.structs.replace(tape.header, seed="another")
    (failure,) = verify(msgspec.structs.replace(tape, header=header)).failures
    assert (failure.grade, failure.step) == ("exact", 1)


def test_a_header_that_tells_another_story_than_the_stream_is_not_legal(tape: Tape) -> None:
    fewer = msgspec.structs.replace(tape.header, players=(Player("a"), Player("b")))
    assert ("legal", 0, "") in failed(msgspec.structs.replace(tape, header=fewer))


def test_an_unknown_game_or_box_is_a_finding_and_no_crash(tape: Tape) -> None:
    for change in ({"game": "chess"}, {"sheet": "00"}, {"rules": 99}):
        header = msgspec.structs.replace(tape.header, **change)
        assert ("legal", 0, "") in failed(msgspec.structs.replace(tape, header=header))


def test_an_unfinished_game_verifies_and_says_that_it_is_unfinished(tape: Tape) -> None:
    verdict = verify(sealed(tape.header, tape.events[:20]))
    assert verdict.holds
    assert not verdict.finished


def test_many_games_are_judged_alike_by_one_process_and_by_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Summaries of parts add up: what fails alike is one group, and it names the first game."""
    monkeypatch.setattr("replay.verify.CHUNK", 12)
    tapes = list(simulate(Batch(game=QUEEN, seats=2, seed="many", bots=("random", "random")), 30))
    tapes[3::10] = [msgspec.structs.replace(each, events=each.events[:-1]) for each in tapes[3::10]]
    alone = summary([verify(each) for each in tapes])
    with ThreadPoolExecutor(2) as pool:
        parts = list(verify_all(((each, None) for each in tapes), 2, pool))
    assert [part.games for part in parts] == [12, 12, 6]
    assert together(parts) == alone == together(verify_all((each, None) for each in tapes))
    assert alone.passed == {"whole": 27, "legal": 27, "exact": 27}, "a game that breaks off has no grade"
    assert (sum(group.games for group in alone.failures), alone.failures[0].first) == (3, tapes[3].header.id)


def test_first_difference_finds_the_first_value_that_differs() -> None:
    one = CardsTaken(seat=1, kind="green", count=2)
    assert first_difference(one, CardsTaken(seat=1, kind="green", count=3)) == "count"
    assert first_difference(BankFilled(("green", "blue")), BankFilled(("green", "grey"))) == "cards[1]"
    assert first_difference(one, one) == ""
    assert encode_all([one]) == (encode(one),)
