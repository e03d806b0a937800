"""What a service may be told by its environment. The defaults are safe on an open port."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from events.errors import SetupError
from replay.live.game import MOST_EVENTS

PREFIX: Final = "TABLETAPE_"

Limit = Annotated[int, Meta(ge=0, le=1 << 31)]


class Settings(Struct, frozen=True, kw_only=True):
    """One field a variable: `max_body` is `TABLETAPE_MAX_BODY`.

    Without a `token` nothing can be changed through the interface. `uploads` allows `POST /api/import` and recorded
    streams. `max_body` and `max_headers` are bytes, `max_events` events a stream, `new_streams` new streams a minute
    and client, `wrong_tokens` tokens that are none a minute and client, `live_games` games at play and `followers`
    streams that are followed at once.
    """

    db: Path = Path("tabletape.duckdb")
    token: Annotated[str, Meta(min_length=16)] | None = None
    uploads: bool = True
    max_body: Limit = 4_000_000
    max_headers: Limit = 16_000
    max_events: Limit = MOST_EVENTS
    new_streams: Limit = 60
    wrong_tokens: Limit = 30
    live_games: Limit = 1000
    followers: Limit = 200


def settings_from(environment: Mapping[str, str]) -> Settings:
    """Give the settings of an environment; raises `SetupError` for a value that cannot be one, without quoting it."""
    found: dict[str, Any] = {}
    for name in Settings.__struct_fields__:
        value = environment.get(f"{PREFIX}{name.upper()}")
        if value:
            found[name] = Path(value) if name == "db" else value
    for name, value in found.items():
        try:
            msgspec.convert({name: value}, Settings, strict=False)
        except msgspec.ValidationError:
            raise SetupError(f"{PREFIX}{name.upper()} is not what it should be; see docs/service.md") from None
    return msgspec.convert(found, Settings, strict=False)
