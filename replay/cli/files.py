"""Commands that check games and bring them in and out."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated, Any

import typer
from msgspec.structs import asdict

from core.redact import viewer_from
from events.errors import FormatError
from events.jsonl import Remark
from events.tape import Tape
from replay import exchange
from replay.cli.measure import NoMeasure, measure_games
from replay.cli.terminal import DEFAULT_DB, Cluster, Db, Json, log, many, out, print_json, progress, recorded, say
from replay.jobs.cluster import crew
from replay.lake import moving
from replay.lake.reading import open_store
from replay.lake.segments import Lake, is_lake
from replay.notes import Note
from replay.storage.contract import Added, together
from replay.storage.store import Filter, Store
from replay.timeline import Timeline
from replay.verify import Summary, parent_of, verify_all
from replay.verify import together as together_judged


def verify(
    what: Annotated[list[str] | None, typer.Argument(metavar="ID|FILE...", help="Replays or files.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Every replay of the database.")] = False,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="Processes that verify.")] = 1,
    cluster: Cluster = None,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Check games in three grades: whole (digest and order), legal (the rules), exact (dealt again from the seed)."""
    if every == bool(what):
        raise typer.BadParameter("name replays or files, or say --all")
    unreadable: list[str] = []
    done: list[Summary] = []
    with progress("verifying", None) as advance, crew(cluster, jobs) as workers:
        if every and is_lake(db):
            judged = moving.judge(Lake(db), workers.jobs, workers.executor)
        else:
            games = _readable(_sources(what or [], db), db, unreadable)
            judged = ((each, None) for each in verify_all(games, workers.jobs, workers.executor))
        for each, problem in judged:
            done = [together_judged([*done, each])]
            unreadable += [] if problem is None else [problem]
            advance(done[0].games)
    found = together_judged(done)
    log.info("verified", games=found.games, failures=len(found.failures), unreadable=len(unreadable))
    if json:
        print_json({**asdict(found), "unreadable": unreadable})
    else:
        out.print(
            f"{many(found.games, 'game')}: " + ", ".join([f"{count} {grade}" for grade, count in found.passed.items()])
        )
        if found.seedless:
            out.print(f"{found.seedless} have no seed: exact was not asked of them", style="dim")
        for group in found.failures:
            where = f"step {group.step}" + (f", {group.path}" if group.path else "")
            alike = f"{group.games:,} games, e.g. {group.first}" if group.games > 1 else group.first
            say(f"not {group.grade} at {where}: {group.reason} ({alike})", style="red")
        for problem in unreadable:
            say(problem, style="red")
    if found.failures or unreadable:
        raise typer.Exit(1)


def _readable(
    sources: Iterator[tuple[str, Tape | None, str | None]], db: Path, unreadable: list[str]
) -> Iterator[tuple[Tape, Tape | None]]:
    """The games among the sources, each beside the one that it branched off; of the others, what is wrong is noted."""
    for source, tape, problem in sources:
        if tape is None:
            unreadable.append(f"{source}: {problem}")
        else:
            yield tape, parent_of(tape, open_store(db)) if tape.header.fork and db.exists() else None


def import_(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="JSON Lines, also compressed (.zst), or a folder of --parquet."),
    ],
    no_measure: NoMeasure = False,
    db: Db = DEFAULT_DB,
    json: Json = False,
) -> None:
    """Read games from files into the database. A bad game is kept up to its first bad event; the others load."""
    problems: list[dict[str, Any]] = []
    said: dict[str, tuple[Remark, ...]] = {}

    def sound() -> Iterator[Tape]:
        for file in files:
            for found in exchange.read_file(file):
                if found.problem is not None:
                    id = None if found.tape is None else found.tape.header.id
                    problems.append(
                        {
                            "file": str(file),
                            "line": found.line,
                            "id": id,
                            "step": found.step,
                            "problem": found.problem,
                        }
                    )
                if found.tape is not None:
                    if found.notes:
                        said[found.tape.header.id] = found.notes
                    yield found.tape

    folders = [file for file in files if file.is_dir()]
    files = [file for file in files if file not in folders]
    for file in files:
        if not file.is_file():
            raise FormatError(f"cannot read {file}: no such file")
    with Store(db) as store, progress("importing", None) as advance:
        brought = [store.bring(folder) for folder in folders]
        added = together([store.add(sound(), progress=advance), *brought])
        notes = sum([store.bring_notes(id, remarks) for id, remarks in said.items() if _stored(store, id, added)])
    if not no_measure:
        measure_games(store)
    log.info("imported", files=len(files), new=added.new, known=added.known, problems=len(problems))
    facts = {
        "new": added.new,
        "notes": notes,
        "known": added.known,
        "changed": added.changed,
        "refused": added.refused,
        "problems": problems,
    }
    if json:
        print_json(facts)
    else:
        brought_notes = f" {notes} notes added." if notes else ""
        out.print(f"{many(added.new, 'game')} added, {added.known:,} already there.{brought_notes}")
        for problem in problems:
            where = f"{problem['file']}, line {problem['line']}"
            say(f"{where}: {problem['problem']}", style="red")
        for refused in added.refused:
            say(refused, style="red")
        for id in added.changed:
            out.print(f"{id} is stored with other content; the stored game was kept", style="red", soft_wrap=True)
    if problems or added.changed or added.refused:
        raise typer.Exit(1)


def export(
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID...", help="Ids, or starts of ids.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Every replay of the database.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The file; standard output if not given.")
    ] = None,
    viewer: Annotated[
        str | None, typer.Option("--as", help="Only what this viewer may see (cannot be read back).")
    ] = None,
    tables: Annotated[
        Path | None, typer.Option("--parquet", metavar="FOLDER", help="All tables of the database, as Parquet files.")
    ] = None,
    page: Annotated[
        bool, typer.Option("--html", help="One game as a page that steps without a server; say for whom with --as.")
    ] = False,
    db: Db = DEFAULT_DB,
) -> None:
    """Write games as JSON Lines. Without --as the file holds everything and can be imported again, byte for byte.

    A file whose name ends in .zst is compressed.
    """
    if tables is not None:
        if every or ids or page or output is not None or viewer is not None:
            raise typer.BadParameter("--parquet writes all tables: nothing else can be chosen")
        with recorded(db) as store:
            store.export_parquet(tables)
        return
    if every == bool(ids):
        raise typer.BadParameter("name replays, or say --all")
    if output is not None and output.exists():
        raise FormatError(f"{output} is there already; it was not touched")
    if page and (viewer is None or every or len(ids or ()) != 1):
        raise typer.BadParameter("--html is for one replay, as the viewer that --as names")
    with recorded(db) as store:
        chosen = None if every else [store.find(id) for id in ids or ()]
        tapes = store.tapes(Filter() if chosen is None else Filter(ids=tuple(chosen)))
        noted = store.noted()
        lines = (
            line
            for tape in tapes
            for line in (_page if page else _lines)(
                tape, viewer, store.notes(tape.header.id) if tape.header.id in noted else ()
            )
        )
        try:
            if output is None:
                sys.stdout.buffer.writelines(lines)
            else:
                _write(lines, output)
        except OSError as error:
            raise FormatError(f"cannot write {output or 'the export'}: {error.strerror}") from None


def _write(lines: Iterator[bytes], output: Path) -> None:
    """Write a new file whole, or leave none: half an export would look like one."""
    with exchange.writing(output) as file:
        try:
            file.writelines(lines)
        except BaseException:
            output.unlink()
            raise


def _stored(store: Store, id: str, added: Added) -> bool:
    """Is this game stored as the file has it? Notes of one that was refused or is another would say what is not so."""
    return id not in added.changed and store.count(Filter(ids=(id,))) == 1


def _lines(tape: Tape, viewer: str | None, notes: Sequence[Note]) -> Iterator[bytes]:
    who = None if viewer is None else viewer_from(viewer, len(tape.header.players))
    return exchange.lines_of(tape, who, notes)


def _page(tape: Tape, viewer: str | None, notes: Sequence[Note]) -> Iterator[bytes]:
    # Named as `serve` names its app: the dashboard is built on this package, not the other way round.
    single_page = resolve_name("dashboard.page:single_page")
    yield single_page(Timeline(tape), viewer_from(viewer or "", len(tape.header.players)), notes)


def _sources(what: list[str], db: Path) -> Iterator[tuple[str, Tape | None, str | None]]:
    """The games that `verify` is asked about: of files, of the database by id, or all of it."""
    if not what:
        with recorded(db) as store:
            yield from ((tape.header.id, tape, None) for tape in store.tapes(Filter()))
    for name in what:
        if Path(name).is_file():
            for found in exchange.read_file(Path(name)):
                yield f"{name}, line {found.line}", found.tape, found.problem
        elif name.endswith((".jsonl", exchange.COMPRESSED)) or "/" in name:
            raise FormatError(f"cannot read {name}: no such file")
        else:
            with recorded(db) as store:
                yield name, store.read(store.find(name)), None
