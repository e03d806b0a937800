"""Several machines as one executor: a cluster of Dask (`distributed`), an optional part of the installation."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pkgutil import resolve_name
from typing import Final

from msgspec import Struct

from events.errors import SetupError, TabletapeError
from replay.jobs.workers import TRIES, WorkerLost

PATIENCE: Final = 10
"""Seconds to wait for the scheduler, and for its first worker."""


class ClusterError(TabletapeError):
    """A cluster cannot be worked with, and why."""


class Crew(Struct, frozen=True):
    """Who does the work: so many workers, of an executor, or (None) processes of this machine."""

    jobs: int
    executor: Executor | None = None


@contextmanager
def crew(address: str | None, jobs: int) -> Iterator[Crew]:
    """Give the workers of a cluster, if there is an address, or so many processes of this machine: see `cluster`."""
    if address is None:
        yield Crew(jobs)
    else:
        with cluster(address) as found:
            yield found


@contextmanager
def cluster(address: str) -> Iterator[Crew]:
    """Connect to the scheduler at an address, e.g. `tcp://host:8786`, for as long as the block runs.

    What a lost worker was at is done again by another one. Raises `SetupError` if Dask is not installed, `ClusterError`
    if there is no scheduler or no worker, `WorkerLost` if a piece of work has cost several workers their life.
    """
    try:
        client_of, killed = resolve_name("distributed:Client"), resolve_name("distributed:KilledWorker")
        host_and_port = resolve_name("distributed.comm:get_address_host_port")
    except ImportError:
        raise SetupError("several machines need Dask: pip install 'tabletape[cluster]'") from None
    try:
        host_and_port(address)  # a client that fails at this complains once more when the program ends
        client = client_of(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise ClusterError(f"no Dask scheduler answers at {address[:200]!r} ({type(error).__name__})") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise ClusterError(f"the scheduler at {address} has no workers; start some with `dask worker`") from None
        jobs = sum(worker["nthreads"] for worker in client.scheduler_info(n_workers=-1)["workers"].values())
        with client.get_executor(retries=TRIES, pure=False) as executor:
            try:
                yield Crew(jobs, executor)
            except killed as error:
                raise WorkerLost(f"workers of the cluster ended in the middle of their work: {error}") from None
