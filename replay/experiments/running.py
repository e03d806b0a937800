"""Running an experiment in a store, look by look, and reading there what one has come to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct

from events.errors import FormatError, SetupError
from replay.experiments import words
from replay.experiments.differences import ALPHA, Difference, differences
from replay.experiments.figures import figures_of, rows
from replay.experiments.plan import Experiment, batches, parse
from replay.experiments.series import play_on
from replay.filters import Filter
from replay.jobs.workers import always
from replay.simulate import Batch
from replay.storage.store import Store

KIND: Final = "experiment"
"""The kind of the note that keeps the file of an experiment, at the first game of its baseline."""

Progress = Callable[[str, int, int], None]
"""Told what is going on, how many games are done with, and of how many."""


class Result(Struct, frozen=True, kw_only=True):
    """What an experiment came to: at `games` of each variant, after `look` of `looks`.

    `precise` says whether the precision that was asked for is reached; None if none was. `said` is what was found in
    words, by the tag of the variant.
    """

    experiment: str
    question: str
    game: str
    baseline: str
    games: int
    most: int
    look: int
    looks: int
    confidence: float
    precise: bool | None
    said: dict[str, list[str]]
    differences: tuple[Difference, ...]

    @property
    def course(self) -> str:
        """How far it went, in words, and whether that is precise enough."""
        look = f", look {self.look} of {self.looks}" if self.looks > 1 else ""
        precise = {None: "", True: ": as precise as was asked for", False: ": not as precise as was asked for"}
        return f"{self.games:,} games of each variant{look}{precise[self.precise]}"


class Kept(Struct, frozen=True):
    """An experiment that is kept in a store, with its file; or why that cannot be read."""

    replay: str
    text: str
    experiment: Experiment | None
    problem: str = ""


def run(
    store: Store,
    text: bytes,
    jobs: int = 1,
    progress: Progress | None = None,
    go_on: Callable[[], bool] = always,
) -> Result | None:
    """Play what the store lacks of an experiment, up to the first look that is precise enough or the last; give it.

    Once `go_on` says no, games at work are played to their end, and None is given. Raises `FormatError` for a bad file,
    `SetupError` if the store keeps another experiment of that name.
    """
    experiment = parse(text)
    of = batches(experiment)
    tags = {batch: tag for tag, batch in of.items()}
    _keep(store, experiment, text.decode())
    before, found = 0, None
    for games in experiment.looks:
        total = len(of) * (games - before)
        told = None if progress is None else lambda done, total=total: progress("playing", done, total)
        play_on(store, tags, range(before, games), jobs, told, go_on)
        for tag in of:
            if not go_on():
                return None
            told = None if progress is None else lambda done, games=games: progress("measuring", done, games)
            if bad := store.measure(Filter(tags=(tag,)), jobs, told).bad:
                raise SetupError(f"{len(bad)} games of {tag} cannot be measured: {bad[0]}")
        before = games
        found = _look(store, experiment, games)
        if found.precise:
            break
    return found


def result(store: Store, experiment: Experiment) -> Result | None:
    """Give what a kept experiment has come to: at the look that it stopped at, or the last that it has reached.

    None if it has not come to a look yet, or if its games are not measured.
    """
    of = batches(experiment)
    most = min([store.count(Filter(tags=(tag,))) for tag in of])
    found = None
    for games in [games for games in experiment.looks if games <= most]:
        if any(store.measured(Filter(ids=_ids(batch, games))).measured < games for batch in of.values()):
            break
        found = _look(store, experiment, games)
        if found.precise:
            break
    return found


def kept(store: Store) -> list[Kept]:
    """Give the experiments that a store keeps, the newest first."""
    return list(_read(store))[::-1]


def _read(store: Store) -> Iterator[Kept]:
    for replay, text in store.notes_of_kind(KIND):
        try:
            yield Kept(replay, text, parse(text.encode(errors="replace")))
        except FormatError as error:
            yield Kept(replay, text, None, str(error))


def _keep(store: Store, experiment: Experiment, text: str) -> None:
    """Keep the file of an experiment beside its first game, in place of an earlier one with the same variants."""
    of = batches(experiment)
    for other in kept(store):
        if other.experiment is not None and other.experiment.name == experiment.name:
            if batches(other.experiment) != of:
                raise SetupError(
                    f"the database keeps another experiment that is called {experiment.name!r}, with other variants: "
                    "give this one another name"
                )
            if other.text == text:
                return
            for note in store.notes(other.replay):
                if note.kind == KIND and note.text == other.text:
                    store.remove_note(note.id)
    tag, batch = next(iter(of.items()))
    play_on(store, {batch: tag}, range(1))
    store.add_note(batch.id_of(0), 0, text, KIND, seen_by=())


def _ids(batch: Batch, games: int) -> tuple[str, ...]:
    return tuple([batch.id_of(number) for number in range(games)])


def _look(store: Store, experiment: Experiment, games: int) -> Result:
    of = batches(experiment)
    known = figures_of(experiment.game)
    figures = {name: figure for name, figure in known.items() if name in (experiment.figures or known)}
    found = {tag: rows(store, _ids(batch, games)) for tag, batch in of.items()}
    first = experiment.tag(experiment.variants[0])
    base = found.pop(first)
    told = differences(base, found, games, len(experiment.looks), figures)
    return Result(
        experiment=experiment.name,
        question=experiment.question,
        game=experiment.game,
        baseline=first,
        games=games,
        most=experiment.games,
        look=experiment.looks.index(games) + 1,
        looks=len(experiment.looks),
        confidence=1 - ALPHA / len(experiment.looks),
        precise=_precise(experiment, told),
        said={tag: words.summary([each for each in told if each.variant == tag], figures) for tag in found},
        differences=tuple(told),
    )


def _precise(experiment: Experiment, found: list[Difference]) -> bool | None:
    """Say whether every difference that a precision is asked for is known to it; None if none is asked for."""
    if not experiment.precision:
        return None
    for name, wanted in experiment.precision.items():
        figure, slash, key = name.partition("/")
        meant = [each for each in found if each.figure == figure and (not slash or each.key == key)]
        ends = [(each.difference_low, each.difference_high) for each in meant]
        if not ends or any(low is None or high is None or (high - low) / 2 > wanted for low, high in ends):
            return False
    return True
