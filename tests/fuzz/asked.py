"""Harnesses of what people and programs ask: SQL, HTTP requests, commands, commands of the debugger, addresses."""

from __future__ import annotations

import asyncio
import io
import json
import os
import shutil
import sys
from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from unittest.mock import patch
from urllib.parse import parse_qsl, unquote_to_bytes

import msgspec
from starlette.applications import Starlette
from streamlit.testing.v1 import AppTest

from dashboard.address import plain
from events.tape import Player, Tape
from replay.api import web
from replay.api.service import Service
from replay.api.settings import Settings
from replay.api.web import mounted
from replay.cli import run
from replay.cli.step import COMMANDS, Debugger
from replay.live.game import Wish
from replay.sql import query
from replay.storage.store import Store
from replay.timeline import Timeline
from tests.fuzz.forking import sandboxes
from tests.fuzz.harness import Feed, Harness, is_a_line, ours
from tests.fuzz.seeds import files, goldens

ROOT: Final = Path(__file__).parents[2]
APP: Final = ROOT / "dashboard" / "app.py"
TOKEN: Final = "a-token-of-the-service"
PART: Final = 7_000
"""Bytes of a body that come at once."""
CANARY: Final = "canary-that-nobody-may-see"


@contextmanager
def _recorded() -> Iterator[Path]:
    """Give a database of whole games, one that is begun, and one that stops at an event."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "games.duckdb"
        header = msgspec.structs.replace(goldens()[1].header, id="0192a000-0000-7000-8000-00000000000b")
        begun = Tape(msgspec.structs.replace(header, length=None, digest=None), goldens()[1].events[:30])
        store = Store(path)
        store.add([*goldens(), begun])
        store.measure()
        store.add_note(goldens()[0].header.id, 3, "<b>here</b>")
        yield path


# --- SQL -------------------------------------------------------------------------------------------------------------


@contextmanager
def _sql() -> Iterator[Feed]:
    with _recorded() as path, sandboxes() as forked, patch.object(query, "_run", forked):
        store = Store(path)
        (path.parent / "secret.csv").write_text(CANARY)
        before = sorted(file.name for file in path.parent.iterdir())

        def feed(text: bytes) -> None:
            asked = text.decode(errors="surrogateescape").replace("FOLDER", str(path.parent))
            try:
                answer = query.ask(store, asked)
            except query.QueryRefused as error:
                is_a_line(str(error))
                told = str(error)
            else:
                told = answer.flat.write_csv()
            assert CANARY not in told
            assert str(path.parent) not in told or str(path.parent) in asked
            assert sorted(file.name for file in path.parent.iterdir()) == before

        yield feed
        assert len(store.replays()) == len(goldens()) + 1


def _sql_seeds() -> Sequence[bytes]:
    return [
        *[example.encode() for example in query.EXAMPLES.values()],
        b"SELECT * FROM replays JOIN seats USING (replay) WHERE players[1] LIKE '%a%' ORDER BY ALL",
        b"SELECT kind, body ->> '$.seat', list(seq ORDER BY seq), max(raw) FROM event GROUP BY ALL",
        b"FROM read_csv('FOLDER/secret.csv')",
        b"SELECT struct_pack(a := 1, b := [1, 2]), MAP {'a': 1}, INTERVAL 1 DAY, DATE '2020-01-01', 'x'::BLOB, uuid()",
        b"WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 100) SELECT sum(n) FROM t",
        b"PIVOT (SELECT game, ended, turns FROM replays) ON ended USING avg(turns) GROUP BY game",
        b"SELECT * FROM (VALUES (1, 'a', NULL, 1.5, true), (2, 'b', 'x', 'nan'::DOUBLE, false)) AS v(a, b, c, d, e)",
    ]


_SQL: Final = (
    b"replay | event | seats | note | meta | duckdb_settings() | pragma_database_list | sniff_csv | "
    b"read_text('FOLDER/secret.csv') | glob('FOLDER/*') | 'FOLDER/secret.csv' | getenv('HOME') | query('x') | "
    b"; DROP TABLE event | ; SELECT 1 | -- | /* | $$ | $1 | ? | UNION ALL | EXCEPT | LIMIT 99999999 | "
    b"range(1000000000) | repeat('x', 1000000000) | generate_series(1, 10000000) | CAST( | ::JSON | "
    b"::HUGEINT | ::TIMESTAMPTZ | ::BIT | ::VARIANT | 'infinity'::DATE | 'infinity'::TIMESTAMP | lambda x: x | "
    b"COLUMNS(*) | EXPORT DATABASE | COPY | ATTACH | INSTALL | PRAGMA | CALL | SET | EXPLAIN ANALYZE | "
    b"DESCRIBE | current_setting('secret_directory') | union_value(a := 1) | current_query() | AS \"a\" | "
    b"AS \"\" | '\\x00'"
).split(b" | ")


# --- HTTP ------------------------------------------------------------------------------------------------------------


@contextmanager
def _api() -> Iterator[Feed]:
    with _recorded() as path, patch.object(web, "PATIENCE", 0.05):
        service = Service(
            Settings(
                db=path, token=TOKEN, new_streams=1 << 30, max_events=300, wrong_tokens=1 << 30, live_games=1 << 30
            )
        )
        people = (Player("Ann"), Player("Ben"))
        game, tokens = service.live.create(Wish(game="trash-pandas", players=people, window=0.0))
        app = Starlette(routes=[mounted(service)])
        names = {
            b"LIVE": game.id.encode(),
            b"SEAT0": (tokens.seats[0] or "").encode(),
            b"ORGANISER": tokens.organiser.encode(),
        }
        hidden = [(game.header.seed or "?").encode(), (game.facts.salt or "?").encode(), str(path).encode()]

        def feed(text: bytes) -> None:
            for name, value in names.items():
                text = text.replace(name, value)
            target, status, answer = asyncio.run(_answered(app, text))
            assert status < 500 or status == 503, answer[:500]
            if status >= 400 and target.startswith(b"/api/"):
                told = json.loads(answer)
                is_a_line(told["detail"])
            if not game.over:
                assert not any(secret in answer for secret in hidden if secret not in text)

        yield feed
        service.appender.__exit__(None, None, None)  # before its folder goes


async def _answered(app: Starlette, text: bytes) -> tuple[bytes, int, bytes]:
    """Give a request as it stands to the application, as a server would; a stream is hung up on after a while."""
    head, _, body = text.replace(b"\r\n", b"\n").partition(b"\n\n")
    first, *lines = head.split(b"\n")
    method, _, target = first.partition(b" ")
    raw, _, asked = target.partition(b"?")
    given = [line.split(b":", 1) for line in lines if b":" in line]
    scope: MutableMapping[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method.decode("latin-1").upper(),
        "scheme": "http",
        "path": unquote_to_bytes(raw).decode(errors="replace"),
        "raw_path": raw,
        "query_string": asked,
        "root_path": "",
        "headers": [(name.strip().lower(), value.strip()) for name, value in given],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    begun = asyncio.Event()
    parts = iter([*[body[at : at + PART] for at in range(0, len(body), PART)], b""])
    statuses, answer = list[int](), list[bytes]()

    async def receive() -> MutableMapping[str, Any]:
        if (part := next(parts, None)) is not None:
            return {"type": "http.request", "body": part, "more_body": part != b""}
        await begun.wait()
        await asyncio.sleep(0.02)
        return {"type": "http.disconnect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])
            begun.set()
        answer.append(message.get("body", b""))

    await app(scope, receive, send)
    return target, statuses[0], b"".join(answer)


def _requests() -> Sequence[bytes]:
    over, begun = goldens()[0].header.id.encode(), b"0192a000-0000-7000-8000-00000000000b"
    gets = [
        b"/api/health",
        b"/api/games",
        b"/api/openapi.json",
        b"/api/replays?game=trash-pandas&seats=2&finished=true&limit=5&offset=1&provenance=live",
        *[b"/api/replays/" + id for id in (over, begun, b"LIVE")],
        b"/api/replays/" + over + b"/events?viewer=omniscient&first=3&count=7",
        b"/api/replays/" + begun + b"/state?viewer=0&step=3",
        b"/api/replays/" + over + b"/diff?viewer=spectator&before=1&after=9",
        b"/api/replays/LIVE/moves?viewer=0",
        b"/api/replays/LIVE/events?viewer=1",
        b"/api/live/LIVE",
        b"/api/replays/" + over + b"/export?viewer=omniscient",
        b"/api/replays/" + over + b"/follow?viewer=spectator",
        b"/api/replays/LIVE/follow?viewer=0",
        b"/api/statistics/trash-pandas?by=player",
    ]
    seat, service = b"Authorization: Bearer SEAT0\n", b"Authorization: Bearer " + TOKEN.encode() + b"\n"
    json_ = b"Content-Type: application/json\n\n"
    lines = b"Content-Type: application/jsonl\n\n"
    wish = b'{"game":"trash-pandas","players":[{"name":"Ann"},{"name":"f","bot":"forager"}],"options":{},"window":0}'
    real = b'{"game":"picnic-palace","players":[{"name":"A"},{"name":"B"}],"nature":false,"closed":true}'
    posts = [
        b"POST /api/live\n" + service + json_ + wish,
        b"POST /api/live\n" + service + json_ + real,
        b"POST /api/live/LIVE/moves\n" + seat + json_ + b'{"expected":4,"move":{"type":"die_thrown","seat":0}}',
        b"POST /api/live/LIVE/moves\nAuthorization: Bearer ORGANISER\n"
        + json_
        + b'{"expected":4,"move":{"type":"taken_back","to":0}}',
        b"POST /api/live/LIVE/take-back\nAuthorization: Bearer ORGANISER\n" + json_ + b'{"expected":4,"to":1}',
        b"POST /api/live/LIVE/take-back\n" + seat + json_ + b'{"expected":4}',
        b"POST /api/import\n" + service + lines + files()[3],
        b"POST /api/replays\n" + service + json_ + files()[2].splitlines()[0],
        b"POST /api/replays/"
        + begun
        + b"/events\n"
        + service
        + json_
        + b'{"expected":30,"events":['
        + goldens()[1].events[30]
        + b"]}",
    ]
    return [*[b"GET " + get + b"\nAccept: */*\n" + seat + b"Last-Event-ID: 3\n\n" for get in gets], *posts, *posts]


_HTTP: Final = (
    b"POST | GET | PUT | OPTIONS | HEAD | DELETE | viewer | step | omniscient | spectator | LIVE | SEAT0 | "
    b"ORGANISER | a-token-of-the-service | Bearer | Basic | multipart/form-data | text/plain | /api | // | "
    b"/../ | %2f | %0a | ? | & | = | # | expected | move | events | seat | Content-Length: 9\n | "
    b'Transfer-Encoding: chunked\n | components | {"window":-1} | "window":1e308 | "window":NaN | '
    b'"nature":false'
).split(b" | ")


# --- the command line ------------------------------------------------------------------------------------------------


def _is_plain(text: str) -> None:
    """Hold what is printed to what a terminal may be given: nothing that steers it."""
    strange = [char for char in text if not char.isprintable() and char not in "\n\t"]
    assert not strange, f"{strange[0]!r} in {text[:300]!r}"


def _run(arguments: Sequence[str]) -> str:
    """Run a command in this process; give what it printed."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogateescape"), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run([*arguments])
    out.flush()
    assert isinstance(out.buffer, io.BytesIO)
    printed = out.buffer.getvalue().decode()
    assert code in (0, 1, 2, 3), (code, err.getvalue())
    _is_plain(printed)
    _is_plain(err.getvalue())
    failed = [line for line in err.getvalue().splitlines() if line.startswith("tabletape: ")]
    assert len(failed) <= 1, err.getvalue()
    assert code in (0, 1) or failed, err.getvalue()
    assert "Traceback" not in err.getvalue(), err.getvalue()
    return printed


ALLOWED: Final = (
    "games",
    "simulate",
    "replays",
    "show",
    "note",
    "notes",
    "stats",
    "verify",
    "export",
    "tag",
    "compare",
    "fork",
)
"""Commands that the harness runs: those that end by themselves, and soon."""


@contextmanager
def _cli() -> Iterator[Feed]:
    with _recorded() as path, patch.dict(os.environ, {"TABLETAPE_DB": str(path), "COLUMNS": "200"}):
        here = os.getcwd()
        os.chdir(path.parent)
        sound = path.parent / "sound"
        shutil.copy(path, sound)
        shutil.copy(f"{path}.acked", f"{sound}.acked")

        def feed(text: bytes) -> None:
            command, *arguments = text.decode(errors="surrogateescape").split("\n")
            if command not in ALLOWED or any("\0" in each for each in arguments):  # no command line has a NUL
                return
            if any(each.startswith(("-n", "--n", "-j", "--j", "--c", "--seg")) for each in arguments):
                return  # how many, how fast, where
            _run([command, *(["-n", "2"] if command == "simulate" else []), *arguments])

        try:
            yield feed
        finally:
            os.chdir(here)


def _commands() -> Sequence[bytes]:
    over, other, queen = [tape.header.id for tape in goldens()[:3]]
    lines = [
        ["games", "--json"],
        ["simulate", "trash-pandas", "--players", "forager,random", "--seed", "s", "-o", "extra=1", "--fixed-seats"],
        ["simulate", "queen-of-the-cupcakes", "--seats", "3", "--seed", "x/1", "--option", "teams=false"],
        ["replays", "--player", "Ann", "--bot", "random", "--seats", "2", "--since", "2026-01-01", "--turns", "1", "9"],
        ["replays", "--tag", "club", "--without-seed", "42", "--options", "{}", "--sheet", "ab", "--json"],
        ["show", over, "--as", "omniscient", "--at", "3"],
        ["show", queen, "--as", "0", "--json"],
        ["note", over, "here it turned", "--at", "3"],
        ["notes", over, "--as", "spectator"],
        ["stats", "trash-pandas", "--by", "seat", "--player", "Ann"],
        ["verify", over, other],
        ["verify", "games.jsonl"],
        ["export", over, "--as", "spectator"],
        ["tag", over, "club"],
        ["compare", over, other, "--as", "omniscient"],
        ["fork", over, "--at", "3", "--as", "omniscient"],
    ]
    return ["\n".join(line).encode() for line in lines]


@contextmanager
def _shown() -> Iterator[Feed]:
    """What a file brings in, as the commands print it afterwards."""
    with TemporaryDirectory() as folder:
        sound, used = Path(folder) / "sound", Path(folder) / "used"
        sound.mkdir()
        Store(sound / "games.duckdb")

        def feed(text: bytes) -> None:
            shutil.rmtree(used, ignore_errors=True)
            shutil.copytree(sound, used)
            file = used / "games.jsonl"
            file.write_bytes(text)
            db = ["--db", str(used / "games.duckdb")]
            _run(["import", str(file), "--no-measure", *db])
            _run(["replays", *db])
            for id in Store(used / "games.duckdb").replays(limit=2)["replay"].to_list():
                _run(["show", id, *db])
                _run(["notes", id, *db])
                _run(["verify", id, *db])

        yield feed


@contextmanager
def _debugger() -> Iterator[Feed]:
    with _recorded() as path:
        store = Store(path)
        timelines = [Timeline(tape) for tape in goldens()]

        def feed(text: bytes) -> None:
            timeline = timelines[len(text) % len(timelines)]
            out, err = io.StringIO(), io.StringIO()
            with redirect_stdout(out), redirect_stderr(err), ours():
                debugger = Debugger(store, timeline, ("spectator", "omniscient", 0)[len(text) % 3], 5)
                for line in text.decode(errors="surrogateescape").split("\n"):
                    if not line.strip().startswith("play"):
                        debugger.onecmd(line)
            _is_plain(out.getvalue())
            assert not err.getvalue()

        yield feed


def _debugging() -> Sequence[bytes]:
    id = goldens()[1].header.id
    return [
        b"next 3\nback\nmove\nturn 2\nround\ndecision\nb-turn\nseat 1\nkind turn_started\nsubject green",
        b"break turn > 3\ncontinue\nreverse-continue\nbreaks\ndelete 0\ncontinue",
        b"print\nstate\nprint scores\ntree\ndiff 1\nwhen turn\nwhy\nlist\nlist kind=turn_started seat=1 x",
        f"legal\nopen {id}\nbranches\ncompare {id}\nnote here\nnotes\ngoto 7\ngoto last".encode(),
        b"fork 0\nlegal\nchoose 0\nfork 1 random,random\nhelp\nhelp next\nwhat",
    ]


# --- pages -----------------------------------------------------------------------------------------------------------


@contextmanager
def _page() -> Iterator[Feed]:
    main = sys.modules["__main__"]  # AppTest puts its script there
    with _recorded() as path, patch.dict(os.environ, {"TABLETAPE_DB": str(path)}):
        app = AppTest.from_file(str(APP), default_timeout=600)

        def feed(text: bytes) -> None:
            page, _, asked = text.decode(errors="replace").partition("?")
            at = app.run() if page not in PAGES else app.switch_page(f"screens/{page}.py")
            at.query_params.clear()
            for name, value in parse_qsl(asked, keep_blank_values=True, errors="replace"):
                at.query_params[name] = value
            at.run()
            assert not at.exception, at.exception[0]
            assert "\n" not in plain(asked)

        try:
            yield feed
        finally:
            sys.modules["__main__"] = main


PAGES: Final = ("replay", "play", "record", "compare", "statistics", "experiments", "sql", "boxes", "health", "library")


def _addresses() -> Sequence[bytes]:
    over, other = (tape.header.id for tape in goldens()[:2])
    asked = [
        "library?game=trash-pandas&seats=2&finished=yes&player=Ann&since=2026-01-01&turns=1-9&noseed=42&tag=club&page=2",
        f"replay?replay={over}&step=3&viewer=0&tab=chances&watch=turn%20%3E%203&event=turn_started",
        f"replay?replay={other}&viewer=omniscient&tab=branches&step=1",
        f"compare?one={over}&other={other}&viewer=spectator&step=2",
        "statistics?game=queen-of-the-cupcakes&question=seats&by=bot&seats=3&metric=bins&cell=%7B%7D",
        "experiments?experiment=nine&figure=turns",
        "sql?query=SELECT%201&chart=bar",
        "boxes?game=picnic-palace",
        f"play?game=trash-pandas&live={over}&seats=2",
        f"record?game=picnic-palace&replay={other}",
    ]
    return [address.encode() for address in asked]


HARNESSES = (
    Harness("sql", _sql, _sql_seeds, _SQL),
    Harness("api", _api, _requests, _HTTP, 40),
    Harness(
        "cli", _cli, _commands, (b"--json", b"--as", b"--at", b"--player", b"\n", b"\n--", b"omniscient", b"9"), 10
    ),
    Harness("shown", _shown, files, (b"seq", b"game", b"recorded", b"sheet", b'"\\u202e"', b'"\\u001b[31m"')),
    Harness("debugger", _debugger, _debugging, (*[name.encode() for name in COMMANDS], b"\n", b"\n", b"99", b"-3"), 20),
    Harness("page", _page, _addresses, (b"&", b"=", b"replay", b"viewer", b"step", b"%0a", b"%1b", b"+")),
)
