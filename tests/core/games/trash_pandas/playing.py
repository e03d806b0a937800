"""A game of Trash Pandas set up as a test wants it, and played event by event. Cards go by letters here:

N Nanners, P MMM Pie!, F Feesh, Y Yum Yum, S Shiny, B Blammo!, D Doggo, K Kitteh.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from core.chance import Chance
from core.engine import append, refuse, start
from core.game import Outcome
from core.games.trash_pandas import TrashPandas
from core.games.trash_pandas.state import Table, TrashPandasSheet
from core.redact import redact, seen
from events.base import Event, Move
from events.codec import encode
from events.marks import Viewer
from events.trash_pandas import (
    BonusTurnStarted,
    Card,
    Cards,
    DieRolled,
    DieThrown,
    RollingStopped,
    Token,
    TokenChosen,
    TrashPandasOptions,
    TurnStarted,
)
from replay.games import default_sheet

_box = default_sheet(TrashPandas)
assert isinstance(_box, TrashPandasSheet)
GAME = TrashPandas(_box)
SHEET = GAME.sheet

LETTERS: dict[str, Card] = {
    "N": "Nanners",
    "P": "MMM Pie!",
    "F": "Feesh",
    "Y": "Yum Yum",
    "S": "Shiny",
    "B": "Blammo!",
    "D": "Doggo",
    "K": "Kitteh",
}


def cards(letters: str) -> Cards:
    """Give cards by their letters."""
    return tuple([LETTERS[letter] for letter in letters])


def table(
    *hands: str,
    can: str = "NNNNNNNN",
    discard: str = "",
    stashes: Sequence[str] = (),
    face_up: Sequence[str] = (),
    options: TrashPandasOptions | None = None,
) -> Table:
    """Give a table on which seat 0 is to roll first; `can` and `discard` have their top card first."""
    seats = len(hands)
    opened = GAME.evolve(GAME.initial(), start(GAME, seats, options))
    laid = replace(
        opened,
        hands=tuple([cards(hand) for hand in hands]),
        pile=cards(can),
        discard=cards(discard),
        stashes=tuple([cards(stash) for stash in stashes or [""] * seats]),
        face_up=tuple([cards(stash) for stash in face_up or [""] * seats]),
    )
    return GAME.evolve(laid, TurnStarted(seat=0, turn=1))


class Playing:
    """A game under way. What is played must be lawful; what follows without choice or chance happens at once."""

    def __init__(self, laid: Table) -> None:
        self.table = laid
        self.before = laid
        self.events = list[Event]()
        self._settle()

    def do(self, *events: Event) -> Playing:
        """Play events, one after the other."""
        for event in events:
            self.table = append(GAME, self.table, 9, event)
            self.events.append(event)
            self._settle()
        return self

    def roll(self, *tokens: Token) -> Playing:
        """The active seat throws the die, and it shows each of the tokens in turn."""
        for token in tokens:
            self.do(DieThrown(self.table.seat), DieRolled(self.table.seat, token))
        return self

    def stop(self) -> Playing:
        """The active seat stops rolling."""
        return self.do(RollingStopped(self.table.seat))

    def resolve(self, *tokens: Token) -> Playing:
        """The active seat chooses tokens to resolve."""
        for token in tokens:
            self.do(TokenChosen(self.table.seat, token))
        return self

    def moves(self) -> list[Move]:
        """Give what may be chosen now; nothing may be forced."""
        assert GAME.forced(self.table) is None
        return list(GAME.legal(self.table))

    def asked(self) -> int:
        """Give the one seat that may choose now."""
        (seat,) = dict.fromkeys([move.seat for move in self.moves()])
        return seat

    def due(self) -> Chance:
        """Give the chance that decides what happens now."""
        chance = GAME.forced(self.table)
        assert isinstance(chance, Chance)
        return chance

    def odds(self) -> dict[Event, int]:
        """Give the outcomes of the chance that is due, with their weights."""
        return dict(self.due().odds)

    def refused(self, event: Event) -> str:
        """Give why an event is refused here."""
        reason = refuse(GAME, self.table, 9, event)
        assert reason is not None
        return reason

    def happened(self, *kinds: type[Event]) -> list[Event]:
        """Give the events of some types, in order."""
        return [event for event in self.events if isinstance(event, kinds)]

    def record(self, viewer: Viewer) -> list[bytes]:
        """Give the events that a viewer has seen, as it saw them."""
        return [encode(shown) for event in self.events if (shown := seen(event, viewer)) is not None]

    def view(self, viewer: Viewer) -> Table:
        """Give the table as a viewer sees it."""
        return redact(self.table, viewer)

    def outcome(self) -> Outcome:
        """Give the result of the game, which must be over."""
        assert self.table.outcome is not None
        return self.table.outcome

    def _settle(self) -> None:
        while isinstance(due := GAME.forced(self.table), Event):
            self.table = append(GAME, self.table, 9, due)
            self.events.append(due)


def given(*hands: str, **laid: Any) -> Playing:
    """Give a game under way on `table(...)`."""
    return Playing(table(*hands, **laid))


def finish_turn(game: Playing) -> Playing:
    """Play the active seat's turn to its end, rolling, drawing, stashing and answering as little as possible."""
    started = len(game.happened(TurnStarted, BonusTurnStarted))
    while len(game.happened(TurnStarted, BonusTurnStarted)) == started and game.table.outcome is None:
        due = GAME.forced(game.table)
        game.do(due.odds[0][0] if isinstance(due, Chance) else game.moves()[0])
    return game


def in_bonus_turn(*hands: str, can: str = "NNNNNNNNNN") -> Playing:
    """Give a game in which seat 0 rolled all six tokens, resolved them and is in its bonus turn."""
    return finish_turn(given(*hands, can=can).roll("recycle", "tree", "bin", "steal", "reveal", "bin_tree"))
