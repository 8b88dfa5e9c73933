"""Gaps: cells that a column of a run may lack, as a row without an item says that its part lists nothing, and one without support is not judged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.errors import DataError
from rankwell.tables.ids import Ids
from rankwell.tables.places import Place
from rankwell.tables.series import series_of

if TYPE_CHECKING:
    import polars as pl

NO_ID = -(2**63)  # among integers; among texts it is the empty one


def filled(series: pl.Series) -> pl.Series:
    """Return a column of ids in which a missing one is the empty text, or ``NO_ID``; whole numbers in floats become integers.

    >>> import polars as pl
    >>> filled(pl.Series(["a", None])).to_list(), filled(pl.Series([2.0, None])).to_list() == [2, NO_ID]
    (['a', ''], True)
    """
    import polars as pl

    if isinstance(series.dtype, (pl.Categorical, pl.Enum)) or series.dtype == pl.Null:
        series = series.cast(pl.String)
    if series.dtype.is_float():
        series = series.fill_nan(None)
        whole = series.cast(pl.Int64, strict=False)
        if whole.null_count() == series.null_count() and (whole == series).all():
            series = whole
    if series.dtype.is_integer():
        return series.cast(pl.Int64).fill_null(NO_ID) if series.null_count() else series
    return series.fill_null("") if series.dtype == pl.String else series


def are_gaps(ids: Ids) -> np.ndarray:
    """Return which ids stand for missing ones.

    >>> are_gaps(Ids.of(["a", ""])).tolist()
    [False, True]
    """
    return ids.lengths == 0 if ids.is_text else ids.integers == NO_ID


def ids_with_gaps(values: Any, name: str) -> Ids:
    """Return a column of ids, of which some may be missing."""
    return values if isinstance(values, Ids) else Ids.of_series(filled(series_of(values, name)), name)


def numbers_with_gaps(values: Iterable[Any] | np.ndarray, name: str, place: Place) -> np.ndarray:
    """Return a column of numbers, of which missing ones are nan; DataError for other values.

    >>> numbers_with_gaps([1, None], "support", str).tolist()
    [1.0, nan]
    """
    import polars as pl

    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return values
    series = series_of(values, name)
    if not series.dtype.is_numeric() and series.dtype not in (pl.Boolean, pl.Null):
        raise DataError(f"{place(0)}: {name} holds {series.dtype} values, not numbers.")
    return series.cast(pl.Float64).to_numpy()
