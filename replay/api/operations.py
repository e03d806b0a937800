"""The operations of the interface: what each takes and gives. Routes and the OpenAPI document are made of the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final, Literal

import msgspec
import polars as pl
from msgspec import Struct

from core.engine import refuse
from core.paths import flatten
from core.registry import games as all_games
from core.streams import decode, refuse_opening
from events.base import TakenBack
from events.errors import UnlawfulEvent
from events.tape import Header, Tape
from replay import exchange
from replay.api import shapes
from replay.api.service import Refused, Service
from replay.api.shapes import Nothing
from replay.errors import StoreError
from replay.games import default_sheet
from replay.live.game import LiveGame, Wish
from replay.live.tokens import Facts
from replay.report import fault_of, moves_at
from replay.simulate import bots_for
from replay.statistics import summaries
from replay.storage.appending import continued
from replay.storage.store import Filter
from replay.timeline import Shown, Timeline, names_of

JSON_LINES: Final = "application/jsonl"


class Asked(Struct, frozen=True):
    """A request: the token it came with, what stands in its path, its query, its body, and whom it came from."""

    token: str | None
    path: dict[str, str]
    query: Any
    body: Any
    client: str

    @property
    def id(self) -> str:
        """The id in the path."""
        return self.path["id"]


Handler = Callable[[Service, Asked], Any]


class Operation(Struct, frozen=True, kw_only=True):
    """One thing that can be asked for. `auth` says whose token it takes, and whether it has to be there.

    `body` is a type, or a media type for bytes that go to the handler as they are; so is `answer`.
    """

    method: Literal["GET", "POST"]
    path: str
    handler: Handler
    query: type[Struct] = Nothing
    body: Any = None
    answer: Any
    status: int = 200
    auth: Literal["none", "viewer", "seat", "service"] = "none"
    begins: bool = False
    """Begins streams, of which a client may only begin so many a minute."""

    @property
    def name(self) -> str:
        """Its name, for programs."""
        return self.handler.__name__

    @property
    def does(self) -> str:
        """What it does, in a line."""
        return (self.handler.__doc__ or "").strip().splitlines()[0]


# --- what is here ----------------------------------------------------------------------------------------------------


def health(service: Service, asked: Asked) -> shapes.Health:
    """Say whether the service and its database answer."""
    told = (this_version(), list(all_games()))
    try:
        return shapes.Health(True, *told, replays=service.store.count())
    except StoreError as error:
        return shapes.Health(False, *told, problem=type(error).__name__)


def games(service: Service, asked: Asked) -> shapes.Games:
    """Give the games that can be played."""
    found = [
        shapes.GameInfo(
            game=kind.slug,
            title=kind.title,
            rules=kind.rules,
            seats=default_sheet(kind).seats,
            options=msgspec.to_builtins(kind.options()),
            bots=list(bots_for(kind)),
            sheet=kind(default_sheet(kind)).sheet_digest,
        )
        for kind in all_games().values()
    ]
    return shapes.Games(found)


def replays(service: Service, asked: Asked) -> shapes.Replays:
    """Give recorded games, the newest first."""
    query: shapes.WantedReplays = asked.query
    wanted = Filter(game=query.game, seats=query.seats, finished=query.finished, provenance=query.provenance)
    rows = service.store.replays(wanted, query.limit, query.offset).to_dicts()
    playing = service.store.at_play()
    return shapes.Replays([_replay(row, row["replay"] in playing) for row in rows], service.store.count(wanted))


def replay(service: Service, asked: Asked) -> shapes.Replay:
    """Give what is known about a recorded game."""
    playing = asked.id in service.store.at_play()
    rows = service.store.replays(Filter(ids=(asked.id,)), 1).to_dicts()
    if not rows:
        service.recorded(asked.id)  # says that there is none
    return _replay(rows[0], playing)


def _replay(row: dict[str, Any], playing: bool) -> shapes.Replay:
    return shapes.Replay(
        id=row["replay"],
        game=row["game"],
        rules=row["rules"],
        sheet=row["sheet"],
        provenance=row["provenance"],
        players=[shapes.Sitter(name, bot) for name, bot in zip(row["players"], row["bots"], strict=True)],
        finished=row["finished"],
        live=playing,
        recorded=row["recorded"],
        length=None if playing else row["length"],
        scores=row["scores"],
        seed=row["seed"],
    )


# --- looking at a game -----------------------------------------------------------------------------------------------


def steps(service: Service, asked: Asked) -> shapes.Steps:
    """Give the steps of a game as a viewer sees them."""
    query: shapes.SeenFrom = asked.query
    timeline, viewer, game = service.look(asked.id, asked.token, query.viewer)
    return shapes.Steps(
        steps=[step_seen(timeline, shown) for shown in timeline.shown_between(viewer, query.first, query.count)],
        count=len(timeline.moments(viewer)),
        over=service.is_over(timeline, game),
        fault=fault_of(timeline, viewer),
    )


def step_seen(timeline: Timeline, shown: Shown) -> shapes.StepSeen:
    """Give a step of a timeline, which is redacted already, in the shape of the interface."""
    step = shown.step
    return shapes.StepSeen(
        number=step.number,
        turn=step.turn,
        round=step.round,
        seat=step.seat,
        cause=step.cause,
        rule=step.rule,
        words=timeline.game.words(step.event, names_of(timeline)),
        event=msgspec.to_builtins(step.event),
    )


def state(service: Service, asked: Asked) -> shapes.StateSeen:
    """Give the table after a step, as a viewer sees it."""
    timeline, viewer, _ = service.look(asked.id, asked.token, asked.query.viewer)
    step = _step(timeline, asked.query, viewer)
    return shapes.StateSeen(step, dict(flatten(timeline.seen_view(step, viewer))))


def moves(service: Service, asked: Asked) -> shapes.Moves:
    """Give the moves that a viewer has after a step."""
    timeline, viewer, _ = service.look(asked.id, asked.token, asked.query.viewer)
    step = _step(timeline, asked.query, viewer)
    return moves_seen(timeline, step, viewer)


def moves_seen(timeline: Timeline, step: int, viewer: Any) -> shapes.Moves:
    """Give the moves of a viewer after its step `step`, in the shape of the interface."""
    last = step == len(timeline.moments(viewer)) - 1
    at = len(timeline) - 1 if last else timeline.at(step, viewer)
    names = names_of(timeline)
    return shapes.Moves(
        step,
        [
            shapes.MoveSeen(msgspec.to_builtins(move), timeline.game.words(move, names))
            for move in moves_at(timeline, at, viewer)
        ],
    )


def _step(timeline: Timeline, query: shapes.SeenAt, viewer: Any) -> int:
    last = len(timeline.moments(viewer)) - 1
    step = last if query.step is None else query.step
    timeline.at(step, viewer)
    return step


def difference(service: Service, asked: Asked) -> shapes.Differences:
    """Give what differs between two steps, as a viewer sees them."""
    query: shapes.SeenBetween = asked.query
    timeline, viewer, _ = service.look(asked.id, asked.token, query.viewer)
    changes = timeline.diff(timeline.at(query.before, viewer), timeline.at(query.after, viewer), viewer)
    return shapes.Differences([(change[0], change[1], change[2]) for change in changes])


def export(service: Service, asked: Asked) -> bytes:
    """Give a game as JSON Lines as a viewer sees it; one that is over whole, so that it can be imported again."""
    timeline, viewer, game = service.look(asked.id, asked.token, asked.query.viewer)
    if viewer == "omniscient" and game is None and service.is_over(timeline, None):
        return b"".join(exchange.lines_of(service.store.read(asked.id)))
    tape = Tape(timeline.header, service.store.read(asked.id).events)
    return b"".join(exchange.lines_of(tape, viewer))


def count(service: Service, asked: Asked) -> shapes.Statistics:
    """Give figures of the finished games of a kind."""
    by, game = asked.query.by, asked.path["game"]
    if game not in all_games():
        raise Refused(404, "not_found", f"no game is called {game[:80]!r}")
    keys = [by] if by == "seats" else ["seats", by]
    results = service.store.seat_results(Filter(game=game))
    listed = service.store.replays(Filter(game=game, finished=True))
    frames: Sequence[pl.DataFrame] = (
        summaries.win_rates(results, keys),
        summaries.score_summary(results, keys),
        summaries.endings(listed),
    )
    return shapes.Statistics(*[frame.to_dicts() for frame in frames])


# --- recorded games come in ------------------------------------------------------------------------------------------


def begin(service: Service, asked: Asked) -> shapes.Length:
    """Begin a recorded stream: its header, without events yet."""
    service.check_uploads()
    if service.live.facts(asked.body.id) is not None:
        raise Refused(403, "forbidden", "this game is played here")
    service.store.begin(asked.body)
    return shapes.Length(len(service.recorded(asked.body.id).events))


def append(service: Service, asked: Asked) -> shapes.Length:
    """Append events to a recorded stream, all or none; the same again changes nothing."""
    service.check_uploads()
    body: shapes.NewEvents = asked.body
    if service.live.facts(asked.id) is not None:
        raise Refused(403, "forbidden", "this game is or was played here; seats move at /api/live")
    tape = service.store.read(asked.id)
    new = tuple([bytes(event) for event in body.events])
    if body.expected + len(new) > service.settings.max_events:
        raise Refused(413, "too_large", f"a stream may have {service.settings.max_events} events here")
    if body.expected == len(tape.events):
        _check_lawful(tape, new)
    return shapes.Length(service.appender.append(asked.id, body.expected, new))


def _check_lawful(tape: Tape, new: Sequence[bytes]) -> None:
    """Raise `UnlawfulEvent` for the first new event that the rules do not allow; who sends it knows all of the game."""
    opened = Timeline(tape)
    game, length = opened.game, len(tape.events)
    if opened.fault is not None:
        raise UnlawfulEvent(f"this stream cannot go on: it does not open beyond step {opened.fault.step}")
    events, fault = decode(type(game), continued(Tape(tape.header, tape.events), new))
    states = list(opened.states)
    for step, event in enumerate(events[length:], length):
        before = states[-1] if step else game.initial()
        reason = refuse(game, before, step, event) if step else refuse_opening(game, tape.header, event)
        if reason:
            raise UnlawfulEvent(f"event {step}: {reason}")
        states.append(states[event.to] if isinstance(event, TakenBack) else game.evolve(before, event))
    if fault is not None:
        raise UnlawfulEvent(f"event {fault.step}: {fault.reason}")


def take_in(service: Service, asked: Asked) -> shapes.Imported:
    """Take in the games of a JSON Lines file, each up to its first bad event."""
    service.check_uploads()
    with NamedTemporaryFile(suffix=".jsonl") as file:
        file.write(asked.body)
        file.flush()
        found = list(exchange.read_file(Path(file.name)))
    most = service.settings.max_events
    long = [game for game in found if game.tape is not None and len(game.tape.events) > most]
    tapes = [game.tape for game in found if game.tape is not None and game not in long]
    playing = service.store.at_play()
    added = service.store.add([tape for tape in tapes if tape.header.id not in playing])
    problems = chain(
        [f"line {game.line}: {game.problem}" for game in found if game.problem],
        [f"line {game.line}: a stream may have {most} events here" for game in long],
        [f"replay {id}: stored with other events already, which were kept" for id in added.changed],
        [f"replay {tape.header.id}: it is played here" for tape in tapes if tape.header.id in playing],
        added.refused,
    )
    return shapes.Imported(added.new, added.known, list(problems))


# --- live games ------------------------------------------------------------------------------------------------------


def create(service: Service, asked: Asked) -> shapes.Created:
    """Set up a live game: this service deals and is the referee. The tokens are told this once."""
    service.check_room()
    game, tokens = service.live.create(asked.body)
    return shapes.Created(_live(game.header, game.facts, game.over), tokens)


def live(service: Service, asked: Asked) -> shapes.Live:
    """Give a live game: who plays, the commitment, and when it is over the seed that gives it."""
    game = service.playing(asked.id)
    if game is not None:
        return _live(game.header, game.facts, over=False)
    facts = service.live.facts(asked.id)
    timeline = service.recorded(asked.id)
    if facts is None:
        raise Refused(404, "not_found", "this replay was not played here")
    return _live(timeline.header, facts, over=service.is_over(timeline, None))


def _live(header: Header, facts: Facts, over: bool) -> shapes.Live:
    return shapes.Live(
        id=header.id,
        game=header.game,
        players=[shapes.Sitter(player.name, player.bot) for player in header.players],
        over=over,
        broken_off=facts.broken_off,
        commitment=facts.commitment,
        window=facts.window,
        seed=header.seed if over else None,
        salt=facts.salt if over else None,
    )


def move(service: Service, asked: Asked) -> shapes.Length:
    """Make a move, as a seat; the organiser of a real table says what happened. The same again changes nothing."""
    game, role = _at_play(service, asked)
    raw = bytes(asked.body.move)
    if isinstance(role, int):
        return shapes.Length(game.move(role, raw, asked.body.expected))
    if role == "organiser" and game.header.seed is None:
        return shapes.Length(game.record(raw, asked.body.expected))
    raise Refused(403, "forbidden", "this token moves for no seat")


def take_back(service: Service, asked: Asked) -> shapes.Length:
    """Take back a seat's last move, or as the organiser what came after a step, while nothing was revealed since."""
    game, role = _at_play(service, asked)
    if role == "spectator":
        raise Refused(403, "forbidden", "this token moves for no seat")
    seat = role if isinstance(role, int) else None
    return shapes.Length(game.take_back(seat, asked.body.expected, None if seat is not None else asked.body.to))


def break_off(service: Service, asked: Asked) -> shapes.Live:
    """End a game where it stands, as its organiser: nobody plays on, and nothing of it is hidden any more."""
    game, role = _at_play(service, asked)
    if role != "organiser":
        raise Refused(403, "forbidden", "only the organiser breaks a game off")
    service.live.break_off(game)
    return _live(game.header, game.facts, over=True)


def _at_play(service: Service, asked: Asked) -> tuple[LiveGame, Any]:
    game = service.playing(asked.id)
    if game is None:
        facts = service.live.facts(asked.id)
        service.recorded(asked.id)  # says so if there is none
        if facts is None or facts.role(asked.token) is None:
            raise Refused(403, "forbidden", "this game is not played here, or the token is none of it")
        raise UnlawfulEvent("the game is over")
    return game, service.role(game, asked.token)


# --- the table -------------------------------------------------------------------------------------------------------


def operations() -> Iterator[Operation]:
    """Give every operation but the two that web.py answers itself: following a stream, and the OpenAPI document."""
    at = "/replays/{id}"
    yield Operation(method="GET", path="/health", handler=health, answer=shapes.Health)
    yield Operation(method="GET", path="/games", handler=games, answer=shapes.Games)
    yield Operation(method="GET", path="/replays", handler=replays, query=shapes.WantedReplays, answer=shapes.Replays)
    yield Operation(
        method="POST",
        path="/replays",
        handler=begin,
        body=Header,
        answer=shapes.Length,
        status=201,
        auth="service",
        begins=True,
    )
    yield Operation(method="GET", path=at, handler=replay, answer=shapes.Replay)
    yield Operation(
        method="GET", path=f"{at}/events", handler=steps, query=shapes.SeenFrom, answer=shapes.Steps, auth="viewer"
    )
    yield Operation(
        method="POST", path=f"{at}/events", handler=append, body=shapes.NewEvents, answer=shapes.Length, auth="service"
    )
    looks: tuple[tuple[str, Handler, type[Struct], Any], ...] = (
        ("state", state, shapes.SeenAt, shapes.StateSeen),
        ("moves", moves, shapes.SeenAt, shapes.Moves),
        ("diff", difference, shapes.SeenBetween, shapes.Differences),
        ("export", export, shapes.Seen, JSON_LINES),
    )
    for name, handler, query, answer in looks:
        yield Operation(method="GET", path=f"{at}/{name}", handler=handler, query=query, answer=answer, auth="viewer")
    yield Operation(method="GET", path="/statistics/{game}", handler=count, query=shapes.By, answer=shapes.Statistics)
    yield Operation(
        method="POST",
        path="/import",
        handler=take_in,
        body=JSON_LINES,
        answer=shapes.Imported,
        auth="service",
        begins=True,
    )
    yield Operation(
        method="POST",
        path="/live",
        handler=create,
        body=Wish,
        answer=shapes.Created,
        status=201,
        auth="service",
        begins=True,
    )
    yield Operation(method="GET", path="/live/{id}", handler=live, answer=shapes.Live)
    yield Operation(
        method="POST", path="/live/{id}/moves", handler=move, body=shapes.MoveMade, answer=shapes.Length, auth="seat"
    )
    yield Operation(
        method="POST",
        path="/live/{id}/take-back",
        handler=take_back,
        body=shapes.Back,
        answer=shapes.Length,
        auth="seat",
    )
    yield Operation(
        method="POST",
        path="/live/{id}/break-off",
        handler=break_off,
        body=shapes.Nothing,
        answer=shapes.Live,
        auth="seat",
    )


def this_version() -> str:
    """Give the version that runs."""
    try:
        return version("tabletape")
    except PackageNotFoundError:
        return "not installed: run from a checkout"
