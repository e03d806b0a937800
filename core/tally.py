"""What is measured in games: the words for it. What any game is measured by stands in `core.metrics`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from events.base import Event, GameEnded


class Moment(NamedTuple):
    """An event of a game between the states before and after it; `step` is its number in the stream."""

    step: int
    before: Any
    event: Event
    after: Any


class Tally(NamedTuple):
    """One measured thing of one game: `n` cases, and the `total` of what was counted in them.

    Of a rate: tries and hits. Of a mean: cases and their sum. `seat` is None for what is the game's own; `key` says
    what was measured, where a metric looks at several things: a card, a number of tokens. `step` is the event at which
    a case of it is to be seen: the first that counted for something. None: it is a matter of the game's end.
    """

    seat: int | None
    key: str
    n: int
    total: int
    step: int | None = None


Measure: TypeAlias = Callable[[Any, Sequence[Moment]], Iterable[Tally]]
"""Gives what a metric finds in a finished game: (the game, its moments without what was taken back) -> tallies.

At most one for each seat and key.
"""


class Metric(Struct, frozen=True, kw_only=True):
    """Something that is measured in every finished game.

    `title` asks the question that it answers, `definition` says in a sentence or two (Markdown) what is counted, and
    `example` what that is in a recorded game of `data/golden`. `key` says what keys name ("" if there are none),
    `triggers` which events are looked at ("states" if it is what they lead to). `baseline` gives what chance alone
    would bring for a key, where that is known. Whoever changes what is counted raises `version`.
    """

    name: str
    version: int = 1
    title: str
    definition: str
    example: str
    unit: Literal["rate", "mean"]
    key: str = ""
    triggers: tuple[str, ...]
    measure: Measure
    baseline: Callable[[str], float] | None = None


class Subjects(Struct, frozen=True):
    """What the seats of a game hold and use: the cards (pieces, guests) whose worth is asked for.

    `name` is what one of them is called. `held` gives what each seat has of them in a state, `used` whose of them a
    moment uses: (seat, subject), once a copy, and `use` says which copies those are. What is held at the end is what is
    held before the first event of type `last`.
    """

    name: str
    held: Callable[[Any], Sequence[Sequence[str]]]
    used: Callable[[Moment], Iterable[tuple[int, str]]]
    use: str
    last: type[Event] = GameEnded


def summed(cases: Iterable[tuple[int | None, str, int, int]]) -> list[Tally]:
    """Give the tallies of cases: (seat, key, what was counted in it, its step).

    >>> summed([(0, "a", 0, 7), (1, "a", 5, 8), (0, "a", 3, 9)])
    [Tally(seat=0, key='a', n=2, total=3, step=9), Tally(seat=1, key='a', n=1, total=5, step=8)]
    """
    found: dict[tuple[int | None, str], tuple[int, int, int]] = {}
    for seat, key, count, step in cases:
        n, total, first = found.get((seat, key), (0, 0, step))
        found[seat, key] = (n + 1, total + count, first if total or not count else step)
    return [Tally(seat, key, n, total, step) for (seat, key), (n, total, step) in found.items()]


def counted(things: Iterable[tuple[int | None, str, int]]) -> list[Tally]:
    """Give how many things there are of each kind, as one case: (seat, key, step of the thing).

    >>> counted([(0, "a", 7), (0, "a", 9)])
    [Tally(seat=0, key='a', n=1, total=2, step=7)]
    """
    return [tally._replace(n=1) for tally in summed([(seat, key, 1, step) for seat, key, step in things])]
