"""What `show` says: words, rules, changes and moves, for one viewer."""

from itertools import pairwise

import pytest

from events.codec import encode
from events.errors import FormatError
from events.tape import Fault, Tape
from replay.report import events_of, fault_of, moves_at, step_of
from replay.rulings import rulings
from replay.simulate import Batch, simulate
from replay.timeline import Timeline


@pytest.fixture(scope="module")
def timeline() -> Timeline:
    batch = Batch(game="queen-of-the-cupcakes", seats=2, seed="report", bots=("greedy", "random"))
    tape: Tape = next(simulate(batch, 1))
    return Timeline(tape)


def test_events_in_words_say_nothing_hidden(timeline: Timeline) -> None:
    dealt = events_of(timeline, 0)["events"][2]["words"]
    assert dealt.startswith("Hands are dealt: greedy ")
    assert dealt.endswith("random 5 cards")
    assert "5 cards; random 5 cards" in events_of(timeline, "spectator")["events"][2]["words"]


def test_a_step_names_its_rule_its_changes_and_what_may_follow(timeline: Timeline) -> None:
    step = timeline.next(0, lambda step: step.kind == "turn_started")
    assert step is not None
    seat = timeline.steps[step].seat
    assert seat is not None
    facts = step_of(timeline, step, seat)
    assert facts["rule"] in rulings(timeline.game.slug)
    assert ("turn", 0, 1) in facts["changes"]
    assert facts["moves"]
    assert step_of(timeline, step, 1 - seat)["moves"] == []
    assert step_of(timeline, step, "spectator")["moves"] == []


def test_a_step_past_the_end_is_refused_with_the_range(timeline: Timeline) -> None:
    for number in (-1, len(timeline)):
        with pytest.raises(FormatError, match=f"steps 0 to {len(timeline) - 1}"):
            step_of(timeline, number, "spectator")


def test_every_rule_that_an_event_names_has_a_ruling_to_read() -> None:
    from core.registry import OURS

    for kind in OURS:
        known = rulings(kind.slug)
        for member in kind.union.__args__:
            rule = getattr(member, "__origin__", member).rule
            assert rule == "" or rule in known, f"{kind.slug}: {rule}"


def test_why_a_game_stops_is_told_to_the_omniscient_viewer_only(timeline: Timeline) -> None:
    """The reason quotes what the rules would bring, and that may be a hidden card."""
    tape = Tape(timeline.header, (encode(timeline.events[0]), b"x"), Fault(1, "the rules bring green here"))
    stopped = Timeline(tape)
    for viewer in ("spectator", 0, 1):
        assert fault_of(stopped, viewer) == "This replay opens up to step 0: what follows cannot be believed"
    assert "green" in (fault_of(stopped, "omniscient") or "")
    assert fault_of(timeline, "spectator") is None


def test_own_moves_are_told_whether_or_not_a_rival_is_asked_in_secret() -> None:
    """A rival who is asked and declines must not show by the viewer's moves being gone for a moment (TP-33, G-06)."""
    secret = 0
    for number in range(12):
        batch = Batch(game="trash-pandas", seats=3, seed=f"moves/{number}", bots=("random",) * 3)
        played = Timeline(next(simulate(batch, 1)))
        for viewer in range(3):
            shown = list(played.shown(viewer))
            for here, after in pairwise(shown[:120]):
                chosen = after.step
                if chosen.cause == "move" and chosen.seat == viewer:
                    words = played.game.words(chosen.event, ["a", "b", "c"])
                    told = [played.game.words(move, ["a", "b", "c"]) for move in moves_at(played, here.at, viewer)]
                    assert words in told, f"step {here.number} of {viewer}"
                    secret += after.at - here.at > 1
    assert secret > 0, "no game had a secret refusal before a move of one's own"
