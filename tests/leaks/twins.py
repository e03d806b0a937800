"""Two games that a viewer cannot tell apart: the same as far as it sees, and different in what it has never known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, get_args, get_origin, get_type_hints

from msgspec import Struct
from msgspec.structs import replace

from core.bots import View
from core.bots.seats import record_of
from core.chance import Chance
from core.conformance import random_game, seat_counts
from core.engine import fold
from core.game import Game
from core.redact import redact, seen
from core.rng import Rng, seed_key
from events.base import Event, Options
from events.marks import Viewer


class Twins(Struct, frozen=True):
    """A game up to where its viewer looks, and another that looks the same to it, event for event."""

    game: Game[Any]
    seats: int
    viewer: Viewer
    one: tuple[Event, ...]
    two: tuple[Event, ...]


def twins(game: Game[Any], number: int, tries: int = 12) -> Twins | None:
    """Give the twins of a number, the same in every process; None if nothing could be exchanged in so many tries."""
    dice = Rng(seed_key(f"{game.slug}/{number}"), 0, b"twins")
    options = dice.choice(option_sets(game))
    seats = dice.choice(seat_counts(game, options))
    viewer = dice.choice(["spectator", *range(seats)])
    for attempt in range(tries):
        played = random_game(game, seats, f"twins/{number}/{attempt}", options)
        one, two = _apart(game, played[: _end(game, played, dice)], viewer, dice)
        if one != two:
            return Twins(game, seats, viewer, tuple(one), tuple(two))
    return None


def _end(game: Game[Any], played: Sequence[Event], dice: Rng) -> int:
    """Give where to look: anywhere, and every other time where somebody may be asked in secret, or just has been."""
    asked = [at for at, event in enumerate(played[:-1]) if isinstance(event, game.windows) or type(event).seen_by]
    return dice.choice(asked) + 1 if asked and dice.below(2) else 2 + dice.below(len(played) - 2)


def _apart(game: Game[Any], one: Sequence[Event], viewer: Viewer, dice: Rng) -> tuple[Sequence[Event], Sequence[Event]]:
    """Give a stream up to where it can be told from the other one, and the other one.

    The other goes its own way wherever the viewer sees none of it: chance deals other hidden cards, others choose
    something else that looks the same, seats answer in secret or do not.
    """
    two, at = [one[0]], 1
    state = fold(game, two)
    while at < len(one):
        shown = seen(one[at], viewer)
        options = _options(game, state, one[at], dice)
        unseen = [event for event in options if seen(event, viewer) is None]
        alike = [event for event in options if shown is not None and seen(event, viewer) == shown]
        if shown is None and not (unseen and dice.below(2)):
            at += 1
            continue
        if not (alike or unseen):
            break
        if alike:
            others = [event for event in alike if event != one[at]]
            stay = one[at] in alike and (not others or dice.below(3) > 0)
            event = one[at] if stay else dice.choice(others)
        else:
            event = dice.choice(unseen)
        at += bool(alike) or shown is None
        two.append(event)
        state = game.evolve(state, event)
    return one[:at], two


def _options(game: Game[Any], state: Any, event: Event, dice: Rng) -> Sequence[Event]:
    """Give what may happen: what the rules bring, or moves, or outcomes of chance near to `event`."""
    due = game.forced(state)
    if due is None:
        return game.legal(state)
    if not isinstance(due, Chance):
        return [due]
    near = [event, *[_shuffled(event, dice) for _ in range(12)], *[other for other, weight in due.odds if weight]]
    return [other for other in near if due.admits(other)]


def _shuffled(event: Event, dice: Rng) -> Event:
    """Give the event with some values of its tuples exchanged, also between tuples of a tuple."""
    changes = {}
    for name in event.__struct_fields__:
        value = getattr(event, name)
        if type(value) is tuple and len(value) > 1:
            rows = [list(row) for row in value] if type(value[0]) is tuple else [list(value)]
            places = [(row, at) for row, values in enumerate(rows) for at in range(len(values))]
            for _ in range(1 + dice.below(3) if len(places) > 1 else 0):
                (a, b), (c, d) = dice.choice(places), dice.choice(places)
                rows[a][b], rows[c][d] = rows[c][d], rows[a][b]
            changes[name] = tuple(map(tuple, rows)) if type(value[0]) is tuple else tuple(rows[0])
    return replace(event, **changes)


def other_world(found: Twins, number: int) -> Any | None:
    """Give a table that the seat cannot tell from that of the first game, dealt anew by the game; None for others."""
    if found.viewer == "spectator" or type(found.game).world is Game.world:
        return None
    seat = int(found.viewer)
    view = View(seat, redact(fold(found.game, found.one), seat), record_of(found.one, seat))
    return found.game.world(view, Rng(seed_key("leaks"), number, b"world"))


def option_sets(game: Game[Any]) -> list[Options]:
    """Give the options as they are meant, and with each of them changed by itself."""
    return list(_option_sets(game))


def _option_sets(game: Game[Any]) -> Iterator[Options]:
    meant = game.options()
    yield meant
    for name, hint in get_type_hints(game.options).items():
        values = (False, True) if hint is bool else get_args(hint) if get_origin(hint) is Literal else ()
        for value in values:
            changed = replace(meant, **{name: value})
            if changed != meant and seat_counts(game, changed):
                yield changed
