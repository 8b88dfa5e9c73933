"""The value of a metric is the sum of its terms over its divisor, to the bit, though it is computed in one pass."""

from __future__ import annotations

import random

import numpy as np
import pytest

import rankwell as rw

METRICS = ["ap", "ap@3", "ap(denom=R)@3", "rr", "rr@2", "p@3", "p(denom=n)@4", "r@3", "ndcg", "ndcg@3", "cg@2", "idcg@3"]  # fmt: skip
METRICS += ["ndcg(gain=exp2)@3", "ndcg(discount=jk)@4", "ndcg(ideal=retrieved)@3", "ndcg(ideal=min_kn)@3", "ndcg(gain={1:2,2:1})@3", "ndcg(gain={2:1,others:own})@3", "dcg(discount=[3,2])@3", "ndcg@5000"]  # fmt: skip


def a_run(seed):
    rng = random.Random(seed)
    run = {f"q{q}": {f"d{d}": rng.randint(0, 6) for d in rng.sample(range(30), 12)} for q in range(8)}
    qrels = {f"q{q}": {f"d{d}": rng.randint(-1, 3) for d in rng.sample(range(30), 9)} for q in range(1, 9)}
    return run, qrels


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("text", METRICS)
def test_a_value_is_the_sum_of_its_terms_over_the_divisor(text, seed):
    run, qrels = a_run(seed)
    evaluator = rw.Evaluator(qrels, [text])
    task, (metric,) = evaluator.task, evaluator.metrics
    judged, _ = task.judge(rw.read_run(run).rows.table().lists())
    value = metric.per_query(judged, task.context)
    terms = metric.terms(judged, task.context)
    parts = np.bincount(terms.rows.query, weights=terms.gain * terms.weight, minlength=len(judged))
    below = np.broadcast_to(metric.divisor(judged, task.context), parts.shape)
    expected = np.divide(parts, below, out=np.full(len(judged), np.nan), where=below != 0)
    np.testing.assert_array_equal(value, expected)
