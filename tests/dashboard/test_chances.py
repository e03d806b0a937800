"""Who was winning, on the replay page: asked for, worked out, shown, and told to nobody who may not know."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from streamlit.testing.v1 import AppTest

from dashboard import chances
from events.errors import SetupError
from events.tape import Tape
from replay.evaluation.evaluating import accounts, budget_for
from replay.evaluation.evaluations import known_decisions, known_evaluation
from replay.evaluation.judging import better, choices, trial_for
from replay.simulate import Batch, simulate
from replay.storage.store import Store
from replay.timeline import Timeline

APP = Path(chances.__file__).parent / "app.py"
BUDGET = budget_for(0.3)

Open = Callable[..., AppTest]


@pytest.fixture
def tape() -> Tape:
    return next(simulate(Batch(game="queen-of-the-cupcakes", seats=2, seed="chances", bots=("random",) * 2), 1))


@pytest.fixture
def store(tmp_path: Path, tape: Tape, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("TABLETAPE_DB", str(tmp_path / "games.duckdb"))
    store = Store(tmp_path / "games.duckdb")
    store.add([tape])
    return store


@pytest.fixture
def open_page(store: Store, tape: Tape, monkeypatch: pytest.MonkeyPatch) -> Open:
    @contextmanager
    def threads() -> Iterator[Executor]:
        with ThreadPoolExecutor(1) as pool:
            yield pool

    monkeypatch.setattr(chances, "_pool", threads)
    monkeypatch.setattr(chances, "EXACT", (30,))

    def start(viewer: str = "omniscient") -> AppTest:
        at = AppTest.from_file(str(APP), default_timeout=120)
        at.switch_page("screens/replay.py")
        asked = {"replay": tape.header.id, "viewer": viewer, "tab": "chances", "within": "30"}
        for name, value in asked.items():
            at.query_params[name] = value
        at.run()
        assert not at.exception
        return at

    return start


def head(at: AppTest) -> dict[str, Any]:
    return dict(msgspec.json.decode(at.get("bidi_component")[0].proto.bytes.split(b"\n")[0]))


def test_it_is_worked_out_when_asked_for_and_shown_as_a_line_with_marks_and_accounts(
    open_page: Open, store: Store, tape: Tape
) -> None:
    id, timeline = tape.header.id, Timeline(tape)
    at = open_page()
    assert (head(at)["line"], head(at)["judged"]) == (None, [])
    at.button(key="chances-play").click().run()
    found = known_evaluation(store, id, "omniscient", "random", BUDGET)
    assert found is not None
    line = head(at)["line"]
    assert line == {
        "rates": [[round(1000 * rate) for rate in each.rates] for each in found.chances],
        "low": [[round(1000 * low) for low, _ in each.bands()] for each in found.chances],
        "high": [[round(1000 * high) for _, high in each.bands()] for each in found.chances],
    }
    (table,) = [each for each in at.dataframe if "Own choices" in each.value]
    assert table.value["Own choices"].to_list() == pytest.approx([100 * row.own for row in accounts(timeline, found)])
    at.button(key="chances-judge").click().run()
    assert not at.exception
    decisions = known_decisions(store, id, "omniscient", "random", trial_for(BUDGET))
    assert [each.number for each in decisions] == choices(timeline, "omniscient")
    marked = [each for each in decisions if each.mark != "fine"]
    assert [(each["step"], each["mark"]) for each in head(at)["judged"]] == [
        (each.number, each.mark) for each in marked
    ]
    worst = max(marked, key=lambda each: each.loss)
    at.button(key=f"better-{worst.number}").click().run()
    (made,) = [kin.id for kin in store.family(id) if kin.id != id]
    branched = Timeline(store.read(made))
    step, move = better(timeline, "omniscient", worst)
    assert branched.header.fork is not None
    assert (branched.header.fork.parent, branched.header.fork.step) == (id, step)
    assert branched.events[step + 1] == move


def test_what_was_worked_out_for_one_viewer_is_not_shown_to_another(open_page: Open, store: Store) -> None:
    at = open_page()
    at.button(key="chances-play").click().run()
    assert head(at)["line"] is not None
    for viewer in ("spectator", "0", "1"):
        assert head(open_page(viewer))["line"] is None
    assert any("choose one above" in each.value for each in open_page("spectator").text)


def test_one_game_at_a_time_is_played_on(tape: Tape) -> None:
    with chances._pool(), pytest.raises(SetupError, match="Another game is being played on"), chances._pool():
        raise AssertionError("two at once")
    with chances._pool():
        pass
