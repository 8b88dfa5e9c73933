"""The estimators against plain loops, other programs, and the enumeration of every sample that could have been drawn."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from tests.judging import slow_estimates as slow

import rankwell as rw
from rankwell.judging.estimators import ideal, infndcg, statap, xinfap
from rankwell.judging.samples import QueryFrame

DISCOUNTS = 1 / np.log2(np.arange(2, 100))


def world(seed: int) -> tuple[list[int], slow.Ranks, dict[int, int], dict[int, int]]:
    """The strata of some items, the ranks of those that a list has, all grades, and how many are drawn of each stratum."""
    rng = random.Random(seed)
    stratum = [0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2]
    listed = [*rng.sample(range(12), 9), *range(12, 15)]  # the last three are outside the frame
    rng.shuffle(listed)
    rank = {item: place for place, item in enumerate(listed, start=1)}
    grades = {item: rng.choice([0, 0, 1, 2]) for item in range(12)} | {rng.randrange(12): 1}
    return stratum, rank, grades, {0: 3, 1: 2, 2: 3}


def relevant_of(grades: dict[int, int], judged: set[int]) -> set[int]:
    return {item for item in judged if grades[item] > 0}


@pytest.mark.parametrize("seed", range(6))
def test_every_sample_has_the_estimates_of_plain_loops(seed):
    stratum, rank, grades, n = world(seed)
    found = 0
    for judged in slow.samples(stratum, n):
        part, hits = slow.part_of(stratum, judged), relevant_of(grades, judged)
        ranks, relevant = slow.ranks(rank, 12), slow.mask(hits, 12)
        for mine, plain in (
            (statap(part, ranks, relevant), slow.statap(rank, hits, stratum, n)),
            (xinfap(part, ranks, relevant), slow.xinfap(rank, hits, judged, stratum)),
            (xinfap(part, ranks, relevant, classes=3), slow.xinfap(rank, hits, judged, stratum, classes=3)),
        ):
            assert (mine is None) == (plain is None)
            if mine is not None and plain is not None:
                assert mine.value == pytest.approx(float(plain), abs=1e-12)
                found += 1
    assert found > 100


@pytest.mark.parametrize("seed", range(6))
def test_the_total_of_statap_has_no_bias_and_its_ratio_little(seed):
    """Over all samples the mean of R̂ is R and that of AP̂ · R̂ is AP · R, exactly; queries without a sampled hit count as 0."""
    stratum, rank, grades, n = world(seed)
    everything = relevant_of(grades, set(range(12)))
    totals, counts = [], []
    for judged in slow.samples(stratum, n):
        part, hits = slow.part_of(stratum, judged), relevant_of(grades, judged)
        found = statap(part, slow.ranks(rank, 12), slow.mask(hits, 12))
        counts.append(float(part.weight[[*hits]].sum()))
        totals.append(0.0 if found is None else found.value * counts[-1])
    assert np.mean(counts) == pytest.approx(len(everything))
    assert np.mean(totals) == pytest.approx(float(slow.ap(rank, everything)) * len(everything))


@pytest.mark.parametrize("seed", range(6))
def test_a_census_gives_the_metric_itself_without_variance(seed):
    stratum, rank, grades, _ = world(seed)
    everything = set(range(12))
    part, hits = slow.part_of(stratum, everything), relevant_of(grades, everything)
    ranks, relevant, truth = slow.ranks(rank, 12), slow.mask(hits, 12), float(slow.ap(rank, hits))
    gains = np.array([grades[item] for item in range(12)], np.float64)
    for found, value, near in (
        (statap(part, ranks, relevant), truth, 1e-12),
        (xinfap(part, ranks, relevant), truth, 1e-4),  # for its ε
        (infndcg(part, ranks, gains, DISCOUNTS), slow.ndcg(rank, grades), 1e-12),
    ):
        assert found is not None
        assert found.value == pytest.approx(value, abs=near)
        assert part.variance(found).value == 0
    cut = infndcg(part, slow.ranks(rank, 12, 4), gains, DISCOUNTS[:4])
    assert cut is not None
    assert cut.value == pytest.approx(slow.ndcg(rank, grades, 4))


@pytest.mark.parametrize("k", [None, 5])
@pytest.mark.parametrize("is_independent", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_values_without_an_item_are_those_of_the_smaller_sample(seed, is_independent, k):
    """The jackknife's values in closed form are what the estimators give if the item had not been judged."""
    rng = np.random.default_rng(seed)
    n = 40
    stratum = np.zeros(n, np.int64) if is_independent else np.sort(rng.integers(0, 4, n))
    grade = rng.integers(0, 3, n) * (rng.random(n) < 0.5)
    ranks = np.full(n, np.inf)
    ranks[rng.permutation(n)[:30]] = rng.permutation(45)[:30] + 1.0
    ranks[ranks > (k or 99)] = np.inf
    chance = rng.uniform(0.3, 1, n) if is_independent else None
    judged = rng.random(n) < 0.5
    sizes = np.bincount(stratum)

    def estimates(judged: np.ndarray) -> list:
        part = QueryFrame(stratum, judged, sizes, chance)
        hits, gains = (grade > 0) & judged, np.where(judged, grade, 0.0)
        most = math.inf if k is None else k
        return [
            statap(part, ranks, hits, most),
            xinfap(part, ranks, hits, most),
            infndcg(part, ranks, gains, DISCOUNTS[:k]),
        ]

    whole = estimates(judged)
    drawn = np.bincount(stratum[judged], minlength=len(sizes))
    compared = 0
    for place, item in enumerate(np.flatnonzero(judged)):
        if chance is None and drawn[stratum[item]] == 1:
            continue  # a stratum that would be left without any
        fewer = judged.copy()
        fewer[item] = False
        for one, other in zip(whole, estimates(fewer), strict=True):
            assert one.without[place] == pytest.approx(0 if other is None else other.value, abs=1e-6)
            compared += 1
    assert compared > 30


@pytest.mark.parametrize("seed", range(4))
def test_with_one_stratum_xinfap_is_infap(seed):
    """The metric infap follows trec_eval, which has one stratum: the pool."""
    rng = random.Random(seed)
    items = [f"d{i}" for i in range(30)]
    judged = {i: rng.choice([0, 1, 1]) for i in rng.sample(range(30), 14)}
    listed = rng.sample([*items, *(f"x{i}" for i in range(12))], 35)
    qrels = {"q": {item: judged.get(i, -1) for i, item in enumerate(items)}}
    rank = {items.index(each): r for r, each in enumerate(listed, start=1) if each in items}
    part = slow.part_of([0] * 30, set(judged))
    hits = slow.mask({i for i, grade in judged.items() if grade}, 30)
    found = xinfap(part, slow.ranks(rank, 30), hits)
    assert found is not None
    assert found.value == pytest.approx(rw.evaluate({"q": listed}, qrels, ["infap"])["infap"], rel=1e-12)


# two queries of a stratified sample, and what TREC's sample_eval.pl (version of 5 Sep 2012) computes of them, to ten digits;
# the estimated numbers of items of each grade are whole, as it has another ideal list where they are not
PRELS = {
    "a top 1, b top 2, c middle -1, d middle 0, e middle 1, f middle -1, g low -1, h low 0, i low -1, j low 3, k low -1, l low -1, "
    "m low -1, n low -1": ("c b x j d e f g y h i a k", 0.5624962501, 0.5784930414),
    "a top 0, b top 1, c middle 0, d middle -1, e low -1, f low 2, g low 0, h low -1": (
        "d a f b c e z h g",
        0.4907421296,
        0.6461369845,
    ),
}


@pytest.mark.parametrize("text", PRELS)
def test_values_are_those_of_sample_eval(text):
    listed, infap, inferred = PRELS[text]
    rows = [line.split() for line in text.split(", ")]
    names = [item for item, _, _ in rows]
    strata = sorted({stratum for _, stratum, _ in rows})
    grades = np.array([int(grade) for *_, grade in rows])
    rank = {names.index(each): r for r, each in enumerate(listed.split(), start=1) if each in names}
    part = slow.part_of(
        [strata.index(stratum) for _, stratum, _ in rows], {*np.flatnonzero(grades >= 0).tolist()}
    )
    ranks = slow.ranks(rank, len(rows))
    found = xinfap(part, ranks, grades > 0, classes=3)
    assert found is not None
    assert found.value == pytest.approx(infap, abs=1e-10)
    found = infndcg(part, ranks, np.maximum(grades, 0).astype(np.float64), DISCOUNTS)
    assert found is not None
    assert found.value == pytest.approx(inferred, abs=1e-10)


def test_independent_draws_have_the_joint_probabilities_of_independent_draws():
    """Over all samples of independent draws, weighted by their probabilities, the totals of statAP are those of AP."""
    chance, rank = np.array([0.5, 0.8, 1.0, 0.3]), np.array([2.0, 1.0, 4.0, 3.0])
    grade = np.array([1, 0, 1, 1])
    total = count = weights = 0.0
    for code in range(16):
        judged = np.array([code >> i & 1 for i in range(4)], np.bool_)
        weight = float(np.where(judged, chance, 1 - chance).prod())
        part = QueryFrame(np.zeros(4, np.int64), judged, np.array([4]), chance)
        found = statap(part, rank, (grade > 0) & judged)
        estimated = float(part.weight[(grade > 0) & judged].sum())
        total += 0.0 if found is None else weight * found.value * estimated
        count, weights = count + weight * estimated, weights + weight
    assert (weights, count) == (pytest.approx(1), pytest.approx(3))
    assert total == pytest.approx(1 / 2 + 2 / 3 + 3 / 4)


def test_an_ideal_of_whole_numbers_is_that_of_the_items():
    gains = np.array([3.0, 0.0, 1.0, 1.0, 2.0])
    assert ideal(gains, np.ones(5), DISCOUNTS) == pytest.approx(
        sum(g / math.log2(r + 1) for r, g in enumerate([3, 2, 1, 1], start=1))
    )
    assert ideal(gains, np.ones(5), DISCOUNTS[:2]) == pytest.approx(3 + 2 / math.log2(3))


@pytest.mark.parametrize("of", [statap, xinfap])
def test_without_a_relevant_item_in_the_sample_nothing_is_estimated(of):
    part = slow.part_of([0, 0, 1], {0, 2})
    nothing = np.zeros(3, np.bool_)
    assert of(part, np.array([1.0, 2.0, 3.0]), nothing) is None
    assert infndcg(part, np.array([1.0, 2.0, 3.0]), np.zeros(3), DISCOUNTS) is None


def test_what_a_query_keeps_from_one_list_changes_no_estimate_of_another():
    rng = np.random.default_rng(4)
    stratum, judged = [0, 0, 0, 1, 1, 1, 1, 2, 2, 2], {0, 2, 3, 4, 7, 9}
    kept = slow.part_of(stratum, judged)
    for _ in range(20):
        gains = np.where(kept.judged, rng.integers(0, 3, 10), 0).astype(np.float64)
        gains[0], ranks = 1.0, 1.0 + rng.permutation(10)
        for discounts in (DISCOUNTS[:3], DISCOUNTS[:10], 2 * DISCOUNTS[:10]):
            listed = np.where(ranks <= len(discounts), ranks, np.inf)
            again, fresh = (
                infndcg(part, listed, gains, discounts) for part in (kept, slow.part_of(stratum, judged))
            )
            assert again.value == fresh.value
            assert again.without.tolist() == fresh.without.tolist()
