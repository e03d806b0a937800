"""What a lake keeps of each game: the rows of the store's tables, in a database or as frames.

Ids are text in frames. Nothing here knows of files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final

import msgspec
import polars as pl

from events.errors import FormatError
from events.tape import Header, Tape
from replay.storage import projections, tally_sums
from replay.storage.contract import Added
from replay.storage.database import Lease, in_memory
from replay.storage.reading import AMONG
from replay.storage.rows import Stored, check, tape_from, unlike
from replay.storage.tables import TABLES

Rows = Mapping[str, pl.DataFrame]
"""Rows of some games: a frame for each table of `KEPT`."""

KEPT: Final = ("sheet", "event", "seat_result", "kind_count", "tally", "measured", "note", "replay")
"""The tables that a lake has. `live` stays where games are played; `evaluation` can be worked out again."""

SORTED: Final[Mapping[str, tuple[str, ...]]] = {
    "sheet": ("key",),
    "event": ("replay", "seq"),
    "tally": ("metric", "replay", "seat", "key"),
    "replay": ("id",),
}
"""In which order rows lie, where it is not by replay alone: so that a game, or a metric, is read without the others."""


@cache
def schema(table: str) -> pl.Schema:
    """Give the columns of a table of the store, as frames have them."""
    with in_memory() as lease:
        lease.run(TABLES[table])
        return lease.frame(f"SELECT * FROM {table}").schema


def rows_of(lease: Lease, ids: Sequence[str]) -> Rows:
    """Give everything that is kept of some replays, sorted."""
    named = {table: "id" if table == "replay" else "replay" for table in KEPT}
    found = {
        table: lease.frame(f"SELECT * FROM {table} WHERE {named[table]} {AMONG}", ids=ids)
        for table in KEPT
        if table != "sheet"
    }
    found["sheet"] = lease.frame(
        f"SELECT * FROM sheet WHERE key IN (SELECT components FROM replay WHERE id {AMONG})", ids=ids
    )
    return {table: found[table].cast(schema(table)).sort(SORTED.get(table, "replay")) for table in KEPT}


def sums_of(rows: Rows) -> pl.DataFrame:
    """Give what was measured in games added up, as `tally_sum` has it."""
    with in_memory() as lease, lease.given({"tally": rows["tally"], "replay": rows["replay"]}):
        sums = lease.frame(f"SELECT '{tally_sums.EVER}' AS stamp, * FROM ({tally_sums.added_up('tally')}) ORDER BY ALL")
    return sums.cast(schema("tally_sum"))


def tapes_of(rows: Rows) -> Iterator[Tape]:
    """Give the tapes of games from their rows, each exactly as it was added, in the order of arrival."""
    for stored, events in _streams(rows):
        yield tape_from(stored, events)


def _streams(rows: Rows) -> Iterator[tuple[Stored, list[bytes]]]:
    event = rows["event"].sort("replay", "seq").with_columns(bytes=_bytes())
    events = dict(event.group_by("replay", maintain_order=True).agg("bytes").iter_rows())
    boxes = rows["sheet"].unique("key").select("key", boxed="components")
    replays = rows["replay"].join(boxes, left_on="components", right_on="key", how="left").sort("added", "id")
    columns = ["boxed" if name == "components" else name for name in Stored._fields]
    for row in replays.select(columns).iter_rows():
        yield Stored(*row), events.get(row[0], [])


def _bytes() -> pl.Expr:
    """The bytes of an event from its row: what `rows.EVENT_BYTES` says in SQL."""
    opening = pl.lit('{"type":"') + pl.col("kind") + pl.lit('"')
    rest = pl.when(pl.col("body") == "{}").then(pl.lit("}")).otherwise(pl.lit(",") + pl.col("body").str.slice(1))
    return pl.coalesce("raw", (opening + rest).cast(pl.Binary))


def bring(lease: Lease, rows: Rows) -> Added:
    """Store games from their rows, all of them in one transaction of the caller's; those that are there stay.

    What is stored is judged first: header, order and digest. One that fails is refused, with the reason.
    """
    ids = rows["replay"]["id"].to_list()
    held = dict(lease.rows(f"SELECT id::VARCHAR, head FROM replay WHERE id {AMONG}", ids=ids))
    refused = dict[str, str]()
    for stored, events in _streams(rows):
        if stored.id not in held and (reason := _wrong(tape_from(stored, events), stored.head)) is not None:
            refused[stored.id] = f"replay {stored.id[:80]}: {reason}"
    same = [id for id, head in rows["replay"].select("id", "head").iter_rows() if held.get(id) == head]
    new = pl.Series("new", [id for id in ids if id not in held and id not in refused], dtype=pl.String)
    fresh = {
        table: frame.filter(pl.col("id" if table == "replay" else "replay").is_in(new.implode()))
        for table, frame in rows.items()
        if table != "sheet"
    }
    if len(new):
        with lease.given({f"new_{table}": frame for table, frame in {**rows, **fresh}.items()}):
            lease.run("INSERT INTO sheet BY NAME SELECT * FROM new_sheet WHERE key NOT IN (SELECT key FROM sheet)")
            for table in ("replay", "event", "note", "tally", "measured"):
                lease.run(f"INSERT INTO {table} BY NAME SELECT * FROM new_{table}")
            projections.project(
                lease,
                "(SELECT * REPLACE (id::UUID AS id) FROM new_replay)",
                "(SELECT * REPLACE (replay::UUID AS replay) FROM new_event)",
            )
    changed = tuple([id for id in held if id not in same])
    return Added(len(new), len(same), changed, tuple(refused.values()))


def _wrong(tape: Tape, head: bytes) -> str | None:
    """Say why a game cannot be stored, if so: the same is asked of it as of a tape."""
    try:
        msgspec.convert(msgspec.to_builtins(tape.header), Header)
        check(tape)
    except (msgspec.MsgspecError, FormatError, ValueError) as error:
        return " ".join(str(error).split())
    return "its events are not those that were recorded" if unlike(tape, head) else None
