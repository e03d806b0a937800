"""Files that are named by what others wrote."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from replay.lake.segments import Segment

LOW, HIGH = "0192a000-0000-7000-8000-000000000001", "0192a000-0000-7000-8000-000000000009"


@pytest.mark.parametrize("game", ["../../etc/cron.d/x", "/etc/passwd", "..", "a\0b", "a/../../b", "~root/x"])
def test_the_name_of_a_game_leads_out_of_no_lake(game: str) -> None:
    path = PurePosixPath(Segment(game, LOW, HIGH, 3).file("event"))
    assert not path.is_absolute()
    assert len(path.parts) == 3
    assert ".." not in path.parts
    assert path.parts[1].startswith("game=")
    assert "\0" not in str(path)
