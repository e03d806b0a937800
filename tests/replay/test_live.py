"""Live games without HTTP: the referee, nature, tokens, secret answers, taking back, and starting again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.conformance import random_game
from core.engine import states
from core.redact import seen
from core.registry import OURS
from events.base import Event, Move, TakenBack
from events.codec import encode
from events.errors import SetupError, UnlawfulEvent
from events.marks import Viewer
from events.tape import Player
from events.trash_pandas import RollingStopped, YumYumKept
from replay.debugger.branching import branch, fresh_id, keep, option_of
from replay.errors import Conflict, StoreBusy
from replay.games import load
from replay.live.game import NOT_NOW, Held, LiveGame, LiveGames, Wish
from replay.live.tokens import keeps
from replay.report import moves_at
from replay.storage.store import Store
from replay.timeline import Timeline
from replay.verify import verify

PANDAS = "trash-pandas"
PEOPLE = (Player("Ann"), Player("Ben"), Player("Cat"))


@pytest.fixture
def games(store: Store) -> Iterator[LiveGames]:
    with store.appender() as appender:
        yield LiveGames(store, appender)


def moves(game: LiveGame, viewer: Viewer) -> list[Move]:
    line = game.timeline()
    return list(moves_at(line, len(line) - 1, viewer))


def step(game: LiveGame, turn: int) -> int | None:
    """Let the first seat that may move do so; gives the seat, None when the game is over."""
    for seat in range(game.timeline().seats):
        own = moves(game, seat)
        try:
            if own:
                game.move(seat, encode(own[turn % len(own)]), game.seen_by(seat))
                return seat
        except Held:
            continue
    assert game.over
    return None


def play(game: LiveGame) -> None:
    turn = 0
    while step(game, turn) is not None:
        turn += 1


@pytest.mark.parametrize("kind", OURS, ids=lambda kind: kind.slug)
def test_a_whole_game_verifies_exact_and_keeps_its_commitment(store: Store, games: LiveGames, kind: Any) -> None:
    players = (Player("Ann"), Player("Ben"), Player("bot", "random"))
    game, _ = games.create(Wish(game=kind.slug, players=players, window=0))
    play(game)
    tape = store.read(game.id)
    verdict = verify(tape)
    assert (verdict.failures, verdict.grades[-1], verdict.finished) == ((), "exact", True)
    assert game.facts.commitment
    assert game.facts.salt
    assert tape.header.seed
    assert keeps(game.facts.commitment, tape.header.seed, game.facts.salt)
    assert not keeps(game.facts.commitment, f"{tape.header.seed}0", game.facts.salt)
    assert games.find(game.id) is None


def test_a_seat_moves_for_itself_alone_and_is_told_no_reason(games: LiveGames) -> None:
    game, _ = games.create(Wish(game=PANDAS, players=PEOPLE, window=0))
    (first, *_) = moves(game, 0)
    for seat, move in ((1, first), (1, {"type": "die_thrown", "seat": 1}), (0, {"type": "turn_ended", "seat": 0})):
        raw = encode(move) if isinstance(move, Event) else str(move).replace("'", '"').encode()
        with pytest.raises(UnlawfulEvent) as refused:
            game.move(seat, raw, game.seen_by(seat))
        assert str(refused.value) == NOT_NOW


def test_the_same_move_again_changes_nothing_and_a_late_one_is_told_both_numbers(games: LiveGames) -> None:
    game, _ = games.create(Wish(game=PANDAS, players=PEOPLE, window=0))
    before = game.seen_by(0)
    raw = encode(moves(game, 0)[0])
    after = game.move(0, raw, before)
    assert game.move(0, raw, before) == after
    with pytest.raises(Conflict) as late:
        game.move(0, b'{"type":"rolling_stopped","seat":0}', before)
    assert (late.value.expected, late.value.actual) == (before, after)


def test_tokens_are_kept_as_hashes_and_tell_who_somebody_is(store: Store, games: LiveGames) -> None:
    players = (Player("Ann"), Player("bot", "random"))
    game, tokens = games.create(Wish(game=PANDAS, players=players, closed=True))
    assert [game.facts.role(token) for token in (tokens.organiser, tokens.seats[0], tokens.spectator)] == [
        "organiser",
        0,
        "spectator",
    ]
    assert tokens.seats[1] is None
    assert [game.facts.role(wrong) for wrong in (None, "", "x", game.facts.organiser)] == [None] * 4
    kept = store.live_facts(game.id)
    assert kept
    assert all(token not in kept for token in (tokens.organiser, tokens.seats[0], tokens.spectator) if token)


def test_what_is_stored_is_all_that_a_restart_needs(store: Store, games: LiveGames) -> None:
    game, tokens = games.create(Wish(game=PANDAS, players=(Player("Ann"), Player("bot", "forager")), window=0))
    for turn in range(15):
        step(game, turn)
    with store.appender() as appender:
        again = LiveGames(store, appender).find(game.id)
        assert again is not None
        assert again.timeline().events == game.timeline().events
        assert again.facts.role(tokens.seats[0]) == 0
        play(again)
    assert verify(store.read(game.id)).holds


def test_a_second_server_of_a_game_is_told_to_ask_again(store: Store, games: LiveGames) -> None:
    game, _ = games.create(Wish(game=PANDAS, players=PEOPLE, window=0))
    with store.appender() as appender:
        other = LiveGames(store, appender).find(game.id)
        assert other is not None
        step(other, 0)
        step(other, 0)
    with pytest.raises(StoreBusy, match="another process"):
        game.move(0, encode(moves(game, 0)[-1]), game.seen_by(0))
    taken_up = games.find(game.id)
    assert taken_up is not None
    assert taken_up.timeline().events == other.timeline().events


def until(game: LiveGame, wanted: type[Event]) -> Move:
    """Play until somebody may make a move of a type; gives the move."""
    for turn in range(4000):
        for seat in range(game.timeline().seats):
            if found := next((move for move in moves(game, seat) if isinstance(move, wanted)), None):
                return found
        if step(game, turn) is None:
            break
    raise AssertionError("it never came to that")


def test_a_move_is_taken_back_while_nothing_was_drawn(store: Store, games: LiveGames) -> None:
    game, _ = games.create(Wish(game=PANDAS, players=PEOPLE, window=0))
    stop = until(game, RollingStopped)
    before = moves(game, stop.seat)
    count = game.move(stop.seat, encode(stop), game.seen_by(stop.seat))
    other = (stop.seat + 1) % 3
    with pytest.raises(UnlawfulEvent):
        game.take_back(other, game.seen_by(other))
    game.take_back(stop.seat, count)
    assert moves(game, stop.seat) == before
    assert isinstance(game.timeline().events[-1], TakenBack)
    with pytest.raises(UnlawfulEvent, match="cannot be taken back"):
        game.take_back(stop.seat, game.seen_by(stop.seat))
    throw = next(move for move in before if type(move).__name__ == "DieThrown")
    count = game.move(stop.seat, encode(throw), game.seen_by(stop.seat))
    with pytest.raises(UnlawfulEvent, match="cannot be taken back"):
        game.take_back(stop.seat, count)  # the die has fallen
    with pytest.raises(UnlawfulEvent, match="cannot be taken back"):
        game.take_back(None, game.seen_by("spectator"), 3)
    play(game)
    assert verify(store.read(game.id)).holds


def test_who_is_asked_in_secret_shows_in_nothing_that_others_are_told(games: LiveGames) -> None:
    """Two seats wait in the same way, whether the third may answer or not; only its own moves differ."""
    told = {}
    for _ in range(60):
        game, _ = games.create(Wish(game=PANDAS, players=PEOPLE, window=300))
        stop = until(game, RollingStopped)
        seat = stop.seat
        game.move(seat, encode(stop), game.seen_by(seat))
        asked = [rival for rival in range(3) if rival != seat and moves(game, rival)]
        if len(asked) > 1:
            continue
        watcher = next(rival for rival in range(3) if rival not in (seat, *asked))
        answers: list[object] = []
        for viewer in (seat, watcher):
            raw = encode(moves(game, viewer)[0]) if moves(game, viewer) else b'{"type":"die_thrown","seat":%d}' % viewer
            try:
                game.move(viewer, raw, game.seen_by(viewer))
            except (Held, UnlawfulEvent) as error:
                answers.append((type(error), str(error), len(moves(game, viewer)) > 0))
        last = seen(game.timeline().events[-1], watcher)
        told[bool(asked)] = (answers, type(last))
        if len(told) == 2:
            break
    assert told[True] == told[False]


def test_the_window_ends_by_itself_and_who_has_not_answered_has_declined(store: Store, games: LiveGames) -> None:
    for _ in range(60):
        game, _ = games.create(Wish(game=PANDAS, players=PEOPLE, window=0.15))
        stop = until_open(game, RollingStopped)
        changed = threading.Event()
        game.move(stop.seat, encode(stop), game.seen_by(stop.seat))
        if not any(moves(game, rival) for rival in range(3) if rival != stop.seat):
            continue
        leave = game.follow(changed.set)
        assert changed.wait(5)
        leave()
        assert any(isinstance(event, YumYumKept) for event in game.timeline().events)
        return
    raise AssertionError("nobody held a Yum Yum")


def until_open(game: LiveGame, wanted: type[Event]) -> Move:
    """Roll until the first seat may stop."""
    for _ in range(20):
        if found := next((move for move in moves(game, 0) if isinstance(move, wanted)), None):
            return found
        game.move(0, encode(moves(game, 0)[0]), game.seen_by(0))
    raise AssertionError("it never came to that")


def test_every_secret_question_follows_an_event_that_opens_a_window() -> None:
    for kind in OURS:
        game = load(kind.slug)
        for number in range(10):
            events = random_game(game, 3, f"windows/{number}")
            public: Event | None = None
            for event, state in zip(events, states(game, events), strict=True):
                public = event if seen(event, "spectator") is not None else public
                if game.forced(state) is None and any(type(move).seen_by for move in game.legal(state)):
                    assert isinstance(public, game.windows), public


def test_a_real_table_is_recorded_with_its_outcomes_and_corrected_anywhere(store: Store, games: LiveGames) -> None:
    source = random_game(load("picnic-palace"), 2, "table")
    game, tokens = games.create(Wish(game="picnic-palace", players=PEOPLE[:2], nature=False))
    assert (tokens.seats, game.facts.commitment) == ((None, None), None)
    while (at := len(game.timeline())) < 12:
        game.record(encode(source[at]), at)
    with pytest.raises(UnlawfulEvent, match="event"):
        game.record(b'{"type":"taken_back","to":40}', len(game.timeline()))
    game.record(b'{"type":"taken_back","to":3}', len(game.timeline()))
    assert game.timeline().states[-1] == game.timeline().states[3] or len(game.timeline()) > 13
    verdict = verify(store.read(game.id))
    assert (verdict.failures, verdict.grades) == ((), ("whole", "legal"))


@pytest.mark.parametrize(
    "wish",
    [
        Wish(game="nim", players=PEOPLE),
        Wish(game=PANDAS, players=PEOPLE[:1]),
        Wish(game=PANDAS, players=(Player("Ann"), Player("x", "deep-blue"))),
        Wish(game=PANDAS, players=PEOPLE, options={"nothing": 1, "nanners_any_roll": "maybe"}),
        Wish(game=PANDAS, players=PEOPLE, window=-1),
        Wish(game=PANDAS, players=(Player("Ann"), Player("x", "random")), nature=False),
    ],
    ids=["game", "seats", "bot", "options", "window", "bot at a real table"],
)
def test_what_cannot_be_played_is_refused_and_leaves_nothing(store: Store, games: LiveGames, wish: Wish) -> None:
    with pytest.raises(SetupError):
        games.create(wish)
    assert store.count() == 0


def test_a_game_at_play_has_no_branches_for_they_are_open_to_everybody(store: Store, games: LiveGames) -> None:
    game, _ = games.create(Wish(game="trash-pandas", players=(Player("Ann"), Player("Bo"))))
    line = game.timeline()
    at, event = option_of(line, len(line) - 1, "omniscient", 0)
    with pytest.raises(SetupError, match="being played"):
        keep(store, branch(line, at, event, id=fresh_id()))
    assert store.replays()["replay"].to_list() == [game.id]
    brought = [branch(line, at, event, id=fresh_id())]  # by another way: nobody is shown it, nor what branches off it
    brought.append(branch(Timeline(brought[0]), at, event, id=fresh_id()))
    store.add(brought)
    assert store.at_play() == sorted([game.id, *[tape.header.id for tape in brought]])


def test_removing_a_live_game_leaves_nothing_of_it(store: Store, games: LiveGames, path: Path) -> None:
    game, _ = games.create(Wish(game=PANDAS, players=PEOPLE))
    assert store.at_play() == [game.id]
    store.remove(game.id)
    assert (store.live_facts(game.id), store.at_play()) == (None, [])


def test_a_game_that_is_broken_off_is_over_for_all_and_for_good(store: Store, games: LiveGames) -> None:
    game, _ = games.create(Wish(game=PANDAS, players=(*PEOPLE[:2], Player("bot", "random")), window=0))
    move = moves(game, 0)[0]
    woken = threading.Event()
    game.follow(woken.set)
    games.break_off(game)
    assert woken.is_set()
    for attempt in (
        lambda: game.move(0, encode(move), game.seen_by(0)),
        lambda: game.take_back(0, game.seen_by(0)),
        lambda: games.break_off(game),
    ):
        with pytest.raises(UnlawfulEvent, match="is over"):
            attempt()
    assert (games.find(game.id), store.at_play()) == (None, [])
    with store.appender() as appender:  # a restart brings no bot back to it
        assert LiveGames(store, appender).find(game.id) is None
    verdict = verify(store.read(game.id))
    assert (verdict.failures, verdict.finished, verdict.grades[-1]) == ((), False, "exact")


def test_a_live_game_goes_on_where_its_tables_were_taken_to(store: Store, games: LiveGames, tmp_path: Path) -> None:
    game, tokens = games.create(Wish(game=PANDAS, players=PEOPLE, window=0))
    store.export_parquet(tmp_path / "tables")
    other = Store(tmp_path / "other.duckdb")
    other.bring(tmp_path / "tables")
    assert other.at_play() == [game.id]
    with other.appender() as appender:
        taken_up = LiveGames(other, appender).find(game.id)
        assert taken_up is not None
        assert taken_up.facts.role(tokens.seats[1]) == 1
        play(taken_up)
    assert verify(other.read(game.id)).grades[-1] == "exact"
