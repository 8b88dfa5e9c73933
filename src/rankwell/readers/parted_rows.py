"""Rows of a table in any order, divided into parts of whole lists while its pieces are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from rankwell.kernels import ids as kernel
from rankwell.readers.frame_columns import PIECE
from rankwell.records import record
from rankwell.tables.grouping import part_of
from rankwell.tables.ids import Ids
from rankwell.tables.own_text import packed
from rankwell.tables.rows import Columns, Lists, lowest_rank

if TYPE_CHECKING:
    from rankwell.readers.frames import FrameRows


@record(eq=False)
class Piece:
    """Rows of a piece of a table, part by part: where each part begins, the columns, and which rows after ``start`` these are."""

    start: int
    offsets: np.ndarray
    query: Ids
    item: Ids
    key: np.ndarray
    given: np.ndarray | None
    rows: np.ndarray

    @classmethod
    def of(cls, columns: Columns, start: int, parts: int) -> Piece:
        """Return the rows of a piece, which begins at a row of the table, in so many parts."""
        order, offsets = kernel.gather(part_of(columns.query, parts).astype(np.int64), parts)
        given = None if columns.given_score is None else columns.given_score[order]
        query, item, key = columns.query[order], columns.item[order], columns.key[order]
        return cls(start, offsets, query, item, key, given, order.astype(np.int32))


class PartedRows:
    """The rows of a run in a table of any order; each piece of the table is divided while it is in a processor's cache."""

    grouped = True

    def __init__(self, framed: FrameRows) -> None:
        self.framed = framed

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield functions that each make one batch of about ``size`` rows."""
        parts, row, base = -(-(self.framed.rows or 1) // size), 0, 1
        pieces: list[Piece] = []
        for frame in self.framed.frames(PIECE):
            columns = self.framed.columns(frame, row)
            pieces.append(Piece.of(columns, row, parts))
            row += len(frame)
            base = min(base, lowest_rank(columns.key)) if columns.by_rank else base
        for part in range(parts):
            shares = [(piece, *piece.offsets[part : part + 2].tolist()) for piece in pieces]
            if shares := [share for share in shares if share[1] < share[2]]:
                yield partial(self._lists, shares, columns.by_rank, base)

    def _lists(self, shares: list[tuple[Piece, int, int]], by_rank: bool, base: int) -> Lists:
        rows, query, item, key = zip(
            *((p.rows[a:b] + np.int64(p.start), p.query[a:b], p.item[a:b], p.key[a:b]) for p, a, b in shares),
            strict=True,
        )
        place, at = self.framed.place, np.concatenate(rows)
        given = [piece.given[low:high] for piece, low, high in shares if piece.given is not None]
        columns = Columns(
            _joined(query),
            _joined(item),
            np.concatenate(key),
            place=lambda row: place(int(at[row])),
            by_rank=by_rank,
            given_score=np.concatenate(given) if given else None,
        )
        columns.rank_base = base if by_rank else None
        return columns.lists()

    def owned(self) -> Columns:
        """Return all rows as columns."""
        return self.table()

    def regrouped(self) -> PartedRows:
        """Return these rows: they are grouped."""
        return self

    def table(self) -> Columns:
        """Return all rows as columns."""
        return self.framed.table()


def _joined(ids: tuple[Ids, ...]) -> Ids:
    """Ids end to end, each without the rest of its text."""
    return Ids.concatenate([packed(each) if each.is_text else each for each in ids])
