"""Metrics for torchmetrics: against a slow loop per query, torchmetrics' own metrics, and one process against two."""

from __future__ import annotations

import copy
import json
import math
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.compat import training_process
from torchmetrics import MetricCollection, MetricTracker
from torchmetrics import retrieval as theirs

import rankwell as rw
from rankwell.compat.torchmetrics import RetrievalMetrics, TopKMetrics

SAME = {
    "ndcg@5": lambda: theirs.RetrievalNormalizedDCG(top_k=5),
    "rr": theirs.RetrievalMRR,
    "rr@4": lambda: theirs.RetrievalMRR(top_k=4),
    "p@3": lambda: theirs.RetrievalPrecision(top_k=3),
    "r@4": lambda: theirs.RetrievalRecall(top_k=4),
    "ap": theirs.RetrievalMAP,
    "hit@2": lambda: theirs.RetrievalHitRate(top_k=2),
    "rprec": theirs.RetrievalRPrecision,
}


def rows(seed, n=300, queries=25):
    draw = np.random.default_rng(seed)
    return (
        torch.tensor(draw.permutation(n) / n + 0.01),
        torch.tensor(draw.random(n) < 0.25),
        torch.tensor(draw.integers(0, queries, n)),
    )


@pytest.mark.parametrize("seed", range(5))
def test_values_are_those_of_torchmetrics_under_its_preset(seed):
    preds, target, indexes = rows(seed)
    metric = RetrievalMetrics(list(SAME), preset="torchmetrics")
    for batch in torch.arange(len(preds)).split(37):
        metric.update(preds[batch], target[batch], indexes[batch])
    found = metric.compute()
    for name, make in SAME.items():
        own = make()
        own.update(preds, target, indexes)
        assert found[name].item() == pytest.approx(own.compute().item(), abs=1e-6), name


def slow(preds, target, indexes, k=5):
    """nDCG@5 and RR of each query with a relevant row, by a loop; no scores are equal."""
    ndcg, rr = [], []
    for query in sorted(set(indexes.tolist())):
        mine = sorted(
            (-score, bool(hit))
            for score, hit, q in zip(preds.tolist(), target.tolist(), indexes.tolist(), strict=True)
            if q == query
        )
        hits = [hit for _, hit in mine]
        if any(hits):
            ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(sum(hits), k) + 1))
            ndcg.append(sum(1 / math.log2(rank + 1) for rank, hit in enumerate(hits[:k], 1) if hit) / ideal)
            rr.append(1 / (hits.index(True) + 1))
    return {"ndcg@5": np.mean(ndcg), "rr": np.mean(rr)}


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
def test_rows_of_a_query_may_come_in_any_update(kind):
    preds, target, indexes = rows(8)
    preds = preds.to(kind)
    expected = slow(preds, target, indexes)
    for size in (1, 13, 300):
        metric = RetrievalMetrics(["ndcg@5", "rr"])
        for batch in torch.arange(len(preds)).split(size):
            metric.update(preds[batch], target[batch].long(), indexes[batch])
        assert {name: value.item() for name, value in metric.compute().items()} == pytest.approx(
            expected, abs=1e-12
        )
    metric = RetrievalMetrics("rr")
    metric.update(preds.reshape(20, 15), target.reshape(20, 15), indexes.reshape(20, 15))
    assert metric.compute().item() == pytest.approx(expected["rr"], abs=1e-12)


def test_a_model_that_scores_all_alike_gains_nothing_by_the_order_of_the_rows():
    # the relevant row first, as data sets of sampled candidates have it: the mean over all orders of one hit in four
    metric = RetrievalMetrics(["rr", "p@1"])
    metric.update(torch.zeros(4), torch.tensor([1, 0, 0, 0]), torch.zeros(4, dtype=torch.long))
    expected = {"rr": (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4, "p@1": 1 / 4}
    assert {name: value.item() for name, value in metric.compute().items()} == pytest.approx(expected)
    first = RetrievalMetrics(["rr"], ties="order")
    first.update(torch.zeros(4), torch.tensor([1, 0, 0, 0]), torch.zeros(4, dtype=torch.long))
    assert first.compute().item() == 1


def test_rows_to_ignore_are_left_out_and_rules_are_obeyed():
    metric = RetrievalMetrics("rr", ignore_index=-100, undefined="zero")
    metric.update(
        torch.tensor([0.9, 0.5, 0.3, 0.2]), torch.tensor([-100, 0, 1, 0]), torch.tensor([0, 0, 0, 1])
    )
    assert metric.compute().item() == (1 / 2 + 0) / 2


def batches(metric, scores, size=7, **given):
    for batch in torch.arange(len(scores)).split(size):
        metric.update(
            scores[batch].topk(5), queries=batch, **{name: value[batch] for name, value in given.items()}
        )
    return metric


@pytest.mark.parametrize("size", [1, 7, 61])
def test_lists_give_the_values_of_one_evaluation_to_the_bit(size):
    scores, truth, _ = training_process.data()
    wanted = ["ndcg@5", "rr", "ap(denom=R)", "coverage@5", "gini@5"]
    expected = rw.evaluate(scores.topk(5).indices.numpy(), truth, wanted, items=range(40)).mean
    found = batches(TopKMetrics(wanted, truth, items=range(40)), scores, size).compute()
    assert {name: value.item() for name, value in found.items()} == expected
    # the same truth as rows of items, which come with the lists
    padded = torch.tensor([truth[user] + [-1] * (4 - len(truth[user])) for user in range(61)])
    found = batches(TopKMetrics(wanted, items=range(40)), scores, size, target=padded).compute()
    assert {name: value.item() for name, value in found.items()} == expected


def test_empty_lists_count_and_queries_that_did_not_come_do_not():
    metric = TopKMetrics("rr", {0: [1], 1: [2], 2: [3]})
    metric.update(torch.tensor([[1, 2], [-1, -1]]), queries=torch.tensor([0, 1]))
    metric.update(torch.tensor([[1, 2]]), queries=torch.tensor([9]))  # of no judged query
    assert metric.compute().item() == 0.5


def test_a_query_that_a_sampler_repeats_counts_once_and_another_list_of_it_is_an_error():
    scores, truth, _ = training_process.data()
    metric = batches(TopKMetrics(["rr", "ndcg@5"], truth), scores)
    expected = metric.compute()
    metric.update(scores[3:9].topk(5), queries=torch.arange(3, 9))
    assert metric.compute() == expected
    metric.update(torch.tensor([[*truth[4][:1], 39]]), queries=torch.tensor([4]))
    with pytest.raises(rw.RankwellError, match="query 4 comes twice, with different values of rr"):
        metric.compute()
    counted = batches(TopKMetrics("coverage@5", truth, items=range(40)), scores)
    counted.update(scores[3:9].topk(5), queries=torch.arange(3, 9))
    with pytest.raises(rw.RankwellError, match="query 3 comes twice, and coverage@5 has no value per query"):
        counted.compute()


def test_it_behaves_as_a_metric_of_torchmetrics():
    scores, truth, _ = training_process.data()
    metric = TopKMetrics(["ndcg@5", "rr"], truth)
    first = metric(scores[:7].topk(5), queries=torch.arange(7))
    assert (
        first["rr"].item()
        == rw.evaluate(scores[:7].topk(5).indices.numpy(), truth, "rr", missing="skip")["rr"]
    )
    metric(scores[7:].topk(5), queries=torch.arange(7, 61))
    whole = batches(TopKMetrics(["ndcg@5", "rr"], truth), scores).compute()
    assert metric.compute() == whole
    for other in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric)), metric.clone()):
        assert other.compute() == whole
    half = batches(TopKMetrics(["ndcg@5", "rr"], truth), scores[:30])
    rest = TopKMetrics(["ndcg@5", "rr"], truth)
    rest.update(scores[30:].topk(5), queries=torch.arange(30, 61))
    half.merge_state(rest)
    assert half.compute() == whole
    metric.reset()
    with pytest.warns(UserWarning, match="before the ``update``"):
        assert all(math.isnan(value) for value in metric.compute().values())
    assert metric.higher_is_better is True
    assert TopKMetrics(["arp@5"], truth, train=truth).higher_is_better is None
    assert RetrievalMetrics(["rr", "first_rank"]).higher_is_better is None
    tracker = MetricTracker(RetrievalMetrics("rr"))
    for shift in (0, 1):
        tracker.increment()
        tracker.update(torch.tensor([0.1, 0.2]), torch.tensor([1 - shift, shift]), torch.tensor([0, 0]))
    assert tracker.best_metric() == 1


def test_a_collection_has_the_values_of_all():
    scores, truth, _ = training_process.data()
    together = MetricCollection(
        {"lists": TopKMetrics(["ndcg@5", "rr"], truth), "hits": TopKMetrics("hit@3", truth)}
    )
    batches(together, scores)
    expected = rw.evaluate(scores.topk(5).indices.numpy(), truth, ["ndcg@5", "rr", "hit@3"])
    found = {name: value.item() for name, value in together.compute().items()}
    assert found == {"ndcg@5": expected["ndcg@5"], "rr": expected["rr"], "hits": expected["hit@3"]}
    preds, target, indexes = rows(2)
    mixed = MetricCollection([theirs.RetrievalMRR(), RetrievalMetrics(["ndcg@5", "rr"])])
    mixed.update(preds, target, indexes=indexes)
    found = mixed.compute()
    assert found["rr"].item() == pytest.approx(slow(preds, target, indexes)["rr"], abs=1e-12)
    assert set(found) == {"RetrievalMRR", "ndcg@5", "rr"}


@pytest.fixture(scope="module")
def of_two(tmp_path_factory):
    """What two processes computed together, by the process and the case."""
    folder, script = tmp_path_factory.mktemp("two"), Path(training_process.__file__)
    started = [
        subprocess.Popen([sys.executable, script, str(rank), "2", folder], stderr=subprocess.PIPE, text=True)
        for rank in range(2)
    ]
    try:
        for process in started:
            _, said = process.communicate(timeout=300)
            assert process.returncode == 0, said
    finally:
        for process in started:  # one waits for the other, if that fails
            process.kill()
            process.communicate()
    return [json.loads((folder / f"{rank}.json").read_text(encoding="utf-8")) for rank in range(2)]


@pytest.mark.parametrize("case", training_process.CASES)
def test_two_processes_give_the_values_of_one_to_the_bit(case, of_two):
    expected = training_process.computed(case, 0, 1)
    assert [found[case] for found in of_two] == [expected, expected]
    assert all(0 < float.fromhex(value) <= 1 for value in expected.values())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda: RetrievalMetrics("rr").update(torch.zeros(2), torch.zeros(3), torch.zeros(2)), "the same shape"),
        (lambda: RetrievalMetrics("rr").update(torch.zeros(2), torch.zeros(2), torch.zeros(2)), "indexes are whole numbers"),
        (lambda: RetrievalMetrics("rr").update(torch.tensor([0.1, math.nan]), torch.zeros(2), torch.tensor([3, 8])), "query 8 is not a number"),
        (lambda: RetrievalMetrics("ndgc@5"), "Did you mean ndcg"),
        (lambda: TopKMetrics("rr", {0: [1]}, ties="first"), "ties must be"),
        (lambda: TopKMetrics("rr", {0: [1]}).update(torch.tensor([[1]]), torch.tensor([0]), torch.tensor([[1]])), "the judgements once"),
        (lambda: TopKMetrics("rr").update(torch.tensor([[1]]), torch.tensor([0])), "the judgements once"),
        (lambda: TopKMetrics("rr", {0: [1]}).update(torch.tensor([[1]]), torch.tensor([0, 1])), "1 rows, but 2 ids"),
        (lambda: TopKMetrics("rr", {0: [1]}).update(torch.tensor([[1.5]]), torch.tensor([0])), "a matrix of item numbers"),
        (lambda: TopKMetrics("rr", {0: [1]}).update(torch.tensor([[1, 1]]), torch.tensor([0])), "twice|repeated"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_one_error(given, message):
    with pytest.raises(rw.RankwellError, match=message):
        given()


def test_other_options_are_those_of_torchmetrics():
    assert RetrievalMetrics("rr", sync_on_compute=False).sync_on_compute is False
    with pytest.raises(ValueError, match="Unexpected keyword arguments: `topk`"):
        RetrievalMetrics("rr", topk=3)
