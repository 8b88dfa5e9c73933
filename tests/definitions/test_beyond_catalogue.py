"""Coverage and its kin, evenness, personalization and their jackknife against the slow definitions."""

from __future__ import annotations

import itertools
import json
import math
import random
import statistics
from dataclasses import replace

import pytest
from tests.cases import seeds
from tests.every import every

import rankwell as rw
from rankwell.cli import run as command
from rankwell.evaluation.engines.memory import Memory
from rankwell.metrics.beyond import personalization

from .beyond import agree, differences, evaluated, filled
from .reference_beyond import CORPUS

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
    for seed in seeds(40):
        case = filled(seed)
        if name == "test_share":  # needs judgements, and so does not see queries without
            judged = {user: items for user, items in case.lists.items() if case.truth.get(user)}
            case = replace(case, lists=judged)
        assert not differences(case, name, k, parameters), seed


def test_personalization_of_lists_alone_needs_no_catalogue():
    assert (
        rw.evaluate({"u": ["a", "b"], "v": ["a", "c"]}, metrics=["personalization"])["personalization"] == 0.5
    )
    left = rw.evaluate({"u": ["a", "b"]}, metrics=["personalization"])
    right = rw.evaluate({"v": ["a", "c"]}, metrics=["personalization"])
    with pytest.raises(rw.RankwellError, match="give both evaluations the same items="):
        left + right


def test_the_share_of_test_items_needs_no_catalogue():
    lists, judged = {"u": ["a", "b"], "v": ["c", "a"]}, {"u": {"a": 1, "x": 1}, "v": {"c": -1}}
    for engine in ("memory", "stream"):
        res = rw.evaluate(lists, judged, ["test_share@2", "test_share@1"], engine=engine)
        assert list(res.mean.values()) == [
            pytest.approx(2 / 3),
            1.0,
        ]  # a and c of a, b and c; both of a and c
        assert rw.evaluate(lists, judged, ["test_share@2"], items=[*"abcxyz"], engine=engine).mean == {
            "test_share@2": res["test_share@2"]
        }


@every(
    "metric",
    [
        "test_share",
        "personalization",
        "personalization(similarity=shared)@2",
        "personalization(similarity=jaccard)",
    ],
)
def test_items_that_train_lacks_are_not_left_out_in_silence_where_no_catalogue_is_given(metric):
    lists, judged, train = (
        {"u": ["a", "b"], "v": ["a", "d"]},
        {"u": {"a": 1}, "v": {"a": 1}},
        {"w": {"a": 1, "c": 1}},
    )
    alone = rw.evaluate(lists, judged, metric)
    with pytest.raises(
        rw.RankwellError, match=r"2 rows hold items that are not in train.*Give items= with every item"
    ):
        rw.evaluate(lists, judged, [metric, "msi"], train=train)
    assert rw.evaluate(lists, judged, [metric, "msi"], train=train, items=[*"abcd"])[metric] == alone[metric]


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


@pytest.mark.parametrize(
    "engine", [Memory(), Memory(batch=3), rw.Stream(part_rows=8)], ids=["whole", "batches", "parts"]
)
def test_pairs_of_very_many_lists_are_refused_before_lists_fill_the_memory(monkeypatch, engine):
    lists = {str(user): ["a", "b", str(user)] for user in range(20)}
    metrics = ["personalization(similarity=jaccard)", "personalization"]
    monkeypatch.setattr(personalization, "MOST_LISTS", 20)
    assert rw.evaluate(lists, metrics=metrics, engine=engine).mean
    monkeypatch.setattr(personalization, "MOST_LISTS", 19)
    with pytest.raises(rw.RankwellError, match=r"holds at most 19 for that\. Use similarity=cosine"):
        rw.evaluate(lists, metrics=metrics, engine=engine)


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


@every("seed", seeds(20))
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
    [saved] = json.loads(capsys.readouterr().out)["runs"]
    assert saved["mean"] == {"user_coverage": pytest.approx(1 / 3, abs=1e-15)}
    assert saved["counts"]["users with neither a list nor judgements"] == 2
    asked = ["evaluate", "none", run, "-m", "user_coverage", "--users", users, "--rel-sweep", "1,2"]
    assert command(asked) == 2
    assert "--rel-sweep cannot be combined with --users" in capsys.readouterr().err
