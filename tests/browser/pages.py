"""Pages as the browser tests use them."""

from __future__ import annotations

import re
import sys
import time

from playwright.sync_api import ConsoleMessage, Locator, Page, WebSocket, expect

PATIENCE = 120_000
"""Milliseconds that an expectation waits: the two cores may be busy, and a page that comes late is not a fault."""

QUEEN = "queen-of-the-cupcakes"
GAMES = {2: 40, 3: 6, 4: 4, 5: 2}
"""How many games of Queen the service begins with, by seats; then there are two for teams, and one of these players."""

HOSTILE = ("<img src=x onerror=window.pwned=1>", "</svg><script>window.pwned=1</script>", "![x](http://127.0.0.1:9/p)")

COMMAND = [sys.executable, "-c", "from replay.cli import main; main()"]
# Streamlit looks below the page's own path first when a page is loaded anew, and then where things are.
PROBES = re.compile(r"/[a-z]+/_stcore/(health|host-config)$")

SETTLED = """() => {
  const app = document.querySelector("[data-testid=stApp]")?.dataset;
  const charts = [...document.querySelectorAll("[data-testid=stVegaLiteChart]")];
  return app?.testConnectionState === "CONNECTED" && app.testScriptState === "notRunning"
    && !document.querySelector("[data-testid=stSkeleton]") && charts.every(chart => chart.querySelector("svg, canvas"))
    && document.getAnimations().every(animation => animation.playState !== "running");
}"""
MOVE = "path => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')); }"


class Tab:
    """A page that tests go on in, one after another, with what it was sent, asked for and complained about.

    A page of its own would be a new process of Chromium, which reads all of Streamlit anew: two or three times the
    work. Every address that is opened in it is a new session for Streamlit all the same; `move` stays in the session,
    and costs a third of that.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.frames: list[bytes] = []
        self.asked: list[str] = []
        self.complaints: list[str] = []
        page.on("websocket", self._socket)
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _socket(self, socket: WebSocket) -> None:
        def received(data: str | bytes) -> None:
            self.frames.append(data if isinstance(data, bytes) else data.encode())

        socket.on("framereceived", received)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not PROBES.search(message.location["url"]):
            self.complaints.append(f"{message.text} {message.location['url']}")

    def open(self, address: str) -> Page:
        """Open an address; give the page as it loads.

        It comes to the front of its window: Chromium draws a tab that is behind another once a second, and a click
        waits until two pictures are the same.
        """
        self.page.bring_to_front()
        self.page.goto(address)
        return self.page

    def move(self, path: str, heading: str) -> Page:
        """Go to another page of the same service, which has another heading, as its own links do; give the page.

        A viewer whose keys were pressed must have told its step by then: the address would be written over after it.
        """
        settled(self.page)
        self.page.evaluate(MOVE, path)
        expect(self.page.get_by_role("heading", level=1)).to_have_text(heading)
        return settled(self.page)

    def leave(self) -> None:
        """Leave the page and make the tab what it was; raises `AssertionError` if anything was complained about."""
        self.page.goto("about:blank")
        complaints = self.complaints[:]
        self.page.set_viewport_size({"width": 1280, "height": 900})
        self.page.emulate_media(color_scheme="light")
        for heard in (self.frames, self.asked, self.complaints):
            heard.clear()
        assert complaints == []


def settled(page: Page) -> Page:
    """Wait until the script of the page has run to its end and all is drawn and at rest; give the page.

    While it runs, what is on the page may be put up anew, and a click on the old is lost. After it, Streamlit still
    fetches what it draws charts, tables and buttons with, and all below moves down; an expander takes half a second to
    open. What moves between the down and the up of the mouse is not clicked.
    """
    page.wait_for_function(SETTLED)
    return page


def press(page: Page, name: str) -> None:
    """Press the (first) button of that name, by its key, once it is there and the page has settled."""
    button = page.get_by_role("button", name=name, exact=True).first
    expect(button).to_be_visible()
    settled(page)
    button.press("Enter")


def choose(page: Page, label: str, name: str) -> None:
    """Choose from the box of that label, once the page has settled, and its list after it."""
    settled(page).get_by_role("combobox", name=label).click()
    option = page.get_by_role("option", name=name)
    expect(option).to_be_visible()
    settled(page)
    option.click()


def answered(tab: Tab, before: int) -> None:
    """Wait until the server has sent more than `before` frames and the page has settled."""
    deadline = time.monotonic() + PATIENCE / 1000
    while len(tab.frames) <= before and time.monotonic() < deadline:
        tab.page.wait_for_timeout(50)
    assert len(tab.frames) > before, "no answer of the server"
    settled(tab.page)


def click_cell(page: Page, grid: Locator, x: float, row: int) -> None:
    """Click a row of a table (0 is the first below its head), `x` pixels from its left, once the page has settled."""
    settled(page)
    grid.scroll_into_view_if_needed()
    box = grid.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + x, box["y"] + 35 * (row + 1.5))


def picture(page: Page) -> str:
    """Give the picture of the table as it stands on the page."""
    return str(page.locator(".picture").evaluate("svg => svg.outerHTML")).replace(' class=""', "")
