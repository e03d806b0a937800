"""SQL that somebody types: what it gives, and everything that it may not do."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from replay.sql import query as asking
from replay.sql.query import EXAMPLES, ROWS, SIZE, QueryRefused, ask
from replay.storage.store import Store
from tests.fuzz.forking import sandboxes
from tests.replay.tapes import recorded

Run = Callable[[Store, bytes], tuple[int, bytes, bytes]]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Twelve games: nothing that is asked here changes them."""
    store = Store(tmp_path_factory.mktemp("database") / "games.duckdb")
    store.add([recorded(number) for number in range(12)])
    return store


@pytest.fixture(scope="module")
def sandboxed() -> Iterator[Run]:
    with sandboxes() as run:
        yield run


@pytest.fixture
def forked(sandboxed: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork the sandbox off a process that has imported it, for what is decided inside of it."""
    monkeypatch.setattr(asking, "_run", sandboxed)


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("query", EXAMPLES.values(), ids=list(EXAMPLES))
def test_every_example_gives_rows(store: Store, query: str) -> None:
    assert ask(store, query).frame.height > 0


def test_rows_come_with_their_types_and_replays_are_what_the_store_gives(store: Store) -> None:
    answer = ask(store, "SELECT replay, seats, scores, winners FROM replays ORDER BY replay;")
    assert not answer.cut
    assert answer.frame.equals(store.replays().select("replay", "seats", "scores", "winners").sort("replay"))


@pytest.mark.usefixtures("forked")
def test_seats_are_what_the_store_gives(store: Store) -> None:
    assert ask(store, "SELECT * FROM seats ORDER BY replay, seat").frame.equals(store.seat_results())


@pytest.mark.usefixtures("forked")
def test_no_rows_still_have_columns(store: Store) -> None:
    assert ask(store, "SELECT id, game FROM replay WHERE false").frame.columns == ["id", "game"]


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("query", ["SELECT * FROM range(20000)", "SELECT repeat('x', 2000) FROM range(9000)"])
def test_what_is_too_much_is_cut_and_said(store: Store, query: str) -> None:
    answer = ask(store, query)
    assert answer.cut
    assert 0 < answer.frame.height <= ROWS
    assert answer.frame.estimated_size() < 1.2 * SIZE


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "no query"),
        ("SELECT 1; DROP TABLE event", "one SELECT is run at a time"),
        ("DELETE FROM replay", "nothing is ever written: this is DELETE"),
        ("WITH a AS (SELECT 1) INSERT INTO meta SELECT 'a', 'b'", "this is INSERT"),
        ("ATTACH 'x.db' AS x", "this is ATTACH"),
        ("COPY replay TO 'x.csv'", "this is COPY"),
        ("SET threads = 9", "this is SET"),
        ("SELECT * FROM read_csv('/etc/passwd')", "reads the recorded games only, and no files"),
        ("FROM glob('/*')", "reads the recorded games only, and no files"),
        ("FROM '/etc/passwd.csv'", "reads the recorded games only, and no files"),
        ("SELECT current_setting('allowed_paths')", "nothing of the machine.*no current_setting"),
        ("SELECT system.main.CURRENT_SETTING('secret_directory')", "nothing of the machine"),
        ("SELECT 1 WHERE EXISTS (FROM duckdb_settings())", "nothing of the machine.*no duckdb_settings"),
        ("WITH a AS (FROM pg_catalog.pg_settings) FROM a", "nothing of the machine.*no pg_settings"),
        ("SELECT path FROM duckdb_databases", "nothing of the machine.*no duckdb_databases"),
        ("SUMMARIZE pragma_database_list", "nothing of the machine.*no pragma_database_list"),
        ("FROM query('FROM duckdb_' || 'settings()')", "nothing of the machine.*no query"),
        ("SELECT nonsense FROM replay", "nonsense"),
        ("SELEKT 1", "syntax error"),
        ("SELECT '" + "x" * 30_000 + "'", "at most 20,000 bytes"),
        ("SELECT 1 -- \ud800", "not text"),
        ("SELECT 1 AS a, 2 AS a", "more than one column is called 'a'"),
        ("SELECT [INTERVAL 1 DAY] AS x", "'x' has a type that cannot be shown: cast it"),
        ("SELECT {'a': DATE 'infinity'} AS x", "beyond what can be shown: cast it"),
    ],
)
def test_what_may_not_be_asked_is_refused_in_a_line(store: Store, query: str, said: str) -> None:
    before = store.generation()
    with pytest.raises(QueryRefused, match=said) as refused:
        ask(store, query)
    assert "\n" not in str(refused.value)
    assert store.generation() == before
    assert not list(store.path.parent.glob("x.*"))


@pytest.mark.parametrize(
    ("query", "seconds"),
    [
        ("SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE hash(a.range, b.range) = 7", 1.0),
        ("SELECT pg_sleep(30)", 0.5),  # it takes no processor time, whose limit would end it: only waiting does
        ("SELECT length(repeat('x', 4000000000))", asking.SECONDS),
    ],
)
def test_a_runaway_ends_and_leaves_the_store_to_writers(
    store: Store, query: str, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "SECONDS", seconds)
    with pytest.raises(QueryRefused, match="was stopped"):
        ask(store, query)
    store.add_note(store.replays()["replay"][0], 0, "still writes")
