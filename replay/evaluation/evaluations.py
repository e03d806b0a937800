"""Evaluations that are kept in the store: what was worked out once is not worked out again.

They are kept by stream, step, viewer, bot and budget, and belong to the stream as it was: once it goes on they count no
more. A game that is being played is not evaluated, for whomever: that would be advice.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import Executor

import msgspec

from events.errors import SetupError
from events.marks import Viewer
from events.tape import digest
from replay.evaluation.evaluating import Budget, Chances, Evaluation, evaluate
from replay.evaluation.judging import Decision, Trial, choices, judge
from replay.storage.store import Store
from replay.timeline import Timeline


def evaluated(
    store: Store, id: str, viewer: Viewer, bot: str, budget: Budget, pool: Executor | None = None
) -> Iterator[Evaluation]:
    """Give the evaluation of a replay, round by round, and keep the last; at once if it is kept already.

    Raises `UnknownReplay`, and `SetupError` as `evaluate` does and while the game is being played.
    """
    if known := known_evaluation(store, id, viewer, bot, budget):
        yield known
        return
    _refuse_at_play(store, id)
    tape = store.read(id)
    found = None
    for found in evaluate(tape, viewer, bot, budget, pool):
        yield found
    if found is not None:
        steps = {at: msgspec.json.encode(chances).decode() for at, chances in enumerate(found.chances)}
        store.keep_evaluation(id, _head(tape.events), _question("chances", viewer, bot, budget), steps)


def known_evaluation(store: Store, id: str, viewer: Viewer, bot: str, budget: Budget) -> Evaluation | None:
    """Give the evaluation of a replay if it is kept; raises `UnknownReplay`."""
    head = _head(store.read(id).events)
    kept = store.evaluated(id, head, _question("chances", viewer, bot, budget))
    if not kept:
        return None
    return Evaluation(viewer, bot, tuple([msgspec.json.decode(kept[at], type=Chances) for at in sorted(kept)]))


def judged(
    store: Store, id: str, viewer: Viewer, bot: str, trial: Trial, pool: Executor | None = None
) -> Generator[Decision, None, None]:
    """Give what the choices of a replay cost, one after the other, and keep them; those kept already at once.

    Raises as `evaluated` does. What was given is kept too where the rest is not asked for.
    """
    tape = store.read(id)
    head, question = _head(tape.events), _question("decisions", viewer, bot, trial)
    kept = store.evaluated(id, head, question)
    known = {at: msgspec.json.decode(text, type=Decision) for at, text in kept.items()}
    if len(known) < len(choices(Timeline(tape), viewer)):
        _refuse_at_play(store, id)
    new = dict[int, Decision]()
    try:
        for decision in judge(tape, viewer, bot, trial, pool, known):
            if decision.number not in known:
                new[decision.number] = decision
            yield decision
    finally:
        if new:
            texts = {at: msgspec.json.encode(decision).decode() for at, decision in new.items()}
            store.keep_evaluation(id, head, question, texts)


def known_decisions(store: Store, id: str, viewer: Viewer, bot: str, trial: Trial) -> list[Decision]:
    """Give those choices of a replay that are judged already; raises `UnknownReplay`."""
    kept = store.evaluated(id, _head(store.read(id).events), _question("decisions", viewer, bot, trial))
    return [msgspec.json.decode(kept[at], type=Decision) for at in sorted(kept)]


def _question(kind: str, viewer: Viewer, bot: str, budget: Budget | Trial) -> str:
    return msgspec.json.encode([kind, viewer, bot, *msgspec.structs.astuple(budget)]).decode()


def _head(events: tuple[bytes, ...]) -> bytes:
    return bytes.fromhex(digest(events))


def _refuse_at_play(store: Store, id: str) -> None:
    if id in store.at_play():
        raise SetupError("this game is being played: what a move is worth is told when it is over")
