"""What the pages say and where they lead, without a browser."""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from streamlit.testing.v1 import AppTest

from core.words import listed
from dashboard import recordings
from dashboard.address import plain
from dashboard.listing import key_of
from events.errors import FormatError
from events.jsonl import write
from events.tape import Player, Tape, sealed
from replay import exchange
from replay.filters import Cell
from replay.report import names_of
from replay.simulate import Batch, simulate
from replay.statistics.measuring import case_in
from replay.storage.store import Filter, Store
from replay.timeline import Timeline
from tests.replay.tapes import QUEEN, id_of, recorded, stored

APP = Path(__file__).parents[2] / "dashboard" / "app.py"
HOSTILE = ("<img src=x onerror=alert(1)>", "![x](http://x.example/p)")

Open = Callable[..., AppTest]


@pytest.fixture
def tapes() -> list[Tape]:
    """Eight whole games; one with hostile names, one that is not finished, one with a fault."""
    whole = [recorded(number) for number in range(8)]
    named = msgspec.structs.replace(recorded(8).header, players=tuple(map(Player, HOSTILE)))
    events = list(recorded(10).events)
    events[20], events[21] = events[21], events[20]
    bad, problem = exchange.judged(sealed(recorded(10).header, tuple(events)))
    assert problem is not None
    return [*whole, sealed(named, recorded(8).events), sealed(recorded(9).header, recorded(9).events[:30]), bad]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tapes: list[Tape]) -> Store:
    path = tmp_path / "games.duckdb"
    monkeypatch.setenv("TABLETAPE_DB", str(path))
    return stored(path, tapes)


@pytest.fixture
def open_page(store: Store) -> Open:
    """Gives a function that opens a page with a query."""

    def start(page: str = "library", **query: str) -> AppTest:
        at = AppTest.from_file(str(APP), default_timeout=60)
        if page != "library":
            at.switch_page(f"screens/{page}.py")
        for name, value in query.items():
            at.query_params[name] = value
        at.run()
        assert not at.exception
        return at

    return start


def texts(at: AppTest) -> str:
    said = [*at.text, *at.info, *at.warning, *at.error, *at.success, *at.title, *at.subheader]
    return "\n".join([str(each.value) for each in said])


def payload(at: AppTest) -> dict[str, Any]:
    head, body = at.get("bidi_component")[0].proto.bytes.split(b"\n")
    return {**msgspec.json.decode(body), "opened": msgspec.json.decode(head)["step"]}


def table(at: AppTest, number: int = 0) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = at.dataframe[number].value.to_dict("records")
    return rows


def test_the_library_lists_every_game_and_marks_what_is_wrong(open_page: Open, store: Store) -> None:
    at = open_page()
    rows = table(at)
    assert [row["Id"] for row in rows] == store.replays()["replay"].to_list()
    assert "11 games, 9 of them finished" in texts(at)
    ended = {row["Id"]: row["Ended"] for row in rows}
    assert ended[recorded(9).header.id] == "not finished"
    assert ended[recorded(10).header.id] == "⚠ opens up to step 19"
    assert ", ".join(HOSTILE) in [row["Players"] for row in rows]


def test_filters_stand_in_the_address(open_page: Open, store: Store) -> None:
    at = open_page(seats="3", finished="yes")
    assert {row["Seats"] for row in table(at)} == {3}
    assert len(table(at)) == store.count(Filter(seats=3, finished=True))
    at.selectbox(key="choice-finished").select("no").run()
    assert at.query_params["finished"] == "no"
    assert len(table(at)) == store.count(Filter(seats=3, finished=False)) > 0
    at.selectbox(key="choice-seats").select("").run()
    assert "seats" not in at.query_params
    at.multiselect(key="choice-player").select(HOSTILE[0]).run()
    assert at.query_params["player"] == HOSTILE[0]
    assert "No game passes" in texts(at)  # that game is finished
    at.selectbox(key="choice-finished").select("").run()
    assert [row["Players"] for row in table(at)] == [", ".join(HOSTILE)]


def test_a_filter_that_is_not_there_is_dropped_and_said(open_page: Open) -> None:
    at = open_page(game="chess", seats="many")
    assert len(table(at)) == 11
    assert plain("The address asks for game “chess”, which is not there.") in [each.value for each in at.info]
    assert not {"game", "seats"} & set(at.query_params)


@pytest.mark.parametrize("column", ["Game", "Id"])
def test_a_chosen_row_opens_its_replay(open_page: Open, store: Store, column: str) -> None:
    at = open_page()
    at.session_state[f"rows-{key_of(store.replays(), Filter())}"] = {
        "selection": {"rows": [], "columns": [], "cells": [(4, column)]}
    }
    at.run()
    assert at.query_params["replay"] == store.replays()["replay"][4]


def test_a_cell_that_is_only_passed_through_opens_nothing(open_page: Open, store: Store) -> None:
    at = open_page()
    at.session_state[f"rows-{key_of(store.replays(), Filter())}"] = {
        "selection": {"rows": [], "columns": [], "cells": [(0, "Open")]}
    }
    at.run()
    assert at.title[0].value == "Library"


def test_a_new_game_shows_without_a_restart(open_page: Open, store: Store) -> None:
    at = open_page()
    assert len(table(at)) == 11
    store.add([recorded(11)])
    at.run()
    assert len(table(at)) == 12


def test_an_empty_database_says_how_games_get_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLETAPE_DB", str(tmp_path / "new.duckdb"))
    at = AppTest.from_file(str(APP), default_timeout=60).run()
    assert not at.exception
    assert "No games are recorded yet" in texts(at)
    assert "tabletape simulate" in at.code[0].value


def test_a_replay_opens_at_the_step_of_its_address_as_its_viewer_sees_it(open_page: Open) -> None:
    tape = recorded(1)
    at = open_page("replay", replay=tape.header.id, viewer="1", step="7")
    sent = payload(at)
    assert sent["opened"] == 7
    assert len(sent["steps"]) == len(tape.events)
    assert at.title[0].value == "Queen of the Cupcakes"
    assert listed(names_of(Timeline(tape))) in texts(at)
    assert "Reconstructed in this box" in texts(at)
    assert set(sent["state"]["hands[0]"][2][1]) <= set("? ×0123456789none")


def test_the_start_of_an_id_is_enough(open_page: Open) -> None:
    whole = recorded(10).header.id
    assert payload(open_page("replay", replay=whole))["warning"].startswith("This replay opens up to step 19")


@pytest.mark.parametrize(
    ("query", "opened", "said"),
    [
        ({"step": "99999"}, "last", "There is no step 99999"),
        ({"step": "-1"}, 0, "There is no step -1"),
        ({"step": "x" * 400}, 0, "There is no step xxxx"),
        ({"viewer": "9"}, 0, "asks for viewer “9”"),
        ({"viewer": "nobody", "step": "3"}, 3, "asks for viewer “nobody”"),
    ],
)
def test_a_bad_address_leads_to_the_nearest_valid_thing(
    open_page: Open, query: dict[str, str], opened: int | str, said: str
) -> None:
    at = open_page("replay", replay=recorded(1).header.id, **query)
    sent = payload(at)
    assert sent["opened"] == (len(sent["steps"]) - 1 if opened == "last" else opened)
    assert plain(said) in texts(at)
    assert at.query_params.get("step", "0") == str(sent["opened"])
    assert "viewer" not in at.query_params


@pytest.mark.parametrize("id", ["nope", "00000000", "ffffffff-ffff-7fff-8fff-ffffffffffff", "x" * 3000, "0192a000"])
def test_an_unknown_replay_leads_to_the_library_which_says_so(open_page: Open, id: str) -> None:
    at = open_page("replay", replay=id)
    assert at.title[0].value == "Library"
    assert len(at.info) == 1
    assert "replay" in at.info[0].value or "id" in at.info[0].value
    assert len(at.info[0].value) < 500


def test_without_a_replay_the_page_leads_to_the_library(open_page: Open) -> None:
    assert "Choose a game in the library" in texts(open_page("replay"))


def test_the_seed_is_shown_to_who_sees_everything_only(open_page: Open, store: Store, tapes: list[Tape]) -> None:
    header = msgspec.structs.replace(recorded(11).header, seed="the-secret")
    store.add([sealed(header, recorded(11).events)])
    for viewer, shown in (("spectator", False), ("0", False), ("omniscient", True)):
        at = open_page("replay", replay=header.id, viewer=viewer)
        assert ("the-secret" in [row["Value"] for row in table(at)]) == shown
        labels = [each.proto.label for each in at.get("download_button")]
        assert labels == ["Recording", "Page"]


def test_another_viewer_is_asked_for_in_the_address(open_page: Open) -> None:
    at = open_page("replay", replay=recorded(1).header.id, step="12")
    before = payload(at)
    at.selectbox(key="choice-viewer").select("omniscient").run()
    assert at.query_params["viewer"] == "omniscient"
    after = payload(at)
    assert after["rev"] != before["rev"]
    assert (after["opened"], after["warning"]) == (12, None)


def test_a_fault_is_explained_to_who_sees_everything(open_page: Open) -> None:
    at = open_page("replay", replay=recorded(10).header.id, viewer="omniscient")
    assert "the rules bring" in payload(at)["warning"]
    assert "the rules bring" not in payload(open_page("replay", replay=recorded(10).header.id))["warning"]


def test_statistics_count_what_is_stored(open_page: Open, store: Store) -> None:
    at = open_page("statistics", game=QUEEN)
    assert [each.value for each in at.metric] == ["9", "1", "1"]
    results = store.seat_results()
    rows = table(at)
    for seats, seat in {(row["seats"], row["seat"]) for row in results.to_dicts()}:
        own = [row for row in results.to_dicts() if (row["seats"], row["seat"]) == (seats, seat)]
        (shown,) = [row for row in rows if row["label"] == f"{seats} seats · seat {seat}"]
        assert shown["n"] == len(own)
        assert shown["credit"] == pytest.approx(sum(1 / row["winners"] for row in own if row["won"]))
    assert "Too few games to tell" in texts(at)
    assert len(at.get("vega_lite_chart")) == 1


PARTS = {
    "players": ("Does a player win more often than its share?", "How strong is a player?", "Who is ahead of whom?"),
    "scores": ("What do players score?", "How close are games?"),
    "length": ("How many turns does a game take?", "How often does a seat decide?", "How do games end?"),
    "course": ("How many moves has a seat to choose from?", "When does the winner take the lead for good?"),
    "cards": ("Which cards does a seat begin with, and how often does it win then?",),
    "game": ("Which bins fill first?",),
    "events": ("How often does each kind of event happen in a game?",),
}


def every_part(path: Path, monkeypatch: pytest.MonkeyPatch, **query: str) -> dict[str, str]:
    """Give what each part of the statistics says of a database."""
    monkeypatch.setenv("TABLETAPE_DB", str(path))
    at = AppTest.from_file(str(APP), default_timeout=60)
    at.switch_page("screens/statistics.py")
    said = {}
    for part in ("seats", *PARTS):
        at.query_params.clear()
        for name, value in {"game": QUEEN, "part": part, **query}.items():
            at.query_params[name] = value
        at.run()
        assert not at.exception, part
        said[part] = texts(at)
    return said


def test_each_part_of_the_statistics_answers_its_questions(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.measure()
    said = every_part(store.path, monkeypatch)
    for part, questions in PARTS.items():
        assert all(question in said[part] for question in questions)


def copies(tape: Tape, number: int) -> list[Tape]:
    """A game under so many ids."""
    header = tape.header
    return [sealed(msgspec.structs.replace(header, id=id_of(1000 + at)), tape.events) for at in range(number)]


def test_where_every_game_is_a_tie_each_part_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    games = simulate(Batch(game=QUEEN, seats=2, seed="ties", bots=("random", "random")), 500)
    tied = next(tape for tape in games if b'"ranking":[[0,1]]' in tape.events[-1])
    named = msgspec.structs.replace(tied.header, players=(Player("Ada"), Player("Bo")))
    store = stored(tmp_path / "ties.duckdb", copies(sealed(named, tied.events), 60), measured=True)
    said = every_part(store.path, monkeypatch)
    assert "In all 60 games for 2, everybody shared the win: no seat has an advantage." in said["seats"]
    assert "No sign of it" in said["seats"]
    assert "Nobody finishes ahead of another" in said["players"]
    assert "0.00 over 60 cases" in said["scores"]  # the margin
    assert "• who has" not in said["cards"]


def test_of_a_single_game_each_part_says_that_it_is_too_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = stored(tmp_path / "one.duckdb", [recorded(1)], measured=True)
    said = every_part(store.path, monkeypatch)
    for part in ("seats", "players", "cards"):
        assert "Too few games to tell" in said[part]
    assert "1 games for 3 are too few to test" in said["seats"]
    assert "Of 1 games, 100.0 %" in said["length"]


def test_no_game_at_all_and_none_that_passes_are_said_on_every_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: Store
) -> None:
    none = every_part(tmp_path / "new.duckdb", monkeypatch)
    assert all("No finished game of this kind is recorded yet." in said for said in none.values())
    passing = every_part(store.path, monkeypatch, turns="900-999")
    assert all("No finished game passes these filters." in said for said in passing.values())


def test_what_is_not_measured_is_said(open_page: Open) -> None:
    at = open_page("statistics", game=QUEEN, part="game")
    assert "0 of 9 finished games are measured" in texts(at)


def test_the_games_behind_a_mark_are_listed_and_open_at_the_case(open_page: Open, store: Store) -> None:
    store.measure()
    at = open_page("statistics", game=QUEEN, part="course", behind="lead_changes~metric=lead_changes&seats=3")
    cell = Cell(metric="lead_changes", seats=3)
    wanted = Filter(game=QUEEN, branches=False, cell=cell)
    ids = store.replays(wanted)["replay"].to_list()
    assert f"{len(ids)} games behind it (seats 3, metric lead_changes)" in texts(at)
    rows = next(each.value for each in at.dataframe if "Id" in each.value.columns)
    assert rows["Id"].to_list() == ids
    at.session_state[f"rows-{key_of(store.replays(wanted), wanted)}"] = {
        "selection": {"rows": [], "columns": [], "cells": [(1, "Game")]}
    }
    at.run()
    assert (at.query_params["replay"], at.query_params["step"]) == (ids[1], str(case_in(store.read(ids[1]), cell)))


@pytest.mark.parametrize("behind", ["kinds", "kinds~nonsense=1", "kinds~seat=many", "kinds~seat"])
def test_games_behind_nothing_are_none_and_said(open_page: Open, behind: str) -> None:
    at = open_page("statistics", game=QUEEN, part="events", behind=behind)
    assert "no part of a figure" in texts(at)
    assert "behind" not in at.query_params


def test_statistics_of_one_seat_count(open_page: Open, store: Store) -> None:
    at = open_page("statistics", seats="2", game=QUEEN)
    finished = store.count(Filter(game=QUEEN, seats=2, finished=True))
    assert at.metric[0].value == str(finished)
    assert [row["label"] for row in table(at)] == ["seat 0", "seat 1"]
    assert {row["n"] for row in table(at)} == {finished}


def test_filters_apply_to_every_figure_and_bad_ones_are_dropped(open_page: Open, store: Store) -> None:
    store.tag(recorded(2).header.id, "final")
    at = open_page("statistics", game=QUEEN, tag="final", player="player 3", turns="1-99", since="2026-13-45")
    assert at.metric[0].value == str(store.count(Filter(tags=("final",), players=("player 3",), finished=True)))
    assert "There is no day" in texts(at)
    assert "since" not in at.query_params
    at = open_page("statistics", game=QUEEN, bot="nobody", turns="x", tag="final")
    assert {"bot", "tag"} <= set(at.query_params)
    assert "“x” is no turns" in texts(at)
    assert "No finished game passes these filters" in texts(at)


def test_tags_are_put_on_and_taken_off_in_the_library(open_page: Open, store: Store) -> None:
    id, name = recorded(2).header.id, "![x](http://x)"
    at = open_page()

    def submit(button: str) -> None:
        for label, value in (("Id of the replay, or its start", id), ("Tag", name)):
            next(each for each in at.text_input if each.label == label).input(value)
        next(each for each in at.button if each.label == button).click().run()
        assert not at.exception

    submit("Add the tag")
    at.multiselect(key="choice-tag").select(name).run()
    assert [row["Id"] for row in table(at)] == [id]
    submit("Take it off")
    assert [note for note in store.notes(id) if note.kind == "tag"] == []
    assert "which is not there" in texts(at)


def test_sql_runs_and_what_may_not_be_is_said(open_page: Open) -> None:
    at = open_page("sql")
    at.text_area(key="query").input("SELECT seats, count(*) AS games FROM replay GROUP BY ALL ORDER BY ALL")
    at.button[0].click().run()
    assert not at.exception
    assert [row["seats"] for row in table(at)] == [2, 3, 4, 5]
    at.text_area(key="query").input("FROM '/etc/passwd.csv'")
    at.button[0].click().run()
    assert "and no files" in at.error[0].value.replace("\\", "")
    assert not at.dataframe


def test_health_tells_how_far_each_projection_has_come(open_page: Open, store: Store) -> None:
    at = open_page("health")
    assert [row["Table"] for row in table(at)] == [each.name for each in store.projections()]
    assert {row["Games it lacks"] for row in table(at)} == {0}
    assert "not measured yet" in texts(at)


def test_a_game_that_nobody_has_played_says_how_to(open_page: Open) -> None:
    at = open_page("statistics", game="trash-pandas")
    assert "No finished game" in texts(at)
    assert at.code[0].value.startswith("tabletape simulate trash-pandas")


def test_boxes_name_the_source_of_every_figure(open_page: Open) -> None:
    at = open_page("boxes")
    assert {row["Known from"] for row in table(at)} == {"the rulebook", "nobody: reconstructed"}
    assert [each.label for each in at.metric] == ["Rulebook", "Printed", "Reconstructed"]


@pytest.mark.parametrize("page", ["library", "replay", "statistics"])
def test_a_busy_database_is_one_line_and_can_be_asked_again(
    open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    at = open_page(page, **({"replay": recorded(1).header.id} if page == "replay" else {}))
    monkeypatch.setattr(recordings, "PATIENCE", 0.05)
    with store:
        pass  # what the page has read is let go now, and not a second later
    with store.path.with_name(f"{store.path.name}.lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        at.run()
        assert not at.exception
        assert "is busy" in at.warning[0].value.replace("\\", "")
    at.button(key="look-again").click().run()
    assert not at.exception
    assert not at.warning


def test_a_damaged_database_is_one_line(open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at = open_page()
    bad = tmp_path / "bad.duckdb"
    bad.write_bytes(b"not a database" * 1000)
    for path, said in ((bad, "is not a database"), (tmp_path / "no" / "where.duckdb", "there is no folder")):
        monkeypatch.setenv("TABLETAPE_DB", str(path))
        at.run()
        assert not at.exception
        assert said in at.error[0].value.replace("\\", "")


def test_a_file_is_taken_in_game_by_game(store: Store) -> None:
    good, bad = recorded(11), recorded(1)
    changed = b"".join(write(bad)).replace(b'"kind":"green"', b'"kind":"blue"', 1)
    done = recordings.take_in(b"".join(write(good)) + b"garbage\n" + changed + b"".join(write(recorded(2))))
    assert (done.new, done.known) == (1, 1)
    assert len(done.problems) >= 2
    assert recorded(1).header.id in [id for _, id, _ in done.problems]
    assert store.read(good.header.id) == good
    assert store.read(bad.header.id) == bad


@pytest.mark.parametrize("data", [b"", b"MZ\x90\x00" * 100, b"\x00" * 5000, b'{"tabletape":1}\n'])
def test_a_file_that_is_none_of_ours_adds_nothing(store: Store, data: bytes) -> None:
    done = recordings.take_in(data)
    assert (done.new, done.known) == (0, 0)
    assert bool(done.problems) == bool(data)
    assert store.count() == 11


def test_a_file_that_is_too_large_is_refused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recordings, "UPLOAD_LIMIT", 100)
    with pytest.raises(FormatError, match="at most 100 are taken in"):
        recordings.take_in(b"x" * 101)


@pytest.mark.parametrize("text", ["![x](http://x)", "**b**", "$x$", ":red[x]", "<b>", "`c`", "a\nb", "# h", "[l](u)"])
def test_plain_leaves_no_markdown(text: str) -> None:
    shown = plain(text)
    assert "\n" not in shown
    assert not [mark for mark in "*[]`$<#:!" if mark in shown.replace(f"\\{mark}", "")]
