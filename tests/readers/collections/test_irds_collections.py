"""Whole collections of ir_datasets, here one of local files that is registered for the test."""

from __future__ import annotations

import io

import ir_datasets
import pytest
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import TrecQrels, TsvDocs, TsvQueries

import rankwell as rw
from rankwell.errors import InputError, UsageError


class Local:
    """What ir_datasets takes for a download."""

    def __init__(self, text, file=None):
        self.text, self.file = text, file

    def path(self, _force=True):
        self.file.write_text(self.text)
        return self.file

    def stream(self):
        return io.BytesIO(self.text.encode())


@pytest.fixture
def register():
    def registered(name, *parts):
        if name not in list(ir_datasets.registry):
            ir_datasets.registry.register(name, Dataset(*parts))
        return f"irds:{name}"

    return registered


def test_a_whole_collection_is_read_by_its_id(register, tmp_path):
    source = register(
        "rankwell-whole",
        TsvDocs(
            Local("d1\tlift of wings\n007\theat\n", tmp_path / "docs.tsv"),
            namespace="rankwell-whole",
            lang="en",
        ),
        TsvQueries(Local("1\twings\n2\tslabs\n", tmp_path / "queries.tsv"), lang="en"),
        TrecQrels(Local("1 0 d1 1\n2 0 007 2\n"), {}),
    )
    found = rw.read_collection(source)
    assert list(found.documents) == [("d1", "lift of wings"), ("007", "heat")]
    assert list(found.topics) == [("1", "wings"), ("2", "slabs")]
    assert found.qrels.grade.tolist() == [1.0, 2.0]
    assert not found.check()
    with pytest.raises(UsageError, match="the id names the split"):
        rw.read_collection(source, split="test")


def test_a_part_that_a_collection_lacks_is_named(register):
    source = register("rankwell-judged", TrecQrels(Local("1 0 d1 1\n"), {}))
    with pytest.raises(InputError, match="the collection has no docs"):
        rw.read_collection(source)
