"""Pieces of a table as tables: joined end to end, and as the run or the judgements that they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankwell.readers.frames.pieces import Piece, Pieces
from rankwell.tables.ids import Ids, pack
from rankwell.tables.rows import Columns
from rankwell.tables.run_qrels import Qrels
from rankwell.tables.series import Place

Tables = Mapping[str, Pieces]


def concatenate(pieces: Sequence[Piece], empty: Piece) -> Piece:
    """Return pieces end to end; ``empty`` tells the columns if there are none."""
    if not pieces:
        return empty
    if len(pieces) == 1:
        return pieces[0]
    whole: Piece = {}
    for word, first in pieces[0].items():
        columns: list[Any] = [piece[word] for piece in pieces]
        whole[word] = Ids.concatenate(columns) if isinstance(first, Ids) else np.concatenate(columns)
    return whole


def ids_in(piece: Piece, word: str = "query") -> Ids:
    """Return a column of ids of a piece."""
    column = piece[word]
    assert isinstance(column, Ids)
    return column


def numbers_in(piece: Piece, word: str) -> np.ndarray:
    """Return a column of numbers of a piece."""
    column = piece[word]
    assert isinstance(column, np.ndarray)
    return column


def own_piece(piece: Piece) -> Piece:
    """Return a piece without the rest of the text or the table that it is a part of."""
    return {word: _own_column(column) for word, column in piece.items()}


def _own_column(column: Ids | np.ndarray) -> Ids | np.ndarray:
    if isinstance(column, Ids):
        return pack(column) if column.is_text else column.owned()
    return column.copy()


def run_of(piece: Piece, name: str, place: Place, rank_base: int) -> Columns:
    """Return some rows of a run."""
    return Columns.of(**piece, name=name, place=place, is_whole=False, rank_base=rank_base)  # type: ignore[arg-type]


def qrels_of(piece: Piece, name: str, place: Place) -> Qrels:
    """Return some judgements."""
    return Qrels(**piece, name=name, place=place)  # type: ignore[arg-type]
