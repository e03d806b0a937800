"""The record page without a browser: begin, what is seen, what was done, slips, going on, writing it down."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from streamlit.testing.v1 import AppTest

from core.conformance import random_game
from core.registry import find
from dashboard import recordings
from dashboard.address import plain
from dashboard.listing import key_of
from dashboard.playing import service
from events.base import Event
from events.tape import Player
from replay.games import default_sheet
from replay.live.game import Wish
from replay.live.recording import Recording
from replay.storage.store import Filter
from replay.timeline import Timeline

APP = Path(__file__).parents[2] / "dashboard" / "app.py"
QUEEN = find("queen-of-the-cupcakes")

Open = Callable[..., AppTest]


@pytest.fixture
def open_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Gives a function that opens the record page, at a recording."""
    monkeypatch.setenv("TABLETAPE_DB", str(tmp_path / "games.duckdb"))
    monkeypatch.delenv("TABLETAPE_TOKEN", raising=False)

    def start(id: str | None = None, token: str | None = None) -> AppTest:
        at = AppTest.from_file(str(APP), default_timeout=60)
        at.switch_page("screens/record.py")
        if id is not None:
            at.query_params["record"] = id
        at.run()
        if token is not None:
            at.text_input[0].input(token)
            press(at, "Go on")
        assert not at.exception
        return at

    yield start
    service().appender.__exit__(None, None, None)


def press(at: AppTest, start: str) -> None:
    next(button for button in at.button if button.label.startswith(start)).click().run()
    assert not at.exception


def words(at: AppTest) -> str:
    return "\n".join([str(each.value) for each in [*at.text, *at.subheader, *at.info, *at.error, *at.code]])


def board(at: AppTest) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.json.decode(at.get("bidi_component")[0].proto.bytes)
    return told


def say_faces(at: AppTest, recording: Recording, faces: list[str | int]) -> None:
    boxes = [box for box in at.selectbox if str(box.key).startswith(f"face-{recording.count}-")]
    for box, face in zip(boxes, faces, strict=True):
        box.select(face)
    press(at, "Enter")


def seen(recording: Recording, source: list[Event]) -> list[str | int]:
    real = msgspec.to_builtins(source[len(recording.draft.events)])
    (field,) = {place.field for place in recording.question().places}
    value = real[field]
    return [face for part in value for face in part] if isinstance(value[0], list | tuple) else list(value)


def test_a_whole_game_is_entered_on_the_page_and_counts(open_page: Open) -> None:
    open_page()
    box = msgspec.structs.replace(default_sheet(QUEEN), bin_capacity=2)
    source = min([random_game(QUEEN(box), 2, f"page/{number}") for number in range(20)], key=len)
    names = (Player("Ann"), Player("![x](http://x.example)"))
    wish = Wish(game=QUEEN.slug, players=names, nature=False, components=msgspec.to_builtins(box))
    recording, token = service().recordings.create(wish)
    at = open_page(recording.id)
    assert "bidi_component" not in [each.type for each in at.main]  # nothing is shown without the token
    at = open_page(recording.id, token)
    while (step := len(recording.draft.events)) < len(source):
        asked = recording.question()
        if asked.happens is not None:
            say_faces(at, recording, seen(recording, source))
        else:
            press(at, plain(recording.game.words(source[step], [player.name for player in names])))
        assert len(recording.draft.events) > step
    assert recording.draft.events[-1] == source[-1]
    assert "The game is over" in words(at)
    assert service().store.count(Filter(finished=True)) == 0
    press(at, "Write it down")
    assert Timeline(service().store.read(recording.id)).events[-1] == source[-1]
    assert service().store.seat_results()["player"].to_list() == [name.name for name in names]
    assert recordings.library().timeline(recording.id).events[-1] == source[-1]


def test_a_recording_is_begun_corrected_put_down_and_gone_on_with(open_page: Open) -> None:
    at = open_page()
    at.selectbox(key="new-game").select("picnic-palace").run()
    assert "anybody who looks on can record it" in words(at)
    press(at, "Begin")
    token = at.code[0].value
    press(at, "I have kept it")
    assert token not in words(at)
    press(at, "Ann")
    (id,) = service().recordings.unfinished()
    recording = service().recordings.find(id)
    assert recording is not None
    press(at, "Enter")
    assert "6 of 6 are not said yet" in words(at)
    say_faces(at, recording, ["sassy", "sunny", "sassy", "franky", "pauly_pickle", "sprinkles"])
    targets = board(at)["targets"]
    assert any(words.startswith("Ann flips") for words in targets.values())
    press(at, "Erase my last entry")
    assert recording.count == 1
    say_faces(at, recording, ["sunny"] * 6)
    flip = next(button.label for button in at.button if "flips" in button.label)
    press(at, flip)
    press(at, "It was taken back")
    assert [button.label for button in at.button if "flips" in button.label]
    library = AppTest.from_file(str(APP), default_timeout=60).run()
    library.session_state[f"rows-{key_of(service().store.replays(), Filter())}"] = {
        "selection": {"rows": [], "columns": [], "cells": [(0, "Game")]}
    }
    library.run()
    assert library.query_params["record"] == id
    other = open_page(id, "no token")
    assert "not the token" in words(other)
    assert not other.get("bidi_component")
    with pytest.raises(Exception, match="being played"):
        recordings.library().tape(id)
    press(at, "Stop")
    assert (service().store.at_play(), service().recordings.unfinished()) == ([], [])
    assert "nobody has seen" in service().store.notes(id)[0].text
