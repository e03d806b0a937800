"""The generator, held against its own description: a second, plain implementation, and numbers that never change."""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rng import NATURE, Rng, bot_stream, seed_key
from events.errors import SetupError

VECTORS = {
    ("42", 1, NATURE): [1846330677, 2530051745, 3338982366, 910943953],
    ("42", 2, NATURE): [4138979347, 2298628718, 2525028592, 1154910760],
    ("42", 1, b"bot/0"): [1192327699, 88712693, 2635260556, 3519482413],
    ("Törtchen/7", 2**40, b"bot/11"): [1208990568, 4188678769, 766135150, 3554986546],
}
SHUFFLED = "hzqpiwanolfexycdkmvrbstguj"
DICE = [3, 5, 0, 1, 0, 1, 3, 2, 0, 1, 1, 5, 5, 3, 4, 5, 0, 5, 1, 4]


def words(key: bytes, event: int, blocks: int, stream: bytes) -> list[int]:
    """The randomness of an event, straight from the text of the description."""
    found = []
    for block in range(blocks):
        address = event.to_bytes(8, "big") + block.to_bytes(8, "big")
        hashed = blake2b(address, key=key, person=stream, digest_size=64).digest()
        found += [int.from_bytes(hashed[at : at + 4], "big") for at in range(0, 64, 4)]
    return found


def shuffled(items: list[str], numbers: list[int]) -> list[str]:
    """Fisher-Yates from the last index down, each number below i + 1 by rejection, straight from the description."""
    order, numbers = list(items), list(numbers)
    for i in range(len(order) - 1, 0, -1):
        while (word := numbers.pop(0)) >= (2**32 // (i + 1)) * (i + 1):
            pass
        j = word % (i + 1)
        order[i], order[j] = order[j], order[i]
    return order


addresses = st.tuples(
    st.binary(min_size=1, max_size=64), st.integers(0, 2**64 - 1), st.sampled_from([NATURE, b"bot/0", b"bot/12", b"x"])
)


@given(addresses)
def test_words_are_those_of_the_description(address: tuple[bytes, int, bytes]) -> None:
    key, event, stream = address
    rng = Rng(key, event, stream)
    assert [rng.word() for _ in range(40)] == words(key, event, 3, stream)[:40]


@given(addresses, st.integers(0, 66))
def test_shuffles_are_those_of_the_description(address: tuple[bytes, int, bytes], size: int) -> None:
    key, event, stream = address
    items = [f"card {number}" for number in range(size)]
    assert list(Rng(key, event, stream).shuffled(items)) == shuffled(items, words(key, event, 10, stream))


@given(addresses, st.integers(1, 2**32))
def test_below_rejects_what_would_make_it_uneven(address: tuple[bytes, int, bytes], n: int) -> None:
    key, event, stream = address
    accepted = [word % n for word in words(key, event, 20, stream) if word < (2**32 // n) * n]
    rng = Rng(key, event, stream)
    assert [rng.below(n) for _ in accepted[:20]] == accepted[:20]


def test_vectors() -> None:
    """Pinned numbers: another language that gives these re-deals our games. They never change."""
    rng = Rng(b"42", 1)
    assert [rng.word() for _ in range(4)] == VECTORS["42", 1, NATURE]
    rng = Rng(b"42", 2)
    assert [rng.word() for _ in range(4)] == VECTORS["42", 2, NATURE]
    rng = Rng(b"42", 1, bot_stream(0))
    assert [rng.word() for _ in range(4)] == VECTORS["42", 1, b"bot/0"]
    rng = Rng("Törtchen/7".encode(), 2**40, bot_stream(11))
    assert [rng.word() for _ in range(4)] == VECTORS["Törtchen/7", 2**40, b"bot/11"]
    assert "".join(Rng(b"42", 1).shuffled("abcdefghijklmnopqrstuvwxyz")) == SHUFFLED
    rng = Rng(b"42", 1)
    assert [rng.below(6) for _ in range(20)] == DICE


def rows_of_the_page() -> list[tuple[str, int, bytes, list[str], list[int], list[int]]]:
    """The table of test vectors in docs/randomness.md."""
    page = (Path(__file__).parents[2] / "docs" / "randomness.md").read_text(encoding="utf-8")
    rows = []
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 6 and cells[1].isdigit():
            seed, event, name, *numbers = cells
            below, order = numbers[1].split(", "), numbers[2].split()
            stream = name.strip("`").encode()
            firsts = [word.strip("`") for word in numbers[0].split()]
            row = (seed.strip("`"), int(event), stream, firsts, [int(n) for n in below], [int(n) for n in order])
            rows.append(row)
    return rows


def test_the_vectors_of_the_documentation() -> None:
    rows = rows_of_the_page()
    assert len(rows) >= 4
    for seed, event, stream, firsts, below, order in rows:
        plain = words(seed.encode(), event, 1, stream)
        assert [f"{word:08x}" for word in plain[: len(firsts)]] == firsts
        rng = Rng(seed.encode(), event, stream)
        assert [f"{rng.word():08x}" for _ in firsts] == firsts
        assert [Rng(seed.encode(), event, stream).below(n) for n in (6, 53, 3)] == below
        assert list(Rng(seed.encode(), event, stream).shuffled(range(8))) == order
        assert shuffled([str(n) for n in range(8)], plain) == [str(n) for n in order]


def test_a_block_ends_after_sixteen_words() -> None:
    rng = Rng(b"42", 1)
    first = [rng.word() for _ in range(16)]
    assert first == words(b"42", 1, 1, NATURE)
    assert rng.word() == words(b"42", 1, 2, NATURE)[16]


def test_a_generator_that_goes_to_another_event_is_as_a_new_one() -> None:
    rng = Rng(b"42", 1)
    rng.shuffled("abc")
    assert rng.at(2) is rng
    assert [rng.word() for _ in range(20)] == words(b"42", 2, 2, NATURE)[:20]


def test_a_shuffle_reads_on_where_the_last_draw_ended_and_leaves_the_rest() -> None:
    numbers, items = words(b"42", 1, 3, NATURE), list("abcdefghijklmnopqrst")
    rng = Rng(b"42", 1)
    assert [rng.word() for _ in range(5)] == numbers[:5]
    assert list(rng.shuffled(items)) == shuffled(items, numbers[5:])
    assert rng.word() == numbers[5 + 19]


def test_a_shuffle_rejects_what_would_make_it_uneven(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = [2**32 - 1, 2**32 - 2, 4, *[1] * 13]  # of three, the first word is one too many, the second the last
    monkeypatch.setattr("core.rng._words_of", lambda block: tuple(numbers))
    assert list(Rng(b"42", 1).shuffled("abc")) == shuffled(list("abc"), numbers) == ["b", "a", "c"]


def test_a_number_below_what_rejects_nearly_half_is_still_even() -> None:
    """Below 2^31 + 1 nearly every second word is thrown away."""
    n = 2**31 + 1
    numbers = words(b"reject", 1, 40, NATURE)
    kept = [word for word in numbers if word < n]
    assert 0.4 < len(kept) / len(numbers) < 0.6
    rng = Rng(b"reject", 1)
    assert [rng.below(n) for _ in kept] == kept


def test_streams_and_events_are_independent() -> None:
    streams = [NATURE, *[bot_stream(seat) for seat in range(12)]]
    firsts = [Rng(b"seed", event, stream).word() for stream in streams for event in range(50)]
    assert len(dict.fromkeys(firsts)) == len(firsts)


def test_a_bot_that_draws_moves_no_deck() -> None:
    alone = Rng(b"seed", 5).shuffled(range(66))
    bot = Rng(b"seed", 5, bot_stream(0))
    nature = Rng(b"seed", 5)
    assert [bot.below(3) for _ in range(100)]
    assert nature.shuffled(range(66)) == alone


def test_below_and_shuffle_are_even() -> None:
    """Chi-squared by hand, from fixed seeds: 5 degrees of freedom stay under 20.5 in 999 of 1,000 seeds."""
    rng = Rng(b"even", 1)
    faces = Counter([rng.below(6) for _ in range(6_000)])
    assert sum([(faces[face] - 1_000) ** 2 / 1_000 for face in range(6)]) < 20.5
    orders = Counter([Rng(b"even", event).shuffled("abc") for event in range(6_000)])
    assert sum([(orders[order] - 1_000) ** 2 / 1_000 for order in permutations("abc")]) < 20.5


def test_choice_takes_one_of_the_items() -> None:
    assert {Rng(b"c", event).choice("xyz") for event in range(40)} == {"x", "y", "z"}
    assert Rng(b"c", 1).choice(["only"]) == "only"


def test_small_shuffles() -> None:
    assert Rng(b"s", 1).shuffled([]) == ()
    assert Rng(b"s", 1).shuffled(["a"]) == ("a",)
    items = ["a", "b", "c"]
    Rng(b"s", 1).shuffled(items)
    assert items == ["a", "b", "c"]


@pytest.mark.parametrize("seed", ["42", "x" * 64, "🧁" * 16, " "])
def test_a_seed_is_its_utf8_bytes(seed: str) -> None:
    assert seed_key(seed) == seed.encode("utf-8")


@pytest.mark.parametrize(
    ("seed", "problem"),
    [
        ("", "a seed is text of 1 to 64 bytes, not of 0"),
        ("x" * 65, "a seed is text of 1 to 64 bytes, not of 65"),
        ("🧁" * 17, "a seed is text of 1 to 64 bytes, not of 68"),
        ("\ud800", "a seed is text that UTF-8 can write"),
    ],
)
def test_other_seeds_are_refused_in_one_line(seed: str, problem: str) -> None:
    with pytest.raises(SetupError, match=f"^{problem}$"):
        seed_key(seed)
