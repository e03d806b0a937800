"""Hidden Stones, a whole game in one file: what it takes to bring a fifth game, and what other tests play with.

A round: each seat draws a hidden card, worth one, two or three. Then the seats take one to three stones in turn from a
heap in the middle. Who takes the last stone scores its card as all are shown, and the next seat opens the next round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from msgspec.structs import replace

from core.bots import Bot, View
from core.chance import Chance, pick
from core.game import Game, Outcome, State
from core.ranking import by_score
from core.reducer import Reducer, put
from core.rng import Rng
from core.sheets import Sheet
from events import base
from events.base import Event, Move, Options
from events.marks import COMPONENTS, OWN_SEAT, private_to

Card = Literal["one", "two", "three"]
Hand: TypeAlias = tuple[Card, ...]
WORTH: Mapping[Card, int] = {"one": 1, "two": 2, "three": 3}


class StonesOptions(Options, frozen=True):
    """`double`: the last round counts twice."""

    double: bool = False


class CardDrawn(Event, frozen=True, tag="card_drawn"):
    """A seat draws its card for the round and alone looks at it."""

    seat: int
    card: Annotated[Card, private_to("seat")]


class StonesTaken(Move, frozen=True, tag="stones_taken"):
    """A seat takes stones from the heap."""

    rule: ClassVar[str] = "HS-1"

    count: int


class CardsShown(Event, frozen=True, tag="cards_shown"):
    """The round is over: every card is shown."""

    cards: tuple[Hand, ...]


class GameEnded(base.GameEnded, frozen=True):
    """All rounds are played."""

    reason: Literal["rounds_played"]


StonesEvent: TypeAlias = (
    base.GameStarted[StonesOptions]
    | base.RoundStarted
    | CardDrawn
    | base.TurnStarted
    | StonesTaken
    | CardsShown
    | GameEnded
    | base.TakenBack
)


class StonesSheet(Sheet, frozen=True):
    """The box: how many stones, how many at most a turn, how many of each card, how many rounds."""

    stones: int
    most: int
    cards: tuple[int, int, int]
    rounds: int


class Heap(State, frozen=True):
    """The table; `taken` counts stones seat by seat."""

    sheet: Annotated[StonesSheet, COMPONENTS]
    phase: Literal["setup", "round", "draw", "turn", "take", "show", "end", "over"] = "setup"
    double: bool = False
    round: int = 0
    turn: int = 0
    seat: int = 0
    heap: int = 0
    taken: tuple[int, ...] = ()
    hands: Annotated[tuple[Hand, ...], OWN_SEAT] = ()
    scores: tuple[int, ...] = ()
    outcome: Outcome | None = None


reducer = Reducer[Heap]()


@reducer.on(base.GameStarted)
def game_started(table: Heap, event: base.GameStarted[StonesOptions]) -> Heap:
    """The seats sit down."""
    return replace(table, phase="round", double=event.options.double, scores=(0,) * event.seats)


@reducer.on(base.RoundStarted)
def round_started(table: Heap, event: base.RoundStarted) -> Heap:
    """The heap is made; the opening seat moves on by one each round."""
    seats = len(table.scores)
    opening = (event.round - 1) % seats
    empty: tuple[Hand, ...] = ((),) * seats
    now = replace(table, round=event.round, heap=table.sheet.stones, taken=(0,) * seats)
    return replace(now, phase="draw", seat=(opening - 1) % seats, hands=empty)


@reducer.on(CardDrawn)
def card_drawn(table: Heap, event: CardDrawn) -> Heap:
    """A card comes into a hand."""
    last = event.seat == len(table.scores) - 1
    return replace(table, phase="turn" if last else "draw", hands=put(table.hands, event.seat, (event.card,)))


@reducer.on(base.TurnStarted)
def turn_started(table: Heap, event: base.TurnStarted) -> Heap:
    """A seat is to take."""
    return replace(table, phase="take", seat=event.seat, turn=event.turn)


@reducer.on(StonesTaken)
def stones_taken(table: Heap, event: StonesTaken) -> Heap:
    """Stones leave the heap; with the last one the round is over."""
    seat, left = event.seat, table.heap - event.count
    taken = put(table.taken, seat, table.taken[seat] + event.count)
    return replace(table, heap=left, taken=taken, phase="turn" if left else "show")


@reducer.on(CardsShown)
def cards_shown(table: Heap, event: CardsShown) -> Heap:
    """Who took the last stone scores the worth of its card; the cards go back."""
    seat, done = table.seat, table.round == table.sheet.rounds
    worth = WORTH[event.cards[seat][0]] * (2 if table.double and done else 1)
    scores = put(table.scores, seat, table.scores[seat] + worth)
    return replace(table, phase="end" if done else "round", hands=((),) * len(scores), scores=scores)


@reducer.on(GameEnded)
def game_ended(table: Heap, event: GameEnded) -> Heap:
    """It is over."""
    return replace(table, phase="over", outcome=Outcome(event.reason, event.scores, event.ranking))


def forced(table: Heap) -> Event | Chance | None:
    """Everything but taking stones; the last stone is taken without asking."""
    seats = len(table.scores)
    match table.phase:
        case "round":
            return base.RoundStarted(table.round + 1)
        case "draw":
            seat = sum([1 for hand in table.hands if hand])
            return pick([(CardDrawn(seat, card), count) for card, count in zip(WORTH, table.sheet.cards, strict=True)])
        case "turn":
            return base.TurnStarted(seat=(table.seat + 1) % seats, turn=table.turn + 1)
        case "take":
            return StonesTaken(table.seat, 1) if table.heap == 1 else None
        case "show":
            return CardsShown(table.hands)
        case "end":
            return GameEnded("rounds_played", table.scores, by_score(table.scores))
    return None


def legal(table: Heap) -> Sequence[Move]:
    """One to three stones."""
    if table.phase != "take":
        return ()
    return [StonesTaken(table.seat, count) for count in range(1, min(table.sheet.most, table.heap) + 1)]


class Careful:
    """Leaves a multiple of four, where it can."""

    blind: ClassVar[bool] = False

    def choose(self, view: View, moves: Sequence[Move], rng: Rng) -> Move:
        """Give the first such move, or any."""
        good = [move for move in moves if isinstance(move, StonesTaken) and (view.table.heap - move.count) % 4 == 0]
        return good[0] if good else rng.choice(moves)


class HiddenStones(Game[Heap]):
    """The game as the engine knows it."""

    slug = "hidden-stones"
    title = "Hidden Stones"
    union = StonesEvent
    options = StonesOptions
    sheet_type = StonesSheet
    default_sheet = StonesSheet(
        game="hidden-stones",
        name="Hidden Stones",
        seats=(2, 4),
        stones=9,
        most=3,
        cards=(3, 2, 1),
        rounds=3,
        provenance={
            "seats": "rulebook",
            "stones": "rulebook",
            "most": "rulebook",
            "cards": "rulebook",
            "rounds": "rulebook",
        },
    )
    bots: ClassVar[Mapping[str, Callable[[], Bot]]] = {"careful": Careful}
    bound = 200
    recalled = (CardsShown,)
    sheet: StonesSheet

    evolve = staticmethod(reducer.evolve)
    forced = staticmethod(forced)
    legal = staticmethod(legal)

    def initial(self) -> Heap:
        """An empty table."""
        return Heap(sheet=self.sheet)

    def outcome(self, state: Heap) -> Outcome | None:
        """The result, once there is one."""
        return state.outcome

    def census(self, state: Heap) -> Mapping[str, int]:
        """Stones in the heap and before the seats."""
        return {"stone": state.heap + sum(state.taken)}


def toy(kind: type[Game[Any]] = HiddenStones) -> Game[Any]:
    """Give the game, or a kind of it, with its box."""
    assert HiddenStones.default_sheet is not None
    return kind(HiddenStones.default_sheet)
