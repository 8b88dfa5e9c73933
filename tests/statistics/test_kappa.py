"""κ and α: against scikit-learn, Krippendorff's published example, and his definition as a plain loop over pairs of ratings."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from rankwell.statistics.agreement import cohen, coincidences, krippendorff, share_agreed

# K. Krippendorff, Computing Krippendorff's alpha-reliability (2011), section C: four observers, twelve units; . is missing
OBSERVERS = [
    "123321412...",
    "1233224125.3",
    ".33323422 51.".replace(" ", ""),
    "1233244125 1.".replace(" ", ""),
]
PUBLISHED = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849}


def table_of(first, second, categories):
    table = np.zeros((categories, categories))
    np.add.at(table, (first, second), 1)
    return table


def ratings(seed, categories, n=60):
    random = np.random.default_rng(seed)
    first = random.integers(0, categories, n)
    second = np.where(random.random(n) < 0.6, first, random.integers(0, categories, n))
    return first, second


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("categories", [2, 3, 5])
def test_kappa_is_that_of_scikit_learn(seed, categories):
    first, second = ratings(seed, categories)
    table = table_of(first, second, categories)
    values = np.arange(categories, dtype=float)
    assert cohen(table) == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)
    told = cohen_kappa_score(first, second, weights="quadratic", labels=np.arange(categories))
    assert cohen(table, values) == pytest.approx(told, abs=1e-12)
    assert share_agreed(table) == pytest.approx(float((first == second).mean()))


def test_quadratic_weights_are_of_the_values_and_not_of_their_places():
    first, second = ratings(1, 3)
    apart = cohen(table_of(first, second, 3), np.array([0.0, 1.0, 5.0]))
    wide = cohen_kappa_score([0, *[[0, 1, 5][x] for x in first]], [0, *[[0, 1, 5][x] for x in second]], weights="quadratic", labels=range(6))  # fmt: skip
    again = table_of(first, second, 3)
    again[0, 0] += 1
    assert cohen(again, np.array([0.0, 1.0, 5.0])) == pytest.approx(wide, abs=1e-12)
    assert apart != pytest.approx(cohen(table_of(first, second, 3), np.arange(3.0)))


@pytest.mark.parametrize("level", PUBLISHED)
def test_alpha_is_that_of_krippendorffs_example(level):
    codes = np.array([[-1 if sign == "." else int(sign) - 1 for sign in row] for row in OBSERVERS])
    found = coincidences(codes, 5)
    table = np.bincount(found.cell, found.amount, 25).reshape(5, 5)
    assert table.sum() == pytest.approx(40)
    assert krippendorff(table, np.arange(1.0, 6), level) == pytest.approx(PUBLISHED[level], abs=5e-4)


def plain_alpha(codes, values, level):
    """1 − D_o / D_e, over all pairs of ratings within units, and over all pairs of ratings that can be paired."""
    units = [[code for code in column if code >= 0] for column in codes.T]
    units = [unit for unit in units if len(unit) > 1]
    pooled = [code for unit in units for code in unit]
    counts = np.bincount(pooled, minlength=len(values))

    def distance(one, other):
        low, high = min(one, other), max(one, other)
        if level == "nominal":
            return float(one != other)
        if level == "interval":
            return (values[one] - values[other]) ** 2
        return (counts[low : high + 1].sum() - (counts[low] + counts[high]) / 2) ** 2

    seen = sum(distance(a, b) / (len(unit) - 1) for unit in units for a, b in itertools.permutations(unit, 2))
    chance = sum(distance(a, b) for a, b in itertools.permutations(pooled, 2)) / (len(pooled) - 1)
    return 1 - seen / chance


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("level", PUBLISHED)
def test_alpha_is_what_its_definition_gives_with_missing_ratings(seed, level):
    random = np.random.default_rng(seed)
    codes = random.integers(-1, 4, (int(random.integers(2, 5)), 20))
    values = np.sort(random.random(4)) * 10
    found = coincidences(codes, 4)
    table = np.bincount(found.cell, found.amount, 16).reshape(4, 4)
    assert krippendorff(table, values, level) == pytest.approx(plain_alpha(codes, values, level), abs=1e-10)


def test_many_tables_at_once_are_the_tables_one_by_one():
    tables = np.random.default_rng(0).integers(0, 9, (6, 3, 3)).astype(float)
    values = np.arange(3.0)
    whole = (
        cohen(tables),
        cohen(tables, values),
        share_agreed(tables),
        krippendorff(tables, values, "ordinal"),
    )
    for at, table in enumerate(tables):
        own = cohen(table), cohen(table, values), share_agreed(table), krippendorff(table, values, "ordinal")
        assert [each[at] for each in whole] == pytest.approx([float(each) for each in own])


def test_raters_who_use_one_category_alone_leave_nothing_to_agree_on():
    table = np.array([[5.0, 0.0], [0.0, 0.0]])
    assert math.isnan(cohen(table))
    assert math.isnan(krippendorff(2 * table, np.arange(2.0), "nominal"))
    assert share_agreed(table) == 1
