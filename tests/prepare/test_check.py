"""The check before scoring: each finding against a plain count, and on MovieTweetings."""

from __future__ import annotations

import math
import random
import re
from collections import Counter

import polars as pl
import pytest
from tests.prepare.logs import movietweetings, random_log

import rankwell as rw
from rankwell.prepare import check, split


def found(train, test, lists=None, **options):
    """The findings by their names, as (severity, n, of)."""
    table, report = check(train, test, lists, **options)
    assert report.errors == len(table.filter(severity="error"))
    return {row["check"]: (row["severity"], row["n"], row["of"]) for row in table.to_dicts()}


def random_lists(seed, users=30, items=34, length=6):
    rng = random.Random(seed)
    return pl.DataFrame(
        [
            {"user_id": f"u{user}", "item_id": f"i{rng.randrange(items)}", "rank": rank}
            for user in range(3, users)
            for rank in range(1, rng.randint(2, length) + 1)
        ]
    )


def by_loop(train, test, lists, catalogue, k):
    """What a plain loop counts: severity, n, of."""
    train, test, lists = train.to_dicts(), test.to_dicts(), lists.to_dicts()
    counted = {}

    def note(name, severity, rows, of):
        if n := sum(rows):
            counted[name] = severity, n, of

    own = {}
    for row in train:
        own[row["user_id"]] = max(row["timestamp"], own.get(row["user_id"], -1))
    had = {(row["user_id"], row["item_id"]) for row in train}
    note("own-future", "error", [row["timestamp"] < own.get(row["user_id"], -1) for row in test], len(test))
    note("others-future", "warning", [row["timestamp"] < max(own.values()) for row in test], len(test))
    note("test-pairs-in-train", "error", [(row["user_id"], row["item_id"]) in had for row in test], len(test))
    seen, again = set(), []
    for row in test:
        again.append((row["user_id"], row["item_id"]) in seen)
        seen.add((row["user_id"], row["item_id"]))
    counted |= {"repeated-pairs": ("warning", sum(again), len(test))} if sum(again) else {}
    users, items = ({row[c] for row in train} for c in ("user_id", "item_id"))
    judged_users, judged_items = ({row[c] for row in test} for c in ("user_id", "item_id"))
    listed_users, listed_items = ({row[c] for row in lists} for c in ("user_id", "item_id"))
    note("unknown-users", "warning", [1 for user in judged_users if user not in users], len(judged_users))
    note("unknown-items", "warning", [1 for item in judged_items if item not in items], len(judged_items))
    seen, again = set(), []
    for row in lists:
        again.append((row["user_id"], row["item_id"]) in seen)
        seen.add((row["user_id"], row["item_id"]))
    note("repeated-items", "error", again, len(lists))
    shown = [row for row in lists if row["rank"] <= k]
    note("training-items-in-lists", "error", [(r["user_id"], r["item_id"]) in had for r in shown], len(shown))
    note("items-outside", "error", [item not in catalogue for item in listed_items], len(listed_items))
    note("unknown-items-in-lists", "note", [item not in items for item in listed_items], len(listed_items))
    note(
        "users-without-a-list",
        "warning",
        [user not in listed_users for user in judged_users],
        len(judged_users),
    )
    note(
        "lists-of-unknown-users",
        "note",
        [user not in judged_users for user in listed_users],
        len(listed_users),
    )
    lengths = Counter(row["user_id"] for row in lists)
    note("short-lists", "warning", [n < k for n in lengths.values()], len(lengths))
    return counted


def test_findings_are_those_of_a_plain_loop():
    names = set()
    for seed in range(10):
        log = random_log(seed, rows=150, users=32)
        train, test, _ = split(log, ["time", "random", "last"][seed % 3], seed=seed)
        lists = random_lists(seed).sample(fraction=1.0, shuffle=True, seed=seed)
        catalogue = [f"i{number}" for number in range(31)]
        expected = by_loop(train, test, lists, catalogue, 4)
        seen = found(train, test, lists, items=catalogue, k=4)
        assert seen.pop("popularity-drift")[0] in ("note", "warning")
        # the table has one row for the copies of each side; the loop counts those of the test
        train_copies = seen.get("repeated-pairs") if "repeated-pairs" not in expected else None
        if train_copies:
            assert seen.pop("repeated-pairs")[0] == "note"
        if "repeated-pairs" in expected:
            rows = check(train, test, lists).table.filter(check="repeated-pairs", severity="warning")
            assert rows["n"].to_list() == [expected["repeated-pairs"][1]]
            del expected["repeated-pairs"], seen["repeated-pairs"]
        assert seen == expected
        names |= set(expected)
    assert len(names) >= 11


def ids_by_loop(train, test, lists, catalogue, k):
    """The users or items that each finding is about."""
    train, test, lists = ([tuple(row.values()) for row in each.to_dicts()] for each in (train, test, lists))
    had, judged, listed = ({row[:2] for row in rows} for rows in (train, test, lists))
    newest = {user: max(time for u, _, time, *_ in train if u == user) for user, _ in had}
    lengths = Counter(user for user, *_ in lists)

    def of(pairs, place):
        return {pair[place] for pair in pairs}

    return {
        "own-future": {user for user, _, time, *_ in test if time < newest.get(user, -1)},
        "unknown-users": of(judged, 0) - of(had, 0),
        "unknown-items": of(judged, 1) - of(had, 1),
        "repeated-items": {user for (user, _), n in Counter(row[:2] for row in lists).items() if n > 1},
        "training-items-in-lists": {u for u, item, rank in lists if rank <= k and (u, item) in had},
        "items-outside": of(listed, 1) - {*catalogue},
        "unknown-items-in-lists": of(listed, 1) - of(had, 1),
        "users-without-a-list": of(judged, 0) - of(listed, 0),
        "lists-of-unknown-users": of(listed, 0) - of(judged, 0),
        "short-lists": {user for user, n in lengths.items() if n < k},
    }


def test_findings_name_up_to_three_of_the_users_or_items_that_a_plain_loop_finds():
    named = set()
    for seed in range(4):
        log = random_log(seed, rows=150, users=32).select("user_id", "item_id", "timestamp")
        train, test, _ = split(log, ["time", "random", "last"][seed % 3], seed=seed)
        lists = random_lists(seed).select("user_id", "item_id", "rank")
        catalogue = [f"i{number}" for number in range(31)]
        expected = ids_by_loop(train, test, lists, catalogue, 4)
        for row in check(train, test, lists, items=catalogue, k=4).table.to_dicts():
            if row["check"] in expected:
                ids = expected[row["check"]]
                examples = re.search(r"\(such as ([^)]*)\)", row["found"])[1].split(", ")
                assert len({*examples}) == len(examples) == min(3, len(ids))
                assert {*examples} <= {*map(repr, ids)}
                named.add(row["check"])
    assert named == {*expected}


def test_the_drift_is_the_divergence_of_the_shares():
    train, test = random_log(1), random_log(2, rows=90)
    p, q = (
        Counter(item for _, item in set(zip(log["user_id"], log["item_id"], strict=True)))
        for log in (train, test)
    )
    P, Q = sum(p.values()), sum(q.values())
    expected = 0.0
    for item in set(p) | set(q):
        a, b = p[item] / P, q[item] / Q
        m = (a + b) / 2
        expected += sum(x * math.log2(x / m) / 2 for x in (a, b) if x)
    table = check(train, test).table.filter(check="popularity-drift")
    assert table["share"].item() == pytest.approx(expected, rel=1e-12)


def test_a_drift_is_told_from_what_chance_gives():
    log = random_log(4, rows=4000, users=400)
    same = split(log, "random", test=0.4)
    assert found(same.train, same.test)["popularity-drift"][0] == "note"
    other = same.test.with_columns(item_id=pl.col("item_id").str.replace("i", "i1"))
    assert found(same.train, other)["popularity-drift"][0] == "warning"


@pytest.mark.parametrize("positives", [1, 2])
def test_lists_of_sampled_candidates_are_suspected(positives):
    rng = random.Random(7)
    items = [f"i{number}" for number in range(50)]
    test = {f"u{user}": rng.sample(items, positives) for user in range(8)}
    train = {user: [item for item in items if item not in test[user]][:20] for user in test}
    lists = {}
    for user, hits in test.items():
        others = rng.sample([item for item in items if item not in hits and item not in train[user]], 9)
        lists[user] = rng.sample([*hits, *others], 9 + positives)
    table, _ = check(train, test, lists)
    row = table.filter(check="sampled-candidates").to_dicts()[0]
    assert (row["severity"], row["n"]) == ("error", 8)
    assert "ndcg(sampled=9)@10" in row["remedy"]
    lists["u0"] = lists["u0"][:-1]
    assert "sampled-candidates" not in found(train, test, lists)


def test_repeats_that_are_meant_are_notes():
    train = {"a": ["x", "y"], "b": ["y"]}
    seen = found(train, {"a": ["x"]}, {"a": ["x", "y"]}, repeated=True)
    assert seen["test-pairs-in-train"] == ("note", 1, 1)
    assert seen["training-items-in-lists"] == ("note", 2, 2)
    assert found(train, {"a": ["x"]}, {"a": ["x", "y"]})["training-items-in-lists"][0] == "error"


def test_ids_that_never_meet_are_errors():
    seen = found({"u1": ["x"]}, {"1": ["y"]}, {"one": ["z"]})
    assert {name for name, (severity, *_) in seen.items() if severity == "error"} == {
        "unknown-users", "unknown-items", "users-without-a-list", "unknown-items-in-lists"
    }  # fmt: skip
    with pytest.raises(rw.RankwellError, match="text on one side and integers on the other"):
        check({1: [5]}, {"u": ["x"]})


def test_columns_may_be_named_for_the_tables_that_have_them():
    train = pl.DataFrame({"who": ["a"], "what": ["x"]})
    test = pl.DataFrame({"who": ["a"], "item": ["y"]})
    names = {"who": "query", "what": "item"}
    assert "no-times" in found(train, test, {"a": ["y"]}, columns=names)
    with pytest.raises(rw.RankwellError, match="'whom', but no table has that column"):
        check(train, test, columns={**names, "whom": "query"})
    with pytest.raises(rw.RankwellError, match="k=0"):
        check(train, test, columns=names, k=0)


def test_the_lists_of_movietweetings_are_fine_and_what_is_planted_is_found():
    folder = movietweetings()
    train, test = folder / "split" / "train.csv", folder / "split" / "test.csv"
    for name in ("als", "itemknn", "popular", "random"):
        table, report = check(
            train, test, folder / "recs" / f"recs_{name}.parquet", items=folder / "movies.dat", k=20
        )
        assert report.errors == 0
        assert table["check"].to_list() == ["unknown-items", "popularity-drift"]
        assert table["n"].to_list() == [22, None]
    lists = pl.read_parquet(folder / "recs" / "recs_als.parquet")
    log = pl.read_csv(train, infer_schema=False)
    users = lists["user_id"].unique(maintain_order=True)[:7]
    planted = log.filter(pl.col("user_id").is_in(users.implode())).unique("user_id")
    wrong = pl.concat(
        [lists, planted.select("user_id", rank=pl.lit(21, pl.Int64), item_id="item_id", score=pl.lit(0.0))]
    )
    seen = found(train, test, wrong)
    assert seen["training-items-in-lists"] == ("error", 7, 54_647)
    assert "training-items-in-lists" not in found(train, test, wrong, k=20)
