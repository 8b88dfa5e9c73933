"""Intervals by leaving lists out, against evaluations without these lists and the formula written out."""

from __future__ import annotations

import itertools
import json
import math
import random
import statistics

import pytest
from scipy.stats import t
from tests.definitions.beyond import POLICY, evaluated, filled, items_of
from tests.definitions.reference_beyond import jackknife
from tests.every import every

import rankwell as rw


@every("metric", ["coverage", "gini", "gini_diversity", "entropy", "simpson",
                                    "personalization", "topic_coverage"])  # fmt: skip
def test_the_jackknife_is_that_of_leaving_out_one_list(metric):
    compared = 0
    for seed in range(50):
        case = filled(seed)
        value, error = jackknife(metric, case, 3)
        if error is None:
            continue
        truth = (
            {user: grades for user, grades in case.truth.items() if grades}
            if metric == "test_share"
            else None
        )
        items = [{"item": item, "topics": sorted(case.topics.get(item, ()))} for item in case.catalogue]
        found = rw.jackknife(case.lists, truth, f"{metric}@3", items=items, policy=POLICY)[f"{metric}@3"]
        assert (found.value, found.error) == (
            pytest.approx(value, abs=1e-12),
            pytest.approx(error, abs=1e-12),
        )
        assert found.low <= found.value <= found.high
        compared += 1
    assert compared > 25


def lists(seed: int, users: int, items: int = 60, k: int = 5) -> dict[str, list[str]]:
    """Lists drawn with popular items before others."""
    draw = random.Random(seed)
    weights = [1 / (1 + number) for number in range(items)]
    found = {}
    for user in range(users):
        drawn = dict.fromkeys(draw.choices(range(items), weights, k=4 * k))
        found[f"u{user}"] = [f"i{item}" for item in itertools.islice(drawn, k)]
    return found


def test_groups_of_lists_are_drawn_by_the_seed():
    run, catalogue = lists(1, 300), [f"i{item}" for item in range(60)]
    first, again, other = (
        rw.jackknife(run, metrics="gini@5", items=catalogue, groups=20, seed=seed)["gini@5"]
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first.value == other.value
    assert first.error != other.error
    whole = rw.jackknife(run, metrics="gini@5", items=catalogue)["gini@5"]
    assert first.error == pytest.approx(whole.error, rel=0.8)


def test_a_difference_leaves_a_user_out_of_both_runs():
    a, b = lists(1, 12), lists(2, 12)
    b = dict(reversed(b.items()))
    catalogue = [f"i{item}" for item in range(60)]

    def difference(users):
        one, other = ({user: run[user] for user in users} for run in (a, b))
        return evaluated_gini(one, catalogue) - evaluated_gini(other, catalogue)

    parts = [difference([each for each in a if each != user]) for user in a]
    error = math.sqrt(11 / 12 * sum((part - statistics.fmean(parts)) ** 2 for part in parts))
    found = rw.jackknife(a, metrics="gini@5", against=b, items=catalogue)["gini@5"]
    assert found.value == pytest.approx(difference(list(a)), abs=1e-12)
    assert found.error == pytest.approx(error, abs=1e-12)


def evaluated_gini(run, catalogue):
    return rw.evaluate(run, metrics=["gini@5"], items=catalogue)["gini@5"]


def test_what_has_no_jackknife_says_so():
    run = {"u": ["a", "b"], "v": ["a"]}
    with pytest.raises(rw.RankwellError, match="value per query"):
        rw.jackknife(run, {"u": {"a": 1}}, "ndcg@5")
    with pytest.raises(rw.RankwellError, match="at least two lists, not 1"):
        rw.jackknife({"u": ["a"]}, metrics="coverage@5", items=["a"])
    with pytest.raises(rw.RankwellError, match="different users"):
        rw.jackknife(run, metrics="coverage@5", against={"u": ["a"], "w": ["b"]}, items=["a", "b"])
    with pytest.raises(rw.RankwellError, match="share between 0 and 1"):
        rw.jackknife(run, metrics="coverage@5", items=["a", "b"], level=95)
    assert not rw.jackknife(run, metrics="coverage@5", items=["a", "b"]).is_reliable
    assert "unreliable" in str(rw.jackknife(run, metrics="coverage@5", items=["a", "b"]))


@pytest.mark.parametrize("metric", ["tail_coverage(at=.5)", "pop_rsp(at=.5)", "pop_reo(at=.5)", "delta_gap"])
def test_the_jackknife_leaves_lists_out(metric):
    case = filled(4)
    truth = {user: grades for user, grades in case.truth.items() if grades and user in case.lists}
    train = {user: grades for user, grades in case.train.items() if grades}
    options = {"train": train, "items": case.catalogue, "policy": rw.Policy(grades="judgements")}
    found = rw.jackknife(case.lists, truth, metric, **options)[metric]
    parts = []
    for user in case.lists:
        lists = {other: items for other, items in case.lists.items() if other != user}
        judged = {other: grades for other, grades in truth.items() if other != user}
        parts.append(rw.evaluate(lists, judged, [metric], **options)[metric])
    n, middle = len(parts), math.fsum(parts) / len(parts)
    assert found.value == rw.evaluate(case.lists, truth, [metric], **options)[metric]
    assert found.error == pytest.approx(
        math.sqrt((n - 1) / n * math.fsum((x - middle) ** 2 for x in parts)), abs=1e-12
    )


def test_an_interval_by_leaving_lists_out_is_that_of_the_evaluation():
    plain = ["exposure@3", "dp_ratio(candidates=list)@3"]
    of_truth = ["exposure(target=merit)@3", "dtr@3", "dp_ratio(candidates=pool)@3"]
    for seed in (4, 7, 13, 16, 25):
        case = filled(seed)
        truth = {user: grades for user, grades in case.truth.items() if grades}
        found = rw.jackknife(case.lists, truth, [*plain, *of_truth], items=items_of(case), policy=POLICY)
        res = evaluated(case, *plain, *of_truth)
        assert res.counts["judged queries missing from the run"]
        for metric, value in res.mean.items():
            assert found[metric].value == pytest.approx(value, abs=1e-15, nan_ok=True)


def test_the_jackknife_of_mse_is_that_of_leaving_out_users():
    run = {"u": {"a": 1.0, "b": 2.0}, "v": {"a": 4.0}, "w": {"c": 1.5, "a": 3.0}}
    truth = {"u": {"a": 2, "b": 2}, "v": {"a": 1}, "w": {"c": 1, "a": 5}}
    found = rw.jackknife(run, truth, ["mse"])["mse"]
    parts = [rw.evaluate({u: run[u] for u in run if u != out}, truth, ["mse"])["mse"] for out in run]
    assert found.value == rw.evaluate(run, truth, ["mse"])["mse"]
    assert found.error == pytest.approx(math.sqrt(2 / 3 * sum((x - sum(parts) / 3) ** 2 for x in parts)))


def test_an_interval_reaches_as_far_as_t_says():
    catalogue = [f"i{item}" for item in range(60)]
    for level in (0.5, 0.95):
        found = rw.jackknife(lists(3, 15), metrics="coverage@5", items=catalogue, level=level)["coverage@5"]
        reach = t.ppf(0.5 + level / 2, 14) * found.error
        assert (found.low, found.high) == (
            pytest.approx(found.value - reach),
            pytest.approx(found.value + reach),
        )


def test_the_table_and_the_data_say_how_the_interval_was_made():
    made = rw.jackknife(
        lists(3, 15),
        metrics=["coverage@5", "personalization@5"],
        items=[f"i{item}" for item in range(60)],
        groups=5,
        seed=3,
    )
    table = str(made)
    assert "5 groups of 15 lists left out in turn (seed 3)" in table
    assert "95%, t with 4 degrees of freedom" in table
    data = json.loads(json.dumps(made.to_dict()))
    assert (data["n"], data["groups"], data["seed"], data["level"]) == (15, 5, 3, 0.95)
    assert data["metrics"]["coverage@5"]["value"] == made["coverage@5"].value
    with pytest.raises(
        rw.RankwellError, match=r"gini@5 was not asked for; the metrics are coverage@5, personalization@5"
    ):
        made["gini@5"]
