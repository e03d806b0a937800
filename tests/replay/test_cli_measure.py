"""Measuring from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from replay.cli import run

QUEEN = "queen-of-the-cupcakes"

Asked = Callable[..., Any]


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Asked:
    """Run a command in a folder of its own; give what it prints as JSON."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TABLETAPE_DB", raising=False)

    def call(*arguments: object) -> Any:
        capfd.readouterr()
        assert run([*[str(argument) for argument in arguments], "--json"]) == 0
        return json.loads(capfd.readouterr().out)

    return call


def test_what_is_added_is_measured_unless_told_otherwise(asked: Asked) -> None:
    asked("simulate", QUEEN, "-n", 4, "--seed", "a", "--no-measure")
    assert asked("stats", QUEEN, "--metric", "choices")["measured"] == {"finished": 4, "measured": 0, "failed": 0}
    asked("simulate", QUEEN, "-n", 4, "--seed", "b")
    assert asked("stats", QUEEN, "--metric", "choices")["measured"]["measured"] == 8
    assert asked("measure") == {"replays": 0, "bad": []}
    assert asked("measure", "--game", QUEEN, "--jobs", 2)["replays"] == 0


def test_stats_show_a_metric_and_list_them(asked: Asked, capfd: pytest.CaptureFixture[str]) -> None:
    asked("simulate", QUEEN, "-n", 4)
    told = asked("stats", QUEEN, "--metric", "bins")
    assert [row["key"] for row in told["rows"]] == ["blue", "green", "grey", "orange", "purple", "yellow"]
    assert all(row["n"] == 4 and row["low"] <= row["value"] <= row["high"] for row in told["rows"])
    assert "bins" in [metric["metric"] for metric in asked("stats", QUEEN, "--metric", "list")]
    assert run(["stats", QUEEN, "--metric", "bins"]) == 0
    assert "How much goes into the bins?" in capfd.readouterr().out


def test_a_branch_counts_as_a_game_only_where_it_is_asked_for(asked: Asked) -> None:
    asked("simulate", QUEEN, "-n", 3, "--seats", 2)
    parent = asked("replays")[0]["replay"]
    branch = asked("fork", parent, "--at", 4, "--move", 0, "--as", "omniscient", "--players", "random,random")

    def games(*more: str) -> int:
        rates: list[dict[str, int]] = asked("stats", QUEEN, "--by", "seats", *more)["win_rates"]
        return sum(row["n"] for row in rates) // 2

    assert (games(), games("--branches"), games("--bot", "nobody")) == (3, 1, 0)
    assert [row["replay"] for row in asked("replays", "--branches")] == [branch["id"]]
    assert len(asked("replays", "--no-branches")) == asked("ratings", QUEEN)["games"] == 3


def test_an_unknown_metric_is_one_clear_line(asked: Asked, capfd: pytest.CaptureFixture[str]) -> None:
    asked("simulate", QUEEN, "-n", 1)
    assert run(["stats", QUEEN, "--metric", "luck"]) == 2
    error = capfd.readouterr().err
    assert "has no metric 'luck'; there are: choices" in error
    assert error.count("\n") == 1
