"""Families of comparisons, against plain loops and SciPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.stats
from tests.statistics.plain import signs as plain_signs

from rankwell.kernels import resample
from rankwell.statistics.draws import replicates
from rankwell.statistics.families import (
    Cell,
    Stratum,
    _by_pairs,
    _by_systems,
    _sums_of,
    exact_max_t,
    max_t,
    max_t_of_strata,
    shuffled_sums,
    tukey,
    tukey_of,
)
from rankwell.statistics.paired_tests import FLIPS, sign_flips

TIMES = 3000
NAMES = [f"system {at}" for at in range(9)]


def data(systems=6, units=40, missing=0.0):
    rng = np.random.default_rng(11)
    values = rng.beta(0.4, 0.9, (systems, units)) + np.linspace(0, 0.3, systems)[:, None]
    values[rng.random(values.shape) < missing] = np.nan
    pairs = np.array(list(itertools.combinations(range(systems), 2))).T
    return values, pairs, rng.integers(0, 2**63, units).astype(np.uint64)


def plain_max_t(values, pairs, units, seed):
    """Step-down maxT with a table of all t*, comparison by comparison."""
    signs = plain_signs(replicates(seed, FLIPS, 0, -(-TIMES // 64)), units)[:TIMES]
    observed, flipped = [], []
    for left, right in pairs.T:
        d = values[left] - values[right]
        kept = ~np.isnan(d)
        d, own = d[kept], signs[:, kept]
        n = len(d)
        moved = own * d
        observed.append(abs(d.mean()) / (d.std(ddof=1) / np.sqrt(n)))
        flipped.append(np.abs(moved.mean(axis=1)) / (moved.std(axis=1, ddof=1) / np.sqrt(n)))
    observed, flipped = np.array(observed), np.array(flipped)
    adjusted, least = np.empty(len(observed)), 0.0
    order = np.argsort(-observed)
    for place, comparison in enumerate(order):
        most = flipped[order[place:]].max(axis=0)
        own = (np.count_nonzero(most >= observed[comparison] * (1 - 1e-9)) + 1) / (TIMES + 1)
        adjusted[comparison] = least = max(least, own)
    alone = (np.count_nonzero(flipped >= observed[:, None] * (1 - 1e-9), axis=1) + 1) / (TIMES + 1)
    return alone, adjusted


@pytest.mark.parametrize("missing", [0.0, 0.04, 0.3])
@pytest.mark.parametrize("threads", [1, 3])
def test_max_t_is_that_of_a_table_of_all_replicates(missing, threads):
    values, pairs, units = data(missing=missing)
    found = max_t([Cell(values, pairs, units)], times=TIMES, seed=2, threads=threads)
    alone, adjusted = plain_max_t(values, pairs, units, 2)
    assert found.p.tolist() == alone.tolist()
    assert found.adjusted.tolist() == adjusted.tolist()
    assert (found.adjusted >= found.p).all()


def cost(sums):
    """Additions per replicate, from tables of eight units."""
    return sum(-(-len(units) // 8) * columns.shape[1] for units, columns in sums.blocks)


@pytest.mark.parametrize("missing", [0.0, 0.1, 0.45, 0.55, 0.9])
@pytest.mark.parametrize("systems", [2, 3, 20])
def test_of_sums_by_system_and_by_pair_those_are_made_that_take_fewer_additions(systems, missing):
    values, pairs, units = data(systems=systems, units=83, missing=missing)
    cell = Cell(values, pairs, units)
    lacking = ~np.isnan(values).all(axis=0) & np.isnan(values)
    least = min(cost(_by_systems(cell, dict(enumerate(lacking)))), cost(_by_pairs(cell)))
    assert cost(_sums_of(cell)) == least


def test_differences_are_made_in_blocks_of_pairs_that_change_nothing(monkeypatch):
    values, pairs, units = data(systems=9, missing=0.6)
    cells = [Cell(values, pairs, units)]
    whole = max_t(cells, times=TIMES, seed=2)
    monkeypatch.setattr("rankwell.statistics.families.ROOM", 20 * pairs.shape[1])
    assert len(_sums_of(cells[0]).blocks) > 1
    parts = max_t(cells, times=TIMES, seed=2)
    assert parts.p.tolist() == whole.p.tolist()
    assert parts.adjusted.tolist() == whole.adjusted.tolist()


def test_where_systems_lack_few_units_each_the_sums_are_made_by_system_and_not_by_pair():
    values, pairs, units = data(systems=20, units=80, missing=0.04)
    assert cost(_sums_of(Cell(values, pairs, units))) < cost(_by_pairs(Cell(values, pairs, units))) / 2
    alone, adjusted = plain_max_t(values, pairs, units, 2)
    found = max_t([Cell(values, pairs, units)], times=TIMES, seed=2)
    assert found.p.tolist() == alone.tolist()
    assert found.adjusted.tolist() == adjusted.tolist()


def test_pairs_that_are_the_same_where_both_are_defined_have_no_difference_but_for_rounding():
    values, pairs, units = data(systems=8, units=200)
    values[1:4] = values[0]
    values[np.arange(4), [3, 50, 51, 120]] = np.nan
    cell = Cell(values, pairs, units)
    assert cost(_sums_of(cell)) < cost(_by_pairs(cell))
    found = max_t([cell], times=TIMES, seed=2)
    same = (pairs < 4).all(axis=0)
    assert (found.p[same] == 1).all()
    assert found.adjusted[~same].min() < 0.01


def test_cells_are_one_family_whatever_their_units():
    values, pairs, units = data(missing=0.2)
    halves = np.full((12, 40), np.nan)
    halves[:6, :25], halves[6:, 25:] = values[:, :25], values[:, 25:]
    both = np.concatenate([pairs, pairs + 6], axis=1)
    alone, adjusted = plain_max_t(halves, both, units, 2)
    cells = [Cell(values[:, :25], pairs, units[:25]), Cell(values[:, 25:], pairs, units[25:])]
    found = max_t(cells, times=TIMES, seed=2)
    assert found.p.tolist() == alone.tolist()
    assert found.adjusted.tolist() == adjusted.tolist()


def test_very_many_cells_of_one_two_and_forty_columns_have_the_p_values_that_each_has_alone():
    rng = np.random.default_rng(3)
    cells = []
    for at in range(60):
        systems = 40 if at % 25 == 24 else 2 + at % 2
        pairs = np.array(list(itertools.combinations(range(systems), 2))).T
        values = np.where(rng.random((systems, 21)) < at % 3 / 10, np.nan, rng.random((systems, 21)))
        cells.append(Cell(values, pairs, rng.integers(0, 2**63, 21).astype(np.uint64)))
    found = max_t(cells, times=TIMES, seed=2)
    alone = [max_t([cell], times=TIMES, seed=2).p for cell in cells]
    assert found.p.tolist() == np.concatenate(alone).tolist()


def test_one_comparison_is_not_adjusted_and_equals_its_own_test():
    values, pairs, units = data(systems=2, units=60)
    found = max_t([Cell(values, pairs, units)], times=TIMES, seed=4)
    alone = sign_flips(values[0] - values[1], units, times=TIMES, seed=4)
    assert found.p.tolist() == found.adjusted.tolist() == [alone.p]


@pytest.mark.parametrize("times", [99, 100, 103, 104, 127])
def test_every_replicate_counts_once_and_none_beside_them(times):
    values, _, units = data(systems=3)
    values = np.vstack([values[0], values[0], values[1]])
    pairs = np.array([[0, 0], [1, 2]])
    found = max_t([Cell(values, pairs, units)], times=times, seed=1)
    assert found.p[0] == found.adjusted[0] == 1.0
    alone = sign_flips(values[0] - values[2], units, times=times, seed=1)
    assert found.p[1] == found.adjusted[1] == alone.p


def test_systems_without_a_difference_and_pairs_without_units():
    values, _, units = data(systems=3)
    values = np.vstack([values[0], values[0], np.full(40, np.nan)])
    found = max_t([Cell(values, np.array([[0, 0, 1], [1, 2, 2]]), units)], times=TIMES, seed=1)
    assert found.p[0] == found.adjusted[0] == 1.0
    assert np.isnan(found.p[1:]).all()
    assert np.isnan(found.adjusted[1:]).all()


def test_tukey_is_near_that_of_scipy_on_normal_values_and_near_all_orders_on_few():
    rng = np.random.default_rng(5)
    values = rng.normal(0, 1, (4, 200)) + np.array([[0], [0], [0.2], [0.3]])
    pairs = np.array(list(itertools.combinations(range(4), 2))).T
    units = rng.integers(0, 2**63, 200).astype(np.uint64)
    found = tukey(values, pairs, units, NAMES[: len(values)], times=20_000, seed=1, threads=2).adjusted
    told = scipy.stats.tukey_hsd(*values).pvalue[tuple(pairs)]
    assert found == pytest.approx(told, abs=0.02)
    few = np.array([[0.1, 0.5, 0.2], [0.4, 0.1, 0.9]])
    orders = [
        abs(sum(s * (a - b) for s, a, b in zip(signs, *few, strict=True)))
        for signs in itertools.product((1, -1), repeat=3)
    ]
    share = np.mean([each >= abs((few[0] - few[1]).sum()) - 1e-9 for each in orders])
    [near] = tukey(few, np.array([[0], [1]]), units[:3], NAMES[:2], times=40_000, seed=2).adjusted
    assert near == pytest.approx(share, abs=0.01)


def test_shuffles_do_not_depend_on_threads_and_every_place_is_as_likely():
    values, pairs, units = data(systems=5)
    one, three = (
        tukey(values, pairs, units, NAMES[: len(values)], times=1000, seed=1, threads=threads)
        for threads in (1, 3)
    )
    assert one.adjusted.tolist() == three.adjusted.tolist()
    # the largest of five values goes to a system at random: of many units, each gets a fifth
    marked = np.zeros((5, 5000))
    marked[0] = 1
    keys = replicates(1, 2, 0, 20)
    sums = resample.shuffled_sums(np.ascontiguousarray(marked.T), keys, np.arange(5000, dtype=np.uint64))
    assert (sums.sum(axis=1) == 5000).all()
    assert np.ptp(sums, axis=1).max() < 6 * np.sqrt(5000 * 0.2 * 0.8)


@pytest.mark.parametrize("n", [12, 60])
def test_differences_that_add_up_to_0_but_for_rounding_have_a_p_value_of_1(n):
    random = np.random.default_rng(n)
    d = np.array([0.1, 0.2, -0.3] * (n // 3))
    assert d.sum() != 0
    for _ in range(5):
        d = random.permutation(d)
        values, units = np.array([d + 0.7, np.full(n, 0.7)]), np.arange(n, dtype=np.uint64)
        values[0] = np.round(values[0], 12)
        pairs = np.array([[0], [1]])
        for p in (
            max_t([Cell(values, pairs, units)], times=99, seed=1).p[0],
            tukey(values, pairs, units, NAMES[: len(values)], times=99, seed=1).adjusted[0],
            sign_flips(d, units, times=99, seed=1).p,
        ):
            assert p == 1.0


def test_the_order_of_systems_changes_no_p_value_of_tukeys_test():
    """All orders of four systems, of which some pairs are near alpha, and parts of the units as on a cluster."""
    random = np.random.default_rng(3)
    values = random.beta(0.4, 0.9, (4, 30)) + np.array([[0.0], [0.1], [0.2], [0.25]])
    names, units = ["b", "é", "a", "B"], random.integers(0, 2**63, 30).astype(np.uint64)
    pairs = np.array(list(itertools.combinations(range(4), 2))).T
    told = set()
    for order in itertools.permutations(range(4)):
        own = [names[at] for at in order]
        found = tukey(values[list(order)], pairs, units, own, times=299, seed=1).adjusted
        parts = [
            shuffled_sums(values[list(order)][:, part], units[part], own, times=299, seed=1)
            for part in (slice(0, 11), slice(11, 30))
        ]
        total = values[list(order)].sum(axis=1)
        assert tukey_of(parts[0] + parts[1], total, pairs).adjusted == pytest.approx(found, abs=1e-12)
        told.add(
            frozenset((frozenset((own[i], own[j])), p) for (i, j), p in zip(pairs.T, found, strict=True))
        )
    assert len(told) == 1
    assert len({p for _, p in told.pop()}) > 3


def every_flip(values, pairs):
    """Step-down maxT over all patterns of signs, pair by pair: on its own and adjusted."""
    signs = np.array(list(itertools.product([1, -1], repeat=values.shape[1])))
    observed, flipped = [], []
    for left, right in pairs.T:
        d = values[left] - values[right]
        moved = signs * d
        with np.errstate(divide="ignore", invalid="ignore"):
            every = np.abs(moved.mean(axis=1)) / (moved.std(axis=1, ddof=1) / np.sqrt(len(d)))
        every = np.where(np.abs(moved.sum(axis=1)) < 1e-12, 0.0, np.where(every > 1e6, np.inf, every))
        observed.append(every[0])  # the first pattern turns no sign
        flipped.append(every)
    observed, flipped = np.array(observed), np.array(flipped)
    adjusted, least = np.empty(len(observed)), 0.0
    order = np.argsort(-observed, kind="stable")
    for place, pair in enumerate(order):
        most = flipped[order[place:]].max(axis=0)
        adjusted[pair] = least = max(least, np.mean(most >= observed[pair] * (1 - 1e-9)))
    return np.mean(flipped >= observed[:, None] * (1 - 1e-9), axis=1), adjusted


@pytest.mark.parametrize("units", [6, 9, 12])
def test_exact_max_t_tries_every_pattern(units):
    values, pairs, numbers = data(systems=5, units=units)
    values[3] = values[1] + 0.25  # differences all equal: |t| is infinite
    values[4] = np.round(values[4], 1)
    alone, adjusted = every_flip(values, pairs)
    found = exact_max_t(Cell(values, pairs, numbers))
    np.testing.assert_allclose(found.adjusted, adjusted, atol=1e-12)
    np.testing.assert_allclose(found.p, alone, atol=1e-12)
    assert found.adjusted[pairs.T.tolist().index([1, 3])] == 2 ** (1 - units)


def test_two_equal_systems_are_never_told_apart_exactly():
    values, pairs, numbers = data(systems=3, units=8)
    values[1] = values[0]
    found = exact_max_t(Cell(values, pairs, numbers))
    assert found.p[0] == found.adjusted[0] == 1.0


def plain_strata(strata, pairs, seed):
    """The same for weighted strata, each t written out: t = Σ w·m / √Σ w²·s²/n."""
    keys = replicates(seed, FLIPS, 0, -(-TIMES // 64))
    signs = [plain_signs(keys, units)[:TIMES] for _, units, _ in strata]
    observed, flipped = [], []
    for left, right in pairs.T:
        columns = []
        for drawn in (None, signs):
            total = spread = 0.0
            for at, (values, _, weight) in enumerate(strata):
                d = values[left] - values[right]
                moved = d[None] if drawn is None else drawn[at] * d
                total = total + weight * moved.mean(axis=1)
                spread = spread + weight**2 * moved.var(axis=1, ddof=1) / len(d)
            columns.append(np.abs(total) / np.sqrt(spread))
        observed.append(columns[0][0])
        flipped.append(columns[1])
    observed, flipped = np.array(observed), np.array(flipped)
    adjusted, least = np.empty(len(observed)), 0.0
    order = np.argsort(-observed)
    for place, pair in enumerate(order):
        most = flipped[order[place:]].max(axis=0)
        own = (np.count_nonzero(most >= observed[pair] * (1 - 1e-9)) + 1) / (TIMES + 1)
        adjusted[pair] = least = max(least, own)
    alone = (np.count_nonzero(flipped >= observed[:, None] * (1 - 1e-9), axis=1) + 1) / (TIMES + 1)
    return alone, adjusted


@pytest.mark.parametrize("sizes", [(30,), (30, 2, 11), (5, 200)])
def test_max_t_of_strata_is_that_of_a_table_of_all_replicates(sizes):
    strata = []
    for at, size in enumerate(sizes):
        values, pairs, _ = data(units=size)
        units = np.random.default_rng(at).integers(0, 2**63, size).astype(np.uint64)
        strata.append(Stratum(values + at, units, 1 / (at + 1)))
    found = max_t_of_strata(strata, pairs, times=TIMES, seed=4)
    alone, adjusted = plain_strata(strata, pairs, 4)
    assert found.p.tolist() == alone.tolist()
    assert found.adjusted.tolist() == adjusted.tolist()


def test_one_stratum_is_max_t_itself_and_equal_systems_have_p_1():
    values, pairs, units = data()
    values[1] = values[0]
    whole = max_t([Cell(values, pairs, units)], times=TIMES, seed=2)
    found = max_t_of_strata([Stratum(values, units, 0.25)], pairs, times=TIMES, seed=2)
    np.testing.assert_allclose(found.p, whole.p, atol=1e-12)
    np.testing.assert_allclose(found.adjusted, whole.adjusted, atol=1e-12)
    assert found.p[0] == found.adjusted[0] == 1.0
