"""One of two worlds: a live game at a real service, played up to where a viewer looks, on a clock that only we move.

Nature and the seats do what a stream says. Seats that are asked in secret answer when they like; what everybody sees
happens at the same time in both worlds, or their clocks alone would tell them apart.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, Literal
from unittest.mock import patch

import msgspec
import structlog
from starlette.applications import Starlette
from starlette.middleware import Middleware

from core.chance import Chance
from core.redact import seen
from core.streams import shapes
from dashboard import playing
from dashboard.server import Guard
from events.base import Event, Move
from events.codec import encode, encode_all
from events.errors import TabletapeError
from events.tape import Header, Player, Tape, sealed
from replay.api import follow
from replay.api.service import Service
from replay.api.web import mounted
from replay.live import game as live_game
from replay.live.game import Held, LiveGame
from replay.live.tokens import Facts, hashed
from replay.report import moves_at
from tests.leaks.twins import Twins

ID: Final = "01930000-0000-7000-8000-00000000abcd"
NAMES: Final = ("Ann", "Ben", "Cat", "Dan", "Eve", "Fay")
WINDOW: Final = 8.0
ORGANISER: Final = "token-of-the-organiser"

Told = tuple[str, int, Any, bytes]
"""What was asked, the status, the headers, and the body."""


def token_of(seat: int) -> str:
    """Give the token of a seat."""
    return f"token-of-seat-{seat}"


class Clock:
    """Stands for `time` and `threading` in the referee: it goes on when told to, and timers go off as it does."""

    RLock = staticmethod(threading.RLock)
    Lock = staticmethod(threading.Lock)
    time_ns = staticmethod(time.time_ns)

    def __init__(self) -> None:
        self.now = 1000.0
        self._timers: list[tuple[float, Callable[[], None]]] = []

    def monotonic(self) -> float:
        """Give what time it is."""
        return self.now

    def Timer(self, seconds: float, call: Callable[[], None]) -> Any:
        """Stand for `threading.Timer`."""
        return SimpleNamespace(start=lambda: self._timers.append((self.now + seconds, call)))

    def advance(self, until: float) -> None:
        """Go on, and let the timers go off that are due by then."""
        self.now = max(self.now, until)
        due = [call for at, call in self._timers if at <= self.now]
        self._timers = [(at, call) for at, call in self._timers if at > self.now]
        for call in due:
            call()


class World:
    """A live game that was played as a stream says, and what its viewer was sent meanwhile."""

    def __init__(
        self, found: Twins, events: Sequence[Event], service: Service, clock: Clock, watched: bool = False
    ) -> None:
        """Begin the game; `play` goes on. `watched`: somebody looks at the library all the time."""
        self.found, self.events, self.service, self.clock = found, events, service, clock
        self._watched = watched
        self.viewer = found.viewer
        self.token = token_of(found.viewer) if isinstance(found.viewer, int) else None
        self.followed: list[tuple[float, bytes]] = []
        """When a follower was sent what, in seconds and bytes."""
        self._first, self._moves = 0, b""
        self._opened = clock.now
        self.game = self._begun()

    def _begun(self) -> LiveGame:
        seats = range(self.found.seats)
        facts = Facts(hashed(ORGANISER), tuple([hashed(token_of(seat)) for seat in seats]), None, "c" * 64, "5" * 32)
        self.service.store.keep_live(ID, msgspec.json.encode(msgspec.structs.replace(facts, window=WINDOW)).decode())
        self.service.store.begin(header_of(self.found, "live"))
        self.service.appender.append(ID, "new", (encode(self.events[0]),))
        game = self.service.live.find(ID)
        assert game is not None
        return game

    def play(self) -> None:
        """Let everything happen that the stream has."""
        self._look()
        while (at := len(self.game.timeline())) < len(self.events):
            event, legal = self.events[at], self._asked()
            answers = any(type(move).seen_by for move in legal)
            if answers and type(event).seen_by and (at % 2 or self._answered_openly(at)):
                self._move(event)  # declines at once; else when the time is over
            elif answers and not type(event).seen_by:
                self.clock.advance(self._opened + WINDOW / 2)
                self._move(event)
            elif answers or self._waits():
                self._probe()
                self.clock.advance(self._opened + WINDOW)
            else:
                self.clock.advance(self.clock.now + 1)
                self._move(event)
            self._look()

    def _move(self, event: Event) -> None:
        assert isinstance(event, Move)
        self.game.move(event.seat, encode(event), self.game.seen_by(event.seat))
        if self._watched:  # as by somebody who looks at the library: then what was answered is written, and not later
            self.service.store.count()

    def _asked(self) -> Sequence[Move]:
        state = self.game.timeline().states[-1]
        return self.found.game.legal(state) if self.found.game.forced(state) is None else []

    def _answered_openly(self, at: int) -> bool:
        """Does somebody answer this question so that all can see it?"""
        after = next((event for event in self.events[at:] if not type(event).seen_by), None)
        return isinstance(after, Move)

    def _waits(self) -> bool:
        return self.clock.now < self._opened + WINDOW and isinstance(self._last_public(), self.found.game.windows)

    def _last_public(self) -> Event | None:
        public = [event for event in self.game.timeline().events if seen(event, "spectator") is not None]
        return public[-1] if public else None

    def _look(self) -> None:
        """Take what a follower is sent now."""
        news = follow._news(self.service, ID, self.token, str(self.viewer), self._first, self._moves)
        if news.next > self._first:
            self._opened = self.clock.now
        self._first, self._moves = news.next, news.moves
        if news.messages:
            self.followed.append((self.clock.now, b"".join(news.messages)))

    def _probe(self) -> None:
        """Try to move while the table waits."""
        asked = any(move.seat == self.viewer for move in self._asked() if type(move).seen_by)
        if isinstance(self.viewer, int) and not asked:
            for move in self.own_moves()[:2]:
                self.followed.append((self.clock.now, self.tried(encode(move))))

    def own_moves(self) -> Sequence[Move]:
        """Give the moves that the viewer is told it has."""
        line = self.game.timeline()
        return moves_at(line, len(line) - 1, self.viewer)

    def waits(self) -> bool:
        """Does the table wait, so that no move is made now?"""
        return self._waits()

    def tried(self, raw: bytes) -> bytes:
        """Give what a seat is told of a move that is not to be made yet."""
        assert isinstance(self.viewer, int)
        try:
            self.game.move(self.viewer, raw, self.game.seen_by(self.viewer))
        except Held as held:
            return b"held for %r" % held.seconds
        except TabletapeError as error:
            return str(error).encode()
        return b"made"

    def ask(self, *requests: tuple[str, str, bytes | None]) -> list[Told]:
        """Give the answers of the service to requests (method, path, body) with the token of the viewer."""
        app = Starlette(routes=[mounted(self.service)], middleware=[Middleware(Guard)])

        async def all_of_them() -> list[Told]:
            return [await _asked(app, method, path, body, self.token) for method, path, body in requests]

        return asyncio.run(all_of_them())


def header_of(found: Twins, provenance: Literal["live", "imported"]) -> Header:
    """Give the header of a game of this kind. Nobody may ever see its seed."""
    game = found.game
    return Header(
        id=ID,
        game=game.slug,
        rules=game.rules,
        shapes=shapes(type(game)),
        sheet=game.sheet_digest,
        players=tuple([Player(name) for name in NAMES[: found.seats]]),
        provenance=provenance,
        seed="0123456789abcdef" * 2,
        recorded="2026-01-01T00:00:00+00:00",
    )


def tape_of(found: Twins, events: Sequence[Event]) -> Tape:
    """Give a stream as a recorded game."""
    return sealed(header_of(found, "imported"), encode_all(events))


async def _asked(app: Starlette, method: str, path: str, body: bytes | None, token: str | None) -> Told:
    where, _, query = path.partition("?")
    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    headers += [(b"authorization", f"Bearer {token}".encode())] if token else []
    scope = {
        "type": "http",
        "method": method,
        "path": f"/api{where}",
        "raw_path": f"/api{where}".encode(),
        "query_string": query.encode(),
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "root_path": "",
    }
    parts: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body or b"", "more_body": False}

    async def send(message: Any) -> None:
        parts.append(message)

    await app(scope, receive, send)
    sent = b"".join([part.get("body", b"") for part in parts[1:]])
    return f"{method} {path}", parts[0]["status"], sorted(parts[0]["headers"]), sent


@contextmanager
def world(folder: Path, found: Twins, events: Sequence[Event], watched: bool) -> Iterator[tuple[World, list[Any]]]:
    """Give a world in a folder of its own, played to its end, and the log of its service, which grows."""
    clock = Clock()

    def scripted(game: Any, state: Any, key: bytes, seq: int) -> Event | None:
        due = game.forced(state)
        if seq >= len(events):
            return None
        return events[seq] if isinstance(due, Chance) else due

    folder.mkdir()
    with (
        patch.dict("os.environ", {"TABLETAPE_DB": str(folder / "games.duckdb"), "TABLETAPE_TOKEN": ""}),
        patch.object(live_game, "time", clock),
        patch.object(live_game, "threading", clock),
        patch.object(live_game, "consequence", scripted),
        structlog.testing.capture_logs() as log,
    ):
        service = playing.service()
        try:
            played = World(found, events, service, clock, watched)
            played.play()
            yield played, log
        finally:
            service.appender.__exit__(None, None, None)
