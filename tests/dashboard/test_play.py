"""The play page without a browser: set up, pass the screen on, secrets, waiting, taking back, the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.playing import due, service, sight
from events.base import GameStarted
from events.codec import encode
from events.marks import Viewer
from events.tape import Player
from events.trash_pandas import RollingStopped
from replay.live.game import LiveGame, Wish
from replay.live.tokens import Tokens, keeps
from replay.report import moves_at
from replay.verify import verify

APP = Path(__file__).parents[2] / "dashboard" / "app.py"
QUEEN = "queen-of-the-cupcakes"
PANDAS = "trash-pandas"
HOSTILE = "![x](http://x.example/p)<script>"

Open = Callable[..., AppTest]


@pytest.fixture
def open_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Gives a function that opens the play page, at a game."""
    monkeypatch.setenv("TABLETAPE_DB", str(tmp_path / "games.duckdb"))
    monkeypatch.delenv("TABLETAPE_TOKEN", raising=False)

    def start(live: str | None = None, *tokens: str | None) -> AppTest:
        at = AppTest.from_file(str(APP), default_timeout=60)
        at.switch_page("screens/play.py")
        if live is not None:
            at.query_params["live"] = live
        at.run()
        for token in tokens:
            sit_down(at, token or "")
        assert not at.exception
        return at

    yield start
    service().appender.__exit__(None, None, None)


def sit_down(at: AppTest, token: str) -> None:
    next(box for box in at.text_input if box.label == "Token of a seat").input(token)
    press(at, "Sit down")


def press(at: AppTest, start: str) -> None:
    next(button for button in at.button if button.label.startswith(start)).click().run()
    assert not at.exception


def labels(at: AppTest) -> list[str]:
    return [button.label for button in at.button]


def id_of(at: AppTest) -> str:
    """The game in the address."""
    value = at.query_params["live"]
    return value if isinstance(value, str) else value[0]


def everything(at: AppTest) -> str:
    """All words on the page, and the picture."""
    boxes = [*at.text, *at.subheader, *at.info, *at.error, *at.code, *at.caption, *at.markdown]
    return "\n".join([*[str(box.value) for box in boxes], *labels(at), *pictures(at), str(at.query_params)])


def pictures(at: AppTest) -> list[str]:
    return [msgspec.json.encode(sent["scene"]).decode() for sent in boards(at)]


def boards(at: AppTest) -> list[dict[str, Any]]:
    """What the browser is sent of the table: the picture, and what can be pressed."""
    return [msgspec.json.decode(each.proto.bytes) for each in at.get("bidi_component")]


def drawn(game: LiveGame, viewer: Viewer) -> str:
    return msgspec.json.encode(sight(game.timeline(), viewer).scene).decode()


def created(*players: Player, game: str = QUEEN, **more: Any) -> tuple[LiveGame, Tokens]:
    return service().live.create(Wish(game=game, players=players, **more))


def test_a_screen_that_is_passed_on_is_covered_between_the_seats(open_page: Open) -> None:
    at = open_page()
    press(at, "Begin")
    id = id_of(at)
    game = service().live.find(id)
    assert game is not None
    secrets = [each.value for each in at.code]
    assert [game.facts.role(secret) for secret in secrets] == [0, 1, "organiser"]
    press(at, "I have passed them on")
    assert not any(secret in everything(at) for secret in secrets)  # told once
    assert pictures(at) == [drawn(game, "spectator")]
    assert "Pass it to Ann" in everything(at)
    press(at, "I am Ann")
    assert pictures(at) == [drawn(game, 0)] != [drawn(game, 1)]
    press(at, "Ann takes")
    press(at, "Ann lays out nothing")
    assert pictures(at) == [drawn(game, "spectator")]
    assert "Pass it to Ben" in everything(at)
    press(at, "I am Ben")
    assert pictures(at) == [drawn(game, 1)]
    assert any(label.startswith("Ben takes") for label in labels(at))
    assert not any(label.startswith("Ann") for label in labels(at))


@pytest.mark.parametrize("slug", [PANDAS, "cherry-on-the-cake"])
def test_a_game_begins_with_the_options_that_were_chosen(open_page: Open, slug: str) -> None:
    at = open_page()
    at.selectbox(key="new-game").select(slug).run()
    start = f"new-option-{slug}-"
    wanted: dict[str, object] = {}
    for box in at.checkbox:
        if str(box.key).startswith(start):
            wanted[str(box.key).removeprefix(start)] = not box.value
            box.set_value(not box.value)
    for choice in at.selectbox:
        if str(choice.key).startswith(start):
            wanted[str(choice.key).removeprefix(start)] = choice.options[-1]
            choice.select_index(len(choice.options) - 1)
    assert len(wanted) == 6
    press(at, "Begin")
    game = service().live.find(id_of(at))
    assert game is not None
    started = game.timeline().events[0]
    assert isinstance(started, GameStarted)
    assert {name: str(getattr(started.options, name)) for name in wanted} == {k: str(v) for k, v in wanted.items()}


def test_only_a_token_opens_a_seat_and_names_stay_plain(open_page: Open) -> None:
    at = open_page()
    game, tokens = created(Player(HOSTILE), Player("Ben"))
    at = open_page(game.id, tokens.seats[1], "no token", tokens.organiser)
    assert "opens no seat" in everything(at)
    assert pictures(at) == [drawn(game, 1)]
    assert not any("takes" in label for label in labels(at))
    assert str(tokens.seats[1]) not in everything(at)
    read_as_markdown = [*at.subheader, *at.info, *at.caption]
    assert all("![" not in str(each.value) for each in read_as_markdown)
    assert "\\!\\[x" in at.subheader[0].value
    onlooker = open_page(game.id, "no token")
    assert "no token of this game" in everything(onlooker)
    assert pictures(onlooker) == [drawn(game, "spectator")]


def test_an_address_of_no_game_leads_to_where_one_begins(open_page: Open) -> None:
    at = open_page("no-such-game")
    assert "no replay has the id" in everything(at).replace("\\", "")
    assert "Begin" in labels(at)


def test_a_closed_game_shows_nothing_without_a_token(open_page: Open) -> None:
    open_page()
    game, tokens = created(Player("Ann"), Player("Ben"), closed=True)
    at = open_page(game.id)
    assert not pictures(at)
    sit_down(at, tokens.spectator or "")
    assert pictures(at) == [drawn(game, "spectator")]


def test_a_move_is_taken_back_on_the_page(open_page: Open) -> None:
    open_page()
    game, tokens = created(Player("Ann"), Player("bot", "random"))
    at = open_page(game.id, tokens.seats[0])
    before = labels(at)
    assert "Take my move back" not in before
    press(at, "Ann takes")
    assert labels(at) != before
    press(at, "Take my move back")
    assert labels(at) == before


def asked_in_secret() -> tuple[LiveGame, Tokens]:
    """Give a game of Trash Pandas in which Ann has stopped rolling and Ben is asked whether he has a Yum Yum."""
    for _ in range(100):
        game, tokens = created(Player("Ann"), Player("Ben"), game=PANDAS, window=0)
        for _ in range(20):
            line = game.timeline()
            moves = moves_at(line, len(line) - 1, 0)
            stop = next((move for move in moves if isinstance(move, RollingStopped)), None)
            game.move(0, encode(stop or moves[0]), game.seen_by(0))
            if stop is not None:
                break
        if sight(game.timeline(), 1).choices:
            return game, tokens
    raise AssertionError("nobody held a Yum Yum")


def test_who_is_asked_in_secret_is_told_on_its_own_screen_only(open_page: Open) -> None:
    open_page()
    game, tokens = asked_in_secret()
    assert due(game.timeline()) == (0,)
    ann = open_page(game.id, tokens.seats[0])
    assert "It is your turn" in everything(ann)
    one_screen = open_page(game.id, *tokens.seats)
    press(one_screen, "Cover")
    assert "Pass it to Ann" in everything(one_screen)
    count = game.seen_by(0)
    own = next(label for label in labels(ann) if label.startswith("Ann"))
    press(ann, own)
    assert "Your move waits" in everything(ann)
    assert game.seen_by(0) == count
    press(one_screen, "I am Ben")
    press(one_screen, next(label for label in labels(one_screen) if "keeps" in label or "not" in label))
    ann.run()
    assert "Your move waits" not in everything(ann)
    assert game.seen_by(0) > count


def test_a_game_that_is_over_shows_its_result_and_that_the_deal_was_honest(open_page: Open) -> None:
    at = open_page()
    for seat in (0, 1):
        at.selectbox(key=f"new-by-{QUEEN}-{seat}").select("random").run()
    press(at, "Begin")
    press(at, "I have passed them on")
    id = id_of(at)
    tape, facts = service().store.read(id), service().live.facts(id)
    assert facts is not None
    assert verify(tape).holds
    assert "The game ends" in everything(at)
    assert "the one that was committed to" in everything(at)
    told = dict(at.dataframe[0].value.itertuples(index=False))
    assert told["seed"] == tape.header.seed
    assert keeps(told["commitment"], told["seed"], told["salt"])


def test_a_service_with_a_token_wants_it_before_a_game_begins(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLETAPE_TOKEN", "the token of this service")
    at = open_page()
    press(at, "Begin")
    assert "needs the token" in everything(at)
    at.text_input(key="new-token").input("the token of this service").run()
    press(at, "Begin")
    assert "live" in at.query_params


def test_the_organiser_breaks_a_game_off_and_every_player_is_told(open_page: Open) -> None:
    open_page()
    game, tokens = created(Player("Ann"), Player("Ben"))
    ben = open_page(game.id, tokens.seats[1])
    ann = open_page(game.id, tokens.seats[0])
    for token, told in ((tokens.seats[0], "not the organiser's token"), (tokens.organiser, "was broken off")):
        next(box for box in ann.text_input if box.label == "Token of the organiser").input(token or "")
        press(ann, "Break the game off")
        assert told in everything(ann)
    ben.run()
    assert "hidden cards and its seed are open to everybody" in everything(ben)
    assert "the one that was committed to" in everything(ben)


def test_who_asks_for_the_replay_of_a_game_at_play_is_led_to_its_table(open_page: Open) -> None:
    game, _ = created(Player("Ann"), Player("Bo"))
    at = open_page()
    at.switch_page("screens/replay.py")
    at.query_params["replay"] = game.id
    at.run()
    assert not at.exception
    assert "is being played" in everything(at)
    assert pictures(at) == []
    (link,) = [each.proto for each in at.get("page_link") if each.proto.label == "To the table"]
    assert (link.page, link.query_string) == ("play", f"live={game.id}")
