"""What can happen in Cherry on the Cake."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from events import base
from events.base import Event, Move, Options
from events.marks import HIDDEN, private_to

Colour = Literal["green", "purple", "orange", "pink", "blue"]
Cube = Literal["green", "purple", "orange", "pink", "blue", "golden"]
BlueJar = Literal["small", "middle", "large"]
Jar = Literal["small", "middle", "large", "exchange"]
Metal = Literal["bronze", "silver", "gold"]
Face = Literal["one_cube", "two_cubes", "golden_cube", "one_star", "two_stars", "bronze_chip", "cubes", "stars"]
"""What the die shows. `cubes` and `stars` only where it has four results (CC-40)."""

Cubes: TypeAlias = tuple[Colour, ...]
Pieces: TypeAlias = tuple[int, ...]
"""Pieces by their place in the component sheet."""

Rotation = Literal[0, 180]
"""Degrees (CC-11)."""

Layer: TypeAlias = tuple[int, Rotation]
"""A piece as it lies in a cake."""

StripeAt: TypeAlias = tuple[int, int]
"""A stripe of a cake: its layer (0 is the plate) and its place among the printed stripes of that plate or piece."""


class CakeOptions(Options, frozen=True):
    """What the rulings leave open, with their defaults.

    `pieces` is the number of pieces and rounds (CC-08), `start_cubes` who says which cube goes into which jar (CC-04),
    `give_back` which three cubes an exchange costs (CC-33), `die` whether it has six faces or four equally likely
    results (CC-40), `roll_optional` whether a golden chip's roll may be left out (CC-41), `die_cubes` whether two cubes
    of one roll are placed one by one or into one blue jar (CC-42).
    """

    pieces: Literal[6, 7, 8] = 7
    start_cubes: Literal["printed", "chosen"] = "printed"
    give_back: Literal["most", "chosen"] = "most"
    die: Literal["six_faces", "four_results"] = "six_faces"
    roll_optional: bool = False
    die_cubes: Literal["separate", "one_jar"] = "separate"


# --- setup -----------------------------------------------------------------------------------------------------------


class PlatesDealt(Event, frozen=True, tag="plates_dealt"):
    """Each seat gets a cake plate at random."""

    rule: ClassVar[str] = "CC-03"

    plates: tuple[int, ...]


class StartCubesPlaced(Move, frozen=True, tag="start_cubes_placed"):
    """The three cubes on the back of a seat's plate go into its small, middle and large jar."""

    rule: ClassVar[str] = "CC-04"

    cubes: tuple[Colour, Colour, Colour]


class PiecesShuffled(Event, frozen=True, tag="pieces_shuffled"):
    """All cake pieces in a random order, the first to be dealt first."""

    rule: ClassVar[str] = "setup I"

    pieces: Annotated[Pieces, HIDDEN]


class PiecesDealt(Event, frozen=True, tag="pieces_dealt"):
    """Each seat's block of pieces: the first two lie face up, the rest is its pile."""

    rule: ClassVar[str] = "CC-61"

    shown: tuple[Pieces, ...]
    piles: Annotated[tuple[Pieces, ...], HIDDEN]


# --- a round ---------------------------------------------------------------------------------------------------------


class RoundStarted(base.RoundStarted, frozen=True):
    """Every seat chooses, places and passes on one piece."""

    rule: ClassVar[str] = "CC-05"


class PieceChosen(Move, frozen=True, tag="piece_chosen"):
    """A seat marks one of its face-up pieces and how it is turned; the others learn only that it has chosen."""

    rule: ClassVar[str] = "CC-10"

    piece: Annotated[int, private_to("seat")]
    rotation: Annotated[Rotation, private_to("seat")]


class ChoicesRevealed(Event, frozen=True, tag="choices_revealed"):
    """All seats have chosen: everybody sees what, seat by seat."""

    rule: ClassVar[str] = "CC-10"

    choices: tuple[Layer, ...]


class TurnStarted(base.TurnStarted, frozen=True):
    """The next seat clockwise, from seat 0 in every round, is to place its piece."""

    rule: ClassVar[str] = "CC-02"


class PiecePlaced(Event, frozen=True, tag="piece_placed"):
    """A seat's chosen piece becomes the topmost layer of its cake."""

    subject: ClassVar[str] = "piece"
    rule: ClassVar[str] = "turn 2"

    seat: int
    piece: int
    rotation: Rotation


class StripesConnected(Event, frozen=True, tag="stripes_connected"):
    """The stripes of the seat's cake that its new piece connects, bottom layer first."""

    rule: ClassVar[str] = "CC-17"

    seat: int
    stripes: tuple[StripeAt, ...]


class CubesTaken(Event, frozen=True, tag="cubes_taken"):
    """The cubes shown on the connected stripes, as far as the supply has them, lie beside the seat's board."""

    rule: ClassVar[str] = "CC-25"

    seat: int
    cubes: Cubes


class CubePlaced(Move, frozen=True, tag="cube_placed"):
    """A received cube goes into a jar."""

    subject: ClassVar[str] = "colour"
    rule: ClassVar[str] = "CC-27"

    colour: Colour
    jar: Jar


class JarEmptied(Move, frozen=True, tag="jar_emptied"):
    """The cubes of a full jar go back to the supply."""

    subject: ClassVar[str] = "jar"
    rule: ClassVar[str] = "CC-30"

    jar: BlueJar
    cubes: tuple[Cube, ...]


class ChipTaken(Event, frozen=True, tag="chip_taken"):
    """A random point chip of a metal; its value is for its owner alone."""

    subject: ClassVar[str] = "metal"
    rule: ClassVar[str] = "CC-39"

    seat: int
    metal: Metal
    value: Annotated[int, private_to("seat")]


class CubesReturned(Move, frozen=True, tag="cubes_returned"):
    """Cubes from the exchange jar go back to the supply, for one that may be taken."""

    rule: ClassVar[str] = "CC-32"

    cubes: Cubes


class CubeExchanged(Move, frozen=True, tag="cube_exchanged"):
    """The cube for the returned ones goes from the supply into a blue jar."""

    subject: ClassVar[str] = "colour"
    rule: ClassVar[str] = "CC-35"

    colour: Colour
    jar: BlueJar


class ExchangeDeclined(Move, frozen=True, tag="exchange_declined"):
    """No cube is taken for the returned ones."""

    rule: ClassVar[str] = "CC-35"


class StarsCounted(Event, frozen=True, tag="stars_counted"):
    """The seat's marker advances by the stars on the connected stripes."""

    rule: ClassVar[str] = "CC-24"

    seat: int
    stars: int


class ConsolationTaken(Move, frozen=True, tag="consolation_taken"):
    """A seat that got neither cube nor star puts one from the supply into its exchange jar."""

    subject: ClassVar[str] = "colour"
    rule: ClassVar[str] = "CC-36"

    colour: Colour


class ConsolationDeclined(Move, frozen=True, tag="consolation_declined"):
    """A seat leaves the consolation."""

    rule: ClassVar[str] = "CC-36"


class PiecesPassed(Event, frozen=True, tag="pieces_passed"):
    """Position s is the piece that seat s passes on to the seat at its left."""

    rule: ClassVar[str] = "CC-07"

    pieces: Pieces


class PiecesDrawn(Event, frozen=True, tag="pieces_drawn"):
    """Each seat turns up the top piece of its pile."""

    rule: ClassVar[str] = "CC-05"

    pieces: Pieces


# --- the die ---------------------------------------------------------------------------------------------------------


class RollAccepted(Move, frozen=True, tag="roll_accepted"):
    """A seat rolls the die for its golden chip."""

    rule: ClassVar[str] = "CC-41"


class RollDeclined(Move, frozen=True, tag="roll_declined"):
    """A seat leaves the roll for its golden chip."""

    rule: ClassVar[str] = "CC-41"


class DieRolled(Event, frozen=True, tag="die_rolled"):
    """What the die shows."""

    subject: ClassVar[str] = "face"
    rule: ClassVar[str] = "CC-40"

    seat: int
    face: Face


class AmountChosen(Move, frozen=True, tag="amount_chosen"):
    """A seat takes 1 or 2 of what a die with four results shows."""

    rule: ClassVar[str] = "CC-40"

    amount: int


class DieCubePlaced(Move, frozen=True, tag="die_cube_placed"):
    """A cube won by the die goes from the supply into a jar."""

    subject: ClassVar[str] = "colour"
    rule: ClassVar[str] = "CC-42"

    colour: Colour
    jar: Jar


class DieGoldenCubePlaced(Move, frozen=True, tag="die_golden_cube_placed"):
    """A golden cube won by the die goes into a blue jar."""

    subject: ClassVar[str] = "jar"
    rule: ClassVar[str] = "CC-45"

    jar: BlueJar


class DieStarsCounted(Event, frozen=True, tag="die_stars_counted"):
    """The seat's marker advances by the stars that the die has brought."""

    rule: ClassVar[str] = "CC-41"

    seat: int
    stars: int


# --- the end ---------------------------------------------------------------------------------------------------------


class GoldenCubesTaken(Event, frozen=True, tag="golden_cubes_taken"):
    """A seat takes the golden cubes depicted on its finished cake, as far as the supply has them."""

    rule: ClassVar[str] = "CC-50"

    seat: int
    count: int


class GoldenCubePlaced(Move, frozen=True, tag="golden_cube_placed"):
    """A golden cube goes into a blue jar."""

    subject: ClassVar[str] = "jar"
    rule: ClassVar[str] = "CC-51"

    jar: BlueJar


class GoldenCubesLeft(Move, frozen=True, tag="golden_cubes_left"):
    """A seat places no further golden cube."""

    rule: ClassVar[str] = "CC-51"


class GoldenCubesReturned(Event, frozen=True, tag="golden_cubes_returned"):
    """All golden cubes of a seat, placed or left over, go back for the next one."""

    rule: ClassVar[str] = "CC-50"

    seat: int
    count: int


class ChipsRevealed(Event, frozen=True, tag="chips_revealed"):
    """All chips are turned up: seat by seat the values of its bronze, silver and gold ones."""

    rule: ClassVar[str] = "CC-58"

    chips: tuple[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]], ...]


class GameEnded(base.GameEnded, frozen=True):
    """All cakes are finished: stars and chips are added up; equal scores share a place."""

    rule: ClassVar[str] = "CC-57"

    reason: Literal["cakes_finished"]


CakeEvent: TypeAlias = (
    base.GameStarted[CakeOptions]
    | PlatesDealt
    | StartCubesPlaced
    | PiecesShuffled
    | PiecesDealt
    | RoundStarted
    | PieceChosen
    | ChoicesRevealed
    | TurnStarted
    | PiecePlaced
    | StripesConnected
    | CubesTaken
    | CubePlaced
    | JarEmptied
    | ChipTaken
    | CubesReturned
    | CubeExchanged
    | ExchangeDeclined
    | StarsCounted
    | ConsolationTaken
    | ConsolationDeclined
    | PiecesPassed
    | PiecesDrawn
    | RollAccepted
    | RollDeclined
    | DieRolled
    | AmountChosen
    | DieCubePlaced
    | DieGoldenCubePlaced
    | DieStarsCounted
    | GoldenCubesTaken
    | GoldenCubePlaced
    | GoldenCubesLeft
    | GoldenCubesReturned
    | ChipsRevealed
    | GameEnded
    | base.TakenBack
)
