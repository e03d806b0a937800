"""What reaches a page is text and nothing else, whoever wrote it; and pages tell nothing by the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from msgspec.structs import replace
from streamlit.testing.v1 import AppTest

from core.conformance import random_game
from core.streams import shapes
from dashboard import beginning, recordings
from dashboard.page import single_page
from dashboard.playing import service
from events.codec import canonical, encode_all
from events.tape import Header, Player, Tape, sealed
from replay import experiments
from replay.api import rates
from replay.exchange import lines_of
from replay.games import default_sheet, load
from replay.live.game import Wish
from replay.notes import Note
from replay.storage.store import Store
from replay.timeline import Timeline

APP = Path(__file__).parents[2] / "dashboard" / "app.py"
QUEEN = "queen-of-the-cupcakes"
HOSTILE = "</script><svg onload=pwn()>![x](http://evil.example/p) :red[x] $x$ **x**"
ID = "0192a000-0000-7000-8000-000000000001"
OTHER = "0192a000-0000-7000-8000-000000000002"
EXPERIMENT = f"""
name = "hostile"
question = "{HOSTILE}"
game = "{QUEEN}"
games = 30
variants = [{{name = "one"}}, {{name = "{HOSTILE[-30:]}", sheet.bin_capacity = 8}}]
"""
PLAIN = ("text", "arrow_data_frame", "bidi_component", "vega_lite_chart", "code_block", "code")
"""Elements that show text as it is. All others read Markdown."""
TYPED = ("options", "placeholder", "default", "value", "query_params", "id", "raw_value", "raw_values")
"""Fields that show it as it is, in elements that read Markdown elsewhere."""


def hostile_game() -> Tape:
    """A game in which everything that somebody may write is hostile: names, the box, the seed."""
    game = load(QUEEN)
    sheet = replace(default_sheet(type(game)), name=HOSTILE[:60])
    of_its_own = type(game)(sheet)
    header = Header(
        id=ID,
        game=QUEEN,
        rules=game.rules,
        shapes=shapes(type(game)),
        sheet=of_its_own.sheet_digest,
        components=msgspec.to_builtins(sheet),
        players=(Player(HOSTILE), Player(HOSTILE[::-1], HOSTILE)),
        provenance="imported",
        seed=HOSTILE[:60],
        recorded=HOSTILE[:60],
    )
    return sealed(header, encode_all(random_game(of_its_own, 2, "hostile")))


def of_a_game_that_is_not_here() -> Tape:
    """A game of which nothing is known but what its file says."""
    header = replace(hostile_game().header, id=OTHER, game=HOSTILE, sheet=HOSTILE, components=None)
    return sealed(header, (canonical({"type": HOSTILE, HOSTILE: HOSTILE}),))


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A database with hostile games, and a hostile note, tag and experiments beside them; pages are about it."""
    monkeypatch.setenv("TABLETAPE_DB", str(tmp_path / "games.duckdb"))
    monkeypatch.delenv("TABLETAPE_TOKEN", raising=False)
    made = Store(tmp_path / "games.duckdb")
    assert made.add([hostile_game(), of_a_game_that_is_not_here()]).new == 2
    made.add_note(ID, 3, HOSTILE, author=HOSTILE)
    made.tag(ID, HOSTILE[:40])
    for text in (EXPERIMENT, f"name = '{HOSTILE}'"):
        made.add_note(ID, 0, text, experiments.KIND)
    return made


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("library", {"player": HOSTILE, "game": HOSTILE}),
        ("replay", {"replay": ID, "viewer": "omniscient", "step": "3", "tab": "notes"}),
        ("replay", {"replay": HOSTILE, "viewer": HOSTILE, "step": HOSTILE}),
        ("replay", {"replay": OTHER}),
        ("compare", {"one": ID, "two": HOSTILE}),
        ("statistics", {"game": QUEEN, "part": "players", "player": HOSTILE}),
        ("statistics", {"game": HOSTILE, "part": HOSTILE}),
        ("boxes", {"game": QUEEN}),
        ("experiments", {"experiment": "hostile"}),
        ("play", {"live": HOSTILE}),
        ("record", {"record": HOSTILE}),
    ],
)
def test_what_somebody_wrote_is_text_on_every_page(store: Store, page: str, query: dict[str, str]) -> None:
    at = AppTest.from_file(str(APP), default_timeout=120).run()
    if page != "library":
        at.switch_page(f"screens/{page}.py")
    for name, value in query.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception
    assert sorted({f"{kind} {text[:60]}" for kind, text in read_as_markdown(at) if "![x](" in text}) == []


def read_as_markdown(at: AppTest) -> Iterator[tuple[str, str]]:
    """Give the texts that the browser reads as Markdown: (type of the element, text)."""
    for node in at:
        proto: Any = getattr(node, "proto", None)
        if proto is not None and node.type not in PLAIN:
            yield from texts(proto, node.type)


def texts(proto: Any, where: str) -> Iterator[tuple[str, str]]:
    """Give the texts within a message, also those of messages inside it: (where, text)."""
    for field, value in proto.ListFields():
        for each in value if isinstance(value, Sequence) and not isinstance(value, str | bytes) else [value]:
            if field.name in TYPED:
                continue
            if isinstance(each, str):
                yield f"{where}.{field.name}", each
            elif hasattr(each, "ListFields"):
                yield from texts(each, f"{where}.{field.name}")


def test_text_that_would_be_markdown_is_noticed() -> None:
    def script() -> None:
        import streamlit as st

        st.info("![x](http://evil.example/p)")
        st.text("![x](http://evil.example/p)")

    at = AppTest.from_function(script).run()
    assert [kind for kind, text in read_as_markdown(at) if "![x](" in text] == ["info.body"]


class Seen(HTMLParser):
    """The elements of a page as a browser finds them, with their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, list[str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.found.append((tag, [name for name, _ in attrs]))


def test_the_page_of_one_file_has_no_element_that_a_text_brought(store: Store) -> None:
    hostile = hostile_game()
    meek = replace(hostile, header=replace(hostile.header, players=(Player("Ann"), Player("Ben"))))
    (note,) = [note for note in store.notes(ID) if note.author]
    one, two = [elements(tape, note) for tape, note in ((hostile, note), (meek, replace(note, text="a note")))]
    assert one == two
    assert not [name for _, names in one for name in names if name.startswith("on")]
    assert [tag for tag, _ in one].count("script") == 2


def elements(tape: Tape, note: Note) -> list[tuple[str, list[str]]]:
    page = Seen()
    page.feed(single_page(Timeline(tape), "omniscient", [note]).decode())
    return page.found


def test_while_a_game_is_played_nobody_is_told_how_often_was_written(store: Store) -> None:
    def health() -> pl.DataFrame:
        at = AppTest.from_file(str(APP), default_timeout=120).run()
        at.switch_page("screens/health.py").run()
        return pl.from_pandas(at.dataframe[0].value)

    columns = ["Last written by write", "Writes in all"]
    assert health().select(columns).null_count().row(0) == (0, 0)
    try:
        game, _ = service().live.create(Wish(game=QUEEN, players=(Player("Ann"), Player("Ben"))))
        shown = health()
        assert shown.select(columns).null_count().row(0) == (shown.height, shown.height)
        service().live.break_off(game)
        assert health().select(columns).null_count().row(0) == (0, 0)
    finally:
        service().appender.__exit__(None, None, None)


def test_a_file_is_taken_in_on_a_page_where_that_is_allowed_and_never_for_a_game_at_play(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        game, _ = service().live.create(Wish(game=QUEEN, players=(Player("Ann"), Player("Ben"))))
        before = store.read(game.id)
        done = recordings.take_in(b"".join(lines_of(before)))
        assert (done.new, done.known, done.problems) == (0, 0, ((0, game.id, "it is played here"),))
        assert store.read(game.id) == before
    finally:
        service().appender.__exit__(None, None, None)
    for allowed in ("true", "false"):
        monkeypatch.setenv("TABLETAPE_UPLOADS", allowed)
        at = AppTest.from_file(str(APP), default_timeout=120).run()
        assert ("Import a file" in [each.label for each in at.expander]) == (allowed == "true")


def test_tries_at_the_page_are_limited_like_those_at_the_interface(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABLETAPE_WRONG_TOKENS", "2")
    monkeypatch.setattr(beginning, "client", lambda: "somebody")
    monkeypatch.setattr(rates, "MINUTE", 3600.0)  # however slow this machine is
    try:
        game, tokens = service().live.create(Wish(game=QUEEN, players=(Player("Ann"), Player("Ben"))))
        at = AppTest.from_file(str(APP), default_timeout=120).run()
        at.switch_page("screens/play.py")
        at.query_params["live"] = game.id
        at.run()
        said = []
        for token in ("guess", "another", "a third"):
            next(box for box in at.text_input if box.label == "Token of a seat").input(token)
            next(button for button in at.button if button.label == "Sit down").click().run()
            said.append(str(at.error[0].value))
        assert said[:2] == ["This is no token of this game."] * 2
        assert "at most 2 wrong tokens a minute" in said[2].replace("\\", "")
        next(box for box in at.text_input if box.label == "Token of a seat").input(tokens.seats[0] or "")
        next(button for button in at.button if button.label == "Sit down").click().run()
        assert not at.error, "nobody is locked out by others"
    finally:
        service().appender.__exit__(None, None, None)
