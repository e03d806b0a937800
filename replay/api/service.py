"""What the service does, asked by its operations: who may see what, and what is limited. Nothing here knows of HTTP."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from hmac import compare_digest
from typing import Final

from core.redact import viewer_from
from events.base import GameEnded
from events.errors import TabletapeError
from events.marks import Viewer
from replay.api.rates import Rate
from replay.api.settings import Settings
from replay.lake.reading import open_store
from replay.live.game import LiveGame, LiveGames
from replay.live.recording import Recordings
from replay.live.tokens import Role, hashed
from replay.storage.appender import Appender
from replay.storage.reading import is_id, unknown
from replay.storage.store import Store
from replay.timeline import Timeline

PATIENCE: Final = 4.0
"""Seconds that a request waits for a database that others hold."""

OPENED: Final = 16
"""Recorded games that are kept open."""


class Refused(TabletapeError):
    """A request that is not done: the HTTP status, a word for programs, and one line for people."""

    def __init__(self, status: int, error: str, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.error = error


class WrongToken(Refused):
    """A token that nobody has."""

    def __init__(self, detail: str) -> None:
        super().__init__(403, "forbidden", detail)


class Service:
    """The store and the live games behind the interface. May be used by several threads."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._token = None if settings.token is None else hashed(settings.token)
        self._lock = threading.Lock()
        self._opened: OrderedDict[tuple[str, int], Timeline] = OrderedDict()
        self._streams = Rate(settings.new_streams)
        self._wrong = Rate(settings.wrong_tokens)
        self._followers = 0
        self._opening = threading.Lock()

    @cached_property
    def store(self) -> Store:
        """The database; raises `StoreError` if it cannot be used."""
        return open_store(self.settings.db, wait=PATIENCE)

    @cached_property
    def appender(self) -> Appender:
        """What stores steps. It lives as long as the process: what it has answered is on the disk."""
        return self.store.appender().__enter__()

    @property
    def live(self) -> LiveGames:
        """The live games."""
        with self._opening:  # two first requests at once must not make two referees
            return self._live

    @cached_property
    def _live(self) -> LiveGames:
        return LiveGames(self.store, self.appender, self.settings.max_events)

    @property
    def recordings(self) -> Recordings:
        """The tables that are being recorded."""
        with self._opening:
            return self._recordings

    @cached_property
    def _recordings(self) -> Recordings:
        return Recordings(self.store, self.appender)

    # --- who may do what ---------------------------------------------------------------------------------------------

    def check_token(self, token: str | None) -> None:
        """Raise `Refused` unless this is the token of the service."""
        if self._token is None:
            raise Refused(403, "forbidden", "this service takes no changes: it was started without TABLETAPE_TOKEN")
        if token is None:
            raise Refused(401, "unauthorized", "this needs the token of the service")
        if not compare_digest(hashed(token), self._token):
            raise WrongToken("this is not the token of the service")

    def check_uploads(self) -> None:
        """Raise `Refused` where recorded games are not taken in."""
        if not self.settings.uploads:
            raise Refused(403, "forbidden", "this service takes in no recorded games")

    def playing(self, id: str) -> LiveGame | None:
        """Give a live game at play, None for any other replay; raises `UnknownReplay`."""
        if not is_id(id):
            raise unknown(id)
        return self.live.find(id)

    def role(self, game: LiveGame, token: str | None) -> Role:
        """Give who somebody at a live game is; raises `Refused` for nobody."""
        if token is None:
            raise Refused(401, "unauthorized", "this needs a token of this game")
        role = game.facts.role(token)
        if role is None:
            raise WrongToken("this is no token of this game")
        return role

    def look(self, id: str, token: str | None, viewer: str) -> tuple[Timeline, Viewer, LiveGame | None]:
        """Give a game, and as whom to look at it.

        A game that is over is open to every viewer. One at play shows each seat to that seat alone, and everything to
        nobody, except to the organiser of a real table, who wrote it all down.
        """
        game = self.playing(id)
        timeline = self.recorded(id) if game is None else game.timeline()
        chosen = viewer_from(viewer, timeline.seats)
        if game is not None:
            self._check_viewer(game, token, chosen)
        return timeline, chosen, game

    def _check_viewer(self, game: LiveGame, token: str | None, viewer: Viewer) -> None:
        if viewer == "spectator" and game.facts.spectator is None:
            return
        role = self.role(game, token)
        if viewer in ("spectator", role) or (role == "organiser" and game.header.seed is None):
            return
        raise Refused(403, "forbidden", "this token does not see the game as this viewer")

    def is_over(self, timeline: Timeline, game: LiveGame | None) -> bool:
        """Say whether what `look` gave has come to its end, or was broken off: then nothing of it is hidden."""
        if timeline.events and isinstance(timeline.events[-1], GameEnded):
            return True
        facts = self.live.facts(timeline.header.id) if game is None else None
        return facts is not None and facts.broken_off

    def recorded(self, id: str) -> Timeline:
        """Open a recorded game; raises `UnknownReplay`, and `SetupError` if its game is not here."""
        key = (id, self.store.generation())
        with self._lock:
            found = self._opened.get(key)
        if found is None:
            found = Timeline(self.store.read(id))
            with self._lock:
                self._opened[key] = found
                while len(self._opened) > OPENED:
                    self._opened.popitem(last=False)
        return found

    # --- limits ------------------------------------------------------------------------------------------------------

    def count_stream(self, client: str) -> None:
        """Raise `Refused` for a client that begins more streams a minute than it may."""
        if self._streams.is_full(client):
            raise Refused(429, "too_many", f"at most {self.settings.new_streams} new streams a minute")
        self._streams.count(client)

    def check_tries(self, client: str) -> None:
        """Raise `Refused` for a client that has tried too many wrong tokens within a minute."""
        if self._wrong.is_full(client):
            raise Refused(429, "too_many", f"at most {self.settings.wrong_tokens} wrong tokens a minute")

    def count_wrong(self, client: str) -> None:
        """Count a wrong token that a client has tried."""
        self._wrong.count(client)

    def check_room(self) -> None:
        """Raise `Refused` where as many games are at play as may be."""
        if len(self.store.at_play()) >= self.settings.live_games:
            raise Refused(503, "busy", f"at most {self.settings.live_games} games are at play here at once")

    @contextmanager
    def following(self) -> Iterator[None]:
        """Count somebody who follows a stream; raises `Refused` if there are too many."""
        with self._lock:
            if self._followers >= self.settings.followers:
                raise Refused(503, "busy", f"at most {self.settings.followers} may follow at once; try again later")
            self._followers += 1
        try:
            yield
        finally:
            with self._lock:
                self._followers -= 1
