"""Hidden things dealt anew for a seat, and the bot that searches with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from core.bots import Bot, RandomBot, View
from core.bots.named import Bots
from core.bots.search import FIRST_LOOK, Race, Search, Thought, promise, searchable, value
from core.bots.seats import record_of, seated
from core.conformance import Broken, check_game, check_worlds, random_game, seat_counts
from core.engine import fold, play, start, states
from core.game import Game, Outcome, State
from core.games.cherry_on_the_cake import Cherry
from core.games.picnic_palace import Picnic
from core.games.queen_of_the_cupcakes import Queen
from core.games.trash_pandas import TrashPandas
from core.redact import redact
from core.rng import Rng, seed_key
from events.base import Event, Move, Options, RoundStarted, TurnStarted
from events.cherry_on_the_cake import CakeOptions
from events.errors import SetupError
from events.marks import MASK
from events.queen_of_the_cupcakes import QueenOptions
from events.trash_pandas import TrashPandasOptions
from replay.games import load
from tests.programs import Program
from tests.toy import WORTH, Careful, Hand, Heap, HiddenStones, StonesTaken, toy

# --- worlds ----------------------------------------------------------------------------------------------------------

OPTIONS: list[tuple[type[Game[Any]], Options | None]] = [
    (Queen, None),
    (Queen, QueenOptions(teams=True)),
    (TrashPandas, None),
    (TrashPandas, TrashPandasOptions(True, False, True, True, True, True)),
    (Cherry, None),
    (Cherry, CakeOptions(pieces=6, start_cubes="chosen", die_cubes="one_jar")),
    (Picnic, None),
]


@pytest.mark.parametrize(("kind", "options"), OPTIONS)
def test_a_thousand_worlds_look_to_the_seat_like_the_real_one(kind: type[Game[Any]], options: Options | None) -> None:
    game = load(kind.slug)
    seen = number = 0
    while seen < 1000:
        for seats in seat_counts(game, options):
            events = random_game(game, seats, f"worlds/{number}", options)
            seen += check_worlds(game, events, f"worlds/{number}", 16)
        number += 1


class Dealing(HiddenStones):
    """The toy with cards that can be dealt anew."""

    def world(self, view: View, rng: Rng) -> Heap:
        table: Heap = view.table
        cards = [card for card, count in zip(WORTH, self.sheet.cards, strict=True) for _ in range(count)]
        hands: list[Hand] = [
            hand if seat == view.seat else tuple([rng.choice(cards) for _ in hand])
            for seat, hand in enumerate(table.hands)
        ]
        return replace(table, hands=tuple(hands))


class DealsOwnCard(Dealing):
    """The seat's own card is another."""

    def world(self, view: View, rng: Rng) -> Heap:
        return Dealing.world(self, View((view.seat + 1) % len(view.table.scores), view.table, view.record), rng)


class LosesStones(Dealing):
    """A stone is gone."""

    def census(self, state: Heap) -> dict[str, int]:
        hidden = sum([1 for hand in state.hands for card in hand if card == "three"])
        return {"stone": state.heap + sum(state.taken) - hidden}


class DealsNothing(Dealing):
    """What is hidden stays so."""

    def world(self, view: View, rng: Rng) -> Heap:
        table: Heap = view.table
        one: Hand = ("one",)
        return replace(table, hands=tuple([one * len(hand) for hand in table.hands]))


class DealsAlike(Dealing):
    """The others always hold a one."""

    def world(self, view: View, rng: Rng) -> Heap:
        table: Heap = view.table
        one: Hand = ("one",)
        return replace(
            table,
            hands=tuple([hand if seat == view.seat else one * len(hand) for seat, hand in enumerate(table.hands)]),
        )


def test_a_fifth_game_that_deals_anew_passes_every_check() -> None:
    assert check_game(toy(Dealing), 3) == 9


@pytest.mark.parametrize(
    ("kind", "finding"),
    [
        (DealsOwnCard, "the table looks other than it did"),
        (DealsNothing, "the table looks other than it did"),
        (LosesStones, "there are other components than in the box"),
        (DealsAlike, "hidden things that are dealt anew always lie the same"),
    ],
)
def test_a_game_that_deals_anew_wrongly_is_caught(kind: type[Game[Any]], finding: str) -> None:
    game = toy(kind)
    games = [random_game(toy(), 3, f"{number}") for number in range(6)]
    with pytest.raises(Broken, match=finding):
        list(map(partial(check_worlds, game, seed="wrong"), games))


# --- what was seen in whole games (on tables made by hand: test_determinise.py) ---------------------------------------


def test_of_two_seats_each_knows_what_the_other_was_seen_to_get() -> None:
    """A plain count over whole games of Trash Pandas: what came in sight, less what left in sight, is still there."""
    game = load("trash-pandas")
    known = 0
    for number in range(3):
        events = random_game(game, 2, f"memory/{number}", None)
        for step in range(5, len(events), 29):
            state: Any = fold(game, events[: step + 1])
            record = record_of(events[: step + 1], 0)
            balance = Counter[str]()
            for event in record:
                came, left = _in_sight(event)
                balance.update(came)
                balance.subtract(left)
            world: Any = game.world(View(0, redact(state, 0), record), Rng(b"memory", step))
            held = Counter(world.hands[1] + world.stashes[1])
            for card, count in balance.items():
                assert held[card] >= count
                known += max(0, count)
    assert known > 20


def _in_sight(event: Any) -> tuple[list[str], list[str]]:
    """The cards that seat 0 sees come to seat 1, in hand or stash, and leave it."""
    kind = type(event).__name__
    played = {"PiePlayed": "MMM Pie!", "BlammoPlayed": "Blammo!"}.get(kind, kind.removesuffix("Played"))
    played = {"YumYum": "Yum Yum"}.get(played, played)
    if kind == "HandsDiscarded":
        return [], list(event.hands[1])
    if kind == "CardStolen":
        return ([event.card], []) if event.seat == 1 else ([], [event.card])
    if kind == "FaceUpCardStolen":
        return ([event.card], []) if event.seat == 1 else ([], [])
    if getattr(event, "seat", None) != 1:
        return [], []
    if kind == "CardRevealed":
        return [event.card], []
    if kind == "MatchStashed":
        return [], [event.card]
    if kind == "FeeshPlayed":
        return [event.card], ["Feesh"]
    return [], [played] if kind.endswith("Played") else []


def test_all_lay_outs_of_cupcakes_are_remembered_and_cards_that_were_taken_stay_in_hand() -> None:
    queen = load("queen-of-the-cupcakes")
    events = random_game(queen, 3, "fronts")
    before = events[: [type(event).__name__ for event in events].index("FrontPilesRevealed")]
    for step, state in enumerate(states(queen, before)):
        table: Any = state
        world: Any = queen.world(View(1, redact(table, 1), record_of(before[: step + 1], 1)), Rng(b"fronts", step))
        assert world.fronts == table.fronts
        taken: Any = before[step]
        if type(taken).__name__ == "CardsTaken":
            assert world.hands[taken.seat].count(taken.kind) >= taken.count


# --- the search ------------------------------------------------------------------------------------------------------


def at_the_heap(heap: int, *, scores: tuple[int, ...] = (0, 0)) -> View:
    """Seat 0 is to take, in the last round; it holds a three."""
    table = replace(fold(toy(), [start(toy(), 2)]), phase="take", round=3, turn=1, heap=heap, taken=(9 - heap, 0))
    return View(0, replace(table, hands=(("three",), ("?",)), scores=scores), [])


def taking(*counts: int) -> list[StonesTaken]:
    """Moves of seat 0."""
    return [StonesTaken(0, count) for count in counts]


def test_a_search_finds_the_move_that_wins_and_gives_its_reasons() -> None:
    thought = Search(Dealing, 120).think(at_the_heap(3), taking(1, 2, 3), Rng(b"think", 0))
    assert thought.move == StonesTaken(0, 3)
    assert sum(thought.visits) == thought.rollouts < 120  # the rest has fallen out
    assert thought.visits[2] == max(thought.visits)
    assert min(thought.visits) >= FIRST_LOOK
    assert thought.values[2] == max(thought.values)
    assert all(0 <= value <= 1 for value in thought.values)


def test_with_one_move_there_is_nothing_to_search() -> None:
    thought = Search(Dealing).think(at_the_heap(1), taking(1), Rng(b"think", 0))
    assert thought == Thought(StonesTaken(0, 1), (0,), (0.0,), 0)


def test_what_the_playout_bot_would_do_is_done_where_nothing_better_is_to_be_believed() -> None:
    """One trial of each says nothing: the careful bot leaves a multiple of four."""

    class Steady(Dealing):
        playout = Careful

    for heap in (5, 6, 7):
        thought = Search(Steady, 1).think(at_the_heap(heap), taking(1, 2, 3), Rng(b"think", 0))
        assert thought.move == StonesTaken(0, heap - 4)


def test_every_trial_is_made_at_a_table_of_its_own() -> None:
    words: list[int] = []

    class Watched(Dealing):
        def world(self, view: View, rng: Rng) -> Heap:
            words.append(rng.word())
            return Dealing.world(self, view, rng)

    trials = max(Search(Watched, 60).think(at_the_heap(7), taking(1, 2, 3), Rng(b"think", 0)).visits)
    assert len(dict.fromkeys(words)) == len(words) == trials


def test_a_table_that_does_not_name_its_box_cannot_be_searched() -> None:
    class Bare(State, frozen=True):
        heap: int = 5

    with pytest.raises(SetupError, match=r"^Hidden Stones cannot be searched: its state does not name its box "):
        Search(Dealing).think(View(0, Bare(), []), taking(1, 2), Rng(b"think", 0))


def test_each_move_is_tried_once_before_the_clock_is_asked_and_then_all_that_run() -> None:
    bot = Search(Dealing, 1000, lambda: partial(next, iter([True, True, False])))
    for _ in range(2):  # the timer begins anew with each decision
        assert bot.think(at_the_heap(5), taking(1, 2, 3), Rng(b"think", 0)).visits == (3, 3, 3)
    assert Search(Dealing, 1).think(at_the_heap(5), taking(1, 2, 3), Rng(b"think", 0)).visits == (1, 1, 1)


@pytest.mark.parametrize("moments", [1, 2])
def test_a_playout_ends_where_the_game_can_tell_what_the_seats_may_expect(moments: int) -> None:
    """The toy can between its rounds: there it is as many points as somebody has now."""
    rounds = list[int]()

    class Foreseeing(Dealing):
        horizon = moments

        def evolve(self, state: Heap, event: Event) -> Heap:
            after = HiddenStones.evolve(state, event)
            rounds.append(after.round)
            return after

        def prospects(self, state: Heap) -> Sequence[float] | None:
            return state.scores if state.phase == "draw" else None

    table = replace(at_the_heap(3).table, round=1)
    thought = Search(Foreseeing, 30).think(View(0, table, []), taking(1, 2, 3), Rng(b"think", 0))
    assert max(rounds) == 1 + moments
    assert thought.move == StonesTaken(0, 3)
    if moments == 1:  # its card, a three, against nothing
        assert thought.values[2] == promise(toy(Dealing), table, (3, 0), 0) > 0.5


def played(bots: Sequence[Bot], seed: str) -> list[Event]:
    """A game of the toy."""
    key = seed_key(seed)
    return play(toy(Dealing), start(toy(Dealing), len(bots)), key, seated(bots, key))


def test_a_search_beats_random_moves_and_plays_the_same_again() -> None:
    won = 0
    for number in range(20):
        bots: list[Bot] = [RandomBot(), RandomBot()]
        bots[number % 2] = Search(Dealing, 40)
        end: Any = played(bots, f"{number}")[-1]
        won += number % 2 in end.ranking[0]
    assert won >= 16
    assert played([Search(Dealing, 20), Careful()], "again") == played([Search(Dealing, 20), Careful()], "again")


PROGRAM = """
from core.bots.search import Search
from core.rng import Rng
from tests.core.test_search import Dealing, at_the_heap, taking
print(Search(Dealing, 50).think(at_the_heap(7), taking(1, 2, 3), Rng(b"think", 1)))
"""


def test_a_search_thinks_the_same_in_another_process() -> None:
    thought = Search(Dealing, 50).think(at_the_heap(7), taking(1, 2, 3), Rng(b"think", 1))
    assert Program(PROGRAM).ends().strip() == str(thought)


def test_the_searching_bot_sees_no_more_than_its_view() -> None:
    """Every table it deals differs from the real one where it may: it has the view to go by and no more."""
    dealt: list[Heap] = []

    class Watched(Dealing):
        def world(self, view: View, rng: Rng) -> Heap:
            assert all(card == MASK for seat, hand in enumerate(view.table.hands) if seat != view.seat for card in hand)
            dealt.append(Dealing.world(self, view, rng))
            return dealt[-1]

    key = seed_key("watched")
    play(toy(Watched), start(toy(Watched), 2), key, seated([Search(Watched, 12), Search(Watched, 12)], key))
    assert len(Counter([table.hands for table in dealt])) > 4


def test_partners_win_together_and_who_ties_shares() -> None:
    queen = load("queen-of-the-cupcakes")
    table: Any = fold(queen, [start(queen, 4, QueenOptions(teams=True))])
    won = replace(table, outcome=Outcome("bin_full", (15, 5, 15, 5), ((0, 2), (1, 3))))
    assert [value(queen, won, seat) for seat in range(4)] == pytest.approx([0.9268, 0.0732, 0.9268, 0.0732], abs=1e-4)
    alone = replace(won, teams=False, outcome=Outcome("bin_full", (5, 5, 5, 5), ((0, 1, 2, 3),)))
    assert value(queen, alone, 0) == pytest.approx(0.5 / 4 + 0.25)
    assert value(queen, replace(alone, outcome=Outcome("given_up", (0, 0, 0, 0), ())), 0) == 0


def race(*values: Sequence[float], usual: int | None = None) -> Race:
    """A race of moves whose trials came to so much."""
    found = Race(len(values), usual)
    found.values = [list(each) for each in values]
    return found


def test_a_move_that_gained_little_does_not_replace_what_the_playout_bot_would_do() -> None:
    unsteady = [0.3, 0.7, 0.3, 0.72]
    assert race([0.5] * 4, unsteady).winner() == 1
    assert race([0.5] * 4, unsteady, usual=0).winner() == 0
    assert race([0.5] * 4, [0.5, 0.6, 0.5, 0.6], usual=0).winner() == 1
    assert race([0.5], [0.9], usual=0).winner() == 0  # one trial says nothing


def test_the_leader_has_the_highest_mean_and_of_equal_ones_it_is_the_usual_one_or_the_first() -> None:
    assert race([0.4], [0.6], [0.5]).leader() == 1
    assert race([0.6], [0.6], [0.5]).leader() == 0
    assert race([0.6], [0.6], [0.5], usual=1).leader() == 1


def test_moves_fall_out_that_are_surely_behind_or_the_same() -> None:
    found = race([0.5, 0.6] * 4, [0.4, 0.5] * 4, [0.4, 0.7] * 4, [0.5, 0.6] * 4, usual=3)
    found.narrow()
    assert found.running == [2, 3]  # in doubt, and of two alike the usual one


# --- what may be expected --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [TrashPandas, Cherry, Picnic])
def test_prospects_foretell_the_lead_better_than_the_standing(kind: type[Game[Any]]) -> None:
    game = load(kind.slug)
    missed = Counter[str]()
    for number in range(12):
        key = seed_key(f"prospects/{number}")
        events = play(game, start(game, 2), key, seated([kind.playout(), kind.playout()], key))
        past = list(states(game, events))
        outcome = game.outcome(past[-1])
        assert outcome is not None
        end = outcome.scores
        for event, state in zip(events, past, strict=True):
            if isinstance(event, RoundStarted | TurnStarted) and (expected := game.prospects(state)):
                for name, scores in (("prospects", expected), ("standing", game.standing(state) or ())):
                    missed[name] += round(100 * ((scores[0] - scores[1]) - (end[0] - end[1])) ** 2)
    assert 0 < missed["prospects"] < 0.95 * missed["standing"]
    four = [game.prospects(state) for state in states(game, random_game(game, 4, "prospects"))]
    assert {len(expected) for expected in four if expected} == {4}


# --- by name ---------------------------------------------------------------------------------------------------------


def test_a_budget_is_written_in_the_name_of_the_bot() -> None:
    bots = Bots(Queen)
    assert list(bots) == ["random", "search", "greedy"]
    assert "search:50" in bots
    assert isinstance(bots["search:50"](), Search)
    for name in (
        "search:",
        "search:0",
        "search:x",
        "search:1.5",
        "search:-1",
        "search: 5",
        "search:100000",
        "find:5",
        5,
    ):
        assert name not in bots
    with pytest.raises(KeyError, match=r"^'search:0'$"):
        bots["search:0"]
    heap, moves = at_the_heap(5), taking(1, 2, 3)
    searching: list[Any] = [Bots(Dealing)[name]() for name in ("search:3", "search")]
    assert [len(bot.think(heap, moves, Rng(b"think", 0)).visits) for bot in searching] == [3, 3]
    assert searching[0].think(heap, moves, Rng(b"think", 0)).rollouts == 3


def test_a_game_that_hides_things_and_cannot_deal_them_anew_has_no_searching_bot() -> None:
    assert not searchable(HiddenStones)
    assert "search" not in Bots(HiddenStones)
    assert "search:5" not in Bots(HiddenStones)
    with pytest.raises(SetupError, match="Hidden Stones cannot be searched: it does not say how hidden things may lie"):
        Search(HiddenStones)
    assert all(searchable(kind) for kind in (Queen, TrashPandas, Cherry, Picnic, Dealing))


def test_a_search_plays_a_whole_game_of_each_kind() -> None:
    for slug in ("queen-of-the-cupcakes", "picnic-palace"):
        game = load(slug)
        key = seed_key(slug)
        bots: list[Bot] = [Search(type(game), 4), RandomBot()]
        events = play(game, start(game, 2), key, seated(bots, key))
        assert game.outcome(fold(game, events)) is not None
        moves = [event for event in events if isinstance(event, Move)]
        assert moves
