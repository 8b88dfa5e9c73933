"""Dawid and Skene's EM: the table of their paper, a second slow way of computing, and judges whose errors are known."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from rankwell.errors import DataError
from rankwell.judging.consensus import dawid_skene

# A. P. Dawid and A. M. Skene, Applied Statistics 28(1), 1979, Table 1: 45 patients; the first of 5 anaesthetists judged three times
PATIENTS = """
111 1 1 1 1|333 4 3 3 4|112 2 1 2 2|222 3 1 2 1|222 3 2 2 2|222 3 3 2 2|122 2 1 1 1|333 3 4 3 3|222 2 2 2 3|232 2 2 2 3
444 4 4 4 4|222 3 3 4 3|111 1 1 1 1|222 3 2 1 2|121 1 1 1 1|111 2 1 1 1|111 1 1 1 1|111 1 1 1 1|222 2 2 2 1|222 1 3 2 2
222 2 2 2 2|222 2 2 2 1|222 3 2 2 2|221 2 2 2 2|111 1 1 1 1|111 1 1 1 1|232 2 2 2 2|111 1 1 1 1|111 1 1 1 1|112 1 1 2 1
111 1 1 1 1|333 3 2 3 3|111 1 1 1 1|222 2 2 2 2|222 3 2 3 2|433 4 3 4 3|221 2 2 3 2|232 3 2 3 3|333 3 4 3 2|111 1 1 1 1
111 1 1 1 1|121 2 1 1 1|232 2 2 2 2|121 1 1 1 1|222 2 2 2 2
"""
ROWS = [
    (patient, judge, int(grade) - 1)
    for patient, given in enumerate(PATIENTS.strip().replace("\n", "|").split("|"))
    for judge, grades in enumerate(given.split())
    for grade in grades
]


def slowly(rows, grades, steps):
    """The equations of the paper one by one, with products in place of logarithms: 3.1, then 2.3, 2.4 and 2.5 in turns."""
    units, judges = sorted({row[0] for row in rows}), sorted({row[1] for row in rows})
    own = {unit: [(judge, grade) for each, judge, grade in rows if each == unit] for unit in units}
    chance = {
        unit: [sum(g == j for _, g in own[unit]) / len(own[unit]) for j in range(grades)] for unit in units
    }
    for _ in range(steps + 1):
        shares = [sum(chance[unit][j] for unit in units) / len(units) for j in range(grades)]
        confusion = {}
        for k in judges:
            for j in range(grades):
                cells = [
                    sum(chance[unit][j] for unit, judge, grade in rows if judge == k and grade == each)
                    for each in range(grades)
                ]
                confusion[k, j] = [cell / sum(cells) if sum(cells) else math.nan for cell in cells]
        last = chance
        chance = {}
        for unit in units:
            products = [
                shares[j] * math.prod(confusion[k, j][grade] for k, grade in own[unit]) for j in range(grades)
            ]
            products = [0.0 if math.isnan(each) else each for each in products]
            chance[unit] = [each / sum(products) for each in products]
    return last, shares, confusion


@pytest.fixture(scope="module")
def found():
    return dawid_skene(*np.array(ROWS).T, grades=4)


def test_shares_and_errors_of_the_published_table(found):
    assert len(ROWS) == 45 * 7
    assert found.has_converged
    # crowd-kit 1.4.2: 0.3997, 0.4224, 0.1112, 0.0667; and 0.8894, 0.1106, 0.0703, 0.8767, 0.0530, 0.3355, 0.6645, 0.5556, 0.4444
    assert found.shares.round(2).tolist() == [0.4, 0.42, 0.11, 0.07]
    assert found.confusion[0].round(2).tolist() == [
        [0.89, 0.11, 0, 0],
        [0.07, 0.88, 0.05, 0],
        [0, 0.34, 0.66, 0],
        [0, 0, 0.56, 0.44],
    ]


def test_all_judges_are_as_another_program_estimates_them(found):
    # crowd-kit 1.4.2, DawidSkene(n_iter=5000, tol=1e-14), which ends a little before; (judge, true, given): probability
    others = {
        (1, 0, 0): 0.833849, (1, 1, 1): 0.631933, (1, 1, 2): 0.315413, (1, 2, 2): 1, (2, 0, 0): 1, (2, 1, 1): 0.787819,
        (2, 2, 1): 0.404760, (2, 2, 3): 0.399610, (2, 3, 2): 0.666667, (3, 0, 0): 0.944066, (3, 1, 1): 0.841463,
        (3, 2, 2): 0.804370, (3, 3, 3): 0.666667, (4, 0, 0): 0.999615, (4, 1, 0): 0.158835, (4, 2, 1): 0.209493, (4, 3, 2): 0.333333,
    }  # fmt: skip
    assert {at: float(found.confusion[at]) for at in others} == pytest.approx(others, abs=0.005)


def test_a_second_way_of_computing_finds_the_same(found):
    chance, shares, confusion = slowly(ROWS, 4, found.steps)
    assert found.posterior == pytest.approx(np.array([chance[unit] for unit in range(45)]), abs=1e-9)
    assert found.shares == pytest.approx(np.array(shares), abs=1e-9)
    for (judge, true), row in confusion.items():
        assert found.confusion[judge, true] == pytest.approx(np.array(row), abs=1e-9)


def test_the_likelihood_never_falls():
    columns = np.array(ROWS).T
    values = [dawid_skene(*columns, grades=4, most_steps=steps).log_likelihood for steps in range(1, 20)]
    assert all(later >= earlier - 1e-9 for earlier, later in itertools.pairwise(values))
    assert not dawid_skene(*columns, grades=4, most_steps=3).has_converged


def test_judges_whose_errors_are_known_are_found_out():
    draw = np.random.default_rng(11)
    truth = draw.choice(3, 4000, p=[0.5, 0.3, 0.2])
    known = np.array(
        [
            [[0.9, 0.08, 0.02], [0.1, 0.8, 0.1], [0.02, 0.08, 0.9]],
            [[0.7, 0.2, 0.1], [0.1, 0.7, 0.2], [0.1, 0.2, 0.7]],
            [[0.95, 0.05, 0], [0.5, 0.45, 0.05], [0.1, 0.4, 0.5]],  # strict
            [[0.1, 0.2, 0.7], [0.2, 0.7, 0.1], [0.7, 0.2, 0.1]],  # upside down
        ]
    )
    rows = [
        (unit, judge, draw.choice(3, p=known[judge, true]))
        for unit, true in enumerate(truth)
        for judge in range(4)
    ]
    unit, judge, grade = np.array(rows).T
    found = dawid_skene(unit, judge, grade, grades=3)
    # an error of a share p of the 800 rarest units: standard deviation at most 0.018, and more as the truth is estimated
    assert np.abs(found.confusion - known).max() < 0.08
    right = (found.posterior.argmax(axis=1) == truth).mean()
    votes = np.zeros((4000, 3))
    np.add.at(votes, (unit, grade), 1)
    assert right > (votes.argmax(axis=1) == truth).mean() + 0.05
    sure = found.posterior.max(axis=1)
    assert sure.mean() == pytest.approx(right, abs=0.02)  # calibrated


def test_many_judgements_of_one_unit_do_not_underflow():
    judge = np.repeat(np.arange(2000), 2)
    grade = np.where(
        np.random.default_rng(0).random(4000) < 0.7, np.tile([0, 1], 2000), np.tile([1, 0], 2000)
    )
    found = dawid_skene(np.tile([0, 1], 2000), judge, grade, grades=2)
    assert np.isfinite(found.log_likelihood)
    assert found.posterior.sum(axis=1) == pytest.approx(1)


def test_nothing_is_refused():
    with pytest.raises(DataError, match="no judgement"):
        dawid_skene(*np.zeros((3, 0), np.int64), grades=2)


def slow_step(posterior, unit, judge, grade, grades):
    """One step of EM, judgement by judgement: equations 2.3, 2.4 and 2.5."""
    judges, units = judge.max() + 1, len(posterior)
    shares = [sum(own[true] for own in posterior) / units for true in range(grades)]
    given = np.zeros((judges, grades, grades))
    for i, k, g in zip(unit, judge, grade, strict=True):
        for true in range(grades):
            given[k, true, g] += posterior[i][true]
    found = np.tile(shares, (units, 1))
    for i, k, g in zip(unit, judge, grade, strict=True):
        for true in range(grades):
            found[i, true] *= given[k, true, g] / given[k, true].sum() if given[k, true].sum() else 0.0
    return found / found.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("seed", range(20))
def test_every_judgement_alone_gives_the_same(seed):
    # units with the same judgements are estimated once, and products of matrices replace the loops
    rng = np.random.default_rng(seed)
    units, judges, grades = rng.integers(1, 12), rng.integers(1, 5), rng.integers(2, 5)
    unit = np.concatenate([np.arange(units), rng.integers(0, units, 3 * units)])
    judge, grade = rng.integers(0, judges, len(unit)), rng.integers(0, grades, len(unit))
    posterior = np.zeros((units, grades))
    for i, g in zip(unit, grade, strict=True):
        posterior[i, g] += 1
    posterior /= posterior.sum(axis=1, keepdims=True)
    for _ in range(5):
        posterior = slow_step(posterior, unit, judge, grade, grades)
    found = dawid_skene(unit, judge, grade, grades=int(grades), most_steps=5)
    assert found.posterior == pytest.approx(posterior, abs=1e-12)
