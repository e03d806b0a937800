"""Golden streams: unchanged, lawful, dealt alike, one for each way each game can end; and the tool that keeps them."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from core.conformance import random_game
from core.registry import OURS
from core.streams import decode
from events.base import GameStarted
from events.errors import FormatError, SetupError, TabletapeError
from events.queen_of_the_cupcakes import CardsLaid, Kind, QueenOptions
from events.tape import Tape, sealed
from replay import golden
from replay.games import load
from replay.packaged import data_root

QUEEN = "queen-of-the-cupcakes"


@pytest.mark.parametrize("slug", [kind.slug for kind in OURS])
def test_golden_streams_hold_and_show_every_situation(slug: str) -> None:
    assert golden.check(slug) == []
    assert golden.listed(slug).stream


@pytest.mark.parametrize("slug", [kind.slug for kind in OURS])
def test_every_golden_stream_says_what_it_shows_and_why_it_changed(slug: str) -> None:
    for stream in golden.listed(slug).stream:
        assert stream.shows.strip(), stream.file
        assert stream.reason.strip(), stream.file


def test_no_folder_of_golden_streams_is_without_a_game() -> None:
    folders = [path.name for path in (data_root() / "golden").iterdir() if path.is_dir()]
    assert [name for name in folders if name not in [kind.slug for kind in OURS]] == []


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A copy of the golden streams that a test may damage."""
    shutil.copytree(data_root() / "golden" / QUEEN, tmp_path / QUEEN)
    return tmp_path


def queen_tape(seed: str = "golden/1") -> Tape:
    return golden.bot_tape(load(QUEEN), seed, ["random", "greedy"])


def test_an_edited_file_is_caught(root: Path) -> None:
    path = root / QUEEN / "2-bin-full.jsonl"
    content = path.read_bytes()
    path.write_bytes(content.replace(b'"bot":"greedy"', b'"bot":"random"'))
    assert golden.check(QUEEN, root) == [
        "2-bin-full.jsonl: changed: its digest is not that of golden.toml",
        "2-bin-full.jsonl: line 1: the header was changed: it does not fit its check "
        "(remove the check if that was on purpose)",
    ]
    path.write_bytes(content + b"\n")
    assert golden.check(QUEEN, root) == ["2-bin-full.jsonl: changed: its digest is not that of golden.toml"]


def test_an_unlawful_stream_is_caught_even_if_its_digest_is_listed(root: Path) -> None:
    path = root / QUEEN / "2-bin-full.jsonl"
    tape = next(tape for stream, tape in golden.tapes(QUEEN, root) if stream.file == path.name)
    events, _ = decode(type(load(QUEEN)), tape)
    at = next(step for step, event in enumerate(events) if isinstance(event, CardsLaid))
    raws = [*tape.events[:at], *tape.events[at + 1 :]]
    forged = sealed(tape.header, tuple(raws))
    with pytest.raises(FormatError, match=rf"not legal: step {at}, "):
        golden.record(QUEEN, "2-bin-full", forged, shows="a forgery", reason="to see it refused", root=root)
    assert golden.check(QUEEN, root) == []


def test_a_stream_that_its_seed_does_not_deal_is_caught(root: Path) -> None:
    tape = queen_tape()
    other = sealed(msgspec.structs.replace(tape.header, seed="golden/2"), tape.events)
    with pytest.raises(FormatError, match="not exact: step 1, deck_shuffled: the seed deals another"):
        golden.record(QUEEN, "another", other, shows="a deck of another seed", root=root)


def test_an_unlisted_file_and_a_missing_one_are_caught(root: Path) -> None:
    (root / QUEEN / "2-bin-full.jsonl").rename(root / QUEEN / "new.jsonl")
    findings = golden.check(QUEEN, root)
    assert findings[0] == "new.jsonl: not in golden.toml"
    assert findings[1] == "2-bin-full.jsonl: No such file or directory"
    assert len(findings) == 2


def test_a_broken_list_is_one_line(root: Path) -> None:
    (root / QUEEN / "golden.toml").write_text("[[stream]]\nfile = 3\n")
    with pytest.raises(FormatError, match=r"^queen-of-the-cupcakes/golden\.toml: .*\$\.stream\[0\]\.file`$"):
        golden.check(QUEEN, root)


def test_a_situation_without_a_stream_needs_an_exception(tmp_path: Path) -> None:
    golden.record(QUEEN, "only-one", queen_tape(), shows="two seats", root=tmp_path)
    missing = golden.check(QUEEN, tmp_path)
    assert len(missing) == len(golden.situations(QUEEN)) - 1 == 9
    assert "no stream shows 4 seats, ending pile_empty, options teams" in missing
    with (tmp_path / QUEEN / "golden.toml").open("a") as file:
        file.write('[[exception]]\nwhy = "not today"\noptions = "default"\n')
    left = golden.check(QUEEN, tmp_path)
    assert [line.rpartition(" ")[2] for line in left] == ["teams", "teams"]


def test_an_exception_without_use_is_caught(root: Path) -> None:
    with (root / QUEEN / "golden.toml").open("a") as file:
        file.write('[[exception]]\nwhy = "two seats never end"\nseats = 2\n')
    assert golden.check(QUEEN, root) == ["an exception is not needed: two seats never end"]


def test_recording_again_changes_nothing_and_a_change_needs_a_reason(tmp_path: Path) -> None:
    path = golden.record(QUEEN, "a-game", queen_tape(), shows="two seats", root=tmp_path)
    content, listed = path.read_bytes(), golden.listed(QUEEN, tmp_path)
    golden.record(QUEEN, "a-game", queen_tape(), shows="two seats", root=tmp_path)
    assert (path.read_bytes(), golden.listed(QUEEN, tmp_path)) == (content, listed)
    with pytest.raises(FormatError, match="give the reason why it changes"):
        golden.record(QUEEN, "a-game", queen_tape("golden/5"), shows="two seats", root=tmp_path)
    assert path.read_bytes() == content
    golden.record(QUEEN, "a-game", queen_tape("golden/5"), shows="two", reason="a fairer game", root=tmp_path)
    assert [(each.shows, each.reason) for each in golden.listed(QUEEN, tmp_path).stream] == [("two", "a fairer game")]
    assert path.read_bytes() != content


def test_recording_keeps_exceptions_and_odd_texts(tmp_path: Path) -> None:
    folder = tmp_path / QUEEN
    folder.mkdir()
    why = 'a "quoted" back\\slash, ä and 🧁'
    folder.joinpath("golden.toml").write_text(f"[[exception]]\nseats = 3\nwhy = '{why}'\n", encoding="utf-8")
    golden.record(QUEEN, "a-game", queen_tape(), shows=why, root=tmp_path)
    again = golden.listed(QUEEN, tmp_path)
    assert again.exception == (golden.Exempt(why, seats=3),)
    assert again.stream[0].shows == why


@pytest.mark.parametrize("name", ["", "A", "../x", "a b", "a--b", "a.jsonl"])
def test_a_name_that_is_no_file_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="small letters"):
        golden.record(QUEEN, name, queen_tape(), shows="x", root=tmp_path)


def test_a_tape_made_by_hand_with_a_sheet_of_its_own(tmp_path: Path) -> None:
    shipped = load(QUEEN)
    kinds: tuple[Kind, ...] = ("blue", "grey", "green")
    sheet = msgspec.structs.replace(shipped.sheet, kinds=kinds, copies=(10, 10, 10))
    game = type(shipped)(sheet)
    tape = golden.tape_of(game, random_game(game, 3, "golden/1"), ("Ada", "Bo", "Cy"))
    golden.record(QUEEN, "3-small-box", tape, shows="three kinds", root=tmp_path)
    ((_, again),) = golden.tapes(QUEEN, tmp_path)
    assert again == tape
    assert again.header.seed is None
    assert [player.name for player in again.header.players] == ["Ada", "Bo", "Cy"]


def test_variants_are_the_default_and_each_boolean_option_turned_over() -> None:
    assert golden.variants(type(load(QUEEN))) == {"default": QueenOptions(), "teams": QueenOptions(teams=True)}
    assert golden.endings(type(load(QUEEN))) == ("bin_full", "pile_empty")


def test_the_command_records_and_checks(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golden, "data_root", lambda: root / "data")
    shutil.copytree(root / QUEEN, root / "data" / "golden" / QUEEN)
    run = CliRunner().invoke
    asked = ["record", QUEEN, "new", "--seats", "4", "--seed", "x", "--shows", "y", "--option", "teams=true"]
    assert run(golden.app, asked).exit_code == 0
    _, tape = next(each for each in golden.tapes(QUEEN) if each[0].file == "new.jsonl")
    started = decode(type(load(QUEEN)), tape)[0][0]
    assert isinstance(started, GameStarted)
    assert started.options == QueenOptions(teams=True)
    assert run(golden.app, ["check", QUEEN]).exit_code == 0
    (root / "data" / "golden" / QUEEN / "new.jsonl").write_text("nonsense")
    assert run(golden.app, ["check", QUEEN]).exit_code == 1
    for wrong in ("teams=perhaps", "colour=red"):
        assert isinstance(run(golden.app, [*asked[:-1], wrong]).exception, SetupError)
    for bots in ("random,random", "nobody"):
        assert isinstance(run(golden.app, [*asked, "--bots", bots]).exception, TabletapeError)
