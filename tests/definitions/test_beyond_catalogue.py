"""Coverage and its kin, evenness, personalization and their jackknife against the slow definitions."""

from __future__ import annotations

import itertools
import json
import math
import random
import statistics
from dataclasses import replace

import pytest

import rankwell as rw
from rankwell.cli import run as command
from rankwell.evaluation.engines.memory import Memory

from .beyond import POLICY, agree, differences, evaluated, filled
from .reference_beyond import CORPUS, jackknife

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
    with pytest.raises(rw.RankwellError, match="at least two lists, not 1"):
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


@pytest.mark.parametrize("seed", range(20))
def test_user_coverage_counts_the_users_of_the_table(seed):
    case = filled(seed)
    names = sorted({*case.lists, *case.train, *case.truth, "nobody", "none"})
    users = random.Random(seed).sample(names, len(names) - seed % 3)
    metrics = ["user_coverage@2", "user_coverage(least=2)@2", "coverage@2"]
    res = evaluated(case, *metrics, users=[{"user": user} for user in users])
    for metric, least in (("user_coverage@2", 1), ("user_coverage(least=2)@2", 2)):
        assert agree(res[metric], CORPUS["user_coverage"](replace(case, users=users), 2, least=least))
    assert res["coverage@2"] == evaluated(case, "coverage@2")["coverage@2"]


RUN = {"u": ["a", "b"], "v": ["a"], "w": ["b"]}
QRELS = {"u": {"a": 1}, "x": {"a": 1}}
TABLE = [{"user": user, "tier": tier} for user, tier in zip("uxyz", "aabb", strict=True)]


def test_users_that_only_the_table_holds_are_counted_and_listed():
    res = rw.evaluate(RUN, QRELS, ["user_coverage@2", "ndcg@2"], users=TABLE)
    assert res["user_coverage@2"] == 3 / 6  # u v w of u v w x y z
    assert res.n == {"user_coverage@2": 6, "ndcg@2": 2}
    assert res.counts["users with neither a list nor judgements"] == 2
    assert res.per_query.rows()[-2:] == [("y", 0.0, None), ("z", 0.0, None)]


def test_users_without_a_list_belong_to_their_segment_and_weigh_what_they_weigh():
    table = [{**row, "weight": weight} for row, weight in zip(TABLE, (1, 1, 2, 4), strict=True)]
    res = rw.evaluate({"u": ["a"]}, QRELS, ["user_coverage@2"], users=table, by="tier", weights="weight")
    assert {row["tier"]: row["mean"]["user_coverage@2"] for row in res.segments.to_dicts()} == {
        "a": 0.5,
        "b": 0.0,
    }
    assert res["user_coverage@2"] == 1 / 8


def test_batches_and_threads_see_the_users_of_the_table_once():
    whole = rw.evaluate(RUN, metrics=["user_coverage"], users=TABLE)
    for batch, threads in ((1, 1), (2, 2)):
        part = rw.evaluate(
            RUN, metrics=["user_coverage"], users=TABLE, engine=Memory(batch=batch), threads=threads
        )
        assert part.per_query.equals(whole.per_query)
        assert part["user_coverage"] == whole["user_coverage"] == 3 / 6


def test_parts_whose_tables_hold_their_own_users_add_up():
    halves = [
        rw.evaluate({user: RUN[user] for user in "uv"}, metrics=["user_coverage"], users=[{"user": "x"}]),
        rw.evaluate({"w": RUN["w"]}, metrics=["user_coverage"], users=[{"user": "y"}, {"user": "z"}]),
    ]
    both = halves[0] + halves[1]
    assert both["user_coverage"] == rw.evaluate(RUN, metrics=["user_coverage"], users=TABLE)["user_coverage"]
    assert both.counts["users with neither a list nor judgements"] == 3
    with pytest.raises(rw.RankwellError, match=r"query '[wyz]' is on both sides"):
        both + halves[1]


def test_policies_that_leave_out_whoever_has_no_list_leave_out_the_table():
    for policy, value in ((rw.Policy(missing="skip"), 1.0), (rw.Policy(population="judged"), 1 / 2)):
        assert (
            rw.evaluate(RUN, QRELS, ["user_coverage"], users=TABLE, policy=policy)["user_coverage"] == value
        )


def test_the_ids_of_the_table_may_be_text_or_integers():
    numbers, texts = [{"user": user} for user in (1, 7, 8)], [{"user": user} for user in ("1", "7", "8")]
    for run, qrels in itertools.product(
        ({1: ["a"]}, {"1": ["a"]}), ({1: {"a": 1}, 2: {"a": 1}}, {"1": {"a": 1}, "2": {"a": 1}})
    ):
        for users in (numbers, texts):
            assert rw.evaluate(run, qrels, ["user_coverage"], users=users)["user_coverage"] == 1 / 4
            assert rw.evaluate(run, metrics=["user_coverage"], users=users)["user_coverage"] == 1 / 3
    with pytest.raises(rw.RankwellError, match="query ids are text on one side and integers on the other"):
        rw.evaluate({1: ["a"]}, metrics=["user_coverage"], users=[{"user": "bob"}])


def test_the_command_takes_the_users_of_the_table(tmp_path, capsys):
    for name, text in (("run.csv", "user,item,score\nu,a,1\n"), ("users.csv", "user,tier\nu,1\nv,1\nw,2\n")):
        (tmp_path / name).write_text(text)
    run, users = str(tmp_path / "run.csv"), str(tmp_path / "users.csv")
    assert (
        command(["evaluate", "none", run, "-m", "user_coverage", "--users", users, "--format", "json"]) == 0
    )
    [told] = json.loads(capsys.readouterr().out)["runs"]
    assert told["mean"] == {"user_coverage": pytest.approx(1 / 3, abs=1e-15)}
    assert told["counts"]["users with neither a list nor judgements"] == 2
    asked = ["evaluate", "none", run, "-m", "user_coverage", "--users", users, "--rel-sweep", "1,2"]
    assert command(asked) == 2
    assert "--rel-sweep and --users exclude each other" in capsys.readouterr().err
