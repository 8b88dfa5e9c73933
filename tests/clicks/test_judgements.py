"""Judgements and values of new orders from clicks: the worked numbers, loops, what is left out, and metrics that take them."""

from __future__ import annotations

import math
import random
from collections import defaultdict

import numpy as np
import pytest
from tests.clicks.worked import columns, expected, given

import rankwell as rw
from rankwell.errors import DataError, UsageError

THETA = [1, 0.5, 0.3]


def grades(made):
    return {
        f"{q} {i}": g
        for q, i, g in zip(made.query.tolist(), made.item.tolist(), made.grade.tolist(), strict=True)
    }


@pytest.mark.parametrize("levels", [None, [0.05, 0.2]])
def test_the_worked_grades(levels):
    case, truth = given("judgements"), expected("judgements")["levels=none" if levels is None else "levels"]
    log = columns(case["query, item, rank, click"], "query", "item", "rank", "click")
    made = rw.clicks.judgements(log, case["theta"], at_least=case["at_least"], levels=levels)
    assert grades(made) == pytest.approx(truth["grades"])
    assert sum(made.counts.values()) == truth["left out"]


def test_a_rate_equal_to_a_level_reaches_it():
    case = given("levels_edge")
    rows = [
        ("q", f"d{at}", 1, int(shown < round(rate * 20)))
        for at, rate in enumerate(case["rates"][:4])
        for shown in range(20)
    ]
    made = rw.clicks.judgements(columns(rows, "query", "item", "rank", "click"), [1.0], levels=case["levels"])
    assert made.grade.tolist() == expected("levels_edge")["grades"][:4]


def drawn(seed, n=600):
    rng = random.Random(seed)
    return [
        (
            at // 3,
            f"u{at // 3 % 9}",
            f"q{rng.randrange(3)}",
            f"d{at % 3}{rng.randrange(2)}",
            at % 3 + 1,
            rng.choice([0, 0, 1, 2]),
        )
        for at in range(n)
    ]


NAMES = "impression", "user", "query", "item", "rank", "click"


def test_a_loop_finds_the_same_grades():
    rows = drawn(0)
    clicks, looks = defaultdict(int), defaultdict(float)
    for _, _, query, item, rank, click in rows:
        clicks[f"{query} {item}"] += click > 0
        looks[f"{query} {item}"] += THETA[rank - 1]
    made = rw.clicks.judgements(columns(rows, *NAMES), THETA, at_least=12)
    assert grades(made) == pytest.approx({key: clicks[key] / looks[key] for key in looks if looks[key] >= 12})
    left = sum(each < 12 for each in looks.values())
    assert made.counts == (
        {"pairs of query and item that were shown for less than 12 expected looks, left out": left}
        if left
        else {}
    )


def test_rows_at_ranks_without_theta_are_left_out_and_counted():
    rows = drawn(1)
    made = rw.clicks.judgements(columns(rows, *NAMES), [1, 0.5, None], at_least=1)
    assert made.counts["rows at ranks without theta, left out"] == sum(rank == 3 for *_, rank, _ in rows)
    alone = rw.clicks.judgements(columns([row for row in rows if row[4] < 3], *NAMES), [1, 0.5], at_least=1)
    assert grades(made) == grades(alone)


def test_every_metric_takes_them_and_knows_the_log():
    rows = drawn(2)
    log = rw.clicks.read_log(columns(rows, *NAMES))
    made = rw.clicks.judgements(log, THETA, at_least=1, levels=[0.3, 0.6])
    assert made.assessor.kind == "clicks"
    assert made.assessor.name == log.hash
    run = {f"q{q}": {f"d{a}{b}": a + b / 2 for a in range(3) for b in range(2)} for q in range(3)}
    plain = {
        q: {i: g for key, g in grades(made).items() if key.split()[0] == q for i in [key.split()[1]]}
        for q in run
    }
    assert rw.evaluate(run, made, ["ndcg@3", "ap"]).mean == rw.evaluate(run, plain, ["ndcg@3", "ap"]).mean
    other = columns([*rows[1:], (*rows[0][:5], 1 - min(rows[0][5], 1))], *NAMES)
    assert rw.clicks.read_log(other).hash != log.hash


def test_no_pair_that_was_shown_often_enough():
    with pytest.raises(DataError, match=r"the largest sum of theta is 1\. Give a smaller one"):
        rw.clicks.judgements({"query": ["q"], "item": ["a"], "rank": [1], "click": [1]}, [1.0])


@pytest.mark.parametrize("theta", ["x", [], [-1], 3, [math.inf], {1: 1, 2: 0.5}, {1.0, 0.5}, [100, 50]])
def test_what_is_no_bias_is_refused(theta):
    with pytest.raises((UsageError, OSError)):
        rw.clicks.judgements({"query": ["q"], "item": ["a"], "rank": [1], "click": [1]}, theta)


def test_grades_are_unbiased_where_theta_is_known():
    rng, theta, worth = np.random.default_rng(0), np.array([1.0, 0.5, 0.25]), np.array([0.6, 0.3, 0.1])
    order = np.argsort(rng.random((30_000, 3)), axis=1)
    click = rng.random((30_000, 3)) < theta * worth[order]
    log = {
        "query": ["q"] * 90_000,
        "item": order.ravel(),
        "rank": np.tile([1, 2, 3], 30_000),
        "click": click.ravel().astype(int),
    }
    right, flat = (rw.clicks.judgements(log, bias).grade for bias in (theta, [1, 1, 1]))
    assert right == pytest.approx(worth, rel=0.03)
    assert flat == pytest.approx(worth * theta.mean(), rel=0.03)


# New orders.


def test_the_worked_orders():
    (first, second), theta = given("new_order")["clicks (item, rank)"], given("new_order")["theta"]
    rows = [(1, "q", item, rank, 1) for item, rank in first]
    names = "impression", "query", "item", "rank", "click"
    new = {"q": given("new_order")["new list"]}
    found = rw.clicks.counterfactual(columns(rows, *names), new, theta, cluster=None)
    assert found.value == pytest.approx(expected("new_order")["first"])
    rows += [(2, "q", item, rank, 1) for item, rank in second]
    found = rw.clicks.counterfactual(columns(rows, *names), new, theta, cluster=None)
    assert found.value == pytest.approx(expected("new_order")["both"])
    assert found.counts == {"clicked items that the new lists do not hold, worth 0": 1}


@pytest.mark.parametrize("discount", ["log2p1", "reciprocal", "none"])
def test_a_loop_finds_the_same_value(discount):
    rows = drawn(3)
    run = {
        f"q{q}": {
            f"d{a}{b}": (7 * a + 3 * b + q) % 5 + a / 10
            for a in range(3)
            for b in range(2)
            if (a, b) != (1, 1)
        }
        for q in range(3)
    }
    worth = {"log2p1": lambda r: 1 / math.log2(r + 1), "reciprocal": lambda r: 1 / r, "none": lambda r: 1.0}[
        discount
    ]
    values, users, missing = defaultdict(float), {}, 0
    for impression, user, query, item, rank, click in rows:
        users.setdefault(impression, user)
        ranks = {
            each: at for at, each in enumerate(sorted(run[query], key=lambda each: -run[query][each]), 1)
        }
        if click:
            values[impression] += worth(ranks[item]) / THETA[rank - 1] if item in ranks else 0.0
            missing += item not in ranks
    n = len(users)
    mean = sum(values.values()) / n
    clusters = defaultdict(list)
    for impression, user in users.items():
        clusters[user].append(values[impression])
    squares = sum((sum(own) - len(own) * mean) ** 2 / (1 - len(own) / n) ** 2 for own in clusters.values())
    error = math.sqrt((len(clusters) - 1) / len(clusters) * squares) / n
    found = rw.clicks.counterfactual(columns(rows, *NAMES), run, THETA, discount=discount)
    assert [found.value, found.error] == pytest.approx([mean, error])
    assert found.counts == {"clicked items that the new lists do not hold, worth 0": missing}


def test_a_click_without_theta_is_refused():
    log = {"impression": [1], "query": ["q"], "item": ["a"], "rank": [4], "click": [1]}
    with pytest.raises(DataError, match=expected("new_order_no_theta")["error"]):
        rw.clicks.counterfactual(rw.clicks.read_log(log, rank_base=1), {"q": ["a"]}, THETA, cluster=None)


def test_rows_in_any_order_say_the_same_to_the_last_bit():
    rows = drawn(5, n=3_000)
    run = {f"q{q}": [f"d{a}{b}" for a in range(3) for b in range(2)] for q in range(3)}

    def said(rows):
        log = columns(rows, *NAMES)
        return grades(rw.clicks.judgements(log, [1, 0.7, 0.1], at_least=1)), rw.clicks.counterfactual(
            log, run, [1, 0.7, 0.1]
        ).value

    first = said(rows)
    for seed in range(3):
        random.Random(seed).shuffle(rows)
        assert said(rows) == first


@pytest.mark.parametrize("kind", [int, str])
def test_items_of_one_score_are_in_the_order_of_evaluate(kind):
    run = {"query": ["q"] * 3, "item": [kind(item) for item in (9, 10, 100)], "score": [1.0] * 3}
    log = {"impression": [1], "query": ["q"], "item": [kind(10)], "rank": [1], "click": [1]}
    found = rw.clicks.counterfactual(log, run, [1], discount="reciprocal", cluster=None)
    qrels = {"query": ["q"], "item": [kind(10)], "grade": [1]}
    assert found.value == rw.evaluate(run, qrels, ["rr"]).mean["rr"] == 1 / 3


@pytest.mark.parametrize("word", ["query", "item"])
@pytest.mark.parametrize("ids", [[1.0, 2.0, 3.0], [True, False, True]])
def test_ids_that_no_run_has_are_refused_with_the_column(word, ids):
    log = {"impression": [1, 2, 3], "query": ["q"] * 3, "item": ["1", "2", "3"], "rank": [1, 2, 3], "click": [1, 0, 1]}  # fmt: skip
    log = {f"{name} of us": column for name, column in (log | {word: ids}).items()}
    log = rw.clicks.read_log(log, columns={f"{name} of us": name for name in ("impression", "query", "item", "rank", "click")})  # fmt: skip
    said = rf"log, row 1: {word} ids must be text or integers, not .*astype\(\{{'{word} of us': '(Int64|str)'"
    with pytest.raises(DataError, match=said):
        rw.clicks.judgements(log, THETA, at_least=0.1)
    with pytest.raises(DataError, match=said):
        rw.clicks.counterfactual(log, {"q": [1, 2, 3]}, THETA, cluster=None)


def test_a_run_of_other_queries_is_refused():
    log = {"impression": [1], "query": ["shoes"], "item": ["a"], "rank": [1], "click": [1]}
    with pytest.raises(DataError, match=r"run has no list for any query of the log .* such as 'shoes'"):
        rw.clicks.counterfactual(log, {"q17": ["a"]}, [1], cluster=None)


def test_an_item_that_a_new_list_has_twice_is_refused():
    run = {"query": ["q"] * 3, "item": ["a", "b", "a"], "score": [3.0, 2.0, 1.0]}
    log = {"impression": [1], "query": ["q"], "item": ["a"], "rank": [1], "click": [1]}
    with pytest.raises(DataError, match="query 'q' lists item 'a' twice"):
        rw.clicks.counterfactual(log, run, [1], cluster=None)
