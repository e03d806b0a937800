"""How long each standard statistic of a database takes, measured where it runs: asked of the file, and asked again."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator, Mapping

import polars as pl

from core.registry import find
from replay.bench.storing import Figure
from replay.statistics import ratings, summaries
from replay.statistics.measuring import metrics_of
from replay.storage.store import Filter, Store


def figures(store: Store, game: str) -> Iterator[Figure]:
    """Measure what the statistics page asks about the games of one kind; raises `SetupError` for an unknown game."""
    find(game)
    wanted = Filter(game=game, branches=False)
    share = store.measured(wanted)
    yield Figure("finished games", f"{share.finished:,}, of which {share.measured:,} are measured")
    for what, ask in _questions(store, game, wanted).items():
        first, again = _seconds(ask), min(_seconds(ask) for _ in range(3))
        yield Figure(what, f"first {1000 * first:,.0f} ms, again {1000 * again:,.0f} ms")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield Figure("most memory of this process", f"{peak:,.0f} MiB")


def _questions(store: Store, game: str, wanted: Filter) -> Mapping[str, Callable[[], pl.DataFrame]]:
    def rates(*by: str) -> pl.DataFrame:
        return summaries.win_rates(store.seat_table(wanted, by), ["seats", *by])

    def of_metric(name: str, by: tuple[str, ...]) -> Callable[[], pl.DataFrame]:
        return lambda: store.metric_table(game, name, wanted, by)

    return {
        "win rates by seat": lambda: rates("seat"),
        "win rates by player and bot": lambda: rates("player", "bot"),
        "ratings": lambda: ratings.ratings(store.meetings(wanted)),
        "who is ahead of whom": lambda: ratings.head_to_head(store.pair_table(wanted)),
        "scores": lambda: summaries.score_summary(store.seat_table(wanted, ["score"]), "seats"),
        "length": lambda: summaries.length_summary(store.game_table(wanted)),
        "endings": lambda: summaries.endings(store.game_table(wanted)),
        "situations of cards and other subjects": lambda: store.situation_table(game, wanted),
        **{
            f"metric {metric.name}": of_metric(metric.name, ("key",) if metric.key else ("seats",))
            for metric in metrics_of(game)
        },
    }


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
