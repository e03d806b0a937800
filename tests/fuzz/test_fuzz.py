"""What the fuzzing found stays mended, and a short run finds nothing more; `make fuzz` is the long one."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from tests.fuzz import asked, heavy, stored, texts
from tests.fuzz.harness import Feed, Harness
from tests.fuzz.inputs import inputs

HARNESSES = (*texts.HARNESSES, *stored.HARNESSES, *asked.HARNESSES)


@pytest.mark.parametrize("harness", HARNESSES, ids=lambda each: each.name)
def test_nothing_leaves_but_errors_of_ours(harness: Harness) -> None:
    assert harness.corpus
    with harness.opened() as feed:
        for file in harness.corpus:
            try:
                feed(file.read_bytes())
            except BaseException as error:
                error.add_note(f"fed with {file}")
                raise
        if harness.examples:
            _fed(harness, feed)


def _fed(harness: Harness, feed: Feed) -> None:
    @settings(max_examples=harness.examples, suppress_health_check=list(HealthCheck))
    @given(inputs(harness.seeds(), harness.words))
    def fed(text: bytes) -> None:
        feed(text)

    fed()


@pytest.mark.parametrize("name", [name for name, (_, small, _) in heavy.CASES.items() if small])
def test_what_is_large_is_borne(name: str) -> None:
    case, small, _ = heavy.CASES[name]
    case(small)
