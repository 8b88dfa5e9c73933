"""Each recommender against its formula, computed slowly, on made-up interactions; and on the bundled films, under measurement."""

from __future__ import annotations

import math
from importlib.resources import files

import numpy as np
import polars as pl
import pytest
from examples.engines.recommenders_implicit import ALS, ItemBM25

import rankwell as rw

FILMS = files("rankwell") / "data" / "movietweetings"


@pytest.fixture(scope="module")
def taken():
    """For each of 30 users the items, of 25, that they have; the last user has all."""
    rng = np.random.default_rng(5)  # with which no two items are equally similar at the cut of 6
    found = {
        f"u{user}": sorted(f"i{item}" for item in np.flatnonzero(rng.random(25) < 0.25)) for user in range(29)
    }
    return {user: own for user, own in found.items() if own} | {"all": [f"i{item}" for item in range(25)]}


@pytest.fixture(scope="module")
def train(taken):
    rows = [(user, item) for user, own in taken.items() for item in own]
    return pl.DataFrame(rows, schema=["user", "item"], orient="row")


def similarity(taken):
    """The products of the items' vectors of BM25 weights: an item is a document, its users are the words."""
    items = sorted({item for own in taken.values() for item in own})
    users_of = {item: [user for user, own in taken.items() if item in own] for item in items}
    mean = sum(map(len, users_of.values())) / len(items)
    weight = {
        (item, user): math.log(len(items) / (1 + len(taken[user])))
        * (1.2 + 1)
        / (1.2 * (1 - 0.75 + 0.75 * len(users) / mean) + 1)
        for item, users in users_of.items()
        for user in users
    }
    return {
        one: {
            other: sum(weight[one, user] * weight[other, user] for user in users_of[one] if user in users_of[other])
            for other in items
        }
        for one in items
    }  # fmt: skip


@pytest.mark.parametrize("neighbours", [25, 6])
def test_neighbours_are_weighted_by_bm25(taken, train, neighbours):
    system = ItemBM25(neighbours)
    system.index(train)
    like = {
        one: dict(sorted(row.items(), key=lambda pair: -pair[1])[:neighbours])
        for one, row in similarity(taken).items()
    }
    for user, own in taken.items():
        expected = {}
        for one in own:
            for other, value in like[one].items():
                if other not in own and value:
                    expected[other] = expected.get(other, 0.0) + value
        assert dict(system.search(user, 25)) == pytest.approx(expected, rel=1e-5), user
        best = sorted(expected.values(), reverse=True)[:3]
        assert [score for _, score in system.search(user, 3)] == pytest.approx(best, rel=1e-5)


def test_factors_of_items_solve_the_equations_of_als(taken, train):
    # Hu, Koren, Volinsky 2008, eq. 5, with confidence 1 for every cell, as each interaction has the weight 1:
    # (XᵀX + λI) y = Σ of the factors of the item's users
    system = ALS(factors=4, regularization=0.1)
    system.index(train)
    X, Y = (np.asarray(each, float) for each in (system.model.user_factors, system.model.item_factors))
    for at, item in enumerate(system.ids):
        users = [system.users[user] for user, own in taken.items() if item in own]
        assert np.linalg.solve(X.T @ X + 0.1 * np.eye(4), X[users].sum(0)) == pytest.approx(Y[at], abs=1e-5)
    for user, own in taken.items():
        scores = Y @ X[system.users[user]]
        expected = {
            item: score for item, score in zip(system.ids, scores.tolist(), strict=True) if item not in own
        }
        assert dict(system.search(user, 25)) == pytest.approx(expected, abs=1e-5), user


@pytest.mark.parametrize("system", [ItemBM25(), ALS(4)], ids=["items", "als"])
def test_nothing_is_recommended_to_those_who_have_all_or_are_unknown(system, train):
    system.index(train)
    assert system.search("all", 10) == []
    assert system.search("nobody", 10) == []


def test_recommenders_are_measured_on_films_and_recommend_nothing_twice():
    train, test = (pl.read_parquet(str(FILMS / f"{name}.parquet")) for name in ("train", "test"))
    users = test["user_id"].unique(maintain_order=True).to_list()[:40]
    asked = {user: user for user in users}
    systems = {"items": ItemBM25(), "als": ALS(16, iterations=3)}
    costs = rw.efficiency.measure(systems, asked, items=train, k=10, repetitions=1)
    assert costs.failures.is_empty(), costs.failures["message"].to_list()
    assert costs.indexing["items"].to_list() == [len(train)] * 2
    had = set(train.select("user_id", "item_id").iter_rows())
    for run in costs.runs.values():
        table = run.rows.table()
        pairs = list(zip(table.query.tolist(), table.item.tolist(), strict=True))
        assert len(pairs) == len(set(pairs)) == 400
        assert not had & set(pairs)
