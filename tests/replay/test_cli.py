"""The command line: what it prints, what it exits with, and that bad input gets one line and loses nothing."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.conformance import Broken, check_game
from core.game import Game
from replay import golden, health
from replay.cli import COMMANDS, run
from replay.packaged import data_root
from replay.storage.store import Store

QUEEN = "queen-of-the-cupcakes"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def tabletape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command in a folder of its own; give its exit code, output and error output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TABLETAPE_DB", raising=False)

    def call(*arguments: object) -> tuple[int, str, str]:
        capfd.readouterr()
        code = run([str(argument) for argument in arguments])
        printed = capfd.readouterr()
        return code, printed.out, printed.err

    return call


def asked(tabletape: Run, *arguments: object) -> Any:
    code, out, err = tabletape(*arguments, "--json")
    assert code == 0, err
    return json.loads(out)


def first_id(tabletape: Run) -> str:
    id: str = asked(tabletape, "replays", "--limit", 1)[0]["replay"]
    return id


def test_games_lists_seats_options_bots_and_where_components_are_known_from(tabletape: Run) -> None:
    games = {game["game"]: game for game in asked(tabletape, "games")}
    assert games[QUEEN]["seats"] == [2, 5]
    assert games[QUEEN]["options"] == {"teams": False}
    assert games[QUEEN]["bots"] == ["random", "search", "greedy"]
    assert games[QUEEN]["provenance"] == {"reconstructed": 3, "rulebook": 6}
    code, out, _ = tabletape("games")
    assert code == 0
    assert QUEEN in out


def test_simulate_again_adds_nothing(tabletape: Run) -> None:
    command = ("simulate", QUEEN, "-n", 20, "--seed", "42", "--players", "greedy,random,random")
    assert asked(tabletape, *command)["new"] == 20
    assert asked(tabletape, *command) == {"game": QUEEN, "new": 0, "known": 20, "first": first_of(tabletape)}
    assert len(asked(tabletape, "replays", "--player", "greedy")) == 20
    assert asked(tabletape, "replays", "--player", "nobody") == []


def first_of(tabletape: Run) -> str:
    return min(str(row["replay"]) for row in asked(tabletape, "replays"))


def test_options_and_a_sheet_of_ones_own_are_played_with_and_travel(tabletape: Run, tmp_path: Path) -> None:
    sheet = (data_root() / "sheets" / f"{QUEEN}.toml").read_text()
    (tmp_path / "nine.toml").write_text(sheet.replace("copies = [11, 11", "copies = [9, 13"))
    command = ("simulate", QUEEN, "-n", 2, "--seats", 4, "-o", "teams=true", "--sheet", "nine.toml")
    assert asked(tabletape, *command)["new"] == 2
    assert tabletape("export", "--all", "-o", "nine.jsonl")[0] == 0
    header = json.loads((tmp_path / "nine.jsonl").read_text().splitlines()[0])
    assert header["components"]["copies"] == [9, 13, 11, 11, 11, 11]
    assert tabletape("import", "nine.jsonl", "--db", "other.duckdb")[0] == 0
    assert tabletape("verify", "--all", "--db", "other.duckdb")[0] == 0


def test_show_tells_a_viewer_only_what_it_may_see(tabletape: Run) -> None:
    tabletape("simulate", QUEEN, "-n", 1, "--seats", 2)
    id = first_id(tabletape)
    events = asked(tabletape, "show", id[:6], "--as", 1)["events"]
    assert set(events[2]["event"]["hands"][0]) == {"?"}
    assert "?" not in events[2]["event"]["hands"][1]
    step = asked(tabletape, "show", id, "--at", 4, "--as", "spectator")
    assert step["rule"] == "QC-04"
    assert set(step["state"]["pile"]) == {"?"}
    assert step["moves"] == []
    code, out, _ = tabletape("show", id, "--at", 4, "--as", "omniscient")
    assert code == 0
    assert "May follow" in out
    assert tabletape("show", id)[1].count("\n") > 20


def test_stats_count_what_is_stored(tabletape: Run) -> None:
    tabletape("simulate", QUEEN, "-n", 40, "--players", "greedy,random")
    stats = asked(tabletape, "stats", QUEEN, "--by", "player")
    assert [row["n"] for row in stats["win_rates"]] == [40, 40]
    assert sum(row["credit"] for row in stats["win_rates"]) == pytest.approx(40)
    assert stats["unfinished"] == 0
    assert "baseline" in tabletape("stats", QUEEN)[1]


def test_games_of_different_boxes_are_said_to_be_counted_together(tabletape: Run, tmp_path: Path) -> None:
    sheet = (data_root() / "sheets" / f"{QUEEN}.toml").read_text()
    (tmp_path / "nine.toml").write_text(sheet.replace("copies = [11, 11", "copies = [9, 13"))
    tabletape("simulate", QUEEN, "-n", 2)
    assert "boxes" not in tabletape("stats", QUEEN)[1]
    tabletape("simulate", QUEEN, "-n", 3, "--sheet", "nine.toml")
    assert "Games of 2 different boxes are counted together" in tabletape("stats", QUEEN)[1]
    boxes = asked(tabletape, "stats", QUEEN)["boxes"]
    assert sorted([asked(tabletape, "stats", QUEEN, "--sheet", box)["win_rates"][0]["n"] for box in boxes]) == [2, 3]


def test_verify_all_and_export_and_import_come_back_the_same(tabletape: Run, tmp_path: Path) -> None:
    tabletape("simulate", QUEEN, "-n", 10, "--seats", 3)
    found = asked(tabletape, "verify", "--all")
    assert found["passed"] == {"whole": 10, "legal": 10, "exact": 10}
    assert tabletape("export", "--all", "-o", "a.jsonl")[0] == 0
    assert tabletape("import", "a.jsonl", "--db", "b.duckdb")[0] == 0
    assert tabletape("export", "--all", "-o", "b.jsonl", "--db", "b.duckdb")[0] == 0
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_a_changed_byte_in_a_file_is_caught_and_named_and_the_neighbours_load(tabletape: Run, tmp_path: Path) -> None:
    tabletape("simulate", QUEEN, "-n", 3, "--seats", 2)
    tabletape("export", "--all", "-o", "a.jsonl")
    lines = (tmp_path / "a.jsonl").read_bytes().split(b"\n")
    at = next(i for i, line in enumerate(lines) if i > 20 and b'"cards_taken"' in line)
    lines[at] = lines[at].replace(b'"count":', b'"count":1')
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(lines))
    code, out, _ = tabletape("verify", "a.jsonl")
    assert code == 1
    assert f"line {at + 1}" in out
    code, out, _ = tabletape("import", "a.jsonl", "--db", "b.duckdb")
    assert code == 1
    assert f"line {at + 1}" in out
    assert "3 games added" in out
    found = asked(tabletape, "replays", "--db", "b.duckdb")
    assert sorted(row["finished"] for row in found) == [False, True, True]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["simulate", "queen"], 2, "did you mean queen-of-the-cupcakes"),
        (["simulate", QUEEN, "--seats", "9"], 2, "2 to 5 seats, not for 9"),
        (["simulate", QUEEN, "-o", "teams=true"], 2, "QC-30"),
        (["simulate", QUEEN, "-o", "speed=3"], 2, "it has: teams"),
        (["simulate", QUEEN, "-o", "teams"], 2, "NAME=VALUE"),
        (["simulate", QUEEN, "--players", "clever,random"], 2, "no bot"),
        (["simulate", QUEEN, "--sheet", "none.toml"], 1, "cannot read none.toml"),
        (["simulate", QUEEN, "--sheet", "bad.toml"], 1, "unreadable component sheet"),
        (["simulate", QUEEN, "-n", "0"], 2, "--number"),
        (["show", "0123", "--db", "empty.duckdb"], 2, "0123"),
        (["show", "0123", "--at", "x"], 2, "--at"),
        (["stats", "chess"], 2, "no game is called 'chess'"),
        (["stats", QUEEN, "--by", "shoe"], 2, "shoe"),
        (["verify"], 2, "--all"),
        (["verify", "none.jsonl"], 1, "cannot read none.jsonl"),
        (["import", "none.jsonl"], 1, "cannot read none.jsonl"),
        (["export"], 2, "--all"),
        (["replays", "--db", "text.duckdb"], 3, "text.duckdb"),
        (["replays", "--db", "no/such/folder.duckdb"], 3, "no/such"),
        (["replays", "--db", "missing.duckdb"], 3, "there is no database missing.duckdb"),
        (["verify", "--all", "--db", "missing.duckdb"], 3, "there is no database missing.duckdb"),
        (["replays", "--limit", "9223372036854775808"], 2, "--limit"),
        (["simulate", QUEEN, "--seats", "1000000000"], 2, "--seats"),
        (["simulate", QUEEN, "-o", "teams=\udcff"], 2, "not text"),
        (["rewind"], 2, "rewind"),
    ],
)
def test_bad_input_gets_one_clear_line(
    tabletape: Run, tmp_path: Path, arguments: list[str], code: int, says: str
) -> None:
    assert tabletape("import", "none.jsonl", "--db", "empty.duckdb")[0] == 1
    Store(tmp_path / "empty.duckdb").count()
    (tmp_path / "text.duckdb").write_text("this is a letter, not a database\n" * 200)
    (tmp_path / "bad.toml").write_text("seats = [2, 'x'")
    exit_code, out, err = tabletape(*arguments)
    assert exit_code == code, err
    assert says in err
    assert out == ""
    assert err.count("\n") == 1, err
    assert "Traceback" not in err


def test_an_export_never_overwrites_a_file(tabletape: Run, tmp_path: Path) -> None:
    tabletape("simulate", QUEEN, "-n", 1)
    (tmp_path / "kept.jsonl").write_text("precious")
    code, _, err = tabletape("export", "--all", "-o", "kept.jsonl")
    assert code == 1
    assert "kept.jsonl is there already" in err
    assert (tmp_path / "kept.jsonl").read_text() == "precious"


def test_a_step_or_viewer_that_is_not_there_is_said(tabletape: Run) -> None:
    tabletape("simulate", QUEEN, "-n", 1, "--seats", 2)
    id = first_id(tabletape)
    assert "steps 0 to" in tabletape("show", id, "--at", 9999)[2]
    assert "a seat from 0 to 1" in tabletape("show", id, "--as", 7)[2]
    code, _, error = tabletape("export", id, "--as", "everybody", "-o", "a.jsonl")
    assert (code, "no such viewer" in error) == (2, True)
    assert tabletape("export", id, "--as", "spectator", "-o", "a.jsonl")[0] == 0, "no half file is left behind"


def test_doctor_looks_at_versions_database_games_and_golden_streams(
    tabletape: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is wrong with a game is known: the checks themselves are run where each of them is tested."""

    def checked(game: Game[Any], games: int) -> int:
        if game.slug == "picnic-palace":
            raise Broken("a card is in two places")
        return check_game(game, games) if game.slug == QUEEN else games

    monkeypatch.setattr(health, "check_game", checked)
    monkeypatch.setattr(golden, "check", lambda slug: ["2.jsonl: changed"] if slug == "trash-pandas" else [])
    tabletape("simulate", QUEEN, "-n", 2)
    code, out, _ = tabletape("doctor", "--json")
    findings = {finding["what"]: finding for finding in json.loads(out)}
    assert {"versions", "database", QUEEN, f"{QUEEN}, golden streams", "cherry-on-the-cake"} <= set(findings)
    assert findings[QUEEN]["detail"].endswith("4 games pass every check")
    bad = {what: finding["detail"] for what, finding in findings.items() if finding["state"] == "bad"}
    assert bad == {"picnic-palace": "a card is in two places", "trash-pandas, golden streams": "2.jsonl: changed"}
    assert code == 1


def test_hostile_names_are_printed_as_text(tabletape: Run, tmp_path: Path) -> None:
    tabletape("simulate", QUEEN, "-n", 1)
    tabletape("export", "--all", "-o", "a.jsonl")
    text = (tmp_path / "a.jsonl").read_text()
    header, rest = text.split("\n", 1)
    fields = json.loads(header)
    del fields["check"]
    fields["players"][0]["name"] = "[red]x[/red]"
    fields["players"][1]["name"] = r"\[/red]y"
    fields["id"] = "00000000-0000-8000-8000-000000000001"
    (tmp_path / "a.jsonl").write_text(json.dumps(fields, separators=(",", ":")) + "\n" + rest)
    assert tabletape("import", "a.jsonl")[0] == 0
    assert "[red]x[/red]" in tabletape("replays")[1]
    assert r"\[/red]y" in tabletape("replays")[1]
    code, out, _ = tabletape("stats", QUEEN, "--by", "player")
    assert code == 0
    assert r"\[/red]y" in out
    assert "[red]x[/red]" in tabletape("show", "0000", "--as", "spectator")[1]


def test_every_command_explains_itself(tabletape: Run) -> None:
    for name in COMMANDS:
        code, out, _ = tabletape(name, "--help")
        assert code == 0
        assert name in out
    assert tabletape()[1].count("tabletape") >= 1
