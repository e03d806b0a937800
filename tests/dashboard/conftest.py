"""What the tests of the pages share."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit import config

SETTINGS = Path(__file__).parents[2] / "dashboard" / ".streamlit" / "config.toml"


@pytest.fixture(scope="session", autouse=True)
def settings_of_the_service() -> Iterator[None]:
    """Run the pages as the service runs them: `AppTest` does not read the settings that stand beside `app.py`."""
    runner = {f"runner.{name}": value for name, value in tomllib.loads(SETTINGS.read_text())["runner"].items()}
    before = {name: config.get_option(name) for name in runner}
    for name, value in runner.items():
        config.set_option(name, value)
    yield
    for name, value in before.items():
        config.set_option(name, value)
