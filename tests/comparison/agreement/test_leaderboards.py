"""Boards: replicates of several metrics, drawn at once, against a loop over queries."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import rankwell as rw
from rankwell.comparison.agreement.agreement import make_boards
from rankwell.metrics import metric_of
from rankwell.statistics import bootstrap
from rankwell.statistics.bootstrap import drawn_weights
from rankwell.tables.ids import Ids, fingerprints_of

METRICS = ("ndcg@3", "ap", "first_rank")


def evaluated(missing, queries=8, systems=3):
    draw = random.Random(5)
    items = [f"i{at}" for at in range(6)]
    asked = [f"q{at}" for at in range(queries)]
    qrels = {q: {item: draw.randint(0, 2) for item in items[:4]} | {"i5": 1} for q in asked}
    runs = {
        f"s{at}": {q: draw.sample(items, 4) for q in (draw.sample(asked, queries - 3) if missing else asked)}
        for at in range(systems)
    }
    evaluator = rw.Evaluator(qrels, METRICS, missing="skip" if missing else "empty")
    return evaluator.evaluate_all(runs), tuple(metric_of(metric) for metric in METRICS)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("cells", [1 << 22, 40])
def test_replicates_of_all_metrics_are_those_of_a_loop(monkeypatch, missing, cells):
    """Also where some systems lack queries, and where weights are drawn a few replicates at a time."""
    results, metrics = evaluated(missing)
    monkeypatch.setattr(bootstrap, "CELLS", cells)
    boards = make_boards(results, metrics, "", 60, 3)
    frames = {name: res.per_query for name, res in results.items()}
    queries = sorted({query for frame in frames.values() for query in frame["query"]})
    weights = np.concatenate(list(drawn_weights(fingerprints_of(Ids.of(queries)), 60, seed=3)))
    for board, metric in zip(boards, metrics, strict=True):
        for column, name in enumerate(board.systems):
            own = dict(zip(frames[name]["query"], frames[name][str(metric)], strict=True))
            for row, drawn in zip(board.replicates, weights, strict=True):
                pairs = [
                    (weight, own[query])
                    for query, weight in zip(queries, drawn, strict=True)
                    if own.get(query) is not None and not math.isnan(own[query])
                ]
                total = sum(weight for weight, _ in pairs)
                told = board.sign * sum(w * v for w, v in pairs) / total if total else math.nan
                assert row[column] == pytest.approx(told, nan_ok=True)


def test_a_metric_has_the_same_replicates_beside_others_as_alone():
    results, metrics = evaluated(missing=True)
    for together, metric in zip(make_boards(results, metrics, "", 50, 0), metrics, strict=True):
        [alone] = make_boards(results, (metric,), "", 50, 0)
        assert np.array_equal(together.replicates, alone.replicates, equal_nan=True)
    assert all(board.replicates is None for board in make_boards(results, metrics, "", 0, 0))
