"""A grade of any size gives a value or an error; it never makes a query undefined that has a relevant item."""

from __future__ import annotations

import warnings

import pytest
from tests.laws.test_laws import METRICS

import rankwell as rw
from rankwell.testing.data import Data, example

FIRST = {type(metric): metric for metric in reversed(METRICS)}
SOME = [metric for metric in METRICS if metric is FIRST[type(metric)] or "exp2" in metric.signature]
POLICY = rw.Policy(grades="judgements", outside="ignore")


def with_highest(grade):
    """The data of one case, with another grade in place of 3."""
    given = example(1)
    qrels = {q: {i: grade if g == 3 else g for i, g in row.items()} for q, row in given.qrels.items()}
    assert any(g == grade for row in qrels.values() for g in row.values())
    return Data(given.run, qrels)


SMALL = with_highest(3)


@pytest.mark.parametrize("grade", [900, 1_024, 2**60, 1e300])
def test_a_large_grade_gives_a_value_or_an_error(grade):
    large, too_large = with_highest(grade), 0
    for metric in SOME:
        if metric.range[1] == float("inf") and grade > 10**6:
            continue  # a sum of such grades may well be infinite, which is an error of its own
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                res = large.results(metric, policy=POLICY)
            except rw.RankwellError as error:
                too_large += "is too large for a number" in str(error)
                continue
        assert res.undefined == SMALL.results(metric, policy=POLICY).undefined, metric
    assert too_large < len(SOME) / 2
    assert (too_large > 0) == (grade > 1_000)
