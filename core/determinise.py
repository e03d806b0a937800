"""Determinisation: dealing hidden things anew, so that they may be as they are for all that one seat knows.

A game says which cards went where, some of them unseen (`Passage`); `deal` finds faces for all that are still hidden.
What was seen to go somewhere stays there until it may have left, and a card that turned up later was there before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import NamedTuple, TypeAlias, TypeVar

from core.rng import Rng
from events.marks import MASK

T = TypeVar("T")

Place: TypeAlias = tuple[str, int]
"""Where cards lie that the viewer may not see: ("hand", 2)."""


class Passage(NamedTuple):
    """A card goes from place to place. None is any place whose cards are in sight, and the deck.

    `face` is `MASK` for a card that the viewer did not see. `before`: the card lay in its place before that passage.
    """

    source: Place | None
    target: Place | None
    face: str
    before: int | None = None


class Card(NamedTuple):
    """A card in a place: its face, and the number of the passage by which it came there."""

    face: str
    since: int


def deal(
    passages: Sequence[Passage], unseen: Sequence[str], rng: Rng
) -> tuple[dict[Place, list[Card]], tuple[str, ...]]:
    """Give the cards of each place in the order in which they came there, and those of the deck, at random.

    `unseen` are the faces of all cards that are not in sight now. Cards that nothing is known of are equally likely
    to be any of them; who seems to want which card is not asked. `passages` are those of a lawful game: tries go on
    until one agrees with all of them.
    """
    needs = _needs(passages)
    for tries in count():
        places = _walk(passages, needs, rng, tries > 0)
        if places is not None and (dealt := _filled(places, unseen, rng)):
            return dealt
    raise AssertionError("there is no end to counting")


class _Needs(NamedTuple):
    """The cards that are seen to leave the source, and the target, after an unseen passage, and did not come later."""

    source: tuple[Passage, ...]
    target: tuple[Passage, ...]


def _needs(passages: Sequence[Passage]) -> dict[int, _Needs]:
    """Give the needs at each unseen passage, by its number."""
    needed: dict[Place | None, list[Passage]] = {}
    found = dict[int, _Needs]()
    for number in reversed(range(len(passages))):
        passage = passages[number]
        source, target = passage.source, passage.target
        if passage.face == MASK:
            found[number] = _Needs(tuple(needed.get(source, ())), tuple(needed.get(target, ())))
            continue
        for need in needed.get(target, ()):
            if need.face == passage.face and (need.before is None or number < need.before):
                needed[target].remove(need)
                break
        if source is not None:
            needed.setdefault(source, []).append(passage)
    return found


def _walk(
    passages: Sequence[Passage], needs: Mapping[int, _Needs], rng: Rng, eager: bool
) -> dict[Place, list[Card]] | None:
    """Carry cards along, `MASK` for a face that may be any; None if a card that turns up cannot have been there.

    Unseen cards leave a place what it will need. That is not always possible: if `eager`, some leave it nothing, and
    every other one brings its target what that will need.
    """
    places: dict[Place, list[Card]] = {}
    for number, (source, target, face, before) in enumerate(passages):
        carried = face
        if source is not None:
            cards = places[source]
            at = _one(cards, face, before) if face != MASK else None
            if face == MASK:
                needed, wanted = needs[number].source, Counter[str]()
                if eager and target is not None and rng.below(2):
                    wanted = _short(places.get(target, ()), needs[number].target)
                if eager and not rng.below(4):
                    needed = ()
                at = _any(cards, needed, wanted, rng)
                carried = cards[at].face
            if at is None:
                return None
            cards.pop(at)
        if target is not None:
            places.setdefault(target, []).append(Card(carried, number))
    return places


def _short(cards: Sequence[Card], needed: Sequence[Passage]) -> Counter[str]:
    """Give the faces that some cards lack; none if there are cards of any face enough to have them."""
    held = Counter([card.face for card in cards])
    short = Counter([need.face for need in needed]) - held
    return short if short.total() > held[MASK] else Counter()


def _any(cards: Sequence[Card], needed: Sequence[Passage], wanted: Counter[str], rng: Rng) -> int:
    """Choose a card that leaves unseen: if possible one that is wanted, and leaves the place all it needs."""
    kept = list(enumerate(cards))
    for need in sorted(needed, key=lambda need: (need.before is None, need.before or 0)):
        at = _one([card for _, card in kept], need.face, need.before)
        if at is not None:
            kept.pop(at)
    free = [at for at, _ in kept]
    liked = [at for at in free if cards[at].face in wanted or cards[at].face == MASK] if wanted else []
    return rng.choice(liked or free or range(len(cards)))


def _one(cards: Sequence[Card], face: str, before: int | None) -> int | None:
    """Choose the card that left with a face: one known to have it, else one that may have any; of these the newest."""
    old = len(cards) if before is None else sum([card.since < before for card in cards])
    for wanted in (face, MASK):
        for at in reversed(range(old)):
            if cards[at].face == wanted:
                return at
    return None


def _filled(
    places: Mapping[Place, list[Card]], unseen: Sequence[str], rng: Rng
) -> tuple[dict[Place, list[Card]], tuple[str, ...]] | None:
    """Give cards of any face one of the faces that are left; None if more are known than there are."""
    left = Counter(unseen)
    left.subtract([card.face for cards in places.values() for card in cards if card.face != MASK])
    if any(count < 0 for count in left.values()):
        return None
    pool = rng.shuffled(list(left.elements()))
    at = 0
    filled: dict[Place, list[Card]] = {}
    for place, cards in places.items():
        own = filled[place] = []
        for card in cards:
            if card.face == MASK:
                card, at = Card(pool[at], card.since), at + 1
            own.append(card)
    return filled, pool[at:]


def unseen(box: Iterable[T], *seen: Iterable[T]) -> tuple[T, ...]:
    """Give the things of the box that are not among those seen."""
    left = Counter(box)
    for things in seen:
        left.subtract(things)
    return tuple(left.elements())


def faces(cards: Iterable[Card]) -> tuple[str, ...]:
    """Give the faces of some cards."""
    return tuple([card.face for card in cards])
