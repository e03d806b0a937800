"""The interface on loopback, for tests: in a thread, or in a process that can be killed."""

from __future__ import annotations

import http.client
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette

from replay.api.service import Service
from replay.api.settings import Settings
from replay.api.web import mounted
from tests.programs import Program

ROOT = Path(__file__).parents[2]
TOKEN = "a-token-of-the-service"

PROGRAM = """
import os, uvicorn
from starlette.applications import Starlette
from replay.api.service import Service
from replay.api.settings import settings_from
from replay.api.web import mounted
app = Starlette(routes=[mounted(Service(settings_from(os.environ)))])
uvicorn.run(app, port={port}, log_level="error")
"""


@contextmanager
def serving(settings: Settings) -> Iterator[str]:
    """Serve in a thread of this process; gives the address."""
    app = Starlette(routes=[mounted(Service(settings))])
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", timeout_graceful_shutdown=1))
    listening = socket.create_server(("127.0.0.1", 0))
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # asyncio sees to its own sockets only
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)


def process(db: Path, port: int) -> Program:
    """Serve in a process of its own, and wait until it answers."""
    environment = {**os.environ, "TABLETAPE_DB": str(db), "TABLETAPE_TOKEN": TOKEN, "TABLETAPE_LOG": "error"}
    started = Program(PROGRAM.format(port=port), environment=environment)
    until = time.monotonic() + 120
    while time.monotonic() < until:
        try:
            if request(f"127.0.0.1:{port}", "GET", "/health")[0] == 200:
                return started
        except OSError:
            time.sleep(0.1)
    started.kill()
    raise TimeoutError("the service did not start")


def free_port() -> int:
    """Give a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


def request(
    address: str,
    method: str,
    path: str,
    body: Any = None,
    token: str | None = None,
    headers: dict[str, str] | None = None,
) -> tuple[int, bytes]:
    """Ask for `/api` + path; gives the status and the bytes of the answer. A body that is no bytes goes as JSON."""
    connection = http.client.HTTPConnection(address, timeout=20)
    sent = dict(headers or {})
    if body is not None:
        sent.setdefault("Content-Type", "application/json")
    if token is not None:
        sent["Authorization"] = f"Bearer {token}"
    try:
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method, f"/api{path}", data, sent)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()
