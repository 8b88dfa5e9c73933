"""Tables of runs with columns that may have gaps, such as parts and support: read as ones whose missing cells are marked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from rankwell.readers.frames.pieces import Frames, column_of
from rankwell.tables.columns import EXTRA, ID_WORDS
from rankwell.tables.rows import NO_ID, filled
from rankwell.tables.series import Place

if TYPE_CHECKING:
    import polars as pl

GAPPED = frozenset(EXTRA)


def with_gaps(frames: Frames, words: Mapping[str, str], place: Place) -> Frames:
    """Return a run in pieces in which no wanted cell is missing; ``words`` says which columns are wanted, ``GAPPED`` ones among them.

    A row that has a part needs no item, and then no score and no rank. Missing numbers of the columns that only some metrics need are nan.
    """

    def read(size: int) -> Iterator[pl.DataFrame]:
        row = 0
        for frame in frames(size):
            yield fill_gaps(frame, words, lambda at, row=row: place(row + at), has_parts="part" in words)  # type: ignore[misc]
            row += len(frame)

    return read


def fill_gaps(
    frame: pl.DataFrame, words: Mapping[str, str], place: Place, *, has_parts: bool
) -> pl.DataFrame:
    """Return a piece of such a table without missing cells; DataError names the place of a number that is none."""
    import polars as pl

    columns = []
    for word, column in words.items():
        series = frame[column]
        if word in EXTRA and word not in ID_WORDS:
            columns.append(pl.Series(column, _numbers(series, word, place)))
        elif has_parts and word in ("item", "part"):
            columns.append(filled(series))
        elif has_parts and word in ("score", "rank"):
            missing = series.fill_nan(None) if series.dtype.is_float() else series
            item = filled(frame[words["item"]])
            if item.dtype != pl.String and not item.dtype.is_integer():
                continue  # no ids: refused where they are made
            is_free = missing.is_null() & (item == (NO_ID if item.dtype.is_integer() else ""))
            one = pl.Series([1]).cast(series.dtype) if series.dtype != pl.Null else pl.Series([1])
            ones = one.new_from_index(0, len(frame)).zip_with(is_free, series.cast(one.dtype))
            columns.append(ones.alias(column))
    return frame.with_columns(columns)


def _numbers(series: pl.Series, word: str, place: Callable[[int], str]) -> np.ndarray:
    """A column of numbers, nan where there is none."""
    series = series.fill_nan(None) if series.dtype.is_float() else series
    rows = np.flatnonzero(series.is_not_null().to_numpy())
    numbers = np.full(len(series), np.nan)
    if len(rows):
        numbers[rows] = column_of(series.drop_nulls(), word, lambda row: place(int(rows[row])), 0)
    return numbers
