"""Designs: probabilities that hold over many seeds, budgets that are kept, and draws that depend on ids alone."""

from __future__ import annotations

import numpy as np
import pytest

import rankwell as rw
from rankwell.errors import UsageError
from rankwell.judging.samples import allocate, prior_of, scale_to_budget

RUNS = {
    "a": {"1": [f"d{i}" for i in range(60)], "2": [f"d{i}" for i in range(7)]},
    "b": {"1": [f"d{i}" for i in range(90, 0, -3)], "2": ["x", "d1"]},
}
DESIGNS = ("rank", "prior", "uniform", "poisson")


@pytest.mark.parametrize("design", DESIGNS)
def test_each_item_is_drawn_as_often_as_its_propensity_says(design):
    times, expected = np.zeros(0), np.zeros(0)
    for seed in range(400):
        frame = rw.judging.sample(RUNS, budget=20, design=design, seed=seed).whole_frame()
        drawn = frame["drawn"].to_numpy().astype(float)
        times = drawn if not seed else times + drawn
        expected = frame["propensity"].to_numpy()
    spread = np.sqrt(expected * (1 - expected) / 400)
    assert (np.abs(times / 400 - expected) <= 4 * spread + 1e-12).all()


@pytest.mark.parametrize("budget", [1, 4, 20, 64, 500])
@pytest.mark.parametrize("design", ["rank", "prior", "uniform"])
def test_the_budget_is_kept_and_a_small_query_is_drawn_whole(design, budget):
    found = rw.judging.sample(RUNS, budget=budget, design=design)
    frame = found.whole_frame()
    for query, size in (("1", 71), ("2", 8)):
        own = frame.filter(frame["query"] == query)
        assert len(own) == size
        assert own["drawn"].sum() == min(budget, size)
    assert found.to_frame().rows() == [(*each,) for each in found]
    shares = frame.group_by("query", "stratum").agg(
        chance=rw_first("propensity"), drawn=rw_mean("drawn"), kinds=rw_kinds("propensity")
    )
    assert (shares["kinds"] == 1).all()
    assert np.allclose(shares["chance"], shares["drawn"])


def rw_first(column):
    import polars as pl

    return pl.col(column).first()


def rw_mean(column):
    import polars as pl

    return pl.col(column).cast(float).mean()


def rw_kinds(column):
    import polars as pl

    return pl.col(column).n_unique()


def test_independent_draws_have_the_budget_on_average():
    found = rw.judging.sample(RUNS, budget=20, design="poisson")
    frame = found.whole_frame()
    assert frame.filter(frame["query"] == "1")["propensity"].sum() == pytest.approx(20)
    assert frame.columns == ["query", "item", "propensity", "drawn"]
    assert {each.stratum for each in found} == {None}


@pytest.mark.parametrize("design", DESIGNS)
def test_a_seed_gives_one_sample_whatever_the_order_of_runs_and_rows(design):
    turned = {name: dict(reversed(lists.items())) for name, lists in reversed(RUNS.items())}
    one, other = (rw.judging.sample(runs, budget=9, design=design, seed=3) for runs in (RUNS, turned))
    assert {each[:2] for each in one} == {each[:2] for each in other}
    assert {each[:2] for each in one} != {
        each[:2] for each in rw.judging.sample(RUNS, budget=9, design=design)
    }


def test_strata_of_ranks_are_named_by_them_and_those_above_are_drawn_more_densely():
    deep = {"a": {"q": [f"d{i}" for i in range(1500)]}}
    frame = rw.judging.sample(deep, budget=60).whole_frame()
    chance = dict(frame.group_by("stratum", maintain_order=True).agg(rw_first("propensity")).rows())
    assert list(chance) == ["1-10", "11-30", "31-100", "101-300", "301-1000", "1001-3000"]
    assert [*chance.values()] == sorted(chance.values(), reverse=True)
    assert chance["1-10"] == 1
    few = rw.judging.sample(deep, budget=12).whole_frame()
    assert few["stratum"].unique(maintain_order=True).to_list() == ["1-10", "11+"]


def test_the_prior_adds_up_to_one_and_is_that_of_all_pairs_of_ranks():
    """The share of rank r in Σ over ranks i of 1/i for each of the i ranks down to it, by a plain count over all pairs; half of it."""
    for n in (1, 5, 40):
        ranks = np.arange(1, n + 1)
        found = prior_of(ranks, np.full(n, n))
        plain = [(1 + sum(1 / i for i in range(r, n + 1))) / (2 * n) for r in ranks.tolist()]
        assert found.tolist() == pytest.approx(plain)
        assert found.sum() == pytest.approx(1)


def test_budgets_go_to_strata_in_proportion_and_no_further_than_they_hold():
    assert allocate(np.array([100, 100]), np.array([3.0, 1.0]), 40).tolist() == [30, 10]
    assert allocate(np.array([5, 100]), np.array([3.0, 1.0]), 40).tolist() == [5, 35]
    assert allocate(np.array([5, 3]), np.array([3.0, 1.0]), 40).tolist() == [5, 3]
    for budget in range(1, 40):
        n = allocate(np.array([4, 20, 9]), np.array([5.0, 0.1, 1.0]), budget)
        assert n.sum() == min(budget, 33)
        assert (n <= [4, 20, 9]).all()
        assert budget < 6 or (n >= 2).all()


def test_probabilities_add_up_and_none_is_above_one():
    rng = np.random.default_rng(0)
    for budget in (1, 5, 17, 29):
        prior = rng.pareto(1.0, 30) + 1e-3
        found = scale_to_budget(prior, budget)
        assert found.sum() == pytest.approx(budget)
        assert found.max() <= 1
        free = found < 1
        assert np.ptp(found[free] / prior[free]) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"budget": 0}, "budget=0"),
        ({"design": "ranks"}, "design"),
        ({"ties": "best"}, "ties"),
        ({"bugdet": 3}, "budget"),
    ],
)
def test_what_is_wrong_is_said(words, message):
    with pytest.raises(UsageError, match=message):
        rw.judging.sample(RUNS, **words)
