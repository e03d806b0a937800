"""Which games there are: ours, and those an installed package brings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.game import Game
from core.registry import OURS, codec, find, games
from events.base import GameEnded, GameStarted
from events.codec import Codec
from events.errors import SetupError
from tests.programs import Program


def test_ours_come_first_in_their_order() -> None:
    assert list(games())[: len(OURS)] == [kind.slug for kind in OURS]
    assert all(games()[kind.slug] is kind for kind in OURS)


@pytest.mark.parametrize("kind", OURS, ids=lambda kind: kind.slug)
def test_our_slugs_tags_and_bots_are_in_order(kind: type[Game[Any]]) -> None:
    slug = kind.slug
    assert slug == slug.lower().replace("_", "-")
    tags = codec(kind).tags
    assert len(dict.fromkeys(tags)) == len(tags)
    assert all(tag == tag.lower() and " " not in tag and "-" not in tag for tag in tags)
    for base in (GameStarted, GameEnded):
        assert base.__struct_config__.tag in tags
    assert isinstance(codec(kind), Codec)
    assert codec(kind) is codec(kind)


def test_find_by_slug_and_version() -> None:
    queen = find("queen-of-the-cupcakes")
    assert queen.title == "Queen of the Cupcakes"
    assert find("queen-of-the-cupcakes", queen.rules) is queen
    with pytest.raises(SetupError, match=r"^Queen of the Cupcakes: version 99 of its rules is not known here"):
        find("queen-of-the-cupcakes", 99)


@pytest.mark.parametrize("typo", ["queen", "queen-of-cupcakes", "quen-of-the-cupcake"])
def test_a_typo_is_answered_with_what_was_meant(typo: str) -> None:
    with pytest.raises(SetupError, match=rf"^no game is called '{typo}'; did you mean queen-of-the-cupcakes\?$"):
        find(typo)


@pytest.mark.parametrize("slug", ["", "zzzz", "\n", "x" * 1_000])
def test_an_unknown_game_is_answered_with_what_there_is(slug: str) -> None:
    with pytest.raises(SetupError, match=r"; there are: queen-of-the-cupcakes, "):
        find(slug)


# --- installed games -------------------------------------------------------------------------------------------------


def install(folder: Path, **entries: str) -> None:
    """Write what an installed package leaves behind: its metadata, with entry points."""
    info = folder / "a_game-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: a-game\nVersion: 1.0\n")
    lines = [f"{name} = {value}" for name, value in entries.items()]
    (info / "entry_points.txt").write_text("\n".join(["[tabletape.games]", *lines]) + "\n")


def run(folder: Path, source: str) -> str:
    """Run a program in a process of its own to which the package in `folder` is installed; give what it prints."""
    running = Program(f"import sys\nsys.path.insert(0, {str(folder)!r})\n{source}")
    printed = running.ends()
    assert running.process.exitcode == 0
    return printed.strip()


PLAY = """
from core.conformance import check_game
from core.registry import OURS, games
from replay.games import load
from replay.simulate import Batch, simulate
from replay.timeline import Timeline
from replay.verify import verify

assert list(games())[:len(OURS)] == [kind.slug for kind in OURS]
assert list(games())[-1] == "hidden-stones"
check_game(load("hidden-stones"), games=2)
batch = Batch(game="hidden-stones", seats=3, seed="a", bots=("careful", "random", "random"), options=b'{"double":true}')
tapes = list(simulate(batch, 5))
assert all(verify(tape).holds and verify(tape).finished for tape in tapes)
line = Timeline(tapes[0])
shown = [line.game.words(step.step.event, ["Ada", "Bo", "Cy"]) for step in line.shown("spectator")]
print(len(tapes), line.fault, shown[0])
"""


def test_an_installed_game_plays_like_ours(tmp_path: Path) -> None:
    install(tmp_path, stones="tests.toy:HiddenStones")
    assert run(tmp_path, PLAY) == "5 None A game for 3 begins: Ada, Bo and Cy"


WHOLE = """
from core.registry import OURS, games, refused
assert list(games())[: len(OURS)] == [kind.slug for kind in OURS]
assert all(games()[kind.slug] is kind for kind in OURS)
print(*refused(), sep="|")
"""

HALF = """
from typing import ClassVar
from events.base import Event, GameStarted, Options, TakenBack, TurnStarted
from tests.toy import HiddenStones, GameEnded, StonesTaken
from core.game import Game

class Abstract(Game):
    slug = "abstract"
    title = "Abstract"
    union = HiddenStones.union

class NoTitle(Game):
    slug = "no-title"
    initial = evolve = forced = legal = outcome = census = lambda *_: None

class NoEnd(HiddenStones):
    slug = "no-end"
    union = GameStarted[Options] | StonesTaken

class Peeked(Event, frozen=True, tag="unknown"):
    pass

class Reserved(HiddenStones):
    slug = "reserved"
    union = GameStarted[Options] | GameEnded | Peeked

class Ours(HiddenStones):
    slug = "queen-of-the-cupcakes"

class Twin(HiddenStones):
    pass

NOT_A_GAME = 42
"""


@pytest.mark.parametrize(
    ("entries", "refusal"),
    [
        ({"a": "half:Abstract"}, "the installed game half:Abstract is not a whole core.game.Game"),
        ({"a": "half:NOT_A_GAME"}, "the installed game half:NOT_A_GAME is not a whole core.game.Game"),
        ({"a": "half:NoTitle"}, "the installed game half:NoTitle lacks title, union"),
        ({"a": "half:NoEnd"}, "the installed game half:NoEnd has no game_ended event"),
        ({"a": "half:Reserved"}, "the installed game half:Reserved uses an event tag twice, or one that is reserved"),
        (
            {"a": "half:Ours"},
            "two installed games are called 'queen-of-the-cupcakes': half:Ours is one too many",
        ),
        (
            {"a": "tests.toy:HiddenStones", "b": "half:Twin"},
            "two installed games are called 'hidden-stones': half:Twin is one too many",
        ),
        ({"a": "nowhere:Game"}, "the installed game nowhere:Game cannot be loaded: No module named 'nowhere'"),
        (
            {"a": "half:Missing"},
            "the installed game half:Missing cannot be loaded: module 'half' has no attribute 'Missing'",
        ),
        ({"a": "broken:Game"}, "the installed game broken:Game cannot be loaded: invalid syntax (broken.py, line 1)"),
        ({"a": "raising:Game"}, "the installed game raising:Game cannot be loaded: division by zero"),
    ],
    ids=lambda value: next(iter(value.values())) if isinstance(value, dict) else "",
)
def test_a_game_that_is_not_whole_is_refused_in_one_line_alone(
    tmp_path: Path, entries: dict[str, str], refusal: str
) -> None:
    install(tmp_path, **entries)
    (tmp_path / "half.py").write_text(HALF)
    (tmp_path / "broken.py").write_text("def\n")
    (tmp_path / "raising.py").write_text("1 / 0\n")
    assert run(tmp_path, WHOLE) == refusal
