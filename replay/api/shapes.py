"""What goes in and out of the interface. The OpenAPI document is made of these types."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from replay.live.tokens import Tokens

Looker = Annotated[str, Meta(pattern="^(?:spectator|omniscient|[0-9]{1,5})$")]
Step = Annotated[int, Meta(ge=0, lt=1 << 31)]
Few = Annotated[int, Meta(ge=1, le=1000)]
Raw = Annotated[msgspec.Raw, Meta(extra_json_schema={"type": "object"})]


class Error(Struct, frozen=True, omit_defaults=True):
    """Why a request was not done, in one line. A conflict has both numbers: what was expected, and what is there."""

    error: str
    detail: str
    expected: int | None = None
    actual: int | None = None


class Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing has to be said."""


class Health(Struct, frozen=True, omit_defaults=True):
    """Whether the service and its database answer."""

    ok: bool
    version: str
    games: list[str]
    replays: int | None = None
    problem: str | None = None


class GameInfo(Struct, frozen=True):
    """A game that can be played: seats from and to, options with their defaults, names of bots."""

    game: str
    title: str
    rules: int
    seats: tuple[int, int]
    options: dict[str, Any]
    bots: list[str]
    sheet: str


class Games(Struct, frozen=True):
    """The games that are here."""

    games: list[GameInfo]


class Sitter(Struct, frozen=True):
    """Who sits at a seat: a name, and which bot where it is one."""

    name: str
    bot: str | None


class Replay(Struct, frozen=True, kw_only=True):
    """A recorded game, or one at play: then nothing is told of how many events it has."""

    id: str
    game: str
    rules: int
    sheet: str
    provenance: str
    players: list[Sitter]
    finished: bool
    live: bool
    recorded: str | None
    length: int | None
    scores: list[int] | None
    seed: str | None


class Replays(Struct, frozen=True):
    """Recorded games, the newest first, and how many there are in all."""

    replays: list[Replay]
    count: int


class WantedReplays(Struct, frozen=True, forbid_unknown_fields=True):
    """Which recorded games: all conditions hold that are given."""

    game: str | None = None
    seats: Annotated[int, Meta(ge=1, le=127)] | None = None
    finished: bool | None = None
    provenance: str | None = None
    limit: Few = 50
    offset: Step = 0


class Length(Struct, frozen=True):
    """How many events a stream has; at a live game, how many steps the one who asks has seen of it."""

    length: int


class NewEvents(Struct, frozen=True, forbid_unknown_fields=True):
    """Events for a stream of `expected` events."""

    expected: Step
    events: Annotated[list[Raw], Meta(max_length=10_000)]


class Seen(Struct, frozen=True, forbid_unknown_fields=True):
    """As whom to look: `spectator`, `omniscient` or a seat."""

    viewer: Looker


class SeenFrom(Struct, frozen=True, forbid_unknown_fields=True):
    """As whom to look, and which steps: from `first`, at most `count`."""

    viewer: Looker
    first: Step = 0
    count: Few = 1000


class SeenAt(Struct, frozen=True, forbid_unknown_fields=True):
    """As whom to look, and at which step of what this viewer sees; the last one if it is not given."""

    viewer: Looker
    step: Step | None = None


class SeenBetween(Struct, frozen=True, forbid_unknown_fields=True):
    """As whom to look, and at which two steps of what this viewer sees."""

    viewer: Looker
    before: Step
    after: Step


class StepSeen(Struct, frozen=True):
    """A step as a viewer sees it, under the number that it has for this viewer."""

    number: int
    turn: int
    round: int | None
    seat: int | None
    cause: str
    rule: str
    words: str
    event: dict[str, Any]


class Steps(Struct, frozen=True):
    """Steps as a viewer sees them; `count` is how many it sees in all. `fault` says why a game opens no further."""

    steps: list[StepSeen]
    count: int
    over: bool
    fault: str | None


class StateSeen(Struct, frozen=True):
    """The table after a step, as flat paths, as a viewer sees it."""

    step: int
    state: dict[str, Any]


class MoveSeen(Struct, frozen=True):
    """A move that the viewer has, and the same in words."""

    move: dict[str, Any]
    words: str


class Moves(Struct, frozen=True):
    """The moves after a step, of the viewer alone; the omniscient viewer sees everybody's."""

    step: int
    moves: list[MoveSeen]


class Differences(Struct, frozen=True):
    """What differs between two steps, as a viewer sees them: path, value before, value after (null: not there)."""

    changes: list[tuple[str, Any, Any]]


class Imported(Struct, frozen=True):
    """What became of the games of a file, and what is wrong with it, a line each."""

    new: int
    known: int
    problems: list[str]


class By(Struct, frozen=True, forbid_unknown_fields=True):
    """By what to count: seat, player, bot or seats."""

    by: Literal["seat", "player", "bot", "seats"] = "seat"


class Statistics(Struct, frozen=True):
    """Figures of finished games, a row each: docs/statistics.md defines them."""

    win_rates: list[dict[str, Any]]
    scores: list[dict[str, Any]]
    endings: list[dict[str, Any]]


class Live(Struct, frozen=True):
    """A live game. Its seed and salt are told when it is over or broken off: they give the commitment."""

    id: str
    game: str
    players: list[Sitter]
    over: bool
    broken_off: bool
    commitment: str | None
    window: float
    seed: str | None = None
    salt: str | None = None


class Created(Struct, frozen=True):
    """A live game that was set up, and its tokens: they are told this once."""

    live: Live
    tokens: Tokens


class MoveMade(Struct, frozen=True, forbid_unknown_fields=True):
    """A move, decided on after `expected` steps of what the seat sees."""

    expected: Step
    move: Raw


class Back(Struct, frozen=True, forbid_unknown_fields=True):
    """What to take back after `expected` steps: a seat its last move, the organiser all after the public step `to`."""

    expected: Step
    to: Step | None = None
