"""What a game is: four pure functions, and a few facts about itself.

    evolve    what an event changes                            the reducer
    forced    what the rules make happen next, if anything     dealing, refilling, revealing, ending, scoring
    legal     what the seats may choose                        each choice is the event that it causes
    outcome   scores and ranking, once it is over

Everything else (playing, replaying, checking, branching, hiding, storing, counting) follows from these for any game.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from msgspec import Struct

from core.bots import Bot, RandomBot, View
from core.chance import Chance
from core.redact import hides
from core.rng import Rng
from core.sheets import Sheet, sheet_digest
from core.tally import Metric, Subjects
from core.words import plain
from events.base import Event, Move, Options
from events.errors import SetupError
from events.upcast import Upcaster


class State(Struct, frozen=True, gc=False):
    """What a game has come to: the fold of its events. Frozen, of tuples; its marks say who may see which field."""


StateT = TypeVar("StateT", bound=State)


class Outcome(Struct, frozen=True, gc=False):
    """How a game ended: one score a seat, and groups of equal seats, best first (G-04)."""

    reason: str
    scores: tuple[int, ...]
    ranking: tuple[tuple[int, ...], ...]


class Game(ABC, Generic[StateT]):
    """The rules of one game, bound to the box it is played with.

    A subclass sets the class variables, and the four functions (plain functions as `staticmethod` do).
    """

    slug: ClassVar[str]
    """The game's name everywhere: `queen-of-the-cupcakes`."""
    title: ClassVar[str]
    rules: ClassVar[int] = 1
    """Version of the rules. A change that alters what is legal or how events fold raises it; see `older`."""
    union: ClassVar[Any]
    """The union of the game's event types, which its codec reads."""
    upcasters: ClassVar[tuple[Upcaster, ...]] = ()
    older: ClassVar[Mapping[int, type[Game[Any]]]] = {}
    """Earlier versions of the rules that stay playable under their number."""
    options: ClassVar[type[Options]] = Options
    sheet_type: ClassVar[type[Sheet]] = Sheet
    default_sheet: ClassVar[Sheet | None] = None
    """The box as a value; None if it is shipped as a file (`data/sheets/<slug>.toml`)."""
    bots: ClassVar[Mapping[str, Callable[[], Bot]]] = {}
    """Bots that know this game, by name, beside those that play any game."""
    playout: ClassVar[Callable[[], Bot]] = RandomBot
    """The bot by which a search bot plays games out: as quick as it is sensible."""
    horizon: ClassVar[int] = 1
    """How far a search bot plays games out: to this moment, by number, of those whose `prospects` can be told."""
    bound: ClassVar[int] = 10_000
    """More events than any game has: where the engine gives up and says that the rules do not end."""
    recalled: ClassVar[tuple[type[Event], ...]] = ()
    """Consequences that show what the state then hides again: players may remember it, views do not repeat it."""

    irrevocable: ClassVar[tuple[type[Event], ...]] = ()
    """Events that show something new or bind a seat: while a game is played, no take-back goes behind one (CC-62)."""
    windows: ClassVar[tuple[type[Event], ...]] = ()
    """Public events after which a rival may be asked in secret: a live game waits there in any case (G-06)."""
    metrics: ClassVar[tuple[Metric, ...]] = ()
    """What this game alone is measured by, beside what any game is (`core.metrics`)."""
    subjects: ClassVar[Subjects | None] = None
    """What its seats hold and use, if the worth of single cards is to be asked for."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.sheet_digest = sheet_digest(sheet)

    def setup_problem(self, seats: int, options: Any) -> str | None:
        """Say why these seats and options do not go together, beyond the sheet's seat range; None if they do."""
        return None

    def words(self, event: Event, names: Sequence[str], /) -> str:
        """Give an event, as its viewer may see it, as a sentence; `names` has one name a seat."""
        return plain(event, names)

    def standing(self, state: StateT, /) -> tuple[int, ...] | None:
        """Give what each seat would score if the game ended now, hidden things included; None if that says nothing."""
        return None

    def prospects(self, state: StateT, /) -> Sequence[float] | None:
        """Give what each seat may expect to score in the end, hidden things included; None where it cannot be told.

        Asked as a round or a turn begins, where little is under way. Sums, products, quotients and square roots alone
        make it the same on every machine.
        """
        return None

    def world(self, view: View, rng: Rng, /) -> StateT:
        """Give a state that is possible for all that a seat has seen, its view and its record, each time another one.

        Where several seats may be asked in secret, those that would be asked before this one have declined (G-06).
        A game without secrets has one, the view. Raises `SetupError` for a game that hides something and does not say
        how it may be dealt anew.
        """
        if hides(type(view.table)):
            raise SetupError(f"{self.title} does not say how hidden things may lie (Game.world)")
        state: StateT = view.table
        return state

    def sides(self, state: StateT, /) -> tuple[tuple[int, ...], ...]:
        """Give the seats of a finished game that win and lose together: each alone, unless there are teams."""
        outcome = self.outcome(state)
        return () if outcome is None else tuple([(seat,) for seat in range(len(outcome.scores))])

    @abstractmethod
    def initial(self) -> StateT:
        """Give the state before the first event: the closed box."""

    @abstractmethod
    def evolve(self, state: StateT, event: Event, /) -> StateT:
        """Give the state after an event. Total on lawful streams: it does not check, and never raises for them."""

    @abstractmethod
    def forced(self, state: StateT, /) -> Event | Chance | None:
        """Give what the rules make happen next, or None if a seat must choose or the game is over."""

    @abstractmethod
    def legal(self, state: StateT, /) -> Sequence[Move]:
        """Give the moves of all seats that may choose now, each exactly once, those of a seat together.

        Asked only where nothing is forced.
        """

    @abstractmethod
    def outcome(self, state: StateT, /) -> Outcome | None:
        """Give the result once `game_ended` has happened, else None."""

    @abstractmethod
    def census(self, state: StateT, /) -> Mapping[str, int]:
        """Count every component by name wherever it lies, so that it can be held against the box; {} before set-up."""
