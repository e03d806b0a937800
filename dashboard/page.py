"""A replay as one HTML file that needs no server and no network: the viewer, and the frames that one viewer may see."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from typing import Final

from dashboard.frames import payload
from dashboard.payload import Payload
from dashboard.viewer import CSS, HTML, JS, Aside, Remark, message
from events.marks import Viewer
from replay.notes import Note, as_seen
from replay.report import names_of
from replay.timeline import Timeline

_LOOK: Final = """
:root {
  color-scheme: light dark;
  --st-text-color: light-dark(#1c2a24, #e8f0ec);
  --st-background-color: light-dark(#ffffff, #10171a);
  --st-secondary-background-color: light-dark(#eef3f0, #1c2622);
  --st-font: system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif;
}
body { max-width: 90rem; margin: 0 auto; padding: 1rem; }
body { background: var(--st-background-color); color: var(--st-text-color); }
h1 { margin: 0 0 0.25rem; font: 600 1.4rem var(--st-font); }
.who { margin: 0 0 1rem; font: 0.9rem var(--st-font); overflow-wrap: anywhere; }
"""

_START: Final = """
const text = document.getElementById("replay").textContent.trim();
mount({ data: new TextEncoder().encode(text), parentElement: document.body, setStateValue() {}, setTriggerValue() {} });
"""


def single_page(timeline: Timeline, viewer: Viewer, notes: Sequence[Note] = ()) -> bytes:
    """Give a whole replay, as one viewer may see it, as an HTML file that steps by itself.

    Nothing that the viewer may not see is in it, and the notes are those that the viewer may read.
    """
    remarks = [Remark(note.id, note.step, note.kind, note.text) for note in as_seen(notes, timeline, viewer)]
    aside = Aside(tabs=("state", "notes") if remarks else ("state",), notes=tuple(remarks))
    who = f"{', '.join(names_of(timeline))} — {_seen_by(timeline, viewer)}"
    return page(timeline.game.title, who, payload(timeline, viewer), aside)


def page(title: str, who: str, frames: Payload, aside: Aside, step: int = 0) -> bytes:
    """Give frames as an HTML file with a viewer, opened at a step.

    It loads nothing and runs no script but its own: its policy says so.
    """
    # "<" never stands in JSON but within strings, where its number says the same and ends no script element.
    data = message(frames, "page", step, aside).decode().replace("<", "\\u003c")
    style, script = _LOOK + CSS, JS + _START
    policy = (
        f"default-src 'none'; script-src {_sum(script)}; style-src {_sum(style)}; base-uri 'none'; form-action 'none'"
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
<h1>{escape(title)}</h1>
<p class="who">{escape(who)}</p>
{HTML}
<script type="application/json" id="replay">{data}</script>
<script type="module">{script}</script>
</body>
</html>
""".encode()


def _sum(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _seen_by(timeline: Timeline, viewer: Viewer) -> str:
    if viewer == "omniscient":
        return "everything is shown"
    return "seen by a spectator" if viewer == "spectator" else f"seen by {names_of(timeline)[viewer]}"
