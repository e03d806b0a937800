"""What each event of our games is called, and how little is said of what a viewer may not see."""

from __future__ import annotations

from typing import Any

import pytest

from core.game import Game
from core.games.cherry_on_the_cake import Cherry
from core.games.picnic_palace import Picnic
from core.games.picnic_palace.words import named
from core.games.queen_of_the_cupcakes import Queen
from core.games.trash_pandas import TrashPandas
from core.redact import seen
from events import base
from events import cherry_on_the_cake as cake
from events import picnic_palace as picnic
from events import queen_of_the_cupcakes as queen
from events import trash_pandas as raccoons
from events.base import Event
from replay.games import load

NAMES = ["Ada", "Bo"]
BOX: raccoons.Cards = ("Shiny", "Shiny", "Doggo")
ONE: Any = ("?",)
TWO: Any = ("?", "?")
"""Cards whose faces are hidden."""

SENTENCES: list[tuple[type[Game[Any]], Event, str]] = [
    # Queen of the Cupcakes
    (Queen, queen.DeckShuffled(("grey", "blue")), "2 cards are shuffled into the draw pile"),
    (Queen, queen.HandsDealt((("grey", "grey"), TWO)), "Hands are dealt: Ada 2 grey; Bo 2 cards"),
    (Queen, queen.BankFilled(("grey", "blue")), "The bank gets 1 grey and 1 blue"),
    (Queen, queen.BankFilled(()), "The draw pile is empty: the bank gets nothing"),
    (Queen, queen.CardsTaken(1, "grey", 2), "Bo takes 2 grey from the bank"),
    (Queen, queen.CardsLaid(1, "grey", 3, 2), "Bo lays out grey: 3 beside the bin, 2 in front"),
    (Queen, queen.CardsPassed(1, 0, ("grey", "blue")), "Bo passes 1 grey and 1 blue to Ada"),
    (Queen, queen.LayingSkipped(1), "Bo lays out nothing"),
    (
        Queen,
        queen.FrontPilesRevealed((("grey",), ())),
        "The cards in front are turned up: Ada has 1 grey and Bo has nothing",
    ),
    (Queen, base.TurnStarted(1, 4), "Turn 4: Bo's turn"),
    # Picnic Palace
    (Picnic, picnic.StartSeatDrawn(1), "Bo is drawn to start"),
    (Picnic, picnic.DeckShuffled(("sunny", "sassy")), "2 guests are shuffled into the deck"),
    (Picnic, picnic.RowsDealt((ONE, TWO)), "2 rows are dealt: 1 card; 2 cards"),
    (
        Picnic,
        picnic.FirstCardsFlipped((("sunny",), ("kyle_kiwi", "sassy"))),
        "The first cards of each row are flipped: 1 Sunny; 1 Kyle Kiwi and 1 Sassy",
    ),
    (Picnic, picnic.FlipChosen(1, 0), "Bo flips a card of row 1"),
    (Picnic, picnic.CardFlipped(1, 2, "kyle_kiwi"), "Kyle Kiwi turns up in row 3"),
    (Picnic, picnic.RowTaken(1, 1, ("sunny", "sunny")), "Bo invites row 2: 2 Sunny"),
    (Picnic, picnic.InvitationWasted(1), "Bo has to use an invitation for nothing"),
    (Picnic, picnic.PickleUsed(1, 1, 0, "sunny"), "Bo gives a Pauly Pickle for Sunny of row 2"),
    (
        Picnic,
        picnic.UnclaimedDiscarded(("sunny",), TWO),
        "Unclaimed cards leave the game: 1 Sunny face up and 2 cards face down",
    ),
    (Picnic, picnic.UnclaimedDiscarded((), ONE), "Unclaimed cards leave the game: 1 card face down"),
    (Picnic, picnic.UnclaimedDiscarded(("sunny",), ()), "Unclaimed cards leave the game: 1 Sunny face up"),
    (Picnic, picnic.UnclaimedDiscarded((), ()), "No card was left unclaimed"),
    (Picnic, picnic.RoundScored((7, -2)), "The round scores: Ada 7 and Bo -2"),
    (Picnic, picnic.SprinklesScored((3, 0), (10, -10)), "Sprinkles are scored: Ada +10 for 3 and Bo -10 for 0"),
    (Picnic, base.TurnStarted(1, 4), "Turn 4: Bo's turn"),
    # Cherry on the Cake
    (Cherry, cake.PlatesDealt((0, 4)), "Cake plates: Ada plate 1, Bo plate 5"),
    (
        Cherry,
        cake.StartCubesPlaced(1, ("green", "pink", "blue")),
        "Bo starts with green in the small jar, pink in the middle, blue in the large one",
    ),
    (Cherry, cake.PiecesShuffled((0, 1, 2)), "3 cake pieces are shuffled"),
    (
        Cherry,
        cake.PiecesDealt(((0, 4), (2,)), ((), ())),
        "Face up lie piece 1 and piece 5 before Ada; piece 3 before Bo",
    ),
    (Cherry, cake.PieceChosen(1, 3, 180), "Bo chooses piece 4 turned round"),
    (Cherry, cake.ChoicesRevealed(((3, 0), (5, 180))), "The choices: Ada piece 4, Bo piece 6 turned round"),
    (Cherry, cake.PiecePlaced(1, 3, 0), "Bo puts piece 4 on the cake"),
    (Cherry, cake.PiecePlaced(1, 3, 180), "Bo puts piece 4 turned round on the cake"),
    (Cherry, cake.StripesConnected(1, ((0, 0), (0, 1))), "2 stripes of Bo's cake are connected"),
    (Cherry, cake.StripesConnected(1, ((0, 0),)), "1 stripe of Bo's cake is connected"),
    (Cherry, cake.StripesConnected(1, ()), "no stripes of Bo's cake are connected"),
    (Cherry, cake.CubesTaken(1, ("pink", "pink")), "Bo takes 2 pink"),
    (Cherry, cake.CubePlaced(1, "pink", "small"), "Bo puts pink into the small jar"),
    (Cherry, cake.JarEmptied(1, "small", ("pink", "golden")), "Bo empties the small jar: 1 pink and 1 golden"),
    (Cherry, cake.ChipTaken(1, "gold", 4), "Bo takes a gold chip worth 4"),
    (Cherry, cake.CubesReturned(1, ("pink", "blue")), "Bo gives back 1 pink and 1 blue from the exchange jar"),
    (Cherry, cake.CubeExchanged(1, "pink", "large"), "Bo takes pink for them, into the large jar"),
    (Cherry, cake.ExchangeDeclined(1), "Bo takes nothing for them"),
    (Cherry, cake.StarsCounted(1, 1), "Bo counts 1 star"),
    (Cherry, cake.ConsolationTaken(1, "pink"), "Bo is consoled with pink in the exchange jar"),
    (Cherry, cake.ConsolationDeclined(1), "Bo leaves the consolation"),
    (Cherry, cake.PiecesPassed((3, 5)), "Ada passes piece 4 to Bo and Bo passes piece 6 to Ada"),
    (Cherry, cake.PiecesDrawn((3, 5)), "Ada draws piece 4 and Bo draws piece 6"),
    (Cherry, cake.RollAccepted(1), "Bo rolls the die"),
    (Cherry, cake.RollDeclined(1), "Bo does not roll"),
    (Cherry, cake.DieRolled(1, "one_cube"), "Bo's die shows one cube"),
    (Cherry, cake.AmountChosen(1, 2), "Bo chooses 2"),
    (Cherry, cake.DieCubePlaced(1, "pink", "small"), "Bo takes pink for the die, into the small jar"),
    (Cherry, cake.DieGoldenCubePlaced(1, "small"), "Bo puts a golden cube into the small jar"),
    (Cherry, cake.DieStarsCounted(1, 2), "Bo advances by 2 stars"),
    (Cherry, cake.GoldenCubesTaken(1, 3), "Bo's finished cake brings 3 golden cubes"),
    (Cherry, cake.GoldenCubePlaced(1, "small"), "Bo puts a golden cube into the small jar"),
    (Cherry, cake.GoldenCubesLeft(1), "Bo places no more golden cubes"),
    (Cherry, cake.GoldenCubesReturned(1, 1), "1 golden cube of Bo goes back"),
    (Cherry, cake.GoldenCubesReturned(1, 2), "2 golden cubes of Bo go back"),
    (Cherry, cake.ChipsRevealed((((1, 2), (3,), ()), ((), (), ()))), "The chips are turned up: Ada 6, Bo 0"),
    (Cherry, base.TurnStarted(1, 4), "Turn 4: Bo's turn"),
    # Trash Pandas
    (TrashPandas, raccoons.DieThrown(1), "Bo rolls the die"),
    (TrashPandas, raccoons.DieRolled(1, "bin_tree"), "The die shows Trash can / Tree"),
    (TrashPandas, raccoons.RollingStopped(1), "Bo stops rolling"),
    (TrashPandas, raccoons.BustAccepted(1), "Bo busts: no token is resolved"),
    (TrashPandas, raccoons.BlammoPlayed(1), "Bo plays Blammo! and has to roll again"),
    (
        TrashPandas,
        raccoons.NannersPlayed(1),
        "Bo plays Nanners: the last roll does not count, and rolling has stopped",
    ),
    (TrashPandas, raccoons.YumYumPlayed(1), "Bo plays Yum Yum: another roll is due"),
    (TrashPandas, raccoons.YumYumKept(1), "Bo keeps Yum Yum"),
    (TrashPandas, raccoons.TokenChosen(1, "bin"), "Bo resolves Trash can"),
    (TrashPandas, raccoons.TokenSkipped(1, "tree"), "Bo leaves Tree unresolved"),
    (TrashPandas, raccoons.NoEffect(1, "steal"), "Steal has no effect"),
    (TrashPandas, raccoons.PiePlayed(1, "reveal"), "Bo plays MMM Pie! to resolve Reveal twice"),
    (TrashPandas, raccoons.TokenRepeated(1, "recycle"), "Recycle is resolved a second time"),
    (TrashPandas, raccoons.DrawChosen(1, 0), "Bo will draw no card"),
    (TrashPandas, raccoons.DrawChosen(1, 1), "Bo will draw 1 card"),
    (TrashPandas, raccoons.DrawChosen(1, 2), "Bo will draw 2 cards"),
    (TrashPandas, raccoons.CardsDrawn(1, BOX), "Bo draws 2 Shiny and 1 Doggo from the trash can"),
    (TrashPandas, raccoons.CardsStashed(1, ("Shiny",)), "Bo stashes 1 Shiny face down"),
    (TrashPandas, raccoons.CardsStashed(1, ()), "Bo stashes nothing"),
    (TrashPandas, raccoons.CardRevealed(1, "Shiny"), "Bo reveals Shiny and takes it"),
    (TrashPandas, raccoons.MatchStashed(1, "Shiny"), "Bo stashes Shiny face up"),
    (TrashPandas, raccoons.MatchKept(1), "Bo keeps the matching card"),
    (TrashPandas, raccoons.TokenExchanged(1, "bin"), "Bo exchanges Recycle for Trash can"),
    (TrashPandas, raccoons.FeeshPlayed(1, "Shiny"), "Bo plays Feesh and takes Shiny from the discard pile"),
    (
        TrashPandas,
        raccoons.ShinyPlayed(1, 0, "face down"),
        "Bo plays Shiny to steal a face-down card from the stash of Ada",
    ),
    (TrashPandas, raccoons.ShinyPlayed(1, 0, "Doggo"), "Bo plays Shiny to steal Doggo from the stash of Ada"),
    (TrashPandas, raccoons.HandTargeted(1, 0), "Bo is about to steal from the hand of Ada"),
    (TrashPandas, raccoons.DoggoPlayed(1, True), "Bo blocks with Doggo"),
    (TrashPandas, raccoons.DoggoPlayed(1, False), "Bo blocks with Doggo and draws nothing"),
    (TrashPandas, raccoons.KittehPlayed(1, None), "Bo turns the tables with Kitteh"),
    (TrashPandas, raccoons.KittehPlayed(1, "Doggo"), "Bo turns the tables with Kitteh to steal Doggo"),
    (TrashPandas, raccoons.TheftSuffered(1), "Bo lets the theft happen"),
    (TrashPandas, raccoons.CardStolen(1, 0, "Shiny", False), "Bo steals Shiny from Ada"),
    (TrashPandas, raccoons.FaceUpCardStolen(1, 0, "Shiny"), "Bo steals Shiny from the stash of Ada"),
    (TrashPandas, raccoons.DeckShuffled(BOX), "3 cards are shuffled"),
    (TrashPandas, raccoons.HandsDealt((BOX, ())), "Hands are dealt: Ada 2 Shiny and 1 Doggo and Bo nothing"),
    (TrashPandas, raccoons.BonusTurnStarted(1), "All six tokens: Bo has a bonus turn"),
    (TrashPandas, raccoons.TurnEnded(1), "Bo ends the turn"),
    (
        TrashPandas,
        raccoons.HandsDiscarded((("Shiny",), ())),
        "The trash can is empty. Hands are discarded: Ada 1 Shiny and Bo nothing",
    ),
    (
        TrashPandas,
        raccoons.StashesRevealed((("Shiny",), ())),
        "Face-down stashes are turned up: Ada 1 Shiny and Bo nothing",
    ),
    (
        TrashPandas,
        raccoons.GameEnded("turn_limit", (3, 4), ()),
        "The game is stopped without a winner: too many turns",
    ),
    (
        TrashPandas,
        raccoons.GameEnded("can_empty", (3, 4), ((1,), (0,))),
        "The game ends (can empty): Bo wins with 4, then Ada 3",
    ),
]


@pytest.mark.parametrize(("kind", "event", "sentence"), SENTENCES, ids=lambda value: type(value).__name__)
def test_an_event_is_said_so(kind: type[Game[Any]], event: Event, sentence: str) -> None:
    assert load(kind.slug).words(event, NAMES) == sentence


@pytest.mark.parametrize(
    ("kind", "event", "sentence"),
    [
        (Queen, queen.CardsPassed(1, 0, ("grey", "blue")), "Bo passes 2 cards to Ada"),
        (Cherry, cake.PieceChosen(1, 3, 180), "Bo chooses a piece"),
        (Cherry, cake.ChipTaken(1, "gold", 4), "Bo takes a gold chip"),
        (TrashPandas, raccoons.CardsDrawn(1, BOX), "Bo draws 3 cards from the trash can"),
        (TrashPandas, raccoons.CardStolen(1, 0, "Shiny", False), "Bo steals a card from Ada"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_of_what_a_spectator_does_not_see_only_the_number_is_said(
    kind: type[Game[Any]], event: Event, sentence: str
) -> None:
    shown = seen(event, "spectator")
    assert shown is not None
    assert load(kind.slug).words(shown, NAMES) == sentence


def test_a_guest_goes_by_a_name() -> None:
    assert named("kyle_kiwi") == "Kyle Kiwi"
