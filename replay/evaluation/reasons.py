"""Why a search bot chose what it chose: its decisions thought through again, and kept as notes beside them.

A bot draws from a stream of its own at each event, so what it thought follows from the seed, at any time later. A note
is for its seat alone: reasons speak of what that seat held.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from core.bots import View
from core.bots.search import Search, Thought
from core.bots.seats import record_of
from core.redact import moves_of, redact
from core.rng import Rng, bot_stream, seed_key
from events.base import Move
from events.errors import SetupError
from replay.simulate import bots_for
from replay.timeline import Timeline, names_of

KIND: Final = "reason"
"""The kind of these notes."""

TOLD: Final = 5
"""Moves that a reason speaks of: those that were tried most."""


class Reason(Struct, frozen=True):
    """What was thought before one move: its step of the timeline, whose it is, the moves there were, the thought."""

    step: int
    seat: int
    bot: str
    moves: tuple[Move, ...]
    thought: Thought


def reasons(timeline: Timeline, at: int | None = None) -> Iterator[Reason]:
    """Give the reasons of the moves that search bots have chosen; of the one at step `at`, if that is said.

    Raises `SetupError` for a game without a seed, where no search bot has played, and where a move is not what the bot
    chooses today: what it thought then cannot be told.
    """
    header, game = timeline.header, timeline.game
    if header.seed is None:
        raise SetupError("this game has no seed: what a bot drew cannot be drawn again")
    known = bots_for(type(game))
    bots = {
        seat: bot
        for seat, player in enumerate(header.players)
        if player.bot is not None and player.bot in known and isinstance(bot := known[player.bot](), Search)
    }
    if not bots:
        raise SetupError("no search bot has played here: other bots keep no reasons")
    first = 0 if header.fork is None else header.fork.step + 2  # before that it is the parent's; then what was chosen
    key = seed_key(header.seed)
    for step in range(first, len(timeline)) if at is None else [at]:
        event = timeline.events[step]
        if not isinstance(event, Move) or event.seat not in bots or timeline.step(step).cause != "move":
            continue
        seat, before = event.seat, timeline.states[step - 1]
        moves = tuple(moves_of(game.legal(before), seat))
        view = View(seat, redact(before, seat), record_of(timeline.events[:step], seat))
        thought = bots[seat].think(view, moves, Rng(key, step, bot_stream(seat)))
        if thought.move != event:
            raise SetupError(f"step {step} is not what this bot chooses today: what it thought then cannot be told")
        yield Reason(step, seat, header.players[seat].bot or "", moves, thought)


def said(timeline: Timeline, reason: Reason) -> str:
    """Give a reason in words: the moves that were tried most, how often, and what they were worth (0 to 1)."""
    names, thought = names_of(timeline), reason.thought
    if not thought.rollouts:
        return "There was only one move."
    ranked = sorted(range(len(reason.moves)), key=lambda move: (-thought.visits[move], -thought.values[move]))
    told = [
        f"{thought.values[move]:.2f} in {thought.visits[move]}: {timeline.game.words(reason.moves[move], names)}"
        for move in ranked[:TOLD]
    ]
    more = f"; {len(ranked) - TOLD} more" if len(ranked) > TOLD else ""
    return f"{thought.rollouts} games played out from {len(reason.moves)} moves. {'; '.join(told)}{more}"
