"""Other summaries of values than their mean: weighted, geometric, median."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy.stats import gmean

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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"how": "mode"}, "how='mode': must be mean, geometric or median"),
        ({"weights": {"q1": 1}}, "query 'q0' has no weight"),
        ({"weights": [1, 2]}, "2 weights for 32 queries"),
        ({"weights": [-1] + [1] * 31}, "query 'q0' has the weight -1"),
        (
            {"weights": [0] * 32},
            "query 'q0' has the weight 0, and so have all others, so there is no weighted mean",
        ),
        ({"how": "median", "weights": [1] * 32}, "weights= works only with how='mean'"),
        ({"how": "geometric", "floor": 0}, "a floor= above 0"),
    ],
)
def test_a_summary_that_makes_no_sense_is_refused(arguments, message):
    with pytest.raises(rw.RankwellError, match=message):
        RES.aggregate("ap", **arguments)


def test_what_has_no_value_per_query_cannot_be_aggregated():
    res = rw.evaluate(RUN, metrics=["coverage"], items=ITEMS)
    with pytest.raises(rw.RankwellError, match="no per-query values"):
        res.aggregate("coverage")
    with pytest.raises(KeyError):
        RES.aggregate("rr")
