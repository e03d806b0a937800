"""A state machine: live games, store and timeline together, held after every step against a dict of lists.

The model knows the rules (`core`) and nothing of files. It plays live games anew from their seeds, move by move; all
other streams it has as lists of bytes. Processes die in it between an answer and the database, and the files are copied
as they lie.
"""

from __future__ import annotations

import shutil
import time
from collections import Counter
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from unittest.mock import patch

import msgspec
import polars as pl
import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec import Struct
from msgspec.structs import replace

from core.engine import consequence, fold, start, take_back
from core.rng import seed_key
from events.base import Event
from events.codec import encode, encode_all
from events.errors import FormatError, SetupError, UnlawfulEvent
from events.jsonl import Remark
from events.tape import Header, Player, Tape, digest
from replay import exchange
from replay.debugger import branching
from replay.debugger.alternatives import alternatives
from replay.errors import Conflict, UnknownReplay
from replay.games import load
from replay.live.game import LiveGames, Wish
from replay.notes import remark_of
from replay.storage.appending import Append, Ends, redo
from replay.storage.database import Database
from replay.storage.store import Store
from replay.storage.tables import STEPS, TABLES, VERSION
from replay.timeline import Timeline
from replay.verify import verify
from tests.fuzz.running import Run
from tests.replay.tapes import QUEEN, id_of, recorded

NAMES: Final = ("Ann", "Ben", "player 0", "<b>Cleo</b>", "x'; DROP TABLE replay; --", "player 1")
NUMBERS: Final = st.integers(0, 40)
GAME: Final = load(QUEEN)


class _Killed(Exception):
    """The process that writes ends here."""


class Known(Struct):
    """What the model knows of a replay. `live`: it can be played on, by its referee; `over`: it was broken off."""

    header: Header
    events: list[bytes]
    notes: list[Remark]
    live: bool = False
    over: bool = False

    @property
    def ending(self) -> dict[str, Any] | None:
        """Its last event, if that ends it."""
        last = msgspec.json.decode(self.events[-1]) if self.events else {}
        return last if last.get("type") == "game_ended" else None

    @property
    def decoded(self) -> list[Event]:
        """Its events."""
        return list(Timeline(Tape(self.header, tuple(self.events))).events)


class Club(RuleBasedStateMachine):
    """Everything that may happen to the games of a club."""

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[str, Known] = {}
        self.steps = 0
        self.numbers = count(1)
        self.places = count()
        self.stack = ExitStack()
        self.root = Path(self.stack.enter_context(TemporaryDirectory()))
        numbers = count()
        self.stack.enter_context(patch("secrets.token_hex", lambda size: f"{next(numbers):032x}"))
        self._open(self._place())

    @initialize(seats=st.integers(2, 3), size=st.integers(1, 60))
    def there_are_games(self, seats: int, size: int) -> None:
        """A whole one, one at play, and one that is recorded step by step."""
        self.add(0, 0)
        self.begin(seats)
        self.begin_to_record()
        self.append(0, size, 0, True)

    def teardown(self) -> None:
        """Look at everything once more, and leave."""
        try:
            self._everything_is_there()
        finally:
            self.appender.__exit__(None, None, None)
            self.stack.close()

    def _place(self) -> Path:
        folder = self.root / str(next(self.places))
        folder.mkdir()
        return folder / "games.duckdb"

    def _open(self, path: Path) -> None:
        self.path = path
        self.stores = [Store(path, wait=60), Store(path, wait=60)]
        self.appender = self.stores[0].appender().__enter__()
        self.live = LiveGames(self.stores[0], self.appender)

    def _close(self) -> None:
        self.appender.__exit__(None, None, None)

    def _pick(self, number: int, among: list[str] | None = None) -> Known:
        ids = list(self.known) if among is None else among
        return self.known[ids[number % len(ids)]]

    # --- live games --------------------------------------------------------------------------------------------------

    @property
    def playing(self) -> list[str]:
        """The live games that go on."""
        return [id for id, each in self.known.items() if each.live and not each.over and each.ending is None]

    @precondition(lambda self: len(self.playing) < 2)
    @rule(seats=st.integers(2, 3))
    def begin(self, seats: int) -> None:
        """A game is set up, and dealt."""
        game, _ = self.live.create(Wish(game=QUEEN, players=tuple(map(Player, NAMES[:seats]))))
        opening = encode(start(GAME, seats))
        known = self.known[game.id] = Known(self.stores[1].read(game.id).header, [opening], [], live=True)
        self._run_on(known)

    def _run_on(self, known: Known) -> None:
        """Let the rules and the seed go on with a game, as the referee should."""
        events = known.decoded
        key = seed_key(known.header.seed or "")
        while (due := consequence(GAME, fold(GAME, events), key, len(events))) is not None:
            events.append(due)
        known.events = list(encode_all(events))

    @precondition(lambda self: self.playing)
    @rule(number=NUMBERS, choices=st.lists(NUMBERS, min_size=1, max_size=6), twice=st.booleans())
    def move(self, number: int, choices: list[int], twice: bool) -> None:
        """Seats move; a move that is asked for twice is made once."""
        known = self._pick(number, self.playing)
        for choice in choices:
            moves = GAME.legal(fold(GAME, known.decoded))
            if not moves:
                break
            move = moves[choice % len(moves)]
            game = self.live.find(known.header.id)
            assert game is not None
            expected = game.seen_by(move.seat)
            for _ in range(1 + twice):
                if self.live.find(known.header.id) is not None:
                    game.move(move.seat, encode(move), expected)
            known.events.append(encode(move))
            self._run_on(known)

    @precondition(lambda self: self.playing)
    @rule(number=NUMBERS, back=st.integers(1, 12))
    def take_back(self, number: int, back: int) -> None:
        """The organiser takes back, which goes through as long as nothing was shown since."""
        known = self._pick(number, self.playing)
        game = self.live.find(known.header.id)
        assert game is not None
        to = max(len(known.events) - 1 - back, 0)
        moments = list(game.timeline().moments("spectator"))
        step = max([at for at, moment in enumerate(moments) if moment <= to])
        try:
            event = take_back(GAME, known.decoded, moments[step])
        except UnlawfulEvent:
            with pytest.raises(UnlawfulEvent):
                game.take_back(None, len(moments), step)
            return
        game.take_back(None, len(moments), step)
        known.events.append(encode(event))
        self._run_on(known)

    @precondition(lambda self: self.playing)
    @rule(number=NUMBERS)
    def break_off(self, number: int) -> None:
        """Nobody plays on."""
        known = self._pick(number, self.playing)
        game = self.live.find(known.header.id)
        assert game is not None
        self.live.break_off(game)
        known.over = True
        assert self.live.find(known.header.id) is None

    # --- recorded games ----------------------------------------------------------------------------------------------

    @rule(number=st.integers(0, 3), handle=st.integers(0, 1))
    def add(self, number: int, handle: int) -> None:
        """A whole game comes, perhaps one that is there already."""
        tape = recorded(number)
        added = self.stores[handle].add([tape])
        there = self.known.get(tape.header.id)
        if there is None:
            assert added.new == 1
            self.known[tape.header.id] = Known(tape.header, list(tape.events), [])
        else:
            assert (added.known, added.changed) in ((1, ()), (0, (tape.header.id,)))
            assert (added.known == 1) == (tuple(there.events) == tape.events)

    @property
    def begun(self) -> list[str]:
        """The streams that are recorded step by step, by no referee."""
        return [id for id, each in self.known.items() if each.header.provenance == "imported" and each.ending is None]

    @precondition(lambda self: len(self.begun) < 2)
    @rule()
    def begin_to_record(self) -> None:
        """A stream begins, without events."""
        number = next(self.numbers)
        header = recorded(number % 4).header
        header = replace(header, id=id_of(1000 + number), provenance="imported", length=None, digest=None)
        self.stores[0].begin(header)
        self.known[header.id] = Known(header, [], [])

    def _next_events(self, known: Known, size: int) -> tuple[bytes, ...]:
        source = next(tape for tape in map(recorded, range(4)) if tape.header.seed == known.header.seed)
        return source.events[len(known.events) : len(known.events) + size]

    @precondition(lambda self: self.begun)
    @rule(number=NUMBERS, size=st.integers(1, 60), handle=st.integers(0, 1), new=st.booleans())
    def append(self, number: int, size: int, handle: int, new: bool) -> None:
        """Steps come; the same again changes nothing, and what does not fit is refused."""
        known = self._pick(number, self.begun)
        store, id, length = self.stores[handle], known.header.id, len(known.events)
        events = self._next_events(known, size)
        append = self.appender.append if handle else store.append
        for _ in range(2):
            assert append(id, "new" if new and not length else length, events) == length + len(events)
        known.events += events
        with pytest.raises(Conflict):
            append(id, len(known.events) + 1, events)
        with pytest.raises(Conflict):
            append(id, length, [b'{"type":"another"}'])
        if known.ending is None:
            with pytest.raises(FormatError):
                append(id, len(known.events), [b"no event"])

    @precondition(lambda self: self.begun)
    @rule(number=NUMBERS, size=st.integers(1, 30), torn=st.integers(0, 60), copied=st.booleans())
    def die(self, number: int, size: int, torn: int, copied: bool) -> None:
        """A process answers, begins another line, and is killed; perhaps the machine with it."""
        known = self._pick(number, self.begun)
        events = self._next_events(known, size)
        database = Database(self.path, TABLES, VERSION, 60, STEPS, redo)
        with suppress(_Killed), database.holding() as hold:
            ends = Ends(hold)
            ends.take([Append(known.header.id, len(known.events), events)])
            ends.keep()
            raise _Killed
        known.events += events
        with self.path.with_name("games.duckdb.steps").open("ab") as steps:
            steps.write((b'0badcafe 4f [{"id":"' + known.header.id.encode() + b'","expected":3,"events":["eyJ')[:torn])
        if copied:
            self.copy()

    @precondition(lambda self: self.known)
    @rule(number=NUMBERS, step=NUMBERS, option=NUMBERS, played=st.booleans())
    def branch(self, number: int, step: int, option: int, played: bool) -> None:
        """Somebody tries another move, which shows nothing of a game that is played."""
        parent = self._pick(number)
        id = parent.header.id
        if not parent.events:
            return
        timeline = Timeline(self.stores[0].read(id))
        at = step % len(timeline)
        found = alternatives(timeline, at, "omniscient")
        if found.kind not in ("move", "chance") or not found.options:
            return
        at, event = branching.option_of(timeline, at, "omniscient", option % len(found.options))
        tape = branching.branch(timeline, at, event, id=id_of(1000 + next(self.numbers)))
        if played:
            tape = branching.play_on(tape, ["random"] * timeline.seats)
        if id in self.playing:
            with pytest.raises(SetupError):
                branching.keep(self.stores[0], tape)
            return
        branching.keep(self.stores[0], tape)
        assert tape.events[: at + 1] == tuple(parent.events[: at + 1])
        self.known[tape.header.id] = Known(tape.header, list(tape.events), [])

    @precondition(lambda self: self.known)
    @rule(number=NUMBERS)
    def remove(self, number: int) -> None:
        """A replay goes for good."""
        id = self._pick(number).header.id
        self.stores[1].remove(id)
        del self.known[id]
        self.live = LiveGames(self.stores[0], self.appender)
        for gone in (self.stores[0].read, self.stores[1].remove, self.stores[0].notes):
            with pytest.raises(UnknownReplay):
                gone(id)

    @rule(player=st.sampled_from(NAMES), name=st.sampled_from(NAMES))
    def rename(self, player: str, name: str) -> None:
        """A player gets another name, wherever it stands."""
        named = [each for each in self.known.values() if player in [seat.name for seat in each.header.players]]
        assert self.stores[0].rename(player, name) == len(named)
        for each in self.known.values():
            players = [replace(seat, name=name) if seat.name == player else seat for seat in each.header.players]
            each.header = replace(each.header, players=tuple(players))
            each.notes = [replace(note, author=name) if note.author == player else note for note in each.notes]

    @precondition(lambda self: self.known)
    @rule(number=NUMBERS, step=NUMBERS, author=st.sampled_from(NAMES), tag=st.booleans())
    def note(self, number: int, step: int, author: str, tag: bool) -> None:
        """Something is said about a step, or a tag put on a game."""
        known = self._pick(number)
        if not known.events:
            return
        if tag:
            self.stores[1].tag(known.header.id, f"tag {step % 3}")
            note = Remark(0, "tag", None, None, f"tag {step % 3}")
            known.notes += [note] if note not in known.notes else []
        else:
            note = Remark(step % len(known.events), "note", author, (0,) if step % 2 else None, f"<i>{step}</i>")
            if note not in known.notes:
                self.stores[0].add_note(known.header.id, note.step, note.text, "note", note.author, note.seen_by)
                known.notes.append(note)

    # --- what is done to the files -----------------------------------------------------------------------------------

    @rule()
    def reopen(self) -> None:
        """The program ends in good order, and another begins."""
        self._close()
        self._open(self.path)

    @rule()
    def copy(self) -> None:
        """The files are copied as they lie, and the copy is gone on with."""
        self._close()
        place = self._place()
        shutil.copytree(self.path.parent, place.parent, dirs_exist_ok=True)
        self._open(place)

    @rule()
    def move_by_parquet(self) -> None:
        """Everything goes to another store, games at play with it."""
        self._close()
        place = self._place()
        self.stores[0].export_parquet(place.parent / "tables")
        assert Store(place).bring(place.parent / "tables").new == len(self.known)
        self._open(place)

    @rule()
    def move_by_lines(self) -> None:
        """Everything that can be written down as lines goes to another store."""
        self._close()
        place = self._place()
        file = place.parent / "games.jsonl.zst"
        with exchange.writing(file) as out:
            for tape in self.stores[1].tapes():
                out.writelines(exchange.lines_of(tape, None, self.stores[1].notes(tape.header.id)))
        target = Store(place)
        found = list(exchange.read_file(file))
        assert [each.problem for each in found if each.problem is not None] == []
        assert target.add([each.tape for each in found if each.tape is not None]).new == len(self.known)
        for each in found:
            if each.tape is not None:
                target.bring_notes(each.tape.header.id, each.notes)
        for known in self.known.values():
            known.live = False
        self._open(place)

    @rule(handle=st.integers(0, 1))
    def vacuum(self, handle: int) -> None:
        """The file is written anew."""
        self.stores[handle].vacuum()

    @rule(handle=st.integers(0, 1))
    def rebuild(self, handle: int) -> None:
        """What is made from events is made anew."""
        rebuilt = self.stores[handle].rebuild()
        assert (rebuilt.replays, rebuilt.bad) == (len(self.known), ())

    # --- what always holds -------------------------------------------------------------------------------------------

    @invariant()
    def the_store_has_what_the_model_has(self) -> None:
        """The same streams in the same order, and the same sums."""
        self.steps += 1
        store = self.stores[1]
        rows = store.replays()
        assert rows["replay"].to_list() == list(reversed(self.known))
        told = [tuple(row) for row in store.heads().select("id", "length", "head").sort("id").iter_rows()]
        plain = [(id, len(each.events), bytes.fromhex(digest(each.events))) for id, each in self.known.items()]
        assert told == sorted(plain)
        assert sorted(store.at_play()) == sorted(self.playing)
        ended = {id: each for id, each in self.known.items() if each.ending is not None}
        results = store.seat_results()
        assert results.height == sum(len(each.header.players) for each in ended.values())
        assert results["score"].sum() == sum(sum((each.ending or {})["scores"]) for each in ended.values())
        won = [(id, seat) for id, each in ended.items() for seat in (each.ending or {})["ranking"][0]]
        assert sorted(results.filter("won").select("replay", "seat").rows()) == sorted(won)
        kinds = Counter(msgspec.json.decode(event)["type"] for each in ended.values() for event in each.events)
        counted = store.kind_counts().group_by("kind").agg(pl.col("n").sum())
        assert dict(counted.iter_rows()) == kinds

    @invariant()
    def the_last_game_is_as_it_should_be(self) -> None:
        """Its bytes, its notes, its states and the verdict on it."""
        if self.known:
            self._is_as_it_should_be(list(self.known)[-1])

    def _is_as_it_should_be(self, id: str) -> None:
        known = self.known[id]
        tape = self.stores[0].read(id)
        assert list(tape.events) == known.events
        stated = {"length": tape.header.length, "digest": tape.header.digest}
        assert tape.header == msgspec.structs.replace(known.header, **stated)
        notes = [remark_of(note) for note in self.stores[0].notes(id)]
        assert sorted(notes, key=repr) == sorted(known.notes, key=repr)
        timeline = Timeline(tape)
        assert timeline.fault is None
        assert len(timeline) == len(known.events)
        if known.events:
            assert timeline.states[-1] == fold(GAME, timeline.events)
            parent = self.known.get(tape.header.fork.parent) if tape.header.fork is not None else None
            beside = None if parent is None else Tape(parent.header, tuple(parent.events))
            verdict = verify(tape, beside)
            assert verdict.holds, verdict.failures
            assert verdict.finished == (known.ending is not None)

    def _everything_is_there(self) -> None:
        for id in self.known:
            self._is_as_it_should_be(id)
        assert self.stores[0].check() == []


def run(seconds: float, first: int) -> Run:
    """Let things happen for so many seconds, from seed `first` on; hypothesis tells a fault step by step."""
    done = Run("machine")
    began = time.monotonic()

    class Counted(Club):
        def teardown(self) -> None:
            done.inputs += self.steps
            super().teardown()

    long = settings(
        max_examples=5, stateful_step_count=30, database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )
    while not done.faults and time.monotonic() < began + seconds:
        Counted.TestCase.settings = long
        machine = seed(first)(Counted.TestCase)
        result = machine("runTest").run()
        if result is not None and not result.wasSuccessful():
            ((_, said),) = [*result.failures, *result.errors]
            done.faults["a state that the model does not have"] = said
        first += 1
    done.seconds = time.monotonic() - began
    return done
