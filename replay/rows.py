"""A tape as rows of the store's tables, and back: what is read is exactly what was stored.

An event is stored as its kind and the JSON of its other fields, which give its bytes back; where they would not (lines
behind a fault, JSON of other writers) the bytes stand beside them. All else in the rows is there to be asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import blake2b
from typing import Any, Final, NamedTuple

import msgspec
import polars as pl
from msgspec import Struct

from core.registry import find
from core.streams import decode
from events.base import Event, GameEnded, GameStarted, RoundStarted, TakenBack, TurnStarted
from events.codec import canonical
from events.errors import FormatError, SetupError
from events.jsonl import check_header
from events.tape import Fault, Fork, Header, Player, Provenance, Tape, digest
from replay.tables import EVENT_ROW, REPLAY_ROW, SHEET_ROW

MOST_SEATS: Final = 127
_INTEGER: Final = range(1 << 31)
_SEAT: Final = range(MOST_SEATS)

EVENT_BYTES: Final = """
    coalesce(raw, encode('{"type":"' || kind || '"' || CASE body WHEN '{}' THEN '}' ELSE ',' || substr(body, 2) END))
"""
"""SQL for the bytes of an event from its row in `event`."""

TAPES: Final = """
    SELECT replay.id::VARCHAR, replay.game, rules, shapes, replay.sheet, sheet.components, players, bots, provenance,
      seed, recorded, parent, fork_step, sealed, stated_length, stated_digest, fault_step, fault_reason, length, head
    FROM replay LEFT JOIN sheet ON sheet.key = replay.components
"""
"""SQL for the rows of `Stored`."""


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
    finished: bool
    ended: str | None
    scores: tuple[int, ...] | None
    ranks: tuple[int, ...] | None


class _Mark(NamedTuple):
    """Where in the game a step stands: its turn and round, and the step of the end, once that has come."""

    turn: int
    round: int | None
    end: int | None


class _Shape(NamedTuple):
    """What the rows need to know of an event type."""

    kind: str
    opening: bytes
    """How its canonical bytes begin, up to and with the comma before the first field."""
    bare: bytes
    """Its canonical bytes if it has no field."""
    subject: str | None
    seated: bool
    marks: bool
    """Whether it may change the `_Mark`."""


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
    return _account(tape, events, fault, _marks(events))


def accounts(tapes: Iterable[Tape]) -> pl.DataFrame:
    """Give the rows of tapes for `replay`: their ids, and what they come to."""
    rows = [{"id": tape.header.id, **msgspec.structs.asdict(account(tape))} for tape in tapes]
    return pl.DataFrame(rows, schema={name: REPLAY_ROW[name] for name in ("id", *Account.__struct_fields__)})


def frames(tapes: Iterable[Tape]) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Give the rows of tapes for `replay`, `event` (in order) and `sheet`. The tapes have passed `check`."""
    replays = list[dict[str, Any]]()
    sheets = dict[str, tuple[str, str, str, str]]()
    columns: dict[str, list[Any]] = {name: [] for name in EVENT_ROW}
    for tape in tapes:
        events, fault = _decoded(tape)
        marks = _marks(events)
        row, sheet = _header_row(tape)
        replays.append(row | msgspec.structs.asdict(_account(tape, events, fault, marks)))
        if sheet is not None:
            sheets[sheet[0]] = sheet
        for name, values in _event_columns(tape, events, marks).items():
            columns[name] += values
    text = columns.pop("body")
    frame = pl.DataFrame(columns, schema={name: kind for name, kind in EVENT_ROW.items() if name != "body"})
    return (
        pl.DataFrame(replays, schema=REPLAY_ROW),
        frame.with_columns(body=pl.Series(text, dtype=pl.Binary).cast(pl.String)),
        pl.DataFrame(list(sheets.values()), schema=SHEET_ROW, orient="row"),
    )


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


def _marks(events: Sequence[Event]) -> list[_Mark]:
    marks = list[_Mark]()
    mark = _Mark(0, None, None)
    for step, event in enumerate(events):
        if not _shape(type(event)).marks:
            pass
        elif isinstance(event, TurnStarted):
            mark = mark._replace(turn=event.turn if event.turn in _INTEGER else mark.turn)
        elif isinstance(event, RoundStarted):
            mark = mark._replace(round=event.round if event.round in _INTEGER else mark.round)
        elif isinstance(event, GameEnded):
            mark = mark._replace(end=step)
        elif isinstance(event, TakenBack) and 0 <= event.to < step:
            mark = marks[event.to]
        marks.append(mark)
    return marks


def _account(tape: Tape, events: Sequence[Event], fault: Fault | None, marks: Sequence[_Mark]) -> Account:
    last = marks[-1] if marks else _Mark(0, None, None)
    started = events[0] if events and isinstance(events[0], GameStarted) else None
    players = len(tape.header.players)
    seats = started.seats if started is not None and started.seats in _SEAT else players
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


def _event_columns(tape: Tape, events: Sequence[Event], marks: Sequence[_Mark]) -> dict[str, list[Any]]:
    """The columns of `event`: from the types of the events that opened, from plain JSON for those behind them."""
    known, total = len(events), len(tape.events)
    shapes = [_shape(type(event)) for event in events]
    cuts = [_cut(raw, shape) for raw, shape in zip(tape.events[:known], shapes, strict=True)]
    rest = [_plain(raw) for raw in tape.sound[known:]] + [
        (None, None, None, raw) for raw in tape.events[len(tape.sound) :]
    ]
    last = marks[-1] if marks else _Mark(0, None, None)
    missing = [None] * (total - known)
    return {
        "replay": [tape.header.id] * total,
        "seq": list(range(total)),
        "turn": [mark.turn for mark in marks] + [last.turn] * len(missing),
        "round": [mark.round for mark in marks] + [last.round] * len(missing),
        "seat": [_seat(event) if shape.seated else None for event, shape in zip(events, shapes, strict=True)]
        + [seat for _, seat, _, _ in rest],
        "kind": [shape.kind for shape in shapes] + [kind for kind, _, _, _ in rest],
        "subject": [
            None if shape.subject is None else str(getattr(event, shape.subject))
            for event, shape in zip(events, shapes, strict=True)
        ]
        + missing,
        "body": [body for body, _ in cuts] + [body for _, _, body, _ in rest],
        "raw": [raw for _, raw in cuts] + [raw for _, _, _, raw in rest],
    }


@cache
def _shape(kind: type[Event]) -> _Shape:
    marks = issubclass(kind, TurnStarted | RoundStarted | GameEnded | TakenBack)
    return _named(str(kind.__struct_config__.tag), kind.subject, "seat" in kind.__struct_fields__, marks)


def _named(tag: str, subject: str | None = None, seated: bool = False, marks: bool = False) -> _Shape:
    opening = b'{"type":"%b"' % tag.encode()
    return _Shape(tag, opening + b",", opening + b"}", subject, seated, marks)


def _seat(event: Any) -> int | None:
    seat = event.seat
    return seat if seat in _SEAT else None


def _cut(raw: bytes, shape: _Shape) -> tuple[bytes, bytes | None]:
    """The JSON of an event's other fields, and its bytes if kind and that do not give them back (`EVENT_BYTES`)."""
    if raw.startswith(shape.opening):
        return b"{" + raw[len(shape.opening) :], None
    return (b"{}", None) if raw == shape.bare else (raw, raw)


def _plain(raw: bytes) -> tuple[str | None, int | None, bytes | None, bytes | None]:
    """Kind, seat, body and raw of bytes of which only that they are JSON may be known, or not even that."""
    try:
        fields = msgspec.json.decode(raw)
        kind, seat = fields["type"], fields.get("seat")
        body, verbatim = _cut(raw, _named(kind))
    except (msgspec.MsgspecError, RecursionError, ValueError, TypeError, LookupError, AttributeError):
        return None, None, None, raw
    return kind, seat if type(seat) is int and seat in _SEAT else None, body, verbatim
