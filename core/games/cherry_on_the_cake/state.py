"""What lies on the table in Cherry on the Cake, and who may see it (CC-09, CC-10, CC-12, CC-39, CC-58)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, TypeAlias

from msgspec import Struct

from core.game import Outcome, State
from core.sheets import Sheet
from events.cherry_on_the_cake import BlueJar, CakeOptions, Colour, Cube, Cubes, Face, Layer, Metal, Pieces, StripeAt
from events.marks import COMPONENTS, HIDDEN, labelled, private_to

Interval: TypeAlias = tuple[int, int]
"""A piece of an edge, in whole units from its left end: lo < hi."""

Phase = Literal[
    "setup",
    "plates",
    "start_cubes",
    "shuffle",
    "deal",
    "round",
    "choose",
    "reveal",
    "next_turn",
    "place",
    "connect",
    "take",
    "distribute",
    "chip",
    "roll",
    "rolling",
    "amount",
    "die_cubes",
    "die_golden",
    "die_stars",
    "exchange",
    "consolation",
    "draw",
    "golden",
    "golden_return",
    "next_golden",
    "score",
    "over",
]
Part = Literal["sugar", "consolation", "golden"]
"""Where a seat is in its turn: distributing what it connected, after its consolation, or at the end of the game."""

BLUE_JARS: tuple[BlueJar, ...] = ("small", "middle", "large")
METALS: tuple[Metal, ...] = ("bronze", "silver", "gold")
MOST_PIECES = 8
"""The longest game (CC-08)."""


class Stripe(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """A colour stripe of a plate: where it meets the top edge, and the symbols on it."""

    colour: Colour
    top: Interval
    cubes: int = 0
    stars: int = 0
    golden: int = 0


class PieceStripe(Stripe, frozen=True, gc=False):
    """A stripe of a piece runs from edge to edge, perhaps slanted (CC-16)."""

    bottom: Interval


class Piece(Struct, frozen=True, gc=False, forbid_unknown_fields=True, cache_hash=True):
    """The face of a cake piece, its stripes from left to right."""

    stripes: tuple[PieceStripe, ...]


class Plate(Struct, frozen=True, gc=False, forbid_unknown_fields=True, cache_hash=True):
    """A starting piece: the cubes on its back (for the small, middle and large jar) and the stripes of its face."""

    start_cubes: tuple[Colour, Colour, Colour]
    stripes: tuple[Stripe, ...]


class CakeSheet(Sheet, frozen=True):
    """The box: what `data/sheets/cherry-on-the-cake.toml` says, and what a designer may change.

    `cubes` of each colour and `golden` ones; the blue jars by `capacity` and what they `pay`, small, middle and large;
    the values of the chips of each metal; the six faces of the `die`; `width` of an edge in units; plates and pieces.
    """

    colours: tuple[Colour, ...]
    cubes: int
    golden_cubes: int
    capacity: tuple[int, int, int]
    pays: tuple[Metal, Metal, Metal]
    exchange_rate: int
    bronze: tuple[int, ...]
    silver: tuple[int, ...]
    gold: tuple[int, ...]
    die: tuple[Face, ...]
    width: int
    plates: tuple[Plate, ...]
    pieces: tuple[Piece, ...]

    def __post_init__(self) -> None:
        """Refuse a box that cannot be played."""
        if len(dict.fromkeys(self.colours)) != len(self.colours) or not self.colours:
            raise ValueError("`colours` names colours, each once")
        if not all(2 <= room <= len(self.colours) for room in self.capacity):
            raise ValueError("`capacity` of a jar is from 2 to the number of colours")
        if min(self.golden_cubes, self.exchange_rate - 1, self.width - 1) < 0 or not self.die:
            raise ValueError("`golden_cubes` count from 0, `exchange_rate` and `width` from 1, and `die` has a face")
        if any(face in ("cubes", "stars") for face in self.die):
            raise ValueError("a face of `die` says how many: `one_cube`, `two_stars`")
        if len(self.plates) < self.seats[1] or len(self.pieces) < MOST_PIECES * self.seats[1]:
            raise ValueError(f"`plates` and `pieces` are too few for {self.seats[1]} seats")
        for colour in self.colours:
            if sum([plate.start_cubes.count(colour) for plate in self.plates]) > self.cubes:
                raise ValueError(f"{self.cubes} {colour} cubes are fewer than the plates need")
        for number, plate in enumerate(self.plates):
            self._check_edge(f"plate {number}", [stripe.top for stripe in plate.stripes])
            self._check_colours(f"plate {number}", plate.start_cubes, plate.stripes)
        for number, piece in enumerate(self.pieces):
            self._check_edge(f"piece {number}", [stripe.top for stripe in piece.stripes])
            self._check_edge(f"piece {number}", [stripe.bottom for stripe in piece.stripes])
            self._check_colours(f"piece {number}", (), piece.stripes)
        # Unlike each other and unlike their own half turns: a number is the name of a face, never an identity (G-07).
        faces = [face for piece in self.pieces for face in (piece, half_turn(piece, self.width))]
        if len(dict.fromkeys(faces)) != len(faces):
            raise ValueError("two of `pieces` are alike, or one is its own half turn")

    def _check_edge(self, name: str, edge: Sequence[Interval]) -> None:
        """An edge has its stripes in order from left to right, which is the same on both edges, apart (CC-16)."""
        ends = [end for interval in edge for end in interval]
        if ends != sorted(ends) or any(low == high for low, high in edge):
            raise ValueError(f"{name}: its stripes overlap, are empty, or are not in order from left to right")
        if ends and (ends[0] < 0 or ends[-1] > self.width):
            raise ValueError(f"{name}: a stripe leaves the edge, which goes from 0 to {self.width}")

    def _check_colours(self, name: str, cubes: Cubes, stripes: Sequence[Stripe]) -> None:
        if any(colour not in self.colours for colour in (*cubes, *[stripe.colour for stripe in stripes])):
            raise ValueError(f"{name}: a colour that is not one of `colours`")
        if any(min(stripe.cubes, stripe.stars, stripe.golden) < 0 for stripe in stripes):
            raise ValueError(f"{name}: symbols are counted from 0")


def half_turn(piece: Piece, width: int) -> Piece:
    """Give the face of a piece that is turned upside down: edges change places and run the other way (CC-16)."""

    def mirrored(edge: Interval) -> Interval:
        return width - edge[1], width - edge[0]

    return Piece(
        tuple(
            [
                PieceStripe(
                    colour=stripe.colour,
                    bottom=mirrored(stripe.top),
                    top=mirrored(stripe.bottom),
                    cubes=stripe.cubes,
                    stars=stripe.stars,
                    golden=stripe.golden,
                )
                for stripe in reversed(piece.stripes)
            ]
        )
    )


class Board(State, frozen=True):
    """What lies before a seat: its cake (bottom layer first), pieces, jars, chips and marker.

    `chosen` is what it has committed to until all have. Chips lie face down (CC-59), by metal and value; `turned_up`
    are all of them at the end: bronze, silver, gold. The figure that marks a choice is an ornament (CC-60).
    """

    seat: int
    plate: int = -1
    cake: tuple[Layer, ...] = ()
    shown: Pieces = ()
    pile: Annotated[Pieces, HIDDEN] = ()
    chosen: Annotated[tuple[()] | Layer, private_to("seat")] = ()
    small: tuple[Cube, ...] = ()
    middle: tuple[Cube, ...] = ()
    large: tuple[Cube, ...] = ()
    exchange: Cubes = ()
    bronze: Annotated[tuple[int, ...], private_to("seat")] = ()
    silver: Annotated[tuple[int, ...], private_to("seat")] = ()
    gold: Annotated[tuple[int, ...], private_to("seat")] = ()
    turned_up: tuple[tuple[int, ...], ...] = ()
    track: int = 0


class Table(State, frozen=True):
    """The table. `seat` has the turn (-1 while all choose at once), `part` says what in its turn it is doing.

    `choices` are what the seats place in this round, once all have chosen. `spare` are pieces out of play, all of them
    before the deal. `supply` counts coloured cubes, `golden` golden ones;
    `bronze`, `silver` and `gold` are the chips nobody has, by value. `connected` are the stripes that the last placed
    piece connected, `gained` counts the cubes they brought, `waiting` are those of them not yet placed. `metal` is the
    chip that is due, `face` what the die showed last, `due` how many cubes or stars it still brings, `die_jar` where a
    first cube of it went, `in_hand` the golden cubes left to place.
    """

    sheet: Annotated[CakeSheet, COMPONENTS]
    options: CakeOptions = CakeOptions()
    phase: Phase = "setup"
    part: Part = "sugar"
    seats: int = 0
    round: int = 0
    turn: int = 0
    seat: int = -1
    boards: tuple[Board, ...] = ()
    choices: tuple[Layer, ...] = ()
    spare: Annotated[Pieces, HIDDEN] = ()
    supply: Annotated[tuple[int, ...], labelled("sheet", "colours")] = ()
    golden: int = 0
    bronze: Annotated[tuple[int, ...], HIDDEN] = ()
    silver: Annotated[tuple[int, ...], HIDDEN] = ()
    gold: Annotated[tuple[int, ...], HIDDEN] = ()
    connected: tuple[StripeAt, ...] = ()
    waiting: Cubes = ()
    gained: int = 0
    metal: Metal | None = None
    face: Face | None = None
    due: int = 0
    die_jar: BlueJar | None = None
    in_hand: int = 0
    outcome: Outcome | None = None


def contents(board: Board, jar: BlueJar) -> tuple[Cube, ...]:
    """Give the cubes in a blue jar."""
    if jar == "small":
        return board.small
    return board.middle if jar == "middle" else board.large


def blue_jars(sheet: CakeSheet, board: Board) -> Iterator[tuple[BlueJar, tuple[Cube, ...], int]]:
    """Give each blue jar of a board with the cubes in it and how many it holds at most."""
    return zip(BLUE_JARS, (board.small, board.middle, board.large), sheet.capacity, strict=True)
