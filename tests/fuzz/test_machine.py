"""Live games, store and timeline together, held against a plain model; `make fuzz` goes on for longer."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.fuzz.machine import Club


def test_games_store_and_timeline_do_what_a_plain_model_does() -> None:
    short = settings(max_examples=3, stateful_step_count=12, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(Club, settings=short)
