"""Columns of numbers: nan is refused, and so are whole numbers above 2^53 that are others as floats, and would tie with these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.errors import DataError, UsageError, brief
from rankwell.tables.arrays import is_tensor, one_dimension
from rankwell.tables.places import Place

if TYPE_CHECKING:
    from decimal import Decimal

MOST = 2.0**53
LONGEST = 60


def is_number(value: Any) -> bool:
    """Whether a value, or a text, is a number as Python reads it.

    >>> is_number("1e3"), is_number("a"), is_number(None)
    (True, False, False)
    """
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def refuse_changed(values: Iterable[Any], numbers: np.ndarray, word: str) -> None:
    """Raise Changed if a whole number among ``values``, in Python, is not the one of the floats made of them."""
    if not len(numbers) or np.abs(numbers).max() < MOST:
        return
    for row, (value, number) in enumerate(zip(values, numbers.tolist(), strict=True)):
        if isinstance(value, (int, np.integer)) and int(value) != number:
            raise Changed(row, int(value), word)


def refuse_changed_integers(values: np.ndarray, word: str) -> None:
    """Raise Changed if an integer of an array is another number as a float."""
    if not len(values) or not (int(values.max()) > MOST or int(values.min()) < -MOST):
        return
    floats = values.astype(np.float64)
    limit = 2.0 ** (8 * values.dtype.itemsize - (values.dtype.kind == "i"))
    fits = floats < limit
    same = np.zeros(len(values), np.bool_)
    same[fits] = floats[fits].astype(values.dtype) == values[fits]
    if not same.all():
        row = int(np.flatnonzero(~same)[0])
        raise Changed(row, int(values[row]), word)


def refuse_changed_text(values: Iterable[str], numbers: np.ndarray, word: str) -> None:
    """Raise Changed if a number written with digits alone is not the one of the floats made of the text."""
    large = np.flatnonzero(np.abs(numbers) >= MOST).tolist()
    if not large:
        return
    from decimal import Decimal

    listed = list(values)
    for row in large:
        digits, _, rest = listed[row].strip().partition(".")
        if digits.lstrip("+-").isdecimal() and not rest.strip("0"):
            exact = Decimal(digits)
            if exact != Decimal(float(numbers[row])):
                raise Changed(row, exact, word)


class Changed(Exception):
    """A number that is too large to be kept, and the row of it."""

    def __init__(self, row: int, value: int | Decimal, word: str) -> None:
        super().__init__(row, value, word)
        self.row, self.value, self.word = row, value, word

    def at(self, place: str) -> DataError:
        """Return the error that names the place."""
        shown = brief(self.value) if isinstance(self.value, int) else f"{self.value:f}"
        if len(shown) > LONGEST:
            shown = f"{self.value:.6E}"
        return DataError(
            f"{place}: the {self.word} {shown} is too large to be kept exactly; whole numbers are up to 2^53."
        )


def numbers_of(values: Iterable[float] | np.ndarray, name: str, place: Place) -> np.ndarray:
    """Return a column of numbers of any type; DataError for other values, nan, and whole numbers that no float holds."""
    values = one_dimension(values, f"the numbers of {name}") if is_tensor(values) else values
    listed = values if isinstance(values, np.ndarray) else list(values)
    try:
        given = np.asarray(listed)
    except ValueError:
        raise DataError(f"{place(0)}: {name} holds lists or tables, not numbers.") from None
    if given.dtype.kind not in "iufb":
        such = f" such as {brief(given.flat[0])}" if given.size else ""
        raise DataError(f"{place(0)}: {name} holds {given.dtype.name} values{such}, not numbers.")
    if len(given) and given.dtype.kind == "f" and np.isnan(given.min()):  # the minimum is nan if any value is
        row = int(np.flatnonzero(np.isnan(given))[0])
        raise DataError(f"{place(row)}: the {name} is not a number (nan). Remove the row or fix the {name}.")
    try:
        if given.dtype.kind in "iu":
            refuse_changed_integers(given, name)
        elif listed is not given:
            refuse_changed(listed, given, name)
    except Changed as changed:
        raise changed.at(place(changed.row)) from None
    return given


def same_length(rows: int, columns: Mapping[str, int], name: str) -> None:
    """Raise UsageError if a column is not as long as the query column."""
    for column, length in columns.items():
        if length != rows:
            raise UsageError(f"{name}: the query column has {rows} rows, {column} has {length}.")
