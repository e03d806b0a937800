"""Ratings of players from who finished ahead of whom, and the matrix of who beats whom.

The model is Plackett-Luce as `openskill` has it (R. C. Weng, C.-J. Lin, "A Bayesian approximation method for online
ranking", JMLR 12, 2011): it takes games of any number of seats, ties and teams as they are, and gives each player a
strength with its uncertainty. It looks at a game once, in the order of arrival, so the order matters a little.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl
from openskill.models import PlackettLuce, PlackettLuceRating

from replay.statistics.summaries import FLOOR, Z95, wilson

SCHEMA: Final = pl.Schema(
    {
        "player": pl.String(),
        "n": pl.Int64(),
        "mu": pl.Float64(),
        "sigma": pl.Float64(),
        "low": pl.Float64(),
        "high": pl.Float64(),
        "ordinal": pl.Float64(),
        "enough": pl.Boolean(),
    }
)


def ratings(games: pl.DataFrame) -> pl.DataFrame:
    """Give each player's rating, the best first, from finished games in the order of arrival.

    `games` has lists a seat each: `players`, `ranks` (best 1), `sides` (seats of one number win and lose together).
    A newcomer has `mu` 25 and `sigma` 25/3; `low` to `high` is mu ± 1.96 sigma, and `ordinal` = mu - 3 sigma is what a
    player is worth at the least. A name that sits at two sides of a game says nothing about itself: such games are
    left out.
    """
    model = PlackettLuce()
    known: dict[str, PlackettLuceRating] = {}
    played: dict[str, int] = {}
    for players, ranks, sides in games.select("players", "ranks", "sides").iter_rows():
        teams = _teams(players, ranks, sides)
        if len(teams) < 2 or len(set(players)) < len(players):
            continue
        before = [[known.get(player) or model.rating() for player in team] for _, team in teams]
        after = model.rate(before, ranks=[float(rank) for rank, _ in teams])
        for (_, team), rated in zip(teams, after, strict=True):
            known.update(zip(team, rated, strict=True))
            played.update({player: played.get(player, 0) + 1 for player in team})
    rows = [
        (name, played[name], rating.mu, rating.sigma, *_interval(rating), rating.ordinal(), played[name] >= FLOOR)
        for name, rating in known.items()
    ]
    return pl.DataFrame(rows, SCHEMA, orient="row").sort("mu", "player", descending=[True, False])


def _teams(players: Sequence[str], ranks: Sequence[int], sides: Sequence[int]) -> list[tuple[int, list[str]]]:
    """The rank and the players of each side."""
    teams: dict[int, tuple[int, list[str]]] = {}
    for player, rank, side in zip(players, ranks, sides, strict=True):
        teams.setdefault(side, (rank, []))[1].append(player)
    return list(teams.values())


def _interval(rating: PlackettLuceRating) -> tuple[float, float]:
    return rating.mu - Z95 * rating.sigma, rating.mu + Z95 * rating.sigma


def head_to_head(pairs: pl.DataFrame) -> pl.DataFrame:
    """Give who finished ahead of whom, from `Store.pair_table`: player, other, n, ahead, level, share, low, high.

    n counts the games that both sat in, on different sides; `share` = (ahead + level / 2) / n with Wilson's interval.
    """
    share = (pl.col("ahead") + pl.col("level") / 2) / pl.col("n")
    low, high = wilson(pl.col("ahead") + pl.col("level") / 2, pl.col("n"))
    return pairs.with_columns(share=share, low=low, high=high, enough=pl.col("n") >= FLOOR).sort("player", "other")
