"""What any game is measured by, without knowing it: moves, decisions, the lead, and what the seats hold.

A game's own metrics stand beside its rules, in `metrics.py` of its folder.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from core.game import Game, Outcome, State
from core.registry import codec
from core.tally import Measure, Metric, Moment, Subjects, Tally, counted, summed
from events.base import Event, Move, TakenBack, TurnStarted, kind_of

SITUATIONS: Final = ("start_hand", "ever_held", "used", "held_at_end")
"""The metrics that say in which situation a seat had a subject: n is 1 a seat and subject, `total` how many copies."""


def metrics_of(kind: type[Game[Any]]) -> tuple[Metric, ...]:
    """Give every metric of a game: those of any game that make sense for it, and its own."""
    led = LEAD if kind.standing is not Game.standing else ()
    held = _situations(kind.subjects) if kind.subjects is not None else ()
    return (*ALWAYS, *led, *held, *kind.metrics)


def moments(states: Sequence[State], events: Sequence[Event], initial: State) -> list[Moment]:
    """Give the moments of a stream that led to where it ends: what was taken back is left out, and so is the taking.

    `states` are those after each event, `initial` the one before the first.
    """
    if TakenBack not in map(type, events):
        return [Moment(*each) for each in zip(range(len(events)), [initial, *states[:-1]], events, states, strict=True)]
    along = list[tuple[Moment, ...]]()
    line = tuple[Moment, ...]()
    for step, (event, state) in enumerate(zip(events, states, strict=True)):
        if isinstance(event, TakenBack):
            line = along[event.to]
        else:
            line = (*line, Moment(step, line[-1].after if line else initial, event, state))
        along.append(line)
    return list(line)


# --- choosing --------------------------------------------------------------------------------------------------------


def _decisions(game: Game[Any], along: Sequence[Moment]) -> Iterator[tuple[Move, State, int]]:
    """The moves that a seat chose, each with the state it chose in and its step; moves that the rules made are none."""
    for moment in along:
        if isinstance(moment.event, Move) and game.forced(moment.before) is None:
            yield moment.event, moment.before, moment.step


def _choices(game: Game[Any], along: Sequence[Moment]) -> list[Tally]:
    return summed(
        [
            (move.seat, "", sum([other.seat == move.seat for other in game.legal(before)]), step)
            for move, before, step in _decisions(game, along)
        ]
    )


def _decisions_made(game: Game[Any], along: Sequence[Moment]) -> list[Tally]:
    made = defaultdict[int, list[int]](list)
    for move, _, step in _decisions(game, along):
        made[move.seat].append(step)
    seats = range(len(_outcome(game, along).scores))
    return [Tally(seat, "", 1, len(made[seat]), next(iter(made[seat]), None)) for seat in seats]


def _kinds(game: Game[Any], along: Sequence[Moment]) -> list[Tally]:
    first: dict[str, int] = {}
    times = Counter[str]()
    for moment in along:
        kind = kind_of(moment.event)
        first.setdefault(kind, moment.step)
        times[kind] += 1
    known = [kind for kind in codec(type(game)).tags if kind != kind_of(TakenBack(to=0))]
    return [Tally(None, kind, 1, times[kind], first.get(kind)) for kind in known]


def _outcome(game: Game[Any], along: Sequence[Moment]) -> Outcome:
    outcome = game.outcome(along[-1].after)
    if outcome is None:
        raise ValueError("the game is not finished")
    return outcome


# --- the lead --------------------------------------------------------------------------------------------------------


def _margin(game: Game[Any], along: Sequence[Moment]) -> list[Tally]:
    scores = _outcome(game, along).scores
    best_first = sorted([scores[side[0]] for side in game.sides(along[-1].after)], reverse=True)
    return [Tally(None, "", 1, best_first[0] - best_first[1])] if len(best_first) > 1 else []


def _leaders(game: Game[Any], along: Sequence[Moment]) -> Iterator[tuple[int, list[Sequence[int]]]]:
    """Who leads (sides, several if they are level) when a turn starts and at the end, and at which moment that is."""
    looks = [(at, moment.before) for at, moment in enumerate(along) if isinstance(moment.event, TurnStarted)]
    sides = game.sides(along[-1].after)
    for at, state in [*looks, (len(along) - 1, along[-1].after)]:
        standing = game.standing(state)
        if standing:
            best = max(standing)
            yield at, [side for side in sides if standing[side[0]] == best]


def _lead_changes(game: Game[Any], along: Sequence[Moment]) -> list[Tally]:
    alone = [(leading[0], at) for at, leading in _leaders(game, along) if len(leading) == 1]
    changes = [along[at].step for (before, _), (after, at) in pairwise(alone) if before != after]
    return [Tally(None, "", 1, len(changes), next(iter(changes), None))]


def _lead_for_good(game: Game[Any], along: Sequence[Moment]) -> list[Tally]:
    winners = _outcome(game, along).ranking[0]
    last = decided = len(along) - 1
    for at, leading in reversed(list(_leaders(game, along))):
        if any(seat not in winners for side in leading for seat in side):
            break
        decided = at
    return [Tally(None, "", 1, 1000 * decided // last, along[decided].step)]


# --- what the seats hold ---------------------------------------------------------------------------------------------


def _held_before(subjects: Subjects, along: Sequence[Moment], kind: type[Event]) -> list[Tally]:
    """What the seats hold when the first event of a kind is about to happen."""
    at = next(at for at, moment in enumerate(along) if isinstance(moment.event, kind))
    hands = subjects.held(along[at].before)
    return counted([(seat, card, along[at - 1].step) for seat, hand in enumerate(hands) for card in hand])


def _start_hand(subjects: Subjects, along: Sequence[Moment]) -> list[Tally]:
    return _held_before(subjects, along, TurnStarted)


def _held_at_end(subjects: Subjects, along: Sequence[Moment]) -> list[Tally]:
    return _held_before(subjects, along, subjects.last)


def _used(subjects: Subjects, along: Sequence[Moment]) -> list[Tally]:
    return counted([(seat, card, moment.step) for moment in along for seat, card in subjects.used(moment)])


def _ever_held(subjects: Subjects, along: Sequence[Moment]) -> list[Tally]:
    return counted(_gained(subjects, along))


def _gained(subjects: Subjects, along: Sequence[Moment]) -> Iterator[tuple[int, str, int]]:
    """Each copy that comes to a seat: whose copies of a subject are more after a moment than before it."""
    held: Sequence[Sequence[str]] = ()
    for moment in along:
        now = subjects.held(moment.after)
        for seat, hand in enumerate(now):
            had = held[seat] if seat < len(held) else ()
            if hand is not had:  # most moments leave most hands alone
                for card, more in (Counter(hand) - Counter(had)).items():
                    yield from [(seat, card, moment.step)] * more
        held = now


def _situations(subjects: Subjects) -> tuple[Metric, ...]:
    name = subjects.name
    asked: tuple[tuple[str, str, str, Callable[[Subjects, Sequence[Moment]], list[Tally]]], ...] = (
        (f"Which {name}s does a seat begin with?", "it has when the first turn starts", YELLOW, _start_hand),
        (f"Which {name}s come to a seat?", "come to it in the game, those at the start too", PURPLE, _ever_held),
        (f"Which {name}s does a seat use?", subjects.use, PURPLE, _used),
        (f"Which {name}s are left with a seat?", "it still has at the end, before scoring", LEFT, _held_at_end),
    )
    return tuple(
        [
            Metric(
                name=situation,
                title=title,
                definition=f"Of the seats with at least one copy of the {name}: how many copies {which}. **n** counts "
                "such seats once a game, **total** the copies: the win rate per game weighs seats, the one per draw "
                "copies. Long games draw more, so read the two together.",
                example=f"In `queen-of-the-cupcakes/3-bin-full.jsonl`, {found} in 1.",
                unit="mean",
                key=name,
                triggers=("states",),
                measure=_bound(find, subjects),
            )
            for situation, (title, which, found, find) in zip(SITUATIONS, asked, strict=True)
        ]
    )


YELLOW, PURPLE, LEFT = "seat 1, card yellow: 3", "seat 0, card purple: 7", "seat 1, card purple: 1"


def _bound(find: Callable[[Subjects, Sequence[Moment]], list[Tally]], subjects: Subjects) -> Measure:
    return lambda game, along: find(subjects, along)


ALWAYS: Final = (
    Metric(
        name="choices",
        title="How many moves has a seat to choose from?",
        definition="At each decision, how many moves the seat may choose from. A decision is a move that was left to "
        "the seat; moves that the rules make are none.",
        example="In `queen-of-the-cupcakes/3-bin-full.jsonl`, seat 0: 54 in 13.",
        unit="mean",
        triggers=("moves",),
        measure=_choices,
    ),
    Metric(
        name="decisions",
        title="How often does a seat decide?",
        definition="The decisions of a seat in a game. A decision is a move that was left to the seat.",
        example="In `queen-of-the-cupcakes/3-bin-full.jsonl`, seat 0: 13 in 1.",
        unit="mean",
        triggers=("moves",),
        measure=_decisions_made,
    ),
    Metric(
        name="margin",
        title="How close are games?",
        definition="How far the best score is ahead of the second best; 0 if two share it. Partners count as one.",
        example="In `queen-of-the-cupcakes/3-bin-full.jsonl`: 1 in 1.",
        unit="mean",
        triggers=("game_ended",),
        measure=_margin,
    ),
    Metric(
        name="kinds",
        title="How often does each kind of event happen in a game?",
        definition="How many events of the kind a game has, of all kinds that the game knows.",
        example="In `queen-of-the-cupcakes/3-bin-full.jsonl`, kind of event bank_filled: 19 in 1.",
        unit="mean",
        key="kind of event",
        triggers=("events",),
        measure=_kinds,
    ),
)
"""What every finished game is measured by."""

LEAD: Final = (
    Metric(
        name="lead_changes",
        title="How often does the lead change?",
        definition="How often another leads alone than the one who led alone before, looking whenever a turn starts "
        "and at the end. What the standing is between is said by each game.",
        example="In `queen-of-the-cupcakes/3-bin-full.jsonl`: 1 in 1.",
        unit="mean",
        triggers=("turn_started", "game_ended"),
        measure=_lead_changes,
    ),
    Metric(
        name="lead_for_good",
        title="When does the winner take the lead for good?",
        definition="From where on nobody but winners leads, looking whenever a turn starts and at the end: in "
        "thousandths of the events of the game. 1000 if only the last event, or a tie-break, decides.",
        example="In `queen-of-the-cupcakes/3-bin-full.jsonl`: 350 in 1.",
        unit="mean",
        triggers=("turn_started", "game_ended"),
        measure=_lead_for_good,
    ),
)
"""What games are measured by that know a standing while they are played."""
