"""Buffers of blocks are used again, but never while something refers to what they hold."""

from __future__ import annotations

import pytest

from rankwell.readers.bytes.files import File
from rankwell.readers.bytes.text import Buffers, blocks
from rankwell.readers.formats import trec
from rankwell.tables.rows import IdStretches


def test_a_part_of_a_buffer_keeps_it_from_being_used_again():
    buffers = Buffers()
    first = buffers.take(1000)
    first[:] = 1
    part = first[10:20]
    del first
    second = buffers.take(1000)
    second[:] = 2
    assert part.tolist() == [1] * 10


def test_a_buffer_that_nothing_refers_to_is_used_again_for_blocks_a_little_larger():
    buffers = Buffers()
    first = buffers.take(1000)
    at = first.ctypes.data
    del first
    second = buffers.take(1100)
    assert (second.ctypes.data, len(second)) == (at, 1100)


@pytest.mark.parametrize("size", [50, 1_000, 9_000, 60_000, 500_000])
def test_the_first_of_several_blocks_is_small_the_others_alike_and_all_of_whole_queries(tmp_path, size):
    lines = [f"q{row // 3:04} Q0 d{row:05} 1 {row:05} r\n" for row in range(9_000)]
    path = tmp_path / "a.run"
    path.write_text("".join(lines), encoding="utf-8")
    read = [take() for take in blocks(File(path), size)]
    texts = [block.text[block.begin : block.end].tobytes().decode() for block in read]
    assert "".join(texts) == "".join(lines)
    query = len(lines[0]) * 3
    assert all(len(text) % query == 0 for text in texts)
    assert max(map(len, texts)) <= max(size, 16) + 2 * query
    if len(texts) > 1:
        assert len(texts[0]) <= size // 4 + 2 * query
        assert all(abs(len(text) - len(texts[1])) <= 4 * query for text in texts[1:-1])


@pytest.mark.parametrize(
    ("queries", "is_stretched"), [("aaabbbbcc", True), ("ababcabca", False), ("aaabbbaaa", True)]
)
def test_judgements_keep_each_query_once_where_lines_stand_together(tmp_path, queries, is_stretched):
    path = tmp_path / "a.qrels"
    lines = [f"{query} 0 d{row} {row}\n" for row, query in enumerate(queries)]
    path.write_text("".join(lines), encoding="utf-8")
    qrels = trec.read_qrels(File(path), name="a", columns={})
    assert isinstance(qrels.by_query, IdStretches) == is_stretched
    assert "".join(qrels.query.tolist()) == queries
    assert qrels.place(4) == f"{path}:5"
