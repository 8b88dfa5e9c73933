"""The slow metrics beyond accuracy on one small case, each value worked out beside it."""

from __future__ import annotations

import math
from dataclasses import replace
from math import log, log2, sqrt

import pytest
from tests.every import every

from .reference_beyond import CORPUS, PER_LIST, Case, jackknife
from .reference_bias import head_items
from .reference_novelty import UnseenError

# Counts in lists: a 1, b 2, c 1, d 1, e 0. Train users: b 3, a 2, e 1, c 0, d 0, so U = 4, T = 6. Head (.8): b, a.
CASE = Case(
    lists={"u": ["a", "b", "c"], "v": ["b", "d"], "w": []},
    catalogue=["a", "b", "c", "d", "e"],
    scores={"u": {"a": 4, "b": 3, "c": 1}, "v": {"b": 5, "d": 2}, "w": {}},
    truth={"u": {"a": 3, "c": 1, "e": 2}, "v": {"d": 2}, "x": {"a": 1, "e": 1}},
    topics={"a": {"p"}, "b": {"p", "q"}, "c": {"q"}, "e": {"r"}},
    groups={"a": "g", "b": "h", "c": "h", "d": None, "e": "g"},
    weights={"a": 1, "b": 2, "c": 3, "d": 0, "e": 4},
    train={"u": {"a": 5, "e": 3}, "v": {"b": 4}, "w": {"a": 1, "b": 2}, "y": {"b": 1}},
    propensity={"u": {"a": 0.5, "c": 0.25, "e": 0.2}, "v": {"d": 0.5}, "x": {"a": 1, "e": 1}},
)
X = 1 - 1 / sqrt(2)  # the distance of a and b, and of b and c
L = 1 / log2(3)  # the discount of rank 2; rank 3 has 1/2
SUM = 1 + L + 1 / 2  # of the discounts of three ranks
UPD_U = 0.5 * log2(0.5 / (5 / 12)) + 0.5 * (1 / 3 * log2(2) + 2 / 3 * log2((1 / 3) / (5 / 12)))
# head b, mid a, tail c d e: profile 0 ½ ½, list a third each, middle 1/6 5/12 5/12
UPD_U_OF_TWO = 0.5 * (0.5 * log2(0.5 / (7 / 12)) + 0.5 * log2(0.5 / (5 / 12))) + 0.5 * (
    2 / 3 * log2((2 / 3) / (7 / 12)) + 1 / 3 * log2((1 / 3) / (5 / 12))
)  # head and tail: profile ½ ½, list ⅔ ⅓, middle 7/12 5/12
UPD_V = 0.5 * log2(1 / 0.75) + 0.5 * (0.5 * log2(0.5 / 0.75) + 0.5 * log2(0.5 / 0.25))  # 1 0 against ½ ½

CORPUS_VALUES = [
    ("coverage", {}, 4 / 5),
    ("coverage", {"users": 1}, (3 + 2 + 0) / 3 / 5),
    ("coverage", {"users": 2}, (4 + 3 + 2) / 3 / 5),  # u and v, u and w, v and w
    ("coverage", {"weights": "weights"}, (1 + 2 + 3 + 0) / 10),
    ("coverage", {"weights": "weights", "users": 2}, (6 + 6 + 2) / 3 / 10),
    ("prediction_coverage", {}, 4 / 5),
    ("user_coverage", {}, 2 / 4),  # u and v, of u, v, w and x, who was judged and has no list
    ("user_coverage", {"least": 3}, 1 / 4),
    ("topic_coverage", {}, 2 / 3),  # p and q; r is e's alone
    ("test_share", {}, 3 / 4),  # nobody judged b
    ("gini", {}, 8 / 25),  # ascending 0 1 1 1 2: −4·0 − 2·1 + 0·1 + 2·1 + 4·2 = 8, over 5 · 5
    ("gini_m1", {}, 8 / 20),
    ("gini_diversity", {}, 12 / 20),
    ("entropy", {}, 3 * 0.2 * log2(5) + 0.4 * log2(2.5)),
    ("entropy", {"base": math.e}, 3 * 0.2 * log(5) + 0.4 * log(2.5)),
    ("entropy_norm", {}, (3 * 0.2 * log2(5) + 0.4 * log2(2.5)) / log2(5)),
    ("simpson", {}, 1 - (3 * 0.04 + 0.16)),
    ("effective_items", {}, 5**0.6 * 2.5**0.4),
    ("personalization", {}, 1 - 1 / sqrt(6) / 3),  # only u and v share an item, of 3 and 2
    ("personalization", {"similarity": "overlap"}, 1 - 1 / 2 / 3),
    ("personalization", {"similarity": "jaccard"}, 1 - 1 / 4 / 3),
    ("personalization", {"similarity": "shared"}, 1 - 1 / 3 / 3),
    ("tail_coverage", {}, 2 / 3),  # c and d of c, d, e
    # head: 3 of (b for u, a for v, nothing for w), tail: 2 of (c d, c d e, c d e); 3/2 and 1/4, mean 7/8, std 5/8
    ("pop_rsp", {}, 5 / 7),
    # head: a for u, of (none for u: a is in train; a for x); tail: c and d, of (c for u, d for v, e for x); 1, 2/3
    ("pop_reo", {}, (1 / 6) / (5 / 6)),
    ("pop_reo", {"rel": 2}, 0),  # head: no denominator; tail alone: d for v, of d
    # head: b for u and v, of (b for u, the others have it); mid: a for u, of (a for v); tail: 2 of 2 + 3 + 3; 2 1 1/4
    (
        "pop_rsp",
        {"at": 0.2, "mid": 0.8},
        sqrt(((2 - 13 / 12) ** 2 + (1 / 12) ** 2 + (5 / 6) ** 2) / 3) / (13 / 12),
    ),
    # head b: nobody's; mid a: one hit, of x's a; tail as above 2 of 3
    ("pop_reo", {"at": 0.2, "mid": 0.8}, (1 / 6) / (5 / 6)),
    ("tail_coverage", {"head": "top", "at": 1, "mid": 3}, 1),
    # w has no list; profiles (1/2 + 1/4)/2 and 3/4, mean 27/48; lists (1/2 + 3/4 + 0)/3 and 3/8, mean 19/48
    ("delta_gap", {}, -8 / 27),
    ("exposure", {"view": "cut", "divergence": "tv"}, 1 / 4),  # seen: g 1, h 3; target ½ each
    ("exposure", {"divergence": "tv"}, 1 / 2 - 1 / (1 + L + 1 / 2 + 1)),
    ("exposure", {"view": "rbp", "p": 0.5, "divergence": "tv"}, 1 / 2 - 1 / (1 + 1 / 2 + 1 / 4 + 1)),
    ("exposure", {"view": "rbp", "divergence": "tv"}, 1 / 2 - 1 / (1 + 0.8 + 0.64 + 1)),
    ("exposure", {"view": "cut", "divergence": "tv", "target": "uniform"}, 1 / 4),
    ("exposure", {"view": "cut", "divergence": "tv", "target": "merit"}, 4 / 5 - 1 / 4),  # a e a e against c
    ("exposure", {"view": "cut", "divergence": "ratio"}, (1 / 2) / (3 / 2)),
    (
        "exposure",
        {"view": "cut", "divergence": "kl"},
        0.5 * log(0.5 / (0.99 * 0.25 + 0.005)) + 0.5 * log(0.5 / (0.99 * 0.75 + 0.005)),
    ),
    (
        "exposure",
        {"view": "cut"},  # middle of ½ ½ and ¼ ¾: 3/8 5/8
        0.5 * (0.5 * log2(4 / 3) + 0.5 * log2(4 / 5)) + 0.5 * (0.25 * log2(2 / 3) + 0.75 * log2(6 / 5)),
    ),
    ("dp_ratio", {"view": "cut"}, (1 / 8) / (3 / 8)),  # two items each, for four users
    ("dp_ratio", {"view": "cut", "candidates": "list"}, 1),
    ("dp_ratio", {"view": "cut", "candidates": "pool"}, (1 / 4) / (3 / 3)),  # u: a e, b c; v: b; x: a e
    ("dtr", {"view": "cut"}, (1 / 4) / (3 / 1)),
    ("dtr", {"view": "cut", "candidates": "list"}, (1 / 1) / (3 / 1)),
    ("mse", {}, 1 / 3),  # errors: u 4 − 3, 1 − 1; v 2 − 2
    ("mae", {}, 1 / 3),
    ("rmse", {}, sqrt(1 / 3)),
]

KL_GRADE = 5 / 8 * log((5 / 8) / (0.99 * 0.5 + 0.01 * 5 / 8)) + 3 / 8 * log(100)
RANKED = (1 + L / 2) / SUM  # topic p of u's list with discounts
PER_LIST_VALUES = [  # of u and v; w is undefined unless a third value is given
    ("ils", {}, sqrt(2) / 3, 0),
    ("ils", {"missing": "skip"}, sqrt(2) / 3, None),  # d has no topic
    ("ils", {"average": "matrix"}, (3 + 2 * sqrt(2)) / 9, 1 / 4),  # d is not its own neighbour
    ("ils", {"average": "sum"}, sqrt(2), 0),
    ("ils", {"similarity": "jaccard"}, (1 / 2 + 0 + 1 / 2) / 3, 0),
    ("ild", {}, 1 - sqrt(2) / 3, 1),
    ("ild", {"distance": "euclidean"}, (1 + sqrt(2) + 1) / 3, sqrt(2)),
    ("ild", {"distance": "sqeuclidean"}, (1 + 2 + 1) / 3, 2),
    ("eild", {}, ((X + L) / (1 + L) + L * X + (1 + X) / 2 / 2) / SUM, 1),
    ("eild", {"discount": "none"}, ((X + 1) / 2 + X + (1 + X) / 2) / 3, 1),
    ("eild", {"weights": "symmetric"}, (L * X + 0.5 + 0.5 * L * X) / (L + 0.5 + 0.5 * L), 1),
    ("eild", {"relevance": "binary"}, 1, 0),  # u: a and c, at distance 1; v: d alone
    ("eild", {"relevance": "binary", "weights": "symmetric"}, 1, None),
    ("msi", {}, (1 + log2(4 / 3) + 2) / 3, (log2(4 / 3) + 2) / 2),
    ("msi", {"unseen": "skip"}, (1 + log2(4 / 3)) / 2, log2(4 / 3)),
    ("msi", {"unseen": "laplace"}, log2(5 / 3 * 5 / 4 * 5) / 3, log2(5 / 4 * 5) / 2),
    ("self_information", {}, log2(3 * 2 * 6) / 3, log2(2 * 6) / 2),
    ("self_information", {"unseen": "laplace"}, log2(11 / 3 * 11 / 4 * 11) / 3, log2(11 / 4 * 11) / 2),
    ("epc", {"discount": "none"}, (1 / 2 + 1 / 4 + 1) / 3, (1 / 4 + 1) / 2),
    ("epc", {}, (1 / 2 + L / 4 + 1 / 2) / SUM, (1 / 4 + L) / (1 + L)),
    ("epc", {"relevance": "binary"}, (1 / 2 + 1 / 2) / SUM, L / (1 + L)),
    ("epc", {"relevance": "graded"}, (7 / 8 / 2 + 1 / 2 / 8) / SUM, L * 3 / 8 / (1 + L)),
    ("epc", {"unseen": "skip"}, (1 / 2 + L / 4) / (1 + L), 1 / 4),
    ("epc", {"unseen": "laplace", "discount": "none"}, (2 / 5 + 1 / 5 + 4 / 5) / 3, (1 / 5 + 4 / 5) / 2),
    ("efd", {"discount": "reciprocal"}, (log2(3) + 1 / 2 + log2(6) / 3) / (11 / 6), (1 + log2(6) / 2) / 1.5),
    ("epd", {"discount": "none"}, (1 / 2 + (X + 1) / 2 + 1) / 3, (0 + 1) / 2),
    ("unexpectedness", {"top": 2}, 1 / 3, 1 / 2),
    ("unexpectedness", {"top": 5}, 0, 0),
    ("serendipity", {"top": 2}, 1 / 3, 1 / 2),
    ("serendipity", {"top": 2, "rel": 2}, 0, 1 / 2),
    # places b a e c d; u: a 1 − 4/5, c (3/5 − 2/5) · 2/3; v: d (4/5 − 1/5) · 1/2
    ("serendipity_murakami", {}, (1 / 5 + 2 / 15) / 3, 3 / 10 / 2),
    ("serendipity_murakami", {"form": "rectools"}, (1 / 5 + 3 / 5) / 3, 4 / 5 / 2),
    ("serendipity_kotkov", {"distance": 0.5}, 1 / 3, 1 / 2),  # c, d
    ("serendipity_kotkov", {"distance": 0}, 1 / 3, 1 / 2),  # a cosine of 0 is at most 0
    ("serendipity_kotkov", {"distance": -0.1}, 0, 0),
    ("unserendipity", {}, (1 + 1 / sqrt(2)) / 6, 1 / 2),
    ("surprise", {}, (1 / 2 + 1) / 3, 1 / 2),
    ("calibration", {}, 0.5 * log(100), 0),  # p: p ½ r ½, q: p ½ q ½; v: b against b, as d has no topic
    ("calibration", {"base": 2}, 0.5 * log2(100), 0),
    ("calibration", {"smoothing": 0}, math.inf, 0),  # nothing of r is listed
    ("calibration", {"smoothing": 0.5}, 0.5 * log(2), 0),
    ("calibration", {"divergence": "js"}, 0.5, 0),
    ("calibration", {"divergence": "tv"}, 0.5, 0),
    ("calibration", {"divergence": "hellinger"}, sqrt(0.5), 0),
    ("calibration", {"weights": "grade"}, KL_GRADE, 0),
    (
        "calibration",
        {"discount": "log2p1", "divergence": "tv"},
        (abs(0.5 - RANKED) + 1 - RANKED + 0.5) / 2,
        0,
    ),
    ("arp", {}, (2 + 3 + 0) / 3, 3 / 2),
    ("aplt", {}, 1 / 3, 1 / 2),
    ("aclt", {}, 1, 1, 0),
    ("upd", {}, UPD_U, UPD_V),
    ("upd", {"at": 0.8}, UPD_U_OF_TWO, UPD_V),  # mid is 0.8 too, so that there is none
    ("aplt", {"head": "top", "at": 1, "mid": 2}, 1 / 3, 1 / 2),  # a is of the mid
    ("aclt", {"head": "top", "at": 1, "mid": 3}, 1, 1, 0),  # the tail is c and d
    ("awrf", {"view": "cut", "divergence": "tv"}, 1 / 2 - 1 / 3, 1 / 2),
    (
        "awrf",
        {"view": "cut", "divergence": "tv", "target": "merit"},
        2 / 3 - 1 / 3,
        None,
    ),  # v: d has no group
    ("user_mse", {}, 1 / 2, 0),
    ("user_mae", {}, 1 / 2, 0),
    ("user_rmse", {}, sqrt(1 / 2), 0),
]

PROPENSITY_VALUES = [  # of u, v and x, who was judged and has no list
    ("ips", {"metric": "p"}, (1 / 0.5 + 1 / 0.25) / 3, 1 / 0.5 / 3, 0),
    ("ips", {"metric": "r"}, 6 / 3, 2, 0),
    ("ips", {"metric": "r", "clip": 0.4}, (2 + 2.5) / 3, 2, 0),
    ("ips", {"metric": "dcg"}, 3 / 0.5 + 0.5 / 0.25, 2 * L / 0.5, 0),
    ("ips", {"metric": "ndcg"}, 8 / (3 + 2 * L + 0.5), 2 * L, 0),
    ("ips", {"metric": "rbp", "p": 0.5}, 0.5 * 2 + 0.125 / 3 * 4, 0.25 * 2 / 3 * 2, 0),
    ("snips", {"metric": "r"}, 6 / (2 + 4 + 5), 1, 0),
    ("snips", {"metric": "r", "rel": 2}, 2 / (2 + 5), 1, None),
    ("snips", {"metric": "r", "clip": 0.4}, 4.5 / 7, 1, 0),
    ("snips", {"metric": "dcg"}, 8 / 11, 4 * L / 2, 0),
]


def near(value):
    return value if value is None else pytest.approx(value, rel=0, abs=1e-13)


@every(("name", "parameters", "expected"), CORPUS_VALUES)
def test_a_value_of_all_lists_is_as_worked_out_by_hand(name, parameters, expected):
    assert CORPUS[name](CASE, 3, **parameters) == near(expected)


@every("row", PER_LIST_VALUES)
def test_a_value_of_each_list_is_as_worked_out_by_hand(row):
    name, parameters, of_u, of_v, *of_w = row
    ours = PER_LIST[name](CASE, 3, **parameters)
    assert ours["u"] == near(of_u)
    assert ours["v"] == near(of_v)
    assert ours["w"] == near(of_w[0] if of_w else None)


@every(("name", "parameters", "of_u", "of_v", "of_x"), PROPENSITY_VALUES)
def test_a_value_by_propensities_is_as_worked_out_by_hand(name, parameters, of_u, of_v, of_x):
    ours = PER_LIST[name](CASE, 3, **parameters)
    assert set(ours) == {"u", "v", "x"}
    assert [ours["u"], ours["v"], ours["x"]] == [near(of_u), near(of_v), near(of_x)]


@every(
    ("head", "at", "expected"),
    [
        ("volume", 0.8, "b a"),  # 3 of 6 rows, then 5, which is past 4.8
        ("volume", 0.5, "b"),  # 3 of 6 is the half
        ("volume", 1.0, "b a e"),  # what nobody has adds nothing
        ("top", 3, "b a e"),
        ("fraction", 0.5, "b a e"),  # 2 items are less than half of 5
        ("fraction", 0.4, "b a"),
        ("reach", 0.5, "b"),  # a reaches just the half
        ("count", 1, "b a"),
        ("quantile", 0.5, "b a"),  # of 0 0 1 2 3: 1
        ("quantile", 0.9, "b"),  # 2.6
        ("quantile", 1.0, ""),
        ("iqr", 0, "b"),  # quartiles 0 and 2
        ("iqr", 1.5, ""),
    ],
)
def test_the_head_is_cut_where_the_rule_says(head, at, expected):
    assert head_items(CASE, head, at) == expected.split()


def test_equal_counts_are_ordered_by_id_as_text():
    case = Case({}, ["i9", "i10", "i2"], train={"u": {"i9": 1, "i10": 1, "i2": 1}})
    assert head_items(case, "top", 2) == ["i10", "i2"]


def test_an_item_that_nobody_has_can_be_an_error():
    with pytest.raises(UnseenError, match="c"):
        PER_LIST["msi"](CASE, 3, unseen="error")
    assert PER_LIST["msi"](CASE, 1, unseen="error") == {"u": 1, "v": near(log2(4 / 3)), "w": None}


def test_a_negative_grade_is_not_judged_and_gains_nothing():
    """Not even rel=-5 makes it relevant; a grade of 0 is relevant from rel=0."""
    case = Case(
        {"u": ["a", "b"]}, ["a", "b"], truth={"u": {"a": -2, "b": 0}}, propensity={"u": {"a": 0.5, "b": 1}}
    )
    assert PER_LIST["ips"](case, 2, metric="dcg") == {"u": None}
    assert PER_LIST["ips"](case, 2, metric="p", rel=-5) == {"u": 1 / 2}
    assert PER_LIST["snips"](case, 2, metric="p", rel=0) == {"u": 1}
    assert PER_LIST["epc"](replace(CASE, truth={"u": {"a": -2, "b": 1}}), 2, relevance="graded")["u"] == near(
        L * (2 - 1) / 2 / 4 / (1 + L)  # b alone: (2¹ − 1)/2¹, novelty 1/4
    )


def test_what_ranks_above_its_popularity_alone_surprises():
    """a, the most popular of two, at rank 2: P − PM = 1/2 − 1 is not below 0; b at rank 1: 1 − 1/2."""
    case = Case({"u": ["b", "a"]}, ["a", "b"], truth={"u": {"a": 1, "b": 1}}, train={"v": {"a": 1}})
    assert PER_LIST["serendipity_murakami"](case, 2) == {"u": 1 / 4}


def test_two_groups_are_two():
    case = Case({"u": ["a"]}, ["a", "b"], groups={"a": "g", "b": None})
    with pytest.raises(ValueError, match="two groups"):
        CORPUS["dp_ratio"](case, 1)


def test_the_jackknife_of_coverage_is_as_worked_out_by_hand():
    """Without u: b d, without v: a b c, without w: a b c d; 0.4 0.6 0.8, squares 0.04 + 0 + 0.04, times 2/3."""
    assert jackknife("coverage", CASE, 3) == (near(0.8), near(sqrt(2 / 3 * 0.08)))


def test_the_jackknife_of_a_share_is_its_standard_error():
    """user_coverage is the mean of 1 1 0 0, whose standard error is √(variance / 4), variance 4 · ¼ / 3."""
    assert jackknife("user_coverage", CASE, 3) == (0.5, near(sqrt(1 / 3 / 4)))


def test_there_is_no_jackknife_error_where_a_part_is_undefined():
    case = Case({"u": ["a"], "v": ["b"]}, ["a", "b"])
    assert jackknife("personalization", case, 1) == (1, None)
    assert jackknife("coverage", Case({"u": ["a"]}, ["a", "b"]), 1) == (0.5, None)
