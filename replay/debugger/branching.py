"""Branches: what might have happened from a step on. A branch is a recorded game of its own that names its parent.

It shares the parent's events up to the step; then comes another move, or another outcome of chance, and from there on
the rules, with randomness of its own. Its seed follows from the parent, the step and the chosen event, so the same
branch is always dealt the same (docs/randomness.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from os import urandom
from time import time_ns
from typing import Any
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from core.bots.seats import seated
from core.engine import Choose, append, consequence, refuse
from core.game import Game, State
from core.rng import seed_key
from core.streams import shapes
from events.base import Event, Move, seat_of
from events.codec import encode, encode_all
from events.errors import SetupError, UnlawfulEvent
from events.marks import Viewer
from events.tape import Fork, Header, Tape, sealed
from replay.debugger.alternatives import alternatives, unanswered
from replay.simulate import bots_for
from replay.storage.store import Store
from replay.timeline import Timeline


def branch(timeline: Timeline, at: int, event: Event, *, id: str, recorded: str | None = None) -> Tape:
    """Give the branch that leaves a game after its step `at` with another event, run on until a seat must choose.

    `at` counts the timeline's own steps. `event` is a legal move or an outcome that chance admits; a move of a seat
    that others are asked in secret before is made after they have declined. Raises `UnlawfulEvent` for any other
    event, `FormatError` for no such step.
    """
    timeline.view(at, "omniscient")
    game, header = timeline.game, timeline.header
    events, state = list(timeline.events[: at + 1]), timeline.states[at]
    seat = seat_of(event)
    if isinstance(event, Move) and seat is not None and refuse(game, state, at + 1, event):
        for declined in unanswered(game, state, seat):
            events.append(declined)
            state = game.evolve(state, declined)
    state = append(game, state, len(events), event)
    events.append(event)
    forked = replace(
        header,
        id=id,
        shapes=shapes(type(game)),
        provenance="simulated",
        seed=seed_of(header.id, at, event),
        recorded=recorded,
        fork=Fork(header.id, at),
    )
    return _played(game, forked, events, state)


def seed_of(parent: str, step: int, event: Event) -> str:
    """Give the seed of a branch: `<parent>/<step>/<first 16 hexadecimal digits of blake2b of the chosen event>`."""
    return f"{parent}/{step}/{blake2b(encode(event), digest_size=8).hexdigest()}"


def choose(tape: Tape, event: Event) -> Tape:
    """Give a branch with one more move and what follows from it; raises `UnlawfulEvent` if it is no legal move."""
    timeline, events, state = _open(tape)
    if not isinstance(event, Move) or not timeline.game.legal(state):
        raise UnlawfulEvent("no seat can choose this here")
    state = append(timeline.game, state, len(events), event)
    return _played(timeline.game, tape.header, [*events, event], state)


def play_on(tape: Tape, bots: Sequence[str]) -> Tape:
    """Give a branch finished by bots, one name a seat; raises `SetupError` for a bot that does not know the game.

    The header goes on naming who sat at the parent's table: a branch says nothing of how well anybody plays.
    """
    timeline, events, state = _open(tape)
    known = bots_for(type(timeline.game))
    if len(bots) != timeline.seats:
        raise SetupError(f"{timeline.seats} seats need {timeline.seats} bots, not {len(bots)}")
    for bot in bots:
        if bot not in known:
            raise SetupError(f"no bot of {timeline.game.title} is called {bot!r}; there are: {', '.join(known)}")
    decide = seated([known[bot]() for bot in bots], _key(tape.header))
    return _played(timeline.game, tape.header, events, state, decide)


def _open(tape: Tape) -> tuple[Timeline, list[Event], State]:
    if tape.header.fork is None:
        raise SetupError("only a branch is played on: fork the game first")
    timeline = Timeline(tape)
    if timeline.fault is not None or not len(timeline):
        raise SetupError("a branch that does not open to its end is not played on")
    return timeline, list(timeline.events), timeline.states[-1]


def _key(header: Header) -> bytes:
    if header.seed is None:
        raise SetupError("this branch has no seed: its chance cannot be drawn")
    return seed_key(header.seed)


def _played(
    game: Game[Any], header: Header, events: list[Event], state: State, decide: Choose[State] | None = None
) -> Tape:
    """Run on until a seat must choose, or, where somebody decides for the seats, until the end."""
    key = _key(header)
    for seq in range(len(events), len(events) + game.bound):
        event = consequence(game, state, key, seq)
        if event is None:
            moves = game.legal(state) if decide is not None else ()
            if decide is None or not moves:
                return sealed(header, encode_all(events))
            event = decide(state, moves, events)
        events.append(event)
        state = game.evolve(state, event)
    raise UnlawfulEvent(f"{game.title} has not ended after {game.bound} more events")


def option_of(timeline: Timeline, number: int, viewer: Viewer, chosen: int) -> tuple[int, Event]:
    """Give the step of the timeline and the event to branch with, for option `chosen` of a viewer's step.

    Options are counted from 0 as `alternatives` lists them. Raises `SetupError` where there is no such option, and
    for a game at a table that is still on: only the omniscient viewer may see where that could lead.
    """
    over = timeline.states and timeline.game.outcome(timeline.states[-1]) is not None
    if viewer != "omniscient" and timeline.header.provenance == "live" and not over:
        raise SetupError("a game that is still on is branched by the omniscient viewer only: it shows every card")
    found = alternatives(timeline, number, viewer)
    if found.kind not in ("move", "chance") or not found.options:
        raise SetupError(f"nothing can be chosen after step {number}: {found.note or 'the rules go on here'}")
    if not 0 <= chosen < len(found.options):
        raise SetupError(f"there is no option {chosen} after step {number}: there are {len(found.options)}, from 0 on")
    return timeline.at(number, viewer), found.options[chosen].event


def keep(store: Store, tape: Tape) -> None:
    """Store a new branch; raises `SetupError` while its parent is played: a branch is open to everybody (G-06)."""
    if tape.header.fork is not None and tape.header.fork.parent in store.at_play():
        raise SetupError("this game is being played: a branch of it would show everybody what is hidden")
    store.add([tape])


def new_id(milliseconds: int, random: bytes) -> str:
    """Give an id for a recorded game: a UUID of version 7, of Unix time and ten random bytes.

    >>> new_id(1_700_000_000_000, bytes(10))
    '018bcfe5-6800-7000-8000-000000000000'
    """
    value = milliseconds << 80 | int.from_bytes(random[:10], "big")
    value = value & ~(0xF << 76) | 7 << 76
    value = value & ~(0b11 << 62) | 0b10 << 62
    return str(UUID(int=value))


def fresh_id() -> str:
    """Give a new id of now."""
    return new_id(time_ns() // 1_000_000, urandom(10))


class Relative(Struct, frozen=True):
    """A game in a tree of branches: what it branched off after which step, depth, length, its end."""

    id: str
    parent: str | None
    step: int | None
    depth: int
    length: int
    ended: bool


def lineage(store: Store, id: str) -> list[Relative]:
    """Give the tree that a game stands in, each branch behind its parent; raises `UnknownReplay`.

    Where the first game was removed, those of its branches that are left come one after the other.
    """
    kin = {one.id: one for one in store.family(id)}
    tree = dict[str, Relative]()
    roots = [one.id for one in kin.values() if one.parent not in kin] or [id]
    waiting = [(root, 0) for root in reversed(roots)]
    while waiting:
        at, depth = waiting.pop()
        if at not in tree:  # what a header claims may go in a circle
            one = kin[at]
            tree[at] = Relative(at, one.parent, one.step, depth, one.length, one.ended)
            waiting += [(child.id, depth + 1) for child in reversed(kin.values()) if child.parent == at]
    return list(tree.values())
