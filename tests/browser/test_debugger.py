"""The debugger on the page of a real service: other moves, branches, watches, notes, comparing, one-file pages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from dashboard.page import single_page
from events.queen_of_the_cupcakes import HandsDealt
from events.tape import Tape
from replay.evaluation.evaluating import budget_for
from replay.evaluation.evaluations import evaluated, judged
from replay.evaluation.judging import trial_for
from replay.simulate import Batch, simulate
from replay.storage.store import Filter, Store
from replay.timeline import Timeline
from tests.browser.pages import QUEEN, Tab, choose, press, settled

Open = Callable[[str], Page]


@pytest.fixture(scope="module")
def tape(store: Store) -> Tape:
    """A game among those of the service, which does not start anew for it."""
    (tape,) = simulate(Batch(game=QUEEN, seats=2, seed="debugger", bots=("random",) * 2), 1)
    store.add([tape])
    return tape


@pytest.fixture
def open_page(tab: Tab, service: str) -> Open:
    """Gives a function that opens a page."""

    def start(path: str) -> Page:
        tab.page.set_viewport_size({"width": 1280, "height": 1400})
        page = tab.open(f"{service}{path}")
        expect(page.locator(".picture g[data-group] > *").first).to_be_visible()
        return settled(page)

    return start


def test_who_was_winning_is_a_line_that_leads_to_its_steps_and_from_mistake_to_mistake(
    open_page: Open, store: Store, tape: Tape
) -> None:
    id, timeline, budget = tape.header.id, Timeline(tape), budget_for(0.12)
    *_, found = evaluated(store, id, "omniscient", "random", budget)
    decisions = list(judged(store, id, "omniscient", "random", trial_for(budget)))
    marked = [each for each in decisions if each.mark != "fine"]
    page = open_page(f"/replay?replay={id}&viewer=omniscient&within=12")
    for decision in marked[:2]:
        page.keyboard.press("e")
        expect(page.locator(".number")).to_have_value(str(decision.number))
        expect(page.locator(".now .cost")).to_contain_text(f"{decision.mark}: {100 * decision.loss:.0f} points")
        expect(page.locator(".list [aria-current=step]").get_by_role("img", name=decision.mark)).to_be_visible()
        rate = round(round(1000 * found.chances[decision.number].rates[0]) / 10 + 1e-9)
        expect(page.locator(".odds .seat-0")).to_contain_text(f"{rate} %")
    graph = page.locator(".chances svg")
    box = graph.bounding_box()
    assert box is not None
    graph.click(position={"x": box["width"] - 1, "y": 20})
    expect(page.locator(".number")).to_have_value(str(len(timeline) - 1))
    expect(page.locator(".odds .seat-0")).to_have_text(re.compile(r"(100|50|0) %( [▲▼]\d+)?$"))


def test_another_move_makes_a_branch_that_is_played_on_and_compared(open_page: Open, store: Store, tape: Tape) -> None:
    timeline = Timeline(tape)
    step = next(step.number for step in timeline.steps if step.kind == "cards_taken") - 1
    page = open_page(f"/replay?replay={tape.header.id}&viewer=omniscient&step={step}")
    page.get_by_role("tab", name="What else").click()
    expect(page.get_by_text("The moves that could be made here:")).to_be_visible()
    expect(page.get_by_text("recorded", exact=True)).to_have_count(1)
    before = set(store.replays()["replay"])
    finished = store.count(Filter(finished=True))
    press(page, "Branch here")
    expect(page.get_by_text(re.compile(f"Branch of {tape.header.id[:8]}"))).to_be_visible()
    (id,) = set(store.replays()["replay"]) - before
    expect(page.locator(".number")).to_have_value(str(step + 1))
    branch = Timeline(store.read(id))
    assert branch.events[: step + 1] == timeline.events[: step + 1]
    assert branch.events[step + 1] != timeline.events[step + 1]

    settled(page).locator(".picture").click()
    page.keyboard.press("End")
    press(page, "Choose")
    expect(page.locator(".total")).not_to_have_text(f"of {len(branch) - 1}")
    settled(page).locator(".picture").click()
    page.keyboard.press("End")
    press(page, "Let bots play on")
    expect(page.get_by_role("button", name="Let bots play on")).to_be_hidden()
    assert store.count(Filter(finished=True)) == finished + 1

    settled(page).get_by_role("tab", name="Branches").click()
    compare = page.get_by_role("main").get_by_role("link", name="Compare", exact=True)
    expect(compare).to_be_visible()
    settled(page)
    compare.press("Enter")
    expect(page.get_by_text(f"The first {step + 1} steps are the same; step {step + 1} differs.")).to_be_visible()
    expect(page.locator(".number")).to_have_count(2)
    expect(page.get_by_text(f"What differs in the state at step {step + 1}")).to_be_visible()
    page.keyboard.press("ArrowRight")
    for number in page.locator(".number").all():
        expect(number).to_have_value(str(step + 2))
    expect(page.get_by_text(f"What differs in the state at step {step + 2}")).to_be_visible()


def test_watches_stand_in_the_address_and_stop(open_page: Open, tape: Tape) -> None:
    page = open_page(f"/replay?replay={tape.header.id}&tab=watches")
    page.get_by_label("Stop where this holds").fill('event.kind == "cards_taken"')
    page.keyboard.press("Enter")
    expect(page.locator(".list .hit").first).to_be_visible()
    settled(page).locator(".picture").click()
    page.keyboard.press("w")
    expect(page.locator(".facts")).to_contain_text("cards taken")
    expect(page).to_have_url(re.compile("watch=event"))
    page.get_by_label("Stop where this holds").fill("hads == 1")
    page.keyboard.press("Enter")
    expect(page.get_by_text("nothing is called 'hads' here")).to_be_visible()


def test_notes_are_kept_for_those_who_may_read_them(open_page: Open, store: Store, tape: Tape) -> None:
    page = open_page(f"/replay?replay={tape.header.id}&viewer=1&step=6&tab=notes")
    page.keyboard.press("n")
    page.keyboard.type("my plan")
    press(page, "Keep")
    expect(page.locator(".list .noted")).to_be_visible()
    (note,) = store.notes(tape.header.id)
    assert (note.step, note.kind, note.text, note.seen_by) == (6, "note", "my plan", (1,))
    expect(page.locator(".notelist .said")).to_have_text(["my plan"])
    choose(page, "Seen by", "Seat 0")
    expect(page.get_by_text("No notes yet")).to_be_visible()
    expect(page.locator(".list .noted")).to_have_count(0)


def test_a_page_of_one_file_steps_offline_and_hides(context: BrowserContext, tape: Tape, tmp_path: Path) -> None:
    timeline = Timeline(tape)
    made = single_page(timeline, 0)
    dealt = next(event for event in timeline.events if isinstance(event, HandsDealt))
    hand = [json.dumps(", ".join(dealt.hands[seat])).encode() for seat in (0, 1)]
    assert (tape.header.seed or "").encode() not in made
    assert hand[1] not in made
    file = tmp_path / "game.html"
    file.write_bytes(made)
    page = context.new_page()
    complaints: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".number")).to_have_value("9")
    seen = list(timeline.shown(0))[9]
    names = [player.name for player in timeline.header.players]
    expect(page.locator(".now .words")).to_have_text(timeline.game.words(seen.step.event, names))
    page.wait_for_timeout(400)  # until it rests
    assert (complaints, asked) == ([], [file.as_uri()])
    page.close()
