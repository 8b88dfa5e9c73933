"""Real files, odd in real ways, come out right."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.evidence import evidence

import rankwell as rw
from rankwell.readers import read_items

METRICS = ["ndcg@10", "ap", "rr@10", "coverage@10"]
RATED = rw.Policy(rel=7)


@pytest.fixture
def movies():
    return evidence("movietweetings-100k")


@pytest.mark.parametrize("system", ["recs_als", "recs_itemknn"])
def test_ids_with_leading_zeros_are_the_same_text_from_csv_parquet_and_double_colons(movies, system):
    seen = [
        rw.evaluate(movies / "recs" / run, qrels, METRICS, items=items, policy=RATED)
        for run in (f"{system}.csv", f"{system}.parquet")
        for qrels in (
            movies / "split" / "test.csv",
            pl.read_csv(movies / "split" / "test.csv", infer_schema=False),
        )
        for items in (movies / "split" / "items.csv", movies / "movies.dat")
    ]
    assert all(each.mean == seen[0].mean and each.per_query.equals(seen[0].per_query) for each in seen)
    assert read_items(movies / "movies.dat").item.tolist()[0] == "0002844"
    assert seen[0].counts["lists"] == 2732


def test_double_colon_ratings_are_those_of_the_split(movies):
    ratings = rw.read_qrels(movies / "ratings.dat")
    assert len(ratings) == 100_000
    assert (ratings.grade.min(), ratings.grade.max()) == (0, 10)
    parts = [rw.read_qrels(movies / "split" / f"{part}.csv") for part in ("train", "test")]
    rated = {
        (user, item): grade
        for user, item, grade in zip(
            ratings.query.tolist(), ratings.item.tolist(), ratings.grade, strict=True
        )
    }
    for part in parts:
        rows = zip(part.query.tolist(), part.item.tolist(), part.grade, strict=True)
        assert all(rated[user, item] == grade for user, item, grade in rows)


def test_a_subtopic_column_is_the_topic_and_the_highest_grade_counts(movies):
    web = evidence("trec-web-2012")
    qrels = rw.read_qrels(web / "qrels.diversity.txt")
    assert (len(qrels), len(set(qrels.query.tolist())), qrels.grade.min()) == (62_394, 50, -2)
    assert len(np.unique(qrels.topic.keys)) > 1
    assert {"151", "200"} <= set(qrels.query.tolist())


def test_every_real_run_is_read_as_trec_and_every_table_as_what_it_is(movies):
    folders = [evidence("trec-covid-round1/runs"), evidence("cranfield/runs")]
    runs = [path for folder in folders for path in sorted(folder.glob("*"))]
    assert len(runs) > 8
    for path in runs:
        assert ": read as trec" in rw.read_run(path).source
    compressed = rw.read_run(evidence("cranfield/runs/bm25-top1000.run.gz"))
    assert "read as trec, gzip (by its first bytes)" in compressed.source
    assert "read as delimited (by its first bytes)" in rw.read_qrels(movies / "split" / "test.csv").source
    assert "read as movielens" in rw.read_qrels(movies / "ratings.dat").source
