"""Conditions to stop at, in CEL, the Common Expression Language: it has no side effects and always comes to an end.

    size(hands[seats["Lena"]]) < 2      Lena's hand has fewer than two cards
    bins.exists(b, bins[b] >= 4)        any bin reaches four
    event.kind == "cards_taken"         any such event

Names are the fields of the state as the viewer sees it (tuples whose positions have names are maps by them), `event`,
`turn`, `round`, `step`, and `seats` (name -> seat). A condition on the event holds where it holds; one on the state
alone holds where it becomes true.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from core.paths import labels
from core.redact import marks_of
from events.errors import TabletapeError
from events.marks import Viewer
from replay.timeline import Step, Timeline, names_of

if TYPE_CHECKING:
    import cel

LONGEST: Final = 500
"""Characters of a condition."""

_DEEPEST, _NESTED, _MACROS, _SUMS = 20, 2, 6, 8
"""Most brackets in one another, loops in one another, loops, and plus signs: what bounds the work for one step."""

SECONDS: Final = 10.0
"""How long a condition may be looked for."""

_WRONG = (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError)
"""What CEL raises for what does not hold together."""

_STRINGS = re.compile(r'"[^"]*"|\'[^\']*\'')
_LOOP = re.compile(r"\.\s*(all|exists|exists_one|filter)\s*$")
_BOUND = re.compile(r"\.\s*(?:all|exists|exists_one|filter)\s*\(\s*(\w+)\s*,")
_NAMES = re.compile(r"(?<![\w.])(?<!\.\s)[A-Za-z_]\w*(?!\s*\()(?!\w)")
_WORDS = ("true", "false", "null", "in")


class WatchError(TabletapeError):
    """A condition that cannot be looked for, and why, in one line."""


def hits(timeline: Timeline, viewer: Viewer, text: str) -> tuple[int, ...]:
    """Give the viewer's steps at which a condition holds (or, said of the state alone, becomes true), in order.

    A name that is not there at a step makes it not hold there; raises `WatchError` for a condition that can hold
    nowhere: it cannot be read, names what is never there, or is no yes or no.
    """
    program, names = _compiled(text)
    last = len(timeline.moments(viewer))
    if not last:
        return ()
    _all_known(timeline, names)
    found = list[int]()
    holds, answered = False, False
    failed: Exception | None = None
    given: dict[str, Any] | None = None
    end = monotonic() + SECONDS
    for number in range(last):
        if monotonic() > end:
            raise WatchError(f"this takes longer than {SECONDS:.0f} seconds: ask for something simpler")
        before, given = given, _given(timeline, viewer, number, names)
        if given == before:  # what it speaks of is as it was
            now = holds
        else:
            try:
                now, answered = bool(program.execute(given)), True
            except _WRONG as error:
                now, failed = False, failed or error
        if now and ("event" in names or not holds):
            found.append(number)
        holds = now
    if failed is not None and not answered:
        raise WatchError(f"holds nowhere: {_line(failed, given)}")
    return tuple(found)


def _compiled(text: str) -> tuple[cel.Program, tuple[str, ...]]:
    """Give a condition as a program, and the names in it; raises `WatchError` for one that is too much or is none."""
    import cel  # not before it is needed: it brings a whole command line of its own

    if not text.strip() or len(text) > LONGEST or not text.isprintable() or "\\" in text or '"""' in text:
        raise WatchError(f"a condition is a line of 1 to {LONGEST} characters, without backslashes")
    bare = _STRINGS.sub('""', text)
    _bounded(bare)
    bound = _BOUND.findall(bare)
    names = dict.fromkeys([name for name in _NAMES.findall(bare) if name not in bound and name not in _WORDS])
    try:
        cel.compile(text)
        return cel.compile(f"({text}) ? true : false"), tuple(names)
    except _WRONG as error:
        raise WatchError(f"cannot be read: {_line(error)}") from None


def _bounded(bare: str) -> None:
    """Refuse what could take long at a single step. Loops are the only thing in CEL that multiplies work."""
    if re.search(r"\.\s*map\s*\(", bare):
        raise WatchError("lists are not built here: say it with exists, all or filter")
    open_loops = list[bool]()
    loops = 0
    for at, char in enumerate(bare):
        if char in "([{":
            open_loops.append(char == "(" and _LOOP.search(bare[:at]) is not None)
            loops += open_loops[-1]
        elif char in ")]}" and open_loops:
            open_loops.pop()
        if len(open_loops) > _DEEPEST or sum(open_loops) > _NESTED or loops > _MACROS:
            raise WatchError("too many brackets or loops in one another: say it in a simpler way")
    if bare.count("+") > _SUMS or bare.count("?") > _SUMS:
        raise WatchError(f"too long a sum: at most {_SUMS} plus signs")


def _all_known(timeline: Timeline, names: Sequence[str]) -> None:
    """Refuse a name that is never there, naming near ones."""
    state = type(timeline.states[0])
    known = [*[name for name in state.__struct_fields__ if _told(marks_of(state).get(name))], *_OF_STEPS]
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=3, cutoff=0.5)
            there = ", ".join(dict.fromkeys(near or known))
            raise WatchError(f"nothing is called {name[:60]!r} here; there are: {there}")


def _given(timeline: Timeline, viewer: Viewer, number: int, names: Sequence[str]) -> dict[str, Any]:
    """Give what the names of a condition stand for at a viewer's step."""
    of_state = [name for name in names if name not in _OF_STEPS]
    given = dict(_fields(timeline.seen_view(number, viewer), of_state)) if of_state else {}
    for name in names:
        if name in _OF_STEPS:
            given[name] = _OF_STEPS[name](timeline, timeline.seen_step(number, viewer))
    return given


def _told(mark: Any) -> bool:
    return mark is None or mark.kind != "components"


def _fields(value: Struct, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
    marks = marks_of(type(value))
    for name in names:
        mark, item = marks.get(name), getattr(value, name)
        if mark is not None and mark.kind == "labelled":
            yield name, {label: _plain(part) for label, part in zip(labels(value, mark.names), item, strict=False)}
        elif _told(mark):
            yield name, _plain(item)


def _plain(value: Any) -> Any:
    if isinstance(value, Struct):
        return dict(_fields(value, value.__struct_fields__))
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _event(timeline: Timeline, step: Step) -> dict[str, Any]:
    """The event's own fields, and what is said of every event; where both have a name, the latter is meant."""
    told = {"kind": step.kind, "seat": step.seat, "subject": step.subject, "cause": step.cause}
    return {**_plain(step.event), **told, "words": timeline.game.words(step.event, names_of(timeline))}


_OF_STEPS: Final[Mapping[str, Callable[[Timeline, Step], Any]]] = {
    "event": _event,
    "turn": lambda timeline, step: step.turn,
    "round": lambda timeline, step: step.round,
    "step": lambda timeline, step: step.number,
    "seats": lambda timeline, step: {name: seat for seat, name in enumerate(names_of(timeline))},
}
"""What a condition may name beside the state, which gives way to these."""


def _line(error: Exception, given: Mapping[str, Any] | None = None) -> str:
    """Say in one line what CEL says, without the text that it repeats."""
    if isinstance(error, KeyError):
        key = str(error.args[0])
        near = get_close_matches(key, dict.fromkeys(_keys(given or {})), n=3, cutoff=0.5)
        return f"nothing is called {key[:60]!r}" + (f"; there are: {', '.join(near)}" if near else "")
    if isinstance(error, TypeError):
        return "it is no yes or no, or compares what cannot be compared"
    said = " ".join(str(error).split()).split("ERROR: <input>:")[-1]
    return said.split(" | ")[0].split(" Check that")[0].split(" expecting {")[0][:160]


def _keys(value: Any) -> Iterator[str]:
    """Every key of maps in maps."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield str(key)
            yield from _keys(part)
    elif isinstance(value, list):
        for part in value:
            yield from _keys(part)
