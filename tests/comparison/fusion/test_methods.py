"""The methods against what ranx made of the same runs (stored/make.py)."""

from __future__ import annotations

import pytest
from tests.comparison.fusion.ranx import ours, scores, stored
from tests.every import every
from tests.evidence import evidence

import rankwell as rw
from rankwell.comparison.fusion.methods import METHODS

CASES = stored()["cases"]
REAL = stored()["covid"]
# what ranx means by another definition: its Condorcet is compared below, as far as it is defined
OWN = {"condorcet"}


def test_every_method_but_those_named_is_compared_with_ranx():
    compared = {name.split(" ", maxsplit=1)[0] for name in CASES[0]["fused"]}
    assert compared == set(METHODS) - OWN


@every("case", CASES)
def test_small_runs_get_the_scores_of_ranx(case):
    for name, wanted in case["fused"].items():
        found = scores(ours(case["runs"], name))
        assert found.keys() == wanted.keys()
        for query in wanted:
            assert found[query] == pytest.approx(wanted[query], rel=1e-9, abs=1e-9), name


def test_six_runs_of_trec_covid_get_the_scores_of_ranx():
    runs = {path.name: path for path in sorted((evidence("trec-covid-round1") / "runs").glob("*.run"))}
    compared = 0
    for name, sums in REAL["sums"].items():
        found = scores(ours(runs, name, depth=REAL["depth"]))
        for query, wanted in REAL["full"][name].items():
            assert found[query] == pytest.approx(wanted, rel=1e-9, abs=1e-9), (name, query)
            compared += len(wanted)
        for query, (total, by_place) in sums.items():
            items = found[query]
            assert sum(items.values()) == pytest.approx(total, rel=1e-9, abs=1e-9), (name, query)
            own = sum(place * items[item] for place, item in enumerate(sorted(items)))
            assert own == pytest.approx(by_place, rel=1e-9, abs=1e-9), (name, query)
    assert compared > 5_000


def test_where_the_majority_decides_every_pair_without_a_circle_condorcet_has_the_order_of_ranx():
    compared = 0
    for case in stored()["elections"]:
        found = scores(rw.fuse(case["runs"], "condorcet"))
        for query, wanted in case["fused"].items():
            if len({*found[query].values()}) < len(wanted):
                continue  # a circle, in which the order of ranx is that of a set of Python
            order = sorted(wanted, key=wanted.get, reverse=True)
            assert sorted(found[query], key=found[query].get, reverse=True) == order
            compared += 1
    assert compared >= 8


def test_ranx_gives_items_of_equal_scores_0_and_we_the_share_of_each():
    """The definitions that differ: ranx divides by 1e-9 where a list has one score."""
    equal, other = {"q": {"x": 2.0, "y": 2.0}}, {"q": {"z": 1.0}}
    assert scores(rw.fuse([equal, other], "comb_sum"))["q"] == {"x": 1.0, "y": 1.0, "z": 1.0}
    assert scores(rw.fuse([equal, other], "comb_sum", norm="sum"))["q"] == {"x": 0.5, "y": 0.5, "z": 1.0}
    assert scores(rw.fuse([equal, other], "comb_sum", norm="z"))["q"] == {"x": 0.0, "y": 0.0, "z": 0.0}
