"""The half of a store that is written: each method holds the file alone, and what it did is then on the disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from events.errors import FormatError, TabletapeError
from events.jsonl import Remark
from events.tape import Header, Tape
from replay import names, notes
from replay.lake import rows as lake_rows
from replay.storage import bulk, parquet, projections, tally_sums
from replay.storage.appender import Appender
from replay.storage.appending import Append, Ends, Expected
from replay.storage.contract import Added, together
from replay.storage.database import Database
from replay.storage.projections import PROJECTIONS
from replay.storage.reading import row_of


class Writing:
    """What can be done to a store."""

    _database: Database
    _pace: bulk.Pace

    def add(self, tapes: Iterable[Tape], progress: Callable[[int], None] | None = None, batch: int = 10_000) -> Added:
        """Store whole games. Adding the same again changes nothing.

        Goes by batches of at most `batch` games, each kept whole or not at all, and calls `progress` after each with
        the number of tapes it is done with.
        """
        added = list[Added]()
        with closing(bulk.add(self._database, tapes, batch, self._pace)) as batches:
            for each in batches:
                added.append(each)
                if progress is not None:
                    progress(sum(part.tapes for part in added))
        return together(added)

    def append(self, id: str, expected: Expected, events: Sequence[bytes]) -> int:
        """Append events to a stream that has `expected` of them, all or none; give its new length.

        `expected` may also be "new" for a stream without events, or "any". The same append again changes nothing,
        except with "any". Raises `Conflict` if the stream has another length or other events there, `FormatError` for
        what is no event, `UnknownReplay`, and `StoreError` for a stream with a fault.
        """
        append = Append(id, expected, tuple(events))
        with self._database.holding() as hold:
            ends = Ends(hold)
            (answer,) = ends.take([append])
            ends.settle()
        if isinstance(answer, TabletapeError):
            raise answer
        return answer

    def appender(self) -> Appender:
        """Give what appends many small steps faster: a context manager whose `append` is that of the store."""
        return Appender(self._database)

    def begin(self, header: Header) -> None:
        """Store a stream that has no events yet. The same again changes nothing; raises `FormatError`, `Conflict`."""
        added = self.add([Tape(header, ())])
        if added.refused:
            raise FormatError(added.refused[0])

    def bring(self, folder: Path) -> Added:
        """Store the replays of a folder of Parquet files that `export_parquet` wrote, all or none of them.

        Raises `FormatError` if it cannot be believed.
        """
        with self._database.holding() as hold:
            return projections.kept(hold, lambda lease: parquet.bring(lease, folder))

    def bring_rows(self, rows: lake_rows.Rows) -> Added:
        """Store games from the rows that `rows_of` gave, all of them or none; those that are there stay.

        One whose header or digest is not right is refused.
        """
        with self._database.holding() as hold:
            return projections.kept(hold, lambda lease: lake_rows.bring(lease, rows))

    def remove(self, id: str) -> None:
        """Remove a replay and everything that is kept about it; raises `UnknownReplay`."""
        with self._database.writing() as lease:
            row_of(lease, id)
            lease.run("DELETE FROM replay WHERE id = $id", id=id)
            made = [projection.name for projection in PROJECTIONS]
            for table in ("event", "note", "live", "evaluation", "tally", "measured", *made):
                lease.run(f"DELETE FROM {table} WHERE replay = $id", id=id)
            tally_sums.forget(lease)

    def rename(self, player: str, name: str) -> int:
        """Give a player another name wherever it stands; give in how many replays.

        Names are no part of events: digests and ids stay as they are. Raises `FormatError` for what cannot be a name.
        """
        names.check(name)
        with self._database.writing() as lease:
            return names.rename(lease, player, name)

    def vacuum(self) -> tuple[int, int]:
        """Write the file anew, so that nothing is left in it of what was removed; give its size before and after."""
        return self._database.vacuum()

    # --- notes and tags -----------------------------------------------------------------------------------------------

    def add_note(
        self,
        replay: str,
        step: int,
        text: str,
        kind: str = "note",
        author: str | None = None,
        seen_by: Sequence[int] | None = None,
    ) -> str:
        """Write a note beside a step and give its id; raises `UnknownReplay`, or `StoreError` for no such step."""
        with self._database.writing() as lease:
            return notes.add(lease, replay, step, text, kind, author, seen_by)

    def bring_notes(self, replay: str, remarks: Sequence[Remark]) -> int:
        """Add the notes of a file to a replay, those that are there already aside; give how many are new.

        Raises `UnknownReplay`, or `StoreError` for a step that is not there; then none is added.
        """
        with self._database.writing() as lease:
            return notes.bring(lease, replay, remarks)

    def remove_note(self, id: str) -> bool:
        """Remove a note; say whether there was one."""
        with self._database.writing() as lease:
            return notes.remove(lease, id)

    def tag(self, replay: str, name: str) -> list[str]:
        """Put a tag on a replay and give all that it has; raises `UnknownReplay`, `FormatError`, `StoreError`."""
        with self._database.writing() as lease:
            notes.tag(lease, replay, name)
            return notes.tags(lease, replay)

    def untag(self, replay: str, name: str) -> list[str]:
        """Take a tag off a replay and give those that are left; raises `UnknownReplay`."""
        with self._database.writing() as lease:
            notes.untag(lease, replay, name)
            return notes.tags(lease, replay)

    def tag_all(self, ids: Sequence[str], name: str) -> None:
        """Put a tag on those of many replays that are there; raises `FormatError` for what cannot be one."""
        with self._database.writing() as lease:
            notes.tag_all(lease, ids, name)

    # --- beside the streams -------------------------------------------------------------------------------------------

    def keep_live(self, id: str, facts: str) -> None:
        """Keep what the referee of a live game must not forget, in place of what was kept; first before its stream."""
        with self._database.writing() as lease:
            lease.run("DELETE FROM live WHERE replay = $id", id=id)
            lease.run("INSERT INTO live VALUES ($id, $facts)", id=id, facts=facts)

    def keep_evaluation(self, id: str, head: bytes, question: str, found: Mapping[int, str]) -> None:
        """Keep what was evaluated, in place of what was kept for these steps; raises `UnknownReplay`."""
        with self._database.writing() as lease:
            row_of(lease, id)
            lease.run(
                """
                DELETE FROM evaluation WHERE replay = $id AND question = $question
                  AND (head <> $head OR list_contains($steps, step))
                """,
                id=id,
                head=head,
                question=question,
                steps=list(found),
            )
            rows = [(id, head, question, step, body) for step, body in found.items()]
            lease.put("evaluation", rows)
