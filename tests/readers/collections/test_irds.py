"""Collections of ir_datasets, here one of local files that is registered for the test."""

from __future__ import annotations

import io

import ir_datasets
import pytest
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import TrecQrels, TrecScoredDocs

import rankwell as rw


class Local:
    """What ir_datasets takes for a download."""

    def __init__(self, text):
        self.text = text

    def stream(self):
        return io.BytesIO(self.text.encode())


@pytest.fixture
def collection():
    name = "rankwell-test"
    if name not in list(ir_datasets.registry):
        parts = [
            TrecQrels(Local("1 0 a 1\n1 0 b 0\n2 0 007 2\n"), {}),
            TrecScoredDocs(Local("1 Q0 b 1 2.5 t\n1 Q0 a 2 1.5 t\n2 Q0 007 1 1 t\n")),
        ]
        ir_datasets.registry.register(name, Dataset(*parts))
    return f"irds:{name}"


def test_a_collection_is_read_by_its_id(collection):
    lists = {"1": {"b": 2.5, "a": 1.5}, "2": {"007": 1.0}}
    expected = rw.evaluate(lists, {"1": {"a": 1, "b": 0}, "2": {"007": 2}}, ["ap", "ndcg"])
    seen = rw.evaluate(collection, collection, ["ap", "ndcg"])
    assert seen.mean == expected.mean
    assert seen.per_query.equals(expected.per_query)


def test_what_a_collection_lacks_is_told(collection):
    from rankwell.readers import read_items

    with pytest.raises(rw.RankwellError, match="the collection has no docs"):
        read_items(collection)
    with pytest.raises(rw.RankwellError, match="ir_datasets knows no such collection"):
        rw.read_run("irds:no/such")
