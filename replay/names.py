"""Names of players, given anew wherever they stand: in headers, never in events, so digests stay as they are."""

from __future__ import annotations

from secrets import token_hex

from events.errors import FormatError
from events.tape import NAME_LIMIT
from replay.storage.database import Lease


def anonymous() -> str:
    """Give a name that says nothing, and that nobody else has: games of one person can still be counted together."""
    return f"anonymous-{token_hex(5)}"


def check(name: str) -> None:
    """Raise `FormatError` for what cannot be a player's name."""
    if not name or len(name) > NAME_LIMIT or not name.isprintable():
        raise FormatError(f"a name has 1 to {NAME_LIMIT} characters, none of them a control character")


def rename(lease: Lease, player: str, name: str) -> int:
    """Give a player another name in headers, results and notes; give in how many replays there was one."""
    changed = lease.rows(
        """
        UPDATE replay
        SET players = list_transform(players, lambda each: CASE WHEN each = $player THEN $name ELSE each END)
        WHERE list_contains(players, $player) RETURNING id
        """,
        player=player,
        name=name,
    )
    lease.run("UPDATE seat_result SET player = $name WHERE player = $player", player=player, name=name)
    lease.run("UPDATE note SET author = $name WHERE author = $player", player=player, name=name)
    return len(changed)
