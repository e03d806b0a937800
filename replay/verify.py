"""Is a recorded game what it claims to be? Three grades, each stronger than the one before.

whole   the events give the digest of the header, none is missing, none was added
legal   every move was legal, every consequence is what the rules bring, every outcome of chance was possible
exact   dealt again from the seed, every event comes out byte for byte (a real table has no seed: not asked)

A game that fails a grade has not the stronger ones: of a stream that breaks off, only what is there could be looked at.
Nothing stops at the first bad game: a verdict says for each grade whether it holds, and if not, where first and why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from itertools import islice, takewhile
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from core.chance import Chance
from core.engine import refuse
from core.game import Game, State
from core.rng import Rng, seed_key
from core.streams import decode, refuse_opening
from events.base import Event, GameEnded, TakenBack, kind_of
from events.codec import encode
from events.errors import TabletapeError
from events.tape import Header, Tape, digest
from replay.errors import UnknownReplay
from replay.games import game_of
from replay.jobs.workers import spread
from replay.storage.contract import Reader

Grade = Literal["whole", "legal", "exact"]
GRADES: tuple[Grade, ...] = ("whole", "legal", "exact")

CHUNK: Final = 250
"""Games that are judged together."""


class Failure(Struct, frozen=True):
    """Where a grade fails first: the step, the path inside its event ("" for the event as a whole), and why."""

    grade: Grade
    step: int
    path: str
    reason: str


class Verdict(Struct, frozen=True):
    """What was found for one game. `grades` names the grades that were asked; those before the first failure hold."""

    id: str
    game: str
    grades: tuple[Grade, ...]
    failures: tuple[Failure, ...]
    finished: bool

    @property
    def holds(self) -> bool:
        """Do all grades hold that could be asked?"""
        return not self.failures


class Group(Struct, frozen=True):
    """Games that fail a grade in the same way: where and why, how many they are, and the id of the first."""

    grade: Grade
    step: int
    path: str
    reason: str
    games: int
    first: str


class Summary(Struct, frozen=True):
    """What was found for many games: how many, how many hold in each grade, how many have no seed, what fails."""

    games: int
    passed: dict[Grade, int]
    seedless: int
    failures: tuple[Group, ...]


def summary(verdicts: Iterable[Verdict]) -> Summary:
    """Give many verdicts in sum, alike failures grouped, the most frequent first."""
    return together([_alone(verdict) for verdict in verdicts])


def together(summaries: Iterable[Summary]) -> Summary:
    """Give summaries of different games as one."""
    games = seedless = 0
    passed = Counter[Grade]()
    groups = dict[Failure, Group]()
    for each in summaries:
        games += each.games
        seedless += each.seedless
        passed.update(each.passed)
        for group in each.failures:
            failure = Failure(group.grade, group.step, group.path, group.reason)
            known = groups.get(failure)
            groups[failure] = group if known is None else replace(known, games=known.games + group.games)
    return Summary(
        games=games,
        passed={grade: passed[grade] for grade in GRADES},
        seedless=seedless,
        failures=tuple(sorted(groups.values(), key=lambda group: -group.games)),
    )


def _alone(verdict: Verdict) -> Summary:
    failed = [failure.grade for failure in verdict.failures]
    held = list(takewhile(lambda grade: grade not in failed, verdict.grades))
    return Summary(
        games=1,
        passed={grade: int(grade in held) for grade in GRADES},
        seedless=int("exact" not in verdict.grades),
        failures=tuple(
            [Group(each.grade, each.step, each.path, each.reason, 1, verdict.id) for each in verdict.failures]
        ),
    )


def parent_of(tape: Tape, recorded: Reader) -> Tape | None:
    """Give the game that a branch branched off, if it is recorded there too."""
    if tape.header.fork is None:
        return None
    try:
        return recorded.read(tape.header.fork.parent)
    except UnknownReplay:
        return None


def verify_all(
    recorded: Iterable[tuple[Tape, Tape | None]], jobs: int = 1, executor: Executor | None = None
) -> Iterator[Summary]:
    """Judge many games, each beside the game that it branched off (or None), by `jobs` processes or by an executor.

    Gives a summary for each few hundred games. Raises `WorkerLost`.
    """
    games = iter(recorded)
    pieces = iter(lambda: list(islice(games, CHUNK)), [])
    if executor is None and jobs <= 1:
        yield from map(_judged, pieces)
        return
    yield from spread(_judged_by_worker, map(msgspec.msgpack.encode, pieces), jobs, executor)


def _judged(games: Sequence[tuple[Tape, Tape | None]]) -> Summary:
    return summary([verify(tape, parent) for tape, parent in games])


def _judged_by_worker(packed: bytes) -> Summary:
    return _judged(msgspec.msgpack.decode(packed, type=list[tuple[Tape, Tape | None]]))


def verify(tape: Tape, parent: Tape | None = None) -> Verdict:
    """Give the verdict on one recorded game; never raises for what the tape holds.

    What a branch shares with its parent, and the event that it was branched with, is not asked of its own seed. What it
    shares is compared with `parent` if that is given.
    """
    asked = tuple([grade for grade in GRADES if grade != "exact" or tape.header.seed is not None])
    failures = {failure.grade: failure for failure in reversed(list(_failures(tape, parent)))}
    return Verdict(
        id=tape.header.id,
        game=tape.header.game,
        grades=asked,
        failures=tuple([failures[grade] for grade in asked if grade in failures]),
        finished=_finished(tape),
    )


def _finished(tape: Tape) -> bool:
    tag = encode(GameEnded("", (), ()))[: len(b'{"type":"game_ended"')]
    return bool(tape.sound) and tape.sound[-1].startswith(tag)


def _failures(tape: Tape, parent: Tape | None) -> Iterator[Failure]:
    yield from _not_whole(tape)
    try:
        game = game_of(tape.header)
        events, fault = decode(type(game), tape)
    except TabletapeError as error:
        yield Failure("legal", 0, "", str(error))
        return
    yield from _not_shared(type(game), tape, events, parent)
    yield from _not_lawful(game, tape.header, events)
    if fault is not None:
        yield Failure("legal", fault.step, "", fault.reason)


def _not_whole(tape: Tape) -> Iterator[Failure]:
    if tape.fault is not None:
        yield Failure("whole", tape.fault.step, "", tape.fault.reason)
        return
    length, head = tape.header.length, tape.header.digest
    if length is not None and length != len(tape.events):
        yield Failure("whole", min(length, len(tape.events)), "", f"{len(tape.events)} events, not {length}")
    elif head is not None and head != digest(tape.events):
        yield Failure("whole", 0, "", "the events do not give the digest of the header")


def _not_shared(kind: type[Game[Any]], tape: Tape, events: Sequence[Event], parent: Tape | None) -> Iterator[Failure]:
    """A branch has an event of its own behind those that it shares, and shares those that its parent has."""
    fork = tape.header.fork
    if fork is None:
        return
    if fork.step + 1 >= len(events):
        yield Failure("exact", len(events), "", f"no event of its own follows step {fork.step}, where it branches off")
    if parent is None:
        return
    if parent.header.id != fork.parent or parent.header.game != tape.header.game:
        yield Failure("legal", 0, "", "it is compared with a game that is not its parent")
        return
    shared, _ = decode(kind, parent)
    for step in range(min(fork.step + 1, len(events))):
        if step >= len(shared) or events[step] != shared[step]:
            yield Failure("legal", step, "", "its parent has another event here")
            return


def _not_lawful(game: Game[Any], header: Header, events: tuple[Event, ...]) -> Iterator[Failure]:
    """Walk the game once, for both grades that need the rules; stop where it stops being one."""
    key = None if header.seed is None else seed_key(header.seed)
    own = 1 if header.fork is None else header.fork.step + 2
    past = list[State]()
    state: Any = game.initial()
    for step, event in enumerate(events):
        reason = refuse_opening(game, header, event) if step == 0 else refuse(game, state, step, event)
        if reason is not None:
            yield Failure("legal", step, "", f"{kind_of(event)}: {reason}")
            return
        if key is not None and step >= own and type(event) is not TakenBack:
            due = game.forced(state)  # what is no chance has been compared already: it is lawful
            if isinstance(due, Chance) and (dealt := due.sample(Rng(key, step))) != event:
                yield Failure(
                    "exact", step, first_difference(event, dealt), f"{kind_of(event)}: the seed deals another"
                )
                key = None  # the first one is enough
        state = past[event.to] if isinstance(event, TakenBack) else game.evolve(state, event)
        past.append(state)


def first_difference(one: object, two: object) -> str:
    """Give the path of the first value in which two events differ, "" if they are of different types or equal.

    >>> from events.base import GameEnded
    >>> first_difference(GameEnded("a", (1, 2), ()), GameEnded("a", (1, 3), ()))
    'scores[1]'
    """
    return _difference(msgspec.to_builtins(one), msgspec.to_builtins(two), "") or ""


def _difference(one: object, two: object, path: str) -> str | None:
    if isinstance(one, dict) and isinstance(two, dict):
        for name in dict.fromkeys([*one, *two]):
            found = _difference(one.get(name), two.get(name), f"{path}.{name}" if path else str(name))
            if found is not None:
                return "" if found == "type" else found
        return None
    if isinstance(one, list | tuple) and isinstance(two, list | tuple) and len(one) == len(two):
        for index, (first, second) in enumerate(zip(one, two, strict=True)):
            found = _difference(first, second, f"{path}[{index}]")
            if found is not None:
                return found
        return None
    return None if one == two else path
