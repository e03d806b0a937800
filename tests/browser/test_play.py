"""The play page in real browsers: two people and a bot at one table, each with their own hand."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect
from playwright.sync_api import Error as PlaywrightError

from core.registry import find
from events.base import Move
from replay.api.client import Client, play
from replay.games import default_sheet
from replay.storage.store import Store
from replay.timeline import Timeline
from replay.verify import verify
from tests.browser.pages import COMMAND, PATIENCE, Tab, choose, press, settled

TOKEN = "a-token-of-the-service"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of its own: while a game is at play, the pages of the other tests keep back what would tell of it."""
    return tmp_path_factory.mktemp("database") / "games.duckdb"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], database: Path) -> str:
    environment = {"TABLETAPE_DB": str(database), "TABLETAPE_TOKEN": TOKEN}
    return serve([*COMMAND, "serve", "--port", "{port}"], environment, "/api/health")


@pytest.fixture(scope="module")
def others(browser: Browser) -> list[Tab]:
    """A second player, who shares nothing with the first, and in that browser somebody who looks on."""
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    return [Tab(context.new_page()) for _ in range(2)]


@pytest.fixture
def tabs(tab: Tab, others: list[Tab]) -> Iterator[list[Tab]]:
    """Their tabs, for one test."""
    yield [tab, *others]
    for other in others:
        other.leave()


def expect_table(page: Page, words: str) -> None:
    """Wait until the picture of the table says so."""
    expect(page.locator("svg.picture")).to_have_attribute("aria-label", re.compile(words))


def take_and_lay_nothing(page: Page, name: str) -> None:
    page.bring_to_front()
    expect(page.get_by_text("It is your turn")).to_be_visible()
    settled(page).locator("svg.picture").get_by_role("button", name=re.compile(f"^{name} takes")).first.click()
    press(page, f"{name} lays out nothing")


def test_two_browsers_and_a_bot_play_each_with_its_own_hand(tabs: list[Tab], address: str) -> None:
    ann, ben, _ = [tab.page for tab in tabs]
    ann.goto(f"{address}/play")
    expect(ann.get_by_test_id("stNumberInputStepUp")).to_be_visible()
    settled(ann).get_by_test_id("stNumberInputStepUp").click()
    expect(ann.get_by_role("combobox", name="Seat 2 plays")).to_be_visible()
    for seat, plays in ((1, "at another screen"), (2, "The bot greedy")):
        choose(ann, f"Seat {seat} plays", plays)
    settled(ann).get_by_label("Token of the service").fill(TOKEN)
    ann.keyboard.press("Enter")
    press(ann, "Begin")
    expect(ann.get_by_test_id("stCode")).to_have_count(3)
    token = ann.get_by_test_id("stCode").nth(1).inner_text().strip()
    press(ann, "I have passed them on")
    expect(ann.get_by_text("It is your turn")).to_be_visible()
    assert token not in ann.url

    ben.goto(ann.url)
    expect(ben.get_by_text("It is the turn of Ann")).to_be_visible()
    settled(ben).get_by_label("Token of a seat").fill(token)
    press(ben, "Sit down")
    expect(ben.get_by_text(re.compile(r"Hands are dealt: Ann 5 cards; Ben \d"))).to_be_visible()

    dealt = ann.get_by_text("Hands are dealt: Ann").inner_text()
    hand = re.search(r"Hands are dealt: (Ann .*); Ben 5 cards; Cleo 5 cards", dealt)
    assert hand is not None
    sent = b"".join(tabs[1].frames)
    assert b"Ann 5 cards" in sent
    assert hand[1].encode() not in sent
    expect_table(ann, "Ben holds 5 cards")
    expect_table(ben, "Ann holds 5 cards")

    take_and_lay_nothing(ann, "Ann")
    take_and_lay_nothing(ben, "Ben")
    expect(ann.get_by_text("It is your turn")).to_be_visible()  # the bot has played
    expect(ben.get_by_text(re.compile("Cleo takes"))).to_be_visible()


PLAYS = ("plays Yum Yum", "stops", "draws 2", "rolls")
"""What is chosen first, so that the game is short and everybody is asked."""

LONGEST = 240
"""Seconds until everybody was asked: the two cores may be busy."""


def sit_down(page: Page, game: str, token: str) -> None:
    page.goto(game)
    expect(page.get_by_label("Token of a seat")).to_be_visible()
    settled(page).get_by_label("Token of a seat").fill(token)
    press(page, "Sit down")
    expect(page.get_by_label("Token of a seat")).to_be_hidden()  # folded away where somebody sits


def act(page: Page, name: str) -> None:
    """Make a move of a seat if it has one by now."""
    page.bring_to_front()
    settled(page)
    buttons = page.locator("button").filter(has_text=re.compile(f"^{name} "))
    labels = buttons.all_inner_texts()
    if not labels:
        return
    chosen = next((at for words in PLAYS for at, label in enumerate(labels) if words in label), len(labels) - 1)
    try:
        buttons.nth(chosen).press("Enter", timeout=2_000)
        expect(buttons.filter(has_text=labels[chosen])).to_be_hidden(timeout=500)
    except (PlaywrightError, AssertionError):  # the table has changed meanwhile, or the same may be done again
        return


def test_two_browsers_and_a_bot_play_a_whole_game_with_reactions_that_a_third_follows(
    tabs: list[Tab], address: str, database: Path
) -> None:
    box = msgspec.to_builtins(default_sheet(find("trash-pandas")))
    box |= {"hands": [2, 2, 2, 0], "copies": [0, 0, 0, 7, 0, 1, 0, 0]}  # two cards to draw, and it is over
    players = [{"name": "Ann"}, {"name": "Ben"}, {"name": "bot", "bot": "random"}]
    wish = {"game": "trash-pandas", "players": players, "components": box, "window": 0}
    host = address.removeprefix("http://")
    created = Client(host, TOKEN).ask("POST", "/live", wish)
    id, tokens = created["live"]["id"], created["tokens"]["seats"]
    seats = [Client(host, token) for token in tokens[:2]]

    def ben_has_answered() -> bool:
        steps = seats[1].ask("GET", f"/replays/{id}/events", query={"viewer": 1})["steps"]
        return any(step["event"]["type"].startswith("yum_yum") and step["seat"] == 1 for step in steps)

    ann, ben, onlooker = [tab.page for tab in tabs]
    game = f"{address}/play?live={id}"
    sit_down(ann, game, tokens[0])
    sit_down(ben, game, tokens[1])
    onlooker.goto(game)
    expect(onlooker.get_by_text("Hands are dealt: Ann 2 cards, Ben 2 cards and bot 2 cards")).to_be_visible()
    # Ann stops after her first roll, and no hand of two is without a Yum Yum: Ben is asked, and in turn the bot.
    deadline = time.monotonic() + LONGEST
    while not (answered := ben_has_answered()) and time.monotonic() < deadline:
        act(ann, "Ann")
        act(ben, "Ben")
    assert answered
    expect(onlooker.get_by_text(re.compile("rolls the die"))).to_be_visible()
    # The rest are the same buttons over and over: the seats play on without their pages, which follow to the end.
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda seat: play(seats[seat], id, seat, lambda moves: -1), (0, 1)))
    for page in (ann, ben, onlooker):
        expect(page.get_by_text("The game is over")).to_be_visible()
    tape = Store(database).read(id)
    verdict = verify(tape)
    assert (verdict.failures, verdict.finished, verdict.grades[-1]) == ((), True, "exact")
    moves = [event for event in Timeline(tape).events if isinstance(event, Move)]
    assert {move.seat for move in moves} == {0, 1, 2}
