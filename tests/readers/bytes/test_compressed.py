"""Compressed files: all members are read, and nothing that follows or interrupts them is passed over."""

from __future__ import annotations

import random

import pytest
from tests.readers import ways

import rankwell as rw
from rankwell.errors import InputError

QRELS = {str(query): {f"d{query}": 1} for query in range(1000)}
SKIPPED = b"\x50\x2a\x4d\x18\x04\0\0\0abcd"  # a frame of zstd that holds no data


def rows(low, high):
    return "".join(f"{query} Q0 d{query} 1 1.0 t\n" for query in range(low, high)).encode()


def members(packed):
    pack = ways.COMPRESSIONS[packed]
    return [pack(rows(0, 300)), pack(rows(300, 650)), pack(b""), pack(rows(650, 1000))]


@pytest.mark.parametrize("packed", ways.COMPRESSIONS)
def test_all_members_are_read(tmp_path, packed):
    path = tmp_path / f"r.run{packed}"
    padded = [b"\0" * 8] if packed in (".gz", ".xz") else [SKIPPED] if packed == ".zst" else []
    for more in ([], padded):
        path.write_bytes(b"".join([*members(packed)[:2], *more, *members(packed)[2:], *more]))
        for run in (path, rw.read_run(path)):
            results = rw.evaluate(run, QRELS, "rr")
            assert results.mean == {"rr": 1.0}
            assert "judged queries missing from the run" not in results.counts


@pytest.mark.parametrize("packed", ways.COMPRESSIONS)
@pytest.mark.parametrize("where", [1, 2, 4])
@pytest.mark.parametrize("bad", [b"garbage", b"\n", b"XX", b"\0\0\0\1", b"1 Q0 a 1 2 t\n"])
def test_other_bytes_between_and_after_members_are_refused(tmp_path, packed, where, bad):
    parts = members(packed)
    parts.insert(where, bad)
    path = tmp_path / f"r.run{packed}"
    path.write_bytes(b"".join(parts))
    for read in (rw.read_run, lambda path: rw.evaluate(path, QRELS, "rr"), rw.read_qrels):
        with pytest.raises(
            InputError, match=r"data are damaged or cut off \(after the end there are other bytes\)"
        ):
            read(path)


@pytest.mark.parametrize("packed", ways.COMPRESSIONS)
@pytest.mark.parametrize("seed", range(40))
def test_damage_gives_no_number_of_fewer_rows(tmp_path, packed, seed):
    """zstd as Python writes it has no checksum, so that its changed text can be read; it is not cut short."""
    rng = random.Random(seed)
    content = bytearray(b"".join(members(packed)))
    if seed % 4 == 0:
        del content[rng.randrange(1, len(content) - 1) :]
    else:
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path = tmp_path / f"r.run{packed}"
    path.write_bytes(content)
    try:
        run = rw.read_run(path)
        lines = len(run)
    except rw.RankwellError:
        return
    ends = {len(b"".join(members(packed)[:number])) for number in range(5)}
    assert lines == 1000 or len(content) in ends or packed == ".zst"
