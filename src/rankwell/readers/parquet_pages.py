"""Check that the page headers of a Parquet file are possible.

Polars trusts them: a damaged count of values makes it allocate 2^61 bytes and kills the process. So each header, a few
bytes, is read first. They are Thrift structures in the compact protocol, here dicts of field number
and value (see parquet.thrift of the Parquet format).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rankwell.errors import brief
from rankwell.readers.damage import Damage, refused
from rankwell.readers.files import File

MARK, TAIL = b"PAR1", 8
TRUE, FALSE, BYTE, DOUBLE, TEXT, LIST, SET, MAP, STRUCT, UUID = 1, 2, 3, 7, 8, 9, 10, 11, 12, 13
INTEGERS = (4, 5, 6)
WIDTHS = {DOUBLE: 8, UUID: 16}
DEEPEST = 64
DATA, INDEX, DICTIONARY, DATA_2 = 0, 1, 2, 3
HEADERS = {DATA: 5, DICTIONARY: 7, DATA_2: 8}  # which field of a page's header holds the number of its values


def check(file: File) -> int:
    """Return the number of rows of the first row group; raise InputError if the footer or a page cannot be as it says."""
    content = file.mapped
    with refused(file, "Parquet", KeyError, IndexError, TypeError, AttributeError):
        groups = _groups(content)
        for chunk in _chunks(groups):
            _check_pages(content, chunk)
        return int(groups[0][3]) if groups else 0


def _groups(content: np.ndarray) -> list[dict[int, Any]]:
    """The row groups, by the footer."""
    length = int.from_bytes(content[-TAIL:-4].tobytes(), "little")
    start = len(content) - TAIL - length
    if content[-4:].tobytes() != MARK or start < len(MARK):
        raise Damage("its end is missing")
    footer, _ = _Thrift(content[start:-TAIL]).struct()
    groups: list[dict[int, Any]] = footer[4]
    return groups


def _chunks(groups: list[dict[int, Any]]) -> Iterator[dict[int, Any]]:
    """The metadata of every piece of every column; a damaged name may hide the wanted ones."""
    for group in groups:
        for chunk in group[1]:
            name = b".".join(chunk[3][3]).decode(errors="replace")
            yield chunk[3] | {"name": name[:40]}


def _check_pages(content: np.ndarray, chunk: dict[Any, Any]) -> None:
    first = [chunk[field] for field in (9, 11) if chunk.get(field, 0) > 0]
    at = min(first, default=0)
    end, values = at + chunk[7], 0
    if at < len(MARK) or not at <= end <= len(content) - TAIL or chunk[5] < 0:
        raise Damage(f"column {brief(chunk['name'])} would lie outside of the file")
    while values < chunk[5]:
        header, length = _Thrift(content[at:end]).struct()
        at += length + header[3]
        found = header[HEADERS[header[1]]][1] if header[1] in HEADERS else 0
        if header[3] < 0 or at > end:
            raise Damage(f"a page of column {brief(chunk['name'])} would be longer than the column")
        # a value of a dictionary takes a byte at least
        most = header[2] if header[1] == DICTIONARY else chunk[5] - values
        if header[2] < 0 or not 0 <= found <= most:
            raise Damage(f"a page of column {brief(chunk['name'])} would hold {found:,} values")
        values += found if header[1] != DICTIONARY else 0


class _Thrift:
    """A reader of one Thrift structure."""

    def __init__(self, data: np.ndarray) -> None:
        self.data, self.at = data.data, 0

    def struct(self, depth: int = 0) -> tuple[dict[int, Any], int]:
        """Return the fields of a structure, and where it ended."""
        fields: dict[int, Any] = {}
        number = 0
        while byte := self._byte():
            number = number + (byte >> 4) if byte >> 4 else self._integer()
            fields[number] = self._value(byte & 15, depth + 1)
        return fields, self.at

    def _value(self, kind: int, depth: int, *, listed: bool = False) -> Any:
        if depth > DEEPEST:
            raise Damage("its structures are nested too deeply")
        if kind in (TRUE, FALSE):
            return (self._byte() if listed else kind) == TRUE
        if kind == BYTE:
            return self._byte()
        if kind in INTEGERS:
            return self._integer()
        if kind in WIDTHS:
            return self._bytes(WIDTHS[kind])
        if kind == TEXT:
            return self._bytes(self._varint())
        if kind in (LIST, SET):
            byte = self._byte()
            size = byte >> 4 if byte >> 4 < 15 else self._varint()
            return [self._value(byte & 15, depth + 1, listed=True) for _ in range(size)]
        if kind == STRUCT:
            return self.struct(depth)[0]
        if kind == MAP:
            size = self._varint()
            kinds = self._byte() if size else 0
            return [
                [self._value(each, depth + 1, listed=True) for each in (kinds >> 4, kinds & 15)]
                for _ in range(size)
            ]
        raise Damage(f"there is no type {kind} of Thrift")

    def _byte(self) -> int:
        byte = self.data[self.at]
        self.at += 1
        return byte

    def _bytes(self, size: int) -> bytes:
        if self.at + size > len(self.data):
            raise Damage("a text is longer than the file")
        self.at += size
        return self.data[self.at - size : self.at].tobytes()

    def _varint(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
            if shift > 63:
                raise Damage("a number has more than 64 bits")
        return value | byte << shift

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
