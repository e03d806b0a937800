"""The command that runs SQL over the recorded games."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from replay.cli.terminal import DEFAULT_DB, Db, Json, err, out, print_json, recorded, table_of
from replay.sql.query import ROWS, SIZE, ask


def sql(
    query: Annotated[str, typer.Argument(metavar="SELECT", help="One SELECT; docs/sql.md tells the tables.")],
    db: Db = DEFAULT_DB,
    json: Json = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV instead of a table.")] = False,
) -> None:
    """Ask the recorded games by SQL. Only reads; limited in time, memory and rows. Shows hidden things too."""
    if json and csv:
        raise typer.BadParameter("--json or --csv, not both")
    answer = ask(recorded(db), query)
    if json:
        print_json(answer.frame.to_dicts())
    elif csv:
        sys.stdout.write(answer.flat.write_csv())
    else:
        out.print(table_of(answer.frame, f"{answer.frame.height} rows"))
    if answer.cut:
        err.print(f"There is more: at most {ROWS:,} rows and {SIZE // 1_000_000} MB are shown.", style="yellow")
