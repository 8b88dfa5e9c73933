"""Check that the page headers of a Parquet file are possible.

Polars trusts them: a damaged count of values makes it allocate 2^61 bytes and kills the process. So each header, a few
bytes, is read first. They are Thrift structures, here dicts of field number and value (see parquet.thrift of the Parquet format).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rankwell.errors import brief
from rankwell.kernels import thrift
from rankwell.readers.damage import Damage, refused
from rankwell.readers.files import File

MARK, TAIL = b"PAR1", 8
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
    footer, _ = _struct(content[start:-TAIL], 0)
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
        header, at = _struct(content[:end], at)
        at += header[3]
        found = header[HEADERS[header[1]]][1] if header[1] in HEADERS else 0
        if header[3] < 0 or at > end:
            raise Damage(f"a page of column {brief(chunk['name'])} would be longer than the column")
        # a value of a dictionary takes a byte at least
        most = header[2] if header[1] == DICTIONARY else chunk[5] - values
        if header[2] < 0 or not 0 <= found <= most:
            raise Damage(f"a page of column {brief(chunk['name'])} would hold {found:,} values")
        values += found if header[1] != DICTIONARY else 0


def _struct(content: np.ndarray, at: int) -> tuple[dict[int, Any], int]:
    """The fields of the structure at a byte, and where it ends."""
    try:
        return thrift.struct(content, at)
    except ValueError as error:
        raise Damage(str(error)) from error
