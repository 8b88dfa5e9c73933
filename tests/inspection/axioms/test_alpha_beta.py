"""Which axioms αβ-nDCG satisfies: its row of the specification's table, and two things that the table does not say."""

from __future__ import annotations

from math import log2

import pytest

from rankwell.inspection.axioms import check_axioms

ROW = {
    "Pri": "holds", "PriGraded": "holds", "Deep": "holds", "DeepGraded": "holds", "DeepTh": "holds", "CloseTh": "violated",
    "Conf": "weak", "QAspDiv": "holds", "Red": "holds", "MRed": "holds", "Sat": "violated", "AspRel": "holds", "P3": "holds",
}  # fmt: skip


def verdict(metric, axiom):
    return check_axioms(metric, axiom)[axiom]


def test_alpha_beta_ndcg_satisfies_what_the_table_says():
    found = check_axioms("ab_ndcg(alpha=.1,beta=.9)@60", list(ROW))
    assert {each.axiom: each.verdict for each in found} == ROW
    assert not any(each.undefined for each in found)


def test_two_items_come_close_enough_at_a_small_beta():
    # the table: ok m = 4 at β = .2
    assert verdict("ab_ndcg(beta=.2)@60", "CloseTh").thresholds[3] == 4


def test_a_topic_is_saturated_only_by_what_satisfies_for_certain():
    # the table: no (yes at β = 1), where the chance that an item of the highest grade satisfies is 1
    assert verdict("ab_ndcg(beta=1)@60", "Sat").thresholds == {1: None, 2: None, 3: 1}


@pytest.mark.parametrize(
    ("switches", "expected"),
    [
        ("alpha=.1,beta=.9", "violated"),  # a grade of 1 in 3 counts β / 3 = .3 > α
        ("alpha=.1,beta=.25", "holds"),
        ("alpha=.31,beta=.9", "holds"),
        ("alpha=.29,beta=.9", "violated"),
        ("alpha=.1,beta=.9,rating_map=exp", "violated"),  # it counts β / 8 = .1125
        ("alpha=.12,beta=.9,rating_map=exp", "holds"),
        ("alpha=.1,beta=.9,rating_map=binary", "holds"),  # it counts 0
    ],
)
def test_missing_over_non_relevant_holds_where_alpha_is_above_what_a_disliked_item_counts(switches, expected):
    assert verdict(f"ab_ndcg({switches})@10", "P4").verdict == expected


def test_a_profile_that_is_given_is_the_one_that_is_learned():
    learned, given, share = (
        check_axioms(f"ab_ndcg(profile={how})@10", ["P1", "P3", "P7", "AspRel"])
        for how in ("ml", "given", "item_share")
    )
    for each in (given, share):
        for one, other in zip(learned, each, strict=True):
            assert (one.axiom, one.strict, one.ties) == (other.axiom, other.strict, other.ties)
    values = learned["P1"].counterexample.values
    assert given["P1"].counterexample.values == pytest.approx(values, abs=1e-12)


def test_priority_fails_for_items_of_two_topics_as_chances_of_topics_are_combined():
    """The order in which two items use up two topics changes what both gain together: 1 − Π (1 − a S) is not additive."""

    def value(*ratings):
        left, total = [0.5, 0.5], 0.0
        for rank, rating in enumerate(ratings, 2):  # rank 1 holds an item that nothing is known of
            a = 0.9 * rating / 3
            total += (1 - (1 - a * left[0]) * (1 - a * left[1])) / log2(rank + 1)
            left = [s * (1 - a) for s in left]
        return total

    assert value(3, 2) < value(2, 3)
    found = verdict("ab_dcg(alpha=.1,beta=.9)@10", "P1")
    assert found.verdict == "violated"
    example = found.counterexample
    assert (example.weights, len(example.better)) == ({"a": 1, "b": 1}, 3)
    first, second = (example.items[name] for name in example.better[1:])
    assert (first, second) == ({"a": 3, "b": 3}, {"a": 2, "b": 2})
    assert example.values == pytest.approx((value(3, 2), value(2, 3)), abs=1e-12)
    # inside one topic it holds
    assert verdict("ab_dcg(alpha=.1,beta=.9)@10", "PriGraded").verdict == "holds"
