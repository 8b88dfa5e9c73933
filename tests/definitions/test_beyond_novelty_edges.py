"""Novelty, serendipity and bias of popularity by hand: thresholds, parts, segments, and what is refused."""

from __future__ import annotations

import math

import pytest
from tests.definitions.novelty_cases import MIDS, QRELS, RUN, TRAIN

import rankwell as rw
from rankwell.evaluation.engines.memory import Memory
from rankwell.metrics import metric_of

from .beyond import evaluated, filled

FILMS = [
    {"item": "a", "genres": "War", "year": 1990},
    {"item": "b", "genres": "Drama|War", "year": 2000},
    {"item": "c", "genres": "Drama", "year": None},
    {"item": "d", "genres": None, "year": 1970},
]


def test_a_cosine_at_the_threshold_is_unexpected():
    # x = {War, Drama}, own item {Drama, Noir}: the cosine is one half
    items = [{"item": "x", "genres": "Drama|War"}, {"item": "own", "genres": "Drama|Noir"}]
    found = rw.evaluate({"u": ["x"]}, {"u": {"x": 1}}, ["serendipity_kotkov(distance=.5)", "serendipity_kotkov(distance=.49)"],
                        items=items, train={"u": {"own": 1}})  # fmt: skip
    assert list(found.mean.values()) == [1.0, 0.0]


def test_many_features_and_long_histories_are_compared_in_parts(monkeypatch):
    from rankwell.metrics.beyond import item_features as pairs

    case = filled(8)
    metric = "serendipity_kotkov(distance=.3,novel=1)"
    whole = evaluated(case, metric).per_query
    monkeypatch.setattr(pairs, "CELLS", 5)
    assert evaluated(case, metric).per_query.equals(whole)


def test_relevance_has_values_for_judged_queries_only():
    res = rw.evaluate(
        RUN, {"u": {"b": 1}, "nobody": {"a": 1}}, ["epc@2", "epc(relevance=binary)@2"], train=TRAIN
    )
    assert (res.n["epc@2"], res.n["epc(relevance=binary)@2"]) == (3, 1)
    assert res.undefined["epc(relevance=binary)@2"] == {"undefined by the list": 1}


def test_parts_of_which_nothing_could_be_shown_are_left_out_and_counted():
    metrics = [
        "pop_reo(head=top,at=2)@2",
        "pop_reo(head=top,at=2)@1",
        "pop_reo(head=top,at=1,mid=2)",
        "pop_rsp(at=0)",
    ]
    res = rw.evaluate(RUN, QRELS, metrics, train=TRAIN, items=list("abcdxy"))
    why = "as none of their items could be shown"
    assert {what: n for what, n in res.counts.items() if why in what} == {
        f"parts left out of pop_reo(head=top,at=2) {why}": 1,  # the head is a and b, and of them u has b
        f"parts left out of pop_reo(head=top,at=1,mid=2) {why}": 2,
        f"parts left out of pop_rsp(at=0) {why}": 1,  # there is no head
    }
    assert f"parts left out of pop_rsp(at=0) {why}: 1" in str(res.to_table())
    assert res["pop_rsp(at=0)"] == 0.0
    whole = rw.evaluate(RUN, QRELS, ["pop_rsp", "pop_reo"], train=TRAIN, items=list("abcdxy"))
    assert not [what for what in whole.counts if why in what and "pop_rsp" in what]


def test_batches_and_sums_count_what_all_of_them_leave_out():
    qrels = {"u": {"a": 1}, "new": {"c": 1}}  # u has a; c alone is relevant and can be shown
    run = {"u": ["a"], "new": ["c"]}
    metric = "pop_reo(head=top,at=1)"
    counted = {"parts left out of pop_reo(head=top,at=1) as none of their items could be shown": 1}
    for batch in (1, 100):
        res = rw.evaluate(run, qrels, [metric], train=TRAIN, engine=Memory(batch=batch))
        assert counted.items() <= res.counts.items()
    policy = rw.Policy(missing="skip")
    halves = [rw.evaluate({user: run[user]}, qrels, [metric], train=TRAIN, policy=policy) for user in run]
    assert (halves[0] + halves[1]).counts.items() >= counted.items()
    other = rw.evaluate(
        {"w": ["a"]}, {"w": {"b": 1, "c": 1}, "new": {"a": 1}}, ["pop_reo(head=top,at=2)"], train=TRAIN
    )
    assert not [what for what in other.counts if what.startswith("parts left out")]


def test_of_three_parts_one_alone_gives_the_end_of_the_range():
    items = list("abcdxy")
    metric = metric_of("pop_rsp(head=top,at=1,mid=3)")
    assert metric.range == (0.0, math.sqrt(2))
    assert metric_of("pop_rsp").range == (0.0, 1.0)
    res = rw.evaluate({"new": ["x", "y"]}, metrics=[metric], train=TRAIN, items=items)
    assert res[metric] == math.sqrt(2)
    # head a: one of one, mid b c: one of two, tail d x y: none; 1 ½ 0, mean ½
    res = rw.evaluate({"new": ["a", "b"]}, metrics=[metric], train=TRAIN, items=items)
    assert res[metric] == math.sqrt(2 / 3 * 0.25) / 0.5


def test_metrics_and_the_long_tail_divide_alike():
    case = filled(8)
    train = {user: rows for user, rows in case.train.items() if rows}
    for head, at, mid in MIDS:
        if head in ("reach", "iqr"):
            continue
        tail = rw.long_tail(train, case.catalogue, head=head, at=at, mid=mid)
        frame = tail.to_frame()
        parts = dict(zip(frame["item"].to_list(), frame["part"].to_list(), strict=True))
        text = f"aclt(head={head},at={at},mid={mid})"
        values = dict(evaluated(case, text).per_query.iter_rows())
        assert all(
            n == sum(parts[i] == "tail" for i in case.lists[user])
            for user, n in values.items()
            if user in case.lists
        )


def test_a_judged_query_without_a_list_counts_in_pop_reo():
    # head a: one hit of one; tail: one hit of two, as v has no list
    qrels = {"new": {"a": 1, "b": 1}, "other": {"c": 1}}
    res = rw.evaluate({"new": ["a", "b"]}, qrels, ["pop_reo(head=top,at=1)"], train=TRAIN)
    assert res["pop_reo(head=top,at=1)"] == pytest.approx(1 / 3, abs=1e-12)
    skipped = rw.evaluate(
        {"new": ["a", "b"]}, qrels, ["pop_reo(head=top,at=1)"], train=TRAIN, policy=rw.Policy(missing="skip")
    )
    assert skipped["pop_reo(head=top,at=1)"] == 0.0


def test_ratings_need_a_threshold_where_relevance_counts_and_only_there():
    qrels = {"u": {"x": 9, "b": 3}, "new": {"y": 7, "a": 5}}
    assert rw.evaluate(RUN, qrels, ["epc", "msi"], train=TRAIN).n["epc"] == 3
    with pytest.raises(rw.RankwellError, match="grades look like ratings"):
        rw.evaluate(RUN, qrels, ["epc(relevance=binary)"], train=TRAIN)
    # gains count from the threshold: 9 is level 3 of 3, so 7/8, for an item nobody knows, over two rows
    res = rw.evaluate(RUN, qrels, ["epc(discount=none,relevance=graded,rel=7)@2"], train=TRAIN)
    assert res.per_query.filter(res.per_query["query"] == "u").row(0)[1] == pytest.approx(
        7 / 8 / 2, abs=1e-12
    )


def test_a_table_of_integers_gives_what_text_gives():
    names = {item: number for number, item in enumerate("abcdxy", start=1)}
    users = {user: number for number, user in enumerate(["u", "new", "v", "w", "z"], start=1)}
    train = {users[user]: {names[item]: 1 for item in row} for user, row in TRAIN.items()}
    run = {users[user]: [names[item] for item in row] for user, row in RUN.items()}
    qrels = {users[user]: {names[item]: 1 for item in row} for user, row in QRELS.items()}
    metrics = ["msi", "efd", "serendipity(top=2)", "aplt", "pop_reo", "delta_gap", "pop_rsp", "tail_coverage"]
    there = rw.evaluate(run, qrels, metrics, train=train, items=list(names.values()))
    assert rw.evaluate(RUN, QRELS, metrics, train=TRAIN, items=list(names)).mean == there.mean


def test_delta_gap_of_a_group_is_that_of_its_users():
    users = [
        {"query": "u", "tier": "gold"},
        {"query": "v", "tier": "silver"},
        {"query": "new", "tier": "gold"},
    ]
    res = rw.evaluate(RUN, metrics=["delta_gap"], train=TRAIN, users=users, by="tier")
    found = {row["tier"]: row["mean"]["delta_gap"] for row in res.segments.to_dicts()}
    # u alone, as new has no training items: profile 7/3, list 1; v: 3 and 0
    assert found == {"gold": pytest.approx((1 - 7 / 3) / (7 / 3), abs=1e-12), "silver": -1.0}


# --- what is refused ----------------------------------------------------------------------------------------------

REFUSED = [
    ("msi(unseen=error)@2", {}, r"msi\(unseen=error\)@2: query 'u', rank 1: the item has no training user. Set unseen=max"),
    ("msi(unseen=zero)", {}, "unseen must be one of max, laplace, skip, error"),
    ("self_information(unseen=laplace)", {}, "needs the catalogue: give items="),
    ("efd(unseen=laplace)", {}, "needs the catalogue: give items="),
    ("tail_coverage", {}, "needs the catalogue: give items="),
    ("pop_rsp", {}, "needs the catalogue: give items="),
    ("serendipity_murakami", {}, "needs the catalogue: give items="),
    ("serendipity_kotkov(distance=.5)", {}, "needs a table of items: give items="),
    ("serendipity_kotkov@5", {"items": FILMS}, r"needs a threshold: write serendipity_kotkov\(distance=0.5\)"),
    ("serendipity_kotkov(distance=.5,novel=2)", {"items": FILMS}, "novel, a share of users, must be between 0 and 1"),
    ("serendipity_kotkov(distance=.5,features=genre)", {"items": FILMS}, r"no column 'genre'.*Did you mean genres\?"),
    ("unexpectedness(top=0)", {}, "top, a number of items, must be at least 1"),
    ("arp", {"train": None}, "needs the training data: give train="),
    ("arp", {"train": {}}, "train= is empty"),
    ("aplt(head=top)", {}, "head=top, at=0.8: at must be a whole number"),
    ("aplt(at=1.5)", {}, "head=volume, at=1.5: at must be a share from 0 to 1"),
    ("aplt(head=heavy)", {}, "head must be one of volume, top, fraction, reach, count, quantile, iqr"),
    ("epc(rel=2)", {}, "rel=2 has no effect"),
    ("epc(max_grade=2,relevance=binary)", {}, "max_grade=2 has no effect"),
    ("efd(gain_from=raw,relevance=binary)", {}, "gain_from=raw has no effect"),
    ("epc(relevance=graded,max_grade=.5)", {}, "a grade is above max_grade"),
    ("serendipity", {"policy": rw.Policy(unjudged="condense")}, "reads whole lists.*unjudged='nonrelevant'"),
    ("msi", {"policy": rw.Policy(ties="expected")}, "has no formula for the mean over all orders"),
]  # fmt: skip


@pytest.mark.parametrize(("metric", "options", "words"), REFUSED, ids=str)
def test_what_cannot_be_had_is_refused_with_the_remedy(metric, options, words):
    with pytest.raises(rw.RankwellError, match=words):
        rw.evaluate(RUN, QRELS, [metric], **{"train": TRAIN} | options)


@pytest.mark.parametrize(
    "metric", ["serendipity(top=1)", "serendipity_murakami", "pop_reo", "epc(relevance=binary)"]
)
def test_relevance_needs_judgements(metric):
    with pytest.raises(rw.RankwellError, match="needs judgements: give qrels="):
        rw.evaluate(RUN, metrics=[metric], train=TRAIN, items=list("abcdxy"))


def test_unseen_error_is_content_where_everything_is_known():
    res = rw.evaluate(
        {"u": ["a"], "v": ["b"]}, metrics=["msi(unseen=error)", "efd(unseen=error)"], train=TRAIN
    )
    assert list(res.mean.values()) == [0.5, 1.5]
