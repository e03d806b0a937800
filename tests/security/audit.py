"""Known faults of what we depend on: `python -m tests.security.audit` asks pip-audit about every pinned package.

What is known and accepted stands in `exceptions.toml`, each with a reason and a day until which it is accepted. Where
nobody can be asked (no network, a registry that keeps no advisories) that is said in a line: it is no clean bill.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

LOCKS: Final = ("requirements.lock", "requirements-dev.lock", "requirements-uv.lock")
ROOT: Final = Path(__file__).parents[2]
SECONDS: Final = 120


class Accepted(Struct, frozen=True, forbid_unknown_fields=True):
    """A known fault that is accepted: its id, the package, why it does not matter here, and until when."""

    id: str
    package: str
    reason: str
    until: date


class Exceptions(Struct, frozen=True, forbid_unknown_fields=True):
    """The list of them."""

    exception: tuple[Accepted, ...] = ()


class Fault(Struct, frozen=True):
    """A known fault as pip-audit tells it."""

    id: str
    fix_versions: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


class Dependency(Struct, frozen=True):
    """A package as pip-audit tells it; with `skip_reason` nothing was learnt of it."""

    name: str
    version: str | None = None
    vulns: tuple[Fault, ...] = ()
    skip_reason: str | None = None


class Report(Struct, frozen=True):
    """What pip-audit found."""

    dependencies: tuple[Dependency, ...]


class Judged(Struct, frozen=True):
    """Lines to print, and whether a fault is among them that nobody has accepted."""

    lines: tuple[str, ...]
    bad: bool


def exceptions() -> Exceptions:
    """Give what is accepted; raises `msgspec.ValidationError` for a list that cannot be read."""
    return msgspec.toml.decode(Path(__file__).with_name("exceptions.toml").read_bytes(), type=Exceptions)


def judge(report: Report, accepted: Sequence[Accepted], today: date) -> Judged:
    """Give what a report comes to. An exception holds until its day; one that excuses nothing any more is said."""
    asked = [each for each in report.dependencies if each.skip_reason is None]
    lines = [f"{len(asked)} of {len(report.dependencies)} packages were looked up"]
    if len(asked) < len(report.dependencies):
        lines.append(f"NOT CHECKED: {len(report.dependencies) - len(asked)} packages, of which nothing is known here")
    open_to = {each.id: each for each in accepted if each.until >= today}
    used, bad = set[str](), False
    for each in asked:
        for fault in each.vulns:
            ids = [fault.id, *fault.aliases]
            excuse = next((open_to[id] for id in ids if id in open_to and open_to[id].package == each.name), None)
            if excuse is None:
                bad = True
                fixed = f", mended in {', '.join(fault.fix_versions)}" if fault.fix_versions else ", not mended yet"
                lines.append(f"FAULT: {each.name} {each.version}: {fault.id}{fixed}")
            else:
                used.add(excuse.id)
                lines.append(f"accepted until {excuse.until}: {each.name} {excuse.id}: {excuse.reason}")
    if asked:
        lines += [f"not needed any more: the exception {each.id}" for each in accepted if each.id not in used]
    return Judged(tuple(lines), bad)


def pinned(lock: str) -> int:
    """Give how many packages a lock file pins."""
    return len(re.findall(r"(?m)^[a-z0-9]\S*==", (ROOT / lock).read_text()))


def main() -> int:
    """Ask about each lock file and print what is found; give 1 for a fault that nobody has accepted, else 0."""
    bad = False
    for lock in LOCKS:
        command = [sys.executable, "-m", "pip_audit", "--requirement", str(ROOT / lock), "--require-hashes"]
        command += ["--disable-pip", "--format", "json", "--progress-spinner", "off"]
        try:
            told = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
            report = msgspec.json.decode(told.stdout, type=Report)
        except (msgspec.MsgspecError, subprocess.TimeoutExpired):
            print(f"{lock}: NOT CHECKED: nobody could be asked about {pinned(lock)} packages")
            continue
        found = judge(report, exceptions().exception, datetime.now(UTC).date())
        print(*[f"{lock}: {line}" for line in found.lines], sep="\n")
        bad |= found.bad
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
