"""Which replays are meant: a condition for the database, and the same one on a tape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Struct

from events.tape import Header, Tape
from replay.notes import TAG
from replay.storage.reading import AMONG, is_id
from replay.storage.rows import Account, account

CONDITIONS: Final[Mapping[str, str]] = {
    "game": "replay.game = $game",
    "seats": "replay.seats = $seats",
    "players": "list_has_all(replay.players, $players::VARCHAR[])",
    "bots": "list_has_all(replay.bots, $bots::VARCHAR[])",
    "finished": "replay.finished = $finished",
    "provenance": "replay.provenance = $provenance",
    "branches": "(replay.parent IS NOT NULL) = $branches",
    "sheet": "replay.sheet = $sheet",
    "options": "replay.options = $options",
    "since": "left(replay.recorded, 10) >= $since",
    "until": "left(replay.recorded, 10) <= $until",
    "least_turns": "replay.turns >= $least_turns",
    "most_turns": "replay.turns <= $most_turns",
    "least_events": "replay.length >= $least_events",
    "most_events": "replay.length <= $most_events",
    "tags": f"""list_has_all(
        (SELECT coalesce(list(body), []) FROM note WHERE note.replay = replay.id AND kind = '{TAG}'), $tags::VARCHAR[]
    )""",
    "without_seeds": """NOT (replay.finished AND replay.seed IS NOT NULL AND list_bool_or(list_transform(
        $without_seeds::VARCHAR[], lambda seed: replay.seed = seed OR starts_with(replay.seed, seed || '/')
    )))""",
    "ids": f"replay.id {AMONG}",
}
"""SQL on a row of `replay` for each field of a filter; values are bound to `$name`."""


class Cell(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a bar, a point or a cell of a figure counts: the finished games in which that was so."""

    seat: int | None = None
    player: str | None = None
    bot: str | None = None
    score: int | None = None
    won: bool | None = None
    """One seat of the game is all of these."""
    other: str | None = None
    """A player of this name sat there as well."""
    seats: int | None = None
    turns: int | None = None
    events: int | None = None
    ended: str | None = None
    kind: str | None = None
    """This kind of event happened."""
    metric: str | None = None
    key: str | None = None
    """The metric has something to say, about this key."""

    def where(self) -> tuple[list[str], dict[str, object]]:
        """Give conditions on `replay` as SQL, and the values that stand in them by name."""
        given = msgspec.to_builtins(self)
        values = {f"cell_{name}": value for name, value in given.items()}
        conditions = ["replay.finished"]
        for table, names, more in _CELLS:
            if named := [name for name in names if name in given]:
                asked = " AND ".join([more.get(name, f"{name} = $cell_{name}") for name in named])
                conditions.append(f"replay.id IN (SELECT {table} WHERE {asked})" if table else asked)
        return conditions, values


_CELLS: Final = (
    ("replay FROM seat_result", ("seat", "player", "bot", "score", "won"), dict[str, str]()),
    (
        "",
        ("seats", "turns", "events", "ended", "other"),
        {
            "seats": "replay.seats = $cell_seats",
            "events": "replay.length = $cell_events",
            "turns": "replay.turns = $cell_turns",
            "ended": "replay.ended = $cell_ended",
            "other": "list_contains(replay.players, $cell_other)",
        },
    ),
    ("replay FROM kind_count", ("kind",), dict[str, str]()),
    ("replay FROM tally", ("metric", "key"), dict[str, str]()),
)
"""Where the fields of a cell are looked up, and the conditions that are not `name = value`."""


class Filter(Struct, frozen=True, kw_only=True):
    """Which replays: those for which everything holds that is not None."""

    game: str | None = None
    seats: int | None = None
    players: tuple[str, ...] | None = None
    """Players of all these names sat at the table."""
    bots: tuple[str, ...] | None = None
    """All these bots sat at the table."""
    finished: bool | None = None
    provenance: str | None = None
    branches: bool | None = None
    """It is a branch of another replay; statistics leave those out: they share moves with it, and were chosen."""
    sheet: str | None = None
    options: str | None = None
    """The options of the game, as the JSON that `Store.replays` gives."""
    since: str | None = None
    until: str | None = None
    """First and last day, as `2026-11-30`, of when it was recorded; what has no date is not meant."""
    least_turns: int | None = None
    most_turns: int | None = None
    least_events: int | None = None
    most_events: int | None = None
    tags: tuple[str, ...] | None = None
    """It has all these tags."""
    without_seeds: tuple[str, ...] | None = None
    """Finished games of these seeds are left out: `42` is also the batch of `42/0`, `42/1`, ..."""
    ids: tuple[str, ...] | None = None
    cell: Cell | None = None

    def where(self) -> tuple[str, dict[str, object]]:
        """Give the condition on `replay` as SQL, and the values that stand in it by name."""
        values = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in msgspec.structs.asdict(self).items()
            if value is not None and name != "cell"
        }
        if self.ids is not None:
            values["ids"] = [id for id in self.ids if is_id(id)]
        conditions = [CONDITIONS[name] for name in values]
        if self.cell is not None:
            more, named = self.cell.where()
            conditions += more
            values |= named
        return " AND ".join(conditions) or "true", values

    def holds(self, tape: Tape) -> bool:
        """Say whether a tape is meant. It has no tags; raises `ValueError` for a cell, which only a store can tell."""
        if self.cell is not None:
            raise ValueError("what a cell of a figure counts is asked of a store")
        if self.tags or not self._names(tape.header):
            return False
        asked = (self.seats, self.options, self.least_turns, self.most_turns, self.least_events, self.most_events)
        if self.finished is None and not self.without_seeds and all(value is None for value in asked):
            return True
        return self._comes_to(tape, account(tape))

    def _names(self, header: Header) -> bool:
        day = None if header.recorded is None else header.recorded[:10]
        return (
            (self.ids is None or header.id in self.ids)
            and self.game in (None, header.game)
            and self.provenance in (None, header.provenance)
            and self.branches in (None, header.fork is not None)
            and self.sheet in (None, header.sheet)
            and {*(self.players or ())} <= {player.name for player in header.players}
            and {*(self.bots or ())} <= {player.bot for player in header.players}
            and (self.since is None or (day is not None and day >= self.since))
            and (self.until is None or (day is not None and day <= self.until))
        )

    def _comes_to(self, tape: Tape, comes_to: Account) -> bool:
        seed = tape.header.seed
        left_out = comes_to.finished and any(
            seed == each or (seed or "").startswith(f"{each}/") for each in self.without_seeds or ()
        )
        return (
            not left_out
            and self.seats in (None, comes_to.seats)
            and self.finished in (None, comes_to.finished)
            and self.options in (None, comes_to.options)
            and _within(comes_to.turns, self.least_turns, self.most_turns)
            and _within(len(tape.events), self.least_events, self.most_events)
        )


def _within(value: int, least: int | None, most: int | None) -> bool:
    return (least is None or value >= least) and (most is None or value <= most)


EVERYTHING: Final = Filter()
"""The filter that every replay passes."""
