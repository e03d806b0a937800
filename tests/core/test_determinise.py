"""Hidden things dealt anew, on tables so small that every way to deal can be gone through, and its chance told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any, TypeVar

import pytest
from msgspec.structs import replace

from core.bots import View
from core.bots.seats import record_of
from core.determinise import Card, Passage, Place, deal, faces, unseen
from core.game import Game
from core.games.picnic_palace.state import Table as PicnicTable
from core.games.trash_pandas.state import Theft
from core.redact import redact
from core.rng import Rng
from events import queen_of_the_cupcakes as cupcakes_events
from events import trash_pandas as raccoons
from events.base import Event
from events.marks import MASK
from tests.core.games.cherry_on_the_cake import bakery
from tests.core.games.picnic_palace import picnic
from tests.core.games.queen_of_the_cupcakes import cupcakes
from tests.core.games.trash_pandas import playing

T = TypeVar("T")
Shares = Mapping[Any, Fraction]

HAND: Place = ("hand", 1)
STASH: Place = ("stash", 1)


class Told(Rng):
    """A generator that gives the numbers it is told, then zeros, and keeps how many there were to choose from."""

    def __init__(self, numbers: Sequence[int]) -> None:
        super().__init__(b"", 0)
        self.numbers = numbers
        self.choices: list[int] = []

    def below(self, n: int) -> int:
        """Give the next number."""
        at = len(self.choices)
        assert at < 40, "it tries on and on"
        self.choices.append(n)
        return self.numbers[at] if at < len(self.numbers) else 0

    def shuffled(self, items: Sequence[T]) -> tuple[T, ...]:
        """Give the items in the order of the numbers."""
        order = list(items)
        return tuple([order.pop(self.below(len(order))) for _ in items])


def ways(draw: Callable[[Rng], T]) -> Iterator[tuple[T, Fraction]]:
    """Give everything that can be drawn, once for each way to draw it, with the chance of that way."""
    numbers: list[int] = []
    while True:
        told = Told(numbers)
        yield draw(told), Fraction(1, prod(told.choices))
        numbers = [*numbers, *[0] * (len(told.choices) - len(numbers))]
        while numbers and numbers[-1] + 1 == told.choices[len(numbers) - 1]:
            numbers.pop()
        if not numbers:
            return
        numbers[-1] += 1


def chances(draw: Callable[[Rng], T]) -> dict[T, Fraction]:
    """Give everything that can be drawn, with its chance."""
    found = dict[T, Fraction]()
    for drawn, share in ways(draw):
        found[drawn] = found.get(drawn, Fraction(0)) + share
    return found


def equally(*things: T) -> dict[T, Fraction]:
    """Give each of the things the same chance; one named twice has twice that."""
    return {thing: Fraction(things.count(thing), len(things)) for thing in things}


# --- by what was seen to go where -------------------------------------------------------------------------------------


def lie(places: Mapping[Place, Sequence[Card]]) -> str:
    """Give the cards of hand and stash, as they came there."""
    return "/".join(["".join(faces(places.get(place, ()))) for place in (HAND, STASH)])


def at_once(passages: Sequence[Passage], hidden: str) -> dict[str, Fraction]:
    """Give how hand and stash may lie, with the chances; the first try has to do."""
    return chances(lambda rng: lie(deal(passages, hidden, rng)[0]))


class Patient(Rng):
    """A generator that has so many words and no more."""

    words = 20_000

    def word(self) -> int:
        """Give the next word."""
        self.words -= 1
        assert self.words, "it tries on and on"
        return super().word()


def in_the_end(passages: Sequence[Passage], hidden: str, tries: int = 60) -> list[str]:
    """Give how hand and stash lay in some deals, each once; a deal may need many tries."""
    found: dict[str, None] = {}
    for number in range(tries):
        places, deck = deal(passages, hidden, Patient(b"deal", number))
        assert sorted([*deck, *[card.face for cards in places.values() for card in cards]]) == sorted(hidden)
        found[lie(places)] = None
    return sorted(found)


def came(*cards: str, place: Place = HAND) -> list[Passage]:
    """Cards come to a place, `?` unseen."""
    return [Passage(None, place, card) for card in cards]


AWAY = Passage(HAND, STASH, MASK)
"""A card is laid away unseen."""


def left(card: str, before: int | None = None, place: Place = HAND) -> Passage:
    """A card is seen to leave."""
    return Passage(place, None, card, before)


def test_of_hidden_cards_every_order_is_as_likely() -> None:
    passages = [*came(MASK), *came(MASK, place=STASH)]
    dealt = chances(lambda rng: (lie((found := deal(passages, "abc", rng))[0]), found[1]))
    orders = ["abc", "acb", "bac", "bca", "cab", "cba"]
    assert dealt == equally(*[(f"{order[0]}/{order[1]}", (order[2],)) for order in orders])
    assert at_once(came(MASK), "aab") == equally("a/", "a/", "b/")
    assert at_once(came(MASK, MASK), "aab") == equally("aa/", "ab/", "ba/")


def test_each_card_has_the_number_of_the_passage_that_brought_it() -> None:
    places, deck = deal([*came("a", MASK), *came("c", place=STASH)], "abc", Told([]))
    assert places == {HAND: [Card("a", 0), Card("b", 1)], STASH: [Card("c", 2)]}
    assert deck == ()
    assert deal([], "a", Told([])) == ({}, ("a",))


def test_of_cards_that_may_have_left_unseen_each_is_as_likely() -> None:
    assert at_once([*came("a", "b", "c"), AWAY], "abc") == equally("bc/a", "ac/b", "ab/c")
    assert at_once([*came("a", MASK), AWAY], "abc") == equally("a/b", "a/c", "b/a", "c/a")


def test_what_is_seen_to_leave_later_has_not_left_unseen() -> None:
    assert at_once([*came("a", MASK), AWAY, left("a")], "bc") == equally("/b", "/c")
    assert at_once([*came("a", "b"), AWAY, left("a")], "b") == equally("/b")
    assert at_once([*came("a", "b"), AWAY, *came("b"), left("a")], "bb") == equally("b/b")
    assert at_once([*came("a", "b"), AWAY, *came("a", place=STASH), left("a")], "ab") == equally("/ba")


def test_what_came_in_the_meantime_may_be_what_leaves_later() -> None:
    there = [*came("a", MASK), AWAY, *came("a")]
    any_ = equally("b/a", "c/a", "a/b", "a/c")
    assert at_once([*there, left("a")], "abc") == any_
    assert at_once([*there, left("a", before=4)], "abc") == any_
    assert at_once([*there, left("a", before=3)], "abc") == equally("a/b", "a/c")
    assert at_once([*came("a"), AWAY, *came(MASK), left("a")], "a") == equally("/a")
    # One came, two leave: one of the two that were there stays.
    assert at_once([*came("a", "a", MASK), AWAY, *came("a"), left("a"), left("a")], "abc") == any_


def test_the_card_that_had_to_be_there_longest_is_kept_first() -> None:
    there = [*came("a", MASK, "b"), AWAY]
    assert at_once([*there, left("a", before=1), left("a")], "b") == equally("/b")
    assert at_once([*there, left("a", before=1), left("a", before=3)], "b") == equally("/b")
    assert at_once([*came("b", "a", MASK), AWAY, left("a", before=2), left("a")], "b") == equally("/b")
    assert at_once([*came(MASK, "a"), AWAY, left("a", before=1)], "a") == equally("/a")


def test_the_card_that_left_is_the_newest_that_it_may_have_been() -> None:
    def stayed(hidden: str, *passages: Passage) -> list[Card]:
        return deal(passages, hidden, Told([]))[0][HAND]

    assert stayed("a", *came("a", "a"), left("a")) == [Card("a", 0)]
    assert stayed("a", *came("a", "a"), left("a", before=1)) == [Card("a", 1)]
    assert stayed("b", *came("a", MASK), left("a")) == [Card("b", 1)]  # one known to be an a, before one that may be
    assert stayed("b", *came(MASK, MASK), left("a")) == [Card("b", 0)]
    assert stayed("a", *came(MASK, "a"), left("a", before=1)) == [Card("a", 1)]


def test_what_turns_up_elsewhere_had_left_unseen() -> None:
    there = [*came("a", MASK), AWAY]
    assert in_the_end([*there, left("a", place=STASH)], "bc") == ["b/", "c/"]
    assert in_the_end([*there, left("b", place=STASH)], "ac") == ["a/"]


def test_a_card_is_not_dealt_twice() -> None:
    """The a that was laid away, or the one that stayed: there is one only."""
    assert in_the_end([*came("a", MASK), AWAY, Passage(STASH, HAND, "a")], "ab") == ["ba/"]
    assert in_the_end([*came(MASK), AWAY, *came("a")], "aab") == ["a/a", "a/b"]


def test_if_both_places_turn_out_to_have_had_one_a_hidden_card_was_the_other() -> None:
    there = [*came("a", "b"), AWAY]
    assert in_the_end([*there, *came(MASK), left("a"), left("a", place=STASH)], "b") == ["b/"]
    assert in_the_end([*came("a", "b", MASK), AWAY, AWAY, left("a", place=STASH), left("b")], "c") == ["/c"]
    hidden = [*came(MASK, place=STASH), *there, left("a", place=STASH)]
    assert in_the_end(hidden, "bc") == ["b/c"]
    assert in_the_end(hidden, "ab") == ["a/b", "b/a"]


def test_what_is_seen_is_not_hidden() -> None:
    assert unseen("aabc", "a", "c") == ("a", "b")
    assert unseen([1, 1, 2]) == (1, 1, 2)
    assert faces([Card("a", 3), Card("b", 1)]) == ("a", "b")


# --- Queen of the Cupcakes --------------------------------------------------------------------------------------------

FEW = cupcakes.small(kinds=cupcakes.cards("opg"), copies=(3, 2, 3), seats=(2, 4), hand=1, bank=1).sheet
"""Eight cards: three orange, two purple, three green."""


def letters(words: Sequence[str], names: Mapping[str, str]) -> str:
    """Give cards by their letters."""
    known = {word: letter for letter, word in names.items()}
    return "".join([known[word] for word in words])


def queen_worlds(table: Any, seat: int, *events: Event) -> Shares:
    """Give the hands, front piles and pile that a seat thinks possible, in letters, with their chances."""
    view = View(seat, redact(table, seat), record_of(events, seat))

    def world(rng: Rng) -> tuple[str, str, str]:
        found: Any = cupcakes.queen.world(view, rng)
        assert redact(found, seat) == view.table
        hands, fronts = (
            "/".join([letters(pile, cupcakes.LETTERS) for pile in piles]) for piles in (found.hands, found.fronts)
        )
        return hands, fronts, letters(found.pile, cupcakes.LETTERS)

    return chances(world)


def queen_table(hands: str, fronts: str = "/", pile: str = "", bank: str = "", **fields: Any) -> Any:
    """Give a table of eight cards, one of them beside the green bin unless told; a part a seat."""
    hand, front = ([cupcakes.cards(part) for part in parts.split("/")] for parts in (hands, fronts))
    return cupcakes.table(
        sheet=FEW,
        seats=len(hand),
        hands=tuple(hand),
        fronts=tuple(front),
        pile=cupcakes.cards(pile),
        bank=cupcakes.cards(bank),
        **{"bins": (0, 0, 1), **fields},
    )


def dealt_hands(table: Any, hands: str) -> cupcakes_events.HandsDealt:
    """The starting hands."""
    return cupcakes_events.HandsDealt(cupcakes.hands(*hands.split("/")))


def test_what_a_rival_took_is_in_its_hand_and_the_rest_is_as_likely_to_be_any() -> None:
    taken = cupcakes_events.CardsTaken(1, "orange", 2)
    table = queen_table("g/poo", pile="og", bank="p")
    found = queen_worlds(table, 0, dealt_hands(table, "g/p"), taken)
    orders = ["opg", "ogp", "pog", "pgo", "gop", "gpo"]
    assert found == equally(*[(f"g/{order[0]}oo", "/", order[1:]) for order in orders])


def test_all_lay_outs_are_remembered_one_s_own_too() -> None:
    mine, theirs = cupcakes_events.CardsLaid(0, "green", 1, 1), cupcakes_events.CardsLaid(1, "orange", 1, 2)
    table = queen_table("p/g", "g/oo", pile="p", bins=(1, 0, 1))
    before = [dealt_hands(table, "p/g"), cupcakes_events.CardsTaken(0, "green", 2), mine]
    before += [cupcakes_events.CardsTaken(1, "orange", 3), theirs]
    assert queen_worlds(table, 0, *before) == equally(("p/p", "g/oo", "g"), ("p/g", "g/oo", "p"))
    shown = replace(table, fronts=((),) * 2, revealed=table.fronts)
    assert queen_worlds(shown, 0, *before) == equally(("p/p", "/", "g"), ("p/g", "/", "p"))


def test_partners_alone_know_what_was_passed() -> None:
    passed = cupcakes_events.CardsPassed(1, 3, cupcakes.pair("oo"))
    table = queen_table("p/g/p/ooo", "///", bank="g", teams=True)
    before = [dealt_hands(table, "p/g/p/o"), cupcakes_events.CardsTaken(1, "orange", 2), passed]
    for seat, known in ((1, 3), (3, 1)):
        others = {hands.split("/")[known] for hands, _, _ in queen_worlds(table, seat, *before)}
        assert others == ({"ooo", "poo"} if known == 3 else {"g", "p"})
    some = [hands for hands, _, _ in queen_worlds(table, 0, *before)]
    assert "p/o/p/goo" in some  # one of the three that seat 1 held stayed with it: perhaps an orange one


def test_before_the_deal_there_is_nothing_to_deal_anew() -> None:
    games: list[Game[Any]] = [cupcakes.queen, picnic.GAME, playing.GAME, bakery.CHERRY]
    for game in games:
        table = game.initial()
        assert game.world(View(0, table, []), Rng(b"deal", 0)) == table


# --- Picnic Palace ----------------------------------------------------------------------------------------------------


def picnic_worlds(table: PicnicTable) -> Shares:
    """Give the face-down cards of each row, the deck and what left the game unseen, with the chances."""
    view = View(0, redact(table, 0), [])

    def world(rng: Rng) -> tuple[str, str, str]:
        found: Any = picnic.GAME.world(view, rng)
        assert redact(found, 0) == view.table
        rows, deck, out = ("/".join(map(" ".join, found.face_down)), " ".join(found.deck), " ".join(found.unseen))
        return rows, deck, out

    return chances(world)


def laid(hidden: str, up: str = "sa|", **fields: Any) -> PicnicTable:
    """Give a table on which all cards but a few are discarded or collected: seat 1 has a Franky."""
    table = picnic.table(up, "|", collected=("", "fr", ""), **fields)
    rest = list(table.sheet.deck)
    for card in (*picnic.cards(hidden), *picnic.cards("fr"), *[card for row in table.face_up for card in row]):
        rest.remove(card)
    return replace(table, discarded=tuple(rest))


def test_face_down_guests_may_lie_in_any_order_and_all_others_are_known() -> None:
    """Sassy, Sunny, Kyle: no copy of theirs lies anywhere else, though the one in sight is a Sassy too (YW-43)."""
    a, u, k = picnic.cards("sa sun ky")
    orders = [(a, u, k), (a, k, u), (u, a, k), (u, k, a), (k, a, u), (k, u, a)]
    table = laid("sa sun ky")
    in_play = replace(table, face_down=(picnic.cards("sa"), picnic.cards("sun")), deck=picnic.cards("ky"))
    assert picnic_worlds(in_play) == equally(*[(f"{one}/{two}", deck, "") for one, two, deck in orders])
    cleared = replace(table, face_down=((), ()), unseen=picnic.cards("sa sun"), deck=picnic.cards("ky"))
    assert picnic_worlds(cleared) == equally(*[("/", deck, f"{one} {two}") for one, two, deck in orders])


# --- Cherry on the Cake -----------------------------------------------------------------------------------------------

SMALL = bakery.box(bronze=(1, 2, 3), silver=(4, 4, 5), gold=(6,))
CAKE = tuple([(piece, 0) for piece in range(8, 40)])
"""All pieces but eight lie in one cake."""


def baking(**fields: Any) -> Any:
    """Give a table at which both seats choose: of pieces 0 to 7, seat 0 has 0 and 1 before it, seat 1 has 2 and 3."""
    mine = bakery.board(0, shown=(0, 1), pile=(4,), bronze=(1,), silver=(4,), cake=CAKE)
    other = bakery.board(1, shown=(2, 3), pile=(5, 6), bronze=(2,), silver=(4, 5), gold=(6,), cake=((7, 180),))
    chips = {"bronze": (3,), "silver": (), "gold": ()}
    return bakery.table(mine, other, game=SMALL, **{"phase": "choose", "spare": (), **chips, **fields})


def bakery_worlds(table: Any, look: Callable[[Any], Any]) -> Shares:
    """Give something of what seat 0 thinks possible, with its chances."""
    view = View(0, redact(table, 0), [])

    def world(rng: Rng) -> Any:
        found: Any = SMALL.world(view, rng)
        assert redact(found, 0) == view.table
        assert SMALL.census(found) == SMALL.census(table)
        return look(found)

    return chances(world)


def test_pieces_that_nobody_has_seen_may_lie_in_any_pile() -> None:
    found = bakery_worlds(baking(), lambda table: (table.boards[0].pile, table.boards[1].pile, table.spare))
    orders = [(4, 5, 6), (4, 6, 5), (5, 4, 6), (5, 6, 4), (6, 4, 5), (6, 5, 4)]
    assert found == equally(*[((mine,), theirs, ()) for mine, *rest in orders if (theirs := tuple(rest))])
    spared = baking(spare=(6,))
    spared = replace(spared, boards=(spared.boards[0], replace(spared.boards[1], pile=(5,))))
    found = bakery_worlds(spared, lambda table: (table.boards[0].pile, table.boards[1].pile, table.spare))
    assert found == equally(*[((mine,), (theirs,), (spare,)) for mine, theirs, spare in orders])


def test_a_secret_choice_may_be_any_that_its_seat_has_and_one_s_own_is_known() -> None:
    """CC-10: one of the pieces in sight, either way round."""
    table = baking()
    table = replace(table, boards=tuple([replace(board, chosen=(board.seat * 2, 180)) for board in table.boards]))
    found = bakery_worlds(table, lambda table: tuple([board.chosen for board in table.boards]))
    assert found == equally(*[((0, 180), (piece, turned)) for piece in (2, 3) for turned in (0, 180)])
    open_ = replace(table, boards=tuple([replace(board, chosen=()) for board in table.boards]))
    assert bakery_worlds(open_, lambda table: tuple([board.chosen for board in table.boards])) == equally(((), ()))


def test_chips_that_lie_face_down_may_be_any_but_one_s_own() -> None:
    """CC-59: of bronze 1, 2, 3 seat 0 has the 1; of silver 4, 4, 5 a 4; each in the order of their values."""

    def chips(table: Any) -> Any:
        return *[(board.bronze, board.silver, board.gold) for board in table.boards], table.bronze

    found = bakery_worlds(baking(), chips)
    own, silver, gold = ((1,), (4,), ()), (4, 5), (6,)
    assert found == equally((own, ((2,), silver, gold), (3,)), (own, ((3,), silver, gold), (2,)))
    end = baking()
    shown = [replace(board, turned_up=(board.bronze, board.silver, board.gold)) for board in end.boards]
    end = replace(end, boards=tuple([replace(board, bronze=(), silver=(), gold=()) for board in shown]), bronze=(3,))
    assert bakery_worlds(end, chips) == equally((((), (), ()), ((), (), ()), (3,)))


# --- Trash Pandas -----------------------------------------------------------------------------------------------------


def raccoon_view(hand: str, can: str, *events: Event, stash: str = "", own: str = "", **fields: Any) -> View:
    """Give what seat 0 sees of a table on which seat 1 came to a hand and a stash by some events of its own turn.

    Seat 1 was dealt two cards, which nobody else saw. All cards but those that are named are in the discard pile.
    """
    rest = list(playing.SHEET.deck)
    for card in playing.cards(hand + can + stash + own):
        rest.remove(card)
    table = playing.table(own, hand, can=can, stashes=("", stash))
    table = replace(table, discard=tuple(rest), **{"seat": 1, **fields})
    dealt = raccoons.HandsDealt((playing.cards(own), playing.cards("NN")))
    return View(0, redact(table, 0), record_of([dealt, raccoons.TurnStarted(seat=1, turn=1), *events], 0))


def raccoon_worlds(view: View, look: Callable[[Any], Any]) -> Shares:
    """Give something of what seat 0 thinks possible, with its chances."""

    def world(rng: Rng) -> Any:
        found: Any = playing.GAME.world(view, rng)
        assert redact(found, 0) == view.table
        return look(found)

    return chances(world)


def held(table: Any) -> str:
    """Give the hand and the stash of seat 1, in letters, as they came there."""
    return "/".join([letters(cards[1], playing.LETTERS) for cards in (table.hands, table.stashes)])


def some_raccoon_worlds(view: View) -> set[str]:
    """Give what `held` says of sixty worlds; each may need many tries."""
    worlds = [playing.GAME.world(view, Patient(b"deal", number)) for number in range(60)]
    assert all(redact(world, 0) == view.table for world in worlds)
    return {held(world) for world in worlds}


def revealed(letter: str, seat: int = 1) -> Event:
    """A card comes to a hand in everybody's sight."""
    return raccoons.CardRevealed(seat, playing.LETTERS[letter])


PLAYED: list[tuple[str, Event]] = [
    ("N", raccoons.NannersPlayed(1)),
    ("B", raccoons.BlammoPlayed(1)),
    ("Y", raccoons.YumYumPlayed(1)),
    ("S", raccoons.ShinyPlayed(1, 0, "face down")),
    ("D", raccoons.DoggoPlayed(1, False)),
    ("K", raccoons.KittehPlayed(1, None)),
]


@pytest.mark.parametrize(("card", "event"), PLAYED, ids=lambda value: value if isinstance(value, str) else "")
def test_a_card_that_is_played_has_left_the_hand(card: str, event: Event) -> None:
    view = raccoon_view("DK", "B", revealed(card), event)
    assert raccoon_worlds(view, held) == equally("DK/", "DB/", "KD/", "KB/", "BD/", "BK/")
    before = raccoon_view("DK" + card, "B", revealed(card))
    assert all(hands.endswith(f"{card}/") for hands in raccoon_worlds(before, held))


def test_what_is_not_seen_to_be_another_stays_where_it_was_seen_to_go() -> None:
    """A card revealed, one from the discard pile for a Feesh, one from a face-up stash; matches and discards leave."""
    feesh = raccoons.FeeshPlayed(1, "Shiny")
    assert raccoon_worlds(raccoon_view("DKS", "", revealed("F"), feesh), held) == equally("DKS/", "KDS/")
    stolen = raccoons.FaceUpCardStolen(1, 0, "Shiny")
    assert raccoon_worlds(raccoon_view("DKS", "", stolen), held) == equally("DKS/", "KDS/")
    match = raccoons.MatchStashed(1, "Shiny")
    assert raccoon_worlds(raccoon_view("DK", "", revealed("S"), match), held) == equally("DK/", "KD/")
    over = raccoons.HandsDiscarded(((), playing.cards("KS")))
    found = raccoon_worlds(raccoon_view("", "D", revealed("S"), raccoons.MatchStashed(1, "Doggo"), over), held)
    assert found == equally("/")


def test_cards_that_are_drawn_or_stashed_face_down_may_be_any() -> None:
    drawn = raccoons.CardsDrawn(1, playing.cards("Y"))
    assert raccoon_worlds(raccoon_view("DKY", "", drawn), lambda table: len(held(table))) == equally(4)
    away = raccoons.CardsStashed(1, playing.cards("S"))
    found = raccoon_worlds(raccoon_view("DK", "", revealed("S"), away, stash="S"), held)
    assert found == equally("DK/S", "KD/S", "DS/K", "KS/D", "DS/K", "KS/D")
    mine = raccoons.CardsStashed(0, playing.cards("S"))  # one's own are known, and no riddle
    assert raccoon_worlds(raccoon_view("DK", "", mine), held) == equally("DK/", "KD/")


def test_a_theft_is_from_the_stash_after_a_shiny_and_from_the_hand_after_a_look_at_it() -> None:
    """What is stolen from seat 1 is known to seat 0, its thief."""
    shiny, aimed = raccoons.ShinyPlayed(0, 1, "face down"), raccoons.HandTargeted(0, 1)
    stolen = raccoons.CardStolen(0, 1, "Shiny", False)
    there = [revealed("S"), revealed("S"), raccoons.CardsStashed(1, playing.cards("S"))]
    from_stash = raccoon_view("DKS", "", *there, shiny, stolen, own="S", seat=0)
    assert some_raccoon_worlds(from_stash) == {"DKS/", "KDS/"}
    from_hand = raccoon_view("DK", "", *there, shiny, aimed, stolen, stash="S", own="S", seat=0)
    assert some_raccoon_worlds(from_hand) == {"DK/S", "KD/S", "DS/K", "KS/D"}


def test_cards_gained_this_turn_are_not_those_played_while_tokens_are_resolved() -> None:
    """TP-35, TP-38: then the one that was played was there before, unseen; without a token resolved it is the new."""
    feesh = raccoons.FeeshPlayed(1, "Shiny")
    chosen, skipped = raccoons.TokenChosen(1, "reveal"), raccoons.TokenSkipped(1, "tree")
    for token in (chosen, skipped):
        assert raccoon_worlds(raccoon_view("DFS", "K", token, revealed("F"), feesh), held) == equally("DFS/", "KFS/")
    assert all("F" not in hands for hands in raccoon_worlds(raccoon_view("DKS", "", revealed("F"), feesh), held))
    again: list[Event] = [raccoons.TurnStarted(seat=1, turn=3), raccoons.BonusTurnStarted(1)]
    for turn in again:
        found = raccoon_worlds(raccoon_view("DKS", "", chosen, revealed("F"), turn, feesh), held)
        assert found == equally("DKS/", "KDS/")
    pie = raccoons.PiePlayed(1, "tree")
    assert raccoon_worlds(raccoon_view("DP", "K", revealed("P"), pie), held) == equally("DP/", "KP/")
    other = raccoons.TurnStarted(seat=0, turn=2)  # in a rival's turn nothing is barred
    assert raccoon_worlds(raccoon_view("DK", "", revealed("P"), other, pie), held) == equally("DK/", "KD/")
    resolved = raccoon_view("FS", "", revealed("F"), pie, feesh)  # who plays a Pie resolves tokens
    assert raccoon_worlds(resolved, held) == equally("FS/")


def test_what_the_active_seat_gained_is_counted_from_the_start_of_its_turn() -> None:
    """TP-36: a Shiny before the turn, then a Doggo and a Doggo."""
    events = [revealed("S"), raccoons.TurnStarted(seat=1, turn=2), revealed("D"), revealed("D")]
    view = raccoon_view("NNSDD", "", *events)
    gained = tuple([2 if kind == "Doggo" else 0 for kind in playing.SHEET.kinds])
    assert raccoon_worlds(view, lambda table: table.gained) == equally(gained)
    mine = raccoon_view("NNSDD", "", *events, seat=0, gained=(1,) * 8)
    assert raccoon_worlds(mine, lambda table: table.gained) == equally((1,) * 8)


def others_asked(viewer: int, letters: str, mark: bool = True, **fields: Any) -> Any:
    """Give who is asked among four seats as one of them has it, where each of the others has one card; turn: seat 1."""
    hands = ["" if seat == viewer else letters[seat] for seat in range(4)]
    rest = list(playing.SHEET.deck)
    for card in playing.cards("".join(hands)):
        rest.remove(card)
    table = playing.table(*hands, can="")
    marks = tuple([seat == viewer and mark for seat in range(4)])
    table = replace(table, seat=1, discard=tuple(rest), **{"asked": marks, **fields})
    dealt = raccoons.HandsDealt(table.hands)
    record = record_of([dealt, raccoons.TurnStarted(seat=1, turn=1)], viewer)
    found = playing.GAME.world(View(viewer, redact(table, viewer), record), Told([]))
    return found.asked


def test_of_those_behind_who_is_asked_all_that_can_answer_are_asked() -> None:
    """TP-32, G-06: clockwise from the active seat 1 come 2, 3 and 0. Whoever stands before has declined."""
    assert others_asked(2, "YYYY") == (True, False, True, True)
    assert others_asked(3, "YYYY") == (True, False, False, True)
    assert others_asked(0, "YYYY") == (True, False, False, False)
    assert others_asked(2, "NNNN") == (False, False, True, False)
    assert others_asked(2, "YYYY", mark=False) == (False,) * 4
    assert others_asked(2, "DDDD", revealed="Doggo") == (True, False, True, True)
    assert others_asked(2, "YYYY", revealed="Doggo") == (False, False, True, False)
    assert others_asked(2, "YYYY", theft=Theft(1, 2, None)) == (False, False, True, False)


def test_while_cards_are_shuffled_or_all_lie_open_nothing_is_dealt_anew() -> None:
    setup = replace(playing.table("N", "N"), phase="shuffle")
    assert playing.GAME.world(View(0, setup, []), Told([])) == setup
    over = replace(playing.table("", "", can=""), discard=tuple(playing.SHEET.deck), seat=1)
    assert playing.GAME.world(View(0, over, []), Told([])) == over
