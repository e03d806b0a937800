"""The long run: `python -m tests.fuzz [NAME ...] --seconds 60`, each harness in a process of its own."""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
from pathlib import Path
from typing import Final

import msgspec

from replay import logs
from tests.fuzz import asked, heavy, machine, stored, texts
from tests.fuzz.running import Run, keep, last_of, run

MEMORY: Final = 6 << 30
"""Bytes of address space that a harness may take; most of it is what DuckDB and polars reserve and never use."""

HARNESSES: Final = {harness.name: harness for harness in (*texts.HARNESSES, *stored.HARNESSES, *asked.HARNESSES)}
MACHINE: Final = "machine"
NAMES: Final = (*HARNESSES, MACHINE, heavy.NAME)
ROOT: Final = Path(__file__).parents[2]


def main() -> int:
    """Run what is asked for; give 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(NAMES)}; all if none")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each harness")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if unknown := [name for name in given.names if name not in NAMES]:
        parser.error(f"there is no harness {unknown[0]}")
    if given.here:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        logs.configure(json=False, level="error")
        (name,) = given.names
        found = (
            machine.run(given.seconds, given.seed)
            if name == MACHINE
            else run(HARNESSES[name], given.seconds, given.seed)
        )
        print(msgspec.json.encode(found).decode())
        return 0
    print(f"seed {given.seed}, {given.seconds:g} s each", flush=True)
    every = [
        heavy.run() if name == heavy.NAME else _elsewhere(name, given.seconds, given.seed)
        for name in given.names or NAMES
    ]
    print(f"{sum([each.inputs for each in every]):,} inputs, {sum([len(each.faults) for each in every])} faults")
    return int(any(each.faults for each in every))


def _elsewhere(name: str, seconds: float, seed: int) -> Run:
    """Run a harness in a process of its own; one that is killed was killed by its last input."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.fuzz", name]
    command += ["--here", "--seconds", f"{seconds}", "--seed", f"{seed}"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    *said, last = done.stdout.splitlines() or [""]
    print("\n".join(said), end="\n" if said else "")
    if done.returncode == 0:
        found = msgspec.json.decode(last, type=Run)
    else:
        reason = f"the process ended with {done.returncode}"
        found = Run(name, 1, seconds, {reason: str(keep(name, last_of(name).read_bytes()))})
    print(f"{name:12} {found.inputs:8,} inputs {found.seconds:8.0f} s {len(found.faults):4} faults", flush=True)
    for place, file in found.faults.items():
        print(f"    {place}: {file}", flush=True)
    return found


if __name__ == "__main__":
    sys.exit(main())
