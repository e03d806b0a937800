"""The OpenAPI 3.1 document, made of the table of operations and of the types that they take and give."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from replay.api import shapes
from replay.api.operations import Operation
from replay.api.shapes import Error

REFUSALS: Final = {
    "400": "not understood",
    "401": "a token is needed",
    "403": "not with this token",
    "404": "there is no such thing",
    "409": "the stream has another length: both numbers are told",
    "413": "too much at once",
    "415": "not of this type",
    "422": "not allowed by the rules, or of a form that is none",
    "429": "too many new streams or wrong tokens; ask again in a minute",
    "431": "the headers are too large",
    "503": "the database, or the service, is busy; ask again",
}

FOLLOW: Final = "/replays/{id}/follow"

LAST_STEP: Final = (1 << 31) - 1
"""The greatest number that a step may have."""

TEMPLATE: Final = "#/components/schemas/{name}"


def document(operations: Iterable[Operation], version: str) -> dict[str, Any]:
    """Give the document."""
    every = list(operations)
    types = [kind for op in every for kind in (op.body, op.answer) if isinstance(kind, type)]
    schemas, components = msgspec.json.schema_components([*types, Error], ref_template=TEMPLATE)
    of = dict(zip([*types, Error], schemas, strict=True))
    paths: dict[str, Any] = {}
    for op in every:
        paths.setdefault(f"/api{op.path}", {})[op.method.lower()] = _operation(op, of)
    paths[f"/api{FOLLOW}"] = {"get": _following(of)}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Tabletape", "version": version, "description": "Recorded and live games."},
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
    }


def _operation(op: Operation, of: dict[Any, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {
        "operationId": op.name,
        "summary": op.does,
        "parameters": [*_in_path(op.path), *_in_query(op.query)],
        "responses": {str(op.status): _content("done", op.answer, of), **_refusals(of)},
    }
    if op.body is not None:
        told["requestBody"] = {"required": True, **_content("", op.body, of)}
        del told["requestBody"]["description"]
    if op.auth != "none":
        told["security"] = [{"bearer": []}] if op.auth in ("seat", "service") else [{"bearer": []}, {}]
    return told


def _following(of: dict[Any, Any]) -> dict[str, Any]:
    resume = {
        "name": "Last-Event-ID",
        "in": "header",
        "schema": {"type": "integer", "minimum": -1, "maximum": LAST_STEP},
    }
    return {
        "operationId": "follow",
        "summary": "Follow a game as server-sent events: a step each, and the moves that the viewer has.",
        "parameters": [*_in_path(FOLLOW), *_in_query(shapes.Seen), resume],
        "responses": {"200": _content("steps, until the game is over", "text/event-stream", of), **_refusals(of)},
        "security": [{"bearer": []}, {}],
    }


def _refusals(of: dict[Any, Any]) -> dict[str, Any]:
    return {code: _content(why, Error, of) for code, why in REFUSALS.items()}


def _content(description: str, kind: Any, of: dict[Any, Any]) -> dict[str, Any]:
    media = (
        {kind: {"schema": {"type": "string"}}} if isinstance(kind, str) else {"application/json": {"schema": of[kind]}}
    )
    return {"description": description, "content": media}


def _in_path(path: str) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"{(\w+)}", path)
    ]


def _in_query(query: type[msgspec.Struct]) -> list[dict[str, Any]]:
    _, components = msgspec.json.schema_components([query], ref_template=TEMPLATE)
    fields = components[query.__name__]
    return [
        {"name": name, "in": "query", "required": name in fields.get("required", []), "schema": field}
        for name, field in fields["properties"].items()
    ]
