"""What games of Picnic Palace are measured by, beside what any game is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from core.games.picnic_palace.scoring import round_points
from core.games.picnic_palace.state import KEPT, Table, totals
from core.tally import Metric, Moment, Subjects, Tally, counted, summed
from events.picnic_palace import (
    InvitationWasted,
    PickleUsed,
    RoundScored,
    RowTaken,
    SprinklesScored,
    TurnStarted,
    UnclaimedDiscarded,
)


def standing(table: Table) -> tuple[int, ...]:
    """Give the points of finished rounds and of what lies before the seats; Sprinkles count once they are scored."""
    return tuple(
        [
            points + round_points(table.sheet, cards)
            for points, cards in zip(totals(table), table.collected, strict=True)
        ]
    )


def used(moment: Moment) -> Iterator[tuple[int, str]]:
    """Give each guest that is scored at the end of a round or of the game, and each Pickle that is given away."""
    event = moment.event
    if isinstance(event, PickleUsed):
        yield event.seat, "pauly_pickle"
    elif isinstance(event, RoundScored | SprinklesScored):
        scored = ("sprinkles",) if isinstance(event, SprinklesScored) else None
        for seat, cards in enumerate(moment.before.collected):
            yield from [(seat, card) for card in cards if (card in scored if scored else card not in KEPT)]


def _invitation_cards(game: Any, along: Sequence[Moment]) -> list[Tally]:
    return summed(
        [
            (event.seat, str(before.round), len(event.cards) if isinstance(event, RowTaken) else 0, step)
            for step, before, event, _ in along
            if isinstance(event, RowTaken | InvitationWasted)
        ]
    )


def _pickles_used(game: Any, along: Sequence[Moment]) -> list[Tally]:
    """A Pickle comes with a row, and never otherwise."""
    got = summed(
        [
            (moment.event.seat, "", 0, moment.step)
            for moment in along
            if isinstance(moment.event, RowTaken)
            for _ in range(moment.event.cards.count("pauly_pickle"))
        ]
    )
    gone = {tally.seat: tally for tally in counted([(use.seat, "", step) for use, step in _given(along)])}
    return [gone[pickles.seat]._replace(n=pickles.n) if pickles.seat in gone else pickles for pickles in got]


def _given(along: Sequence[Moment]) -> list[tuple[PickleUsed, int]]:
    return [(moment.event, moment.step) for moment in along if isinstance(moment.event, PickleUsed)]


def _pickled(game: Any, along: Sequence[Moment]) -> list[Tally]:
    kinds = [kind for kind in along[-1].after.sheet.copies if kind != "pauly_pickle"]
    return summed([(use.seat, kind, int(use.kind == kind), step) for use, step in _given(along) for kind in kinds])


def _sprinkles(game: Any, along: Sequence[Moment]) -> list[Tally]:
    return [
        Tally(seat, "", 1, points, moment.step)
        for moment in along
        if isinstance(moment.event, SprinklesScored)
        for seat, points in enumerate(moment.event.points)
    ]


def _sprinkles_decide(game: Any, along: Sequence[Moment]) -> list[Tally]:
    end: Table = along[-1].after
    before = [sum(points) for points in zip(*end.points, strict=True)]
    leading = [seat for seat, points in enumerate(before) if points == max(before)]
    winners = end.outcome.ranking[0] if end.outcome else ()
    return [Tally(None, "", 1, int(sorted(winners) != leading))]


def _round_points(game: Any, along: Sequence[Moment]) -> list[Tally]:
    return [
        Tally(seat, str(moment.before.round), 1, points, moment.step)
        for moment in along
        if isinstance(moment.event, RoundScored)
        for seat, points in enumerate(moment.event.points)
    ]


def _round_turns(game: Any, along: Sequence[Moment]) -> list[Tally]:
    return counted(
        [(None, str(moment.before.round), moment.step) for moment in along if isinstance(moment.event, TurnStarted)]
    )


def _unclaimed(game: Any, along: Sequence[Moment]) -> list[Tally]:
    return [
        Tally(None, str(moment.before.round), 1, len(swept.face_up) + len(swept.face_down), moment.step)
        for moment in along
        if isinstance(swept := moment.event, UnclaimedDiscarded)
    ]


SUBJECTS: Final = Subjects(
    "guest",
    lambda table: table.collected,
    used,
    "score for it at the end of a round or of the game, or (Pickles) are given away",
)

METRICS: Final = (
    Metric(
        name="invitation_cards",
        title="How many cards does an invitation bring?",
        definition="The cards of the row that a seat takes for an invitation, by round; 0 for an invitation that was "
        "used for nothing.",
        example="In `picnic-palace/2-odd-last-flip.jsonl`, seat 1, round 1: 13 in 4.",
        unit="mean",
        key="round",
        triggers=("row_taken", "invitation_wasted"),
        measure=_invitation_cards,
    ),
    Metric(
        name="pickles_used",
        title="How many Pickles are used?",
        definition="Of the Pickles that a seat collected in the whole game, the share that it gave for a card.",
        example="In `picnic-palace/3-invitation-wasted.jsonl`, seat 2: 2 in 4.",
        unit="rate",
        triggers=("row_taken", "pickle_used"),
        measure=_pickles_used,
    ),
    Metric(
        name="pickled",
        title="What are Pickles used for?",
        definition="Of all Pickles that were given, the share that was given for this guest.",
        example="In `picnic-palace/2-odd-last-flip.jsonl`, seat 1, guest cheezey_pie: 1 in 2.",
        unit="rate",
        key="guest",
        triggers=("pickle_used",),
        measure=_pickled,
    ),
    Metric(
        name="sprinkles_points",
        title="What do Sprinkles bring or cost?",
        definition="The points that a seat gets or loses for its Sprinkles at the end of a game.",
        example="In `picnic-palace/2-odd-last-flip.jsonl`, seat 1: 10 in 1.",
        unit="mean",
        triggers=("sprinkles_scored",),
        measure=_sprinkles,
    ),
    Metric(
        name="sprinkles_decide",
        title="How often do Sprinkles decide the game?",
        definition="Of all finished games, the share in which the winners are not those who led, alone or together, "
        "before Sprinkles were scored.",
        example="In `picnic-palace/2-odd-last-flip.jsonl`: 1 in 1.",
        unit="rate",
        triggers=("sprinkles_scored", "game_ended"),
        measure=_sprinkles_decide,
    ),
    Metric(
        name="round_points",
        title="What does a round bring?",
        definition="The points of a seat in this round.",
        example="In `picnic-palace/2-odd-last-flip.jsonl`, seat 0, round 3: 35 in 1.",
        unit="mean",
        key="round",
        triggers=("round_scored",),
        measure=_round_points,
    ),
    Metric(
        name="round_turns",
        title="How long is a round?",
        definition="The turns of all seats together in this round.",
        example="In `picnic-palace/2-odd-last-flip.jsonl`, round 2: 22 in 1.",
        unit="mean",
        key="round",
        triggers=("turn_started",),
        measure=_round_turns,
    ),
    Metric(
        name="unclaimed",
        title="How many guests are left behind?",
        definition="The cards that nobody took in this round, face up or face down.",
        example="In `picnic-palace/2-odd-last-flip.jsonl`, round 1: 3 in 1.",
        unit="mean",
        key="round",
        triggers=("unclaimed_discarded",),
        measure=_unclaimed,
    ),
)
