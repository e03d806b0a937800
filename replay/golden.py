"""Golden streams: recorded games that must fold, be lawful and be dealt alike for ever.

They stand in `data/golden/<slug>/`, one game a file, beside `golden.toml`, which says of each what it shows, what its
digest is and why it was last changed; and which situations have no stream, and why. A situation is a seat count, a way
to end, and a variant of the options: the default ones, or those with one boolean option turned over.

A game's author finds and records them:

    python -m replay.golden record queen-of-the-cupcakes 2-bin-full --seats 2 --seed golden/7 --bots greedy,random \\
        --shows "two seats, a bin is filled"
    python -m replay.golden check queen-of-the-cupcakes

`first_tape` searches seeds; what no seed brings about is made by hand: `tape_of(game, events)`, then `record`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints
from uuid import UUID, uuid5

import msgspec
import typer
from msgspec import Struct

from core.engine import start
from core.game import Game
from core.streams import decode, shapes
from events.base import Event, GameEnded, GameStarted, Options
from events.codec import canonical, encode_all
from events.errors import FormatError, SetupError, TabletapeError
from events.jsonl import read, write
from events.tape import Header, Player, Tape, digest, sealed
from replay.games import game_of, load
from replay.packaged import data_root
from replay.simulate import bots_for, play_tape
from replay.verify import verify

LIST = "golden.toml"
FIRST = "first recorded"
DEFAULT = "default"
"""The name of the variant in which no option is touched; the others are called by the option turned over."""


class Stream(Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of the list: a file, what it is there for, the digest of its bytes, and why it was last changed."""

    file: str
    shows: str
    digest: str
    reason: str


class Exempt(Struct, frozen=True, forbid_unknown_fields=True):
    """Situations that need no stream, and why; a field left out stands for all its values."""

    why: str
    seats: int | None = None
    ending: str | None = None
    options: str | None = None


class Golden(Struct, frozen=True, forbid_unknown_fields=True):
    """The list of a game's golden streams."""

    stream: tuple[Stream, ...] = ()
    exception: tuple[Exempt, ...] = ()


class Situation(Struct, frozen=True):
    """What a golden stream is wanted for: a seat count, a way to end, a variant of the options."""

    seats: int
    ending: str
    options: str


def listed(slug: str, root: Path | None = None) -> Golden:
    """Give the list of a game's golden streams, an empty one if there is none; raises `FormatError` for a broken one.

    `root` has one folder a game: `data/golden` unless another is named, here and everywhere below.
    """
    path = _folder(slug, root) / LIST
    if not path.is_file():
        return Golden()
    try:
        return msgspec.toml.decode(path.read_bytes(), type=Golden)
    except (msgspec.MsgspecError, ValueError) as error:
        raise FormatError(f"{slug}/{LIST}: {' '.join(str(error).split())}") from None


def tapes(slug: str, root: Path | None = None) -> Iterator[tuple[Stream, Tape]]:
    """Give each listed stream with its tape; raises `FormatError` for one that does not hold exactly one game."""
    for stream in listed(slug, root).stream:
        yield stream, _read(_folder(slug, root) / stream.file)


def check(slug: str, root: Path | None = None) -> list[str]:
    """Give what is wrong with a game's golden streams and their list, one line a finding; [] if nothing is.

    Each file must be listed and unchanged, and hold one game of all grades of `replay.verify`. Where that holds, each
    situation must have a stream or an exception.
    """
    folder = _folder(slug, root)
    streams = listed(slug, root).stream
    names = [stream.file for stream in streams]
    findings = [f"{name}: listed twice" for name in dict.fromkeys(names) if names.count(name) > 1]
    findings += [f"{path.name}: not in {LIST}" for path in sorted(folder.glob("*.jsonl")) if path.name not in names]
    for stream in streams:
        findings += [f"{stream.file}: {problem}" for problem in _problems(slug, folder / stream.file, stream.digest)]
    return findings or uncovered(slug, root)


def _problems(slug: str, path: Path, digest: str) -> Iterator[str]:
    try:
        if _digest(path.read_bytes()) != digest:
            yield f"changed: its digest is not that of {LIST}"
        tape = _read(path)
    except OSError as error:
        yield str(error.strerror)
    except FormatError as error:
        yield str(error)
    else:
        if tape.header.game != slug:
            yield f"a game of {tape.header.game}"
        elif problem := unsound(tape):
            yield problem


def unsound(tape: Tape) -> str | None:
    """Say what is wrong with a tape, the first step of it; None if it is whole, lawful and what its seed deals."""
    failures = verify(tape).failures
    return f"not {failures[0].grade}: step {failures[0].step}, {failures[0].reason}" if failures else None


def uncovered(slug: str, root: Path | None = None) -> list[str]:
    """Give the situations of a game without a stream or an exception, and exceptions without use, one line each."""
    exceptions = listed(slug, root).exception
    shown = [situation_of(tape) for _, tape in tapes(slug, root)]
    missing = [situation for situation in situations(slug) if situation not in shown]
    findings = [
        f"no stream shows {each.seats} seats, ending {each.ending}, options {each.options}"
        for each in missing
        if not any(_exempts(exception, each) for exception in exceptions)
    ]
    return findings + [
        f"an exception is not needed: {exception.why}"
        for exception in exceptions
        if not any(_exempts(exception, each) for each in missing)
    ]


def situations(slug: str) -> list[Situation]:
    """Give every situation that a game's golden streams are to show."""
    game = load(slug)
    low, high = game.sheet.seats
    return [
        Situation(seats, ending, name)
        for name, options in variants(type(game)).items()
        for seats in range(low, high + 1)
        if game.setup_problem(seats, options) is None
        for ending in endings(type(game))
    ]


def endings(kind: type[Game[Any]]) -> tuple[str, ...]:
    """Give the ways a game can end: the reasons that the type of its `game_ended` event allows.

    Raises `SetupError` for a game whose event allows any text: then nobody can say which streams are missing.
    """
    for member in get_args(kind.union):
        if isinstance(member, type) and issubclass(member, GameEnded):
            reasons = get_args(get_type_hints(member)["reason"])
            if reasons:
                return tuple([str(reason) for reason in reasons])
    raise SetupError(f"{kind.title}: the reason of its game_ended event is not a Literal of the ways to end")


def variants(kind: type[Game[Any]]) -> dict[str, Options]:
    """Give the default options, and the default ones with each boolean option turned over, by name."""
    default = kind.options()
    found = {DEFAULT: default}
    for name in default.__struct_fields__:
        value = getattr(default, name)
        if isinstance(value, bool):
            found[name] = msgspec.structs.replace(default, **{name: not value})
    return found


def situation_of(tape: Tape) -> Situation | None:
    """Give the situation that a tape shows; None for an unfinished game, or options that are no variant."""
    kind = type(game_of(tape.header))
    events, _ = decode(kind, tape)
    if not events or not isinstance(events[0], GameStarted) or not isinstance(events[-1], GameEnded):
        return None
    first, last = events[0], events[-1]
    names = [name for name, options in variants(kind).items() if options == first.options]
    return Situation(first.seats, last.reason, names[0]) if names else None


def record(
    slug: str, name: str, tape: Tape, *, shows: str, reason: str | None = None, root: Path | None = None
) -> Path:
    """Write a tape as the golden stream `name` and enter it in the list; give the file.

    Raises `FormatError` for a tape that is not sound, and where it would change a golden stream without a `reason`.
    """
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise FormatError(f"a golden stream's name is of small letters, digits and hyphens, not {name!r}")
    if tape.header.game != slug:
        raise FormatError(f"{name}: a game of {tape.header.game} is no golden stream of {slug}")
    if problem := unsound(tape):
        raise FormatError(f"{name}: {problem}")
    path = _folder(slug, root) / f"{name}.jsonl"
    content = b"".join(write(tape))
    golden = listed(slug, root)
    old = next((stream for stream in golden.stream if stream.file == path.name), None)
    if old is not None and old.digest != _digest(content) and not reason:
        raise FormatError(f"{path.name} is there with another content: give the reason why it changes")
    entry = Stream(path.name, shows, _digest(content), reason or (old.reason if old else FIRST))
    others = [stream for stream in golden.stream if stream is not old]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    streams = tuple(sorted([*others, entry], key=lambda stream: stream.file))
    (path.parent / LIST).write_text(_toml(Golden(streams, golden.exception)), encoding="utf-8")
    return path


def tape_of(game: Game[Any], events: Sequence[Event], names: Sequence[str] = ()) -> Tape:
    """Give the tape of a game made by hand, without a seed; the players are called Seat 0, Seat 1 ... unless named."""
    raws = encode_all(events)
    seats = max([getattr(event, "seats", 0) for event in events[:1]], default=0)
    players = tuple([Player(name) for name in names or [f"Seat {seat}" for seat in range(seats)]])
    shipped = game.sheet_digest == load(game.slug).sheet_digest
    header = Header(
        id=_id(*raws),
        game=game.slug,
        rules=game.rules,
        shapes=shapes(type(game)),
        sheet=game.sheet_digest,
        components=None if shipped else msgspec.json.decode(canonical(game.sheet)),
        players=players,
        provenance="imported",
    )
    return sealed(header, raws)


def bot_tape(game: Game[Any], seed: str, bots: Sequence[str], options: Options | None = None) -> Tape:
    """Give the tape of one game that bots play, one name a seat; raises `SetupError` if that cannot be."""
    for bot in bots:
        if bot not in bots_for(type(game)):
            raise SetupError(f"no bot of {game.title} is called {bot!r}; there are: {', '.join(bots_for(type(game)))}")
    players = [Player(f"{bot}-{seat}", bot) for seat, bot in enumerate(bots)]
    started = start(game, len(bots), options)
    return play_tape(game, players, seed, _id(canonical((started, seed, bots))), options)


def first_tape(
    game: Game[Any], bots: Sequence[str], wanted: Callable[[Tape], bool], options: Options | None = None
) -> Tape:
    """Give the first of the games with the seeds golden/0, golden/1 ... for which `wanted` holds; searches for ever."""
    games = (bot_tape(game, f"golden/{number}", bots, options) for number in count())
    return next(tape for tape in games if wanted(tape))


def _id(*parts: bytes) -> str:
    """An id that follows from what is recorded, so that recording it again changes nothing."""
    return str(uuid5(UUID(int=0), digest(parts)))


def _folder(slug: str, root: Path | None) -> Path:
    return (root or data_root() / "golden") / slug


def _read(path: Path) -> Tape:
    with path.open("rb") as file:
        readings = list(read(file))
    if len(readings) != 1:
        raise FormatError(f"it holds {len(readings)} games, not one")
    if readings[0].tape is None:
        raise FormatError(f"line {readings[0].line}: {readings[0].problem}")
    return readings[0].tape


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=32).hexdigest()


def _exempts(exception: Exempt, situation: Situation) -> bool:
    names = ("seats", "ending", "options")
    return all(getattr(exception, name) in (None, getattr(situation, name)) for name in names)


def _toml(golden: Golden) -> str:
    """The list as TOML: texts and whole numbers, which TOML writes as JSON does."""
    lines = ["# Streams are entered by replay.golden, exceptions by hand."]
    for table, entries in (("exception", golden.exception), ("stream", golden.stream)):
        for entry in entries:
            lines += ["", f"[[{table}]]"]
            for key, value in msgspec.structs.asdict(entry).items():
                if value is not None:
                    lines.append(f"{key} = {json.dumps(value, ensure_ascii=False)}")
    return "\n".join(lines) + "\n"


app = typer.Typer(help="Record and check golden streams.", no_args_is_help=True, add_completion=False)


@app.command("record")
def _record(
    game: str,
    name: str,
    seats: Annotated[int, typer.Option(help="How many play.")],
    seed: Annotated[str, typer.Option(help="The seed that deals.")],
    shows: Annotated[str, typer.Option(help="What the stream is there for.")],
    bots: Annotated[str, typer.Option(help="One bot a seat, separated by commas, or one for all.")] = "random",
    option: Annotated[list[str] | None, typer.Option(help="An option as name=value; may be repeated.")] = None,
    reason: Annotated[str | None, typer.Option(help="Why an existing stream changes.")] = None,
) -> None:
    """Let bots play a game and record it as a golden stream."""
    bound = load(game)
    options = _options(type(bound), option or [])
    named = bots.split(",")
    named = named * seats if len(named) == 1 else named
    if len(named) != seats:
        raise SetupError(f"{seats} seats need {seats} bots, not {len(named)}")
    tape = bot_tape(bound, seed, named, options)
    path = record(game, name, tape, shows=shows, reason=reason)
    typer.echo(f"{path.name}: {len(tape.events)} events, {situation_of(tape)}")


@app.command("check")
def _check(game: str) -> None:
    """Check a game's golden streams; exit code 1 if something is wrong."""
    findings = check(game)
    typer.echo("\n".join(findings) or f"{len(listed(game).stream)} golden streams of {game}: all is well")
    raise typer.Exit(1 if findings else 0)


def _options(kind: type[Game[Any]], texts: Sequence[str]) -> Options:
    pairs = dict([text.partition("=")[::2] for text in texts])
    try:
        return msgspec.convert(pairs, kind.options, strict=False)
    except msgspec.ValidationError as error:
        raise SetupError(f"options of {kind.title}: {error}") from None


if __name__ == "__main__":
    try:
        app()
    except TabletapeError as error:
        raise SystemExit(str(error)) from None
