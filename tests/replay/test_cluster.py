"""Games played and judged by the workers of a real Dask scheduler, one of which is killed in the middle."""

import logging
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name
from typing import NamedTuple

import pytest

from events.errors import SetupError
from replay.cli import run
from replay.jobs.cluster import ClusterError, cluster
from replay.lake.moving import play
from replay.lake.reading import LakeStore
from replay.lake.segments import Lake
from replay.simulate import Batch, simulate

ROOT = Path(__file__).parents[2]
BATCH = Batch(game="queen-of-the-cupcakes", seats=2, seed="cluster", bots=("random", "random"))
COUNT, GAMES = 24, 4


class Machines(NamedTuple):
    """Where the scheduler listens, and two workers, each a process."""

    address: str
    workers: "list[subprocess.Popen[bytes]]"


@pytest.fixture
def machines() -> Iterator[Machines]:
    local = resolve_name("distributed:LocalCluster")  # here: who does not run this test need not wait for the import
    with local(n_workers=0, host="127.0.0.1", dashboard_address=None, silence_logs=logging.CRITICAL) as here:
        address = here.scheduler_address
        command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-dashboard", "--no-nanny"]
        command += ["--host", "127.0.0.1", "--nthreads", "1"]
        quiet = subprocess.DEVNULL
        workers = [subprocess.Popen(command, cwd=ROOT, stdout=quiet, stderr=quiet) for _ in range(2)]
        while len(here.scheduler.workers) < len(workers):
            assert [process.poll() for process in workers] == [None, None]
            time.sleep(0.05)
        yield Machines(address, workers)
        for process in workers:
            process.kill()
            process.wait()


def test_a_worker_that_is_killed_costs_no_game_and_doubles_none(
    machines: Machines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lake = str(tmp_path / "lake")
    seen = list[int]()

    def progress(done: int) -> None:
        if not seen:
            machines.workers[0].kill()
        seen.append(done)

    with cluster(machines.address) as crew:
        assert crew.executor is not None
        added = play(BATCH, COUNT, Lake(lake), crew.jobs, crew.executor, False, progress, games=GAMES)
    assert (added.new, added.known) == (COUNT, 0)
    assert machines.workers[0].wait() != 0
    assert len(seen) == COUNT // GAMES
    there = [(tape.header.id, tape.header.digest) for tape in LakeStore(lake).tapes()]
    assert there == [(tape.header.id, tape.header.digest) for tape in simulate(BATCH, COUNT)]

    assert run(["verify", "--all", "--db", lake, "--cluster", machines.address]) == 0
    assert f"{COUNT} games: {COUNT} whole, {COUNT} legal, {COUNT} exact" in capsys.readouterr().out
    options = ["--seed", "cluster", "--players", "random,random", "--segments", lake, "--cluster", machines.address]
    assert run(["simulate", BATCH.game, "-n", str(COUNT), *options]) == 0
    assert f"0 games added, {COUNT} already there" in capsys.readouterr().out


def test_no_scheduler_no_dask_and_no_lake_are_one_line_each(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ClusterError, match="no Dask scheduler answers at 'nowhere'"), cluster("nowhere"):
        pass
    assert run(["simulate", BATCH.game, "--cluster", "tcp://127.0.0.1:1"]) == 2
    assert "say --segments" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(SetupError, match=r"pip install 'tabletape\[cluster\]'"), cluster("tcp://127.0.0.1:1"):
        pass


def test_what_is_no_address_leaves_no_client_that_complains_when_the_program_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = list[object]()
    monkeypatch.setattr("distributed.Client.__init__", lambda client, *_, **__: made.append(client))
    with pytest.raises(ClusterError, match="no Dask scheduler answers at 'nonsense'"), cluster("nonsense"):
        pass
    assert not made
