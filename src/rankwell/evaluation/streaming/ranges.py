"""Parts of tables that are sorted by query: a range of queries each, read once and in order."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from contextlib import ExitStack

import numpy as np

from rankwell.evaluation.streaming.joined import held, ids_in, joined
from rankwell.evaluation.streaming.survey import Survey
from rankwell.readers.pieces import Piece, Pieces
from rankwell.records import record
from rankwell.tables.ids import Ids

Bound = str | int


@record(eq=False)
class Share:
    """The rows of a table that belong to a part, and which row of the table is the first of them."""

    piece: Piece
    start: int


@record(eq=False)
class Range:
    """The rows of each table whose queries are at least ``low`` and below ``high``; None for no bound."""

    shares: Mapping[str, Share]
    low: Bound | None
    high: Bound | None

    def members(self, ids: Ids) -> Ids:
        """Return those of some ascending ids that are in the range."""
        first = 0 if self.low is None else below(ids, self.low)
        return ids[first : len(ids) if self.high is None else below(ids, self.high)]


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

    def take(self, bound: Bound | None) -> Share:
        """Return the rows of queries below a bound, and let go of them."""
        taken, start = [], self.row
        while self._held:
            piece = self._held[0]
            rows = len(piece["query"])
            cut = rows if bound is None else below(ids_in(piece), bound)
            if cut:
                taken.append(piece if cut == rows else {word: column[:cut] for word, column in piece.items()})
            self.row += cut
            self._rows -= cut
            if cut < rows:
                if cut:
                    self._held[0] = held({word: column[cut:] for word, column in piece.items()})
                break
            self._held.pop(0)
        return Share(joined(taken, self._empty), start)


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
