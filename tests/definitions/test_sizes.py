"""Metrics of sizes at a rank and of whole lists: worked numbers, and a plain loop over many lists; at budgets see tests/matching."""

from __future__ import annotations

import random

import pytest

import rankwell as rw

TOKENS = [
    {"item": item, "tokens": size} for item, size in zip("abcde", (200, 150, 300, 100, 50), strict=True)
]


def test_worked_numbers():
    judged = {"q": {"a": 1, "c": 1, "d": 1, "x": 1}}
    metrics = ["size_p@2", "size_p", "size_p(rel=2)", "used@2", "used"]
    res = rw.evaluate({"q": list("abcde")}, judged, metrics, items=TOKENS, sizes="tokens")
    assert list(res.mean.values()) == pytest.approx(
        [200 / 350, 600 / 800, float("nan"), 350, 800], nan_ok=True
    )
    assert res.undefined == {"size_p(rel=2)": {"undefined by the judgements": 1}}


def test_why_a_value_is_undefined_and_what_counts_as_0():
    items = [*TOKENS, {"item": "empty", "tokens": 0}]
    run = {"nothing": [], "sizeless": ["empty"], "unjudged": ["a"], "irrelevant": ["a"]}
    judged = {"nothing": {"a": 1}, "sizeless": {"a": 1}, "irrelevant": {"a": 0}, "missing": {"a": 1}}
    run = {query: items for query, items in run.items() if items}
    res = rw.evaluate(run, judged, ["size_p", "used"], items=items, sizes="tokens")
    found = {row["query"]: (row["size_p"], row["used"]) for row in res.per_query.to_dicts()}
    assert found == {
        "nothing": (0, 0), "sizeless": (None, 0), "irrelevant": (None, 200), "missing": (0, 0), "unjudged": (None, 200),
    }  # fmt: skip
    assert res.undefined["size_p"] == {"undefined by the list": 1, "undefined by the judgements": 1}
    # a rule for what judgements leave undefined does not touch what the list does
    zero = rw.evaluate(run, judged, ["size_p"], items=items, sizes="tokens", undefined="zero")
    assert zero.undefined["size_p"] == res.undefined["size_p"]
    assert [
        row["size_p"] for row in zero.per_query.to_dicts() if row["query"] in ("sizeless", "irrelevant")
    ] == [0, None]


def test_values_are_those_of_a_plain_loop():
    rng = random.Random(3)
    sizes = {f"i{n}": rng.choice([0, 1, 2.5, 7]) for n in range(40)}
    run = {f"q{q}": rng.sample(list(sizes), rng.randrange(1, 9)) for q in range(300)}
    judged = {query: {item: rng.randrange(3) for item in rng.sample(list(sizes), 12)} for query in run}
    items = [{"item": item, "tokens": size} for item, size in sizes.items()]
    for k in (None, 1, 3):
        cut = "" if k is None else f"@{k}"
        res = rw.evaluate(run, judged, [f"size_p{cut}", f"used{cut}"], items=items, sizes="tokens")
        for row in res.per_query.to_dicts():
            listed, grades = run[row["query"]][:k], judged[row["query"]]
            total = sum(sizes[item] for item in listed)
            relevant = sum(sizes[item] for item in listed if grades.get(item, 0) > 0)
            assert row[f"used{cut}"] == pytest.approx(total)
            expected = relevant / total if total and any(grades.values()) else None
            assert row[f"size_p{cut}"] == pytest.approx(expected)
