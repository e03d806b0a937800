"""The command line. Each command does what the public Python API does, prints it, and says by its exit code how it went.

Exit codes: 0 fine, 1 a check failed or a file was bad, 2 wrong usage, 3 the database is busy or unreadable. An error is
one line on standard error. `--json` prints the same facts for programs.
"""

from __future__ import annotations

import os
import sys
import webbrowser
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import polars as pl
import structlog
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from typer.exceptions import TyperException

from core.redact import viewer_from
from core.registry import find
from core.registry import games as all_games
from core.sheets import parse
from events.codec import canonical
from events.errors import FormatError, TabletapeError
from events.marks import Viewer
from events.tape import Tape
from replay import exchange, health, logs, statistics
from replay.errors import StoreError
from replay.games import default_sheet
from replay.report import events_of, step_of
from replay.rulings import rulings
from replay.simulate import Batch, bots_for, simulate as play_batch
from replay.store import Filter, Store
from replay.timeline import Timeline
from replay.verify import Verdict, verify as judge

app = typer.Typer(
    name="tabletape",
    help="A flight recorder for tabletop games: record, replay, debug and count them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)
log = structlog.get_logger("tabletape")

Db = Annotated[
    Path, typer.Option("--db", envvar="TABLETAPE_DB", help="The database file.", show_default=True, metavar="FILE")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
DEFAULT_DB = Path("tabletape.duckdb")
DEMO_DB = Path("tabletape-demo.duckdb")


def main() -> None:
    """Run the command line; the console script."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command; give its exit code."""
    logs.configure(json=False, level=os.environ.get("TABLETAPE_LOG", "warning"))
    try:
        code = app(arguments, standalone_mode=False)
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
    except (KeyboardInterrupt, typer.Abort):
        return _fail("stopped", 130)
    return code if isinstance(code, int) else 0


def _fail(message: str, code: int) -> int:
    err.print(f"tabletape: {' '.join(message.split())}", style="red", markup=False, soft_wrap=True)
    return code


# --- games -----------------------------------------------------------------------------------------------------------


@app.command()
def games(json: Json = False) -> None:
    """What can be played: seats, options, bots, and where the components are known from."""
    rows = [
        {
            "game": kind.slug,
            "title": kind.title,
            "rules": kind.rules,
            "seats": list(default_sheet(kind).seats),
            "options": {name: _default(kind.options, name) for name in kind.options.__struct_fields__},
            "bots": list(bots_for(kind)),
            "sheet": kind(default_sheet(kind)).sheet_digest,
            "provenance": dict(Counter(default_sheet(kind).provenance.values())),
            "note": default_sheet(kind).note,
        }
        for kind in all_games().values()
    ]
    if json:
        return _print_json(rows)
    table = Table("game", "seats", "options", "bots", "components known from", box=None, header_style="bold")
    for row in rows:
        low, high = row["seats"]
        known = ", ".join([f"{source} {count}" for source, count in sorted(row["provenance"].items())])
        options = ", ".join([f"{name}={value}" for name, value in row["options"].items()])
        table.add_row(row["game"], f"{low}-{high}", options or "-", ", ".join(row["bots"]), known)
    out.print(table)
    return None


@app.command()
def simulate(
    game: Annotated[str, typer.Argument(help="The game's name, as `tabletape games` lists it.")],
    number: Annotated[int, typer.Option("-n", "--number", min=1, max=2**40, help="How many games.")] = 100,
    seed: Annotated[str, typer.Option(help="Text of up to 40 bytes; game i is dealt from SEED/i.")] = "0",
    seats: Annotated[int | None, typer.Option(help="How many seats; as many as players if those are given.")] = None,
    players: Annotated[str | None, typer.Option(help="Bots, one a seat, e.g. random,greedy.")] = None,
    option: Annotated[list[str] | None, typer.Option("--option", "-o", help="NAME=VALUE, as often as needed.")] = None,
    sheet: Annotated[Path | None, typer.Option(help="A component sheet of your own (TOML).")] = None,
    fixed_seats: Annotated[bool, typer.Option(help="Keep players at their seats instead of rotating them.")] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Processes that play.")] = 1,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Let bots play games and store them. The same command again adds nothing: the games are the same."""
    kind = find(game)
    line_up = tuple(players.split(",")) if players else ("random",) * (seats or default_sheet(kind).seats[0])
    batch = Batch(
        game=game,
        seats=len(line_up) if seats is None else seats,
        seed=seed,
        bots=line_up,
        options=_options(option or []),
        components=None if sheet is None else _sheet(sheet, game),
        fixed_seats=fixed_seats,
    )
    with Store(db) as store, _progress("simulating", number) as advance:
        added = store.add(play_batch(batch, number, jobs), progress=advance)
    log.info("simulated", game=game, seats=batch.seats, seed=seed, new=added.new, known=added.known)
    facts = {"game": game, "new": added.new, "known": added.known, "first": batch.id_of(0)}
    if json:
        return _print_json(facts)
    out.print(f"{added.new} games added, {added.known} were there already. The first is {batch.id_of(0)}.")
    return None


# --- looking ---------------------------------------------------------------------------------------------------------


@app.command()
def replays(
    game: Annotated[str | None, typer.Option(help="Only this game.")] = None,
    player: Annotated[str | None, typer.Option(help="Only games with this player.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 50,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """List recorded games."""
    chosen = Filter(game=game, player=player)
    with Store(db) as store:
        found, total = store.replays(chosen, limit=limit), store.count(chosen)
    if json:
        return _print_json(found.to_dicts())
    table = Table("id", "game", "players", "ended", "winners", "turns", "from", box=None, header_style="bold")
    for row in found.iter_rows(named=True):
        fault = f"stops at {row['fault_step']}" if row["fault_step"] is not None else "running"
        winners = ", ".join([row["players"][seat] for seat in row["winners"] or ()])
        ended = (row["ended"] or fault).replace("_", " ")
        cells = [row["replay"], row["game"], ", ".join(row["players"]), ended, winners, str(row["turns"])]
        table.add_row(*[_plain(cell) for cell in cells], row["provenance"])
    out.print(table)
    out.print(f"{len(found)} of {total}", style="dim")
    return None


@app.command()
def show(
    replay: Annotated[str, typer.Argument(metavar="ID", help="An id, or the start of one.")],
    at: Annotated[int | None, typer.Option(help="One step: its event, its rule, the state and what may follow.")] = None,
    viewer: Annotated[str, typer.Option("--as", help="A seat, `spectator` or `omniscient`.")] = "spectator",
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Show a recorded game as one viewer sees it, in words; or one step of it, in full."""
    with Store(db) as store:
        tape = store.read(store.find(replay))
    timeline = Timeline(tape)
    who = _viewer(viewer, timeline)
    facts = events_of(timeline, who) if at is None else step_of(timeline, at, who)
    if json:
        return _print_json(facts)
    if at is None:
        out.print(f"{timeline.game.title}, {tape.header.id}, as {viewer}", style="bold")
        for event in facts["events"]:
            mark = {"move": ">", "chance": "?", "correction": "<"}.get(event["cause"], " ")
            out.print(f"{event['number']:5} {mark} {event['words']}", markup=False, soft_wrap=True)
        if facts["fault"]:
            out.print(f"This game opens only up to here: {facts['fault']}", style="red", markup=False, soft_wrap=True)
        return None
    out.print(f"{facts['number']} of {facts['last']}: {facts['words']}", style="bold", markup=False, soft_wrap=True)
    rule = rulings(timeline.game.slug).get(facts["rule"])
    if facts["rule"]:
        out.print(f"Rule {facts['rule']}: {rule.question} {rule.ruling}." if rule else f"Rule {facts['rule']}")
    for path, before, after in facts["changes"]:
        out.print(f"  {path}: {_value(before)} -> {_value(after)}", markup=False, soft_wrap=True)
    out.print("State", style="bold")
    for path, value in facts["state"].items():
        out.print(f"  {path} = {_value(value)}", markup=False, soft_wrap=True)
    if facts["moves"]:
        out.print("May follow", style="bold")
    for move in facts["moves"]:
        out.print(f"  {move}", markup=False, soft_wrap=True)
    return None


@app.command()
def stats(
    game: Annotated[str, typer.Argument(help="The game's name.")],
    by: Annotated[str, typer.Option(help="seat, player, bot or seats.")] = "seat",
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Win rates with their intervals, scores and length of finished games."""
    if by not in ("seat", "player", "bot", "seats"):
        raise typer.BadParameter(f"cannot count by {by!r}: seat, player, bot or seats")
    find(game)
    with Store(db) as store:
        results = store.seat_results(Filter(game=game))
        listed = store.replays(Filter(game=game))
    keys = [by] if by == "seats" else ["seats", by]
    frames = {
        "win_rates": statistics.win_rates(results, keys),
        "scores": statistics.score_summary(results, keys),
        "length": statistics.length_summary(listed),
        "endings": statistics.endings(listed),
    }
    unfinished = listed.filter(~pl.col("finished")).height
    if json:
        return _print_json({**{name: frame.to_dicts() for name, frame in frames.items()}, "unfinished": unfinished})
    if listed.is_empty():
        out.print(f"No game of {game} is stored in {db}.")
        return None
    for name, frame in frames.items():
        out.print(_table(name.replace("_", " "), frame))
    out.print(f"{listed.height - unfinished} finished games; {unfinished} unfinished ones are not counted.", style="dim")
    return None


# --- checking, exchanging --------------------------------------------------------------------------------------------


@app.command()
def verify(
    what: Annotated[list[str] | None, typer.Argument(metavar="ID|FILE...", help="Replays or files.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Every replay of the database.")] = False,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Check games in three grades: whole (digest and order), legal (the rules), exact (dealt again from the seed)."""
    if every == bool(what):
        raise typer.BadParameter("name replays or files, or say --all")
    verdicts: list[Verdict] = []
    unreadable: list[str] = []
    with _progress("verifying", None) as advance:
        for at, (source, tape, problem) in enumerate(_sources(what or [], db), 1):
            if tape is None:
                unreadable.append(f"{source}: {problem}")
            else:
                verdicts.append(judge(tape))
            advance(at)
    failed = [verdict for verdict in verdicts if not verdict.holds]
    groups = Counter((f.grade, f.step, f.path, f.reason) for verdict in failed for f in verdict.failures)
    example = {(f.grade, f.step, f.path, f.reason): v.id for v in reversed(failed) for f in v.failures}
    passed = {grade: sum(grade in v.grades and grade not in [f.grade for f in v.failures] for v in verdicts)
              for grade in ("whole", "legal", "exact")}
    log.info("verified", games=len(verdicts), failed=len(failed), unreadable=len(unreadable))
    if json:
        _print_json(
            {
                "games": len(verdicts),
                "passed": passed,
                "failures": [
                    {"grade": key[0], "step": key[1], "path": key[2], "reason": key[3], "games": n, "first": example[key]}
                    for key, n in groups.most_common()
                ],
                "unreadable": unreadable,
            }
        )
    else:
        out.print(f"{len(verdicts)} games: " + ", ".join([f"{count} {grade}" for grade, count in passed.items()]))
        seedless = sum("exact" not in verdict.grades for verdict in verdicts)
        if seedless:
            out.print(f"{seedless} have no seed: exact was not asked of them", style="dim")
        for (grade, step, path, reason), count in groups.most_common():
            where = f"step {step}" + (f", {path}" if path else "")
            line = f"not {grade} at {where}: {reason} ({count} games, e.g. {example[grade, step, path, reason]})"
            out.print(line, style="red", markup=False, soft_wrap=True)
        for problem in unreadable:
            out.print(problem, style="red", markup=False, soft_wrap=True)
    if failed or unreadable:
        raise typer.Exit(1)


@app.command("import")
def import_(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="JSON Lines files.")],
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Read games from files into the database. A bad game is kept up to its first bad event; the others load."""
    problems: list[dict[str, Any]] = []

    def sound() -> Iterator[Tape]:
        for file in files:
            for found in exchange.read_file(file):
                if found.problem is not None:
                    id = None if found.tape is None else found.tape.header.id
                    problems.append({"file": str(file), "line": found.line, "id": id, "problem": found.problem})
                if found.tape is not None:
                    yield found.tape

    for file in files:
        if not file.is_file():
            raise FormatError(f"cannot read {file}: no such file")
    with Store(db) as store, _progress("importing", None) as advance:
        added = store.add(sound(), progress=advance)
    log.info("imported", files=len(files), new=added.new, known=added.known, problems=len(problems))
    facts = {"new": added.new, "known": added.known, "changed": list(added.changed), "problems": problems}
    if json:
        _print_json(facts)
    else:
        out.print(f"{added.new} games added, {added.known} were there already.")
        for problem in problems:
            where = f"{problem['file']}, line {problem['line']}"
            out.print(f"{where}: {problem['problem']}", style="red", markup=False, soft_wrap=True)
        for id in added.changed:
            out.print(f"{id} is stored with other content; the stored game was kept", style="red", soft_wrap=True)
    if problems or added.changed:
        raise typer.Exit(1)


@app.command()
def export(
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID...", help="Ids, or starts of ids.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Every replay of the database.")] = False,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The file; standard output if not given.")] = None,
    viewer: Annotated[str | None, typer.Option("--as", help="Only what this viewer may see (cannot be read back).")] = None,
    db: Db = DEFAULT_DB,
) -> None:
    """Write games as JSON Lines. Without --as the file holds everything and can be imported again, byte for byte."""
    if every == bool(ids):
        raise typer.BadParameter("name replays, or say --all")
    if output is not None and output.exists():
        raise FormatError(f"{output} is there already; it was not touched")
    with Store(db) as store:
        chosen = None if every else [store.find(id) for id in ids or ()]
        tapes = store.tapes(Filter() if chosen is None else Filter(ids=tuple(chosen)))
        lines = (line for tape in tapes for line in _lines(tape, viewer))
        try:
            if output is None:
                sys.stdout.buffer.writelines(lines)
            else:
                with output.open("xb") as file:
                    file.writelines(lines)
        except OSError as error:
            raise FormatError(f"cannot write {output or 'the export'}: {error.strerror}") from None


def _lines(tape: Tape, viewer: str | None) -> Iterator[bytes]:
    who = None if viewer is None else viewer_from(viewer, len(tape.header.players))
    return exchange.lines_of(tape, who)


# --- service ---------------------------------------------------------------------------------------------------------


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="The address to listen on; loopback unless you say otherwise.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535)] = 8501,
    browse: Annotated[bool, typer.Option("--open/--no-open", help="Open a browser.")] = False,
    db: Db = DEFAULT_DB,
) -> None:
    """Start the dashboard: library, step-through, statistics."""
    import uvicorn

    with Store(db) as store:
        count = store.count(Filter())
    os.environ["TABLETAPE_DB"] = str(db.absolute())
    os.environ["TABLETAPE_HOST"] = host
    logs.configure(json=not sys.stderr.isatty(), level=os.environ.get("TABLETAPE_LOG", "info"))
    url = f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{port}"
    out.print(f"Tabletape is at {url} with {count} games of {db}. Stop it with Ctrl-C.")
    if browse:
        webbrowser.open(url)
    log.info("serving", host=host, port=port, db=str(db), games=count)
    uvicorn.run("dashboard.server:app", host=host, port=port, log_level="warning")


@app.command()
def demo(
    number: Annotated[int, typer.Option("-n", "--number", min=1, help="Games of each kind and seat count.")] = 100,
    port: Annotated[int, typer.Option(min=1, max=65535)] = 8501,
    db: Annotated[Path, typer.Option("--db", envvar="TABLETAPE_DB", metavar="FILE")] = DEMO_DB,
) -> None:
    """Simulate a few hundred games of each kind, then open the dashboard on them."""
    batches = [batch for kind in all_games().values() for batch in _demo_batches(kind)]
    with Store(db) as store, _progress("simulating", number * len(batches)) as advance:
        done = 0
        for batch in batches:
            before = done
            store.add(play_batch(batch, number), progress=lambda count, before=before: advance(before + count))
            done += number
    serve(host="127.0.0.1", port=port, browse=sys.stdout.isatty(), db=db)


def _demo_batches(kind: Any) -> Iterator[Batch]:
    """The game at each seat count, its own bots against random ones."""
    low, high = default_sheet(kind).seats
    line_up = [*kind.bots, *["random"] * high]
    for seats in range(low, high + 1):
        yield Batch(game=kind.slug, seats=seats, seed="demo", bots=tuple(line_up[:seats]))


@app.command()
def doctor(db: Db = DEFAULT_DB, json: Json = False) -> None:
    """Check versions, database, component sheets, golden streams and the rules of every installed game."""
    findings = health.examine(db)
    if json:
        _print_json(findings)
    else:
        for finding in findings:
            mark, style = {"ok": ("ok ", "green"), "note": ("-- ", "dim")}.get(finding.state, ("BAD", "red"))
            out.print(f"{mark} {finding.what}: {finding.detail}", style=style, markup=False, soft_wrap=True)
    if any(finding.state == "bad" for finding in findings):
        raise typer.Exit(1)


# --- words for the terminal ------------------------------------------------------------------------------------------


def _viewer(text: str, timeline: Timeline) -> Viewer:
    return viewer_from(text, timeline.seats)


def _options(pairs: list[str]) -> bytes:
    """NAME=VALUE pairs as JSON; a value that is JSON is taken as it is, anything else as text."""
    fields: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise typer.BadParameter(f"an option is NAME=VALUE, not {pair!r}")
        try:
            fields[name] = msgspec.json.decode(value.encode())
        except msgspec.MsgspecError:
            fields[name] = value
    return canonical(fields)


def _sheet(file: Path, game: str) -> bytes:
    try:
        sheet = parse(file.read_bytes(), find(game).sheet_type)
    except OSError as error:
        raise FormatError(f"cannot read {file}: {error.strerror}") from None
    return canonical(sheet)


def _sources(what: list[str], db: Path) -> Iterator[tuple[str, Tape | None, str | None]]:
    """The games that `verify` is asked about: of files, of the database by id, or all of it."""
    if not what:
        with Store(db) as store:
            yield from ((tape.header.id, tape, None) for tape in store.tapes(Filter()))
    for name in what:
        if Path(name).is_file():
            for found in exchange.read_file(Path(name)):
                yield f"{name}, line {found.line}", found.tape, found.problem
        elif name.endswith(".jsonl") or "/" in name:
            raise FormatError(f"cannot read {name}: no such file")
        else:
            with Store(db) as store:
                yield name, store.read(store.find(name)), None


class _progress:
    """A progress bar on standard error, shown on a terminal only; gives the function that moves it."""

    def __init__(self, what: str, total: int | None) -> None:
        columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
        self._bar = Progress(*columns, console=err, transient=True, disable=not err.is_terminal)
        self._task = self._bar.add_task(what, total=total)

    def __enter__(self) -> Any:
        self._bar.start()
        return lambda done: self._bar.update(self._task, completed=done)

    def __exit__(self, *_: object) -> None:
        self._bar.stop()


def _default(options: Any, name: str) -> Any:
    return getattr(options(), name)


def _plain(text: str) -> str:
    """Player names are hostile: no markup, no control characters."""
    return "".join([char if char.isprintable() else "?" for char in text]).replace("[", "\\[")


def _value(value: Any) -> str:
    return "-" if value is None else ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)


def _table(title: str, frame: pl.DataFrame) -> Table:
    table = Table(*frame.columns, title=title, title_justify="left", box=None, header_style="bold")
    for row in frame.iter_rows():
        table.add_row(*[_plain(f"{cell:.3f}" if isinstance(cell, float) else str(cell)) for cell in row])
    return table


def _print_json(value: object) -> None:
    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")

