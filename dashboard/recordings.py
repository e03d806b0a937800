"""What the pages know of the recorded games.

The store is opened for each question and let go again. Answers are kept as long as nobody has written to it: they are
remembered under its generation, so what a simulation has just stored shows at the next look.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

import msgspec
import polars as pl
from msgspec import Struct

from dashboard import frames
from dashboard.payload import Payload
from events.errors import FormatError, SetupError
from events.marks import Viewer
from events.tape import Tape
from replay import exchange
from replay.debugger.watches import hits
from replay.errors import UnknownReplay
from replay.evaluation.evaluating import Budget, Evaluation
from replay.evaluation.evaluations import known_decisions, known_evaluation
from replay.evaluation.judging import Decision, trial_for
from replay.lake.reading import open_store
from replay.live.recording import is_recorded
from replay.statistics import ratings
from replay.storage.store import Filter, Share, Store
from replay.timeline import Timeline

PATIENCE: Final = 4.0
"""Seconds that somebody at a page waits for a database that others hold."""

UPLOAD_LIMIT: Final = 20_000_000
"""Bytes of the largest file that is taken in through a page."""

LISTED: Final = 5_000
"""Of so many of the newest replays the names and seat counts are offered as filters."""


def database() -> Path:
    """Give the database that the service is about."""
    return Path(os.environ.get("TABLETAPE_DB", "tabletape.duckdb"))


def store() -> Store:
    """Open the database; raises `StoreError` if it cannot be used, and `StoreBusy`."""
    return open_store(database(), wait=PATIENCE)


def nothing_at_play() -> None:
    """Raise `SetupError` while games are played here: SQL would show their seeds and hidden cards to anybody."""
    if playing := store().at_play():
        raise SetupError(
            f"There is no SQL on this page while games are being played here ({len(playing)} are): it would show their "
            "hidden cards. Whoever owns the database uses `tabletape sql`."
        )


def is_being_recorded(id: str) -> bool:
    """Say whether a replay is a table that is being recorded: the Record page opens it."""
    return is_recorded(store().live_facts(id) or "")


class Library(Struct, frozen=True):
    """The database as it is at one generation."""

    path: Path
    generation: int

    def count(self, wanted: Filter) -> int:
        """Give how many replays there are."""
        return _count(self, _open(wanted))

    def replays(self, wanted: Filter, limit: int | None = None, offset: int = 0) -> pl.DataFrame:
        """Give a row a replay, the newest first."""
        return _replays(self, _open(wanted), limit, offset)

    def players(self, wanted: Filter) -> list[str]:
        """Give the names of those who played in the newest replays, in order."""
        return sorted(_replays(self, wanted, LISTED, 0).get_column("players").explode().drop_nulls().unique().to_list())

    def bots(self, wanted: Filter) -> list[str]:
        """Give the bots that played in the newest replays, in order."""
        return sorted(_replays(self, wanted, LISTED, 0).get_column("bots").explode().drop_nulls().unique().to_list())

    def facets(self, game: str | None) -> Mapping[str, list[str]]:
        """Give what replays can be told apart by: provenance, sheet, options, tags."""
        return _facets(self, game)

    def table(self, question: Callable[..., pl.DataFrame], *about: object) -> pl.DataFrame:
        """Give the answer to a question: a method of `Store` that gives a frame, and what it is asked about."""
        return _table(self, question, tuple([_open(each) if isinstance(each, Filter) else each for each in about]))

    def ratings(self, wanted: Filter) -> pl.DataFrame:
        """Give the ratings of those who played in the newest games."""
        return _ratings(self, wanted)

    def measured(self, wanted: Filter) -> Share:
        """Say how many of the finished games are measured."""
        return _measured(self, wanted)

    def timeline(self, id: str) -> Timeline:
        """Open a replay; raises `UnknownReplay`, and `SetupError` if its game is not here."""
        return _timeline(self, id)

    def payload(self, id: str, viewer: Viewer, step: int) -> Payload:
        """Give a replay's frames as a viewer sees them; of a long one those around a step of the viewer's."""
        return _payload(self, id, viewer, frames.part_around(step, len(self.timeline(id).moments(viewer))))

    def hits(self, id: str, viewer: Viewer, condition: str) -> tuple[int, ...]:
        """Give the viewer's steps at which a condition holds; raises `WatchError`."""
        return _hits(self, id, viewer, condition)

    def evaluation(
        self, id: str, viewer: Viewer, bot: str, budget: Budget
    ) -> tuple[Evaluation | None, tuple[Decision, ...]]:
        """Give what is worked out of who was winning for a viewer, by rollouts of a bot: chances, judged choices."""
        return _evaluation(self, id, viewer, bot, budget)

    def tape(self, id: str) -> Tape:
        """Give a replay as it was recorded."""
        return _tape(self, id)


def _open(wanted: Filter) -> Filter:
    """Give a filter that tells nothing secret: how many events a game at play has says how often a seat declined."""
    if wanted.least_events is None and wanted.most_events is None:
        return wanted
    return msgspec.structs.replace(wanted, **({"ids": ()} if wanted.finished is False else {"finished": True}))


def library() -> Library:
    """Give the database as it is now; raises `StoreError` if it cannot be used."""
    opened = store()
    return Library(opened.path, opened.generation())


@lru_cache(maxsize=64)
def _count(at: Library, wanted: Filter) -> int:
    return store().count(wanted)


@lru_cache(maxsize=32)
def _replays(at: Library, wanted: Filter, limit: int | None, offset: int) -> pl.DataFrame:
    return store().replays(wanted, limit, offset)


@lru_cache(maxsize=32)
def _facets(at: Library, game: str | None) -> Mapping[str, list[str]]:
    return store().facets(game)


@lru_cache(maxsize=128)
def _table(at: Library, question: Callable[..., pl.DataFrame], about: tuple[object, ...]) -> pl.DataFrame:
    return question(store(), *about)


@lru_cache(maxsize=16)
def _ratings(at: Library, wanted: Filter) -> pl.DataFrame:
    return ratings.ratings(store().meetings(wanted))


@lru_cache(maxsize=32)
def _measured(at: Library, wanted: Filter) -> Share:
    return store().measured(wanted)


@lru_cache(maxsize=32)
def _tape(at: Library, id: str) -> Tape:
    if id in store().at_play():  # its hidden cards are nobody's to see; pages do not know who looks
        raise UnknownReplay("This game is being played. It opens here when it is over.")
    return store().read(id)


@lru_cache(maxsize=16)
def _timeline(at: Library, id: str) -> Timeline:
    return Timeline(_tape(at, id))


@lru_cache(maxsize=16)
def _payload(at: Library, id: str, viewer: Viewer, part: range) -> Payload:
    return frames.payload(_timeline(at, id), viewer, part)


@lru_cache(maxsize=64)
def _hits(at: Library, id: str, viewer: Viewer, condition: str) -> tuple[int, ...]:
    return hits(_timeline(at, id), viewer, condition)


@lru_cache(maxsize=32)
def _evaluation(
    at: Library, id: str, viewer: Viewer, bot: str, budget: Budget
) -> tuple[Evaluation | None, tuple[Decision, ...]]:
    opened = store()
    found = known_evaluation(opened, id, viewer, bot, budget)
    return found, tuple(known_decisions(opened, id, viewer, bot, trial_for(budget)))


class Import(Struct, frozen=True):
    """What became of a file: how many games are new and known, and a line for each that is not as it should be."""

    new: int
    known: int
    problems: tuple[tuple[int, str, str], ...]
    """(line of the file, id, what is wrong)"""


def take_in(data: bytes) -> Import:
    """Store the games of a JSON Lines file, each up to its first bad event; raises `FormatError` for one too large.

    Those that are played here are left alone: whether a file is right about one would tell its hidden cards.
    """
    if len(data) > UPLOAD_LIMIT:
        raise FormatError(
            f"the file has {len(data)} bytes; at most {UPLOAD_LIMIT} are taken in here, use `tabletape import`"
        )
    with NamedTemporaryFile(suffix=".jsonl") as file:
        file.write(data)
        file.flush()
        found = list(exchange.read_file(Path(file.name)))
    problems = [(game.line, game.tape.header.id if game.tape else "", game.problem) for game in found if game.problem]
    opened = store()
    playing = opened.at_play()
    tapes = [game.tape for game in found if game.tape is not None]
    added = opened.add([tape for tape in tapes if tape.header.id not in playing])
    problems += [(0, tape.header.id, "it is played here") for tape in tapes if tape.header.id in playing]
    problems += [(0, id, "stored with other events already: the stored game was kept") for id in added.changed]
    problems += [(0, "", reason) for reason in added.refused]
    return Import(added.new, added.known, tuple(problems))
