"""Numbers, and true and false, in columns of text, as formats have them that know no types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rankwell.tables.numbers import MOST

if TYPE_CHECKING:
    import polars as pl

FLAGS = ("true", "false")
NUMBER = r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$|^[-+]?(inf|nan|NaN)$"
CODE = r"^[-+]?0\d"  # leading zeros belong to a code, such as that of a place


def read_cells(text: pl.Series) -> pl.Series | None:
    """Return the numbers in a column of text, whole ones if all are, or its flags; None if a cell is neither.

    >>> import polars as pl
    >>> [read_cells(pl.Series(cells)).to_list() for cells in (["7", " 8"], ["7", "0.5"], ["True", "false"])]
    [[7, 8], [7.0, 0.5], [True, False]]
    """
    import polars as pl

    text = text.str.strip_chars()
    for kind in (pl.Int64, pl.Float64):
        numbers = text.cast(kind, strict=False)
        if numbers.null_count() == text.null_count():
            return numbers
    lower = text.str.to_lowercase()
    return lower == FLAGS[0] if lower.drop_nulls().is_in(FLAGS).all() else None


def with_types(frame: pl.DataFrame, others: Iterable[str], *, as_written: bool = False) -> pl.DataFrame:
    """Return a table of text with numbers and flags in the columns that hold nothing else.

    The columns of ``others`` stay text, and so do those with leading zeros or whole numbers that would change; ``as_written``, so does what
    would be written otherwise, such as 1.50.

    >>> import polars as pl
    >>> with_types(pl.DataFrame({"item": ["1"], "price": ["1.50"], "zip": ["01234"]}), ["item"]).row(0)
    ('1', 1.5, '01234')
    """
    import polars as pl

    kept = set(others)
    found = [
        typed
        for column in frame.iter_columns()
        if column.name not in kept and column.dtype == pl.String
        if (typed := _typed(column, as_written=as_written)) is not None
    ]
    return frame.with_columns(found)


def _typed(text: pl.Series, *, as_written: bool) -> pl.Series | None:
    cells = text.drop_nulls()
    if not len(cells) or (cells.str.contains(CODE)).any():
        return None
    if not (cells.str.contains(NUMBER)).all() and not cells.str.to_lowercase().is_in(FLAGS).all():
        return None
    typed = read_cells(text)
    if typed is None or (as_written and (typed.cast(str) != text).any()):
        return None
    if typed.dtype.is_float() and text.filter(typed.abs() >= MOST).str.contains(r"^[-+]?\d+$").any():
        return None
    return typed
