"""Metrics in LlamaIndex's evaluator: the package itself where it is installed (`make test-faces`), else classes with its interface."""

from __future__ import annotations

import asyncio
import math
import sys
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace

import pytest

import rankwell as rw
from rankwell.compat.llama_index import as_metric, run_and_qrels

LISTS = {"tall?": ["a", "b", "c"], "wide?": ["d", "a"], "none?": []}
EXPECTED = {"tall?": ["b", "c"], "wide?": ["a", "d", "x"], "none?": ["a"]}
BASES = "llama_index.core.evaluation.retrieval.metrics_base"


@pytest.fixture
def evaluate(monkeypatch):
    """A function of metrics that evaluates every query, as ``RetrieverEvaluator`` does."""
    if find_spec("llama_index") is None:
        made = ModuleType(BASES)
        made.BaseRetrievalMetric, made.RetrievalMetricResult = object, SimpleNamespace
        monkeypatch.setitem(sys.modules, BASES, made)

        def evaluate(metrics):
            return [
                SimpleNamespace(
                    query=query, expected_ids=EXPECTED[query], retrieved_ids=ids,
                    metric_dict={each.metric_name: each.compute(query, EXPECTED[query], ids, None, ids) for each in metrics},
                )
                for query, ids in LISTS.items()
            ]  # fmt: skip

        return evaluate
    from llama_index.core.evaluation import RetrieverEvaluator
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, TextNode

    class Lists(BaseRetriever):
        def _retrieve(self, bundle):
            ids = LISTS[bundle.query_str]
            return [
                NodeWithScore(node=TextNode(id_=each, text=each), score=-at) for at, each in enumerate(ids)
            ]

    def evaluate(metrics):
        evaluator = RetrieverEvaluator(metrics=metrics, retriever=Lists())
        return [asyncio.run(evaluator.aevaluate(query, EXPECTED[query])) for query in LISTS]

    return evaluate


def test_every_query_has_the_value_that_an_evaluation_of_all_gives_it(evaluate):
    names = ["ndcg@10", "rr", "r@2", "ap"]
    results = evaluate([as_metric(name) for name in names])
    together = rw.evaluate(*run_and_qrels(results, name="lists"), names)
    assert together.name == "lists"
    rows = {query: values for query, *values in together.per_query.iter_rows()}
    assert {each.query: [each.metric_dict[name].score for name in names] for each in results} == rows
    assert rows["none?"] == [0, 0, 0, 0]


def test_what_is_undefined_says_so_and_rules_may_be_given(evaluate):
    evaluate([])
    nothing = as_metric("rr").compute("q", [], ["a"])
    assert math.isnan(nothing.score)
    assert nothing.metadata == {"undefined": True}
    assert as_metric("rr").compute("q", ["a"], []).metadata == {}
    twice = as_metric("p@2", duplicates="first")
    assert twice.compute("q", ["a"], ["a", "a"]).score == 0.5
    with pytest.raises(rw.RankwellError, match="'a'"):
        as_metric("p@2").compute("q", ["a"], ["a", "a"])


def test_wrong_calls_are_one_error(evaluate):
    evaluate([])
    with pytest.raises(rw.RankwellError, match=r"makes one metric, not 2 \(rr, p@1\)"):
        as_metric(["rr", "p@1"])
    with pytest.raises(rw.RankwellError, match=r"ndgc.*Did you mean ndcg"):
        as_metric("ndgc")
    with pytest.raises(
        rw.RankwellError, match="rr needs expected_ids and retrieved_ids; of 'q' one is missing"
    ):
        as_metric("rr").compute("q", ["a"])
    result = SimpleNamespace(query="q", expected_ids=["a"], retrieved_ids=["a"])
    with pytest.raises(rw.RankwellError, match="the query 'q' comes twice"):
        run_and_qrels([result, result])


def test_without_the_package_the_error_says_what_to_type(monkeypatch):
    monkeypatch.setitem(sys.modules, BASES, None)
    monkeypatch.setitem(sys.modules, "llama_index", None)
    with pytest.raises(
        ImportError, match=r"^as_metric needs LlamaIndex \(.*\): pip install llama-index-core\.$"
    ):
        as_metric("rr")
