"""A client of the HTTP interface, in a few functions, with nothing but the standard library.

    service = Client("127.0.0.1:8501", token=TOKEN_OF_THE_SERVICE)
    created = service.ask("POST", "/live", {"game": "trash-pandas", "players": [{"name": "Ann"}, {"name": "Ben"}]})
    seat = Client("127.0.0.1:8501", token=created["tokens"]["seats"][0])
    play(seat, created["live"]["id"], 0, choose)

Tokens go into headers, never into addresses. A request that was cut off is made again: it changes nothing twice.
"""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlencode

from events.errors import TabletapeError

TRIES: Final = 60
"""How often a request is made before the service counts as gone, half a second apart."""

PAUSE: Final = 0.5


class ServiceError(TabletapeError):
    """The service did not do what it was asked: the HTTP status (0: no answer), its word for why, and its line."""

    def __init__(self, status: int, error: str, detail: str) -> None:
        super().__init__(f"{status} {error}: {detail}" if status else detail)
        self.status = status
        self.error = error


class Client:
    """A connection to a service at `address` (host:port), for one thread."""

    def __init__(self, address: str, token: str | None = None, timeout: float = 90.0) -> None:
        self._address = address
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._timeout = timeout
        self._connection = http.client.HTTPConnection(address, timeout=timeout)

    def ask(self, method: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None) -> Any:
        """Ask for `/api` + path and give the answer; raises `ServiceError`.

        Asks again while the service is not there or busy, since everything may be asked twice but what begins a game.
        """
        target = f"/api{path}{'?' + urlencode(query) if query else ''}"
        headers = dict(self._headers)
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        for tried in range(TRIES):
            try:
                self._connection.request(method, target, data, headers)
                response = self._connection.getresponse()
                status, raw = response.status, response.read()
            except (OSError, http.client.HTTPException) as error:
                self._connection.close()
                if tried + 1 == TRIES or path == "/live":
                    raise ServiceError(0, "gone", f"no answer from {self._address}: {error}") from None
                time.sleep(PAUSE)
                continue
            if status == 503 and tried + 1 < TRIES and path != "/live":
                time.sleep(PAUSE)
                continue
            return _answer(status, raw)
        raise AssertionError("the last try gives an answer or raises")

    def follow(self, id: str, viewer: str, last: int = -1) -> Iterator[tuple[str, Any]]:
        """Follow a game from behind step `last` on until it is over: pairs of `step` or `moves` and what is told.

        A stream that breaks off is taken up again where it was. Raises `ServiceError`.
        """
        failed = 0
        while True:
            connection = http.client.HTTPConnection(self._address, timeout=self._timeout)
            try:
                headers = {**self._headers, "Last-Event-ID": str(last)}
                connection.request("GET", f"/api/replays/{id}/follow?{urlencode({'viewer': viewer})}", headers=headers)
                response = connection.getresponse()
                if response.status != 200:
                    _answer(response.status, response.read())
                for kind, data in _messages(response):
                    failed = 0
                    if kind == "over":
                        return
                    if kind == "step":
                        last = data["number"]
                    if kind != "gone":
                        yield kind, data
            except ServiceError as error:
                failed += 1
                if error.status != 503 or failed == TRIES:
                    raise
            except (OSError, http.client.HTTPException) as error:
                failed += 1
                if failed == TRIES:
                    raise ServiceError(0, "gone", f"no answer from {self._address}: {error}") from None
            finally:
                connection.close()
            time.sleep(PAUSE)


def play(client: Client, id: str, seat: int, choose: Callable[[list[Any]], int]) -> int:
    """Play a seat until the game is over: `choose(moves)` gives the place of one of them. Gives how many were made."""
    made = 0
    for kind, data in client.follow(id, str(seat)):
        if kind != "moves" or not data["moves"]:
            continue
        move = data["moves"][choose(data["moves"])]["move"]
        try:
            client.ask("POST", f"/live/{id}/moves", {"expected": data["step"] + 1, "move": move})
            made += 1
        except ServiceError as error:
            if error.status not in (409, 422):  # the game has gone on: what it came to is on its way
                raise
    return made


def _answer(status: int, raw: bytes) -> Any:
    try:
        answer = json.loads(raw)
    except ValueError:
        answer = {"error": "not_json", "detail": "the answer is no JSON"}
    if status >= 400:
        raise ServiceError(status, str(answer.get("error")), str(answer.get("detail")))
    return answer


def _messages(response: http.client.HTTPResponse) -> Iterator[tuple[str, Any]]:
    """Take a stream of server-sent events apart; those without data are signs of life."""
    kind = ""
    while line := response.readline():
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name == "event":
            kind = value
        elif name == "data":
            yield kind, json.loads(value)
