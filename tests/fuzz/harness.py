"""What a harness is: it takes bytes, gives them to one part of Tabletape, and raises only if that part is at fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from events.errors import TabletapeError

CORPUS: Final = Path(__file__).parent / "corpus"

LINE: Final = 2_000
"""Characters of the longest message that an error may have."""

Feed = Callable[[bytes], None]


class Harness(NamedTuple):
    """`opened` sets up what is fed, and gives the function that feeds it. `seeds` are inputs that are mutated.

    `words` are pieces that the mutations put in beside those that are hostile everywhere. `examples` is how many inputs
    are made in the test suite beside the corpus: none where a single one is dear.
    """

    name: str
    opened: Callable[[], AbstractContextManager[Feed]]
    seeds: Callable[[], Sequence[bytes]]
    words: Sequence[bytes] = ()
    examples: int = 0

    @property
    def corpus(self) -> list[Path]:
        """The inputs that are kept."""
        return sorted((CORPUS / self.name).glob("*"))


@contextmanager
def ours() -> Iterator[None]:
    """Let through what may leave Tabletape: its own errors, each a line."""
    try:
        yield
    except TabletapeError as error:
        is_a_line(str(error))


def is_a_line(text: str) -> None:
    """Raise `AssertionError` for what is no message: nothing, several lines, or far too long."""
    assert text.strip()
    assert len(text.splitlines()) == 1, text
    assert len(text) <= LINE, f"{len(text)} characters: {text[:200]}"
