"""What games of Trash Pandas are measured by, beside what any game is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from core.games.trash_pandas import scoring
from core.games.trash_pandas.state import TOKENS, Table
from core.tally import Metric, Moment, Subjects, Tally, counted, summed
from events.trash_pandas import (
    BlammoPlayed,
    BonusTurnStarted,
    BustAccepted,
    Cards,
    CardStolen,
    DieRolled,
    FaceUpCardStolen,
    HandsDiscarded,
    NannersPlayed,
    RollingStopped,
    StashesRevealed,
    TurnStarted,
)

BUST: Final = "bust"


def standing(table: Table) -> tuple[int, ...]:
    """Give what the stashes would score if they were turned up now."""
    stashes = [(*shown, *hidden) for shown, hidden in zip(table.face_up, table.stashes, strict=True)]
    return scoring.scores(replace(table, face_up=tuple(stashes)))


def held(table: Table) -> tuple[Cards, ...]:
    """Give the hands."""
    return table.hands


def used(moment: Moment) -> Iterator[tuple[int, str]]:
    """Give each card that is scored in a stash, face up or face down."""
    if isinstance(moment.event, StashesRevealed):
        yield from [(seat, card) for seat, stash in enumerate(moment.after.face_up) for card in stash]


# --- rolling ---------------------------------------------------------------------------------------------------------


def _busting(game: Any, along: Sequence[Moment]) -> list[Tally]:
    return summed(
        [
            (event.seat, str(len(before.taken)), int(event.token in before.taken), step)
            for step, before, event, _ in along
            if isinstance(event, DieRolled)
        ]
    )


def _saves(game: Any, along: Sequence[Moment]) -> list[Tally]:
    ends = [
        (moment.event, moment.step)
        for moment in along
        if moment.before.phase == "bust" and isinstance(moment.event, BustAccepted | BlammoPlayed | NannersPlayed)
    ]
    return summed(
        [
            (end.seat, card, int(isinstance(end, kind)), step)
            for end, step in ends
            for card, kind in (("Blammo!", BlammoPlayed), ("Nanners", NannersPlayed))
        ]
    )


def _six_tokens(game: Any, along: Sequence[Moment]) -> list[Tally]:
    started = summed(
        [(moment.event.seat, "", 0, moment.step) for moment in along if isinstance(moment.event, TurnStarted)]
    )
    bonus = counted(
        [(moment.event.seat, "", moment.step) for moment in along if isinstance(moment.event, BonusTurnStarted)]
    )
    six = {tally.seat: tally for tally in bonus}
    return [six[turns.seat]._replace(n=turns.n) if turns.seat in six else turns for turns in started]


# --- what a turn brings ----------------------------------------------------------------------------------------------


class _Turn(NamedTuple):
    """A turn or bonus turn: how many tokens it was stopped at (or "bust"), when, and the table at its start and end."""

    seat: int
    tokens: str
    stopped: int
    start: Table
    end: Table

    def more(self, *piles: str) -> int:
        """How many cards more the seat has in these piles after the turn than before."""
        return sum(
            [len(getattr(self.end, pile)[self.seat]) - len(getattr(self.start, pile)[self.seat]) for pile in piles]
        )


def _turns(along: Sequence[Moment]) -> Iterator[_Turn]:
    start: Table | None = None
    tokens, stopped = "", 0
    for step, before, event, after in along:
        if isinstance(event, TurnStarted | BonusTurnStarted | HandsDiscarded):
            if start is not None:
                yield _Turn(start.seat, tokens, stopped, start, before)
            start = after
        elif isinstance(event, BustAccepted):
            tokens, stopped = BUST, step
        elif isinstance(event, RollingStopped | NannersPlayed | DieRolled) and after.phase == "resolve":
            tokens, stopped = str(len(after.taken)), step


def _cards_gained(game: Any, along: Sequence[Moment]) -> list[Tally]:
    return summed(
        [(turn.seat, turn.tokens, turn.more("hands", "stashes", "face_up"), turn.stopped) for turn in _turns(along)]
    )


def _cards_stashed(game: Any, along: Sequence[Moment]) -> list[Tally]:
    return summed([(turn.seat, turn.tokens, turn.more("stashes", "face_up"), turn.stopped) for turn in _turns(along)])


# --- theft -----------------------------------------------------------------------------------------------------------


def _thefts(along: Sequence[Moment]) -> Iterator[tuple[int, str, int, int]]:
    thief, place = -1, ""
    for step, before, event, after in along:
        if before.theft is None and after.theft is not None:
            thief, place = after.theft.thief, "hand" if after.theft.card is None else "stash"
        elif before.theft is not None and after.theft is None:
            yield thief, place, int(isinstance(event, CardStolen | FaceUpCardStolen) and event.seat == thief), step


def _steals(game: Any, along: Sequence[Moment]) -> list[Tally]:
    return summed(_thefts(along))


SUBJECTS: Final = Subjects("card", held, used, "lie in its stash at the end, and score", last=HandsDiscarded)

TURN: Final = (
    *("turn_started", "bonus_turn_started", "hands_discarded"),
    *("rolling_stopped", "nanners_played", "die_rolled", "bust_accepted"),
)
"""What begins a turn, and what settles how many tokens it is stopped at."""

METRICS: Final = (
    Metric(
        name="busting_rolls",
        title="How often does a roll show a token that the seat has?",
        definition="Of the rolls with so many tokens taken, the share that shows one of them: the seat busts, unless a "
        "card saves it. The **baseline** is what a fair die would give, tokens divided by six.",
        example="In `trash-pandas/2-doggo-draws-the-last-card.jsonl`, seat 0, tokens taken 1: 3 in 11.",
        unit="rate",
        key="tokens taken",
        triggers=("die_rolled",),
        measure=_busting,
        baseline=lambda tokens: int(tokens) / len(TOKENS),
    ),
    Metric(
        name="saves",
        title="How often does a card save a seat from a bust?",
        definition="Of the rolls that would bust, the share after which this card was played instead.",
        example="In `trash-pandas/2-doggo-draws-the-last-card.jsonl`, seat 1, card Blammo!: 2 in 6.",
        unit="rate",
        key="card",
        triggers=("bust_accepted", "blammo_played", "nanners_played"),
        measure=_saves,
    ),
    Metric(
        name="cards_gained",
        title="How many cards does a turn bring, stopped at so many tokens?",
        definition="How many cards a seat has more, in its hand and stash together, when its turn is over than when it "
        "began, by the number of tokens that it stopped rolling at. A bonus turn is a turn of its own.",
        example="In `trash-pandas/2-doggo-draws-the-last-card.jsonl`, seat 1, tokens 3: 12 in 6.",
        unit="mean",
        key="tokens",
        triggers=TURN,
        measure=_cards_gained,
    ),
    Metric(
        name="cards_stashed",
        title="How many cards are stashed in a turn, stopped at so many tokens?",
        definition="How many cards a seat has more in its stash when its turn is over than when it began, by the "
        "number of tokens that it stopped rolling at. Only stashed cards score.",
        example="In `trash-pandas/2-doggo-draws-the-last-card.jsonl`, seat 1, tokens 3: 14 in 6.",
        unit="mean",
        key="tokens",
        triggers=TURN,
        measure=_cards_stashed,
    ),
    Metric(
        name="steals",
        title="How many thefts succeed?",
        definition="Of the thefts that a seat began, from a hand or from a stash, the share that brought it a card: "
        "not those that a Doggo blocked or a Kitteh turned round.",
        example="In `trash-pandas/2-doggo-draws-the-last-card.jsonl`, seat 1, from hand: 3 in 5.",
        unit="rate",
        key="from",
        triggers=(
            "hand_targeted",
            "shiny_played",
            "card_stolen",
            "face_up_card_stolen",
            "doggo_played",
            "kitteh_played",
        ),
        measure=_steals,
    ),
    Metric(
        name="six_tokens",
        title="How often does a turn bring all six tokens?",
        definition="Of the turns of a seat, bonus turns left out, the share in which it took all six tokens.",
        example="In `trash-pandas/2-six-tokens.jsonl`, seat 0: 1 in 11.",
        unit="rate",
        triggers=("turn_started", "bonus_turn_started"),
        measure=_six_tokens,
    ),
)
