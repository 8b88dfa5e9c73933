"""What tests of comparisons share: systems of known skill on random judgements."""

from __future__ import annotations

import random
from functools import cache

import rankwell as rw

METRICS = ("ndcg@10", "rr", "p@5", "first_rank", "coverage@3", "gini@3", "personalization@3")
ITEMS = [f"d{place}" for place in range(20)]


@cache
def data(systems=3, queries=30, seed=1):
    """Judgements and runs; a higher number is a better system; every fifth query has no relevant item."""
    draw = random.Random(seed)
    names = [f"q{place}" for place in range(queries)]
    qrels = {
        name: {item: 0 if place % 5 == 4 else draw.choice([0, 1, 2]) or (item == "d0") for item in ITEMS[:6]}
        for place, name in enumerate(names)
    }
    runs = {
        f"s{system}": {
            name: {item: draw.gauss(system / 3 if item in ITEMS[:6] else 0) for item in ITEMS}
            for name in names
        }
        for system in range(systems)
    }
    return qrels, runs


@cache
def evaluated(systems=3, queries=30, seed=1, metrics=METRICS):
    """The results of such runs by system."""
    qrels, runs = data(systems, queries, seed)
    return rw.Evaluator(qrels, list(metrics), items=ITEMS).evaluate_all(runs)


@cache
def compared(systems=3, queries=30, baseline=None, margins=None):
    """Their comparison."""
    own = evaluated(systems, queries)
    return rw.compare(own, baseline=baseline, margins=margins, flips=999, resamples=199)
