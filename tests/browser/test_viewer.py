"""The replay viewer in a real browser: keys, clicks, filters, scrubbing, hostile names, the step in the address."""

import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from dashboard.scene import ROLES
from tests.browser import viewer_page
from tests.browser.pages import Tab, picture, press, settled

PAGE = Path(__file__).with_name("viewer_page.py")
ROOT = Path(__file__).parents[2]
LAST = 39  # of the default game: turns of three steps, seats 0..3 in turn

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def address(serve: Callable[..., str]) -> str:
    command = [sys.executable, "-m", "streamlit", "run", str(PAGE), "--server.port", "{port}"]
    quiet = {
        "PYTHONPATH": os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", ""))),
        "STREAMLIT_SERVER_ADDRESS": "127.0.0.1",
        "STREAMLIT_SERVER_HEADLESS": "true",
        "STREAMLIT_SERVER_FILE_WATCHER_TYPE": "none",
        "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "false",
        "STREAMLIT_RUNNER_POST_SCRIPT_GC": "false",
    }
    return serve(command, quiet)


@pytest.fixture
def open_viewer(tab: Tab, address: str) -> Open:
    """Gives a function that opens the page with the given query."""

    def start(**query: object) -> Page:
        page = tab.open(f"{address}/?{'&'.join(f'{name}={value}' for name, value in query.items())}")
        expect(page.locator(".picture g[data-group] > *, .empty:not([hidden])").first).to_be_visible()
        return settled(page)

    return start


@pytest.fixture(scope="module")
def shared_sheet(context: BrowserContext) -> Tab:
    """The same for pages of one file: Chromium has another process for files."""
    return Tab(context.new_page())


@pytest.fixture
def open_alone(shared_sheet: Tab, tmp_path: Path) -> Iterator[Open]:
    """Gives the same function for the page of one file: for what happens in the browser alone."""

    def start(**query: object) -> Page:
        file = tmp_path / "viewer.html"
        file.write_bytes(viewer_page.alone(query))
        return shared_sheet.open(file.as_uri())

    yield start
    shared_sheet.leave()


def expect_step(page: Page, step: int, last: int = LAST, *, listed: bool = True) -> None:
    expect(page.locator(".number")).to_have_value(str(step))
    expect(page.locator(".range")).to_have_value(str(step))
    expect(page.locator(".total")).to_have_text(f"of {last}")
    expect(page.locator(".list [aria-current=step] .at")).to_have_text([str(step)] if listed else [])


def test_keys_step_through_events_and_turns(open_viewer: Open) -> None:
    page = open_viewer()
    expect_step(page, 0)
    walk = {
        "ArrowRight": [1, 2, 3],
        "ArrowLeft": [2],
        "Shift+ArrowRight": [3, 6],
        "]": [9],
        "End": [LAST],
        "Home": [0],
    }
    for key, steps in walk.items():
        for step in steps:
            page.keyboard.press(key)
            expect_step(page, step)
    page.keyboard.press("ArrowLeft")
    expect_step(page, 0)
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    for step in (3, 0):  # to the start of this turn first
        page.keyboard.press("Shift+ArrowLeft")
        expect_step(page, step)
    page.keyboard.press("End")
    page.keyboard.press("[")
    expect_step(page, LAST - 3)


def test_keys_belong_to_whoever_is_typing(open_viewer: Open) -> None:
    page = open_viewer(step=5)
    page.keyboard.press("/")
    expect(page.locator(".needle")).to_be_focused()
    page.keyboard.type("a [?]")
    for key in ("ArrowLeft", "Home", "Space"):
        page.keyboard.press(key)
    expect(page.locator(".needle")).to_have_value(" a [?]")
    expect_step(page, 5, listed=False)
    page.keyboard.press("Escape")
    expect(page.locator(".needle")).to_have_value("")
    page.keyboard.press("ArrowRight")
    expect_step(page, 6)
    for shortcut in ("Control+End", "Alt+End", "Meta+End"):
        page.keyboard.press(shortcut)
    expect_step(page, 6)


def test_the_list_of_keys_holds_the_keys_back(open_alone: Open) -> None:
    page = open_alone()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    expect_step(page, 0)
    page.keyboard.press("ArrowRight")
    expect_step(page, 1)


def test_space_plays_and_pauses(open_alone: Open) -> None:
    page = open_alone(steps=6)
    page.locator(".speed").select_option("10")
    page.locator(".picture").click()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect_step(page, 5, last=5)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.locator(".speed").select_option("1")
    page.get_by_role("button", name="Play", exact=True).click()  # from the start again
    expect_step(page, 0, last=5)
    page.keyboard.press("ArrowRight")  # a move of one's own pauses
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect_step(page, 1, last=5)


def test_buttons_and_number(open_alone: Open) -> None:
    page = open_alone()
    walk = {"Next step": 1, "Next turn": 3, "Last step": LAST, "Previous step": LAST - 1, "Previous turn": LAST - 3}
    for name, step in walk.items():
        page.get_by_role("button", name=name, exact=True).click()
        expect_step(page, step)
    page.get_by_role("button", name="First step").click()
    expect_step(page, 0)
    expect(page.get_by_role("button", name="Previous step")).to_have_attribute("aria-disabled", "true")
    for typed, step in {"17": 17, "9999": LAST, "-4": 0, "": 0}.items():
        page.locator(".number").fill(typed)
        page.keyboard.press("Enter")
        expect_step(page, step)


def test_a_click_on_an_event_goes_there_and_the_rule_opens(open_alone: Open) -> None:
    page = open_alone()
    page.get_by_role("button", name="Clementine lays 2 cards").first.click()
    expect_step(page, 7)
    expect(page.locator(".now .words")).to_have_text("Clementine lays 2 cards")
    expect(page.locator(".facts")).to_contain_text("Turn 3")
    ruling = page.get_by_text("What ruling QC-06 says")
    expect(ruling).to_be_hidden()
    page.get_by_role("button", name="QC-06").click()
    expect(ruling).to_be_visible()
    page.keyboard.press("ArrowRight")  # a consequence without a rule
    expect(page.locator(".ruling")).to_be_hidden()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("What ruling QC-05 says")).to_be_visible()


def test_filters_and_stepping_through_what_they_show(open_alone: Open) -> None:
    page = open_alone()
    shown = page.locator(".list li:visible")
    expect(page.locator(".count")).to_have_text("40 events")
    page.locator(".kind").select_option(label="cards_laid")
    page.locator(".seat").select_option(label="Ben")
    expect(page.locator(".count")).to_have_text("3 of 40 events")
    expect(shown.locator(".at")).to_have_text(["4", "16", "28"])
    shown.first.click()
    for key, step in (("ArrowDown", 16), ("ArrowDown", 28), ("ArrowDown", 28), ("ArrowUp", 16)):
        page.keyboard.press(key)
        expect_step(page, step)
    page.keyboard.press("ArrowRight")
    expect_step(page, 17, listed=False)
    page.locator(".kind").select_option(label="Moves only")
    page.locator(".seat").select_option(label="All seats")
    expect(page.locator(".count")).to_have_text("27 of 40 events")
    page.locator(".needle").fill("CLEMENTINE qc-06")
    expect(page.locator(".count")).to_have_text("3 of 40 events")
    page.locator(".needle").fill("no such words")
    expect(shown).to_have_count(0)


def test_the_current_event_stays_in_view_and_the_page_stays_put(open_viewer: Open) -> None:
    page = open_viewer(steps=3000)
    page.keyboard.press("End")
    expect_step(page, 2999, last=2999)
    current = page.locator(".list li.current")
    expect(current).to_be_in_viewport(ratio=1)
    page.locator(".number").fill("1500")
    page.keyboard.press("Enter")
    expect(current).to_be_in_viewport(ratio=1)
    expect(current.locator(".at")).to_have_text("1500")
    assert page.locator(".list").evaluate("list => list.getBoundingClientRect().top >= 0")


def test_scrubbing_draws_on_the_way(open_alone: Open) -> None:
    page = open_alone()
    page.locator(".picture").evaluate(
        """svg => {
            window.seen = new Set();
            new MutationObserver(() => window.seen.add(svg.getRootNode().querySelector(".number").value))
                .observe(svg, { childList: true, subtree: true });
        }"""
    )
    box = page.locator(".range").bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 10, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 5, middle, steps=40)
    expect_step(page, LAST)
    assert page.evaluate("window.seen.size") > 15  # while the button is still down
    page.mouse.up()
    for key, step in (("ArrowLeft", LAST - 1), ("Home", 0), ("ArrowRight", 1)):  # once each, though it has the focus
        page.keyboard.press(key)
        expect_step(page, step)


def test_any_way_to_a_step_draws_the_same_picture(open_alone: Open) -> None:
    page = open_alone(step=20)
    directly = picture(page), page.locator(".tree").inner_text(), page.locator(".diff").inner_text()
    for key in ("Home", "End", "Shift+ArrowLeft", *["ArrowLeft"] * 20, "Home", *["ArrowRight"] * 20):
        page.keyboard.press(key)
    expect_step(page, 20)
    assert (picture(page), page.locator(".tree").inner_text(), page.locator(".diff").inner_text()) == directly


def test_what_changed_and_the_state(open_alone: Open) -> None:
    page = open_alone(step=5)  # the bank is filled up
    expect(page.locator(".diff li").first).to_have_text("draw65→64")
    expect(page.locator(".diff li", has_text="bank[4]")).to_contain_text("absent→")
    marked = page.locator(".picture g.marked")
    assert [group.get_attribute("data-group") for group in marked.all()] == ["draw", "bank"]
    expect(page.locator(".picture .halo")).to_have_count(2)
    expect(page.locator(".tree > .leaf").first).to_have_text("draw64")
    bank = page.locator(".tree > details", has=page.get_by_text("bank", exact=True))
    expect(bank.locator(".leaf").first).to_be_hidden()
    bank.locator("summary").click()
    expect(bank.locator(".leaf:visible")).to_have_count(5)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(bank.locator(".leaf:visible")).to_have_count(5)
    page.keyboard.press("Home")
    expect(page.locator(".unchanged")).to_have_text("The first step: everything is new.")


def test_hostile_names_are_words(open_alone: Open) -> None:
    page = open_alone(names="hostile")
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    for _ in range(12):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(20)
    page.keyboard.press("Home")
    expect(page.locator(".now .words")).to_contain_text("<img src=x onerror=window.pwned=1> takes")
    expect(page.locator(".warning")).to_contain_text("</svg><script>window.pwned=1</script>")
    expect(page.locator(".seat option").nth(2)).to_have_text("</svg><script>window.pwned=1</script>")
    assert page.locator(".viewer :is(script, img, image, iframe, a, foreignObject)").count() == 0
    assert page.evaluate("window.pwned") is None
    assert [url for url in requests if "pwned" in url or url.endswith("/x")] == []


def test_elements_that_no_scene_can_hold_are_not_drawn_either(open_alone: Open) -> None:
    page = open_alone(smuggle=1)
    smuggled = page.locator("g[data-group=smuggled] > *")
    assert smuggled.evaluate_all("nodes => nodes.map(node => node.outerHTML)") == [
        '<rect x="1" width="5" height="5"></rect>'
    ]
    assert page.evaluate("window.pwned") is None


def test_the_step_is_in_the_address_and_comes_back(open_viewer: Open) -> None:
    page = open_viewer()
    expect_step(page, 0)
    entry = page.evaluate("navigation.currentEntry.key")
    for _ in range(7):
        page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"[?&]step=7$"))
    expect(page.get_by_text("The server knows step 7.")).to_be_visible()
    expect_step(page, 7)  # the answer of the server moves nothing
    assert page.evaluate("navigation.currentEntry.key") == entry  # nothing for Back to go through
    expect(page.locator(".spoken")).to_contain_text("Step 7 of 39: Clementine lays 2 cards")
    page.reload()
    expect_step(page, 7)
    expect(page.get_by_text("The server knows step 7.")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("The server knows step 8.")).to_be_visible()


@pytest.mark.parametrize(("asked", "step"), [(-5, 0), (10_000, LAST)])
def test_a_step_beyond_the_ends_opens_at_the_end(open_viewer: Open, asked: int, step: int) -> None:
    page = open_viewer(step=asked)
    expect_step(page, step)
    expect(page.get_by_text(f"The server knows step {step}.")).to_be_visible()


def test_new_content_opens_where_the_script_says_and_the_server_knows(open_viewer: Open) -> None:
    page = open_viewer()
    page.keyboard.press("]")
    page.keyboard.press("]")
    expect(page.get_by_text("The server knows step 6.")).to_be_visible()
    settled(page).get_by_text("Something else").click()
    expect_step(page, 2)
    expect(page).to_have_url(re.compile(r"[?&]step=2$"))
    press(page, "Run again")
    page.wait_for_timeout(500)  # for an answer that would be wrong
    expect(page.get_by_text("The server knows step 2.")).to_be_visible()
    expect_step(page, 2)


def test_frames_travel_once(open_viewer: Open) -> None:
    page = open_viewer(steps=300)
    expect(page.get_by_text("The server knows step 0.")).to_be_visible()
    received: list[int] = []
    socket = page.context.new_cdp_session(page)
    socket.send("Network.enable")
    socket.on("Network.webSocketFrameReceived", lambda event: received.append(len(event["response"]["payloadData"])))
    for step in (1, 2, 3):
        page.keyboard.press("ArrowRight")
        expect(page.get_by_text(f"The server knows step {step}.")).to_be_visible()
    assert received
    assert sum(received) < 30_000  # the frames are some 300 kB


@pytest.mark.parametrize("steps", [0, 1])
def test_next_to_nothing_recorded(open_viewer: Open, steps: int) -> None:
    page = open_viewer(steps=steps)
    for key in ("ArrowRight", "Space", "End", "]", "/"):
        page.keyboard.press(key)
    if steps:
        expect_step(page, 0, last=0)
    else:
        expect(page.get_by_text("Nothing has been recorded in this replay yet.")).to_be_visible()
        expect(page.locator(".stage")).to_be_hidden()
    expect(page.get_by_text("The server knows step 0.")).to_be_visible()


def test_a_phone_shows_it_without_sideways_scrolling(open_alone: Open) -> None:
    page = open_alone(names="hostile", step=12)
    page.set_viewport_size({"width": 390, "height": 844})
    for width in (358, 900):  # fitted, enlarged
        assert page.locator(".picture").evaluate("svg => svg.clientWidth") == width
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.locator(".viewer").evaluate("node => node.scrollWidth <= node.clientWidth")
        expect(page.get_by_role("button", name="Last step")).to_be_in_viewport(ratio=1)
        page.get_by_role("button", name="Enlarge the table").click()


def test_the_picture_follows_the_theme_of_the_page_and_stays_at_its_step(open_viewer: Open) -> None:
    page = open_viewer()
    page.keyboard.press("]")
    felt = page.locator(".picture .felt")
    light, dark = (f"rgb({int(c[1:3], 16)}, {int(c[3:5], 16)}, {int(c[5:7], 16)})" for c in ROLES["felt"]["fill"])
    expect(felt).to_have_css("fill", light)
    page.emulate_media(color_scheme="dark")
    expect(felt).to_have_css("fill", dark)
    expect(page.locator(".viewer")).to_have_css("color", re.compile(r"rgb\(2\d\d, 2\d\d, 2\d\d\)"))
    expect_step(page, 3)


def test_walks_by_key_and_by_button(open_alone: Open) -> None:
    page = open_alone(watch=1)
    walk = {"m": 1, "s": 2, "k": 5, "d": 6, "}": 12, "{": 0, "w": 10, "Shift+W": 10}
    walk |= {"Shift+M": 9, "Shift+K": 6, "t": 33}
    for key, step in walk.items():
        page.keyboard.press(key)
        expect_step(page, step)
    page.keyboard.press("g")
    page.keyboard.type("20")
    page.keyboard.press("Enter")
    expect_step(page, 20)
    page.locator(".picture").click()
    page.locator(".stride").select_option("round")
    page.get_by_role("button", name="Next of these").click()
    expect_step(page, 24)
    page.locator(".stride").select_option("seat")
    page.get_by_role("button", name="Previous of these").click()
    expect_step(page, 14)
    page.locator(".stride").select_option("note")
    page.get_by_role("button", name="Next of these").click()
    expect(page.locator(".saying")).to_have_text("No step has a note or a bookmark.")
    assert page.locator(".marks .hits").get_attribute("d") != ""
    expect(page.locator(".list .hit").first).to_have_attribute("title", "<b>tens</b>")


def test_a_value_leads_to_where_it_changed_and_back(open_alone: Open) -> None:
    page = open_alone(step=10)
    page.get_by_role("button", name=re.compile("^draw: ")).click()
    expect_step(page, 8)
    expect(page.locator(".trail")).to_contain_text("changed at this step")
    page.get_by_role("button", name="Earlier change").click()
    expect_step(page, 5)
    page.get_by_role("button", name="Later change").press("Enter")
    expect_step(page, 8)
    page.get_by_role("button", name=re.compile("^Back to step")).click()
    expect_step(page, 5)
    page.locator(".against").fill("2")
    page.locator(".against").press("Enter")
    expect(page.locator(".diff li").first).to_have_text("draw65→64")
    page.locator(".against").fill("9999")
    page.locator(".against").press("Enter")
    expect(page.locator(".against")).to_have_value("")


def test_notes_and_bookmarks_are_written_listed_and_removed(open_viewer: Open) -> None:
    page = open_viewer(step=4)
    page.keyboard.press("b")
    expect(page.locator(".list .current .noted")).to_be_visible()
    page.keyboard.press("]")
    page.keyboard.press("n")
    page.keyboard.type("<b>why?</b> m n")
    press(page, "Keep")
    expect(page.locator(".list .current .noted")).to_be_visible()
    page.get_by_role("tab", name="State").press("ArrowRight")
    expect(page).to_have_url(re.compile("tab=notes"))
    expect(page.locator(".notelist .said")).to_have_text(["Bookmark", "<b>why?</b> m n"])
    page.get_by_role("button", name="Step 4", exact=True).click()
    expect_step(page, 4)
    page.get_by_role("button", name="Remove the note at step 6").click()
    expect(page.locator(".notelist li")).to_have_count(1)
    page.keyboard.press("b")  # a second time takes it away
    expect(page.locator(".notelist li")).to_have_count(0)


def test_a_long_replay_comes_in_parts(open_viewer: Open) -> None:
    page = open_viewer(steps=90, part=30, step=28)
    expect(page.locator(".count")).to_contain_text("30 events loaded (steps 0 to 29 of 89)")
    for step in (29, 30, 31):
        page.keyboard.press("ArrowRight")
        expect_step(page, step, last=89)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect_step(page, 29, last=89)
    page.keyboard.press("End")
    expect_step(page, 89, last=89)
    expect(page.locator(".loading")).to_be_hidden()
    page.keyboard.press("Home")
    expect_step(page, 0, last=89)
    page.locator(".number").fill("60")
    page.keyboard.press("Enter")
    expect_step(page, 60, last=89)
    expect(page.locator(".diff li")).not_to_have_count(0)  # against the step before the part
    settled(page).locator(".picture").click()
    page.keyboard.press("Shift+K")  # the last of its kind is in another part
    expect_step(page, 57, last=89)
    expect(page.get_by_text("The server knows step 57.")).to_be_visible()


def test_what_cannot_be_opened_is_greyed_and_passes_can_be_hidden(open_alone: Open) -> None:
    page = open_alone(lost=3)
    expect(page.locator(".count")).to_have_text("40 events; 3 more cannot be shown")
    page.keyboard.press("End")
    page.locator(".list").evaluate("list => list.scrollTop = list.scrollHeight")
    expect(page.locator(".list .lost")).to_have_text(["cannot be shown"] * 3)
    page.get_by_label("Hide passes").check()
    expect(page.locator(".count")).to_contain_text("37 of 40 events")
    page.get_by_role("spinbutton", name="Turn").fill("4")
    expect(page.locator(".count")).to_contain_text("2 of 40 events")
