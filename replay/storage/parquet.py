"""The tables of a store as Parquet files, for other programs, and back: a folder with a file a table.

What comes back is believed as far as it can be counted: its header fields, its lengths, its order. Digests are compared
by `tabletape doctor`, which reads every event. Games at play come as such, with the hashes of their tokens: they can
go on here, and nothing of them is shown until they are over.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import msgspec

from events.errors import FormatError
from events.tape import FORMAT, Header, Tape
from replay.live.tokens import Facts
from replay.storage import projections
from replay.storage.contract import Added
from replay.storage.database import Lease, in_memory
from replay.storage.rows import check
from replay.storage.tables import REPLAY_ROW, TABLES, VERSION

ROW_GROUP: Final = 122_880
"""Rows that are compressed together: exactly those of a row group of DuckDB, or it writes all of them twice."""

READ: Final = 1000
"""Headers that are looked at together."""

_HEADERS: Final = f"""
    SELECT id::VARCHAR, to_json({{{{
      'tabletape': {FORMAT}, 'id': id, 'game': game, 'rules': rules, 'shapes': shapes, 'sheet': sheet,
      'players': CASE WHEN len(players) = len(bots)
        THEN [{{{{'name': each[1], 'bot': each[2]}}}} FOR each IN list_zip(players, bots)] END,
      'provenance': provenance, 'seed': seed, 'recorded': recorded,
      'fork': CASE WHEN parent IS NOT NULL THEN {{{{'parent': parent, 'step': fork_step}}}} END,
      'length': CASE WHEN sealed THEN length ELSE stated_length END,
      'digest': CASE WHEN sealed THEN lower(hex(head)) ELSE stated_digest END
    }}}})
    FROM (SELECT {", ".join(REPLAY_ROW)} FROM {{replay}})
"""
"""SQL for the ids of replays and their headers but the components, as the line that a file of them would have."""

_header_decoder: Final = msgspec.json.Decoder(Header)
_components_decoder: Final = msgspec.json.Decoder(dict[str, Any])


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
        known = lease.rows(f"""
            SELECT new.id, new.head = old.head
            FROM {_file(folder, "replay")} AS new JOIN replay AS old ON old.id = new.id ORDER BY new.id
        """)
        there = [id for id, _ in known]
        # The files are judged while DuckDB writes: what was written of bad ones is never kept.
        with ThreadPoolExecutor(1, "tabletape-judge") as judge:
            judged = judge.submit(_check, folder, there)
            try:
                first = _bring(lease, folder, there)
            finally:
                judged.result()  # what it says names the replay; DuckDB does not
        projections.project(lease, "(SELECT * FROM replay WHERE added >= $first)", "event", first=first)
        ((new,),) = lease.rows("SELECT count(*) FROM replay WHERE added >= $first", first=first)
    return Added(new, sum(same for _, same in known), tuple([str(id) for id, same in known if not same]))


def _bring(lease: Lease, folder: Path, there: Sequence[UUID]) -> int:
    """Store the replays of a folder but those that are there; give from which number on they are added."""
    ((first,),) = lease.rows("SELECT coalesce(max(added) + 1, 0) FROM replay")
    lease.run(f"""
        INSERT INTO sheet BY NAME
        SELECT * FROM {_file(folder, "sheet")} WHERE key NOT IN (SELECT key FROM main.sheet)
    """)
    where, values = _but("id", there)
    lease.run(
        f"""
        INSERT INTO replay BY NAME
        SELECT * REPLACE ($first + row_number() OVER (ORDER BY added) - 1 AS added)
        FROM {_file(folder, "replay")} WHERE {where}
        """,
        first=first,
        **values,
    )
    where, values = _but("replay", there)
    for table in ("event", "note"):
        lease.run(f"INSERT INTO {table} BY NAME SELECT * FROM {_file(folder, table)} WHERE {where}", **values)
    _bring_live(lease, folder, there)
    return int(first)


def _but(column: str, there: Sequence[UUID]) -> tuple[str, dict[str, object]]:
    """SQL for none of the replays that the store has already, and its values; mostly there are none."""
    return (f"{column} NOT IN (SELECT unnest($there::UUID[]))", {"there": there}) if there else ("true", {})


def _bring_live(lease: Lease, folder: Path, there: Sequence[UUID]) -> None:
    where, values = _but("replay", there)
    live = lease.rows(f"SELECT replay, facts FROM {_file(folder, 'live')} WHERE {where} ORDER BY ALL", **values)
    for replay, facts in live:
        try:
            msgspec.json.decode(facts, type=Facts)
        except msgspec.MsgspecError as error:
            raise FormatError(f"{folder}: what is kept of live game {replay} cannot be read: {error}") from None
        lease.run("INSERT INTO live VALUES ($replay, $facts)", replay=replay, facts=facts)


def _check(folder: Path, there: Sequence[UUID]) -> None:
    """Look at the files of a folder, not at the store; raises `FormatError`."""
    with in_memory() as lease:
        _check_counts(lease, folder, there)
        _check_sheets(folder, lease.rows(f"SELECT key, components::VARCHAR FROM {_file(folder, 'sheet')}"))
        for part in lease.parts(_HEADERS.format(replay=_file(folder, "replay")), READ):
            _check_headers(folder, part)


def _check_sheets(folder: Path, sheets: Sequence[tuple[str, str]]) -> None:
    """Read components from the very text that is stored: what DuckDB takes for JSON may be none."""
    for key, text in sheets:
        try:
            msgspec.json.encode(_components_decoder.decode(text))
        except (msgspec.MsgspecError, ValueError, TypeError, RecursionError) as error:
            raise FormatError(f"{folder}: sheet {key} cannot be read: {error}") from None


def _check_headers(folder: Path, headers: Sequence[tuple[Any, ...]]) -> None:
    """Ask the same of headers as if they stood in a file of games: of each its id, and it as JSON."""
    for id, text in headers:
        try:
            check(Tape(_header_decoder.decode(text), ()))
        except (msgspec.MsgspecError, ValueError) as error:
            raise FormatError(f"{folder}: replay {id} cannot be read: {error}") from None


def _check_counts(lease: Lease, folder: Path, there: Sequence[UUID]) -> None:
    (replays, values), (events, _) = _but("id", there), _but("replay", there)
    wrong = lease.rows(
        f"""
        SELECT coalesce(id, replay)::VARCHAR
        FROM (SELECT id, length FROM {_file(folder, "replay")} WHERE {replays}) FULL JOIN (
          SELECT replay, count(*) AS n, min(seq) AS first, max(seq) AS last, sum(seq) AS steps
          FROM {_file(folder, "event")} WHERE {events} GROUP BY replay
        ) ON replay = id
        WHERE coalesce(n, 0) IS DISTINCT FROM length OR first <> 0 OR last <> n - 1 OR steps <> n * (n - 1) // 2
        LIMIT 1
        """,
        **values,
    )
    if wrong:
        raise FormatError(f"{folder}: the events of replay {wrong[0][0]} are not all there, or not in order")


def _file(folder: Path, table: str) -> str:
    return f"read_parquet('{_quoted(folder / f'{table}.parquet')}')"


def _quoted(path: Path) -> str:
    return str(path.absolute()).replace("'", "''")


def _cannot(what: str, reason: str) -> FormatError:
    return FormatError(f"cannot {what}: {reason}")
