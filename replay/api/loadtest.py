"""How many live games at once: `python -m replay.loadtest [GAMES SECONDS]`, on loopback, against a service of its own.

Each game has one seat that is played over HTTP and one bot of the service. Prints moves a second, what a move takes
(median and 99th percentile), and whether every acknowledged move is stored and every stream verifies.
"""

from __future__ import annotations

import os
import secrets
import socket
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec
import uvicorn
from starlette.applications import Starlette

from replay import logs
from replay.api.client import Client, ServiceError
from replay.api.service import Service
from replay.api.settings import Settings
from replay.api.web import mounted
from replay.storage.store import Store
from replay.timeline import Timeline
from replay.verify import verify

GAME: Final = "trash-pandas"


class _Seat(threading.Thread):
    """One client: asks for its moves, makes the first that is not the same as before, and notes how long that took."""

    def __init__(self, address: str, token: str) -> None:
        super().__init__(daemon=True)
        created = Client(address, token).ask(
            "POST", "/live", {"game": GAME, "players": [{"name": "Ann"}, {"name": "bot", "bot": "random"}]}
        )
        self.id: str = created["live"]["id"]
        self.made: list[tuple[int, Any]] = []
        self.took: list[float] = []
        self._client = Client(address, created["tokens"]["seats"][0])
        self.until = 0.0

    def run(self) -> None:
        """Play until the time is over."""
        while time.monotonic() < self.until:
            try:
                told = self._client.ask("GET", f"/replays/{self.id}/moves", query={"viewer": "0"})
                if not told["moves"]:
                    return  # the game is over
                move = told["moves"][len(self.made) % len(told["moves"])]["move"]
                began = time.perf_counter()
                self._client.ask("POST", f"/live/{self.id}/moves", {"expected": told["step"] + 1, "move": move})
            except ServiceError as error:
                if error.status != 409:
                    raise
            else:
                self.took.append(time.perf_counter() - began)
                self.made.append((told["step"] + 1, move))


def main(arguments: list[str]) -> int:
    """Run; gives the exit code, 1 if anything was lost."""
    games, seconds = (int(given) for given in (arguments or ["100", "20"]))
    logs.configure(json=False, level="error")
    with TemporaryDirectory() as folder:
        db = Path(folder) / "games.duckdb"
        token = secrets.token_urlsafe(32)
        settings = Settings(db=db, token=token, new_streams=1 << 20)
        app = Starlette(routes=[mounted(Service(settings))])
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        listening = socket.create_server(("127.0.0.1", 0), backlog=1024)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # asyncio sees to its own sockets only
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        seats = [_Seat(address, token) for _ in range(games)]
        began = time.monotonic()
        for seat in seats:
            seat.until = began + seconds
            seat.start()
        for seat in seats:
            seat.join()
        wall = time.monotonic() - began
        server.should_exit = True
        thread.join()
        lost = _lost(Store(db), seats)
    took = sorted([each for seat in seats for each in seat.took])
    figures = {
        "games": games,
        "seconds": round(wall, 1),
        "cpus": os.cpu_count(),
        "moves": len(took),
        "moves_a_second": round(len(took) / wall, 1),
        "p50_ms": round(1000 * took[len(took) // 2], 1),
        "p99_ms": round(1000 * took[len(took) * 99 // 100], 1),
        "lost_or_not_exact": lost,
    }
    print(msgspec.json.encode(figures).decode())
    return 1 if lost else 0


def _lost(store: Store, seats: list[_Seat]) -> int:
    """Count acknowledged moves that are not where they belong, and streams that do not verify exact."""
    lost = 0
    for seat in seats:
        tape = store.read(seat.id)
        timeline = Timeline(tape)
        lost += bool(verify(tape).failures)
        for expected, move in seat.made:
            lost += msgspec.json.decode(tape.events[timeline.at(expected, 0)]) != move
    return lost


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
