"""The slow second implementation follows each policy, counted by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from tests.every import every

from .reference import ReferenceRefusal, evaluate, parse_metric, rows_of

Rows = dict[str, list[tuple[Any, float | None]]]


LIST: Rows = {"q": [("a", 5), ("b", 4), ("a", 3), ("u", 2), ("c", 1)]}
QRELS = rows_of({"q": {"a": 1, "b": 0, "c": 2, "m": -1}})
HAND: list[tuple[str, dict[str, Any], float]] = [
    # drop: a b u c -> hits at 1 and 4; first: a b a' u c -> hits at 1 and 5; condensed: a b c -> 1 and 3
    ("ap(denom=R)", {"duplicates": "drop"}, (1 / 1 + 2 / 4) / 2),
    ("ap(denom=R)", {"duplicates": "first"}, (1 / 1 + 2 / 5) / 2),
    ("ap(denom=R)", {"duplicates": "drop", "unjudged": "condense"}, (1 / 1 + 2 / 3) / 2),
    ("p(denom=n)@5", {"duplicates": "drop"}, 2 / 4),
    ("p(denom=n)@5", {"duplicates": "first"}, 2 / 5),
    ("p(denom=n)@5", {"duplicates": "drop", "unjudged": "condense"}, 2 / 3),
    ("judged@4", {"duplicates": "drop"}, 3 / 4),
    ("judged@4", {"duplicates": "drop", "unjudged": "condense"}, 1.0),
    ("ap(denom=R)", {"depth": 2}, 1 / 2),
    ("p(denom=n)@5", {"depth": 2}, 1 / 2),
    ("ndcg", {"depth": 2}, 1 / (2 + 1 / math.log2(3))),
    ("ndcg(ideal=retrieved)", {"depth": 2}, 1.0),
    ("ap(denom=R)", {"depth": 2, "rel": 2}, 0.0),
    ("err(max_grade=2)", {"duplicates": "drop"}, 1 / 4 + (3 / 4) * (3 / 4) / 4),
    ("err(gain=linear)", {"duplicates": "drop"}, 1 / 3 + (2 / 3) * (2 / 3) / 4),
    ("ndcg(discount=[1, 0, 0, 1])", {"duplicates": "drop"}, (1 + 2) / 2),
    ("ndcg(discount=jk,base=3)", {"duplicates": "drop"}, (1 + 2 / math.log(4, 3)) / 3),
    ("ndcg(discount=reciprocal)", {"duplicates": "drop"}, (1 + 2 / 4) / (2 + 1 / 2)),
    ("ndcg(discount=none)@2", {"duplicates": "drop"}, 1 / 3),
    ("ndcg(gain={1: 5})", {"duplicates": "drop"}, 1.0),
    ("bpref", {"duplicates": "drop"}, (1 + 0) / 2),
    # with the negative grade as a judged non-relevant item: N = 2, one of them above c
    ("bpref", {"duplicates": "drop", "negative": "nonrelevant"}, (1 + 1 / 2) / 2),
]


@every(("metric", "policy", "expected"), HAND)
def test_policies_do_what_a_count_by_hand_gives(metric: str, policy: dict[str, Any], expected: float) -> None:
    assert evaluate(LIST, QRELS, metric, None, policy).mean == pytest.approx(expected, abs=1e-15)


RATINGS = rows_of({"q": {"a": 9, "b": 7, "c": 4, "d": 8}})
RATED: Rows = {"q": [("c", 3), ("b", 2), ("a", 1)]}


def test_ratings_are_refused_without_rel_and_count_gains_from_it() -> None:
    with pytest.raises(ReferenceRefusal, match="grades"):
        evaluate(RATED, RATINGS, "ndcg@3")
    with pytest.raises(ReferenceRefusal, match="rel"):
        evaluate(RATED, RATINGS, "p@3", None, {"grades": "ratings"})
    assert evaluate(RATED, RATINGS, "judged@3").mean == 1.0
    # levels 0, 1, 3 in the list and 3, 2, 1 at best
    ideal = 3 + 2 / math.log2(3) + 1 / 2
    assert evaluate(RATED, RATINGS, "ndcg(rel=7)").mean == pytest.approx((1 / math.log2(3) + 3 / 2) / ideal)
    raw = (4 + 7 / math.log2(3) + 9 / 2) / (9 + 8 / math.log2(3) + 7 / 2 + 4 / math.log2(5))
    assert evaluate(RATED, RATINGS, "ndcg(gain_from=raw)", None, {"rel": 7}).mean == pytest.approx(raw)
    assert evaluate(RATED, RATINGS, "p(rel=8)@3", None, {"rel": 4}).mean == pytest.approx(1 / 3)
    assert evaluate(RATED, RATINGS, "err(rel=7)").mean == pytest.approx((1 / 8) / 2 + (7 / 8) * (7 / 8) / 3)
    assert evaluate(RATED, RATINGS, "p@3", None, {"grades": "interactions"}).mean == 1.0
    assert evaluate(RATED, RATINGS, "p@3", None, {"grades": "judgements"}).mean == 1.0


def test_grades_are_taken_as_judgements_up_to_three_levels_or_from_one_row_in_a_hundred_not_positive() -> (
    None
):
    run: Rows = {"q": [("i0", 1)]}

    def refused(grades: Sequence[float]) -> bool:
        qrels = [("q", f"i{place}", grade, None) for place, grade in enumerate(grades)]
        try:
            evaluate(run, qrels, "p@1")
        except ReferenceRefusal as refusal:
            return refusal.kind == "grades"
        return False

    assert not refused([1, 2, 3])
    assert refused([1, 2, 3, 4])
    assert not refused([1, 2, 3, 4, 0])
    assert not refused([1, 2, 3, 4] + [4] * 95 + [0])
    assert refused([1, 2, 3, 4] + [4] * 96 + [0])


def test_copies_in_the_judgements_are_refused_or_settled_and_topics_give_the_highest_grade() -> None:
    run: Rows = {"q": [("a", 2), ("b", 1)]}
    twice = [("q", "a", 1.0, None), ("q", "a", 0.0, None), ("q", "b", 1.0, None)]
    with pytest.raises(ReferenceRefusal, match="duplicate_grades"):
        evaluate(run, twice, "rr")
    assert evaluate(run, twice, "rr", None, {"duplicate_grades": "max"}).mean == 1.0
    assert evaluate(run, twice, "rr", None, {"duplicate_grades": "last"}).mean == 0.5
    topics = [("q", "a", 1.0, "t1"), ("q", "a", 0.0, "t2"), ("q", "b", 1.0, "t1")]
    assert evaluate(run, topics, "rr").mean == 1.0


def test_missing_and_undefined_queries_are_treated_as_the_policy_says() -> None:
    run: Rows = {"1": [("a", 1)], "2": [("a", 1)], "9": [("a", 1)]}
    qrels = rows_of({"1": {"a": 1}, "2": {"a": 0}, "3": {"a": 1}})
    empty = evaluate(run, qrels, "rr")
    assert (empty.mean, empty.values) == (0.5, {"1": 1.0, "2": None, "3": 0.0})
    assert empty.counts == {
        "queries": 2, "undefined_judgements": 1, "undefined_list": 0, "missing": 1, "not_judged": 1,
    }  # fmt: skip
    assert evaluate(run, qrels, "rr", None, {"missing": "skip"}).mean == 1.0
    assert evaluate(run, qrels, "rr", None, {"undefined": "zero"}).mean == 1 / 3
    assert evaluate(run, qrels, "rr", None, {"undefined": "one"}).mean == 2 / 3
    with pytest.raises(ReferenceRefusal, match="undefined"):
        evaluate(run, qrels, "rr", None, {"undefined": "error"})
    assert evaluate(run, qrels, "judged@1").values == {"1": 1.0, "2": 1.0, "3": None}
    with pytest.raises(ReferenceRefusal, match="duplicates"):
        evaluate(LIST, QRELS, "rr")


def test_ranks_order_a_list_and_ids_tie_by_their_text() -> None:
    qrels = rows_of({"q": {10: 1}})
    tied: Rows = {"q": [(9, 0), (10, 0), (2, 0)]}
    closed = {"ranks": "closed"}
    assert evaluate(tied, qrels, "rr", None, closed, order="rank").mean == 1 / 3  # texts fall: 9, 2, 10
    assert evaluate(tied, qrels, "rr", None, closed | {"ties": "item-asc"}, order="rank").mean == 1.0
    assert evaluate(tied, qrels, "rr", order="list").mean == 1 / 2
    ranked: Rows = {"q": [(9, 7), (10, 3), (2, 5)]}
    assert evaluate(ranked, qrels, "rr", None, closed, order="rank").mean == 1.0
    assert evaluate(ranked, qrels, "rr", order="rank").mean == 1 / 3
    assert evaluate({"q": [(9, 2), (10, 0)]}, qrels, "rr", order="rank").mean == 1.0
    near: Rows = {"q": [(10, 16777217.0), (9, 16777216.0)]}
    assert evaluate(near, qrels, "rr").mean == 1.0
    assert evaluate(near, qrels, "rr", None, {"scores": "single"}).mean == 1 / 2


def test_coverage_counts_what_lists_show_of_the_catalogue() -> None:
    run: Rows = {"1": [("a", 2), ("b", 1)], "2": [("c", 2), ("x", 1)]}
    assert evaluate(run, None, "coverage@1", None, None, "abcd").mean == 2 / 4
    assert evaluate(run, None, "coverage", None, {"outside": "ignore"}, "abcd").mean == 3 / 4
    judged = rows_of({"1": {"a": 1}, "3": {"d": 1}})
    assert evaluate(run, judged, "coverage", None, {"population": "judged"}, "abcd").mean == 2 / 4
    with pytest.raises(ReferenceRefusal, match="outside"):
        evaluate(run, None, "coverage", None, None, "abcd")
    with pytest.raises(ReferenceRefusal, match="catalogue"):
        evaluate(run, None, "coverage")


def test_metric_texts_are_read() -> None:
    assert parse_metric("ndcg(gain={1: 3, 2: 9.5},discount=[1, 0.5],base=2)@10") == (
        "ndcg", {"gain": {1: 3, 2: 9.5}, "discount": [1, 0.5], "base": 2, "k": 10},
    )  # fmt: skip
    assert parse_metric("AP(denom=min_rk, rel=none)") == ("ap", {"denom": "min_rk", "rel": None})
