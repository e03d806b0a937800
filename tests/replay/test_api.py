"""The HTTP interface: what it answers, to whom, that nothing breaks it, and that nothing hidden leaves it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from core.conformance import random_game
from dashboard import recordings
from events.errors import SetupError
from events.jsonl import write
from events.tape import Tape
from replay.api.client import Client, ServiceError, play
from replay.api.settings import Settings, settings_from
from replay.cli import run
from replay.errors import UnknownReplay
from replay.games import load
from replay.storage.store import Filter, Store
from replay.timeline import Timeline
from replay.verify import verify
from tests.replay.serving import ROOT, TOKEN, free_port, process, request, serving

PANDAS = "trash-pandas"
PEOPLE = [{"name": "Ann"}, {"name": "<b>Ben</b>"}, {"name": "Cat"}]


@pytest.fixture
def address(path: Path) -> Iterator[str]:
    with serving(Settings(db=path, token=TOKEN)) as found:
        yield found


@pytest.fixture
def service(address: str) -> Client:
    return Client(address, TOKEN, timeout=20)


def live(service: Client, players: list[dict[str, str]], **more: Any) -> tuple[str, list[Any], dict[str, Any]]:
    """Set up a live game; gives its id, the tokens of its seats and everything."""
    created = service.ask("POST", "/live", {"game": PANDAS, "players": players, **more})
    return created["live"]["id"], created["tokens"]["seats"], created


def words(status_and_body: tuple[int, bytes]) -> tuple[int, str]:
    status, body = status_and_body
    return status, json.loads(body)["error"]


# --- live games ------------------------------------------------------------------------------------------------------


def test_two_clients_and_a_bot_in_its_own_process_play_a_game_that_a_third_follows(
    address: str, service: Client, path: Path
) -> None:
    id, tokens, created = live(service, PEOPLE, window=0)
    environment = {**os.environ, "TABLETAPE_SEAT_TOKEN": tokens[2]}
    command = [sys.executable, "-m", "replay.examples.bot", address, id, "2"]
    bot = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    followed: list[Any] = []
    threads = [
        threading.Thread(target=lambda: followed.extend(Client(address).follow(id, "spectator")), daemon=True),
        *[
            threading.Thread(target=play, args=(Client(address, tokens[seat]), id, seat, lambda moves: -1), daemon=True)
            for seat in (0, 1)
        ],
    ]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join(90)
        assert not [thread for thread in threads if thread.is_alive()]
        assert "the game is over" in bot.communicate(timeout=30)[0]
    finally:
        bot.kill()
    tape = Store(path).read(id)
    assert (verify(tape).failures, verify(tape).finished, verify(tape).grades[-1]) == ((), True, "exact")
    public = service.ask("GET", f"/replays/{id}/events", query={"viewer": "spectator"})
    assert [data["number"] for _, data in followed] == list(range(public["count"]))
    assert [data for _, data in followed][:1000] == public["steps"]
    told = service.ask("GET", f"/live/{id}")
    assert (told["over"], told["seed"]) == (True, tape.header.seed)
    assert told["commitment"] == created["live"]["commitment"]


def test_a_server_that_is_killed_has_kept_every_move_that_it_acknowledged(path: Path) -> None:
    port = free_port()
    server = process(path, port)
    address = f"127.0.0.1:{port}"
    id, tokens, _ = live(Client(address, TOKEN), PEOPLE[:2], game="queen-of-the-cupcakes")
    acknowledged: list[tuple[int, Any]] = []

    class Noting(Client):
        def ask(self, method: str, path: str, body: Any = None, query: Any = None) -> Any:
            answer = super().ask(method, path, body, query)
            if method == "POST":
                acknowledged.append((body["expected"], body["move"]))
            return answer

    players = [
        threading.Thread(target=play, args=(Noting(address, tokens[seat]), id, seat, lambda moves: -1), daemon=True)
        for seat in (0, 1)
    ]
    try:
        for player in players:
            player.start()
        while len(acknowledged) < 6:
            time.sleep(0.01)
        server.kill()
        server = process(path, port)
        for player in players:
            player.join(90)
        assert not [player for player in players if player.is_alive()]
    finally:
        server.kill()
    tape = Store(path).read(id)
    assert (verify(tape).failures, verify(tape).finished) == ((), True)
    timeline = Timeline(tape)
    for expected, move in acknowledged:
        assert json.loads(tape.events[timeline.at(expected, move["seat"])]) == move


def test_who_may_see_what_of_a_game_at_play(address: str, service: Client) -> None:
    id, tokens, created = live(service, PEOPLE, closed=True)
    organiser, spectator = created["tokens"]["organiser"], created["tokens"]["spectator"]
    wanted = [
        (None, "spectator", 401),
        (spectator, "spectator", 200),
        (tokens[0], "spectator", 200),
        (tokens[0], "0", 200),
        (tokens[0], "1", 403),
        (organiser, "omniscient", 403),
        (organiser, "0", 403),
        (tokens[0], "omniscient", 403),
        (TOKEN, "omniscient", 403),
        ("x", "0", 403),
        (tokens[0], "7", 422),
    ]
    for name in ("events", "state", "moves", "export", "follow", "diff"):
        for token, viewer, status in wanted:
            if (name, status) == ("follow", 200):
                continue
            more = "&before=0&after=1" if name == "diff" else ""
            assert request(address, "GET", f"/replays/{id}/{name}?viewer={viewer}{more}", token=token)[0] == status
    secret = [*tokens, organiser, spectator]
    listed = request(address, "GET", "/replays")[1] + request(address, "GET", f"/live/{id}")[1]
    assert not [token for token in secret if token.encode() in listed]
    assert json.loads(request(address, "GET", f"/replays/{id}")[1])["length"] is None


def test_the_seed_of_a_game_at_play_leaves_by_no_door(address: str, service: Client, path: Path, capfd: Any) -> None:
    id, tokens, created = live(service, PEOPLE)
    seed = Store(path).read(id).header.seed
    salt = msgspec.json.decode(Store(path).live_facts(id) or "{}")["salt"]
    assert seed
    answers: list[Any] = [created]
    for viewer, token in (("spectator", None), ("0", tokens[0])):
        for name in ("events", "state", "moves"):
            answers.append(Client(address, token).ask("GET", f"/replays/{id}/{name}", query={"viewer": viewer}))
        answers.append(request(address, "GET", f"/replays/{id}/export?viewer={viewer}", token=token)[1].decode())
    answers += [service.ask("GET", there) for there in ("/replays", f"/replays/{id}", f"/live/{id}")]
    out, err = capfd.readouterr()
    for text in (json.dumps(answers), out, err):
        assert seed not in text
        assert salt not in text


def test_the_dashboard_opens_a_game_when_it_is_over(
    service: Client, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id, _, _ = live(service, PEOPLE)
    over, _, _ = live(service, [{"name": "one", "bot": "random"}, {"name": "two", "bot": "random"}])
    monkeypatch.setenv("TABLETAPE_DB", str(path))
    library = recordings.library()
    for look in (library.tape, library.timeline):
        with pytest.raises(UnknownReplay, match="is being played"):
            look(id)
    assert library.tape(over).header.id == over
    with pytest.raises(SetupError, match="no SQL"):
        recordings.nothing_at_play()


def test_the_organiser_breaks_a_game_off_and_then_it_is_open(
    address: str, service: Client, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id, tokens, created = live(service, PEOPLE)
    followed: list[Any] = []
    follower = threading.Thread(target=lambda: followed.extend(Client(address, tokens[0]).follow(id, "0")), daemon=True)
    follower.start()
    assert words(request(address, "POST", f"/live/{id}/break-off", {}, tokens[0])) == (403, "forbidden")
    organiser = created["tokens"]["organiser"]
    monkeypatch.setenv("TABLETAPE_ORGANISER_TOKEN", organiser)
    assert run(["live", "break-off", id, "--service", address]) == 0
    assert words(request(address, "POST", f"/live/{id}/break-off", {}, organiser)) == (422, "unlawful")
    follower.join(20)
    assert not follower.is_alive()
    told = service.ask("GET", f"/live/{id}")
    assert (told["over"], told["broken_off"], told["seed"]) == (True, True, Store(path).read(id).header.seed)
    assert service.ask("GET", f"/replays/{id}/state", query={"viewer": "omniscient"})["state"]["hands[1]"] != ["?"] * 4
    monkeypatch.setenv("TABLETAPE_DB", str(path))
    assert recordings.library().tape(id).header.id == id
    recordings.nothing_at_play()


def test_no_filter_counts_the_events_of_a_game_at_play(
    service: Client, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live(service, PEOPLE)
    monkeypatch.setenv("TABLETAPE_DB", str(path))
    library = recordings.library()
    assert library.count(Filter()) == 1
    for wanted in (Filter(least_events=1), Filter(most_events=999), Filter(least_events=1, finished=False)):
        assert (library.count(wanted), library.replays(wanted).height) == (0, 0)
        assert library.table(Store.game_table, wanted).height == 0


def test_what_a_seat_has_never_known_changes_none_of_its_answers(path: Path) -> None:
    """The swap test over HTTP: two games that differ in what seat 0 has never seen answer it byte for byte alike."""
    started = random_game_events()
    pile = list(started[1]["cards"])
    dealt = 3 + 4 + 5
    last = next(at for at in range(len(pile) - 1, dealt, -1) if pile[at] != pile[5])
    swapped = [*pile]
    swapped[5], swapped[last] = pile[last], pile[5]  # a card of seat 1's hand against one deep in the pile
    answers: list[list[tuple[int, bytes]]] = []
    for cards in (pile, swapped):
        db = path.with_name(f"{len(answers)}.duckdb")
        with serving(Settings(db=db, token=TOKEN)) as address:
            service = Client(address, TOKEN, timeout=20)
            created = service.ask("POST", "/live", {"game": PANDAS, "players": PEOPLE, "nature": False})
            id, organiser = created["live"]["id"], Client(address, created["tokens"]["organiser"])
            organiser.ask(
                "POST", f"/live/{id}/moves", {"expected": 1, "move": {"type": "deck_shuffled", "cards": cards}}
            )
            count = organiser.ask("GET", f"/replays/{id}/events", query={"viewer": "omniscient"})["count"]
            organiser.ask("POST", f"/live/{id}/moves", {"expected": count, "move": {"type": "die_thrown", "seat": 0}})
            told = []
            for viewer, token in (("0", created["tokens"]["organiser"]), ("spectator", None)):
                for name in ("events", "state", "moves", "export"):
                    told.append(request(address, "GET", f"/replays/{id}/{name}?viewer={viewer}", token=token))
                told.append(
                    request(address, "GET", f"/replays/{id}/diff?viewer={viewer}&before=0&after=3", token=token)
                )
                told.append(request(address, "GET", f"/replays/{id}/state?viewer={viewer}&step=999", token=token))
            answers.append([(status, body.replace(id.encode(), b"ID")) for status, body in told])
    assert [status for status, _ in answers[0]] == [200, 200, 200, 200, 200, 422] * 2
    assert answers[0] == answers[1]


def random_game_events() -> list[Any]:
    return [msgspec.to_builtins(event) for event in random_game(load(PANDAS), 3, "swap")]


def test_a_seat_takes_back_over_http(address: str, service: Client) -> None:
    id, tokens, _ = live(service, PEOPLE, window=0)
    seat = Client(address, tokens[0])
    count = seat.ask("GET", f"/replays/{id}/events", query={"viewer": "0"})["count"]
    count = seat.ask("POST", f"/live/{id}/moves", {"expected": count, "move": {"type": "die_thrown", "seat": 0}})[
        "length"
    ]
    refused = request(address, "POST", f"/live/{id}/take-back", {"expected": count}, tokens[0])
    assert words(refused) == (422, "unlawful")


def test_following_goes_on_behind_the_last_step_that_came(address: str, service: Client) -> None:
    id, tokens, _ = live(service, PEOPLE)
    stream = Client(address, tokens[0]).follow(id, "0", last=0)
    kind, first = next(stream)
    assert (kind, first["number"]) == ("step", 1)
    assert words(request(address, "GET", f"/replays/{id}/follow?viewer=spectator", headers={"Last-Event-ID": "x"})) == (
        400,
        "bad_request",
    )


# --- recorded games --------------------------------------------------------------------------------------------------


def test_a_recorded_stream_comes_in_step_by_step(address: str, service: Client, tapes: list[Tape]) -> None:
    tape = tapes[1]
    header = msgspec.structs.replace(tape.header, length=None, digest=None, provenance="imported")
    id = header.id
    assert service.ask("POST", "/replays", msgspec.to_builtins(header)) == {"length": 0}
    events = [json.loads(event) for event in tape.events]
    assert service.ask("POST", f"/replays/{id}/events", {"expected": 0, "events": events[:9]}) == {"length": 9}
    assert service.ask("POST", f"/replays/{id}/events", {"expected": 0, "events": events[:9]}) == {"length": 9}
    status, body = request(address, "POST", f"/replays/{id}/events", {"expected": 5, "events": events[:1]}, TOKEN)
    assert (status, json.loads(body)["expected"], json.loads(body)["actual"]) == (409, 5, 9)
    unlawful = request(address, "POST", f"/replays/{id}/events", {"expected": 9, "events": events[1:2]}, TOKEN)
    assert words(unlawful) == (422, "unlawful")
    body = msgspec.json.encode({"expected": 9, "events": [msgspec.Raw(raw) for raw in tape.events[9:]]})
    assert request(address, "POST", f"/replays/{id}/events", body, TOKEN)[0] == 200
    followed = list(Client(address).follow(id, "omniscient"))
    assert len(followed) == len(events)
    assert service.ask("GET", f"/replays/{id}")["finished"]


def test_files_go_out_and_come_in_again(address: str, service: Client, store: Store, tapes: list[Tape]) -> None:
    store.add(tapes)
    id = tapes[0].header.id
    status, lines = request(address, "GET", f"/replays/{id}/export?viewer=omniscient")
    assert (status, lines) == (200, b"".join(write(tapes[0])))
    store.remove(id)
    status, body = request(
        address, "POST", "/import", lines + b"no game\n", TOKEN, {"Content-Type": "application/jsonl"}
    )
    told = json.loads(body)
    assert (status, told["new"], len(told["problems"])) == (200, 1, 1)
    assert store.read(id) == tapes[0]
    figures = service.ask("GET", "/statistics/queen-of-the-cupcakes", query={"by": "seat"})
    assert sum(row["n"] for row in figures["win_rates"] if row["seats"] == 2) == 6
    listed = service.ask("GET", "/replays", query={"limit": 2, "game": "queen-of-the-cupcakes"})
    assert (len(listed["replays"]), listed["count"]) == (2, len(tapes))


# --- doors and limits ------------------------------------------------------------------------------------------------


def test_changes_need_the_token_of_the_service_and_a_content_type(address: str, path: Path) -> None:
    wish = {"game": PANDAS, "players": PEOPLE}
    assert words(request(address, "POST", "/live", wish)) == (401, "unauthorized")
    assert words(request(address, "POST", "/live", wish, "wrong")) == (403, "forbidden")
    form = {"Content-Type": "text/plain"}
    assert words(request(address, "POST", "/live", wish, TOKEN, form)) == (415, "wrong_type")
    with serving(Settings(db=path)) as closed:
        assert words(request(closed, "POST", "/live", wish, TOKEN)) == (403, "forbidden")
    with serving(Settings(db=path, token=TOKEN, uploads=False)) as closed:
        file = {"Content-Type": "application/jsonl"}
        assert words(request(closed, "POST", "/import", b"", TOKEN, file)) == (403, "forbidden")


def test_limits_are_answered_in_one_line(path: Path) -> None:
    small = Settings(db=path, token=TOKEN, max_body=2000, max_headers=900, max_events=60, new_streams=2, followers=0)
    wish = {"game": PANDAS, "players": PEOPLE}
    with serving(small) as address:
        assert words(request(address, "POST", "/live", b"x" * 2001, TOKEN)) == (413, "too_large")
        assert words(request(address, "GET", "/games", headers={"X-Long": "x" * 1000})) == (431, "too_large")
        status, body = request(address, "POST", "/live", wish, TOKEN)
        assert status == 201
        id = json.loads(body)["live"]["id"]
        assert words(request(address, "GET", f"/replays/{id}/follow?viewer=spectator")) == (503, "busy")
        assert request(address, "POST", "/live", wish, TOKEN)[0] == 201
        assert words(request(address, "POST", "/live", wish, TOKEN)) == (429, "too_many")


def test_settings_come_from_the_environment_and_no_secret_is_quoted() -> None:
    assert settings_from({"TABLETAPE_MAX_BODY": "7", "TABLETAPE_UPLOADS": "false"}) == Settings(
        max_body=7, uploads=False
    )
    with pytest.raises(Exception, match="TABLETAPE_TOKEN is not what it should be") as told:
        settings_from({"TABLETAPE_TOKEN": "short"})
    assert "short" not in str(told.value)


# --- the document, and what nobody meant -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, list[str], dict[str, Any]]]:
    db = tmp_path_factory.mktemp("fuzz") / "games.duckdb"
    limits = Settings(db=db, token=TOKEN, new_streams=1 << 20, wrong_tokens=1 << 20, live_games=1 << 20, max_events=400)
    with serving(limits) as address:
        service = Client(address, TOKEN)
        id, tokens, _ = live(service, PEOPLE, window=0)
        yield address, id, tokens, service.ask("GET", "/openapi.json")


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def filled(document: dict[str, Any], schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Give values that nearly fit a schema: its fields, some of them there, some of another type."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    known = {"players": PEOPLE, "game": PANDAS, "move": {"type": "die_thrown", "seat": 0}, "tabletape": 1}
    fields = {
        name: st.just(known[name]) | VALUES if name in known else st.integers(-2, 99) | VALUES
        for name in schema.get("properties", {})
    }
    return st.fixed_dictionaries({}, optional=fields) | VALUES


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_no_request_breaks_the_service_and_answers_are_as_the_document_says(
    fuzzed: tuple[str, str, list[str], dict[str, Any]], data: st.DataObject
) -> None:
    address, id, tokens, document = fuzzed
    path, methods = data.draw(st.sampled_from([item for item in document["paths"].items() if "follow" not in item[0]]))
    method, operation = data.draw(st.sampled_from(list(methods.items())))
    target = path.removeprefix("/api")
    for name in ("id", "game"):
        value = data.draw(st.sampled_from([id, PANDAS, "0192a000-0000-7000-8000-000000000000"]) | TEXT)
        target = target.replace(f"{{{name}}}", quoted(value))
    viewers = st.sampled_from(["0", "1", "spectator", "omniscient"])
    query = "&".join(
        f"{parameter['name']}={quoted(data.draw(viewers | st.integers(-1, 60).map(str) | TEXT))}"
        for parameter in operation["parameters"]
        if parameter["in"] == "query" and data.draw(st.booleans())
    )
    body: Any = None
    media = list(operation.get("requestBody", {}).get("content", {}).items())
    headers = {}
    if media:
        kind, content = media[0]
        headers["Content-Type"] = kind
        made = st.binary(max_size=40)
        if kind == "application/json":
            made = made | filled(document, content["schema"]).map(lambda value: json.dumps(value).encode())
        body = data.draw(made)
    token = data.draw(st.sampled_from([None, TOKEN, *tokens]))
    status, answer = request(address, method.upper(), f"{target}?{query}", body, token, headers)
    assert status < 500
    assert b"Traceback" not in answer
    if str(status) in operation["responses"]:
        content = operation["responses"][str(status)]["content"]
        if "application/json" in content:
            schema = {**content["application/json"]["schema"], "components": document["components"]}
            assert not list(Draft202012Validator(schema).iter_errors(json.loads(answer)))
    else:
        assert status == 404
        assert set(json.loads(answer)) == {"error", "detail"}


def quoted(text: str) -> str:
    return quote(text, safe="")


def test_what_is_no_route_is_one_line_of_json(address: str) -> None:
    assert words(request(address, "GET", "/nothing")) == (404, "not_found")
    assert words(request(address, "DELETE", "/games")) == (405, "no_such_method")
    assert words(request(address, "GET", "/replays/a%0Ab/events?viewer=0")) == (404, "not_found")


def test_every_operation_is_in_the_document_with_its_parameters(address: str) -> None:
    document = json.loads(request(address, "GET", "/openapi.json")[1])
    assert document["openapi"].startswith("3.1")
    Draft202012Validator.check_schema({"$defs": document["components"]["schemas"]})
    names = [operation["operationId"] for methods in document["paths"].values() for operation in methods.values()]
    assert len(names) == len(set(names)) > 15
    shown = document["paths"]["/api/replays/{id}/events"]["get"]
    assert [(each["name"], each["required"]) for each in shown["parameters"]] == [
        ("id", True),
        ("viewer", True),
        ("first", False),
        ("count", False),
    ]


def test_a_client_is_told_why(service: Client) -> None:
    with pytest.raises(ServiceError, match="404 not_found"):
        service.ask("GET", "/replays/0192a000-0000-7000-8000-000000000000/events", query={"viewer": "spectator"})
    with pytest.raises(ServiceError, match=r"^no answer from"):
        Client(f"127.0.0.1:{free_port()}").ask("POST", "/live", {})
