"""The whole service in a real browser: `tabletape serve` on a small database, from the library to the exact step."""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from core.games.queen_of_the_cupcakes.state import Table
from events.queen_of_the_cupcakes import HandsDealt
from events.tape import Tape
from replay.storage.store import Filter, Store
from replay.timeline import Timeline
from tests.browser.pages import (
    COMMAND,
    HOSTILE,
    QUEEN,
    Tab,
    answered,
    choose,
    click_cell,
    picture,
    press,
    settled,
)
from tests.toy import HiddenStones, toy

Open = Callable[[str], Page]


@pytest.fixture
def open_page(tab: Tab, service: str) -> Iterator[Open]:
    """Gives a function that opens a page; nothing may be asked of anybody else."""

    def start(path: str) -> Page:
        page = tab.open(f"{service}{path}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        return settled(page)

    yield start
    assert [url for url in tab.asked if not url.startswith((service, "blob:", "data:"))] == []


def test_the_first_page_of_a_fresh_service_may_be_any(open_page: Open) -> None:
    page = open_page("/boxes")  # of all tests the first, so that nobody has opened the library before
    expect(page.get_by_role("heading", level=1)).to_have_text("Boxes")
    expect(page.get_by_role("navigation").get_by_role("link")).to_have_text(
        ["Library", "Replay", "Play", "Record", "Compare", "Statistics", "Experiments", "SQL", "Boxes", "Health"]
    )


def step_of(page: Page) -> int:
    return int(page.locator(".number").input_value())


def open_replay(open_page: Open, id: str, query: str = "") -> Page:
    page = open_page(f"/replay?replay={id}{query}")
    expect(page.locator(".picture g[data-group] > *").first).to_be_visible()
    return page


def expect_query(page: Page, **wanted: str) -> None:
    def holds(url: str) -> bool:
        query = parse_qs(urlsplit(url).query)
        return all(query.get(name) == [value] for name, value in wanted.items())

    page.wait_for_url(holds)


def hand_of(tape: Tape, seat: int) -> str:
    """A seat's dealt hand as it would be written in an event."""
    dealt = next(event for event in Timeline(tape).events if isinstance(event, HandsDealt))
    return json.dumps(list(dealt.hands[seat]), separators=(",", ":"))


def test_from_the_library_to_a_step_and_back_by_its_address(open_page: Open, store: Store) -> None:
    page = open_page(f"/?game={QUEEN}&seats=5")
    expect(page.get_by_text(f"2 of {store.count()} games")).to_be_visible()
    grid = page.locator("canvas").first
    expect(grid.locator("[data-testid=glide-cell-1-0]")).to_have_text("Queen of the Cupcakes")
    click_cell(page, grid, 300, 1)
    expect(page.locator(".picture g[data-group] > *").first).to_be_visible()
    ids = store.replays(Filter(seats=5))["replay"].to_list()
    expect_query(page, replay=ids[1])

    before = picture(page)
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("]")
    stopped = step_of(page)
    assert stopped > 6
    assert picture(page) != before
    expect_query(page, replay=ids[1], step=str(stopped))
    address, words, shown = page.url, page.locator(".now .words").inner_text(), picture(page)

    page.goto("about:blank")
    page.goto(address)
    expect(page.locator(".number")).to_have_value(str(stopped))
    assert page.locator(".now .words").inner_text() == words
    assert picture(page) == shown


def test_the_table_is_open_to_the_keyboard_and_lets_it_pass(open_page: Open) -> None:
    page = open_page("/?seats=5")
    grid = page.locator("canvas").first
    expect(grid.locator("[data-testid=glide-cell-1-0]")).to_be_attached()
    grid.focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("heading", level=1)).to_have_text("Library")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", level=1)).to_have_text("Queen of the Cupcakes")


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_no_hidden_card_ever_reaches_the_browser(open_page: Open, tab: Tab, store: Store, seats: int) -> None:
    tape = store.read(store.replays(Filter(seats=seats, finished=True))["replay"][0])
    timeline = Timeline(tape)
    state = timeline.states[6]
    assert isinstance(state, Table)
    page = open_replay(open_page, tape.header.id, "&viewer=0&step=6")
    hands = page.evaluate(
        """() => [...document.querySelectorAll("*")].map(e => e.shadowRoot).filter(Boolean).flatMap(
             root => [...root.querySelectorAll("g[data-group^=hand-]")].map(
               g => ["rect.back", "rect[fill]"].reduce(
                 (row, look) => [...row, g.querySelectorAll(look).length], [g.dataset.group])))"""
    )
    held = {f"hand-{seat}": len(hand) for seat, hand in enumerate(state.hands)}
    assert {name: (back, open_) for name, back, open_ in hands} == {
        name: (0, count) if name == "hand-0" else (count, 0) for name, count in held.items()
    }
    heard = len(tab.frames)
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    answered(tab, heard)
    assert hidden_in(tab.frames, timeline, viewer=0) == []
    source = page.content() + picture(page)
    assert not [seat for seat in range(1, seats) if hand_of(tape, seat) in source]

    tab.frames.clear()
    choose(page, "Seen by", "Everything")
    expect_query(page, viewer="omniscient")
    expect(page.locator(".picture g[data-group=hand-1] rect[fill]").first).to_be_visible()
    assert hidden_in(tab.frames, timeline, viewer=0) != [], "the search finds them where they are sent"


def hidden_in(frames: list[bytes], timeline: Timeline, viewer: int) -> list[str]:
    """Search all that was sent for the payloads of the viewer, and these for any value that it may not see."""
    found: list[str] = []
    payloads = 0
    for frame in frames:
        for start in [match.start() for match in re.finditer(rb'\{"rev":"[0-9a-f]+","width"', frame)]:
            payloads += 1
            sent, _ = json.JSONDecoder().raw_decode(frame[start:].decode("utf-8", "replace"))
            for path, track in sent["state"].items():
                hidden = path.startswith(("hands[", "fronts[", "pile")) and path != f"hands[{viewer}]"
                if hidden:
                    found += [
                        f"{path} at {at}: {value}"
                        for at, value in track
                        if value and not re.fullmatch(r"none|\?( × \d+)?", value)
                    ]
            dealt = next(step for step in sent["steps"] if step["kind"] == "hands_dealt")
            names = [player.name for player in timeline.header.players]
            found += [
                dealt["words"]
                for seat, name in enumerate(names)
                if seat != viewer and f"{name} 5 cards" not in dealt["words"]
            ]
    assert payloads
    return found


def test_an_address_survives_a_reload_and_back_leads_to_it_and_a_bad_one_says_so(
    open_page: Open, tab: Tab, store: Store
) -> None:
    id, other = store.replays(Filter(seats=3), limit=2)["replay"]
    page = open_replay(open_page, id, "&viewer=2&step=9")
    page.reload()
    expect(page.locator(".number")).to_have_value("9")
    expect(page.get_by_label("Seen by")).to_have_value(re.compile("^Seat 2"))
    choose(page, "Seen by", "Seat 1")
    expect_query(page, viewer="1")
    settled(page).go_back()
    expect(page.get_by_label("Seen by")).to_have_value(re.compile("^Seat 2"))
    page = tab.move("/replay?replay=00000000-0000-0000-0000-000000000000", "Library")
    expect(page.get_by_text("no replay begins with")).to_be_visible()
    page = tab.move(f"/replay?replay={other}&viewer=7&step=100000&tab=nowhere", "Queen of the Cupcakes")
    expect(page.get_by_text("There is no step 100000")).to_be_visible()
    expect(page.get_by_text("The address asks for viewer “7”, which is not there.")).to_be_visible()
    expect(page.get_by_text("The address asks for tab “nowhere”, which is not there.")).to_be_visible()
    expect(page.get_by_role("tab", name="State")).to_have_attribute("aria-selected", "true")


def test_hostile_names_are_words_like_any_other(open_page: Open, tab: Tab, store: Store) -> None:
    (row,) = store.replays(Filter(players=(HOSTILE[0],))).to_dicts()
    page = open_page(f"/?game={QUEEN}&seats=3")
    expect(page.locator("[data-testid=glide-cell-2-0]").first).to_contain_text("<script>")
    page = tab.move(f"/replay?replay={row['replay']}&viewer=omniscient&step=4", "Queen of the Cupcakes")
    expect(page.locator(".number")).to_have_value("4")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect_query(page, step="8")
    expect(page.get_by_text(", ".join(HOSTILE[:2]), exact=False).first).to_be_visible()
    press(page, "About")
    expect(page.locator("canvas").first).to_be_visible()
    assert page.evaluate("window.pwned") is None
    page = tab.move("/statistics?seats=3&part=players", "Statistics")
    expect(page.get_by_role("heading", name="Does a player win more often than its share?")).to_be_visible()
    expect(page.locator("canvas").first).to_be_visible()
    assert page.evaluate("window.pwned") is None


def test_a_game_of_a_download_is_what_its_viewer_sees(open_page: Open, store: Store) -> None:
    tape = store.read(store.replays(Filter(seats=3, finished=True))["replay"][0])
    for viewer, whole in (("1", False), ("omniscient", True)):
        page = open_replay(open_page, tape.header.id, f"&viewer={viewer}")
        press(page, "Download")
        with page.expect_download() as started:
            press(page, "Recording")
        data = started.value.path().read_bytes()
        assert (hand_of(tape, 0).encode() in data) == whole
        assert hand_of(tape, 1).encode() in data
        assert (f'"seed":"{tape.header.seed}"'.encode() in data) == whole


def test_a_fifth_game_is_shown_and_counted_like_ours(
    open_page: Open, tab: Tab, environment: dict[str, str], tmp_path: Path
) -> None:
    simulated = ["simulate", "hidden-stones", "-n", "35", "--seats", "2", "--json"]
    played = subprocess.run(
        [*COMMAND, *simulated], cwd=tmp_path, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert played.returncode == 0, played.stderr
    first = json.loads(played.stdout)["first"]
    page = open_page("/?game=hidden-stones")  # without a restart
    expect(page.get_by_text("35 of ")).to_be_visible()
    page = tab.move(f"/replay?replay={first}&viewer=0&step=2", HiddenStones.title)
    expect(page.locator(".number")).to_have_value("2")
    before = picture(page)
    assert 'data-group="heap"' in before
    page.keyboard.press("]")
    page.keyboard.press("]")
    assert picture(page) != before
    expect_query(page, step=str(step_of(page)))
    page = tab.move("/statistics?game=hidden-stones", "Statistics")
    expect(page.get_by_test_id("stMetricValue").first).to_have_text("35")
    page = tab.move("/boxes?game=hidden-stones", "Boxes")
    expect(page.get_by_role("heading", name=toy().title)).to_be_visible()


def ask(address: str, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """GET a path with headers of one's own; give status, headers and body."""
    host, port = urlsplit(address).netloc.split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=10)
    connection.putrequest("GET", path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    answer = connection.getresponse()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()


def test_health_is_plain_facts(service: str, store: Store) -> None:
    status, headers, body = ask(service, "/api/health")
    facts = json.loads(body)
    assert status == 200
    assert facts["ok"] is True
    assert facts["games"][0] == QUEEN
    assert facts["replays"] == store.count() > 50
    assert set(facts) == {"ok", "version", "games", "replays"}
    assert headers["content-type"] == "application/json"


@pytest.mark.parametrize("path", ["/", "/replay", "/api/health", "/static/nothing", "/_stcore/health"])
def test_every_answer_has_the_headers_that_keep_browsers_from_harm(service: str, path: str) -> None:
    _, headers, _ = ask(service, path)
    policy = headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


def test_a_foreign_host_is_refused(service: str) -> None:
    port = urlsplit(service).port
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec_WebSocket_Version": "13",
        "Sec_WebSocket_Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    }
    assert ask(service, "/", Host=f"127.0.0.1:{port}")[0] == 200
    assert ask(service, "/", Host=f"evil.example:{port}")[0] == 400
    assert ask(service, "/api/health", Host="evil.example")[0] == 400
    assert upgraded(service, f"127.0.0.1:{port}", upgrade) == 101
    assert upgraded(service, f"evil.example:{port}", upgrade) in (400, 403)
    assert upgraded(service, f"127.0.0.1:{port}", {**upgrade, "Origin": "http://evil.example"}) == 403


def upgraded(address: str, host: str, headers: dict[str, str]) -> int:
    """Ask for the WebSocket of the app; give the status of the answer."""
    where = urlsplit(address)
    assert where.hostname is not None
    with socket.create_connection((where.hostname, where.port or 80), timeout=10) as connection:
        lines = [
            "GET /_stcore/stream HTTP/1.1",
            f"Host: {host}",
            *[f"{name.replace('_', '-')}: {value}" for name, value in headers.items()],
        ]
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return int(connection.recv(64).split()[1])
