"""The JSON text of results: as Python's own encoder indents it, but with one line for each query."""

from __future__ import annotations

import json

import pytest

import rankwell as rw
from rankwell.results.summary import several_to_json

RUN = {'a"b': ["x", "y"], "line\nend": ["y", "x"], "c\u2028, d": ["z"], "é\\n": ["x"], "{}%s": []}
QRELS = {query: {"x": 1, "y": 2} for query in RUN} | {"none": {"x": 0}}
METRICS = ["ndcg@10", "ap", "rr", "coverage@1"]
TEXT = rw.evaluate(RUN, QRELS, METRICS, items=["x", "y", "z"])
NUMBERS = rw.evaluate({1: {5: 2.0, 6: 1.0}, 22: {5: 0.5}}, {1: {6: 1}, 22: {6: 1}}, ["ap"])
CORPUS = rw.evaluate({"q": ["x"]}, None, ["coverage@1"], items=["x", "y"])
GIVEN = {"text": TEXT, "numbers": NUMBERS, "corpus": CORPUS}


def slowly(data):
    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False)


def head():
    return {"rankwell": rw.__version__, "schema": 1}


@pytest.mark.parametrize("name", GIVEN)
def test_without_queries_the_text_is_that_of_the_encoder(name):
    res = GIVEN[name]
    assert res.to_json() == slowly(head() | res.to_dict())
    assert several_to_json([res]) == slowly(head() | {"runs": [res.to_dict()]})
    assert several_to_json([res, res]) == slowly(head() | {"runs": [res.to_dict()] * 2})


@pytest.mark.parametrize("name", GIVEN)
def test_the_values_of_each_query_are_the_same_data_in_a_line_each(name):
    res = GIVEN[name]
    expected = res.to_dict(per_query=True)
    rows = [json.dumps(row, ensure_ascii=False) for row in expected["per_query"]]
    for text, data in (
        (res.to_json(per_query=True), head() | expected),
        (several_to_json([res, res], per_query=True), head() | {"runs": [expected] * 2}),
    ):
        assert json.loads(text) == data
        own = [line.strip().removesuffix(",") for line in text.split("\n") if '"query": ' in line]
        assert own == rows * len(data.get("runs", [1]))


def test_what_is_saved_with_a_line_for_each_query_is_read_again(tmp_path):
    TEXT.save(tmp_path / "res.json")
    again = rw.Results.load(tmp_path / "res.json")
    assert again.per_query.equals(TEXT.per_query)
    assert again.mean == TEXT.mean
