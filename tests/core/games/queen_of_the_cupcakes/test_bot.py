"""The greedy bot: how strong it is, and that it plays by what its seat may know."""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from core.bots import View
from core.bots.seats import seated
from core.engine import play, start
from core.games.queen_of_the_cupcakes import Queen
from core.games.queen_of_the_cupcakes.bot import GreedyBot, laid_in_front
from core.games.queen_of_the_cupcakes.state import Table
from core.redact import redact, seen
from core.rng import Rng, seed_key
from core.streams import decode
from events.base import Event, Move
from events.marks import MASK
from events.queen_of_the_cupcakes import CardsLaid, FrontPilesRevealed
from replay.games import load
from replay.simulate import Batch, simulate

QUEEN = load("queen-of-the-cupcakes")


def test_greedy_beats_random_in_93_of_100_games_with_seats_alternating() -> None:
    batch = Batch(game="queen-of-the-cupcakes", seats=2, seed="greedy", bots=("greedy", "random"))
    games, won = 2_000, 0
    for tape in simulate(batch, games):
        greedy = [player.name for player in tape.header.players].index("greedy")
        won += msgspec.json.decode(tape.events[-1])["ranking"][0] == [greedy]
    assert won >= 0.93 * games, f"{won} of {games}, shared wins not counted"


def test_what_it_remembers_of_the_lay_outs_is_what_is_turned_up_at_the_end() -> None:
    tape = next(simulate(Batch(game="queen-of-the-cupcakes", seats=3, seed="memory", bots=("greedy",) * 3), 1))
    events, _ = decode(Queen, tape)
    revealed = next(event for event in events if isinstance(event, FrontPilesRevealed))
    table = QUEEN.initial()
    for event in events:
        table = QUEEN.evolve(table, event)
    kinds = table.sheet.kinds
    assert laid_in_front(table, events) == tuple(
        [tuple([pile.count(kind) for kind in kinds]) for pile in revealed.piles]
    )


def test_it_is_handed_no_card_that_its_seat_may_not_see() -> None:
    """Poisoned by what is hidden: every face that the bot is shown is its own, public, or masked."""
    watched = list[int]()

    class Watcher(GreedyBot):
        def choose(self, view: View, moves: Sequence[Move], rng: Rng) -> Move:
            table: Table = view.table
            assert set(table.pile) <= {MASK}
            for seat, hand in enumerate(table.hands):
                assert seat == view.seat or set(hand) <= {MASK}
            assert all(set(front) <= {MASK} for front in table.fronts)
            assert all(seen(event, view.seat) == event for event in view.record)
            assert {move.seat for move in moves} == {view.seat}
            watched.append(view.seat)
            return super().choose(view, moves, rng)

    key = seed_key("watched")
    events: list[Event] = play(QUEEN, start(QUEEN, 3), key, seated([Watcher()] * 3, key))
    assert set(watched) == {0, 1, 2}
    assert any(isinstance(event, CardsLaid) for event in events)


def test_it_fills_a_bin_when_that_wins_and_not_when_that_loses() -> None:
    ahead: Table = replace(
        QUEEN.initial(),
        phase="lay",
        seats=2,
        turn=9,
        seat=0,
        bins=(4, 1, 1, 0, 0, 0),
        hands=(("orange", "orange"), ("blue",)),
        fronts=(("purple", "purple"), ("green",)),
    )
    laid = [CardsLaid(0, "purple", 1, 2), CardsLaid(1, "green", 1, 1)]
    moves = QUEEN.legal(ahead)
    chosen = GreedyBot().choose(View(0, redact(ahead, 0), laid), moves, Rng(b"x", 1))
    assert chosen == CardsLaid(0, "orange", 1, 1)
    behind = [CardsLaid(0, "purple", 1, 1), CardsLaid(1, "green", 1, 3), CardsLaid(1, "green", 1, 3)]
    chosen = GreedyBot().choose(View(0, redact(ahead, 0), behind), moves, Rng(b"x", 1))
    assert not isinstance(chosen, CardsLaid)
