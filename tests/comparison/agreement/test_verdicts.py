"""Whether a model may replace people for a decision: each answer, against plain t intervals, and how often "yes" is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import rankwell as rw
from rankwell.comparison.agreement.ppi import Power, verdict_of
from rankwell.statistics.intervals import interval
from rankwell.statistics.ppi import prediction_powered

QUERIES, SAMPLED = 200, 40
RUNS = {
    "old": {f"q{q}": ["a", "b", "c"] for q in range(QUERIES)},
    "new": {f"q{q}": ["d", "e", "f"] for q in range(QUERIES)},
}


def judged(old, new, seed, queries=range(QUERIES)):
    """Judgements that call items of the two lists relevant with these probabilities."""
    chances = np.repeat([old, new], 3)
    relevant = np.random.default_rng(seed).random((QUERIES, 6)) < chances
    return {f"q{q}": dict(zip("abcdef", relevant[q].astype(int).tolist(), strict=True)) for q in queries}


def powered(people, model, runs=RUNS, **options):
    return rw.prediction_powered(
        runs, people, ["p@3"], model=model, drawn="random", undefined="zero", **options
    )


def found_of(people, model, sampled=SAMPLED):
    """People's and the model's chances of the two lists to be relevant; the model knows nothing of people's judgements."""
    chosen = np.random.default_rng(1).permutation(QUERIES)[:sampled].tolist()
    return powered(judged(*people, 2, chosen), judged(*model, 3))


@pytest.mark.parametrize(
    ("people", "model", "answer", "sentence"),
    [
        ((0.2, 0.7), (0.3, 0.6), "yes", "The model may replace people for this decision: alone it decides between the two"),
        ((0.7, 0.2), (0.3, 0.6), "no", "alone it says old < new under p@3, people say old > new under p@3"),
        ((0.2, 0.7), (0.5, 0.51), "no", "people say old < new under p@3, and alone it leaves that open"),
        ((0.5, 0.52), (0.3, 0.6), "not shown", "which people's sample does not confirm; it leans the other way"),
        ((0.5, 0.5), (0.5, 0.5), "undecided", "no decision in which the model could replace people: neither decides between"),
    ],
)  # fmt: skip
def test_each_answer_says_why(people, model, answer, sentence):
    found = found_of(people, model)
    assert found.verdict.answer == answer
    assert sentence in str(found.verdict)
    assert str(found.verdict) in repr(found)
    assert found.to_frame()["may_replace"].to_list() == [None, None, answer]


def test_both_sides_are_plain_t_intervals_of_differences():
    people, model = judged(0.2, 0.4, 2, range(0, QUERIES, 5)), judged(0.3, 0.6, 3)
    row = powered(people, model).rows[2]
    p3 = {name: rw.evaluate(run, model, "p@3", undefined="zero").per_query for name, run in RUNS.items()}
    d = (p3["old"]["p@3"] - p3["new"]["p@3"]).to_numpy()
    own = stats.ttest_1samp(d, 0).confidence_interval(0.95)
    assert row.model_bounds == pytest.approx((own.low, own.high))


def test_what_is_not_shown_says_how_many_queries_would_do():
    decision = found_of((0.4, 0.5), (0.3, 0.6)).verdict.decisions[0]
    assert (decision.answer, decision.needed) == ("not shown", 81)
    assert "about 81 queries judged by people would do" in str(decision)
    row = found_of((0.4, 0.5), (0.3, 0.6)).rows[2].found
    reach = {n: (row.high - row.mean) * (SAMPLED / n) ** 0.5 for n in (80, 81)}
    assert reach[81] < abs(row.mean) <= reach[80]


def test_one_pair_that_differs_is_enough_for_no():
    runs = {**RUNS, "half": {query: ["a", "d", "b"] for query in RUNS["old"]}}
    found = powered(judged(0.2, 0.7, 2, range(0, QUERIES, 5)), judged(0.6, 0.3, 3), runs)
    assert found.verdict.answer == "no"
    assert str(found.verdict).endswith("(and 2 more).")


def test_one_system_is_no_decision():
    found = powered(judged(0.2, 0.7, 2, range(0, QUERIES, 5)), judged(0.6, 0.3, 3), {"old": RUNS["old"]})
    assert found.verdict is None
    assert "may replace" not in repr(found)
    assert found.to_frame()["may_replace"].to_list() == [None]


def test_a_wrong_order_is_called_yes_in_no_more_than_half_of_what_the_level_leaves():
    """Both systems are equally good to people, and the model favours one; 1,000 samples."""
    answers = []
    for seed in range(1000):
        random = np.random.default_rng(seed)
        z = random.standard_normal((2, QUERIES)) * 0.3
        model = 0.1 + 0.7 * z[0] + 0.51**0.5 * z[1]
        truth = np.full(QUERIES, np.nan)
        chosen = random.permutation(QUERIES)[:SAMPLED]
        truth[chosen] = z[0][chosen]
        answers.append(answer_of(truth, model))
    assert answers.count("yes") <= 37  # 25 are expected; more than 37 in one of 100 such simulations
    assert answers.count("not shown") > 900


@pytest.mark.parametrize(("queries", "sampled"), [(200, 10), (1000, 20), (1000, 50)])
def test_rare_errors_that_a_sample_misses_do_not_make_a_wrong_order_sure(queries, sampled):
    """The model errs in 6 of 100 queries, always for the same of two equally good systems; 300 samples."""
    wrong = 0
    for seed in range(300):
        random = np.random.default_rng(seed)
        d = random.choice([-0.4, -0.2, 0, 0, 0.2, 0.4], queries)
        model = d + np.where(random.random(queries) < 0.06, 0.4, 0)
        truth = np.full(queries, np.nan)
        chosen = random.permutation(queries)[:sampled]
        truth[chosen] = d[chosen]
        wrong += answer_of(truth, model) == "yes"
    assert (
        wrong <= 15
    )  # 7.5 are expected; more than 15 in one of 150 such simulations; 14 in 100 by the corrected interval


def answer_of(truth, model):
    """The answer about a pair of which the true differences of a sample and the model's of all queries are given."""
    alone = interval(model, np.arange(len(model), dtype=np.uint64), method="t")
    plain = prediction_powered(truth, model, weight=0.0)
    errors = np.round((model - truth)[~np.isnan(truth)], 12)
    apart = len(errors) - np.unique(errors, return_counts=True)[1].max()
    bounds = {"human_bounds": (plain.low, plain.high), "model_bounds": (alone.low, alone.high)}
    row = Power("a", "b", "p@3", prediction_powered(truth, model), 0.0, 0.0, **bounds, apart=apart)
    return verdict_of([row]).answer


def test_a_sample_that_leans_the_other_way_is_said_to_do_so():
    found = found_of((0.52, 0.5), (0.3, 0.6), sampled=60)
    assert "old < new under p@3, which people's sample does not confirm; it leans the other way" in str(
        found.verdict
    )


def test_a_sample_too_small_for_an_interval_is_said_to_be_so():
    found = found_of((0.52, 0.5), (0.3, 0.6), sampled=1)
    assert "it gives no interval" in str(found.verdict)
