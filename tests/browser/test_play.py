"""The play page in real browsers: two people and a bot at one table, each with their own hand."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

COMMAND = [sys.executable, "-c", "from replay.cli import main; main()"]


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    database = tmp_path_factory.mktemp("database") / "games.duckdb"
    return serve([*COMMAND, "serve", "--port", "{port}"], {"TABLETAPE_DB": str(database)}, "/api/health")


def table(page: Page) -> str:
    """What the picture of the table says."""
    return page.get_by_test_id("stImage").get_by_role("img").get_attribute("alt") or ""


def take_and_lay_nothing(page: Page, name: str) -> None:
    expect(page.get_by_text("It is your turn")).to_be_visible()
    page.get_by_role("button", name=re.compile(f"^{name} takes")).first.click()
    page.get_by_role("button", name=f"{name} lays out nothing").click()


def test_two_browsers_and_a_bot_play_each_with_its_own_hand(browser: Browser, address: str) -> None:
    first, second, third = [browser.new_context(base_url=address) for _ in range(3)]
    ann = first.new_page()
    ann.goto("/play")
    ann.get_by_test_id("stNumberInputStepUp").click()
    for seat, plays in ((1, "at another screen"), (2, "The bot greedy")):
        ann.get_by_role("combobox", name=f"Seat {seat} plays").click()
        ann.get_by_role("option", name=plays).click()
    ann.get_by_role("button", name="Begin").click()
    expect(ann.get_by_test_id("stCode")).to_have_count(3)
    token = ann.get_by_test_id("stCode").nth(1).inner_text().strip()
    ann.get_by_role("button", name="I have passed them on").click()
    expect(ann.get_by_text("It is your turn")).to_be_visible()
    assert token not in ann.url

    received: list[str | bytes] = []
    ben = second.new_page()
    ben.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(frame)))
    ben.goto(ann.url)
    expect(ben.get_by_text("It is the turn of Ann")).to_be_visible()
    ben.get_by_label("Token of a seat").fill(token)
    ben.get_by_role("button", name="Sit down").click()
    expect(ben.get_by_text(re.compile(r"Hands are dealt: Ann 5 cards; Ben \d"))).to_be_visible()
    onlooker = third.new_page()
    onlooker.goto(ann.url)
    expect(onlooker.get_by_text("Hands are dealt: Ann 5 cards; Ben 5 cards; Cleo 5 cards")).to_be_visible()

    dealt = ann.get_by_text("Hands are dealt: Ann").inner_text()
    hand = re.search(r"Hands are dealt: (Ann .*); Ben 5 cards; Cleo 5 cards", dealt)
    assert hand is not None
    sent = b"".join(each if isinstance(each, bytes) else each.encode() for each in received)
    assert b"Ann 5 cards" in sent
    assert hand[1].encode() not in sent
    assert "Ben holds 5 cards" in table(ann)
    assert "Ann holds 5 cards" in table(ben)

    take_and_lay_nothing(ann, "Ann")
    take_and_lay_nothing(ben, "Ben")
    expect(ann.get_by_text("It is your turn")).to_be_visible()  # the bot has played
    expect(onlooker.get_by_text(re.compile("Cleo takes"))).to_be_visible()
    for context in (first, second, third):
        context.close()
