"""The settled questions of a game's rules, by the ids that events and code cite."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal

import msgspec
from msgspec import Struct

from events.errors import FormatError
from replay.packaged import data_root


class Ruling(Struct, frozen=True, forbid_unknown_fields=True):
    """One settled question: what was asked, what holds, and whether the rulebook says so, it follows, or it is ours."""

    question: str
    ruling: str
    basis: Literal["text", "reasoned", "choice"]


@cache
def rulings(slug: str) -> Mapping[str, Ruling]:
    """Give a game's rulings by id, the general ones among them; a game that ships none has the general ones."""
    return {**_read("general"), **_read(slug)}


def _read(name: str) -> dict[str, Ruling]:
    file = data_root() / "rulings" / f"{name}.toml"
    try:
        return msgspec.toml.decode(file.read_bytes(), type=dict[str, Ruling])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError, ValueError) as error:
        raise FormatError(f"unreadable rulings {name}: {error}") from None
