"""Live games: this program is the referee and nature, seats choose, and every step is stored before it is answered.

    games = LiveGames(store, appender)
    game, tokens = games.create(Wish(game="trash-pandas", players=(Player("Ann"), Player("forager", "forager"))))
    game.move(0, move, expected=game.seen_by(0))

Nothing of this knows of HTTP. What a seat is told never depends on what others are asked in secret (G-06): steps are
numbered as it sees them, its moves are those it has if nobody answers, and a move that has to wait for a hidden answer
is `Held`, in the same way whether there is somebody to answer or not.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
import structlog
from msgspec import Struct

from core.bots import RandomBot
from core.bots.seats import seated
from core.chance import Chance
from core.engine import consequence, refuse, start, take_back
from core.game import Game, State
from core.redact import seen
from core.registry import codec, find
from core.rng import seed_key
from core.sheets import from_fields
from core.streams import shapes
from events.base import Event, Move, TakenBack
from events.codec import encode, encode_all
from events.errors import FormatError, SetupError, TabletapeError, UnlawfulEvent, line_of
from events.marks import Viewer
from events.tape import Header, Player, Tape
from replay.debugger.branching import new_id
from replay.errors import Conflict, StoreBusy, StoreError, UnknownReplay
from replay.games import game_of, load
from replay.live.tokens import Facts, Tokens, commitment, hashed, new_token
from replay.report import moves_at
from replay.simulate import bots_for
from replay.storage.appender import Appender
from replay.storage.store import Store
from replay.timeline import Timeline

log = structlog.get_logger("tabletape.live")

NOT_NOW: Final = "not a legal move now"
"""All that is said of a move that is refused: the engine's reasons name who is asked, and how much it could do."""

WINDOW: Final = 5.0
"""Seconds that everybody waits where a rival may answer in secret, unless a game is set up otherwise."""

MOST_EVENTS: Final = 20_000
"""Events of the longest live game, unless told otherwise."""


class Wish(Struct, frozen=True, kw_only=True):
    """A live game as somebody wants it. A player with a bot is played by it. `options` is JSON.

    `components` are the fields of a sheet that is not the shipped one. Without `nature` a real table is recorded: there
    is no seed, and the organiser says what chance brought and what everybody did.
    """

    game: str
    players: tuple[Player, ...]
    options: dict[str, Any] = {}
    components: dict[str, Any] | None = None
    nature: bool = True
    closed: bool = False
    """Only who has the spectators' token may look on."""
    window: float = WINDOW


class Held(Exception):
    """A move that may come, but not yet. `seconds` is how long it has to wait at most, None if nobody knows."""

    def __init__(self, seconds: float | None) -> None:
        super().__init__("not yet")
        self.seconds = seconds


class _Line(Timeline):
    """The timeline of a game in play, whose states are known already."""

    def __init__(self, header: Header, game: Game[Any], events: Sequence[Event], states: Sequence[State]) -> None:
        self.header = header
        self.game = game
        self.events, self.fault = tuple(events), None
        self.states = tuple(states)
        self._moments: dict[Viewer, Sequence[int]] = {}


class LiveGame:
    """One live game. May be used by several threads."""

    def __init__(self, tape: Tape, facts: Facts, append: Callable[[int, Sequence[bytes]], int], most: int) -> None:
        """Take a game up where its stream ends; `append(expected, events)` stores steps durably."""
        self.header = tape.header
        self.facts = facts
        self.broken = False
        """Whether storing failed, so that the stored stream alone says how far the game has come."""
        self._append = append
        self._most = most
        self._lock = threading.RLock()
        self._followers: list[Callable[[], None]] = []
        opened = Timeline(tape)
        if opened.fault is not None:
            raise StoreError(f"the live game {tape.header.id} cannot be taken up: it does not open to its end")
        self.game = opened.game
        self._events = list(opened.events)
        self._states = list(opened.states)
        self._line: Timeline = opened
        seed = tape.header.seed
        self._key = None if seed is None else seed_key(seed)
        known = bots_for(type(self.game))
        bots = [known[player.bot]() if player.bot else RandomBot() for player in tape.header.players]
        self._bots = [seat for seat, player in enumerate(tape.header.players) if player.bot]
        self._decide = seated(bots, self._key or b"")
        self._until = 0.0
        self._wait_after(self._events)

    # --- what is known -----------------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """The id of its stream."""
        return self.header.id

    @property
    def over(self) -> bool:
        """Is it finished, or broken off? Then it is a recorded game like any other, and its seed is told."""
        with self._lock:
            return self.facts.broken_off or self.game.outcome(self._states[-1]) is not None

    def timeline(self) -> Timeline:
        """Give the game so far; who asks must redact it."""
        with self._lock:
            if len(self._line) != len(self._events):
                self._line = _Line(self.header, self.game, self._events, self._states)
            return self._line

    def seen_by(self, viewer: Viewer) -> int:
        """Give how many steps a viewer has seen: what its next move is decided on."""
        return len(self.timeline().moments(viewer))

    def follow(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Call `wake` after every change, from whatever thread; give what ends that."""
        with self._lock:
            self._followers.append(wake)

        def leave() -> None:
            with self._lock:
                self._followers.remove(wake)

        return leave

    # --- what is done ------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Let the rules and bots run until somebody must choose; a game that was taken up goes on so."""
        with self._lock:
            self._go_on([])

    def move(self, seat: int, raw: bytes, expected: int) -> int:
        """Make a move that a seat decided on after `expected` steps of its view; give how many it has seen then.

        The same move again changes nothing. Raises `Conflict` if the seat has seen more since, `UnlawfulEvent` for what
        is no legal move of this seat, `FormatError` for what is no event, and `Held`.
        """
        move = codec(type(self.game)).decode(raw)
        with self._lock:
            self._check_goes_on()
            line = self.timeline()
            count = len(line.moments(seat))
            if expected != count:
                if 0 <= expected < count and line.events[line.at(expected, seat)] == move and _is_of(move, seat):
                    return count
                raise Conflict(self.id, expected, count)
            self._decline_what_is_late()
            line = self.timeline()
            if not _is_of(move, seat) or move not in moves_at(line, len(line) - 1, seat):
                raise UnlawfulEvent(NOT_NOW)
            self._check_turn(move)
            self._go_on([move])
            return self.seen_by(seat)

    def record(self, raw: bytes, expected: int) -> int:
        """Write down what happened at a real table: a move, an outcome of chance, or a correction to any earlier step.

        Raises `UnlawfulEvent` with the reason, `Conflict`, `FormatError`.
        """
        event = codec(type(self.game)).decode(raw)
        with self._lock:
            self._check_goes_on()
            length = len(self._events)
            if expected != length:
                if 0 <= expected < length and self._events[expected] == event:
                    return length
                raise Conflict(self.id, expected, length)
            if reason := refuse(self.game, self._states[-1], length, event):
                raise UnlawfulEvent(f"event {length}: {reason}")
            self._go_on([event])
            return len(self._events)

    def take_back(self, seat: int | None, expected: int, to: int | None = None) -> int:
        """Take back the last move of a seat, or for the organiser (None) what came after step `to` of the public view.

        Only while nothing was revealed or drawn since, and for a seat only while no other has moved. Gives how many
        steps the one who asked has seen then. Raises `UnlawfulEvent` and `Conflict`.
        """
        viewer: Viewer = "spectator" if seat is None else seat
        with self._lock:
            line = self.timeline()
            moments = line.moments(viewer)
            if expected != len(moments):
                raise Conflict(self.id, expected, len(moments))
            if self.over:
                raise UnlawfulEvent("the game is over")
            target = self._before_last_move(seat, moments) if seat is not None else line.at(_at(to), viewer)
            try:
                if target is None:
                    raise UnlawfulEvent("not a move of this seat")
                back = take_back(self.game, self._events, target)
            except UnlawfulEvent:
                raise UnlawfulEvent("this cannot be taken back any more") from None
            self._go_on([back])
            return self.seen_by(viewer)

    def break_off(self, keep: Callable[[Facts], None]) -> None:
        """End the game where it stands: it stays unfinished, and nothing of it is hidden any more.

        `keep` stores the facts that say so. Raises `UnlawfulEvent` if it is over already.
        """
        with self._lock:
            if self.over:
                raise UnlawfulEvent("the game is over")
            facts = msgspec.structs.replace(self.facts, broken_off=True)
            keep(facts)
            self.facts = facts
            for wake in self._followers:
                wake()

    def _check_goes_on(self) -> None:
        if self.facts.broken_off:
            raise UnlawfulEvent("the game is over")

    def _before_last_move(self, seat: int, moments: Sequence[int]) -> int | None:
        """Give the step before the last move that this seat sees, if it is its own."""
        line = self.timeline()
        for at in reversed(moments):
            if isinstance(self._events[at], TakenBack):
                return None
            if line.step(at).cause == "move":
                return at - 1 if _is_of(self._events[at], seat) else None
        return None

    # --- how it goes on ----------------------------------------------------------------------------------------------

    def _go_on(self, first: Sequence[Event]) -> None:
        """Append events and what follows from them, all or nothing, and tell those who follow once that is stored."""
        events, states = list(self._events), list(self._states)
        until = self._until
        try:
            for event in first:
                self._fold(events, states, event)
            while len(events) < self._most and (due := self._next(events, states)) is not None:
                self._fold(events, states, due)
            new = events[len(self._events) :]
            if not new:
                return
            if len(events) > self._most:
                raise UnlawfulEvent(f"a game may have {self._most} events here")
            length = self._append(len(self._events), encode_all(new))
            if length != len(events):
                raise Conflict(self.id, len(events), length)
        except UnlawfulEvent:
            self._until = until
            raise
        except BaseException as error:
            self.broken = True
            for wake in self._followers:
                wake()
            if isinstance(error, Conflict):  # its numbers count what is hidden
                raise StoreBusy("the game has gone on in another process; ask again") from None
            raise
        self._events, self._states = events, states
        for wake in self._followers:
            wake()

    def _fold(self, events: list[Event], states: list[State], event: Event) -> None:
        states.append(states[event.to] if isinstance(event, TakenBack) else self.game.evolve(states[-1], event))
        events.append(event)
        self._wait_after([event])

    def _next(self, events: Sequence[Event], states: Sequence[State]) -> Event | None:
        """Give what happens without a person: what the rules bring, what nature deals, what a bot chooses."""
        state = states[-1]
        if self._key is None:
            due = self.game.forced(state)
            return None if isinstance(due, Chance) else due
        moves = self.game.legal(state) if self.game.forced(state) is None else []
        if self._left() > 0 and not _answers(moves):
            return None
        if (event := consequence(self.game, state, self._key, len(events))) is not None:
            return event
        own = [move for move in moves if move.seat in self._bots]
        return self._decide(state, own, events) if own else None

    # --- secret answers (G-06) ---------------------------------------------------------------------------------------

    def _left(self) -> float:
        return self._until - time.monotonic()

    def _wait_after(self, events: Sequence[Event]) -> None:
        """Where a rival may be asked in secret, everybody waits the same time, whether one is or not."""
        if self.facts.window <= 0 or self._key is None:
            return
        public = [event for event in events if seen(event, "spectator") is not None]
        if not public:
            return
        self._until = 0.0
        if isinstance(public[-1], self.game.windows):
            self._until = time.monotonic() + self.facts.window
            timer = threading.Timer(self.facts.window, self._window_over)
            timer.daemon = True
            timer.start()

    def _window_over(self) -> None:
        try:
            with self._lock:
                if not self.broken and not self.facts.broken_off and self._left() <= 0:
                    self._decline_what_is_late()
                    self._go_on([])
        except TabletapeError as error:
            log.warning("live_game_stopped", replay=self.id, error=str(error))

    def _decline_what_is_late(self) -> None:
        """Whoever has not answered by the end of the window has declined."""
        while self.facts.window > 0 and self._left() <= 0 and not self.over:
            declined = next((move for move in self._asked() if type(move).seen_by), None)
            if declined is None:
                return
            self._go_on([declined])

    def _asked(self) -> Sequence[Move]:
        return [] if self.game.forced(self._states[-1]) is not None else self.game.legal(self._states[-1])

    def _check_turn(self, move: Event) -> None:
        asked = self._asked()
        if move in asked and (_answers(asked) or self._left() <= 0):
            return
        raise Held(max(self._left(), 0.0) if self.facts.window > 0 else None)


def _answers(moves: Sequence[Move]) -> bool:
    """Say whether these are answers to a question that others do not know of."""
    return any(type(move).seen_by for move in moves)


def _at(step: int | None) -> int:
    if step is None:
        raise FormatError("say to which step the game is to be taken back")
    return step


def _is_of(event: Event, seat: int) -> bool:
    return isinstance(event, Move) and event.seat == seat


class LiveGames:
    """The live games of a store: set up, and taken up again after a restart."""

    def __init__(self, store: Store, appender: Appender, most: int = MOST_EVENTS) -> None:
        self._store = store
        self._appender = appender
        self._most = most
        self._games: dict[str, LiveGame] = {}
        self._lock = threading.Lock()

    def create(self, wish: Wish) -> tuple[LiveGame, Tokens]:
        """Set a game up and let it run to its first choice; raises `SetupError` or `FormatError` if it cannot be."""
        game = game_for(wish)
        header = header_for(wish, game)
        opening = start(game, len(wish.players), options_for(wish, game))
        tokens = Tokens(
            new_token(),
            tuple([None if player.bot or not wish.nature else new_token() for player in wish.players]),
            new_token() if wish.closed else None,
        )
        salt = secrets.token_hex(16)
        facts = Facts(
            organiser=hashed(tokens.organiser),
            seats=tuple([None if token is None else hashed(token) for token in tokens.seats]),
            spectator=None if tokens.spectator is None else hashed(tokens.spectator),
            commitment=None if header.seed is None else commitment(header.seed, salt),
            salt=None if header.seed is None else salt,
            window=wish.window if game.windows and sum(player.bot is None for player in wish.players) > 1 else 0.0,
        )
        self._store.keep_live(header.id, msgspec.json.encode(facts).decode())
        self._store.begin(header)
        self._appender.append(header.id, "new", (encode(opening),))
        log.info("live_game", replay=header.id, game=game.slug, seats=len(wish.players))
        created = self._open(Tape(header, (encode(opening),)), facts)
        self._drop_if_over(created)
        return created, tokens

    def find(self, id: str) -> LiveGame | None:
        """Give a live game that is at play, or None for a replay that is none or is over; raises `UnknownReplay`,
        and `SetupError` for a table that is being recorded on a page."""
        with self._lock:
            found = self._games.get(id)
        if found is not None and not found.broken:
            return None if self._drop_if_over(found) else found
        facts = self.facts(id)
        if facts is None or facts.broken_off:
            return None
        if facts.draft is not None:
            raise SetupError("this table is being recorded; the Record page goes on with it")
        opened = self._open(self._store.read(id), facts)
        return None if self._drop_if_over(opened) else opened

    def at_hand(self, id: str) -> LiveGame | None:
        """Give a live game that was found already and has not come to its end, without a look at the store."""
        with self._lock:
            return self._games.get(id)

    def break_off(self, game: LiveGame) -> None:
        """End a game where it stands, for whoever set it up: nobody plays on. Raises `UnlawfulEvent` if it is over."""
        game.break_off(lambda facts: self._store.keep_live(game.id, msgspec.json.encode(facts).decode()))
        self._drop_if_over(game)
        log.info("live_game_broken_off", replay=game.id)

    def facts(self, id: str) -> Facts | None:
        """Give what is kept for a live game, over or not; None for another replay."""
        kept = self._store.live_facts(id)
        return None if kept is None else msgspec.json.decode(kept.encode(), type=Facts)

    def _open(self, tape: Tape, facts: Facts) -> LiveGame:
        """Take a game up, once: who comes second gets the same."""
        with self._lock:
            found = self._games.get(tape.header.id)
            if found is None or found.broken:
                id = tape.header.id
                if not tape.events:  # killed between its beginning and its first event
                    raise UnknownReplay(f"the live game {id} never began")
                append = self._appender.append
                found = LiveGame(tape, facts, lambda expected, events: append(id, expected, events), self._most)
                self._games[id] = found
        found.begin()
        return found

    def _drop_if_over(self, game: LiveGame) -> bool:
        if not game.over:
            return False
        with self._lock:
            self._games.pop(game.id, None)
        return True


def game_for(wish: Wish) -> Game[Any]:
    """Give the game that somebody wants, with its box; raises `SetupError`, `FormatError`."""
    kind = find(wish.game)
    game = load(wish.game) if wish.components is None else kind(from_fields(wish.components, kind.sheet_type))
    known = bots_for(kind)
    for player in wish.players:
        if player.bot is not None and player.bot not in known:
            raise SetupError(f"no bot of {game.title} is called {player.bot[:40]!r}; there are: {', '.join(known)}")
        if player.bot is not None and not wish.nature:
            raise SetupError("at a real table there are no bots: who records says what everybody did")
    if not 0 <= wish.window <= 600:
        raise SetupError(f"a window lasts 0 to 600 seconds, not {wish.window}")
    return game


def options_for(wish: Wish, game: Game[Any]) -> Any:
    """Give the options that somebody wants; raises `SetupError`."""
    try:
        return msgspec.convert(wish.options, game.options)
    except msgspec.MsgspecError as error:
        raise SetupError(f"options of {game.title}: {line_of(error)}") from None


def header_for(wish: Wish, game: Game[Any]) -> Header:
    """Give the header of a new game, with a fresh id; raises `SetupError`, `FormatError`."""
    header = Header(
        id=new_id(time.time_ns() // 1_000_000, secrets.token_bytes(10)),
        game=game.slug,
        rules=game.rules,
        shapes=shapes(type(game)),
        sheet=game.sheet_digest,
        players=wish.players,
        provenance="live",
        seed=secrets.token_hex(16) if wish.nature else None,
        components=wish.components,
        recorded=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    game_of(header)
    return header
