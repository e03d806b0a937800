"""The store: recorded games in one DuckDB file, which several processes may use at once.

    store = Store("games.duckdb")
    store.add(tapes)                      # whole games, in bulk; those that are there already are left alone
    store.append(id, expected, events)    # a live game, step by step
    store.read(store.find("0192"))        # the tape, exactly as it came
    store.replays(Filter(game="queen-of-the-cupcakes"))

Every call takes the file for as long as it works and lets it go again; nothing is kept open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final
from uuid import UUID

import msgspec
import polars as pl
from msgspec import Struct

from events.errors import FormatError
from events.tape import Tape, digest
from replay import projections
from replay.database import Database, Holder, Lease
from replay.errors import Conflict, StoreDamaged, StoreError, UnknownReplay
from replay.rows import EVENT_BYTES, TAPES, Account, Stored, account, accounts, check, frames, tape_from
from replay.tables import TABLES, VERSION

ROWS: Final = 122_880
"""Events of a row group of DuckDB: what a batch is cut off at."""

READ: Final = 500
"""Replays that `tapes` reads in one lease."""

SHORTEST_PREFIX: Final = 4

AMONG: Final = "IN (SELECT unnest($ids::UUID[]))"

COMES_TO: Final = Account.__struct_fields__
"""The columns of `replay` that are worked out from the events."""

REPLAYS: Final = """
    id::VARCHAR AS replay, game, rules, seats, options, sheet, CASE WHEN finished THEN seed END AS seed, provenance,
    players, bots, length, turns, ended, finished, scores,
    list_filter(range(seats), lambda seat: ranks[seat + 1] = 1)::SMALLINT[] AS winners, recorded, parent,
    CASE WHEN problem IS NOT NULL THEN known END AS fault_step, problem AS fault_reason
"""


class Filter(Struct, frozen=True, kw_only=True):
    """Which replays: those for which everything holds that is not None."""

    game: str | None = None
    player: str | None = None
    """A player of this name sat at a seat."""
    bot: str | None = None
    """This bot sat at a seat."""
    seats: int | None = None
    finished: bool | None = None
    provenance: str | None = None
    sheet: str | None = None
    ids: tuple[str, ...] | None = None

    def where(self) -> tuple[str, dict[str, object]]:
        """Give the condition on `replay` as SQL, and the values that stand in it by name."""
        conditions = {
            "game": "replay.game = $game",
            "player": "list_contains(replay.players, $player)",
            "bot": "list_contains(replay.bots, $bot)",
            "seats": "replay.seats = $seats",
            "finished": "replay.finished = $finished",
            "provenance": "replay.provenance = $provenance",
            "sheet": "replay.sheet = $sheet",
            "ids": f"replay.id {AMONG}",
        }
        values = {name: value for name, value in msgspec.structs.asdict(self).items() if value is not None}
        if self.ids is not None:
            values["ids"] = [id for id in self.ids if _is_id(id)]
        return " AND ".join([conditions[name] for name in values]) or "true", values


EVERYTHING: Final = Filter()


class Added(Struct, frozen=True):
    """What became of the tapes that were to be added.

    `known` were there with the same events; `changed` are there with others, and stayed as they were; `refused` says
    of each tape that cannot be stored why, in one line.
    """

    new: int
    known: int
    changed: tuple[str, ...]
    refused: tuple[str, ...] = ()


class Finding(Struct, frozen=True):
    """Something that is wrong in the store: with which replay (None: with the whole), and what."""

    replay: str | None
    problem: str

    def __str__(self) -> str:
        return self.problem if self.replay is None else f"replay {self.replay}: {self.problem}"


class Store:
    """Recorded games in a file. May be used by several threads."""

    def __init__(self, path: Path | str, wait: float = 10.0) -> None:
        """Open a store; a missing file becomes an empty one. `wait`: seconds to wait while others hold it.

        Raises `StoreError` if it cannot be used, `StoreBusy`, or `StoreDamaged`; so do all methods.
        """
        self._database = Database(path, TABLES, VERSION, wait)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Nothing is kept open between calls; `with` only shows how long a store is used."""

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._database.path

    def holder(self) -> Holder | None:
        """Give who is writing to the store at this moment, or None."""
        return self._database.holder()

    def generation(self) -> int:
        """Give a number that grows with every write: what a cache of answers can be keyed by."""
        return self._database.generation()

    # --- writing -----------------------------------------------------------------------------------------------------

    def add(self, tapes: Iterable[Tape], progress: Callable[[int], None] | None = None, batch: int = 1000) -> Added:
        """Store whole games. Adding the same again changes nothing.

        Goes by batches of at most `batch` games, each kept whole or not at all, and calls `progress` after each with
        the number of tapes it is done with.
        """
        new = known = done = 0
        changed: list[str] = []
        refused: list[str] = []
        for group in _batches(tapes, batch):
            sound = list[Tape]()
            for tape in group:
                try:
                    check(tape)
                    sound.append(tape)
                except FormatError as error:
                    refused.append(f"replay {tape.header.id[:80]}: {error}")
            held = self._insert(sound)
            new += len(sound) - len(held)
            for tape in sound:
                if tape.header.id in held:
                    if digest(tape.events) == held[tape.header.id]:
                        known += 1
                    else:
                        changed.append(tape.header.id)
            done += len(group)
            if progress is not None:
                progress(done)
        return Added(new, known, tuple(changed), tuple(refused))

    def _insert(self, tapes: Sequence[Tape]) -> dict[str, str]:
        """Store those of the tapes whose id is not there; give the digests of those that are, by id."""
        if not tapes:
            return {}
        replay, event, sheet = frames(tapes)
        with self._database.writing() as lease:
            held = {
                id: head.hex()
                for id, head in lease.rows(
                    f"SELECT id::VARCHAR, head FROM replay WHERE id {AMONG}",
                    ids=[tape.header.id for tape in tapes],
                )
            }
            if held:
                replay = replay.filter(~pl.col("id").is_in(list(held)))
                event = event.filter(~pl.col("replay").is_in(list(held)))
            if not replay.is_empty():
                placed = replay.with_row_index("place")
                with lease.given({"new_replay": placed, "new_event": event, "new_sheet": sheet}):
                    _insert_frames(lease)
        return held

    def append(self, id: str, expected: int, events: Sequence[bytes]) -> int:
        """Append events to a stream that has `expected` of them, all or none; give its new length.

        The same append again changes nothing. Raises `Conflict` if the stream has another length or other events
        there, `FormatError` for what is no event, `UnknownReplay`, and `StoreError` for a stream with a fault.
        """
        with self._database.writing() as lease:
            stored = _read(lease, id)
            if stored.fault is not None:
                raise StoreError(f"replay {id} cannot go on: its event {stored.fault.step} cannot be believed")
            length = len(stored.events)
            if expected > length or (
                expected < length and stored.events[expected : expected + len(events)] != tuple(events)
            ):
                raise Conflict(id, expected, length)
            if expected < length or not events:
                return length
            tape = _continued(stored, events)
            replay, event, _ = frames([tape])
            event = event.filter(pl.col("seq") >= length)
            if broken := event.filter(pl.col("kind").is_null()).get_column("seq").to_list():
                raise FormatError(f"replay {id}: what should be event {broken[0]} is no event")
            with lease.given({"new_replay": replay, "new_event": event}):
                _renew(lease, ("length", "head", "sealed", "stated_length", "stated_digest", *COMES_TO))
                lease.run("INSERT INTO event BY NAME SELECT * FROM new_event")
            if account(stored).finished or replay.item(0, "finished"):
                projections.replace(lease, id)
            return len(tape.events)

    def remove(self, id: str) -> None:
        """Remove a replay and everything that is kept about it; raises `UnknownReplay`."""
        with self._database.writing() as lease:
            _stored(lease, id)
            lease.run("DELETE FROM replay WHERE id = $id", id=id)
            for table in ("event", "note", *[projection.table for projection in projections.PROJECTIONS]):
                lease.run(f"DELETE FROM {table} WHERE replay = $id", id=id)

    def rebuild(self, progress: Callable[[int], None] | None = None) -> int:
        """Work out anew what each stream comes to, and the projections; give the number of replays.

        Needed after a game was installed that was not there when its replays were added.
        """
        done = 0
        for ids in self._ids(EVERYTHING):
            with self._database.writing() as lease:
                renewed = accounts(_tapes(lease, ids))
                with lease.given({"new_replay": renewed}):
                    _renew(lease, COMES_TO)
            done += len(ids)
            if progress is not None:
                progress(done)
        with self._database.writing() as lease:
            projections.rebuild(lease)
        return done

    # --- reading -----------------------------------------------------------------------------------------------------

    def find(self, prefix: str) -> str:
        """Give the one id that begins with at least four characters; raises `UnknownReplay` for none or several."""
        digits = prefix.lower().replace("-", "")
        if len(digits) < SHORTEST_PREFIX or not re.fullmatch(r"[0-9a-f]{1,32}", digits):
            raise UnknownReplay(
                f"{prefix!r} is not the beginning of an id: give at least {SHORTEST_PREFIX} characters of one that "
                "`tabletape replays` lists"
            )
        with self._database.reading() as lease:
            found = [
                id
                for (id,) in lease.rows(
                    "SELECT id::VARCHAR FROM replay WHERE id BETWEEN $low::UUID AND $high::UUID ORDER BY id LIMIT 3",
                    low=digits.ljust(32, "0"),
                    high=digits.ljust(32, "f"),
                )
            ]
        if not found:
            raise UnknownReplay(f"no replay begins with {prefix!r}; `tabletape replays` lists them")
        if len(found) > 1:
            raise UnknownReplay(f"more than one replay begins with {prefix!r}, e.g. {found[0]} and {found[1]}")
        return str(found[0])

    def read(self, id: str) -> Tape:
        """Give a replay exactly as it was added; raises `UnknownReplay`."""
        with self._database.reading() as lease:
            return _read(lease, id)

    def tapes(self, wanted: Filter = EVERYTHING) -> Iterator[Tape]:
        """Give replays one after the other, in the order of arrival, a few hundred in memory at a time."""
        for ids in self._ids(wanted):
            with self._database.reading() as lease:
                tapes = _tapes(lease, ids)
            yield from tapes

    def _ids(self, wanted: Filter) -> Iterator[list[UUID]]:
        where, values = wanted.where()
        with self._database.reading() as lease:
            ids = [id for (id,) in lease.rows(f"SELECT id FROM replay WHERE {where} ORDER BY added", **values)]
        for at in range(0, len(ids), READ):
            yield ids[at : at + READ]

    def count(self, wanted: Filter = EVERYTHING) -> int:
        """Give how many replays there are."""
        where, values = wanted.where()
        with self._database.reading() as lease:
            return int(lease.rows(f"SELECT count(*) FROM replay WHERE {where}", **values)[0][0])

    def replays(self, wanted: Filter = EVERYTHING, limit: int | None = None, offset: int = 0) -> pl.DataFrame:
        """Give a row a replay, the newest first.

        `seed` is told of finished games only. `options` is JSON. `length` counts events, `turns` turns. `ended`,
        `scores` and `winners` (seats) are null until the game is finished. Where a replay does not open to its end,
        `fault_step` and `fault_reason` say up to where and why.
        """
        return self._frame(
            f"SELECT {REPLAYS} FROM replay WHERE {{where}} ORDER BY added DESC LIMIT $limit OFFSET $offset",
            wanted,
            limit=limit,
            offset=offset,
        )

    def seat_results(self, wanted: Filter = EVERYTHING) -> pl.DataFrame:
        """Give a row a seat of each finished game, sorted by replay and seat.

        `rank` is 1 for the best, equal seats share one. `won` says whether it is 1, `winners` how many seats share it:
        a win is worth 1 / winners. All seats of a replay that passes the filter are there, also beside a wanted player.
        """
        return self._frame(
            """
            SELECT seat_result.replay::VARCHAR AS replay, seat_result.* EXCLUDE (replay)
            FROM seat_result JOIN replay ON seat_result.replay = replay.id WHERE {where}
            ORDER BY seat_result.replay, seat
            """,
            wanted,
        )

    def kind_counts(self, wanted: Filter = EVERYTHING) -> pl.DataFrame:
        """Give how often each kind of event happened in finished games: game, kind, seat (null: nobody's), n."""
        return self._frame(
            """
            SELECT kind_count.game, kind, seat, sum(n)::BIGINT AS n
            FROM kind_count JOIN replay ON kind_count.replay = replay.id WHERE {where}
            GROUP BY ALL ORDER BY kind_count.game, kind, seat NULLS FIRST
            """,
            wanted,
        )

    def subject_counts(self, wanted: Filter = EVERYTHING) -> pl.DataFrame:
        """Give how often events were about what, in finished games: game, kind, subject, seat (null: nobody's), n."""
        return self._frame(
            """
            SELECT game, kind, subject, seat, count(*)::BIGINT AS n
            FROM event JOIN replay ON event.replay = replay.id
            WHERE finished AND seq < known AND subject IS NOT NULL AND {where}
            GROUP BY ALL ORDER BY game, kind, subject, seat NULLS FIRST
            """,
            wanted,
        )

    def _frame(self, query: str, wanted: Filter, **values: object) -> pl.DataFrame:
        where, named = wanted.where()
        with self._database.reading() as lease:
            return lease.frame(query.format(where=where), **named, **values)

    # --- health ------------------------------------------------------------------------------------------------------

    def check(self) -> list[Finding]:
        """Read everything and give what is wrong: gaps, digests, what streams come to, projections. [] is well."""
        try:
            return list(self._findings())
        except StoreDamaged as error:
            return [Finding(None, str(error))]

    def _findings(self) -> Iterator[Finding]:
        with self._database.reading() as lease:
            counted = lease.rows("""
                SELECT coalesce(id, replay)::VARCHAR AS name, length, coalesce(n, 0)
                FROM replay FULL JOIN (
                  SELECT replay, count(*) AS n, count(DISTINCT seq) AS steps, min(seq) AS first, max(seq) AS last
                  FROM event GROUP BY replay
                ) ON replay = id
                WHERE coalesce(n, 0) IS DISTINCT FROM length OR n <> steps OR first <> 0 OR last <> n - 1
                ORDER BY name
            """)
            wrong = [(each.table, projections.differences(lease, each)) for each in projections.PROJECTIONS]
        for id, length, found in counted:
            if length is None:
                yield Finding(id, f"{found} events of a replay that is not there")
            else:
                yield Finding(id, f"{length} events expected, {found} are there or not in order")
        for table, rows in wrong:
            if rows:
                yield Finding(None, f"{table} differs from the events in {rows} rows; rebuild it")
        for ids in self._ids(EVERYTHING):
            with self._database.reading() as lease:
                kept = lease.rows(
                    f"SELECT id::VARCHAR, head, {', '.join(COMES_TO)} FROM replay WHERE id {AMONG}", ids=ids
                )
                tapes = {tape.header.id: tape for tape in _tapes(lease, ids)}
            for id, head, *comes_to in kept:
                if digest(tapes[id].events) != head.hex():
                    yield Finding(id, "the events do not give the digest that they were stored under")
                if account(tapes[id]) != msgspec.convert(dict(zip(COMES_TO, comes_to, strict=True)), Account):
                    yield Finding(id, "what the stream comes to differs from what is kept about it; rebuild it")


def _batches(tapes: Iterable[Tape], most: int) -> Iterator[list[Tape]]:
    """Tapes by the `most`, fewer if their events fill a row group, and no id twice in one batch."""
    group: dict[str, Tape] = {}
    events = 0
    for tape in tapes:
        if tape.header.id in group or len(group) >= most or events >= ROWS:
            yield list(group.values())
            group, events = {}, 0
        group[tape.header.id] = tape
        events += len(tape.events)
    if group:
        yield list(group.values())


def _insert_frames(lease: Lease) -> None:
    lease.run("INSERT INTO sheet BY NAME SELECT * FROM new_sheet WHERE key NOT IN (SELECT key FROM sheet)")
    lease.run("""
        INSERT INTO replay BY NAME
        SELECT * EXCLUDE (place), (SELECT coalesce(max(added) + 1, 0) FROM replay) + place AS added FROM new_replay
    """)
    lease.run("INSERT INTO event BY NAME SELECT * FROM new_event")
    projections.project(lease, "new_replay", "new_event")


def _renew(lease: Lease, columns: Iterable[str]) -> None:
    """Write some columns of `replay` anew from the frame `new_replay`."""
    changes = ", ".join([f"{name} = new_replay.{name}" for name in columns])
    lease.run(f"UPDATE replay SET {changes} FROM new_replay WHERE replay.id = new_replay.id::UUID")


def _continued(tape: Tape, events: Sequence[bytes]) -> Tape:
    """The tape with more events; a header that states length and digest goes on stating them."""
    every = (*tape.events, *events)
    header = tape.header
    if header.length is not None:
        header = msgspec.structs.replace(header, length=len(every))
    if header.digest is not None:
        header = msgspec.structs.replace(header, digest=digest(every))
    return Tape(header, every)


def _is_id(text: str) -> bool:
    return re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", text) is not None


def _stored(lease: Lease, id: str) -> Stored:
    rows = lease.rows(f"{TAPES} WHERE id = $id", id=id) if _is_id(id) else []
    if not rows:
        raise UnknownReplay(f"no replay has the id {id[:80]!r}; `tabletape replays` lists them")
    return Stored(*rows[0])


def _read(lease: Lease, id: str) -> Tape:
    stored = _stored(lease, id)
    events = lease.rows(f"SELECT {EVENT_BYTES} FROM event WHERE replay = $id ORDER BY seq", id=id)
    return tape_from(stored, [raw for (raw,) in events])


def _tapes(lease: Lease, ids: Sequence[UUID]) -> list[Tape]:
    """The tapes of some ids, in the order of arrival; ids that are gone are left out."""
    stored = lease.rows(f"{TAPES} WHERE id {AMONG} ORDER BY added", ids=ids)
    listed = f"SELECT replay::VARCHAR, list({EVENT_BYTES} ORDER BY seq) FROM event"
    events = dict(lease.rows(f"{listed} WHERE replay {AMONG} GROUP BY replay", ids=ids))
    return [tape_from(row, events.get(row.id, ())) for row in map(Stored._make, stored)]
