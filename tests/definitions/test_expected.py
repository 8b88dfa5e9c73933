"""Means over all orders of equal scores, against the mean of the slow definition over every one of these orders."""

from __future__ import annotations

import itertools
import random

import pytest
from tests.cases import seeds
from tests.every import every

import rankwell as rw
from rankwell.metrics import metric_of

from . import reference
from .both import qrels_of, run_of, same, values_of

METRICS = [
    "p@1", "p@3", "p(denom=n)@4", "r@2", "r(denom=min_rk)@3", "f@2", "f(c=.2,denom=n)@3", "f(beta=3)@5", "hit@1", "hit@2",
    "hit@4", "hit(rel=2)@2", "ap", "ap@2", "ap@4", "ap(denom=R)@3", "ap(denom=hits)", "ap(denom=min_rn)@3", "ap(rel=2)@3",
    "ap(denom=k)@4", "rr", "rr@1", "rr@3", "rr(rel=2)", "cg@2", "dcg", "dcg@3", "dcg(discount=jk,base=3)@4",
    "dcg(discount=[1,.5])", "dcg(gain={0:1,1:-2,2:3})@3", "ndcg", "ndcg@2", "ndcg(gain=exp2)@3", "ndcg(ideal=retrieved)@2", "ndcg(ideal=min_kn)@2",
    "rbp", "rbp(p=.5)@3", "rbp(gain=binary)@2", "insq", "insq(T=3)@2", "mean_precision@1", "mean_precision@4",
    "set_p", "set_r", "set_f", "set_ap", "auc", "auc(among=judged)", "num_ret", "num_rel", "num_rel_ret",
]  # fmt: skip


def a_case(rng):
    """Short lists full of equal scores."""
    run, qrels = {}, []
    for query in ("1", "2", "3"):
        items = rng.sample("abcdefgh", rng.randint(1, 6))
        run[query] = [(item, rng.choice([1.0, 2.0, 3.0])) for item in items]
        qrels += [(query, item, rng.choice([-1, 0, 1, 1, 2, 3]), None) for item in rng.sample("abcdefgh", 5)]
    policy = {"ties": "expected", "grades": "judgements", "unjudged": rng.choice(["nonrelevant", "condense"])}
    policy["negative"] = rng.choice(["unjudged", "nonrelevant"])
    if rng.random() < 0.3:
        policy["rel"] = 2
    return run, qrels, policy


def compare_with_all_orders(metric):
    """Compare the expected values of a metric on random lists with the means over all orders of equal scores."""
    for seed in seeds(60):
        run, qrels, policy = a_case(random.Random(seed))
        theirs = reference.evaluate(run, qrels, metric, policy=policy)
        ours = rw.evaluate(run_of(run), qrels_of(qrels), [metric], policy=rw.Policy(**policy))
        values = values_of(ours, metric)
        for query, value in theirs.values.items():
            assert same(values[query], value), (seed, query, values[query], value, run, qrels, policy)


@every("metric", METRICS)
def test_the_expected_value_is_the_mean_over_all_orders(metric):
    assert metric_of(metric).has_expected_value()
    compare_with_all_orders(metric)


def grows_with_order(metric):
    """Whether a better order never lowers a metric, so that one order is the best."""
    made = metric_of(metric)
    return made.better == "higher" and "a better list scores no worse" not in made.broken_laws()


@every("metric", list(filter(grows_with_order, METRICS)))
def test_the_best_and_the_worst_order_bracket_the_expected_value(metric):
    for seed in seeds(60):
        run, qrels, policy = a_case(random.Random(seed))
        low, middle, high = (
            rw.evaluate(run_of(run), qrels_of(qrels), [metric], policy=rw.Policy(**policy | {"ties": ties}))[
                metric
            ]
            for ties in ("worst", "expected", "best")
        )
        if middle == middle:  # noqa: PLR0124 - not undefined
            assert low - 1e-12 <= middle <= high + 1e-12, (seed, run, qrels)


@every(
    "metric",
    [
        "bpref",
        "err",
        "iprec",
        "gmap",
        "ap(denom=hits)@2",
        "q",
        "compat",
        "inst",
        "rprec",
        "judged@2",
        "coverage@2",
    ],
)
def test_a_metric_without_a_formula_refuses_and_names_a_rule(metric):
    with pytest.raises(
        rw.RankwellError, match=r"no formula for the mean over all orders .* ties='item-desc'"
    ):
        rw.evaluate(
            {"1": {"a": 1.0}}, {"1": {"a": 1}}, [metric], items=["a"], policy=rw.Policy(ties="expected")
        )


def test_a_copy_that_keeps_its_rank_has_no_expected_value():
    run = rw.Run(query=["1", "1"], item=["a", "a"], score=[1.0, 1.0])
    with pytest.raises(rw.RankwellError, match="duplicates='drop'"):
        rw.evaluate(run, {"1": {"a": 1}}, ["ap"], policy=rw.Policy(ties="expected", duplicates="first"))
    dropped = rw.evaluate(run, {"1": {"a": 1}}, ["ap"], policy=rw.Policy(ties="expected", duplicates="drop"))
    assert dropped["ap"] == 1.0


def test_scikit_learn_has_the_expected_ndcg_too():
    from sklearn.metrics import ndcg_score

    rng = random.Random(7)
    for _ in range(200):
        grades = [rng.choice([0, 1, 2, 3]) for _ in range(8)]
        if not any(grades):
            continue
        scores = [rng.choice([1.0, 2.0, 3.0]) for _ in grades]
        k = rng.randint(1, 8)
        theirs = ndcg_score([grades], [scores], k=k)
        ids = [f"i{place}" for place in range(8)]
        ours = rw.evaluate(
            {"q": dict(zip(ids, scores, strict=True))}, {"q": dict(zip(ids, grades, strict=True))},
            [f"ndcg@{k}"], policy=rw.Policy(ties="expected"),
        )  # fmt: skip
        assert ours[f"ndcg@{k}"] == pytest.approx(theirs, abs=1e-12)


OTHERS = [  # beside METRICS, of which the slow definition gives the values of each order
    *("ap_ia@2", "by_topic(metric=ndcg@2)", "d_ndcg@3", "gauc", "idcg@2", "ndcg_ia@2"),
    *("num_nonrel_judged_ret", "p_ia@2", "rr_ia@3"),
]


def orders(scores):
    """All lists of the items of a query, best first, that equal scores allow."""
    groups = [
        [item for item in scores if scores[item] == score] for score in sorted({*scores.values()})[::-1]
    ]
    for parts in itertools.product(*map(itertools.permutations, groups)):
        yield list(itertools.chain.from_iterable(parts))


def test_every_expected_value_is_compared_with_all_orders():
    compared = {type(metric_of(text)) for text in [*METRICS, *OTHERS]}
    left_out = ("ips", "snips", "nugget")  # made of another metric; scores that are no order
    made = [
        cls() if cls.cut != "required" else cls(k=3)
        for cls in rw.metrics.classes()
        if cls.__module__.startswith("rankwell.") and cls.name not in left_out
    ]
    assert {type(metric) for metric in made if metric.has_expected_value()} <= compared


@every("metric", OTHERS)
def test_the_expected_value_is_the_mean_of_the_values_of_all_orders(metric):
    assert metric_of(metric).has_expected_value()
    given = {"grades": "judgements", "undefined": "skip"}
    for seed in seeds(30):
        rng = random.Random(seed)
        scores = {item: rng.choice([1.0, 2.0]) for item in rng.sample("abcdefg", 4)}
        qrels = [
            {
                "query": "q",
                "item": item,
                "topic": topic,
                "grade": rng.choice([0, 1, 2]),
            }
            for item in "abcdef"
            for topic in rng.sample("xyz", rng.randint(1, 2))
        ]
        if metric in ("gauc", "idcg@2", "num_nonrel_judged_ret"):
            qrels = [
                {k: v for k, v in row.items() if k != "topic"}
                for row in {r["item"]: r for r in qrels}.values()
            ]
        expected = rw.evaluate({"q": scores}, qrels, [metric], ties="expected", **given)[metric]
        values = [rw.evaluate({"q": order}, qrels, [metric], **given)[metric] for order in orders(scores)]
        assert expected == pytest.approx(sum(values) / len(values), rel=1e-12, abs=1e-12, nan_ok=True)
