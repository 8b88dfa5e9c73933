"""A grade of any size gives a value or an error; it never makes a query undefined that has a relevant item."""

from __future__ import annotations

import warnings
from dataclasses import fields

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


@pytest.mark.parametrize("grade", [900, 1_024, 2**60, 1e300, 1.7e308])
def test_a_large_grade_gives_a_value_or_an_error(grade):
    large, too_large = with_highest(grade), 0
    for metric in SOME:
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


GAINED = [
    "cg", "cg@2", "dcg", "dcg@2", "dcg(gain={3:1e308})", "idcg", "ndcg", "ndcg@2", "ndcg(ideal=retrieved)", "ndcg(ideal=uncut)@2", "ndcg(gain={1:1e308,2:1})",
    "ndcg(gain={1:1,others:own})", "q", "q@2", "g", "ndcg_rel", "rndcg", "nerr", "ndcg(gain=exp2)",
]  # fmt: skip


@pytest.mark.parametrize("metric", GAINED)
@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_gains_whose_sum_is_no_number_are_an_error_that_names_the_grade(metric, engine):
    # three grades near the largest double: their sum, and so the divisor of nDCG, is infinite
    large = 1.0 if "{1:1e308" in metric else 3.0 if "{3:1e308" in metric else 1e308
    run, qrels = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": dict.fromkeys("abc", large)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(
            rw.RankwellError, match=r"(the grade (1e\+308|1|3)|2\^1e\+308) .*is too large for a number"
        ):
            rw.evaluate(run, qrels, metric, policy=POLICY, engine=engine)


@pytest.mark.parametrize(
    "metric", ["ndcg(discount=[1e308,1e308])", "q(beta=1e308)", "dcg(discount=[1e308,1e308])"]
)
@pytest.mark.filterwarnings("error")
def test_a_weight_that_makes_a_sum_no_number_is_an_error(metric):
    with pytest.raises(rw.RankwellError, match=r"1e\+308"):
        rw.evaluate({"q": {"a": 3.0, "b": 2.0}}, {"q": {"a": 2, "b": 1}}, metric, policy=POLICY)


def test_only_negative_grades_are_no_grade_above_the_highest():
    # what is judged below 0 gains nothing, as what is judged 0: nobody has set a max_grade that is too low
    given = example(1)
    low, zero = ({q: dict.fromkeys(row, grade) for q, row in given.qrels.items()} for grade in (-2, 0))
    for metric in SOME:
        if "max_grade" in {each.name for each in fields(metric)} and not metric.needs:
            below, at = (Data(given.run, qrels).results(metric, policy=POLICY).mean for qrels in (low, zero))
            assert below == pytest.approx(at, nan_ok=True), metric
