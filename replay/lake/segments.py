"""The files of a lake: which there are, how they are written, and how polars reads them.

    lake/event/game=picnic-palace/<first id>_<last id>_<games>.parquet
    lake/replay/game=picnic-palace/<first id>_<last id>_<games>.parquet

A *segment* is some games of one kind. It has a file for each table of the store that has rows of them, with the columns
of that table (the game stands in the path), and one of `tally_sum`: what was measured in its games, added up. It is
written once and never changed. Its file under `replay` is written last: without it the others count for nothing. Its
name says which games it can have, so a game is found without opening the others, and whoever writes the same games
again, after a crash, writes the same files. On a local disk each file is safe, also from a power cut, before the next.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from io import BytesIO
from pathlib import Path, PurePosixPath
from pkgutil import resolve_name
from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote
from uuid import uuid4

import polars as pl

from events.errors import FormatError, SetupError
from replay.errors import StoreDamaged, StoreError
from replay.lake.rows import KEPT, SORTED, Rows, schema, sums_of

ROW_GROUP: Final = 16_384
"""Rows that are compressed together, and that reading one game takes."""

UNREADABLE: Final = (pl.exceptions.ComputeError, pl.exceptions.SchemaError, pl.exceptions.PanicException, OSError)
"""What polars raises for a file that is damaged, or gone."""

SUMS: Final = "tally_sum"
"""The table of sums of a segment. Those that were written by older versions have none."""

FILES: Final = (SUMS, *KEPT)
"""The tables that files of a segment are of, in the order in which they are written."""

_ID: Final = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_NAME: Final = re.compile(rf"({'|'.join(FILES)})/game=([^/]+)/({_ID})_({_ID})_([1-9][0-9]*)\.parquet")


class Segment(NamedTuple):
    """Some games of one kind: the first and the last of their ids, and how many they are."""

    game: str
    low: str
    high: str
    games: int

    def file(self, table: str) -> str:
        """Give where the rows of a table are, from the lake on."""
        return f"{table}/game={quote(self.game, safe='')}/{self.low}_{self.high}_{self.games}.parquet"

    def __str__(self) -> str:
        return self.file("replay")


class File(NamedTuple):
    """A file of a lake as it was seen: enough to know it again."""

    url: str
    size: int
    changed: int | None


class Lake:
    """A lake as it is at one moment: what is written later, by others, is seen by another `Lake`."""

    def __init__(self, at: Path | str) -> None:
        """Take a folder, or an address that fsspec knows, such as `s3://bucket/games`; it may be empty.

        Raises `StoreError` if that cannot be used, `SetupError` if fsspec is needed and not installed.
        """
        self.at = address(at)
        self._files, root = _opened(self.at)
        self.root: str = root
        """Where it is, for any process: an absolute path or an address."""

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """The segments that can be read, by game and first id; raises `StoreError`."""
        return tuple([segment for segment, problem in self._problems.items() if problem is None])

    @cached_property
    def broken(self) -> tuple[str, ...]:
        """What is wrong with those that cannot: a line each."""
        return tuple([problem for problem in self._problems.values() if problem is not None])

    def scan(self, table: str, segments: Iterable[Segment] | None = None) -> pl.LazyFrame:
        """Give the rows of a table, of all segments or of some, in their order: the store's columns."""
        chosen = self.segments if segments is None else segments
        files = [self._found[table][segment].url for segment in chosen if segment in self._found[table]]
        columns = schema(table)
        if not files:
            return pl.LazyFrame(schema=columns)
        stored = pl.Schema({name: kind for name, kind in columns.items() if name != "game"})
        found = pl.scan_parquet(
            files,
            schema=stored,
            hive_partitioning=True,
            hive_schema={"game": pl.String()},
            missing_columns="insert",
        )
        return found.select(list(columns))

    def sql(self, table: str, segments: Iterable[Segment]) -> str | None:
        """Give SQL for the same, which DuckDB reads as it goes; None where only polars can: elsewhere, and nothing."""
        files = [self._found[table][segment] for segment in segments if segment in self._found[table]]
        if not files or "://" in self.root:
            return None
        named = ", ".join(["'" + file.url.replace("'", "''") + "'" for file in files])
        mixed = len({tuple(_said(file)) for file in files}) > 1  # else DuckDB need not look at all of them beforehand
        options = f"hive_partitioning = true, hive_types = {{'game': VARCHAR}}, union_by_name = {mixed}"
        return f"(SELECT {', '.join(schema(table))} FROM read_parquet([{named}], {options}))"

    def expect_games(self) -> None:
        """Raise `StoreError` if there are none: it is not the lake that was meant, or none yet."""
        if not self.segments and not self.broken:
            raise StoreError(f"there are no games in {self.at}: it is no lake, or an empty one")

    def having(self, table: str, segments: Iterable[Segment]) -> list[Segment]:
        """Give those of some segments that have rows of a table."""
        return [segment for segment in segments if segment in self._found[table]]

    def read(self, found: pl.LazyFrame) -> pl.DataFrame:
        """Give what is in a frame over `scan`; raises `StoreDamaged` if a file cannot be read."""
        try:
            return found.collect()
        except UNREADABLE as error:
            raise damaged(self.at, str(error)) from None

    def rows(self, segment: Segment) -> Rows:
        """Give everything in a segment; raises `StoreDamaged` if it cannot be read."""
        what = f"{self.at}: segment {segment} cannot be read"
        try:
            found = {table: self.scan(table, [segment]).collect() for table in KEPT}
        except UNREADABLE as error:
            raise StoreDamaged(f"{what} ({_line(error)})") from None
        if found["replay"].height != segment.games or found["replay"]["length"].sum() != found["event"].height:
            raise StoreDamaged(f"{what} (it does not have the games and events that it should)")
        return found

    def around(self, low: str, high: str) -> list[Segment]:
        """Give the segments that can have a game with an id from `low` to `high`."""
        return [segment for segment in self.segments if segment.low <= high and low <= segment.high]

    def has(self, segment: Segment) -> bool:
        """Say whether a segment is there now, without a look at the others."""
        (info,) = self._files.get_file_info([segment.file("replay")])
        return bool(info.is_file)

    def write(self, rows: Rows) -> Segment:
        """Write games of one kind as a segment, whose last file makes it be there; raises `StoreError`."""
        replay = rows["replay"]
        segment = segment_of(replay["game"][0], replay["id"].sort().to_list())
        written = {table: rows[table].sort(SORTED.get(table, "replay"), maintain_order=True) for table in KEPT}
        for table, frame in {SUMS: sums_of(rows), **written}.items():  # `replay` is the last of them
            if not frame.is_empty():
                self._put(segment.file(table), frame.drop("game", strict=False))
        return segment

    def _put(self, file: str, frame: pl.DataFrame) -> None:
        """Write a file under another name first: one that stands in its place is always whole."""
        packed = BytesIO()
        frame.write_parquet(packed, compression="zstd", row_group_size=ROW_GROUP)
        folder, _, name = file.rpartition("/")
        draft = f"{folder}/.{name}.{uuid4().hex}"
        try:
            self._files.create_dir(folder, recursive=True)
            with self._files.open_output_stream(draft) as out:
                out.write(packed.getbuffer())
            self._sync(draft)
            self._files.move(draft, file)
            for parent in PurePosixPath(file).parents:
                self._sync(str(parent))
        except OSError as error:
            raise StoreError(f"cannot write {self.at}/{file}: {_line(error)}") from None

    def _sync(self, name: str) -> None:
        """Have a file or a folder on the disk, where that is up to us: elsewhere it is when it was written."""
        if "://" in self.root:
            return
        opened = os.open(Path(self.root) / name, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)

    @cached_property
    def _problems(self) -> dict[Segment, str | None]:
        return {segment: self._problem(segment) for segment in sorted(self._found["replay"])}

    @cached_property
    def _found(self) -> dict[str, dict[Segment, File]]:
        try:
            listed = self._files.get_file_info(_fs().FileSelector("", recursive=True, allow_not_found=True))
        except OSError as error:
            raise StoreError(f"cannot read {self.at}: {_line(error)}") from None
        found: dict[str, dict[Segment, File]] = {table: {} for table in FILES}
        for info in listed:
            if match := _NAME.fullmatch(info.path):
                table, game, low, high, games = match.groups()
                file = File(f"{self.root}/{info.path}", info.size, info.mtime_ns)
                found[table][Segment(unquote(game), low, high, int(games))] = file
        return found

    def _problem(self, segment: Segment) -> str | None:
        for table in FILES:
            file = self._found[table].get(segment)
            problem = None if file is None else _foreign(file, table)
            if problem is not None:
                return f"{self.at}: segment {segment} is left out: {problem}"
        return None


def is_lake(at: Path | str) -> bool:
    """Say whether games that are recorded there are so in a lake: in a folder, or at an address."""
    return "://" in address(at) or Path(at).is_dir()


def address(at: Path | str) -> str:
    """Give where a lake is as text; an address that was taken for a path has lost one of its slashes, or two."""
    return re.sub(r"^([a-z0-9]+):/(?!/)", r"\1://", re.sub("^file:/+", "file:///", str(at)))


def absolute(at: Path | str) -> str:
    """Give where games are recorded, as text that says the same in every folder."""
    return address(at) if "://" in address(at) else str(Path(at).absolute())


def damaged(at: str, said: str) -> StoreDamaged:
    """Give the error for files of a lake that cannot be read, where it is not known which."""
    return StoreDamaged(f"{at}: a segment cannot be read, `tabletape lake check {at}` says which ({_line(said)})")


def segment_of(game: str, ids: Sequence[str]) -> Segment:
    """Give the segment of some games, whose ids are sorted; raises `FormatError` for a game that has no name."""
    if not game:
        raise FormatError(f"replay {ids[0]} is of a game without a name: it cannot be put into a lake")
    return Segment(game, ids[0], ids[-1], len(ids))


def _foreign(file: File, table: str) -> str | None:
    """Say why a file is none of a table, from what it says of itself."""
    columns = _said(file)
    if isinstance(columns, str):
        return f"{table} cannot be read ({columns})"
    known = schema(table)
    for name, kind in columns.items():
        if known.get(name) != kind:
            return f"{table} is not one of Tabletape's: it has {name} as {kind}"
    return None


@lru_cache(maxsize=1 << 20)
def _said(file: File) -> pl.Schema | str:
    """Give the columns of a file, or why it cannot be read; each file is asked once by a process."""
    try:
        return pl.Schema(pl.read_parquet_schema(file.url))
    except UNREADABLE as error:
        return _line(error)


def _fs() -> Any:
    """Give pyarrow's file systems: not before a lake is opened, since whoever opens a store does without."""
    from pyarrow import fs

    return fs


def _opened(at: str) -> tuple[Any, str]:
    """Give the files of an address as pyarrow has them, and what polars calls it."""
    fs = _fs()
    if "://" not in at:
        if Path(at).is_file():
            raise StoreError(f"{at} is a file: a lake is a folder, or an address such as s3://bucket/games")
        root = str(Path(at).absolute())
        return fs.SubTreeFileSystem(root, fs.LocalFileSystem()), root
    try:
        url_to_fs = resolve_name("fsspec.core:url_to_fs")
    except ImportError:
        raise SetupError(f"{at} needs fsspec: pip install 'tabletape[cluster]'") from None
    try:
        files, root = url_to_fs(at)
    except (ImportError, ValueError, OSError) as error:
        raise StoreError(f"cannot open {at}: {_line(error)}") from None
    if "file" in files.protocol:
        return _opened(root)
    return fs.SubTreeFileSystem(root, fs.PyFileSystem(fs.FSSpecHandler(files))), at.rstrip("/")


def _line(reason: object) -> str:
    return " ".join(str(reason).split())[:300]
