"""Metrics of topics against slow definitions, random judgements by topic and subgroup under random policies."""

from __future__ import annotations

import random
from functools import partial
from itertools import product

import pytest
from tests.cases import FEWER, seeds
from tests.every import every

import rankwell as rw
from rankwell.evaluation.engines.memory import Memory

from .both import run_of, same, values_of
from .reference_policy import ReferenceRefusal
from .reference_topics import by_topic, preferences
from .test_against_reference import IDS

INNER = [
    "ap", "ap(denom=R)@3", "p@3", "r(denom=min_rk)@2", "rr", "ndcg@3", "ndcg(gain=exp2)", "err(max_grade=12)", "bpref", "q@3",
    "rprec(multiple=.35)", "judged@2", "hit@1", "rbp(p=.5,max_grade=12)", "infap", "set_f", "auc", "compat(p=.5)", "num_rel",
    "utility(prices=[2,-1,.5,.25],collection=40)", "ap(rel=2)@2",
]  # fmt: skip
PREFERENCES = [
    *product(["prefs_simp", "prefs_avgjg", "prefs_pair", "prefs_num_poss", "prefs_num_ful"], ["all", "one", "both"]),
    ("prefs_avgjg_rnonrel", "all"), ("prefs_avgjg_rnonrel", "both"),
]  # fmt: skip
CHOICES = {
    "ties": ["item-desc", "item-asc", "order"], "scores": ["double", "single"], "duplicates": ["error", "first", "drop"],
    "negative": ["unjudged", "nonrelevant"], "unjudged": ["nonrelevant", "condense", "condense"], "duplicate_grades": ["error", "max", "last"],
    "depth": [None, 1, 2, 5], "rel": [None, 1, 2],
}  # fmt: skip


def a_case(rng, *, parts):
    """Rows of a run, judgements (query, item, grade, topic, subgroup), and a policy."""
    pool = IDS[rng.choice(["text", "int"])]
    queries = rng.choice([["1", "2", "q"], [1, 2, -3]])
    policy = {"grades": "judgements"}
    policy |= {name: rng.choice(allowed) for name, allowed in CHOICES.items() if rng.random() < 0.35}
    copies = rng.random() < 0.12
    run, rows = (
        {queries[0]: [(pool[0], 1.0)]},
        [(queries[0], pool[0], 1, "x", "1"), (queries[0], pool[1], 0, "y", "1")],
    )
    for query in queries[1:]:
        if rng.random() < 0.85:
            size = rng.randint(1, len(pool))
            items = [rng.choice(pool) for _ in range(size)] if copies else rng.sample(pool, size)
            run[query] = [(item, rng.choice([1, 2, 3, 3.5])) for item in items]
        for topic in rng.sample(["x", "y", "10", "9"], rng.choice([0, 1, 2, 3, 3])):
            level = {item: rng.choice([-1, 0, 0, 1, 1, 2, 3]) for item in pool}
            for part in rng.sample("123", rng.randint(1, parts)):
                chosen = rng.sample(pool, rng.randint(1, len(pool)))
                rows += [(query, item, level[item], topic, part) for item in chosen]
    if copies and rng.random() < 0.5:
        query, item, _, topic, part = rng.choice(rows)
        rows.append((query, item, rng.choice([0, 1, 2]), topic, part))
    rng.shuffle(rows)
    return run, rows, policy


def qrels_of(rows, *, parts):
    query, item, grade, topic, part = map(list, zip(*rows, strict=True))
    return rw.Qrels(query, item, grade, topic, subgroup=part if parts else None)


def agree(run, rows, metric, policy, reference, *, parts, compared):
    """Compare the values of one metric, in batches of one list; refusals too."""
    try:
        theirs = reference()
    except ReferenceRefusal as refusal:
        theirs = refusal
    shown = (metric, policy, run, rows, theirs)
    judgements, settings = qrels_of(rows, parts=parts), rw.Policy(**policy)
    if isinstance(theirs, ReferenceRefusal):
        with pytest.raises(rw.RankwellError):
            rw.evaluate(run_of(run), judgements, [metric], policy=settings)
        return
    metrics = [metric, "ap", "unj@1"]
    ours = rw.evaluate(run_of(run), judgements, metrics, policy=settings, engine=Memory(batch=1))
    values = values_of(ours, metric)
    assert set(values) == set(theirs), shown
    for query, value in theirs.items():
        assert same(values[query], value), (query, values[query], value, *shown)
        compared.append(value)


def compare_by_topic(inner):
    """Compare the mean of a metric over topics with its values on each topic's judgements alone."""
    compared = []
    for seed, over in product(seeds(120), ["defined", "all"]):
        run, rows, policy = a_case(random.Random(seed), parts=1)
        rows = [(*row[:4], None) for row in rows]
        metric = f"by_topic(metric={inner},over={over})"
        slow = partial(by_topic, run, rows, inner, policy, over=over)
        agree(run, rows, metric, policy, slow, parts=False, compared=compared)
    assert len([value for value in compared if value is not None]) > 20 / FEWER
    assert len(set(compared)) > 2


def compare_pairs(name, pairs, parts):
    """Compare the preferences of random judgements, in no, one or several parts per group, with those counted one by one."""
    compared = []
    for seed in seeds(120):
        rng = random.Random(seed)
        run, rows, policy = a_case(rng, parts=max(parts, 1))
        rows = rows if parts else [(*row[:4], None) for row in rows]
        policy.pop("unjudged", None)  # no pair cares
        over, groups = rng.choice(["defined", "all"]), rng.choice(["topic", "topic", "query"])
        more = {"over": over} if name.startswith("prefs_avgjg") else {}
        inside = ",".join(
            f"{key}={value}" for key, value in {"pairs": pairs, "groups": groups, **more}.items()
        )
        slow = partial(preferences, run, rows, name, policy, groups=groups, pairs=pairs, **more)
        agree(run, rows, f"{name}({inside})", policy, slow, parts=bool(parts), compared=compared)
    assert len(compared) > 30 / FEWER
    assert len(set(compared)) > 2


@every("inner", INNER)
def test_a_metric_by_topic_is_the_mean_of_its_values_with_each_topic_alone(inner):
    compare_by_topic(inner)


@every(("name", "pairs"), PREFERENCES)
@pytest.mark.parametrize("parts", [0, 1, 3])
def test_preferences_are_those_counted_pair_by_pair(name, pairs, parts):
    compare_pairs(name, pairs, parts)


def test_one_group_per_query_has_the_same_share_whatever_is_averaged():
    rng = random.Random(5)
    run = {str(q): {f"i{n}": rng.random() for n in range(30)} for q in range(9)}
    qrels = {q: {f"i{n}": rng.randint(0, 3) for n in rng.sample(range(60), 30)} for q in run}
    names = [f"{name}(groups=query)" for name in ("prefs_simp", "prefs_avgjg", "prefs_pair")]
    res = rw.evaluate(run, qrels, names)
    assert len(set(res.mean.values())) == 1
