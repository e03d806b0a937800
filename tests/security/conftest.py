"""The service as people start it, in a process of its own: no browser is needed to look at its doors."""

from __future__ import annotations

import http.client
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import Struct

from tests.replay.serving import ROOT, TOKEN, free_port

PATIENCE = 120
"""Seconds that a start may take on a busy machine."""


class Answer(Struct, frozen=True):
    """What a server answered; the names of headers are in small letters."""

    status: int
    headers: dict[str, str]
    body: bytes


class Served(Struct, frozen=True):
    """A running `tabletape serve`."""

    port: int
    db: Path
    log: Path

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """Ask for a path exactly as it stands, with headers of one's own (`_` for `-`)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.putrequest(method, path, skip_host="Host" in headers)
            for name, value in headers.items():
                connection.putheader(name.replace("_", "-"), value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def logged(self, about: str) -> str:
        """Give the log once it has come to something: a request is logged behind its answer."""
        until = time.monotonic() + PATIENCE
        while about not in (text := self.log.read_text()):
            assert time.monotonic() < until, f"nothing of {about} in the log"
            time.sleep(0.05)
        return text


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Give a service with a token, on a database that it makes itself."""
    folder = tmp_path_factory.mktemp("served")
    made = Served(free_port(), folder / "games.duckdb", folder / "log.txt")
    environment = {**os.environ, "TABLETAPE_TOKEN": TOKEN, "TABLETAPE_LOG": "debug"}
    command = [sys.executable, "-c", "from replay.cli import main; main()", "serve", "--port", str(made.port)]
    with made.log.open("wb") as out:
        process = subprocess.Popen([*command, "--db", str(made.db)], cwd=ROOT, env=environment, stdout=out, stderr=out)
    try:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                if made.ask("GET", "/api/health").status == 200:
                    break
            except OSError:
                pass
            assert process.poll() is None, made.log.read_text()
            assert time.monotonic() < until, "the service did not start"
            time.sleep(0.1)
        yield made
    finally:
        process.kill()
        process.wait()
