"""What games of Queen of the Cupcakes are measured by, beside what any game is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from core.games.queen_of_the_cupcakes import scoring
from core.games.queen_of_the_cupcakes.state import Table, partner
from core.tally import Metric, Moment, Subjects, Tally, summed
from events.queen_of_the_cupcakes import CardsLaid


def standing(table: Table) -> tuple[int, ...]:
    """Give what the cards in front of the seats would score if all were turned up now, partners' together."""
    value = scoring.points(table) if table.bins else {}
    piles = table.revealed or table.fronts
    own = [sum([value.get(card, 0) for card in pile]) for pile in piles]
    return tuple([own[seat] + own[partner(table, seat)] for seat in range(len(own))]) if table.teams else tuple(own)


def sides(table: Table) -> tuple[tuple[int, ...], ...]:
    """Give who wins together: opposite seats in teams (QC-29)."""
    return ((0, 2), (1, 3)) if table.teams else tuple([(seat,) for seat in range(table.seats)])


def used(moment: Moment) -> Iterator[tuple[int, str]]:
    """Give each card that is laid out, beside a bin or in front."""
    if isinstance(laid := moment.event, CardsLaid):
        yield from [(laid.seat, laid.kind)] * (laid.beside_bin + laid.in_front)


def _bins(game: Any, along: Sequence[Moment]) -> list[Tally]:
    end: Table = along[-1].after
    return [Tally(None, kind, 1, count) for kind, count in zip(end.sheet.kinds, end.bins, strict=True)]


def _full(game: Any, along: Sequence[Moment]) -> list[Tally]:
    end: Table = along[-1].after
    return [
        Tally(None, kind, 1, int(count >= end.sheet.bin_capacity))
        for kind, count in zip(end.sheet.kinds, end.bins, strict=True)
    ]


def _scoring(game: Any, along: Sequence[Moment]) -> list[Tally]:
    end: Table = along[-1].after
    placing = scoring.placing(end)
    return [Tally(None, kind, 1, int(kind in placing)) for kind in end.sheet.kinds]


def _laid(along: Sequence[Moment]) -> list[tuple[CardsLaid, int]]:
    return [(moment.event, moment.step) for moment in along if isinstance(moment.event, CardsLaid)]


def _beside(game: Any, along: Sequence[Moment]) -> list[Tally]:
    return summed([(laid.seat, laid.kind, laid.beside_bin, step) for laid, step in _laid(along)])


def _share(game: Any, along: Sequence[Moment]) -> list[Tally]:
    in_front = summed([(laid.seat, laid.kind, laid.in_front, step) for laid, step in _laid(along)])
    return [
        beside._replace(n=beside.total + front.total)
        for beside, front in zip(_beside(game, along), in_front, strict=True)
    ]


SUBJECTS: Final = Subjects("card", lambda table: table.hands, used, "it lays out, beside a bin or in front")

METRICS: Final = (
    Metric(
        name="full_bin",
        title="Which bins fill first?",
        definition="Of all finished games, the share that ended because the bin of this kind was full. What is missing "
        "from 100 % ended with an empty pile.",
        example="In `queen-of-the-cupcakes/2-bank-of-one-kind.jsonl`, kind orange: 1 in 1.",
        unit="rate",
        key="kind",
        triggers=("game_ended",),
        measure=_full,
    ),
    Metric(
        name="scoring_kind",
        title="Which kinds score in the end?",
        definition="Of all finished games, the share in which this kind was one of the three that score (QC-11). The "
        "**baseline** is three of six kinds.",
        example="In `queen-of-the-cupcakes/2-bank-of-one-kind.jsonl`, kind orange: 1 in 1.",
        unit="rate",
        key="kind",
        triggers=("game_ended",),
        measure=_scoring,
        baseline=lambda kind: 0.5,
    ),
    Metric(
        name="bins",
        title="How much goes into the bins?",
        definition="The cards in the bin of this kind at the end of a game.",
        example="In `queen-of-the-cupcakes/2-bank-of-one-kind.jsonl`, kind orange: 5 in 1.",
        unit="mean",
        key="kind",
        triggers=("game_ended",),
        measure=_bins,
    ),
    Metric(
        name="beside_bin",
        title="How many cards go into a bin at once?",
        definition="Of the cards laid out in a turn, how many went beside the bin.",
        example="In `queen-of-the-cupcakes/2-bank-of-one-kind.jsonl`, seat 1, kind yellow: 4 in 3.",
        unit="mean",
        key="kind",
        triggers=("cards_laid",),
        measure=_beside,
    ),
    Metric(
        name="share_beside_bin",
        title="Which share of what is laid out goes into the bins?",
        definition="Of all cards that were laid out, the share that went beside the bin; the others lie in front of "
        "the seat and may score.",
        example="In `queen-of-the-cupcakes/2-bank-of-one-kind.jsonl`, seat 1, kind orange: 4 in 9.",
        unit="rate",
        key="kind",
        triggers=("cards_laid",),
        measure=_share,
    ),
)
