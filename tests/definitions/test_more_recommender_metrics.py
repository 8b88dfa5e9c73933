"""MCC, GAUC, R², explained variance, log loss, percentile and popularity ranks, and topics of lists: against plain loops."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from sklearn.metrics import (
    explained_variance_score,
    log_loss,
    matthews_corrcoef,
    r2_score,
    roc_auc_score,
)
from tests.definitions.plain import compare_of_lists, compare_per_query, ranked

import rankwell as rw
from rankwell.metrics import metric_of
from rankwell.testing import examples
from rankwell.testing.data import ITEMS, TOPICS, TRAIN

from .both import same

GENRES = {item: set(text.split("|")) if text else set() for item, text in zip(ITEMS, TOPICS, strict=True)}
TAKEN = {user: set(row) for user, row in TRAIN.items()}
USERS = {item: sum(item in row for row in TAKEN.values()) for item in ITEMS}


def mcc(listed, judged, k=3, size=12):
    relevant = sum(grade > 0 for grade in judged)
    if not 0 < relevant < size:
        return None
    truth = [(grade or 0) > 0 for grade in listed]
    truth += [True] * (relevant - sum(truth))
    truth += [False] * (size - len(truth))
    shown = [place < min(k, len(listed)) for place in range(size)]
    return matthews_corrcoef(truth, shown)


def test_mcc_is_that_of_scikit_learn():
    assert compare_per_query("mcc(collection=12)@3", mcc) > 60


def compare(metric, loop, cases=60):
    """Compare the value over all queries with ``loop(run, qrels)``."""
    compared = 0
    for given in examples(cases):
        qrels = {q: {i: float(g) for i, g in row.items() if g >= 0} for q, row in given.qrels.items()}
        run = {q: row for q, row in given.run.items() if q in given.qrels}
        value, theirs = given.results(metric_of(metric))[metric], loop(run, qrels)
        assert same(value, theirs), (metric, value, theirs, run, qrels)
        compared += theirs is not None
    assert compared > cases / 2


def pairs(run, qrels):
    return [(score, qrels[q][i]) for q, row in run.items() for i, score in row.items() if i in qrels[q]]


def of_ratings(function):
    def loop(run, qrels):
        found = pairs(run, qrels)
        if len({grade for _, grade in found}) < 2:
            return None
        scores, grades = zip(*found, strict=True)
        return float(function(grades, scores))

    return loop


def test_r2_and_explained_variance_are_those_of_scikit_learn():
    compare("r2", of_ratings(r2_score))
    compare("explained_variance", of_ratings(explained_variance_score))


def test_log_loss_is_that_of_scikit_learn():
    def loop(run, qrels, eps=0.001):
        found = [(min(max(score, eps), 1 - eps), int(grade > 0)) for score, grade in pairs(run, qrels)]
        if not found:
            return None
        chances, labels = zip(*found, strict=True)
        return log_loss(labels, chances, labels=[0, 1])

    compare("log_loss(eps=0.001)", loop)
    res = rw.evaluate({"u": {"a": 1.5, "b": 0.2}}, {"u": {"a": 1, "b": 0}}, ["log_loss"])
    assert res.counts["rows with a score below 0 or above 1"] == 1
    with pytest.raises(rw.RankwellError, match="eps must be"):
        metric_of("log_loss(eps=0.5)")
    with pytest.raises(rw.RankwellError, match="interactions"):
        rw.evaluate({"u": {"a": 0.5}}, {"u": ["a"]}, ["log_loss"])


def test_gauc_is_the_auc_of_scikit_learn_weighted_by_relevant_items():
    def loop(run, qrels):
        total, weight = 0.0, 0
        for q, row in run.items():
            labels = [qrels[q].get(item, 0) > 0 for item in row]
            if 0 < sum(labels) < len(labels):
                total += sum(labels) * roc_auc_score(labels, list(row.values()))
                weight += sum(labels)
        return total / weight if weight else None

    compare("gauc", loop)


def test_the_percentile_rank_is_the_mean_over_the_rest_of_the_order():
    """Items that are not listed are tried at every rank that is left."""

    def loop(run, qrels, size=12, k=4):
        total, weight = 0.0, 0.0
        for q, judged in qrels.items():
            if q not in run:
                continue
            listed = ranked(run[q])[:k]
            rest = [rank / (size - 1) for rank in range(len(listed), size)]
            for item, grade in judged.items():
                if grade <= 0:
                    continue
                where = [listed.index(item) / (size - 1)] if item in listed else rest
                total += grade * math.fsum(where) / len(where)
                weight += grade
        return total / weight if weight else None

    compare("percentile_rank(collection=12)@4", loop)
    given = {"q": ["a", "b", "c", "d"]}, {"q": {"b": 5, "d": 1}}
    assert rw.evaluate(*given, ["percentile_rank(weights=none,collection=4)"]).mean == {
        "percentile_rank(weights=none,collection=4)": pytest.approx((1 / 3 + 1) / 2)
    }


def of_each(lists, value, k):
    found = [each for user, row in lists.items() if (each := value(user, row[:k])) is not None]
    return math.fsum(found) / len(found) if found else None


def test_the_mean_popularity_rank_counts_the_items_below():
    def loop(lists, _):
        seen = [n for n in USERS.values() if n]

        def quantile(item):
            n = USERS[item]
            return (sum(m < n for m in seen) + (1 + seen.count(n)) / 2) / len(seen) if n else 0.0

        return of_each(lists, lambda _, row: sum(map(quantile, row)) / len(row), 3)

    compare_of_lists("mean_pop_rank@3", loop, whole=True)


@pytest.mark.parametrize("metric", ["category_entropy@3", "category_entropy(count=topic)@3"])
def test_category_entropy_adds_up_shares(metric):
    count = metric_of(metric).count

    def entropy(_, row):
        weights: dict[str, float] = {}
        for item in row:
            for genre in GENRES[item]:
                weights[genre] = weights.get(genre, 0) + (1 / len(GENRES[item]) if count == "item" else 1)
        total = sum(weights.values())
        return -sum(w / total * math.log2(w / total) for w in weights.values()) if weights else None

    compare_of_lists(metric, lambda lists, _: of_each(lists, entropy, 3), whole=True)


@pytest.mark.parametrize(
    "metric",
    [
        "binomial_diversity(lam=0)@3",
        "binomial_diversity@3",
        "binomial_diversity(lam=1)@3",
        "binomial_diversity(part=coverage)@3",
        "binomial_diversity(part=nonredundancy)@3",
    ],
)
def test_binomial_diversity_counts_all_lists_that_could_have_been_drawn(metric):
    lam, part = metric_of(metric).lam, metric_of(metric).part
    pairs_of_train = [item for row in TAKEN.values() for item in row]
    genres = sorted({genre for each in GENRES.values() for genre in each})

    def value(user, row):
        if not row or (lam and user not in TAKEN):
            return None
        coverage, fresh, here = 1.0, 1.0, 0
        chances = {}
        for genre in genres:
            everyone = sum(genre in GENRES[item] for item in pairs_of_train) / len(pairs_of_train)
            own = TAKEN.get(user, ())
            mine = sum(genre in GENRES[item] for item in own) / len(own) if own else 0.0
            chances[genre] = (1 - lam) * everyone + lam * mine
        possible = sum(p > 0 for p in chances.values())
        shown = {genre for item in row for genre in GENRES[item]}
        for genre, p in chances.items():
            draws = {
                hits: math.comb(len(row), hits) * p**hits * (1 - p) ** (len(row) - hits)
                for hits in range(len(row) + 1)
            }
            seen = sum(genre in GENRES[item] for item in row)
            if not seen:
                coverage *= draws[0] ** (1 / possible) if p else 1
            else:
                above = sum(chance for hits, chance in draws.items() if hits >= seen)
                fresh *= ((above / (1 - draws[0])) if p else float(seen == 1)) ** (1 / len(shown))
            here += seen > 0
        return {"both": coverage * fresh, "coverage": coverage, "nonredundancy": fresh}[part]

    compare_of_lists(
        f"binomial_diversity(lam={lam},part={part})@3", lambda lists, _: of_each(lists, value, 3), whole=True
    )


def test_a_constant_shift_changes_r2_and_not_explained_variance():
    rng = random.Random(2)
    run = {f"{u}": {f"i{i}": rng.uniform(1, 5) for i in range(9)} for u in range(20)}
    truth = {
        u: {i: min(max(round(s + rng.gauss(0, 1)), 1), 5) for i, s in row.items()} for u, row in run.items()
    }
    shifted = {u: {i: s + 0.5 for i, s in row.items()} for u, row in run.items()}
    policy = rw.Policy(grades="judgements")
    one, two = (
        rw.evaluate(each, truth, ["r2", "explained_variance"], policy=policy) for each in (run, shifted)
    )
    assert one["explained_variance"] == pytest.approx(two["explained_variance"])
    assert one["r2"] - two["r2"] > 0.05
    grades, scores = zip(
        *((truth[u][i], run[u][i]) for u, i in itertools.product(run, run["0"])), strict=True
    )
    assert one["r2"] == pytest.approx(r2_score(grades, scores))
