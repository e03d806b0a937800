"""Batches are the same however often, in whatever process and by however many of them they are played."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

from core.streams import decode
from events.errors import SetupError, TabletapeError
from events.tape import SEED_LIMIT
from replay.cli.stopping import until_stopped
from replay.games import load
from replay.jobs.workers import WorkerLost, spread
from replay.simulate import Batch, check, simulate
from replay.storage.store import Store
from tests.replay.dying import squared_at_the_second_try
from tests.replay.tapes import SMALL

QUEEN = "queen-of-the-cupcakes"
PAIR = Batch(game=QUEEN, seats=2, seed="42", bots=("random", "greedy"))
DIGESTS = """
from replay.simulate import Batch, simulate
batch = Batch(game="queen-of-the-cupcakes", seats=3, seed="42", bots=("random", "greedy", "random"))
print([(tape.header.id, tape.header.digest) for tape in simulate(batch, 12)])
"""


def test_the_same_batch_gives_the_same_games_in_processes_with_different_hash_seeds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    other = subprocess.run(
        [sys.executable, "-c", DIGESTS],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONHASHSEED": "4242"},
        capture_output=True,
        text=True,
        check=True,
    )
    exec(DIGESTS, {})
    printed = capsys.readouterr().out
    assert printed.count("-") > 12
    assert printed == other.stdout


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So a test need not play hundreds of games for more than one."""
    monkeypatch.setattr("replay.simulate.CHUNK", 10)


@pytest.mark.usefixtures("small_chunks")
def test_several_processes_play_the_same_games_in_the_same_order() -> None:
    batch = Batch(game=QUEEN, seats=2, seed="jobs", bots=("random", "random"))
    assert list(simulate(batch, 36, jobs=2)) == list(simulate(batch, 36))


@pytest.mark.usefixtures("small_chunks")
def test_any_executor_plays_the_same_games() -> None:
    with ThreadPoolExecutor(2) as pool:
        digests = [tape.header.digest for tape in simulate(PAIR, 25, 2, pool)]
    assert digests == [tape.header.digest for tape in simulate(PAIR, 25)]


def test_the_work_of_a_worker_that_is_killed_is_done_again_and_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    work = partial(squared_at_the_second_try, tmp_path)
    assert list(spread(work, range(9), jobs=2)) == [number**2 for number in range(9)]


def test_work_that_kills_every_worker_is_given_up_in_one_line() -> None:
    with pytest.raises(WorkerLost, match=r"^a worker process ended in the middle of its work, 3 times; .+\?$"):
        list(spread(os._exit, [1, 1, 1], jobs=2))


def test_a_worker_does_not_begin_with_what_runs_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit runs a page as `__main__`, and a process that is started by a page would run it first."""
    page = ModuleType("__main__")
    page.__file__ = str(tmp_path / "page.py")
    Path(page.__file__).write_text("raise SystemExit('a page was run')")
    monkeypatch.setitem(sys.modules, "__main__", page)
    assert list(spread(abs, [-1, -2, -3], jobs=2)) == [1, 2, 3]
    assert sys.modules["__main__"] is page


def test_few_pieces_are_handed_out_ahead_however_many_there_are() -> None:
    pieces = iter(range(10_000))
    with ThreadPoolExecutor(2) as pool:
        results = spread(abs, pieces, 2, pool)
        assert [next(results) for _ in range(5)] == [0, 1, 2, 3, 4]
    assert next(pieces) <= 5 + 2 * 2


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_long_work_ends_in_good_order_when_it_is_told_to(sign: signal.Signals) -> None:
    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
    with until_stopped() as go_on:
        assert go_on()
        signal.raise_signal(sign)
        assert not go_on()
        signal.raise_signal(signal.SIGTERM)  # `timeout` sends it twice
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] == before


def test_ctrl_c_keeps_every_chunk_that_was_played_and_leaves_no_worker(tmp_path: Path) -> None:
    db = tmp_path / "games.duckdb"
    command = ["simulate", "picnic-palace", "-n", "1000000", "--jobs", "2", "--no-measure", "--db", str(db)]
    process = subprocess.Popen(
        [sys.executable, "-c", SMALL, *command],
        cwd=Path(__file__).parents[2],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a terminal sends Ctrl-C to all that run in it
    )
    while not db.exists() or not Store(db).count():
        assert process.poll() is None
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate()  # waits until nobody has these pipes open: no worker is left
    assert process.returncode == 130
    assert "Traceback" not in err
    assert err.splitlines()[-1] == "tabletape: stopped; what was stored until then stays"
    store = Store(db)
    kept = store.count()
    assert kept % 20 == 0
    assert out.startswith(f"{kept} games added")
    batch = Batch(game="picnic-palace", seats=2, seed="0", bots=("random", "random"))
    assert store.heads()["id"].to_list() == [batch.id_of(number) for number in range(kept)]


def test_games_of_a_batch_differ_and_a_longer_batch_begins_with_the_shorter() -> None:
    first = list(simulate(PAIR, 5))
    assert len({tape.header.digest for tape in first}) == 5
    assert list(simulate(PAIR, 8))[:5] == first


def test_ids_are_ordered_and_belong_to_the_batch() -> None:
    ids = [PAIR.id_of(number) for number in (0, 1, 2, 255, 256, 2**39)]
    assert ids == sorted(ids)
    other = Batch(game=QUEEN, seats=2, seed="43", bots=("random", "greedy"))
    assert other.id_of(0)[:12] != PAIR.id_of(0)[:12]
    assert {id[14] for id in ids} == {"8"}, "version 8: an id of our own making"


def test_players_rotate_so_that_nobody_profits_from_a_seat() -> None:
    seats = [[player.name for player in tape.header.players] for tape in simulate(PAIR, 4)]
    assert seats == [["random", "greedy"], ["greedy", "random"]] * 2
    fixed = Batch(game=QUEEN, seats=2, seed="42", bots=("random", "greedy"), fixed_seats=True)
    assert {tuple([p.name for p in tape.header.players]) for tape in simulate(fixed, 3)} == {("random", "greedy")}


def test_a_bots_draws_move_no_deck() -> None:
    """Two line-ups of one seed are dealt the same cards, whatever the bots draw."""
    dealt = []
    for bots in (("random", "random"), ("greedy", "random")):
        tape = next(simulate(Batch(game=QUEEN, seats=2, seed="42", bots=bots), 1))
        events, _ = decode(type(load(QUEEN)), tape)
        dealt.append(events[1])
    assert dealt[0] == dealt[1]


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"game": "queen-of-cupcakes"}, "did you mean queen-of-the-cupcakes"),
        ({"seats": 9, "bots": ("random",) * 9}, "for 2 to 5 seats, not for 9"),
        ({"bots": ("random",)}, "2 seats need 2 players"),
        ({"bots": ("random", "clever")}, "no bot of Queen of the Cupcakes is called 'clever'"),
        ({"options": b'{"team":true}'}, "it has: teams"),
        ({"options": b'{"teams":true}'}, "QC-30"),
        ({"seed": ""}, None),
        ({"seed": "x" * SEED_LIMIT}, "1 to 64 bytes"),
    ],
)
def test_a_batch_that_cannot_be_played_says_why_in_one_line(changed: dict[str, object], says: str | None) -> None:
    fields = {name: getattr(PAIR, name) for name in PAIR.__struct_fields__} | changed
    batch = Batch(**fields)
    if says is None:
        assert check(batch).slug == QUEEN  # an empty base seed is lawful: games are dealt from "/0", "/1", ...
        return
    with pytest.raises(TabletapeError, match=says) as error:
        check(batch)
    assert isinstance(error.value, SetupError)
    assert "\n" not in str(error.value)
