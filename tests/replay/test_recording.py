"""A real table: what nobody sees is not asked for, what is entered is checked, and what is written is a lawful game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from core.conformance import random_game
from core.engine import fold
from core.redact import redact
from core.registry import OURS, codec, find
from core.streams import lawful, shapes
from events.base import Event, GameEnded, GameStarted, TakenBack
from events.codec import encode
from events.errors import SetupError, UnlawfulEvent
from events.tape import Header, Player
from replay.debugger.branching import fresh_id
from replay.errors import Conflict, StoreBusy
from replay.games import default_sheet, load
from replay.live.draft import Draft, Question, strangers
from replay.live.game import LiveGames, Wish
from replay.live.recording import Recording, Recordings
from replay.live.tokens import Entry, Face
from replay.storage.store import Filter, Store
from replay.timeline import Timeline
from replay.verify import verify

SEATS = (Player("Ann"), Player("Ben"), Player("Cat"))


@pytest.fixture
def recordings(store: Store) -> Iterator[Recordings]:
    with store.appender() as appender:
        yield Recordings(store, appender)


def faces(real: object, shown: object) -> list[Face]:
    """What the real event has where the asked one has a mask."""
    if isinstance(shown, tuple) and isinstance(real, tuple):
        return [face for one, other in zip(real, shown, strict=True) for face in faces(one, other)]
    if isinstance(shown, Event):
        return [face for name in shown.__struct_fields__ for face in faces(getattr(real, name), getattr(shown, name))]
    return [real] if shown == "?" and isinstance(real, int | str) else []


def entry_of(draft: Draft, source: list[Event]) -> Entry | None:
    """What somebody who watches the game `source` enters next; None when it is over."""
    asked = draft.question()
    if len(draft.events) == len(source):
        assert asked == Question()
        return None
    real = source[len(draft.events)]
    if asked.happens is None:
        assert real in asked.options
        return Entry(event=encode(real).decode())
    return Entry(faces=tuple(faces(real, asked.happens))[: sum(place.count for place in asked.places)])


@pytest.mark.parametrize("kind", OURS, ids=lambda kind: kind.slug)
def test_a_whole_game_needs_no_more_than_what_the_table_saw(kind: Any) -> None:
    game = load(kind.slug)
    source = random_game(game, 3, "real table")
    assert isinstance(source[0], GameStarted)
    draft = Draft(game, source[0])
    while (entry := entry_of(draft, source)) is not None:
        draft.enter(entry, codec(kind).decode)
    events, filled = draft.whole()
    assert (filled > 0) == (kind.slug in ("picnic-palace", "cherry-on-the-cake"))  # the others draw the whole deck
    assert not [event for event in events if any(strangers(event))]
    header = Header(
        id=fresh_id(),
        game=kind.slug,
        rules=kind.rules,
        shapes=shapes(kind),
        sheet=game.sheet_digest,
        players=SEATS,
        provenance="live",
    )
    states, fault = lawful(game, header, events)
    assert fault is None
    assert events[-1] == source[-1]
    for viewer in ("spectator", 0, 1, 2):
        one, other = redact(states[-1], viewer), redact(fold(game, source), viewer)
        assert one == other


def picnic(recordings: Recordings) -> tuple[Recording, list[Event], str]:
    """Begin one with a box of one round."""
    kind = find("picnic-palace")
    box = replace(default_sheet(kind), rounds=1)
    wish = Wish(game=kind.slug, players=SEATS, nature=False, components=msgspec.to_builtins(box))
    recording, token = recordings.create(wish)
    return recording, random_game(kind(box), 3, "real table"), token


def record(recordings: Recordings, recording: Recording, source: list[Event], most: int = 10_000) -> None:
    """Enter a game, or as much as `most` entries of it."""
    while most and (entry := entry_of(recording.draft, source)) is not None:
        recordings.enter(recording, entry, recording.count)
        most -= 1


def test_a_recording_goes_on_after_a_restart_and_counts_when_it_is_written(store: Store) -> None:
    with store.appender() as appender:
        recordings = Recordings(store, appender)
        recording, source, token = picnic(recordings)
        record(recordings, recording, source, 6)
        early = Recordings(store, appender).find(recording.id)
        assert early is not None
        record(recordings, recording, source, 1)
        with pytest.raises(StoreBusy, match="another process"):
            recordings.enter(early, None, early.count)
        with pytest.raises(SetupError, match="being recorded"):
            LiveGames(store, appender).find(recording.id)
    with store.appender() as appender:
        recordings = Recordings(store, appender)
        assert recordings.unfinished() == [recording.id]
        again = recordings.find(recording.id)
        assert again is not None
        assert (again.draft.events, again.facts.role(token)) == (recording.draft.events, "organiser")
        record(recordings, again, source)
        assert (store.count(Filter(finished=True)), store.at_play()) == (0, [recording.id])
        recordings.write(again)
        assert (recordings.find(again.id), recordings.unfinished(), store.at_play()) == (None, [], [])
    verdict = verify(store.read(recording.id))
    assert (verdict.failures, verdict.finished, verdict.grades) == ((), True, ("whole", "legal"))
    assert isinstance(source[-1], GameEnded)
    assert store.seat_results()["score"].to_list() == list(source[-1].scores)
    (note,) = store.notes(recording.id)
    assert "nobody has seen" in note.text


def test_what_cannot_have_been_is_told_in_a_line_and_changes_nothing(recordings: Recordings) -> None:
    recording, source, _ = picnic(recordings)
    record(recordings, recording, source, 1)
    asked = recording.question()
    assert [place.field for place in asked.places] == ["rows"] * 3
    few = min(asked.left, key=lambda face: asked.left[face])
    count = sum(place.count for place in asked.places)
    for wrong, reason in (
        (Entry(faces=("sassy",)), f"{count} faces are asked for, not 1"),
        (Entry(faces=("nobody",) * count), "no nobody is left"),
        (Entry(faces=(few,) * (asked.left[few] + 1)), "left|asked"),
        (Entry(event='{"type":"row_taken","seat":0,"row":0,"cards":[]}'), "first say what is seen"),
        (Entry(event='{"type":"taken_back","to":7}'), "nothing to take back"),
    ):
        before = (recording.draft.events, recording.count)
        with pytest.raises(UnlawfulEvent, match=reason):
            recordings.enter(recording, wrong, 1)
        assert (recording.draft.events, recording.count) == before
    with pytest.raises(Conflict):
        recordings.enter(recording, None, 0)


def test_a_slip_is_erased_and_what_the_table_took_back_stays_in_the_stream(
    store: Store, recordings: Recordings
) -> None:
    recording, source, _ = picnic(recordings)
    record(recordings, recording, source, 2)
    before, asked = list(recording.draft.events), recording.question()
    move = Entry(event=encode(asked.options[0]).decode())
    recordings.enter(recording, move, 2)
    recordings.enter(recording, None, 3)
    assert (recording.draft.events, recording.question()) == (before, asked)
    recordings.enter(recording, move, 2)
    back = Entry(event=encode(TakenBack(to=len(before) - 1)).decode())
    recordings.enter(recording, back, 3)
    assert recording.question() == asked
    recordings.write(recording)  # the table stops here
    assert isinstance(Timeline(store.read(recording.id)).events[-1], TakenBack)
    verdict = verify(store.read(recording.id))
    assert (verdict.failures, verdict.finished, store.at_play()) == ((), False, [])
