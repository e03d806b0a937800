"""The tables of the store.

`event` is the append-only truth. It has neither key nor index: both cost several times in speed and size, and order
and uniqueness come from the append, which holds the file alone and checks the length. `replay` has a row a stream: its
header, how long it is, and what it comes to. `seat_result` and `kind_count` are made from them (`storage.projections`);
`tally` is what is measured in finished games, `measured` says in which ones (`statistics.measuring`). `evaluation` is
worked out by playing on, and kept because that takes long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import polars as pl

VERSION: Final = 5
"""Version of the tables; a file of an older one is taken to it by `STEPS`, one of a newer is not opened."""

TABLES: Final[Mapping[str, str]] = {
    "sheet": """
        CREATE TABLE sheet(           -- boxes that are not the shipped ones
          key VARCHAR PRIMARY KEY,    -- hash of `components`: two texts may describe what plays the same
          game VARCHAR NOT NULL,
          sheet VARCHAR NOT NULL,     -- the digest by which streams name it
          components VARCHAR NOT NULL -- JSON
        )""",
    "replay": """
        CREATE TABLE replay(
          id UUID PRIMARY KEY,
          added BIGINT NOT NULL,      -- grows in the order of arrival
          -- the header, as it came
          game VARCHAR NOT NULL, rules INTEGER NOT NULL, shapes INTEGER NOT NULL, sheet VARCHAR NOT NULL,
          components VARCHAR,         -- key in `sheet`; NULL for the shipped box
          players VARCHAR[] NOT NULL, -- names, a seat each
          bots VARCHAR[] NOT NULL,    -- the bot at each seat; NULL for a person
          provenance VARCHAR NOT NULL, seed VARCHAR, recorded VARCHAR, parent VARCHAR, fork_step INTEGER,
          sealed BOOLEAN NOT NULL,    -- the header states length and digest, and they are those of the stream
          stated_length INTEGER,      -- what it states where that is not so
          stated_digest VARCHAR,
          fault_step INTEGER,         -- from where on the stream came as something that cannot be believed, and why
          fault_reason VARCHAR,
          -- the stream
          length INTEGER NOT NULL,    -- rows in `event`
          head BLOB NOT NULL,         -- the last link of its chain
          -- what it comes to, from decoding it
          seats SMALLINT NOT NULL,
          options VARCHAR NOT NULL,   -- JSON
          known INTEGER NOT NULL,     -- events that open
          problem VARCHAR,            -- why no more of them do
          turns INTEGER NOT NULL,
          round INTEGER,              -- that the last event is in
          finished BOOLEAN NOT NULL,
          ended VARCHAR,              -- the reason that game_ended gives
          scores BIGINT[],            -- a seat each
          ranks SMALLINT[]            -- a seat each, best 1, equal seats the same
        )""",
    "event": """
        CREATE TABLE event(
          replay UUID NOT NULL,
          seq INTEGER NOT NULL,
          turn INTEGER NOT NULL,      -- 0 before the first
          round INTEGER,
          seat SMALLINT,
          kind VARCHAR,               -- NULL for what is no event
          subject VARCHAR,            -- the card, token or colour that it is about
          body VARCHAR,               -- JSON of its other fields
          raw BLOB                    -- its bytes, where kind and body do not give them back
        )""",
    "seat_result": """
        CREATE TABLE seat_result(     -- a row a seat of each finished game
          replay UUID NOT NULL, game VARCHAR NOT NULL, seats SMALLINT NOT NULL, seat SMALLINT NOT NULL,
          player VARCHAR NOT NULL, bot VARCHAR,
          score BIGINT NOT NULL, rank SMALLINT NOT NULL,
          winners SMALLINT NOT NULL,  -- how many share the first rank: a win is worth 1 / winners
          won BOOLEAN NOT NULL
        )""",
    "kind_count": """
        CREATE TABLE kind_count(      -- how often each kind of event happened in each finished game
          replay UUID NOT NULL, game VARCHAR NOT NULL, kind VARCHAR NOT NULL, seat SMALLINT, n INTEGER NOT NULL
        )""",
    "tally": """
        CREATE TABLE tally(           -- one measured thing of a finished game; what is repeated here saves every join
          metric VARCHAR NOT NULL, game VARCHAR NOT NULL, replay UUID NOT NULL,
          seats SMALLINT NOT NULL,
          lot UTINYINT NOT NULL,      -- one of 256 that games are dealt into by their id, for intervals
          seat SMALLINT,              -- NULL: the game's own
          winners SMALLINT,           -- how many share the win, if this seat has won; else 0
          key VARCHAR NOT NULL,       -- what the metric looks at: a card, a number of tokens
          n INTEGER NOT NULL, total BIGINT NOT NULL -- cases, and what was counted in them
        )""",
    "tally_sum": """
        CREATE TABLE tally_sum(       -- `tally` of all games but branches, added up: `replay.tally_sums`
          stamp VARCHAR NOT NULL,     -- what was measured then: if that has changed, it is looked at no more
          metric VARCHAR NOT NULL, game VARCHAR NOT NULL, seats SMALLINT NOT NULL, lot UTINYINT NOT NULL,
          winners SMALLINT, key VARCHAR NOT NULL,
          games BIGINT NOT NULL,      -- or seats of games, if the metric looks at seats
          n BIGINT NOT NULL, total BIGINT NOT NULL,
          most INTEGER NOT NULL       -- cases in one of the rows
        )""",
    "measured": """
        CREATE TABLE measured(        -- which finished games are measured
          replay UUID NOT NULL, game VARCHAR NOT NULL,
          digest VARCHAR NOT NULL,    -- of the metrics that it was measured by
          problem VARCHAR             -- why it could not be measured
        )""",
    "note": """
        CREATE TABLE note(            -- what is said about a stream: beside it, never in it
          replay UUID NOT NULL, seq INTEGER NOT NULL, kind VARCHAR NOT NULL, author VARCHAR,
          seen_by SMALLINT[],         -- seats that may read it; NULL: everybody
          body VARCHAR NOT NULL,      -- text
          id UUID DEFAULT uuidv7()
        )""",
    "live": """
        CREATE TABLE live(            -- what the referee of a live game must not forget, beside its stream
          replay UUID NOT NULL,
          facts VARCHAR NOT NULL      -- JSON of `live.tokens.Facts`: hashes of tokens, the commitment and its salt
        )""",
    "evaluation": """
        CREATE TABLE evaluation(      -- what `replay.evaluation` has worked out, so that it need not do so again
          replay UUID NOT NULL,
          head BLOB NOT NULL,         -- of the stream that it was worked out for
          question VARCHAR NOT NULL,  -- by whom the game is seen, which bot plays on, whether it is about a choice
          step INTEGER NOT NULL,      -- of the stream
          body VARCHAR NOT NULL       -- JSON
        )""",
    "projection": """
        CREATE TABLE projection(      -- how the tables that are made from others are
          name VARCHAR PRIMARY KEY,
          version INTEGER NOT NULL,   -- of the query that filled it
          position BIGINT NOT NULL,   -- the generation of the last write that reached it
          problem VARCHAR             -- why it is not written any more; NULL while it is
        );
        INSERT INTO projection VALUES ('seat_result', 1, 0, NULL), ('kind_count', 1, 0, NULL)""",
}

STEPS: Final[Mapping[int, Sequence[str]]] = {
    1: (
        "ALTER TABLE replay ADD COLUMN round INTEGER",
        """
        UPDATE replay SET round = event.round FROM event
        WHERE event.replay = replay.id AND event.seq = replay.length - 1
        """,
        "ALTER TABLE note ADD COLUMN id UUID DEFAULT uuidv7()",
        """
        CREATE TABLE projection(
          name VARCHAR PRIMARY KEY, version INTEGER NOT NULL, position BIGINT NOT NULL, problem VARCHAR
        )
        """,
        "INSERT INTO projection SELECT unnest(['seat_result', 'kind_count']), 1, 0, NULL",
    ),
    2: (
        """
        CREATE TABLE tally(
          metric VARCHAR NOT NULL, game VARCHAR NOT NULL, replay UUID NOT NULL, seats SMALLINT NOT NULL,
          lot UTINYINT NOT NULL, seat SMALLINT, winners SMALLINT, key VARCHAR NOT NULL,
          n INTEGER NOT NULL, total BIGINT NOT NULL
        )
        """,
        """
        CREATE TABLE measured(
          replay UUID NOT NULL, game VARCHAR NOT NULL, digest VARCHAR NOT NULL, problem VARCHAR
        )
        """,
        "CREATE TABLE live(replay UUID NOT NULL, facts VARCHAR NOT NULL)",
    ),
    3: (
        """
        CREATE TABLE evaluation(
          replay UUID NOT NULL, head BLOB NOT NULL, question VARCHAR NOT NULL, step INTEGER NOT NULL,
          body VARCHAR NOT NULL
        )
        """,
    ),
    4: (
        """
        CREATE TABLE tally_sum(
          stamp VARCHAR NOT NULL, metric VARCHAR NOT NULL, game VARCHAR NOT NULL, seats SMALLINT NOT NULL,
          lot UTINYINT NOT NULL, winners SMALLINT, key VARCHAR NOT NULL, games BIGINT NOT NULL, n BIGINT NOT NULL,
          total BIGINT NOT NULL, most INTEGER NOT NULL
        )
        """,
    ),
}
"""What takes a store of a version to the next. A step that is out is never changed: it says its tables itself."""

REPLAY_ROW: Final = pl.Schema(
    {
        "id": pl.String(),
        "game": pl.String(),
        "rules": pl.Int32(),
        "shapes": pl.Int32(),
        "sheet": pl.String(),
        "components": pl.String(),
        "players": pl.List(pl.String),
        "bots": pl.List(pl.String),
        "provenance": pl.String(),
        "seed": pl.String(),
        "recorded": pl.String(),
        "parent": pl.String(),
        "fork_step": pl.Int32(),
        "sealed": pl.Boolean(),
        "stated_length": pl.Int32(),
        "stated_digest": pl.String(),
        "fault_step": pl.Int32(),
        "fault_reason": pl.String(),
        "length": pl.Int32(),
        "head": pl.Binary(),
        "seats": pl.Int16(),
        "options": pl.String(),
        "known": pl.Int32(),
        "problem": pl.String(),
        "turns": pl.Int32(),
        "round": pl.Int32(),
        "finished": pl.Boolean(),
        "ended": pl.String(),
        "scores": pl.List(pl.Int64),
        "ranks": pl.List(pl.Int16),
    }
)
"""The columns of `replay` that are made from a tape, as a frame has them."""

EVENT_ROW: Final = pl.Schema(
    {
        "replay": pl.String(),
        "seq": pl.Int32(),
        "turn": pl.Int32(),
        "round": pl.Int32(),
        "seat": pl.Int16(),
        "kind": pl.String(),
        "subject": pl.String(),
        "body": pl.String(),
        "raw": pl.Binary(),
    }
)
"""The columns of `event`, as a frame has them."""

SHEET_ROW: Final = pl.Schema({"key": pl.String(), "game": pl.String(), "sheet": pl.String(), "components": pl.String()})
"""The columns of `sheet`, as a frame has them."""

TALLY_ROW: Final = pl.Schema(
    {
        "metric": pl.String(),
        "game": pl.String(),
        "replay": pl.String(),
        "seats": pl.Int16(),
        "lot": pl.UInt8(),
        "seat": pl.Int16(),
        "winners": pl.Int16(),
        "key": pl.String(),
        "n": pl.Int32(),
        "total": pl.Int64(),
    }
)
"""The columns of `tally`, as a frame has them."""

MEASURED_ROW: Final = pl.Schema(
    {"replay": pl.String(), "game": pl.String(), "digest": pl.String(), "problem": pl.String()}
)
"""The columns of `measured`, as a frame has them."""
