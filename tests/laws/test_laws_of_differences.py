"""Laws of tests of differences: no p-value depends on the unit of the metric, nor on the last bits of its values."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.stats
from tests.cases import drawn as part_of
from tests.evidence import evidence

import rankwell as rw
from rankwell.metrics import metric_of
from rankwell.statistics.bootstrap import chances
from rankwell.statistics.effects import effect, equivalence, heterogeneity_of
from rankwell.statistics.families import Cell, max_t, tukey
from rankwell.statistics.intervals import interval, is_doubtful
from rankwell.statistics.many import are_doubtful, intervals, summaries
from rankwell.statistics.moments import PairMoments
from rankwell.statistics.paired_tests import (
    Ranks,
    SizeCounts,
    margins,
    sign_flips,
    sign_test,
    t_test,
    wilcoxon,
    wilcoxon_of,
)
from rankwell.statistics.seeds import seeds_interval

UNITS = np.random.default_rng(0).integers(0, 2**63, 400).astype(np.uint64)
HOW = {"times": 999, "seed": 0}
# A difference counts as none up to 1e-9, whatever the metric: so a law of scale can only hold for factors that leave the steps of a
# metric (here 1/7, elsewhere not below 1e-6 or so) far above 1e-9, and its rounding (1e-16) far below. From a half (per cent of a
# maximum of two) to a thousand (per mille) there is room on both sides. 1/3 and 0.7 are no binary numbers: they round every value anew.
SCALES = 0.5, 1 / 3, 0.7, 3, 100, 1000


def in_bins(d):
    counted = SizeCounts.of(d)
    bins = counted.bins()
    return [Ranks.of(SizeCounts(*(each[bins == own] for each in counted))) for own in np.unique(bins)]


def p_by_flips(values):
    return np.array([sign_flips(each, UNITS[: len(each)], **HOW).p for each in values])


def p_by_ranks(values):
    return np.array([wilcoxon_of(len(each), in_bins(each)) for each in values])


def p_of_family(values):
    found = max_t([Cell(values, np.array([[0, 0, 1], [1, 2, 2]]), UNITS[: values.shape[1]])], **HOW)
    return np.concatenate([found.p, found.adjusted])


def p_of_shuffles(values):
    units = UNITS[: values.shape[1]]
    return tukey(values, np.array([[0, 0, 1], [1, 2, 2]]), units, ["one", "two", "three"], **HOW).adjusted


def p_of_segments(values):
    found = summaries(values)
    return np.array([heterogeneity_of(found.n, found.mean, found.sd)])


def counts(values):
    return np.array([effect(each, np.zeros(len(each)))[2:] for each in values])


def counts_by_sums(values):
    found = PairMoments.of(values, np.array([[0, 0, 1], [1, 2, 2]]), np.zeros(3))
    few = [-1 if each is None else len(each) for each in found.nonzero]
    return np.array([found.more, found.less, found.difference.are_doubtful(), few])


def doubts(values):
    return np.array([*map(is_doubtful, values), *are_doubtful(values)])


# of rows of differences, or of systems
NUMBERS = {
    "t": lambda values: np.array([t_test(each).p for each in values]),
    "t of rows": lambda values: summaries(values).p,
    "flips": p_by_flips,
    "wilcoxon": lambda values: np.array([wilcoxon(each) for each in values]),
    "wilcoxon by bins": p_by_ranks,
    "sign": lambda values: np.array([sign_test(each) for each in values]),
    "maxT": p_of_family,
    "tukey": p_of_shuffles,
    "heterogeneity": p_of_segments,
    "win, tie, loss": counts,
    "win, tie, loss by sums": counts_by_sums,
    "likely too short": doubts,
}


def drawn(n, zeros, seed):
    """Differences of hits among the first seven, and where there are none: values as a metric divides them."""
    random = np.random.default_rng(seed)
    hits = random.integers(0, 8, (2, 3, n))
    hits[1] = np.where(random.random((3, n)) < zeros, hits[0], hits[1])
    return hits[0] / 7, hits[1] / 7


def with_noise(values, seed):
    return values + np.random.default_rng(seed).choice([-1e-16, 0, 1e-16, 2e-16], values.shape)


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize(("n", "zeros"), [(9, 0.2), (15, 0.5), (45, 0.3), (60, 0.9), (300, 0.6)])
def test_neither_unit_nor_rounding_changes_a_p_value(name, n, zeros):
    of = NUMBERS[name]
    for seed in part_of(range(3), f"differences {name} {n}", 3):
        first, second = drawn(n, zeros, seed)
        d = np.rint(7 * (first - second)) / 7  # each size one number, to the bit
        told = of(d)
        assert of(first - second) == pytest.approx(told, rel=1e-9, nan_ok=True)
        assert of(with_noise(d, seed)) == pytest.approx(told, rel=1e-9, nan_ok=True)
        for scale in SCALES:
            assert of(d * scale) == pytest.approx(told, rel=1e-9, nan_ok=True)
            assert of((first - second) * scale) == pytest.approx(told, rel=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", NUMBERS)
def test_systems_that_differ_by_rounding_are_the_same_system(name):
    of, n = NUMBERS[name], 60
    noise = with_noise(np.zeros((3, n)), 1)
    assert np.array_equal(of(noise), of(np.zeros((3, n))), equal_nan=True)
    values = np.tile(np.random.default_rng(0).random(n), (3, 1))
    if name in ("maxT", "tukey", "win, tie, loss by sums"):
        assert np.array_equal(of(values + noise), of(values), equal_nan=True)


@pytest.mark.parametrize("method", ["studentised", "t", "percentile", "bca"])
def test_intervals_grow_with_the_unit_and_leave_rounding_alone(method):
    for seed, (n, zeros) in enumerate([(9, 0.2), (45, 0.3), (300, 0.6)]):
        d = np.rint(7 * np.subtract(*drawn(n, zeros, seed)))[0] / 7
        more = {"method": method, "times": 500, "seed": 1}
        told = np.array(interval(d, UNITS[:n], **more)[:3])
        assert interval(with_noise(d, 1), UNITS[:n], **more)[:3] == pytest.approx(told, rel=1e-9)
        for scale in SCALES:
            found = np.array(interval(d * scale, UNITS[:n], **more)[:3])
            assert found == pytest.approx(told * scale, rel=1e-9)
            if method in ("studentised", "t"):
                rows = intervals(d[None] * scale, UNITS[:n], **more)
                assert (rows.low[0], rows.high[0]) == pytest.approx(tuple(told[1:] * scale), rel=1e-9)


@pytest.mark.parametrize("by", ["t", "bootstrap"])
@pytest.mark.parametrize("n", [15, 45, 300])
def test_tests_with_a_margin_take_margins_of_the_same_unit(by, n):
    first, second = (each[0] for each in drawn(n, 0.4, n))
    told = np.array(margins(first, second, UNITS[:n], margin=0.05, by=by)[3:6])
    chance = chances((first - second)[None], UNITS[:n], rope=0.05, times=400)
    equal = equivalence(summaries((first - second)[None]), 0.05)[0]
    for scale in SCALES:
        new, old = first * scale, second * scale
        assert margins(new, old, UNITS[:n], margin=0.05 * scale, by=by)[3:6] == pytest.approx(told, rel=1e-9)
        assert chances((new - old)[None], UNITS[:n], rope=0.05 * scale, times=400) == pytest.approx(chance)
        assert equivalence(summaries((new - old)[None]), 0.05 * scale)[0] == pytest.approx(equal, rel=1e-9)
    noisy = margins(with_noise(first, 1), second, UNITS[:n], margin=0.05, by=by)
    assert noisy[3:6] == pytest.approx(told, rel=1e-9)


def test_intervals_over_seeds_grow_with_the_unit():
    first, second = drawn(60, 0.4, 3)
    told = np.array(seeds_interval(first, second, UNITS[:60], times=300)[:4])
    for scale in SCALES:
        found = seeds_interval(first * scale, second * scale, UNITS[:60], times=300)[:4]
        assert found == pytest.approx(told * scale, rel=1e-9)
    noisy = seeds_interval(with_noise(first, 1), second, UNITS[:60], times=300)[:4]
    assert noisy == pytest.approx(told, rel=1e-9)


def plain_wilcoxon(d):
    """The p-value by all patterns of signs over mean ranks, zeros ranked and dropped."""
    rank = scipy.stats.rankdata(np.abs(d))[d != 0]
    own = rank[d[d != 0] > 0].sum()
    sums = [sum(itertools.compress(rank, signs)) for signs in itertools.product((0, 1), repeat=len(rank))]
    low, high = (sum(side) / len(sums) for side in zip(*((s <= own, s >= own) for s in sums), strict=True))
    return min(1.0, 2 * min(low, high))


def test_wilcoxon_of_shares_is_that_of_whole_hits():
    """Hits among five: (1 - 0) / 5 and 4/5 - 3/5 are not the same double. All 32 signs over the mean ranks give p = 1."""
    old, new = [0, 5, 3, 1, 1], [1, 2, 4, 4, 0]
    qrels = {str(q): {f"d{item}": 1 for item in range(5)} for q in range(5)}

    def run(hits):
        return {
            str(q): [*(f"d{item}" for item in range(n)), *(f"x{item}" for item in range(5 - n))]
            for q, n in enumerate(hits)
        }

    names = ["p@5", "r@5", "cg@5", "dcg(discount=none)@5"]
    found = rw.compare({"a": run(old), "b": run(new)}, qrels, names, baseline="a", test="wilcoxon")
    assert plain_wilcoxon(np.subtract(new, old)) == 1.0
    assert [found.difference("b", "a", name).p_test for name in names] == pytest.approx([1.0] * 4)


@pytest.mark.parametrize("seed", range(20))
def test_wilcoxon_of_few_differences_is_that_of_all_signs(seed):
    hits = np.random.default_rng(seed).integers(0, 6, (2, 10))
    hits[0, 0] = hits[1, 0] + 1
    assert wilcoxon(hits[0] / 5 - hits[1] / 5) == pytest.approx(plain_wilcoxon(hits[0] - hits[1]))


COVID = evidence("trec-covid-round1")


def test_wilcoxon_of_real_runs_is_that_of_whole_hits():
    """All pairs of the six runs of TREC-COVID round 1 under p@5 and p@10. By the last bits all 30 had another p, up to 1.6 times."""
    runs = {each.stem: each for each in sorted((COVID / "runs").iterdir())}
    found = rw.compare(runs, COVID / "qrels-rnd1.txt", ["p@5", "p@10"], test="wilcoxon")
    values = {
        name: rw.evaluate(path, COVID / "qrels-rnd1.txt", ["p@5", "p@10"]) for name, path in runs.items()
    }
    pairs = list(itertools.combinations(runs, 2))
    assert len(pairs) == 15
    for (one, other), k in itertools.product(pairs, (5, 10)):
        hits = [np.rint(k * values[name].values(metric_of(f"p@{k}"))) for name in (one, other)]
        told = scipy.stats.wilcoxon(hits[0] - hits[1], zero_method="pratt").pvalue
        assert found.difference(one, other, f"p@{k}").p_test == pytest.approx(told, rel=1e-9)
