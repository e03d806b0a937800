"""Which games there are: ours, and those of any installed package that names them under `tabletape.games`.

A package brings a game by an entry point, e.g. in its pyproject.toml:

    [project.entry-points."tabletape.games"]
    nim = "nim_for_tabletape:Nim"
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from inspect import isabstract
from typing import Any

from core.game import Game
from core.games.cherry_on_the_cake import Cherry
from core.games.picnic_palace import Picnic
from core.games.queen_of_the_cupcakes import Queen
from core.games.trash_pandas import TrashPandas
from events.base import GameEnded, GameStarted, Unknown
from events.codec import Codec
from events.errors import SetupError

OURS: tuple[type[Game[Any]], ...] = (Queen, TrashPandas, Cherry, Picnic)
GROUP = "tabletape.games"


def games() -> Mapping[str, type[Game[Any]]]:
    """Give every game by its slug, ours first. A broken one takes no other with it; `refused` says what is wrong."""
    return _discovered()[0]


def refused() -> tuple[str, ...]:
    """Give a line for each installed game that is no whole game, or whose name is taken."""
    return _discovered()[1]


@cache
def _discovered() -> tuple[Mapping[str, type[Game[Any]]], tuple[str, ...]]:
    found = {kind.slug: kind for kind in OURS}
    problems = list[str]()
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            kind = _load(entry)
            if found.setdefault(kind.slug, kind) is not kind:
                raise SetupError(f"two installed games are called {kind.slug!r}: {entry.value} is one too many")
        except SetupError as error:
            problems.append(str(error))
    return found, tuple(problems)


def _load(entry: EntryPoint) -> type[Game[Any]]:
    try:
        kind = entry.load()
    except Exception as error:  # another's module may raise anything
        reason = " ".join(str(error).split()) or type(error).__name__
        raise SetupError(f"the installed game {entry.value} cannot be loaded: {reason}") from error
    _check(kind, entry.value)
    game: type[Game[Any]] = kind
    return game


def find(slug: str, rules: int | None = None) -> type[Game[Any]]:
    """Give a game by its slug, in today's rules or in the version that a stream was played under.

    Raises `SetupError` for an unknown slug, naming what was probably meant, or an unknown version.
    """
    known = games()
    if slug not in known:
        close = [name for name in known if slug and slug in name] or get_close_matches(slug, known, n=1, cutoff=0.4)
        hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(known)}"
        raise SetupError("; ".join([f"no game is called {slug[:80]!r}", hint, *refused()]))
    kind = known[slug]
    if rules is None or rules == kind.rules:
        return kind
    if rules not in kind.older:
        raise SetupError(f"{kind.title}: version {rules} of its rules is not known here (this has {kind.rules})")
    return kind.older[rules]


@cache
def codec(kind: type[Game[Any]]) -> Codec:
    """Give the codec of a game's events."""
    return Codec(kind.union)


def _check(kind: Any, name: str) -> None:
    """Refuse a game that is not whole, at the door rather than in the middle of a replay."""
    if not (isinstance(kind, type) and issubclass(kind, Game)) or isabstract(kind):
        raise SetupError(f"the installed game {name} is not a whole core.game.Game")
    missing = [field for field in ("slug", "title", "union") if not hasattr(kind, field)]
    if missing:
        raise SetupError(f"the installed game {name} lacks {', '.join(missing)}")
    tags = Codec(kind.union).tags
    for base in (GameStarted, GameEnded):
        if str(base.__struct_config__.tag) not in tags:
            raise SetupError(f"the installed game {name} has no {base.__struct_config__.tag} event")
    if str(Unknown.__struct_config__.tag) in tags or len(tags) != len(dict.fromkeys(tags)):
        raise SetupError(f"the installed game {name} uses an event tag twice, or one that is reserved")
