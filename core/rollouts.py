"""Playing on from a state to the end, as often as wanted: what a chance of winning is estimated from."""

from __future__ import annotations

from collections.abc import Sequence

from core.bots import Bot
from core.bots.seats import seated
from core.engine import consequence
from core.game import Game, StateT
from events.base import Event
from events.errors import UnlawfulEvent


def rollout(game: Game[StateT], state: StateT, record: Sequence[Event], bots: Sequence[Bot], key: bytes) -> StateT:
    """Give the end that a game comes to from `state`, a bot at every seat and chance drawn with `key`.

    `record` is what has happened until then, as far as the bots may remember it. Raises `UnlawfulEvent` if the rules
    have not come to an end after `game.bound` more events.
    """
    decide = seated(bots, key)
    events = list(record)
    for seq in range(len(events), len(events) + game.bound):
        event = consequence(game, state, key, seq)
        if event is None:
            moves = game.legal(state)
            if not moves:
                return state
            event = decide(state, moves, events)
        events.append(event)
        state = game.evolve(state, event)
    raise UnlawfulEvent(f"{game.title} has not ended after {game.bound} more events")


def shares(game: Game[StateT], state: StateT) -> tuple[float, ...]:
    """Give each seat's share of the win in a finished game, 0 to 1.

    A win is split evenly between the sides that share the first place (QC-18), and a side's share is that of each of
    its seats (QC-29). Where nobody is ranked, in a game given up, nobody has a share.
    """
    outcome = game.outcome(state)
    assert outcome is not None
    if not outcome.ranking:
        return (0.0,) * len(outcome.scores)
    first = outcome.ranking[0]
    winning = [side for side in game.sides(state) if side[0] in first]
    return tuple([sum([seat in side for side in winning]) / len(winning) for seat in range(len(outcome.scores))])
