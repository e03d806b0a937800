"""Tokens, seats and limits, at the interface."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from replay.api import rates
from replay.api.client import Client
from replay.api.settings import Settings
from replay.live import tokens
from replay.live.tokens import Facts, hashed, new_token
from replay.storage.store import Store
from tests.replay.serving import TOKEN, request, serving

PEOPLE = [{"name": "Ann"}, {"name": "Ben"}, {"name": "Cat"}]
WISH = {"game": "trash-pandas", "players": PEOPLE, "closed": True}


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "games.duckdb"


@pytest.fixture
def address(db: Path) -> Iterator[str]:
    with serving(Settings(db=db, token=TOKEN, wrong_tokens=5, live_games=2)) as found:
        yield found


def created(address: str) -> tuple[str, dict[str, Any]]:
    told = Client(address, TOKEN).ask("POST", "/live", WISH)
    return told["live"]["id"], told["tokens"]


def status_of(address: str, method: str, path: str, body: Any = None, token: str | None = None) -> int:
    return request(address, method, path, body, token)[0]


def test_a_token_has_256_bits_and_only_its_hash_is_kept(address: str, db: Path) -> None:
    assert len({new_token() for _ in range(1000)}) == 1000
    assert {len(new_token()) for _ in range(100)} == {43}  # 32 bytes in base64
    id, told = created(address)
    secret = [*told["seats"], told["organiser"], told["spectator"]]
    kept = Store(db).live_facts(id) or ""
    assert all(hashed(token) in kept for token in secret)
    stored = b"".join([file.read_bytes() for file in db.parent.iterdir()])
    assert not [token for token in secret if token.encode() in stored]


def test_every_token_of_a_game_is_compared_whichever_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[bool] = []

    def noted(one: str, other: str) -> bool:
        compared.append(one == other)
        return compared[-1]

    monkeypatch.setattr(tokens, "compare_digest", noted)
    facts = Facts(hashed("organiser"), (hashed("0"), None, hashed("2")), hashed("spectator"))
    asked = {"0": 0, "2": 2, "organiser": "organiser", "spectator": "spectator", "": None, "x": None}
    for token, role in asked.items():
        compared.clear()
        assert facts.role(token) == role
        assert len(compared) == 4


def test_a_client_that_tries_tokens_is_made_to_wait(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "MINUTE", 3600.0)  # however slow this machine is
    id, told = created(address)
    at = f"/replays/{id}/state?viewer=0"
    assert [status_of(address, "GET", at, token=f"guess {number}") for number in range(7)] == [403] * 5 + [429] * 2
    assert status_of(address, "GET", at, token=told["seats"][0]) == 200, "nobody is locked out by others"
    assert status_of(address, "POST", "/live", WISH, TOKEN) == 429, "which somebody chose, and others may guess"
    assert status_of(address, "GET", "/replays") == 200, "who says no token guesses none"
    monkeypatch.setattr(rates, "MINUTE", 0.0)
    assert status_of(address, "POST", "/live", WISH, TOKEN) == 201


def test_a_seat_moves_for_no_other_and_not_at_another_game(address: str) -> None:
    (id, told), (other, _) = created(address), created(address)
    move = {"expected": 3, "move": {"type": "die_thrown", "seat": 0}}
    count = Client(address, told["seats"][0]).ask("GET", f"/replays/{id}/events", query={"viewer": "0"})["count"]
    move["expected"] = count
    tried = [
        (f"/live/{id}/moves", told["seats"][1]),
        (f"/live/{id}/moves", told["organiser"]),
        (f"/live/{id}/moves", told["spectator"]),
        (f"/live/{id}/moves", TOKEN),
        (f"/live/{id}/moves", None),
        (f"/live/{other}/moves", told["seats"][0]),
        (f"/replays/{id}/events", told["seats"][0]),
    ]
    body = {f"/replays/{id}/events": {"expected": count, "events": [move["move"]]}}
    answers = [request(address, "POST", path, body.get(path, move), token) for path, token in tried]
    assert [status for status, _ in answers] == [422, 403, 403, 403, 401, 403, 403]
    assert json.loads(answers[0][1])["detail"] == "not a legal move now"
    assert status_of(address, "POST", f"/live/{id}/break-off", {}, told["seats"][0]) == 403
    seen = Client(address, told["seats"][0]).ask("GET", f"/replays/{id}/events", query={"viewer": "0"})
    assert seen["count"] == count
    assert status_of(address, "POST", f"/live/{id}/moves", move, told["seats"][0]) == 200


def test_only_so_many_games_are_at_play(address: str) -> None:
    (id, told), _ = created(address), created(address)
    status, body = request(address, "POST", "/live", WISH, TOKEN)
    assert (status, json.loads(body)["error"]) == (503, "busy")
    assert status_of(address, "POST", f"/live/{id}/break-off", {}, told["organiser"]) == 200
    assert status_of(address, "POST", "/live", WISH, TOKEN) == 201


def test_a_recorded_stream_takes_nothing_from_a_game_at_play(address: str, db: Path) -> None:
    id, told = created(address)
    header = json.loads(
        request(address, "GET", f"/replays/{id}/export?viewer=0", token=told["seats"][0])[1].split(b"\n")[0]
    )
    assert "seed" not in header
    before = Store(db).read(id)
    shown = {
        "tabletape": 1,
        "shapes": before.header.shapes,
        **{name: header[name] for name in header if name != "seen_by"},
    }
    assert status_of(address, "POST", "/replays", shown, TOKEN) == 403
    lines = json.dumps(shown).encode() + b"\n"
    status, body = request(address, "POST", "/import", lines, TOKEN, {"Content-Type": "application/jsonl"})
    assert (status, json.loads(body)["new"]) == (200, 0)
    assert Store(db).read(id) == before
