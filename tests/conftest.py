"""What all tests share."""

import sys
from collections.abc import Iterator
from functools import cache

import pytest
import structlog


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
