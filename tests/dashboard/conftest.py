"""What the tests of the pages share."""

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def own_main_module() -> Iterator[None]:
    """Keep `__main__` what it was: Streamlit's AppTest puts its script there, and spawned processes would run it."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main
