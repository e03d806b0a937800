"""What `tabletape doctor` looks at: is everything here that should be, and is it what it should be?"""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from msgspec import Struct

from core.conformance import check_game
from core.registry import games, refused
from events.errors import TabletapeError
from replay import golden
from replay.games import load
from replay.lake.reading import open_store
from replay.storage.gate import Gate

LIBRARIES = ("duckdb", "msgspec", "polars", "pyarrow", "streamlit", "structlog", "typer", "uvicorn")


class Finding(Struct, frozen=True):
    """One thing that was looked at: what it is, how it is, and a line about it."""

    what: str
    state: Literal["ok", "note", "bad"]
    detail: str


def examine(db: Path) -> list[Finding]:
    """Look at versions, the database, and each installed game; never raises for what it finds."""
    return [_versions(), *database(db), *_games()]


def _versions() -> Finding:
    libraries = ", ".join([f"{name} {version(name)}" for name in LIBRARIES])
    return Finding("versions", "ok", f"tabletape {_own_version()}, Python {platform.python_version()}, {libraries}")


def _own_version() -> str:
    try:
        return version("tabletape")
    except PackageNotFoundError:
        return "(a checkout that is not installed)"


def database(db: Path) -> Iterator[Finding]:
    """Look at a database: whether it opens, holds what it should, and how its projections stand."""
    if not db.exists():
        yield Finding("database", "note", f"{db} does not exist yet; `tabletape simulate` or `import` makes it")
        return
    try:
        with open_store(db) as store:
            problems = store.check()
            projections = store.projections()
            count = store.count()
            generation = store.generation()
            holder = store.holder()
    except TabletapeError as error:
        yield Finding("database", "bad", str(error))
        return
    for problem in problems:
        yield Finding("database", "bad", str(problem))
    if any(problem.replay is not None for problem in problems):
        yield Finding("database", "note", "`tabletape doctor --repair` saves what is whole into a new file")
    if not problems:
        yield Finding("database", "ok", f"{db} with {count} replays")
    for each in projections:
        state: Literal["ok", "bad"] = "ok" if each.problem is None and not each.lag else "bad"
        yield Finding(f"projection {each.name}", state, str(each))
    if holder is not None:
        yield Finding("database", "note", str(holder))
    acked = Gate(db).side("acked")
    if generation and db.is_file() and not acked.exists():
        yield Finding(
            "database",
            "note",
            f"{acked.name} is not beside it: whether its last writes and steps are there cannot be told",
        )


def _games() -> Iterator[Finding]:
    for problem in refused():
        yield Finding("games", "bad", problem)
    for slug in games():
        try:
            game = load(slug)
            played = check_game(game, games=1)
            yield Finding(slug, "ok", f"sheet {game.sheet_digest}, {played} games pass every check")
        except TabletapeError as error:
            yield Finding(slug, "bad", str(error))
            continue
        listed = golden.listed(slug).stream
        problems = golden.check(slug) if listed else []
        for problem in problems:
            yield Finding(f"{slug}, golden streams", "bad", problem)
        if not problems:
            state: Literal["ok", "note"] = "ok" if listed else "note"
            yield Finding(f"{slug}, golden streams", state, f"{len(listed)} streams")
