"""Precision-recall curves and contingency tables of a run are those of scikit-learn."""

from __future__ import annotations

import inspect
import random

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    confusion_matrix,
    precision_recall_curve,
    precision_recall_fscore_support,
)

import rankwell as rw

RNG = random.Random(11)
ITEMS = [f"i{number}" for number in range(20)]
RUN = {f"q{number}": {item: RNG.random() for item in RNG.sample(ITEMS, 12)} for number in range(30)}
QRELS = {f"q{number}": {item: RNG.randint(0, 1) for item in RNG.sample(ITEMS, 12)} for number in range(32)}
EVALUATOR = rw.Evaluator(QRELS, ["ndcg@5", "ap"])


def test_the_raw_points_are_those_of_scikit_learn():
    for query, items in RUN.items():
        curve = EVALUATOR.curve(RUN, query)
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
    mean = EVALUATOR.curve(RUN, levels=levels)
    each = np.array([EVALUATOR.curve(RUN, query, levels=levels).precision for query in QRELS if query in RUN])
    missing = sum(1 for query in QRELS if query not in RUN)  # empty lists, of precision 0
    assert np.allclose(mean.precision, each.sum(axis=0) / (len(each) + missing), atol=1e-15)
    assert mean.n == len(QRELS)
    assert mean.precision[3] == rw.evaluate(RUN, QRELS, "iprec(level=.3)")["iprec(level=.3)"]
    assert np.mean(mean.precision) == pytest.approx(rw.evaluate(RUN, QRELS, "avg11")["avg11"])
    fine = EVALUATOR.curve(RUN)
    assert np.interp(fine.break_even, fine.levels, fine.precision) == pytest.approx(fine.break_even)
    assert "break-even point, interpolated between the levels: " in str(fine)
    assert "break-even point: " in str(EVALUATOR.curve(RUN, "q1"))
    assert fine.to_frame().shape == (101, 2)


def test_a_curve_without_a_query_or_with_levels_out_of_order_is_refused():
    with pytest.raises(rw.RankwellError, match="query 'q99' is in neither the run nor the judgements"):
        EVALUATOR.curve(RUN, "q99")
    with pytest.raises(rw.RankwellError, match="in ascending order"):
        EVALUATOR.curve(RUN, levels=[0.5, 0.2])


@pytest.mark.parametrize("k", [None, 5])
def test_the_cells_are_those_of_scikit_learn(k):
    table = EVALUATOR.contingency(RUN, k, collection=20)
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
    assert list(table.micro.values()) == pytest.approx([*micro[:3], accuracy_score(truth, seen)])
    wanted = ["set_p", "set_r", "set_f", "accuracy(collection=20)"]
    macro = rw.evaluate(RUN, QRELS, wanted).mean.values() if k is None else None
    if macro is not None:
        assert list(table.macro.values()) == pytest.approx(list(macro))
    assert "all, micro" in str(table)
    assert len(table.to_table(per_query=True).rows) == 34


def test_a_collection_that_is_too_small_is_refused():
    with pytest.raises(rw.RankwellError, match="more retrieved or relevant items than the collection"):
        EVALUATOR.contingency(RUN, collection=10)
    unknown = EVALUATOR.contingency(RUN)
    assert unknown.pooled["TN"] is None
    assert list(unknown.micro) == list(unknown.macro) == ["P", "R", "F1"]
    assert [column.name for column in unknown.to_table().columns][-3:] == ["P", "R", "F1"]
    assert (
        unknown.to_table()
        .notes[-1]
        .startswith("TN and accuracy need the number of items that could be retrieved: collection=")
    )
    assert "could be retrieved" not in str(EVALUATOR.contingency(RUN, collection=20))


def test_the_help_of_a_curve_prints_no_list_of_levels():
    assert len(str(inspect.signature(rw.Evaluator.curve))) < 200
    given = EVALUATOR.curve(RUN, levels=[level / 100 for level in range(101)])
    assert (EVALUATOR.curve(RUN).levels, EVALUATOR.curve(RUN).precision) == (given.levels, given.precision)
