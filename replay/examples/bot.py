"""A bot in a process of its own, which plays a seat of a live game through the HTTP interface.

    TABLETAPE_SEAT_TOKEN=... python -m replay.examples.bot 127.0.0.1:8501 GAME_ID SEAT

The token comes by the environment: arguments can be read by every user of a machine. This bot plays at random; a better
one looks at the table (`/replays/{id}/state?viewer=SEAT`) before it chooses.
"""

from __future__ import annotations

import os
import random
import sys
from typing import Any

from replay.api.client import Client, ServiceError, play


def main(arguments: list[str]) -> int:
    """Play; give the exit code."""
    if len(arguments) != 3 or not arguments[2].isdecimal() or "TABLETAPE_SEAT_TOKEN" not in os.environ:
        print("usage: TABLETAPE_SEAT_TOKEN=... python -m replay.examples.bot HOST:PORT GAME_ID SEAT", file=sys.stderr)
        return 2
    address, id, seat = arguments
    chance = random.Random()

    def choose(moves: list[Any]) -> int:
        return chance.randrange(len(moves))

    try:
        made = play(Client(address, os.environ["TABLETAPE_SEAT_TOKEN"]), id, int(seat), choose)
    except ServiceError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"the game is over; {made} moves made")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
