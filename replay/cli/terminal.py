"""What the commands share: the options that all of them take, and how things are printed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import msgspec
import structlog
import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from replay.errors import StoreError

if TYPE_CHECKING:
    import polars as pl

    from replay.debugger.alternatives import Alternatives
    from replay.storage.store import Store

out = Console(highlight=False, width=None if sys.stdout.isatty() else 200)
err = Console(stderr=True, highlight=False)
log = structlog.get_logger("tabletape")

DEFAULT_DB = Path("tabletape.duckdb")

Db: TypeAlias = Annotated[
    Path,
    typer.Option("--db", envvar="TABLETAPE_DB", metavar="FILE", help="The database file; to look at, also a lake."),
]
Cluster: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Dask workers do the work, those of this scheduler (tcp://host:8786)."),
]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def say(text: str, style: str | None = None) -> None:
    """Print a line as it is: what came from a file or a player is no markup."""
    out.print(printable(text), style=style, markup=False, soft_wrap=True)


def many(count: int, noun: str) -> str:
    """Give a number of things in words.

    >>> many(1, "game"), many(2400, "finished game")
    ('1 game', '2,400 finished games')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def print_json(value: object) -> None:
    """Print a value as one line of JSON."""
    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")


def printable(text: str) -> str:
    """Give a text without what could steer a terminal."""
    return "".join([char if char.isprintable() else "?" for char in text])


def value(found: Any) -> str:
    """Give a value of a state as text."""
    if found is None:
        return "-"
    return ", ".join(map(str, found)) or "none" if isinstance(found, tuple) else str(found)


def say_alternatives(found: Alternatives) -> None:
    """Print what could follow a step, numbered as `fork` counts it; the star is what did."""
    if not found.options:
        say(f"  {found.note}")
    for number, option in enumerate(found.options):
        odds = "" if option.weight is None else f"  ({option.weight} in {found.total})"
        say(f"{number:4} {'*' if option.chosen else ' '} {option.words}{odds}")


def table_of(frame: pl.DataFrame, title: str) -> Table:
    """Give a frame as a table for the terminal."""
    headers = [name.replace("_", " ") for name in frame.columns]
    table = Table(*headers, title=title, title_justify="left", box=None, header_style="bold")
    for row in frame.iter_rows():
        table.add_row(*[cell(value) for value in row])
    return table


def cell(value: Any) -> Text:
    """Give a value as text for a table's cell: text and no markup, whatever a player is called."""
    text = "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
    return Text(printable(text))


def recorded(db: Path) -> Store:
    """Open a database that is to be read: one that is not there is a mistake in its name, and is not made."""
    from replay.lake.reading import open_store  # here, as it takes most of the start of a command that opens nothing
    from replay.lake.segments import is_lake

    if not db.exists() and not is_lake(db):
        raise StoreError(f"there is no database {db}; `tabletape simulate` and `tabletape import` make one")
    return open_store(db)


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on standard error while the block runs, on a terminal only; gives the function to move it."""
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), _Rate(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)


class _Rate(ProgressColumn):
    """How many are done a second."""

    def render(self, task: Task) -> Text:
        """Give the rate, once there is one."""
        return Text("" if task.speed is None else f"{task.speed:,.0f}/s", style="dim")
