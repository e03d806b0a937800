"""The database file, shared between processes and threads: the only module that opens DuckDB.

DuckDB lets no other process near a file that one has open for writing. So nobody keeps it open: every piece of work
takes a *lease*, which attaches the file to the one in-memory instance of this process, read-only or for writing, and
detaches it again. Small files beside the database make that fair and safe:

    <name>.turn    the turnstile: whoever wants a lease passes it first, so that readers cannot starve a writer
    <name>.lock    held shared by readers and alone by a writer, who writes into it who it is
    <name>.acked   the last generation that a writer was told is safe: DuckDB drops a damaged log without a word
    <name>.steps   what a holder has answered and not yet put into the database: `replay.storage.journal`
    <name>.v1      a copy of a store of version 1 (.v2 of version 2 ...), made before it was taken to today's version

The first two are `flock`ed: a process that dies leaves nothing locked. The database file itself is opened by DuckDB
alone. Its lock is of the kind that goes when *any* handle of the process on that file is closed, and that a forked
child does not inherit: never open or copy the file here, never fork while it is attached.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import duckdb
import msgspec
import polars as pl
from msgspec import Struct

from events.errors import FormatError, TabletapeError
from replay.errors import StoreBusy, StoreDamaged, StoreError
from replay.storage.journal import Journal

POLL = 0.002
"""Seconds between two looks at a lock that somebody else holds."""

Steps = Mapping[int, Sequence[str]]
"""What takes a store of a version to the next: statements, by the version that they start from."""

_Written = tuple[int, int, int]
"""Which file it is, its bytes, and when it was written to last."""

META = "CREATE TABLE meta(key VARCHAR PRIMARY KEY, value VARCHAR NOT NULL)"


class Holder(Struct, frozen=True):
    """Who holds the database for writing: process id, command line, and since when (ISO 8601, UTC)."""

    pid: int
    command: str
    since: str

    def __str__(self) -> str:
        return f"process {self.pid} ({self.command}) has been writing to it since {self.since}"


class Acknowledged(Struct, frozen=True):
    """What the side file remembers: which database, and the last generation its writers were told is safe."""

    store: str
    generation: int


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
        after = msgspec.structs.replace(self._stored, generation=self._stored.generation + 1)
        with _transaction(self.lease):
            yield self.lease
            self.lease.run(
                "UPDATE meta SET value = $generation WHERE key = 'generation'", generation=str(after.generation)
            )
        self._stored = after
        self.acknowledge()

    def acknowledge(self) -> None:
        """Write into the side file what the next to open the database must find."""
        line = msgspec.json.encode(self._stored)
        os.pwrite(self._acked, line, 0)
        os.ftruncate(self._acked, len(line))

    def wanted(self) -> bool:
        """Say whether somebody, in this process or another, waits for the database."""
        try:
            fcntl.flock(self._turn, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        fcntl.flock(self._turn, fcntl.LOCK_UN)
        return False


Redo = Callable[[Hold], None]
"""Puts into the database what is in the journal; raises `FormatError` if that does not fit what is there."""


def _cannot_redo(hold: Hold) -> None:
    raise FormatError("this program does not know what to do with them")


class Database:
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
        self.path = Path(path).resolve()
        self.wait = wait
        self.longest_wait = 0.0
        """Seconds of the longest wait for a lease so far, the work that was done with it not counted."""
        self._version = version
        self._redo = redo
        self._checked: tuple[_Written | None, _Written | None] | None = None
        self._attachment = _attachment(self.path)
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
                with self._locked(fcntl.LOCK_SH):
                    if not self._left_behind():
                        with self._attached(read_only=True) as lease:
                            self._check_again(lease)
                            yield lease
                        return
                with self.holding():
                    pass  # what was left behind is put in

    @contextmanager
    def writing(self) -> Iterator[Lease]:
        """Hold the database alone, within one transaction: it is kept if the block ends, and undone if it raises."""
        with self.holding() as hold, hold.transaction() as lease:
            yield lease

    @contextmanager
    def holding(self) -> Iterator[Hold]:
        """Hold the database alone, for several transactions. Whoever does must let go as soon as it is `wanted`."""
        with _told(self.path), self._locked(fcntl.LOCK_EX) as turn, self._attached(read_only=False) as lease:
            stored = self._check_generation(lease)
            with _opened(self._side("acked")) as acked, _opened(self._side("steps")) as steps:
                hold = Hold(lease, turn, acked, Journal(steps, stored.store), stored)
                if hold.journal.size:
                    self._put_in(hold)
                yield hold

    def _left_behind(self) -> bool:
        """Say whether a holder was stopped before it had put into the database what is in its journal."""
        found = _written(self._side("steps"))
        return found is not None and found[1] > 0

    def _put_in(self, hold: Hold) -> None:
        try:
            self._redo(hold)
        except FormatError as error:
            raise StoreDamaged(
                f"{self._side('steps')} has steps that were answered and cannot be put into the store: {error}; to go "
                "on without them, move it away"
            ) from None

    def generation(self) -> int:
        """Give a number that grows with every write: what a cache of answers can be keyed by."""
        with self.reading() as lease:
            return self._check_generation(lease).generation

    def holder(self) -> Holder | None:
        """Give who is writing now, or None."""
        try:
            holder = msgspec.json.decode(self._side("lock").read_bytes(), type=Holder)
            os.kill(holder.pid, 0)
        except PermissionError:
            return holder  # alive, and somebody else's
        except (OSError, msgspec.DecodeError):
            return None
        return holder

    def vacuum(self) -> tuple[int, int]:
        """Write the file anew without what was removed from it; give its size in bytes before and after."""
        fresh = self._side("new")
        with _told(self.path), self._locked(fcntl.LOCK_EX):
            fresh.unlink(missing_ok=True)  # of one that was stopped
            with self._attached(read_only=False) as lease:
                self._check_generation(lease)
                before = self.path.stat().st_size
                lease.copy_to(fresh)
            fresh.replace(self.path)
            return before, self.path.stat().st_size

    @contextmanager
    def _attached(self, read_only: bool, new: bool = False) -> Iterator[Lease]:
        if not new and not self.path.exists():  # DuckDB would make one
            raise StoreError(f"{self.path} is not there any more")
        cursor = self._attachment.join(read_only)
        try:
            yield Lease(cursor)
        finally:
            cursor.close()
            self._attachment.leave()

    @contextmanager
    def _locked(self, how: int) -> Iterator[int]:
        """Hold the lock; gives the turnstile, at which others queue for it."""
        asked = time.monotonic()
        until = asked + self.wait
        with _opened(self._side("turn")) as turn, _opened(self._side("lock")) as lock:
            self._take(turn, fcntl.LOCK_EX, until)
            self._take(lock, how, until)
            fcntl.flock(turn, fcntl.LOCK_UN)
            self.longest_wait = max(self.longest_wait, time.monotonic() - asked)
            if how == fcntl.LOCK_SH:
                yield turn
                return
            os.ftruncate(lock, 0)  # of a holder that died
            os.pwrite(lock, msgspec.json.encode(_ourselves()), 0)
            try:
                yield turn
            finally:
                os.ftruncate(lock, 0)

    def _take(self, file: int, how: int, until: float) -> None:
        while True:
            try:
                return fcntl.flock(file, how | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise StoreBusy(self._busy()) from None
            time.sleep(POLL)

    def _busy(self) -> str:
        holder = self.holder()
        who = "others are reading it" if holder is None else str(holder)
        return f"{self.path} is busy: {who}; waited {self.wait:g} s, try again when that is done"

    def _create(self, schema: Mapping[str, str], version: int) -> None:
        with _told(self.path), self._locked(fcntl.LOCK_EX), self._attached(read_only=False, new=True) as lease:
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
        with _told(self.path), self._locked(fcntl.LOCK_SH), self._attached(read_only=True) as lease:
            tables = _tables(lease)
            if tables and {"meta", "replay", "event"} - tables:
                raise StoreError(f"{self.path} is a DuckDB database, but not one of Tabletape's")
            found = _version_of(lease) if tables else None
            if found == version:
                if lacking := sorted(set(schema) - tables):
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
        with _told(self.path), self._locked(fcntl.LOCK_EX):
            with self._attached(read_only=False) as lease:  # what is in the log is in the file after this
                self._check_generation(lease)
                found = _version_of(lease)
            if found == version:
                return  # another process was faster
            # Held alone and attached by nobody: only now may the file be opened by anyone but DuckDB.
            copy = self._side(f"v{found}")
            shutil.copy2(self.path, copy.with_name(f"{copy.name}.new"))
            copy.with_name(f"{copy.name}.new").replace(copy)
            with self._attached(read_only=False) as lease, _transaction(lease):
                for number in range(found, version):
                    for statement in steps[number]:
                        lease.run(statement)
                lease.run("UPDATE meta SET value = $version WHERE key = 'version'", version=str(version))

    def _check_again(self, lease: Lease) -> None:
        """Check the generation, if anything was written since that was done last."""
        written = (_written(self.path), _written(self._side("acked")))
        if written != self._checked:
            self._check_generation(lease)
            self._checked = written

    def _check_generation(self, lease: Lease) -> Acknowledged:
        try:
            meta = dict(lease.rows("SELECT key, value FROM meta"))
        except duckdb.CatalogException:
            raise StoreError(f"{self.path} is no store any more: another database was put in its place") from None
        if int(meta["version"]) > self._version:  # a newer program came while this one was running
            raise self._other_version(meta["version"])
        stored = Acknowledged(meta["store"], int(meta["generation"]))
        try:
            safe = msgspec.json.decode(self._side("acked").read_bytes(), type=Acknowledged)
        except (OSError, msgspec.DecodeError):
            return stored
        if safe.store == stored.store and stored.generation < safe.generation:
            raise StoreDamaged(
                f"{self.path} has lost its last {safe.generation - stored.generation} writes: its log was damaged, or "
                f"an older copy was put in its place; to go on with what is there, remove {self._side('acked').name}"
            )
        return stored

    def _side(self, ending: str) -> Path:
        return self.path.with_name(f"{self.path.name}.{ending}")


@contextmanager
def blaming_files(kind: Callable[[str], StoreError]) -> Iterator[None]:
    """Turn what DuckDB says about files that it reads into an error; mistakes in our SQL stay what they are."""
    try:
        yield
    except (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException):
        raise
    except duckdb.Error as error:
        raise kind(str(error)) from None


@contextmanager
def in_memory() -> Iterator[Lease]:
    """Give a lease on an empty database that is nowhere but in memory, and gone behind the block."""
    name = f"tape_{uuid4().hex}"
    with _mutex:
        cursor = _instance().cursor()
    try:
        cursor.execute(f"ATTACH ':memory:' AS {name}")
        cursor.execute(f"USE {name}")
        yield Lease(cursor)
    finally:
        cursor.close()
        with _mutex:
            _instance().execute(f"DETACH {name}")


class _Attachment:
    """A file as this process has it attached: once, however many threads read it together."""

    def __init__(self, path: Path, name: str) -> None:
        self._path = path
        self._name = name
        self._users = 0

    def join(self, read_only: bool) -> duckdb.DuckDBPyConnection:
        """Give a cursor that works on the file, attaching it for the first."""
        with _mutex:
            cursor = _instance().cursor()
            try:
                if not self._users:
                    mode = "(READ_ONLY)" if read_only else ""
                    cursor.execute(f"ATTACH $path AS {self._name} {mode}", {"path": str(self._path)})
                cursor.execute(f"USE {self._name}")
                self._users += 1
            except BaseException:
                cursor.close()
                raise
            return cursor

    def leave(self) -> None:
        """Detach the file after the last; what was written is moved from the log into the file by that."""
        with _mutex:
            self._users -= 1
            if not self._users:
                _instance().execute(f"DETACH {self._name}")


_mutex = threading.Lock()
"""Attaching and detaching is done by one thread at a time."""


@cache
def _instance() -> duckdb.DuckDBPyConnection:
    """The one DuckDB of this process. It never loads an extension and spills into a folder for temporary files."""
    return duckdb.connect(
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "checkpoint_threshold": "1MB",  # a long log makes opening slow: 50 us a step
            "temp_directory": str(Path(tempfile.gettempdir()) / f"tabletape-{os.getpid()}"),
        }
    )


@cache
def _attachment(path: Path) -> _Attachment:
    return _Attachment(path, f"tape_{uuid4().hex}")


@contextmanager
def _opened(side: Path) -> Iterator[int]:
    file = os.open(side, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        yield file
    finally:
        os.close(file)


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


def _written(file: Path) -> _Written | None:
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _tables(lease: Lease) -> set[str]:
    named = lease.rows("SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()")
    return {name for (name,) in named}


def _version_of(lease: Lease) -> int:
    return int(lease.rows("SELECT value FROM meta WHERE key = 'version'")[0][0])


def _ourselves() -> Holder:
    command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])[:200]
    return Holder(os.getpid(), command, datetime.now(UTC).isoformat(timespec="seconds"))


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
        return StoreBusy(f"{path} is busy: process {other[1]}, which is not Tabletape, has it open")
    if re.search("No space left|Disk quota exceeded|File too large", what):
        return StoreError(
            f"no room left for {path}: the last step may not be kept, all before it is; make room and start again"
        )
    if "database has been invalidated" in what:
        return StoreError(f"{path} cannot be used any more by this process, after what went wrong before: start again")
    if "not a valid DuckDB database file" in what:
        return StoreError(f"{path} is not a database")
    if re.search(r"[Cc]orrupt|checksum|Could not read enough bytes|\bWAL\b", what):
        return StoreDamaged(f"{path} is damaged, put back a copy or import what was exported ({said})")
    return StoreError(f"{path} cannot be used ({said})")
