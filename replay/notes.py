"""Notes: what is said about a step of a replay (a bookmark, a bot's reason). Beside the stream, never in it.

Steps are those of the timeline; a viewer is told its own (`as_seen`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from events.errors import FormatError
from events.jsonl import NOTE_LIMIT, Remark
from events.marks import Viewer
from replay.errors import StoreError
from replay.storage.database import Lease
from replay.storage.reading import AMONG, row_of
from replay.timeline import Timeline

KIND_LIMIT: Final = 40
"""Longest kind of a note, in characters."""

TAG: Final = "tag"
"""The kind of the notes that are tags: at step 0, a word each."""

TAG_LIMIT: Final = 40
"""Characters of the longest tag."""


class Note(Struct, frozen=True):
    """A note: its id, the step it is about, of which kind it is, who wrote it, and the text.

    `seen_by` are the seats that may read it; None: everybody; none: only who may see everything.
    """

    id: str
    step: int
    kind: str
    author: str | None
    seen_by: tuple[int, ...] | None
    text: str


def add(
    lease: Lease, replay: str, step: int, text: str, kind: str, author: str | None, seen_by: Sequence[int] | None
) -> str:
    """Add a note and give its id; raises `UnknownReplay`, `FormatError`, or `StoreError` for no such step."""
    if len(text) > NOTE_LIMIT or not 0 < len(kind) <= KIND_LIMIT:
        raise FormatError(f"a note has at most {NOTE_LIMIT:,} characters, and a kind of 1 to {KIND_LIMIT}")
    if any("\ud800" <= char <= "\udfff" for char in f"{text}{kind}{author}"):
        raise FormatError("a note is text, which bytes that were not UTF-8 are not")
    length = row_of(lease, replay)[-2]
    if not 0 <= step < length:
        raise StoreError(f"replay {replay} has no step {step}: it has {length} events")
    ((id,),) = lease.rows(
        """
        INSERT INTO note(replay, seq, kind, author, seen_by, body)
        VALUES ($replay, $step, $kind, $author, $seen_by::SMALLINT[], $text) RETURNING id::VARCHAR
        """,
        replay=replay,
        step=step,
        kind=kind,
        author=author,
        seen_by=None if seen_by is None else list(seen_by),
        text=text,
    )
    return str(id)


def bring(lease: Lease, replay: str, remarks: Sequence[Remark]) -> int:
    """Add the notes of a file to a replay, those that are there already aside; give how many are new."""
    there = [remark_of(note) for note in of(lease, replay)]
    new = [remark for remark in dict.fromkeys(remarks) if remark not in there]
    for remark in new:
        add(lease, replay, remark.step, remark.text, remark.kind, remark.author, remark.seen_by)
    return len(new)


def remark_of(note: Note) -> Remark:
    """Give a note as it travels."""
    return Remark(note.step, note.kind, note.author, note.seen_by, note.text)


def audience(viewer: Viewer) -> tuple[int, ...] | None:
    """Give who may read what a viewer writes: a seat itself, a spectator's everybody, the omniscient's nobody else.

    Who sees everything may write of what others must not know.
    """
    return None if viewer == "spectator" else () if viewer == "omniscient" else (viewer,)


def readable(note: Note, viewer: Viewer) -> bool:
    """Say whether a viewer may read a note."""
    return viewer == "omniscient" or note.seen_by is None or viewer in note.seen_by


def as_seen(notes: Sequence[Note], timeline: Timeline, viewer: Viewer) -> list[Note]:
    """Give the notes that a viewer may read, each with the viewer's own number of its step."""
    return [
        replace(note, step=timeline.number_of(note.step, viewer))
        for note in notes
        if readable(note, viewer) and timeline.moments(viewer)
    ]


def of(lease: Lease, replay: str) -> list[Note]:
    """Give the notes of a replay by step, older before newer; raises `UnknownReplay`."""
    row_of(lease, replay)
    rows = lease.rows(
        "SELECT id::VARCHAR, seq, kind, author, seen_by, body FROM note WHERE replay = $replay ORDER BY seq, id",
        replay=replay,
    )
    return [
        Note(id, step, kind, author, None if seen_by is None else tuple(seen_by), text)
        for id, step, kind, author, seen_by, text in rows
    ]


def remove(lease: Lease, id: str) -> bool:
    """Remove a note; say whether there was one."""
    return bool(lease.rows("DELETE FROM note WHERE id::VARCHAR = $id RETURNING id", id=id))


def tags(lease: Lease, replay: str) -> list[str]:
    """Give the tags of a replay, in order; raises `UnknownReplay`."""
    return sorted([note.text for note in of(lease, replay) if note.kind == TAG])


def tag(lease: Lease, replay: str, name: str) -> None:
    """Put a tag on a replay, once; raises `FormatError` for what cannot be one, `UnknownReplay`, `StoreError`."""
    _check_tag(name)
    if name not in tags(lease, replay):
        add(lease, replay, 0, name, TAG, None, None)


def _check_tag(name: str) -> None:
    if not name.strip() or len(name) > TAG_LIMIT or not name.isprintable():
        raise FormatError(f"a tag has 1 to {TAG_LIMIT} characters, none of them a control character")


def tag_all(lease: Lease, ids: Sequence[str], name: str) -> None:
    """Put a tag on those of many replays that are there, once each; raises `FormatError` for what cannot be one."""
    _check_tag(name)
    lease.run(
        f"""
        INSERT INTO note(replay, seq, kind, body)
        SELECT id, 0, $kind, $name FROM replay
        WHERE id {AMONG} AND length > 0
          AND id NOT IN (SELECT replay FROM note WHERE kind = $kind AND body = $name AND replay {AMONG})
        """,
        ids=[UUID(id) for id in ids],
        kind=TAG,
        name=name,
    )


def of_kind(lease: Lease, kind: str) -> list[tuple[str, str]]:
    """Give the notes of a kind as (replay, text), in the order of writing."""
    return lease.rows("SELECT replay::VARCHAR, body FROM note WHERE kind = $kind ORDER BY id", kind=kind)


def untag(lease: Lease, replay: str, name: str) -> None:
    """Take a tag off a replay."""
    lease.run(
        "DELETE FROM note WHERE replay = $replay AND kind = $kind AND body = $name", replay=replay, kind=TAG, name=name
    )
