"""The Bayesian bootstrap beside a comparison, and the Monte Carlo error of its sign flips."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
import scipy.stats

import rankwell as rw
from rankwell.statistics.bootstrap import posterior
from rankwell.tables.ids import Ids, fingerprints_of

QUERIES = [f"q{number}" for number in range(60)]
RNG = np.random.default_rng(4)
QRELS = {query: {"a": 1, "b": 1} for query in QUERIES}


def system(lead):
    """Lists whose first relevant item is at random ranks."""
    return {query: [*"xyzvw"[: int(RNG.integers(0, 5 - lead))], "a", "b"] for query in QUERIES}


RUNS = {"one": system(2), "two": system(0), "three": system(0)}


@pytest.fixture(scope="module")
def results():
    return rw.Evaluator(QRELS, ["rr", "ap", "first_rank"]).evaluate_all(RUNS)


def test_the_chances_are_those_of_the_posterior_of_each_pair(results):
    found = rw.compare(results, rope={"rr": 0.02, "first_rank": 0.5}, flips=99, resamples=99, seed=3)
    one, two = (results[name].per_query["rr"].to_numpy() for name in ("one", "two"))
    units = fingerprints_of(Ids.of(results["one"].queries))
    told = posterior(one - two, units, rope=0.02, seed=3)
    d = found.difference("one", "two", "rr")
    assert (d.below, d.within, d.above) == pytest.approx(told[3:6], abs=1e-12)
    turned = found.difference("two", "one", "rr")
    assert (turned.below, turned.within, turned.above) == (d.above, d.within, d.below)
    assert math.isnan(found.difference("one", "two", "ap").below)
    frame = found.to_pair_frame().filter(pl.col("metric") == "first_rank")
    assert frame.select(pl.sum_horizontal("below", "within", "above")).to_series().to_list() == pytest.approx(
        [1.0] * 3
    )


def test_a_rope_survives_saving_and_is_never_guessed(results, tmp_path):
    found = rw.compare(results, rope=0.1, flips=99, resamples=99)
    found.save(tmp_path / "found.json")
    again = rw.Comparison.load(tmp_path / "found.json")
    assert again.to_json() == found.to_json()
    assert again.to_pair_table().to_text() == found.to_pair_table().to_text()
    assert "rr 0.1" in found.to_pair_table().to_text()
    without = rw.compare(results, flips=99, resamples=99).to_pair_table()
    assert "within" not in [column.name for column in without.columns]
    with pytest.raises(rw.RankwellError, match=r"rope of rr = -0\.1: must be 0 or more"):
        rw.compare(results, rope=-0.1)
    with pytest.raises(rw.RankwellError, match="rope=ndcg"):
        rw.compare(results, rope={"ndcg": 0.1})


def test_weights_and_clusters_count_in_the_chances(results):
    users = [{"query": query, "w": 1 + number % 2, "c": number // 3} for number, query in enumerate(QUERIES)]
    alone = rw.compare(results, rope=0.02, flips=99, resamples=99).difference("one", "two", "rr")
    for design in ({"weights": "w"}, {"clusters": "c"}):
        d = rw.compare(results, rope=0.02, flips=99, resamples=99, users=users, **design).difference(
            "one", "two", "rr"
        )
        assert d.below + d.within + d.above == pytest.approx(1)
        assert d.above != alone.above


def test_the_error_of_random_flips_is_clopper_and_pearsons(results):
    found = rw.compare(results, flips=999, resamples=99, alpha=0.1)
    for pair in (("one", "two"), ("two", "three")):
        d = found.difference(*pair, "rr")
        told = scipy.stats.binomtest(round(d.p_flips * 1000) - 1, 999).proportion_ci(0.9, method="exact")
        assert (d.p_flips_low, d.p_flips_high) == pytest.approx((told.low, told.high))


def test_all_flips_leave_no_error():
    few = {name: {query: run[query] for query in QUERIES[:12]} for name, run in RUNS.items()}
    d = rw.compare(
        few, {query: QRELS[query] for query in QUERIES[:12]}, ["rr"], flips=99, resamples=99
    ).difference("one", "two", "rr")
    assert d.p_flips_low == d.p_flips == d.p_flips_high


@pytest.mark.parametrize(
    ("options", "least", "enough"),
    [
        ({"test": "flips", "correction": "holm", "family": "all", "alpha": 0.05}, 0.09, 9_000),
        ({"test": "flips", "correction": "none", "alpha": 0.005}, 0.01, 10_000),
        ({"alpha": 0.005}, 0.01, 10_000),
    ],
)
def test_too_few_flips_are_said_with_how_many_are_enough(results, options, least, enough):
    text = repr(rw.compare(results, flips=99, resamples=99, **options))
    assert f"not testable with 99 flips: the smallest corrected p is {least:.4f}; flips={enough:,}" in text
    assert "not testable" not in repr(rw.compare(results, flips=enough, resamples=99, **options))


def test_flips_that_do_not_decide_are_never_too_few(results):
    assert "not testable" not in repr(
        rw.compare(results, baseline="one", flips=99, resamples=99, alpha=0.005)
    )
