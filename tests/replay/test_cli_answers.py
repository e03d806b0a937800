"""The commands that answer questions about many games: filters, SQL, ratings, tags."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from events.tape import Tape
from replay.cli import run
from tests.replay.tapes import QUEEN, id_of, stored


@pytest.fixture
def db(path: Path, tapes: list[Tape]) -> Path:
    return stored(path, tapes).path


def said(capfd: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    capfd.readouterr()
    code = run([str(argument) for argument in arguments])
    return code, *capfd.readouterr()


def test_replays_take_the_filters(db: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def listed(*options: object) -> set[str]:
        code, out, err = said(capfd, "replays", "--db", db, "--json", *options)
        assert code == 0, err
        return {row["replay"] for row in json.loads(out)}

    assert listed("--seats", 3) == {id_of(1), id_of(5), id_of(9)}
    assert listed("--player", "player 4", "--bot", "random") == {id_of(3), id_of(7), id_of(11)}
    assert listed("--events", 85, 89) == {id_of(2), id_of(6)}
    assert listed("--without-seed", "store/3", "--seats", 5) == {id_of(7), id_of(11)}
    assert listed("--since", "2026-01-01") == set()
    assert said(capfd, "replays", "--db", db, "--since", "yesterday")[0] == 2


def test_a_tag_finds_its_replays(db: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert json.loads(said(capfd, "tag", id_of(4), "final", "--db", db, "--json")[1])["tags"] == ["final"]
    code, out, _ = said(capfd, "replays", "--tag", "final", "--db", db, "--json")
    assert (code, [row["replay"] for row in json.loads(out)]) == (0, [id_of(4)])
    assert json.loads(said(capfd, "tag", id_of(4), "final", "--remove", "--db", db, "--json")[1])["tags"] == []
    assert said(capfd, "tag", id_of(4), "x" * 41, "--db", db)[0] == 1


def test_sql_prints_rows_and_refuses_in_a_line(db: Path, capfd: pytest.CaptureFixture[str]) -> None:
    query = "SELECT seats, list(DISTINCT game) AS games FROM replays GROUP BY seats ORDER BY seats LIMIT 1"
    assert json.loads(said(capfd, "sql", query, "--db", db, "--json")[1]) == [{"seats": 2, "games": [QUEEN]}]
    assert said(capfd, "sql", query, "--db", db, "--csv")[1] == f'seats,games\n2,"[""{QUEEN}""]"\n'
    code, out, err = said(capfd, "sql", "DROP TABLE event", "--db", db)
    assert (code, out) == (2, "")
    assert "nothing is ever written" in err
    assert err.count("\n") == 1


def test_ratings_are_printed_best_first(db: Path, capfd: pytest.CaptureFixture[str]) -> None:
    found = json.loads(said(capfd, "ratings", QUEEN, "--db", db, "--json")[1])
    strengths = [row["mu"] for row in found["ratings"]]
    assert found["games"] == 12
    assert strengths == sorted(strengths, reverse=True)
    assert {row["player"] for row in found["ratings"]} == {f"player {seat}" for seat in range(5)}
    assert "No finished game" in said(capfd, "ratings", "trash-pandas", "--db", db)[1]
