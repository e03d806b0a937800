"""The pictures of the tables: a module a game, and a fallback that can draw any state.

A picture is a function from a state, as its viewer may see it, and the names of the seats to a `Scene`. It stands as
`picture` in the module of this package that has the game's slug as its name, with underscores. All pictures of a replay
have one size. Groups are named so that a step can mark those that it changed; a group called `status` is never marked.
What moves are about is marked by `dashboard.scene.touch`, so that it can be pressed while a game is played.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, TypeAlias, cast

from dashboard.scene import Scene
from dashboard.tables import fallback

Picture: TypeAlias = Callable[[Any, Sequence[str]], Scene]
"""(the state as its viewer may see it, a name a seat) -> the table."""


def picture_of(slug: str) -> Picture:
    """Give how a game's table is drawn; a game without a picture of its own gets the fallback."""
    name = f"{__name__}.{slug.replace('-', '_')}"
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        if not f"{name}.".startswith(f"{error.name}."):  # it is there, and misses something itself
            raise
        return fallback.picture
    return cast(Picture, module.picture)
