"""The crash drill: `python -m tests.drill`, or `make drill`. It prints a line a kind, and fails if any is bad."""

from __future__ import annotations

import argparse
import sys

from tests.drill.kinds import DISKS, KINDS, Line, run


def main() -> int:
    """Do what is asked for; give 1 if anything acknowledged is lost, or anything else is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.drill", description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"{', '.join(KINDS)}; all if none")
    parser.add_argument("--times", type=int, default=20, help="of each kind; a fifth of it for disks")
    parser.add_argument("--seed", default="drill")
    asked = parser.parse_args()
    if unknown := {*asked.kinds} - {*KINDS}:
        parser.error(f"there is no {', '.join(sorted(unknown))}")
    print(f"seed {asked.seed}\n{'':16}{'times':>6}{'acknowledged':>14}{'lost':>6}{'wrong':>7}")
    bad = False
    for kind in asked.kinds or KINDS:
        line = run(kind, -(-asked.times // 5) if kind in DISKS else asked.times, asked.seed)
        print(told(line), flush=True)
        bad = bad or bool(line.lost or line.wrong)
    return int(bad)


def told(line: Line) -> str:
    """Give a line of the table, and below it what is wrong."""
    if line.note:
        return f"{line.kind:16}{line.note}"
    rows = [f"{line.kind:16}{line.times:6}{line.acknowledged:14,}{line.lost:6}{len(line.wrong):7}"]
    return "\n".join([*rows, *[f"    {wrong}" for wrong in line.wrong[:5]]])


if __name__ == "__main__":
    sys.exit(main())
