"""States as plain values for JSON, and back: numbers are kept exactly, arrays are packed."""

from __future__ import annotations

import base64
import math
import re
import sys
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, TypedDict, Union, get_args, get_origin, get_type_hints

import numpy as np

from rankwell.display.saved_files import LARGEST, Damaged, ensure, is_count
from rankwell.errors import brief

KINDS = "biuf"  # of the numbers that arrays may hold
MOST_SHIFT = (
    1 << 12
)  # bits: sums of as many of the largest doubles as anybody has, in units of the smallest, have fewer
DENSEST = 1032  # zlib makes no text longer than this many times its own length


class Packed(TypedDict):
    """An array as ``packed`` writes it: the kind of its numbers, its shape, and its bytes, compressed."""

    array: str
    shape: list[int]
    zlib: str


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
    Damaged, or another error
        If it is not of that form, names a class that the module of ``home`` does not know, or a field is of another type.
    """
    if isinstance(data, list):
        return tuple(state_from(each, home) for each in data)
    if not isinstance(data, dict):
        return data
    if "state" in data:
        cls, held = _named(str(data["state"]), home), data["fields"]
        if cls is None or {each.name for each in fields(cls)} != held.keys():
            raise Damaged("", f"{data['state']} is no state of {home.__name__}")
        found, hints = {name: state_from(value, cls) for name, value in held.items()}, _hints(cls)
        for name, value in found.items():
            ensure(_fits(value, hints.get(name)), name, f"this is no {hints.get(name)}")
        return cls(**found)
    if "whole" in data:
        ensure(is_count(data["shift"], MOST_SHIFT), "shift", "the number is too large")
        return int(data["whole"], 16) << data["shift"]
    if "float" in data:
        return float(data["float"])
    if "array" in data:
        return unpacked({"array": data["array"], "shape": data["shape"], "zlib": data["zlib"]})
    pairs = data["counts"] if "counts" in data else data["dict"]
    found = {state_from(key, home): state_from(each, home) for key, each in pairs}
    return Counter(found) if "counts" in data else found


def packed(array: np.ndarray) -> Packed:
    """Return an array of numbers as text: its bytes, compressed.

    >>> unpacked(packed(np.array([[1, 2], [3, 4]]))).tolist()
    [[1, 2], [3, 4]]
    """
    kind = array.dtype.newbyteorder("<")
    content = np.ascontiguousarray(array, kind).tobytes()
    text = base64.b64encode(zlib.compress(content, 1)).decode("ascii")
    return {"array": kind.str, "shape": list(array.shape), "zlib": text}


def unpacked(data: Packed) -> np.ndarray:
    """Return the array in what ``packed`` wrote; Damaged, or an error of what reads it, if it is something else."""
    # NumPy reads many more words as a type, some of them as Python
    known = re.fullmatch(rf"[<|][{KINDS}]\d{{1,2}}", str(data["array"]))
    ensure(known, "array", f"{brief(data['array'])} is no kind of number")
    kind, shape = np.dtype(str(data["array"])), tuple(data["shape"])
    ensure(all(is_count(each, LARGEST) for each in shape), "shape", "it is no shape")
    text = base64.b64decode(data["zlib"])
    size = math.prod(shape) * kind.itemsize
    ensure(size <= DENSEST * len(text), "shape", f"{size:,} bytes cannot be in {len(text):,} compressed ones")
    try:
        content = zlib.decompressobj().decompress(text, size + 1)
    except zlib.error as error:
        raise Damaged("zlib", str(error)) from error
    ensure(len(content) == size, "zlib", f"an array of {len(content):,} bytes in place of {size:,}")
    return np.frombuffer(content, kind).reshape(shape).astype(kind.newbyteorder("="))


@cache
def _hints(cls: type) -> dict[str, Any]:
    """The types of the fields of a state; none if its module does not say them so that they can be read."""
    try:
        return get_type_hints(cls)
    except (NameError, TypeError):
        return {}


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of the type that a field of a state has; a type that states do not use fits everything."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is None:  # not known; the type of None itself is NoneType
        return True
    if origin in (Union, UnionType):
        return any(_fits(value, each) for each in inner)
    if hint in (int, float):
        return isinstance(value, int if hint is int else (int, float)) and not isinstance(value, bool)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        kinds = (*inner, int)[:2] if inner else (Any, Any)  # a Counter says only what it counts
        return isinstance(value, Mapping) and all(
            _fits(each, kind) for pair in value.items() for each, kind in zip(pair, kinds, strict=True)
        )
    if origin is tuple:
        return isinstance(value, tuple) and all(_fits(each, inner[0]) for each in value)
    return not isinstance(hint, type) or isinstance(value, hint)


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
