"""Logs of the service and of long work: events with keys, to standard error; JSON where a program reads them."""

from __future__ import annotations

import logging
import sys

import structlog


def configure(json: bool, level: str) -> None:
    """Set up structlog: `level` as `logging` names it (an unknown one counts as warning), lines as text or as JSON."""
    number = logging.getLevelNamesMapping().get(level.upper(), logging.WARNING)
    renderer = (
        structlog.processors.JSONRenderer() if json else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=lambda *_: structlog.WriteLogger(sys.stderr),  # the one of now: it may have been replaced
        cache_logger_on_first_use=False,
    )
