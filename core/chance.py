"""Chance as a value: what may happen, how to draw it, how to tell whether a recorded outcome is possible.

Rules never draw. They say that something is random; the engine draws it, a recorder enters it, or a stream supplies it.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TypeVar, final

from msgspec import Struct

from core.rng import Rng
from events.base import Event

T = TypeVar("T")
EventT = TypeVar("EventT", bound=Event)


@final
class Chance(Struct, frozen=True):
    """One random outcome. `odds` lists (outcome, weight) where there are few enough to list, else it is empty."""

    sample: Callable[[Rng], Event]
    admits: Callable[[Event], bool]
    odds: tuple[tuple[Event, int], ...] = ()


def pick(odds: Sequence[tuple[Event, int]]) -> Chance:
    """Give the chance of one of a few outcomes with integer weights: a die, a card drawn from a hand."""
    outcomes = tuple(odds)
    ends = list(accumulate([weight for _, weight in outcomes]))

    def sample(rng: Rng) -> Event:
        return outcomes[bisect(ends, rng.below(ends[-1]))][0]

    return Chance(sample, lambda event: any(event == outcome for outcome, weight in outcomes if weight), outcomes)


def shuffle(items: Sequence[T], kind: type[EventT], order: Callable[[EventT], Sequence[T]]) -> Chance:
    """Give the chance of `items` in any order: the event type `kind` writes an order down, `order` reads it."""

    def admits(event: Event) -> bool:
        return isinstance(event, kind) and Counter(order(event)) == Counter(items)

    return Chance(lambda rng: kind(*[rng.shuffled(items)]), admits)
