"""How often each client did something within the last minute."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from typing import Final

CLIENTS: Final = 10_000
"""Clients that are counted at once; beyond it, those who came first are forgotten."""

MINUTE: Final = 60.0


class Rate:
    """A limit on what one client does in a minute. May be used by several threads."""

    def __init__(self, most: int) -> None:
        """Allow so much a minute."""
        self.most = most
        self._done: OrderedDict[str, deque[float]] = OrderedDict()
        self._lock = threading.Lock()

    def is_full(self, client: str) -> bool:
        """Say whether a client has done as much as it may."""
        with self._lock:
            done = self._done.get(client, deque())
            while done and done[0] < time.monotonic() - MINUTE:
                done.popleft()
            return len(done) >= self.most

    def count(self, client: str) -> None:
        """Count that a client did it."""
        with self._lock:
            done = self._done.setdefault(client, deque(maxlen=max(self.most, 1)))
            done.append(time.monotonic())
            while len(self._done) > CLIENTS:
                self._done.popitem(last=False)
