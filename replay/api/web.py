"""The interface as routes of Starlette: bytes in, an operation, bytes out. Whatever goes wrong is one line of JSON."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final, Literal

import msgspec
import structlog
from anyio.to_thread import run_sync
from msgspec import Struct
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Mount, Route

from events.errors import FormatError, SetupError, TabletapeError, UnlawfulEvent, line_of
from replay.api import follow, shapes
from replay.api.openapi import FOLLOW, LAST_STEP, document
from replay.api.operations import Asked, Operation, operations, this_version
from replay.api.service import Refused, Service, WrongToken
from replay.errors import Conflict, StoreBusy, StoreError, UnknownReplay
from replay.live.game import Held

log = structlog.get_logger("tabletape.api")

JSON: Final = "application/json"

PATIENCE: Final = 60.0
"""Seconds that a move is held at most while somebody may answer in secret."""

_BROKEN: Final = (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError)
"""What reading a body may raise, whatever its bytes are."""

Endpoint = Callable[[Request], Awaitable[Response]]


def api(service: Service) -> Starlette:
    """Give the application that is mounted at `/api`."""
    table = list(operations())
    written = msgspec.json.encode(document(table, this_version()))

    async def openapi(request: Request) -> Response:
        return Response(written, media_type=JSON)

    routes = [
        Route(op.path, _answering(service, _endpoint(service, op)), methods=[op.method], name=op.name) for op in table
    ]
    routes.append(Route(FOLLOW, _answering(service, _following(service)), methods=["GET"]))
    routes.append(Route("/openapi.json", openapi, methods=["GET"]))
    app = Starlette(routes=routes, exception_handlers={HTTPException: _not_routed})
    app.router.redirect_slashes = False
    return app


def mounted(service: Service) -> Mount:
    """Give the interface at `/api`, whatever follows: the path of a mount ends at a newline, unless told otherwise."""
    mount = Mount("/api", api(service))
    mount.path_regex = re.compile(mount.path_regex.pattern, re.DOTALL)
    return mount


def _answering(service: Service, endpoint: Endpoint) -> Endpoint:
    """Turn what an endpoint raises into an answer, and say in the log what became of the request."""

    async def answer(request: Request) -> Response:
        try:
            response = await endpoint(request)
        except (TabletapeError, ClientDisconnect) as error:
            status, told = refusal(_counted(service, request, error))
            response = _json(told, status)
            request.scope.setdefault("tabletape", {})["error"] = told.error
        except Exception:
            log.exception("request_failed", path=request.url.path)
            response = _json(shapes.Error("internal", "this should not have happened; the log says more"), 500)
        response.headers["cache-control"] = "no-store"
        return response

    return answer


def _counted(service: Service, request: Request, error: Exception) -> Exception:
    """Count a wrong token; give what a client is told, which after too many is another thing."""
    if isinstance(error, WrongToken):
        try:
            service.check_tries(_client(request))
        except Refused as refused:
            return refused
        service.count_wrong(_client(request))
    return error


def refusal(error: Exception) -> tuple[int, shapes.Error]:
    """Give the status and the body that an error is answered with."""
    text = line_of(error)
    match error:
        case Refused():
            return error.status, shapes.Error(error.error, text)
        case Conflict():
            return 409, shapes.Error("conflict", text, error.expected, error.actual)
        case UnknownReplay():
            return 404, shapes.Error("not_found", "there is no such replay")
        case UnlawfulEvent():
            return 422, shapes.Error("unlawful", text)
        case FormatError() | SetupError():
            return 422, shapes.Error("invalid", text)
        case StoreBusy():
            return 503, shapes.Error("busy", "the database is busy; ask again")
        case StoreError():
            return 503, shapes.Error("unavailable", "the database cannot be used now")
    return 400, shapes.Error("bad_request", "the request ended too early")


async def _not_routed(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    word = {404: "not_found", 405: "no_such_method"}.get(error.status_code, "bad_request")
    answer = _json(shapes.Error(word, "there is nothing here; see /api/openapi.json"), error.status_code)
    answer.headers.update(error.headers or {})  # of a method that is not there: `Allow`
    return answer


def _endpoint(service: Service, op: Operation) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        token = _token(service, request)
        if op.auth == "service":
            service.check_tries(_client(request))  # even of the right one: who starts a service may choose a short one
            await run_sync(service.check_token, token)
        if op.auth == "seat" and token is None:
            raise Refused(401, "unauthorized", "this needs a token of the game")
        asked = Asked(
            token=token,
            path=request.path_params,
            query=_query(request, op.query),
            body=await _body(service, request, op.body),
            client=_client(request),
        )
        request.scope.setdefault("tabletape", {}).update(operation=op.name, **_ids(request))
        if op.begins:
            service.count_stream(asked.client)
        answer = await _patiently(service, op, asked)
        if isinstance(answer, bytes):
            return Response(answer, media_type=op.answer)
        return _json(answer, 503 if isinstance(answer, shapes.Health) and not answer.ok else op.status)

    return endpoint


async def _patiently(service: Service, op: Operation, asked: Asked) -> Any:
    """Do an operation; a move that is held is made as soon as it may be, or refused as one that came too late."""
    try:
        return await run_sync(op.handler, service, asked)
    except Held:
        pass
    clock = asyncio.get_running_loop().time
    until = clock() + PATIENCE
    with follow.changes(service, asked.id) as (changed, _):  # before the next look, so that no change is missed
        while (left := until - clock()) > 0:
            changed.clear()
            try:
                return await run_sync(op.handler, service, asked)
            except Held as held:
                await follow.waited(changed, left if held.seconds is None else min(left, held.seconds + 0.01))
    raise Refused(503, "busy", "the table waits; make this move again")


def _following(service: Service) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        token = _token(service, request)
        query = _query(request, shapes.Seen)
        last = request.headers.get("last-event-id", "-1")
        if not (last.removeprefix("-").isdecimal() and last.isascii() and -1 <= int(last[:11]) <= LAST_STEP):
            raise Refused(400, "bad_request", "Last-Event-ID is the number of the last step that was received")
        id = request.path_params["id"]
        await run_sync(service.look, id, token, query.viewer)
        request.scope.setdefault("tabletape", {}).update(operation="follow", **_ids(request))
        place = service.following()
        place.__enter__()

        async def body() -> AsyncIterator[bytes]:
            try:
                async for message in follow.messages(service, id, token, query.viewer, int(last) + 1):
                    yield message
            finally:
                place.__exit__(None, None, None)

        return StreamingResponse(body(), media_type="text/event-stream", headers={"x-accel-buffering": "no"})

    return endpoint


def _token(service: Service, request: Request) -> str | None:
    """Give the token of a request, which stands in its `Authorization` header and nowhere else."""
    size = sum(len(name) + len(value) for name, value in request.headers.raw)
    if size > service.settings.max_headers:
        raise Refused(431, "too_large", f"headers may have {service.settings.max_headers} bytes")
    text = request.headers.get("authorization")
    if text is None:
        return None
    scheme, _, token = text.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Refused(401, "unauthorized", "the Authorization header is: Bearer TOKEN")
    return token.strip()


def _client(request: Request) -> str:
    return request.client.host if request.client else ""


def _query(request: Request, kind: type[Struct]) -> Any:
    try:
        return msgspec.convert(dict(request.query_params), kind, strict=False)
    except _BROKEN as error:
        raise Refused(400, "bad_request", f"query: {_line(error)}") from None


async def _body(service: Service, request: Request, kind: Any) -> Any:
    if kind is None:
        return None
    wanted: str | Literal["application/json"] = kind if isinstance(kind, str) else JSON
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != wanted:
        raise Refused(415, "wrong_type", f"the Content-Type of this is {wanted}")
    most = service.settings.max_body
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise Refused(413, "too_large", f"a body may have {most} bytes")
        parts.append(part)
    raw = b"".join(parts)
    if isinstance(kind, str):
        return raw
    try:
        return msgspec.json.decode(raw, type=kind)
    except _BROKEN as error:
        raise Refused(400, "bad_request", f"body: {_line(error)}") from None


def _ids(request: Request) -> dict[str, str]:
    id = request.path_params.get("id")
    return {} if id is None else {"replay": id[:40]}


def _line(error: Exception) -> str:
    return line_of(error) or type(error).__name__


def _json(value: object, status: int) -> Response:
    return Response(msgspec.json.encode(value), status, media_type=JSON)
