"""The evaluator for sentence-transformers: against its own, and against a loop over pairs of vectors of a model made of words."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator
from sentence_transformers.sentence_transformer.modules import BoW, Dense

import rankwell as rw
from rankwell.compat.sentence_transformers import RetrievalEvaluator

DRAW = np.random.default_rng(5)
WORDS = [f"w{number}" for number in range(12)]
TEXTS = [
    " ".join(each) for each in DRAW.permutation(list(combinations(WORDS, 4)))[:80]
]  # all different: no ties
QUERIES = {f"q{at}": text for at, text in enumerate(TEXTS[:20])}
CORPUS = {f"d{at}": text for at, text in enumerate(TEXTS[20:])}
QRELS = {query: {str(item): 1 for item in DRAW.choice(list(CORPUS), 4, replace=False)} for query in QUERIES}
MEASURES = {
    "cosine": lambda a, b: a @ b / np.sqrt((a @ a) * (b @ b)),
    "dot": lambda a, b: a @ b,
    "euclidean": lambda a, b: -np.sqrt(((a - b) ** 2).sum()),
    "manhattan": lambda a, b: -abs(a - b).sum(),
}


def model(similarity="cosine"):
    torch.manual_seed(3)
    modules = [BoW(WORDS), Dense(12, 8)]  # whose products are all different
    return SentenceTransformer(modules=modules, device="cpu", similarity_fn_name=similarity)


@pytest.mark.parametrize("similarity", MEASURES)
def test_the_values_are_those_of_a_loop_over_pairs(similarity):
    evaluate = RetrievalEvaluator(QUERIES, CORPUS, QRELS, ["ndcg@10", "r@30", "rr", "num_ret"], k=40)
    values = evaluate(model(similarity))
    vectors = {key: model().encode(text).astype(np.float64) for key, text in (QUERIES | CORPUS).items()}
    run = {}
    for query in QUERIES:
        scored = {item: MEASURES[similarity](vectors[query], vectors[item]) for item in CORPUS}
        run[query] = dict(sorted(scored.items(), key=lambda pair: pair[1], reverse=True)[:40])
    expected = rw.evaluate(run, QRELS, evaluate.evaluator.metrics)
    assert evaluate.results.per_query.equals(expected.per_query)
    assert values == expected.mean
    assert values["num_ret"] == 40 * 20


def test_they_are_what_the_evaluator_of_the_package_says():
    theirs = InformationRetrievalEvaluator(
        QUERIES, CORPUS, {query: set(row) for query, row in QRELS.items()}, name="dev"
    )
    names = {
        "ndcg@10": "cosine_ndcg@10", "rr@10": "cosine_mrr@10", "ap(denom=min_rk)@100": "cosine_map@100", "hit@5": "cosine_accuracy@5",
        "p@3": "cosine_precision@3", "r@10": "cosine_recall@10",
    }  # fmt: skip
    evaluate = RetrievalEvaluator(QUERIES, CORPUS, QRELS, list(names), name="dev")
    ours, other = evaluate(model()), theirs(model())
    for name, there in names.items():
        assert ours[f"dev_{name}"] == pytest.approx(other[f"dev_{there}"], abs=1e-12), name
    assert evaluate.primary_metric == "dev_ndcg@10"
    assert evaluate.greater_is_better
    assert not RetrievalEvaluator(QUERIES, CORPUS, QRELS, "first_rank").greater_is_better


def test_results_are_saved_where_the_trainer_says_and_the_model_card_has_the_values(tmp_path):
    one, evaluate = model(), RetrievalEvaluator(QUERIES, CORPUS, QRELS, "ndcg@10", name="a/b")
    folder = str(tmp_path / "eval")
    for moment in ({}, {"epoch": 3}, {"epoch": 3.0, "steps": 500}):
        evaluate(one, folder, **moment)
    names = ["a_b.parquet", "a_b_3.parquet", "a_b_3_500.parquet"]
    assert sorted(path.name for path in (tmp_path / "eval").iterdir()) == sorted(names)
    loaded = rw.Results.load(tmp_path / "eval" / "a_b_3_500.parquet")
    assert (loaded.name, loaded.mean) == ("a/b", evaluate.results.mean)
    assert loaded.per_query.equals(evaluate.results.per_query)
    rows = one.model_card_data.eval_results_dict[evaluate]["a/b_ndcg@10"]
    assert rows == evaluate.results["ndcg@10"]


def test_judgements_without_a_text_count_and_pairs_may_be_left_out():
    judged = QRELS | {"q99": {"d1": 1}}
    evaluate = RetrievalEvaluator(
        QUERIES, CORPUS, judged, ["ndcg@10", "judged@1"], train=QRELS, encode={"batch_size": 7}
    )
    evaluate(model())
    assert evaluate.results.n["ndcg@10"] == 21
    assert evaluate.results["ndcg@10"] == 0, "what is judged was left out"
    assert evaluate.results.counts["judged queries missing from the run"] == 1


def test_no_texts_are_one_error():
    with pytest.raises(rw.RankwellError, match=r"^queries holds no texts; give {id: text}\.$"):
        RetrievalEvaluator({}, CORPUS, QRELS, "rr")
    with pytest.raises(rw.RankwellError, match=r"^corpus holds no texts"):
        RetrievalEvaluator(QUERIES, {}, QRELS, "rr")
