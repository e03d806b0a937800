"""What a bot is handed: what its seat sees, its own moves, its own randomness, and nothing behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct

from core.bots import RandomBot, View
from core.bots.seats import Record, record_of, seated
from core.engine import fold, play, start
from core.redact import redact, seen
from core.rng import Rng, bot_stream
from events.base import Event, Move, TakenBack
from tests.toy import CardDrawn, Careful, Heap, StonesTaken, toy

GAME = toy()


class Curious:
    """Keeps everything it is handed."""

    blind: ClassVar[bool] = False

    def __init__(self) -> None:
        self.views: list[View] = []
        self.records: list[list[Event]] = []
        self.offered: list[list[Move]] = []
        self.draws: list[int] = []

    def choose(self, view: View, moves: Sequence[Move], rng: Rng) -> Move:
        """Give the first move."""
        self.views.append(view)
        self.records.append(list(view.record))
        self.offered.append(list(moves))
        self.draws.append(rng.word())
        return moves[0]


def watched(seats: int = 3) -> tuple[list[Event], list[Curious]]:
    """A game of curious bots."""
    bots = [Curious() for _ in range(seats)]
    return play(GAME, start(GAME, seats), b"key", seated(bots, b"key")), bots


def reachable(value: object) -> list[object]:
    """Everything that can be got at from a view, however deep."""
    if isinstance(value, Struct):
        return [value, *[each for name in value.__struct_fields__ for each in reachable(getattr(value, name))]]
    if isinstance(value, list | tuple):
        return [value, *[each for item in value for each in reachable(item)]]
    return [value]


def test_a_bot_sees_the_table_and_the_record_as_its_seat_does() -> None:
    events, bots = watched()
    for seat, bot in enumerate(bots):
        steps = [step for step, event in enumerate(events) if isinstance(event, StonesTaken) and event.seat == seat]
        asked = [step for step in steps if GAME.forced(fold(GAME, events[:step])) is None]
        assert len(bot.views) == len(asked) > 0
        for step, view, record, offered, draw in zip(
            asked, bot.views, bot.records, bot.offered, bot.draws, strict=True
        ):
            before = fold(GAME, events[:step])
            assert view.seat == seat
            assert view.table == redact(before, seat)
            assert record == [seen(event, seat) for event in events[:step]]
            assert offered == list(GAME.legal(before))
            assert draw == Rng(b"key", step, bot_stream(seat)).word()


def test_no_way_leads_from_a_view_to_what_is_hidden() -> None:
    """Every hand and every drawn card within reach is the bot's own, or hidden, or one that all were shown."""
    _, bots = watched()
    for seat, bot in enumerate(bots):
        for view in bot.views:
            things = reachable(view)
            tables = [thing for thing in things if isinstance(thing, Heap)]
            assert tables == [view.table]
            for table in tables:
                others = [hand for at, hand in enumerate(table.hands) if at != seat and hand]
                assert all(str(card) == "?" for hand in others for card in hand)
            drawn = [thing for thing in things if isinstance(thing, CardDrawn)]
            assert all((str(card.card) == "?") == (card.seat != seat) for card in drawn)
            assert drawn


def test_bots_of_other_seats_do_not_change_what_a_seat_draws() -> None:
    """Each seat has its own stream: nature deals the same cards whoever plays."""
    one = play(GAME, start(GAME, 2), b"key", seated([RandomBot(), RandomBot()], b"key"))
    two = play(GAME, start(GAME, 2), b"key", seated([Careful(), Careful()], b"key"))
    assert one[:4] == two[:4]
    assert [event for event in one if isinstance(event, CardDrawn)][:2] == [
        event for event in two if isinstance(event, CardDrawn)
    ][:2]
    assert one != two


def test_a_blind_bot_is_handed_no_view() -> None:
    class Blind:
        blind: ClassVar[bool] = True

        def choose(self, view: object, moves: Sequence[Move], rng: Rng) -> Move:
            assert view is None
            return moves[-1]

    assert play(GAME, start(GAME, 2), b"key", seated([Blind(), Blind()], b"key"))


def test_of_several_seats_that_may_choose_the_first_is_asked_about_its_own_moves() -> None:
    table = fold(GAME, [start(GAME, 3)])
    first, second, third = StonesTaken(1, 1), StonesTaken(0, 1), StonesTaken(1, 2)
    bots = [Curious() for _ in range(3)]
    assert seated(bots, b"key")(table, [first, third, second], []) == first
    assert [bot.offered for bot in bots] == [[], [[first, third]], []]


def test_a_random_bot_with_one_move_draws_nothing() -> None:
    rng, only = Rng(b"key", 0), StonesTaken(0, 1)
    assert RandomBot().choose(None, [only], rng) is only
    assert rng.word() == Rng(b"key", 0).word()


def test_what_was_taken_back_is_not_in_the_record() -> None:
    """Seat 1 sees fewer events than happen, so the record goes by what was seen and not by the number of the step."""
    secret = CardDrawnSecretly(0, "one")
    events = [start(GAME, 2), secret, StonesTaken(0, 1), StonesTaken(1, 2), TakenBack(2), StonesTaken(1, 3)]
    kept = [events[0], StonesTaken(0, 1), StonesTaken(1, 3)]
    assert record_of(events, 1) == kept
    assert record_of(events, 0) == [events[0], secret, *kept[1:]]
    record = Record(1)
    assert [len(record.upto(events[:step])) for step in range(1, 7)] == [1, 1, 2, 3, 2, 3]


class CardDrawnSecretly(Event, frozen=True, tag="card_drawn_secretly"):
    """The others do not learn that it happened."""

    seen_by: ClassVar[tuple[str, ...]] = ("seat",)

    seat: int
    card: str
