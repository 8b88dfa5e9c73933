"""Coverage and its kin, evenness, personalization and their jackknife against the slow definitions."""

from __future__ import annotations

import itertools
import math
import random
import statistics
from dataclasses import replace

import pytest

import rankwell as rw

from .beyond import POLICY, differences, evaluated, filled
from .reference_beyond import jackknife

PLAIN = [
    "coverage",
    "user_coverage",
    "topic_coverage",
    "test_share",
    "gini",
    "gini_m1",
    "gini_diversity",
    "entropy",
    "entropy_norm",
    "simpson",
    "effective_items",
]
CASES = [
    *((name, {}, k) for name in PLAIN for k in (1, 3, None)),
    ("prediction_coverage", {}, None),
    *(("coverage", {"users": users}, k) for users in (1, 2, 3) for k in (2, None)),
    ("coverage", {"weights": "weights"}, 2),
    ("coverage", {"weights": "weights", "users": 2}, 3),
    ("user_coverage", {"least": 2}, 3),
    ("entropy", {"base": 10}, 3),
    *(("personalization", {"similarity": s}, k) for s in ("cosine", "overlap", "jaccard") for k in (1, 3, None)),
    ("personalization", {"similarity": "shared"}, 3),
]  # fmt: skip


@pytest.mark.parametrize(("name", "parameters", "k"), CASES, ids=str)
def test_the_slow_definition_gives_the_same(name, parameters, k):
    for seed in range(40):
        case = filled(seed)
        if name == "test_share":  # needs judgements, and so does not see queries without
            judged = {user: items for user, items in case.lists.items() if case.truth.get(user)}
            case = replace(case, lists=judged)
        assert not differences(case, name, k, parameters), seed


@pytest.mark.parametrize("metric", ["coverage", "gini", "gini_diversity", "entropy", "simpson",
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
        found = rw.jackknife(case.lists, f"{metric}@3", truth, items=items, policy=POLICY)[f"{metric}@3"]
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
        rw.jackknife(run, "gini@5", items=catalogue, groups=20, seed=seed)["gini@5"] for seed in (1, 1, 2)
    )
    assert first == again
    assert first.value == other.value
    assert first.error != other.error
    whole = rw.jackknife(run, "gini@5", items=catalogue)["gini@5"]
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
    found = rw.jackknife(a, "gini@5", against=b, items=catalogue)["gini@5"]
    assert found.value == pytest.approx(difference(list(a)), abs=1e-12)
    assert found.error == pytest.approx(error, abs=1e-12)


def evaluated_gini(run, catalogue):
    return rw.evaluate(run, metrics=["gini@5"], items=catalogue)["gini@5"]


def test_what_has_no_jackknife_says_so():
    run = {"u": ["a", "b"], "v": ["a"]}
    with pytest.raises(rw.RankwellError, match="value per query"):
        rw.jackknife(run, "ndcg@5", {"u": {"a": 1}})
    with pytest.raises(rw.RankwellError, match="at least two lists; there are 1"):
        rw.jackknife({"u": ["a"]}, "coverage@5", items=["a"])
    with pytest.raises(rw.RankwellError, match="different users"):
        rw.jackknife(run, "coverage@5", against={"u": ["a"], "w": ["b"]}, items=["a", "b"])
    with pytest.raises(rw.RankwellError, match="share between 0 and 1"):
        rw.jackknife(run, "coverage@5", items=["a", "b"], level=95)
    assert not rw.jackknife(run, "coverage@5", items=["a", "b"]).is_reliable
    assert "unreliable" in str(rw.jackknife(run, "coverage@5", items=["a", "b"]))


def test_personalization_of_lists_alone_needs_no_catalogue():
    assert (
        rw.evaluate({"u": ["a", "b"], "v": ["a", "c"]}, metrics=["personalization"])["personalization"] == 0.5
    )
    left = rw.evaluate({"u": ["a", "b"]}, metrics=["personalization"])
    right = rw.evaluate({"v": ["a", "c"]}, metrics=["personalization"])
    with pytest.raises(rw.RankwellError, match="give both the same catalogue"):
        left + right


def test_personalization_of_parts_whose_lists_have_one_length_each_adds_up_to_that_of_all_pairs():
    draw = random.Random(5)
    items = [f"i{number}" for number in range(12)]
    for sizes in ((2, 3), (3, 3, 1), (0, 2), (1, 4, 4, 2)):
        lists = {
            f"{size}, {part}, {user}": draw.sample(items, size)
            for part, size in enumerate(sizes)
            for user in range(5)
        }
        parts = [
            rw.Evaluator(None, ["personalization"], items=items, policy=rw.Policy(outside="ignore")).evaluate(
                {user: [*own, "x"][: max(len(own), 1)] for user, own in lists.items() if f", {part}," in user}
            )
            for part in range(len(sizes))
        ]
        total = parts[0]
        for each in parts[1:]:
            total += each
        # a list of an item outside the catalogue alone is empty, and similar to none
        pairs = [
            len({*one} & {*other}) / math.sqrt(len(one) * len(other)) if one and other else 0.0
            for one, other in itertools.combinations(lists.values(), 2)
        ]
        assert total["personalization"] == pytest.approx(1 - statistics.fmean(pairs), abs=1e-12)


def test_weights_that_are_no_weights_are_refused():
    for weights, words in (
        ([1.0, -1.0], "has the weight -1"),
        ([1.0, None], "has the weight nan"),
        (["a", "b"], "not numbers"),
    ):
        items = [{"item": item, "w": weight} for item, weight in zip("ab", weights, strict=True)]
        with pytest.raises(rw.RankwellError, match=words):
            rw.evaluate({"u": ["a"]}, metrics=["coverage(weights=w)"], items=items)
    with pytest.raises(rw.RankwellError, match=r"no column 'weigth'.*Did you mean weight\?"):
        rw.evaluate({"u": ["a"]}, metrics=["coverage(weights=weigth)"], items=[{"item": "a", "weight": 1.0}])


def test_user_coverage_sees_judged_users_without_a_list():
    res = evaluated(filled(3), "user_coverage@2")
    assert 0 < res["user_coverage@2"] <= 1
    res = rw.evaluate({"u": ["a"]}, {"u": {"a": 1}, "v": {"a": 1}}, ["user_coverage"])
    assert (res["user_coverage"], res.n["user_coverage"]) == (0.5, 2)
