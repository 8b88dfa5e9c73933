"""A column of categories: each text once, and which of them each row holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl


def texts_of(series: pl.Series) -> tuple[pl.Series, np.ndarray, np.ndarray]:
    """Return the texts in a column of categories, the first row of each, and the number of each row's text.

    >>> import polars as pl
    >>> texts, first, number = texts_of(pl.Series(["b", "a", "b"], dtype=pl.Enum(["a", "b", "c"])))
    >>> texts.to_list(), first.tolist(), number.tolist()
    (['a', 'b'], [1, 0], [1, 0, 1])
    """
    codes = series.to_physical().to_numpy()
    counts = np.bincount(codes)
    first, number = np.empty((2, len(counts)), np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    present = np.flatnonzero(counts)
    number[present] = np.arange(len(present))
    return series.gather(first[present]).cast(str), first[present], number[codes]
