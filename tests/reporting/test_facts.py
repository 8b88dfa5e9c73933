"""Facts below the answer: each counted a second way."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reporting.lists import qrels_of, run_of

import rankwell as rw
from rankwell.display.table import number

GOOD = [1, 1, 1, 2, 1, 1, 3, 1, 1, 2, 1, 1]
LEFT_OUT = (
    "The judgements of 1 query leave rr undefined, as those without a relevant item do; it is left out."
)
BAD = [2, 3, 4, 3, 2, 5, 4, 2, 3, 4, 3, 2]


def facts(runs, qrels, metrics, **options):
    return rw.report(runs, qrels=qrels, metrics=metrics, **options).section("answer").data["facts"]


def systems(**ranks):
    return {name: run_of(each) for name, each in ranks.items()}


def test_queries_are_counted_by_who_is_better_and_by_how_far():
    a, b = [2, 3, 1, 3, 2, 5, 4, 1, 3, 4, 3, 2], [*GOOD[:-1], 3]
    d = np.array([1 / rank for rank in b]) - np.array([1 / rank for rank in a])
    found = facts(systems(A=a, B=b), qrels_of(12), "rr", baseline="A")
    counts = [
        int((d > 1e-9).sum()),
        int((d < -1e-9).sum()),
        int((abs(d) <= 1e-9).sum()),
        int((abs(d) > 0.5).sum()),
    ]
    assert found[0] == (
        "Query by query, B is better than A on {} of 12, worse on {}, equal on {}; on {} of them they differ by "
        "more than 0.5.".format(*counts)
    )


def test_a_metric_that_says_the_opposite_is_named():
    qrels = {f"q{at}": {"good": 1, "also": 1, "too": 1} for at in range(12)}
    early = {q: ["good", "x", "y", "z", "w"] for q in qrels}
    many = {
        q: ["x", "good", "also", "too", f"y{at}"] if at else ["good", "also", "too"]
        for at, q in enumerate(qrels)
    }
    found = facts({"A": early, "B": many}, qrels, ["p@5", "rr"], baseline="A")
    assert any(
        each.startswith("On rr it is the other way round: B is worse than A by 0.4583 [") for each in found
    )


def test_a_metric_that_says_the_same_is_named():
    found = facts(systems(A=BAD, B=GOOD), qrels_of(12), ["rr", "ndcg@5"], baseline="A")
    assert "B also beats A on ndcg@5." in found


@pytest.mark.parametrize(
    ("items", "said"),
    [
        (2, "coverage@2 of B is about half of that of A (0.2000 against 0.4000)."),
        (4, None),
        (8, "coverage@2 of B is about twice that of A (0.8000 against 0.4000)."),
        (1, "coverage@2 of B is 25 % of that of A (0.1000 against 0.4000)."),
        (10, "coverage@2 of B is 2.5 times that of A (1.0000 against 0.4000)."),
    ],
)
def test_coverage_that_is_far_from_the_others_is_told(items, said):
    qrels = {f"q{at}": {"i0": 1} for at in range(10)}
    a = {f"q{at}": [f"i{at % 4}"] for at in range(10)}
    b = {f"q{at}": [f"i{at % items}"] for at in range(10)}
    catalogue = [f"i{at}" for at in range(10)]
    found = facts({"A": a, "B": b}, qrels, ["rr", "coverage@2"], baseline="A", items=catalogue)
    told = [each for each in found if each.startswith("coverage")]
    assert told == ([said] if said else [])


def test_a_run_without_a_hit_is_told():
    found = rw.report(systems(A=GOOD, B=[None] * 12), qrels=qrels_of(12), metrics="rr", baseline="A")
    assert found.answer.startswith("B is worse than A on rr by ")
    assert found.section("answer").data["facts"][0] == "B finds no relevant item for any query."


def test_missing_queries_are_told_with_what_they_count_as():
    short = {q: each for q, each in run_of(BAD).items() if q not in ("q1", "q2")}
    runs = {"A": run_of(GOOD), "B": short}
    assert "2 of 12 judged queries have no list in B; they count as 0." in facts(runs, qrels_of(12), "rr")
    left_out = facts(runs, qrels_of(12), "rr", missing="skip")
    assert "2 of 12 judged queries have no list in B and are left out." in left_out


def test_missing_queries_without_a_value_do_not_count_as_0():
    short = {q: each for q, each in run_of(BAD).items() if q not in ("q1", "q2")}
    runs = {"A": run_of(GOOD), "B": short}
    found = facts(runs, qrels_of(12), "first_rank")
    assert "B has no value of first_rank for 2 queries, where its list is empty or too short." in found
    assert not any("count" in each and "no list" in each for each in found)
    found = facts(runs, qrels_of(12), "rbp_residual")
    assert "2 of 12 judged queries have no list in B; they count as empty lists." in found


def test_queries_without_a_relevant_item_are_told_with_what_they_count_as():
    qrels = qrels_of(12) | {"q0": {"good": 0}}
    assert LEFT_OUT in facts(systems(A=GOOD, B=BAD), qrels, "rr")
    zero = facts(systems(A=GOOD, B=BAD), qrels, "rr", undefined="zero")
    assert LEFT_OUT.replace("is left out", "counts as 0") in zero


def test_unjudged_items_are_told():
    qrels = {f"q{at}": {"good": 1} | {f"x{place}": 0 for place in range(9)} | {"last": 0} for at in range(12)}
    new = {q: ["new0", "new1", *each] for q, each in run_of(GOOD).items()}
    found = facts({"A": run_of(GOOD), "B": new}, qrels, "rr")
    share = sum(2 / (2 + len(each)) for each in run_of(GOOD).values()) / 12
    assert (
        f"{100 * share:.0f} % of the first 10 items of B are unjudged, of A 0 %; unjudged items count as not relevant."
        in found
    )


def test_logs_of_interactions_have_no_share_of_unjudged_items():
    found = rw.report(systems(A=GOOD, B=BAD), qrels={f"q{at}": ["good"] for at in range(12)}, metrics="rr")
    data = found.section("answer").data
    assert not any("unjudged" in each for each in data["facts"])
    assert [each["label"] for each in data["compared"]] == ["Systems", "Decided by", "Queries", "Judgements"]


def test_there_are_at_most_five_and_what_is_left_out_is_among_them():
    qrels = qrels_of(12) | {"q0": {"good": 0}}
    metrics = ["rr", "ndcg@5", "p@1", "coverage@5", "num_ret"]
    items = [*(f"x{at}" for at in range(40)), "good", "last"]
    found = facts(systems(A=GOOD, B=BAD, C=[None] * 12), qrels, metrics, items=items, baseline="A")
    assert len(found) <= 5
    assert LEFT_OUT in found


def test_numbers_of_one_system_are_its_own():
    found = rw.report(
        run_of(GOOD) and rw.read_run(run_of(GOOD), name="bm25"), qrels=qrels_of(12), metrics="rr"
    )
    own = rw.evaluate(run_of(GOOD), qrels_of(12), "rr").interval("rr")
    assert found.answer == (
        f"bm25 has rr {number(own.mean)} [{number(own.low)}, {number(own.high)}]; "
        "there is no other system to compare it with."
    )
