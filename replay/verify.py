"""Is a recorded game what it claims to be? Three grades, each stronger than the one before.

whole   the events give the digest of the header, none is missing, none was added
legal   every move was legal, every consequence is what the rules bring, every outcome of chance was possible
exact   dealt again from the seed, every event comes out byte for byte (a real table has no seed: not asked)

Nothing stops at the first bad game: a verdict says for each grade whether it holds, and if not, where first and why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from core.chance import Chance
from core.engine import refuse
from core.game import Game, State
from core.rng import Rng, seed_key
from core.streams import decode, refuse_opening
from events.base import Event, GameEnded, TakenBack, kind_of
from events.codec import encode
from events.errors import TabletapeError
from events.tape import Tape, digest
from replay.games import game_of

Grade = Literal["whole", "legal", "exact"]
GRADES: tuple[Grade, ...] = ("whole", "legal", "exact")


class Failure(Struct, frozen=True):
    """Where a grade fails first: the step, the path inside its event ("" for the event as a whole), and why."""

    grade: Grade
    step: int
    path: str
    reason: str


class Verdict(Struct, frozen=True):
    """What was found for one game. `grades` names the grades that were asked; those without a failure hold."""

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


def summary(verdicts: Sequence[Verdict]) -> Summary:
    """Give many verdicts in sum, alike failures grouped, the most frequent first."""
    found = [(failure, verdict.id) for verdict in verdicts for failure in verdict.failures]
    counts = Counter([failure for failure, _ in found])
    first = dict(reversed(found))
    failed = Counter([failure.grade for failure, _ in found])
    asked = Counter([grade for verdict in verdicts for grade in verdict.grades])
    return Summary(
        games=len(verdicts),
        passed={grade: asked[grade] - failed[grade] for grade in GRADES},
        seedless=len(verdicts) - asked["exact"],
        failures=tuple(
            [
                Group(failure.grade, failure.step, failure.path, failure.reason, count, first[failure])
                for failure, count in counts.most_common()
            ]
        ),
    )


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
    yield from _not_lawful(game, tape, events)
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


def _not_lawful(game: Game[Any], tape: Tape, events: tuple[Event, ...]) -> Iterator[Failure]:
    """Walk the game once, for both grades that need the rules; stop where it stops being one."""
    header = tape.header
    key = None if header.seed is None else seed_key(header.seed)
    exact = key is not None
    own = 1 if header.fork is None else header.fork.step + 2
    past = list[State]()
    state: Any = game.initial()
    for step, event in enumerate(events):
        reason = refuse_opening(game, header, event) if step == 0 else refuse(game, state, step, event)
        if reason is not None:
            yield Failure("legal", step, "", f"{kind_of(event)}: {reason}")
            return
        if exact and key is not None and step >= own and not isinstance(event, TakenBack):
            due = game.forced(state)
            dealt = due.sample(Rng(key, step)) if isinstance(due, Chance) else event
            if encode(dealt) != tape.events[step] and dealt != event:
                yield Failure(
                    "exact", step, first_difference(event, dealt), f"{kind_of(event)}: the seed deals another"
                )
                exact = False
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
