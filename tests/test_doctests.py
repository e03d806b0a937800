"""The examples in docstrings hold."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("core", "dashboard", "events", "replay", "tests")
PROMPT = re.compile(r"^ *>>> ", re.MULTILINE)
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for folder in FOLDERS
    for path in sorted((ROOT / folder).rglob("*.py"))
    if PROMPT.search(path.read_text())
]


@pytest.mark.parametrize("module", MODULES)
def test_what_a_docstring_shows_is_what_comes_out(module: str) -> None:
    done = doctest.testmod(import_module(module))
    assert done.attempted
    assert not done.failed
