"""What all tests share."""

import gc
import sys
from collections.abc import Generator, Iterator
from functools import cache
from typing import Any

import pytest
import structlog


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Let the garbage collector pass over what stays until the end: every library, and thousands of tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the file that takes longest of the last ones come first: one core would wait for the other at the end."""
    items.sort(key=lambda item: item.path.name != "test_wheel.py")


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config) -> Generator[None, Any, Any]:
    """Hand out the browser tests as if they were one file: they share a Chromium and a service."""
    scheduling = yield
    if config.getoption("dist") == "loadfile":
        by_file = scheduling._split_scope
        scheduling._split_scope = lambda id: "tests/browser" if id.startswith("tests/browser/") else by_file(id)
    return scheduling


@pytest.fixture(scope="session", autouse=True)
def packages_looked_through_once() -> Iterator[None]:
    """Let Streamlit look for packages with components once, and not for every `AppTest`: it reads all that is there."""
    with pytest.MonkeyPatch.context() as patch:
        if "streamlit.testing.v1" in sys.modules:
            from streamlit.components.v2 import manifest_scanner as scanner

            patch.setattr(scanner, "scan_component_manifests", cache(scanner.scan_component_manifests))
        yield


@pytest.fixture(autouse=True)
def logs_as_they_were() -> Iterator[None]:
    """Take back how a test has set up the logs: a command run in this process sets them up for the whole of it."""
    before = structlog.get_config()
    yield
    structlog.configure(**before)


@pytest.fixture(autouse=True)
def main_as_it_was() -> Iterator[None]:
    """Take back the page that Streamlit leaves as `__main__`: whatever process is started next would run it first."""
    before = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = before
