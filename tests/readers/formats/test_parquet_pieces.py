"""A Parquet file is read in parts of its row groups, so that nobody joins their columns; small row groups are joined."""

from __future__ import annotations

import os

import numpy as np
import polars as pl
import pytest

import rankwell as rw
from rankwell.evaluation.engines.memory import Memory
from rankwell.readers.bytes.files import File
from rankwell.readers.formats import parquet
from rankwell.readers.frames import tables

ROWS = 10_001
FRAME = pl.DataFrame(
    {
        "query": [row // 7 for row in range(ROWS)],
        "item": [row % 7 for row in range(ROWS)],
        "score": [float(row * 5 % 11) for row in range(ROWS)],
    }
)


def pieces(path, size):
    return list(parquet.READER.opened(File(path), "run", "run", {}).frames(size))


@pytest.mark.parametrize("group", [999, 1000, 2500, ROWS])
@pytest.mark.parametrize("size", [300, 900, 1000, 3000])
def test_pieces_are_parts_of_row_groups(tmp_path, group, size):
    path = tmp_path / "run.parquet"
    FRAME.write_parquet(path, row_group_size=group)
    found = pieces(path, size)
    assert pl.concat(found).equals(FRAME)
    assert max(len(piece) for piece in found) <= size
    assert {piece.n_chunks() for piece in found} == {1}


def test_row_groups_that_are_much_smaller_than_a_piece_are_joined(tmp_path):
    path = tmp_path / "run.parquet"
    FRAME.write_parquet(path, row_group_size=100)
    found = pieces(path, 3000)
    assert pl.concat(found).equals(FRAME)
    assert len(found) == 4


@pytest.mark.parametrize("group", [50, 999, 2500, ROWS])
@pytest.mark.parametrize("batch", [100, 1000, 3000])
def test_pieces_change_no_value(tmp_path, group, batch):
    path = tmp_path / "run.parquet"
    FRAME.write_parquet(path, row_group_size=group)
    qrels = pl.DataFrame({"query": range(0, 1400, 3), "item": [query % 7 for query in range(0, 1400, 3)]})
    expected = rw.evaluate(FRAME, qrels, ["ap", "ndcg@3"], threads=1)
    found = rw.evaluate(path, qrels, ["ap", "ndcg@3"], engine=Memory(batch=batch))
    assert (found.mean, found.counts) == (expected.mean, expected.counts)
    assert found.per_query.equals(expected.per_query)


def test_a_file_that_is_cut_off_while_its_pages_are_looked_at_is_one_error(tmp_path, monkeypatch):
    path = tmp_path / "run.parquet"
    FRAME.write_parquet(path)
    chunks = parquet._chunks

    def cut_off(groups):
        os.truncate(path, 0)
        return chunks(groups)

    monkeypatch.setattr(parquet, "_chunks", cut_off)
    with pytest.raises(rw.RankwellError, match=r"run\.parquet: the Parquet file cannot be read"):
        rw.read_run(path)


@pytest.mark.parametrize("near", [1, 8, 20])
def test_a_header_of_a_page_may_be_longer_than_what_is_read_at_first(tmp_path, monkeypatch, near):
    path = tmp_path / "run.parquet"
    FRAME.write_parquet(path, row_group_size=1_000)
    monkeypatch.setattr(parquet, "NEAR", near)
    assert parquet.check_pages(File(path)) == 1_000


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("group", [100, 130, 1000])
@pytest.mark.parametrize("batch", [100, 1000])
def test_lists_of_any_length_go_on_in_any_number_of_pieces(tmp_path, text, group, batch):
    lengths = np.random.default_rng(group).choice([1, 2, 63, 64, 65, 200, 700], 40)
    query = np.repeat(np.arange(40), lengths)
    score = np.arange(len(query), 0, -1.0)
    frame = pl.DataFrame({"query": query, "item": np.arange(len(query)) % 701, "score": score})
    if text:
        frame = frame.with_columns(pl.col("query", "item").cast(pl.String))
    path = tmp_path / "run.parquet"
    frame.write_parquet(path, row_group_size=group)
    qrels = frame.gather_every(9).drop("score")
    expected = rw.evaluate(frame, qrels, ["ap", "ndcg@30"], threads=1)
    found = rw.evaluate(path, qrels, ["ap", "ndcg@30"], engine=Memory(batch=batch))
    assert found.counts == expected.counts
    assert found.per_query.equals(expected.per_query)


@pytest.mark.parametrize("rows", [1, 2, 50])
def test_rows_that_wait_for_the_next_piece_do_not_hold_theirs(rows):
    piece = FRAME.with_columns(pl.col("item").cast(pl.Int32))
    owned = tables._owned(piece[7 : 7 + rows])
    assert owned.equals(piece[7 : 7 + rows])
    assert owned.schema == piece.schema
    for column in owned:
        assert not np.may_share_memory(column.to_numpy(), piece[column.name].to_numpy())


@pytest.mark.parametrize("size", [7, 1000, 4000])
def test_judgements_in_text_are_the_same_in_any_number_of_pieces(tmp_path, monkeypatch, size):
    frame = pl.select(
        query=pl.format("q{}", pl.int_range(3000) // 3),
        item=pl.format("item {}", pl.int_range(3000) * 7 % 99),
    )
    path = tmp_path / "qrels.parquet"
    frame.write_parquet(path, row_group_size=900)
    monkeypatch.setattr(tables, "PIECE", size)
    read = rw.read_qrels(path)
    assert read.item.tolist() == frame["item"].to_list()
    assert read.query.tolist() == frame["query"].to_list()
    assert read.item.keys.tolist() == rw.read_qrels(frame).item.keys.tolist()
