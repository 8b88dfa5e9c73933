"""The range that tie order leaves: the values under the policies best and worst, and no work where nothing is tied."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.every import every

import rankwell as rw
from rankwell.evaluation.engines import memory
from rankwell.tables import states

METRICS = ["ndcg@3", "ap", "rr", "p@2", "gmap", "num_rel_ret", "bpref", "err@3"]


def tied_case(seed: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    draw = random.Random(seed)
    items = [f"d{item}" for item in range(12)]
    run = {f"q{q}": {item: float(draw.randint(0, 3)) for item in draw.sample(items, 9)} for q in range(6)}
    grades = {
        f"q{q}": {item: draw.choice([-1, 0, 1, 1, 2]) for item in draw.sample(items, 8)} for q in range(6)
    }
    return run, grades


@every("seed", range(40))
@pytest.mark.parametrize(("rows", "later"), [(10, 1_000), (10, 20), (10, 0), (1_000, 1_000)])
def test_the_ends_are_the_values_under_the_best_and_the_worst_order(seed, rows, later, monkeypatch):
    """Of one batch and of several, whose ends are left for a first look, or for the first batches alone, or not at all."""
    monkeypatch.setattr(memory, "FEW_HITS", later)
    run, qrels = tied_case(seed)
    engine = memory.Memory(batch=rows)
    res = rw.evaluate(run, qrels, METRICS, grades="judgements", engine=engine)
    assert callable(res.part.tied) == (later == 1_000)
    ends = [rw.evaluate(run, qrels, METRICS, grades="judgements", ties=ties) for ties in ("best", "worst")]
    for metric in res.metrics:
        for end, state in zip(ends, res.part.ends[metric], strict=True):
            assert metric.value(state) == end[metric]
            assert state.n == end.n[str(metric)]


def test_only_queries_with_a_tie_are_measured_and_added_again(monkeypatch):
    run = {f"q{q}": {"a": 3.0, "b": 2.0, "c": 1.0} for q in range(500)}
    qrels = {query: {"b": 1, "c": 2} for query in run}
    added: list[int] = []
    plain = states.exact_sum
    monkeypatch.setattr(states, "exact_sum", lambda values: (added.append(len(values)), plain(values))[1])
    ev = rw.Evaluator(qrels, ["ndcg@3", "rr"])
    ev.evaluate(run)
    assert added == [500, 500]
    added.clear()
    run["q7"] = {"a": 3.0, "b": 1.0, "c": 1.0}
    res = ev.evaluate(run)
    assert res.counts["queries in which ties could change a value"] == 1
    assert added == [500, 500]
    assert not res.tie_range  # worked out at this look; one of 500 queries moves no mean by .001
    assert added == [500, 500, *([1] * 8)]
    assert np.isfinite(list(ev.evaluate(run).mean.values())).all()
