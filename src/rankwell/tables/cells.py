"""Cells of a column: as Python holds them, of one kind or of several, of which Polars would make values of the first; and lists as programs
print them into a cell of text: ['a', 'b'], ["a"], [1 2 3].
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.errors import DataError, brief

if TYPE_CHECKING:
    import polars as pl

QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
BLANKS = r"[,\s]+"
TIMES = dt.date, dt.time, dt.timedelta
MOST = 2**53  # above it not all whole numbers are floats: others would be read as this one, and tie with it


def known_kind(array: np.ndarray) -> np.ndarray:
    """Return an array in a kind of numbers that Polars has: not of more than 64 bits, no times in seconds, months or years.

    >>> known_kind(np.array(["2020-01"], "datetime64[M]")).dtype, known_kind(np.ones(1, np.longdouble)).dtype
    (dtype('<M8[us]'), dtype('float64'))
    """
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        return array.astype(np.float64)
    if array.dtype.kind in "mM" and np.datetime_data(array.dtype)[0] not in ("ms", "us", "ns", "generic"):
        return array.astype(f"{array.dtype.kind}8[us]")
    return array


def kinds_of(cells: Iterable[Any]) -> set[type]:
    """Return the types of what is not missing."""
    return set(map(type, cells)) - {type(None)}


def plain_cells(cells: Sequence[Any]) -> Sequence[Any]:
    """Return cells of several types with numbers of Python for those of NumPy, whose type would be that of all, and for members of an Enum
    what they stand for; of one type as they are.

    >>> plain_cells([np.float16(0.5), 0.1])
    [0.5, 0.1]
    """
    if len(kinds_of(cells)) < 2:
        return cells
    cells = [cell.value if isinstance(cell, Enum) else cell for cell in cells]
    return [cell.item() if isinstance(cell, (np.number, np.bool_)) else cell for cell in cells]


def are_alike(cells: Iterable[Any]) -> bool:
    """Whether none would become another value in one column: true beside numbers or text, a time beside numbers, a large number as a float.

    >>> are_alike([1, 0.5, None]), are_alike([True, 0.5]), are_alike([0.5, 2**53 + 1])
    (True, False, False)
    """
    kinds = kinds_of(cells)
    if len(kinds) < 2:
        return True
    if bool in kinds or len({issubclass(kind, TIMES) for kind in kinds}) > 1:
        return False
    return kinds <= {int, str} or not any(type(cell) is int and abs(cell) > MOST for cell in cells)


def plain_lists(cells: Sequence[Any]) -> tuple[list[Any], str] | None:
    """Return cells that are lists, arrays or series as lists, and of what; None if no cell is one.

    They are of ``numbers`` if some are whole and some are not; of ``several`` types, of which one would become another; else ``alike``.

    >>> plain_lists([(1, 0.5), np.array([2])]), plain_lists([["a"], None]), plain_lists(["a"])
    (([[1, 0.5], [2]], 'numbers'), ([['a'], None], 'alike'), None)
    """
    lists = []
    for cell in cells:
        is_array = hasattr(cell, "tolist") and getattr(cell, "shape", None) != ()
        try:
            values = cell.tolist() if is_array else cell
            is_list = isinstance(values, (Sequence, type(None)))
            if not is_list or isinstance(values, (str, bytes, bytearray, memoryview)):
                return None
            lists.append(values if values is None else [*values])
        except Exception:  # noqa: BLE001 - the object may be of any class; it is refused as what it is
            return None
    kinds = kinds_of(value for cell in lists for value in cell or ())
    nested = {kind for kind in kinds if issubclass(kind, (Mapping, list, tuple))}
    if not any(cell is not None for cell in lists) or (nested and nested == kinds):
        return None
    if len(kinds) < 2 or kinds == {str, np.str_}:
        return lists, "alike"
    lists = [cell and list(plain_cells(cell)) for cell in lists]
    values = [value for cell in lists for value in cell or ()]
    kinds = kinds_of(values)
    if len(kinds) < 2:
        return lists, "alike"
    return lists, "numbers" if bool not in kinds and are_numbers(values) else "several"


def are_numbers(cells: Iterable[Any]) -> bool:
    """Whether cells are numbers, some of them whole as in [1, 0.5], which floats hold as they are."""
    return all(
        cell is None
        or (isinstance(cell, (int, np.integer)) and type(cell) is not bool and abs(int(cell)) <= MOST)
        or isinstance(cell, (float, np.floating))
        for cell in cells
    )


def no_list(place: str, cell: str) -> DataError:
    """Return the error of a cell that a program printed in another way."""
    return DataError(
        f"{place}: {brief(cell)} is no list of ids such as ['a', 'b'] or [1 2 3]. Where it was shortened when it was printed (...), "
        f"has another form, or holds lists or escapes, write it again, such as by ' '.join(ids)."
    )


def read_printed(text: pl.Series, place: Callable[[int], str], *, by: str = BLANKS) -> pl.Series:
    """Return the lists of cells in brackets, with or without quotation marks; without these, ``by`` stands between the members.

    DataError for a list that was shortened when it was printed, or holds lists or escapes.
    """
    import polars as pl

    inner = text.str.strip_prefix("[").str.strip_suffix("]")
    is_quoted = inner.str.contains(r"['\"]")
    rest = inner.str.replace_all(QUOTED, "")
    wrong = ~(text.str.starts_with("[") & text.str.ends_with("]"))
    # between quoted ids stand commas and blanks, and nothing else
    wrong |= is_quoted & ~rest.str.contains(r"^[,\s]*$")
    # three dots are what NumPy and pandas print in place of the rest
    wrong |= inner.str.contains(r"(^|[\s,])\.\.\.([\s,]|$)") | inner.str.contains(r"[\[\]\\]")
    if by == BLANKS:
        wrong |= ~is_quoted & inner.str.contains(";", literal=True) & ~inner.str.contains(",", literal=True)
    if wrong.fill_null(value=False).any():
        row = int(wrong.arg_max() or 0)
        raise no_list(place(row), text[row])
    quoted = inner.str.extract_all(QUOTED).list.eval(
        pl.element().str.slice(1, pl.element().str.len_chars() - 2)
    )
    plain = inner.str.replace_all(by, "\0").str.split("\0").list.eval(pl.element().str.strip_chars())
    plain = plain.list.eval(pl.element().filter(pl.element() != ""))
    return pl.select(pl.when(is_quoted).then(quoted).otherwise(plain).alias(text.name)).to_series()
