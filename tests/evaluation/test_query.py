"""The lists of a few queries, against the same lists of the whole run, in every form that a run has."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import rankwell as rw
from rankwell.evaluation import query as queries
from rankwell.evaluation.query import lists_of
from rankwell.readers import open_run
from rankwell.tables.ids import Ids

QUERIES, DEPTH = 40, 12
WANTED = ["q3", "q17", "q0", "q39", "nowhere"]


def rows(*, scattered, base=1):
    draw = np.random.default_rng(7)
    found = [
        (f"q{query}", f"d{item}", float(score), rank + base)
        for query in range(QUERIES)
        for rank, (item, score) in enumerate(
            zip(draw.permutation(50)[:DEPTH], np.sort(draw.random(DEPTH).round(2))[::-1], strict=True)
        )
    ]
    return [found[row] for row in draw.permutation(len(found))] if scattered else found


def written(kind, path, data):
    if kind == "trec":
        lines = [f"{q} Q0 {d} {rank} {score} tag\n" for q, d, score, rank in data]
        (path / "run.txt").write_text("".join(lines))
        return str(path / "run.txt")
    columns = {"query": [row[0] for row in data], "item": [row[1] for row in data]}
    columns |= {"rank": [row[3] for row in data]} if kind == "ranks" else {}
    columns |= {"score": [row[2] for row in data]} if kind == "scores" else {}
    frame = pl.DataFrame(columns)
    frame.write_parquet(path / "run.parquet")
    return frame if kind == "order" else str(path / "run.parquet")


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("scattered", [False, True])
@pytest.mark.parametrize("kind", ["trec", "scores", "ranks", "order"])
def test_lists_are_those_of_the_whole_run(tmp_path, monkeypatch, kind, scattered, base):
    monkeypatch.setattr(queries, "BATCH_ROWS", 50)
    source = written(kind, tmp_path, rows(scattered=scattered, base=base))
    qrels = {f"q{query}": {f"d{item}": item % 3 for item in range(50)} for query in range(QUERIES)}
    whole = rw.evaluate(source, qrels, ["ndcg@5", "rr"]).per_query
    few = lists_of(open_run(source), Ids.of(WANTED))
    assert sorted(few.queries) == sorted(WANTED[:-1])
    assert len(few) == 4 * DEPTH
    found = rw.evaluate(few, {query: qrels[query] for query in WANTED[:-1]}, ["ndcg@5", "rr"]).per_query
    assert found.equals(whole.filter(pl.col("query").is_in(WANTED)))


def test_none_of_the_queries_gives_an_empty_run():
    assert len(lists_of(open_run({"a": ["x"]}), Ids.of(["b"]))) == 0


def test_ids_of_numbers_are_found_by_their_text_and_the_reverse():
    run = open_run({1: [7, 8], 2: [9]})
    assert lists_of(run, Ids.of(["2"])).queries == [2]
    assert lists_of(open_run({"1": ["7"], "2": ["9"]}), Ids.of([2])).queries == ["2"]


def test_a_run_in_a_file_is_read_once(tmp_path):
    source = written("scores", tmp_path, rows(scattered=False))
    run = open_run(source)
    calls = []
    batches = type(run.rows).batches

    class Counted:
        grouped = run.rows.grouped

        def batches(self, size):
            calls.append(size)
            return batches(run.rows, size)

    lists_of(rw.Run.of_rows(Counted(), "run"), Ids.of(WANTED))
    assert len(calls) == 1
