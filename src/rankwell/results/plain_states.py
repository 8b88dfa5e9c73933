"""States as plain values for JSON, and back: numbers are kept exactly, arrays are packed."""

from __future__ import annotations

import base64
import math
import sys
import zlib
from collections import Counter
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

LARGEST = 2**53  # whole numbers up to here are exact in every JSON reader
KINDS = "biuf"  # of the numbers that arrays may hold


class NotPlain(Exception):
    """Raised for a value that a file cannot hold; the message names it."""


def plain_state(value: Any, home: type) -> Any:
    """Return a state, or a value in it, as plain values; ``home`` is the class of what has it, a metric or a state.

    A state is a dataclass that the module of its metric (or of a class that this inherits from) knows by name.

    Raises
    ------
    NotPlain
        If it holds something else than numbers, texts, arrays, tuples, dicts and such states.

    Examples
    --------
    >>> from rankwell.metrics import metric_of
    >>> from rankwell.tables.states import Mean
    >>> home = type(metric_of("ap"))
    >>> plain_state(Mean.of(np.array([0.5, 0.25])), home)
    {'state': 'Mean', 'fields': {'total': {'whole': '3', 'shift': 1125}, 'n': 2}}
    >>> state_from(plain_state(Mean.of(np.array([0.5, 0.25])), home), home).value
    0.375
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= LARGEST else _large(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"float": str(float(value))}
    if isinstance(value, np.ndarray) and value.dtype.kind in KINDS:
        return packed(value)
    if isinstance(value, tuple):
        return [plain_state(each, home) for each in value]
    if isinstance(value, dict):
        pairs = [[plain_state(key, home), plain_state(each, home)] for key, each in value.items()]
        return {"counts" if isinstance(value, Counter) else "dict": pairs}
    cls = type(value)
    if not is_dataclass(cls) or _named(cls.__name__, home) is not cls:
        raise NotPlain(cls.__name__)
    held = {each.name: plain_state(getattr(value, each.name), cls) for each in fields(cls)}
    return {"state": cls.__name__, "fields": held}


def state_from(data: Any, home: type) -> Any:
    """Return what ``plain_state`` wrote.

    Raises
    ------
    ValueError
        If it is not of that form, or names a class that the module of ``home`` does not know.
    """
    if isinstance(data, list):
        return tuple(state_from(each, home) for each in data)
    if not isinstance(data, dict):
        return data
    if "state" in data:
        cls, held = _named(str(data["state"]), home), data["fields"]
        if cls is None or {each.name for each in fields(cls)} != held.keys():
            raise ValueError(f"{data['state']} is no state of {home.__name__}")
        return cls(**{each.name: state_from(held[each.name], cls) for each in fields(cls)})
    if "whole" in data:
        return int(data["whole"], 16) << data["shift"]
    if "float" in data:
        return float(data["float"])
    if "array" in data:
        return unpacked(data)
    pairs = data["counts"] if "counts" in data else data["dict"]
    found = {state_from(key, home): state_from(each, home) for key, each in pairs}
    return Counter(found) if "counts" in data else found


def packed(array: np.ndarray) -> dict[str, Any]:
    """Return an array of numbers as text: its bytes, compressed.

    >>> unpacked(packed(np.array([[1, 2], [3, 4]]))).tolist()
    [[1, 2], [3, 4]]
    """
    kind = array.dtype.newbyteorder("<")
    content = np.ascontiguousarray(array, kind).tobytes()
    text = base64.b64encode(zlib.compress(content, 1)).decode("ascii")
    return {"array": kind.str, "shape": list(array.shape), "zlib": text}


def unpacked(data: dict[str, Any]) -> np.ndarray:
    """Return the array in what ``packed`` wrote; ValueError if it is damaged."""
    kind, shape = np.dtype(data["array"]), tuple(data["shape"])
    size = math.prod(shape) * kind.itemsize
    if kind.kind not in KINDS:
        raise ValueError(f"an array of {kind}")
    try:
        content = zlib.decompressobj().decompress(base64.b64decode(data["zlib"]), size + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if len(content) != size:
        raise ValueError(f"an array of {len(content):,} bytes in place of {size:,}")
    return np.frombuffer(content, kind).reshape(shape).astype(kind.newbyteorder("="))


def _large(value: int) -> dict[str, Any]:
    """A whole number without its last zeros: exact sums are multiples of a tiny unit."""
    shift = (value & -value).bit_length() - 1
    return {"whole": f"{value >> shift:x}", "shift": shift}


def _named(name: str, home: type) -> Any:
    """The dataclass of this name that the modules of a class, and of those it inherits from, know; None if they know none."""
    for each in home.__mro__:
        found = vars(sys.modules[each.__module__]).get(name) if each.__module__ in sys.modules else None
        if isinstance(found, type) and is_dataclass(found) and hasattr(found, "__add__"):
            return found
    return None
