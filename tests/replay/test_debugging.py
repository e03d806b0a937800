"""The debugger's parts: walks, watches, alternatives, branches, comparisons. Numbers are those of the viewer."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from core.engine import fold
from core.redact import redact, seen
from events.base import TakenBack
from events.codec import encode_all
from events.errors import FormatError, SetupError, TabletapeError, UnlawfulEvent
from events.marks import Viewer
from events.tape import Fork, Tape, sealed
from replay.debugger.alternatives import alternatives
from replay.debugger.branching import branch, choose, lineage, new_id, option_of, play_on, seed_of
from replay.debugger.comparing import compare
from replay.debugger.walking import SOUGHT, WALKS, find, nearest
from replay.debugger.watches import WatchError, hits
from replay.storage.store import Store
from replay.timeline import Timeline
from replay.verify import verify
from tests.replay.twins import SEATS, played, twins

ID = "00000000-0000-7000-8000-000000000001"
OTHER = "00000000-0000-7000-8000-000000000002"


@cache
def opened(game: str = "queen-of-the-cupcakes") -> Timeline:
    return Timeline(played(game))


def decision(timeline: Timeline) -> int:
    """A step in the middle after which a seat has a choice."""
    steps = range(len(timeline) // 2, len(timeline))
    return next(at for at in steps if len(alternatives(timeline, at, "omniscient").options) > 1)


def branched(timeline: Timeline, id: str = ID) -> Tape:
    """A branch by another option than was chosen."""
    at = decision(timeline)
    other = next(n for n, option in enumerate(alternatives(timeline, at, "omniscient").options) if not option.chosen)
    step, event = option_of(timeline, at, "omniscient", other)
    return branch(timeline, step, event, id=id)


# --- walks -----------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["omniscient", "spectator", 0, 1]),
    st.lists(st.tuples(st.sampled_from(sorted(WALKS)), st.booleans()), max_size=12),
)
def test_wherever_a_walk_of_the_cursor_ends_the_fold_of_that_step_is_shown(
    viewer: Viewer, walks: list[tuple[str, bool]]
) -> None:
    timeline = opened("trash-pandas")
    number = 40
    for walk, back in walks:
        if walk in SOUGHT and getattr(timeline.seen_step(number, viewer), walk) is None:
            continue
        found = find(timeline, viewer, number, walk, back=back)
        if found is not None:
            assert found < number if back else found > number
            number = found
    at = timeline.moments(viewer)[number]
    state = fold(timeline.game, timeline.events[: at + 1])
    assert timeline.seen_view(number, viewer) == redact(state, viewer)
    assert timeline.seen_step(number, viewer).event == seen(timeline.events[at], viewer)


def test_each_walk_stops_at_the_next_step_of_its_kind() -> None:
    timeline = opened()
    steps = timeline.steps
    here = 20
    after = steps[here + 1 :]
    assert find(timeline, "omniscient", here, "move") == next(s.number for s in after if s.cause == "move")
    assert find(timeline, "omniscient", here, "turn") == next(s.number for s in after if s.kind == "turn_started")
    assert find(timeline, "omniscient", here, "seat", 2) == next(s.number for s in after if s.seat == 2)
    assert find(timeline, "omniscient", here, "kind") == next(s.number for s in after if s.kind == steps[here].kind)
    assert find(timeline, "omniscient", here, "subject", "blue") == next(s.number for s in after if s.subject == "blue")
    stops = find(timeline, "omniscient", here, "decision")
    assert stops is not None
    assert steps[stops + 1].cause == "move"
    assert find(timeline, "omniscient", len(timeline) - 1, "event") is None
    assert find(timeline, "omniscient", 0, "event", back=True) is None


def test_numbers_are_clamped_and_what_is_not_there_is_refused() -> None:
    timeline = opened()
    last = len(timeline) - 1
    assert [nearest(timeline, 0, number) for number in (-5, 3, 10**9)] == [0, 3, last]
    for bad in (
        lambda: timeline.view(-1, "omniscient"),
        lambda: timeline.view(last + 1, "omniscient"),
        lambda: timeline.view(0, 3),
        lambda: timeline.moments(-1),
        lambda: find(timeline, 0, 0, "sideways"),
        lambda: find(timeline, 0, 0, "subject"),
    ):
        with pytest.raises(FormatError):
            bad()


@pytest.mark.parametrize("viewer", ["omniscient", "spectator", 1])
def test_a_window_is_a_slice_of_all_that_is_shown(viewer: Viewer) -> None:
    timeline = opened("trash-pandas")
    whole = list(timeline.shown(viewer))
    assert list(timeline.shown_between(viewer, 30, 12)) == whole[30:42]
    assert list(timeline.shown_between(viewer, len(whole) - 3, 12)) == whole[-3:]
    assert [shown.at for shown in whole] == list(timeline.moments(viewer))


def test_a_stream_of_a_hundred_thousand_events_is_walked_like_a_short_one() -> None:
    """A recording that is corrected over and over: each correction goes back to where the one 30 before it stood."""
    events = [*opened().events[:60]]
    while len(events) < 100_000:
        events.append(TakenBack(to=len(events) - 30))
    timeline = Timeline(sealed(played("queen-of-the-cupcakes").header, encode_all(events)))
    assert (len(timeline), timeline.fault) == (100_000, None)
    for at in (70, 50_000, 99_999):
        (shown,) = timeline.shown_between("omniscient", at, 1)
        meant = at
        while meant >= 60:
            meant -= 30
        assert shown.view == redact(fold(timeline.game, events[: meant + 1]), "omniscient")
        assert find(timeline, "omniscient", at, "event", back=True) == at - 1
    assert len(hits(timeline, 1, "step == 99998")) == 1


def test_last_change_is_what_a_walk_over_all_states_finds() -> None:
    timeline = opened("trash-pandas")
    last = len(timeline) - 1
    views = [timeline.paths(at, 1) for at in range(last + 1)]
    for path, value in views[last].items():
        changes = [at for at in range(1, last + 1) if views[at - 1].get(path) != views[at].get(path)]
        assert timeline.last_change(path, last, 1) == (changes[-1] if changes else None), (path, value)


# --- watches ---------------------------------------------------------------------------------------------------------


def test_a_condition_on_the_state_hits_where_it_becomes_true() -> None:
    timeline = opened()
    states = [asdict(state) for state in timeline.states]
    full = [max(state["bins"]) >= 4 for state in states]
    became = tuple([at for at, now in enumerate(full) if now and not (at and full[at - 1])])
    assert hits(timeline, "omniscient", "bins.exists(b, bins[b] >= 4)") == became
    assert became
    name = timeline.header.players[1].name
    few = [bool(state["hands"]) and len(state["hands"][1]) < 2 for state in states]
    assert hits(timeline, 1, f'size(hands[seats["{name}"]]) < 2') == tuple(
        [at for at, now in enumerate(few) if now and not (at and few[at - 1])]
    )


def test_a_condition_on_the_event_hits_wherever_it_holds() -> None:
    timeline = opened()
    takes = tuple([step.number for step in timeline.steps if step.kind == "cards_taken" and step.seat == 1])
    assert hits(timeline, "spectator", 'event.kind == "cards_taken" && event.seat == 1') == takes
    assert hits(timeline, "spectator", "turn == 2")[0] == next(s.number for s in timeline.steps if s.turn == 2)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "1 to 500"),
        ("x" * 501, "1 to 500"),
        ("bins.orange >= ", "cannot be read"),
        ("bin.orange >= 1", "bins"),
        ("bins.organe >= 1", "orange"),
        ("sheet == 1", "nothing is called"),
        ("size(hands)", "no yes or no"),
        ('"' + "a" * 490 + '"', "no yes or no"),
        ("(" * 250 + "true" + ")" * 240, "brackets"),
        ("[" * 200 + "]" * 200, "brackets"),
        ("hands.all(a, hands.all(b, hands.all(c, true)))", "loops"),
        ("[1].map(a, a + a).map(a, a + a).size() > 1", "lists are not built"),
        ("[1].exists(a, " + "a+" * 100 + "a > 1)", "plus"),
        ('"\\u0041" == "A"', "backslashes"),
        ('"a".matches("(a{1000}){1000}{1000}")', "holds nowhere"),
        ("true) || (true", "cannot be read"),
        ("__import__('os').getcwd() == ''", "holds nowhere"),
    ],
)
def test_what_cannot_be_watched_is_refused_in_one_line(text: str, says: str) -> None:
    with pytest.raises(WatchError, match=says) as error:
        hits(opened(), 1, text)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


# --- alternatives ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", SEATS)
def test_what_was_recorded_next_is_marked_among_what_could_have_been(game: str) -> None:
    timeline = opened(game)
    for number in range(len(timeline) - 1):
        found = alternatives(timeline, number, "omniscient")
        if found.options:
            assert [option.event for option in found.options if option.chosen] == [timeline.events[number + 1]]
        else:
            assert found.note.endswith("too many to list")
        if found.kind == "chance" and found.options:
            assert sum(option.weight or 0 for option in found.options) == found.total
    assert alternatives(timeline, len(timeline) - 1, "omniscient").kind == "over"


def test_an_order_that_cannot_be_listed_says_how_many_things_lie_in_it() -> None:
    assert alternatives(opened(), 0, 1).note == "any order of 66: too many to list"


# --- what a viewer must not learn ------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["queen-of-the-cupcakes", "trash-pandas"])
def test_what_a_viewer_never_knew_changes_nothing_that_it_is_told(game: str) -> None:
    met = 0
    for seed in range(12):
        for viewer in ("spectator", SEATS[game] - 1):
            pair = twins(game, seed, viewer)
            if pair is None:
                continue
            one, other = pair
            met += one.states[-1] != other.states[-1]
            assert one.moments(viewer) == other.moments(viewer)
            assert compare(one, other, viewer).first is None
            for number in range(len(one.moments(viewer))):
                assert alternatives(one, number, viewer) == alternatives(other, number, viewer)
                for walk in ("decision", "move"):
                    assert find(one, viewer, number, walk) == find(other, viewer, number, walk)
            for text in ("hands.exists(h, h.size() > 3)", "event.kind != phase", "turn > 1"):
                assert hits(one, viewer, text) == hits(other, viewer, text)
    assert met


# --- branches --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", SEATS)
def test_a_branch_shares_its_beginning_and_is_played_on_to_an_end_that_verifies(game: str) -> None:
    parent = played(game)
    tape = branched(opened(game))
    fork = tape.header.fork
    assert fork is not None
    assert fork.parent == parent.header.id
    assert tape.events[: fork.step + 1] == parent.events[: fork.step + 1]
    assert tape.events[fork.step + 1] != parent.events[fork.step + 1]
    assert branched(opened(game)) == tape
    ended = play_on(tape, ["random"] * SEATS[game])
    assert ended.events[: len(tape.events)] == tape.events
    verdict = verify(ended, parent)
    assert verdict.grades == ("whole", "legal", "exact")
    assert verdict.holds, verdict
    assert verdict.finished


def test_a_branch_goes_on_by_hand_and_a_branch_of_it_is_one_too() -> None:
    tape = branched(opened())
    timeline = Timeline(tape)
    move = timeline.game.legal(timeline.states[-1])[0]
    longer = choose(tape, move)
    assert len(longer.events) > len(tape.events) + 1
    assert verify(longer, played("queen-of-the-cupcakes")).holds
    again = branch(timeline, len(timeline) - 1, move, id=OTHER)
    assert again.header.fork == Fork(ID, len(timeline) - 1)
    assert verify(again, tape).holds
    with pytest.raises(UnlawfulEvent):
        choose(tape, replace(move, seat=2 - move.seat))
    with pytest.raises(SetupError):
        choose(played("queen-of-the-cupcakes"), move)


def test_another_outcome_of_chance_can_be_chosen_also_in_a_game_without_a_seed() -> None:
    parent = replace(played("trash-pandas"), header=replace(played("trash-pandas").header, seed=None))
    timeline = Timeline(parent)
    rolls = next(at for at in range(20, len(timeline)) if timeline.steps[at + 1].kind == "die_rolled")
    found = alternatives(timeline, rolls, "omniscient")
    assert found.kind == "chance"
    other = next(number for number, option in enumerate(found.options) if not option.chosen)
    at, event = option_of(timeline, rolls, "omniscient", other)
    tape = branch(timeline, at, event, id=ID)
    assert tape.header.seed == seed_of(parent.header.id, at, event)
    assert verify(play_on(tape, ["random"] * 3), parent).holds


def test_verify_finds_a_branch_that_is_not_of_its_parent_or_not_dealt_from_its_seed() -> None:
    parent = played("trash-pandas")
    tape = play_on(branched(opened("trash-pandas")), ["random"] * 3)
    fork = tape.header.fork
    assert fork is not None
    assert not verify(tape, played("trash-pandas", "another")).holds
    assert [failure.grade for failure in verify(replace(tape, header=replace(tape.header, seed="x"))).failures] == [
        "exact"
    ]
    empty = replace(tape.header, fork=Fork(parent.header.id, len(tape.events) - 1))
    assert [failure.grade for failure in verify(replace(tape, header=empty)).failures] == ["exact"]


def test_a_game_at_a_table_that_is_still_on_is_branched_by_no_seat() -> None:
    """A branch played to its end shows every card."""
    tape = played("queen-of-the-cupcakes")
    at = decision(opened())
    live = sealed(replace(tape.header, provenance="live"), tape.events[: at + 1])
    timeline = Timeline(live)
    seat = timeline.game.legal(timeline.states[at])[0].seat
    with pytest.raises(SetupError, match="still on"):
        option_of(timeline, at, seat, 0)
    assert option_of(timeline, at, "omniscient", 0)[0] == at
    with pytest.raises(SetupError, match="no option 99"):
        option_of(timeline, at, "omniscient", 99)


def test_the_tree_of_branches_outlives_its_root(store: Store) -> None:
    parent = played("queen-of-the-cupcakes")
    tape = branched(opened())
    timeline = Timeline(tape)
    child = branch(timeline, len(timeline) - 1, timeline.game.legal(timeline.states[-1])[0], id=OTHER)
    store.add([parent, tape, child])
    for id in (parent.header.id, ID, OTHER):
        assert [(one.id, one.depth) for one in lineage(store, id)] == [(parent.header.id, 0), (ID, 1), (OTHER, 2)]
    store.remove(parent.header.id)
    assert [(one.id, one.depth) for one in lineage(store, OTHER)] == [(ID, 0), (OTHER, 1)]
    assert verify(store.read(ID)).holds


def test_what_headers_claim_in_a_circle_is_a_tree_all_the_same(store: Store) -> None:
    tape = branched(opened())
    store.add(
        [replace(tape, header=replace(tape.header, id=a, fork=Fork(b, 1))) for a, b in ((ID, OTHER), (OTHER, ID))]
    )
    assert sorted(one.id for one in lineage(store, ID)) == [ID, OTHER]


def test_ids_of_branches_are_uuids_of_version_7_in_the_order_of_time() -> None:
    ids = [new_id(1_700_000_000_000 + at, bytes([255 - at] * 10)) for at in range(3)]
    assert ids == sorted(ids)
    assert all(id[14] == "7" and id[19] in "89ab" for id in ids)


# --- comparing -------------------------------------------------------------------------------------------------------


def test_a_branch_differs_from_its_parent_from_the_chosen_event_on() -> None:
    timeline, other = opened(), Timeline(branched(opened()))
    found = compare(timeline, other, "omniscient")
    assert other.header.fork is not None
    assert found.first == found.common == other.header.fork.step + 1
    assert found.changes
    assert compare(timeline, timeline, 0).first is None
    with pytest.raises(TabletapeError):
        compare(timeline, opened("picnic-palace"), 0)
