"""Structures of Thrift's compact protocol, against a plain writer and Parquet files of pyarrow."""

from __future__ import annotations

import io
import random
import struct

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rankwell.kernels import thrift


def varint(value):
    out = b""
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def zigzag(value):
    return varint((value << 1) ^ (value >> 63))


def value_of(rng, depth):
    """A random value: its kind, its bytes, what should be read, and its bytes in a list."""
    kind = rng.choice([1, 2, 3, 4, 5, 6, 7, 8, 13] if depth > 3 else [1, 2, 3, 5, 6, 7, 8, 9, 10, 12])
    if kind < 3:
        return kind, b"", kind == 1, bytes([kind])
    if kind == 3:
        byte = rng.randrange(256)
        return kind, bytes([byte]), byte, bytes([byte])
    if kind < 7:
        number = rng.choice([0, -1, 1, rng.randrange(-(1 << 63), 1 << 63), rng.randrange(-200, 200)])
        return kind, zigzag(number), number, zigzag(number)
    if kind in (7, 13):
        held = rng.randbytes(8 if kind == 7 else 16)
        return kind, held, held, held
    if kind == 8:
        text = rng.randbytes(rng.choice([0, 3, 200]))
        return kind, varint(len(text)) + text, text, varint(len(text)) + text
    if kind == 12:
        held, fields = struct_of(rng, depth + 1)
        return kind, held, fields, held
    one = value_of(rng, depth + 1)
    size = rng.choice([0, 1, 14, 15, 40])
    held = (bytes([size << 4 | one[0]]) if size < 15 else bytes([15 << 4 | one[0]]) + varint(size)) + one[
        3
    ] * size
    return kind, held, [one[2]] * size, held


def struct_of(rng, depth=0):
    out, fields, number = b"", {}, 0
    for _ in range(rng.randrange(6)):
        step = rng.choice([1, 2, 15, 16, 300])
        number += step
        kind, held, value, _ = value_of(rng, depth)
        out += (bytes([step << 4 | kind]) if step < 16 else bytes([kind]) + zigzag(number)) + held
        fields[number] = value
    return out + b"\0", fields


def test_structures_are_read_as_they_were_written():
    rng = random.Random(1)
    for _ in range(1000):
        held, fields = struct_of(rng)
        before, after = rng.randbytes(3), rng.randbytes(3)
        read, end = thrift.struct(np.frombuffer(before + held + after, np.uint8), 3)
        assert (read, end) == (fields, 3 + len(held))


def test_damaged_structures_are_an_error_and_nothing_else():
    rng = random.Random(2)
    seen = set()
    for _ in range(5000):
        held = bytearray(struct_of(rng)[0])
        for _ in range(rng.randrange(1, 4)):
            held[rng.randrange(len(held))] = rng.randrange(256)
        held = held[: rng.randrange(len(held) + 1)]
        try:
            thrift.struct(np.frombuffer(bytes(held), np.uint8), 0)
        except (IndexError, ValueError) as error:
            seen.add(type(error))
    assert seen == {IndexError, ValueError}


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (b"", "the end is missing"),
        (b"\x15", "the end is missing"),
        (b"\x18\x7fabc", "a text is longer than the file"),
        (b"\x16" + b"\xff" * 9 + b"\x7f", "a number has more than 64 bits"),
        (b"\x1e", "there is no type 14 of Thrift"),
        (b"\x1c" * 200, "its structures are nested too deeply"),
    ],
)
def test_what_is_wrong_is_said(held, message):
    with pytest.raises((IndexError, ValueError), match=message):
        thrift.struct(np.frombuffer(held, np.uint8), 0)


def test_the_footer_of_a_parquet_file_is_what_pyarrow_says():
    table = pa.table({"query": [1, 2, 3] * 50, "name": ["a", "b", None] * 50})
    buffer = io.BytesIO()
    pq.write_table(table, buffer, row_group_size=40)
    content = buffer.getvalue()
    length = struct.unpack("<i", content[-8:-4])[0]
    footer, end = thrift.struct(np.frombuffer(content, np.uint8), len(content) - 8 - length)
    metadata = pq.ParquetFile(io.BytesIO(content)).metadata
    assert end == len(content) - 8
    assert footer[3] == metadata.num_rows == 150
    assert [group[3] for group in footer[4]] == [40, 40, 40, 30]
    assert [b".".join(chunk[3][3]) for chunk in footer[4][0][1]] == [b"query", b"name"]
    assert footer[6].decode() == metadata.created_by
