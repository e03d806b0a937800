"""A timeline as the frames of the viewer: everything that one viewer may see of a game, and nothing else.

Each step is redacted first (`Timeline.shown`) and then drawn, put into words and flattened: whatever is here may be
read in the browser. Frame k is what this viewer sees as its step k.
"""

from __future__ import annotations

import re
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
from replay.places import places
from replay.report import fault_of, names_of
from replay.rulings import rulings
from replay.timeline import Shown, Timeline

UNMARKED: Final = ("felt", "status")
"""Groups of a picture that are no part of the game: the table itself, and what the words of a step say as well."""

PART: Final = 2_000
"""Steps of a long replay that are in the browser at a time."""

_passing = re.compile(r"^(?:turn_)?passed$|_(?:skipped|declined)$")
"""How kinds of moves are called by which a seat does nothing."""

BASIS: Final = {
    "text": "The rulebook says so.",
    "reasoned": "It follows from the rulebook.",
    "choice": "The rulebook leaves it open; this is our choice.",
}


def payload(timeline: Timeline, viewer: Viewer, part: range | None = None) -> Payload:
    """Give a game, or the steps `part` of a long one, as the viewer component takes it.

    `part` counts the viewer's own steps; `rev` is a hash of what is shown.
    """
    names = names_of(timeline)
    picture = picture_of(timeline.game.slug)
    total = len(timeline.moments(viewer))
    part = range(total) if part is None else part
    base = max(part.start - 1, 0)  # one step earlier, since a step is told by what it changes
    shown = list(timeline.shown_between(viewer, base, part.stop - base))
    scenes = [picture(each.view, names) for each in shown]
    skipped = part.start - base
    steps = [
        _step(timeline, names, each, scene, None if number == 0 else scenes[number - 1])
        for number, (each, scene) in enumerate(zip(shown, scenes, strict=True))
    ][skipped:]
    rules = dict.fromkeys([step.rule for step in steps if step.rule is not None])
    told = {rule: _ruling(timeline.game.slug, rule) for rule in rules}
    whole = len(steps) == total
    made = Payload(
        rev="",
        width=max((scene.width for scene in scenes), default=1),
        height=max((scene.height for scene in scenes), default=1),
        steps=tuple(steps),
        picture=tracks([scene.groups for scene in scenes], base),
        state=tracks([_state(each) for each in shown], base),
        seats=tuple(names),
        warning=fault_of(timeline, viewer),
        rulings={rule: text for rule, text in told.items() if text is not None},
        first=part.start,
        total=None if whole else total,
        turns=() if whole else _turns(timeline, viewer),
        lost=_lost(timeline, viewer),
    )
    return msgspec.structs.replace(made, rev=blake2b(msgspec.json.encode(made), digest_size=12).hexdigest())


def part_around(step: int, total: int) -> range:
    """Give the part of a replay of `total` steps that is sent when its user is at `step`: all of one that is not long.

    Parts overlap, so that one who walks on from the middle of one is in the middle of the next.
    """
    if total <= PART:
        return range(total)
    hop = PART // 2
    start = max((step + hop // 2) // hop - 1, 0) * hop
    return range(start, min(start + PART, total))


def _turns(timeline: Timeline, viewer: Viewer) -> tuple[int, ...]:
    along = places(timeline.events)
    turns = [along[at].turn for at in timeline.moments(viewer)]
    starts = [step for step, turn in enumerate(turns) if step == 0 or turn != turns[step - 1]]
    return tuple([after - before for before, after in zip([0, *starts], starts, strict=False)])


def _lost(timeline: Timeline, viewer: Viewer) -> int:
    """Count the events behind a fault; others than the omniscient viewer learn that there are some, not how many."""
    if timeline.fault is None:
        return 0
    known = timeline.header.length
    return max(known - len(timeline), 1) if viewer == "omniscient" and known is not None else 1


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
        marked=() if before is None else _changed(before, scene),
        passing=step.cause == "move" and _passing.search(step.kind) is not None,
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
