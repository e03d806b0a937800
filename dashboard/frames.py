"""A timeline as the frames of the viewer: everything that one viewer may see of a game, and nothing else.

Each step is redacted first (`Timeline.shown`) and then drawn, put into words and flattened: whatever is here may be
read in the browser. Frame k is what this viewer sees as its step k.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

import msgspec

from core.paths import Leaf, flatten
from dashboard.payload import Payload, Scalar, Step
from dashboard.scene import Scene, tracks
from dashboard.tables import picture_of
from dashboard.tables.fallback import runs
from events.marks import MASK, Viewer
from replay.report import fault_of, names_of
from replay.rulings import rulings
from replay.timeline import Shown, Timeline

UNMARKED: Final = ("felt", "status")
"""Groups of a picture that are no part of the game: the table itself, and what the words of a step say as well."""

BASIS: Final = {
    "text": "The rulebook says so.",
    "reasoned": "It follows from the rulebook.",
    "choice": "The rulebook leaves it open; this is our choice.",
}


def payload(timeline: Timeline, viewer: Viewer) -> Payload:
    """Give the whole game as the viewer component takes it. `rev` is a hash of what is shown."""
    names = names_of(timeline)
    picture = picture_of(timeline.game.slug)
    shown = list(timeline.shown(viewer))
    scenes = [picture(each.view, names) for each in shown]
    steps = [
        _step(timeline, names, each, scene, None if number == 0 else scenes[number - 1])
        for number, (each, scene) in enumerate(zip(shown, scenes, strict=True))
    ]
    made = Payload(
        rev="",
        width=max((scene.width for scene in scenes), default=1),
        height=max((scene.height for scene in scenes), default=1),
        steps=tuple(steps),
        picture=tracks([scene.groups for scene in scenes]),
        state=tracks([_state(each) for each in shown]),
        seats=tuple(names),
        warning=fault_of(timeline, viewer),
    )
    return msgspec.structs.replace(made, rev=blake2b(msgspec.json.encode(made), digest_size=12).hexdigest())


def same_moment(timeline: Timeline, step: int, before: Viewer, after: Viewer) -> int:
    """Give the step at which `after` sees what `before` sees at `step`: the last that had happened by then."""
    moments = timeline.moments(before)
    if not moments:
        return 0
    at = moments[min(max(step, 0), len(moments) - 1)]
    return max(bisect_right(timeline.moments(after), at) - 1, 0)


def _step(timeline: Timeline, names: Sequence[str], shown: Shown, scene: Scene, before: Scene | None) -> Step:
    step = shown.step
    return Step(
        turn=step.turn,
        seat=step.seat,
        kind=step.kind,
        words=timeline.game.words(step.event, names),
        move=step.cause == "move",
        about=scene.description,
        round=step.round,
        subject=None if step.subject == MASK else step.subject,
        rule=step.rule or None,
        ruling=_ruling(timeline.game.slug, step.rule),
        marked=() if before is None else _changed(before, scene),
    )


def _ruling(slug: str, rule: str) -> str | None:
    found = rulings(slug).get(rule)
    if found is None:
        return None
    question = found.question if found.question.endswith("?") else f"{found.question}:"
    return f"{question} {found.ruling}. {BASIS[found.basis]}"


def _changed(before: Scene, after: Scene) -> tuple[str, ...]:
    changed = [name for name, elements in after.groups.items() if before.groups.get(name) != elements]
    return tuple([name for name in changed if name not in UNMARKED])


def _state(shown: Shown) -> dict[str, Scalar | None]:
    return {path: _text(value) for path, value in flatten(shown.view).items()}


def _text(leaf: Leaf) -> Scalar | None:
    """A tuple as text; equal neighbours that are no numbers are counted: `green × 2, blue`."""
    return ", ".join(runs(leaf)) or "none" if isinstance(leaf, tuple) else leaf
