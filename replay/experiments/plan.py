"""What an experiment is: a file that names a game, and two or more variants of how it is played.

name = "nine-nanners"
game = "trash-pandas"
bots = ["forager", "forager"]
seed = "nanners"
games = 1600                   # of each variant, at most
precision = { turns = 1.0 }    # stop once the difference of turns is known to +- 1.0

[[variants]]
name = "eleven"                # the first is the baseline, unless `baseline` names another

[[variants]]
name = "nine"
sheet = { "copies.0" = 9 }     # a path into the shipped box
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec import Meta, Struct

from core.game import Game
from core.registry import find
from core.sheets import Sheet, from_fields, sheet_digest
from events.codec import canonical
from events.errors import FormatError, SetupError, TabletapeError, line_of
from events.jsonl import NOTE_LIMIT
from replay.experiments.figures import judge
from replay.games import default_sheet
from replay.notes import TAG_LIMIT
from replay.simulate import Batch, check

Name = Annotated[str, Meta(min_length=1, max_length=TAG_LIMIT)]
Seats = Annotated[int, Meta(ge=1, le=127)]
T = TypeVar("T")

FIRST: Final = 200
"""Games of each variant, at the least, before the first look."""


class Variant(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a variant differs from what the experiment says of all: box, options, seats, bots, seed.

    `sheet` maps paths into the shipped box to values: `copies.0`, or `copies` with a table or a whole list. A seed of
    its own makes a variant's luck independent of the others'.
    """

    name: Name
    sheet: dict[str, Any] = {}
    options: dict[str, Any] = {}
    seats: Seats | None = None
    bots: str | tuple[str, ...] | None = None
    seed: str | None = None


class Experiment(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Variants of a game, the baseline first, and how many games of each to play.

    `bots` is the line-up, or one bot for every seat. `games` are played of each variant, or fewer if the differences
    of the figures that `precision` names (`turns`, `wins/seat 0`) are known to +- what it says before. If `figures`
    names any, only those are looked at: the fewer, the smaller a difference that can be told from chance.
    """

    name: Name
    question: Annotated[str, Meta(max_length=200)] = ""
    game: str
    seats: Seats | None = None
    bots: str | tuple[str, ...] = "random"
    seed: str = "0"
    games: Annotated[int, Meta(ge=1, le=100_000)]
    precision: dict[str, Annotated[float, Meta(gt=0)]] = {}
    figures: tuple[str, ...] = ()
    options: dict[str, Any] = {}
    baseline: str | None = None
    variants: Annotated[tuple[Variant, ...], Meta(min_length=2, max_length=20)]

    @property
    def looks(self) -> tuple[int, ...]:
        """After how many games of each variant the figures are looked at: fixed before the first game is played.

        Once, at the end, if no precision is asked for; else at doubling numbers, the last of them `games`.
        """
        sizes = [self.games]
        while self.precision and sizes[-1] >= 2 * FIRST:
            sizes.append(-(-sizes[-1] // 2))
        return tuple(reversed(sizes))

    def tag(self, variant: Variant) -> str:
        """Give the tag by which the games of a variant are found."""
        return f"{self.name}/{variant.name}"


def name_of(tag: str) -> str:
    """Give the name of a variant from the tag of its games."""
    return tag.partition("/")[2]


def parse(text: bytes) -> Experiment:
    """Give the experiment that a TOML text describes, every variant judged as a batch that could be played.

    Raises `FormatError` with the place of what is wrong.
    """
    try:
        if len(decoded := text.decode()) > NOTE_LIMIT:
            raise FormatError(f"an experiment has at most {NOTE_LIMIT:,} characters, this one {len(decoded):,}")
        fields = msgspec.toml.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise FormatError(f"no TOML: {_line(error)}") from None
    given = fields.get("variants")
    if isinstance(given, list):
        fields["variants"] = [_typed(each, Variant, f"variant {at}: ") for at, each in enumerate(given, 1)]
    experiment = _ordered(_typed(fields, Experiment, ""))
    _judge(experiment)
    return experiment


def batches(experiment: Experiment) -> dict[str, Batch]:
    """Give what the games of each variant are played with, by tag, the baseline first.

    All have the same seed unless a variant says otherwise: game i of each is dealt from the same randomness. Raises
    `FormatError` naming the variant that cannot be played.
    """
    found = dict[str, Batch]()
    for variant in experiment.variants:
        try:
            found[experiment.tag(variant)] = _batch(experiment, variant)
        except TabletapeError as error:
            raise FormatError(f"variant {variant.name!r}: {error}") from None
    return found


def _batch(experiment: Experiment, variant: Variant) -> Batch:
    kind = find(experiment.game)
    seats = experiment.seats if variant.seats is None else variant.seats
    bots = experiment.bots if variant.bots is None else variant.bots
    if isinstance(bots, str):
        bots = (bots,) * (default_sheet(kind).seats[0] if seats is None else seats)
    batch = Batch(
        game=experiment.game,
        seats=len(bots) if seats is None else seats,
        seed=experiment.seed if variant.seed is None else variant.seed,
        bots=bots,
        options=canonical({**experiment.options, **variant.options}),
        components=_components(kind, variant.sheet),
    )
    check(batch)
    return batch


def _components(kind: type[Game[Any]], changes: Mapping[str, Any]) -> bytes | None:
    """The shipped box with changes, as JSON; None if that is the shipped box."""
    sheet = default_sheet(kind)
    changed = changed_sheet(sheet, changes)
    return None if sheet_digest(changed) == sheet_digest(sheet) else canonical(changed)


def changed_sheet(sheet: Sheet, changes: Mapping[str, Any]) -> Sheet:
    """Give a sheet with the figures at some paths changed; what is changed counts as reconstructed.

    Raises `FormatError` for a path that leads nowhere, or a sheet that cannot be.
    """
    fields = msgspec.to_builtins(sheet)
    played = _changed({name: fields[name] for name in sheet.components}, changes, "sheet")
    guessed = {path.split(".")[0]: "reconstructed" for path in changes}
    return from_fields({**fields, **played, "provenance": {**fields["provenance"], **guessed}}, type(sheet))


def _changed(whole: Any, changes: Mapping[str, Any], place: str) -> Any:
    for path, value in changes.items():
        whole = _put(whole, path.split("."), value, place)
    return whole


def _put(whole: Any, path: Sequence[str], value: Any, place: str) -> Any:
    """A value with another one at a path within it; a table changes what it names and leaves the rest."""
    if not path:
        return _changed(whole, value, place) if isinstance(value, dict) else value
    head, rest, below = path[0], path[1:], f"{place}.{path[0]}"
    if isinstance(whole, dict) and head in whole:
        return {**whole, head: _put(whole[head], rest, value, below)}
    if isinstance(whole, list | tuple) and head.isdecimal() and int(head) < len(whole):
        return [_put(each, rest, value, below) if at == int(head) else each for at, each in enumerate(whole)]
    if isinstance(whole, dict):
        raise FormatError(f"{below} is not there; there are: {', '.join(whole)}")
    if isinstance(whole, list | tuple):
        raise FormatError(f"{below} is not there; there are: 0 to {len(whole) - 1}")
    raise FormatError(f"{place} is a single value, with nothing in it called {head!r}")


def _ordered(experiment: Experiment) -> Experiment:
    """The experiment with its baseline first."""
    if experiment.baseline is None:
        return experiment
    first = [variant for variant in experiment.variants if variant.name == experiment.baseline]
    if not first:
        known = ", ".join([variant.name for variant in experiment.variants])
        raise FormatError(f"baseline: no variant is called {experiment.baseline[:80]!r}; there are: {known}")
    others = [variant for variant in experiment.variants if variant.name != experiment.baseline]
    return msgspec.structs.replace(experiment, variants=(*first, *others))


def _judge(experiment: Experiment) -> None:
    names = [variant.name for variant in experiment.variants]
    for name in names:
        tag = f"{experiment.name}/{name}"
        if names.count(name) > 1:
            raise FormatError(f"variants: two of them are called {name!r}")
        if len(tag) > TAG_LIMIT or not tag.isprintable() or tag.count("/") > 1:
            raise FormatError(
                f"{tag[:80]!r}: the names of an experiment and of a variant have at most {TAG_LIMIT - 1} characters "
                "together, no control character and no slash"
            )
    try:
        find(experiment.game)
    except SetupError as error:
        raise FormatError(f"game: {error}") from None
    judge(experiment.game, experiment.figures, experiment.precision)
    for (first, one), (second, other) in combinations(batches(experiment).items(), 2):
        if one == other:
            raise FormatError(f"variants: {first!r} and {second!r} are the same")


def _typed(fields: object, kind: type[T], place: str) -> T:
    try:
        return msgspec.convert(fields, kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise FormatError(f"{place}{_line(error)}") from None


def _line(error: Exception) -> str:
    return line_of(error)
