"""The wheel holds what the checkout holds: four packages, and the data they read."""

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROBE = """
import core, dashboard, events, importlib.metadata, json, replay
from replay.packaged import data_root
root = data_root()
owners = importlib.metadata.packages_distributions()
print(json.dumps({
    "places": [module.__file__ for module in (core, dashboard, events, replay)],
    "root": str(root),
    "data": sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()),
    "owners": {name: owners.get(name) for name in ("core", "dashboard", "events", "replay")},
    "script": [e.value for e in importlib.metadata.distribution("tabletape").entry_points if e.name == "tabletape"],
}))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel and install it, alone and without a network, into a folder of its own."""
    pytest.importorskip("pip", reason="installing the wheel needs pip, which this environment lacks")
    wheels, target = tmp_path_factory.mktemp("wheels"), tmp_path_factory.mktemp("installed")
    run(ROOT, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels))
    (wheel,) = wheels.glob("*.whl")
    run(
        wheels,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--no-compile",
        "--target",
        str(target),
        str(wheel),
    )
    return target


def run(folder: Path, *arguments: str, **env: str) -> str:
    """Run Python in a folder and return what it prints; a failure shows all that it said."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=os.environ | env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_wheel_stands_alone(installed: Path, tmp_path: Path) -> None:
    seen = json.loads(run(tmp_path, "-c", PROBE, PYTHONPATH=str(installed)))
    assert all(Path(place).is_relative_to(installed) for place in seen["places"])
    assert Path(seen["root"]).is_relative_to(installed)
    data = ROOT / "data"
    assert seen["data"] == sorted(path.relative_to(data).as_posix() for path in data.rglob("*") if path.is_file())
    assert all(set(owner) == {"tabletape"} for owner in seen["owners"].values())
    assert seen["script"] == ["replay.cli:main"]


@pytest.mark.parametrize("package", ["core", "dashboard", "events", "replay"])
def test_wheel_is_typed(installed: Path, package: str) -> None:
    assert (installed / package / "py.typed").is_file()


PAGE = """
import dashboard, pathlib
from streamlit.testing.v1 import AppTest
at = AppTest.from_file(pathlib.Path(dashboard.__file__).with_name("app.py"), default_timeout=60).run()
print(at.exception or at.title[0].value)
"""


def answer(port: int, host: str) -> tuple[int, bytes]:
    """GET the health of a service on loopback under a name; give status and body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.request("GET", "/api/health", headers={"Host": host})
    response = connection.getresponse()
    return response.status, response.read()


def test_wheel_serves(installed: Path, tmp_path: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    env = {"PYTHONPATH": str(installed), "TABLETAPE_DB": str(tmp_path / "games.duckdb")}
    assert run(tmp_path, "-c", PAGE, **env).strip().endswith("Library")
    command = [sys.executable, "-c", "from replay.cli import main; main()", "serve", "--port", str(port)]
    log = tmp_path / "log.txt"
    with log.open("wb") as out:
        service = subprocess.Popen(command, cwd=tmp_path, env=os.environ | env, stdout=out, stderr=out)
    try:
        for _ in range(300):
            assert service.poll() is None, log.read_text()
            try:
                status, body = answer(port, "127.0.0.1")
                break
            except OSError:
                time.sleep(0.2)
        assert (status, json.loads(body)["ok"], json.loads(body)["replays"]) == (200, True, 0)
        assert answer(port, "evil.example")[0] == 400
    finally:
        service.kill()
        service.wait()
