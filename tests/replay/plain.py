"""Plain counts over streams, by their JSON alone: what the metrics are held against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

Json = dict[str, Any]
Case = tuple[str, int | None, str, int, int]
"""Metric, seat, key, n, total."""


def queen(events: Sequence[Json], sheet: Any) -> Iterator[Case]:
    """Count a game of Queen of the Cupcakes."""
    bins = Counter[str]()
    hands = Counter[tuple[int, str]]()
    came = Counter[tuple[int, str]]()
    laid = Counter[tuple[int, str]]()
    passed = Counter[tuple[int, str]]()
    for event in events:
        match event["type"]:
            case "hands_dealt":
                hands = Counter([(seat, card) for seat, hand in enumerate(event["hands"]) for card in hand])
                yield from [("start_hand", seat, card, 1, n) for (seat, card), n in hands.items()]
                came.update(hands)
            case "cards_taken":
                came[event["seat"], event["kind"]] += event["count"]
            case "cards_passed":
                passed.update([(event["seat"], card) for card in event["cards"]])
                came.update([(event["partner"], card) for card in event["cards"]])
            case "cards_laid":
                seat, kind, beside, front = event["seat"], event["kind"], event["beside_bin"], event["in_front"]
                bins[kind] += beside
                laid[seat, kind] += beside + front
                yield "beside_bin", seat, kind, 1, beside
                yield "share_beside_bin", seat, kind, beside + front, beside
    yield from [("ever_held", seat, card, 1, n) for (seat, card), n in came.items()]
    yield from [("used", seat, card, 1, n) for (seat, card), n in laid.items()]
    yield from [("held_at_end", seat, card, 1, n) for (seat, card), n in (came - laid - passed).items()]
    fullest = sorted(sheet.kinds, key=lambda kind: (-bins[kind], sheet.kinds.index(kind)))[:3]
    for kind in sheet.kinds:
        yield "bins", None, kind, 1, bins[kind]
        yield "full_bin", None, kind, 1, int(bins[kind] >= sheet.bin_capacity)
        yield "scoring_kind", None, kind, 1, int(kind in fullest)


PLAYED = ("blammo", "nanners", "yum_yum", "pie", "feesh", "shiny", "doggo", "kitteh")


def trash(events: Sequence[Json], sheet: Any) -> Iterator[Case]:
    """Count a game of Trash Pandas under the default options."""
    hand, stash = Counter[int](), Counter[int]()
    seat, thief, place, tokens = -1, -1, "", ""
    taken: list[str] = []
    bonus = busting = False
    start: tuple[int, int] | None = None
    for event in events:
        kind, who = event["type"], event.get("seat", -1)
        if kind in ("turn_started", "bonus_turn_started", "hands_discarded"):
            if start is not None:
                yield "cards_gained", seat, tokens, 1, hand[seat] + stash[seat] - start[0]
                yield "cards_stashed", seat, tokens, 1, stash[seat] - start[1]
            if kind == "hands_discarded":
                continue
            seat, taken, bonus = who, [], kind == "bonus_turn_started"
            start = (hand[seat] + stash[seat], stash[seat])
            yield "six_tokens", seat, "", int(not bonus), int(bonus)
        if kind.removesuffix("_played") in PLAYED:
            hand[who] -= 1
        match kind:
            case "hands_dealt":
                hand.update({at: len(cards) for at, cards in enumerate(event["hands"])})
            case "die_rolled":
                busting = event["token"] in taken
                yield "busting_rolls", seat, str(len(taken)), 1, int(busting)
                if not busting:
                    taken.append(event["token"])
                if len(taken) == (sheet.bonus_tokens if bonus else 6):
                    tokens = str(len(taken))
            case "bust_accepted" | "blammo_played" | "nanners_played":
                if busting:
                    yield "saves", seat, "Blammo!", 1, int(kind == "blammo_played")
                    yield "saves", seat, "Nanners", 1, int(kind == "nanners_played")
                else:
                    taken.pop()
                busting = False
                tokens = "bust" if kind == "bust_accepted" else str(len(taken))
            case "rolling_stopped":
                tokens = str(len(taken))
            case "hand_targeted" | "shiny_played":
                thief, place = who, "hand" if kind == "hand_targeted" else "stash"
                yield "steals", thief, place, 1, 0
            case "card_stolen" | "face_up_card_stolen":
                hand[who] += 1
                (hand if place == "hand" else stash)[event["victim"]] -= 1
                if who == thief:
                    yield "steals", thief, place, 0, 1
            case "cards_drawn":
                hand[who] += len(event["cards"])
            case "card_revealed" | "feesh_played":
                hand[who] += 1
            case "cards_stashed" | "match_stashed":
                n = len(event["cards"]) if kind == "cards_stashed" else 1
                hand[who] -= n
                stash[who] += n


def picnic(events: Sequence[Json], sheet: Any) -> Iterator[Case]:
    """Count a game of Picnic Palace."""
    number = 0
    points: list[list[int]] = []
    came = Counter[tuple[int, str]]()
    uses = Counter[int]()
    pickled = Counter[tuple[int, str]]()
    turns = Counter[int]()
    for event in events:
        seat = event.get("seat", -1)
        match event["type"]:
            case "round_started":
                number = event["round"]
            case "turn_started":
                turns[number] += 1
            case "row_taken":
                came.update([(seat, card) for card in event["cards"]])
                yield "invitation_cards", seat, str(number), 1, len(event["cards"])
            case "invitation_wasted":
                yield "invitation_cards", seat, str(number), 1, 0
            case "pickle_used":
                uses[seat] += 1
                pickled[seat, event["kind"]] += 1
                came[seat, event["kind"]] += 1
            case "unclaimed_discarded":
                yield "unclaimed", None, str(number), 1, len(event["face_up"]) + len(event["face_down"])
            case "round_scored":
                points.append(event["points"])
                yield from [("round_points", at, str(number), 1, each) for at, each in enumerate(event["points"])]
            case "sprinkles_scored":
                yield from [("sprinkles_points", at, "", 1, each) for at, each in enumerate(event["points"])]
            case "game_ended":
                sums = [sum(each) for each in zip(*points, strict=True)]
                led = [at for at, each in enumerate(sums) if each == max(sums)]
                yield "sprinkles_decide", None, "", 1, int(sorted(event["ranking"][0]) != led)
    yield from [("round_turns", None, str(at), 1, n) for at, n in turns.items()]
    yield from [("ever_held", seat, card, 1, n) for (seat, card), n in came.items()]
    for (seat, card), n in came.items():
        if card == "pauly_pickle":
            yield "pickles_used", seat, "", n, uses[seat]
    for seat, n in uses.items():
        yield from [("pickled", seat, kind, n, pickled[seat, kind]) for kind in sheet.copies if kind != "pauly_pickle"]


def cherry(events: Sequence[Json], sheet: Any) -> Iterator[Case]:
    """Count a game of Cherry on the Cake."""
    number = 0
    score, stars = Counter[int](), Counter[int]()
    seats = events[0]["seats"]
    jars = Counter[tuple[int, str]]()
    looks: list[tuple[int, list[int]]] = []

    def look(at: int) -> None:
        standing = [score[seat] for seat in range(seats)]
        looks.append((at, [seat for seat, each in enumerate(standing) if each == max(standing)]))

    for at, event in enumerate(events):
        seat = event.get("seat", -1)
        match event["type"]:
            case "round_started":
                number = event["round"]
            case "turn_started":
                look(at)
            case "pieces_dealt":
                shown = [(whose, piece) for whose, pieces in enumerate(event["shown"]) for piece in pieces]
                yield from [("start_hand", whose, f"piece {piece}", 1, 1) for whose, piece in shown]
            case "piece_placed":
                yield "used", seat, f"piece {event['piece']}", 1, 1
                yield "turned", seat, "", 1, int(event["rotation"] == 180)
            case "stripes_connected":
                yield "connections", seat, str(number), 1, len(event["stripes"])
            case "jar_emptied":
                jars[seat, event["jar"]] += 1
            case "chip_taken":
                score[seat] += event["value"]
            case "stars_counted" | "die_stars_counted":
                score[seat] += event["stars"]
                stars[seat] += event["stars"]
                if event["type"] == "stars_counted":
                    yield "consolation", seat, "", 1, 0
            case "consolation_taken" | "consolation_declined":
                yield "consolation", seat, "", 0, 1
                yield "consolation_taken", seat, "", 1, int(event["type"] == "consolation_taken")
            case "chips_revealed":
                for whose, chips in enumerate(event["chips"]):
                    for metal, values in zip(("bronze", "silver", "gold"), chips, strict=True):
                        yield "chips", whose, metal, 1, len(values)
                        yield "chip_points", whose, metal, 1, sum(values)
            case "game_ended":
                look(at)
                winners = event["ranking"][0]
                wrong = [index for index, (_, led) in enumerate(looks) if not set(led) <= set(winners)]
                decided = looks[wrong[-1] + 1][0] if wrong else looks[0][0]
                yield "lead_for_good", None, "", 1, 1000 * decided // at
    alone = [led[0] for _, led in looks if len(led) == 1]
    yield "lead_changes", None, "", 1, sum(one != other for one, other in pairwise(alone))
    for seat in range(seats):
        yield "stars", seat, "", 1, stars[seat]
        yield from [("jars", seat, jar, 1, jars[seat, jar]) for jar in ("small", "middle", "large")]


COUNTS: Mapping[str, Callable[[Sequence[Json], Any], Iterator[Case]]] = {
    "queen-of-the-cupcakes": queen,
    "trash-pandas": trash,
    "picnic-palace": picnic,
    "cherry-on-the-cake": cherry,
}
