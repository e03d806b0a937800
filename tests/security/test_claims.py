"""The security page claims what is tested, and what is tested for its sake stands there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = ("tests/security", "tests/leaks")
ROW = re.compile(r"(?m)^\| (SEC-\d\d) \| (.+) \| (.+) \|$")


def claims() -> list[tuple[str, list[str]]]:
    """Give each claim of the page with its tests (file::function)."""
    page = (ROOT / "docs/security.md").read_text()
    return [(id, re.findall(r"`(tests/\S+?::\w+)`", tests)) for id, _, tests in ROW.findall(page)]


def found_in(file: str) -> list[str]:
    """Give the tests of a file."""
    tree = ast.parse((ROOT / file).read_text())
    return [
        f"{file}::{node.name}" for node in tree.body if isinstance(node, ast.FunctionDef) if node.name[:5] == "test_"
    ]


def test_each_claim_has_its_test() -> None:
    found = claims()
    ids = [id for id, _ in found]
    assert ids == sorted(set(ids))
    assert len(ids) == (ROOT / "docs/security.md").read_text().count("\n| SEC-") > 20
    for id, tests in found:
        assert tests, id
        assert [test for test in tests if test not in found_in(test.partition("::")[0])] == [], id


def test_each_test_of_these_stands_at_a_claim() -> None:
    claimed = {test for _, tests in claims() for test in tests}
    files = [file.relative_to(ROOT).as_posix() for folder in OURS for file in (ROOT / folder).glob("test_*.py")]
    assert [test for file in sorted(files) for test in found_in(file) if test not in claimed] == []
