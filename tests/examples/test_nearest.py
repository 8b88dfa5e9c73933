"""The approximate search against the exact one over the same vectors: what it finds is scored exactly, and its recall is counted."""

from __future__ import annotations

import lzma
from pathlib import Path

import numpy as np
import pytest
from examples.engines.nearest_usearch import HNSW
from examples.engines.vectors_sklearn import LSI

import rankwell as rw
from rankwell.tables.collections import Collection, Documents

CRANFIELD = Path(__file__).parents[1] / "data" / "cranfield"
SIZE, DIMENSIONS, K = 600, 40, 10  # of the 1,400 documents the first


@pytest.fixture(scope="module")
def cranfield(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cranfield")
    for name in ("cran.all.1400", "cran.qry"):
        (folder / name).write_bytes(lzma.decompress((CRANFIELD / f"{name}.xz").read_bytes()))
    whole = rw.read_collection(documents=folder / "cran.all.1400", topics=folder / "cran.qry")
    documents = Documents(whole.documents.ids[np.arange(SIZE)], whole.documents.frame.head(SIZE))
    return Collection("cranfield", documents, whole.topics)


@pytest.fixture(scope="module")
def exact(cranfield):
    system = LSI(DIMENSIONS)
    system.index(cranfield.documents)
    return system


def answers(system, topics, k=K):
    return {query: dict(system.search(text, k)) for query, text in topics}


@pytest.fixture(scope="module")
def hasty(cranfield):
    system = HNSW(DIMENSIONS, connectivity=4, expansion=K)
    system.index(cranfield.documents)
    return system


def test_what_is_found_has_its_exact_cosine(cranfield, exact, hasty):
    for query, own in answers(hasty, list(cranfield.topics)[:20]).items():
        text = dict(cranfield.topics)[query]
        vector = exact.model.transform([text])[0]
        for item, score in own.items():
            other = exact.vectors[exact.ids.index(item)]
            assert score == pytest.approx(sum(a * b for a, b in zip(vector, other, strict=True)), abs=1e-12)
        assert list(own.values()) == sorted(own.values(), reverse=True)


def test_recall_is_the_share_of_exact_neighbours_that_the_graph_finds(cranfield, exact, hasty):
    wanted, found = answers(exact, cranfield.topics), answers(hasty, cranfield.topics)
    # the cosines of Cranfield's documents are all different, but of the two that have no text: a comparison of ids counts the same
    counted = [len(wanted[query].keys() & found[query].keys()) / K for query in wanted]
    recall = rw.efficiency.recall_of_exact(found, wanted, K)
    assert recall.mean == pytest.approx(np.mean(counted), abs=1e-12)
    assert 0.5 < recall.mean < 0.95
    assert recall.low < recall.mean < recall.high


def test_a_graph_that_is_searched_whole_misses_nothing(cranfield, exact):
    whole = HNSW(DIMENSIONS, connectivity=32, expansion=SIZE)
    whole.index(cranfield.documents)
    topics = list(cranfield.topics)[:60]
    recall = rw.efficiency.recall_of_exact(answers(whole, topics), answers(exact, topics), K)
    assert recall.mean == 1


def test_the_same_documents_make_the_same_graph(cranfield, hasty):
    again = HNSW(DIMENSIONS, connectivity=4, expansion=K)
    again.index(cranfield.documents)
    topics = list(cranfield.topics)[:60]
    assert answers(again, topics) == answers(hasty, topics)


def test_both_searches_are_measured_and_their_recall_comes_from_the_measured_answers(cranfield):
    systems = {"exact": LSI(DIMENSIONS), "graph": HNSW(DIMENSIONS, connectivity=4, expansion=K)}
    costs = rw.efficiency.measure(
        systems, dict(list(cranfield.topics)[:60]), items=cranfield.documents, k=K, repetitions=1
    )
    assert costs.failures.is_empty(), costs.failures["message"].to_list()
    recall = rw.efficiency.recall_of_exact(costs.runs["graph"], costs.runs["exact"], K)
    assert 0.5 < recall.mean < 0.95
    assert len(recall.by_query) == 60
