"""The bots of a game by their names."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from core.bots import ANY_GAME, Bot
from core.bots.search import Search, searchable
from core.game import Game

BUDGET = re.compile("search:([1-9][0-9]{0,4})")


class Bots(dict[str, Callable[[], Bot]]):
    """What makes each bot of a game, by name. Beside those it lists, `search:N` is one: it searches with N rollouts."""

    def __init__(self, kind: type[Game[Any]]) -> None:
        """Know the bots of a game: those of any game, `search` where it can be searched, and its own."""
        search = {"search": partial(Search, kind)} if searchable(kind) else {}
        super().__init__({**ANY_GAME, **search, **kind.bots})
        self._kind = kind

    def __contains__(self, name: object) -> bool:
        """Say whether a bot has this name."""
        return super().__contains__(name) or (isinstance(name, str) and self._rollouts(name) is not None)

    def __missing__(self, name: str) -> Callable[[], Bot]:
        """Give what makes a search bot of another budget; raises `KeyError` for what is no bot's name."""
        rollouts = self._rollouts(name)
        if rollouts is None:
            raise KeyError(name)
        return partial(Search, self._kind, rollouts)

    def _rollouts(self, name: str) -> int | None:
        budget = BUDGET.fullmatch(name)
        return int(budget[1]) if budget and super().__contains__("search") else None
