"""Which replays are meant: a condition for the database, and the same one on a tape."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

from events.tape import Tape
from replay.reading import AMONG, is_id
from replay.rows import account


class Filter(Struct, frozen=True, kw_only=True):
    """Which replays: those for which everything holds that is not None."""

    game: str | None = None
    player: str | None = None
    """A player of this name sat at a seat."""
    bot: str | None = None
    """This bot sat at a seat."""
    seats: int | None = None
    finished: bool | None = None
    provenance: str | None = None
    sheet: str | None = None
    ids: tuple[str, ...] | None = None

    def where(self) -> tuple[str, dict[str, object]]:
        """Give the condition on `replay` as SQL, and the values that stand in it by name."""
        conditions = {
            "game": "replay.game = $game",
            "player": "list_contains(replay.players, $player)",
            "bot": "list_contains(replay.bots, $bot)",
            "seats": "replay.seats = $seats",
            "finished": "replay.finished = $finished",
            "provenance": "replay.provenance = $provenance",
            "sheet": "replay.sheet = $sheet",
            "ids": f"replay.id {AMONG}",
        }
        values = {name: value for name, value in msgspec.structs.asdict(self).items() if value is not None}
        if self.ids is not None:
            values["ids"] = [id for id in self.ids if is_id(id)]
        return " AND ".join([conditions[name] for name in values]) or "true", values

    def holds(self, tape: Tape) -> bool:
        """Say whether a tape is meant."""
        header = tape.header
        if self.ids is not None and header.id not in self.ids:
            return False
        asked = {"game": header.game, "provenance": header.provenance, "sheet": header.sheet}
        if any(getattr(self, name) not in (None, value) for name, value in asked.items()):
            return False
        if self.player is not None and self.player not in [player.name for player in header.players]:
            return False
        if self.bot is not None and self.bot not in [player.bot for player in header.players]:
            return False
        if self.seats is None and self.finished is None:
            return True
        comes_to = account(tape)
        return self.seats in (None, comes_to.seats) and self.finished in (None, comes_to.finished)


EVERYTHING: Final = Filter()
"""The filter that every replay passes."""
