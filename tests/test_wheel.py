"""The wheel holds what the checkout holds: four packages, and the data they read."""

import json
import os
import subprocess
import sys
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
    assert all(owner == ["tabletape"] for owner in seen["owners"].values())
    assert seen["script"] == ["replay.cli:main"]


@pytest.mark.parametrize("package", ["core", "dashboard", "events", "replay"])
def test_wheel_is_typed(installed: Path, package: str) -> None:
    assert (installed / package / "py.typed").is_file()
