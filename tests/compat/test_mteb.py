"""Results of MTEB's tasks: what MTEB itself says of them, for the tasks that it ships for tests and models made of words."""

from __future__ import annotations

import mteb
import pytest
import torch
from mteb.mocks.mock_tasks.classification import MockClassificationTask
from mteb.mocks.mock_tasks.reranking import MockRerankingTask
from mteb.mocks.mock_tasks.retrieval import MockMultilingualRetrievalTask, MockRetrievalTask
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import BoW, Dense

import rankwell as rw
from rankwell.compat.mteb import keep_results

WORDS = ["this", "is", "a", "positive", "negative", "sentence", "another", "query", "test"]
NAMES = {
    "ndcg@10": "ndcg_at_10", "ap(denom=R)@3": "map_at_3", "r@1": "recall_at_1", "p@1": "precision_at_1", "rr@10": "mrr_at_10",
    "hit@1": "hit_rate_at_1",
}  # fmt: skip


def model(seed=0):
    torch.manual_seed(seed)
    return SentenceTransformer(modules=[BoW(WORDS), Dense(len(WORDS), 4)], device="cpu")


def evaluated(tasks, seed=0):
    found = mteb.evaluate(model(seed), tasks, cache=None, show_progress_bar=False)
    return {
        (each.task_name, split, row["hf_subset"]): row
        for each in found.task_results
        for split, rows in each.scores.items()
        for row in rows
    }


@pytest.mark.filterwarnings("ignore")
def test_the_values_are_those_of_mteb_and_its_own_results_do_not_change(tmp_path):
    made = [MockRetrievalTask, MockMultilingualRetrievalTask, MockRerankingTask]
    plain = evaluated([task() for task in made])
    tasks = [task() for task in made]
    kept = keep_results(tasks, list(NAMES), tmp_path, name="a/words")
    assert kept == {}
    theirs = evaluated(tasks)
    assert theirs == plain
    labels = {
        "MockRetrievalTask-val": ("MockRetrievalTask", "val", "default"),
        "MockRetrievalTask-test": ("MockRetrievalTask", "test", "default"),
        "MockMultilingualRetrievalTask-eng-val": ("MockMultilingualRetrievalTask", "val", "eng"),
        "MockMultilingualRetrievalTask-fra-val": ("MockMultilingualRetrievalTask", "val", "fra"),
        "MockMultilingualRetrievalTask-eng-test": ("MockMultilingualRetrievalTask", "test", "eng"),
        "MockMultilingualRetrievalTask-fra-test": ("MockMultilingualRetrievalTask", "test", "fra"),
        "MockRerankingTask": ("MockRerankingTask", "test", "default"),
    }
    assert kept.keys() == labels.keys()
    for label, key in labels.items():
        results = kept[label]["a/words"]
        for name, there in NAMES.items():
            assert results[name] == pytest.approx(theirs[key][there], abs=6e-6), (
                label,
                name,
            )  # five digits there
        loaded = rw.Results.load(tmp_path / label / "a_words.parquet")
        assert loaded.per_query.equals(results.per_query)
        assert loaded.n["ndcg@10"] == 2


@pytest.mark.filterwarnings("ignore")
def test_models_follow_each_other_and_are_called_as_mteb_calls_them():
    kept = keep_results(task := MockRerankingTask(), "rr")
    keep_results(task, "p@1", name="again")  # what listens already goes on to
    evaluated(task)
    assert list(kept["MockRerankingTask"]) == ["no_model_name/available"]


@pytest.mark.filterwarnings("ignore")
def test_rules_may_be_said_and_the_first_document_left_out_where_a_task_does():
    results = {"q1": {"d1": 0.9, "d2": 0.8}, "q2": {"d2": 0.7, "d1": 0.2}}
    qrels = {"q1": {"d2": 1}, "q2": {"d2": 1}, "q3": {"d1": 1}, "q4": {"d1": 0}}
    values = {}
    for skip, rules in (False, {}), (True, {}), (False, {"missing": "empty", "undefined": "skip"}):
        task = MockRetrievalTask()
        task.skip_first_result = skip
        task.evaluate = lambda model, task=task: task.task_specific_scores(
            {}, qrels, results, hf_split="val", hf_subset="default"
        )
        kept = keep_results(task, "rr", name="m", **rules)
        assert task.evaluate(None) == {}
        values[skip, len(rules)] = kept["MockRetrievalTask-val"]["m"]
    assert values[False, 0].per_query.rows() == [("q1", 0.5), ("q2", 1.0)]
    assert values[True, 0].per_query.rows() == [("q1", 1.0), ("q2", 0.0)]
    assert values[False, 2].per_query.rows() == [("q1", 0.5), ("q2", 1.0), ("q3", 0.0), ("q4", None)]


def test_a_task_without_lists_is_one_error():
    with pytest.raises(rw.RankwellError, match="MockClassificationTask is no task of retrieval or reranking"):
        keep_results([MockRerankingTask(), MockClassificationTask()], "rr")
    with pytest.raises(rw.RankwellError, match="keep_results: str is no task"):
        keep_results(["SciFact"], "rr")
