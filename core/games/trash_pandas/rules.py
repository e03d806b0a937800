"""The rules of Trash Pandas, in the order of its rulebook.

On a turn a seat (A) rolls the die, taking a token a roll, until it stops or busts, and (B) resolves the tokens it has
taken in any order: drawing cards, stashing them, stealing them. All six tokens earn a bonus turn. Cards can be played
along the way (`cards`). Once the trash can is empty the turn is finished, and whoever stashed most of a kind scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement

from core.chance import Chance, pick, shuffle
from core.games.trash_pandas import cards
from core.games.trash_pandas.scoring import ranking, scores
from core.games.trash_pandas.state import TOKENS, Phase, Table, others, pending, playable, untaken
from events.base import Event, Move
from events.trash_pandas import (
    BlammoPlayed,
    BonusTurnStarted,
    BustAccepted,
    CardRevealed,
    Cards,
    CardsDrawn,
    CardsStashed,
    DeckShuffled,
    DieRolled,
    DieThrown,
    DrawChosen,
    GameEnded,
    HandsDealt,
    HandsDiscarded,
    HandTargeted,
    NannersPlayed,
    NoEffect,
    PiePlayed,
    RollingStopped,
    StashesRevealed,
    Token,
    TokenChosen,
    TokenExchanged,
    TokenRepeated,
    TokenSkipped,
    TurnEnded,
    TurnStarted,
)

TURN_LIMIT = 4_000
"""Not a rule: where the engine gives up on seats that never draw a card (TP-58)."""


def forced(table: Table) -> Event | Chance | None:
    """Give what happens without a choice: chance, what follows from a choice, and what public facts leave no choice in.

    Nothing happens while a seat may still answer; then a theft or a draw is carried out before play goes on.
    """
    if True in table.asked:
        return None
    if table.theft is not None:
        return cards.stolen(table, table.theft)
    if table.due:
        return CardsDrawn(table.drawer, table.pile[: table.due])
    rule = FORCED.get(table.phase)
    return rule(table) if rule else None


def legal(table: Table) -> Sequence[Move]:
    """Give what the seat that is asked for an answer may choose, or else the seat whose turn it is."""
    if True in table.asked:
        return cards.answers(table)
    rule = CHOICES.get(table.phase)
    return rule(table) if rule else ()


# --- setup -----------------------------------------------------------------------------------------------------------


def deck_shuffled(table: Table) -> Chance:
    """The 53 cards are shuffled (TP-01)."""
    return shuffle(table.sheet.deck, DeckShuffled, lambda event: event.cards)


def hands_dealt(table: Table) -> HandsDealt:
    """3, 4, 5 and 6 cards by turn order, seat by seat (G-03)."""
    hands = list[Cards]()
    dealt = 0
    for size in table.sheet.hands[: table.seats]:
        hands.append(table.pile[dealt : dealt + size])
        dealt += size
    return HandsDealt(hands=tuple(hands))


# --- A. roll the die -------------------------------------------------------------------------------------------------


def must_roll(table: Table) -> list[Move]:
    """The first roll, and the one after a Blammo! or a Yum Yum, is compulsory (TP-07, TP-83)."""
    return [DieThrown(table.seat), *cards.own(table)]


def die_rolled(table: Table) -> Chance:
    """The die falls."""
    return die(table.seat)


@lru_cache(maxsize=8)
def die(seat: int) -> Chance:
    """Give the roll of a seat: six faces, one for each token, each as likely."""
    return pick([(DieRolled(seat, token), 1) for token in TOKENS])


def after_a_roll(table: Table) -> list[Move]:
    """Roll on or stop. A Blammo! undoes any roll (TP-08, TP-10); a Nanners does so only as an option (TP-12)."""
    seat = table.seat
    moves: list[Move] = [DieThrown(seat), RollingStopped(seat)]
    if playable(table, seat, "Blammo!"):
        moves.append(BlammoPlayed(seat))
    if table.options.nanners_any_roll and playable(table, seat, "Nanners"):
        moves.append(NannersPlayed(seat))
    return moves + cards.own(table)


def about_to_bust(table: Table) -> list[Move]:
    """Bust, or be saved by a Blammo! or Nanners; a Feesh may fetch one of these, and Shiny may steal one (TP-15)."""
    seat = table.seat
    moves: list[Move] = [BustAccepted(seat)]
    if playable(table, seat, "Blammo!"):
        moves.append(BlammoPlayed(seat))
    if playable(table, seat, "Nanners"):
        moves.append(NannersPlayed(seat))
    return moves + (cards.own(table) if table.options.shiny_when_busting else list(cards.feesh(table)))


# --- B. resolve tokens -----------------------------------------------------------------------------------------------


def next_token(table: Table) -> list[Move]:
    """Resolve a token, in any order; with none left, end the turn. Both are always asked (TP-83).

    The token just resolved may be resolved again for a Pie, also at the end of the turn; Feesh and Shiny are for the
    time before (TP-34).
    """
    seat = table.seat
    left = pending(table)
    if not left:
        return [TurnEnded(seat), *pie(table)]
    moves: list[Move] = [*choosing(seat, left)]
    if table.options.may_skip_tokens:
        moves += [TokenSkipped(seat, token) for token in left if token != "reveal" or not table.pile]
    return moves + pie(table) + cards.own(table)


@lru_cache(maxsize=4096)
def choosing(seat: int, left: tuple[Token, ...]) -> tuple[TokenChosen, ...]:
    """Give the choice of each token that is left."""
    return tuple([TokenChosen(seat, token) for token in left])


def pie(table: Table) -> list[Move]:
    """MMM Pie! on the token just resolved, once (TP-69, TP-70); as an option, on a token about to be resolved."""
    if not playable(table, table.seat, "MMM Pie!"):
        return []
    if table.options.pie_before:
        return [PiePlayed(table.seat, token) for token in pending(table)]
    return [] if table.resolving is None or table.pied else [PiePlayed(table.seat, table.resolving)]


def repeated(table: Table) -> TokenRepeated | None:
    """A token chosen together with a Pie is resolved for the second time."""
    return TokenRepeated(table.seat, table.resolving) if table.again and table.resolving else None


def no_effect(table: Table) -> NoEffect:
    """A token does as much as it can, which may be nothing, a second time too (TP-71)."""
    return NoEffect(table.seat, table.resolving or "recycle")


def drawing(table: Table) -> list[Move]:
    """Trash can: draw up to two cards, the number first (TP-59); as an option, one after the other.

    The discard pile is never drawn from, nor shuffled (TP-05).
    """
    most = min(1 if table.options.draw_one_at_a_time else 2, len(table.pile))
    return [DrawChosen(table.seat, count) for count in range(most + 1)]


def only_no_draw(table: Table) -> DrawChosen | None:
    """The can was emptied by the first of two cards."""
    return None if table.pile else DrawChosen(table.seat, 0)


def stashing(table: Table) -> list[Move]:
    """Tree: stash up to two cards, Doggo and Kitteh too (TP-62)."""
    moves: list[Move] = []
    for stashed in up_to_two(table.hands[table.seat]):
        moves.append(CardsStashed(table.seat, stashed))
    return moves


@lru_cache(maxsize=4096)
def up_to_two(hand: Cards) -> tuple[Cards, ...]:
    """Give the ways to choose none, one or two cards of a hand, by kind."""
    kinds = tuple(dict.fromkeys(hand))
    pairs = [
        (first, second)
        for first, second in combinations_with_replacement(kinds, 2)
        if first != second or hand.count(first) > 1
    ]
    return ((), *[(kind,) for kind in kinds], *pairs)


def drawing_or_stashing(table: Table) -> list[Move]:
    """Trash can / Tree: either draw a card or stash one (TP-03)."""
    seat = table.seat
    moves: list[Move] = [DrawChosen(seat, 1)] if table.pile else []
    return moves + [CardsStashed(seat, (card,)) for card in dict.fromkeys(table.hands[seat])]


def only_draw_or_stash(table: Table) -> Event | None:
    """With nothing to stash or nothing to draw, the other (TP-61); asked where only the hand tells what can be."""
    hand = table.hands[table.seat]
    if not hand:
        return DrawChosen(table.seat, 1) if table.pile else no_effect(table)
    return CardsStashed(table.seat, hand) if len(hand) == 1 and not table.pile else None


def stealing(table: Table) -> list[Move]:
    """Hand with a bag: steal a random card of a rival who has one (TP-44); a Pie chooses anew (TP-57)."""
    moves: list[Move] = []
    for rival in others(table, table.seat):
        if table.hands[rival]:
            moves.append(HandTargeted(table.seat, rival))
    return moves


def only_victim(table: Table) -> Event | None:
    """One rival with cards, or none at all."""
    victims = stealing(table)
    return no_effect(table) if not victims else victims[0] if len(victims) == 1 else None


def card_revealed(table: Table) -> Event:
    """Mask: the top card is shown to all; rivals may stash one like it (TP-63 to TP-65)."""
    return CardRevealed(table.seat, table.pile[0]) if table.pile else no_effect(table)


def exchanging(table: Table) -> list[Move]:
    """Recycle: exchange it for a token that was not taken this turn (TP-66)."""
    return [TokenExchanged(table.seat, token) for token in untaken(table)]


def only_exchange(table: Table) -> Event | None:
    """One such token, or none (TP-26, TP-68)."""
    free = untaken(table)
    return no_effect(table) if not free else TokenExchanged(table.seat, free[0]) if len(free) == 1 else None


# --- the end of a turn, and of the game ------------------------------------------------------------------------------


def turn_over(table: Table) -> Event:
    """A bonus turn, the end once the trash can is empty, or the next seat (TP-23, TP-72, TP-73)."""
    if table.bonus == "earned":
        return BonusTurnStarted(table.seat)
    if not table.pile:
        return HandsDiscarded(hands=table.hands)
    if table.turn == TURN_LIMIT:
        return GameEnded(reason="turn_limit", scores=(0,) * table.seats, ranking=())
    return TurnStarted(seat=(table.seat + 1) % table.seats, turn=table.turn + 1)


def stashes_revealed(table: Table) -> StashesRevealed:
    """All stashes are turned up."""
    return StashesRevealed(stashes=table.stashes)


def game_ended(table: Table) -> GameEnded:
    """Stashes are scored."""
    totals = scores(table)
    return GameEnded(reason="can_empty", scores=totals, ranking=ranking(table, totals))


FORCED: Mapping[Phase, Callable[[Table], Event | Chance | None]] = {
    "shuffle": deck_shuffled,
    "deal": hands_dealt,
    "thrown": die_rolled,
    "resolve": repeated,
    "bin": lambda table: None if table.pile else no_effect(table),
    "second_draw": only_no_draw,
    "tree": lambda table: None if table.hands[table.seat] else no_effect(table),
    "bin_tree": only_draw_or_stash,
    "steal": only_victim,
    "reveal": card_revealed,
    "recycle": only_exchange,
    "turn_over": turn_over,
    "turn_up": stashes_revealed,
    "score": game_ended,
}
"""What the rules do in each phase; None where a seat must choose."""

CHOICES: Mapping[Phase, Callable[[Table], Sequence[Move]]] = {
    "roll": must_roll,
    "rolled": after_a_roll,
    "bust": about_to_bust,
    "resolve": next_token,
    "bin": drawing,
    "second_draw": drawing,
    "tree": stashing,
    "bin_tree": drawing_or_stashing,
    "steal": stealing,
    "recycle": exchanging,
}
"""What the seat whose turn it is may choose in each phase."""
