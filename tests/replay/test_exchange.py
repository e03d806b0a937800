"""Files: what goes out comes back, what is bad stops its own game only, and a viewer's export holds nothing hidden."""

from pathlib import Path

import msgspec
import pytest

from events.codec import encode
from events.errors import FormatError
from events.jsonl import write
from events.marks import Viewer
from events.queen_of_the_cupcakes import CardsTaken
from events.tape import Tape, sealed
from replay.exchange import lines_of, read_file
from replay.simulate import Batch, simulate
from replay.timeline import Timeline


@pytest.fixture(scope="module")
def tapes() -> list[Tape]:
    return list(simulate(Batch(game="queen-of-the-cupcakes", seats=2, seed="files", bots=("greedy", "random")), 3))


def written(path: Path, tapes: list[Tape]) -> bytes:
    content = b"".join([line for tape in tapes for line in write(tape)])
    path.write_bytes(content)
    return content


def test_export_import_export_is_byte_identical(tmp_path: Path, tapes: list[Tape]) -> None:
    content = written(tmp_path / "a.jsonl", tapes)
    found = list(read_file(tmp_path / "a.jsonl"))
    assert [game.problem for game in found] == [None] * 3
    assert b"".join([line for game in found if game.tape for line in lines_of(game.tape)]) == content


def test_an_illegal_move_in_the_middle_stops_that_game_there_and_its_neighbours_load(
    tmp_path: Path, tapes: list[Tape]
) -> None:
    middle = tapes[1]
    step = next(i for i, event in enumerate(middle.events) if event.startswith(b'{"type":"cards_taken"'))
    absurd = encode(CardsTaken(seat=1, kind="grey", count=5))
    forged = sealed(middle.header, (*middle.events[:step], absurd, *middle.events[step + 1 :]))
    content = written(tmp_path / "a.jsonl", [tapes[0], forged, tapes[2]])
    first, bad, last = read_file(tmp_path / "a.jsonl")
    assert (first.tape, last.tape) == (tapes[0], tapes[2])
    assert bad.line == len(tapes[0].events) + 2
    assert bad.tape is not None
    assert bad.tape.fault is not None
    assert bad.tape.fault.step == step
    assert bad.problem is not None
    assert f"event {step}" in bad.problem
    assert "QC-05" in bad.problem
    again = b"".join([line for game in (first, bad, last) if game.tape for line in lines_of(game.tape)])
    assert again == content, "the rest of the stopped game is kept as it came"


def test_a_cut_off_file_keeps_what_is_whole(tmp_path: Path, tapes: list[Tape]) -> None:
    content = written(tmp_path / "a.jsonl", tapes)
    (tmp_path / "a.jsonl").write_bytes(content[:-40])
    *whole, cut = read_file(tmp_path / "a.jsonl")
    assert [game.problem for game in whole] == [None, None]
    assert cut.tape is not None
    assert cut.tape.sound == tapes[2].events[:-1]
    assert cut.problem is not None
    assert "cut off" in cut.problem


def test_a_file_that_is_none_of_ours_is_said_in_one_line_a_game(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"\x00\xff\xfe rubbish\n{}\n")
    (found,) = read_file(tmp_path / "a.jsonl")
    assert found.tape is None
    assert found.problem is not None
    with pytest.raises(FormatError, match="cannot read"):
        list(read_file(tmp_path / "none.jsonl"))


def test_a_game_that_is_not_installed_is_kept_as_it_is(tmp_path: Path, tapes: list[Tape]) -> None:
    header = msgspec.structs.replace(tapes[0].header, game="chess")
    content = written(tmp_path / "a.jsonl", [msgspec.structs.replace(tapes[0], header=header)])
    (found,) = read_file(tmp_path / "a.jsonl")
    assert found.tape is not None
    assert found.problem is not None
    assert "chess" in found.problem
    assert b"".join(lines_of(found.tape)) == content


def test_a_line_without_an_end_costs_no_more_memory_than_a_long_one(tmp_path: Path, tapes: list[Tape]) -> None:
    content = b"".join(write(tapes[0]))
    (tmp_path / "a.jsonl").write_bytes(content + b'{"seq":' + b"9" * (3 << 20) + b"\n" + b"".join(write(tapes[1])))
    first, stray, second = read_file(tmp_path / "a.jsonl")
    assert (first.tape, second.tape) == (tapes[0], tapes[1])
    assert stray.problem is not None
    assert "belong to no game" in stray.problem


@pytest.mark.parametrize("viewer", ["spectator", 0, 1])
def test_what_is_written_for_a_viewer_holds_no_seed_and_no_hidden_card(tapes: list[Tape], viewer: Viewer) -> None:
    lines = [msgspec.json.decode(line) for line in lines_of(tapes[0], viewer)]
    assert "seed" not in lines[0]
    assert lines[0]["seen_by"] == viewer
    events = {line["type"]: line for line in lines[1:]}
    assert set(events["deck_shuffled"]["cards"]) == {"?"}
    for seat, hand in enumerate(events["hands_dealt"]["hands"]):
        assert ("?" in hand) is (seat != viewer)
    assert all("check" not in line for line in lines)


def test_what_is_written_for_a_viewer_is_not_taken_for_a_stream(tmp_path: Path, tapes: list[Tape]) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"".join(lines_of(tapes[0], "spectator")))
    assert [game.tape for game in read_file(tmp_path / "a.jsonl")] == [None]


def test_a_header_with_too_few_players_for_the_seats_stops_the_game_at_its_first_event(
    tmp_path: Path, tapes: list[Tape]
) -> None:
    header = msgspec.structs.replace(tapes[0].header, players=tapes[0].header.players[:1])
    content = written(tmp_path / "a.jsonl", [msgspec.structs.replace(tapes[0], header=header), tapes[1]])
    bad, good = read_file(tmp_path / "a.jsonl")
    assert bad.problem is not None
    assert "1 players for 2 seats" in bad.problem
    assert bad.tape is not None
    assert bad.tape.sound == ()
    assert len(Timeline(bad.tape)) == 0
    assert good.tape == tapes[1]
    assert b"".join([line for game in (bad, good) if game.tape for line in lines_of(game.tape)]) == content


def test_an_illegal_event_stops_the_game_though_the_file_has_a_later_fault_as_well(
    tmp_path: Path, tapes: list[Tape]
) -> None:
    absurd = encode(CardsTaken(seat=1, kind="grey", count=5))
    forged = sealed(tapes[0].header, (*tapes[0].events[:5], absurd, *tapes[0].events[6:]))
    (tmp_path / "a.jsonl").write_bytes(b"".join(write(forged))[:-30])
    (found,) = read_file(tmp_path / "a.jsonl")
    assert found.tape is not None
    assert found.tape.fault is not None
    assert found.tape.fault.step == 5
    assert len(Timeline(found.tape).steps) == 5


def test_an_unlawful_tape_opens_up_to_there_without_having_been_judged(tapes: list[Tape]) -> None:
    absurd = encode(CardsTaken(seat=1, kind="grey", count=5))
    timeline = Timeline(sealed(tapes[0].header, (*tapes[0].events[:5], absurd, *tapes[0].events[6:])))
    assert len(timeline.steps) == 5
    assert timeline.fault is not None
    assert timeline.fault.step == 5
