"""Statistics as functions from frames to frames, by polars.

What goes in are counts that the database has added up (`Store.seat_table`, `game_table`, `metric_table`,
`situation_table`), or rows that stand for one game each (`Store.seat_results`, `Store.replays`): a column `games` says
how many games a row stands for, one if there is none. Events never travel here. Only finished games count. A shared win
is split: each of k winners is credited 1/k, so the credits of a game add up to 1. Every rate stands beside its n, its
95 % interval and what chance alone would give; `enough` is False under `FLOOR` games. Rows are sorted by their keys,
and every column has a fixed type.

`docs/statistics.md` defines each figure; the worked examples there are tests.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

import polars as pl

from core.tally import Metric

FLOOR: Final = 30
"""Games under which a rate says little and is shown in grey."""

Z95: Final = 1.959963984540054
"""Standard normal quantile of a two-sided 95 % interval."""


_RATE: Final = (
    "Only finished games count. **rate** is credit divided by n; a shared win is split, each of k winners is credited "
    "1/k. **low** and **high** are the ends of Wilson's 95 % score interval: if the games were played over and over, "
    "95 of 100 such intervals would contain the true rate. **baseline** is what equal players would get, the mean of "
    "1/seats over those games. A rate is called apart from its share if the interval does not contain the baseline; "
    "when many are looked at, one in twenty is by chance alone. Below 30 games a rate is shown in grey and not judged."
)

DEFINITIONS: Final[Mapping[str, str]] = {
    "seats": f"{_RATE} **n** counts games in which that seat was played. "
    "*Example:* seat 0 won 7 of 10 two-seat games alone and shared 2: credit 8, rate 80.0 %, interval 49.0 to 94.3 %.",
    "seat_test": "Do seats win so unequally that it is more than noise? Pearson's chi-square of the credits of the "
    "seats, by seat count, over the variance that credits have where wins may be shared. **p** says how often equal "
    "seats would give credits at least as unequal: below 5 % it is more than noise. It asks for 30 games a seat, for "
    "players that sit at each seat alike, and for games without teams. *Example:* of 300 two-seat games seat 0 wins "
    "170 and seat 1 wins 130: the statistic is 5.33, p is 2.1 %.",
    "situations": "The win rate of seats beside the cards they had: at the start, ever, used, and left at the end. Per "
    "game each seat counts once, per draw once a copy; a shared win is split. **baseline** is what equal players would "
    "get. A rate beside a card says what goes with it, not what it causes: who is ahead draws more. *Example:* two "
    "seats begin with yellow, one has three copies and wins, one has one and loses: 50 % per game, 75 % per draw.",
    "players": f"{_RATE} **n** counts the games that a player of that name (and bot) sat in.",
    "scores": "The final scores of all seats of finished games. Quartiles (**lower**, **upper**) interpolate linearly; "
    "**sd** is the standard deviation of the sample (n - 1). "
    "*Example:* of the scores 3, 5, 8 and 12 the mean is 7, the quartiles are 4.5, 6.5 and 9.",
    "length": "Turns (as the game counts them) and events of finished games, by number of seats. An event is anything "
    "that happened: a move, or a consequence of one.",
    "endings": "The reason that each finished game gives for its end. **share** is n divided by the games of that seat "
    "count, **low** and **high** the ends of Wilson's 95 % score interval.",
}
"""What each figure of the statistics page means, in Markdown, by its name; at length in `docs/statistics.md`."""


def definition(metric: Metric) -> str:
    """Give what a metric means, in Markdown: definition, unit, interval, example and version."""
    what = (
        "A rate: **value** is total / n."
        if metric.unit == "rate"
        else "A mean: **value** is total / n, what was counted over the cases."
    )
    return (
        f"{metric.definition} {what} Only finished games count. **low** and **high** are the ends of a 95 % interval "
        "that takes the cases of one game as belonging together. "
        f"*Example:* {metric.example} (Metric `{metric.name}`, version {metric.version}.)"
    )


Number = TypeVar("Number", float, pl.Expr)


def wilson(credit: Number, n: Number, z: float = Z95) -> tuple[Number, Number]:
    """Give the ends of Wilson's score interval for `credit` wins in `n` games, as numbers or as columns; 95 % unless
    another normal quantile `z` is given.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927). For shared
    wins `credit` is not whole; the interval is then slightly wide, since sharing varies less than winning or losing.

    >>> [round(end, 3) for end in wilson(8.0, 10.0)]
    [0.49, 0.943]
    """
    p, square = credit / n, z * z
    centre = (p + square / (2 * n)) / (1 + square / n)
    half = z / (1 + square / n) * (p * (1 - p) / n + square / (4 * n * n)) ** 0.5
    return centre - half, centre + half


def win_rates(results: pl.DataFrame, by: str | Sequence[str]) -> pl.DataFrame:
    """Give win rates by one or more columns of the seat results: `seat`, `player`, `bot`, `seats`.

    One row a key, sorted: `n` seats played, `wins` alone, `shared` wins, `credit` (shared wins split), `rate` = credit
    / n with `low` and `high` (95 %), `baseline` (mean of 1/seats: what equal players would get), `mean_rank` (1 is
    best), and whether n is `enough`.
    """
    keys = _names(by)
    won, games = pl.col("won"), pl.col("games")
    credit = pl.when(won).then(1.0 / pl.col("winners")).otherwise(0.0)
    table = (
        _counted(results)
        .group_by(keys)
        .agg(
            n=games.sum(),
            wins=games.filter(won & (pl.col("winners") == 1)).sum(),
            shared=games.filter(won & (pl.col("winners") > 1)).sum(),
            credit=(credit * games).sum(),
            baseline=(games / pl.col("seats")).sum() / games.sum(),
            mean_rank=(pl.col("rank") * games).sum() / games.sum(),
        )
    )
    low, high = wilson(pl.col("credit"), pl.col("n"))
    rated = table.with_columns(rate=pl.col("credit") / pl.col("n"), low=low, high=high, enough=pl.col("n") >= FLOOR)
    order = [*keys, "n", "wins", "shared", "credit", "rate", "low", "high", "baseline", "mean_rank", "enough"]
    return rated.select(order).sort(keys, nulls_last=True)


def seat_test(results: pl.DataFrame) -> pl.DataFrame:
    """Give for each seat count whether the seats win so unequally that it is more than noise.

    One row a seat count, sorted: `seats`, n games, `statistic`, degrees of `freedom`, `p` (how often equal seats would
    give credits at least as unequal), whether it is `enough`. Pearson's chi-square of the credits (K. Pearson, Phil.
    Mag. 50, 1900), over the variance that the credits have: a shared win varies less than a win alone. Meant for games
    in which each seat may win by itself, and each player sits at each seat alike. `p` is null if every game was shared
    by all.
    """
    won, games = pl.col("won"), pl.col("games")
    credit = pl.when(won).then(1.0 / pl.col("winners")).otherwise(0.0)
    seats = pl.col("seats")
    by_seat = (
        _counted(results)
        .group_by("seats", "seat")
        .agg(n=games.sum(), credit=(credit * games).sum(), squares=(credit * credit * games).sum())
    )
    found = by_seat.group_by("seats").agg(
        n=pl.col("n").max(),
        off=((pl.col("credit") - pl.col("n") / seats) ** 2).sum(),
        squares=pl.col("squares").sum(),
    )
    # of the credit of one seat in one game, if all are equal: its mean square less the square of its mean
    variance = pl.col("squares") / (pl.col("n") * seats) - 1.0 / seats**2
    statistic = (seats - 1) / seats * pl.col("off") / (pl.col("n") * variance)
    tested = found.filter(seats > 1).select(
        "seats", "n", statistic=pl.when(variance > 1e-12).then(statistic), freedom=(seats - 1).cast(pl.Int64)
    )
    p = [
        None if value is None else chi_square_tail(value, freedom)
        for value, freedom in tested.select("statistic", "freedom").iter_rows()
    ]
    return tested.with_columns(
        p=pl.Series(p, dtype=pl.Float64), enough=pl.col("n") >= FLOOR * seats.cast(pl.Int64)
    ).sort("seats")


def chi_square_tail(statistic: float, freedom: int) -> float:
    """Give the chance that a chi-square variable of so many degrees of freedom (1 or more) is at least `statistic`.

    The closed forms for whole degrees: M. Abramowitz, I. Stegun, Handbook of Mathematical Functions, 26.4.4 and 26.4.5.

    >>> round(chi_square_tail(3.841, 1), 3), round(chi_square_tail(5.991, 2), 3), round(chi_square_tail(7.815, 3), 3)
    (0.05, 0.05, 0.05)
    """
    half = statistic / 2
    if half <= 0:
        return 1.0
    odd = freedom % 2
    tail = math.erfc(math.sqrt(half)) if odd else math.exp(-half)
    for below in range(1 if odd else 2, freedom, 2):
        tail += math.exp(below / 2 * math.log(half) - half - math.lgamma(below / 2 + 1))
    return tail


def score_summary(results: pl.DataFrame, by: str | Sequence[str]) -> pl.DataFrame:
    """Give the scores by key: n, mean, standard deviation, smallest, quartiles and largest. One row a key, sorted."""
    keys = _names(by)
    score, n = pl.col("score").cast(pl.Float64), pl.col("n")
    counts = score_counts(results, keys).with_columns(mean=(score * n).sum().over(keys) / n.sum().over(keys))
    squares = (n * (score - pl.col("mean")) ** 2).sum()
    return (
        counts.group_by(keys)
        .agg(
            pl.col("mean").first(),
            sd=pl.when(n.sum() > 1).then((squares / (n.sum() - 1)).sqrt()),
            least=pl.col("score").min().cast(pl.Int64),
            lower=_quantile("score", 0.25),
            median=_quantile("score", 0.5),
            upper=_quantile("score", 0.75),
            most=pl.col("score").max().cast(pl.Int64),
            n=n.sum(),
        )
        .select(*keys, "n", "mean", "sd", "least", "lower", "median", "upper", "most")
        .sort(keys, nulls_last=True)
    )


def score_counts(results: pl.DataFrame, by: str | Sequence[str] = ()) -> pl.DataFrame:
    """Give how often each score was reached, by key: the distribution of scores. Sorted by key, then score."""
    keys = [*_names(by), "score"]
    return _counted(results).group_by(keys).agg(n=pl.col("games").sum()).sort(keys, nulls_last=True)


def length_summary(replays: pl.DataFrame) -> pl.DataFrame:
    """Give how long finished games are, by seat count: n, and mean, least, median and most of `turns` and of `length`.

    `length` counts events. One row a seat count, sorted.
    """
    finished = _finished(replays)
    found = finished.group_by("seats").agg(n=pl.col("games").sum()).sort("seats")
    for name in ("turns", "length"):
        n = pl.col("n")
        counts = finished.group_by("seats", name).agg(n=pl.col("games").sum()).sort("seats", name)
        figures = counts.group_by("seats").agg(
            ((pl.col(name) * n).sum() / n.sum()).alias(f"{name}_mean"),
            pl.col(name).min().cast(pl.Int64).alias(f"{name}_least"),
            _quantile(name, 0.5).alias(f"{name}_median"),
            pl.col(name).max().cast(pl.Int64).alias(f"{name}_most"),
        )
        found = found.join(figures, on="seats", how="left", maintain_order="left")
    return found


def length_counts(replays: pl.DataFrame) -> pl.DataFrame:
    """Give how many finished games took how many turns, by seat count. Sorted by seat count, then turns."""
    finished = _finished(replays)
    return finished.group_by(["seats", "turns"]).agg(n=pl.col("games").sum()).sort(["seats", "turns"])


def endings(replays: pl.DataFrame) -> pl.DataFrame:
    """Give how finished games ended, by seat count: n of each reason, its share, and the 95 % interval of the share."""
    finished = _finished(replays)
    counted = (
        finished.group_by(["seats", "ended"])
        .agg(n=pl.col("games").sum())
        .with_columns(games=pl.col("n").sum().over("seats"))
    )
    low, high = wilson(pl.col("n"), pl.col("games"))
    return counted.with_columns(share=pl.col("n") / pl.col("games"), low=low, high=high).sort(["seats", "ended"])


def metric_summary(found: pl.DataFrame, metric: Metric) -> pl.DataFrame:
    """Give the figures of a metric from `Store.metric_table`: its keys, games, n, total, value, low, high, and so on.

    `value` = total / n. `low` and `high` are a 95 % interval. Cases of one game are not independent of each other, so
    the variance of a value is that of a ratio between lots of whole games (W. G. Cochran, Sampling Techniques, 3rd ed.,
    section 6.8; K. Wolter, Introduction to Variance Estimation, chapter 2: random groups). Of a mean the interval is
    value ± 1.96 standard errors; of a rate it is Wilson's for as many independent cases as would vary like that (E. L.
    Korn, B. I. Graubard, Survey Methodology 24, 1998), which are all of them if no game has two. `baseline` is what
    chance alone would bring, null where that is not known; `enough` says whether there are 30 games.
    """
    n, total, value = pl.col("n"), pl.col("total"), pl.col("value")
    rated = found.with_columns(value=total / n).with_columns(variance=_variance("nn", "nt", "tt", n, value))
    if metric.unit == "rate":
        low, high = _wilson_like(value, n, pl.col("variance"), pl.col("single"))
    else:
        half = Z95 * pl.col("variance").sqrt()
        low, high = value - half, value + half
    baseline = metric.baseline
    chance = [None if baseline is None else baseline(key) for key in found["key"]] if "key" in found.columns else []
    return rated.with_columns(
        low=low,
        high=high,
        baseline=pl.Series(chance or [None] * found.height, dtype=pl.Float64),
        enough=pl.col("games") >= FLOOR,
    ).drop("single", "lots", "nn", "nt", "tt", "variance")


def situation_rates(found: pl.DataFrame) -> pl.DataFrame:
    """Give the win rate beside each subject and situation, from `Store.situation_table`, per game and per draw.

    `rate` weighs each seat that had the subject once, `draw_rate` once a copy. `baseline` and `draw_baseline` are what
    equal players would get. The intervals are those of a rate in `metric_summary`. A rate beside a card says what goes
    with it, not what it causes.
    """
    rated = found.with_columns(rate=pl.col("credit") / pl.col("n"), draw_rate=pl.col("draw_credit") / pl.col("draws"))
    never = pl.lit(value=False)
    for part, credit, n in (("", "credit", "n"), ("draw_", "draw_credit", "draws")):
        rate = pl.col(f"{part}rate")
        variance = _variance(f"{part}nn", f"{part}nt", f"{part}tt", pl.col(n), rate)
        low, high = _wilson_like(rate, pl.col(n), variance, never)
        base = "base" if credit == "credit" else "draw_base"
        rated = rated.with_columns(
            low.alias(f"{part}low"), high.alias(f"{part}high"), (pl.col(base) / pl.col(n)).alias(f"{part}baseline")
        )
    keys = found.columns[: found.columns.index("n")]
    return rated.select(
        *keys,
        *("n", "credit", "rate", "low", "high", "baseline"),
        *("draws", "draw_credit", "draw_rate", "draw_low", "draw_high", "draw_baseline"),
        enough=pl.col("n") >= FLOOR,
    )


def _variance(nn: str, nt: str, tt: str, n: pl.Expr, value: pl.Expr) -> pl.Expr:
    """Give the variance of a ratio total / n from its sums over lots; null for a single lot."""
    lots = pl.col("lots")
    spread = (pl.col(tt) - 2 * value * pl.col(nt) + value * value * pl.col(nn)).clip(lower_bound=0)
    return pl.when(lots > 1).then(spread / (n.cast(pl.Float64) ** 2) * lots / (lots - 1))


def _wilson_like(rate: pl.Expr, n: pl.Expr, variance: pl.Expr, single: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """Give Wilson's interval for as many independent cases as would give the rate this variance, at most n."""
    alike = rate * (1 - rate) / variance
    known = variance.is_not_null() & (variance > 0)
    cases = (
        pl.when(single).then(n).when(known).then(pl.min_horizontal(alike, n)).otherwise(pl.min_horizontal("lots", n))
    )
    return wilson(rate * cases, cases)


def _quantile(name: str, q: float) -> pl.Expr:
    """Give a quantile of values that are counted by `n` and sorted, between two values by linear interpolation."""
    at = (pl.col("n").sum() - 1) * q
    upto = pl.col("n").cum_sum()
    below = pl.col(name).filter(upto > at.floor()).first()
    above = pl.col(name).filter(upto > at.ceil()).first()
    return below + (above - below) * (at - at.floor())


def _counted(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with a column `games`: how many games each row stands for."""
    games = pl.col("games") if "games" in frame.columns else pl.lit(1)
    return frame.with_columns(games=games.cast(pl.Int64))


def _names(by: str | Sequence[str]) -> list[str]:
    return [by] if isinstance(by, str) else list(by)


def _finished(replays: pl.DataFrame) -> pl.DataFrame:
    return _counted(replays).filter(pl.col("finished"))
