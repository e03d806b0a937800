"""The database file, shared between processes and threads.

DuckDB lets no other process near a file that one has open for writing. So nobody keeps it from others: every piece of
work takes a *lease*, which attaches the file to the one DuckDB of this process (`replay.storage.attachment`), read-only
or for writing, and detaches it again. To attach a file with a million games takes longer than to read one of them:
behind a lease for reading it stays attached for a moment, unless somebody waits. Small files beside the database make
that fair and safe:

    <name>.turn    the turnstile: whoever wants a lease passes it first, so that readers cannot starve a writer
    <name>.lock    held shared by readers and alone by a writer, who writes into it who it is: `replay.storage.gate`
    <name>.acked   what writers were told is safe last: DuckDB drops a damaged log without a word
    <name>.steps   what a holder has answered and not yet put into the database: `replay.storage.journal`
    <name>.v1      a copy of a store of version 1 (.v2 of version 2 ...), made before it was taken to today's version

The database file itself is opened by DuckDB alone. Its lock is of the kind that goes when *any* handle of the process
on that file is closed, and that a forked child does not inherit: nobody else opens or copies the file but who holds it
alone and has not attached it, and nobody forks while it is attached.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import duckdb
import msgspec
import polars as pl
from msgspec import Struct

from events.errors import FormatError, TabletapeError
from replay.errors import StoreBusy, StoreDamaged, StoreError
from replay.storage.attachment import MEMORY, Attachment, Written, attachment_of, written
from replay.storage.gate import Gate, is_waited_at, opened
from replay.storage.journal import Journal

Steps = Mapping[int, Sequence[str]]
"""What takes a store of a version to the next: statements, by the version that they start from."""

_ACKED: Final = 160
"""Bytes of the side file that remembers what was acknowledged."""

META = "CREATE TABLE meta(key VARCHAR PRIMARY KEY, value VARCHAR NOT NULL)"


class Acknowledged(Struct, frozen=True):
    """What the side file remembers: which database, the last generation its writers were told is safe, and how many
    bytes of the journal were answered since then."""

    store: str
    generation: int
    steps: int = 0


class Lease:
    """A hold on the database for one piece of work. Not to be used outside its `with` block, nor by a second thread."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection) -> None:
        self._cursor = cursor
        self._appenders: dict[str, Any] = {}

    def run(self, sql: str, /, **values: object) -> None:
        """Run a statement; `$name` in it stands for a value."""
        self.rows(sql, **values)

    def put(self, table: str, rows: Sequence[Sequence[object]]) -> None:
        """Add a few rows to a table, in the order of its columns: without planning a statement, which costs more."""
        if table not in self._appenders:
            self._appenders[table] = self._cursor.appender(table)
        self._appenders[table].append_rows(rows)
        self._appenders[table].flush()

    def rows(self, sql: str, /, **values: object) -> list[tuple[Any, ...]]:
        """Give the rows of a query."""
        return self._cursor.execute(sql, values or None).fetchall()

    def parts(self, sql: str, size: int) -> Iterator[list[tuple[Any, ...]]]:
        """Give the rows of a query, at most so many at a time in memory."""
        found = self._cursor.execute(sql)
        while part := found.fetchmany(size):
            yield part

    def frame(self, sql: str, /, **values: object) -> pl.DataFrame:
        """Give the result of a query as a frame."""
        frame: pl.DataFrame = self._cursor.sql(sql, params=values or None).pl()
        return frame

    @contextmanager
    def blaming(self, kind: Callable[[str, str], TabletapeError], name: str) -> Iterator[None]:
        """Turn what DuckDB says within the block into an error about something named, if the file is not to blame."""
        try:
            yield
        except (duckdb.ProgrammingError, duckdb.DataError, duckdb.IntegrityError, duckdb.NotSupportedError) as error:
            raise kind(name, " ".join(str(error).split())) from None

    @contextmanager
    def unharmed(self) -> Iterator[None]:
        """Turn what DuckDB says within the block into `StoreError`, unless it cannot go on after that."""
        try:
            yield
        except (duckdb.FatalException, duckdb.InternalException):
            raise
        except duckdb.Error as error:
            raise StoreError(" ".join(str(error).split())) from None

    def copy_to(self, path: Path) -> None:
        """Write the whole database into a new file, packed."""
        (name,) = self.rows("SELECT current_database()")[0]
        self.run(f"ATTACH $path AS {name}_copy", path=str(path))
        try:
            self.run(f"COPY FROM DATABASE {name} TO {name}_copy")
        finally:
            self.run(f"DETACH {name}_copy")

    @contextmanager
    def given(self, frames: Mapping[str, pl.DataFrame | pl.LazyFrame]) -> Iterator[None]:
        """Let statements read frames as tables of these names."""
        for name, frame in frames.items():
            self._cursor.register(name, frame)
        yield
        for name in frames:  # after a failure they go with the transaction, or with the lease
            self._cursor.unregister(name)


class Hold:
    """The database held alone, for as many transactions as there are while nobody else waits for it."""

    def __init__(self, lease: Lease, turn: int, acked: int, journal: Journal, stored: Acknowledged) -> None:
        self.lease = lease
        """To look at what is there, outside of a transaction."""
        self._turn = turn
        self._acked = acked
        self.journal = journal
        """For what is to be safe before it is in the database; whoever comes next finds it there, and puts it in."""
        self._stored = stored

    @contextmanager
    def transaction(self) -> Iterator[Lease]:
        """Do a piece of work: it is kept, on the disk, if the block ends, and undone if it raises."""
        after = msgspec.structs.replace(self._stored, generation=self._stored.generation + 1, steps=0)
        with _transaction(self.lease):
            yield self.lease
            self.lease.run(
                "UPDATE meta SET value = $generation WHERE key = 'generation'", generation=str(after.generation)
            )
        self._acknowledge(after)

    def keep(self, text: bytes) -> None:
        """Write a line into the journal; it is safe when this returns. Raises `OSError`."""
        self.journal.add(text)
        self._acknowledge(msgspec.structs.replace(self._stored, steps=self.journal.size))

    def forget(self) -> None:
        """Empty the journal: what was in it is in the database."""
        self.journal.clear()
        self._acknowledge(msgspec.structs.replace(self._stored, steps=0))

    def _acknowledge(self, stored: Acknowledged) -> None:
        """Write into the side file what the next to open the database must find."""
        self._stored = stored
        os.pwrite(self._acked, msgspec.json.encode(stored).ljust(_ACKED), 0)  # one write, so it is never half of one

    def wanted(self) -> bool:
        """Say whether somebody, in this process or another, waits for the database."""
        return is_waited_at(self._turn)


Redo = Callable[[Hold], None]
"""Puts into the database what is in the journal; raises `FormatError` if that does not fit what is there."""


def _cannot_redo(hold: Hold) -> None:
    raise FormatError("this program does not know what to do with them")


class Database(Gate):
    """A database file and the leases on it. `wait` is how many seconds to wait for one."""

    def __init__(
        self,
        path: Path | str,
        schema: Mapping[str, str],
        version: int,
        wait: float = 10.0,
        steps: Steps | None = None,
        redo: Redo = _cannot_redo,
    ) -> None:
        """Open a database; a missing file becomes one with the tables of `schema` (name -> CREATE statement).

        One of an older version is taken to this one by `steps`, after a copy of it was made beside it. `redo` puts in
        what a holder that was stopped left in the journal. Raises `StoreError` if the file is not a database that can
        be used, `StoreBusy`, `StoreDamaged`.
        """
        super().__init__(path, wait)
        self._version = version
        self._redo = redo
        self._checked: tuple[Written | None, Written | None] | None = None
        self._attachment = attachment_of(self.path)
        if not self.path.parent.is_dir():
            raise StoreError(f"no database can be made at {self.path}: there is no folder {self.path.parent}")
        if not self.path.exists():
            self._create(schema, version)
        self._check(version, schema, steps or {})

    @contextmanager
    def reading(self) -> Iterator[Lease]:
        """Hold the database for reading, together with other readers."""
        with _told(self.path):
            while True:
                with self.shared():
                    if not self._journal_size():
                        with self._attached(read_only=True) as lease:
                            self._check_again(lease)
                            yield lease
                        return
                with self.holding():
                    pass  # what a holder left behind that was stopped is put in

    @contextmanager
    def alone(self) -> Iterator[int]:
        """Keep everybody else out, as `Gate.alone` does."""
        self.let_go()
        with super().alone() as turn:
            yield turn

    def let_go(self) -> None:
        """Let the file go at once that stayed attached behind the last reader. Who waits for it need not ask."""
        self._attachment.let_go()

    @contextmanager
    def writing(self) -> Iterator[Lease]:
        """Hold the database alone, within one transaction: it is kept if the block ends, and undone if it raises."""
        with self.holding() as hold, hold.transaction() as lease:
            yield lease

    @contextmanager
    def holding(self) -> Iterator[Hold]:
        """Hold the database alone, for several transactions. Whoever does must let go as soon as it is `wanted`."""
        with _told(self.path), self.alone() as turn, self._held(turn) as hold:
            yield hold

    @contextmanager
    def _held(self, turn: int) -> Iterator[Hold]:
        with self._attached(read_only=False) as lease:
            stored = self._check_generation(lease)
            with opened(self.side("acked")) as acked, opened(self.side("steps")) as steps:
                hold = Hold(lease, turn, acked, Journal(steps, stored.store), stored)
                if hold.journal.size:
                    self._put_in(hold)
                yield hold

    def _put_in(self, hold: Hold) -> None:
        try:
            self._redo(hold)
        except FormatError as error:
            raise StoreDamaged(
                f"{self.side('steps')} has steps that were answered and cannot be put into the store: {error}; to go "
                f"on without them, move it and {self.side('acked').name} away"
            ) from None

    def generation(self) -> int:
        """Give a number that grows with every write: what a cache of answers can be keyed by."""
        with self.reading() as lease:
            return self._check_generation(lease).generation

    def go_beyond(self, generation: int) -> None:
        """Count on from above a generation, so that nobody takes what is here for what was known at that one."""
        with self.holding() as hold:
            hold.lease.run(
                "UPDATE meta SET value = greatest(value::BIGINT, $generation)::VARCHAR WHERE key = 'generation'",
                generation=generation,
            )
        with self.writing():
            pass
        with self._at_rest():
            pass

    def copy(self, to: Path) -> None:
        """Copy the file, with all in it that was answered; others wait for as long. Raises `StoreError`."""
        with self._at_rest():
            try:
                shutil.copy2(self.path, to)
            except OSError as error:
                raise StoreError(f"no copy of {self.path} can be made: {error.strerror}") from None

    def vacuum(self) -> tuple[int, int]:
        """Write the file anew without what was removed from it; give its size in bytes before and after."""
        fresh = self.side("new")
        with self._at_rest():
            for left in (fresh, fresh.with_name(f"{fresh.name}.wal")):
                left.unlink(missing_ok=True)  # of one that was stopped
            before = self.path.stat().st_size
            with self._attached(read_only=True) as lease:
                lease.copy_to(fresh)
            in_place(fresh, self.path)
            return before, self.path.stat().st_size

    @contextmanager
    def _at_rest(self) -> Iterator[None]:
        """Hold the file alone, whole as it lies there and attached by nobody: so anybody may copy or replace it."""
        with _told(self.path), self.alone() as turn:
            with self._held(turn):
                pass  # what was left behind is put in, and what is in the log is in the file after this
            self._refuse_log()
            yield

    def _refuse_log(self) -> None:
        if self.side("wal").exists():  # DuckDB leaves it, without a word, if the file has no room for it
            raise StoreError(f"no room left for {self.path}: its log cannot be put into it; make room and start again")

    @contextmanager
    def _attached(self, read_only: bool, new: bool = False) -> Iterator[Lease]:
        if not new and not self.path.exists():  # DuckDB would make one
            raise StoreError(f"{self.path} is not there any more")
        try:
            with self._attachment.used(read_only) as cursor:
                yield Lease(cursor)
        except BaseException:
            self.let_go()  # what went wrong is not to be seen again by whoever has mended it
            raise

    def _create(self, schema: Mapping[str, str], version: int) -> None:
        with _told(self.path), self.alone(), self._attached(read_only=False, new=True) as lease:
            if lease.rows("SELECT 1 FROM duckdb_tables() WHERE database_name = current_database()"):
                return  # another process was faster
            with _transaction(lease):
                for statement in (META, *schema.values()):
                    lease.run(statement)
                lease.run(
                    "INSERT INTO meta VALUES ('version', $version), ('store', $store), ('generation', '0')",
                    version=str(version),
                    store=str(uuid4()),
                )

    def _check(self, version: int, schema: Mapping[str, str], steps: Steps) -> None:
        with _told(self.path), self.shared(), self._attached(read_only=True) as lease:
            found = _version_of(lease) if _has(lease, ("meta", "replay", "event")) else None
            if found is None and _tables(lease):
                raise StoreError(f"{self.path} is a DuckDB database, but not one of Tabletape's")
            if found == version:
                if not _has(lease, schema):
                    lacking = sorted(set(schema) - _tables(lease))
                    raise StoreDamaged(f"{self.path} is damaged: it has no table {lacking[0]}")
                self._check_again(lease)
        if found is None:  # its first writer was stopped between making the file and making the tables
            self._create(schema, version)
        elif version > found >= min(steps, default=version):
            self._migrate(version, steps)
        elif found != version:
            raise self._other_version(found)

    def _other_version(self, found: object) -> StoreError:
        return StoreError(f"{self.path} is a store of version {found}; this Tabletape reads version {self._version}")

    def _migrate(self, version: int, steps: Steps) -> None:
        """Take the store to a version, step by step, within one transaction; what it was is kept as a copy."""
        with _told(self.path), self.alone():
            with self._attached(read_only=False) as lease:  # what is in the log is in the file after this
                self._check_generation(lease)
                found = _version_of(lease)
            if found == version:
                return  # another process was faster
            # Held alone and attached by nobody: only now may the file be opened by anyone but DuckDB.
            self._refuse_log()
            fresh = self.side(f"v{found}.new")
            shutil.copy2(self.path, fresh)
            in_place(fresh, self.side(f"v{found}"))
            with self._attached(read_only=False) as lease, _transaction(lease):
                for number in range(found, version):
                    for statement in steps[number]:
                        lease.run(statement)
                lease.run("UPDATE meta SET value = $version WHERE key = 'version'", version=str(version))

    def _check_again(self, lease: Lease) -> None:
        """Check the generation, if anything was written since that was done last."""
        found = (written(self.path), written(self.side("acked")))
        if found != self._checked:
            self._check_generation(lease)
            self._checked = found

    def _check_generation(self, lease: Lease) -> Acknowledged:
        try:
            meta = _meta(lease)
        except duckdb.CatalogException:
            raise StoreError(f"{self.path} is no store any more: another database was put in its place") from None
        if int(meta["version"]) > self._version:  # a newer program came while this one was running
            raise self._other_version(meta["version"])
        stored = Acknowledged(meta["store"], int(meta["generation"]))
        try:
            safe = msgspec.json.decode(self.side("acked").read_bytes(), type=Acknowledged)
        except (OSError, msgspec.DecodeError):
            return stored
        if safe.store == stored.store and stored.generation < safe.generation:
            raise StoreDamaged(
                f"{self.path} has lost its last {safe.generation - stored.generation} writes: its log was damaged, or "
                f"an older copy was put in its place; to go on with what is there, remove {self.side('acked').name}"
            )
        if safe == msgspec.structs.replace(stored, steps=safe.steps) and safe.steps > self._journal_size():
            raise StoreDamaged(
                f"{self.path} has lost its last steps: {self.side('steps').name} is gone or cut off; put it back, "
                f"or, to go on with what is there, remove {self.side('acked').name}"
            )
        return stored

    def _journal_size(self) -> int:
        found = written(self.side("steps"))
        return 0 if found is None else found[1]


@contextmanager
def blaming_files(kind: Callable[[str], StoreError], columns: bool = False) -> Iterator[None]:
    """Turn what DuckDB says about files that it reads into an error; mistakes in our SQL stay what they are.

    `columns`: the SQL is known to be right, so a column that is not there is missing in a file.
    """
    try:
        yield
    except (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException) as error:
        if columns and isinstance(error, duckdb.BinderException):
            raise kind(str(error)) from None
        raise
    except duckdb.Error as error:
        raise kind(str(error)) from None


@contextmanager
def in_memory() -> Iterator[Lease]:
    """Give a lease on an empty database that is nowhere but in memory, and gone behind the block."""
    with Attachment(MEMORY).used(read_only=False) as cursor:
        yield Lease(cursor)


@contextmanager
def by_itself(path: Path, read_only: bool) -> Iterator[Lease]:
    """Give a lease on a file that nobody else knows, and which need not be a store, nor sound: raises `StoreError`."""
    try:
        with Attachment(path).used(read_only) as cursor:
            yield Lease(cursor)
    except duckdb.Error as error:
        raise StoreError(" ".join(str(error).split())) from None


@contextmanager
def _transaction(lease: Lease) -> Iterator[None]:
    lease.run("BEGIN")
    try:
        yield
        lease.run("COMMIT")
    except BaseException:
        # Never commit after a failure: DuckDB would undo everything and say that all is well.
        with suppress(duckdb.Error):
            lease.run("ROLLBACK")
        raise


def _has(lease: Lease, tables: Iterable[str]) -> bool:
    """Say whether there are all of these tables. To list those that there are takes a process 4 ms, the first time."""
    try:
        lease.rows(" UNION ALL ".join([f"SELECT 1 FROM {table} WHERE false" for table in tables]))
    except duckdb.CatalogException:
        return False
    return True


def _tables(lease: Lease) -> set[str]:
    named = lease.rows("SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()")
    return {name for (name,) in named}


def _meta(lease: Lease) -> dict[str, str]:
    return dict(lease.rows("SELECT key, value FROM meta"))


def _version_of(lease: Lease) -> int:
    return int(_meta(lease)["version"])


def in_place(fresh: Path, path: Path) -> None:
    """Put a file that is written to its end in the place of another: after a power cut it is one of the two, whole."""
    with opened(fresh) as file:
        os.fsync(file)
    fresh.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn what DuckDB says about the file or the machine into one line; mistakes in our SQL stay what they are."""
    try:
        yield
    except (duckdb.ProgrammingError, duckdb.DataError):
        raise
    except RuntimeError as error:
        if str(error) == "Query interrupted":  # what DuckDB makes of Ctrl-C
            raise KeyboardInterrupt from None
        raise
    except (duckdb.Error, OSError) as error:
        first: BaseException = error
        while isinstance(first.__context__, duckdb.Error | OSError):
            first = first.__context__  # what went wrong first, not what then failed in tidying up
        raise _explained(path, " ".join(str(first).split())) from None


def _explained(path: Path, said: str) -> StoreError:
    what = said.replace(str(path), "")
    if other := re.search(r"Could not set lock on file.*?\(PID (\d+)\)", what):
        return StoreBusy(f"{path} is busy: process {other[1]} has it open, by another program or another name")
    if re.search("No space left|Disk quota exceeded|File too large", what):
        return StoreError(
            f"no room left for {path}: the last step may not be kept, all before it is; make room and start again"
        )
    if "database has been invalidated" in what:
        return StoreError(f"{path} cannot be used any more by this process, after what went wrong before: start again")
    if "not a valid DuckDB database file" in what:
        return StoreError(f"{path} is not a database")
    if re.search(r"[Cc]orrupt|checksum|Could not read enough bytes|\bWAL\b", what):
        return StoreDamaged(
            f"{path} is damaged: put back a backup, or let `tabletape doctor --repair` save what can be read ({said})"
        )
    if refused := re.search("Read-only file system|Permission denied|Operation not permitted", what):
        why = refused[0].lower()
        if not path.exists():
            return StoreError(f"no database can be made at {path}: {why}")
        if not os.access(path, os.R_OK):
            return StoreError(f"{path} cannot be read: {why}")
        return StoreError(
            f"nothing can be written to {path} ({why}): copy it, with the files beside it, to where that can be done"
        )
    return StoreError(f"{path} cannot be used ({said})")
