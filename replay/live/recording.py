"""Tables that are being recorded: every entry is stored before it is answered, the stream when the game is over.

    recordings = Recordings(store, appender)
    recording, token = recordings.create(Wish(game="picnic-palace", players=players, nature=False))
    recordings.enter(recording, Entry(event=...), expected=0)
    recordings.write(recording)

Until then nothing of it is shown to anybody but to who records: to the store it is a game at play (`Store.at_play`).
Strangers that are left at the end (`replay.draft`) get what the box has left, and a note says how many they were.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Final

import msgspec
import structlog
from msgspec.structs import replace

from core.engine import start
from core.registry import codec
from core.streams import lawful
from events.base import Event, GameStarted
from events.codec import encode, encode_all
from events.errors import UnlawfulEvent
from events.tape import Header
from replay.errors import Conflict, StoreBusy
from replay.games import game_of
from replay.live.draft import Draft, Question, strangers
from replay.live.game import Wish, game_for, header_for, options_for
from replay.live.tokens import Entry, Facts, hashed, new_token
from replay.storage.appender import Appender
from replay.storage.store import Store
from replay.timeline import Timeline

log = structlog.get_logger("tabletape.live")

AUTHOR: Final = "recording"
"""Who writes the note on cards that nobody saw."""


def is_recorded(facts: str) -> bool:
    """Say whether what is kept of a live game is that of a table that is being recorded."""
    return bool(facts) and msgspec.json.decode(facts, type=Facts).draft is not None


class Recording:
    """A table that is being recorded: what was entered, and what that comes to."""

    def __init__(self, header: Header, opening: GameStarted[Any], facts: Facts) -> None:
        """Take a recording up: everything that was entered is entered again."""
        self.header = header
        self.game = game_of(header)
        self.facts = facts
        self.lock = threading.RLock()
        self._opening = opening
        self.draft = self._of(facts.draft or ())

    @property
    def id(self) -> str:
        """The id that its stream has."""
        return self.header.id

    @property
    def count(self) -> int:
        """How much was entered."""
        return len(self.facts.draft or ())

    def question(self) -> Question:
        """Give what is to be entered next."""
        return self.draft.question()

    def after(self, entry: Entry | None, expected: int) -> tuple[Facts, Draft]:
        """Give what comes of an entry, or of erasing the last one (None), without keeping it.

        Raises `Conflict` if there are not `expected` entries, `UnlawfulEvent`, `FormatError`.
        """
        entries = self.facts.draft or ()
        if len(entries) != expected:
            raise Conflict(self.id, expected, len(entries))
        if entry is None:
            if not entries:
                raise UnlawfulEvent("nothing was entered yet")
            return replace(self.facts, draft=entries[:-1]), self._of(entries[:-1])
        draft = self.draft.copy()
        draft.enter(entry, self._read)
        return replace(self.facts, draft=(*entries, entry)), draft

    def _of(self, entries: Sequence[Entry]) -> Draft:
        draft = Draft(self.game, self._opening)
        for entry in entries:
            draft.enter(entry, self._read)
        return draft

    def _read(self, raw: bytes) -> Event:
        return codec(type(self.game)).decode(raw)


class Recordings:
    """The tables of a store that are being recorded. May be used by several threads."""

    def __init__(self, store: Store, appender: Appender) -> None:
        self._store = store
        self._appender = appender
        self._known: dict[str, Recording] = {}
        self._lock = threading.Lock()

    def create(self, wish: Wish) -> tuple[Recording, str]:
        """Begin one, with the token of who records; raises `SetupError` or `FormatError` if it cannot be played."""
        game = game_for(wish)
        header = header_for(wish, game)
        opening = start(game, len(wish.players), options_for(wish, game))
        token = new_token()
        facts = Facts(organiser=hashed(token), seats=(None,) * len(wish.players), draft=())
        recording = Recording(header, opening, facts)
        self._keep(header.id, facts)
        self._store.begin(header)
        self._appender.append(header.id, "new", (encode(opening),))
        with self._lock:
            self._known[header.id] = recording
        log.info("recording", replay=header.id, game=game.slug, seats=len(wish.players))
        return recording, token

    def find(self, id: str) -> Recording | None:
        """Give a table that is being recorded, None for any other replay; raises `UnknownReplay`."""
        with self._lock:
            if id in self._known:
                return self._known[id]
            kept = self._store.live_facts(id)
            facts = None if kept is None else msgspec.json.decode(kept.encode(), type=Facts)
            if facts is None or facts.draft is None or facts.broken_off:
                return None
            line = Timeline(self._store.read(id))
            if len(line) != 1 or not isinstance(line.events[0], GameStarted):
                self._close(id, facts, line)  # killed while it was written
                return None
            self._known[id] = Recording(line.header, line.events[0], facts)
            return self._known[id]

    def unfinished(self) -> list[str]:
        """Give the ids of the tables that are being recorded."""
        return [id for id in self._store.at_play() if is_recorded(self._store.live_facts(id) or "")]

    def enter(self, recording: Recording, entry: Entry | None, expected: int) -> None:
        """Take in an entry behind `expected` others, or erase the last one (None), and store that.

        Raises `Conflict`, `UnlawfulEvent` for what cannot have been, `FormatError` for what is no event, `StoreError`.
        """
        with recording.lock:
            facts, draft = recording.after(entry, expected)
            self._check_own(recording)
            self._keep(recording.id, facts)
            recording.facts, recording.draft = facts, draft

    def write(self, recording: Recording) -> None:
        """Write the stream, for good: a game that is over counts like any other, one that is not is unfinished."""
        with recording.lock:
            events, filled = recording.draft.whole()
            _, unlawful = lawful(recording.game, recording.header, events)
            if unlawful is not None:
                raise UnlawfulEvent(f"event {unlawful.step}: {unlawful.reason}")
            self._check_own(recording)
            self._appender.append(recording.id, 1, encode_all(events[1:]))
            if filled:
                step = next(at for at, event in enumerate(recording.draft.events) if any(strangers(event)))
                text = f"{filled} of these nobody has seen; here they stand in the order of the box."
                self._store.add_note(recording.id, step, text, author=AUTHOR)
            self._close(recording.id, recording.facts, Timeline(self._store.read(recording.id)))
            with self._lock:
                self._known.pop(recording.id, None)
        log.info("recorded", replay=recording.id, events=len(events), unseen=filled)

    def _check_own(self, recording: Recording) -> None:
        """Raise `StoreBusy` if the stored recording is not this one any more; it is taken up anew when it is found."""
        if self._store.live_facts(recording.id) != _text(recording.facts):
            with self._lock:
                self._known.pop(recording.id, None)
            raise StoreBusy("the recording went on in another process, or was removed; look again")

    def _close(self, id: str, facts: Facts, line: Timeline) -> None:
        over = line.fault is None and bool(line.states) and line.game.outcome(line.states[-1]) is not None
        self._keep(id, replace(facts, draft=None, broken_off=not over))

    def _keep(self, id: str, facts: Facts) -> None:
        self._store.keep_live(id, _text(facts))


def _text(facts: Facts) -> str:
    return msgspec.json.encode(facts).decode()
