"""No channel tells a viewer what it never knew; and each channel's check finds a leak that is put there on purpose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from core.games.trash_pandas import TrashPandas
from core.redact import moves_of
from dashboard import listing, playing, recordings
from events.trash_pandas import YumYumKept
from replay import timeline
from replay.api import follow, operations, web
from replay.api.service import Service
from replay.games import load
from replay.live import game as live_game
from tests.leaks import channels
from tests.leaks.search import both, search
from tests.leaks.twins import twins
from tests.leaks.world import ID

SECRETLY = 5938
"""Twins of Trash Pandas: seat 0 has stopped rolling, and seat 1 has answered in secret in one of them alone."""

SHORT = [("queen-of-the-cupcakes", 9), ("trash-pandas", 32), ("cherry-on-the-cake", 24), ("picnic-palace", 1)]
"""Twins of each of our games, seen by a seat."""

Plant = Callable[[pytest.MonkeyPatch], None]


@pytest.mark.parametrize(("slug", "number"), SHORT)
def test_what_a_viewer_never_knew_changes_nothing_that_it_gets(slug: str, number: int, tmp_path: Path) -> None:
    done = search(load(slug), number, tmp_path, pages=None)
    assert done.leaks == []
    assert done.swaps.total() == 1


def test_who_is_asked_in_secret_changes_nothing_that_others_get(tmp_path: Path) -> None:
    found = twins(load(TrashPandas.slug), SECRETLY)
    assert found is not None
    assert [type(found.one[-1]), type(found.two[-1])].count(YumYumKept) == 1
    done = search(found.game, SECRETLY, tmp_path, pages=("health",))
    assert done.leaks == []
    assert set(done.compared) == {channel for _, planted in LEAKS for channel in planted}


def states_are_open(to: pytest.MonkeyPatch) -> None:
    to.setattr(timeline, "redact", lambda state, viewer: state)


def events_are_open(to: pytest.MonkeyPatch) -> None:
    to.setattr(timeline, "seen", lambda event, viewer: event)


def every_event_wakes_followers(to: pytest.MonkeyPatch) -> None:
    news = follow._news

    def with_a_sign_of_life(service: Service, id: str, *more: Any) -> follow.News:
        found = news(service, id, *more)
        events = len(service.look(id, *more[:2])[0])
        return replace(found, messages=(*found.messages, b": \n\n" * events))

    to.setattr(follow, "_news", with_a_sign_of_life)


def moves_tell_who_is_asked(to: pytest.MonkeyPatch) -> None:
    def as_it_is(line: Any, at: int, viewer: Any) -> Any:
        return moves_of(line.game.legal(line.states[at]), viewer)

    to.setattr(live_game, "moves_at", as_it_is)


def whose_turn_it_is_tells_who_is_asked(to: pytest.MonkeyPatch) -> None:
    to.setattr(playing, "past_secrets", lambda game, state, viewer: state)


def length_is_listed(to: pytest.MonkeyPatch) -> None:
    hidden = operations._replay
    to.setattr(operations, "_replay", lambda row, playing: hidden(row, playing=False))


def declining_binds(to: pytest.MonkeyPatch) -> None:
    to.setattr(TrashPandas, "irrevocable", (*TrashPandas.irrevocable, YumYumKept))


def length_is_logged(to: pytest.MonkeyPatch) -> None:
    to.setattr(web, "_ids", lambda request: {"length": str(len(playing.service().store.read(ID).events))})


def writes_are_counted(to: pytest.MonkeyPatch) -> None:
    to.setattr(listing, "key_of", lambda rows, wanted: str(recordings.store().generation()))


def a_table_dealt_anew_is_open(to: pytest.MonkeyPatch) -> None:
    to.setattr(channels, "redact", lambda state, viewer: state)


LEAKS: list[tuple[int, Mapping[str, Plant]]] = [
    (32, {"frames": states_are_open, "page": states_are_open, "words": states_are_open}),
    (32, {"file": events_are_open}),
    (SECRETLY, {"world": a_table_dealt_anew_is_open}),
    (
        SECRETLY,
        {
            "follow": every_event_wakes_followers,
            "table": whose_turn_it_is_tells_who_is_asked,
            "api": length_is_listed,
            "take-back": declining_binds,
            "log": length_is_logged,
        },
    ),
    (SECRETLY, {"errors": moves_tell_who_is_asked, "pages": writes_are_counted}),
]
"""What is planted in each channel, together where none shows in the channel of another."""


@pytest.mark.parametrize(("number", "planted"), LEAKS, ids=["-".join(planted) for _, planted in LEAKS])
def test_a_leak_through_each_channel_is_found(
    number: int, planted: Mapping[str, Plant], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = twins(load(TrashPandas.slug), number)
    assert found is not None
    for plant in planted.values():
        plant(monkeypatch)
    told_apart = set()
    for channel, one, two in both(found, number, tmp_path, pages=() if "pages" in planted else None):
        told_apart |= {channel} if list(one) != list(two) else set()
        if told_apart >= set(planted):
            return
    raise AssertionError(f"not found: {set(planted) - told_apart}")
