"""Parts: the rows of some queries in every table, and where they stand in it."""

from __future__ import annotations

import shutil
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from math import ceil

import numpy as np

from rankwell.errors import InputError
from rankwell.evaluation.engines.stream.folder import Keeping
from rankwell.evaluation.engines.stream.survey import Survey, Surveys
from rankwell.evaluation.engines.stream.tables import Buckets, Tables, concatenate, ids_in, own_piece
from rankwell.readers.bytes.files import CHANGED
from rankwell.readers.frames.pieces import Piece, Pieces
from rankwell.records import record
from rankwell.tables.ids import Ids
from rankwell.tables.rows import part_of
from rankwell.tables.series import Place

SPARE = 1.1  # times the room on the disk that the rows are expected to take: their width is that of the first ones
Tell = Callable[[str, int, int | None], object]
Bound = str | int
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


class PartLayout:
    """Tables, and how they are divided into parts of about so many rows."""

    def __init__(self, tables: Tables, surveys: Surveys, rows: int, keeping: Keeping) -> None:
        self.tables, self.surveys, self.rows, self.keeping = tables, surveys, rows, keeping
        kinds = {ids_in(survey.empty).is_text for survey in surveys.values()}
        # text and integers are sorted in different orders, so parts of both by one range of queries would not meet
        self.is_sorted = len(kinds) == 1 and all(survey.is_sorted for survey in surveys.values())
        self.buckets: dict[str, Buckets] = {}

    def open(self, tell: Tell) -> None:
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
        done = sum(buckets_of_table.rows for buckets_of_table in self.buckets.values())
        for name, buckets in self.buckets.items():
            for rows in buckets.fill(self.tables[name], self.rows, like):
                self.keeping.save(f"{name}-slabs", buckets.slabs)
                done += rows
                tell("rows divided", done, total)

    def close(self) -> None:
        """Close the files."""
        for buckets in self.buckets.values():
            with suppress(OSError):  # of what could not be written, and was told then
                buckets.file.close()

    def parts(self, only: str | None = None, start: Next | None = None) -> Iterator[PartOfTables]:
        """Yield the parts of all tables, or of one, from some part on."""
        tables = {name: pieces for name, pieces in self.tables.items() if only in (None, name)}
        if self.is_sorted:
            yield from sorted_parts(tables, self.surveys, self.rows, start)
        else:
            yield from hashed_parts(tables, self.buckets, start)

    def _refuse_full_disk(self) -> None:
        missing = sum(
            (survey.rows - self.buckets[name].rows) * survey.width for name, survey in self.surveys.items()
        )
        free = shutil.disk_usage(self.keeping.where).free
        if missing * SPARE > free:
            raise InputError(
                f"the tables are not sorted by query, so {missing * SPARE / 1e9:,.1f} GB must be put by in {self.keeping.where}, where "
                f"{free / 1e9:,.1f} GB are free. Free some space, name a folder on another disk by the environment variable TMPDIR or "
                f"by resume=, or sort the tables by query."
            )


def sorted_parts(tables: Tables, surveys: Surveys, rows: int, start: Next | None) -> Iterator[PartOfTables]:
    """Yield parts of tables that are sorted by query alike."""
    low, starts = start if isinstance(start, tuple) else (None, {})
    for queries in ranges(tables, surveys, rows, starts, low):
        pieces = {name: share.piece for name, share in queries.shares.items()}
        places = {name: partial(_after, tables[name], share.start) for name, share in queries.shares.items()}
        ends = {name: share.start + len(share.piece["query"]) for name, share in queries.shares.items()}
        yield PartOfTables(
            pieces, places, queries.members, None if queries.high is None else (queries.high, ends)
        )


def _after(pieces: Pieces, start: int, row: int) -> str:
    return pieces.place(start + row)


@record(eq=False)
class PartShare:
    """The rows of a table that belong to a part, and which row of the table is the first of them."""

    piece: Piece
    start: int


@record(eq=False)
class Range:
    """The rows of each table whose queries are at least ``low`` and below ``high``; None for no bound."""

    shares: Mapping[str, PartShare]
    low: Bound | None
    high: Bound | None

    def members(self, ids: Ids) -> Ids:
        """Return those of some ascending ids that are in the range."""
        first = 0 if self.low is None else below(ids, self.low)
        return ids[first : len(ids) if self.high is None else below(ids, self.high)]


def ranges(
    tables: Mapping[str, Pieces],
    surveys: Mapping[str, Survey],
    rows: int,
    starts: Mapping[str, int],
    low: Bound | None,
) -> Iterator[Range]:
    """Yield parts of about ``rows`` rows of the largest table, from rows of the tables on, at which the query ``low`` begins."""
    cursors = {name: Cursor(pieces, surveys[name], starts.get(name, 0)) for name, pieces in tables.items()}
    with ExitStack() as stack:
        for cursor in cursors.values():
            stack.callback(cursor.close)
        while True:
            for cursor in cursors.values():
                cursor.fill(rows)
            ends = [end for cursor in cursors.values() if (end := cursor.end(rows)) is not None]
            high = min(ends, default=None)
            yield Range({name: cursor.take(high) for name, cursor in cursors.items()}, low, high)
            if high is None:
                return
            low = high


class Cursor:
    """A sorted table that is read on, as far as it is needed."""

    def __init__(self, pieces: Pieces, survey: Survey, start: int = 0) -> None:
        self._pieces, self._empty, self.row = pieces.read(None, start), survey.empty, start
        self._held: list[Piece] = []
        self._rows, self._is_over = 0, False

    def close(self) -> None:
        """Let go of the table."""
        self._pieces.close()

    def fill(self, rows: int) -> None:
        """Read until so many rows are held, and a query begins among them, or the table ends."""
        while not self._is_over and (self._rows < rows or self._is_one_query()):
            piece = next(self._pieces, None)
            if piece is None:
                self._is_over = True
            else:
                self._held.append(piece)
                self._rows += len(piece["query"])

    def _is_one_query(self) -> bool:
        first, last = ids_in(self._held[0]), ids_in(self._held[-1])
        return first.one(0) == last.one(len(last) - 1)

    def end(self, rows: int) -> Bound | None:
        """The query below which all rows are held, some ``rows`` of them or those of one query; None at the end of the table."""
        begin = None
        for piece in self._held:
            query = ids_in(piece)
            begin = query.one(0) if begin is None else begin
            if rows < len(query) and (bound := query.one(max(rows, 0))) != begin:
                return bound
            # a first query of so many rows ends somewhere behind them
            after = len(query) if query.one(len(query) - 1) == begin else above(query, begin)
            if rows < len(query) and after < len(query):
                return query.one(after)
            rows -= len(query)
        return None if self._is_over else ids_in(self._held[-1]).one(len(ids_in(self._held[-1])) - 1)

    def take(self, bound: Bound | None) -> PartShare:
        """Return the rows of queries below a bound, and let go of them."""
        pieces, start = [], self.row
        while self._held:
            piece = self._held[0]
            rows = len(piece["query"])
            cut = rows if bound is None else below(ids_in(piece), bound)
            if cut:
                pieces.append(
                    piece if cut == rows else {word: column[:cut] for word, column in piece.items()}
                )
            self.row += cut
            self._rows -= cut
            if cut < rows:
                if cut:  # a copy, so that the rows that were taken can be let go
                    self._held[0] = own_piece({word: column[cut:] for word, column in piece.items()})
                break
            self._held.pop(0)
        return PartShare(concatenate(pieces, self._empty), start)


def above(ids: Ids, bound: Bound) -> int:
    """Return how many of some ascending ids are not above a bound."""
    if not ids.is_text:
        return int(np.searchsorted(ids.integers, bound, "right"))
    return bisect_right(range(len(ids)), str(bound), key=lambda row: str(ids.one(row)))


def below(ids: Ids, bound: Bound) -> int:
    """Return how many of some ascending ids are below a bound."""
    if not ids.is_text:
        return int(np.searchsorted(ids.integers, bound))
    return bisect_left(range(len(ids)), str(bound), key=lambda row: str(ids.one(row)))


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


def _found_again(pieces: Pieces, part: Piece, row: int) -> str:
    """Where a row of a part stands: the rows of its query are counted in the table once more."""
    query = ids_in(part)
    query_text = str(query.one(row))
    before = sum(str(id_of_row) == query_text for id_of_row in query[:row].tolist())
    at = 0
    for piece in pieces.read(["query"]):
        column = ids_in(piece)
        rows = np.flatnonzero([str(id_of_row) == query_text for id_of_row in column.tolist()])
        if before < len(rows):
            return pieces.place(at + int(rows[before]))
        before -= len(rows)
        at += len(column)
    raise InputError(f"{pieces.name}: {CHANGED}")
