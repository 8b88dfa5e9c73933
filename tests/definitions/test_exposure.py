"""Exposure of groups of items against the slow definitions, and by hand."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.cases import FEWER
from tests.definitions.slow_beyond import SEEDS, agreeing

import rankwell as rw
from rankwell.metrics import metric_of
from rankwell.testing import checks as testing

from .beyond import POLICY, agree, evaluated, filled, items_of, text_of
from .reference_beyond import Case

VIEWS = [{}, {"view": "rbp"}, {"view": "rbp", "p": 0.5}, {"view": "cut"}]
TARGETS = [{}, {"target": "uniform"}, {"target": "merit"}, {"target": "merit", "rel": 2}]
DIVERGENCES = [{}, *({"divergence": each} for each in ("tv", "kl", "ratio"))]
SHARES = [
    (name, a | b | c) for name in ("exposure", "awrf") for a, b, c in product(VIEWS, TARGETS, DIVERGENCES)
]
RATIOS = [
    (name, view | {"candidates": candidates} | rel)
    for name, rel in (("dp_ratio", {}), ("dtr", {}), ("dtr", {"rel": 2}))
    for view, candidates in product(VIEWS, ("catalogue", "pool", "list"))
]
Wanted = tuple[str, dict[str, Any]]


def compared(case: Case, k: int | None, wanted: Iterable[Wanted]) -> int:
    """Hold rankwell against the slow definitions, all metrics in one evaluation; the number of defined values."""
    metrics = [(metric_of(text_of(name, given, k)), name, given) for name, given in wanted]
    res = evaluated(case, "exposure", *(metric for metric, *_ in metrics))  # one that sees whole lists
    return agreeing(res, case, k, metrics)


@pytest.mark.parametrize("k", [None, 1, 3])
def test_exposure_is_that_of_the_slow_definitions(k):
    defined = 0
    for seed in SEEDS:
        two = seed % 3 != 0  # else there are three groups
        defined += compared(filled(seed), k, SHARES + RATIOS if two else SHARES)
    assert defined > 12_000 / FEWER


def test_an_item_of_several_groups_counts_in_parts():
    for seed in SEEDS:
        case = filled(seed)
        names = sorted(set().union(*case.topics.values()))
        seen, items = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
        for listed in case.lists.values():
            for rank, item in enumerate(listed[:3], start=1):
                for topic in case.topics.get(item, ()):
                    seen[topic] += 1 / math.log2(rank + 1) / len(case.topics[item])
        for topics in case.topics.values():
            for topic in topics:
                items[topic] += 1 / len(topics)
        apart = [
            abs(seen[name] / sum(seen.values()) - items[name] / sum(items.values()))
            for name in names
            if sum(seen.values())
        ]
        metric = "exposure(groups=topics,divergence=tv)@3"
        assert agree(evaluated(case, metric)[metric], sum(apart) / 2 if apart else None), seed


FILMS = [
    {"item": "a", "group": "new", "maker": 7, "both": ["new", "old"], "price": 0.5},
    {"item": "b", "group": "old", "maker": 7, "both": ["old"], "price": 1.0},
    {"item": "c", "group": "old", "maker": 12, "both": None, "price": 2.0},
    {"item": "d", "group": None, "maker": None, "both": [], "price": 2.0},
]
LISTS = {"u": ["a", "b", "d"], "v": ["c", "a"]}


def test_groups_are_text_or_whole_numbers_or_lists():
    # v = 1 at each rank: new 2, old 2 of 4 seen in a group; the catalogue has 1 and 2
    value = {"group": 1 / 2 - 1 / 3}
    # makers 7: a, b, a; 12: c; the catalogue has two and one
    value["maker"] = 3 / 4 - 2 / 3
    # new ½ + ½, old ½ + 1 + ½; the catalogue has ½ and 3/2
    value["both"] = 1 / 3 - 1 / 4
    for column, expected in value.items():
        metric = f"exposure(groups={column},view=cut,divergence=tv)"
        assert rw.evaluate(LISTS, metrics=[metric], items=FILMS)[metric] == pytest.approx(expected, abs=1e-15)


def test_rows_without_a_group_are_counted():
    res = rw.evaluate(LISTS, metrics=["exposure", "awrf(groups=both)", "dp_ratio@2"], items=FILMS)
    assert res.counts["rows of items without a group"] == 1
    assert res.counts["rows of items without a both"] == 2
    assert "rows of items without a group: 1" in str(res.to_table())


@pytest.mark.parametrize(
    ("metric", "kind", "words"),
    [
        ("exposure(groups=grup)", ValueError, r"items has no column 'grup'; .*Did you mean group\?"),
        ("awrf(groups=price)", ValueError, "'price' is Float64; groups must be text or whole numbers"),
        ("dp_ratio(groups=title)", ValueError, "compares two groups; .* has 4: A, B, C, D"),
        ("awrf(target=merit)", LookupError, "needs judgements: give qrels="),
        ("dtr", LookupError, "needs judgements: give qrels="),
        ("dp_ratio(candidates=pool)", LookupError, "needs judgements"),
        ("exposure(p=0.5)", ValueError, "p=0.5 has no effect"),
        ("exposure(rel=2)", ValueError, "rel=2 has no effect"),
        ("exposure(view=rbp,p=1.5)", ValueError, "between 0 and 1"),
        ("exposure(divergence=hellinger)", ValueError, "divergence must be one of js, tv, kl, ratio"),
        ("exposure(groups=none_here)", ValueError, "holds no group"),
    ],
)
def test_what_cannot_be_held_against_a_target_is_refused(metric, kind, words):
    items = [row | {"title": row["item"].upper(), "none_here": ""} for row in FILMS]
    with pytest.raises(rw.RankwellError, match=words) as error:
        rw.evaluate(LISTS, metrics=[metric], items=items)
    assert isinstance(error.value, kind)
    with pytest.raises(rw.RankwellError, match="needs a table of items: give items="):
        rw.evaluate(LISTS, {"u": {"a": 1}}, metrics=["exposure"])


def test_each_segment_is_held_against_its_own_merit():
    # u likes new and sees new, v likes old and sees old: fair to each, and all together
    run, truth = {"u": ["a"], "v": ["b"]}, {"u": {"a": 1}, "v": {"b": 1, "c": 0}, "w": {"c": 1}}
    users = [{"query": "u", "tier": "gold"}, {"query": "v", "tier": "tin"}, {"query": "w", "tier": "tin"}]
    metrics = ["exposure(target=merit,divergence=tv)", "exposure(divergence=tv)"]
    res = rw.evaluate(run, truth, metrics, items=FILMS, users=users, by="tier")
    rows = {row["tier"]: row["mean"] for row in res.segments.to_dicts()}
    assert rows["gold"] == {metrics[0]: 0, metrics[1]: pytest.approx(2 / 3)}
    assert rows["tin"] == {metrics[0]: 0, metrics[1]: pytest.approx(1 / 3)}
    assert res[metrics[0]] == pytest.approx(1 / 2 - 1 / 3)  # one new and two old are liked
    assert res[metrics[1]] == pytest.approx(1 / 2 - 1 / 3)


def test_the_segments_of_exposure_are_those_of_their_lists_alone():
    for seed in range(20):
        case = filled(seed)
        users = [{"query": user, "half": "ab"[number % 2]} for number, user in enumerate(case.lists)]
        metrics = ["exposure@3", "exposure(divergence=tv,target=uniform)@3"]
        res = evaluated(case, *metrics, users=users, by="half")
        for row in res.segments.to_dicts():
            part = {
                user: items
                for number, (user, items) in enumerate(case.lists.items())
                if "ab"[number % 2] == row["half"]
            }
            alone = rw.evaluate(part, metrics=metrics, items=items_of(case), policy=POLICY)
            for metric, value in alone.mean.items():
                assert row["mean"][metric] == pytest.approx(value, nan_ok=True, abs=1e-15)


def test_lists_do_not_depend_on_the_batch_with_many_groups():
    rng = np.random.default_rng(5)
    items = [
        {"item": item, "group": [f"g{each}" for each in rng.choice(30, rng.integers(0, 4))]}
        for item in range(200)
    ]
    run = {user: rng.choice(200, 12, replace=False).tolist() for user in range(60)}
    metrics = ["awrf", "awrf(divergence=kl)@5", "awrf(view=rbp,divergence=tv)"]
    whole = rw.evaluate(run, metrics=metrics, items=items).per_query
    for user in (0, 17, 59):
        alone = rw.evaluate({user: run[user]}, metrics=metrics, items=items).per_query
        assert alone.equals(whole.filter(pl.col("query") == user))


LAWS = ["exposure(groups=topics,target=merit)@3", "awrf(groups=topics,target=merit,rel=2)", "exposure(groups=topics)",
        "awrf(groups=topics,divergence=ratio)@3", "dtr(rel=2,view=rbp,p=0.5)@3", "dp_ratio(view=rbp,p=1)"]  # fmt: skip


@pytest.mark.parametrize("metric", LAWS)
def test_the_laws_hold_with_other_parameters(metric):
    testing.check_metric(metric, cases=6)


def test_judgements_outside_the_catalogue_are_counted():
    res = rw.evaluate({"u": ["a"]}, {"u": {"a": 1, "zz": 1}}, ["exposure(target=merit)"], items=FILMS)
    assert res.counts["judgements of items outside the catalogue"] == 1
