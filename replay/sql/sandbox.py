"""The process that runs SQL which somebody typed: a script of its own, started by `replay.sql.query`, and killed by it.

It reads a request (JSON) from standard input and writes the rows to standard output as an Arrow stream, or why there
are none to standard error. It limits itself before it looks at the query: no file may be written, and memory and time
end. DuckDB opens the file to read only, with every way out of it closed, and nobody can open one again.
"""

from __future__ import annotations

import json
import resource
import sys

import duckdb
import pyarrow as pa

CUT, REFUSED = 3, 4
"""Exit codes: there are more rows than were written; the query cannot be run."""

READY = b"ready"
"""What is written first, when the request is waited for."""

MEMORY = 3 << 30
"""Bytes of address space. DuckDB keeps to its own limit, but single functions of it do not."""

PROCESSOR = 5
"""Seconds of processor time; whoever starts this ends it sooner."""

LOCKED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "lock_configuration": "true",
    "python_enable_replacements": "false",
    "memory_limit": "512MB",
    "threads": "1",
    "temp_directory": "",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
}

MACHINE = {
    "function_name": {
        *("current_setting", "duckdb_databases", "duckdb_settings"),
        *("query", "query_table", "json_execute_serialized_sql"),  # run what a text says
    },
    "table_name": {"duckdb_databases", "duckdb_settings", "pg_settings", "pragma_database_list"},
}
"""What tells where the file lies and how the machine is set up, by where the parsed query names it: none is run."""

BATCH = 1000
"""Rows that are written together."""


def main() -> int:
    """Run the query of the request; give the exit code."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    sys.stdout.buffer.write(READY)
    sys.stdout.buffer.flush()
    asked = json.load(sys.stdin)
    try:
        limits = {"max_execution_time": str(asked["milliseconds"])}
        opened = duckdb.connect(asked["path"], read_only=True, config={**LOCKED, **limits})
        for name, query in asked["views"].items():
            opened.execute(f"CREATE TEMP VIEW {name} AS {query}")
        statements = opened.extract_statements(asked["query"])
        if len(statements) != 1:
            return refuse(f"one SELECT is run at a time, these are {len(statements)} statements")
        kind = statements[0].type.name.removesuffix("_STATEMENT").replace("_", " ")
        if kind != "SELECT":
            return refuse(f"only SELECT is run here, and nothing is ever written: this is {kind}")
        ((parsed,),) = opened.execute("SELECT json_serialize_sql($query)", {"query": asked["query"]}).fetchall()
        if named := sorted(about_the_machine(json.loads(parsed))):
            return refuse(f"SQL here tells nothing of the machine that it runs on: there is no {named[0]}")
        return write(opened.execute(statements[0]).to_arrow_reader(BATCH), asked["rows"], asked["bytes"])
    except MemoryError:
        return refuse("Out of Memory")
    except (duckdb.Error, pa.ArrowException, RuntimeError) as error:
        return refuse(str(error))


def about_the_machine(parsed: object) -> set[str]:
    """Give the names in a parsed query that would tell something of the machine: `MACHINE`."""
    if isinstance(parsed, list):
        return {name for part in parsed for name in about_the_machine(part)}
    if not isinstance(parsed, dict):
        return set()
    named = {str(parsed[key]) for key, names in MACHINE.items() if parsed.get(key) in names}
    return named.union(*[about_the_machine(part) for part in parsed.values()])


def write(reader: pa.RecordBatchReader, rows: int, size: int) -> int:
    """Write rows, until there are as many or as large as is allowed."""
    names = reader.schema.names
    if twice := [name for name in names if names.count(name) > 1]:
        return refuse(f"more than one column is called {twice[0]!r}: give each a name of its own with AS")
    if strange := [field for field in reader.schema if _is_strange(field.type)]:
        return refuse(f"{strange[0].name!r} has a type that cannot be shown: cast it to VARCHAR")
    with pa.ipc.new_stream(sys.stdout.buffer, reader.schema) as out:
        for batch in reader:
            cut = batch.num_rows > rows or batch.nbytes > size
            part = batch.slice(0, min(rows, size * batch.num_rows // max(batch.nbytes, 1))) if cut else batch
            try:
                part.to_pylist()
            except (OverflowError, ValueError):  # DuckDB knows days that no calendar here has
                return refuse("a date or a time is beyond what can be shown: cast it to VARCHAR")
            out.write_batch(part)
            if cut:
                return CUT
            rows -= batch.num_rows
            size -= batch.nbytes
    return 0


def _is_strange(kind: pa.DataType) -> bool:
    """Say whether readers of the stream cannot take a type, or one inside it."""
    return (
        pa.types.is_interval(kind)
        or pa.types.is_union(kind)
        or any(_is_strange(kind.field(at).type) for at in range(kind.num_fields))
    )


def refuse(reason: str) -> int:
    """Say why there are no rows."""
    sys.stderr.write(reason)
    return REFUSED


if __name__ == "__main__":
    sys.exit(main())
