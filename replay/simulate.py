"""Games played by bots: one, or a batch of any size that is the same however often and by how many processes it is run.

A batch is named by what it is played with; game i of a batch has the seed `<seed>/<i>` and an id made of the batch's
hash (high bits) and i (low bits). So simulating a batch again adds nothing, and ids stay in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from functools import cache, partial
from hashlib import blake2b
from typing import Any
from uuid import UUID

import msgspec
from msgspec import Struct

from core.bots.named import Bots
from core.bots.seats import seated
from core.engine import play, start
from core.game import Game
from core.registry import find
from core.rng import seed_key
from core.sheets import from_json
from core.streams import shapes
from events.base import Options
from events.codec import canonical, encode_all
from events.errors import SetupError, line_of
from events.tape import Header, Player, Tape, sealed
from replay.games import load
from replay.jobs.workers import always, spread

CHUNK = 250
"""Games that a worker plays before it hands them over."""


class Batch(Struct, frozen=True, kw_only=True):
    """What a batch of games is played with.

    `bots` is the line-up, one bot a player; player p sits at seat (p - i) mod seats in game i, so that nobody profits
    from a seat, or always at seat p if `fixed_seats`. `options` is the game's options as JSON, `components` a sheet
    that is not the shipped one, as JSON.
    """

    game: str
    seats: int
    seed: str
    bots: tuple[str, ...]
    options: bytes = b"{}"
    components: bytes | None = None
    fixed_seats: bool = False

    def id_of(self, number: int) -> str:
        """Give the id of game `number` (below 2^40): a UUID of version 8."""
        digest = int.from_bytes(blake2b(canonical(self), digest_size=16).digest(), "big")
        value = digest >> 40 << 40 | number
        value = value & ~(0xF << 76) | 8 << 76
        value = value & ~(0b11 << 62) | 0b10 << 62
        return str(UUID(int=value))

    def number_of(self, id: str) -> int | None:
        """Give which game of this batch has an id, or None if it is of another."""
        number = UUID(id).int & (1 << 40) - 1
        return number if self.id_of(number) == id else None

    def players(self, number: int) -> tuple[Player, ...]:
        """Give who sits where in game `number`, seat 0 first."""
        named = _named(self.bots)
        shift = 0 if self.fixed_seats else number
        return tuple([named[(seat + shift) % self.seats] for seat in range(self.seats)])


def _named(bots: Sequence[str]) -> list[Player]:
    """Give each player of a line-up a name of its own: two greedy bots are greedy-1 and greedy-2."""
    return [
        Player(name=bot if bots.count(bot) == 1 else f"{bot}-{bots[: at + 1].count(bot)}", bot=bot)
        for at, bot in enumerate(bots)
    ]


def bots_for(kind: type[Game[Any]]) -> Bots:
    """Give the bots that can play a game, by name; `search:N` is one for any N."""
    return Bots(kind)


def check(batch: Batch) -> Game[Any]:
    """Give the game of a batch; raises `SetupError` or `FormatError` if it cannot be played as it says."""
    game = _game(batch)
    start(game, batch.seats, _options(game, batch.options))
    if len(batch.bots) != batch.seats:
        raise SetupError(f"{batch.seats} seats need {batch.seats} players, not {len(batch.bots)}")
    known = bots_for(type(game))
    for bot in batch.bots:
        if bot not in known:
            raise SetupError(f"no bot of {game.title} is called {bot!r}; there are: {', '.join(known)}")
    seed_key(f"{batch.seed}/{2**40}")
    return game


def play_tape(
    game: Game[Any],
    players: Sequence[Player],
    seed: str,
    id: str,
    options: Options | None = None,
    components: bytes | None = None,
) -> Tape:
    """Play one game by bots and give it as a tape. Every player is a bot; the seed deals and is each bot's too."""
    key = seed_key(seed)
    known = bots_for(type(game))
    bots = [known[player.bot or ""]() for player in players]
    events = play(game, start(game, len(players), options), key, seated(bots, key))
    header = Header(
        id=id,
        game=game.slug,
        rules=game.rules,
        shapes=shapes(type(game)),
        sheet=game.sheet_digest,
        players=tuple(players),
        provenance="simulated",
        seed=seed,
        components=None if components is None else msgspec.json.decode(components),
    )
    return sealed(header, encode_all(events))


def tapes(batch: Batch, first: int, count: int) -> Iterator[Tape]:
    """Give games `first` to `first + count - 1` of a batch."""
    game = _game(batch)
    options = _options(game, batch.options)
    for number in range(first, first + count):
        seed = f"{batch.seed}/{number}"
        yield play_tape(game, batch.players(number), seed, batch.id_of(number), options, batch.components)


def simulate(
    batch: Batch,
    count: int,
    jobs: int = 1,
    executor: Executor | None = None,
    go_on: Callable[[], bool] = always,
) -> Iterator[Tape]:
    """Give the first `count` games of a batch, in order, played by `jobs` processes, or an executor of `jobs` workers.

    The games are the same whoever plays them. Once `go_on` says no, the chunks at work are given, and nothing more is
    played. Raises what `check` raises, and `WorkerLost`.
    """
    check(batch)
    if executor is None and (jobs <= 1 or count <= CHUNK):
        for tape in tapes(batch, 0, count):
            yield tape
            if not go_on():
                return
        return
    for played in spread(partial(_chunk, batch), chunks(0, count, CHUNK), jobs, executor, go_on):
        yield from msgspec.msgpack.decode(played, type=list[Tape])


def chunks(first: int, end: int, size: int) -> Iterator[range]:
    """Give the numbers from `first` to before `end` in chunks of at most `size`."""
    return (range(at, min(end, at + size)) for at in range(first, end, size))


def _chunk(batch: Batch, numbers: range) -> bytes:
    """Play a chunk in a worker; bytes travel between processes three times as fast as pickled structs."""
    return msgspec.msgpack.encode(list(tapes(batch, numbers.start, len(numbers))))


@cache
def _game(batch: Batch) -> Game[Any]:
    if batch.components is None:
        return load(batch.game)
    kind = find(batch.game)
    return kind(from_json(batch.components, kind.sheet_type))


def _options(game: Game[Any], text: bytes) -> Options:
    try:
        return msgspec.json.decode(text, type=game.options)
    except msgspec.MsgspecError as error:
        known = ", ".join(game.options.__struct_fields__) or "none"
        raise SetupError(f"options of {game.title}: {line_of(error)} (it has: {known})") from None
