"""Reference lists against plain loops, and the most popular films against lists that were made without rankwell."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from tests.prepare.logs import movietweetings, random_log

import rankwell as rw
from rankwell.prepare import baselines, split


def lists_of(frame):
    lists = {}
    for user, item, rank in frame.rows():
        lists.setdefault(user, []).append(item)
        assert rank == len(lists[user])
    return lists


def most_popular(rows, catalogue):
    pairs = {(row["user_id"], row["item_id"]) for row in rows}
    counts = Counter(item for _, item in pairs)
    return sorted(catalogue, key=lambda item: (-counts[item], item))


def first(order, seen, k):
    return [item for item in order if item not in seen][:k]


def order_of(kind, user, rows, tiers):
    """The order of items that a list of some kind follows."""
    catalogue = {row["item_id"] for row in rows}
    if kind == "recent":
        oldest = sorted((row["timestamp"] for row in rows), reverse=True)[round(0.2 * len(rows)) - 1]
        rows = [row for row in rows if row["timestamp"] >= oldest]
    elif kind == "segment" and user in tiers:
        rows = [row for row in rows if tiers.get(row["user_id"]) == tiers[user]]
    return most_popular(rows, catalogue)


@pytest.mark.parametrize("seen", [False, True])
def test_lists_are_those_of_plain_loops(seen):
    for seed in range(5):
        log = random_log(seed, rows=300, times=200)
        train, test, _ = split(log, test=0.3)
        tiers = {f"u{n}": "AB"[n % 2] for n in range(22)}
        users = [{"user": user, "tier": tier} for user, tier in tiers.items()]
        made, report = baselines(train, test, k=5, users=users, by="tier", recent=0.2, seen=seen)
        rows = train.to_dicts()
        catalogue = {row["item_id"] for row in rows}
        had = {user: set() for user in log["user_id"]}
        for row in rows:
            had[row["user_id"]] |= set() if seen else {row["item_id"]}
        whom = set(test["user_id"])
        for kind in ("popular", "recent", "segment"):
            expected = {user: first(order_of(kind, user, rows, tiers), had[user], 5) for user in whom}
            assert lists_of(made[kind]) == {user: items for user, items in expected.items() if items}
        best = {}
        for row in sorted(test.to_dicts(), key=lambda row: -row["rating"]):
            own = best.setdefault(row["user_id"], [])
            if row["item_id"] not in own and len(own) < 5:
                own.append(row["item_id"])
        assert lists_of(made["ideal"]) == best
        drawn = lists_of(made["random"])
        for user in whom:
            free = catalogue - had[user]
            assert len(set(drawn.get(user, []))) == len(drawn.get(user, [])) == min(5, len(free))
            assert set(drawn.get(user, [])) <= free
        assert report["users"] == len(whom)


@pytest.mark.parametrize("size", [12, 400])
def test_random_lists_are_uniform_and_seeded(size):
    train = {f"u{n}": [f"i{(n + step) % size}" for step in range(3)] for n in range(size)}
    users = {f"new{n}": ["i0"] for n in range(6000)}
    one = baselines(train, users, k=4, kinds=["random"], seed=1).lists["random"]
    assert one.equals(baselines(train, users, k=4, kinds=["random"], seed=1).lists["random"])
    assert not one.equals(baselines(train, users, k=4, kinds=["random"], seed=2).lists["random"])
    for rank in (1, 4):
        counts = Counter(one.filter(rank=rank)["item"])
        expected = 6000 / size
        # chi-squared of size − 1 degrees of freedom: mean size − 1, variance 2 (size − 1)
        chi = sum((counts[f"i{n}"] - expected) ** 2 / expected for n in range(size))
        assert abs(chi - (size - 1)) < 5 * (2 * (size - 1)) ** 0.5


def test_without_test_data_lists_are_for_the_training_users():
    made, _ = baselines({"a": ["x", "y"], "b": ["x"]}, k=3)
    assert list(made) == ["random", "popular"]
    assert lists_of(made["popular"]) == {"b": ["y"]}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kinds": ["populer"]}, "Did you mean popular"),
        ({"kinds": ["recent"]}, "needs a column of times"),
        ({"kinds": ["segment"]}, "needs users= and by="),
        ({"kinds": ["ideal"]}, "needs test="),
        ({"by": "tier"}, "give users="),
        ({"by": "tire", "users": [{"user": "a", "tier": "x"}]}, "Did you mean tier"),
        ({"users": [{"user": "a", "tier": "x"}]}, "give by=, a column of users"),
        ({"k": 0}, "whole number of at least 1"),
        ({"recent": 0}, "above 0 and up to 1"),
    ],
)
def test_a_wrong_argument_is_refused(options, message):
    with pytest.raises(rw.RankwellError, match=message):
        baselines({"a": ["x", "y"], "b": ["x"]}, **options)


def test_the_most_popular_films_are_the_stored_lists_of_movietweetings():
    folder = movietweetings()
    made, report = baselines(folder / "split" / "train.csv", folder / "split" / "test.csv")
    # recs/recs_popular.parquet: by number of ratings, unseen films only (tests/data/README.md); equal ones in any order
    theirs = pl.read_parquet(folder / "recs" / "recs_popular.parquet").sort("user_id", "rank")
    counts = pl.read_csv(folder / "split" / "train.csv", infer_schema=False).group_by("item_id").len()
    ours = made["popular"].sort("query", "rank")
    assert ours["query"].to_list() == theirs["user_id"].to_list()
    ratings = [
        frame.join(counts, left_on=item, right_on="item_id", how="left", maintain_order="left")[
            "len"
        ].to_list()
        for frame, item in ((ours, "item"), (theirs, "item_id"))
    ]
    assert ratings[0] == ratings[1]
    values = rw.evaluate(made["ideal"], folder / "split" / "test.csv", ["ndcg@10"], policy=rw.Policy(rel=7))
    assert values["ndcg@10"] == 1.0
    assert [row[0] for row in report.tables[0].rows] == ["random", "popular", "recent", "ideal"]
