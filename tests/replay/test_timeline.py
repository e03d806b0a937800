"""A timeline shows the fold at every step, however one gets there, and to each viewer only what it may see."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.engine import fold
from core.paths import flatten
from core.redact import redact
from events.base import TakenBack
from events.codec import encode
from events.errors import SetupError
from events.marks import Viewer
from events.queen_of_the_cupcakes import CardsLaid, CardsTaken
from events.tape import Fault, Tape, sealed
from replay.simulate import Batch, simulate
from replay.timeline import Timeline
from replay.verify import verify

VIEWERS: tuple[Viewer, ...] = ("omniscient", "spectator", 0, 1, 2)


def played() -> Tape:
    return next(simulate(Batch(game="queen-of-the-cupcakes", seats=3, seed="time", bots=("greedy",) * 3), 1))


TAPE = played()
TIMELINE = Timeline(TAPE)


@given(st.lists(st.integers(0, len(TIMELINE) - 1), min_size=1, max_size=12))
def test_any_walk_that_ends_at_k_shows_the_fold_of_k(walk: list[int]) -> None:
    for step in walk:
        TIMELINE.view(step, 1)
    last = walk[-1]
    state = fold(TIMELINE.game, TIMELINE.events[: last + 1])
    assert TIMELINE.states[last] == state
    assert TIMELINE.view(last, 1) == redact(state, 1)


def test_every_step_says_why_it_happened() -> None:
    causes = [step.cause for step in TIMELINE.steps]
    assert causes[:4] == ["start", "chance", "rules", "rules"]
    for step in TIMELINE.steps:
        if isinstance(step.event, CardsLaid):
            assert step.cause == "move"
        if step.kind == "bank_filled":
            assert step.cause == "rules"
    assert "move" in causes


def test_turns_are_marked_along_the_steps() -> None:
    turn = 0
    for step in TIMELINE.steps:
        turn += step.kind == "turn_started"
        assert step.turn == turn


def test_next_and_prev_find_the_nearest_step_or_none() -> None:
    takes = [step.number for step in TIMELINE.steps if isinstance(step.event, CardsTaken)]
    assert TIMELINE.next(takes[0], lambda step: step.kind == "cards_taken") == takes[1]
    assert TIMELINE.prev(takes[1], lambda step: step.kind == "cards_taken") == takes[0]
    assert TIMELINE.prev(0, lambda step: True) is None
    assert TIMELINE.next(len(TIMELINE) - 1, lambda step: True) is None
    assert TIMELINE.next(0, lambda step: step.seat == 2) == next(s.number for s in TIMELINE.steps if s.seat == 2)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_diffs_lead_from_one_state_to_the_other_in_both_directions(viewer: Viewer) -> None:
    for before, after in ((3, 4), (10, 30), (30, 10), (5, 5)):
        paths = dict(TIMELINE.paths(before, viewer))
        for path, old, new in TIMELINE.diff(before, after, viewer):
            assert paths.get(path) == old
            if new is None:
                paths.pop(path, None)
            else:
                paths[path] = new
        there = {path: value for path, value in TIMELINE.paths(after, viewer).items() if value is not None}
        assert {path: value for path, value in paths.items() if value is not None} == there


def test_last_change_finds_the_step_that_set_the_value_that_stands_now() -> None:
    last = len(TIMELINE) - 1
    for path in ("bins.orange", "hands[1]", "turn", "phase", "seats"):
        step = TIMELINE.last_change(path, last, "omniscient")
        if step is None:
            assert all(
                TIMELINE.paths(k, "omniscient")[path] == TIMELINE.paths(0, "omniscient")[path] for k in range(last)
            )
        else:
            now = TIMELINE.paths(last, "omniscient")[path]
            assert TIMELINE.paths(step, "omniscient")[path] == now
            assert TIMELINE.paths(step - 1, "omniscient").get(path) != now
            assert all(TIMELINE.paths(k, "omniscient")[path] == now for k in range(step, last + 1))


def test_a_seat_sees_its_own_cards_and_no_others_at_any_step() -> None:
    for shown in TIMELINE.shown(1):
        paths = flatten(shown.view)
        true = flatten(TIMELINE.states[shown.at])
        assert paths.get("hands[1]") == true.get("hands[1]")
        for path in ("hands[0]", "hands[2]", "pile"):
            shown_cards, true_cards = paths.get(path) or (), true.get(path) or ()
            assert isinstance(shown_cards, tuple)
            assert isinstance(true_cards, tuple)
            assert shown_cards == ("?",) * len(true_cards)


def test_shown_steps_are_numbered_without_a_gap() -> None:
    for viewer in VIEWERS:
        assert [shown.number for shown in TIMELINE.shown(viewer)] == list(range(len(list(TIMELINE.shown(viewer)))))


def test_a_correction_shows_the_state_of_the_step_it_goes_back_to() -> None:
    step = next(step.number for step in TIMELINE.steps if step.kind == "cards_taken")
    events = (*TAPE.events[: step + 1], encode(TakenBack(to=step - 1)))
    timeline = Timeline(sealed(TAPE.header, events))
    assert timeline.states[-1] == timeline.states[step - 1]
    assert timeline.steps[-1].cause == "correction"
    assert timeline.steps[-1].turn == timeline.steps[step - 1].turn


def test_a_tape_with_a_fault_opens_up_to_there() -> None:
    halted = Tape(TAPE.header, (*TAPE.events[:20], b"garbage"), Fault(20, "line 22: not JSON"))
    timeline = Timeline(halted)
    assert len(timeline) == 20
    assert timeline.fault == Fault(20, "line 22: not JSON")


def test_an_event_of_an_unknown_type_ends_the_timeline_there_and_is_named() -> None:
    tape = sealed(TAPE.header, (*TAPE.events[:15], b'{"type":"sparkle_thrown","at":3}', *TAPE.events[15:]))
    timeline = Timeline(tape)
    assert len(timeline) == 15
    assert timeline.fault is not None
    assert timeline.fault.step == 15
    assert "sparkle_thrown" in timeline.fault.reason


def test_an_event_that_cannot_be_folded_ends_the_timeline_there() -> None:
    absurd = encode(CardsLaid(seat=2, kind="grey", beside_bin=3, in_front=3))
    timeline = Timeline(sealed(TAPE.header, (*TAPE.events[:5], absurd)))
    assert len(timeline) == 5
    assert timeline.fault is not None
    assert timeline.fault.step == 5


def test_a_game_that_is_not_here_is_refused_in_one_line() -> None:
    for change in ({"game": "chess"}, {"rules": 7}, {"sheet": "00"}):
        with pytest.raises(SetupError) as error:
            Timeline(msgspec.structs.replace(TAPE, header=msgspec.structs.replace(TAPE.header, **change)))
        assert "\n" not in str(error.value)


def test_many_take_backs_fold_and_verify_in_a_walk_and_not_in_powers_of_two() -> None:
    """Each take-back goes to the step before the last: folding them one inside the other would take 2^200 steps."""
    events = list(TAPE.events[:12])
    for _ in range(200):
        events.append(encode(TakenBack(to=len(events) - 2)))
    timeline = Timeline(sealed(TAPE.header, tuple(events)))
    assert len(timeline) == 212
    assert fold(timeline.game, timeline.events) == timeline.states[-1]
    assert verify(sealed(TAPE.header, tuple(events))).holds


def test_a_take_back_is_told_in_the_numbers_of_its_viewer() -> None:
    """Else the number would tell a spectator how many events it has not seen (G-06)."""
    for number in range(20):
        batch = Batch(game="trash-pandas", seats=2, seed=f"back/{number}", bots=("random", "random"))
        tape = next(simulate(batch, 1))
        whole = Timeline(tape)
        hidden = [at for at in range(len(whole)) if at not in whole.moments("spectator")]
        if hidden:
            break
    last = hidden[0] + 2
    back = encode(TakenBack(to=last - 1))
    timeline = Timeline(sealed(tape.header, (*tape.events[: last + 1], back)))
    *_, shown = timeline.shown("spectator")
    assert isinstance(shown.step.event, TakenBack)
    assert shown.step.event.to < shown.number - 1
    assert timeline.moments("spectator")[shown.step.event.to] <= last - 1
    *_, seen_whole = timeline.shown("omniscient")
    assert isinstance(seen_whole.step.event, TakenBack)
    assert seen_whole.step.event.to == last - 1
