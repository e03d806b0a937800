"""Plain counts of what seats may choose from, by the JSON of a stream alone: what `choices` and `decisions` are held
against. Under the default options, and of Queen of the Cupcakes in teams too.

Each function gives, for each move that was left to a seat: the seat, and how many moves it had.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

Json = dict[str, Any]
Decision = tuple[int, int]
"""Seat, moves that it may choose from."""


def queen(events: Sequence[Json], sheet: Any) -> Iterator[Decision]:
    """Follow a game of Queen of the Cupcakes."""
    hands: list[Counter[str]] = []
    bank = Counter[str]()
    teams = events[0]["options"].get("teams", False)
    least, most = sheet.lay_out
    for event in events:
        seat = event.get("seat", -1)
        match event["type"]:
            case "hands_dealt":
                hands = [Counter(hand) for hand in event["hands"]]
            case "bank_filled":
                bank.update(event["cards"])
            case "cards_taken":
                if len(bank) > 1:
                    yield seat, len(bank)
                hands[seat][event["kind"]] += bank.pop(event["kind"])
            case "cards_laid" | "laying_skipped" | "cards_passed":
                hand = +hands[seat]
                if hand.total() > 1:
                    amounts = range(least, most + 1)
                    laying = sum(beside + front <= n for n in hand.values() for beside in amounts for front in amounts)
                    alike, kinds = sum(n > 1 for n in hand.values()), len(hand)
                    yield seat, 1 + laying + (alike + kinds * (kinds - 1) // 2 if teams else 0)
                if event["type"] == "cards_laid":
                    hands[seat][event["kind"]] -= event["beside_bin"] + event["in_front"]
                elif event["type"] == "cards_passed":
                    hands[seat].subtract(event["cards"])
                    hands[event["partner"]].update(event["cards"])


def picnic(events: Sequence[Json], sheet: Any) -> Iterator[Decision]:
    """Follow a game of Picnic Palace."""
    hidden: list[int] = []
    shown: list[list[str]] = []
    pickles = Counter[int]()
    flipped = False
    for event in events:
        seat, kind = event.get("seat", -1), event["type"]
        flips = sum(number > 0 for number in hidden)
        if kind == "flip_chosen" and flipped:
            if flips > 1:
                yield seat, flips
        elif kind in ("flip_chosen", "row_taken", "invitation_wasted", "pickle_used"):
            rows = sum(bool(row) for row in shown)
            guests = sum(card != "pauly_pickle" for row in shown for card in row) if pickles[seat] else 0
            moves = flips + (rows or int(not flips)) + guests
            if moves > 1:
                yield seat, moves
        match kind:
            case "rows_dealt":
                hidden = [len(row) for row in event["rows"]]
                shown = [[] for _ in hidden]
            case "first_cards_flipped":
                shown = [list(row) for row in event["rows"]]
                hidden = [number - len(row) for number, row in zip(hidden, shown, strict=True)]
            case "turn_started":
                flipped = False
            case "flip_chosen":
                flipped = True
            case "card_flipped":
                hidden[event["row"]] -= 1
                shown[event["row"]].append(event["kind"])
            case "row_taken":
                pickles[seat] += event["cards"].count("pauly_pickle")
                shown[event["row"]] = []
            case "pickle_used":
                pickles[seat] -= 1
                shown[event["row"]].pop(event["position"])


class _Pandas:
    """What lies where in a game of Trash Pandas."""

    def __init__(self, seats: int) -> None:
        self.hands = [Counter[str]() for _ in range(seats)]
        self.down = [Counter[str]() for _ in range(seats)]
        self.up = [Counter[str]() for _ in range(seats)]
        self.discard = Counter[str]()
        self.fresh = Counter[str]()
        """Cards that the active seat gained this turn."""
        self.pile = 0
        self.seat = -1
        self.taken: list[str] = []
        self.resolved: list[str] = []
        self.repeatable = False
        self.theft: tuple[int, bool] | None = None
        """Thief, and whether it is from a hand."""
        self.phase = ""

    def may(self, seat: int, card: str) -> bool:
        """Say whether a seat may play a card."""
        barred = seat == self.seat and (bool(self.resolved) or card == "MMM Pie!")
        return self.hands[seat][card] > (self.fresh[card] if barred else 0)

    def gain(self, seat: int, cards: Sequence[str]) -> None:
        """Cards come to a hand."""
        self.hands[seat].update(cards)
        if seat == self.seat:
            self.fresh.update(cards)

    def lose(self, seat: int, card: str, fresh: bool) -> None:
        """A card leaves a hand."""
        self.hands[seat][card] -= 1
        if seat == self.seat and fresh and self.fresh[card]:
            self.fresh[card] -= 1

    def spend(self, seat: int, card: str) -> None:
        """A card is played."""
        self.lose(seat, card, not self.resolved and card != "MMM Pie!")
        self.discard[card] += 1

    def stealable(self, seat: int) -> int:
        """Count what can be named in a theft from a stash."""
        return len(+self.up[seat]) + (self.down[seat].total() > 0)

    def own(self) -> int:
        """Count what Feesh and Shiny offer."""
        rivals = [seat for seat in range(len(self.hands)) if seat != self.seat]
        fetched = len(+self.discard) - (self.discard["Feesh"] > 0) if self.may(self.seat, "Feesh") else 0
        return fetched + (sum(map(self.stealable, rivals)) if self.may(self.seat, "Shiny") else 0)

    def moves(self) -> int:
        """Count what the active seat may do; 0 if the rules do it."""
        seat = self.seat
        hand = +self.hands[seat]
        match self.phase:
            case "roll":
                return 1 + self.own()
            case "rolled":
                return 2 + self.may(seat, "Blammo!") + self.own()
            case "bust":
                return 1 + self.may(seat, "Blammo!") + self.may(seat, "Nanners") + self.own()
            case "resolve":
                left = len(set(self.taken) - set(self.resolved))
                return (left + self.own() if left else 1) + (self.repeatable and self.may(seat, "MMM Pie!"))
            case "bin":
                return 1 + min(2, self.pile) if self.pile else 0
            case "tree":
                kinds = len(hand)
                pairs = kinds * (kinds - 1) // 2 + sum(n > 1 for n in hand.values())
                return 1 + kinds + pairs if kinds else 0
            case "bin_tree":
                asked = hand and (hand.total() > 1 or self.pile)
                return len(hand) + (self.pile > 0) if asked else 0
            case "steal":
                victims = sum((+cards).total() > 0 for at, cards in enumerate(self.hands) if at != seat)
                return victims if victims > 1 else 0
            case "recycle":
                free = 6 - len(self.taken)
                return free if free > 1 else 0
        return 0

    def answers(self, seat: int) -> int:
        """Count the answers of the victim of a theft."""
        moves = 1 + (1 + (self.pile > 0)) * self.may(seat, "Doggo")
        if self.theft and self.may(seat, "Kitteh"):
            thief, from_hand = self.theft
            moves += 1 if from_hand else max(1, self.stealable(thief))
        return moves

    def turn(self, seat: int) -> None:
        """A turn or bonus turn begins."""
        self.seat, self.phase = seat, "roll"
        self.fresh.clear()
        self.over()

    def over(self) -> None:
        """The tokens go back."""
        self.taken, self.resolved, self.repeatable = [], [], False


_ACTIVE = (
    *("die_thrown", "rolling_stopped", "bust_accepted", "blammo_played", "nanners_played", "token_chosen"),
    *("turn_ended", "pie_played", "draw_chosen", "cards_stashed", "token_exchanged", "feesh_played", "shiny_played"),
    "hand_targeted",
)


def trash(events: Sequence[Json], sheet: Any) -> Iterator[Decision]:
    """Follow a game of Trash Pandas."""
    now = _Pandas(events[0]["seats"])
    bonus = False
    for event in events:
        seat, kind = event.get("seat", -1), event["type"]
        if kind in _ACTIVE and (moves := now.moves()):
            yield seat, moves
        elif kind in ("yum_yum_kept", "yum_yum_played", "match_kept", "match_stashed"):
            yield seat, 2
        elif kind in ("theft_suffered", "doggo_played", "kitteh_played"):
            yield seat, now.answers(seat)
        match kind:
            case "deck_shuffled":
                now.pile = len(event["cards"])
            case "hands_dealt":
                now.hands = [Counter(hand) for hand in event["hands"]]
                now.pile -= sum(map(len, event["hands"]))
            case "turn_started" | "bonus_turn_started":
                now.turn(seat)
                bonus = kind == "bonus_turn_started"
            case "die_rolled":
                if event["token"] in now.taken:
                    now.phase = "bust"
                else:
                    now.taken.append(event["token"])
                    now.phase = "rolled" if len(now.taken) < (sheet.bonus_tokens if bonus else 6) else "resolve"
            case "rolling_stopped" | "hand_targeted" | "draw_chosen" | "token_had_no_effect":
                now.phase = "resolve"
                if kind == "hand_targeted":
                    now.theft = seat, True
            case "nanners_played":
                now.spend(seat, "Nanners")
                now.phase = "resolve"
            case "blammo_played":
                now.spend(seat, "Blammo!")
                if now.phase != "bust":
                    now.taken.pop()
                now.phase = "roll"
            case "yum_yum_played":
                now.spend(seat, "Yum Yum")
                now.phase = "roll"
            case "bust_accepted" | "turn_ended":
                now.over()
            case "token_chosen":
                now.resolved.append(event["token"])
                now.phase, now.repeatable = event["token"], True
            case "pie_played":
                now.spend(seat, "MMM Pie!")
                now.phase, now.repeatable = event["token"], False
            case "cards_drawn":
                now.gain(seat, event["cards"])
                now.pile -= len(event["cards"])
            case "cards_stashed":
                for card in event["cards"]:
                    now.lose(seat, card, fresh=True)
                    now.down[seat][card] += 1
                now.phase = "resolve"
            case "card_revealed":
                now.gain(seat, [event["card"]])
                now.pile -= 1
                now.phase = "resolve"
            case "match_stashed":
                now.lose(seat, event["card"], fresh=False)
                now.up[seat][event["card"]] += 1
            case "token_exchanged":
                now.taken.append(event["token"])
                now.phase = "resolve"
            case "feesh_played":
                now.discard[event["card"]] -= 1
                now.gain(seat, [event["card"]])
                now.spend(seat, "Feesh")
            case "shiny_played":
                now.spend(seat, "Shiny")
                now.theft = seat, False
            case "doggo_played":
                now.spend(seat, "Doggo")
                now.theft = None
            case "kitteh_played":
                now.spend(seat, "Kitteh")
                if now.theft:
                    thief, from_hand = now.theft
                    goes_on = (+now.hands[thief]).total() > 0 if from_hand else event["card"] is not None
                    now.theft = (seat, from_hand) if goes_on else None
            case "card_stolen" | "face_up_card_stolen":
                victim, card = event["victim"], event["card"]
                if kind == "face_up_card_stolen":
                    now.up[victim][card] -= 1
                elif now.theft and now.theft[1]:
                    now.lose(victim, card, fresh=event["gained"])
                else:
                    now.down[victim][card] -= 1
                now.gain(seat, [card])
                now.theft = None


def cherry(events: Sequence[Json], sheet: Any) -> Iterator[Decision]:
    """Follow a game of Cherry on the Cake."""
    most: dict[str, int] = dict(zip(("small", "middle", "large"), sheet.capacity, strict=True))
    jars = [defaultdict[str, list[str]](list) for _ in range(events[0]["seats"])]
    supply = Counter(dict.fromkeys(sheet.colours, sheet.cubes))
    waiting: list[str] = []
    shown: list[list[int]] = []
    gilding = False

    def room(seat: int, colour: str = "golden") -> int:
        """Count the jars that take a cube; golden cubes may lie together."""
        own = jars[seat]
        return sum(len(own[jar]) < n and (colour == "golden" or colour not in own[jar]) for jar, n in most.items())

    def placing(seat: int, colours: Sequence[str]) -> int:
        return sum(room(seat, colour) or 1 for colour in colours)

    def moves(event: Json) -> int:
        seat, left = event["seat"], list(+supply)
        match event["type"]:
            case "cube_placed":
                return placing(seat, list(dict.fromkeys(waiting)))
            case "jar_emptied" | "cubes_returned":
                full = sum(len(jars[seat][jar]) >= n for jar, n in most.items())
                return full + int(len(jars[seat]["exchange"]) >= int(sheet.exchange_rate))
            case "cube_exchanged" | "exchange_declined":
                return 1 + sum(room(seat, colour) for colour in left)
            case "consolation_taken" | "consolation_declined":
                return 1 + len(left)
            case "die_cube_placed":
                return placing(seat, left)
            case "die_golden_cube_placed":
                return room(seat)
        return 0

    for event in events:
        seat, kind = event.get("seat", -1), event["type"]
        if kind == "piece_chosen":
            yield seat, 2 * len(shown[seat])
        elif kind in ("golden_cube_placed", "golden_cubes_left"):
            yield seat, 1 + room(seat)
        elif seat >= 0 and not gilding and (count := moves(event)) > 1:
            yield seat, count
        match kind:
            case "start_cubes_placed":
                jars[seat].update({jar: [colour] for jar, colour in zip(most, event["cubes"], strict=True)})
                supply.subtract(event["cubes"])
            case "pieces_dealt":
                shown = [list(pieces) for pieces in event["shown"]]
            case "piece_placed":
                shown[seat].remove(event["piece"])
            case "pieces_passed":
                shown = [[event["pieces"][at - 1]] for at in range(len(shown))]
            case "pieces_drawn":
                for pieces, piece in zip(shown, event["pieces"], strict=True):
                    pieces.append(piece)
            case "cubes_taken":
                supply.subtract(event["cubes"])
                waiting = list(event["cubes"])
            case "cube_placed":
                jars[seat][event["jar"]].append(event["colour"])
                waiting.remove(event["colour"])
            case "cube_exchanged" | "die_cube_placed":
                jars[seat][event["jar"]].append(event["colour"])
                supply[event["colour"]] -= 1
            case "consolation_taken":
                jars[seat]["exchange"].append(event["colour"])
                supply[event["colour"]] -= 1
            case "jar_emptied":
                jars[seat][event["jar"]] = []
                supply.update([cube for cube in event["cubes"] if cube != "golden"])
            case "cubes_returned":
                for cube in event["cubes"]:
                    jars[seat]["exchange"].remove(cube)
                supply.update(event["cubes"])
            case "golden_cubes_taken":
                gilding = True
            case "golden_cube_placed" | "die_golden_cube_placed":
                jars[seat][event["jar"]].append("golden")
            case "golden_cubes_returned":
                jars[seat].update({jar: [cube for cube in jars[seat][jar] if cube != "golden"] for jar in most})


DECISIONS: Mapping[str, Callable[[Sequence[Json], Any], Iterator[Decision]]] = {
    "queen-of-the-cupcakes": queen,
    "trash-pandas": trash,
    "picnic-palace": picnic,
    "cherry-on-the-cake": cherry,
}


def counts(slug: str, events: Sequence[Json], sheet: Any) -> Iterator[tuple[str, int, str, int, int]]:
    """Count choices and decisions as `tests.replay.plain` does: metric, seat, key, n, total."""
    yield from [("decisions", seat, "", 1, 0) for seat in range(events[0]["seats"])]
    yield from chain.from_iterable(
        [("choices", seat, "", 1, moves), ("decisions", seat, "", 0, 1)]
        for seat, moves in DECISIONS[slug](events, sheet)
    )
