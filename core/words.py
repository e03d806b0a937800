"""Events as sentences, for players. What is said is said of the redacted event, so words need not hide anything.

A game says its own events (`Game.words`); this module has what every game shares and a plain reading for the rest.
"""

from __future__ import annotations

from collections.abc import Sequence

from events.base import Event, GameEnded, GameStarted, RoundStarted, TakenBack, TurnStarted, kind_of
from events.marks import MASK


def plain(event: Event, names: Sequence[str]) -> str:
    """Give an event as a sentence, with the seats by their names; works for any event of any game.

    >>> plain(TurnStarted(seat=1, turn=4), ["Ada", "Bo"])
    "Turn 4: Bo's turn"
    """
    match event:
        case GameStarted(seats=seats):
            return f"A game for {seats} begins: {listed(names)}"
        case RoundStarted(round=number):
            return f"Round {number} begins"
        case TurnStarted(seat=seat, turn=turn):
            return f"Turn {turn}: {names[seat]}'s turn"
        case TakenBack(to=to):
            return f"Taken back to step {to}"
        case GameEnded():
            return f"The game ends ({event.reason.replace('_', ' ')}): {result(event, names)}"
    fields = [
        f"{name.replace('_', ' ')} {_value(name, getattr(event, name), names)}" for name in event.__struct_fields__
    ]
    return f"{kind_of(event).replace('_', ' ').capitalize()}: {', '.join(fields)}" if fields else kind_of(event)


def result(event: GameEnded, names: Sequence[str]) -> str:
    """Give who won with what, and the others in order; a game that was only broken off has no ranking.

    >>> result(GameEnded(reason="x", scores=(3, 9), ranking=((1,), (0,))), ["Ada", "Bo"])
    'Bo wins with 9, then Ada 3'
    """
    if not event.ranking:
        return "nobody wins"
    first, *others = event.ranking
    score = event.scores[first[0]]
    won = f"{names[first[0]]} wins" if len(first) == 1 else f"{listed([names[seat] for seat in first])} share the win"
    rest = [f"{names[seat]} {event.scores[seat]}" for group in others for seat in group]
    return f"{won} with {score}" + (f", then {', '.join(rest)}" if rest else "")


def listed(words: Sequence[str]) -> str:
    """Give words as a list in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def counted(cards: Sequence[str], unit: str = "card") -> str:
    """Give cards by kind and number, in the order in which kinds first lie there; hidden ones only by number.

    >>> counted(["green", "blue", "green"]), counted(["?", "?"]), counted([])
    ('2 green and 1 blue', '2 cards', 'nothing')
    """
    kinds = dict.fromkeys(cards)
    parts = [f"{cards.count(kind)} {kind}" if kind != MASK else _hidden(cards.count(kind), unit) for kind in kinds]
    return listed(parts) if parts else "nothing"


def _hidden(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'}"


def _value(name: str, value: object, names: Sequence[str]) -> str:
    if name in ("seat", "partner", "victim", "target") and isinstance(value, int) and value < len(names):
        return names[value]
    if isinstance(value, tuple):
        flat = [item for item in value if isinstance(item, str)]
        return (
            counted(flat) if len(flat) == len(value) else f"({', '.join([_value('', item, names) for item in value])})"
        )
    return str(value)
