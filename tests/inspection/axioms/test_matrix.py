"""Which metrics satisfy which axioms: the table of the specification, computed apart from rankwell with 1,500 pairs a cell.

``=`` is weak, ``✗`` violated, ``ok`` holds; every cell that is something else here stands in DIFFERENCES with the reason.
"""

from __future__ import annotations

import pytest
from tests.every import every

from rankwell.inspection.axioms import check_axioms

AXIOMS = [
    "Pri",
    "PriGraded",
    "Deep",
    "DeepTh",
    "CloseTh",
    "Conf",
    "QAspDiv",
    "Red",
    "MRed",
    "Sat",
    "AspRel",
    "P3",
    "P4",
]
WORDS = {"ok": "holds", "=": "weak", "✗": "violated"}
# without a cut-off a metric that needs one gets one that no list reaches
TABLE = {
    "p@10": "= = ✗ ok ok = = = = ✗ = = =",
    "rr": "= = = ok ✗ = = = = ok = = =",
    "ap": "ok = ✗ ✗ ok = = = = ✗ = = =",
    "ndcg": "ok ok ok ✗ ok = = = = ✗ = ✗ =",
    "rbp(p=0.9)": "ok ok ok ok ok = = = = ✗ = ✗ =",
    "err": "ok ok ok ok ✗ = = = = ✗ = ✗ =",
    "s_recall@10000": "= = = = ✗ = ok ok = ok = ok =",
    "alpha_ndcg": "ok = ok ok ✗ = ok ok ok ✗ = ok =",
    "alpha_ndcg(alpha=0.1)": "ok = ok ok ok = ok ok ok ✗ = ok =",
    "err_ia": "ok ok ok ok ✗ = ok ok ok ✗ ok ok =",
    "nrbp": "ok = ok ok ✗ = ok ok ok ✗ = ok =",
    "nrbp(alpha=0.1,beta=0.9)": "ok = ok ok ok = ok ok ok ✗ = ok =",
    "ap_ia": "ok = ✗ ✗ ok = ok ✗ ✗ ✗ ok ✗ =",
    "ndcg_ia": "ok ok ok ✗ ok = ok = = ✗ ok ✗ =",
    "dsharp_ndcg": "ok ok ok ✗ ok = ok ok = ✗ ok ok =",
    "rbu(p=0.9,e=0.05)": "ok ok ok ok ✗ ok ok ok ok ok ok ok =",
    "rbu(p=0.99,e=0.001)": "ok ok ok ok ok ok ok ok ok ok ok ok =",
}
DIFFERENCES = {
    ("p@10", "Deep"): ("weak", "the violation lies in pairs across rank 10, and lists are drawn within the cut-off"),
    ("s_recall@10000", "CloseTh"): ("weak", "at every length both lists cover the topic: a tie, and never worse"),
    ("nrbp", "AspRel"): ("holds", "the table has it without weights, and says ok if weighted: weights=qrels reads them"),
    ("nrbp(alpha=0.1,beta=0.9)", "AspRel"): ("holds", "as for nrbp"),
}  # fmt: skip
# the lengths that the table names, each for a relevant item of the highest grade
LENGTHS = {
    ("p@10", "CloseTh"): 2,
    ("ap", "CloseTh"): 3,
    ("ndcg", "CloseTh"): 3,
    ("rbp(p=0.9)", "CloseTh"): 2,
    ("alpha_ndcg(alpha=0.1)", "CloseTh"): 3,
    ("ap_ia", "CloseTh"): 3,
    ("ndcg_ia", "CloseTh"): 3,
    ("dsharp_ndcg", "CloseTh"): 3,
    ("rbu(p=0.99,e=0.001)", "CloseTh"): 2,
    ("s_recall@10000", "Sat"): 1,
}


@pytest.fixture(scope="module")
def found():
    return check_axioms(list(TABLE), AXIOMS)


@every("metric", TABLE)
def test_a_metric_satisfies_what_the_table_says(metric, found):
    expected = {
        axiom: DIFFERENCES.get((metric, axiom), (WORDS[word],))[0]
        for axiom, word in zip(AXIOMS, TABLE[metric].split(), strict=True)
    }
    assert {axiom: found[metric, axiom].verdict for axiom in AXIOMS} == expected


@every(("metric", "axiom"), DIFFERENCES)
def test_a_difference_to_the_table_is_one(metric, axiom):
    cells = dict(zip(AXIOMS, TABLE[metric].split(), strict=True))
    assert WORDS[cells[axiom]] != DIFFERENCES[metric, axiom][0]


@every(("metric", "axiom"), LENGTHS)
def test_the_length_that_was_found_is_that_of_the_table(metric, axiom, found):
    assert found[metric, axiom].thresholds[3] == LENGTHS[metric, axiom]


@every("metric", TABLE)
def test_no_value_was_undefined(metric, found):
    assert not any(found[metric, axiom].undefined for axiom in AXIOMS)


def test_rbu_is_close_enough_for_weak_items_only(found):
    # the table: ✗ at R = 7/8, ok m = 2 at R = 1/8
    lengths = found["rbu(p=0.9,e=0.05)", "CloseTh"].thresholds
    assert (lengths[1], lengths[3]) == (2, None)


@pytest.mark.parametrize(("p", "e"), [(0.9, 0.05), (0.99, 0.001)])
def test_rbu_is_saturated_where_the_next_item_of_a_topic_is_worth_less_than_its_cost(p, e, found):
    for grade, length in found[f"rbu(p={p},e={e})", "Sat"].thresholds.items():
        chance = (2**grade - 1) / 8
        assert length == next(n for n in range(1, 99) if chance * (1 - chance) ** n <= e)


def test_the_deepness_threshold_of_alpha_ndcg_lies_where_the_plain_sum_says(found):
    # n0 is near 2 ** (1 / alpha), so that no length below 1,000 is enough for alpha = .1
    from math import log2

    def wins(n):
        return sum(0.9**i / log2(n + i + 2) for i in range(n)) < 1

    lengths = (700, 1000, 1500, 2000)
    assert [wins(n) for n in lengths] == [False, False, True, True]
    assert set(found["alpha_ndcg(alpha=0.1)", "DeepTh"].thresholds.values()) == {1500}


@pytest.mark.parametrize(("p", "verdict"), [(0.75, "violated"), (0.76, "holds")])
def test_rbp_is_close_enough_from_a_persistence_of_75_percent(p, verdict):
    # two hits at ranks 3 and 4 beat one at the top where p² + p³ > 1: p > 0.7549; more than two ask for less only above it
    assert check_axioms(f"rbp(p={p})", "CloseTh")["CloseTh"].verdict == verdict
