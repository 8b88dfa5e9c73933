"""Rows of a table in any order, divided into parts of whole lists while its pieces are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from rankwell.readers.frame_columns import PIECE
from rankwell.records import record
from rankwell.tables.places import Place, end_to_end
from rankwell.tables.rows import Columns, DividedIds, Division, Lists, Rows, lowest_rank

if TYPE_CHECKING:
    import polars as pl

    from rankwell.readers.frames import FrameRows


@record(eq=False)
class Piece:
    """Rows of a piece of a table, part by part: the row of the table that it begins at, how it is divided, and the columns.

    ``base`` is the rank of a first item, as far as this piece tells; None where scores rule.
    """

    start: int
    division: Division
    query: DividedIds
    item: DividedIds
    key: np.ndarray
    given: np.ndarray | None
    base: int | None


class PartedRows(Rows):
    """The rows of a run in a table of any order; each piece of the table is divided while it is in a processor's cache."""

    grouped = True

    def __init__(self, framed: FrameRows) -> None:
        self.framed = framed

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield functions that each make one batch of about ``size`` rows."""
        parts = -(-(self.framed.rows or 1) // size)
        pieces, row = [], 0
        for frame in self.framed.frames(PIECE):
            pieces.append(self._divided(frame, row, parts))
            row += len(frame)
        base = min((piece.base for piece in pieces if piece.base is not None), default=None)
        for part in range(parts):
            shares = [(piece, *piece.division.offsets[part : part + 2].tolist()) for piece in pieces]
            if shares := [share for share in shares if share[1] < share[2]]:
                yield partial(self._lists, part, shares, base)

    def _divided(self, frame: pl.DataFrame, start: int, parts: int) -> Piece:
        columns = self.framed.columns(frame, start)
        division = Division.of(columns.query, parts)
        given = None if columns.given_score is None else division.numbers(columns.given_score)
        return Piece(
            start,
            division,
            division.ids(columns.query),
            division.ids(columns.item),
            division.numbers(columns.key),
            given,
            lowest_rank(columns.key) if columns.by_rank else None,
        )

    def _lists(self, part: int, shares: list[tuple[Piece, int, int]], base: int | None) -> Lists:
        pieces, rows = [piece for piece, *_ in shares], [(low, high) for _, low, high in shares]
        given = [piece.given[low:high] for piece, low, high in shares if piece.given is not None]
        columns = Columns(
            DividedIds.joined([piece.query for piece in pieces], part, rows),
            DividedIds.joined([piece.item for piece in pieces], part, rows),
            np.concatenate([piece.key[low:high] for piece, low, high in shares]),
            place=lambda row: self._place(shares, row),
            by_rank=base is not None,
            given_score=np.concatenate(given) if given else None,
        )
        columns.rank_base = base
        return columns.lists()

    def _place(self, shares: list[tuple[Piece, int, int]], row: int) -> str:
        def place_in(piece: Piece, low: int) -> Place:
            return lambda row: self.framed.place(piece.start + piece.division.row(low + row))

        lengths = [high - low for _, low, high in shares]
        return end_to_end(lengths, [place_in(piece, low) for piece, low, _ in shares])(row)

    def table(self) -> Columns:
        """Return all rows as columns."""
        return self.framed.table()
