"""Other views on results: weighted, geometric and median summaries, precision-recall curves, contingency tables."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from scipy.stats import gmean
from sklearn.metrics import confusion_matrix, precision_recall_curve, precision_recall_fscore_support

import rankwell as rw

RNG = random.Random(11)
ITEMS = [f"i{number}" for number in range(20)]
RUN = {f"q{number}": {item: RNG.random() for item in RNG.sample(ITEMS, 12)} for number in range(30)}
QRELS = {f"q{number}": {item: RNG.randint(0, 1) for item in RNG.sample(ITEMS, 12)} for number in range(32)}
RES = rw.evaluate(RUN, QRELS, ["ndcg@5", "ap"])


def test_other_summaries_are_those_of_numpy_and_scipy():
    values = RES.per_query["ap"].drop_nulls().to_numpy()
    assert RES.aggregate("ap") == RES["ap"] == pytest.approx(np.mean(values), abs=1e-15)
    assert RES.aggregate("ap", "median") == np.median(values)
    assert RES.aggregate("ap", "geometric") == pytest.approx(gmean(np.maximum(values, 1e-5)), rel=1e-12)
    queries = RES.per_query["query"].to_list()
    weights = {query: number + 1 for number, query in enumerate(queries)}
    expected = np.average(RES.per_query["ap"].to_numpy(), weights=list(weights.values()))
    assert RES.aggregate("ap", weights=weights) == pytest.approx(expected, abs=1e-15)
    assert RES.aggregate("ap", weights=list(weights.values())) == RES.aggregate("ap", weights=weights)
    assert math.isnan(RES.aggregate("ap", weights=[0] * len(queries)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"how": "mode"}, "a summary is mean, geometric or median"),
        ({"weights": {"q1": 1}}, "query 'q0' has no weight"),
        ({"weights": [1, 2]}, "2 weights for 32 queries"),
        ({"weights": [-1] + [1] * 31}, "query 'q0' has the weight -1"),
        ({"how": "median", "weights": [1] * 32}, "weights= belongs to how='mean'"),
        ({"how": "geometric", "floor": 0}, "a floor above 0"),
    ],
)
def test_a_summary_that_makes_no_sense_is_refused(arguments, message):
    with pytest.raises(rw.RankwellError, match=message):
        RES.aggregate("ap", **arguments)


def test_what_has_no_value_per_query_cannot_be_aggregated():
    res = rw.evaluate(RUN, metrics=["coverage"], items=ITEMS)
    with pytest.raises(rw.RankwellError, match="no value per query"):
        res.aggregate("coverage")
    with pytest.raises(KeyError):
        RES.aggregate("rr")


def test_the_raw_points_are_those_of_scikit_learn():
    for query, items in RUN.items():
        curve = RES.curve(query)
        ranked = sorted(items, key=items.__getitem__, reverse=True)
        labels = [QRELS[query].get(item, 0) for item in ranked]
        relevant = sum(QRELS[query].values())
        precision, recall, _ = precision_recall_curve(labels, [-place for place in range(len(labels))])
        ours = {round(r * relevant / sum(labels), 12): None for _, r, _ in curve.points}
        assert set(np.round(recall[:-1], 12)) <= set(ours)
        by_rank = {rank: (r, p) for rank, r, p in curve.points}
        for rank in range(1, len(labels) + 1):
            assert by_rank[rank] == (sum(labels[:rank]) / relevant, sum(labels[:rank]) / rank)
        assert max(precision[:-1]) == pytest.approx(curve.precision[0])
        if relevant <= len(labels):
            assert curve.break_even == pytest.approx(
                rw.evaluate(RUN, QRELS, "rprec").per_query.filter(query=query)["rprec"][0]
            )


def test_the_mean_curve_is_the_mean_of_the_curves_and_of_iprec():
    levels = [tenth / 10 for tenth in range(11)]
    mean = RES.curve(levels=levels)
    each = np.array([RES.curve(query, levels=levels).precision for query in QRELS if query in RUN])
    missing = sum(1 for query in QRELS if query not in RUN)  # empty lists, of precision 0
    assert np.allclose(mean.precision, each.sum(axis=0) / (len(each) + missing), atol=1e-15)
    assert mean.n == len(QRELS)
    assert mean.precision[3] == rw.evaluate(RUN, QRELS, "iprec(level=.3)")["iprec(level=.3)"]
    assert np.mean(mean.precision) == pytest.approx(rw.evaluate(RUN, QRELS, "avg11")["avg11"])
    fine = RES.curve()
    assert np.interp(fine.break_even, fine.levels, fine.precision) == pytest.approx(fine.break_even)
    assert "break-even point" in str(fine)
    assert fine.to_frame().shape == (101, 2)


def test_a_curve_needs_its_lists():
    half = rw.evaluate({"q0": RUN["q0"]}, {"q0": QRELS["q0"]}, "ap") + rw.evaluate(
        {"q1": RUN["q1"]}, {"q1": QRELS["q1"]}, "ap"
    )
    with pytest.raises(rw.RankwellError, match="hold no lists any more"):
        half.curve()
    with pytest.raises(rw.RankwellError, match="no query 'q99'"):
        RES.curve("q99")
    with pytest.raises(rw.RankwellError, match="in rising order"):
        RES.curve(levels=[0.5, 0.2])


@pytest.mark.parametrize("k", [None, 5])
def test_the_cells_are_those_of_scikit_learn(k):
    table = RES.contingency(k, collection=20)
    truth, seen = [], []
    for query, tp, fp, fn, tn in table.per_query.rows():
        items = RUN.get(query, {})
        shown = sorted(items, key=items.__getitem__, reverse=True)[:k]
        labels = [QRELS[query].get(item, 0) for item in ITEMS]
        marks = [int(item in shown) for item in ITEMS]
        assert confusion_matrix(labels, marks, labels=[0, 1]).ravel().tolist() == [tn, fp, fn, tp]
        truth += labels
        seen += marks
    assert confusion_matrix(truth, seen).ravel().tolist() == [
        table.pooled[cell] for cell in ("TN", "FP", "FN", "TP")
    ]
    micro = precision_recall_fscore_support(truth, seen, average="binary")
    assert list(table.micro.values()) == pytest.approx(list(micro[:3]))
    macro = rw.evaluate(RUN, QRELS, ["set_p", "set_r", "set_f"]).mean.values() if k is None else None
    if macro is not None:
        assert list(table.macro.values()) == pytest.approx(list(macro))
    assert "all, micro" in str(table)
    assert len(table.to_table(per_query=True).rows) == 34


def test_a_collection_that_is_too_small_is_refused():
    with pytest.raises(rw.RankwellError, match="more retrieved or relevant items than the collection"):
        RES.contingency(collection=10)
    assert RES.contingency().pooled["TN"] is None
