"""The OpenAPI document holds: schemathesis makes requests of it, and answers are what it says (no network here)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette

from events.tape import Player
from replay.api.operations import operations
from replay.api.service import Service
from replay.api.settings import Settings
from replay.api.web import mounted
from replay.live.game import Wish

TOKEN = "a-token-of-the-service"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, str, list[str | None]]]:
    """The document as schemathesis reads it from a service, a live game there, and tokens."""
    import schemathesis  # every worker would wait for it if it stood above

    @schemathesis.serializer("application/jsonl")
    def lines(context: schemathesis.SerializationContext, value: Any) -> bytes:
        """Give the body of an import as it is."""
        return value if isinstance(value, bytes) else str(value).encode(errors="replace")

    db = tmp_path_factory.mktemp("openapi") / "games.duckdb"
    service = Service(
        Settings(db=db, token=TOKEN, new_streams=1 << 20, wrong_tokens=1 << 20, live_games=1 << 20, max_events=400)
    )
    game, tokens = service.live.create(Wish(game="trash-pandas", players=(Player("Ann"), Player("Ben")), window=0))
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", Starlette(routes=[mounted(service)]))
    yield schema, game.id, [None, TOKEN, tokens.organiser, *tokens.seats]
    service.appender.__exit__(None, None, None)


@pytest.mark.parametrize("name", [operation.name for operation in operations()])
def test_answers_are_what_the_document_says(served: tuple[Any, str, list[str | None]], name: str) -> None:
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    schema, id, tokens = served

    @settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(case=schema.find_operation_by_id(name).as_strategy(), token=st.sampled_from(tokens), known=st.booleans())
    def holds(case: Any, token: str | None, known: bool) -> None:
        if known and "id" in (case.path_parameters or {}):
            case.path_parameters["id"] = id
        case.call_and_validate(
            headers={} if token is None else {"Authorization": f"Bearer {token}"},
            excluded_checks=[positive_data_acceptance],  # what the rules refuse is of the right form
        )

    holds()
