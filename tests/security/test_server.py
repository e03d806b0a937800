"""The doors of the service as people start it."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from tests.programs import Program
from tests.replay.serving import TOKEN
from tests.security.conftest import Served

EVIL = "http://evil.example"
SECRET = "typed-where-it-does-not-belong"


@pytest.mark.parametrize(
    "path",
    [
        "/static/../../../../../../etc/passwd",
        "/static/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/static/..%2f..%2f..%2f..%2f..%2fetc/passwd",
        "/static/..%5c..%5c..%5cetc%5cpasswd",
        "//etc/passwd",
        "/media/../../../../etc/passwd",
        "/component/x/../../../../etc/passwd",
        "/_stcore/bidi-components/x/../../../../../etc/passwd",
        "/app/static/../app.py",
        "/api/replays/..%2f..%2f..%2fetc%2fpasswd",
        "/api/live/%00",
        "/api/statistics/..%2f..%2fpyproject",
    ],
)
def test_no_path_leads_to_a_file_of_the_machine(served: Served, path: str) -> None:
    answer = served.ask("GET", path)
    assert b"root:" not in answer.body
    assert b"st.set_page_config" not in answer.body
    assert answer.status in (200, 400, 404)
    assert answer.status != 200 or b"<title>Streamlit</title>" in answer.body, "only the page itself, for any address"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "", "[::1"])
def test_under_a_name_that_is_not_ours_nothing_is_answered(served: Served, host: str) -> None:
    for path in ("/", "/api/replays", "/_stcore/health", "/static/index.html"):
        assert served.ask("GET", path, Host=host).status == 400
    assert served.ask("GET", "/api/replays", Host=f"localhost:{served.port}").status == 200


def test_a_page_elsewhere_is_given_no_leave(served: Served) -> None:
    asked = served.ask(
        "OPTIONS", "/api/live", Origin=EVIL, Access_Control_Request_Method="POST", Access_Control_Request_Headers="x"
    )
    assert asked.status == 405
    for answer in (asked, served.ask("GET", "/api/replays", Origin=EVIL), served.ask("GET", "/", Origin=EVIL)):
        assert not [name for name in answer.headers if name.startswith("access-control-allow")]
    wish = b'{"game":"trash-pandas","players":[{"name":"Ann"},{"name":"Ben"}]}'
    as_a_form_sends_it = served.ask("POST", "/api/live", wish, Origin=EVIL, Content_Type="text/plain")
    assert as_a_form_sends_it.status == 401
    with_what_no_form_has = served.ask(
        "POST", "/api/live", wish, Content_Type="text/plain", Authorization=f"Bearer {TOKEN}"
    )
    assert with_what_no_form_has.status == 415
    assert served.ask("PUT", "/_stcore/upload_file/a/b", b"x", Origin=EVIL).status in (400, 403)


def test_no_page_may_be_framed_or_load_what_is_not_ours(served: Served) -> None:
    for path in ("/", "/play", "/api/health", "/api/nothing", "/static/nothing", "/_stcore/health"):
        headers = served.ask("GET", path).headers
        policy = dict(part.strip().partition(" ")[::2] for part in headers["content-security-policy"].split(";"))
        assert (
            policy["frame-ancestors"] == policy["object-src"] == policy["base-uri"] == policy["form-action"] == "'none'"
        )
        assert policy["default-src"] == "'self'"
        assert "'unsafe-inline'" not in policy["script-src"]
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"


def test_what_streamlit_tells_and_does_for_programs_is_closed(served: Served) -> None:
    for path in ("/_stcore/metrics", "/_stcore/metrics?families=cache_memory_bytes", "/_stcore//metrics"):
        answer = served.ask("GET", path)
        assert b"memory" not in answer.body
        assert b"sessions" not in answer.body
    assert served.ask("POST", "/_stcore/agent/interact", b"{}", Content_Type="application/json").status in (403, 404)
    assert served.ask("POST", "/_stcore/agent/mcp", b"{}", Content_Type="application/json").status in (400, 403, 404)


def test_a_token_is_in_no_log_answer_or_cookie(served: Served) -> None:
    for token in (SECRET, TOKEN):
        for path in ("/api/replays", "/api/live", f"/api/replays?token={SECRET}", f"/play?token={SECRET}"):
            answer = served.ask("GET", path, Authorization=f"Bearer {token}")
            assert token.encode() not in answer.body
            assert not [value for value in answer.headers.values() if token in value]
            assert "set-cookie" not in answer.headers
    assert served.ask("POST", "/api/import", b"", Authorization=f"Bearer {SECRET}").status == 403
    logged = served.logged("/api/import")
    assert SECRET not in logged
    assert TOKEN not in logged


def test_what_is_refused_tells_nothing_of_the_machine(served: Served) -> None:
    refused = [
        served.ask("GET", "/api/replays?limit=0"),
        served.ask("GET", "/api/replays?limit=1001"),
        served.ask("GET", "/api/replays/x/state?viewer=0"),
        served.ask("POST", "/api/live", b"{", Content_Type="application/json", Authorization=f"Bearer {TOKEN}"),
    ]
    assert [answer.status for answer in refused] == [400, 400, 404, 400]
    for answer in refused:
        assert set(json.loads(answer.body)) == {"error", "detail"}
        assert str(served.db.parent).encode() not in answer.body
        assert b"Traceback" not in answer.body


def test_the_database_and_what_lies_beside_it_are_its_owners_alone(served: Served) -> None:
    wish = b'{"game":"trash-pandas","players":[{"name":"Ann"},{"name":"Ben"}]}'
    made = served.ask("POST", "/api/live", wish, Content_Type="application/json", Authorization=f"Bearer {TOKEN}")
    assert made.status == 201
    files = [file for file in served.db.parent.iterdir() if file.name.startswith(served.db.name)]
    assert served.db in files
    assert len(files) > 2
    assert [file.name for file in files if stat.S_IMODE(file.stat().st_mode) & 0o077] == []


def test_a_file_that_is_exported_is_made_as_its_maker_says(tmp_path: Path) -> None:
    tabletape = "import os; os.umask(0o022); from replay.cli import main; main()"
    db = tmp_path / "games.duckdb"
    for command in ("simulate queen-of-the-cupcakes -n 1", f"export --all -o {tmp_path / 'games.jsonl'}"):
        running = Program(tabletape, *command.split(), "--db", str(db))
        running.ends()
        assert running.process.exitcode == 0
    assert stat.S_IMODE(db.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "games.jsonl").stat().st_mode) == 0o644
