"""Games of every kind for tests, and pairs of games that a viewer cannot tell apart."""

from __future__ import annotations

from functools import cache

from msgspec.structs import asdict, replace

from core.chance import Chance
from core.engine import fold
from core.redact import redact, seen
from events.codec import encode_all
from events.marks import Viewer
from events.tape import Tape, sealed
from replay.simulate import Batch, simulate
from replay.timeline import Timeline

SEATS = {"queen-of-the-cupcakes": 3, "trash-pandas": 3, "cherry-on-the-cake": 2, "picnic-palace": 3}


@cache
def played(game: str, seed: str = "debug") -> Tape:
    bots = ("random",) * SEATS[game]
    return next(simulate(Batch(game=game, seats=len(bots), seed=seed, bots=bots), 1))


def twins(game: str, seed: int, viewer: Viewer) -> tuple[Timeline, Timeline] | None:
    """The beginnings of two games that a viewer cannot tell apart: two hidden values are exchanged in the shuffle."""
    tape = played(game, f"twin/{seed}")
    one = Timeline(tape)
    at = next(at for at, event in enumerate(one.events) if type(event).__name__ == "DeckShuffled")
    order = list(asdict(one.events[at])["cards"])
    first = seed % 12
    second = next(j for j in range(len(order) - 1, 0, -1) if order[j] != order[first])
    order[first], order[second] = order[second], order[first]
    events = [*one.events[:at], replace(one.events[at], cards=tuple(order))]
    state = fold(one.game, events)
    kept = at
    for event in one.events[at + 1 :]:
        due = one.game.forced(state)
        told = event if due is None or isinstance(due, Chance) else due
        if seen(told, viewer) != seen(event, viewer) or (due is None and event not in one.game.legal(state)):
            break
        if isinstance(due, Chance) and not due.admits(event):
            break
        state = one.game.evolve(state, told)
        if redact(state, viewer) != redact(one.states[kept + 1], viewer):
            break
        events.append(told)
        kept += 1
    if kept < at + 3:
        return None
    return (
        Timeline(sealed(tape.header, encode_all(one.events[: kept + 1]))),
        Timeline(sealed(tape.header, encode_all(events))),
    )
