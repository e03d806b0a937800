"""A game at a real table as far as the table knows it: what was entered, what follows from it, what is asked next.

Nobody at a table knows the order of a deck, and nobody has to say it. A card that nobody has seen is a *stranger* in
the events: a mark that stands for it. What a seat gets to see is named when it sees it, and then the mark gives way to
the card wherever it stands, in the shuffle too. So what is asked for is exactly what somebody at the table sees, and
what seats may do never depends on a stranger.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar, cast, get_args

from msgspec import Struct
from msgspec.structs import replace

from core.chance import Chance
from core.engine import refuse
from core.game import Game, State
from core.redact import marks_of, seen
from core.rng import Rng, seed_key
from events.base import Event, GameStarted, TakenBack
from events.errors import SetupError, UnlawfulEvent
from events.marks import MASK, Viewer
from replay.live.tokens import Entry, Face

T = TypeVar("T")

SIGN: Final = "#"
FAR: Final = -1_000_000
"""Strangers among words are `#0`, `#1`, ...; among numbers they lie from here down, where no game has any."""

SAMPLES: Final = 64
"""Outcomes that are drawn to learn what an outcome is made of."""


class Place(Struct, frozen=True):
    """Where faces are asked for: a field of what happened, perhaps the seat or the number there, and how many."""

    field: str
    seat: int | None
    number: int | None
    count: int


class Question(Struct, frozen=True):
    """What a recording waits for: one of `options` (moves, or outcomes of chance), or the faces of what happened.

    `happens` is what the rules bring, with a mask where a face is asked for; `places` says where, in their order, and
    `left` how many there are of each face that it can be. With neither the game is over.
    """

    options: tuple[Event, ...] = ()
    chance: bool = False
    happens: Event | None = None
    places: tuple[Place, ...] = ()
    left: Mapping[Face, int] = {}


class Draft:
    """Events of a table as far as they are known, and what they come to."""

    def __init__(self, game: Game[Any], opening: GameStarted[Any]) -> None:
        self.game = game
        self._viewers: tuple[Viewer, ...] = ("spectator", *range(opening.seats))
        self.events: list[Event] = [opening]
        self.states: list[State] = [game.evolve(game.initial(), opening)]
        self._due: Event | None = None  # what happens now, and shows strangers
        self._boxes: list[Counter[Face]] = []  # what is left of what was shuffled
        self._box_of: dict[Face, int] = {}  # of each stranger
        self._made = 0
        self._settle()

    def copy(self) -> Draft:
        """Give one that can be changed without this one."""
        other = Draft.__new__(Draft)
        other.game, other._viewers, other._due, other._made = self.game, self._viewers, self._due, self._made
        other.events, other.states = list(self.events), list(self.states)
        other._boxes, other._box_of = [Counter(box) for box in self._boxes], dict(self._box_of)
        return other

    @property
    def over(self) -> bool:
        """Is the game over?"""
        return self.game.outcome(self.states[-1]) is not None

    def question(self) -> Question:
        """Give what is to be entered next."""
        if self._due is not None:
            shown = self._shown(self._due)
            left = Counter[Face]()
            for box in dict.fromkeys([self._box_of[face] for face in shown]):
                left += self._boxes[box]
            return Question(happens=veiled(self._due), places=tuple(_places(self._due, shown)), left=dict(left))
        due = self.game.forced(self.states[-1])
        if isinstance(due, Chance):
            return Question(options=tuple([event for event, weight in due.odds if weight]), chance=True)
        return Question(options=tuple(self.game.legal(self.states[-1])))

    def enter(self, entry: Entry, read: Callable[[bytes], Event]) -> None:
        """Take an entry in, and what follows from it; raises `UnlawfulEvent`, or `FormatError` for what is no event."""
        if entry.event is None:
            self._name(entry.faces)
        else:
            event = read(entry.event.encode())
            step = len(self.events)
            if self._due is not None and not isinstance(event, TakenBack):
                raise UnlawfulEvent("first say what is seen")
            if reason := refuse(self.game, self.states[-1], step, event):
                raise UnlawfulEvent(reason)
            self._due = None
            self._append(event)
        self._settle()

    def whole(self) -> tuple[list[Event], int]:
        """Give the events with a card in place of each stranger, what the box has left, and how many those were."""
        rest = [sorted(box.elements(), key=str, reverse=True) for box in self._boxes]
        left = dict.fromkeys([face for event in self.events for face in strangers(event)])
        names = {stranger: rest[self._box_of[stranger]].pop() for stranger in left}
        return [renamed(event, names) for event in self.events], len(names)

    def _append(self, event: Event) -> None:
        before = self.states[event.to] if isinstance(event, TakenBack) else None
        self.states.append(self.game.evolve(self.states[-1], event) if before is None else before)
        self.events.append(event)

    def _settle(self) -> None:
        """Let the rules run until a move, an outcome or a face has to be entered."""
        while self._due is None and (due := self.game.forced(self.states[-1])) is not None:
            if isinstance(due, Chance):
                if due.odds:
                    return
                due = self._unseen(due)
            if self._shown(due):
                self._due = due
            else:
                self._append(due)

    def _unseen(self, chance: Chance) -> Event:
        """Give an outcome of strangers, and remember what they can be: what any outcome is made of."""
        key = seed_key("box")
        drawn = [chance.sample(Rng(key, number)) for number in range(SAMPLES)]
        fields = [name for name in drawn[0].__struct_fields__ if isinstance(getattr(drawn[0], name), tuple)]
        if len(fields) != 1:
            raise SetupError(f"{self.game.title} cannot be recorded by hand: what chance brings cannot be taken apart")
        parts = [Counter(getattr(event, fields[0])) for event in drawn]
        one_box = all(part == parts[0] for part in parts)
        found = parts[0] if one_box else Counter({face: 1 for part in parts for face in part})
        number = len(self._boxes)
        self._boxes.append(Counter({face: found[face] for face in sorted(found, key=str)}))
        made = list[Face]()
        for face in getattr(drawn[0], fields[0]):
            stranger = FAR - self._made if isinstance(face, int) else f"{SIGN}{self._made}"
            self._made += 1
            self._box_of[stranger] = number
            made.append(stranger)
        return replace(drawn[0], **{fields[0]: tuple(made)})

    def _shown(self, event: Event) -> list[Face]:
        """Give the strangers in an event that somebody at the table sees in it, in their order."""
        visible = [face for viewer in self._viewers for face in strangers(seen(event, viewer))]
        return [face for face in dict.fromkeys(strangers(event)) if face in visible]

    def _name(self, faces: Sequence[Face]) -> None:
        asked = [] if self._due is None else self._shown(self._due)
        if self._due is None or len(faces) != len(asked):
            raise UnlawfulEvent(f"{len(asked)} faces are asked for, not {len(faces)}")
        for stranger, face in zip(asked, faces, strict=True):
            box = self._boxes[self._box_of.pop(stranger)]
            if box[face] < 1:
                raise UnlawfulEvent(f"no {said(face)} is left that it could be")
            box[face] -= 1
        names = dict(zip(asked, faces, strict=True))
        due = renamed(self._due, names)
        events = [renamed(event, names) for event in self.events]
        self.events, self.states, self._due = events[:1], self.states[:1], None
        for event in [*events[1:], due]:
            self._append(event)


def strangers(thing: Any) -> Iterator[Face]:
    """Give the strangers in an event, a state, or a part of one, in their order."""
    if isinstance(thing, Struct):
        for name in thing.__struct_fields__:
            yield from strangers(getattr(thing, name))
    elif type(thing) is tuple:
        for part in thing:
            yield from strangers(part)
    elif _is_stranger(thing):
        yield thing


def renamed(thing: T, names: Mapping[Face, Face]) -> T:
    """Give a thing with faces in place of those strangers that have a name."""
    return cast(T, _renamed(thing, names))


def _renamed(thing: Any, names: Mapping[Face, Face]) -> Any:
    if isinstance(thing, Struct):
        fields = {name: getattr(thing, name) for name in thing.__struct_fields__}
        changed = {name: new for name, value in fields.items() if (new := _renamed(value, names)) is not value}
        return replace(thing, **changed) if changed else thing
    if type(thing) is tuple:
        parts = tuple([_renamed(part, names) for part in thing])
        return parts if any(new is not part for new, part in zip(parts, thing, strict=True)) else thing
    return names.get(thing, thing) if _is_stranger(thing) else thing


def veiled(thing: T) -> T:
    """Give a thing with a mask in place of each stranger: what words and pictures are made of."""
    return renamed(thing, dict.fromkeys(strangers(thing), MASK))


def _is_stranger(thing: object) -> bool:
    if isinstance(thing, str):
        return thing.startswith(SIGN) and thing[1:].isdigit()
    return type(thing) is int and thing <= FAR


def _places(event: Event, shown: Sequence[Face]) -> Iterator[Place]:
    """Give where in an event faces are asked for, part by part of its fields."""
    marks = marks_of(type(event))
    for name in event.__struct_fields__:
        value = getattr(event, name)
        own = name in marks and marks[name].kind == "own_seat"
        parted = type(value) is tuple and any(type(part) is tuple for part in value)
        for number, part in enumerate(value if parted else [value]):
            if count := sum(face in shown for face in strangers(part)):
                yield Place(name, number if own else None, number if parted and not own else None, count)


def said(face: Face) -> str:
    """Give a face in words; numbered ones are counted from 1, as words and pictures do."""
    return f"number {face + 1}" if isinstance(face, int) else face.replace("_", " ")


def told_only(kind: type[Game[Any]]) -> list[str]:
    """Give the kinds of events of a game of which a part, or all, is for single seats: who records has to be told."""
    types = [each for each in get_args(kind.union) if isinstance(each, type) and issubclass(each, Event)]
    private = [each for each in types if each.seen_by or {"own_seat", "private"} & _kinds(each)]
    return [str(each.__struct_config__.tag) for each in private]


def _kinds(event: type[Event]) -> set[str]:
    return {mark.kind for mark in marks_of(event).values()}
