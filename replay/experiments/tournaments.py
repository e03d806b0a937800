"""Tournaments: everybody meets everybody, and nobody gains by a seat.

Every group of players that fits a table meets in equally many games, in each order of seats as equally often as can
be. All groups are dealt the same games: game i of each line-up from the same randomness, as in duplicate bridge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, islice, permutations
from math import comb, factorial

import polars as pl
from msgspec import Struct

from core.registry import find
from events.errors import SetupError
from replay.experiments.series import play_on
from replay.filters import Filter
from replay.games import default_sheet
from replay.jobs.workers import always
from replay.notes import TAG_LIMIT
from replay.simulate import Batch
from replay.statistics.ratings import head_to_head, ratings
from replay.statistics.summaries import win_rates
from replay.storage.store import Store


class Tournament(Struct, frozen=True, kw_only=True):
    """Who plays what: bots by name, `games` for each group of `seats` of them; as few seats as there can be if None."""

    game: str
    players: tuple[str, ...]
    games: int
    seats: int | None = None
    seed: str = "0"

    @property
    def tag(self) -> str:
        """The tag by which its games are found."""
        return f"tournament/{self.seed}"

    @property
    def size(self) -> int:
        """How many games there are in all."""
        return comb(len(self.players), self.table) * self.games

    @property
    def table(self) -> int:
        """How many sit at a table; raises `SetupError` for an unknown game."""
        return default_sheet(find(self.game)).seats[0] if self.seats is None else self.seats

    def line_ups(self) -> Iterator[Batch]:
        """Give the line-ups: of each group the orders that are no rotation of each other, for batches rotate seats."""
        for order in range(min(factorial(self.table - 1), self.games)):
            for first, *others in combinations(self.players, self.table):
                (seated,) = islice(permutations(others), order, order + 1)
                yield Batch(game=self.game, seats=self.table, seed=self.seed, bots=(first, *seated))


class Standings(Struct, frozen=True):
    """What a tournament came to: win rates by player, ratings, and who finished ahead of whom, as frames.

    As `statistics.win_rates`, `ratings.ratings` and `ratings.head_to_head` give them.
    """

    games: int
    rates: pl.DataFrame
    ratings: pl.DataFrame
    pairs: pl.DataFrame


def run(
    store: Store,
    tournament: Tournament,
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
    go_on: Callable[[], bool] = always,
) -> Standings | None:
    """Play what the store lacks of a tournament and give the standings; None once `go_on` says no.

    Raises `SetupError` for a tournament that cannot be played.
    """
    _judge(tournament)
    line_ups = list(tournament.line_ups())
    groups = comb(len(tournament.players), tournament.table)
    each, rest = divmod(tournament.games, len(line_ups) // groups)
    played = list[str]()
    for batches, numbers in ((line_ups, range(each)), (line_ups[: rest * groups], range(each, each + 1))):
        if batches and numbers:
            done = len(played)
            told = None if progress is None else lambda now, done=done: progress(done + now)
            play_on(store, dict.fromkeys(batches, tournament.tag), numbers, jobs, told, go_on)
            played += [batch.id_of(number) for batch in batches for number in numbers]
        if not go_on():
            return None
    wanted = Filter(ids=tuple(played))
    return Standings(
        games=len(played),
        rates=win_rates(store.seat_table(wanted, ["player"]), "player").sort(
            "rate", descending=True, maintain_order=True
        ),
        ratings=ratings(store.meetings(wanted)),
        pairs=head_to_head(store.pair_table(wanted, len(tournament.players))),
    )


def _judge(tournament: Tournament) -> None:
    players = tournament.players
    if twice := [player for player in players if players.count(player) > 1]:
        raise SetupError(f"{twice[0]!r} is named twice: everybody meets everybody else once a table")
    if not 1 < tournament.table <= len(players):
        raise SetupError(f"a tournament at {tournament.table} seats needs as many players, and two seats at the least")
    if len(tournament.tag) > TAG_LIMIT:
        raise SetupError(f"the seed of a tournament has at most {TAG_LIMIT - len('tournament/')} characters")
