"""The half of a store that is asked: each method takes the file for reading and lets it go again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple
from uuid import UUID

import msgspec
import polars as pl

from events.tape import Tape
from replay import notes
from replay.filters import EVERYTHING, Filter
from replay.lake import rows as lake_rows
from replay.notes import TAG, Note
from replay.statistics.measuring import metric_of
from replay.storage import counting, measured, meetings, parquet
from replay.storage.database import Database
from replay.storage.measured import Share
from replay.storage.reading import AMONG, digits_of, is_id, only, read, read_all, row_of

NEWEST: Final = 10_000
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


class Reading:
    """What a store can be asked."""

    _database: Database

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Hold the store for reading while another process reads the file; writers wait for as long."""
        with self._database.reading():
            yield

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

    def count(self, wanted: Filter = EVERYTHING) -> int:
        """Give how many replays there are."""
        where, values = wanted.where()
        with self._database.reading() as lease:
            return int(lease.rows(f"SELECT count(*) FROM replay WHERE {where}", **values)[0][0])

    def heads(self, wanted: Filter = EVERYTHING) -> pl.DataFrame:
        """Give id, game, length and head of replays, sorted by game and id."""
        return self._frame(
            "SELECT id::VARCHAR AS id, game, length, head FROM replay WHERE {where} ORDER BY game, id", wanted
        )

    def arrivals(self) -> int:
        """Give a number that is above those by which the replays that are here are in order of arrival."""
        with self._database.reading() as lease:
            return int(lease.rows("SELECT coalesce(max(added) + 1, 0) FROM replay")[0][0])

    def rows_of(self, ids: Sequence[str]) -> lake_rows.Rows:
        """Give the rows of the tables about some replays, as of one moment: all but what belongs to a live game."""
        with self._database.reading() as lease:
            return lake_rows.rows_of(lease, ids)

    def export_parquet(self, folder: Path) -> None:
        """Write every table as a Parquet file into a new folder; raises `FormatError` if that cannot be made."""
        with self._database.reading() as lease:
            parquet.export(lease, folder)

    def replays(self, wanted: Filter = EVERYTHING, limit: int | None = None, offset: int = 0) -> pl.DataFrame:
        """Give a row a replay, the newest first.

        `seed` is told of finished games only. `options` is JSON. `length` counts events, `turns` turns. `ended`,
        `scores` and `winners` (seats) are null until the game is finished. Where a replay does not open to its end,
        `fault_step` and `fault_reason` say up to where and why.
        """
        return self._frame(
            f"""
            SELECT {REPLAYS} FROM replay WHERE id IN (
              SELECT id FROM replay WHERE {{where}} ORDER BY added DESC LIMIT $limit OFFSET $offset
            ) ORDER BY added DESC
            """,  # the wide columns of those alone that are shown
            wanted,
            limit=limit,
            offset=offset,
        )

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

    def family(self, id: str) -> list[Kin]:
        """Give the games that a game branched off, those that branched off it, and theirs in turn, in order of arrival.

        Branches of one game belong together also after it was removed. Raises `UnknownReplay`.
        """
        with self._database.reading() as lease:
            row_of(lease, id)
            kin = lease.rows(
                """
                WITH RECURSIVE branch AS MATERIALIZED (
                  SELECT id::VARCHAR AS id, parent FROM replay WHERE parent IS NOT NULL
                ), kin(id) AS (
                  SELECT $id
                  UNION
                  SELECT unnest([branch.id, parent]) FROM branch JOIN kin ON branch.id = kin.id OR parent = kin.id
                )
                SELECT id FROM kin
                """,
                id=id,
            )
            rows = lease.rows(
                f"SELECT id::VARCHAR, parent, fork_step, length, finished FROM replay WHERE id {AMONG} ORDER BY added",
                ids=[name for (name,) in kin if is_id(name)],
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

    # --- statistics ---------------------------------------------------------------------------------------------------

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

    def measured(self, wanted: Filter = EVERYTHING) -> Share:
        """Say how many of the finished games are measured."""
        where, values = wanted.where()
        with self._database.reading() as lease:
            return measured.share(lease, where, **values)

    def _frame(self, query: str, wanted: Filter, **values: object) -> pl.DataFrame:
        where, named = wanted.where()
        with self._database.reading() as lease:
            return lease.frame(query.format(where=where), **named, **values)

    # --- beside the streams -------------------------------------------------------------------------------------------

    def notes(self, replay: str) -> list[Note]:
        """Give the notes of a replay, by step; raises `UnknownReplay`."""
        with self._database.reading() as lease:
            return notes.of(lease, replay)

    def noted(self) -> list[str]:
        """Give the ids of the replays that have notes."""
        with self._database.reading() as lease:
            return [id for (id,) in lease.rows("SELECT DISTINCT replay::VARCHAR FROM note ORDER BY ALL")]

    def notes_of_kind(self, kind: str) -> list[tuple[str, str]]:
        """Give the notes of a kind in all replays as (replay, text), in the order of writing."""
        with self._database.reading() as lease:
            return notes.of_kind(lease, kind)

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

    def evaluated(self, id: str, head: bytes, question: str) -> dict[int, str]:
        """Give what is kept of an evaluation of a stream with this head: JSON by step (`replay.evaluation`)."""
        with self._database.reading() as lease:
            return dict(
                lease.rows(
                    "SELECT step, body FROM evaluation WHERE replay = $id AND head = $head AND question = $question",
                    id=id,
                    head=head,
                    question=question,
                )
            )
