"""A tape as rows of the store's tables, and back: what is read is exactly what was stored.

An event is stored as its kind and the JSON of its other fields, which give its bytes back; where they would not (lines
behind a fault, JSON of other writers) the bytes stand beside them. All else in the rows is there to be asked for.

A loop of Python costs more than all else that is done with an event, so there is one a column and no more, over each
stream while it is at hand; texts are taken apart by polars, which holds up no other thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import repeat
from typing import Any, Final, NamedTuple

import msgspec
import polars as pl
from msgspec import Struct

from core.registry import find
from core.streams import decode
from events.base import Event, GameEnded, GameStarted, TakenBack
from events.codec import canonical
from events.errors import FormatError, SetupError
from events.jsonl import check_header
from events.tape import Fault, Fork, Header, Player, Provenance, Tape, digest
from replay.places import START, Place, stays
from replay.storage.tables import EVENT_ROW, REPLAY_ROW, SHEET_ROW

MOST_SEATS: Final = 127
_SEATS: Final = frozenset({*range(MOST_SEATS), None})

MANY: Final = 100
"""Replays whose columns of lists are put together: that takes a millisecond a column."""

EVENT_BYTES: Final = """
    coalesce(raw, encode('{"type":"' || kind || '"' || CASE body WHEN '{}' THEN '}' ELSE ',' || substr(body, 2) END))
"""
"""SQL for the bytes of an event from its row in `event`."""

_STORED: Final = """
    {id}, replay.game, rules, shapes, replay.sheet, {components}, players, bots, provenance,
      seed, recorded, parent, fork_step, sealed, stated_length, stated_digest, fault_step, fault_reason, length, head
"""

TAPES: Final = f"""
    SELECT {_STORED.format(id="replay.id::VARCHAR", components="sheet.components")} {{more}}
    FROM replay LEFT JOIN sheet ON sheet.key = replay.components
"""
"""SQL for the rows of `Stored`, with more columns behind them, each after a comma."""

TAPE: Final = f"SELECT {_STORED.format(id='$id', components='components')} {{more}} FROM replay WHERE id = $id"
"""The same for one, with the key of the components in their place.

Without the name of a type: a process takes 4 ms for the first.
"""


class Stored(NamedTuple):
    """What a tape has beside its events, as `TAPES` gives it.

    `fork_step` is there with `parent`, `fault_reason` with `fault_step`.
    """

    id: str
    game: str
    rules: int
    shapes: int
    sheet: str
    components: str | None
    players: list[str]
    bots: list[str | None]
    provenance: Provenance
    seed: str | None
    recorded: str | None
    parent: str | None
    fork_step: int
    sealed: bool
    stated_length: int | None
    stated_digest: str | None
    fault_step: int | None
    fault_reason: str
    length: int
    head: bytes


class Account(Struct, frozen=True):
    """What a stream comes to; its fields are columns of `replay`.

    A stream is `finished` if `game_ended` stands in its sound part, was not taken back, and has a score and a rank for
    every seat.
    """

    seats: int
    options: str
    known: int
    problem: str | None
    turns: int
    round: int | None
    finished: bool
    ended: str | None
    scores: tuple[int, ...] | None
    ranks: tuple[int, ...] | None


COMES_TO: Final = Account.__struct_fields__
"""The columns of `replay` that are worked out from the events."""

GROWS: Final = ("length", "head", "sealed", "stated_length", "stated_digest")
"""The columns of `replay` that change with every append."""

GOES_ON: Final = ("known", "turns", "round")
"""Those of `COMES_TO` that change when a game only goes on. To write the others as well takes DuckDB twice as long."""

_Stays = Sequence[tuple[Place, int]]
"""Places in a row, each with for how many events it holds."""


def check(tape: Tape) -> None:
    """Raise `FormatError` for a tape whose header cannot be stored."""
    header = tape.header
    check_header(header)
    if len(header.players) > MOST_SEATS:
        raise FormatError(f"{len(header.players)} players; at most {MOST_SEATS} can be stored")
    try:
        msgspec.json.encode(header)
    except UnicodeEncodeError:
        raise FormatError("the header has text that is not Unicode") from None


def account(tape: Tape) -> Account:
    """Give what a stream comes to."""
    events, fault = _decoded(tape)
    return _account(tape, events, fault, _last(stays(events)))


def unlike(tape: Tape, head: bytes) -> bool:
    """Say whether the events of a stored stream are not those that were stored under its head."""
    return digest(tape.events) != head.hex()


def whole(tape: Tape, head: bytes) -> Account:
    """Give what a stored stream comes to: nothing, if its events are not those that were stored under its head."""
    if not unlike(tape, head):
        return account(tape)
    return _account(tape, (), Fault(0, "its events are not those that were stored"), START)


def accounts(found: Mapping[str, Account]) -> pl.DataFrame:
    """Give the rows of replays for `replay`: their ids, and what they come to."""
    rows = [{"id": id, **msgspec.structs.asdict(account)} for id, account in found.items()]
    return pl.DataFrame(rows, schema={name: REPLAY_ROW[name] for name in ("id", *Account.__struct_fields__)})


def ends(streams: Iterable[tuple[Stored, Account]]) -> pl.DataFrame:
    """Give the rows of streams for `replay`, by id: the columns `GROWS` and `COMES_TO`."""
    rows = [
        {name: getattr(stored, name) for name in ("id", *GROWS)} | msgspec.structs.asdict(account)
        for stored, account in streams
    ]
    return pl.DataFrame(rows, schema={name: REPLAY_ROW[name] for name in ("id", *GROWS, *COMES_TO)})


def goes_on(tape: Tape, before: Account, length: int) -> tuple[Account, list[tuple[Any, ...]]] | None:
    """Give what a stream of `length` events comes to with those of `tape` behind them, and their rows behind `seq`.

    None if the rest of the stream has to be looked at, by `comes_to`: if it has not begun, does not open or is
    finished; and for what cannot be read, ends the game or takes something back.
    """
    if not 0 < length == before.known or before.finished:
        return None
    events, fault = _decoded(tape)
    if fault is not None or any(isinstance(event, GameEnded | TakenBack) for event in events):
        return None
    along = stays(events, Place(before.turns, before.round, None))
    known, last = length + len(events), _last(along)
    after = msgspec.structs.replace(before, known=known, turns=last.turn, round=last.round)
    return after, _event_rows(tape, events, along, 0)


def comes_to(tape: Tape, first: int) -> tuple[Account, list[tuple[Any, ...]]]:
    """Give what a stream comes to, and the rows of its events from `first` on, behind `seq`."""
    events, fault = _decoded(tape)
    along = stays(events)
    return _account(tape, events, fault, _last(along)), _event_rows(tape, events, along, first)


def _event_rows(tape: Tape, events: Sequence[Event], along: _Stays, first: int) -> list[tuple[Any, ...]]:
    said = _Said()
    said.add(tape, events, along)
    stays = zip(said.turn, said.round, said.count, strict=True)
    places = [(turn, round) for turn, round, count in stays for _ in range(count)]
    rows = list(zip(places, said.seat, said.kind, said.subject, said.raw, strict=True))[first:]
    return [(*place, seat, kind, subject, *parts(kind, raw)) for place, seat, kind, subject, raw in rows]


Frames = tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]
"""The rows of tapes for `replay`, `event` (in order) and `sheet`."""


def frames(tapes: Iterable[Tape]) -> Frames:
    """Give the rows of tapes, which have passed `check`."""
    return gathered(tapes).frames()


def gathered(tapes: Iterable[Tape]) -> Gathered:
    """Give the same, after all that needs Python. The tapes have passed `check`."""
    replays = list[dict[str, Any]]()
    sheets = dict[str, tuple[str, str, str, str]]()
    said = _Said()
    for tape in tapes:
        events, fault = _decoded(tape)
        along = stays(events)
        row, sheet = _header_row(tape)
        replays.append(row | msgspec.structs.asdict(_account(tape, events, fault, _last(along))))
        if sheet is not None:
            sheets[sheet[0]] = sheet
        said.add(tape, events, along)
    return Gathered(
        _replay_frame(replays),
        _event_frame(replays, said),
        pl.DataFrame(list(sheets.values()), schema=SHEET_ROW, orient="row"),
    )


class Gathered(NamedTuple):
    """The rows of tapes, those of `event` still to be collected.

    That is one call, and for all of it Python can do something else. Of many calls each would wait for its turn until
    then, and take longer for that than for its work.
    """

    replay: pl.DataFrame
    event: pl.LazyFrame
    sheet: pl.DataFrame

    def frames(self) -> Frames:
        """Give them as frames."""
        return self.replay, self.event.collect(), self.sheet


def tape_from(stored: Stored, events: Iterable[bytes]) -> Tape:
    """Give the tape of a stored stream."""
    header = Header(
        id=stored.id,
        game=stored.game,
        rules=stored.rules,
        shapes=stored.shapes,
        sheet=stored.sheet,
        players=tuple([Player(name, bot) for name, bot in zip(stored.players, stored.bots, strict=True)]),
        provenance=stored.provenance,
        seed=stored.seed,
        components=None if stored.components is None else msgspec.json.decode(stored.components),
        recorded=stored.recorded,
        fork=None if stored.parent is None else Fork(stored.parent, stored.fork_step),
        length=stored.length if stored.sealed else stored.stated_length,
        digest=stored.head.hex() if stored.sealed else stored.stated_digest,
    )
    fault = None if stored.fault_step is None else Fault(stored.fault_step, stored.fault_reason)
    return Tape(header, tuple(events), fault)


def _header_row(tape: Tape) -> tuple[dict[str, Any], tuple[str, str, str, str] | None]:
    """The columns of `replay` that come from the header and the bytes, and the row of `sheet` if there is one."""
    header, fault = tape.header, tape.fault
    head = digest(tape.events)
    sealed = (header.length, header.digest) == (len(tape.events), head)
    sheet = None
    if header.components is not None:
        text = canonical(header.components)
        sheet = (blake2b(text, digest_size=16).hexdigest(), header.game, header.sheet, text.decode())
    row = {
        "id": header.id,
        "game": header.game,
        "rules": header.rules,
        "shapes": header.shapes,
        "sheet": header.sheet,
        "components": sheet and sheet[0],
        "players": [player.name for player in header.players],
        "bots": [player.bot for player in header.players],
        "provenance": header.provenance,
        "seed": header.seed,
        "recorded": header.recorded,
        "parent": header.fork and header.fork.parent,
        "fork_step": header.fork and header.fork.step,
        "sealed": sealed,
        "stated_length": None if sealed else header.length,
        "stated_digest": None if sealed else header.digest,
        "fault_step": fault and fault.step,
        "fault_reason": fault and fault.reason,
        "length": len(tape.events),
        "head": bytes.fromhex(head),
    }
    return row, sheet


def _decoded(tape: Tape) -> tuple[tuple[Event, ...], Fault | None]:
    """The events that open, and why no more do; none of a game that is not installed."""
    try:
        kind = find(tape.header.game, tape.header.rules)
    except SetupError as error:
        return (), Fault(0, str(error))
    return decode(kind, tape)


def _last(along: _Stays) -> Place:
    return along[-1][0] if along else START


def _account(tape: Tape, events: Sequence[Event], fault: Fault | None, last: Place) -> Account:
    started = events[0] if events and isinstance(events[0], GameStarted) else None
    players = len(tape.header.players)
    seats = started.seats if started is not None and started.seats in _SEATS else players
    ending = None if last.end is None else events[last.end]
    result = ending if isinstance(ending, GameEnded) and seats == players and _whole(ending, seats) else None
    if ending is not None and result is None and fault is None:
        fault = Fault(last.end or 0, "game_ended does not fit the seats of the game")
    return Account(
        seats=seats,
        options="{}" if started is None else canonical(started.options).decode(),
        known=len(events) if fault is None else min(fault.step, len(events)),
        problem=None if fault is None else fault.reason,
        turns=last.turn,
        round=last.round,
        finished=result is not None,
        ended=None if result is None else result.reason,
        scores=None if result is None else result.scores,
        ranks=None if result is None else _ranks(result),
    )


def _whole(ended: GameEnded, seats: int) -> bool:
    ranked = sorted([seat for group in ended.ranking for seat in group])
    fits = [-(1 << 63) <= score < 1 << 63 for score in ended.scores]
    return ranked == list(range(seats)) and len(fits) == seats and all(fits)


def _ranks(ended: GameEnded) -> tuple[int, ...]:
    rank = {seat: place for place, group in enumerate(ended.ranking, 1) for seat in group}
    return tuple([rank[seat] for seat in range(len(rank))])


def _replay_frame(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    columns = {name: [row[name] for row in rows] for name in REPLAY_ROW}
    lists = [_lists(name, columns[name], kind.inner) for name, kind in REPLAY_ROW.items() if isinstance(kind, pl.List)]
    single = {name: kind for name, kind in REPLAY_ROW.items() if not isinstance(kind, pl.List)}
    return (
        pl.DataFrame({name: columns[name] for name in single}, schema=single).hstack(lists).select(REPLAY_ROW.names())
    )


def _lists(name: str, values: Sequence[Sequence[Any] | None], kind: Any) -> pl.Series:
    """A column of lists; many are put together from their elements, ten times as fast as from Python's lists."""
    if len(values) < MANY:
        return pl.Series(name, values, dtype=pl.List(kind))
    flat = {
        "row": [row for row, value in enumerate(values) for _ in value or ()],
        name: [each for value in values for each in value or ()],
    }
    put_together = pl.DataFrame(flat, schema={"row": pl.UInt32, name: kind}).group_by("row").agg(name)
    there = {"row": range(len(values)), "there": [value is not None for value in values]}
    rows = pl.DataFrame(there, schema={"row": pl.UInt32, "there": pl.Boolean})
    found = rows.join(put_together, on="row", how="left", maintain_order="left")
    return found.select(pl.when("there").then(pl.col(name).fill_null(pl.lit([], dtype=pl.List(kind)))))[name]


def _event_frame(replays: Sequence[Mapping[str, Any]], said: _Said) -> pl.LazyFrame:
    streams = pl.LazyFrame(
        {"replay": [row["id"] for row in replays], "n": [row["length"] for row in replays]},
        schema={"replay": pl.String, "n": pl.Int32},
    ).filter(pl.col("n") > 0)
    numbered = streams.select(pl.col("replay").repeat_by("n"), seq=pl.int_ranges("n", dtype=pl.Int32))
    stays = pl.LazyFrame(
        {"turn": said.turn, "round": said.round, "n": said.count},
        schema={"turn": EVENT_ROW["turn"], "round": EVENT_ROW["round"], "n": pl.UInt32},
    )
    places = stays.select(pl.col("turn", "round").gather(pl.int_range(pl.len()).repeat_by("n").explode()))
    columns = {name: getattr(said, name) for name in ("seat", "kind", "subject")}
    told = pl.LazyFrame(columns, schema={name: EVENT_ROW[name] for name in columns})
    raw = pl.LazyFrame({"kind": said.kind, "raw": said.raw}, schema={"kind": pl.String, "raw": pl.Binary})
    return pl.concat([numbered.explode("replay", "seq"), places, told, _parted(raw)], how="horizontal")


def _parted(raw: pl.LazyFrame) -> pl.LazyFrame:
    """Body and raw of events, from their kind and bytes: what `parts` gives, for many."""
    opening = pl.format('{}{}"', pl.lit('{"type":"'), "kind")
    text, rest, known = pl.col("text"), pl.col("rest"), pl.col("kind").is_not_null()
    return (
        raw
        # What has no kind may not even be text, and what is not used is looked at all the same.
        .with_columns(text=pl.when(known).then("raw").otherwise(pl.lit(b"")).cast(pl.String))
        .with_columns(rest=text.str.strip_prefix(opening))
        # No JSON begins with either, so this is what stands behind an opening.
        .with_columns(longer=rest.str.starts_with(","), bare=rest == "}")
        .select(
            body=pl.when("longer")
            .then(pl.lit("{") + rest.str.strip_prefix(","))
            .when("bare")
            .then(pl.lit("{}"))
            .when(known)
            .then(text),
            raw=pl.when(pl.col("longer") | pl.col("bare")).then(None).otherwise("raw"),
        )
    )


class _Said:
    """What events say of themselves, and their bytes: columns of `event`, stream after stream.

    Of turn and round one for as many events as `count` says, where it is the same.
    """

    def __init__(self) -> None:
        self.turn: list[int] = []
        self.round: list[int | None] = []
        self.count: list[int] = []
        self.seat: list[int | None] = []
        self.kind: list[str | None] = []
        self.subject: list[str | None] = []
        self.raw: list[bytes] = []

    def add(self, tape: Tape, events: Sequence[Event], along: _Stays) -> None:
        """Add a stream: from the types of the events that opened, from JSON for the others."""
        kinds = list(map(type, events))
        self.kind += map(_KINDS.__getitem__, kinds)
        self.seat += _seats(_values(events, map(_SEAT_FIELDS.__getitem__, kinds)))
        self.subject += _texts(_values(events, map(_SUBJECT_FIELDS.__getitem__, kinds)))
        self.raw += tape.events
        for place, count in along:
            self._stays(place, count)
        if behind := len(tape.events) - len(events):
            plain = [_plain(raw) for raw in tape.sound[len(events) :]]
            plain += [(None, None)] * (behind - len(plain))
            self.kind += [kind for kind, _ in plain]
            self.seat += [seat for _, seat in plain]
            self.subject += [None] * behind
            self._stays(_last(along), behind)

    def _stays(self, place: Place, count: int) -> None:
        self.turn.append(place.turn)
        self.round.append(place.round)
        self.count.append(count)


class _ByType(dict[type[Event], str]):
    """Something about event types, looked at once each."""

    def __init__(self, look: Callable[[type[Event]], str]) -> None:
        self._look = look

    def __missing__(self, kind: type[Event]) -> str:
        self[kind] = self._look(kind)
        return self[kind]


_KINDS: Final = _ByType(lambda kind: str(kind.__struct_config__.tag))
_SEAT_FIELDS: Final = _ByType(lambda kind: "seat" if "seat" in kind.__struct_fields__ else _no_field(kind))
_SUBJECT_FIELDS: Final = _ByType(lambda kind: kind.subject or _no_field(kind))
"""Of each event type: its tag, and the fields for seat and subject, if it has them."""


def _no_field(kind: type[Event]) -> str:
    """The name of something that is None: of what is there, if possible. To find nothing takes twice as long."""
    return "subject" if kind.subject is None else ""


def _values(events: Sequence[Event], fields: Iterable[str]) -> list[Any]:
    return list(map(getattr, events, fields, repeat(None)))


def _seats(values: list[Any]) -> list[int | None]:
    """Values as seats; None for what cannot be one. As a rule all are right, and Python need not loop."""
    if _INTEGERS.issuperset(map(type, values)) and _SEATS.issuperset(values):
        return values
    return [value if type(value) is int and value in _SEATS else None for value in values]


def _texts(values: list[Any]) -> list[str | None]:
    """Values as texts, where there are any. As a rule all are, and Python need not loop."""
    return values if _STRINGS.issuperset(map(type, values)) else [None if it is None else str(it) for it in values]


_INTEGERS: Final = frozenset({int, type(None)})
_STRINGS: Final = frozenset({str, type(None)})


def parts(kind: str | None, raw: bytes) -> tuple[str | None, bytes | None]:
    """Give body and raw of an event, as they stand in its row."""
    if kind is None:
        return None, raw
    opening = b'{"type":"%b"' % kind.encode("utf-8", "surrogatepass")
    if raw.startswith(opening + b","):
        return "{" + raw[len(opening) + 1 :].decode(), None
    return ("{}", None) if raw == opening + b"}" else (raw.decode(), raw)


def event_bytes(kind: str | None, body: str | None, raw: bytes | None) -> bytes:
    """Give the bytes of an event from its row: what `EVENT_BYTES` gives, for a few. Planning that takes longer."""
    if raw is not None:
        return raw
    rest = "}" if body == "{}" else f",{(body or '')[1:]}"
    return f'{{"type":"{kind}"{rest}'.encode()


def is_event(raw: bytes) -> bool:
    """Say whether bytes are an event, of whatever game: JSON with a type."""
    return _plain(raw)[0] is not None


def _plain(raw: bytes) -> tuple[str | None, int | None]:
    """Kind and seat of bytes of which only that they are JSON may be known, or not even that."""
    try:
        fields = msgspec.json.decode(raw)
        kind, seat = fields["type"], fields.get("seat")
        if not isinstance(kind, str):
            return None, None
    except (msgspec.MsgspecError, RecursionError, ValueError, TypeError, LookupError, AttributeError):
        return None, None
    return kind, seat if type(seat) is int and seat in _SEATS else None
