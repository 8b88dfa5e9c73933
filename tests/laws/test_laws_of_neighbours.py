"""What else is asked for at the same time changes no value: all metrics together, and every ordered pair of them."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from tests.cases import drawn
from tests.laws import test_laws_of_alpha_beta, test_laws_of_lists, test_laws_of_novelty, test_laws_of_topics
from tests.laws.test_laws import METRICS

import rankwell as rw
from rankwell import testing
from rankwell.extend import ratio
from rankwell.metrics import metric_of

TEXTS = [
    *test_laws_of_alpha_beta.TEXTS,
    *test_laws_of_lists.TEXTS,
    *test_laws_of_novelty.TEXTS,
    *test_laws_of_topics.FROM_ITEMS,
]
OF_FEW_NUMBERS = [metric for metric in METRICS if metric.only_scores or metric.only_grades]
OF_SPANS = [metric for metric in METRICS if "spans" in metric.needs]
OF_PARTS = [metric for metric in METRICS if "parts" in metric.needs]
APART = [*OF_FEW_NUMBERS, *OF_SPANS, *OF_PARTS]
EVERY = [metric for metric in [*METRICS, *map(metric_of, TEXTS)] if metric not in APART]
FIRST = {type(metric): metric for metric in reversed(EVERY)}
LAST = {type(metric): metric for metric in EVERY}
TWO_OF_EACH = list(dict.fromkeys([*FIRST.values(), *LAST.values()]))


def test_all_metrics_together_have_the_values_that_each_has_alone():
    testing.check_neighbours(EVERY, [], cases=2)


def test_metrics_of_few_numbers_leave_others_alone_on_data_that_all_of_them_take():
    testing.check_neighbours([*OF_FEW_NUMBERS, "ndcg@3", "ap", "rmse", "judged@2"], cases=4)


def test_metrics_of_spans_and_of_lists_leave_each_other_alone():
    testing.check_neighbours([*OF_SPANS, "coverage@2", "ild@3", "arp"], cases=2)


def test_metrics_of_parts_leave_each_other_alone():
    assert len(OF_PARTS) > 4
    testing.check_neighbours(OF_PARTS, cases=4)


BESIDE = 6
BLOCKS = [TWO_OF_EACH[low : low + BESIDE] for low in range(0, len(TWO_OF_EACH), BESIDE)]
GROUPS = [(*one, *other) for one, other in permutations(BLOCKS, 2)] + [tuple(block[::-1]) for block in BLOCKS]


def test_the_groups_hold_every_ordered_pair():
    """Two blocks one after the other, either first, and each block from its end: any metric comes before any other."""
    pairs = {pair for group in GROUPS for pair in combinations(group, 2)}
    assert pairs == set(permutations(TWO_OF_EACH, 2))


def test_a_metric_beside_any_other_has_the_value_that_it_has_alone():
    groups = drawn(GROUPS, "pairs", share=10)
    assert len(groups) > 100
    testing.check_neighbours(TWO_OF_EACH, groups)


@rw.metric(name="mean_grade_found", range=(-9, 9))
def mean_grade_found(judged, context):
    """The mean grade of the judged items found."""
    return ratio(judged.found.sum(judged.found.grade), judged.found.count())


@rw.metric(name="lowers_grades")
def lowers_grades(judged, context):
    """Half the share of the list that is judged; by mistake it changes the grades that all metrics read."""
    np.subtract(judged.found.grade, 1.0, out=judged.found.grade)
    return ratio(judged.found.count(), 2 * judged.n_retrieved)


def test_a_metric_that_another_one_changes_is_named():
    named = (
        "mean_grade_found has different values when evaluated in this order: lowers_grades, mean_grade_found"
    )
    with pytest.raises(testing.LawBroken, match=named):
        testing.check_neighbours([mean_grade_found, lowers_grades])
    testing.check_neighbours([mean_grade_found, "ap"])
