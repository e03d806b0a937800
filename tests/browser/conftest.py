"""A real Chromium, and servers for it to visit. Every test of this folder is marked `browser`.

The folder is a package so that its files share a Chromium and a service: to start them costs as much as many tests.
"""

import http.client
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from events.tape import Player, Tape, sealed
from replay.simulate import Batch, simulate
from replay.storage.store import Store
from tests.browser.pages import COMMAND, GAMES, HOSTILE, PATIENCE, QUEEN, Tab

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
# The first is the same engine without the window around the page, which costs half as much beside what the page costs.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# Root cannot have Chromium's sandbox, and a closed network makes its errands at home fail noisily. No page here lives
# so long that compiling its scripts for speed is paid back.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--js-flags=--no-maglev,--no-turbofan",
]
START_SECONDS = 180
STOP_SECONDS = 5

Serve = Callable[..., str]


@dataclass(frozen=True)
class Server:
    """A running server process and the file that takes what it prints."""

    command: list[str]
    port: int
    process: subprocess.Popen[bytes]
    log: Path

    def output(self) -> str:
        """Return the end of what the server has printed."""
        return self.log.read_text(errors="replace")[-8000:]

    def answers(self, path: str) -> bool:
        """Say whether a GET of the path gives 200. Never goes through a proxy."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2)
        try:
            connection.request("GET", path)
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def stop(self) -> None:
        """End the process and whatever it has started."""
        for sign in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, sign)
            except ProcessLookupError:
                break
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                continue
        self.process.wait()


SERVERS: pytest.StashKey[list[Server]] = pytest.StashKey()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put the output of the servers beside a failure."""
    report = yield
    if report.failed:
        for server in item.config.stash.get(SERVERS, []):
            report.sections.append((f"output of {' '.join(server.command)}", server.output()))
    return report


# One Chromium for the folder and not for the session: while Playwright's sync API lives, an event loop counts as
# running in this thread, and an `asyncio.run` in any later test of the same worker would fail.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Give a Chromium. Without one the test is skipped, or fails where TABLETAPE_BROWSER=required."""
    executable = next(filter(None, map(shutil.which, NAMES)), None)
    if executable is None:
        reason = f"no Chromium on PATH (looked for {', '.join(NAMES)})"
        if os.environ.get("TABLETAPE_BROWSER") == "required":
            pytest.fail(f"TABLETAPE_BROWSER=required, but {reason}", pytrace=False)
        pytest.skip(reason)
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="package")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """Give a context: what it has read of Streamlit it need not read again."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


@pytest.fixture(scope="package")
def shared_tab(context: BrowserContext) -> Tab:
    """Give the tab in which tests open their pages, one after another."""
    return Tab(context.new_page())


@pytest.fixture
def tab(shared_tab: Tab) -> Iterator[Tab]:
    """Give it to one test, which leaves it as it was; nothing may have been complained about."""
    yield shared_tab
    shared_tab.leave()


@pytest.fixture(scope="package")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Games of Queen for two to five seats and for teams, and one with hostile names. Tests may add some."""
    store = Store(tmp_path_factory.mktemp("database") / "games.duckdb")

    def play(seats: int, seed: str, count: int, options: bytes = b"{}") -> list[Tape]:
        bots = ("greedy", *["random"] * (seats - 1))
        return list(simulate(Batch(game=QUEEN, seats=seats, seed=seed, bots=bots, options=options), count))

    for seats, count in GAMES.items():
        store.add(play(seats, "browser", count))
    store.add(play(4, "browser", 2, b'{"teams":true}'))
    (tape,) = play(3, "hostile", 1)
    store.add([sealed(msgspec.structs.replace(tape.header, players=tuple(map(Player, HOSTILE))), tape.events)])
    store.measure()
    return store


@pytest.fixture(scope="package")
def environment(store: Store, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Tells the service its database, and of a fifth game beside ours: a package that looks installed to Python."""
    site = tmp_path_factory.mktemp("site")
    info = site / "hidden_stones-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hidden-stones\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[tabletape.games]\nhidden-stones = tests.toy:HiddenStones\n")
    return {
        "TABLETAPE_DB": str(store.path),
        "PYTHONPATH": os.pathsep.join((str(site), str(ROOT), os.environ.get("PYTHONPATH", ""))),
    }


@pytest.fixture(scope="package")
def service(serve: Serve, environment: dict[str, str]) -> str:
    """Give the address of `tabletape serve` on these games."""
    return serve([*COMMAND, "serve", "--port", "{port}"], environment, "/api/health")


@pytest.fixture(scope="package")
def serve(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Give `serve(command, env=None, ready="/_stcore/health") -> base_url`.

    The command is started in the root of the checkout with a free loopback port in place of "{port}" (also in values
    of `env`, which comes on top of the environment). `serve` returns once a GET of `ready` gives 200. The process group
    ends with the last test of the folder.
    """
    running: list[Server] = request.config.stash.setdefault(SERVERS, [])

    def start(command: list[str], env: dict[str, str] | None = None, ready: str = "/_stcore/health") -> str:
        port = free_port()
        command = [word.replace("{port}", str(port)) for word in command]
        extra = {name: value.replace("{port}", str(port)) for name, value in (env or {}).items()}
        log = tmp_path_factory.mktemp("server") / "output.txt"
        with log.open("wb") as out:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=os.environ | extra,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        server = Server(command, port, process, log)
        running.append(server)
        deadline = time.monotonic() + START_SECONDS
        while not server.answers(ready):
            if process.poll() is not None:
                pytest.fail(f"the server ended with {process.returncode}:\n{server.output()}", pytrace=False)
            if time.monotonic() > deadline:
                pytest.fail(f"no answer in {START_SECONDS} s from {ready}:\n{server.output()}", pytrace=False)
            time.sleep(0.1)
        return f"http://127.0.0.1:{port}"

    yield start
    while running:
        running.pop().stop()


def free_port() -> int:
    """Return a loopback port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port
