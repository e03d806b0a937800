"""Exact counts of the ways small positions can be played out, each worked out by hand beside it.

A way is a sequence of decisions and outcomes of chance (each outcome once, whatever its weight).
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from core.chance import Chance
from core.games.trash_pandas.state import Table
from tests.core.games.trash_pandas.playing import GAME, given, table


def ways(laid: Table, done: Callable[[Table], bool]) -> int:
    """Give the number of ways to play on until `done`."""
    if done(laid):
        return 1
    due = GAME.forced(laid)
    if isinstance(due, Chance):
        events = [event for event, weight in due.odds if weight]
    else:
        events = [due] if due is not None else list(GAME.legal(laid))
    return sum([ways(GAME.evolve(laid, event), done) for event in events])


def turn_over(laid: Table) -> bool:
    return laid.phase == "turn_over" and not laid.due


def rolling_over(laid: Table) -> bool:
    return laid.phase in ("resolve", "turn_over")


def test_rolling_to_the_end_with_an_empty_hand() -> None:
    """R(t): ways on with t tokens. Stop (1), or one of t busts (1 each), or one of 6-t new tokens: R(6) = 1.

    R(5) = 1+5+1 = 7, R(4) = 1+4+2*7 = 19, R(3) = 1+3+3*19 = 61, R(2) = 1+2+4*61 = 247, R(1) = 1+1+5*247 = 1237;
    the first roll has 6 outcomes: 7422.
    """
    assert ways(table("", ""), rolling_over) == 7422


def test_rolling_in_a_bonus_turn() -> None:
    """R(3) = 1, R(2) = 1+2+4*1 = 7, R(1) = 1+1+5*7 = 37, and 6*37 = 222 (TP-20)."""
    assert ways(replace(table("", ""), bonus="running"), rolling_over) == 222


def test_rolling_in_a_bonus_turn_with_a_blammo() -> None:
    """M(t): ways to a compulsory roll with t tokens and no Blammo!: M(0) = 222, M(1) = 1+5*7 = 36, M(2) = 2+4 = 6.

    With it, B(t): stop, or t busts of 1+M(t) each (accept, or play it), or 6-t new tokens, or play it: M(t-1).
    B(3) = 1, B(2) = 1 + 2*7 + 4*1 + 36 = 55, B(1) = 1 + 1*37 + 5*55 + 222 = 535, and 6*535 = 3210 (TP-08, TP-10).
    """
    assert ways(replace(table("B", ""), bonus="running"), rolling_over) == 3210


def test_rolling_in_a_bonus_turn_with_a_nanners() -> None:
    """Each bust may be accepted or undone by stopping: R(2) = 1+2*2+4 = 9, R(1) = 1+2+5*9 = 48, 6*48 = 288 (TP-13)."""
    assert ways(replace(table("N", ""), bonus="running"), rolling_over) == 288


def test_a_rival_with_a_yum_yum() -> None:
    """In a bonus turn with two tokens: stop and Yum Yum kept 1, or played: a roll of 2 busts + 4 third tokens = 6.

    Rolling on: 2 busts + 4 third tokens = 6, no window (TP-24). 13 ways.
    """
    laid = given("", "Y")
    laid.table = replace(laid.table, bonus="running")
    laid.roll("bin", "tree")
    asked_out = ways(laid.table, lambda after: rolling_over(after) and True not in after.asked)
    assert asked_out == 13


def test_bin_and_tree_in_any_order() -> None:
    """Two different cards in the can, an empty hand.

    Bin first, then the tree with no card (no effect, 1), one (2) or two (none, either, both: 4): 7 ways.
    Tree first: no effect, then 0, 1 or 2 cards: 3 ways. The turn's end is one move: 10 ways.
    """
    assert ways(given("", "", can="NB").roll("bin", "tree").stop().table, turn_over) == 10


def test_a_tree_with_equal_cards() -> None:
    """NNB: none, N, B, NN, NB: equal cards are one choice (G-07)."""
    assert ways(given("NNB", "").roll("tree").stop().table, turn_over) == 5


def test_a_theft_with_a_doggo_and_a_pie() -> None:
    """Seat 0 holds a Pie, seat 1 DN; two Blammo!s in the can. Each line: the end (1), or the Pie and a second theft.

    Suffered, D taken: 1 + 1 (N is left, no answer). Suffered, N taken: 1 + 3 (D: suffered, drawing or not).
    Doggo without drawing: 1 + 1. Doggo and two Blammo!s: 1 + 2 (N or B is taken). In all 2 + 4 + 2 + 3 = 11.
    """
    laid = given("P", "DN", can="BBNN").roll("steal").stop().resolve("steal")
    assert ways(laid.table, turn_over) == 11


def test_a_kitteh_chain() -> None:
    """Thief KN, victim KP. Suffered: K or P is taken, 2. Kitteh: the thief suffers, K or N is taken: 2; or its own
    Kitteh: P alone is left, 1. In all 5."""
    laid = given("KN", "KP").roll("steal").stop().resolve("steal")
    assert ways(laid.table, turn_over) == 5


def test_recycle_alone() -> None:
    """Five tokens to choose from. Empty hands, one card in the can: bin 0 or 1 card (2 ways), tree no effect (1),
    bin/tree draws (1), steal no effect (1), reveal (1): 6 ways."""
    assert ways(given("", "", can="N").roll("recycle").stop().table, turn_over) == 6


def test_a_reveal_with_two_rivals_that_match() -> None:
    """Each keeps or stashes its card: 4 ways."""
    assert ways(given("", "N", "N", can="NBBB").roll("reveal").stop().table, turn_over) == 4
