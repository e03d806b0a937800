"""The store: recorded games in one DuckDB file, which several processes may use at once.

    store = Store("games.duckdb")
    store.add(tapes)                      # whole games, in bulk; those that are there already are left alone
    store.append(id, expected, events)    # a live game, step by step
    store.read(store.find("0192"))        # the tape, exactly as it came
    store.replays(Filter(game="queen-of-the-cupcakes"))

Every call takes the file for as long as it works and lets it go again; nothing is kept open. Who appends many small
steps uses an `appender`, which keeps the file while nobody else waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple
from uuid import UUID

import msgspec
import polars as pl

from events.errors import FormatError, TabletapeError
from events.jsonl import Remark
from events.tape import Header, Tape, digest
from replay import counting, measuring, meetings, names, notes, parquet, projections
from replay.appender import Appender
from replay.appending import Append, Ends, Expected
from replay.checking import Finding, streams, whole_store
from replay.contract import Added, together
from replay.database import Database, Holder, Lease
from replay.errors import ProjectionFailed, StoreDamaged
from replay.filters import EVERYTHING, Filter
from replay.measuring import Measurements, Share, metric_of
from replay.notes import TAG, Note
from replay.projections import PROJECTIONS, Health
from replay.reading import AMONG, digits_of, only, read, read_all, row_of
from replay.rebuilding import Rebuilt, mark_unreadable, rebuild_streams
from replay.rows import EVENT_PARTS, check, frames
from replay.tables import STEPS, TABLES, VERSION

__all__ = [
    "EVERYTHING",
    "Added",
    "Filter",
    "Finding",
    "Health",
    "Kin",
    "Measurements",
    "Note",
    "Rebuilt",
    "Share",
    "Store",
]

ROWS: Final = 122_880
"""Events of a row group of DuckDB: what a batch is cut off at."""

TALLIES: Final = 4 * ROWS
"""Rows of `tally` that are written together, by metric: so a metric is read without a look at the others."""

NEWEST: Final = 20_000
"""Of so many of the newest games ratings are made: all of a million would take minutes."""

READ: Final = 500
"""Replays that `tapes` reads in one lease."""

REPLAYS: Final = """
    id::VARCHAR AS replay, game, rules, seats, options, sheet, CASE WHEN finished THEN seed END AS seed, provenance,
    players, bots, length, turns, ended, finished, scores,
    list_filter(range(seats), lambda seat: ranks[seat + 1] = 1)::SMALLINT[] AS winners, recorded, parent,
    CASE WHEN problem IS NOT NULL THEN known END AS fault_step, problem AS fault_reason
"""


class Kin(NamedTuple):
    """A game that is a branch or has branches: what it branched off and after which step, how long it is, its end."""

    id: str
    parent: str | None
    step: int | None
    length: int
    ended: bool


class Store:
    """Recorded games in a file. May be used by several threads."""

    def __init__(self, path: Path | str, wait: float = 10.0) -> None:
        """Open a store; a missing file becomes an empty one. `wait`: seconds to wait while others hold it.

        Raises `StoreError` if it cannot be used, `StoreBusy`, or `StoreDamaged`; so do all methods.
        """
        self._database = Database(path, TABLES, VERSION, wait, STEPS)

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

    def longest_wait(self) -> float:
        """Give the seconds of the longest wait for the file so far, the work that was then done not counted."""
        return self._database.longest_wait

    def generation(self) -> int:
        """Give a number that grows with every write: what a cache of answers can be keyed by."""
        return self._database.generation()

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Hold the store for reading while another process reads the file; writers wait for as long."""
        with self._database.reading():
            yield

    # --- writing -----------------------------------------------------------------------------------------------------

    def add(self, tapes: Iterable[Tape], progress: Callable[[int], None] | None = None, batch: int = 2000) -> Added:
        """Store whole games. Adding the same again changes nothing.

        Goes by batches of at most `batch` games, or about `ROWS` events, each kept whole or not at all, and calls
        `progress` after each with the number of tapes it is done with.
        """
        added = [Added(0, 0, ())]
        done = 0
        # One batch is written while the next is made ready: neither polars nor DuckDB holds up Python.
        with ThreadPoolExecutor(1, "tabletape-writer") as writer:
            written: Future[Added] | None = None
            for group in chain(_batches(tapes, batch), [[]]):
                made = _ready(group)
                if written is not None:
                    added.append(written.result())
                    done += added[-1].tapes
                    if progress is not None:
                        progress(done)
                written = writer.submit(self._write, made) if group else None
        return together(added)

    def _write(self, ready: _Ready) -> Added:
        held = dict[str, str]()
        if ready.tapes:
            with self._database.holding() as hold:
                held = projections.kept(hold, lambda lease: _insert(lease, ready))
        there = [tape for tape in ready.tapes if tape.header.id in held]
        changed = [tape.header.id for tape in there if digest(tape.events) != held[tape.header.id]]
        return Added(len(ready.tapes) - len(there), len(there) - len(changed), tuple(changed), ready.refused)

    def append(self, id: str, expected: Expected, events: Sequence[bytes]) -> int:
        """Append events to a stream that has `expected` of them, all or none; give its new length.

        `expected` may also be "new" for a stream without events, or "any". The same append again changes nothing,
        except with "any". Raises `Conflict` if the stream has another length or other events there, `FormatError` for
        what is no event, `UnknownReplay`, and `StoreError` for a stream with a fault.
        """
        append = Append(id, expected, tuple(events))
        with self._database.holding() as hold:
            (answer,) = projections.kept(hold, lambda lease: Ends().write(lease, [append]))
        if isinstance(answer, TabletapeError):
            raise answer
        return answer

    def appender(self) -> Appender:
        """Give what appends many small steps faster: a context manager whose `append` is that of the store."""
        return Appender(self._database)

    def begin(self, header: Header) -> None:
        """Store a stream that has no events yet. The same again changes nothing; raises `FormatError`, `Conflict`."""
        added = self.add([Tape(header, ())])
        if added.refused:
            raise FormatError(added.refused[0])

    def remove(self, id: str) -> None:
        """Remove a replay and everything that is kept about it; raises `UnknownReplay`."""
        with self._database.writing() as lease:
            row_of(lease, id)
            lease.run("DELETE FROM replay WHERE id = $id", id=id)
            made = [projection.name for projection in PROJECTIONS]
            for table in ("event", "note", "live", "evaluation", "tally", "measured", *made):
                lease.run(f"DELETE FROM {table} WHERE replay = $id", id=id)

    def rename(self, player: str, name: str) -> int:
        """Give a player another name wherever it stands; give in how many replays.

        Names are no part of events: digests and ids stay as they are. Raises `FormatError` for what cannot be a name.
        """
        names.check(name)
        with self._database.writing() as lease:
            return names.rename(lease, player, name)

    def vacuum(self) -> tuple[int, int]:
        """Write the file anew, so that nothing is left in it of what was removed; give its size before and after."""
        return self._database.vacuum()

    def bring(self, folder: Path) -> Added:
        """Store the replays of a folder of Parquet files that `export_parquet` wrote, all or none of them.

        Raises `FormatError` if it cannot be believed.
        """
        with self._database.holding() as hold:
            return projections.kept(hold, lambda lease: parquet.bring(lease, folder))

    # --- notes -------------------------------------------------------------------------------------------------------

    def add_note(
        self,
        replay: str,
        step: int,
        text: str,
        kind: str = "note",
        author: str | None = None,
        seen_by: Sequence[int] | None = None,
    ) -> str:
        """Write a note beside a step and give its id; raises `UnknownReplay`, or `StoreError` for no such step."""
        with self._database.writing() as lease:
            return notes.add(lease, replay, step, text, kind, author, seen_by)

    def notes(self, replay: str) -> list[Note]:
        """Give the notes of a replay, by step; raises `UnknownReplay`."""
        with self._database.reading() as lease:
            return notes.of(lease, replay)

    def bring_notes(self, replay: str, remarks: Sequence[Remark]) -> int:
        """Add the notes of a file to a replay, those that are there already aside; give how many are new.

        Raises `UnknownReplay`, or `StoreError` for a step that is not there; then none is added.
        """
        with self._database.writing() as lease:
            return notes.bring(lease, replay, remarks)

    def noted(self) -> list[str]:
        """Give the ids of the replays that have notes."""
        with self._database.reading() as lease:
            return [id for (id,) in lease.rows("SELECT DISTINCT replay::VARCHAR FROM note ORDER BY ALL")]

    def remove_note(self, id: str) -> bool:
        """Remove a note; say whether there was one."""
        with self._database.writing() as lease:
            return notes.remove(lease, id)

    # --- evaluations -------------------------------------------------------------------------------------------------

    def evaluated(self, id: str, head: bytes, question: str) -> dict[int, str]:
        """Give what is kept of an evaluation of a stream with this head: JSON by step (`replay.evaluating`)."""
        with self._database.reading() as lease:
            return dict(
                lease.rows(
                    "SELECT step, body FROM evaluation WHERE replay = $id AND head = $head AND question = $question",
                    id=id,
                    head=head,
                    question=question,
                )
            )

    def keep_evaluation(self, id: str, head: bytes, question: str, found: Mapping[int, str]) -> None:
        """Keep what was evaluated, in place of what was kept for these steps; raises `UnknownReplay`."""
        with self._database.writing() as lease:
            row_of(lease, id)
            lease.run(
                "DELETE FROM evaluation WHERE replay = $id AND question = $question AND (head <> $head OR step IN $steps)",
                id=id,
                head=head,
                question=question,
                steps=list(found),
            )
            rows = [(id, head, question, step, body) for step, body in found.items()]
            lease.put("evaluation", rows)

    # --- live games --------------------------------------------------------------------------------------------------

    def keep_live(self, id: str, facts: str) -> None:
        """Keep what the referee of a live game must not forget, in place of what was kept; first before its stream."""
        with self._database.writing() as lease:
            lease.run("DELETE FROM live WHERE replay = $id", id=id)
            lease.run("INSERT INTO live VALUES ($id, $facts)", id=id, facts=facts)

    def live_facts(self, id: str) -> str | None:
        """Give what was kept for a live game, or None if the replay is none (or no replay)."""
        with self._database.reading() as lease:
            rows = lease.rows("SELECT facts FROM live WHERE replay::VARCHAR = $id", id=id)
        return str(rows[0][0]) if rows else None

    def at_play(self) -> list[str]:
        """Give the ids of the live games that go on, and of their branches: what is hidden there is nobody's."""
        with self._database.reading() as lease:
            rows = lease.rows("""
                WITH RECURSIVE playing AS (
                  SELECT id::VARCHAR AS id FROM replay
                  WHERE NOT finished AND id IN (SELECT replay FROM live WHERE NOT contains(facts, '"broken_off":true'))
                  UNION SELECT replay.id::VARCHAR FROM replay JOIN playing ON replay.parent = playing.id
                )
                SELECT id FROM playing ORDER BY id
            """)
        return [id for (id,) in rows]

    def tag(self, replay: str, name: str) -> list[str]:
        """Put a tag on a replay and give all that it has; raises `UnknownReplay`, `FormatError`, `StoreError`."""
        with self._database.writing() as lease:
            notes.tag(lease, replay, name)
            return notes.tags(lease, replay)

    def untag(self, replay: str, name: str) -> list[str]:
        """Take a tag off a replay and give those that are left; raises `UnknownReplay`."""
        with self._database.writing() as lease:
            notes.untag(lease, replay, name)
            return notes.tags(lease, replay)

    def tag_all(self, ids: Sequence[str], name: str) -> None:
        """Put a tag on those of many replays that are there; raises `FormatError` for what cannot be one."""
        with self._database.writing() as lease:
            notes.tag_all(lease, ids, name)

    def notes_of_kind(self, kind: str) -> list[tuple[str, str]]:
        """Give the notes of a kind in all replays as (replay, text), in the order of writing."""
        with self._database.reading() as lease:
            return notes.of_kind(lease, kind)

    # --- reading -----------------------------------------------------------------------------------------------------

    def find(self, prefix: str) -> str:
        """Give the one id that begins with at least four characters; raises `UnknownReplay` for none or several."""
        digits = digits_of(prefix)
        with self._database.reading() as lease:
            found = lease.rows(
                "SELECT id::VARCHAR FROM replay WHERE id BETWEEN $low::UUID AND $high::UUID ORDER BY id LIMIT 3",
                low=digits.ljust(32, "0"),
                high=digits.ljust(32, "f"),
            )
        return only(prefix, [id for (id,) in found])

    def read(self, id: str) -> Tape:
        """Give a replay exactly as it was added; raises `UnknownReplay`."""
        with self._database.reading() as lease:
            return read(lease, id)

    def tapes(self, wanted: Filter = EVERYTHING) -> Iterator[Tape]:
        """Give replays one after the other, in the order of arrival, a few hundred in memory at a time."""
        for ids in self._ids(wanted):
            with self._database.reading() as lease:
                tapes = read_all(lease, ids)
            yield from tapes

    def _ids(self, wanted: Filter) -> Iterator[list[UUID]]:
        where, values = wanted.where()
        with self._database.reading() as lease:
            ids = [id for (id,) in lease.rows(f"SELECT id FROM replay WHERE {where} ORDER BY added", **values)]
        for at in range(0, len(ids), READ):
            yield ids[at : at + READ]

    def export_parquet(self, folder: Path) -> None:
        """Write every table as a Parquet file into a new folder; raises `FormatError` if that cannot be made."""
        with self._database.reading() as lease:
            parquet.export(lease, folder)

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

    def kind_table(self, wanted: Filter = EVERYTHING) -> pl.DataFrame:
        """Give how each kind of event is spread over finished games: kind, games that have it, n, and the sum of n²."""
        return self._frame(
            """
            SELECT kind, count(*)::BIGINT AS games, sum(n)::BIGINT AS n, sum(n * n)::BIGINT AS squares
            FROM (
              SELECT kind, sum(n) AS n FROM kind_count
              WHERE replay IN (SELECT id FROM replay WHERE {where}) GROUP BY replay, kind
            ) GROUP BY kind ORDER BY kind
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

    def parts(self, table: str, columns: Sequence[str], wanted: Filter = EVERYTHING) -> Iterator[pl.DataFrame]:
        """Give columns of a table by replay, some hundred replays at a time; `replay` is the id as text."""
        id = "id" if table == "replay" else "replay"
        named = ", ".join([f"{id}::VARCHAR AS replay" if column == "replay" else column for column in columns])
        order = {
            "replay": "added",
            "event": "replay, seq",
            "seat_result": "replay, seat",
            "tally": "replay, metric, seat, key",
        }[table]
        for ids in self._ids(wanted):
            with self._database.reading() as lease:
                part = lease.frame(f"SELECT {named} FROM {table} WHERE {table}.{id} {AMONG} ORDER BY {order}", ids=ids)
            yield part

    def seat_table(self, wanted: Filter = EVERYTHING, by: Sequence[str] = ("seat",)) -> pl.DataFrame:
        """Give what win rates and scores are made of, added up by seats, seat, player, bot, score: `counting.seats`."""
        with self._database.reading() as lease:
            return counting.seats(lease, wanted, by)

    def game_table(self, wanted: Filter = EVERYTHING) -> pl.DataFrame:
        """Give what lengths and endings are made of, unfinished games too, added up: `counting.games`."""
        with self._database.reading() as lease:
            return counting.games(lease, wanted)

    def metric_table(
        self, game: str, metric: str, wanted: Filter = EVERYTHING, by: Sequence[str] = ("key",)
    ) -> pl.DataFrame:
        """Give what a metric of a game found, added up by seats, seat, player, bot, key, won: `counting.tallies`.

        Raises `SetupError` for a metric that the game does not have.
        """
        known = metric_of(game, metric)
        with self._database.reading() as lease:
            return counting.tallies(lease, known, msgspec.structs.replace(wanted, game=game), by)

    def situation_table(self, game: str, wanted: Filter = EVERYTHING, by: Sequence[str] = ()) -> pl.DataFrame:
        """Give the wins beside what seats of a game held, by subject and situation: `counting.situations`."""
        with self._database.reading() as lease:
            return counting.situations(lease, msgspec.structs.replace(wanted, game=game), by)

    def meetings(self, wanted: Filter = EVERYTHING, newest: int = NEWEST) -> pl.DataFrame:
        """Give the newest finished games as ratings take them, in the order of arrival: `meetings.newest`."""
        with self._database.reading() as lease:
            return meetings.newest(lease, wanted, newest)

    def pair_table(self, wanted: Filter = EVERYTHING, most: int = 20) -> pl.DataFrame:
        """Give how the players of the most games met, two by two: `meetings.pairs`."""
        with self._database.reading() as lease:
            return meetings.pairs(lease, wanted, most)

    def facets(self, game: str | None = None) -> dict[str, list[str]]:
        """Give what replays (of a game) can be told apart by: provenance, sheet, options, and tags, in order."""
        where, values = Filter(game=game).where()
        of = f"FROM replay WHERE {where}"
        tagged = f"SELECT DISTINCT body FROM note WHERE kind = '{TAG}' AND replay IN (SELECT id {of}) ORDER BY 1"
        with self._database.reading() as lease:
            found = {
                name: lease.rows(f"SELECT DISTINCT {name} {of} ORDER BY 1", **values)
                for name in ("provenance", "sheet", "options")
            }
            found["tags"] = lease.rows(tagged, **values)
        return {name: [value for (value,) in rows] for name, rows in found.items()}

    def first_of(self, kind: str, ids: Sequence[str]) -> dict[str, int]:
        """Give the first step of a kind of event in each of some replays that has one."""
        with self._database.reading() as lease:
            return dict(
                lease.rows(
                    f"SELECT replay::VARCHAR, min(seq) FROM event WHERE kind = $kind AND replay {AMONG} GROUP BY ALL",
                    kind=kind,
                    ids=list(ids),
                )
            )

    def measured(self, wanted: Filter = EVERYTHING) -> Share:
        """Say how many of the finished games are measured."""
        where, values = wanted.where()
        with self._database.reading() as lease:
            return measuring.share(lease, where, **values)

    def _frame(self, query: str, wanted: Filter, **values: object) -> pl.DataFrame:
        where, named = wanted.where()
        with self._database.reading() as lease:
            return lease.frame(query.format(where=where), **named, **values)

    def family(self, id: str) -> list[Kin]:
        """Give the games that a game branched off, those that branched off it, and theirs in turn, in order of arrival.

        Branches of one game belong together also after it was removed. Raises `UnknownReplay`.
        """
        with self._database.reading() as lease:
            row_of(lease, id)
            rows = lease.rows(
                """
                WITH RECURSIVE kin(id, parent) AS (
                    SELECT id::VARCHAR, parent FROM replay WHERE id = $id
                    UNION
                    SELECT replay.id::VARCHAR, replay.parent
                    FROM replay JOIN kin
                    ON replay.id::VARCHAR = kin.parent OR replay.parent = kin.id OR replay.parent = kin.parent
                )
                SELECT id::VARCHAR, parent, fork_step, length, finished FROM replay
                WHERE id::VARCHAR IN (SELECT id FROM kin) ORDER BY added
                """,
                id=id,
            )
        return [Kin(*row) for row in rows]

    def sheets(self) -> pl.DataFrame:
        """Give a row a component sheet that is not shipped: game, sheet (its digest), components (JSON), replays."""
        return self._frame(
            """
            SELECT sheet.game, sheet.sheet, sheet.components, count(*)::BIGINT AS replays
            FROM sheet JOIN replay ON replay.components = sheet.key WHERE {where}
            GROUP BY ALL ORDER BY sheet.game, sheet.sheet, sheet.components
            """,
            EVERYTHING,
        )

    # --- measuring ---------------------------------------------------------------------------------------------------

    def measure(
        self, wanted: Filter = EVERYTHING, jobs: int = 1, progress: Callable[[int], None] | None = None
    ) -> Measurements:
        """Measure the finished games that today's metrics have not looked at, by `jobs` processes.

        A game that cannot be measured is marked and reported, the others go on. Calls `progress` with the number of
        games that it is done with.
        """
        where, values = wanted.where()
        with self._database.reading() as lease:
            ids = measuring.unmeasured(lease, where, **values)
        done = 0
        bad = list[Finding]()
        waiting = list[tuple[pl.DataFrame, pl.DataFrame]]()
        for found in measuring.spread(self._readable(ids, bad), jobs):
            waiting.append(found)
            if sum(tally.height for tally, _ in waiting) >= TALLIES:
                bad += self._keep(waiting)
                waiting = []
            done += found[1].height
            if progress is not None:
                progress(done)
        if waiting:
            bad += self._keep(waiting)
        return Measurements(done, tuple(bad))

    def _readable(self, ids: Sequence[UUID], bad: list[Finding]) -> Iterator[list[Tape]]:
        """Tapes by the chunk; of a damaged file those that can be read, and the others as findings."""
        for at in range(0, len(ids), measuring.CHUNK):
            chunk = ids[at : at + measuring.CHUNK]
            try:
                with self._database.reading() as lease:
                    tapes = read_all(lease, chunk)
            except StoreDamaged as error:
                bad.append(Finding(None, str(error)))
                continue
            yield tapes

    def _keep(self, found: Sequence[tuple[pl.DataFrame, pl.DataFrame]]) -> list[Finding]:
        tally = pl.concat([tally for tally, _ in found])
        marks = pl.concat([marks for _, marks in found])
        with self._database.writing() as lease:
            return measuring.keep(lease, tally, marks)

    # --- health ------------------------------------------------------------------------------------------------------

    def check(self) -> list[Finding]:
        """Read everything and give what is wrong: gaps, digests, what streams come to, projections. [] is well."""
        try:
            return list(self._findings())
        except StoreDamaged as error:
            return [Finding(None, str(error))]

    def _findings(self) -> Iterator[Finding]:
        with self._database.reading() as lease:
            found = whole_store(lease)
        yield from found
        for ids in self._ids(EVERYTHING):
            with self._database.reading() as lease:
                found = list(streams(lease, ids))
            yield from found

    def projections(self) -> list[Health]:
        """Give how each projection is: how far it has come, how many finished games it lacks, and what stopped it."""
        with self._database.reading() as lease:
            return projections.health(lease)

    def rebuild(self, progress: Callable[[int], None] | None = None, jobs: int = 1) -> Rebuilt:
        """Work out anew what streams come to and what is said of their events, the projections, and what is measured.

        Needed after a game was installed that was not there when its replays were added, and after a projection was
        stopped. A stream that is bad is marked and reported, the others go on. Calls `progress` with the number of
        replays that it is done with.
        """
        done = 0
        bad = list[Finding]()
        for ids in self._ids(EVERYTHING):
            bad += self._rebuild_streams(ids)
            done += len(ids)
            if progress is not None:
                progress(done)
        with self._database.writing() as lease:
            measuring.forget_all(lease)
        bad += self.measure(jobs=jobs).bad
        for projection in PROJECTIONS:
            try:
                with self._database.holding() as hold:
                    projections.rebuild(hold, projection)
            except ProjectionFailed as error:
                bad.append(Finding(None, str(error)))
        return Rebuilt(done, tuple(bad))

    def _rebuild_streams(self, ids: Sequence[UUID]) -> list[Finding]:
        try:
            with self._database.writing() as lease:
                return rebuild_streams(lease, ids)
        except StoreDamaged as error:
            if len(ids) > 1:  # find out which
                return [finding for id in ids for finding in self._rebuild_streams([id])]
            with self._database.writing() as lease:
                return [mark_unreadable(lease, ids[0], str(error))]


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


class _Ready(NamedTuple):
    """A batch of tapes as rows, and why others of it cannot be stored."""

    tapes: list[Tape]
    refused: tuple[str, ...]
    replay: pl.DataFrame
    event: pl.DataFrame
    sheet: pl.DataFrame


def _ready(group: Sequence[Tape]) -> _Ready:
    sound = list[Tape]()
    refused = list[str]()
    for tape in group:
        try:
            check(tape)
            sound.append(tape)
        except FormatError as error:
            refused.append(f"replay {tape.header.id[:80]}: {error}")
    return _Ready(sound, tuple(refused), *frames(sound))


def _insert(lease: Lease, ready: _Ready) -> dict[str, str]:
    """Store those of the tapes whose id is not there; give the digests of those that are, by id."""
    _, _, replay, event, sheet = ready
    ids = [tape.header.id for tape in ready.tapes]
    held = {
        id: head.hex() for id, head in lease.rows(f"SELECT id::VARCHAR, head FROM replay WHERE id {AMONG}", ids=ids)
    }
    if held:
        replay = replay.filter(~pl.col("id").is_in(list(held)))
        event = event.filter(~pl.col("replay").is_in(list(held)))
    if replay.is_empty():
        return held
    with lease.given({"new_replay": replay.with_row_index("place"), "new_event": event, "new_sheet": sheet}):
        lease.run("INSERT INTO sheet BY NAME SELECT * FROM new_sheet WHERE key NOT IN (SELECT key FROM sheet)")
        lease.run("""
            INSERT INTO replay BY NAME
            SELECT * EXCLUDE (place), (SELECT coalesce(max(added) + 1, 0) FROM replay) + place AS added FROM new_replay
        """)
        lease.run(f"INSERT INTO event BY NAME {EVENT_PARTS.format(rows='new_event')}")
        projections.project(
            lease,
            "(SELECT * REPLACE (id::UUID AS id) FROM new_replay)",
            "(SELECT * REPLACE (replay::UUID AS replay) FROM new_event)",
        )
    return held
