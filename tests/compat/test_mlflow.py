"""The scorer for ``mlflow.genai``: what MLflow logs of an evaluation, and what it is given."""

from __future__ import annotations

import importlib
import sys

import mlflow
import pytest
from mlflow.entities import SpanType

import rankwell as rw
from rankwell.compat.mlflow import ranking_scorer

LISTS = {"a": ["d1", "d2"], "b": ["d1", "d2"], "c": ["d1", "d2"], "d": []}
RELEVANT = {"a": ["d2"], "b": {"d1": 2, "d3": 1}, "c": {"d1": 0}, "d": [{"doc_uri": "d1"}]}


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "mlruns").as_uri())
    mlflow.set_experiment("lists")


@pytest.mark.filterwarnings("ignore")
def test_mlflow_has_the_value_of_each_query_and_the_mean(store):
    data = [
        {
            "inputs": {"q": query},
            "outputs": ids,
            "expectations": {"expected_retrieved_context": RELEVANT[query]},
        }
        for query, ids in LISTS.items()
    ]
    found = mlflow.genai.evaluate(data=data, scorers=[ranking_scorer(["ndcg@10", "rr"])])
    qrels = RELEVANT | {"a": {"d2": 1}, "d": {"d1": 1}}
    expected = rw.evaluate(LISTS, qrels, ["ndcg@10", "rr"], grades="judgements")
    assert found.metrics == pytest.approx(
        {"ndcg_at_10/mean": expected["ndcg@10"], "rr/mean": expected["rr"]}, abs=1e-12
    )
    rows = {row["request"]["q"]: row["ndcg_at_10/value"] for _, row in found.result_df.iterrows()}
    values = dict(expected.per_query.select("query", "ndcg@10").iter_rows())
    assert values.pop("c") is None
    assert rows.pop("c") != rows["a"], "nan: it has no value"
    assert rows == pytest.approx(values, abs=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_the_documents_of_a_retriever_in_the_trace_are_the_list(store):
    @mlflow.trace(span_type=SpanType.RETRIEVER)
    def search(q):
        texts = [{"page_content": each, "metadata": {"doc_uri": each}} for each in LISTS[q]]
        return [*texts, {"page_content": "", "id": "d7", "metadata": {"doc_uri": "x"}}]

    @mlflow.trace
    def answer(q, times=1):
        return [search(q) for _ in range(times)] and "an answer"

    score = ranking_scorer("rr", expected="ids")

    def first_of(trace_of):
        trace_of()
        mlflow.flush_trace_async_logging()
        return mlflow.get_trace(mlflow.get_last_active_trace_id())

    trace = first_of(lambda: answer("a"))
    assert [each.value for each in score(outputs="an answer", expectations={"ids": ["d2"]}, trace=trace)] == [
        0.5
    ]
    assert [each.value for each in score(outputs="an answer", expectations={"ids": ["d7"]}, trace=trace)] == [
        1 / 3
    ]
    with pytest.raises(rw.RankwellError, match="the trace has 2 spans of retrievers; say retrieved="):
        score(outputs="an answer", expectations={"ids": ["d2"]}, trace=first_of(lambda: answer("a", 2)))


def test_keys_and_names_are_said_and_what_is_undefined_is_no_feedback():
    score = ranking_scorer(
        ["ap(denom=R)@5", "p@1"], retrieved="ids", expected="relevant", name="lists", duplicates="first"
    )
    assert score.name == "lists"
    given = {"outputs": {"ids": ["a", "a", "b"]}, "expectations": {"relevant": ["b"]}}
    assert {each.name: each.value for each in score(**given)} == {"ap_denom_R_at_5": 1 / 3, "p_at_1": 0}
    assert score(outputs={"ids": ["a"]}, expectations={"relevant": {"a": 0}}) == []


@pytest.mark.parametrize(
    ("outputs", "expectations", "message"),
    [
        ({"id": ["a"]}, {"relevant": ["a"]}, r"the outputs have no 'ids', but \['id'\]; say retrieved=.*Did you mean id\?"),
        (None, {"relevant": ["a"]}, "the outputs have no 'ids', but None; say retrieved="),
        ({"ids": ["a"]}, None, "the expectations have no 'relevant', but None; say expected="),
        ({"ids": "abc"}, {"relevant": ["a"]}, "what is retrieved is a list of ids, or a dict of them, not 'abc'"),
        ({"ids": ["a"]}, {"relevant": 3}, "what is relevant is a list of ids, or a dict of them, not 3"),
        ({"ids": [{"text": "a"}]}, {"relevant": ["a"]}, r"a document has no id or doc_uri, but \['text'\]"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_one_error(outputs, expectations, message):
    with pytest.raises(rw.RankwellError, match=message):
        ranking_scorer("rr", retrieved="ids", expected="relevant")(outputs=outputs, expectations=expectations)


def test_without_the_package_the_error_says_what_to_type(monkeypatch):
    monkeypatch.delitem(sys.modules, "rankwell.compat.mlflow")
    monkeypatch.setitem(sys.modules, "mlflow.genai.scorers", None)
    with pytest.raises(
        ImportError, match=r"^rankwell\.compat\.mlflow needs MLflow 3 .*: pip install 'mlflow>=3'\.$"
    ):
        importlib.import_module("rankwell.compat.mlflow")


def test_without_a_key_the_outputs_are_the_list():
    score = ranking_scorer("rr")
    expected = {"expected_retrieved_context": ["b"]}
    for outputs in (["a", "b"], ("a", "b"), {"a": 0.9, "b": 0.1}):
        assert [each.value for each in score(outputs=outputs, expectations=expected)] == [0.5]
    with pytest.raises(rw.RankwellError, match="the outputs are no list of ids, and the trace has 0 spans"):
        score(outputs="text", expectations=expected)
