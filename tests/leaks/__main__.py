"""The long search for leaks: `python -m tests.leaks --games 200`. Prints what was compared, and each leak."""

from __future__ import annotations

import argparse
import logging
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from core.registry import OURS
from replay.games import load
from tests.leaks.channels import PAGES
from tests.leaks.search import search


def main() -> int:
    """Search; give 1 if anything leaks."""
    parser = argparse.ArgumentParser(prog="python -m tests.leaks", description=__doc__)
    parser.add_argument("--games", type=int, default=100, help="twins of each game")
    parser.add_argument("--first", type=int, default=0, help="the number of the first: others find others")
    parser.add_argument("--play", type=int, default=10, help="every which one at a service too, as a game at play")
    parser.add_argument("--pages", type=int, default=50, help="every which one through the pages too")
    parser.add_argument("--game", choices=[kind.slug for kind in OURS], help="of this game alone")
    wanted = parser.parse_args()
    logging.getLogger("streamlit").setLevel(logging.CRITICAL)  # pages that run outside of a server
    found = 0
    for kind in OURS:
        if wanted.game in (None, kind.slug):
            found += searched(kind.slug, range(wanted.first, wanted.first + wanted.games), wanted.play, wanted.pages)
    return 1 if found else 0


def searched(slug: str, numbers: range, play: int, pages: int) -> int:
    """Search one game, and print what was compared; give how many leaks there are."""
    swaps, compared, leaks, played = Counter[str](), Counter[str](), 0, 0
    for number in numbers:
        with TemporaryDirectory() as folder:
            at = Path(folder) if number % play == 0 else None
            found = search(load(slug), number, at, PAGES if number % pages == 0 else None)
        swaps += found.swaps
        compared += found.compared
        leaks += len(found.leaks)
        played += found.swaps.total() if at else 0
        for leak in found.leaks:
            print(f"LEAK: {leak}", flush=True)
    viewers = ", ".join([f"{viewer} {count}" for viewer, count in sorted(swaps.items(), reverse=True)])
    print(f"{slug}: {swaps.total()} swaps, {played} of them at play ({viewers})")
    channels = ", ".join([f"{channel} {size:,}" for channel, size in sorted(compared.items())])
    print(f"  {compared.total():,} bytes compared ({channels}), {leaks} leaks", flush=True)
    return leaks


if __name__ == "__main__":
    sys.exit(main())
