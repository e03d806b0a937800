"""Who was winning, on the replay page: the line over the scrubber, what the choices cost, luck and play.

A game is played on in processes of their own, one game at a time for the whole service.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from threading import Lock
from typing import Final

import polars as pl
import streamlit as st

from core.bots.search import Search
from dashboard import recordings
from dashboard.address import plain
from dashboard.debugging import Place, open_replay
from dashboard.recordings import Library
from dashboard.viewer import Judged, Line
from events.errors import SetupError, TabletapeError
from events.marks import Viewer
from replay.debugger.branching import branch, fresh_id, keep
from replay.evaluation.evaluating import Budget, Evaluation, accounts, budget_for
from replay.evaluation.evaluations import evaluated, judged
from replay.evaluation.judging import Decision, better, choices, trial_for
from replay.jobs.workers import processes
from replay.report import names_of
from replay.simulate import bots_for
from replay.timeline import Timeline

BOT: Final = "played-on-by"
"""The name in the address of the bot that plays on."""

POINTS: Final = "within"
"""The name in the address of how exact the chances are."""

EXACT: Final = (8, 12, 5, 3)
"""How exact they can be asked for, to so many points of win chance: the first, if nothing is worked out yet."""

JOBS: Final = 2

MOST: Final = 20
"""Choices that are listed: those that cost the most."""

_busy: Final = Lock()


def line_of(library: Library, id: str, viewer: Viewer) -> tuple[Line | None, tuple[Judged, ...]]:
    """Give the chances and the choices that cost something, as far as they are worked out for a viewer."""
    bot = _bot(library.timeline(id))
    found, decisions = library.evaluation(id, viewer, bot, budget_for(_points(library, id, viewer, bot) / 100))
    return _line(found), _marked(library.timeline(id), viewer, decisions)


def _bots(timeline: Timeline) -> list[str]:
    """Those who can play on: not those that search, which would take hours."""
    return [name for name, make in bots_for(type(timeline.game)).items() if not isinstance(make(), Search)]


def _bot(timeline: Timeline) -> str:
    known = _bots(timeline)
    asked = st.query_params.get(BOT, known[0])
    return asked if asked in known else known[0]


def _points(library: Library, id: str, viewer: Viewer, bot: str) -> int:
    """How exact the address asks for; else the most exact that is worked out already."""
    asked = st.query_params.get(POINTS, "")
    for points in EXACT:
        if str(points) == asked:
            return points
    for points in sorted(EXACT):
        if library.evaluation(id, viewer, bot, budget_for(points / 100))[0] is not None:
            return points
    return EXACT[0]


def _line(found: Evaluation | None) -> Line | None:
    if found is None:
        return None
    bands = [chances.bands() for chances in found.chances]
    return Line(
        rates=tuple([tuple([round(1000 * rate) for rate in chances.rates]) for chances in found.chances]),
        low=tuple([tuple([round(1000 * low) for low, _ in step]) for step in bands]),
        high=tuple([tuple([round(1000 * high) for _, high in step]) for step in bands]),
    )


def _marked(timeline: Timeline, viewer: Viewer, decisions: tuple[Decision, ...]) -> tuple[Judged, ...]:
    names = names_of(timeline)
    marked = list[Judged]()
    for decision in decisions:
        if decision.mark != "fine":
            _, move = better(timeline, viewer, decision)
            cost = f"{decision.mark}: {100 * decision.loss:.0f} points (±{100 * decision.band:.0f})"
            words = f"{cost}. Better: {timeline.game.words(move, names)}"
            marked.append(Judged(decision.number, decision.mark, words))
    return tuple(marked)


def panel(place: Place) -> None:
    """Show who was winning: ask for it, or what was found."""
    timeline = place.library.timeline(place.id)
    if place.viewer == "spectator":
        st.text("A game is judged as a seat or as one who sees everything knows it: choose one above.")
        return
    known = _bots(timeline)
    chosen, exact, play, judge = st.columns([4, 4, 5, 4], vertical_alignment="bottom")
    bot = chosen.selectbox("Who plays on", known, known.index(_bot(timeline)), key="chances-bot")
    now = _points(place.library, place.id, place.viewer, bot)
    within = exact.selectbox("How exact", EXACT, EXACT.index(now), format_func=_exactly, key="chances-within")
    if (bot, within) != (_bot(timeline), now):
        st.query_params[BOT], st.query_params[POINTS] = bot, str(within)
        st.rerun()
    budget = budget_for(within / 100)
    found, decisions = place.library.evaluation(place.id, place.viewer, bot, budget)
    total = len(choices(timeline, place.viewer))
    if found is None and play.button("Play on from every step", key="chances-play", width="stretch", type="primary"):
        _work(lambda pool: _play_on(place, bot, budget, pool))
    if len(decisions) < total and judge.button(f"Judge {total} choices", key="chances-judge", width="stretch"):
        _work(lambda pool: _judge(place, bot, budget, total, pool))
    if found is not None:
        _say_accounts(timeline, found)
    if decisions:
        _say_choices(place, timeline, decisions, total)
    st.caption(
        "A chance is estimated by playing on from the step again and again, a bot at every seat; the band holds 95 %. "
        "Keys e and Shift+e lead to the next and the last choice that cost something."
    )


def _work(work: Callable[[Executor], None]) -> None:
    try:
        with _pool() as pool:
            work(pool)
    except TabletapeError as error:
        st.error(plain(str(error)))
        return
    st.rerun()


@contextmanager
def _pool() -> Iterator[Executor]:
    """Processes to play on in; raises `SetupError` while somebody else's game is at it."""
    if not _busy.acquire(blocking=False):
        raise SetupError("Another game is being played on here. Try again in a moment.")
    try:
        with processes(JOBS) as pool:
            yield pool
    finally:
        _busy.release()


def _exactly(points: int) -> str:
    return f"to ±{points} points"


def _play_on(place: Place, bot: str, budget: Budget, pool: Executor) -> None:
    bar = st.progress(0.0, "Playing on")
    for found in evaluated(recordings.store(), place.id, place.viewer, bot, budget, pool):
        far = max([chances.rollouts for chances in found.chances])
        bar.progress(far / budget.most, f"Playing on: up to {far} games from each step")


def _judge(place: Place, bot: str, budget: Budget, total: int, pool: Executor) -> None:
    bar = st.progress(0.0, "Judging")
    found = judged(recordings.store(), place.id, place.viewer, bot, trial_for(budget), pool)
    for number, _ in enumerate(found, 1):
        bar.progress(number / total, f"Judging: {number} of {total} choices")


def _say_accounts(timeline: Timeline, found: Evaluation) -> None:
    st.subheader("Luck or play?", anchor=False)
    rows = accounts(timeline, found)
    names = names_of(timeline)
    points = st.column_config.NumberColumn(format="%+.0f")
    share = st.column_config.NumberColumn(format="%.0f %%")
    st.dataframe(
        pl.DataFrame(
            {
                "Player": [names[row.seat] for row in rows],
                "At first": [100 * row.start for row in rows],
                "Luck": [100 * row.luck for row in rows],
                "Own choices": [100 * row.own for row in rows],
                "Others": [100 * row.others for row in rows],
                "At last": [100 * row.end for row in rows],
            }
        ),
        hide_index=True,
        column_config={"At first": share, "Luck": points, "Own choices": points, "Others": points, "At last": share},
        alt="What moved each seat's chance, in points",
    )


def _say_choices(place: Place, timeline: Timeline, decisions: tuple[Decision, ...], total: int) -> None:
    st.subheader("Which choices cost the most?", anchor=False)
    marked = sorted([each for each in decisions if each.mark != "fine"], key=lambda each: -each.loss)
    if not marked:
        st.text(f"None of {len(decisions)} choices cost anything that could be told from noise.")
    elif len(decisions) < total:
        st.caption(f"{len(decisions)} of {total} choices are judged.")
    names = names_of(timeline)
    words_of = {each.step: each.words for each in _marked(timeline, place.viewer, tuple(marked))}
    for decision in marked[:MOST]:
        words, act = st.columns([11, 4], vertical_alignment="center")
        happened = timeline.game.words(timeline.seen_step(decision.number, place.viewer).event, names)
        words.text(f"Step {decision.number}: {happened}\n{words_of[decision.number]}")
        if act.button("Show the better move", key=f"better-{decision.number}", width="stretch"):
            _show_better(place, timeline, decision)


def _show_better(place: Place, timeline: Timeline, decision: Decision) -> None:
    """Open a branch in which the better move was made."""
    at, move = better(timeline, place.viewer, decision)
    try:
        tape = branch(timeline, at, move, id=fresh_id())
        keep(recordings.store(), tape)
    except TabletapeError as error:
        st.error(plain(str(error)))
        return
    open_replay(tape.header.id, decision.number)
