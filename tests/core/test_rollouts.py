"""Playing on from a state to the end."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from core.bots import Bot, RandomBot
from core.bots.seats import seated
from core.engine import play, start, states
from core.rollouts import rollout
from events.errors import UnlawfulEvent
from tests.toy import Careful, HiddenStones, toy

BOTS: Sequence[Bot] = [Careful(), RandomBot(), Careful()]


def test_playing_on_with_the_same_key_comes_to_the_end_that_the_game_had() -> None:
    """From wherever: chance and bots draw by the number of the event, and a bot remembers what was before."""
    game = toy()
    played = play(game, start(game, 3), b"key", seated(BOTS, b"key"))
    along = list(states(game, played))
    for step in (0, 4, 11, len(played) - 2, len(played) - 1):
        assert rollout(game, along[step], played[: step + 1], BOTS, b"key") == along[-1]
    other = rollout(game, along[0], played[:1], BOTS, b"another")
    assert game.outcome(other) is not None
    assert other != along[-1]


def test_playing_on_is_given_up_after_as_many_events_as_the_game_has_at_most() -> None:
    class Short(HiddenStones):
        bound = 10

    game = toy(Short)
    played = play(toy(), start(toy(), 3), b"key", seated(BOTS, b"key"))
    along = list(states(toy(), played))
    last = len(played) - 1
    assert rollout(game, along[last - 9], played[: last - 8], BOTS, b"key") == along[-1]
    with pytest.raises(UnlawfulEvent, match=r"^Hidden Stones has not ended after 10 more events$"):
        rollout(game, along[last - 10], played[: last - 9], BOTS, b"key")
