"""The long tail and the cut by popularity, against plain loops over dicts, and on MovieTweetings."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import polars as pl
import pytest
from tests.every import every
from tests.prepare.logs import movietweetings, random_log

import rankwell as rw
from rankwell.metrics import classes
from rankwell.prepare import PopularityCut, Share

RULES = [
    {"share_of_volume": 0.5}, {"top": 7}, {"fraction": 0.2}, {"reach": 0.3}, {"count": 6}, {"quantile": 0.8}, {"iqr": 0.5}
]  # fmt: skip


def popularity(log, by="users"):
    """How popular each item is, in a loop."""
    counts = Counter()
    seen = set()
    for row in log.to_dicts():
        pair = row["user_id"], row["item_id"]
        if by == "weight":
            counts[row["item_id"]] += row["weight"]
        elif by == "events" or pair not in seen:
            counts[row["item_id"]] += 1
        seen.add(pair)
    return counts


def quantile(values, q):
    """The quantile with linear interpolation, as spreadsheets have it."""
    ordered = sorted(values)
    at = q * (len(ordered) - 1)
    low = int(at)
    return ordered[low] + (at - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low])


def head_of(counts, users, rule, at, ties):
    """The popular items, in a loop over items from the most popular one."""
    ordered = sorted(counts, key=lambda item: (-counts[item], item))
    values = list(counts.values())
    thresholds = {
        "reach": lambda: at * users,
        "count": lambda: at,
        "quantile": lambda: quantile(values, at),
        "iqr": lambda: quantile(values, 0.75) + at * (quantile(values, 0.75) - quantile(values, 0.25)),
    }
    if rule in thresholds:
        return {item for item in counts if counts[item] > thresholds[rule]()}
    head, reached = [], 0
    for item in ordered:
        done = {
            "top": len(head) >= at,
            "fraction": len(head) >= math.ceil(at * len(counts)),
            "share_of_volume": reached >= at * sum(values),
        }[rule]
        if done:
            break
        head.append(item)
        reached += counts[item]
    last = counts[head[-1]]
    alike = [item for item in counts if counts[item] == last]
    if ties == "in":
        return {*head, *alike}
    return set(head) if set(alike) <= set(head) else set(head) - set(alike)


WAYS = [
    (by, rule)
    for by in ("users", "events", "weight")
    for rule in RULES
    if by == "users" or "reach" not in rule
]


@every("ties", ["in", "out"])
@every(("by", "rule"), WAYS)
def test_the_popular_items_are_those_of_a_plain_loop(rule, by, ties):
    for seed in range(8):
        log = random_log(seed)
        counts = popularity(log, by)
        (name, at), users = next(iter(rule.items())), log["user_id"].n_unique()
        cut = PopularityCut(by=by, ties=ties, **rule).fit(log)
        expected = head_of(counts, users, name, at, ties)
        assert set(cut.items_) == expected
        assert cut.items_ == sorted(expected, key=lambda item: (-counts[item], item))


def test_equally_popular_items_at_the_cut_are_all_in_or_all_out():
    log = {"u": ["a", "b", "c", "d"], "v": ["a", "b", "c"], "w": ["a"]}  # a 3, b 2, c 2, d 1
    assert PopularityCut(top=2, ties="in").fit(log).items_ == ["a", "b", "c"]
    assert PopularityCut(top=2, ties="out").fit(log).items_ == ["a"]
    assert PopularityCut(top=3, ties="out").fit(log).items_ == ["a", "b", "c"]
    summary = PopularityCut(top=2).fit(log).summary()
    assert "equally popular items at the cut are all in the head" in summary.to_text()
    assert summary["items as popular as it"] == 2


def test_all_items_are_given_most_popular_first_with_their_part():
    cut = PopularityCut(top=2).fit({"u": ["a", "b", "c", "d"], "v": ["a", "b", "c"], "w": ["a"]})
    expected = {
        "rank": [1, 2, 3, 4],
        "item": ["a", "b", "c", "d"],
        "users": [3, 2, 2, 1],
        "share": [3 / 8, 2 / 8, 2 / 8, 1 / 8],
        "cumulative": [3 / 8, 5 / 8, 7 / 8, 1.0],
        "part": ["head", "head", "head", "tail"],
    }  # counted by hand
    assert cut.to_frame().to_dict(as_series=False) == expected


def test_dropping_leaves_the_other_rows_as_they_are_and_counts_emptied_queries():
    train, test = random_log(1), random_log(2, rows=40)
    cut = PopularityCut(top=4).fit(train)
    kept, report = cut.apply(test)
    rows = [row for row in test.to_dicts() if row["item_id"] not in cut.items_]
    assert kept.to_dicts() == rows
    empty = {row["user_id"] for row in test.to_dicts()} - {row["user_id"] for row in rows}
    assert str(report["queries left without rows"]).startswith(
        f"{len(empty)} of {test['user_id'].n_unique()} "
    )
    assert len(empty) > 0


def test_capping_keeps_of_each_popular_item_the_share_that_its_popularity_is_above_the_cap():
    train, test = random_log(3, rows=600), random_log(4, rows=300)
    cut = PopularityCut(by="events", top=6).fit(train)
    counts = popularity(train, "events")
    cap = max(n for item, n in counts.items() if item not in cut.items_)
    for table in (train, test):
        kept, report = cut.apply(table, "cap", seed=7)
        before, after = Counter(table["item_id"]), Counter(kept["item_id"])
        for item, n in before.items():
            expected = math.ceil(n * cap / counts[item] - 1e-9) if item in cut.items_ else n
            assert after[item] == expected
        assert report["cap"] == cap
        assert kept.equals(cut.apply(table, "cap", seed=7).table)
        assert not kept.equals(cut.apply(table, "cap", seed=8).table)
    assert all(Counter(cut.apply(train, "cap").table["item_id"])[item] == cap for item in cut.items_)


def test_relabelled_and_marked_tables_keep_all_rows():
    train = random_log(5)
    cut = PopularityCut(top=3).fit(train)
    is_popular = [item in cut.items_ for item in train["item_id"]]
    marked = cut.apply(train, "mark", into="head").table
    assert marked["head"].to_list() == is_popular
    assert marked.drop("head").equals(train)
    relabelled, report = cut.apply(train, "relabel", label="many")
    assert relabelled["item_id"].to_list() == [
        "many" if popular else item for item, popular in zip(train["item_id"], is_popular, strict=True)
    ]
    users = [user for user, popular in zip(train["user_id"], is_popular, strict=True) if popular]
    assert report["rows that repeat the new id"] == len(users) - len(set(users))


@pytest.mark.parametrize("columns", [["rank"], ["score"], ["rank", "score"], []])
def test_lists_are_refilled_from_their_lower_places(columns):
    lists = pl.DataFrame(
        {
            "query": ["q", "q", "q", "q", "r", "r", "r"],
            "item": ["a", "b", "c", "d", "b", "a", "c"],
            "rank": [1, 2, 3, 4, 1, 2, 3],
            "score": [4.0, 3.0, 2.0, 1.0, 3.0, 2.0, 1.0],
        }
    ).select("query", "item", *columns)
    shuffled = lists if not columns else lists.sample(fraction=1.0, shuffle=True, seed=1)
    cut = PopularityCut(top=1).fit({"u": ["a", "b"], "v": ["a"]})
    kept, report = cut.apply(shuffled, refill=2)
    by_query = {"q": ["b", "c"], "r": ["b", "c"]}
    for (query,), part in kept.group_by("query"):
        key = columns[0] if columns else None
        ordered = part.sort(key, descending=key == "score") if key else part
        assert ordered["item"].to_list() == by_query[query]
        assert key != "rank" or ordered["rank"].to_list() == [1, 2]
    assert report["rows moved up from below"] == 2
    assert str(report["lists shorter than 2 after"]) == "0 of 2 (0.0000)"
    assert str(cut.apply(shuffled, refill=3).report["lists shorter than 3 after"]) == "1 of 2 (0.5000)"


def test_head_and_tail_stand_beside_the_whole_and_unknown_items_are_tail():
    cut = PopularityCut(top=1).fit({"u": ["a", "b"], "v": ["a"]})
    run = {"q": {"a": 3.0, "new": 2.0, "b": 1.0}}
    qrels = {"q": {"a": 1, "new": 1}}
    res = rw.evaluate(run, qrels, ["num_rel", "num_rel_ret"], slices=cut)
    assert {name: part["num_rel"] for name, part in res.slices.items()} == {"head": 1, "tail": 1}
    byhand = rw.evaluate(run, qrels, ["ap"], slices={"head": ["a"], "tail": ["new", "b"]})
    theirs = rw.evaluate(run, qrels, ["ap"], slices=cut)
    assert {n: p["ap"] for n, p in theirs.slices.items()} == {n: p["ap"] for n, p in byhand.slices.items()}


def test_integer_ids_meet_their_text():
    cut = PopularityCut(top=1).fit({1: [10, 20], 2: [10]})
    assert cut.apply({"u": ["10", "20"]}).table["item"].to_list() == ["20"]
    with pytest.raises(rw.RankwellError, match="set label= to an integer"):
        cut.apply({1: [10, 20]}, "relabel")
    assert cut.apply({1: [10, 20]}, "relabel", label=-1).table["item"].to_list() == [-1, 20]


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({}, "needs exactly one rule, not none"),
        ({"top": 3, "reach": 0.5}, "needs exactly one rule, not top and reach"),
        ({"top": 2.5}, "top=2.5: must be a whole number"),
        ({"share_of_volume": 33}, "at must be a share from 0 to 1"),
        ({"reach": 0.5, "by": "events"}, "needs by='users'"),
        ({"top": 3, "by": "clicks"}, "must be users, events or weight"),
        ({"top": 3, "ties": "id"}, "must be 'in'"),
    ],
)
def test_a_cut_that_makes_no_sense_is_refused(rules, message):
    with pytest.raises(rw.RankwellError, match=message):
        PopularityCut(**rules)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"action": "remove"}, "must be drop, cap, relabel or mark"),
        ({"action": "cap", "refill": 10}, "applies only to action='drop'"),
        ({"action": "cap", "cap": 0}, "must be above 0"),
        ({"refill": 0}, "the length of the lists"),
        ({"refill": 2, "table": random_log(1)}, "has no score and no rank, but a column 'rating'"),
        (
            {"refill": 2, "table": random_log(1), "columns": {"rating": "grade"}},
            "needs lists, but this table has the column 'rating'",
        ),
        (
            {"refill": 2, "table": random_log(1).drop("rating")},
            "needs lists, but this table has the column 'timestamp'",
        ),
        ({"action": "relabel", "label": "b"}, "already has this item"),
        ({"action": "relabel", "label": 5}, "are text"),
        ({"columns": {"nobody": "query"}}, "columns= names 'nobody'"),
    ],
)
def test_a_wrong_argument_of_apply_is_refused(arguments, message):
    cut = PopularityCut(top=1).fit({"u": ["a", "b"], "v": ["a"]})
    with pytest.raises(rw.RankwellError, match=message):
        cut.apply(**({"table": pl.DataFrame({"user": ["q"], "item": ["b"]})} | arguments))


def test_wrong_data_give_one_clear_error():
    with pytest.raises(rw.RankwellError, match="there is no column for the item"):
        PopularityCut(top=1).fit(pl.DataFrame({"user": ["a"], "thing": ["b"]}))
    with pytest.raises(rw.RankwellError, match=r"has no column 'wieght'.*Did you mean weight"):
        PopularityCut(top=1, by="weight", weight="wieght").fit(random_log(1))
    frame = pl.DataFrame({"user": ["a", "b"], "item": ["x", "y"], "weight": [1, -1]})
    with pytest.raises(rw.RankwellError, match="row 2: the weight is -1; a weight must be at least 0"):
        PopularityCut(top=1, by="weight").fit(frame)
    with pytest.raises(rw.RankwellError, match="no row is left"):
        PopularityCut(fraction=1.0).fit({"u": ["a"]}).apply({"u": ["a"]})
    with pytest.raises(rw.RankwellError, match="the table holds no rows"):
        PopularityCut(top=1).fit(pl.DataFrame({"user": [], "item": []}))
    with pytest.raises(rw.RankwellError, match="the cut is not fitted"):
        PopularityCut(top=1).apply({"u": ["a"]})
    with pytest.raises(rw.RankwellError, match=r"has 1 item\(s\) outside the catalogue.*'b'"):
        PopularityCut(top=1).fit({"u": ["a", "b"]}, items=["a"])


@pytest.mark.parametrize("mid", [None, 0.8])
def test_the_long_tail_is_that_of_a_plain_loop(mid):
    for seed in range(5):
        log = random_log(seed)
        counts = popularity(log)
        catalogue = sorted({*counts, "unused"})
        tail = rw.long_tail(log, catalogue, at=0.4, mid=mid)
        ordered = sorted(catalogue, key=lambda item: (-counts[item], item))
        total, reached, rows = sum(counts.values()), 0, []
        for rank, item in enumerate(ordered, 1):
            part = "head" if reached < 0.4 * total else "mid" if reached < (mid or 0) * total else "tail"
            reached += counts[item]
            rows.append((rank, item, counts[item], counts[item] / total, reached / total, part))
        assert tail.to_frame().rows() == rows
        pairs = [abs(counts[a] - counts[b]) for a in catalogue for b in catalogue]
        assert tail.gini == pytest.approx(sum(pairs) / (2 * len(catalogue) * total), rel=1e-12)
        parts = defaultdict(list)
        for _, item, n, _, _, part in rows:
            parts[part].append((item, n))
        for row in tail.to_dict()["parts"][:-1]:
            mine = parts[row["part"]]
            assert row["items"] == len(mine)
            assert row["interactions"] == sum(n for _, n in mine)
            assert row["least popular item"] == mine[-1][0]


def test_the_parts_of_a_long_tail_exclude_each_other():
    with pytest.raises(
        rw.RankwellError, match=r"mid=0.2 excludes items of the head.*it must be larger than at"
    ):
        rw.long_tail(random_log(1), at=0.8, mid=0.2)
    with pytest.raises(rw.RankwellError, match="it must be smaller than at"):
        rw.long_tail(random_log(1), head="count", at=3, mid=10)
    with pytest.raises(rw.RankwellError, match="Did you mean volume"):
        rw.long_tail(random_log(1), head="volum")


def test_the_reports_of_movietweetings_add_up():
    folder = movietweetings()
    train = pl.read_csv(folder / "split" / "train.csv", infer_schema=False)
    counts = Counter(train["item_id"])  # no pair stands there twice
    cut = PopularityCut(share_of_volume=0.33).fit(folder / "split" / "train.csv")
    assert set(cut.items_) == head_of(counts, 4170, "share_of_volume", 0.33, "in")
    summary = cut.summary()
    assert str(summary["popular items"]) == "48 of 2,392 (0.0201)"
    assert summary["their interactions"] == Share(sum(counts[item] for item in cut.items_), 54_444)
    lists, report = cut.apply(folder / "recs" / "recs_als.parquet", refill=10)
    assert not set(lists["item_id"]) & set(cut.items_)
    lengths = Counter(lists["user_id"])
    assert max(lengths.values()) == 10
    short = sum(n < 10 for n in lengths.values())
    assert str(report["lists shorter than 10 after"]).startswith(f"{short} of 2,732 ")
    long = rw.long_tail(folder / "ratings.dat")
    assert "1,564    0.1489        80,006           0.8001" in long.to_text()
    for text in (long.to_markdown(), long.to_html(), long.to_json(), report.to_markdown(), report.to_html()):
        assert text


# the most popular item, and one that the rule puts exactly at the border: .29 of 100 users is 28.999999999999996 in doubles
@every(
    ("rule", "at", "users"),
    [
        ("reach", 0.29, (100, 29, 2, 1)), ("count", 29, (100, 29, 2, 1)), ("quantile", 0.8, (100, 29, 2, 1, 1, 1)), ("iqr", 0, (100, 2, 1, 1, 1)),
    ],
)  # fmt: skip
def test_an_item_exactly_at_the_border_is_in_the_tail(rule, at, users):
    log = {str(user): [f"i{n}" for n, most in enumerate(users) if user < most] for user in range(100)}
    tail = rw.long_tail(log, head=rule, at=at)
    assert tail.to_frame().filter(pl.col("part") == "head")["item"].to_list() == ["i0"]
    assert PopularityCut(**{rule: at}).fit(log).items_ == ["i0"]
    shown = rw.evaluate({"0": ["i0", "i1"]}, metrics=[f"aplt(head={rule},at={at})"], train=log)
    assert list(shown.mean.values()) == [0.5]


def test_every_text_that_names_the_rules_says_that_their_border_is_not_in_the_head():
    metrics = [metric for metric in classes() if "head" in metric.__dataclass_fields__]
    assert len(metrics) >= 6
    for metric in metrics:
        card = " ".join(rw.explain(metric).to_text().split())
        assert "strictly above" in card, metric
        assert "head=reach, count, quantile or iqr" in card or "As for aplt" in card, metric
    for text in (rw.long_tail.__doc__, PopularityCut.__doc__):
        words = " ".join(text.split())
        assert (words.count("more than"), words.lower().count("strictly above")) == (2, 2), words
