"""Who may see a field, declared once beside the field.

A field of an event or of a state is public unless it carries one of these marks:

    hands: Annotated[tuple[Hand, ...], OWN_SEAT]              # position s is for seat s alone
    cards: Annotated[tuple[Kind, ...], private_to("seat")]    # for the seat that stands in the field `seat`
    pile: Annotated[tuple[Kind, ...], HIDDEN]                 # for nobody at the table

`core.redact` reads the marks; no game hides anything by hand. Secrets come in three sizes: a marked field, a position
of a marked tuple, or a whole event (`Event.seen_by`).

Two further marks say how a field is shown: `COMPONENTS` is the box a game is played with (the same at every step, so
views name it instead of repeating it), `labelled` gives names to the positions of a tuple.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Viewer: TypeAlias = int | Literal["spectator", "omniscient"]
"""A seat (its own secrets and what is public), a spectator (what is public), or somebody who may see everything."""

MASK = "?"
"""What stands for a face that the viewer may not see. Counts stay: a hidden hand of five is five of these."""


class Mark(msgspec.Struct, frozen=True):
    """How a field is kept from, or shown to, viewers."""

    kind: Literal["hidden", "own_seat", "private", "components", "labelled"]
    names: tuple[str, ...] = ()


def _meta(mark: Mark) -> msgspec.Meta:
    return msgspec.Meta(extra={"mark": mark})


HIDDEN = _meta(Mark("hidden"))
OWN_SEAT = _meta(Mark("own_seat"))
COMPONENTS = _meta(Mark("components"))


def private_to(*seat_fields: str) -> msgspec.Meta:
    """Mark a field as seen only by the seats that the named sibling fields hold."""
    return _meta(Mark("private", seat_fields))


def labelled(*path: str) -> msgspec.Meta:
    """Mark a tuple whose positions are named by the tuple found along `path`, e.g. `labelled("sheet", "kinds")`."""
    return _meta(Mark("labelled", path))
