"""Parts of a streamed evaluation: the rows of some queries in every table, and where they stand in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from rankwell.errors import InputError
from rankwell.evaluation.streaming.buckets import Buckets
from rankwell.evaluation.streaming.joined import ids_in
from rankwell.evaluation.streaming.ranges import Bound, ranges
from rankwell.evaluation.streaming.survey import Survey
from rankwell.readers.files import CHANGED
from rankwell.readers.pieces import Piece, Pieces
from rankwell.records import record
from rankwell.tables.ids import Ids
from rankwell.tables.places import Place
from rankwell.tables.rows import part_of

Tables = Mapping[str, Pieces]
Surveys = Mapping[str, Survey]
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
