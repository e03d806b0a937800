"""Harnesses of what only reads: files of games, old events, boxes, experiments, conditions, addresses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pyarrow as pa

from core.engine import consequence, start
from core.game import Game
from core.registry import games
from core.rng import Rng, seed_key
from core.sheets import parse
from core.streams import decode, lawful
from events.codec import encode
from events.errors import TabletapeError
from events.jsonl import Reading, read, write
from events.tape import Tape
from replay import exchange
from replay.debugger.alternatives import alternatives
from replay.debugger.watches import hits
from replay.experiments.plan import batches
from replay.experiments.plan import parse as parse_experiment
from replay.packaged import data_root
from replay.simulate import tapes
from replay.storage.memory import MemoryStore
from replay.storage.rows import frames
from replay.timeline import Timeline, names_of
from tests.core.test_streams import STORED, StonesOfToday
from tests.fuzz.harness import Feed, Harness, is_a_line, ours
from tests.fuzz.seeds import files, foreign, goldens
from tests.toy import HiddenStones

STEPS = 150
"""Events for which a box that was taken is played with."""


# --- files of games --------------------------------------------------------------------------------------------------


@contextmanager
def _stream() -> Iterator[Feed]:
    def feed(text: bytes) -> None:
        for reading in read(text.splitlines(keepends=True)):
            _sound(reading, text)

    yield feed


def _sound(reading: Reading, text: bytes) -> None:
    """Hold what was read of a game to what is promised of it."""
    for _, reason in reading.bad_notes:
        is_a_line(reason)
    tape = reading.tape
    if tape is None:
        is_a_line(reading.problem or "")
        return
    assert all(line in text for line in tape.events[len(tape.sound) :])  # kept as they came
    if tape.fault is not None:
        is_a_line(tape.fault.reason)
    (again,) = read(write(tape))
    assert again.tape is not None
    assert again.tape.sound == tape.sound or tape.header.digest is not None
    judged, problem = exchange.judged(tape)
    if problem is not None:
        is_a_line(problem)
    frames([judged])
    assert MemoryStore().add([judged]).tapes == 1
    with ours():
        _walked(Timeline(judged))


def _walked(timeline: Timeline) -> None:
    """Look at every step that opens, as those who see the least and the most."""
    names = names_of(timeline)
    for viewer in ("spectator", "omniscient"):
        for shown in timeline.shown(viewer):
            assert timeline.game.words(shown.step.event, names)
            encode(shown.step.event)
    if len(timeline):
        alternatives(timeline, len(timeline.moments(0)) - 1, 0)


@contextmanager
def _compressed() -> Iterator[Feed]:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "games.jsonl.zst"

        def feed(text: bytes) -> None:
            file.write_bytes(text)
            with ours():
                for found in exchange.read_file(file):
                    assert found.tape is not None or found.problem
                    if found.problem is not None:
                        is_a_line(found.problem)

        yield feed


def _compressed_seeds() -> Sequence[bytes]:
    return [pa.compress(text, codec="zstd", asbytes=True) for text in files()]


# --- old events ------------------------------------------------------------------------------------------------------


@contextmanager
def _upcast() -> Iterator[Feed]:
    assert HiddenStones.default_sheet is not None
    game = StonesOfToday(HiddenStones.default_sheet)

    def feed(text: bytes) -> None:
        for reading in read(text.splitlines()):
            if reading.tape is None:
                continue
            events, fault = decode(StonesOfToday, reading.tape)
            if fault is not None:
                is_a_line(fault.reason)
            lawful(game, reading.tape.header, events)

    yield feed


def _upcast_seeds() -> Sequence[bytes]:
    return [_unchecked(file.read_bytes()) for file in sorted(STORED.glob("*.jsonl"))]


def _unchecked(text: bytes) -> bytes:
    (reading,) = read(text.splitlines())
    assert reading.tape is not None
    return foreign(reading.tape.header, reading.tape.events)


# --- boxes and experiments -------------------------------------------------------------------------------------------


@contextmanager
def _sheet() -> Iterator[Feed]:
    def feed(text: bytes) -> None:
        kind = next((kind for slug, kind in games().items() if slug.encode() in text), HiddenStones)
        with ours():
            _played(kind(parse(text, kind.sheet_type)))

    yield feed


def _played(game: Game[Any]) -> None:
    """Play a while with a box that was taken: it either plays, or was no box."""
    for seats in dict.fromkeys(game.sheet.seats):
        try:
            event = start(game, seats)
        except TabletapeError as error:
            is_a_line(str(error))
            continue
        key = seed_key("fuzz")
        state = game.evolve(game.initial(), event)
        for seq in range(1, STEPS):
            due = consequence(game, state, key, seq)
            if due is None:
                moves = game.legal(state)
                if not moves:
                    break
                due = Rng(key, seq, b"move").choice(moves)
            state = game.evolve(state, due)


def _sheet_seeds() -> Sequence[bytes]:
    return [file.read_bytes() for file in sorted((data_root() / "sheets").glob("*.toml"))]


@contextmanager
def _experiment() -> Iterator[Feed]:
    def feed(text: bytes) -> None:
        with ours():
            for batch in batches(parse_experiment(text)).values():
                assert batch.seats == len(next(tapes(batch, 0, 1)).header.players)

    yield feed


def _experiment_seeds() -> Sequence[bytes]:
    return [
        b'name = "nine"\ngame = "trash-pandas"\nbots = ["forager", "forager"]\nseed = "nanners"\ngames = 1600\n'
        b'precision = { turns = 1.0 }\n[[variants]]\nname = "eleven"\n[[variants]]\nname = "nine"\n'
        b'sheet = { "copies.0" = 9 }\n',
        b'name = "table"\nquestion = "Is it fair?"\ngame = "queen-of-the-cupcakes"\nbots = "random"\ngames = 20\n'
        b'seats = 3\nbaseline = "b"\nfigures = ["turns"]\n[[variants]]\nname = "a"\nseats = 4\nseed = "x"\n'
        b'[[variants]]\nname = "b"\n',
        b'name = "jars"\ngame = "cherry-on-the-cake"\ngames = 5\n[[variants]]\nname = "a"\n'
        b'options = { roll_optional = true }\n[[variants]]\nname = "b"\nsheet = { pieces = { 0 = 1 } }\n',
    ]


# --- conditions ------------------------------------------------------------------------------------------------------


@cache
def _short() -> tuple[Timeline, ...]:
    return tuple([Timeline(Tape(tape.header, tape.events[:25])) for tape in goldens()])


@contextmanager
def _watch() -> Iterator[Feed]:
    def feed(text: bytes) -> None:
        timeline = _short()[len(text) % len(_short())]
        with ours():
            hits(timeline, ("spectator", "omniscient", 0)[len(text) % 3], text.decode(errors="surrogateescape"))

    yield feed


def _watch_seeds() -> Sequence[bytes]:
    return [
        b'size(hands[seats["Lena"]]) < 2',
        b"bins.exists(b, bins[b] >= 4)",
        b'event.kind == "cards_taken" && event.seat == 1',
        b"turn > 3 && bins.orange >= 2",
        b'hands.all(h, h.exists(c, c == "?")) || round == 1 ? step > 3 : seats.size() == 2',
        b"event.words.startsWith('x') || event.words.matches('(a+)+b') || 'x' in seats || scores[0] + scores[1] > 3",
        b"{'a': [1, 2u, 3.5, b'x', null]}['a'][0] == 1 && has(event.seat) && type(turn) == int && -turn < 10 % 3",
        b"timestamp('2020-01-01T00:00:00Z') < timestamp(step) || duration('10s') > duration('1s') || string(1) == '1'",
    ]


_CEL: Final = (
    b"event | turn | round | step | seats | hands | scores | bins | phase | .exists(x, x > 0) | "
    b".filter(x, true) | .all(x, x) | .map(x, x) | size( | int( | double( | string( | bytes( | dyn( | "
    b".matches('(a|a)*b') | 'a' * 3 | 1/0 | 1%0 | 9223372036854775807+1 | -9223372036854775808 | 1u | 0u | ? | "
    b": | && | || | ! | in | has(event.x) | event.seat | [1][9] | {}['x'] | r'x' | b'x' | double('nan') | "
    b"int(1e300) | uint(-1) | timestamp('x') | duration('9999999999999s') | type(1)"
).split(b" | ")

HARNESSES = (
    Harness("stream", _stream, files, (b"seq", b"type", b"taken_back", b"game_ended", b'"taken_back","to":3'), 60),
    Harness("zstd", _compressed, _compressed_seeds, (), 30),
    Harness("upcast", _upcast, _upcast_seeds, (b"player", b"n", b"stones_taken", b"card_drawn", b"2", b"4"), 60),
    Harness("sheet", _sheet, _sheet_seeds, (b"seats = [1, 127]", b"1000", b"1001", b"{ }", b"[0, 0]"), 40),
    Harness("experiment", _experiment, _experiment_seeds, (b"sheet", b"copies", b"search:1", b"baseline", b"1e-9"), 40),
    Harness("watch", _watch, _watch_seeds, _CEL, 60),
)
