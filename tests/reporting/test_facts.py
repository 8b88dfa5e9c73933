"""Facts below the answer: each counted a second way."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.reporting.lists import qrels_of, run_of

import rankwell as rw
from rankwell.display.table import number
from rankwell.reporting.sections.answer import section
from rankwell.results.redaction import Redaction

GOOD = [1, 1, 1, 2, 1, 1, 3, 1, 1, 2, 1, 1]
LEFT_OUT = "1 of 12 judged queries is left out of rr, which its judgements leave undefined (no relevant item, for example)."
BAD = [2, 3, 4, 3, 2, 5, 4, 2, 3, 4, 3, 2]


def facts(runs, qrels, metrics, **options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "rankwell.reporting.report.section_kinds", lambda: [section]
        )  # the pictures of other sections take most of the time
        return rw.report(runs, qrels, metrics, **options).section("answer").data["facts"]


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
    worst = f"(most for query q{d.argmin()}, by {number(-d.min())})"
    assert found[1] == (
        "B is better than A for {} of 12 queries, worse for {} {}, the same for {}; for {} of them they differ by more than 0.5.".format(
            *counts[:2], worst, *counts[2:]
        )
    )


@pytest.mark.parametrize(
    ("ranks", "said"),
    [
        ([1, 1], "rr of B is 33 % higher than that of A."),
        ([2, 4], "rr of B is 50 % lower than that of A."),
        ([1, 2], None),
        ([None, None], None),
    ],
)
def test_the_means_are_told_with_how_much_higher_one_is(ranks, said):
    found = facts({"A": run_of([1, 2] * 6), "B": run_of(ranks * 6)}, qrels_of(12), "rr", baseline="A")
    assert [each for each in found if each.startswith("rr of B is ") and "every" not in each] == (
        [said] if said else []
    )


def test_a_mean_of_twice_or_more_is_told_as_times():
    found = facts({"A": run_of([4] * 12), "B": run_of([1] * 12)}, qrels_of(12), "rr", baseline="A")
    assert found[0] == "rr of B is 4.0 times that of A."


def test_means_over_other_queries_are_not_set_against_each_other():
    found = facts({"A": run_of(BAD), "B": run_of([*BAD[:-1], None])}, qrels_of(12), "first_rank")
    assert not any(each.startswith("first_rank of ") for each in found)


def test_the_query_of_the_largest_loss_is_told_with_its_text_and_hidden_in_a_redacted_page():
    ranks = {"A": run_of([2, 1, 3] * 4), "B": run_of([1, 3, 1] * 4)}
    queries = pl.DataFrame({"query": ["q1", "q4", "q7", "q10"], "text": ["what is <b>?"] * 4})
    options = {"queries": queries, "baseline": "A"}
    found = facts(ranks, qrels_of(12), "rr", **options)
    assert "worse for 4 (most for query q1, “what is <b>?”, by 0.6667)" in found[0]
    hidden = facts(ranks, qrels_of(12), "rr", **options, redact=b"0123456789abcdef")
    key = Redaction(b"0123456789abcdef")
    assert f"(most for query {key.of('query', 'q1')}, by 0.6667)" in hidden[0]


def test_a_difference_that_is_another_one_in_each_segment_is_told():
    a, b = [2] * 40, [1] * 18 + [2] * 2 + [4] * 18 + [2] * 2
    users = pl.DataFrame({"query": [f"q{at}" for at in range(40)], "kind": ["new"] * 20 + ["old"] * 20})
    found = facts({"A": run_of(a), "B": run_of(b)}, qrels_of(40), "rr", baseline="A", users=users, by="kind")
    told = [each for each in found if "segments" in each]
    assert told == [
        "The difference is not the same in all segments of kind: from -0.2250 for old (n = 20) to +0.4500 for new (n = 20)."
    ]
    same = facts({"A": run_of(a), "B": run_of([1, 2, 4, 2] * 10)}, qrels_of(40), "rr", users=users, by="kind")
    assert not any("segments" in each for each in same)


def test_with_a_rope_the_chances_are_told_in_the_direction_of_the_metric():
    d = rw.compare(
        systems(A=BAD, B=GOOD), qrels_of(12), ["rr", "first_rank"], baseline="A", rope=0.45
    ).difference("B", "A", "rr")
    found = facts(systems(A=BAD, B=GOOD), qrels_of(12), "rr", baseline="A", rope=0.45)
    assert 0.02 < d.within < 0.98
    assert (
        f"The chances that B is truly better than A, equal within ±0.4500, and worse: {100 * d.above:.0f} %, {100 * d.within:.0f} %, "
        f"{100 * d.below:.0f} % (Bayesian bootstrap)."
    ) in found
    lower = facts(systems(A=BAD, B=GOOD), qrels_of(12), "first_rank", baseline="A", rope=0.1)
    assert any(
        "and worse: >99 %, <1 %, 0 %" in each or "and worse: 100 %, 0 %, 0 %" in each for each in lower
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
        each.startswith("On rr it is the other way round: B is worse than A by 0.4583, between ")
        for each in found
    )


def test_a_metric_that_says_the_same_is_named():
    found = facts(systems(A=BAD, B=GOOD), qrels_of(12), ["rr", "ndcg@5"], baseline="A")
    assert "B is also better than A on ndcg@5." in found
    more = facts(systems(A=BAD, B=GOOD), qrels_of(12), ["rr", "ndcg@5", "ap"], baseline="A")
    assert "B is also better than A on all other metrics: ndcg@5, ap." in more


@pytest.mark.parametrize(
    ("items", "said"),
    [
        (2, "coverage@2 of B is about half of that of A (0.2000 against 0.4000)."),
        (4, None),
        (8, "coverage@2 of A is about half of that of B (0.4000 against 0.8000)."),
        (1, "coverage@2 of B is 25 % of that of A (0.1000 against 0.4000)."),
        (10, "coverage@2 of A is 40 % of that of B (0.4000 against 1.0000)."),
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
    found = rw.report(systems(A=GOOD, B=[None] * 12), qrels_of(12), "rr", baseline="A")
    assert found.answer.startswith("B is clearly worse than A, on average over 12 queries (rr 0.0000 and ")
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
    assert (
        "B has no value of first_rank for 2 queries, where its list is empty, too short or without a relevant item."
        in found
    )
    assert not any("count" in each and "no list" in each for each in found)
    found = facts(runs, qrels_of(12), "rbp_residual")
    assert "2 of 12 judged queries have no list in B; they count as empty lists." in found


def test_queries_without_a_relevant_item_are_told_with_what_they_count_as():
    qrels = qrels_of(12) | {"q0": {"good": 0}}
    assert LEFT_OUT in facts(systems(A=GOOD, B=BAD), qrels, "rr")
    zero = facts(systems(A=GOOD, B=BAD), qrels, "rr", undefined="zero")
    assert LEFT_OUT.replace("is left out of", "counts as 0 in") in zero


def test_unjudged_items_are_told():
    qrels = {f"q{at}": {"good": 1} | {f"x{place}": 0 for place in range(9)} | {"last": 0} for at in range(12)}
    new = {q: ["new0", "new1", *each] for q, each in run_of(GOOD).items()}
    found = facts({"A": run_of(GOOD), "B": new}, qrels, "rr")
    share = sum(2 / (2 + len(each)) for each in run_of(GOOD).values()) / 12
    assert (
        f"{100 * share:.0f} % of the first 10 items of B are unjudged, of A 0 %; unjudged items count as not relevant."
        in found
    )


def test_one_judged_share_is_said_once_and_several_by_their_ends():
    def shares(runs):
        data = rw.report(runs, qrels_of(12), "rr").section("answer").data["compared"]
        return next(each["value"] for each in data if each["kind"] == "shares")

    assert len(shares(systems(A=GOOD, B=GOOD))) == 1
    ends = shares(systems(A=GOOD, B=BAD, C=[None] * 12))
    assert (ends[0], len(ends)) == (0.0, 2)


def test_logs_of_interactions_have_no_share_of_unjudged_items():
    found = rw.report(systems(A=GOOD, B=BAD), {f"q{at}": ["good"] for at in range(12)}, "rr")
    data = found.section("answer").data
    assert not any("unjudged" in each for each in data["facts"])
    assert [each["label"] for each in data["compared"]] == ["Systems", "Decided by", "Queries", "Judgements"]


def test_there_are_at_most_six_and_what_is_left_out_is_among_them():
    qrels = qrels_of(12) | {"q0": {"good": 0}}
    metrics = ["rr", "ndcg@5", "p@1", "coverage@5", "num_ret"]
    items = [*(f"x{at}" for at in range(40)), "good", "last"]
    found = facts(systems(A=GOOD, B=BAD, C=[None] * 12), qrels, metrics, items=items, baseline="A")
    assert len(found) <= 6
    assert LEFT_OUT in found


def test_numbers_of_one_system_are_its_own():
    found = rw.report(run_of(GOOD) and rw.read_run(run_of(GOOD), name="bm25"), qrels_of(12), "rr")
    own = rw.evaluate(run_of(GOOD), qrels_of(12), "rr").interval("rr")
    assert found.answer == (
        f"bm25 has rr {number(own.mean)}, between {number(own.low)} and {number(own.high)}, over 12 queries; "
        "there is no other system to compare it with."
    )
