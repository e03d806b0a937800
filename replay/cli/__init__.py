"""The command line. A command does what the public Python API does, prints it, and tells by its exit code how it went.

Exit codes: 0 fine, 1 a check failed or a file was bad, 2 wrong usage, 3 the database is busy or unreadable. An error is
one line on standard error. `--json` prints the same facts for programs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import cache
from pkgutil import resolve_name
from typing import Any

import typer
from typer.exceptions import TyperException

from events.errors import FormatError, TabletapeError
from replay import logs
from replay.cli.terminal import err, printable
from replay.errors import StoreError

COMMANDS: Mapping[str, str] = {
    "games": "games:games",
    "simulate": "play:simulate",
    "experiment": "experiments:experiment",
    "tournament": "experiments:tournament",
    "replays": "look:replays",
    "show": "look:show",
    "step": "step:step",
    "fork": "branches:fork",
    "compare": "branches:compare",
    "note": "notes:note",
    "notes": "notes:notes",
    "reasons": "notes:reasons",
    "evaluate": "evaluate:evaluate",
    "calibrate": "evaluate:calibrate",
    "stats": "stats:stats",
    "measure": "measure:measure",
    "ratings": "ratings:ratings",
    "sql": "sql:sql",
    "tag": "ratings:tag",
    "verify": "files:verify",
    "import": "files:import_",
    "export": "files:export",
    "remove": "keep:remove",
    "rename": "keep:rename",
    "anonymise": "keep:anonymise",
    "rebuild": "keep:rebuild",
    "vacuum": "keep:vacuum",
    "backup": "keep:backup",
    "restore": "keep:restore",
    "bench": "bench:bench_",
    "serve": "service:serve",
    "demo": "service:demo",
    "doctor": "service:doctor",
}
"""The commands, and which function does each: it is imported only where it is asked for, or all are to be listed."""

GROUPS: Mapping[str, str] = {"live": "live:app", "lake": "lake:app"}
"""The commands that have others below them."""

STOPPED = 130
"""The exit code after Ctrl-C, as shells have it; typer gives it too."""

PRIVATE = 0o077
"""Files that are made belong to their maker alone: a database has hidden cards. Who means to share one says `chmod`."""

HANDED_ON = ("export", "lake")
"""Commands whose files are made for others, as those of `--segments` are: there the caller's own umask holds."""


def main() -> None:
    """Run the command line; the console script."""
    arguments = sys.argv[1:]
    if arguments and arguments[0] not in HANDED_ON and "--segments" not in arguments:
        os.umask(PRIVATE)
    sys.exit(run(arguments))


def run(arguments: list[str]) -> int:
    """Run one command; give its exit code."""
    logs.configure(json=False, level=os.environ.get("TABLETAPE_LOG", "warning"))
    if not all(argument.isprintable() or argument.isascii() for argument in arguments):
        return _fail("an argument is not text that can be printed", 2)
    try:
        named = arguments[0] if arguments and arguments[0] in {**COMMANDS, **GROUPS} else None
        code = _commands(named)(arguments, prog_name="tabletape", standalone_mode=False)
    except TyperException as error:
        return _fail(error.format_message(), error.exit_code)
    except StoreError as error:
        return _fail(str(error), 3)
    except FormatError as error:
        return _fail(str(error), 1)
    except TabletapeError as error:
        return _fail(str(error), 2)
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as error:  # e.g. of a name that is too long for a file
        return _fail(f"{str(error.filename or 'a file')[:80]}: {error.strerror or error}", 1)
    except (KeyboardInterrupt, typer.Abort):
        code = STOPPED
    if code == STOPPED:
        return _fail("stopped; what was stored until then stays", STOPPED)
    return code if isinstance(code, int) else 0


@cache  # it reads the signature of every command
def _commands(named: str | None) -> Any:
    """Give the command line with the one command that is named, or with all of them."""
    app = typer.Typer(
        name="tabletape",
        help="A flight recorder for tabletop games: record, replay, debug and count them.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,
    )
    app.callback()(lambda: None)  # a command line of commands, also where it has only one
    for name, place in COMMANDS.items():
        if named in (name, None):
            app.command(name)(resolve_name(f"replay.cli.{place}"))
    for name, place in GROUPS.items():
        if named in (name, None):
            app.add_typer(resolve_name(f"replay.cli.{place}"), name=name)
    return typer.main.get_command(app)


def _fail(message: str, code: int) -> int:
    text = printable(" ".join(message.split()))
    if text:  # none where the help was shown instead
        err.print(f"tabletape: {text}", style="red", markup=False, soft_wrap=True)
    return code
