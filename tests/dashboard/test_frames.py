"""What the browser gets of a game: each frame is the fold so far as its viewer may see it, nothing hidden in it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from core.conformance import random_game
from core.engine import fold
from core.games.queen_of_the_cupcakes.state import Table
from core.paths import flatten
from core.redact import redact, seen
from core.streams import shapes
from dashboard import frames
from dashboard.payload import Payload
from dashboard.tables import picture_of
from events.base import Event, kind_of
from events.codec import encode_all
from events.marks import Viewer
from events.queen_of_the_cupcakes import Cards, DeckShuffled, HandsDealt
from events.tape import Fault, Header, Player, Tape, sealed
from replay.exchange import judged
from replay.games import load
from replay.timeline import Timeline

NAMES = ("Ada", "Bo", "Cy", "Di", "Eve")


def tape_of(slug: str, events: list[Event], seats: int, seed: str | None = None) -> Tape:
    game = load(slug)
    header = Header(
        id="0192a000-0000-7000-8000-000000000001",
        game=slug,
        rules=game.rules,
        shapes=shapes(type(game)),
        sheet=game.sheet_digest,
        players=tuple(Player(name) for name in NAMES[:seats]),
        provenance="simulated",
        seed=seed,
    )
    return sealed(header, encode_all(events))


def timeline(seats: int, seed: str = "frames", slug: str = "queen-of-the-cupcakes") -> Timeline:
    return Timeline(tape_of(slug, random_game(load(slug), seats, seed), seats))


def at(track: Any, step: int) -> Any:
    value = None
    for number, entry in track:
        if number <= step:
            value = entry
    return value


def viewers(seats: int) -> list[Viewer]:
    return ["spectator", "omniscient", *range(seats)]


@pytest.mark.parametrize(
    ("slug", "seats"), [("queen-of-the-cupcakes", 2), ("queen-of-the-cupcakes", 5), ("trash-pandas", 3)]
)
def test_each_frame_is_the_redacted_fold_of_the_events_so_far(slug: str, seats: int) -> None:
    played = timeline(seats, slug=slug)
    picture = picture_of(slug)
    for viewer in viewers(seats):
        made = frames.payload(played, viewer)
        shown = [number for number, event in enumerate(played.events) if seen(event, viewer) is not None]
        assert len(made.steps) == len(shown)
        for step, number in enumerate(shown):
            if step % 7 and step != len(shown) - 1:
                continue
            view = redact(fold(played.game, played.events[: number + 1]), viewer)
            groups = picture(view, NAMES[:seats]).groups
            assert {name: at(track, step) for name, track in made.picture.items()} == {
                name: groups.get(name) for name in made.picture
            }
            assert {path for path, track in made.state.items() if at(track, step) is not None} == {
                path for path, value in flatten(view).items() if value is not None
            }
            event = seen(played.events[number], viewer)
            assert event is not None
            assert made.steps[step].words == played.game.words(event, NAMES[:seats])
            assert made.steps[step].kind == kind_of(event)


def tables(played: Timeline) -> list[Table]:
    return [state for state in played.states if isinstance(state, Table)]


def swapped(played: Timeline) -> Iterator[tuple[int, Timeline]]:
    """The game with a card that a seat holds from deal to end exchanged for one that is never drawn: (seat, game)."""
    states, events = tables(played), played.events
    size = states[0].sheet.hand
    dealt = next(number for number, event in enumerate(events) if isinstance(event, HandsDealt))
    for seat in range(played.seats):
        for old in dict.fromkeys(states[dealt].hands[seat]):
            new = next((card for card in states[-1].pile if card != old), None)
            if new is None or min(state.hands[seat].count(old) for state in states[dealt:]) == 0:
                continue
            changed = list(events)
            deck = changed[dealt - 1]
            assert isinstance(deck, DeckShuffled)
            cards: list[Any] = list(deck.cards)
            hand = seat * size
            out = cards.index(old, hand, hand + size)
            into = len(cards) - 1 - cards[::-1].index(new)
            cards[out], cards[into] = cards[into], cards[out]
            hands: list[Cards] = [tuple(cards[each * 5 : each * 5 + 5]) for each in range(played.seats)]
            changed[dealt - 1] = DeckShuffled(tuple(cards))
            changed[dealt] = HandsDealt(tuple(hands))
            yield seat, Timeline(tape_of("queen-of-the-cupcakes", changed, played.seats))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_nothing_that_is_sent_differs_when_hidden_cards_are_exchanged(seats: int) -> None:
    games = (timeline(seats, f"swap/{number}") for number in range(10))
    pairs = list(islice(((played, *found) for played in games for found in swapped(played)), 2))
    assert len(pairs) == 2
    for played, seat, other in pairs:
        assert other.events != played.events
        assert len(other) == len(played)
        assert other.fault is None
        for viewer in viewers(seats):
            one, two = (msgspec.json.encode(frames.payload(each, viewer)) for each in (played, other))
            assert (one == two) == (viewer not in (seat, "omniscient"))


def test_a_seat_is_sent_its_own_cards_and_no_others() -> None:
    played = timeline(3)
    state = tables(played)[4]
    made = frames.payload(played, 1)
    assert [at(made.state[f"hands[{seat}]"], 4) for seat in (0, 2)] == ["? × 5", "? × 5"]
    assert str(at(made.state["hands[1]"], 4)).startswith(state.hands[1][0])


def test_a_part_shows_what_the_whole_does() -> None:
    played = timeline(3)
    whole, part = frames.payload(played, 1), frames.payload(played, 1, range(30, 50))
    assert part.steps == whole.steps[30:50]
    assert (part.first, part.length) == (30, len(whole.steps))
    for step in range(29, 50):
        assert {name: at(track, step) for name, track in part.state.items()} == {
            name: at(whole.state[name], step) for name in part.state
        }
    turns = [sum(part.turns[: number + 1]) for number in range(len(part.turns))]
    assert turns == [n for n, step in enumerate(whole.steps) if n == 0 or step.turn != whole.steps[n - 1].turn]


@pytest.mark.parametrize(("step", "first"), [(0, 0), (1499, 0), (1500, 1000), (2600, 2000), (9999, 9000)])
def test_parts_of_a_long_replay_overlap(step: int, first: int) -> None:
    part = frames.part_around(step, 10_000)
    assert (part.start, step in part) == (first, True)
    assert frames.part_around(step, 2000) == range(2000)


def test_seed_and_digest_are_nowhere_in_what_is_sent() -> None:
    events = random_game(load("queen-of-the-cupcakes"), 2, "the-secret-seed")
    tape = tape_of("queen-of-the-cupcakes", events, 2, seed="the-secret-seed")
    for viewer in viewers(2):
        sent = msgspec.json.encode(frames.payload(Timeline(tape), viewer))
        assert b"the-secret-seed" not in sent
        assert tape.header.digest is not None
        assert tape.header.digest.encode() not in sent


def test_the_revision_names_the_content() -> None:
    played = timeline(2)
    revs = [frames.payload(played, viewer).rev for viewer in viewers(2)]
    assert len(set(revs)) == 4
    assert revs == [frames.payload(timeline(2), viewer).rev for viewer in viewers(2)]


def test_steps_say_rule_ruling_and_what_they_changed() -> None:
    made = frames.payload(timeline(2), "spectator")
    taken = next(step for step in made.steps if step.kind == "cards_taken")
    assert (taken.rule, taken.move) == ("QC-05", True)
    assert made.rulings["QC-05"].startswith("Is taking from the bank compulsory? Yes. ")
    assert set(taken.marked) == {"bank", f"hand-{taken.seat}"}
    assert made.steps[0].marked == ()
    drawn = [name for name in made.picture if name != "felt"]
    assert {name for step in made.steps for name in step.marked} <= set(drawn) - {"status"}


def broken(played: Timeline) -> Timeline:
    """The game with its events 20 and 21 exchanged, as it is stored after an import."""
    events = list(played.events)
    events[20], events[21] = events[21], events[20]
    return Timeline(judged(tape_of("queen-of-the-cupcakes", events, played.seats))[0])


def test_a_fault_is_told_and_its_reason_only_to_who_sees_everything() -> None:
    stopped = broken(timeline(3))
    assert stopped.fault == Fault(20, stopped.fault.reason if stopped.fault else "")
    for viewer in viewers(3):
        made = frames.payload(stopped, viewer)
        assert len(made.steps) == 20
        assert made.lost == (stopped.header.length or 0) - 20 if viewer == "omniscient" else made.lost == 1
        assert made.warning is not None
        assert made.warning.startswith("This replay opens up to step 19: ")
        assert (stopped.fault.reason in made.warning) == (viewer == "omniscient")


def test_a_game_of_which_nothing_opens_has_no_frames() -> None:
    tape = tape_of("queen-of-the-cupcakes", random_game(load("queen-of-the-cupcakes"), 2, "x"), 2)
    made = frames.payload(Timeline(replace(tape, fault=Fault(0, "not a game"))), "spectator")
    assert isinstance(made, Payload)
    assert made.steps == ()
    assert made.warning == "Nothing of this replay can be opened: what follows cannot be believed"


def test_another_viewer_is_shown_the_same_moment() -> None:
    played = timeline(3, slug="trash-pandas")
    hidden = [number for number, event in enumerate(played.events) if seen(event, "spectator") is None]
    assert hidden, "this game has events that a spectator never sees"
    public = [shown.at for shown in played.shown("spectator")]
    for number in range(0, len(played), 3):
        step = frames.same_moment(played, number, "omniscient", "spectator")
        assert public[step] == max([each for each in public if each <= number])
    for step, moment in enumerate(public):
        assert frames.same_moment(played, step, "spectator", "omniscient") == moment
    assert frames.same_moment(played, 10**6, "spectator", "spectator") == len(public) - 1
