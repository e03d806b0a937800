"""The whole service as one ASGI application: the Streamlit app, and `/api` beside it. `tabletape serve` runs it.

It is told by the environment: `TABLETAPE_DB` is the database, `TABLETAPE_HOST` the address it listens on, and
`TABLETAPE_ALLOWED_HOSTS` further names (comma-separated) under which browsers may ask for it. A request under any other
name is refused, so that no foreign web page can have its own name point here and read along.
`replay.api.settings` has what the interface is told.
"""

from __future__ import annotations

import hashlib
import os
import re
import socket
import time
from base64 import b64encode
from importlib import resources
from pathlib import Path
from typing import Final

import structlog
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config
from streamlit.starlette import App

from dashboard.playing import service
from replay.api.web import mounted

log = structlog.get_logger("tabletape.server")

ANY_ADDRESS: Final = ("0.0.0.0", "::", "")
QUIET: Final = ("/static/", "/_stcore/")
"""Where answers that went well are logged for debugging only: a page load asks for dozens of files."""


CLOSED: Final = ("/_stcore/metrics",)
"""What Streamlit tells of itself: how much its sessions hold, and so what those of others are shown."""

NOTHING: Final = PlainTextResponse("there is nothing here", 404)


def allowed_hosts(host: str, more: str = "") -> list[str]:
    """Give the names under which the service may be asked for, when it listens on `host`.

    Loopback names always; the address itself; and where it listens on every address, this machine's name and addresses.
    """
    names = ["localhost", "127.0.0.1", *filter(None, map(str.strip, more.split(",")))]
    if host in ANY_ADDRESS:
        machine = socket.gethostname()
        names += [machine, f"{machine}.local", *_addresses(machine)]
    else:
        names.append(host)
    return list(dict.fromkeys(names))


def _addresses(machine: str) -> list[str]:
    try:
        return [str(entry[4][0]) for entry in socket.getaddrinfo(machine, None, socket.AF_INET)]
    except OSError:
        return []


def _content_policy() -> str:
    """Everything from here, nothing from elsewhere; of scripts within a page only the one of Streamlit's own page."""
    page = resources.files("streamlit").joinpath("static/index.html").read_text("utf-8")
    own = [f"'sha256-{_sha256(text)}'" for text in re.findall(r"<script>(.*?)</script>", page, re.DOTALL)]
    return "; ".join(
        [
            "default-src 'self'",
            " ".join(["script-src 'self' blob: 'unsafe-eval'", *own]),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "worker-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ]
    )


def _sha256(text: str) -> str:
    return b64encode(hashlib.sha256(text.encode()).digest()).decode()


class Guard:
    """Adds the headers that keep browsers from doing harm, and logs one event a request."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.headers = {
            "content-security-policy": _content_policy(),
            "x-content-type-options": "nosniff",
            "x-frame-options": "DENY",
            "referrer-policy": "same-origin",
            "permissions-policy": "camera=(), microphone=(), geolocation=()",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        started = time.perf_counter()
        status = 500
        told: dict[str, str] = scope.setdefault("tabletape", {})  # the interface says here what a request was about

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
            elif message["type"] == "websocket.accept":
                status = 101
            elif message["type"] == "websocket.close" and status != 101:
                status = 403
            await send(message)

        try:
            await (NOTHING if scope["path"] in CLOSED else self.app)(scope, receive, answer)
        finally:
            path = scope.get("raw_path", b"").decode("ascii", "replace")
            quiet = path.startswith(QUIET) and status < 400
            (log.debug if quiet else log.info)(
                "request",
                method=scope.get("method", "WEBSOCKET"),
                path=path,
                status=status,
                ms=round(1000 * (time.perf_counter() - started), 1),
                **told,
            )


def _log_error(error: Exception) -> None:
    log.error("page failed", error=repr(error)[:500])  # Streamlit prints where


HOSTS: Final = allowed_hosts(
    os.environ.get("TABLETAPE_HOST", "127.0.0.1"), os.environ.get("TABLETAPE_ALLOWED_HOSTS", "")
)

app = App(
    Path(__file__).with_name("app.py"),
    routes=[mounted(service())],
    middleware=[Middleware(Guard), Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS, www_redirect=False)],
    on_script_error=_log_error,
)
config.set_option("server.allowedHosts", HOSTS)
