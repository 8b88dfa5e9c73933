"""Parts of a streamed evaluation: the rows of some queries in every table, and where they stand in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from math import ceil

import numpy as np

from rankwell.errors import InputError
from rankwell.evaluation.streaming.buckets import Buckets
from rankwell.evaluation.streaming.folder import Keeping
from rankwell.evaluation.streaming.joined import Tables, ids_in
from rankwell.evaluation.streaming.ranges import Bound, ranges
from rankwell.evaluation.streaming.survey import Surveys
from rankwell.readers.files import CHANGED
from rankwell.readers.pieces import Piece, Pieces
from rankwell.records import record
from rankwell.tables.ids import Ids
from rankwell.tables.places import Place
from rankwell.tables.rows import part_of

SPARE = 1.1  # of the room on the disk
Told = Callable[[str, int, int | None], object]
Next = int | tuple[Bound, Mapping[str, int]]


@record(eq=False)
class PartOfTables:
    """The rows of some queries by table, the place of each row, how other ids of the part are found, and where the next part begins.

    That is the number of the part; or, of sorted tables, its first query and the row of each table. None if there is no other part.
    """

    pieces: Mapping[str, Piece]
    places: Mapping[str, Place]
    members: Callable[[Ids], Ids]
    next: Next | None


class Layout:
    """Tables, and how they are divided into parts of about so many rows."""

    def __init__(self, tables: Tables, surveys: Surveys, rows: int, keeping: Keeping) -> None:
        self.tables, self.surveys, self.rows, self.keeping = tables, surveys, rows, keeping
        kinds = {ids_in(survey.empty).is_text for survey in surveys.values()}
        self.is_sorted = len(kinds) == 1 and all(survey.is_sorted for survey in surveys.values())
        self.buckets: dict[str, Buckets] = {}

    def open(self, tell: Told) -> None:
        """Put by the rows of tables that are not sorted."""
        if self.is_sorted:
            return
        parts = max(ceil(survey.rows / self.rows) for survey in self.surveys.values())
        like = next((survey.first for survey in self.surveys.values() if not survey.is_text), None)
        for name, survey in self.surveys.items():
            slabs = self.keeping.load(f"{name}-slabs") or ()
            self.buckets[name] = Buckets(self.keeping.file(f"{name}-rows"), parts, survey.empty, slabs)
        self._refuse_full_disk()
        total = sum(survey.rows for survey in self.surveys.values())
        done = sum(each.rows for each in self.buckets.values())
        for name, buckets in self.buckets.items():
            for rows in buckets.fill(self.tables[name], self.rows, like):
                self.keeping.save(f"{name}-slabs", buckets.slabs)
                done += rows
                tell("rows divided", done, total)

    def close(self) -> None:
        """Close the files."""
        for each in self.buckets.values():
            with suppress(OSError):  # of what could not be written, and was told then
                each.file.close()

    def parts(self, only: str | None = None, start: Next | None = None) -> Iterator[PartOfTables]:
        """Yield the parts of all tables, or of one, from some part on."""
        tables = {name: each for name, each in self.tables.items() if only in (None, name)}
        if self.is_sorted:
            yield from sorted_parts(tables, self.surveys, self.rows, start)
        else:
            yield from hashed_parts(tables, self.buckets, start)

    def _refuse_full_disk(self) -> None:
        left = sum(
            (survey.rows - self.buckets[name].rows) * survey.width for name, survey in self.surveys.items()
        )
        free = shutil.disk_usage(self.keeping.where).free
        if left * SPARE > free:
            raise InputError(
                f"the tables are not sorted by query, so {left * SPARE / 1e9:,.1f} GB must be put by in {self.keeping.where}, where "
                f"{free / 1e9:,.1f} GB are free. Free some space, name a folder on another disk by the environment variable TMPDIR or "
                f"by resume=, or sort the tables by query."
            )


def sorted_parts(tables: Tables, surveys: Surveys, rows: int, start: Next | None) -> Iterator[PartOfTables]:
    """Yield parts of tables that are sorted by query alike."""
    low, starts = start if isinstance(start, tuple) else (None, {})
    for found in ranges(tables, surveys, rows, starts, low):
        pieces = {name: share.piece for name, share in found.shares.items()}
        places = {name: partial(_after, tables[name], share.start) for name, share in found.shares.items()}
        ends = {name: share.start + len(share.piece["query"]) for name, share in found.shares.items()}
        yield PartOfTables(pieces, places, found.members, None if found.high is None else (found.high, ends))


def hashed_parts(
    tables: Tables, buckets: Mapping[str, Buckets], start: Next | None
) -> Iterator[PartOfTables]:
    """Yield parts of tables in any order."""
    parts = next(iter(buckets.values())).parts
    for number in range(start if isinstance(start, int) else 0, parts):
        pieces = {name: buckets[name].part(number) for name in tables}
        places = {name: partial(_found_again, tables[name], pieces[name]) for name in tables}
        following = number + 1 if number + 1 < parts else None
        yield PartOfTables(pieces, places, partial(_of_hash, number, parts), following)


def _of_hash(number: int, parts: int, ids: Ids) -> Ids:
    return ids[np.flatnonzero(part_of(ids, parts) == number)]


def _after(pieces: Pieces, start: int, row: int) -> str:
    return pieces.place(start + row)


def _found_again(pieces: Pieces, part: Piece, row: int) -> str:
    """Where a row of a part stands: the rows of its query are counted in the table once more."""
    query = ids_in(part)
    wanted = str(query.one(row))
    before = sum(str(each) == wanted for each in query[:row].tolist())
    at = 0
    for piece in pieces.read(["query"]):
        column = ids_in(piece)
        rows = np.flatnonzero([str(each) == wanted for each in column.tolist()])
        if before < len(rows):
            return pieces.place(at + int(rows[before]))
        before -= len(rows)
        at += len(column)
    raise InputError(f"{pieces.name}: {CHANGED}")
