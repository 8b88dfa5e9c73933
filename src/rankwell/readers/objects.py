"""Objects of Python: rows as named tuples, data classes and others, and what tells the usual dicts and lists from answers of systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rankwell.errors import DataError, brief

NUMBERS = {int, float}
PLAIN = (str, bytes, int, float, dict, list, set, frozenset)


def fields_of(value: Any) -> tuple[str, ...] | None:
    """Return the names of the fields of an object; None for plain values, tuples, arrays and tables.

    >>> from collections import namedtuple
    >>> fields_of(namedtuple("Prediction", "uid iid est")("u1", "i1", 4.5)), fields_of(("u1", 4.5))
    (('uid', 'iid', 'est'), None)
    """
    names: Any = getattr(value, "_fields", None)
    if names is not None and isinstance(value, tuple):
        return tuple(names)
    if value is None or isinstance(value, (*PLAIN, tuple, type)) or hasattr(value, "dtype"):
        return None
    if hasattr(value, "__dataclass_fields__"):
        return tuple(value.__dataclass_fields__)
    named = getattr(value, "__dict__", None) or dict.fromkeys(getattr(type(value), "__slots__", ()))
    return tuple(name for name in named if not name.startswith("_")) or None


def is_rows(source: Any) -> bool:
    """Whether a value is a list of objects with fields."""
    return isinstance(source, (list, tuple)) and len(source) > 0 and fields_of(source[0]) is not None


def columns_of(source: Sequence[Any], name: str) -> dict[str, list[Any]]:
    """Return the columns of a list of objects, which all have the fields of the first; fields that hold dicts are left out.

    DataError if an object lacks a field.
    """
    fields = fields_of(source[0]) or ()
    columns: dict[str, list[Any]] = {field: [] for field in fields}
    for row, each in enumerate(source, 1):
        for field, column in columns.items():
            if not hasattr(each, field):
                raise DataError(
                    f"{name}, row {row}: {brief(each)} has no {field}, while the first row has one."
                )
            column.append(getattr(each, field))
    return {field: column for field, column in columns.items() if not isinstance(column[0], dict)}


def is_empty(value: Any) -> bool:
    """Whether a value is an empty list."""
    return isinstance(value, (list, tuple)) and not value


def first_of(values: Iterable[Any]) -> Any:
    """Return the first value that is no empty list; None if there is none."""
    return next((each for each in values if not is_empty(each)), None)


def is_usual(source: Mapping[Any, Any] | list[Any] | tuple[Any, ...]) -> bool:
    """Whether a value in memory is one of the usual dicts, lists and tables, which are passed by at once."""
    for each in source.values() if isinstance(source, Mapping) else source:
        if type(each) is dict:
            if each:
                return set(map(type, each.values())) <= NUMBERS
        elif not isinstance(each, (list, tuple)) or each:
            return _is_plain(each)
    return True


def _is_plain(value: Any) -> bool:
    """Whether a query's list is of ids and numbers, or no list at all but a column, a matrix row or nothing."""
    if isinstance(value, (list, tuple)):
        cell = value[0]
        cell = cell[0] if type(cell) is tuple and len(cell) == 2 else cell
        return isinstance(cell, (str, int, float)) or hasattr(cell, "dtype")
    return value is None or hasattr(value, "dtype") or hasattr(value, "__arrow_c_stream__")
