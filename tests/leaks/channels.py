"""Everything that a viewer can get of a game at play, and of a recorded one as that viewer: by channel, as bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from streamlit.testing.v1 import AppTest

from core.paths import flatten
from core.redact import redact
from dashboard import frames
from dashboard.page import single_page
from dashboard.playing import sight
from events.base import Event, Move
from events.codec import encode
from replay.exchange import lines_of
from replay.live.game import _Line
from replay.report import events_of, moves_at, step_of
from replay.timeline import Timeline
from tests.leaks.twins import Twins
from tests.leaks.world import ID, World, header_of, tape_of

APP: Final = Path(__file__).parents[2] / "dashboard" / "app.py"
PAGES: Final = ("statistics", "health", "record", "compare", "experiments", "replay")

Pieces = Sequence[bytes]
Got = dict[str, Pieces]
"""Channel -> what came through it, piece by piece."""


def recorded(found: Twins, events: Sequence[Event]) -> Got:
    """Give what a viewer can get of a recorded game: frames, files, words."""
    tape, viewer = tape_of(found, events), found.viewer
    line = Timeline(tape)
    last = len(line.moments(viewer)) - 1
    steps = dict.fromkeys([last, last - 1, last // 2, 0])
    return {
        "frames": [msgspec.json.encode(frames.payload(line, viewer))],
        "file": list(lines_of(tape, viewer)),
        "page": [single_page(line, viewer)],
        "words": [
            msgspec.json.encode(each)
            for each in (events_of(line, viewer), *[step_of(line, step, viewer) for step in steps if 0 <= step <= last])
        ],
    }


def dealt(found: Twins, state: Any) -> Got:
    """Give what a seat can get at its last moment if the table is this one."""
    game, viewer = found.game, found.viewer
    states = Timeline(tape_of(found, found.one)).states[:-1]
    line = _Line(header_of(found, "live"), game, found.one, [*states, state])
    moves = [encode(move) for move in moves_at(line, len(line) - 1, viewer)]
    view = msgspec.json.encode(flatten(redact(state, viewer)))
    return {"world": [view, msgspec.json.encode(sight(line, viewer)), *moves]}


def at_play(world: World, log: Sequence[Any], pages: Sequence[str] | None) -> Got:
    """Give what a viewer can get of a game at play, the trial of a take-back last.

    With `pages` also what the library, the play page and these send to a browser.
    """
    got: Got = {
        "follow": [b"%.2f %b" % message for message in world.followed],
        "table": [msgspec.json.encode(sight(world.game.timeline(), world.viewer))],
        "api": _pieces(world.ask(*_questions(world))),
        "errors": [*_held(world), *_pieces(world.ask(*_trials(world)))],
    }
    if pages is not None:
        got |= {"pages": list(_pages(world, pages))}
    count = world.game.seen_by(world.viewer)
    taken = world.ask(
        ("POST", f"/live/{ID}/take-back", b'{"expected":%d}' % count),
        ("GET", f"/replays/{ID}/events?viewer={world.viewer}&first={count}", None),
    )
    got |= {"take-back": _pieces(taken)}
    return got | {"log": [repr({**event, "ms": None}).encode() for event in log if event["event"] == "request"]}


def _pieces(told: Sequence[tuple[str, int, Any, bytes]]) -> list[bytes]:
    return [b"%b %d %r %b" % (asked.encode(), status, headers, body) for asked, status, headers, body in told]


def _questions(world: World) -> Iterator[tuple[str, str, bytes | None]]:
    last = world.game.seen_by(world.viewer) - 1
    at, me = f"/replays/{ID}", f"viewer={world.viewer}"
    paths = ["/health", "/games", "/replays", "/replays?finished=false", at, f"/live/{ID}"]
    paths += [f"/statistics/{world.found.game.slug}", f"/replays/{ID[:8]}"]
    paths += [f"{at}/{name}?{me}" for name in ("events", "state", "moves", "export")]
    paths += [
        f"{at}/{name}?{me}&step={step}" for name in ("state", "moves") for step in (last // 2, last - 1, last + 1)
    ]
    paths += [
        f"{at}/diff?{me}&before={before}&after={after}" for before, after in ((0, last), (last - 1, last), (0, 9999))
    ]
    paths += [f"{at}/events?{me}&first={last}", f"{at}/events?{me}&first=99999"]
    for viewer in ("omniscient", *range(world.found.seats + 1)):
        if viewer != world.viewer:
            paths += [f"{at}/{name}?viewer={viewer}" for name in ("events", "state", "moves", "follow")]
    return iter([("GET", path, None) for path in paths])


def _trials(world: World) -> Iterator[tuple[str, str, bytes | None]]:
    """Moves that are not allowed now, and nonsense: what refuses them must not tell why."""
    there = f"/live/{ID}/moves"
    count = world.game.seen_by(world.viewer)
    own = world.own_moves()
    moves = [move for move in (*world.found.one, *world.found.two) if isinstance(move, Move) and move not in own]
    raws = sorted(dict.fromkeys([encode(move) for move in moves]))
    for raw in raws[:: max(1, len(raws) // 12)]:
        yield "POST", there, b'{"expected":%d,"move":%b}' % (count, raw)
    for expected in (0, max(count - 1, 0), count + 1, 99999):
        yield "POST", there, b'{"expected":%d,"move":{"type":"no_such_move","seat":0}}' % expected
        yield "POST", f"/live/{ID}/take-back", b'{"expected":%d}' % (expected if expected != count else count + 7)
        yield "POST", f"/live/{ID}/break-off", b"{}"
    yield "POST", f"/replays/{ID}/events", b'{"expected":%d,"events":[]}' % count


def _held(world: World) -> list[bytes]:
    """What is said of moves that are the viewer's, while everybody waits for an answer in secret."""
    own = world.own_moves()
    if not world.waits() or not isinstance(world.viewer, int) or any(type(move).seen_by for move in own):
        return []
    return [world.tried(encode(move)) for move in own[:3]]


def _pages(world: World, pages: Sequence[str]) -> Iterator[bytes]:
    """Every element that the pages send, also that of the game itself with the token typed in."""
    at = AppTest.from_file(str(APP), default_timeout=120).run()
    yield from _elements("library", at)
    for page in pages:
        at.switch_page(f"screens/{page}.py").run()
        yield from _elements(page, at)
    at.switch_page("screens/play.py")
    at.query_params["live"] = ID
    at.run()
    if world.token is not None:
        next(box for box in at.text_input if box.label == "Token of a seat").input(world.token)
        next(button for button in at.button if button.label == "Sit down").click().run()
    yield from _elements("play", at)


def _elements(page: str, at: AppTest) -> Iterator[bytes]:
    assert not at.exception, [each.value for each in at.exception]
    for node in at:
        if (proto := getattr(node, "proto", None)) is not None:  # of what only holds others there is none
            yield f"{page}: ".encode() + proto.SerializeToString(deterministic=True)
