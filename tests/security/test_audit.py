"""The audit of dependencies: its exceptions are written down, and silence is never taken for a clean bill."""

from __future__ import annotations

import sys
from datetime import date

import pytest

from tests.security import audit
from tests.security.audit import Accepted, Dependency, Fault, Report, exceptions, judge, pinned

TODAY = date(2026, 12, 1)
FAULTY = Dependency("one", "1.0", (Fault("PYSEC-1", ("1.1",), ("CVE-1",)),))
KNOWN = Report((FAULTY, Dependency("two", "2.0")))


def test_each_exception_has_a_reason_and_an_end() -> None:
    for each in exceptions().exception:
        assert len(each.reason) > 20, each.id
    everything, ours, uv = map(pinned, ("requirements-dev.lock", "requirements.lock", "requirements-uv.lock"))
    assert everything > ours > 30
    assert uv == 1


def test_a_known_fault_fails_the_audit_unless_it_is_accepted_for_that_package_and_that_long() -> None:
    assert judge(KNOWN, (), TODAY).bad
    assert "FAULT: one 1.0: PYSEC-1, mended in 1.1" in judge(KNOWN, (), TODAY).lines
    for id in ("PYSEC-1", "CVE-1"):
        assert not judge(KNOWN, [Accepted(id, "one", "not reachable here", TODAY)], TODAY).bad
    assert judge(KNOWN, [Accepted("PYSEC-1", "one", "not reachable here", date(2026, 11, 30))], TODAY).bad
    assert judge(KNOWN, [Accepted("PYSEC-1", "two", "not reachable here", TODAY)], TODAY).bad
    needless = judge(Report((Dependency("two", "2.0"),)), [Accepted("PYSEC-1", "one", "no more", TODAY)], TODAY)
    assert "not needed any more: the exception PYSEC-1" in needless.lines


def test_what_could_not_be_asked_is_said_and_is_no_clean_bill(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    skipped = judge(Report((Dependency("one", skip_reason="not found"), Dependency("two", "2.0"))), (), TODAY)
    assert skipped.lines == (
        "1 of 2 packages were looked up",
        "NOT CHECKED: 1 packages, of which nothing is known here",
    )
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert audit.main() == 0
    assert capsys.readouterr().out.count("NOT CHECKED: nobody could be asked about") == len(audit.LOCKS)
