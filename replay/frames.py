"""Everything that is recorded as lazy frames of polars, for notebooks and programs.

    from replay import frames
    from replay.storage.store import Filter

    seats = frames.seats("games.duckdb", Filter(game="queen-of-the-cupcakes", seats=3))
    seats.group_by("bot").agg(pl.col("score").mean()).collect()

What the `Filter` leaves out is never read, nor are columns that are not asked for. The database is looked at when a
frame is collected, some hundred games at a time; nothing is kept open between. Raises what `Store` raises.

In the place of the database a lake may stand, a folder or an address such as `s3://bucket/games`: then a frame is one
over its Parquet files (`polars.scan_parquet`), segment by segment.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import polars as pl
from polars.io.plugins import register_io_source

from replay.lake.reading import LakeStore
from replay.lake.segments import Lake, is_lake
from replay.storage.store import EVERYTHING, Filter, Store

_ID: Final = {"replay": pl.String()}

REPLAYS: Final = pl.Schema(
    {
        **_ID,
        "game": pl.String(),
        "rules": pl.Int32(),
        "seats": pl.Int16(),
        "options": pl.String(),
        "provenance": pl.String(),
        "recorded": pl.String(),
        "players": pl.List(pl.String),
        "bots": pl.List(pl.String),
        "length": pl.Int32(),
        "turns": pl.Int32(),
        "finished": pl.Boolean(),
        "ended": pl.String(),
        "scores": pl.List(pl.Int64),
        "ranks": pl.List(pl.Int16),
    }
)
"""A replay: `length` counts events; what a game comes to is null until it is finished."""

SEATS: Final = pl.Schema(
    {
        **_ID,
        "game": pl.String(),
        "seats": pl.Int16(),
        "seat": pl.Int16(),
        "player": pl.String(),
        "bot": pl.String(),
        "score": pl.Int64(),
        "rank": pl.Int16(),
        "winners": pl.Int16(),
        "won": pl.Boolean(),
    }
)
"""A seat of a finished game: a win is worth 1 / winners."""

EVENTS: Final = pl.Schema(
    {
        **_ID,
        "seq": pl.Int32(),
        "turn": pl.Int32(),
        "round": pl.Int32(),
        "seat": pl.Int16(),
        "kind": pl.String(),
        "subject": pl.String(),
        "body": pl.String(),
    }
)
"""An event of any game, hidden ones too: `body` is the JSON of its other fields."""

METRICS: Final = pl.Schema(
    {
        **_ID,
        "game": pl.String(),
        "seats": pl.Int16(),
        "metric": pl.String(),
        "seat": pl.Int16(),
        "winners": pl.Int16(),
        "key": pl.String(),
        "n": pl.Int32(),
        "total": pl.Int64(),
    }
)
"""What a metric found in a measured game: n cases, and the total of what was counted in them."""


def replays(db: Path | str, wanted: Filter = EVERYTHING) -> pl.LazyFrame:
    """Give a row a replay, in the order of arrival: `REPLAYS`."""
    return _lazy(db, "replay", REPLAYS, wanted)


def seats(db: Path | str, wanted: Filter = EVERYTHING) -> pl.LazyFrame:
    """Give a row a seat of each finished game: `SEATS`."""
    return _lazy(db, "seat_result", SEATS, wanted)


def events(db: Path | str, wanted: Filter = EVERYTHING) -> pl.LazyFrame:
    """Give a row an event, in order: `EVENTS`."""
    return _lazy(db, "event", EVENTS, wanted)


def metrics(db: Path | str, wanted: Filter = EVERYTHING) -> pl.LazyFrame:
    """Give a row for each thing that a metric found in a game that is measured: `METRICS`."""
    return _lazy(db, "tally", METRICS, wanted)


def _lazy(db: Path | str, table: str, schema: pl.Schema, wanted: Filter) -> pl.LazyFrame:
    return _of_lake(db, table, schema, wanted) if is_lake(db) else _of_store(db, table, schema, wanted)


def _of_lake(db: Path | str, table: str, schema: pl.Schema, wanted: Filter) -> pl.LazyFrame:
    lake = Lake(db)
    meant = [segment for segment in lake.segments if wanted.game in (None, segment.game)]
    found = lake.scan(table, meant).rename({"id": "replay"} if table == "replay" else {}).select(list(schema))
    if wanted == Filter(game=wanted.game):
        return found
    ids = pl.defer(lambda: LakeStore(db).ids(wanted), schema=_ID)
    return found.join(ids, on="replay", how="semi", maintain_order="left")


def _of_store(db: Path | str, table: str, schema: pl.Schema, wanted: Filter) -> pl.LazyFrame:
    def source(
        columns: list[str] | None, predicate: pl.Expr | None, most: int | None, batch: int | None
    ) -> Iterator[pl.DataFrame]:
        asked = list(schema) if columns is None else columns
        left = most
        for part in Store(db).parts(table, asked, wanted):
            frame = part.cast({name: schema[name] for name in asked})  # of an empty column DuckDB may not know the type
            if predicate is not None:
                frame = frame.filter(predicate)
            if left is not None:
                frame = frame.head(left)
                left -= frame.height
            yield frame
            if left == 0:
                return

    return register_io_source(source, schema=schema)
