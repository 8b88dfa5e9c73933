"""The engine in memory: batches whose judged lists are small are measured together, which changes no number."""

from __future__ import annotations

import numpy as np
import pytest

import rankwell as rw
from rankwell.evaluation.engines.memory import Memory
from rankwell.matching.batch import Judged

JUDGED = [
    "ndcg@10",
    "ap",
    "rr",
    "p@5",
    "r@10",
    "rprec",
    "bpref",
    "err",
    "rbp",
    "q",
    "avg11",
    "infap",
    "gmap",
    "auc",
    "num_ret",
    "iprec(level=0.5)",
]
WITH_LISTS = [*JUDGED, "personalization"]


def data(queries=80, length=25):
    """Lists with ties, of queries of which some are not judged; judgements of which some are in no list."""
    rng = np.random.default_rng(18)
    run = {
        f"q{n}": {f"d{item}": float(rng.integers(0, 9)) for item in rng.choice(60, length, replace=False)}
        for n in range(queries)
    }
    qrels = {
        f"q{n}": {f"d{item}": int(rng.integers(-1, 4)) for item in rng.choice(60, 12, replace=False)}
        for n in range(0, queries, 3)
    }
    return run, qrels


@pytest.mark.parametrize(
    ("metrics", "policy"),
    [
        (JUDGED, {}),
        (WITH_LISTS, {}),
        (JUDGED[:6], {"unjudged": "condense"}),
        (["ndcg@10", "ap", "p@5", "rr"], {"ties": "expected"}),
        (JUDGED, {"undefined": "zero", "missing": "skip"}),
    ],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_batches_measured_together_give_the_same_numbers(monkeypatch, metrics, policy, threads):
    together = []
    concatenate = Judged.concatenate.__func__
    monkeypatch.setattr(
        Judged,
        "concatenate",
        classmethod(lambda cls, parts: together.append(len(parts)) or concatenate(cls, parts)),
    )
    run, qrels = data()
    whole, apart, several = (
        rw.evaluate(run, qrels, metrics, engine=Memory(batch=batch), threads=threads, **policy)
        for batch in (10_000, 1, 400)
    )
    assert (max(together) > 1) == (metrics is not WITH_LISTS)
    for other in apart, several:
        assert other.per_query.equals(whole.per_query)
        assert (other.mean, other.n, other.tie_range, other.undefined) == (
            whole.mean,
            whole.n,
            whole.tie_range,
            whole.undefined,
        )
        assert other.counts == whole.counts


def test_ranks_with_gaps_are_measured_batch_by_batch():
    """Such lists keep the rank of every row, so several of them together would be as long as the run."""
    rows = [(f"q{n}", f"d{item}", rank) for n in range(30) for item, rank in enumerate((1, 2, 5, 9))]
    query, item, rank = zip(*rows, strict=True)
    run = rw.Run(query=list(query), item=list(item), rank=list(rank))
    qrels = {f"q{n}": {"d2": 1} for n in range(30)}
    whole, several = (
        rw.evaluate(run, qrels, ["p@5", "ap", "rr"], engine=Memory(batch=batch)) for batch in (1000, 40)
    )
    assert several.per_query.equals(whole.per_query)
    assert whole.mean == {"p@5": pytest.approx(0.2), "ap": pytest.approx(0.2), "rr": pytest.approx(0.2)}
