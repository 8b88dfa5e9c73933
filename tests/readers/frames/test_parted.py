"""A table whose rows are in any order is read like one in which those of each query stand together."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest
from tests.cases import drawn

import rankwell as rw
from rankwell.evaluation.engines.memory import Memory
from rankwell.readers.frames import tables

METRICS = ["ap", "ndcg@5", "rr", "bpref"]
LONG = "x" * 300
KINDS = {
    "integers": (lambda query: query, lambda item: item),
    # of each width that pieces may be held in, most of them in several
    "wide": (
        lambda query: (-1) ** query * 10 ** (query % 19) + query,
        lambda item: item * 2**55 - 2**62 if item % 2 else -item,
    ),
    "text": (
        lambda query: ["", "q8", "가나", "query-of-some-length", LONG][query % 5] + str(query),
        lambda item: "D" * (item % 21) + str(item),
    ),
}


def rows_of(kind, seed=1):
    """Lists with ranks, some of which contradict the scores."""
    rng = random.Random(seed)
    query_of, item_of = KINDS[kind]
    return [
        (query_of(query), item_of(item), rank + 1, round(9 - rank + 2 * rng.random(), 3))
        for query in range(60)
        for rank, item in enumerate(rng.sample(range(200), rng.choice([1, 3, 8, 20])))
    ]


def frame_of(rows):
    return pl.DataFrame(rows, schema=["query", "item", "rank", "score"], orient="row")


def qrels_of(kind):
    query_of, item_of = KINDS[kind]
    rng = random.Random(7)
    return {
        query_of(query): {item_of(item): rng.choice([0, 1, 2]) for item in range(0, 200, 3)}
        for query in range(55)
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("columns", [("score",), ("rank",), ("rank", "score")])
@pytest.mark.parametrize("piece", [1, 13, 10_000])
def test_values_and_counts_are_those_of_the_table_in_order(tmp_path, monkeypatch, kind, columns, piece):
    monkeypatch.setattr(tables, "PIECE", piece)
    rows, qrels = rows_of(kind), qrels_of(kind)
    wanted = frame_of(rows).select("query", "item", *columns)
    expected = rw.evaluate(wanted, qrels, METRICS)
    mixed = wanted.sample(fraction=1, shuffle=True, seed=piece)
    mixed.write_parquet(tmp_path / "run.parquet", row_group_size=100)
    for run in (mixed, tmp_path / "run.parquet"):
        for batch in drawn((40, 300, 10_000), f"parts {kind} {columns} {piece} {type(run)}", 3):
            found = rw.evaluate(run, qrels, METRICS, engine=Memory(batch=batch))
            assert found.mean == expected.mean, batch
            assert found.counts == expected.counts, batch


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.int64])
def test_whole_numbers_are_held_in_the_smallest_type(kind):
    ends = [np.iinfo(kind).min, np.iinfo(kind).max]
    for numbers in ([ends[0]], [ends[1]], ends):
        held = tables.narrow(np.array(numbers, np.int64))
        assert held.tolist() == numbers
        assert held.dtype == kind
    if kind != np.int64:
        assert [tables.narrow(np.array([end])).itemsize for end in (ends[0] - 1, ends[1] + 1)] == [
            2 * np.dtype(kind).itemsize
        ] * 2


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_names_the_rows_of_the_table(monkeypatch, kind):
    monkeypatch.setattr(tables, "PIECE", 50)
    rows = rows_of(kind)
    random.Random(3).shuffle(rows)
    rows[400] = rows[123]
    with pytest.raises(rw.RankwellError) as caught:
        rw.evaluate(frame_of(rows), qrels_of(kind), "ap", engine=Memory(batch=100))
    assert "row 401" in str(caught.value) or ":401" in str(caught.value)
    assert "row 124" in str(caught.value) or ":124" in str(caught.value)
