"""Structures of Thrift's compact protocol, as Parquet has them: dicts of field number and value."""

from __future__ import annotations

from typing import Any

import cython
import numpy as np

TRUE, FALSE, BYTE, DOUBLE, TEXT, LIST, SET, MAP, STRUCT, UUID = 1, 2, 3, 7, 8, 9, 10, 11, 12, 13
DEEPEST = 64


def struct(data: np.ndarray, begin: int) -> tuple[dict[int, Any], int]:
    """Return the fields of the structure that begins at a byte, and where it ends.

    Raises
    ------
    IndexError
        If the data end before it.
    ValueError
        If there is no such structure; the message says why.
    """
    d: cython.const[cython.uchar][::1] = data
    at: cython.Py_ssize_t = begin
    fields = _struct(d, cython.address(at), 0)
    return fields, at


@cython.cfunc
def _struct(
    d: cython.const[cython.uchar][::1], at: cython.pointer(cython.Py_ssize_t), depth: cython.int
) -> dict:  # type: ignore[type-arg]
    fields: dict[int, Any] = {}
    number: cython.longlong = 0
    byte: cython.int = _byte(d, at)
    while byte:
        # field numbers are differences from the last one in four bits, or in full where these do not hold them
        number = number + (byte >> 4) if byte >> 4 else _integer(d, at)
        fields[number] = _value(d, at, byte & 15, depth + 1, False)
        byte = _byte(d, at)
    return fields


@cython.cfunc
def _value(
    d: cython.const[cython.uchar][::1],
    at: cython.pointer(cython.Py_ssize_t),
    kind: cython.int,
    depth: cython.int,
    listed: cython.bint,
) -> object:
    """A value of a kind; ``listed`` ones, which are true or false, take a byte."""
    byte: cython.int
    size: cython.ulonglong
    if depth > DEEPEST:  # a damaged file must not end in a stack overflow
        raise ValueError("its structures are nested too deeply")
    if kind == TRUE or kind == FALSE:
        return (_byte(d, at) if listed else kind) == TRUE  # of a field the kind itself is the value
    if kind == BYTE:
        return _byte(d, at)
    if 4 <= kind <= 6:
        return _integer(d, at)
    if kind == DOUBLE or kind == UUID:
        return _bytes(d, at, 8 if kind == DOUBLE else 16)
    if kind == TEXT:
        return _bytes(d, at, _varint(d, at))
    if kind == LIST or kind == SET:
        byte = _byte(d, at)
        size = byte >> 4 if byte >> 4 < 15 else _varint(d, at)
        return _values(d, at, size, byte & 15, byte & 15, depth)
    if kind == STRUCT:
        return _struct(d, at, depth)
    if kind == MAP:
        size = _varint(d, at)
        byte = _byte(d, at) if size else 0
        return _values(d, at, 2 * size, byte >> 4, byte & 15, depth)
    raise ValueError(f"there is no type {kind} of Thrift")


@cython.cfunc
def _values(
    d: cython.const[cython.uchar][::1],
    at: cython.pointer(cython.Py_ssize_t),
    size: cython.ulonglong,
    even: cython.int,
    odd: cython.int,
    depth: cython.int,
) -> list:  # type: ignore[type-arg]
    """So many values, of two kinds in turn; each takes a byte at least."""
    values: list[Any] = []
    n: cython.ulonglong
    for n in range(size):
        values.append(_value(d, at, odd if n & 1 else even, depth + 1, True))
    return values


@cython.cfunc
@cython.exceptval(-1)
def _byte(d: cython.const[cython.uchar][::1], at: cython.pointer(cython.Py_ssize_t)) -> cython.int:
    if not 0 <= at[0] < d.shape[0]:
        raise IndexError("the end is missing")
    at[0] += 1
    return d[at[0] - 1]


@cython.cfunc
def _bytes(
    d: cython.const[cython.uchar][::1], at: cython.pointer(cython.Py_ssize_t), size: cython.ulonglong
) -> bytes:
    # before anything is copied: a damaged length could ask for all memory
    if size > cython.cast(cython.ulonglong, d.shape[0] - at[0]):
        raise ValueError("a text is longer than the file")
    at[0] += size
    return bytes(d[at[0] - size : at[0]])


@cython.cfunc
@cython.exceptval(0, check=True)
def _varint(d: cython.const[cython.uchar][::1], at: cython.pointer(cython.Py_ssize_t)) -> cython.ulonglong:
    value: cython.ulonglong = 0
    shift: cython.int = 0
    byte: cython.int = 128
    while byte & 128:
        byte = _byte(d, at)
        if shift > 63 or (shift == 63 and byte > 1):
            raise ValueError("a number has more than 64 bits")
        value |= cython.cast(cython.ulonglong, byte & 127) << shift
        shift += 7
    return value


@cython.cfunc
@cython.exceptval(0, check=True)
def _integer(d: cython.const[cython.uchar][::1], at: cython.pointer(cython.Py_ssize_t)) -> cython.longlong:
    value: cython.ulonglong = _varint(d, at)
    # zigzag: 0, -1, 1, -2 … are written as 0, 1, 2, 3 …
    return cython.cast(cython.longlong, value >> 1) ^ -cython.cast(cython.longlong, value & 1)
