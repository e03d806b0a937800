"""The tables of a store as Parquet files, for other programs, and back: a folder with a file a table.

What comes back is believed as far as it can be counted: its header fields, its lengths, its order. Digests are compared
by `tabletape doctor`, which reads every event. Games at play come as such, with the hashes of their tokens: they can
go on here, and nothing of them is shown until they are over.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final
from uuid import UUID

import msgspec

from events.errors import FormatError
from events.tape import Header, Tape
from replay.live.tokens import Facts
from replay.storage import projections
from replay.storage.contract import Added
from replay.storage.database import Lease
from replay.storage.rows import TAPES, Stored, check, tape_from
from replay.storage.tables import TABLES, VERSION

ROW_GROUP: Final = 122_880
"""Rows that are compressed together: exactly those of a row group of DuckDB, or it writes all of them twice."""

NOT_THERE: Final = "NOT IN (SELECT unnest($there::UUID[]))"
"""SQL for being none of the replays that the store has already."""


def export(lease: Lease, folder: Path) -> None:
    """Write every table into a folder that is not there yet; raises `FormatError` if it is, or cannot be made."""
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise FormatError(f"{folder} is there already; it was not touched") from None
    except OSError as error:
        raise FormatError(f"cannot make {folder}: {error.strerror}") from None
    for table in ("meta", *TABLES):
        with lease.blaming(_cannot, f"write {folder}"):
            rows = "(FROM event ORDER BY replay, seq)" if table == "event" else table
            lease.run(
                f"COPY {rows} TO '{_quoted(folder / f'{table}.parquet')}' "
                f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP})"
            )


def bring(lease: Lease, folder: Path) -> Added:
    """Store the replays of a folder that `export` wrote, all or none; raises `FormatError` for what is none."""
    for table in ("meta", *TABLES):
        if not (folder / f"{table}.parquet").is_file():
            raise FormatError(f"cannot read {folder}: it has no {table}.parquet")
    with lease.blaming(_cannot, f"read {folder}"):
        version = lease.rows(f"SELECT value FROM {_file(folder, 'meta')} WHERE key = 'version'")
        if version != [(str(VERSION),)]:
            raise FormatError(f"{folder} is of another version of the tables than {VERSION}")
        _check_headers(lease, folder)
        known = lease.rows(f"""
            SELECT new.id, new.head = old.head
            FROM {_file(folder, "replay")} AS new JOIN replay AS old ON old.id = new.id ORDER BY new.id
        """)
        there = [id for id, _ in known]
        _check_counts(lease, folder, there)
        ((first,),) = lease.rows("SELECT coalesce(max(added) + 1, 0) FROM replay")
        lease.run(f"""
            INSERT INTO sheet BY NAME
            SELECT * FROM {_file(folder, "sheet")} WHERE key NOT IN (SELECT key FROM main.sheet)
        """)
        lease.run(
            f"""
            INSERT INTO replay BY NAME
            SELECT * REPLACE ($first + row_number() OVER (ORDER BY added) - 1 AS added)
            FROM {_file(folder, "replay")} WHERE id {NOT_THERE}
            """,
            first=first,
            there=there,
        )
        lease.run(
            f"INSERT INTO event BY NAME SELECT * FROM {_file(folder, 'event')} WHERE replay {NOT_THERE}", there=there
        )
        lease.run(
            f"INSERT INTO note BY NAME SELECT * FROM {_file(folder, 'note')} WHERE replay {NOT_THERE}", there=there
        )
        _bring_live(lease, folder, there)
        projections.project(lease, "(SELECT * FROM replay WHERE added >= $first)", "event", first=first)
        ((new,),) = lease.rows("SELECT count(*) FROM replay WHERE added >= $first", first=first)
    return Added(new, sum(same for _, same in known), tuple([str(id) for id, same in known if not same]))


def _bring_live(lease: Lease, folder: Path, there: Sequence[UUID]) -> None:
    live = lease.rows(
        f"SELECT replay, facts FROM {_file(folder, 'live')} WHERE replay {NOT_THERE} ORDER BY ALL", there=there
    )
    for replay, facts in live:
        try:
            msgspec.json.decode(facts, type=Facts)
        except msgspec.MsgspecError as error:
            raise FormatError(f"{folder}: what is kept of live game {replay} cannot be read: {error}") from None
        lease.run("INSERT INTO live VALUES ($replay, $facts)", replay=replay, facts=facts)


def _check_headers(lease: Lease, folder: Path) -> None:
    """The same that is asked of a tape; `replay` and `sheet` stand for the files while this looks."""
    query = TAPES.format(more="").replace("FROM replay", f"FROM {_file(folder, 'replay')} AS replay")
    query = query.replace("JOIN sheet", f"JOIN {_file(folder, 'sheet')} AS sheet")
    for row in lease.rows(query):
        try:
            header = tape_from(Stored(*row), ()).header
            msgspec.convert(msgspec.to_builtins(header), Header)
        except (msgspec.MsgspecError, ValueError) as error:
            raise FormatError(f"{folder}: replay {row[0]} cannot be read: {error}") from None
        check(Tape(header, ()))


def _check_counts(lease: Lease, folder: Path, there: Sequence[UUID]) -> None:
    wrong = lease.rows(
        f"""
        SELECT coalesce(id, replay)::VARCHAR
        FROM (SELECT id, length FROM {_file(folder, "replay")} WHERE id {NOT_THERE}) FULL JOIN (
          SELECT replay, count(*) AS n, min(seq) AS first, max(seq) AS last, sum(seq) AS steps
          FROM {_file(folder, "event")} WHERE replay {NOT_THERE} GROUP BY replay
        ) ON replay = id
        WHERE coalesce(n, 0) IS DISTINCT FROM length OR first <> 0 OR last <> n - 1 OR steps <> n * (n - 1) // 2
        LIMIT 1
        """,
        there=there,
    )
    if wrong:
        raise FormatError(f"{folder}: the events of replay {wrong[0][0]} are not all there, or not in order")


def _file(folder: Path, table: str) -> str:
    return f"read_parquet('{_quoted(folder / f'{table}.parquet')}')"


def _quoted(path: Path) -> str:
    return str(path.absolute()).replace("'", "''")


def _cannot(what: str, reason: str) -> FormatError:
    return FormatError(f"cannot {what}: {reason}")
