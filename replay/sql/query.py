"""SQL that somebody types: one SELECT over the recorded games, run by a process that can do nothing else.

The process is `replay.sql.sandbox`: it is killed when its time is over, whatever it does. The database is held for
reading meanwhile, so a writer waits no longer than that. Who asks sees everything that is stored, hidden cards too.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Final

import msgspec
import polars as pl
from msgspec import Struct

from events.errors import TabletapeError
from replay.sql import sandbox
from replay.storage.store import REPLAYS, Store

SECONDS: Final = 4.0
"""How long a query may take."""

ROWS: Final = 10_000
SIZE: Final = 5_000_000
"""Rows and bytes of a result; what is beyond is cut off."""

LONGEST: Final = 20_000
"""Bytes of a query."""

VIEWS: Final[Mapping[str, str]] = {
    "replays": f"SELECT {REPLAYS} FROM replay",
    "seats": "SELECT replay::VARCHAR AS replay, * EXCLUDE (replay) FROM seat_result",
}
"""What can be asked for beside the tables: what `Store.replays` and `Store.seat_results` give."""

EXAMPLES: Final[Mapping[str, str]] = {
    "How many games of each kind are there?": """
SELECT game, seats, count(*) AS games, count(*) FILTER (finished) AS finished
FROM replays GROUP BY ALL ORDER BY ALL""",
    "Who wins how often?": """
SELECT player, count(*) AS games, round(sum(CASE WHEN won THEN 1 / winners ELSE 0 END), 1) AS wins,
  wins / games AS rate
FROM seats GROUP BY player ORDER BY games DESC LIMIT 20""",
    "Which games were the closest?": """
SELECT replay, game, list_sort(scores, 'DESC')[1] - list_sort(scores, 'DESC')[2] AS margin
FROM replays WHERE finished ORDER BY margin, replay LIMIT 20""",
    "How many turns does a game take?": """
SELECT turns, count(*) AS games FROM replays WHERE finished GROUP BY turns ORDER BY turns""",
    "How often does each kind of event happen in a game?": """
SELECT game, kind, sum(n) / count(DISTINCT replay) AS per_game
FROM kind_count GROUP BY ALL ORDER BY game, per_game DESC""",
    "What do events say in one field?": """
SELECT kind, body ->> '$.count' AS count, count(*) AS events
FROM event WHERE body ->> '$.count' IS NOT NULL GROUP BY ALL ORDER BY events DESC LIMIT 20""",
}
"""Questions and the SQL that answers them."""


class QueryRefused(TabletapeError):
    """A query that was not run to its end, and why."""


class Answer(Struct, frozen=True):
    """What a query gave; `cut` says that there was more."""

    frame: pl.DataFrame
    cut: bool

    @property
    def flat(self) -> pl.DataFrame:
        """The rows for a place that takes no lists, such as CSV: those stand there as JSON."""
        nested = [name for name, kind in self.frame.schema.items() if kind.is_nested() or kind == pl.Binary]
        return self.frame.with_columns(
            [
                pl.Series(name, [_text(value) for value in self.frame[name].to_list()], dtype=pl.String)
                for name in nested
            ]
        )


def ask(store: Store, query: str) -> Answer:
    """Run one SELECT; raises `QueryRefused`, and `StoreError` if the database cannot be read."""
    if not query.strip():
        raise QueryRefused("there is no query")
    if len(query.encode(errors="replace")) > LONGEST:
        raise QueryRefused(f"a query has at most {LONGEST:,} bytes")
    request = {
        "path": str(store.path),
        "query": query,
        "views": VIEWS,
        "rows": ROWS,
        "bytes": SIZE,
        "milliseconds": round(750 * SECONDS),  # so that DuckDB ends it, as a rule, and nobody has to kill it
    }
    try:
        text = msgspec.json.encode(request)
    except UnicodeEncodeError:
        raise QueryRefused("the query is not text") from None
    code, found, said = _run(store, text)
    if code in (0, sandbox.CUT):
        try:
            return Answer(pl.read_ipc_stream(BytesIO(found)), code == sandbox.CUT)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            raise QueryRefused(
                f"a column has a type that cannot be shown, cast it to VARCHAR ({_line(str(error))})"
            ) from None
    if code == sandbox.REFUSED:
        raise QueryRefused(_plain(said.decode(errors="replace")))
    raise QueryRefused(_SLOW if code in (-signal.SIGKILL, -signal.SIGXCPU) else _LARGE)


def _run(store: Store, request: bytes) -> tuple[int, bytes, bytes]:
    """Give how the process ended and what it wrote. Its start takes a while and counts for nothing."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-P", "-W", "ignore", str(Path(sandbox.__file__))]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            if process.stdout is not None:
                process.stdout.read(len(sandbox.READY))
            with store.lent():
                found, said = process.communicate(request, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise QueryRefused(_SLOW) from None
        finally:
            process.kill()
    return process.returncode, found, said


def _text(value: object) -> str | None:
    if value is None:
        return None
    return value.hex() if isinstance(value, bytes) else msgspec.json.encode(value).decode()


_SLOW: Final = f"it takes longer than {SECONDS:g} seconds and was stopped: ask about fewer games"
_LARGE: Final = "it needs more memory than it may have and was stopped: ask about fewer games or columns"

_MEANINGS: Final[Mapping[str, str]] = {
    r"exceeded maximum execution time|INTERRUPT": _SLOW,
    r"[Oo]ut of [Mm]emory|bad_alloc|could not allocate|failed to allocate": _LARGE,
    r"file system operations are disabled|Cannot access (file|directory)": "SQL here reads the recorded games only, "
    "and no files",
    r"extension": "SQL here has no extensions",
    r"configuration has been locked": "nothing can be set here",
}


def _plain(said: str) -> str:
    """What DuckDB said, in one line of our words where it is about what may not be done."""
    for pattern, meaning in _MEANINGS.items():
        if re.search(pattern, said):
            return meaning
    return _line(re.sub(r"^\w+ Error: ", "", said))


def _line(said: str) -> str:
    return " ".join(said.split())[:600]
