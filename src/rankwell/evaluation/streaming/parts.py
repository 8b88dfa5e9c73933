"""Parts of a streamed evaluation: the rows of some queries in every table, and where they stand in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from rankwell.evaluation.streaming.buckets import Buckets
from rankwell.evaluation.streaming.ranges import Bound, ranges
from rankwell.evaluation.streaming.survey import Survey
from rankwell.readers.pieces import Piece, Pieces
from rankwell.tables.grouping import part_of
from rankwell.tables.ids import Ids
from rankwell.tables.places import Place

Tables = Mapping[str, Pieces]
Surveys = Mapping[str, Survey]


@dataclass(frozen=True, eq=False)
class PartOfTables:
    """The rows of some queries by table, the place of each row, and how those of other ids are found that belong to the part.

    Of sorted tables it says with which query, and where in each table, the next part begins.
    """

    pieces: Mapping[str, Piece]
    places: Mapping[str, Place]
    members: Callable[[Ids], Ids]
    high: Bound | None = None
    rows: Mapping[str, int] | None = None


def sorted_parts(
    tables: Tables, surveys: Surveys, rows: int, starts: Mapping[str, int], low: Bound | None
) -> Iterator[PartOfTables]:
    """Yield parts of tables that are sorted by query alike."""
    for found in ranges(tables, surveys, rows, starts, low):
        pieces = {name: share.piece for name, share in found.shares.items()}
        places = {name: _after(tables[name], share.start) for name, share in found.shares.items()}
        ends = {name: share.start + len(share.piece["query"]) for name, share in found.shares.items()}
        yield PartOfTables(pieces, places, found.members, found.high, ends)


def hashed_parts(tables: Tables, buckets: Mapping[str, Buckets], first: int) -> Iterator[PartOfTables]:
    """Yield parts of tables in any order, from a part on."""
    parts = next(iter(buckets.values())).parts
    for number in range(first, parts):
        pieces = {name: each.part(number) for name, each in buckets.items()}
        places = {name: _found_again(tables[name], pieces[name]) for name in pieces}
        yield PartOfTables(pieces, places, partial(_of_hash, number, parts))


def _of_hash(number: int, parts: int, ids: Ids) -> Ids:
    return ids[np.flatnonzero(part_of(ids, parts) == number)]


def _after(pieces: Pieces, start: int) -> Place:
    return lambda row: pieces.place(start + row)


def _found_again(pieces: Pieces, part: Piece) -> Place:
    """Where a row of a part stands: the rows of its query are counted in the table once more."""
    query = part["query"]
    assert isinstance(query, Ids)

    def place(row: int) -> str:
        wanted = str(query.one(row))
        before = sum(str(each) == wanted for each in query[:row].tolist())
        at = 0
        for piece in pieces.read(["query"]):
            column = piece["query"]
            assert isinstance(column, Ids)
            rows = np.flatnonzero([str(each) == wanted for each in column.tolist()])
            if before < len(rows):
                return pieces.place(at + int(rows[before]))
            before -= len(rows)
            at += len(column)
        return pieces.place(at)

    return place
