"""One column in memory as a Polars series: of Polars, pandas, Arrow or NumPy, or a list."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.errors import DataError, UsageError, brief

if TYPE_CHECKING:
    import polars as pl

DEEPEST = 16  # lists in lists
EXACT = 2**53  # above it not all whole numbers are floats


def is_column(source: Any) -> bool:
    """Whether a value is one column: a series of Polars or pandas, an Arrow array, an array of one dimension."""
    if isinstance(source, np.ndarray):
        return source.ndim == 1
    if type(source).__name__ in ("Series", "Index", "RangeIndex", "ChunkedArray"):
        return True
    is_arrow = hasattr(source, "__arrow_c_array__") and not hasattr(source, "__arrow_c_stream__")
    return is_arrow or (hasattr(source, "dtype") and library(source) == "pandas")


def series_of(values: Any, name: str, column: str = "") -> pl.Series:
    """Return a column of a table; one that holds neither text nor numbers is refused when it is used.

    pyarrow is needed only for a column of pandas that is made of it. UsageError if a package is missing.
    """
    import polars as pl

    if library(values) == "pandas":
        return _of_pandas(values, name, column)
    if isinstance(values, pl.Series):
        return values.rename(column)
    if isinstance(values, np.ndarray) and values.dtype.kind in "OUS":
        values = [cell.tolist() if isinstance(cell, np.ndarray) else cell for cell in values.tolist()]
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        return made(lambda: pl.Series(column, values), name)
    if not isinstance(values, (list, tuple, np.ndarray)):
        values = listed(values, f"{name}: the column {brief(column)}")
    if not isinstance(values, np.ndarray):  # which holds numbers or dates now
        refuse_deep(values, f"{name}: the column {brief(column)}")
    try:
        return pl.Series(column, values)
    except (
        AttributeError, TypeError, ValueError, OverflowError, pl.exceptions.PolarsError, pl.exceptions.PanicException
    ):  # fmt: skip
        kind = pl.Float64 if _are_numbers(values) else pl.Object
        return made(lambda: pl.Series(column, list(values), dtype=kind, strict=False), name)


def _are_numbers(values: Any) -> bool:
    """Whether values of Python are numbers, some of them whole as in [1, 0.5], which floats hold as they are."""
    return all(
        value is None
        or (isinstance(value, (int, np.integer)) and type(value) is not bool and abs(int(value)) <= EXACT)
        or isinstance(value, (float, np.floating))
        for value in values
    )


def listed(values: Any, what: str) -> list[Any]:
    """Return the values that an object yields; DataError if it yields none, or fails on the way."""
    try:
        return list(values)
    except Exception as error:  # the object may be of any class
        why = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise DataError(f"{what}: {brief(values)} cannot be read ({why}).") from error


def refuse_deep(cells: Iterable[Any], what: str) -> None:
    """Raise DataError for cells of dicts in dicts (lists in lists) …, for whose types Polars needs memory without bounds."""
    for cell in cells:
        depth, inner = 0, cell
        while isinstance(inner, dict | list) and inner:
            depth += 1
            if depth > DEEPEST:
                raise DataError(f"{what} holds lists or dicts that are nested more than {DEEPEST} deep.")
            inner = next(iter(inner.values())) if isinstance(inner, dict) else inner[0]


def frozen(values: np.ndarray) -> np.ndarray:
    """Return a view of an array that cannot be written to."""
    view = values.view()
    view.flags.writeable = False
    return view


def all_frozen(values: dict[str, Any]) -> dict[str, Any]:
    """Return attributes with every array as a view that cannot be written to; unpickled arrays can be."""
    return {name: frozen(each) if isinstance(each, np.ndarray) else each for name, each in values.items()}


def made(make: Callable[[], Any], name: str) -> Any:
    """Return what Polars makes of a value in memory; its error becomes one line.

    UsageError if a package is missing; DataError if Polars cannot make it.
    """
    import polars as pl

    try:
        return make()
    except ModuleNotFoundError as error:
        raise UsageError(f"{name}: {error}. It comes with pip install 'rankwell[pandas]'.") from error
    except (Exception, pl.exceptions.PanicException) as error:  # the value may be of any library
        said = next(iter(str(error).splitlines()), type(error).__name__)
        raise DataError(f"{name}: the columns do not make a table ({said}).") from error


def library(source: Any) -> str:
    """Return the name of the package that a value is of."""
    return type(source).__module__.partition(".")[0]


def _of_pandas(values: Any, name: str, column: str) -> pl.Series:
    import polars as pl

    if hasattr(values.dtype, "categories"):
        array = getattr(values, "array", values)
        texts, codes = series_of(values.dtype.categories, name, column), pl.Series(array.codes).cast(pl.Int64)
        return texts.gather(codes.set(codes < 0, None))
    if isinstance(values.dtype, np.dtype) and values.dtype.kind != "O":
        return pl.Series(column, np.asarray(values))
    array = getattr(values, "array", values)
    if hasattr(array, "__arrow_array__") and importlib.util.find_spec("pyarrow"):
        return made(lambda: pl.Series(column, array.__arrow_array__()), name)
    cells = np.asarray(array, dtype=object)
    missing = np.asarray(values.isna(), np.bool_)
    if missing.any():
        cells = cells.copy()
        cells[missing] = None
    return series_of(cells, name, column)
