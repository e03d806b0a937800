"""Makes the component sheet, which no source prints: 40 faces, four plates and the chip values are invented.

The sheet in `data/sheets` is what this module writes, and stays as it is; run it to see how it came about:

    python -m core.games.cherry_on_the_cake.generate

Recipe: 30 pieces show each colour once, 10 show one twice and lack another. Widths, gaps, and the two edges of a piece
are drawn independently, so that stripes slant; symbols go where fewest are. Chance comes from `core.rng` and `SEED`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from core.games.cherry_on_the_cake.state import Interval, Piece, PieceStripe, Plate, Stripe, half_turn
from core.rng import Rng, seed_key
from events.cherry_on_the_cake import Colour

SEED = "cherry-on-the-cake/1"
COLOURS: tuple[Colour, ...] = ("green", "purple", "orange", "pink", "blue")
WIDTH = 40
STRIPES = 5
NARROWEST, WIDEST = 4, 7
CUBES = (2,) * 6 + (3,) * 16 + (4,) * 18
STARS = (0,) * 20 + (1,) * 16 + (2,) * 4
GOLDEN = (0,) * 13 + (1,) * 22 + (2,) * 5


def faces(rng: Rng) -> tuple[Piece, ...]:
    """Give the 40 pieces, all different, in no order."""
    plans = [rng.shuffled(COLOURS) for _ in range(30)]
    for number in range(10):
        doubled = COLOURS[number % 5]
        lacking = COLOURS[(number + 1 + number // 5) % 5]
        plans.append(apart(rng, (doubled, *[colour for colour in COLOURS if colour != lacking])))
    pieces = list[Piece]()
    for colours in rng.shuffled(plans):
        piece = Piece(_slanted(rng, colours))
        while piece == half_turn(piece, WIDTH) or piece in pieces:
            piece = Piece(_slanted(rng, colours))
        pieces.append(piece)
    for symbol, counts in (("cubes", CUBES), ("stars", STARS), ("golden", GOLDEN)):
        pieces = _with_symbols(rng, pieces, symbol, rng.shuffled(counts))
    return tuple(pieces)


def apart(rng: Rng, colours: Sequence[Colour]) -> tuple[Colour, ...]:
    """Give the colours in an order in which no two equal ones stand side by side."""
    order = rng.shuffled(colours)
    while any(left == right for left, right in pairwise(order)):
        order = rng.shuffled(colours)
    return order


def edge(rng: Rng) -> tuple[Interval, ...]:
    """Give five intervals of 4 to 7 units with a unit or more between them; what is left over goes anywhere."""
    widths = [NARROWEST + rng.below(WIDEST - NARROWEST + 1) for _ in range(STRIPES)]
    gaps = [0, *[1] * (STRIPES - 1), 0]
    for _ in range(WIDTH - sum(widths) - sum(gaps)):
        gaps[rng.below(len(gaps))] += 1
    starts = [sum(gaps[: number + 1]) + sum(widths[:number]) for number in range(STRIPES)]
    return tuple([(start, start + width) for start, width in zip(starts, widths, strict=True)])


def plates(rng: Rng) -> tuple[Plate, ...]:
    """Give four plates: each colour once with a cube, no star, nothing golden, three different cubes on the back."""
    made = list[Plate]()
    for number in range(4):
        stripes = [
            Stripe(colour=colour, top=top, cubes=1)
            for colour, top in zip(rng.shuffled(COLOURS), edge(rng), strict=True)
        ]
        first, second, third = [COLOURS[(number + step) % 5] for step in range(3)]
        made.append(Plate((first, second, third), tuple(stripes)))
    return tuple(made)


def sheet_text() -> str:
    """Give the whole component sheet as TOML."""
    key = seed_key(SEED)
    lines = [HEAD.rstrip("\n")]
    for plate in plates(Rng(key, 0, b"plates")):
        lines += ["", "[[plates]]", f"start_cubes = {_list(plate.start_cubes)}", "stripes = ["]
        lines += [*[f"  {{{_stripe(stripe)}}}," for stripe in plate.stripes], "]"]
    for piece in faces(Rng(key, 0, b"pieces")):
        lines += ["", "[[pieces]]", "stripes = ["]
        lines += [*[f"  {{{_stripe(stripe)}}}," for stripe in piece.stripes], "]"]
    return "\n".join(lines) + "\n"


def _slanted(rng: Rng, colours: Sequence[Colour]) -> tuple[PieceStripe, ...]:
    edges = zip(colours, edge(rng), edge(rng), strict=True)
    return tuple([PieceStripe(colour=colour, bottom=bottom, top=top) for colour, bottom, top in edges])


def _with_symbols(rng: Rng, pieces: Sequence[Piece], symbol: str, counts: Sequence[int]) -> list[Piece]:
    """Put a symbol on pieces, each time on the emptiest stripe: of equal ones that of the colour that has fewest."""
    so_far = Counter[Colour]()
    marked = list[Piece]()
    for piece, count in zip(pieces, counts, strict=True):
        stripes = list(piece.stripes)
        for _ in range(count):
            order = rng.shuffled(range(len(stripes)))
            at = min(order, key=lambda index: (_symbols(stripes[index]), so_far[stripes[index].colour]))
            so_far[stripes[at].colour] += 1
            stripes[at] = replace(stripes[at], **{symbol: getattr(stripes[at], symbol) + 1})
        marked.append(Piece(tuple(stripes)))
    return marked


def _symbols(stripe: Stripe) -> int:
    return stripe.cubes + stripe.stars + stripe.golden


def _stripe(stripe: Stripe) -> str:
    parts = [f'colour = "{stripe.colour}"']
    if isinstance(stripe, PieceStripe):
        parts.append(f"bottom = {list(stripe.bottom)}")
    parts.append(f"top = {list(stripe.top)}")
    parts += [f"{symbol} = {count}" for symbol in ("cubes", "stars", "golden") if (count := getattr(stripe, symbol))]
    return ", ".join(parts)


def _list(words: Sequence[str]) -> str:
    return "[" + ", ".join([f'"{word}"' for word in words]) + "]"


HEAD = '''\
# The box of Cherry on the Cake. Copy this file, change a figure, and play with it: --sheet FILE.
# Written once by core/games/cherry_on_the_cake/generate.py.
game = "cherry-on-the-cake"
name = "Cherry on the Cake"
note = """\\
  The numbers of cubes, chips and pieces, the jars and the exchange are attested. No source prints the faces of the \\
  40 pieces and the four plates or the values of the chips: those here are invented, and tuned by playing.\\
  """

seats = [2, 4] # CC-01

colours = ["green", "purple", "orange", "pink", "blue"]
cubes = 18 # of each colour
golden_cubes = 12

# The small, the middle and the large jar.
capacity = [3, 4, 5]
pays = ["bronze", "silver", "gold"]
exchange_rate = 3

# Points on the chips of each metal.
bronze = [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3]
silver = [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4]
gold = [3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 6, 6, 6]

die = ["one_cube", "two_cubes", "golden_cube", "one_star", "two_stars", "bronze_chip"]

# Stripes run from left to right. An edge is `width` units long; a stripe goes from its first number to its second,
# on the bottom edge and on the top edge. A plate has a top edge only.
width = 40

[provenance]
seats = "printed"
colours = "rulebook"
cubes = "rulebook"
golden_cubes = "rulebook"
capacity = "reconstructed"
pays = "reconstructed"
exchange_rate = "rulebook"
bronze = "reconstructed"
silver = "reconstructed"
gold = "reconstructed"
die = "reconstructed"
width = "reconstructed"
plates = "reconstructed"
pieces = "reconstructed"
'''

if __name__ == "__main__":
    sys.stdout.write(sheet_text())
