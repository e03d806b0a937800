"""The worked example of a metric, as its definition tells it: what it finds in a golden game."""

from __future__ import annotations

import re
from functools import cache

from core.tally import Metric, Tally
from events.tape import Tape
from replay.golden import tapes
from replay.statistics.measuring import moments_of

CITED = re.compile(r"In `(?P<slug>[a-z-]+)/(?P<file>[^`]+)`")


@cache
def golden(slug: str, file: str) -> Tape:
    """Give a golden game."""
    return next(tape for stream, tape in tapes(slug) if stream.file == file)


def found(metric: Metric, slug: str, file: str) -> list[Tally]:
    """Give what a metric finds in a golden game."""
    game, along = moments_of(golden(slug, file))
    return list(metric.measure(game, along))


def cited(metric: Metric) -> tuple[str, str]:
    """Give the golden game that the example of a metric is from: slug and file."""
    match = CITED.match(metric.example)
    assert match, f"{metric.name} has no example"
    return match["slug"], match["file"]


def example(metric: Metric, slug: str, file: str) -> str:
    """Give the example: the tally that says most."""
    tallies = found(metric, slug, file)
    most = max(tallies, key=lambda tally: (0 < tally.total != tally.n, tally.n, tally.total))
    whose = [] if most.seat is None else [f"seat {most.seat}"]
    what = [f"{metric.key} {most.key}"] if most.key else []
    where = ", ".join([*whose, *what])
    return f"In `{slug}/{file}`{f', {where}' if where else ''}: {most.total} in {most.n}."
