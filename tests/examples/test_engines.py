"""Each engine against a second, slower way of computing, on a few documents, and under measurement."""

from __future__ import annotations

import math
import re

import numpy as np
import polars as pl
import pytest
from examples.engines.bm25_bm25s import BM25
from examples.engines.sqlite_fts5 import FTS5
from examples.engines.vectors_sklearn import LSI, TFIDF
from tests.examples.formulas import bm25

import rankwell as rw
from rankwell.tables.collections import Documents

# words that are no stop words, and that no stemmer changes
TEXTS = {
    "d1": "wing drag wing slab",
    "d2": "slab drag flow flow flow jet",
    "d3": "jet wing",
    "d4": "cone slab slab drag cone jet shock",
    "d5": "shock wing flow",
}
QUERIES = ["wing", "drag slab", "flow jet cone", "shock shock wing"]
DOCUMENTS = Documents(list(TEXTS), pl.DataFrame({"text": list(TEXTS.values())}))


@pytest.fixture(scope="module")
def engines():
    found = {"bm25": BM25(), "fts5": FTS5(), "tfidf": TFIDF(), "lsi": LSI(3)}
    for each in found.values():
        each.index(DOCUMENTS)
    yield found
    found["fts5"].connection.close()


@pytest.mark.parametrize("query", QUERIES[:3])
def test_bm25_is_lucenes_formula(engines, query):
    expected = bm25(TEXTS, query, 1.5, 0.75, lambda size, n: math.log(1 + (size - n + 0.5) / (n + 0.5)))
    assert dict(engines["bm25"].search(query, 10)) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    "query", ["cone", "cone flow"]
)  # in less than half of the documents, else FTS5 has a floor
def test_fts5_is_its_documented_formula(engines, query):
    # https://sqlite.org/fts5.html: k1 = 1.2, b = 0.75, idf = ln((N − n + 0.5) / (n + 0.5)), times k1 + 1
    expected = bm25(TEXTS, query, 1.2, 0.75, lambda size, n: 2.2 * math.log((size - n + 0.5) / (n + 0.5)))
    assert dict(engines["fts5"].search(query, 10)) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("query", QUERIES)
def test_tfidf_is_the_cosine_of_vectors(engines, query):
    vocabulary = sorted({word for text in TEXTS.values() for word in text.split()})
    n = [sum(word in text.split() for text in TEXTS.values()) for word in vocabulary]

    def vector(text):
        counts = [len(re.findall(rf"\b{word}\b", text)) for word in vocabulary]
        # scikit-learn's smooth idf and sublinear tf
        weights = [
            (1 + math.log(tf)) * (math.log((1 + len(TEXTS)) / (1 + of)) + 1) if tf else 0.0
            for tf, of in zip(counts, n, strict=True)
        ]
        return np.array(weights) / np.linalg.norm(weights)

    expected = {item: float(vector(text) @ vector(query)) for item, text in TEXTS.items()}
    assert dict(engines["tfidf"].search(query, 10)) == pytest.approx(expected, abs=1e-12)


def test_lsi_in_all_dimensions_orders_as_tfidf_does(engines):
    whole = LSI(5)
    whole.index(DOCUMENTS)
    for query in QUERIES:
        exact = dict(engines["tfidf"].search(query, 5))
        ours = dict(whole.search(query, 5))
        # the cosine within the space of the documents: the same up to the length of the query in it
        factor = max(ours.values()) / max(exact.values())
        assert ours == pytest.approx({item: factor * score for item, score in exact.items()}, abs=1e-9)


def test_every_engine_can_be_measured(tmp_path):
    systems = {"bm25": BM25(), "fts5": FTS5(tmp_path / "index.sqlite"), "tfidf": TFIDF(), "lsi": LSI(3)}
    costs = rw.efficiency.measure(systems, QUERIES, items=DOCUMENTS, k=3, repetitions=1)
    assert costs.failures.is_empty(), costs.failures["message"].to_list()
    assert costs.indexing["items"].to_list() == [5] * 4
    assert costs.indexing["size"].to_list() == [None, (tmp_path / "index.sqlite").stat().st_size, None, None]
    table = costs.beside({"1": {"d1": 1}, "2": {"d4": 1}}, ["rr", "ndcg@3"])
    assert [row[0] for row in table.rows] == ["bm25", "fts5", "tfidf", "lsi"]
    assert all(0 < row[1] <= 1 for row in table.rows)


def test_systems_that_no_other_beats_are_marked():
    from rankwell.efficiency.tables import front

    rng = np.random.default_rng(0)
    for _ in range(50):
        pairs = [tuple(each) for each in rng.integers(4, size=(6, 2)).astype(float)]
        expected = [not any((a > q and b <= c) or (a >= q and b < c) for a, b in pairs) for q, c in pairs]
        assert front(pairs) == expected
