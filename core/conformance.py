"""What every game must keep, as plain functions that raise `Broken` with the game, the step and what is wrong.

Our tests run them on our games, `tabletape doctor` on every installed one, and whoever adds a game on theirs:

    from core.conformance import check_game
    check_game(MyGame(my_sheet), games=20)

Each check plays random games from seeds it is given, so a failure can be repeated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct

from core.bots import RandomBot, View
from core.bots.seats import record_of, seated
from core.chance import Chance
from core.engine import consequence, fold, past_secrets, play, refuse, start, states
from core.game import Game
from core.paths import flatten
from core.redact import marks_of, moves_of, redact, seen
from core.registry import codec
from core.rng import Rng, seed_key
from events.base import Event, GameEnded, GameStarted, Move, Options
from events.codec import canonical, encode, encode_all
from events.errors import TabletapeError
from events.marks import Viewer
from events.tape import digest, links


class Broken(TabletapeError):
    """A game that does not keep what every game must keep."""


def check_game(game: Game[Any], games: int = 20, options: Options | None = None, seed: str = "conformance") -> int:
    """Run every check on `games` random games at each seat count that goes with the options.

    Gives the number of games played; raises `Broken` at the first thing that is wrong.
    """
    played = 0
    for seats in seat_counts(game, options):
        for number in range(games):
            events = random_game(game, seats, f"{seed}/{seats}/{number}", options)
            check_replay(game, events)
            check_ending(game, events)
            check_census(game, events)
            check_codec(game, events)
            check_lawfulness(game, events)
            check_moves(game, events)
            check_views(game, events)
            check_chance(game, events, f"{seed}/{seats}/{number}")
            check_worlds(game, events, f"{seed}/{seats}/{number}")
            played += 1
        for number in range(max(1, games // 4)):
            check_secrets(game, seats, f"{seed}/{seats}/{number}", options)
    if not played:
        raise Broken(f"{game.slug} cannot be started with any seat count")
    return played


def seat_counts(game: Game[Any], options: Options | None = None) -> list[int]:
    """Give the seat counts that a game can be started with under some options."""
    low, high = game.sheet.seats
    chosen = game.options() if options is None else options
    return [seats for seats in range(low, high + 1) if game.setup_problem(seats, chosen) is None]


def random_game(game: Game[Any], seats: int, seed: str, options: Options | None = None) -> list[Event]:
    """Give the events of a game of random bots; the same for the same seed, in any process."""
    key = seed_key(seed)
    return play(game, start(game, seats, options), key, seated([RandomBot()] * seats, key))


def state_digests(game: Game[Any], events: Sequence[Event]) -> list[str]:
    """Give a digest of every state along a stream, each covering all before it: to compare processes step by step."""
    return [link.hex() for link in links([canonical(flatten(state)) for state in states(game, events)])]


def check_replay(game: Game[Any], events: Sequence[Event]) -> None:
    """State k is the fold of events 0 to k, however it is reached, and no state is changed by what comes after it."""
    along = list(states(game, events))
    written = [canonical(state) for state in along]
    for step in range(len(events)):
        if step % 7 == 0 or step == len(events) - 1:
            _expect(fold(game, events[: step + 1]) == along[step], game, step, "the fold differs from the live state")
    again = [canonical(state) for state in states(game, events)]
    _expect(again == written, game, 0, "folding the same events twice gives different states")
    looked_at = set[int]()
    for step, state in enumerate(along):
        _expect(canonical(state) == written[step], game, step, "a state was changed after it had been given out")
        _check_frozen(game, step, state, looked_at)


def _check_frozen(game: Game[Any], step: int, value: Any, looked_at: set[int]) -> None:
    """A state is of frozen structs, tuples, text and whole numbers: nothing that can be changed or has no order.

    `looked_at` has the ids of what was: most of a state is the very same as in the one before.
    """
    if id(value) in looked_at:
        return
    looked_at.add(id(value))
    if isinstance(value, tuple):
        for item in value:
            _check_frozen(game, step, item, looked_at)
    elif isinstance(value, Struct) and value.__struct_config__.frozen:
        marks = marks_of(type(value))
        for name in value.__struct_fields__:
            if name not in marks or marks[name].kind != "components":
                _check_frozen(game, step, getattr(value, name), looked_at)
    else:
        plain = value is None or isinstance(value, str | int)
        _expect(plain, game, step, f"the state holds a {type(value).__name__}: it can be changed, or is not exact")


def check_ending(game: Game[Any], events: Sequence[Event]) -> None:
    """A game ends with `game_ended`, once, with one score a seat; nothing goes on after it.

    Every seat is ranked, or none where the engine has given up on a game without end.
    """
    last = events[-1]
    step = len(events) - 1
    seats = _seats(events)
    if not isinstance(last, GameEnded):
        raise Broken(f"{game.slug}, step {step}: nobody may choose, and the game has not ended")
    _expect(len(last.scores) == seats, game, step, "there is not one score a seat")
    ranked = sorted([seat for group in last.ranking for seat in group])
    _expect(ranked in ([], list(range(seats))), game, step, "the ranking names some seats and not others")
    for number, state in enumerate(states(game, events)):
        outcome = game.outcome(state)
        _expect((outcome is not None) == (number == step), game, number, "an outcome before or after the end")
    outcome = game.outcome(state)
    _expect(
        outcome is not None and (outcome.scores, outcome.ranking) == (last.scores, last.ranking),
        game,
        step,
        "the outcome is not what game_ended says",
    )
    _expect(game.forced(state) is None and not game.legal(state), game, step, "the game goes on after its end")


def check_census(game: Game[Any], events: Sequence[Event]) -> None:
    """Every component is in exactly one place at every step: the counts never change once the box is open."""
    box = None
    for step, state in enumerate(states(game, events)):
        counts = {name: count for name, count in sorted(game.census(state).items()) if count}
        if counts:
            _expect(box is None or counts == box, game, step, f"components appear or vanish: {counts} after {box}")
            box = counts


def check_codec(game: Game[Any], events: Sequence[Event]) -> None:
    """Every event is read back as it was written, and any changed byte of the stream changes its digest."""
    raws = encode_all(events)
    _expect(codec(type(game)).decode_all(raws) == tuple(events), game, 0, "events are not read back as written")
    for step, (raw, event) in enumerate(zip(raws, events, strict=True)):
        _expect(codec(type(game)).decode(raw) == event, game, step, "the event is not read back as written")
    whole = digest(raws)
    for step in range(0, len(raws), 11):
        raw = raws[step]
        at = step % len(raw)
        changed = raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]
        _expect(digest((*raws[:step], changed, *raws[step + 1 :])) != whole, game, step, "a changed byte goes unseen")


def check_lawfulness(game: Game[Any], events: Sequence[Event]) -> None:
    """The engine accepts every event of a game in its place, and none out of its place."""
    state: Any = game.initial()
    for step, event in enumerate(events):
        reason = refuse(game, state, step, event)
        _expect(reason is None, game, step, f"a played event is refused: {reason}")
        foreign = events[(step * 5 + 3) % len(events)]
        if step and foreign != event and not _possible(game, state, foreign):
            _expect(refuse(game, state, step, foreign) is not None, game, step, "an event out of place is accepted")
        state = game.evolve(state, event)
    _expect(refuse(game, state, len(events), events[-1]) is not None, game, len(events), "play goes on after the end")


def check_moves(game: Game[Any], events: Sequence[Event]) -> None:
    """Legal moves are listed once each, those of a seat together, name a seat of the game, and can be folded."""
    seats = _seats(events)
    for step, state in enumerate(states(game, events)):
        if game.forced(state) is not None:
            continue
        moves = game.legal(state)
        written = [encode(move) for move in moves]
        _expect(len(dict.fromkeys(written)) == len(written), game, step, "a legal move is listed twice")
        for move in moves:
            _expect(isinstance(move, Move) and 0 <= move.seat < seats, game, step, f"{move} is no move of a seat")
            game.evolve(state, move)
        turns = [seat for seat, _ in groupby([move.seat for move in moves])]
        _expect(len(dict.fromkeys(turns)) == len(turns), game, step, "the moves of a seat do not stand together")


def check_views(game: Game[Any], events: Sequence[Event]) -> None:
    """A view shows counts and public facts as they are; the omniscient view is the state; a view is its own view."""
    seats = _seats(events)
    viewers: list[Viewer] = ["spectator", *range(seats)]
    before: dict[Viewer, bytes] = {}
    for step, (event, state) in enumerate(zip(events, states(game, events), strict=True)):
        _expect(redact(state, "omniscient") is state, game, step, "the omniscient view is not the state")
        public = redact(state, "spectator")
        for viewer in viewers:
            view = redact(state, viewer)
            _expect(redact(view, viewer) == view, game, step, f"viewer {viewer}: a view of a view differs from it")
            _expect(redact(view, "spectator") == public, game, step, f"{viewer} sees less than all do")
            written = canonical(view)
            if seen(event, viewer) is None and viewer in before:
                _expect(written == before[viewer], game, step, f"viewer {viewer} sees a change but not the event")
            before[viewer] = written
        _expect(moves_of(game.legal(state), "spectator") == [], game, step, "a spectator sees legal moves")


def check_chance(game: Game[Any], events: Sequence[Event], seed: str) -> None:
    """An outcome of chance tells a viewer no more than the view shows after it.

    Where another outcome would look different, but leave the viewer's view as it is and the state not, the event tells
    what the state hides (unless it is one of `Game.recalled`).
    """
    seats = _seats(events)
    for step, before, due in _chances(game, events):
        event = events[step]
        dice = Rng(seed_key(seed), step, b"chance")
        others = [other for other, weight in due.odds if weight and other != event] or [_exchanged(event, dice)]
        other = dice.choice(others)
        if other == event or not due.admits(other) or isinstance(event, game.recalled):
            continue
        one, two = game.evolve(before, event), game.evolve(before, other)
        for viewer in ("spectator", *range(seats)):
            told = _bytes(seen(event, viewer)) != _bytes(seen(other, viewer))
            hidden = told and one != two and _view(one, viewer) == _view(two, viewer)
            _expect(not hidden, game, step, f"viewer {viewer} learns from an outcome of chance what the view hides")


def check_worlds(game: Game[Any], events: Sequence[Event], seed: str, steps: int = 8) -> int:
    """Hidden things dealt anew (`Game.world`) are such that the seat cannot tell, agree with the box, and vary.

    Looks at about so many steps of a game, as every seat, and plays on from some to the end. Gives the number of
    worlds looked at: 0 for a game that has no `world` of its own.
    """
    if type(game).world is Game.world:
        return 0
    worlds = varied = hiding = 0
    along = list(states(game, events))
    for step in range(seed_key(seed)[-1] % 7, len(events), max(1, len(events) // steps)):
        state = along[step]
        for seat in range(_seats(events)):
            view = View(seat, redact(state, seat), record_of(events[: step + 1], seat))
            one, two = (game.world(view, Rng(seed_key(seed), step, b"world/%d" % at)) for at in range(2))
            wrong = f"dealt anew for seat {seat}, "
            for world in (one, two):
                _expect(redact(world, seat) == view.table, game, step, wrong + "the table looks other than it did")
                same = Counter(game.census(world)) == Counter(game.census(state))
                _expect(same, game, step, wrong + "there are other components than in the box")
            mine = _own_moves(game, state, seat)
            _expect(not mine or _own_moves(game, one, seat) == mine, game, step, wrong + "its moves are others")
            worlds, varied, hiding = worlds + 2, varied + (one != two), hiding + (view.table != state)
        _play_on(game, one, step, f"{seed}/{step}"[-64:])
    _expect(varied > 0 or not hiding, game, 0, "hidden things that are dealt anew always lie the same")
    return worlds


def _play_on(game: Game[Any], state: Any, step: int, seed: str) -> None:
    """From a state that was dealt anew the rules come to an end like from any other, and no component is lost."""
    box = +Counter(game.census(state))
    key = seed_key(seed)
    for seq in range(step + 1, step + game.bound):
        event = consequence(game, state, key, seq)
        if event is None:
            moves = game.legal(state)
            if not moves:
                break
            event = Rng(key, seq, b"move").choice(moves)
        state = game.evolve(state, event)
    _expect(game.outcome(state) is not None, game, step, "a table that was dealt anew does not come to an end")
    _expect(not box or +Counter(game.census(state)) == box, game, step, "a table dealt anew loses components later")


def check_secrets(game: Game[Any], seats: int, seed: str, options: Options | None = None) -> int:
    """The swap test: what a viewer has never known cannot be told from anything the viewer is shown.

    For each viewer a random game is played twice at once: as it is, and with two values exchanged in one hidden outcome
    of chance. As long as the viewer's view has shown no difference, the two must look the same: the same kind of event
    comes next (or none that is seen), with the same visible bytes, the same view, the same own moves. A consequence may
    differ only if it turns something up: then the view differs too (or the event is one of `Game.recalled`), and the
    viewer knows, which ends that comparison.

    Gives the number of steps at which two games were compared.
    """
    compared = 0
    viewers: list[Viewer] = ["spectator", *range(seats)]
    for number, viewer in enumerate(viewers):
        events = random_game(game, seats, f"{seed}/{number}", options)
        chances = list(_chances(game, events))
        for attempt in range(4):
            compared += _swapped(game, events, chances, viewer, Rng(seed_key(f"{seed}/{number}"), attempt, b"swap"))
    return compared


def _swapped(
    game: Game[Any], events: Sequence[Event], chances: Sequence[tuple[int, Any, Chance]], viewer: Viewer, dice: Rng
) -> int:
    swaps = [(step, state, swap) for step, state, due in chances if (swap := _swap(due, events[step], viewer, dice))]
    if not swaps:
        return 0
    at, one, changed = dice.choice(swaps)
    two = one
    compared = 0
    for step in range(at, len(events)):
        event = events[step]
        other = _counterpart(game, two, event, changed if step == at else None)
        if seen(event, viewer) is None and (other is None or seen(other, viewer) is not None):
            one = game.evolve(one, event)  # somebody declined in secret what in the other game nobody could do
            _expect(_view(one, viewer) == _view(two, viewer), game, step, f"viewer {viewer} sees a secret in the view")
            continue
        if seen(event, viewer) is not None and (other is None or seen(other, viewer) is None):
            two = past_secrets(game, two, viewer)  # the other way round
            other = _counterpart(game, two, event, None)
        if other is None or (other != event and _could_decline(game, one, viewer)):
            return compared
        if isinstance(event, Move) and not any(_could_decline(game, state, viewer) for state in (one, two)):
            alike = (game.forced(one) is None) == (game.forced(two) is None)
            _expect(alike, game, step, f"viewer {viewer} can tell a hidden card by whether a seat is asked")
        seen_one, seen_two = seen(event, viewer), seen(other, viewer)
        one, two = game.evolve(one, event), game.evolve(two, other)
        view_one, view_two = _view(one, viewer), _view(two, viewer)
        _expect(
            type(seen_one) is type(seen_two), game, step, f"viewer {viewer} can tell a hidden card by what happens next"
        )
        if _bytes(seen_one) != _bytes(seen_two):
            shown = view_one != view_two or isinstance(event, game.recalled)
            _expect(
                shown, game, step, f"viewer {viewer} learns from an event what the view hides: {_bytes(seen_one)!r}"
            )
            return compared
        _expect(view_one == view_two, game, step, f"viewer {viewer} sees in the view what nothing has shown")
        mine, others = (_own_moves(game, past_secrets(game, state, viewer), viewer) for state in (one, two))
        _expect(mine == others, game, step, f"viewer {viewer} can tell a hidden card by its own legal moves")
        compared += 1
    return compared


def _could_decline(game: Game[Any], state: Any, viewer: Viewer) -> bool:
    """May a seat that is asked in secret decline? Then to be seen answering was its own choice."""
    return game.forced(state) is None and any(seen(move, viewer) is None for move in game.legal(state))


def _view(state: Any, viewer: Viewer) -> bytes:
    return canonical(redact(state, viewer))


def _counterpart(game: Game[Any], state: Any, event: Event, changed: Event | None) -> Event | None:
    """Give what happens in the changed game where `event` happens in the played one; None where the two must part."""
    if changed is not None:
        return changed
    due = game.forced(state)
    if isinstance(due, Chance):
        return event if due.admits(event) else None
    if due is not None:
        return due
    return event if event in game.legal(state) else None


def _own_moves(game: Game[Any], state: Any, viewer: Viewer) -> list[bytes]:
    if game.forced(state) is not None:
        return []
    return [encode(move) for move in moves_of(game.legal(state), viewer)]


def _chances(game: Game[Any], events: Sequence[Event]) -> Iterator[tuple[int, Any, Chance]]:
    """Give the steps at which chance decided, with the state before and what it could decide."""
    state: Any = game.initial()
    for step, event in enumerate(events):
        due = game.forced(state) if step else None
        if isinstance(due, Chance):
            yield step, state, due
        state = game.evolve(state, event)


def _swap(due: Chance, event: Event, viewer: Viewer, dice: Rng) -> Event | None:
    """Give another outcome of chance that the viewer cannot tell from `event`: None if there is none."""
    shown = _bytes(seen(event, viewer))
    others = [other for other, weight in due.odds if weight and other != event]
    others += [other for _ in range(8) if (other := _exchanged(event, dice)) != event and due.admits(other)]
    alike = [other for other in others if _bytes(seen(other, viewer)) == shown]
    return dice.choice(alike) if alike else None


def _exchanged(event: Event, dice: Rng) -> Event:
    """Give the event with two values of one of its tuples exchanged."""
    fields = {name: getattr(event, name) for name in event.__struct_fields__}
    tuples = [name for name, value in fields.items() if type(value) is tuple and len(value) > 1]
    if tuples:
        name = dice.choice(tuples)
        values = list(fields[name])
        i, j = dice.below(len(values)), dice.below(len(values))
        values[i], values[j] = values[j], values[i]
        fields[name] = tuple(values)
    return type(event)(**fields)


def _possible(game: Game[Any], state: Any, event: Event) -> bool:
    """Could this event, taken from elsewhere in the game, lawfully stand here as well?"""
    if isinstance(event, GameStarted):
        return False
    due = game.forced(state)
    if isinstance(due, Chance):
        return due.admits(event)
    return event == due if due is not None else event in game.legal(state)


def _seats(events: Sequence[Event]) -> int:
    first = events[0]
    if not isinstance(first, GameStarted):
        raise Broken("a stream begins with game_started")
    return first.seats


def _bytes(event: Event | None) -> bytes:
    return b"" if event is None else encode(event)


def _expect(kept: bool, game: Game[Any], step: int, wrong: str) -> None:
    if not kept:
        raise Broken(f"{game.slug}, step {step}: {wrong}")
