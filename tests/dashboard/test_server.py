"""Under which names the service answers."""

from __future__ import annotations

import socket

from dashboard.server import allowed_hosts


def test_on_loopback_only_loopback_names_are_allowed() -> None:
    assert allowed_hosts("127.0.0.1") == ["localhost", "127.0.0.1"]


def test_an_address_of_its_own_is_allowed_with_it() -> None:
    assert allowed_hosts("192.0.2.7") == ["localhost", "127.0.0.1", "192.0.2.7"]


def test_on_every_address_the_machine_goes_by_its_name_but_not_by_any() -> None:
    names = allowed_hosts("0.0.0.0", "games.example, tapes.example")
    assert socket.gethostname() in names
    assert {"games.example", "tapes.example", "127.0.0.1"} <= set(names)
    assert not {"0.0.0.0", "*", ""} & set(names)
