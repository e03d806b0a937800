"""Why a search bot chose what it chose."""

from __future__ import annotations

from pathlib import Path

import pytest

from events.errors import SetupError
from events.tape import Tape
from replay.cli import run
from replay.evaluation.reasons import KIND, reasons, said
from replay.notes import as_seen
from replay.simulate import Batch, simulate
from replay.storage.store import Store
from replay.timeline import Timeline
from tests.replay.twins import played


@pytest.fixture(scope="module")
def tape() -> Tape:
    batch = Batch(game="queen-of-the-cupcakes", seats=2, seed="why", bots=("search:8", "random"))
    return next(simulate(batch, 1))


def test_what_was_thought_follows_from_the_seed_and_led_to_the_move(tape: Tape) -> None:
    timeline = Timeline(tape)
    found = list(reasons(timeline))
    moves = [step.number for step in timeline.steps if step.cause == "move" and step.seat == 0]
    assert [each.step for each in found] == moves
    for each in found:
        assert each.thought.move == timeline.events[each.step]
        assert sum(each.thought.visits) == each.thought.rollouts
        best = each.moves.index(each.thought.move)
        assert (
            timeline.game.words(each.moves[best], ["search:8", "random"]) in said(timeline, each) or len(each.moves) > 5
        )
    assert list(reasons(timeline, moves[3])) == [found[3]]


def test_reasons_are_kept_once_and_for_their_seat_alone(
    tape: Tape, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    store = Store(tmp_path / "games.duckdb")
    store.add([tape])
    timeline = Timeline(tape)
    moves = [step.number for step in timeline.steps if step.cause == "move" and step.seat == 0]
    for _ in range(2):
        assert run(["reasons", tape.header.id, "--at", str(moves[0]), "--db", str(store.path)]) == 0
    notes = store.notes(tape.header.id)
    assert [(note.step, note.kind, note.author, note.seen_by) for note in notes] == [(moves[0], KIND, "search:8", (0,))]
    assert notes[0].text in " ".join(capfd.readouterr().out.split())
    assert as_seen(notes, timeline, 1) == as_seen(notes, timeline, "spectator") == []
    assert len(as_seen(notes, timeline, 0)) == 1


def test_where_nothing_can_be_told_it_is_said_in_a_line() -> None:
    with pytest.raises(SetupError, match="no search bot has played here"):
        next(reasons(Timeline(played("queen-of-the-cupcakes"))))
