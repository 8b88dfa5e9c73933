"""Errors of predicted ratings against the slow definitions, and by hand."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import polars as pl
import pytest
from tests.cases import FEWER
from tests.definitions.slow_beyond import SEEDS, agreeing, of_judged

import rankwell as rw
from rankwell.metrics import metric_of

from .beyond import evaluated, filled, text_of

ERRORS = ["rmse", "mae", "mse", "user_rmse", "user_mae", "user_mse"]


def errors_agree(seed: int, k: int | None, names: Iterable[str]) -> int:
    """Hold errors against the slow definitions; the number of defined values."""
    case = filled(seed)
    scores = {
        user: case.scores.get(user) or {item: 3.0 - place for place, item in enumerate(items)}
        for user, items in case.lists.items()
    }
    metrics = [(metric_of(text_of(name, {}, k)), name, {}) for name in names]
    res = evaluated(replace(case, lists=scores), *(metric for metric, *_ in metrics))
    return agreeing(res, of_judged(replace(case, scores=scores)), k, metrics)


@pytest.mark.parametrize("k", [None, 1, 3])
def test_rating_errors_are_those_of_the_slow_definitions(k):
    assert sum(errors_agree(seed, k, ERRORS) for seed in SEEDS) > 500 / FEWER


def test_errors_are_of_raw_grades_whatever_is_relevant():
    run, truth = {"u": {"a": 7.5, "b": 9.0}}, {"u": {"a": 8, "b": 7, "c": 10}, "v": {"a": 3}}
    policy = rw.Policy(grades="ratings", rel=8)
    res = rw.evaluate(run, truth, ["mae", "rmse", "user_mae", "ndcg@2"], policy=policy)
    assert res["mae"] == res["user_mae"] == 1.25
    assert res["rmse"] == math.sqrt((0.25 + 4) / 2)
    assert rw.evaluate(run, truth, ["mae", "user_mse"]).mean == {
        "mae": 1.25,
        "user_mse": 2.125,
    }  # rel is not asked for
    assert (res.n["mae"], res.n["user_mae"]) == (1, 1)
    assert res.undefined["user_mae"] == {"undefined by the list": 1}


def test_the_order_does_not_change_an_error():
    run, truth = {"u": {"a": 2.0, "b": 2.0, "c": 2.0}}, {"u": {"a": 1, "b": 3, "c": 5}}
    for ties in ("item-desc", "item-asc", "order", "best", "worst"):
        policy = rw.Policy(ties=ties, grades="judgements")
        assert rw.evaluate(run, truth, ["mse", "user_mse"], policy=policy).mean == {
            "mse": 11 / 3,
            "user_mse": 11 / 3,
        }
    single = rw.Policy(scores="single", depth=2, grades="judgements")
    run = {"u": {"a": 16777217.0, "b": 3.5, "c": 1.0}}
    assert rw.evaluate(run, {"u": {"a": 16777216, "b": 3}}, ["mae"], policy=single)["mae"] == 0.75


def test_scores_beside_ranks_are_the_predicted_ratings():
    table = pl.DataFrame({"user": [1, 1, 2], "item": [1, 2, 1], "rank": [2, 1, 1], "score": [3, 4, 5]})
    truth = pl.DataFrame({"user": [1, 1, 2], "item": [1, 2, 1], "rating": [3.5, 4, 1]})
    assert rw.evaluate(table, truth, ["mae", "mae@1"]).mean == {"mae": 1.5, "mae@1": 2.0}


@pytest.mark.parametrize(
    "run",
    [{"u": ["a", "b"]}, pl.DataFrame({"user": ["u"], "item": ["a"], "rank": [1]})],
    ids=["list", "rank"],
)
def test_an_order_without_scores_has_no_errors(run):
    with pytest.raises(rw.RankwellError, match=r"an order but no scores.*predicted rating"):
        rw.evaluate(run, {"u": {"a": 3}}, ["user_rmse"])
    assert rw.evaluate(run, {"u": {"a": 3}}, ["rr"])["rr"] == 1


def test_what_holds_no_ratings_has_no_errors():
    with pytest.raises(rw.RankwellError, match="the judgements are interactions"):
        rw.evaluate({"u": {"a": 1.0}}, {"u": ["a"]}, ["rmse"])
    with pytest.raises(rw.RankwellError, match="query 'u': the score inf is too large"):
        rw.evaluate({"u": {"a": math.inf}}, {"u": {"a": 1}}, ["rmse"])
    assert math.isnan(rw.evaluate({"u": {"b": 1.0}}, {"u": {"a": 1}}, ["rmse"])["rmse"])
