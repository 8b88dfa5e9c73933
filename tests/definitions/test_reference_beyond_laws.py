"""The slow metrics beyond accuracy on random cases: closed forms of the specification, scikit-learn and SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon, pdist
from scipy.stats import entropy as scipy_entropy
from sklearn.metrics import mean_absolute_error, mean_squared_error
from sklearn.metrics.pairwise import cosine_similarity
from tests.every import every

from .reference_beyond import CORPUS, PER_LIST, jackknife, mean, random_case, without
from .reference_bias import head_items, topic_shares
from .reference_case import by_popularity, count, judged_users, n_train_users

SEEDS = range(60)
CUTS = (1, 3, None)
every_case = every("seed", SEEDS)


def near(value):
    return value if value is None else pytest.approx(value, rel=0, abs=1e-12)


def lists_at(case, k):
    return [items[:k] for items in case.lists.values()]


def counts_at(case, k):
    return sorted(sum(item in items for items in lists_at(case, k)) for item in case.catalogue)


# --- all lists ----------------------------------------------------------------------------------------------


@every_case
@every("k", CUTS)
def test_rarefied_coverage_is_its_closed_form(seed, k):
    case = random_case(seed)
    lists, m = len(case.lists), len(case.catalogue)
    for n in range(1, lists + 1):
        missed = math.fsum(math.comb(lists - c, n) / math.comb(lists, n) for c in counts_at(case, k)) / m
        assert CORPUS["coverage"](case, k, users=n) == near(1 - missed)


@every_case
@every("k", CUTS)
def test_gini_is_its_closed_form_and_entropy_is_scipys(seed, k):
    case = random_case(seed)
    counts, m = counts_at(case, k), len(case.catalogue)
    if not any(counts):
        assert CORPUS["gini"](case, k) is CORPUS["entropy"](case, k) is None
        return
    ranked = sum((2 * j - m - 1) * c for j, c in enumerate(counts, start=1)) / (m * sum(counts))
    assert CORPUS["gini"](case, k) == near(ranked)
    assert CORPUS["entropy"](case, k) == near(scipy_entropy(counts, base=2))
    assert CORPUS["entropy_norm"](case, k) == near(scipy_entropy(counts) / math.log(m))


@every_case
@every("k", CUTS)
def test_personalization_is_its_closed_form_and_scikit_learns(seed, k):
    case = random_case(seed)
    lists, ours = lists_at(case, k), CORPUS["personalization"](case, k)
    if len(lists) < 2:
        assert ours is None
        return
    y = [math.fsum(1 / math.sqrt(len(items)) for items in lists if i in items) for i in case.catalogue]
    pairs = (math.fsum(x * x for x in y) - sum(map(bool, lists))) / 2
    assert ours == near(1 - pairs / math.comb(len(lists), 2))
    held = np.array([[item in items for item in case.catalogue] for items in lists], dtype=float)
    upper = cosine_similarity(held)[np.triu_indices(len(lists), 1)]
    assert ours == near(1 - float(upper.mean()))


# --- each list ----------------------------------------------------------------------------------------------


@every_case
def test_similarities_and_distances_are_scikit_learns_and_scipys(seed):
    case = random_case(seed)
    ours = {
        distance: PER_LIST["ild"](case, None, features="vectors", distance=distance)
        for distance in ("euclidean", "sqeuclidean")
    }
    pairs = PER_LIST["ils"](case, None, features="vectors")
    matrix = PER_LIST["ils"](case, None, features="vectors", average="matrix")
    for user, items in case.lists.items():
        if len(items) < 2:
            assert pairs[user] is matrix[user] is ours["euclidean"][user] is None
            continue
        x = np.array([case.vectors[item] for item in items])
        alike = cosine_similarity(x)
        assert pairs[user] == near(float(alike[np.triu_indices(len(items), 1)].mean()))
        assert matrix[user] == near(float(alike.mean()))
        for distance, values in ours.items():
            assert values[user] == near(float(pdist(x, distance).mean()))


@every_case
def test_jaccard_distance_is_scipys_where_both_items_have_a_topic(seed):
    case = random_case(seed)
    ours = PER_LIST["ild"](case, None, distance="jaccard", missing="skip")
    names = sorted(set().union(*case.topics.values()))
    for user, items in case.lists.items():
        rows = [[name in case.topics[item] for name in names] for item in items if case.topics.get(item)]
        expected = float(pdist(np.array(rows), "jaccard").mean()) if len(rows) > 1 else None
        assert ours[user] == near(expected)


@every_case
def test_symmetric_eild_is_its_closed_form(seed):
    case = random_case(seed)
    ours = PER_LIST["eild"](case, None, features="vectors", weights="symmetric")
    for user, items in case.lists.items():
        w = 1 / np.log2(np.arange(len(items)) + 2)
        if len(items) < 2:
            assert ours[user] is None
            continue
        x = np.array([case.vectors[item] for item in items])
        norms = np.linalg.norm(x, axis=1)
        x[norms > 0] /= norms[norms > 0, None]
        all_pairs = (w.sum() ** 2 - (w**2).sum()) / 2
        alike = (np.linalg.norm(w @ x) ** 2 - (w[norms > 0] ** 2).sum()) / 2
        assert ours[user] == near((all_pairs - alike) / all_pairs)


@every_case
@every("k", CUTS)
def test_popularity_novelty_and_complement_agree(seed, k):
    """EPC without discount is 1 − ARP/U; MSI and self-information differ by log2(T/U) for each item seen."""
    case = random_case(seed)
    arp, users = PER_LIST["arp"](case, k), n_train_users(case)
    epc = PER_LIST["epc"](case, k, discount="none")
    assert epc == {user: near(None if value is None else 1 - value / users) for user, value in arp.items()}
    msi, information = PER_LIST["msi"](case, k), PER_LIST["self_information"](case, k)
    more = math.log2(sum(map(len, case.train.values())) / users)
    assert information == {user: near(None if bits is None else bits + more) for user, bits in msi.items()}


@every_case
def test_calibration_is_scipys_and_the_closed_forms(seed):
    case = random_case(seed)
    names = sorted(set().union(*case.topics.values()))
    ours = {
        name: PER_LIST["calibration"](case, None, divergence=name) for name in ("kl", "js", "tv", "hellinger")
    }
    for user, items in case.lists.items():
        both = [topic_shares(case, dict.fromkeys(rows, 1.0)) for rows in (case.train.get(user, {}), items)]
        if None in both:
            assert all(values[user] is None for values in ours.values())
            continue
        p, q = (np.array([share.get(name, 0.0) for name in names]) for share in both)
        assert ours["kl"][user] == near(float(scipy_entropy(p, 0.99 * q + 0.01 * p)))
        assert ours["js"][user] == near(float(jensenshannon(p, q, base=2)) ** 2)
        assert ours["tv"][user] == near(float(np.abs(p - q).sum()) / 2)
        assert ours["hellinger"][user] ** 2 == near(1 - float(np.sqrt(p * q).sum()))


@every_case
def test_rating_errors_are_scikit_learns(seed):
    case = random_case(seed)
    rows = [
        (user, case.scores[user][item], case.truth[user][item])
        for user, items in case.lists.items()
        for item in items
        if item in case.truth.get(user, {})
    ]
    if rows:
        _, predicted, graded = zip(*rows, strict=True)
        assert CORPUS["mse"](case, None) == near(mean_squared_error(graded, predicted))
        assert CORPUS["mae"](case, None) == near(mean_absolute_error(graded, predicted))
    found = {row[0] for row in rows}
    assert {user for user, value in PER_LIST["user_rmse"](case, None).items() if value is not None} == found


# --- head, propensities, jackknife --------------------------------------------------------------------------


@every_case
def test_heads_by_count_are_numpys_and_others_are_the_shortest_that_reach(seed):
    case = random_case(seed)
    order = by_popularity(case)
    counts = np.array([count(case, item) for item in order])
    for at in (0.3, 0.55, 0.8):
        above = counts > np.quantile(counts, at) + 1e-9
        assert head_items(case, "quantile", at) == [i for i, x in zip(order, above, strict=True) if x]
        volume = len(head_items(case, "volume", at))
        assert counts[:volume].sum() >= at * counts.sum() > counts[: volume - 1].sum()
    q1, q3 = np.quantile(counts, [0.25, 0.75])
    assert head_items(case, "iqr", 1.5) == order[: int((counts > q3 + 1.5 * (q3 - q1) + 1e-9).sum())]


@every_case
def test_with_equal_propensities_nothing_is_weighted(seed):
    """All 1: ips and snips of recall are recall; all ½: ips doubles, snips stays."""
    case = random_case(seed)
    recall = {}
    for user in judged_users(case):
        wanted = {item for item, grade in case.truth[user].items() if grade > 0}
        hits = len(wanted & set(case.lists.get(user, [])[:3]))
        recall[user] = hits / len(wanted) if wanted else None
    for chance in (1.0, 0.5):
        for rows in case.propensity.values():
            rows.update(dict.fromkeys(rows, chance))
        ips, snips = (PER_LIST[name](case, 3, metric="r") for name in ("ips", "snips"))
        assert snips == {user: near(value) for user, value in recall.items()}
        assert ips == {user: near(None if v is None else v / chance) for user, v in recall.items()}


@every_case
def test_the_jackknife_is_that_of_the_closed_forms(seed):
    """Coverage loses what the list alone has; Gini loses the list's counts; user coverage is a plain mean."""
    case = random_case(seed)
    k, m, n = 3, len(case.catalogue), len(case.lists)
    lists = {user: set(items[:k]) for user, items in case.lists.items()}
    alone = [
        sum(not any(item in other for name, other in lists.items() if name != user) for item in items) / m
        for user, items in lists.items()
    ]
    estimate, error = jackknife("coverage", case, k)
    assert estimate == CORPUS["coverage"](case, k)
    assert error == near(math.sqrt((n - 1) / n) * math.sqrt(n * np.var(alone)) if n > 1 else None)

    shown = [bool(items) for items in lists.values()] + [False for u in case.truth if u not in lists]
    estimate, error = jackknife("user_coverage", case, k)
    assert (estimate, error) == (near(np.mean(shown)), near(np.std(shown, ddof=1) / math.sqrt(len(shown))))


@every_case
def test_leaving_out_each_list_gives_back_all_pairs(seed):
    """Each pair is in n − 2 of the n parts, so the mean of the parts is the whole."""
    case = random_case(seed)
    if len(case.lists) > 2:
        parts = {user: CORPUS["personalization"](without(case, user), 3) for user in case.lists}
        assert mean(parts) == near(CORPUS["personalization"](case, 3))
