"""The events of Cherry on the Cake as players would say them."""

from __future__ import annotations

from collections.abc import Sequence

from core.words import counted, listed, plain
from events import cherry_on_the_cake as happened
from events.base import Event
from events.marks import MASK


def words(event: Event, names: Sequence[str]) -> str:
    """Give an event, as its viewer may see it, as a sentence; pieces and plates are numbered from 1."""
    match event:
        case happened.PlatesDealt(plates=plates):
            return "Cake plates: " + ", ".join(
                [f"{name} plate {plate + 1}" for name, plate in zip(names, plates, strict=False)]
            )
        case happened.StartCubesPlaced(seat=seat, cubes=(small, middle, large)):
            return (
                f"{names[seat]} starts with {small} in the small jar, {middle} in the middle, {large} in the large one"
            )
        case happened.PiecesShuffled(pieces=pieces):
            return f"{len(pieces)} cake pieces are shuffled"
        case happened.PiecesDealt(shown=shown):
            return "Face up lie " + "; ".join(
                [f"{listed(_pieces(own))} before {name}" for name, own in zip(names, shown, strict=False)]
            )
        case happened.PieceChosen(seat=seat, piece=piece, rotation=rotation):
            return f"{names[seat]} chooses {_layer(piece, rotation)}"
        case happened.ChoicesRevealed(choices=choices):
            return "The choices: " + ", ".join(
                [f"{name} {_layer(*layer)}" for name, layer in zip(names, choices, strict=False)]
            )
        case happened.PiecePlaced(seat=seat, piece=piece, rotation=rotation):
            return f"{names[seat]} puts {_layer(piece, rotation)} on the cake"
        case happened.StripesConnected(seat=seat, stripes=stripes):
            return f"{_number(len(stripes), 'stripe')} of {names[seat]}'s cake {_are(len(stripes))} connected"
        case happened.CubesTaken(seat=seat, cubes=cubes):
            return f"{names[seat]} takes {counted(cubes, 'cube')}"
        case happened.CubePlaced(seat=seat, colour=colour, jar=jar):
            return f"{names[seat]} puts {colour} into the {jar} jar"
        case happened.JarEmptied(seat=seat, jar=jar, cubes=cubes):
            return f"{names[seat]} empties the {jar} jar: {counted(cubes, 'cube')}"
        case happened.ChipTaken(seat=seat, metal=metal, value=value):
            return f"{names[seat]} takes a {metal} chip" + ("" if str(value) == MASK else f" worth {value}")
        case happened.CubesReturned(seat=seat, cubes=cubes):
            return f"{names[seat]} gives back {counted(cubes, 'cube')} from the exchange jar"
        case happened.CubeExchanged(seat=seat, colour=colour, jar=jar):
            return f"{names[seat]} takes {colour} for them, into the {jar} jar"
        case happened.ExchangeDeclined(seat=seat):
            return f"{names[seat]} takes nothing for them"
        case happened.StarsCounted(seat=seat, stars=stars):
            return f"{names[seat]} counts {_number(stars, 'star')}"
        case happened.ConsolationTaken(seat=seat, colour=colour):
            return f"{names[seat]} is consoled with {colour} in the exchange jar"
        case happened.ConsolationDeclined(seat=seat):
            return f"{names[seat]} leaves the consolation"
        case happened.PiecesPassed(pieces=pieces):
            passed = [
                f"{names[seat]} passes piece {piece + 1} to {names[(seat + 1) % len(pieces)]}"
                for seat, piece in enumerate(pieces)
            ]
            return listed(passed)
        case happened.PiecesDrawn(pieces=pieces):
            return listed([f"{name} draws piece {piece + 1}" for name, piece in zip(names, pieces, strict=False)])
        case happened.RollAccepted(seat=seat):
            return f"{names[seat]} rolls the die"
        case happened.RollDeclined(seat=seat):
            return f"{names[seat]} does not roll"
        case happened.DieRolled(seat=seat, face=face):
            return f"{names[seat]}'s die shows {face.replace('_', ' ')}"
        case happened.AmountChosen(seat=seat, amount=amount):
            return f"{names[seat]} chooses {amount}"
        case happened.DieCubePlaced(seat=seat, colour=colour, jar=jar):
            return f"{names[seat]} takes {colour} for the die, into the {jar} jar"
        case happened.DieGoldenCubePlaced(seat=seat, jar=jar):
            return f"{names[seat]} puts a golden cube into the {jar} jar"
        case happened.DieStarsCounted(seat=seat, stars=stars):
            return f"{names[seat]} advances by {_number(stars, 'star')}"
        case happened.GoldenCubesTaken(seat=seat, count=count):
            return f"{names[seat]}'s finished cake brings {_number(count, 'golden cube')}"
        case happened.GoldenCubePlaced(seat=seat, jar=jar):
            return f"{names[seat]} puts a golden cube into the {jar} jar"
        case happened.GoldenCubesLeft(seat=seat):
            return f"{names[seat]} places no more golden cubes"
        case happened.GoldenCubesReturned(seat=seat, count=count):
            return f"{_number(count, 'golden cube')} of {names[seat]} {'goes' if count == 1 else 'go'} back"
        case happened.ChipsRevealed(chips=chips):
            totals = [f"{name} {sum([sum(values) for values in own])}" for name, own in zip(names, chips, strict=False)]
            return f"The chips are turned up: {', '.join(totals)}"
    return plain(event, names)


def _pieces(pieces: Sequence[int]) -> list[str]:
    return [f"piece {piece + 1}" for piece in pieces]


def _layer(piece: int, rotation: int) -> str:
    """A piece as it lies; to others a chosen one is only a piece."""
    if str(piece) == MASK:
        return "a piece"
    return f"piece {piece + 1}" + (" turned round" if rotation else "")


def _number(count: int, thing: str) -> str:
    return f"{count or 'no'} {thing}{'' if count == 1 else 's'}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
