"""A page with nothing but the viewer on it, showing a game made up for the tests.

The address chooses: `steps` (default 40), `names=hostile`, `smuggle=1` (elements that no scene can hold, past their own
check), `step` (where to open), `part` (so many steps are sent at a time), `lost` (events that cannot be opened).
"""

import random
from functools import cache
from typing import Any

import msgspec
import streamlit as st

from dashboard import scene
from dashboard.page import page
from dashboard.payload import Payload, Scalar, Step
from dashboard.viewer import Aside, Remark, Watch, show

COLOURS = {
    "green": "#4f9d5d",
    "blue": "#3f7fc1",
    "orange": "#e58a2b",
    "purple": "#8a5bb8",
    "yellow": "#f0c93a",
    "red": "#cc4b4b",
}
NAMES = ("Ada", "Ben", "Clementine", "Dev")
HOSTILE = (
    "<img src=x onerror=window.pwned=1>",
    "</svg><script>window.pwned=1</script>",
    "![x](http://127.0.0.1:9/pwned)",
    "Bartholomew Featherstonehaugh-Wolstenholme the Extraordinarily Long",
)


def face(x: float, y: float, colour: str) -> tuple[scene.Element, ...]:
    return scene.card(x, y, colour, colour=COLOURS[colour], glyph=colour[0].upper())


def picture(names: tuple[str, ...], active: int, draw: int, bank: list[str], hands: list[list[str]]) -> scene.Scene:
    width, height = 900, 520
    groups: dict[str, tuple[scene.Element, ...]] = {
        "table": (scene.rect(0, 0, width, height, "felt", radius=16),),
        "draw": (*scene.pile(60, 40, draw), scene.label(90, 152, "draw pile", 100, "muted", size=13, anchor="middle")),
        "bank": tuple(part for i, colour in enumerate(bank) for part in face(200 + 72 * i, 40, colour)),
        "bins": (*scene.pile(700, 40, 0), *scene.pile(790, 40, 1, face(790, 40, "orange"))),
    }
    for seat, (name, hand) in enumerate(zip(names, hands, strict=True)):
        left, top = 20 + 440 * (seat % 2), 180 + 168 * (seat // 2)
        groups[f"seat-{seat}"] = scene.panel(
            left, top, 420, 154, name, note=f"{len(hand)} cards", active=seat == active
        )
        fan = (face(left + 20 + 34 * i, top + 46, c) for i, c in enumerate(hand[:10])) if seat == 0 else ()
        backs = (scene.card_back(left + 20 + 24 * i, top + 46) for i in range(min(len(hand), 13))) if seat else ()
        groups[f"hand-{seat}"] = tuple(part for parts in (*fan, *backs) for part in parts)
    return scene.Scene(width, height, f"{len(bank)} cards in the bank; {names[active]} is to move.", groups)


@cache
def game(length: int, names: tuple[str, ...]) -> Payload:
    chance = random.Random(7)
    colours = list(COLOURS)
    draw, bank = 66, [chance.choice(colours) for _ in range(5)]
    hands = [[chance.choice(colours) for _ in range(5)] for _ in names]
    steps: list[Step] = []
    scenes: list[scene.Scene] = []
    states: list[dict[str, Scalar]] = []
    for number in range(length):
        turn, phase = divmod(number, 3)
        subject: str | None
        rule: str | None
        marked: tuple[str, ...]
        seat = turn % len(names)
        if phase == 0:
            colour = chance.choice(bank)
            taken = [card for card in bank if card == colour]
            bank = [card for card in bank if card != colour]
            hands[seat] = hands[seat] + taken
            kind, subject, marked, rule = "cards_taken", colour, ("bank", f"hand-{seat}"), "QC-05"
            words = f"{names[seat]} takes {len(taken)} {colour} cards from the bank"
        elif phase == 1:
            hands[seat] = hands[seat][2:]
            kind, subject, marked, rule = "cards_laid", None, (f"hand-{seat}",), "QC-06"
            words = f"{names[seat]} lays 2 cards"
        else:
            draw = draw - 1 or 66
            bank = [*bank, *(chance.choice(colours) for _ in range(5 - len(bank)))]
            kind, subject, marked, rule = "bank_refilled", None, ("bank", "draw"), None
            words = "The bank is filled up to five cards"
        drawn = picture(names, seat, draw, bank, hands)
        scenes.append(drawn)
        state: dict[str, Scalar] = {"draw": draw, "to_move": seat}
        state |= {f"bank[{i}]": card for i, card in enumerate(bank)}
        state |= {f"seats[{s}].name": name for s, name in enumerate(names)}
        state |= {f"seats[{s}].hand[{i}]": card for s, hand in enumerate(hands) for i, card in enumerate(hand)}
        states.append(state)
        steps.append(
            Step(
                turn=turn + 1,
                round=turn // len(names) + 1,
                seat=seat,
                kind=kind,
                subject=subject,
                words=words,
                rule=rule,
                passing=phase == 1 and seat == 3,
                move=phase < 2,
                about=drawn.description,
                marked=marked,
            )
        )
    return Payload(
        rev=f"{length}/{names[0]}",
        width=900,
        height=520,
        steps=tuple(steps),
        picture=scene.tracks([drawn.groups for drawn in scenes]),
        state=scene.tracks(states),
        seats=names,
        rulings={rule: f"What ruling {rule} says, in a sentence of our own." for rule in ("QC-05", "QC-06")},
        warning=f"This replay opens up to step {length - 1}: {names[1]}" if names is HOSTILE else None,
    )


def smuggled() -> Any:
    """Elements as they would be if the check of `Element` had a hole."""
    run = "window.pwned=1"
    return (
        ["script", {}, run],
        ["image", {"href": "x", "onerror": run}, None],
        ["foreignObject", {"width": 9, "height": 9}, "<img src=x>"],
        [
            "rect",
            {"x": 1, "width": 5, "height": 5, "onload": run, "style": "fill:url(#x)", "fill": "url(http://x)"},
            None,
        ],
    )


def part(payload: Payload, step: int, query: Any) -> Payload:
    """The part of the game that a step is in, with its tracks as `frames.payload` would cut them."""
    payload = msgspec.structs.replace(payload, lost=int(query.get("lost", 0)))
    size, total = int(query.get("part", 0)), len(payload.steps)
    if not size:
        return payload
    first = min(max(step, 0), total - 1) // size * size
    base, end = max(first - 1, 0), first + size

    def cut(track: Any) -> Any:
        at_base = [value for at, value in track if at <= base][-1:]
        return [*[(base, value) for value in at_base], *[entry for entry in track if base < entry[0] < end]]

    def cut_all(tracks: Any) -> Any:
        return {name: kept for name, track in tracks.items() if (kept := cut(track))}

    return msgspec.structs.replace(
        payload,
        rev=f"{payload.rev}/{first}",
        steps=payload.steps[first:end],
        picture=cut_all(payload.picture),
        state=cut_all(payload.state),
        first=first,
        total=total,
        turns=(0, *[3] * ((total - 1) // 3)),
    )


def wanted(query: Any) -> Payload:
    """The game that is asked for."""
    payload = game(int(query.get("steps", 40)), HOSTILE if query.get("names") == "hostile" else NAMES)
    if "smuggle" in query:
        payload = msgspec.structs.replace(payload, picture={**payload.picture, "smuggled": [(0, smuggled())]})
    return payload


def alone(query: Any) -> bytes:
    """The same as a page of one file, which needs no server: what only the browser does is quicker seen there."""
    payload = wanted(query)
    return page("Viewer", "", part(payload, 0, query), aside(payload, query), int(query.get("step", 0)))


def keep(note: dict[str, Any]) -> None:
    """Keep notes in the session, as a store would."""
    kept: list[Remark] = st.session_state.setdefault("notes", [])
    if "remove" in note:
        st.session_state["notes"] = [each for each in kept if each.id != note["remove"]]
    else:
        kept.append(Remark(str(len(kept)), note["step"], note["kind"], note["text"]))


def aside(payload: Payload, query: Any, notes: tuple[Remark, ...] = ()) -> Aside:
    """Watches at every tenth step, and the notes so far."""
    hits = tuple(range(10, len(payload.steps), 10)) if "watch" in query else ()
    return Aside(("state", "notes"), query.get("tab", "state"), (Watch("<b>tens</b>", hits),), notes, writes=True)


def main() -> None:
    """Show the viewer with what the address asks for."""
    st.set_page_config(layout="wide")
    query = st.query_params
    payload = wanted(query)
    place = st.container()  # the viewer stands above the widgets that it depends on
    again = st.checkbox("Something else")
    st.button("Run again")
    if again:
        payload = msgspec.structs.replace(payload, rev="something else")
    rev = payload.rev
    with place:
        rested = show(
            lambda step: part(payload, step, query),
            "viewer",
            2 if again else int(query.get("step", 0)),
            rev,
            aside(payload, query, tuple(st.session_state.get("notes", ()))),
            keep,
        )
    st.text(f"The server knows step {rested.step}.")


if __name__ == "__main__":  # Streamlit runs a script as the main module; collecting tests does not
    main()
